#include "identify/warming.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/linear.hpp"
#include "bristle/dual.hpp"
#include "bristle/heat.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/sections.hpp"
#include "bristle/stribeck.hpp"
#include "identify/free_values.hpp"
#include "identify/statistics.hpp"

namespace bristle::identify {
namespace {

constexpr std::array<std::string_view, 4> fitted{"heat.capacity", "heat.conductance", "heat.dry_coefficient",
                                                 "heat.viscous_coefficient"};
enum Place : std::size_t { capacity, conductance, dry, viscous };

const double* number_at(const Table& table, std::string_view key) { return number_in(table, key); }
double number_or(const Table& table, std::string_view key, double otherwise) {
  const double* x = number_at(table, key);
  return x ? *x : otherwise;
}

/// Temperature above T0 after dt with a constant power.
template <class T> T after(const T& above, double power, double dt, const T& C, const T& h) {
  using std::exp;
  const T x = h * dt / C;
  const T part = x < 1e-3 ? 1.0 - x / 2.0 * (1.0 - x / 3.0 * (1.0 - x / 4.0)) : (1.0 - exp(-x)) / x;
  return above * exp(-x) + dt / C * part * power;
}

/// Mean frictional power before a row: that of the rows, which for smooth periodic motion is exact with few of them.
double power_between(const Series& s, std::size_t i) {
  if (s.held) return 0.5 * (s.y[i] + s.y[i - 1]) * s.step_v[i];
  return 0.5 * (s.y[i] * s.v[i] + s.y[i - 1] * s.v[i - 1]);
}

/// F of a model at the temperature: the dry part follows as with a load, the viscous part by its own law.
class Warming final : public Evaluator {
 public:
  Warming(std::unique_ptr<Evaluator> inner, const Table& heat, bool measured)
      : inner_(std::move(inner)),
        heat_(heat),
        measured_(measured),
        scalars_(inner_->scalars()),
        values_(inner_->values()) {
    auto place = [&](std::string_view name) {
      const auto found = std::ranges::find(scalars_, name, &Scalar::name);
      return found == scalars_.end() ? -1 : found - scalars_.begin();
    };
    kv_ = place("kv");
    exponent_ = place("kv_exponent");
    if (kv_ < 0) std::erase_if(heat_, [](const Entry& e) { return e.key.starts_with("heat.viscous"); });
    T0_ = number_or(heat, "heat.ambient", Heat::room);
    T_ref_ = number_or(heat, "heat.T_ref", T0_);
    share_ = number_or(heat, "heat.share", 1);
    for (std::size_t i = 0; i < fitted.size(); ++i) {
      const double* start = number_at(heat_, fitted[i]);
      if (!start) continue;
      const std::string name(fitted[i]);
      const FieldInfo& f = *std::ranges::find(heat_infos(), name.substr(of_heat.size()), &FieldInfo::name);
      const bool held = measured && (i == capacity || i == conductance);  // of the measured temperature alone
      at_[i] = static_cast<std::ptrdiff_t>(scalars_.size());
      scalars_.push_back({name, name, f.unit, 0, f.range, held ? role::fixed : role::needed});
      values_.push_back(*start);
    }
  }
  std::string_view name() const override { return inner_->name(); }
  const std::vector<Scalar>& scalars() const override { return scalars_; }
  std::vector<double> values() const override { return values_; }
  Table table(const double* p) const override { return inner_->table(p); }
  Table effects(const double* p) const override {
    Table out = inner_->effects(p);
    for (Entry e : heat_) {
      for (std::size_t i = 0; i < fitted.size(); ++i) {
        if (e.key == fitted[i]) e.value = p[static_cast<std::size_t>(at_[i])];
      }
      const bool neutral = (e.key.starts_with("heat.dry") && !(value(p, dry) != 0)) ||
                           (e.key.starts_with("heat.viscous") && !(value(p, viscous) != 0));
      if (!neutral) out.push_back(std::move(e));
    }
    return out;
  }
  Scales<double> scales(const double* p) const override { return inner_->scales(p); }
  double steady(const double* p, double v) const override { return inner_->steady(p, v); }

