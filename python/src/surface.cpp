#include "bristle/report/surface.hpp"

#include <array>
#include <cmath>

#include "bristle/surface.hpp"
#include "common.hpp"

namespace bristle::python {
namespace {

using surface::Analysis;

template <class E> E choice(const nb::dict& given, const char* name, E usual, std::vector<std::string>& problems) {
  if (!given.contains(name)) return usual;
  const auto text = nb::cast<std::string>(nb::str(given[name]));
  std::string accepted;
  const auto all = choices(E{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (text == all[i]) return static_cast<E>(i);
    accepted += (i > 0 ? ", " : "") + std::string(all[i]);
  }
  problems.push_back(std::string(name) + ": '" + text + "' is unknown; " + accepted + " are accepted");
  return usual;
}

/// The options of the command are the keywords here.
std::string as_keywords(std::string text) {
  for (std::size_t at = 0; (at = text.find("--", at)) != std::string::npos;) text.erase(at, 2);
  return text;
}

surface::Settings settings_of(const nb::dict& d) {
  surface::Settings s;
  std::vector<std::string> problems;
  s.level = choice(d, "level", s.level, problems);
  s.summits = choice(d, "summits", s.summits, problems);
  auto take = [&](const char* name, auto& to) {
    if (!d.contains(name)) return;
    double x = 0;
    if (nb::try_cast<double>(d[name], x))
      to = x;
    else
      problems.push_back(std::string(name) + ": must be a number");
  };
  take("cutoff", s.cutoff);
  take("short", s.shortest);
  for (const auto& [name, value] : {std::pair{"cutoff", s.cutoff}, {"short", s.shortest}}) {
    if (d.contains(name) && !(value > 0)) problems.push_back(std::string(name) + ": must be a length > 0 in m");
  }
  take("E", s.E);
  take("hardness", s.hardness);
  take("shear", s.shear);
  take("area", s.area);
  take("mass", s.mass);
  take("poisson", s.poisson);
  take("density", s.density);
  take("load", s.load);
  take("separation", s.separation);
  if (s.load && s.separation) problems.emplace_back("load and separation: only one of them is accepted");
  for (const Problem& p : surface::check(s)) problems.push_back(as_keywords(p.line()));
  if (!problems.empty()) raise(problems);
  return s;
}

/// Heights of a file, or of an array with ny rows along x. nanobind finds types by name: one class of a name in all files.
struct MeasuredSurface {
  surface::ReadResult read{};
  std::string name{};
};
std::unique_ptr<MeasuredSurface> of_file(const std::string& path, double dx, double dy) {
  auto out = std::make_unique<MeasuredSurface>();
  out->read = surface::read_heights(path, {dx, dy});
  std::vector<std::string> problems;
  for (const Problem& p : out->read.problems) problems.push_back(as_keywords(p.line()));
  if (!problems.empty()) raise(problems);
  out->name = path;
  return out;
}
std::unique_ptr<MeasuredSurface> of_array(const In& z, std::size_t ny, double dx, double dy) {
  auto out = std::make_unique<MeasuredSurface>();
  out->name = "array";
  out->read.heights = {
      .nx = z.shape(0) / ny, .ny = ny, .dx = dx, .dy = dy, .z = std::vector<double>(z.data(), z.data() + z.shape(0))};
  return out;
}

std::unique_ptr<Analysis> analyze(MeasuredSurface& own, MeasuredSurface* counter, const nb::dict& given,
                                  unsigned threads, const nb::object& progress) {
  const surface::Settings settings = settings_of(given);
  try {
    auto out = interruptible(progress, [&](Watched& w) {
      const double all = counter != nullptr ? 2 : 1;
      auto roughness = [&](MeasuredSurface& g, double before) {
        return surface::roughness(std::move(g.read.heights), settings,
                                  {[&](double x) { w.done = (before + x) / all; }, &w.stop, threads});
      };
      surface::Roughness r = roughness(own, 0);
      std::optional<surface::Roughness> other;
      if (counter != nullptr) other = roughness(*counter, 1);
      return surface::analyze(std::move(r), std::move(other), settings);
    });
    out.file = own.name;
    if (counter != nullptr) out.counter_file = counter->name;
    for (const MeasuredSurface* g :
         {static_cast<const MeasuredSurface*>(counter), static_cast<const MeasuredSurface*>(&own)}) {
      if (g == nullptr) continue;
      for (const std::string& n : g->read.notes) out.notes.insert(out.notes.begin(), g->name + ": " + n);
    }
    return std::make_unique<Analysis>(std::move(out));
  } catch (const surface::BadSurface& e) { raise({as_keywords(e.what())}); }
}

nb::list values_list(const Analysis& a) {
  nb::list out;
  for (const surface::Named& v : values_of(a))
    out.append(nb::make_tuple(v.name, v.value.value_or(std::nan("")), v.unit, v.meaning));
  return out;
}

}  // namespace

void bind_surface(nb::module_& m) {
  nb::class_<MeasuredSurface>(m, "MeasuredSurface");
  nb::class_<Analysis>(m, "SurfaceAnalysis")
      .def("values", &values_list)
      .def("contact_csv", [](const Analysis& a) { return surface::contact_csv(a); })
      .def("summits_csv", [](const Analysis& a) { return surface::summits_csv(a); })
      .def("gfm", [](const Analysis& a) { return a.gfm ? surface::gfm_toml(a) : ""; })
      .def("generic2010", [](const Analysis& a) { return a.generic2010 ? surface::generic2010_toml(a) : ""; })
      .def("without", [](const Analysis& a) { return nb::make_tuple(a.no_gfm, a.no_generic2010); })
      .def("warnings", [](const Analysis& a) { return a.warnings; })
      .def("notes", [](const Analysis& a) { return a.notes; })
      .def("figures",
           [](const Analysis& a) {
             nb::list out;
             for (const plot::Figure& f : report::surface_figures(a)) out.append(figure_of(f));
             return out;
           })
      .def("text", [](const Analysis& a) { return report::surface_text(a); })
      .def("page", [](const Analysis& a) { return report::surface_page(a); });
  m.def("surface_file", &of_file);
  m.def("surface_array", &of_array);
  m.def("surface", &analyze, "own"_a, "counter"_a.none(), "settings"_a, "threads"_a, "progress"_a);
}

}  // namespace bristle::python
