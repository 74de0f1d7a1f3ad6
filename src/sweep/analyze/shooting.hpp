#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "bristle/sweep/analyze.hpp"
#include "simulate/shared/flow.hpp"
#include "simulate/shared/start.hpp"
#include "sweep/analyze/subject.hpp"

namespace bristle::analysis {

/// Motion of the body relative to a drive at constant velocity, and its return map. The section is the event at which the body
/// slips forward: for set-valued laws it leaves stick there; for others it exceeds the velocity of the drive.
class Shooting {
 public:
  Shooting(const Experiment& e, const std::atomic<bool>* stop) : e_(copy_of(e)), stop_(stop), V_(sliding_velocity(e)) {
    e_.body.start = Beginning::given;
    e_.body.x0 = 0;
    e_.solver.atol = 0;
    e_.solver.event_rows = false;
    e_.load.reset();
    if (const double r = load_ratio(e); r != 1) e_.load = Drive{.terms = {Term{Constant{r}}}};
    for (NamedContact& c : e_.contacts) {
      const auto flow = make_flow(*c.contact);
      set_valued_ = set_valued_ || flow->traits().set_valued;
      restarts_ = restarts_ && !(flow->traits().hybrid && flow->size() > 0);
      force_ += flow->traits().scales.force * std::max(1.0, load_ratio(e));
      const std::string prefix = c.name.empty() ? "" : c.name + ".";
      for (std::size_t i = 0; i < flow->size(); ++i) {
        columns_.push_back(prefix + flow->traits().states[i].name);
        rest_.push_back(flow->traits().states[i].value);
        size_.push_back(flow->traits().state_scale[i]);
      }
    }
    if (restarts_) e_.solver.rtol = std::min(e_.solver.rtol, 1e-10);  // for differences of the return map
    if (!set_valued_) e_.solver.stick_velocity = std::abs(V_);
    forward_ = V_ > 0 ? Event::slip_forward : Event::slip_backward;
  }

  double velocity() const { return V_; }
  /// Whether the states determine the motion: modes of elements, which only events change, are not part of them.
  bool restarts() const { return restarts_; }
  double spring() const { return e_.body.stiffness; }
  /// Longest times that loading and one oscillation take.
  double loading() const { return 2 * force_ / (spring() * std::abs(V_)); }
  double oscillation() const { return 2 * std::numbers::pi * std::sqrt(e_.body.mass / spring()); }
  /// Time in which small deviations from steady sliding grow or decay by e^10, at most 3000 oscillations.
  double patience() const {
    const LinearRead read = linearize(e_, V_);
    if (!read.linear) return 0;
    const Complex leading = read.linear->eigenvalues().front();
    return std::min(10 / std::abs(leading.real()), 3000 * 2 * std::numbers::pi / std::abs(leading));
  }
  /// Whether small deviations from steady sliding grow.
  bool unstable() const {
    const LinearRead read = linearize(e_, V_);
    return read.linear && read.linear->eigenvalues().front().real() > 0;
  }
  double stretch_scale() const {
    return std::max(force_ / spring(), std::abs(V_) * std::sqrt(e_.body.mass / spring()));
  }
  double size_of(std::size_t i) const { return i == 0 ? stretch_scale() : size_[i - 1]; }
  std::size_t dimension() const { return 1 + size_.size(); }
  std::vector<double> at_rest() const {
    std::vector<double> w{0};
    w.insert(w.end(), rest_.begin(), rest_.end());
    return w;
  }

  bool set_valued() const { return set_valued_; }
  /// drive - x and states of steady sliding; empty if the law has none.
  std::vector<double> steady() const {
    std::vector<double> w{0};
    Experiment e = copy_of(e_);
    double force = 0;
    for (NamedContact& c : e.contacts) {
      if (!steady_contact(c, {.v = V_, .r = load_ratio(e)}, force).empty()) return {};
      const auto flow = make_flow(*c.contact);  // longer than the loop
      for (const Variable& s : flow->traits().states) w.push_back(s.value);
    }
    w[0] = force / spring();
    return w;
  }

  enum class From { rest, section, velocity };  // velocity: that of the drive, in slip
  /// From drive - x and the states.
  Run fly(const std::vector<double>& w, bool moving, double duration, std::vector<double> probes = {}) const {
    return fly(w, moving ? From::section : From::rest, duration, std::move(probes));
  }
  Run fly(const std::vector<double>& w, From from, double duration, std::vector<double> probes = {}) const {
    Experiment e = copy_of(e_);
    e.drive = {.of = DriveOf::position, .terms = {Term{Ramp{V_, w[0]}}}};
    e.body.v0 = from == From::velocity || (from == From::section && !set_valued_) ? V_ : 0;
    std::size_t at = 1;
    for (NamedContact& c : e.contacts) {
      std::vector<Variable> states = make_flow(*c.contact)->traits().states;
      for (Variable& s : states) s.value = w[at++];
      if (states.empty()) continue;
      auto begun = starting_from(*c.contact, states);
      if (!begun) throw RunFailed("a state outside its range");
      c.contact = std::move(begun);
    }
    e.solver.duration = duration;
    e.solver.output_step = duration;
    return simulate(e, {.probes = std::move(probes), .stop = stop_, .rows = false});
  }

  /// Times at which the body passes the section, after the motion has left it.
  std::vector<double> passes(const Run& run) const {
    std::vector<double> out;
    bool left = false;
    for (const Event& event : run.events) {
      if (event.kind == Event::stick) left = true;
      if (event.kind != forward_ || !left) continue;
      out.push_back(event.t);
      left = false;
    }
    return out;
  }
  std::vector<double> state_at(const Run& run, std::size_t row) const {
    const Trace& p = run.probes;
    std::vector<double> w{p.find("drive")->values[row] - p.find("x")->values[row]};
    for (const std::string& name : columns_) w.push_back(p.find(name)->values[row]);
    return w;
  }

  struct Return {
    std::vector<double> w{};
    double time = 0;
  };
  /// The next pass after a start on the section; `period`: about.
  std::optional<Return> next(const std::vector<double>& w, double period) const {
    for (double length = 1.3 * period; length < 20 * period; length *= 3) {
      const std::vector<double> times = passes(fly(w, true, length));
      // A start on the section may pass it at once.
      const auto first = std::ranges::find_if(times, [&](double t) { return t > 1e-6 * period; });
      if (first == times.end()) continue;
      return Return{state_at(fly(w, true, *first, {*first}), 0), *first};
    }
    return {};
  }

 private:
  Experiment e_;
  const std::atomic<bool>* stop_;
  double V_, force_ = 0;
  bool set_valued_ = false, restarts_ = true;
  Event::Kind forward_ = Event::slip_forward;
  std::vector<std::string> columns_{};
  std::vector<double> rest_{}, size_{};
};

/// One period as probes show it: range of drive - x, and the columns of Cycle::orbit.
void add_orbit(const Run& run, const std::vector<double>& times, double velocity, Cycle& out);
/// The cycle from a simulation alone, for laws whose motion cannot start on the section.
CycleRead simulated_cycle(const Shooting& shooting);

}  // namespace bristle::analysis
