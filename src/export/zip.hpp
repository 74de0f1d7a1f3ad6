#pragma once
#include <string>
#include <vector>

#include "bristle/export.hpp"

namespace bristle::exports {

/// A ZIP archive with the files uncompressed, in their order, all of the same date: equal files give equal bytes.
std::string zip(const std::vector<File>& files);

}  // namespace bristle::exports
