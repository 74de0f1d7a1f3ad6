#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bristle/registry/describe.hpp"
#include "bristle/simulate.hpp"

/// Experiments in a line or two, and ways to look at their runs.

inline bristle::Drive drive_of(bristle::DriveOf of, decltype(bristle::Term::shape) shape, double soft_start = 0) {
  return {of, {{std::move(shape), 0}}, soft_start};
}
inline bristle::Drive position(decltype(bristle::Term::shape) shape, double soft_start = 0) {
  return drive_of(bristle::DriveOf::position, std::move(shape), soft_start);
}
inline bristle::Drive velocity(decltype(bristle::Term::shape) shape, double soft_start = 0) {
  return drive_of(bristle::DriveOf::velocity, std::move(shape), soft_start);
}
inline bristle::Drive force(decltype(bristle::Term::shape) shape, double soft_start = 0) {
  return drive_of(bristle::DriveOf::force, std::move(shape), soft_start);
}

inline bristle::Table operator+(bristle::Table a, const bristle::Table& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::unique_ptr<bristle::AnyContact> contact(const std::string& model, const bristle::Table& parameters = {},
                                                    const bristle::Table& effects = {},
                                                    const bristle::Table& initial = {}) {
  auto made = bristle::make(model, parameters, effects, initial);
  for (const auto& problem : made.problems) ADD_FAILURE() << model << ": " << problem.line();
  if (!made.contact) std::abort();
  return std::move(made.contact);
}

/// The parameters of a model that have no default, with their typical values.
inline bristle::Table typical(const std::string& model) {
  bristle::Table out;
  for (const auto& f : bristle::find_model(model)->parameters) {
    if (f.required) out.push_back({f.name, f.value});
  }
  return out;
}

/// The models that a variable step can take; populations of asperities have their own tests.
inline std::vector<std::string> flow_names() {
  std::vector<std::string> out;
  for (const auto& m : bristle::model_infos()) {
    if (m.level != "contact") out.push_back(m.name);
  }
  return out;
}

inline bristle::Experiment slider(std::unique_ptr<bristle::AnyContact> c, double mass, double stiffness,
                                  bristle::Drive drive, double duration) {
  bristle::Experiment e;
  e.body.mass = mass;
  e.body.stiffness = stiffness;
  e.drive = std::move(drive);
  e.solver.duration = duration;
  e.contacts.push_back({"", std::move(c)});
  return e;
}
inline bristle::Experiment prescribed(std::unique_ptr<bristle::AnyContact> c, bristle::Drive drive, double duration) {
  bristle::Experiment e = slider(std::move(c), 1, 0, std::move(drive), duration);
  e.kind = bristle::SystemKind::prescribed;
  return e;
}
inline bristle::Experiment roller(std::unique_ptr<bristle::AnyContact> c, double mass, double stiffness, double radius,
                                  bristle::Drive drive, double duration) {
  bristle::Experiment e = slider(std::move(c), mass, stiffness, std::move(drive), duration);
  e.kind = bristle::SystemKind::roller;
  e.disk.radius = radius;
  return e;
}
inline bristle::Experiment servo(std::unique_ptr<bristle::AnyContact> c, double mass, bristle::ControllerParams control,
                                 bristle::Drive drive, double duration) {
  bristle::Experiment e = slider(std::move(c), mass, 0, std::move(drive), duration);
  e.controller = control;
  return e;
}

inline const std::vector<double>& column(const bristle::Trace& trace, const std::string& name) {
  const bristle::Column* found = trace.find(name);
  if (!found) ADD_FAILURE() << "no column " << name;
  static const std::vector<double> nothing;
  return found ? found->values : nothing;
}
const std::vector<double>& column(bristle::Trace&&, const std::string&) = delete;
/// Value of a column at one of the probed times.
inline double probe(const bristle::Run& run, const std::string& name, double t) {
  const auto& times = column(run.probes, "t");
  const auto found = std::find(times.begin(), times.end(), t);
  if (found == times.end()) ADD_FAILURE() << t << " was not probed";
  return found == times.end() ? NAN : column(run.probes, name)[static_cast<std::size_t>(found - times.begin())];
}
inline double largest(const std::vector<double>& values) {
  double most = 0;
  for (double v : values) most = std::max(most, std::abs(v));
  return most;
}
inline std::vector<double> times_of(const bristle::Run& run, bristle::Event::Kind kind) {
  std::vector<double> out;
  for (const auto& e : run.events) {
    if (e.kind == kind) out.push_back(e.t);
  }
  return out;
}
inline std::size_t count_of(const bristle::Run& run, bristle::Event::Kind kind) { return times_of(run, kind).size(); }
inline std::string kinds_of(const bristle::Run& run) {
  std::string out;
  for (const auto& e : run.events) out += std::string(out.empty() ? "" : " ") + to_string(e.kind);
  return out;
}

/// Largest difference of x, v and F between two runs over the size of the column, outside of a neighbourhood of events,
/// where forces jump. Of a creeping body the velocity is measured by `least_v`, that of its bristles' energy.
struct Difference {
  double worst = 0, t = 0;
  std::string name{};
};
inline Difference difference(const bristle::Run& a, const bristle::Run& b, double near_event = 1e-9,
                             double least_v = 0) {
  Difference out;
  const auto& t = column(a.trace, "t");
  for (const std::string name : {"x", "v", "F"}) {
    const auto &p = column(a.trace, name), &q = column(b.trace, name);
    const double size = std::max({largest(p), largest(q), name == "v" ? least_v : 0, 1e-300});
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double d = std::abs(p[i] - q[i]) / size;
      if (d <= out.worst) continue;
      const bool jumps = std::any_of(a.events.begin(), a.events.end(),
                                     [&](const auto& e) { return std::abs(e.t - t[i]) < near_event; });
      if (!jumps) out = {d, t[i], name};
    }
  }
  return out;
}

/// A number as printed: `relative` of it, and half a unit of its last digit, may be missing.
inline void expect_printed(double got, const char* printed, double relative, const std::string& what) {
  const std::string text = printed;
  const double value = std::strtod(printed, nullptr);
  const std::size_t mantissa = std::min(text.find('e'), text.size()), point = text.find('.');
  const double digits = point < mantissa ? static_cast<double>(mantissa - point - 1) : 0;
  const double exponent = mantissa < text.size() ? std::strtod(text.c_str() + mantissa + 1, nullptr) : 0;
  EXPECT_NEAR(got, value, relative * std::abs(value) + 0.51 * std::pow(10, exponent - digits)) << what;
}
