#include "registry/shared/generic2010.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <list>
#include <mutex>
#include <thread>

#include "registry/shared/boxed.hpp"
#include "registry/shared/distribution.hpp"

namespace bristle {
namespace {

using Population = Generic2010<double>;
constexpr int many = 50000;  // asperities: enough for all threads, too many to cache

using Tick = std::function<void()>;

std::shared_ptr<const Population> settled_anew(const Generic2010Params& p, const Tick& tick) {
  auto out = std::make_shared<Population>(p);
  if (p.asperities >= many) out->use_threads(std::max(1U, std::thread::hardware_concurrency()));
  if (p.control == NormalControl::load) out->settle(p.settle, tick);
  return out;
}

bool same(const Generic2010Params& a, const Generic2010Params& b) {
  bool equal = a.distribution == b.distribution;
  each_field(a, [&](const auto& field, const auto& x) {
    const auto& y = b.*field.at;
    if constexpr (is_vec<std::remove_cvref_t<decltype(x)>>) {
      equal = equal && std::equal(x.begin(), x.end(), y.begin(), y.end());
    } else {
      equal = equal && x == y;
    }
  });
  return equal;
}

/// Cache of settled populations: contacts with the same parameters start equal, and settling takes as long as a run.
std::shared_ptr<const Population> settled(const Generic2010Params& p, const Tick& tick) {
  using Future = std::shared_future<std::shared_ptr<const Population>>;
  struct Entry {
    Generic2010Params p;
    Future population;
  };
  static std::mutex mutex;
  static std::list<Entry> kept;
  if (p.asperities >= many || p.settle == 0) return settled_anew(p, tick);
  std::promise<std::shared_ptr<const Population>> promise;
  Future future;
  {
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(kept.begin(), kept.end(), [&](const Entry& e) { return same(e.p, p); });
    if (found != kept.end()) {
      future = found->population;
    } else {
      kept.push_front({p, promise.get_future().share()});
      if (kept.size() > 8) kept.pop_back();
    }
  }
  if (future.valid()) {
    try {
      return future.get();
    } catch (...) { return settled_anew(p, tick); }  // the thread that settled it was stopped
  }
  try {
    auto out = settled_anew(p, tick);
    promise.set_value(out);
    return out;
  } catch (...) {
    const std::lock_guard lock(mutex);
    kept.remove_if([&](const Entry& e) { return same(e.p, p); });
    promise.set_exception(std::current_exception());
    throw;
  }
}

}  // namespace

BoxedGeneric2010::BoxedGeneric2010(const Generic2010Params& p, const std::optional<Effects<double>>& e)
    : p_(p), effects_(e) {}

std::vector<Variable> BoxedGeneric2010::parameters() const {
  Generic2010Params p = p_;
  return joined(parameters_of(own_views(p), effects_ ? &*effects_ : nullptr),
                distribution_parameters(drawn_views(p.distribution)));
}
Table BoxedGeneric2010::settings() const {
  Generic2010Params p = p_;
  return joined(settings_of(own_views(p), effects_ ? &*effects_ : nullptr),
                distribution_settings(drawn_views(p.distribution)));
}

std::vector<std::string> BoxedGeneric2010::state_names() const {
  begin();
  return joined({"time", "way"}, population().state_names());
}
std::vector<double> BoxedGeneric2010::state() const {
  begin();
  return joined({time_, way_}, population().state());
}
std::string BoxedGeneric2010::do_set_state(std::span<const double> values) {
  Population next = population_ ? *population_ : settled_ ? *settled_ : Population(p_);
  std::string count = check_count(values.size(), 2 + next.state_names().size());
  if (!count.empty()) return count;
  if (!(std::abs(values[0]) <= p_.dt) || !(std::abs(values[1]) <= limit::most) || !next.set_state(values.subspan(2)))
    return not_a_state;
  population_.emplace(std::move(next));
  books_.reset();
  now_ = population_->last();
  time_ = values[0];
  way_ = values[1];
  return "";
}
void BoxedGeneric2010::take_parameters(const AnyContact& from) {
  const auto& other = static_cast<const BoxedGeneric2010&>(from);
  p_ = other.p_;
  effects_ = other.effects_;
  settled_.reset();
  population_.reset();
  books_.reset();
  now_ = {};
  time_ = way_ = 0;
}

double BoxedGeneric2010::do_force(const Motion<double>& u) const {
  begin();
  return force(u);
}

std::vector<Variable> BoxedGeneric2010::states() const {
  Generic2010State s;
  if (settled_ || population_) {
    const Population& g = population();
    s = {p_.scale_length * g.Y(), p_.scale_length / p_.scale_time * g.V(), p_.scale_force * now_.Fn, now_.contacts};
  }
  return shown_states(s);
}

/// Scales from the parameter study of the default population: friction at low speed 0.95 of the load, decreasing near
/// 1.
Scales<double> BoxedGeneric2010::scales() const {
  return {.force = 0.95 * p_.load * p_.scale_force,
          .velocity = p_.scale_length / p_.scale_time,
          .displacement = 0.1 * p_.scale_length};
}

void BoxedGeneric2010::settle(const std::function<void()>& tick) {
  if (!settled_) settled_ = settled(p_, tick);
}
void BoxedGeneric2010::reset() {
  settle({});
  population_.reset();
  now_ = settled_->last();
  time_ = way_ = 0;
  books_.reset();
  if (works_) *works_ = {};
}

std::shared_ptr<const asperity::Ledger> BoxedGeneric2010::keep_works() {
  if (!works_ && p_.integrator == Integrator::moreau) works_ = std::make_shared<asperity::Ledger>();
  return works_;
}

const Population& BoxedGeneric2010::population() const { return population_ ? *population_ : *settled_; }

double BoxedGeneric2010::force(const Motion<double>& u) const {
  const double F = p_.scale_force * now_.F;
  return effects_ ? effects_->out(u, F) : F;
}

double BoxedGeneric2010::own_step(double U, double r) {
  if (!population_) population_.emplace(*settled_);
  if (works_ && !books_) books_.emplace(*population_);
  const bool free = p_.control == NormalControl::load;
  const double before = population_->V();
  now_ = free ? population_->step(U, r * p_.load) : population_->step_to(U, population_->start() - r * p_.depth);
  if (books_) {
    books_->add(*population_, U, free ? before : population_->V(), r * p_.load);
    *works_ = books_->works();
    *works_ *= p_.scale_force * p_.scale_length;
  }
  return now_.F;
}

/// Whole steps only: the rest of time and displacement is added to the next call.
double BoxedGeneric2010::do_step(const Motion<double>& u, double dt) {
  begin();
  time_ += dt / p_.scale_time;
  way_ += u.v * dt / p_.scale_length;
  const double n = std::floor(time_ / p_.dt + 1e-6), r = load_ratio(u);
  if (n > 0) {
    const double U = way_ / time_;
    for (double k = 0; k < n; ++k) own_step(U, r);
    way_ -= U * n * p_.dt;
    time_ -= n * p_.dt;
  }
  return force(u);
}

/// Explicit in the mass, with internal steps: mass (w - v)/dt = F_app - F.
Coupled<double> BoxedGeneric2010::do_couple(const Motion<double>& u, double mass, double dt) {
  begin();
  time_ += dt / p_.scale_time;
  const double n = std::floor(time_ / p_.dt + 1e-6), r = load_ratio(u), h = n > 0 ? dt / n : dt;
  Motion<double> m = u;
  double mean = 0;
  if (n == 0) {
    way_ += u.v * dt / p_.scale_length;
    mean = force(u);
  }
  for (double k = 0; k < n; ++k) {
    way_ += m.v * h / p_.scale_length;
    const double U = way_ / p_.dt;
    own_step(U, r);
    way_ = 0;
    const double F = force(m);
    mean += F / n;
    m.v += h * (u.F_app - F) / mass;
    m.x += h * m.v;
  }
  time_ -= n * p_.dt;
  const double w = u.v + dt * (u.F_app - mean) / mass;
  return {w, mean, scales().force / scales().displacement * dt, false};
}

}  // namespace bristle