  void evaluate(const Series& s, const Point& at, const Sink& sink) const override {
    using D = Dual<double, 2>;
    const std::size_t m = at.directions;
    const double a = value(at.p, dry), b = value(at.p, viscous);
    const D C = D::variable(value(at.p, capacity), 0), h = D::variable(value(at.p, conductance), 1);
    std::vector<D> warmer(s.size());  // T - T_ref
    D above;
    for (std::size_t k = 0; k < s.stretches.size(); ++k) {
      const Stretch& part = s.stretches[k];
      if (k == 0 || part.recording != s.stretches[k - 1].recording) above = D(0.0);
      for (std::size_t i = part.from; i < part.to; ++i) {
        const double load = s.coefficient ? s.normal_load * s.r[i] : 1;
        const double power = share_ * load * (i > part.from ? power_between(s, i) : 0);
        if (i > part.from) above = after(above, power, s.dt[i], C, h);  // the first step only sets the states
        warmer[i] = measured_ ? D(s.T[i] - T_ref_) : above + (T0_ - T_ref_);
      }
    }
    Series load;  // with the factor of dry friction
    if (a != 0) {
      load = s;
      for (std::size_t i = 0; i < s.size(); ++i) load.r[i] *= std::exp(-a * warmer[i].a);
    }
    std::vector<double> F, dF;
    auto slope = [&](std::ptrdiff_t i, std::size_t j) {
      return i < 0 ? 0.0 : at.slopes[static_cast<std::size_t>(i) * m + j];
    };
    const double kv = kv_ < 0 ? 0 : at.p[kv_], n = exponent_ < 0 ? 1 : at.p[exponent_];
    inner_->evaluate(a != 0 ? load : s, at, [&](const Rows& rows) {
      F.assign(rows.F, rows.F + rows.n);
      if (m > 0) dF.assign(rows.dF, rows.dF + rows.n * m);
      for (std::size_t i = 0; i < rows.n; ++i) {
        const D& dT = warmer[rows.from + i];
        const double v = s.v[rows.from + i], size = std::abs(v), per_kv = v == 0 ? 0 : v * std::pow(size, n - 1);
        const double dry_part = F[i] - kv * per_kv, thinned = std::exp(-b * dT.a);
        F[i] += kv * per_kv * (thinned - 1);
        for (std::size_t j = 0; j < m; ++j) {
          const double T_j = dT.d[0] * slope(at_[capacity], j) + dT.d[1] * slope(at_[conductance], j);
          dF[i * m + j] -= dry_part * (slope(at_[dry], j) * dT.a + a * T_j);
          dF[i * m + j] += slope(kv_, j) * per_kv * (thinned - 1);
          dF[i * m + j] -= kv * per_kv * thinned * (slope(at_[viscous], j) * dT.a + b * T_j);
        }
      }
      return sink({rows.from, rows.n, rows.columns, F.data(), dF.data()});
    });
  }

 private:
  double value(const double* p, Place i) const { return at_[i] < 0 ? 0 : p[static_cast<std::size_t>(at_[i])]; }

