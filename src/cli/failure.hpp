#pragma once
#include <string>

namespace bristle::cli {

/// For `catch (...)`: the exit status of the exception being handled, after its message. `out`: what is written;
/// `file`: what the input is in.
int status_of_exception(const std::string& out, const std::string& file = "");

}  // namespace bristle::cli
