#include "bristle/gpu.hpp"
#include "bristle/output.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/simulate.hpp"
#include "bristle/version.hpp"
#include "common.hpp"

namespace bristle::python {
namespace {

/// Exceptions of the library under the names of the package, bristle._errors.
void translate(const std::exception_ptr& p, void*) {
  auto set = [](const char* name, nb::object argument) {
    const nb::object type = nb::module_::import_("bristle._errors").attr(name);
    PyErr_SetObject(type.ptr(), argument.ptr());
  };
  try {
    std::rethrow_exception(p);
  } catch (const BadInput& e) {
    set("InputError", nb::cast(std::vector<std::string>{e.what()}));
  } catch (const RunDiverged& e) { set("RunDiverged", nb::cast(e.what())); } catch (const RunFailed& e) {
    set("RunFailed", nb::cast(e.what()));
  } catch (const gpu::DeviceError& e) { set("DeviceError", nb::cast(e.what())); } catch (const FileError& e) {
    PyErr_SetString(PyExc_OSError, e.what());
  } catch (const Stopped& e) { PyErr_SetString(PyExc_KeyboardInterrupt, e.what()); }
}

}  // namespace
}  // namespace bristle::python

NB_MODULE(_core, m) {
  using namespace bristle::python;
  nb::register_exception_translator(&translate);
  m.attr("__version__") = BRISTLE_VERSION;
  bind_contact(m);
  bind_batch(m);
  bind_gpu(m);
  bind_simulate(m);
  bind_sweep(m);
  bind_identify(m);
  bind_characterize(m);
  bind_surface(m);
}
