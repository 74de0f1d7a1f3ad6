#include "cli/fit/failure.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <new>

#include "bristle/output.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/simulate.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"

namespace bristle::cli {

int status_of_exception(void (*complain)(const std::string&), const std::string& out) {
  try {
    throw;
  } catch (const Stopped&) {
    complain("stopped");
    return stopped;
  } catch (const BadInput& e) {
    complain(e.what());
    return wrong_input;
  } catch (const FileError& e) { complain(e.what()); } catch (const std::filesystem::filesystem_error& e) {
    complain(fmt::format("{}: cannot be written: {}", out, e.code().message()));
  } catch (const std::bad_alloc&) { complain("out of memory"); }
  return failed;
}

}  // namespace bristle::cli
