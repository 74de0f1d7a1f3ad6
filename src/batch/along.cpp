#include "bristle/batch/along.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "around.hpp"
#include "base/processor.hpp"
#include "bristle/model_check.hpp"
#include "registry/shared/heated.hpp"
#include "registry/shared/visit.hpp"
#include "shared/kernels.hpp"

namespace bristle {
namespace {

const batch::ModelKernels<double>& kernels_of(std::size_t model) {
  using Kernels = const batch::Table<double>&();
  static Kernels* const best =
      best_kernel<Kernels>(&batch::kernels_baseline_double, BRISTLE_IF_AVX2(&batch::kernels_avx2_double),
                           BRISTLE_IF_AVX512(&batch::kernels_avx512_double));
  return best()[model];
}

void require(std::span<const double> values, std::size_t n, const char* name, const char* unit, const Range& range) {
  if (values.size() != n && !values.empty())
    throw BadInput(fmt::format("{} has {} values, must have {}, as many as v", name, values.size(), n));
  // Signs of integers, which every instruction set has as vectors: the first bit is set where a value is infinite, NaN or
  // outside; a negative zero at a limit of zero sets it too, and passes below.
  constexpr std::uint64_t magnitude = ~std::uint64_t{0} >> 1, infinite = std::uint64_t{0x7ff} << 52;
  const double lo = range.lo, hi = range.hi;
  std::uint64_t bad = 0;
  for (const double x : values)
    bad |= ((std::bit_cast<std::uint64_t>(x) & magnitude) + (magnitude + 1 - infinite)) |
           std::bit_cast<std::uint64_t>(x - lo) | std::bit_cast<std::uint64_t>(hi - x);
  if (bad <= magnitude) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || !range.contains(values[i]))
      throw BadInput(fmt::format("{}[{}] = {}{} must be {}", name, i, to_text(values[i]), unit,
                                 std::isfinite(values[i]) ? describe(range, values[i]) : "a finite number"));
  }
}
/// The inputs of sample i; `place` advances.
Motion<double> motion_at(const Samples& s, std::size_t i, double dt, Place& place) {
  const double v = s.v[i];
  place.x = s.x.empty() ? place.x + v * dt : s.x[i];
  place.path += std::abs(v) * dt;
  place.t += dt;
  Motion<double> u{.x = place.x, .v = v, .path = place.path, .t = place.t};
  if (!s.r.empty()) u.r = s.r[i];
  if (!s.temperature.empty()) u.temperature = s.temperature[i];
  return u;
}

template <class C> void follow(const ContactRef& ref, const Samples& s, Place& place, std::span<double> F) {
  const C& c = *static_cast<const C*>(ref.contact);
  auto& state = *static_cast<typename C::State*>(ref.state);
  auto& mode = *static_cast<typename C::Mode*>(ref.mode);
  const bool constant = s.dt.size() == 1;
  for (std::size_t i = 0; i < s.v.size(); ++i) {
    const double dt = s.dt[constant ? 0 : i];
    F[i] = advance(c, state, mode, motion_at(s, i, dt, place), dt);
  }
}

/// Place at the end of samples of a constant dt. Four sums at a time: one alone waits for each addition.
void pass(const Samples& s, Place& place) {
  const std::size_t n = s.v.size();
  std::array<double, 4> sum{}, path{};
  auto add = [&](std::size_t i, std::size_t k) {
    sum[k] += s.v[i + k];
    path[k] += std::abs(s.v[i + k]);
  };
  for (std::size_t i = 0; i < n - n % 4; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) add(i, k);
  }
  for (std::size_t k = 0; k < n % 4; ++k) add(n - n % 4, k);
  const double dt = s.dt[0];
  if (s.x.empty()) {
    place.x += ((sum[0] + sum[1]) + (sum[2] + sum[3])) * dt;
  } else if (n > 0) {
    place.x = s.x.back();
  }
  place.path += ((path[0] + path[1]) + (path[2] + path[3])) * dt;
  place.t += static_cast<double>(n) * dt;
}

/// Of a contact with a state that the load does not move (`prepare` does not see it): the load scales all but the viscous
/// part of the force, and effects act on the result.
template <class M> constexpr bool scales_with_load = Prepares<M>;

batch::Around around_of(const Effects<double>& e) {
  const double cold = e.temperature_coefficient * (Motion<double>{}.temperature - e.reference_temperature);
  return {.load_offset = e.load_offset,
          .load_exponent = e.load_exponent,
          .asymmetry = e.asymmetry,
          .offset = e.offset,
          .temperature_coefficient = e.temperature_coefficient,
          .reference_temperature = e.reference_temperature,
          .warmth = std::exp(clamped(cold, 100.0))};
}
bool depends_on_place(const Effects<double>& e) {
  return e.ripple != 0 || e.cogging != 0 || e.noise != 0 || e.curve_F.n != 0 || e.curve_gain.n != 0;
}