  std::unique_ptr<Evaluator> inner_;
  Table heat_;
  bool measured_;
  std::vector<Scalar> scalars_;
  std::vector<double> values_;
  std::array<std::ptrdiff_t, fitted.size()> at_{-1, -1, -1, -1};
  std::ptrdiff_t kv_ = -1, exponent_ = -1;
  double T0_ = 0, T_ref_ = 0, share_ = 1;
};

/// Heat that friction produces, J, and the time of the recordings, s.
struct Total {
  double heat = 0, time = 0;
};
Total total_of(const Series& s) {
  Total out;
  for (const Stretch& part : s.stretches) {
    for (std::size_t i = part.from + 1; i < part.to; ++i) {
      out.heat += s.y[i] * s.step_v[i] * s.dt[i] * (s.coefficient ? s.normal_load * s.r[i] : 1);
      out.time += s.dt[i];
    }
  }
  return out;
}

/// The nodes' law for one recording with measured temperature: residuals, and their slopes by C, h and the first temperature.
struct Warmed {
  const Recording& r;
  double T0, share;
  bool of_means;  // power from the means of force and velocity, not from that of the rows
  void each(const std::array<double, 3>& p, const std::function<void(std::size_t, const Dual<double, 3>&)>& row) const {
    using D = Dual<double, 3>;
    const D C = D::variable(p[0], 0), h = D::variable(p[1], 1);
    D above = D::variable(p[2], 2);
    std::size_t stretch = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (stretch < r.stretches.size() && r.stretches[stretch] == i) {
        ++stretch;
      } else if (i > 0) {
        const double dt = r.t[i] - r.t[i - 1],
                     dx = r.x.empty() ? 0.5 * (r.v[i] + r.v[i - 1]) * dt : r.x[i] - r.x[i - 1];
        const double F = 0.5 * (r.F[i] + r.F[i - 1]), N = r.coefficient ? 0.5 * (r.N[i] + r.N[i - 1]) : 1;
        auto at = [&](std::size_t k) { return r.F[k] * r.v[k] * (r.coefficient ? r.N[k] : 1); };
        const double power = of_means ? F * N * dx / dt : 0.5 * (at(i) + at(i - 1));
        above = after(above, share * power, dt, C, h);
      }
      row(i, above);
    }
  }
};

Eigen::MatrixXd positive_inverse(const Eigen::MatrixXd& A) {
  const Eigen::VectorXd size = A.diagonal().array().max(1e-300).rsqrt();  // capacity and conductance differ by decades
  const linear::EigenSystem e = linear::eigen_symmetric(size.asDiagonal() * A * size.asDiagonal());
  const Eigen::VectorXd inverted = e.values.array().max(1e-14 * e.values.maxCoeff()).inverse();
  return size.asDiagonal() * e.vectors * inverted.asDiagonal() * e.vectors.transpose() * size.asDiagonal();
}

struct Nodes {
  std::array<double, 2> value{}, error{};
  bool found = false;
};
/// Least squares of C, h and a first temperature per recording against the measured temperatures.
Nodes from_temperature(const std::vector<Recording>& recordings, double T0, double share, bool of_means = false) {
  const auto n = static_cast<Eigen::Index>(2 + recordings.size());
  Eigen::VectorXd p(n);
  double heat = 0, rise = 0, time = 0;
  for (std::size_t k = 0; k < recordings.size(); ++k) {
    const Recording& r = recordings[k];
    p[static_cast<Eigen::Index>(2 + k)] = r.T.front() - T0;
    Warmed{r, T0, share, of_means}.each({1, 0, 0}, [&](std::size_t i, const Dual<double, 3>& x) {
      if (i + 1 == r.size()) heat += x.a;
    });
    rise += r.T.back() - r.T.front();
    time += r.t.back() - r.t.front();
  }
  p[0] = rise > 0 && heat > 0 ? 0.7 * heat / rise : 1;
  p[1] = 0.3 * p[0] / time;
  Nodes out;
  Eigen::MatrixXd A;
  std::vector<double> left;
  std::vector<std::size_t> breaks;
  auto normal = [&](const Eigen::VectorXd& q, Eigen::VectorXd& g) {
    A.setZero(n, n);
    g.setZero(n);
    left.clear();
    breaks.clear();
    double squares = 0;
    for (std::size_t k = 0; k < recordings.size(); ++k) {
      const auto own = static_cast<Eigen::Index>(2 + k);
      breaks.push_back(left.size());
      const Recording& r = recordings[k];
      Warmed{r, T0, share, of_means}.each({q[0], q[1], q[own]}, [&](std::size_t i, const Dual<double, 3>& x) {
        const double e = r.T[i] - (T0 + x.a);
        if (!std::isfinite(e)) return;
        left.push_back(e);
        squares += e * e;
        const std::array<Eigen::Index, 3> at{0, 1, own};
        for (std::size_t a = 0; a < 3; ++a) {
          g[at[a]] += x.d[a] * e;
          for (std::size_t b = 0; b < 3; ++b) A(at[a], at[b]) += x.d[a] * x.d[b];
        }
      });
    }
    return squares;
  };
  Eigen::VectorXd g(n), other(n);
  double cost = normal(p, g), damping = 1e-3;
  for (int round = 0; round < 60 && std::isfinite(cost); ++round) {
    const Eigen::MatrixXd damped = A + Eigen::MatrixXd(damping * A.diagonal().asDiagonal());
    const Eigen::VectorXd next = p + positive_inverse(damped) * g;
    const Eigen::MatrixXd before = A;
    const bool usable = next[0] > 0 && next[1] > -0.5 * std::abs(p[0]) / time;
    const double now = usable ? normal(next, other) : inf;
    if (!(now <= cost)) {
      A = before;
      damping = std::max(10 * damping, 1e-6);
      if (damping > 1e12) break;
      continue;
    }
    const bool done = cost - now <= 1e-10 * cost;
    p = next;
    g = other;
    cost = now;
    damping *= 0.1;
    if (done) break;
  }
  cost = normal(p, g);
  const auto rows = static_cast<double>(left.size());
  const Autoregression noise = autoregression(left, breaks, 24);
  const double factor = cost / std::max(1.0, rows - static_cast<double>(n)) * std::max(1.0, noise.inflation());
  const Eigen::MatrixXd covariance = factor * positive_inverse(A);
  for (const Eigen::Index i : {0, 1}) {
    out.value[static_cast<std::size_t>(i)] = p[i];
    out.error[static_cast<std::size_t>(i)] = std::sqrt(std::max(0.0, covariance(i, i)));
  }
  out.found = std::isfinite(cost) && std::isfinite(out.error[0]) && std::isfinite(out.error[1]) && p[0] > 0;
  return out;
}

/// Inserts an estimate before those of the body; it is not correlated with the others.
void add(Fit& fit, Estimate e) {
  const std::size_t before = fit.friction.size(), n = before + fit.body.size();
  std::vector<double> correlation((n + 1) * (n + 1), 0.0);
  auto moved = [&](std::size_t i) { return i < before ? i : i + 1; };
  for (std::size_t i = 0; i < n && fit.correlation.size() == n * n; ++i) {
    for (std::size_t j = 0; j < n; ++j) correlation[moved(i) * (n + 1) + moved(j)] = fit.correlation[i * n + j];
  }
  correlation[before * (n + 1) + before] = 1;
  fit.correlation = std::move(correlation);
  fit.friction.push_back(std::move(e));
}

}  // namespace

