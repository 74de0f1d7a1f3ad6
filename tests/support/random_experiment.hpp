#pragma once
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "experiment.hpp"
#include "random.hpp"
#include "units.hpp"

/// Any experiment: models, parameters over decades, systems, drives, loads and effects.
namespace random_experiment {

using namespace bristle;

/// Chains, exponents over their whole range, and contacts whose lengths and times differ from those of the body by decades.
enum class Breadth { usual, wide };

struct Scenario {
  Experiment e;
  std::string text;
  units::Recipes recipes{};
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed, Breadth breadth = Breadth::usual)
      : draw_(seed), wide_(breadth == Breadth::wide) {}

  Scenario scenario() {
    for (;;) {
      text_.str("");
      recipes_ = {};
      Experiment e = experiment();
      if (objection_to(e).empty()) return {std::move(e), text_.str(), recipes_};
    }
  }

 private:
  Experiment experiment() {
    u_ = sizes(draw_.log_uniform(1e-2, 1e3), draw_.log_uniform(0.1, 100), draw_.log_uniform(0.1, 10));
    of_contact_ = u_;
    if (wide_) {
      of_contact_.m *= draw_.log_uniform(1e-2, 10);
      of_contact_.s *= draw_.log_uniform(0.3, 3);
      of_contact_.kg = force() * of_contact_.s * of_contact_.s / of_contact_.m;
    }
    const auto names = flow_names();
    const std::string model = pick(names);
    const int kind = model == "haessig_friedland" ? 0 : index(wide_ ? 6 : 5);
    const double mass = u_.kg * draw_.log_uniform(0.01, 30), k = force() / u_.m * draw_.log_uniform(1, 1e4),
                 w = std::sqrt(k / mass);
    const bool free = kind == 4;  // no spring, a force
    frequency_ = kind == 0 || free ? draw_.log_uniform(0.1, 10) / u_.s : w / two_pi * draw_.log_uniform(0.03, 2);
    const double F = force() * draw_.log_uniform(0.5, 20);
    amplitude_ = kind == 0 ? 1e-5 * u_.m * draw_.log_uniform(0.1, 1e3) : free ? std::min(F, 4 * force()) : F / k;
    Experiment e = slider(random_contact(model), mass, free ? 0 : k, {}, draw_.uniform(1, 2.5) / frequency_);
    duration_ = e.solver.duration;
    text_ << " mass " << mass << " k " << e.body.stiffness << " T " << duration_;
    e.drive.of = free ? DriveOf::force : draw_.chance(0.25) ? DriveOf::velocity : DriveOf::position;
    if (e.drive.of == DriveOf::velocity) amplitude_ *= two_pi * frequency_;
    e.kind = kind == 0   ? SystemKind::prescribed
             : kind == 2 ? SystemKind::roller
             : kind == 5 ? SystemKind::chain
                         : SystemKind::slider;
    if (kind == 0) text_ << " prescribed";
    if (kind == 2) {
      e.disk.radius = u_.m * draw_.log_uniform(1e-3, 1);
      text_ << " roller " << e.disk.radius;
      if (draw_.chance(0.3))
        text_ << " inertia " << (e.disk.inertia = mass * e.disk.radius * e.disk.radius * draw_.log_uniform(0.1, 2));
    }
    if (kind == 3) controller(e, w);
    if (kind == 5) {
      e.chain = {2 + index(3), k * draw_.log_uniform(0.1, 10), draw_.chance(0.4) ? w * mass * draw_.uniform(0, 1) : 0,
                 draw_.chance(0.5) ? Pulled::first : Pulled::all};
      text_ << " chain of " << e.chain.blocks << " coupling " << e.chain.coupling << " damping "
            << e.chain.coupling_damping << " pulled " << static_cast<int>(e.chain.pulled);
    }
    if (kind == 1 && draw_.chance(0.3)) {
      e.body.damping = 2 * w * mass * draw_.log_uniform(0.01, 1);
      text_ << " damping " << e.body.damping;
    }
    e.drive = drive(e.drive.of);
    if (kind != 0 && draw_.chance(0.3)) e.body.v0 = draw_.sign() * amplitude_ * w * draw_.log_uniform(0.01, 1);
    if (kind != 0 && draw_.chance(0.2)) e.body.x0 = draw_.sign() * amplitude_ * draw_.uniform();
    text_ << " v0 " << e.body.v0 << " x0 " << e.body.x0;
    if (draw_.chance(0.25)) e.load = load();
    if (kind != 0 && kind != 5 && draw_.chance(wide_ ? 0.3 : 0.1)) {
      e.contacts.front().name = recipes_.contacts.front().name = "one";
      e.contacts.push_back({"two", random_contact(pick(std::vector<std::string>{"coulomb", "stribeck", "lugre"}))});
      recipes_.contacts.back().name = "two";
    }
    return e;
  }
  void controller(Experiment& e, double w) {
    ControllerParams c{.kp = e.body.stiffness};
    if (draw_.chance(0.8)) c.kd = 2 * draw_.log_uniform(0.05, 2) * e.body.mass * w;
    if (draw_.chance(0.5)) c.ki = c.kp * w * draw_.log_uniform(0.01, 0.3);
    if (draw_.chance(0.4)) c.limit = force() * draw_.uniform(1.2, 6);
    if (draw_.chance(0.4)) c.sample_time = two_pi / w / draw_.uniform(20, 100);
    if (c.sample_time > 0 && draw_.chance(0.2)) c.encoder_step = amplitude_ / draw_.uniform(30, 1000);
    e.body.stiffness = 0;
    e.controller = c;
    text_ << " servo kp " << c.kp << " ki " << c.ki << " kd " << c.kd << " limit " << c.limit << " sample "
          << c.sample_time << " encoder " << c.encoder_step;
    if (c.sample_time > 0 && draw_.chance(0.3)) {
      e.feedforward = random_contact("stribeck_tanh");
      recipes_.feedforward = std::move(recipes_.contacts.back());
      recipes_.contacts.pop_back();
    }
  }