/// Load and effects on the forces of the model alone.
template <class M>
void scale(const M& model, const Effects<double>* effects, const Samples& s, Place& place, std::span<double> F) {
  static auto* const best = best_kernel<decltype(batch::around_baseline)>(
      &batch::around_baseline, BRISTLE_IF_AVX2(&batch::around_avx2), BRISTLE_IF_AVX512(&batch::around_avx512));
  const bool here = effects && depends_on_place(*effects);
  batch::Around e = effects ? around_of(*effects) : batch::Around{};
  if (here) e = {.load_offset = e.load_offset, .load_exponent = e.load_exponent};  // the rest sample by sample
  if (!s.r.empty()) e.r = s.r.data();
  if (!s.temperature.empty() && e.temperature_coefficient != 0) {
    e.temperature = s.temperature.data();
    e.warmth = 1;
  }
  e.kv = model.p.kv;
  best(e, s.v.data(), F.data(), F.size());
  if (!here) return pass(s, place);
  for (std::size_t i = 0; i < F.size(); ++i) F[i] = effects->out(motion_at(s, i, s.dt[0], place), F[i]);
}

}  // namespace

void check(const Samples& s) {
  const std::size_t n = s.v.size();
  if (s.dt.empty() && n > 0) throw BadInput("dt is empty, must have one value or as many as v");
  require(s.dt, s.dt.size() == 1 ? 1 : n, "dt", " s", positive);
  require(s.v, n, "v", " m/s", any_real);
  require(s.x, n, "x", " m", any_real);
  require(s.r, n, "r", "", nonnegative);
  require(s.temperature, n, "temperature", " degC", any_real);
}

void along(AnyContact& contact, const Samples& s, Place& place, std::span<double> F) {
  check(s);
  const std::size_t n = s.v.size();
  if (F.size() != n) throw BadInput(fmt::format("F has {} values, must have {}, as many as v", F.size(), n));
  const ContactRef ref = contact.ref();
  const bool steady_steps = s.dt.size() == 1;
  auto in_vectors = [&](const auto& model) {
    kernels_of(contact.index())
        .along(&model, ref.state, ref.mode, s.v.data(), s.dt[0], F.data(), n, usual_options(model.p));
  };
  const bool found = visit_contact(contact, [&](const auto& box) {
    using C = std::remove_cvref_t<decltype(box.contact)>;
    const auto& model = model_of(box.contact);
    constexpr bool equipped = requires { box.contact.inner; };
    bool alike = true;  // in both directions, and wherever it is
    if constexpr (equipped) alike = !is_directed(box.contact) && box.contact.p.curve_load.n == 0;
    if constexpr (scales_with_load<ModelOf<C>>) {
      if (steady_steps && alike && model.p.kv_exponent == 1 && (equipped || !s.r.empty())) {
        in_vectors(model);
        return scale(model, effects_of(box.contact), s, place, F);
      }
    }
    if (!equipped && steady_steps && s.r.empty()) {
      in_vectors(model);
      pass(s, place);
    } else {
      follow<C>(ref, s, place, F);
    }
  });
  if (found) return;
  auto* hot = dynamic_cast<HeatedContact*>(&contact);
  if (hot) hot->follow_measured(!s.temperature.empty());
  for (std::size_t i = 0; i < n; ++i) {  // a population, or a contact with heat
    const double dt = s.dt[s.dt.size() == 1 ? 0 : i];
    F[i] = contact.step(motion_at(s, i, dt, place), dt);
  }
}

void steady(const AnyContact& contact, std::span<const double> v, std::span<double> F) {
  require(v, F.size(), "v", " m/s", any_real);
  const bool found = visit_contact(contact, [&](const auto& box) {
    if constexpr (requires { box.contact.inner.negative; }) {
      if (box.contact.p.in(Motion<double>{}).r != 1)
        throw BadInput("steady sliding with load_offset or curve_load has no closed form; along() computes it");
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
      if constexpr (requires { box.contact.inner.negative; }) {
        const auto& model = v[i] < 0 ? box.contact.inner.negative : box.contact.inner.inner;
        F[i] = box.contact.p.out(Motion<double>{.v = v[i]}, model.steady(v[i]));
      } else {
        F[i] = box.contact.steady(v[i]);
      }
    }
  });
  if (!found)
    throw BadInput(fmt::format("{} has no closed form of steady sliding; along() computes it", contact.model()));
}

}  // namespace bristle
