#include "bristle/report.hpp"
#include "bristle/tribometer.hpp"
#include "bristle/tribometer/alike.hpp"
#include "common.hpp"

namespace bristle::python {
namespace {

using namespace bristle::tribometer;

struct Characterized {
  std::vector<Characterization> results;
  std::vector<report::Characterized> shown;
  bool rotational = false;
};

std::unique_ptr<Characterized> run(const std::vector<std::tuple<std::string, std::string, std::string>>& blocks,
                                   bool own, unsigned threads, const nb::object& progress) {
  auto out = std::make_unique<Characterized>();
  std::vector<Subject> subjects;
  Problems problems;
  for (const auto& [label, text, path] : blocks) {
    SubjectRead read = read_subject(text, path);
    problems.insert(problems.end(), read.problems.begin(), read.problems.end());
    if (!read.subject) continue;
    if (!subjects.empty() && read.rotational != out->rotational)
      problems.push_back({label, "other units than the first block; all blocks must have the same units"});
    out->rotational = read.rotational;
    if (!label.empty()) read.subject->label = label;
    out->shown.push_back(
        {nullptr, read.subject->contact->parameters(), label, std::move(read.text), std::move(read.notes)});
    subjects.push_back(std::move(*read.subject));
  }
  raise_if(problems);
  if (!own) {
    const std::vector<std::string> notes = lay_out_alike(subjects);
    for (std::size_t i = 0; i < notes.size(); ++i) {
      if (!notes[i].empty()) out->shown[i].notes.push_back(notes[i] + "; own=True measures each contact at its own");
    }
  }
  out->results = interruptible(progress, [&](Watched& w) {
    return characterize(subjects,
                        {.progress = [&](double part) { w.done = part; }, .stop = &w.stop, .threads = threads});
  });
  for (std::size_t i = 0; i < out->results.size(); ++i) out->shown[i].result = &out->results[i];
  return out;
}

nb::list properties_of(const Characterized& c) {
  nb::list out;
  for (const Characterization& r : c.results) {
    for (const Verdict& v : r.findings)
      out.append(nb::make_tuple(r.label, v.name, v.known ? nb::cast(v.holds) : nb::none(), v.number, v.threshold,
                                v.declared ? nb::cast(*v.declared) : nb::none(), v.rule, v.detail));
  }
  return out;
}
nb::list quantities_of(const Characterized& c) {
  nb::list out;
  for (const Characterization& r : c.results) {
    for (const Measurement& m : r.measurements) {
      for (const Quantity& q : m.quantities)
        out.append(nb::make_tuple(r.label, m.experiment, q.name, q.value, q.unit, q.meaning));
    }
  }
  return out;
}
nb::list failures_of(const Characterized& c) {
  nb::list out;
  for (const Characterization& r : c.results) {
    for (const Measurement& m : r.measurements) {
      if (!m.failure.empty()) out.append(nb::make_tuple(r.label, m.experiment, m.failure));
    }
  }
  return out;
}
nb::list notes_of(const Characterized& c) {
  nb::list out;
  for (std::size_t i = 0; i < c.results.size(); ++i) {
    for (const std::string& note : c.shown[i].notes) out.append(nb::make_tuple(c.results[i].label, note));
  }
  return out;
}
std::size_t number_of(const std::string& experiment) {
  std::vector<std::string> names;
  for (const ExperimentInfo& e : experiments()) {
    if (experiment == e.name) return names.size();
    names.emplace_back(e.name);
  }
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  raise({"unknown experiment '" + experiment + "'; accepted: " + list});
}

}  // namespace

void bind_characterize(nb::module_& m) {
  nb::class_<Characterized>(m, "Characterized")
      .def("properties", &properties_of)
      .def("quantities", &quantities_of)
      .def("failures", &failures_of)
      .def("notes", &notes_of)
      .def("figure",
           [](const Characterized& c, const std::string& e) {
             return figure_of(report::experiment_figure(number_of(e), c.shown, c.rotational));
           })
      .def("page", [](const Characterized& c) { return report::characterization_page(c.shown, c.rotational); });
  m.def("characterize", &run);
  m.def("experiments", [] {
    std::vector<std::string> out;
    for (const ExperimentInfo& e : experiments()) out.emplace_back(e.name);
    return out;
  });
}

}  // namespace bristle::python
