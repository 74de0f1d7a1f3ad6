#include "identify/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/linear.hpp"
#include "bristle/random.hpp"
#include "bristle/registry/any.hpp"

namespace bristle::identify {
namespace {

double median_interval(const Series& s) {
  std::vector<double> dt = s.dt;
  const auto middle = dt.begin() + static_cast<std::ptrdiff_t>(dt.size() / 2);
  std::nth_element(dt.begin(), middle, dt.end());
  return *middle;
}

bool varies(const std::vector<double>& series) {
  const auto [least, most] = std::ranges::minmax(series);
  return most > least;
}

/// Force of a fit along the whole motion, and its residual.
class Left {
 public:
  Left(const Candidate& c, const Setting& s) : seen_(s.data), whole_(s.data.fine ? s.data.fine->whole : s.data) {
    const Objective o{s.data, *c.evaluator, c.space, s.control};
    std::vector<double> p(c.space.parameters());
    c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
    r_ = o.residuals(c.best.q.data());
    const double most = 5 * noise_scale(o, r_, s.least_scale);
    for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = seen_.weight[i] > 0 ? std::clamp(r_[i], -most, most) : 0;
    F.resize(whole_.size());
    c.evaluator->whole().evaluate(whole_, {p.data()}, [&](const Rows& rows) {
      std::copy(rows.F, rows.F + rows.n, F.begin() + static_cast<std::ptrdiff_t>(rows.from));
      return true;
    });
  }
  std::vector<double> F{};
  const Series& motion() const { return whole_; }

