#include "bristle/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "common.hpp"

namespace bristle::python {
namespace {

/// A scenario whose numbers at some keys vary from run to run.
struct Family {
  ScenarioFamily family;
  std::vector<std::string> measures{}, units{}, keys{};
};

Family read(const std::string& text, const std::string& path, const std::vector<std::string>& set,
            const std::vector<std::string>& measure, const std::vector<std::string>& keys,
            const std::vector<double>& first) {
  Changes changes(set);
  changes.measure = measure;
  FamilyRead read = read_family(text, path, changes);
  raise_if(read.problems);
  Family out{std::move(*read.family), {}, {}, keys};
  std::vector<ScenarioFamily::Key> all;
  for (const std::string& k : keys) all.push_back({k, k});
  out.family.vary(std::move(all));
  // The first row shows misspelt keys and problems of all rows; a single row that is refused gets the status failed.
  const Loaded loaded = out.family.at(first);
  raise_if(loaded.problems);
  for (const Measure& m : loaded.scenario->measures) out.measures.push_back(m.name);
  if (out.measures.empty())
    raise({"sweep: no measure; measures={\"peak\": \"max(F)\"} or a section [measure] is required"});
  return out;
}

/// Values by columns, row after row in chunks; every thread owns a copy of the family.
nb::tuple run(const Family& f, const std::vector<In>& columns, std::size_t rows, unsigned threads,
              const nb::object& progress) {
  const std::size_t width = f.measures.size(), chunk = 64, jobs = (rows + chunk - 1) / chunk;
  std::vector<std::vector<double>> values(width, std::vector<double>(rows, std::numeric_limits<double>::quiet_NaN()));
  std::vector<std::string> status(rows), message(rows);
  interruptible(progress, [&](Watched& w) {
    std::atomic<std::size_t> finished{0};
    std::mutex mutex;
    std::vector<ScenarioFamily> idle;
    in_parallel(jobs, threads, [&](std::size_t job) {
      std::optional<ScenarioFamily> own;
      {
        const std::lock_guard lock(mutex);
        if (!idle.empty()) {
          own.emplace(std::move(idle.back()));
          idle.pop_back();
        }
      }
      if (!own) own.emplace(f.family);
      const std::size_t from = job * chunk, to = std::min(rows, from + chunk);
      std::vector<std::vector<double>> points;
      for (std::size_t i = from; i < to; ++i) {
        std::vector<double>& p = points.emplace_back();
        for (const In& c : columns) p.push_back(c.data()[i]);
      }
      std::vector<sweep::RowResult> results = sweep::evaluate(
          *own, points, &w.stop, [&] { w.done = static_cast<double>(++finished) / static_cast<double>(rows); });
      for (std::size_t i = from; i < to; ++i) {
        sweep::RowResult& r = results[i - from];
        for (std::size_t k = 0; k < r.measures.size(); ++k) values[k][i] = r.measures[k];
        status[i] = std::move(r.status);
        message[i] = std::move(r.message);
      }
      const std::lock_guard lock(mutex);
      idle.push_back(std::move(*own));
    });
    return true;
  });
  nb::dict out;
  for (std::size_t k = 0; k < width; ++k) out[f.measures[k].c_str()] = owned(std::move(values[k]));
  return nb::make_tuple(out, status, message);
}

/// Where the runs take place: on a GPU or not, with the reason where a processor takes its place.
std::pair<bool, std::string> place(const Family& f, const std::string& device, const std::vector<double>& first) {
  const std::string name = device.empty() ? f.family.device() : device;
  if (name == "cpu") return {false, ""};
  ScenarioFamily copy = f.family;
  const Loaded loaded = copy.at(first);
  raise_if(loaded.problems);
  const sweep::Place place = sweep::place_of(name, *loaded.scenario);
  return {place.gpu, place.note};
}

nb::tuple run_on_gpu(const Family& f, const std::vector<In>& columns, std::size_t rows, unsigned threads,
                     const nb::object& progress) {
  const std::size_t width = f.measures.size(), chunk = std::size_t{1} << 18;
  std::vector<std::vector<double>> values(width, std::vector<double>(rows, std::numeric_limits<double>::quiet_NaN()));
  std::vector<std::string> status(rows), message(rows);
  interruptible(progress, [&](Watched& w) {
    for (std::size_t from = 0; from < rows; from += chunk) {
      std::vector<std::vector<double>> points(std::min(chunk, rows - from));
      for (std::size_t i = 0; i < points.size(); ++i) {
        for (const In& c : columns) points[i].push_back(c.data()[from + i]);
      }
      std::vector<sweep::RowResult> results = sweep::evaluate_on_gpu(f.family, f.keys, points, threads, &w.stop);
      for (std::size_t i = 0; i < results.size(); ++i) {
        sweep::RowResult& r = results[i];
        for (std::size_t k = 0; k < r.measures.size(); ++k) values[k][from + i] = r.measures[k];
        status[from + i] = std::move(r.status);
        message[from + i] = std::move(r.message);
      }
      w.done = static_cast<double>(from + points.size()) / static_cast<double>(rows);
    }
    return true;
  });
  nb::dict out;
  for (std::size_t k = 0; k < width; ++k) out[f.measures[k].c_str()] = owned(std::move(values[k]));
  return nb::make_tuple(out, status, message);
}

/// The points of a Sobol sample of a box, one list per key.
nb::list sobol(const std::vector<std::tuple<std::string, double, double, bool>>& box, std::uint64_t n) {
  sweep::Design design{.sobol = n};
  for (const auto& [key, from, to, log] : box)
    design.keys.push_back({.key = key, .from = from, .to = to, .log = log, .where = key});
  Problems problems = design.problems();
  for (const Varied& v : design.keys) {
    if (std::string why = objection_to(v); !why.empty()) problems.push_back({v.where, std::move(why)});
  }
  raise_if(problems);
  std::vector<std::vector<double>> columns(box.size());
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::vector<double> p = design.point(i);
    for (std::size_t k = 0; k < p.size(); ++k) columns[k].push_back(p[k]);
  }
  nb::list out;
  for (auto& c : columns) out.append(owned(std::move(c)));
  return out;
}

}  // namespace

void bind_sweep(nb::module_& m) {
  nb::class_<Family>(m, "Family").def_ro("measures", &Family::measures);
  m.def("read_family", &read);
  m.def("sweep", &run);
  m.def("place_of", &place);
  m.def("sweep_on_gpu", &run_on_gpu);
  m.def("sobol", &sobol);
}

}  // namespace bristle::python
