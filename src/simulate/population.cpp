#include "population.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "bristle/simulate/snapshot.hpp"
#include "record.hpp"
#include "registry/shared/generic2010.hpp"
#include "registry/shared/levels.hpp"
#include "registry/shared/population.hpp"

/// Runs of asperity populations. Along a prescribed motion they are exact between rows and corners of the drive, with
/// many steps per call; a free body takes fixed steps.
namespace bristle {
namespace {

const BoxedPopulation* population_of(const NamedContact& c) {
  return dynamic_cast<const BoxedPopulation*>(c.contact.get());
}

const BoxedGeneric2010* generic2010_of(const NamedContact& c) {
  return dynamic_cast<const BoxedGeneric2010*>(c.contact.get());
}

bool takes_steps(const NamedContact& c) { return has_steps_only(*c.contact); }

class PrescribedRun {
 public:
  PrescribedRun(const Experiment& e, Recorder& out)
      : e_(e),
        out_(out),
        contact_(*population_of(e.contacts.front())),
        velocity_(e.drive.of == DriveOf::velocity),
        rows_(row_times(e.solver)),
        at_once_(static_cast<std::size_t>(
            std::clamp(1e7 / static_cast<double>(contact_.population().size()), 16.0, 4096.0))) {
    contact_.reset();
    start_ = x_ = last_x_ = shown_x_ = velocity_ ? 0 : e.drive.at(0).value;
  }

  void run() {
    std::vector<double> stops = rows_;
    stops.insert(stops.end(), out_.options.probes.begin(), out_.options.probes.end());
    std::sort(stops.begin(), stops.end());
    stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
    show(0, 0);
    double t = 0;
    for (const double stop : stops) {
      while (t < stop) {
        const double corner = e_.drive.next_corner(t), end = std::min(stop, corner);
        go(t, end);
        if (end == corner && end < e_.solver.duration) ends_.push_back({steps_.size(), end, 0.5 * (t + end)});
        t = end;
      }
      if (stop > 0) ends_.push_back({steps_.size(), stop});
    }
    flush();
    out_.population = snapshot(contact_);
    out_.summary.method = "exact";
    out_.summary.evaluations = out_.summary.steps;
    const PopulationState& s = contact_.shown();
    if (contact_.plain()) work_ = s.W_adh + s.W_def + s.E_el + (contact_.population().p.impact ? s.W_imp : 0);
    out_.summary.energy.drive = out_.summary.energy.friction = work_;
  }

 private:
  struct End {
    std::size_t step;
    double t;
    double inside = -1;  // of a corner: a time on the piece that ends there
  };
  struct Place {
    double t, x;
  };

  /// Moves in straight pieces from t to `end`, within one smooth piece of the drive. A linear position is exact in one
  /// piece.
  void go(double t, double end) {
    const double inside = 0.5 * (t + end), whole = end - t;
    const bool line =
        velocity_ ? e_.drive.straight(inside) && e_.drive.at(inside, inside).rate == 0 : e_.drive.straight(inside);
    double longest = inf;
    if (!line) longest = std::min(e_.solver.duration / 8000, e_.drive.longest_step(inside) / 32);
    if (e_.load && !e_.load->straight(inside)) longest = std::min(longest, e_.load->longest_step(inside) / 32);
    if (e_.method == Method::fixed) longest = e_.solver.step;
    const double pieces = std::max(1.0, std::ceil(whole / longest * (1 - 1e-12)));
    if (pieces + static_cast<double>(out_.summary.steps) > e_.solver.max_steps)
      throw RunFailed(fmt::format("max_steps = {} exceeded at t = {} s", to_text(e_.solver.max_steps), to_text(t)));
    for (double k = 1; k <= pieces; ++k) {
      const double t0 = t + whole * ((k - 1) / pieces), t1 = k < pieces ? t + whole * (k / pieces) : end;
      const double before = x_;
      x_ = velocity_ ? x_ + travel(t0, t1, inside) : e_.drive.at(t1, inside).value;
      contact_.check_way(x_ - start_);
      lands_ += std::abs(x_ - before) / contact_.population().period();
      places_.push_back({t1, x_});
      steps_.push_back({x_ - start_, t1 - t0, contact_.load_ratio(motion(t1, x_))});
      if (steps_.size() >= at_once_ || lands_ * static_cast<double>(contact_.population().size()) > many_lands) flush();
    }
  }
  /// Displacement under a velocity drive, by three-point Gauss quadrature.
  double travel(double t0, double t1, double inside) const {
    const double half = 0.5 * (t1 - t0), middle = 0.5 * (t0 + t1), off = half * 0.7745966692414834;
    auto v = [&](double t) { return e_.drive.at(t, inside).value; };
    return half * (5 * v(middle - off) + 8 * v(middle) + 5 * v(middle + off)) / 9;
  }
  Motion<double> motion(double t, double x) const { return motion(t, x, t); }
  Motion<double> motion(double t, double x, double inside) const {
    const Signal d = e_.drive.at(t, inside);
    return {.x = x,
            .v = velocity_ ? d.value : d.rate,
            .r = e_.load ? e_.load->at(t).value : 1,
            .path = path_,
            .t = t,
            .temperature = e_.body.temperature};
  }

