#pragma once
#include <string>

namespace bristle::cli {

/// For `catch (...)`: the exit status of the exception being handled, after its message. `out`: the folder that is written.
int status_of_exception(void (*complain)(const std::string&), const std::string& out);

}  // namespace bristle::cli
