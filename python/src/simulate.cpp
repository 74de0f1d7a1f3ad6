#include "bristle/simulate.hpp"

#include "bristle/report.hpp"
#include "bristle/report/compare.hpp"
#include "bristle/scenario.hpp"
#include "bristle/sweep/compare.hpp"
#include "common.hpp"

namespace bristle::python {
namespace {

using sweep::Compared;

/// A scenario as the package passes it: its text, a path for messages and relative files, changes.
struct Given {
  std::string text, path;
  std::vector<std::string> set, measure;
  Changes changes() const {
    Changes out(set);
    out.measure = measure;
    return out;
  }
};

Loaded load(const Given& g) { return read_scenario(g.text, g.path, g.changes()); }

Compared run(Scenario&& scenario, const nb::object& progress) {
  Compared out{.scenario = std::move(scenario)};
  const Scenario& s = out.scenario;
  const double duration = s.experiment.solver.duration;
  out.run = interruptible(progress, [&](Watched& w) {
    return simulate(s.experiment,
                    {.probes = probe_times(s), .progress = [&](double t) { w.done = t / duration; }, .stop = &w.stop});
  });
  return out;
}

nb::list events_of(const Run& run) {
  nb::list out;
  for (const Event& e : run.events) out.append(nb::make_tuple(e.t, to_string(e.kind), run.body_of(e)));
  return out;
}

nb::dict energy_of(const EnergyBalance& e) {
  nb::dict d;
  d["drive"] = e.drive;
  d["kinetic"] = e.kinetic;
  d["spring"] = e.spring;
  d["damper"] = e.damper;
  d["friction"] = e.friction;
  d["error"] = e.error;
  return d;
}

nb::dict summary_of(const Compared& c) {
  const Summary& s = c.run.summary;
  nb::dict d;
  d["title"] = c.scenario.title.empty() ? c.scenario.name : c.scenario.title;
  d["method"] = s.method;
  d["steps"] = s.steps;
  d["rejected"] = s.rejected;
  d["evaluations"] = s.evaluations;
  d["switches"] = s.switches;
  d["duration"] = s.duration;
  d["seconds"] = s.seconds;
  d["momentum_error"] = s.momentum.error;
  std::vector<std::string> notes = c.scenario.notes;
  notes.insert(notes.end(), s.notes.begin(), s.notes.end());
  if (std::string note = outside_measured(c.scenario, c.run); !note.empty()) notes.push_back(std::move(note));
  d["notes"] = notes;
  return d;
}

/// {name: (value, unit, reason)}
nb::dict measures_of(const Compared& c) {
  nb::dict out;
  for (const Measure& m : c.scenario.measures) {
    const Number x = number_of(m.quantity, c.run);
    out[m.name.c_str()] = nb::make_tuple(x.value, x.unit, x.reason);
  }
  return out;
}

nb::list checks_of(const Compared& c) {
  nb::list out;
  for (const Checked& k : check(c.scenario, c.run))
    out.append(nb::make_tuple(k.expectation->text, k.computed, k.expected, k.held));
  return out;
}

/// Several runs on all cores.
struct Comparison {
  std::vector<Compared> runs{};
  Comparison() = default;
  Comparison(Comparison&&) = default;
  Comparison(const Comparison&) = delete;
};

nb::dict parts_of(nb::handle self, const Compared& c) {
  nb::dict d;
  d["columns"] = columns_of(c.run.trace, self);
  d["units"] = units_of(c.run.trace);
  d["events"] = events_of(c.run);
  d["energy"] = energy_of(c.run.summary.energy);
  d["summary"] = summary_of(c);
  d["measures"] = measures_of(c);
  d["checks"] = checks_of(c);
  d["population"] = columns_of(c.run.population, self);
  return d;
}

Comparison compare(const std::vector<std::pair<std::string, Given*>>& given, const nb::object& progress) {
  Comparison out;
  Problems problems;
  for (const auto& [name, g] : given) {
    Loaded loaded = load(*g);
    for (Problem& p : loaded.problems) {
      p.where = name + (p.where.empty() ? "" : ": " + p.where);
      problems.push_back(std::move(p));
    }
    if (loaded.scenario) out.runs.push_back({.name = name, .scenario = std::move(*loaded.scenario)});
  }
  raise_if(problems);
  interruptible(progress, [&](Watched& w) {
    sweep::simulate(out.runs, &w.stop);
    return true;
  });
  return out;
}

nb::list differences_of(const Comparison& c) {
  nb::list out;
  const auto columns = sweep::common_columns(c.runs);
  for (std::size_t i = 1; i < c.runs.size(); ++i) {
    if (!c.runs[0].failure.empty() || !c.runs[i].failure.empty()) continue;
    for (const sweep::Difference& d : sweep::differences(c.runs[0], c.runs[i], columns))
      out.append(nb::make_tuple(c.runs[i].name, d.column, d.unit, d.largest, d.rms, d.relative));
  }
  return out;
}

plot::Figure compared_figure(const Comparison& c) {
  return report::figure_of(report::compared_panels(c.runs, sweep::common_columns(c.runs)));
}

}  // namespace

void bind_simulate(nb::module_& m) {
  nb::class_<Given>(m, "Scenario")
      .def("__init__",
           [](Given* self, std::string text, std::string path, std::vector<std::string> set,
              std::vector<std::string> measure) {
             new (self) Given{std::move(text), std::move(path), std::move(set), std::move(measure)};
           })
      .def_ro("text", &Given::text)
      .def_ro("path", &Given::path)
      .def("check", [](const Given& g) {
        const Loaded loaded = load(g);
        raise_if(loaded.problems);
        return loaded.scenario->notes;
      });
  nb::class_<Compared>(m, "Run")
      .def("parts", [](nb::handle self) { return parts_of(self, nb::cast<const Compared&>(self)); })
      .def("figure", [](const Compared& c) { return figure_of(report::figure_of(c.scenario, c.run)); })
      .def("svg", [](const Compared& c) { return plot::svg(report::figure_of(c.scenario, c.run)); })
      .def("page", [](const Compared& c) { return report::run_page(c.scenario, c.run, check(c.scenario, c.run)); });
  m.def("simulate", [](const Given& g, const nb::object& progress) {
    Loaded loaded = load(g);
    raise_if(loaded.problems);
    return run(std::move(*loaded.scenario), progress);
  });

  nb::class_<Comparison>(m, "Comparison")
      .def("names",
           [](const Comparison& c) {
             std::vector<std::string> out;
             for (const Compared& r : c.runs) out.push_back(r.name);
             return out;
           })
      .def("failures",
           [](const Comparison& c) {
             std::vector<std::string> out;
             for (const Compared& r : c.runs) out.push_back(r.failure);
             return out;
           })
      .def(
          "run", [](const Comparison& c, std::size_t i) -> const Compared& { return c.runs.at(i); },
          nb::rv_policy::reference_internal)
      .def("differences", &differences_of)
      .def("figure", [](const Comparison& c) { return figure_of(compared_figure(c)); })
      .def("svg", [](const Comparison& c) { return plot::svg(compared_figure(c)); })
      .def("page", [](const Comparison& c) { return report::compare_page(c.runs, sweep::common_columns(c.runs)); });
  m.def("compare", &compare);
}

}  // namespace bristle::python