  void flush() {
    std::vector<asperity::Record> records(steps_.size());
    const auto size = static_cast<double>(contact_.population().size()) * static_cast<double>(steps_.size());
    contact_.run(steps_, records, size > 2e6 ? std::max(1U, std::thread::hardware_concurrency()) : 1);
    std::size_t i = 0;
    auto keep_until = [&](std::size_t step) {
      for (; i < step; ++i) {
        contact_.keep(records[i]);
        const double way = places_[i].x - last_x_;
        if (way != 0) side_ = way;
        path_ += std::abs(way);
        window_.path += std::abs(way);
        window_.W_imp += records[i].W_imp;
        last_x_ = places_[i].x;
        elastic_ = records[i].F;
      }
    };
    for (const auto& [step, t, inside] : ends_) {
      keep_until(step);
      if (inside >= 0) {
        show_limits(t, inside);
        continue;
      }
      show(t, elastic_);
      if (std::binary_search(rows_.begin(), rows_.end(), t)) window_ = {};
    }
    keep_until(steps_.size());
    out_.summary.steps += static_cast<std::int64_t>(steps_.size());
    if (!places_.empty()) out_.tick(places_.back().t, std::size_t{1} << 20);
    steps_.clear();
    lands_ = 0;
    places_.clear();
    ends_.clear();
  }

  std::vector<double> row_of(const Motion<double>& u, double elastic, double inside) const {
    const double F = contact_.force(u, elastic, contact_.impact_force(window_.W_imp, window_.path, side_));
    std::vector<double> row{u.t, u.x, u.v, F, F, e_.drive.at(u.t, inside).value};
    if (!e_.contacts.front().name.empty()) row.push_back(F);
    for (const Variable& s : contact_.states()) row.push_back(s.value);
    return row;
  }
  /// The contact itself does not change at a corner of the drive.
  void show_limits(double t, double inside) {
    const double next = t + 0.5 * (std::min(e_.drive.next_corner(t), e_.solver.duration) - t);
    auto row_on = [&](double piece) {
      return [&, piece](double at, double* to) {
        std::ranges::copy(row_of(motion(at, last_x_, piece), elastic_, piece), to);
      };
    };
    out_.limits.before(t, row_on(inside));
    out_.limits.after(t, true, row_on(next));
  }
  /// Writes a row; the impact force is the impact energy per distance since the previous row.
  void show(double t, double elastic) {
    const Motion<double> u = motion(t, last_x_);
    const std::vector<double> row = row_of(u, elastic, t);
    const double F = row[3];
    work_ += 0.5 * (F + last_F_) * (u.x - shown_x_);
    last_F_ = F;
    shown_x_ = u.x;
    out_.pass(std::nextafter(t, inf), false, [&](double, double* to) { std::copy(row.begin(), row.end(), to); });
  }

