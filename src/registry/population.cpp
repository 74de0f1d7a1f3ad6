#include "registry/shared/population.hpp"

#include <fmt/format.h>

#include <cmath>

#include "registry/shared/boxed.hpp"
#include "registry/shared/distribution.hpp"

namespace bristle {

std::vector<Variable> BoxedPopulation::parameters() const {
  GfmParams p = population_->p;
  return joined(parameters_of(own_views(p), effects_ ? &*effects_ : nullptr),
                distribution_parameters(drawn_views(p.distribution)));
}
Table BoxedPopulation::settings() const {
  GfmParams p = population_->p;
  return joined(settings_of(own_views(p), effects_ ? &*effects_ : nullptr),
                distribution_settings(drawn_views(p.distribution)));
}

/// The shown variables and the displacement; the asperities follow them.
Slots BoxedPopulation::own_slots() const {
  auto& self = const_cast<BoxedPopulation&>(*this);
  Slots out;
  std::size_t used = 0;
  list_slots<fields_of<PopulationState>>(self.state_, out, used);
  list_slots<fields_of<Moved>>(self.moved_, out, used);
  return out;
}
std::vector<Variable> BoxedPopulation::states() const { return shown_states(state_); }
std::vector<std::string> BoxedPopulation::state_names() const {
  return joined(names_of(own_slots()), population_->state_names());
}
std::vector<double> BoxedPopulation::state() const { return joined(values_of(own_slots()), population_->state()); }
std::string BoxedPopulation::do_set_state(std::span<const double> values) {
  const Slots own = own_slots();
  std::string count = check_count(values.size(), own.size() + population_->state_names().size());
  if (!count.empty()) return count;
  Gfm next = *population_;
  if (!next.set_state(values.subspan(own.size()))) return not_a_state;
  std::string wrong = set_values(own, values.first(own.size()));
  if (wrong.empty()) population_.emplace(std::move(next));
  return wrong;
}
void BoxedPopulation::take_parameters(const AnyContact& from) {
  const auto& other = static_cast<const BoxedPopulation&>(from);
  population_.emplace(*other.population_);
  effects_ = other.effects_;
  state_ = other.state_;
  moved_ = {};
}

double BoxedPopulation::do_force(const Motion<double>& u) const { return force(u, population_->now().F, 0); }

void BoxedPopulation::reset() {
  population_->reset();
  state_ = {};
  moved_ = {};
  look();
}

void BoxedPopulation::keep(const asperity::Record& r) {
  const double scale = population_->p.scale;
  state_.contact = r.contact;
  state_.slip = r.slip;
  state_.Fn = scale * r.Fn;
  state_.E_el = scale * r.E;
  state_.W_adh += scale * r.W_adh;
  state_.W_def += scale * r.W_def;
  state_.W_imp += scale * r.W_imp;
  state_.W = state_.W_adh + state_.W_def + state_.W_imp;
}

double BoxedPopulation::impact_force(double W_imp, double path, double side) const {
  return population_->p.impact && path > 0 ? std::copysign(W_imp / path, side) : 0;
}
double BoxedPopulation::force(const Motion<double>& u, double elastic, double impact) const {
  const double F = population_->p.scale * (elastic + impact);
  return effects_ ? effects_->out(u, F) : F;
}

void BoxedPopulation::check_way(double goal) const {
  const double w = population_->period();
  if (!(std::abs(goal) <= 1e8 * w))  // every land along the path is visited
    throw BadInput(fmt::format("a displacement of {} m exceeds 1e8 wavelengths of {} m", to_text(goal), to_text(w)));
}

double BoxedPopulation::advance(const Motion<double>& u, double goal, double dt) {
  const double way = goal - population_->u();
  check_way(goal);
  const asperity::Record r = population_->step(goal, dt, load_ratio(u));
  keep(r);
  return force(u, r.F, impact_force(r.W_imp, std::abs(way), way));
}

/// Position after u.v dt, from the previous motion: u.x is optional.
double BoxedPopulation::do_step(const Motion<double>& u, double dt) {
  const double way = u.v * dt, sum = moved_.sum + way;
  moved_.rest += std::abs(moved_.sum) >= std::abs(way) ? (moved_.sum - sum) + way : (way - sum) + moved_.sum;
  moved_.sum = sum;
  return advance(u, u.v == 0 ? population_->u() : moved_.sum + moved_.rest, dt);
}

/// Solves mass (w - v)/dt = F_app - F(w), as couple.hpp. A population is elastic and its force has only small jumps:
/// the secant method finds the root near the present velocity. If the root is far, as in large steps, the search starts
/// at rest and proceeds outwards, so that the contact holds the body if it can.
Coupled<double> BoxedPopulation::do_couple(const Motion<double>& u, double mass, double dt) {
  const double mass_dt = mass / dt, need = u.F_app + mass_dt * u.v, from = population_->u();
  auto at = [&](double w) {
    Motion<double> m = u;
    m.x += w * dt;
    m.v = w;
    m.path += std::abs(w) * dt;
    return m;
  };
  auto excess = [&](double w) {
    const asperity::Record r = population_->trial(from + w * dt, dt, load_ratio(u));
    return mass_dt * w + force(at(w), r.F, impact_force(r.W_imp, std::abs(w) * dt, w)) - need;
  };
  const Scales<double> sizes = scales();
  const double enough = 1e-13 * (std::abs(need) + sizes.force), near = 0.05 * sizes.displacement / dt;
  const double stiffness = sizes.displacement > 0 ? sizes.force / sizes.displacement : 0;
  double slope = mass_dt + stiffness * dt;

  struct Point {
    double w, f;
  };
  Point a{u.v, excess(u.v)}, best = a;
  for (int n = 0; n < 8 && std::abs(best.f) > enough; ++n) {
    const double w = a.w - a.f / slope;
    if (!(std::abs(w - u.v) < near) || w == a.w) break;
    const Point b{w, excess(w)};
    if (const double s = (b.f - a.f) / (b.w - a.w); s > 0.5 * mass_dt) slope = s;
    a = b;
    if (std::abs(b.f) < std::abs(best.f)) best = b;
  }
  if (std::abs(best.f) > enough) {
    Point lo{0, excess(0)}, hi = lo;
    const double side = lo.f < 0 ? 1 : -1;
    slope = mass_dt + stiffness * dt;
    double reach = std::abs(lo.f) / slope;
    for (int n = 0; n < 2000 && hi.f * side < 0; ++n) {  // outwards to the first change of sign
      lo = hi;
      hi.w = lo.w + side * std::max(reach, 1e-15 * std::abs(lo.w));
      hi.f = excess(hi.w);
      const double s = (hi.f - lo.f) / (hi.w - lo.w);
      reach = std::min(4 * reach, s > 0 ? std::abs(hi.f) / s : std::abs(hi.f) / mass_dt);
    }
    best = std::abs(lo.f) < std::abs(hi.f) ? lo : hi;
    for (int n = 0; n < 200 && std::abs(best.f) > enough && std::abs(hi.w - lo.w) > 1e-15 * std::abs(hi.w); ++n) {
      const double middle = 0.5 * (lo.w + hi.w), secant = hi.w - hi.f * (hi.w - lo.w) / (hi.f - lo.f);
      const double w = n % 3 == 2 ? middle : secant;
      const Point c{w, excess(w)};
      (c.f * side < 0 ? lo : hi) = c;
      if (std::abs(c.f) < std::abs(best.f)) best = c;
      if (w == lo.w && w == hi.w) break;
    }
    if (hi.w != lo.w) slope = (hi.f - lo.f) / (hi.w - lo.w);
  }
  advance(at(best.w), from + best.w * dt, dt);
  moved_ = {population_->u(), 0};
  return {best.w, need - mass_dt * best.w, slope - mass_dt, false};
}

}  // namespace bristle
