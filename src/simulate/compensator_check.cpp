#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bristle/control/disturbance_observer.hpp"
#include "bristle/control/proof.hpp"
#include "compensator_parts.hpp"
#include "registry/shared/heated.hpp"

/// Conditions of a compensation: keys that do not belong together, and gains outside the proof of an observer.
namespace bristle {
namespace {

control::Loop<double> loop_of(const ControllerParams& c, double mass) {
  if (!c.cascade()) return {mass, c.kp, c.ki, c.kd};
  return {mass, c.velocity_gain * c.position_gain + c.velocity_integral, c.velocity_integral * c.position_gain,
          c.velocity_gain};
}

/// Stiffness and damping of pre-sliding, and whether the dry part is passive.
struct Bristles {
  double sigma0{}, sigma1{}, Fc{}, Fs{};
};
Bristles bristles_of(const AnyContact& model) {
  Bristles out;
  for (const Variable& v : model.parameters()) {
    if (v.name == "Fc") out.Fc = v.value;
    if (v.name == "Fs") out.Fs = v.value;
    const bool element = v.name.size() > 1 && v.name.find_first_not_of("0123456789", 1) == std::string::npos;
    if (v.name == "sigma0" || (element && v.name[0] == 'k')) out.sigma0 += v.value;
    if (v.name == "sigma1" || (v.name.starts_with("sigma") && model.model() == "gms")) out.sigma1 += v.value;
  }
  return out;
}

std::string check_gain(const ControllerParams& c, double body, std::vector<std::string>* notes) {
  const CompensationParams& p = c.compensation;
  if (!(p.gain > 0) || !(body > 0)) return {};
  const control::Loop<double> l = loop_of(c, body);
  const Bristles b = bristles_of(*p.model);
  const control::Proof<double> proof = control::proof(l, b.sigma0, b.sigma1);
  if (!proof.stable_loop())
    return fmt::format("gain = {} 1/s requires a stable servo: kd kp = {:.4g} must exceed m ki = {:.4g}",
                       to_text(p.gain), l.kd * l.kp, l.mass * l.ki);
  if (p.gain >= proof.most_gain())
    return fmt::format(
        "gain = {} 1/s makes the loop unstable in pre-sliding; below {:.4g} 1/s is accepted: (kd kp - m ki)/(sigma0 m - sigma1 kd)",
        to_text(p.gain), proof.most_gain());
  if (!notes) return {};
  std::vector<std::string> broken;
  if (proof.damping < 0)
    broken.push_back(
        fmt::format("sigma1 kd = {:.4g} is less than sigma0 m = {:.4g}", b.sigma1 * l.kd, b.sigma0 * l.mass));
  if (proof.integral < 0)
    broken.push_back(
        fmt::format("sigma0 kp = {:.4g} is less than sigma1 ki = {:.4g}", b.sigma0 * l.kp, b.sigma1 * l.ki));
  if (p.model->model() == "gms" && !p.model->passive())
    broken.emplace_back("Fs is greater than Fc, for which GMS is not passive");
  if (!broken.empty())
    notes->push_back(
        fmt::format("the observer is outside the proof of 1995 (its transfer function is not positive real): {}",
                    fmt::join(broken, "; ")));
  return {};
}

}  // namespace

std::optional<ServoObjection> objection_to_compensation(const ControllerParams& controller, double inertia,
                                                        std::vector<std::string>* notes) {
  using K = CompensationKind;
  const CompensationParams& p = controller.compensation;
  auto objection = [](std::string key, std::string text) {
    return ServoObjection{"compensation." + std::move(key), std::move(text)};
  };
  if (p.kind == K::none) return {};
  const std::string name = choices(p.kind)[static_cast<std::size_t>(p.kind)];
  if (!controller.sampled())
    return objection("kind", fmt::format("compensation = \"{}\" requires sample_time (s) in [controller]", name));
  if (reads(p.kind, "model") && !p.model)
    return objection("model", fmt::format("compensation = \"{}\" requires a friction model", name));
  if (p.model && is_heated(*p.model))
    return objection("model", fmt::format("compensation = \"{}\" accepts a model without [friction.heat]", name));
  if (p.kind == K::feedforward) return {};
  const char* wanted = p.kind == K::gms_observer                                    ? "gms"
                       : p.kind == K::lugre_observer || p.kind == K::adaptive_lugre ? "lugre"
                                                                                    : nullptr;
  if (wanted && p.model->model() != wanted)
    return objection(
        "model",
        fmt::format("compensation = \"{}\" requires model {}, not {}; a block [controller.compensation.model] or a "
                    "friction file is accepted",
                    name, wanted, p.model->model()));
  const bool linear = p.kind == K::friedland_park || p.kind == K::adaptive_rls || p.kind == K::adaptive_lugre;
  if (p.model && linear) {
    for (const Variable& v : p.model->parameters()) {
      if (v.name == "kv_exponent" && v.value != 1)
        return objection("model", fmt::format("compensation = \"{}\" requires kv_exponent = 1", name));
    }
  }
  const CompensatorNumbers n(controller, inertia);
  if (reads(p.kind, "inertia") && !(n.inertia > 0))
    return objection("inertia", fmt::format("compensation = \"{}\" requires inertia (kg)", name));
  const double T = controller.sample_time;
  if (reads(p.kind, "adaptation_time") && T >= (p.kind == K::friedland_park ? 2 : 1) * n.adaptation_time)
    return objection(
        "adaptation_time",
        fmt::format("adaptation_time = {} s is unstable with sample_time = {} s; more than {} s is accepted",
                    to_text(n.adaptation_time), to_text(T), to_text(p.kind == K::friedland_park ? T / 2 : T)));
  if (p.kind == K::disturbance_observer && inertia > 0) {
    const double pole = control::DisturbanceObserver<double>::pole(n.inertia, inertia, n.filter, T);
    if (std::abs(pole) >= 1)
      return objection(
          "inertia",
          fmt::format("inertia = {} kg makes the disturbance observer of a body of {} kg unstable (pole {:.3g}); a "
                      "smaller inertia or a longer filter is accepted",
                      to_text(n.inertia), to_text(inertia), pole));
  }
  // Ten times the velocity that friction stops in a sample says nothing about the Stribeck range if samples are fast.
  if (notes && reads(p.kind, "least_velocity") && p.kind != K::ekf && !(p.least_velocity > 0) &&
      !(p.model->scales().velocity > 0) && T * T * std::abs(controller.stiffness()) < 1.6e-3 * n.inertia)
    notes->push_back(fmt::format(
        "compensation = \"{}\" adapts above {:.3g} m/s, which follows from the short sample_time because its "
        "model has no Stribeck velocity; a least_velocity above the Stribeck range of the contact is safer",
        name, n.least_velocity));
  if (p.kind == K::adaptive_rls) {
    for (const std::string& e : p.estimate) {
      if (std::ranges::find(least_squares_names, e) == least_squares_names.end())
        return objection("estimate", fmt::format("estimate = \"{}\" of adaptive_rls must be one of {}", e,
                                                 fmt::join(least_squares_names, ", ")));
    }
  }
  if (p.kind == K::ekf) {
    if (std::string why = objection_to_kalman(p); !why.empty()) return objection("estimate", std::move(why));
  }
  if (p.kind == K::adaptive_lugre && p.factors == 2 && !(n.kv > 0))
    return objection("factors", "factors = 2 requires a model with kv > 0, which the second factor scales");
  if (reads(p.kind, "gain")) {
    if (std::string why = check_gain(controller, inertia, notes); !why.empty())
      return objection("gain", std::move(why));
  }
  return {};
}

void note_frozen(const ControllerParams& c, double inertia, const Trace& trace, const std::string& prefix,
                 std::vector<std::string>& notes) {
  const CompensationParams& p = c.compensation;
  if (!reads(p.kind, "least_velocity") || trace.rows() < 2) return;
  bool any = false;
  for (const Column& column : compensation_columns(c, inertia)) {
    if (column.name == "Fhat" || column.name.find("_hat") != std::string::npos) continue;
    const Column* values = trace.find(prefix + column.name);
    if (!values) return;
    any = true;
    if (std::ranges::any_of(values->values, [&](double x) { return x != values->values.front(); })) return;
  }
  if (any)
    notes.push_back(fmt::format("compensation = \"{}\": no estimate changed; the measured velocity did not exceed "
                                "least_velocity = {:.4g} for {:.3g} s in one direction",
                                choices(p.kind)[static_cast<std::size_t>(p.kind)],
                                CompensatorNumbers(c, inertia).least_velocity, CompensatorNumbers(c, inertia).settle));
}

std::vector<Column> compensation_columns(const ControllerParams& c, double inertia) {
  if (c.compensation.kind == CompensationKind::none || objection_to_compensation(c, inertia)) return {};
  const auto compensator = make_compensator(c, inertia);
  return compensator ? compensator->columns() : std::vector<Column>{};
}

}  // namespace bristle