  /// Least-squares factors of columns that explain the residual, and the explained part of each block with the factors
  /// of the other blocks.
  struct Regression {
    Eigen::VectorXd factors{};
    double explained = 0;
  };
  using Columns = std::array<double, 3>;  // at most three
  Regression on(Eigen::Index n, const std::function<Columns(std::size_t)>& columns) const {
    struct Sums {
      Eigen::MatrixXd A;
      Eigen::VectorXd b;
      explicit Sums(Eigen::Index n) : A(Eigen::MatrixXd::Zero(n, n)), b(Eigen::VectorXd::Zero(n)) {}
      Eigen::VectorXd solved() const {
        return linear::solve(A + (1e-12 * A.trace() + 1e-300) * Eigen::MatrixXd::Identity(b.size(), b.size()), b);
      }
    };
    std::vector<Columns> values(whole_.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = columns(i);
    std::vector<Sums> blocks(static_cast<std::size_t>(seen_.blocks), Sums(n));
    for (std::size_t k = 0; k < r_.size(); ++k) {
      if (!(seen_.weight[k] > 0)) continue;
      Columns z = seen_.fine ? Columns{} : values[k];
      if (seen_.fine) {
        const Fine::Row& row = seen_.fine->rows[k];
        for (std::size_t i = 0; i < row.count; ++i) {
          for (std::size_t j = 0; j < z.size(); ++j) z[j] += row.weights[i] * values[row.first + i][j];
        }
      }
      Sums& sums = blocks[static_cast<std::size_t>(seen_.block[k])];
      for (Eigen::Index a = 0; a < n; ++a) {
        const double za = z[static_cast<std::size_t>(a)];
        sums.b[a] += r_[k] * za;
        for (Eigen::Index b = 0; b < n; ++b) sums.A(a, b) += za * z[static_cast<std::size_t>(b)];
      }
    }
    Sums all(n);
    for (const Sums& e : blocks) {
      all.A += e.A;
      all.b += e.b;
    }
    Regression out{all.solved()};
    for (const Sums& e : blocks) {
      Sums others = all;
      others.A -= e.A;
      others.b -= e.b;
      const Eigen::VectorXd f = others.solved();
      out.explained += 2 * f.dot(e.b) - f.dot(e.A * f);
    }
    return out;
  }
  template <class Column> double slope_on(Column&& column) const {
    return on(1, [&](std::size_t i) { return Columns{column(i)}; }).factors[0];
  }

 private:
  const Series &seen_, &whole_;
  std::vector<double> r_;
};

/// A wave along x: F ripple sin(2 pi x/period + phase), or cogging sin(...) without F.
struct Wave {
  double period = 1, size = 0, phase = 0, explained = 0;
};
Wave wave_of(const Left& left, bool of_friction, double period) {
  const Series& s = left.motion();
  const auto fit = left.on(3, [&](std::size_t i) {
    const double angle = two_pi * std::remainder(s.x[i] / period, 1.0), F = of_friction ? left.F[i] : 1;
    return Left::Columns{F, F * std::sin(angle), F * std::cos(angle)};
  });
  const double a = fit.factors[1], b = fit.factors[2];
  return {period, std::hypot(a, b), std::atan2(b, a), fit.explained};
}
struct Found {
  Wave best{};
  bool stands_out = false;
};
/// Tries periods that the sampling resolves in at least a quarter of the motion, not only near reversals.
Found strongest_wave(const Left& left, bool of_friction, double interval) {
  const auto [least, most] = std::ranges::minmax(left.motion().x);
  std::vector<double> speeds;
  for (const double v : left.motion().v) {
    if (v != 0) speeds.push_back(std::abs(v));
  }
  if (speeds.empty()) return {};
  const auto slow = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 4);
  std::nth_element(speeds.begin(), slow, speeds.end());
  const double travel = most - least, shortest = *slow * interval / 0.4;
  const double finest = std::min({500.0, static_cast<double>(left.F.size()) / 12, travel / shortest});
  std::vector<Wave> waves;
  for (double cycles = 2; cycles < finest; cycles += 0.3) waves.push_back(wave_of(left, of_friction, travel / cycles));
  Found out;
  for (const Wave& w : waves) {
    if (w.explained > out.best.explained) out.best = w;
  }
  // Any dependence on position contains all periods; a wave has a dominant one.
  double other = 0;
  for (const Wave& w : waves) {
    if (std::abs(travel / w.period - travel / out.best.period) > 3) other = std::max(other, w.explained);
  }
  out.stands_out = out.best.explained > 2 * other && out.best.explained > 0;
  return out;
}

const double* given_number(const Options& options, std::string_view name) {
  const auto at = std::ranges::find(options.fixed, name, &Entry::key);
  return at == options.fixed.end() ? nullptr : at->value.as<double>();
}

}  // namespace

std::vector<std::string> visible_effects(const Series& s) {
  std::vector<std::string> out;
  const bool both = std::ranges::any_of(s.v, [](double v) { return v > 0; }) &&
                    std::ranges::any_of(s.v, [](double v) { return v < 0; });
  if (both) out.emplace_back("asymmetry");
  if (both && !s.inverse) out.emplace_back("offset");
  if (!s.steady() && varies(s.x)) out.insert(out.end(), {"ripple", "cogging"});
  if (s.loaded) out.emplace_back("load_exponent");
  if (varies(s.load) || s.inverse) out.emplace_back("load_drive");
  if (varies(s.T)) out.emplace_back("temperature_coefficient");
  return out;
}

std::vector<std::string> named_effects(const Options& options, const Series& s) {
  const std::vector<std::string> visible = visible_effects(s);
  std::vector<std::string> out;
  for (const std::string& given : options.effects) {
    if (given == "auto") continue;
    const std::string name = given.starts_with("ripple")    ? "ripple"
                             : given.starts_with("cogging") ? "cogging"
                             : given == "load_backdrive"    ? "load_drive"
                                                            : given;
    if (std::ranges::find(visible, name) == visible.end()) {
      const char* why = name == "temperature_coefficient"         ? "requires a varying temperature T"
                        : name == "load_exponent"                 ? "requires a varying normal load N"
                        : name == "load_drive"                    ? "requires a transmitted force, u or load"
                        : name == "offset" && s.inverse           ? "with u, the offset of the body is fitted instead"
                        : name == "asymmetry" || name == "offset" ? "requires motion in both directions"
                        : is_wave(name)                           ? "requires a varying position x"
                                                                  : "is a setting, not a quantity to fit";
      throw BadInput(fmt::format("effect '{}' cannot be fitted; {}", given, why));
    }
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  }
  return out;
}

bool is_wave(const std::string& effect) { return effect == "ripple" || effect == "cogging"; }

Table hint(const std::string& effect, const Candidate& c, const Setting& s, bool wanted) {
  const Left left(c, s);
  const Series& m = left.motion();
  auto start = [](double value, double least, double most) {  // the slope vanishes at 0
    return std::clamp(std::abs(value) > least ? value : least, -most, most);
  };
  if (effect == "asymmetry")
    return {{effect, start(left.slope_on([&](std::size_t i) { return std::abs(left.F[i]); }), 1e-4, 0.5)}};
  if (effect == "offset")
    return {{effect, start(left.slope_on([](std::size_t) { return 1.0; }), 1e-6 * s.features.force, inf)}};
  if (effect == "temperature_coefficient") {
    double mean = 0;
    for (const double T : m.T) mean += T / static_cast<double>(m.T.size());
    const double slope = left.slope_on([&](std::size_t i) { return left.F[i] * (m.T[i] - mean); });
    return {{effect, start(slope, 1e-5, 0.05)}, {"reference_temperature", std::round(mean)}};
  }
  if (effect == "load_drive") {
    const auto fit = left.on(2, [&](std::size_t i) {
      const double product = left.F[i] * std::abs(m.load[i]);
      return m.load[i] * left.F[i] > 0 ? Left::Columns{product} : Left::Columns{0, product};
    });
    const double least = 1e-3 / s.features.force;
    return {{"load_drive", std::max(fit.factors[0], least)}, {"load_backdrive", std::max(fit.factors[1], least)}};
  }
  if (effect == "load_exponent") {
    const double slope = left.slope_on([&](std::size_t i) { return left.F[i] * std::log(std::max(m.r[i], 1e-3)); });
    return {{effect, 1 + start(slope, 1e-3, 0.9)}};
  }
  const double* period = given_number(s.options, effect + "_period");
  const bool of_friction = effect == "ripple";
  const Found found = period ? Found{wave_of(left, of_friction, *period), true}
                             : strongest_wave(left, of_friction, median_interval(s.data));
  if (!found.stands_out && !wanted) return {};
  const Wave& w = found.best;
  const double unit = of_friction ? 1 : s.features.force;
  return {
      {effect, start(w.size, 1e-4 * unit, 0.5 * unit)}, {effect + "_period", w.period}, {effect + "_phase", w.phase}};
}

std::unique_ptr<Candidate> extended(const Candidate& c, const Table& effects, const Setting& s,
                                    const std::vector<std::string>& known) {
  auto out = std::make_unique<Candidate>();
  out->shape = c.shape;
  for (const Entry& e : effects) {
    auto same = std::ranges::find(out->shape.effects, e.key, &Entry::key);
    if (same == out->shape.effects.end()) out->shape.effects.push_back(e);
  }
  out->shape.known.insert(out->shape.known.end(), known.begin(), known.end());
  out->evaluator = evaluator_of(out->shape, s.data);
  out->start = start_of(out->shape, *out->evaluator, s.data, s.features, s.options);
  // By name: effects come after the parameters of the model and before those of the body.
  std::vector<double> before(c.space.parameters()), p;
  c.space.parameters_at(c.best.q.data(), before.data(), nullptr);
  const auto &old_scalars = c.evaluator->scalars(), &scalars = out->evaluator->scalars();
  for (std::size_t i = 0; i < out->start.guesses.size(); ++i) {
    if (i >= scalars.size()) {
      p.push_back(before[old_scalars.size() + (i - scalars.size())]);
    } else {
      const auto at = std::ranges::find(old_scalars, scalars[i].name, &Scalar::name);
      p.push_back(at == old_scalars.end() ? out->start.guesses[i].value
                                          : before[static_cast<std::size_t>(at - old_scalars.begin())]);
    }
  }
  out->space = make_space(out->shape.model, scalars, out->start.guesses.size() - scalars.size(), out->start.guesses,
                          out->start.held);
  out->best = {out->space.coordinates_at(p), inf, false};
  out->scale = c.scale;
  out->hopeless = c.hopeless;
  if (out->space.size() + 1 >= s.data.used)
    out->failure = fmt::format("{} rows are too few for {} parameters", s.data.used, out->space.size());
  return out;
}

}  // namespace bristle::identify