  std::unique_ptr<AnyContact> random_contact(const std::string& model) {
    for (;;) {
      Table p;
      for (const FieldInfo& f : find_model(model)->parameters) field(f, p);
      const Table effects = random_effects();
      auto made = make(model, p, effects);
      if (!made.contact) continue;
      recipes_.contacts.push_back({"", model, p, effects});
      text_ << " [" << model;
      for (const Entry& e : p) text_ << " " << e.key << " " << e.value.text();
      for (const Entry& e : effects) text_ << " " << e.key << " " << e.value.text();
      text_ << "]";
      return std::move(made.contact);
    }
  }
  void field(const FieldInfo& f, Table& p) {
    if (f.name == "kv_exponent") return;  // kv then has another unit, and the law a velocity of its own
    if (!f.required && !draw_.chance(0.4)) return;
    if (f.kind == Kind::choice) {
      p.push_back({f.name, pick(f.choices)});
    } else if (const auto* a = f.value.as<std::vector<double>>()) {
      std::vector<double> values = *a;
      if (values.empty()) return;
      for (double& v : values) v *= of_contact_.of(f.unit) * (f.share ? 1 : draw_.log_uniform(0.6, 1.6));
      p.push_back({f.name, values});
    } else if (f.kind == Kind::integer) {
      p.push_back({f.name, f.value});
    } else if (f.name == "kv" && !f.required) {
      p.push_back({f.name, of_contact_.of(f.unit) * draw_.log_uniform(4e-3, 4)});
    } else if (f.name == "alpha" || f.name == "i") {
      // Below 1 a Stribeck curve is infinitely steep at rest, and the force of Dahl reaches its limit.
      p.push_back({f.name, !wide_               ? draw_.uniform(1, 2.5)
                           : draw_.chance(0.15) ? f.range.lo
                                                : draw_.uniform(f.range.lo, std::min(f.range.hi, 4.0))});
    } else if (const double* typical = f.value.as<double>(); typical && std::isfinite(*typical)) {
      const double spread = f.unit == "1" ? 1.25 : 3;
      p.push_back({f.name, *typical * of_contact_.of(f.unit) * draw_.log_uniform(1 / spread, spread)});
    }
  }
  Table random_effects() {
    Table t;
    if (!draw_.chance(0.3)) return t;
    if (draw_.chance(0.3)) t.push_back({"asymmetry", draw_.uniform(-0.5, 0.5)});
    if (draw_.chance(0.3)) t.push_back({"offset", force() * draw_.uniform(-0.5, 0.5)});
    if (draw_.chance(0.3)) {
      t.push_back({"ripple", draw_.uniform(0, 0.6)});
      t.push_back({"ripple_period", amplitude_ * draw_.log_uniform(0.1, 3)});
    }
    if (draw_.chance(0.2)) {
      t.push_back({"noise", force() * draw_.log_uniform(1e-3, 0.2)});
      if (draw_.chance(0.5)) {
        t.push_back({"noise_frequency", frequency_ * draw_.log_uniform(0.5, 20)});
      } else {
        t.push_back({"noise_length", amplitude_ * draw_.log_uniform(0.2, 3)});
      }
    }
    if (draw_.chance(0.2)) t.push_back({"load_exponent", draw_.uniform(0.3, 2)});
    return t;
  }

