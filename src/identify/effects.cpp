#include "identify/effects.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>

#include "bristle/boundary/any.hpp"
#include "bristle/random.hpp"

namespace bristle::identify {
namespace {

bool varies(const std::vector<double>& series) {
  const auto [least, most] = std::ranges::minmax(series);
  return most > least;
}

/// The model's own force and what is left of the measurement, where that counts.
struct Left {
  std::vector<double> F{}, r{}, x{}, T{}, load{};
};
Left left_by(const Candidate& c, const Setting& s) {
  const Objective o{s.data, *c.walker, c.space, s.control};
  std::vector<double> p(c.space.parameters());
  c.space.parameters_at(c.best.q.data(), p.data(), nullptr);
  const std::vector<double> r = o.residuals(c.best.q.data());
  Left out;
  c.walker->walk(s.data, {p.data()}, [&](const Rows& rows) {
    for (std::size_t k = 0; k < rows.n; ++k) {
      const std::size_t i = rows.from + k;
      if (!(s.data.weight[i] > 0)) continue;
      out.F.push_back(rows.F[k]);
      out.r.push_back(std::clamp(r[i], -5 * c.scale, 5 * c.scale));
      out.x.push_back(s.data.x[i]);
      out.T.push_back(s.data.T[i]);
      out.load.push_back(s.data.r[i]);
    }
    return true;
  });
  return out;
}

/// Least squares of the residual on one column.
template <class F> double slope_on(const Left& left, F&& column) {
  double zz = 0, zr = 0;
  for (std::size_t i = 0; i < left.r.size(); ++i) {
    const double z = column(i);
    zz += z * z;
    zr += z * left.r[i];
  }
  return zz > 0 ? zr / zz : 0;
}

/// The period along x under which F (1 + A sin + B cos) explains most of the residual. Sums over narrow classes of position
/// stand for the samples, so that every period costs the same.
struct Wave {
  double period = 1, ripple = 0, phase = 0, explained = 0;
};
struct Sums {
  double weight = 0, product = 0;  // of F^2 and of F times the residual
};
Wave wave_at(const std::vector<Sums>& classes, double cycles, double from, double travel) {
  const std::complex<double> turn = std::polar(1.0, two_pi * cycles / static_cast<double>(classes.size()));
  std::complex<double> now = std::polar(1.0, 0.5 * two_pi * cycles / static_cast<double>(classes.size()));
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  for (const auto& [weight, product] : classes) {
    const Eigen::Vector3d z{1, now.imag(), now.real()};
    A += weight * z * z.transpose();
    b += product * z;
    now *= turn;
  }
  const Eigen::Vector3d w = (A + 1e-12 * A.trace() * Eigen::Matrix3d::Identity()).ldlt().solve(b);
  Wave out{.period = travel / cycles, .ripple = std::hypot(w[1], w[2]), .explained = w.dot(b)};
  out.phase = std::remainder(std::atan2(w[2], w[1]) - two_pi * from / out.period, two_pi);  // at x = 0
  return out;
}
Wave strongest_wave(const Left& left, const double* period) {
  const auto [least, most] = std::ranges::minmax(left.x);
  const double travel = most - least;
  constexpr std::size_t count = 4096;
  std::vector<Sums> classes(count);
  for (std::size_t i = 0; i < left.x.size(); ++i) {
    const auto k = static_cast<std::size_t>((left.x[i] - least) / travel * (count - 1e-6));
    classes[k].weight += left.F[i] * left.F[i];
    classes[k].product += left.F[i] * left.r[i];
  }
  if (period) return wave_at(classes, travel / *period, least, travel);
  Wave best;
  const double finest = std::min(count / 8.0, static_cast<double>(left.x.size()) / 8);
  for (double cycles = 2; cycles < finest; cycles += 0.2) {
    const Wave w = wave_at(classes, cycles, least, travel);
    if (w.explained > best.explained) best = w;
  }
  return best;
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
  if (!s.steady() && varies(s.x)) out.emplace_back("ripple");
  if (s.loaded) out.emplace_back("load_exponent");
  if (varies(s.T)) out.emplace_back("temperature_coefficient");
  return out;
}

std::vector<std::string> named_effects(const Options& options, const Series& s) {
  const std::vector<std::string> visible = visible_effects(s);
  std::vector<std::string> out;
  for (const std::string& given : options.effects) {
    if (given == "auto") continue;
    const std::string name = given.starts_with("ripple") ? "ripple" : given;
    if (std::ranges::find(visible, name) == visible.end()) {
      const char* why = name == "temperature_coefficient" ? "there is no temperature T that varies"
                        : name == "load_exponent"         ? "there is no normal load N that varies"
                        : name == "offset" && s.inverse   ? "the offset of the body is fitted along with u"
                        : name == "asymmetry" || name == "offset" ? "the motion has one direction only"
                        : name == "ripple"                        ? "there is no position x that varies"
                                                                  : "it is a setting, not a quantity to fit";
      throw BadInput(fmt::format("effect '{}' cannot be fitted: {}", given, why));
    }
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  }
  return out;
}

Table hint(const std::string& effect, const Candidate& c, const Setting& s) {
  const Left left = left_by(c, s);
  auto start = [](double value, double least) { return std::abs(value) > least ? value : least; };
  if (effect == "asymmetry")
    return {{effect, std::clamp(start(slope_on(left, [&](std::size_t i) { return std::abs(left.F[i]); }), 1e-4), -0.5, 0.5)}};
  if (effect == "offset")
    return {{effect, start(slope_on(left, [](std::size_t) { return 1.0; }), 1e-6 * s.features.force)}};
  if (effect == "temperature_coefficient") {
    double mean = 0;
    for (const double T : left.T) mean += T / static_cast<double>(left.T.size());
    const double slope = slope_on(left, [&](std::size_t i) { return left.F[i] * (left.T[i] - mean); });
    return {{effect, std::clamp(start(slope, 1e-5), -0.05, 0.05)}, {"reference_temperature", std::round(mean)}};
  }
  if (effect == "load_exponent") {
    const double slope =
        slope_on(left, [&](std::size_t i) { return left.F[i] * std::log(std::max(left.load[i], 1e-3)); });
    return {{effect, std::clamp(1 + start(slope, 1e-3), 0.1, 3.0)}};
  }
  const Wave w = strongest_wave(left, given_number(s.options, "ripple_period"));
  return {{"ripple", std::clamp(w.ripple, 1e-4, 0.5)}, {"ripple_period", w.period}, {"ripple_phase", w.phase}};
}

std::unique_ptr<Candidate> extended(const Candidate& c, const Table& effects, const Setting& s) {
  auto out = std::make_unique<Candidate>();
  out->shape = c.shape;
  for (const Entry& e : effects) {
    auto same = std::ranges::find(out->shape.effects, e.key, &Entry::key);
    if (same == out->shape.effects.end()) out->shape.effects.push_back(e);
  }
  out->walker = walker(out->shape.model, out->shape.given, out->shape.effects);
  out->start = start_of(out->shape, *out->walker, s.data, s.features, s.options);
  // Parameters by name: effects stand between those of the model and of the body.
  std::vector<double> before(c.space.parameters()), p;
  c.space.parameters_at(c.best.q.data(), before.data(), nullptr);
  const auto &old_scalars = c.walker->scalars(), &scalars = out->walker->scalars();
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
