#include "sweep/points.hpp"

#include <algorithm>

namespace bristle::sweep {
namespace {

/// The number of `p` with this name.
template <class P> double* number_of(P& p, std::string_view name, Range& range) {
  double* found = nullptr;
  each_field(p, [&](const auto& field, auto& v) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, double>) {
      if (name != field.name) return;
      found = &v;
      range = field.range;
    }
  });
  return found;
}

/// A number that nothing else in a scenario depends on, and no condition of which depends on another value.
double* place_of(Experiment& e, std::string_view key, Range& range) {
  constexpr std::string_view system = "system.", drive = "drive.";
  if (key.starts_with(system)) {
    key.remove_prefix(system.size());
    // A temperature is also that of a contact with heat, gravity may come from a fitted file.
    for (const char* name : {"mass", "stiffness", "damping", "rest_length", "x0", "v0"}) {
      if (key == name) return number_of(e.body, key, range);
    }
    return nullptr;
  }
  if (!key.starts_with(drive) || e.drive.terms.size() != 1) return nullptr;
  key.remove_prefix(drive.size());
  auto& shape = e.drive.terms.front().shape;
  if (auto* ramp = std::get_if<Ramp>(&shape)) return number_of(*ramp, key == "rate" ? "velocity" : key, range);
  if (auto* constant = std::get_if<Constant>(&shape)) return number_of(*constant, key, range);
  return nullptr;
}

}  // namespace

void PointReader::find_places() {
  places_.clear();
  Experiment& e = loaded_.scenario->experiment;
  if (e.kind != SystemKind::slider || e.controller || e.own || e.body.start != Beginning::given) return;
  for (const std::string& key : keys_) {
    Range range = any_real;
    double* const number = place_of(e, key, range);
    if (!number) return places_.clear();
    places_.push_back({number, range});
  }
}

const Experiment* PointReader::at(std::span<const double> values, std::string& problem, bool afresh) {
  if (!afresh && !places_.empty()) {
    bool good = true;
    for (std::size_t i = 0; i < places_.size(); ++i) good = good && places_[i].range.contains(values[i]);
    if (good) {
      for (std::size_t i = 0; i < places_.size(); ++i) *places_[i].number = values[i];
      const Experiment& e = loaded_.scenario->experiment;
      if (objection_to(e).empty()) return &e;
    }
  }
  places_.clear();
  loaded_ = family_.at(values);
  if (!loaded_.scenario) {
    problem = loaded_.problems.front().text;
    return nullptr;
  }
  find_places();
  return &loaded_.scenario->experiment;
}

}  // namespace bristle::sweep
