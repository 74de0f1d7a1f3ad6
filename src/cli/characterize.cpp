#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <set>

#include "bristle/output.hpp"
#include "bristle/report.hpp"
#include "bristle/tribometer.hpp"
#include "bristle/tribometer/alike.hpp"
#include "cli/describe.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/screen.hpp"
#include "commands.hpp"
#include "report/shared/labels.hpp"

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;
using namespace bristle::tribometer;
using report::Characterized;

Json all_to_json(const std::vector<Characterized>& contacts, bool rotational) {
  Json all = Json::array();
  for (const Characterized& c : contacts) all.push_back(to_json(c, rotational));
  return all;
}

/// A CSV cell, in quotes where it contains a comma, a quote or a line break.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void write_properties(const std::vector<Characterized>& contacts, std::ostream& out) {
  out << "contact,model,property,holds,number,threshold,declared,rule,detail\n";
  auto word = [](bool b) { return b ? "yes" : "no"; };
  for (const Characterized& c : contacts) {
    for (const Verdict& f : c.result->findings) {
      out << fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_cell(c.result->label), c.result->model, f.name,
                         f.known ? word(f.holds) : "", std::isnan(f.number) ? "" : to_text(f.number),
                         to_text(f.threshold), f.declared ? word(*f.declared) : "", csv_cell(f.rule),
                         csv_cell(f.detail));
    }
  }
}

void write_quantities(const std::vector<Characterized>& contacts, bool rotational, std::ostream& out) {
  out << "contact,model,experiment,quantity,value,unit,meaning\n";
  for (const Characterized& c : contacts) {
    const bool none = dimensionless(c.result->model, c.parameters);
    for (const Measurement& m : c.result->measurements) {
      for (const Quantity& q : m.quantities) {
        out << fmt::format("{},{},{},{},{},{},{}\n", csv_cell(c.result->label), c.result->model, m.experiment, q.name,
                           std::isnan(q.value) ? "" : to_text(q.value), unit_of(q, rotational, none),
                           csv_cell(q.meaning));
      }
    }
  }
}

/// A label as part of a file name.
std::string plain(const std::string& label) {
  std::string out;
  for (const char c : label) out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' ? c : '_';
  return out;
}

using Recorded = std::vector<std::vector<RecordedMotion>>;  // per contact
void write_all(const fs::path& folder, const std::vector<Characterized>& contacts, const Recorded& recorded,
               bool rotational) {
  fs::create_directories(folder / "data");
  std::vector<OutputFile> files;
  auto add = [&](const fs::path& name, const Writer& write) {
    files.emplace_back((folder / name).string(), write);
    if (Interrupt::flag()) throw Stopped();
  };
  add("properties.csv", [&](std::ostream& o) { write_properties(contacts, o); });
  add("quantities.csv", [&](std::ostream& o) { write_quantities(contacts, rotational, o); });
  add("properties.json", [&](std::ostream& o) { o << json_text(all_to_json(contacts, rotational)); });
  for (std::size_t k = 0; k < experiments().size(); ++k) {
    const std::string name = experiments()[k].name;
    const plot::Figure figure = report::experiment_figure(k, contacts, rotational);
    if (!figure.panels.empty()) add(name + ".svg", [&](std::ostream& o) { o << plot::svg(figure); });
    for (const Characterized& c : contacts) {
      for (const Chart& chart : c.result->measurements[k].charts) {
        const std::string part = chart.name.starts_with(name) ? chart.name : name + "_" + chart.name;
        add(fs::path("data") / fmt::format("{}-{}.csv", part, plain(c.result->label)),
            [&](std::ostream& o) { write_csv(chart.trace, o); });
      }
    }
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const fs::path own = fs::path("recordings") / plain(contacts[i].result->label);
    fs::create_directories(folder / own);
    for (const RecordedMotion& r : recorded[i])
      add(own / (r.name + ".csv"), [&](std::ostream& o) { write_csv(r.trace, o); });
  }
  add("index.html", [&](std::ostream& o) { o << report::characterization_page(contacts, rotational); });
  keep(files);
}

/// Adds a number to the labels of files with the same name in different folders.
void tell_apart(std::vector<Subject>& subjects) {
  std::set<std::string> seen;
  for (Subject& s : subjects) {
    const std::string label = s.label;
    for (int n = 2; !seen.insert(plain(s.label)).second; ++n) s.label = fmt::format("{}-{}", label, n);
  }
}

/// Measures all contacts with the same motions; notes those that are then measured far from their own scales.
void measure_alike(std::vector<Subject>& subjects, std::vector<Characterized>& contacts) {
  const std::vector<std::string> notes = lay_out_alike(subjects);
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (notes[i].empty()) continue;
    contacts[i].notes.push_back(notes[i] + "; --own measures each contact at its own");
    print_error("bristle characterize: note: {}\n", contacts[i].notes.back());
  }
}

}  // namespace

int characterize(const CharacterizeOptions& options) {
  const Interrupt interrupt;
  std::vector<Subject> subjects;
  std::vector<Characterized> contacts;
  bool rotational = false, good = true;
  const char* const words[]{"linear", "rotational"};
  for (const std::string& file : options.files) {
    SubjectRead read = load_subject(file, options.changes);
    for (const Problem& p : read.problems) complain(p.line());
    good = good && read.problems.empty();
    if (!read.subject) continue;
    if (contacts.empty()) rotational = read.rotational;
    if (read.rotational != rotational) {
      complain(fmt::format(
          R"({}: units = "{}", but {} has units = "{}"; all files must have the same units, --set units=... sets them)",
          file, words[read.rotational ? 1 : 0], contacts.front().file, words[rotational ? 1 : 0]));
      good = false;
    }
    contacts.push_back(
        {nullptr, read.subject->contact->parameters(), file, std::move(read.text), std::move(read.notes)});
    subjects.push_back(std::move(*read.subject));
  }
  if (!good) return wrong_input;
  tell_apart(subjects);
  if (!options.own) measure_alike(subjects, contacts);
  try {
    const fs::path folder = options.out;
    if (!options.out.empty()) { OutputFile::check_in(options.out, "index.html"); }
    Progress progress(1, !options.json);
    const std::vector<Characterization> results = tribometer::characterize(
        subjects, {.progress = [&](double part) { progress.reached(part); }, .stop = &Interrupt::flag()});
    progress.finish();
    for (std::size_t i = 0; i < results.size(); ++i) contacts[i].result = &results[i];
    if (!options.out.empty()) {
      Recorded recorded;
      for (std::size_t i = 0; i < results.size(); ++i) {
        Specimen s = specimen(*subjects[i].contact, subjects[i].settings);
        s.stop = &Interrupt::flag();
        const auto curve = std::ranges::find(results[i].measurements, "curve", &Measurement::experiment);
        recorded.push_back(recordings(s, *curve, rotational));
      }
      write_all(folder, contacts, recorded, rotational);
    }
    if (options.json) {
      print("{}", json_text(all_to_json(contacts, rotational)));
    } else {
      print_table(report::property_table(contacts));
      if (!options.out.empty()) print("wrote {}\n", (folder / "index.html").string());
    }
    int status = done;
    for (const Characterization& r : results) {
      for (const Measurement& m : r.measurements) {
        if (m.failure.empty()) continue;
        complain(fmt::format("{}: {}: {}", r.label, m.experiment, m.failure));
        status = failed;
      }
    }
    return status;
  } catch (...) { return status_of_exception(options.out); }
}

}  // namespace bristle::cli
