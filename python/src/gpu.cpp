#include "bristle/gpu.hpp"

#include "common.hpp"

/// Batches on a GPU: arrays of the device by DLPack, without a copy.
namespace bristle::python {
namespace {

template <class T> struct Deviced {
  std::unique_ptr<gpu::DeviceBatch<T>> batch;
  int device;
};

/// The address of an array of the device with one value per contact.
template <class T, class A> auto data_of(const Deviced<T>& b, const A& a, const char* name) {
  const std::string n = std::to_string(b.batch->size());
  if (a.dtype() != nb::dtype<T>())
    throw BadInput(std::string(name) + ": must have the type float" + std::to_string(8 * sizeof(T)) +
                   " of the batch; another one requires a conversion on the device");
  if (a.ndim() != 1 || a.shape(0) != b.batch->size() || (a.shape(0) > 1 && a.stride(0) != 1))
    throw BadInput(std::string(name) + ": must be a contiguous array of one dimension with " + n +
                   " values, one per contact");
  if (a.device_id() != b.device)
    throw BadInput(std::string(name) + ": is on device " + std::to_string(a.device_id()) + ", the batch on device " +
                   std::to_string(b.device));
  return a.data();
}

template <class T> void bind(nb::module_& m, const char* name) {
  using B = Deviced<T>;
  using Host = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Filled = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Given = nb::ndarray<nb::ro, nb::device::cuda>;
  using Result = nb::ndarray<nb::device::cuda>;
  nb::class_<B>(m, name)
      .def("vary", [](B& b, const std::string& parameter,
                      const Host& values) { return b.batch->vary(parameter, {values.data(), values.shape(0)}); })
      .def(
          "step",
          [](B& b, const Host& v, T dt, Filled F) {
            const nb::gil_scoped_release without;
            b.batch->step({v.data(), v.shape(0)}, dt, {F.data(), F.shape(0)});
          },
          "v"_a, "dt"_a, nb::arg("out").noconvert())
      .def("advance",
           [](B& b, const Given& v, T dt, const Result& F) {
             b.batch->advance(static_cast<const T*>(data_of(b, v, "v")), dt, static_cast<T*>(data_of(b, F, "out")), 1);
           })
      .def("empty",  // one value per contact, with __dlpack__
           [](const B& b) {
             auto memory = std::make_unique<std::shared_ptr<void>>(gpu::memory(b.batch->size() * sizeof(T)));
             void* const data = memory->get();
             const nb::capsule owner(memory.release(),
                                     [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
             return nb::ndarray<nb::array_api, T, nb::device::cuda>(data, {b.batch->size()}, owner, {}, nb::dtype<T>(),
                                                                    nb::device::cuda::value, b.device);
           })
      .def("wait", [](const B& b) { b.batch->wait(); })
      .def("reset", [](B& b) { b.batch->reset(); });
  m.def((std::string("make_") + name).c_str(),
        [](const std::string& model, const nb::dict& parameters, std::size_t n) {
          auto made = gpu::make_batch<T>(model, table_of(parameters), n);
          raise_if(made.problems);
          return new B{std::move(made.batch), gpu::device().id};
        },
        nb::rv_policy::take_ownership);
}

}  // namespace

void bind_gpu(nb::module_& m) {
  bind<double>(m, "GpuBatchDouble");
  bind<float>(m, "GpuBatchFloat");
  m.def("gpu_objection", &gpu::objection);
}

}  // namespace bristle::python