  Drive drive(DriveOf of) {
    Drive d{of, {{shape(), 0}}, draw_.chance(0.3) ? duration_ * draw_.uniform(0.1, 0.5) : 0};
    if (draw_.chance(0.3)) d.terms.push_back({shape(), draw_.chance(0.3) ? duration_ * draw_.uniform(0.1, 0.5) : 0});
    text_ << " drive of " << static_cast<int>(of) << " amplitude " << amplitude_ << " frequency " << frequency_
          << " soft " << d.soft_start << " kinds";
    for (const Term& t : d.terms) text_ << " " << t.shape.index();
    return d;
  }
  decltype(Term::shape) shape() {
    const double A = amplitude_, f = frequency_, T = duration_;
    switch (index(7)) {
      case 0: return Sine{A, f, draw_.uniform(-3, 3), A * draw_.uniform(-0.5, 0.5)};
      case 1: return Chirp{A, f * draw_.uniform(0.1, 1), f * draw_.uniform(1, 3), T * draw_.uniform(0.5, 1.2)};
      case 2: return Ramp{draw_.sign() * A * f * draw_.log_uniform(0.1, 3), draw_.chance(0.2) ? A : 0};
      case 3: return Triangle{A, f};
      case 4: return StepAt{draw_.chance(0.4) ? 0 : T * draw_.uniform(0, 0.7), draw_.sign() * A};
      case 5: return Constant{A * draw_.uniform(-1, 1)};
      default: {
        Points p;
        double t = T * draw_.uniform(0, 0.1);
        for (int n = 3 + index(6); n > 0; --n, t += T * draw_.uniform(0.02, 0.3)) {
          p.t.push_back(t);
          p.value.push_back(A * draw_.uniform(-1, 1));
        }
        return p;
      }
    }
  }
  Drive load() {
    Drive d{DriveOf::force, {}, 0};
    switch (index(3)) {
      case 0: d.terms = {{Sine{draw_.uniform(0.05, 0.9), frequency_ * draw_.log_uniform(0.2, 5), 0, 1}, 0}}; break;
      case 1: d.terms = {{Points{{0, 0.3 * duration_, 0.6 * duration_}, {1, draw_.uniform(0, 3), 1}}, 0}}; break;
      default: d.terms = {{Constant{1}, 0}, {StepAt{duration_ * draw_.uniform(), draw_.uniform(-0.9, 2)}, 0}};
    }
    text_ << " load kind " << d.terms.size() << " " << d.terms.back().shape.index();
    return d;
  }

  int index(int n) { return std::min(n - 1, static_cast<int>(draw_.uniform(0, n))); }
  template <class V> typename V::value_type pick(const V& v) {
    return v[static_cast<std::size_t>(index(static_cast<int>(v.size())))];
  }

  static units::System sizes(double N, double m, double s) { return {N * s * s / m, m, s}; }
  double force() const { return u_.of("N"); }

  Draw draw_;
  bool wide_;
  units::System u_{}, of_contact_{};  // sizes of mass, length and time: typical parameters are scaled by them
  units::Recipes recipes_{};
  double amplitude_{}, frequency_{}, duration_{};
  std::ostringstream text_;
};

}  // namespace random_experiment
