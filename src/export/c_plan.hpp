#pragma once
#include <set>
#include <string>
#include <vector>

#include "export/c_models.hpp"
#include "export/describe.hpp"

namespace bristle::exports {

using Flags = std::set<std::string>;

/// The contents of the header of a block.
struct Plan {
  const CModel* model = nullptr;
  std::string name;
  Flags flags;
  std::vector<Parameter> parameters;             // of the law
  std::vector<Parameter> effects{}, negative{};  // negative: those with another value in negative motion
  std::size_t elements = 0;
  std::vector<std::string> fixed{};  // "alpha = 2": compiled in
};

/// Adds a problem for a model or an effect that C has no form for.
Plan plan_of(const Block& block, const Options& options, Problems& problems);

}  // namespace bristle::exports