bool is_warming(std::string_view key) { return key.starts_with(of_heat); }

bool measures_temperature(const Series& s) {
  const auto [least, most] = std::ranges::minmax(s.T);
  return most > least;
}

std::unique_ptr<Evaluator> warming_evaluator(std::unique_ptr<Evaluator> inner, const Table& heat, const Series& s) {
  return std::make_unique<Warming>(std::move(inner), heat, measures_temperature(s.fine ? s.fine->whole : s));
}

Guess warming_guess(std::string_view name, double value) {
  if (name.ends_with("coefficient")) return {.value = value, .lo = -1, .hi = 1, .unit = 0.01};
  return {.value = value, .lo = 1e-4 * value, .hi = 1e4 * value};
}

void require_warming(const Options& options, const Series& s) {
  const std::string start = "effect 'heat' cannot be fitted; ";
  if (s.steady() || s.motion || s.inverse) throw BadInput(start + "it requires measured friction F over time");
  if (s.coefficient && !(s.normal_load > 0)) throw BadInput(start + "with mu it requires the normal load N");
  for (const std::string& other : options.effects) {
    if (other != heat_effect && other != "offset" && other != "auto" && other != "none")
      throw BadInput(fmt::format("{}it can be combined with offset only, not with {}", start, other));
  }
  const bool gaps = std::ranges::adjacent_find(s.stretches, {}, &Stretch::recording) != s.stretches.end();
  if (gaps && !measures_temperature(s))
    throw BadInput(start + "the temperature after a gap in time is not known; a column T (temperature) is required");
  const bool known = std::ranges::any_of(
      std::array{fitted[capacity], fitted[dry], fitted[viscous]},
      [&](std::string_view key) { return number_at(options.fixed, key) && *number_at(options.fixed, key) != 0; });
  if (!measures_temperature(s) && !known)
    throw BadInput(start +
                   "friction alone determines conductance and coefficients relative to the capacity only; a column T "
                   "(temperature) or --fix heat.capacity=NUMBER is required");
}