  const Experiment& e_;
  Recorder& out_;
  BoxedPopulation contact_;
  bool velocity_;
  std::vector<double> rows_;
  std::size_t at_once_;
  double start_{}, x_{}, last_x_{}, shown_x_{}, path_{}, side_{1}, work_{}, last_F_{}, elastic_{};
  struct {
    double W_imp{}, path{};
  } window_;
  static constexpr double many_lands = 2e7;  // lands passed by all asperities between two calls of tick: about seconds
  double lands_{};                           // lands passed by one asperity since the last call
  std::vector<asperity::Step> steps_;
  std::vector<Place> places_;
  std::vector<End> ends_;
};

/// A strip of the contact takes ten steps to pass at the largest speed of rolling, and twenty make an oscillation on its
/// stiffness, which the implicit step damps.
double step_of_rolling(const Experiment& e) {
  const AnyContact& c = *e.contacts.front().contact;
  auto number = [&](const char* key) { return *c.parameter(key).as<double>(); };
  const Value creepage = c.parameter("creepage");
  const bool rolls = e.kind == SystemKind::roller || !creepage.as<std::vector<double>>()->empty();
  double step = row_times(e.solver)[1];
  if (rolls) {
    double fastest = std::max(std::abs(e.body.v0), std::abs(e.disk.omega0 * e.disk.radius));
    for (int i = 0; i <= 2000 && e.drive.of != DriveOf::force; ++i) {
      const Signal d = e.drive.at(e.solver.duration * i / 2000);
      fastest = std::max(fastest, std::abs(e.drive.of == DriveOf::velocity ? d.value : d.rate));
    }
    if (fastest > 0) step = std::min(step, 0.1 * 2 * number("half_width") / number("strips") / fastest);
  }
  if (e.kind == SystemKind::prescribed) return step;
  const double spring = e.controller ? std::abs(e.controller->stiffness()) : e.body.stiffness;
  const double ringing = std::sqrt((2 * number("half_width") * number("k") + spring) / e.body.mass);
  return std::min(step, two_pi / ringing / 20);
}

/// A thousand steps per oscillation of the body on contact and spring: the implicit step damps it by 2 %.
double step_of(const Experiment& e) {
  if (e.method == Method::fixed) return e.solver.step;
  if (const BoxedGeneric2010* g = generic2010_of(e.contacts.front())) return g->step_size();
  if (!population_of(e.contacts.front())) return step_of_rolling(e);
  const Gfm& g = population_of(e.contacts.front())->population();
  const double spring = e.controller ? std::abs(e.controller->stiffness()) : e.body.stiffness;
  const double ringing = std::sqrt((g.p.scale * g.mean_kt() / (1 + g.topography()) + spring) / e.body.mass);
  return std::min(row_times(e.solver)[1], two_pi / ringing / 1000);
}

std::string objection_to_rolling(const Experiment& e) {
  if (e.contacts.size() > 1) return "rolling must be the only contact of a body";
  if (e.method == Method::rodas || e.method == Method::explicit_pair || e.method == Method::cvode)
    return R"(rolling takes steps only and has no state equation; method must be "auto", or "fixed" with a step)";
  return {};
}

}  // namespace

bool has_population(const Experiment& e) {
  return std::any_of(e.contacts.begin(), e.contacts.end(), [](const NamedContact& c) { return takes_steps(c); });
}

std::string objection_to_population(const Experiment& e) {
  if (!has_population(e)) return {};
  const std::string name(e.contacts.front().contact->model());
  if (name == "rolling") return objection_to_rolling(e);
  if (e.contacts.size() > 1) return "a population of asperities (gfm, generic2010) must be the only contact of a body";
  if (e.method == Method::rodas || e.method == Method::explicit_pair || e.method == Method::cvode)
    return name +
           R"( is a population of asperities without a state equation; method must be "auto", or "fixed" with a step)";
  if (generic2010_of(e.contacts.front())) return {};
  const GfmParams& p = population_of(e.contacts.front())->population().p;
  if (e.load && p.normal_load == 0)
    return "[load] does not act on gfm at constant separation; normal_load in [friction] is required";
  return {};
}

void settle_population(AnyContact& contact, const std::function<void()>& tick) {
  if (auto* box = dynamic_cast<BoxedGeneric2010*>(&contact)) box->settle(tick);
}

void run_population(const Experiment& e, Recorder& out) {
  if (e.kind == SystemKind::prescribed && population_of(e.contacts.front())) {
    PrescribedRun(e, out).run();
  } else {
    run_fixed(e, out, step_of(e));
  }
}

}  // namespace bristle
