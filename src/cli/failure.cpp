#include "cli/failure.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <new>

#include "bristle/output.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/simulate.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/screen.hpp"

namespace bristle::cli {

int status_of_exception(const std::string& out, const std::string& file) {
  try {
    throw;
  } catch (const Stopped&) {
    complain("stopped");
    return stopped;
  } catch (const BadInput& e) {
    complain(Problem{file, e.what()}.line());
    return wrong_input;
  } catch (const RunFailed& e) { complain(Problem{file, e.what()}.line()); } catch (const FileError& e) {
    complain(e.what());
  } catch (const std::filesystem::filesystem_error& e) {
    complain(fmt::format("{}: cannot be written: {}", out, e.code().message()));
  } catch (const std::bad_alloc&) { complain("out of memory"); }
  return failed;
}

}  // namespace bristle::cli
