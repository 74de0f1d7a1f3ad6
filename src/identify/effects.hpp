#pragma once
#include <memory>
#include <string>
#include <vector>

#include "identify/candidate.hpp"

/// Effects around a model: what the data could show of them, and where to start.
namespace bristle::identify {

/// Effects that these data could show, each by its first field.
std::vector<std::string> visible_effects(const Series& s);
/// The effects the user named; throws BadInput for those that the data cannot show. "auto" names none.
std::vector<std::string> named_effects(const Options& options, const Series& s);

/// What the residual of a fit says of an effect: its fields with starting values.
Table hint(const std::string& effect, const Candidate& c, const Setting& s);
/// The same candidate with more effects, starting from where it stands.
std::unique_ptr<Candidate> extended(const Candidate& c, const Table& effects, const Setting& s);

}  // namespace bristle::identify