Table warming_hint(const std::string& model, const Setting& s) {
  const Table& fixed = s.options.fixed;
  const Series& whole = s.data.fine ? s.data.fine->whole : s.data;
  const Total all = total_of(whole);
  const bool measured = measures_temperature(whole);
  const double first = measured ? std::round(10 * whole.T.front()) / 10 : Heat::room;
  const double T0 = number_or(fixed, "heat.ambient", first),
               C = number_or(fixed, "heat.capacity", std::max(all.heat, 1e-12) / 10);
  Table out{{"heat.capacity", C},
            {"heat.conductance", number_or(fixed, "heat.conductance", C / all.time)},
            {"heat.ambient", T0},
            {"heat.T_ref", number_or(fixed, "heat.T_ref", T0)}};
  if (const double* share = number_at(fixed, "heat.share")) out.push_back({"heat.share", *share});
  const auto& parameters = find_variant(model).model->parameters;
  const bool flows = std::ranges::find(parameters, "kv", &FieldInfo::name) != parameters.end();
  const bool dry_laws = std::ranges::any_of(
      parameters, [](const FieldInfo& f) { return f.start.part == Part::force || f.start.part == Part::static_force; });
  auto law = [&](const char* key, const char* coefficient, double start) {
    out.push_back({key, "exponential"});
    out.push_back({coefficient, number_or(fixed, coefficient, start)});
  };
  if (dry_laws && !(number_at(fixed, fitted[dry]) && *number_at(fixed, fitted[dry]) == 0))
    law("heat.dry", "heat.dry_coefficient", 1e-3);
  if (flows && !(number_at(fixed, fitted[viscous]) && *number_at(fixed, fitted[viscous]) == 0))
    law("heat.viscous", "heat.viscous_coefficient", 1e-2);
  return out;
}

void finish_warming(Fit& fit, const std::vector<Recording>& recordings, const Options& options,
                    std::vector<std::string>& notes) {
  const auto entry = [&](std::string_view key) { return std::ranges::find(fit.effects, key, &Entry::key); };
  if (entry(fitted[capacity]) == fit.effects.end()) return;
  auto varies = [](const std::vector<double>& T) {
    return !T.empty() && std::ranges::any_of(T, [&](double x) { return x != T.front(); });
  };
  const bool measured = std::ranges::any_of(recordings, varies, &Recording::T);
  if (measured && !number_at(options.fixed, fitted[capacity])) {
    const double T0 = number_or(fit.effects, "heat.ambient", Heat::room),
                 share = number_or(fit.effects, "heat.share", 1);
    const Nodes nodes = from_temperature(recordings, T0, share), other = from_temperature(recordings, T0, share, true);
    for (const std::size_t i : {std::size_t{capacity}, std::size_t{conductance}}) {
      // The power between rows is not known: two rules for it differ by an error that no noise contains.
      const double x = nodes.value[i], half = 1.96 * nodes.error[i] + std::abs(other.value[i] - x);
      Estimate e{.name = std::string(fitted[i]),
                 .unit = i == capacity ? "J/K" : "W/K",
                 .value = x,
                 .low = std::max(0.0, x - half),
                 .high = x + half};
      if (!nodes.found) {
        e.low = 0;
        e.high = inf;
      }
      entry(fitted[i])->value = i == conductance ? std::max(0.0, x) : nodes.found ? x : 1.0;
      e.value = *entry(fitted[i])->value.as<double>();
      add(fit, std::move(e));
    }
  }
  std::vector<std::string> open;
  for (Estimate& e : fit.friction) {
    if (!is_warming(e.name)) continue;
    const bool coefficient = e.name.ends_with("coefficient");
    const bool determined = coefficient ? e.low > 0 || e.high < 0 : e.low > 0 && e.high < 10 * e.low;
    if (determined) continue;
    e.identifiable = false;
    e.diagnosis = fmt::format(
        "{} is not determined by this recording: {}", e.name,
        coefficient
            ? "friction does not change with the temperature beyond its noise; a longer one, or other speeds, are required"
            : "it is short against the time of warming, or warms too little; a longer one is required");
    open.push_back(e.name);
  }
  if (!open.empty())
    notes.push_back(fmt::format("{}: heat is not determined in full by these recordings: {} open", fit.model,
                                fmt::join(open, ", ")));
}

}  // namespace bristle::identify
