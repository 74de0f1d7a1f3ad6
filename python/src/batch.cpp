#include "bristle/batch.hpp"

#include "common.hpp"

namespace bristle::python {
namespace {

template <class T> void bind(nb::module_& m, const char* name) {
  using B = Batch<T>;
  using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Filled = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  nb::class_<B>(m, name)
      .def_prop_ro("size", &B::size)
      .def("vary", [](B& b, const std::string& parameter,
                      const Given& values) { return b.vary(parameter, {values.data(), values.shape(0)}); })
      .def(
          "step",
          [](B& b, const Given& v, T dt, const Given& load, const Given& x, const Given& temperature, Filled F) {
            const nb::gil_scoped_release without;
            auto span = [](const Given& a) { return std::span<const T>(a.data(), a.shape(0)); };
            b.step(span(v), dt, {F.data(), F.shape(0)},
                   {.r = span(load), .x = span(x), .temperature = span(temperature)});
          },
          "v"_a, "dt"_a, "load"_a, "x"_a, "temperature"_a, nb::arg("out").noconvert())
      .def("reset", &B::reset);
  m.def((std::string("make_") + name).c_str(),
        [](const std::string& model, const nb::dict& parameters, const nb::dict& effects, std::size_t n) {
          auto made = make_batch<T>(model, table_of(parameters), n, "", table_of(effects));
          raise_if(made.problems);
          return made.batch.release();
        },
        nb::rv_policy::take_ownership);
}

}  // namespace

void bind_batch(nb::module_& m) {
  bind<double>(m, "BatchDouble");
  bind<float>(m, "BatchFloat");
  m.def("instruction_sets", &batch_instruction_sets);
}

}  // namespace bristle::python
