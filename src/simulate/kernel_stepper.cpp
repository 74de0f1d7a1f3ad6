#include "kernel_stepper.hpp"

#include <algorithm>

#include "base/processor.hpp"
#include "bristle/effects.hpp"
#include "bristle/models.hpp"
#include "momentum.hpp"
#include "registry/shared/visit.hpp"
#include "rows.hpp"

namespace bristle {

using kernel::Body;

KernelStepper::KernelStepper(const System& system, const System::Single& body, const kernel::Pair& kernels)
    : Stepper(system),
      body_(body),
      given_(system.prescribed()),
      hybrid_(system.contact().traits().hybrid),
      kinks_load_(body.contact.effects &&
                  (body.contact.effects->load_exponent != 1 || body.contact.effects->load_offset != 0)),
      kernels_(kernels),
      kernel_(kernels.implicit.name ? &kernels_.implicit : &kernels_.explicit_pair),
      changes_(kernels.implicit.name && kernels.explicit_pair.name),
      size_(system.size()),
      nz_(system.contact().size()) {
  s_.contact = body.contact.contact;
  s_.state = body.contact.state;
  s_.mode = body.contact.mode;
  s_.effects = body.contact.effects;
  s_.spring = body.spring;
  s_.temperature = body.temperature;
  s_.inverse_mass = 1 / body.mass;
  s_.inverse_slip_mass = 1 / body.slip_mass;
  s_.inverse_roll_mass = 1 / body.roll_mass;
  s_.slip_part = body.slip_part;
  s_.h = system.slow_time() / 20;
}

void KernelStepper::dense(double theta, double* y) const {
  know_dense();
  for (std::size_t i = 0; i < size_; ++i) {
    const double c = s_.dense[0][i] + theta * (s_.dense[1][i] + theta * s_.dense[2][i]);
    y[i] = (1 - theta) * s_.y[i] + theta * (s_.y1[i] + (1 - theta) * c);
  }
}

void KernelStepper::rows(const double* t, std::size_t n, double* const* to) const {
  if (s_.holds) return Stepper::rows(t, n, to);
  know_dense();
  if (body_.body != Body::disk && !kernel_->general) return write(t, n, to);
  if (hidden_.empty()) {
    hidden_.resize(3 * hidden_rows);
    part_.resize(system_.columns().size());
  }
  for (std::size_t from = 0; from < n; from += hidden_rows) {
    for (std::size_t i = 0; i < part_.size(); ++i) part_[i] = to[i] + from;
    write(t + from, std::min(n - from, hidden_rows), part_.data());
  }
}

void KernelStepper::write(const double* t, std::size_t n, double* const* to) const {
  const std::size_t first = system_.shown().after_states - nz_;
  const bool disk = body_.body == Body::disk;
  std::array<double*, kernel::room> y;
  for (std::size_t i = 0; i < nz_; ++i) y[i] = to[first + i];
  double *x = to[1], *v = to[2], *load = hidden_.data();
  y[nz_] = x;
  y[nz_ + 1] = v;
  if (disk) {
    x = y[nz_ + 1] = load + n;
    y[nz_ + 2] = x + n;
    v = y[nz_ + 3] = to[first + nz_ + 2];
  }
  kernel_->rows(s_, t_, 1 / h_, t, n, y.data());
  const Spring<double>& spring = s_.spring;
  write_rows(system_, t, n, y.data(), to,
             [acts = system_.acts(), spring, place = to[1], velocity = to[2]](std::size_t k, const Signal& d) {
               return spring.transmitted(acts(d), place[k], velocity[k]);
             });
  if (spring.gravity != 0) {
    for (std::size_t k = 0; k < n; ++k) to[4][k] -= spring.weight(to[1][k]);
  }
  if (due_.n > 0 && to[3] == due_.F + due_.n) {
    due_.n += n;
    return;
  }
  const Due now{
      to[3], {given_ ? to[4] : nullptr, first > 6 ? to[6] : nullptr}, contact_columns(y.data(), x, v, load), n};
  flush();
  if (kernel_->general) {
    for (std::size_t k = 0; k < n; ++k) load[k] = input(t[k]).load;
  }
  if (kernel_->general || hybrid_) {
    write_forces(now);  // while the mode is the one of these rows
  } else {
    due_ = now;
  }
}

void KernelStepper::write_forces(const Due& due) const {
  kernel_->forces(s_, due.columns.data(), due.n, due.F);
  for (double* copy : due.copies) {
    if (copy) std::copy_n(due.F, due.n, copy);
  }
}

void KernelStepper::look(const double* theta, Places& at) const {
  know_dense();
  std::array<double*, kernel::room> y;
  const std::size_t states = size_ - kernel::works;
  for (std::size_t i = 0; i < states; ++i) y[i] = at.y[i].data();
  kernel_->rows(s_, 0, 1, theta, at_once, y.data());
  alignas(64) std::array<double, at_once> place, load;
  const double* x = body_.body == Body::by_position ? place.data() : y[nz_ + (body_.body == Body::disk ? 1 : 0)];
  const double* v = given_ ? at.v.data() : y[states - 1];
  if (given_ || kernel_->general) {
    for (std::size_t k = 0; k < at_once; ++k) {
      const Input<double> in = input(t_ + theta[k] * h_);
      place[k] = in.end;
      at.v[k] = in.end_v;
      load[k] = in.load;
    }
  }
  kernel_->forces(s_, contact_columns(y.data(), x, v, load.data()).data(), at_once, at.F.data());
}

void KernelStepper::forces(const double* theta, std::size_t n, double* net, double* applied) const {
  if (given_) return;
  alignas(64) const std::array places{theta[0], theta[n > 1 ? 1 : 0], theta[n > 2 ? 2 : n - 1], theta[n - 1]};
  Places at;
  std::array<double, at_once> F_app;
  const bool disk = body_.body == Body::disk;
  const std::size_t iv = size_ - kernel::works - 1;
  double *x = at.y[nz_].data(), *slip = at.y[iv].data(), *roll = at.y[iv - 1].data();
  if (nodes_known_ && !s_.straight && theta == MomentumSum::nodes()) {
    for (std::size_t k = 0; k < at_once; ++k) {
      const kernel::Step::Node& node = s_.nodes[std::min(k, MomentumSum::places - 1)];
      x[k] = node.x;
      slip[k] = node.v;
      at.F[k] = node.F;
    }
  } else {
    look(places.data(), at);
  }
  const Spring<double> spring = s_.spring;
  auto transmit = [&, acts = system_.acts()](auto&& drive_at) {
    for (std::size_t k = 0; k < at_once; ++k) {
      const double v = disk ? roll[k] + s_.slip_part * slip[k] : slip[k];
      F_app[k] = spring.transmitted(acts(drive_at(t_ + places[k] * h_)), x[k], v);
    }
  };
  if (system_.drives_straight()) {
    transmit(system_.drive_line());
  } else {
    transmit([&](double t) { return system_.drive_at(t); });
  }
  if (spring.gravity != 0) {
    for (std::size_t k = 0; k < n; ++k) F_app[k] -= spring.weight(x[k]);
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double F = s_.holds ? body_.slip_mass / body_.mass * F_app[k] : at.F[k];
    *applied++ = F_app[k];
    *net++ = F_app[k] - F;
    if (disk) {
      *applied++ = F_app[k];
      *net++ = F;
    }
  }
}

double KernelStepper::work() const {
  Places at;
  look(lobatto.nodes.data() + 1, at);
  double sum = lobatto.weights[0] * s_.f[size_ - 1];
  for (std::size_t i = 0; i < at_once; ++i) sum += lobatto.weights[i + 1] * at.F[i] * at.v[i];
  return sum * h_;
}

void KernelStepper::allow(const Tolerances& t) {
  s_.rtol = t.rtol;
  s_.atol.fill(1);
  std::copy(t.atol.begin(), t.atol.end(), s_.atol.begin());
  std::copy(t.largest.begin(), t.largest.end(), s_.largest.begin());
}

void KernelStepper::prepare(const double* y) {
  ++counts_.evaluations;
  for (std::size_t i = 0; i < size_; ++i) s_.y[i] = y[i];
  s_.holds = system_.contact().holds();
  s_.slope_v = system_.slope_velocity(system_.slip(t_, y));
  s_.straight = system_.input_is_straight() && !kinks_load_;
  const Signal d = system_.drive_at(t_);
  const System::InputRates rates = system_.input_rates(d);
  s_.end_a = rates.end_a;
  s_.external_rate = rates.external;
  if (kernel_->general) {
    take(input(t_), 0);
    s_.load_rate = system_.load_rate(t_);
    if (kinks_load_) {
      const Effects<double>& e = *body_.contact.effects;
      const double slope = e.load_exponent * s_.load[0] / (system_.load(t_) + e.load_offset);
      s_.load_rate *= std::isfinite(slope) ? slope : 0;
    }
  } else {
    take(system_.acts()(d), 0);
  }
  if (kernel_->implicit || (changes_ && ++unseen_ % look_every == 0)) {
    ++counts_.jacobians;
    known_ = !deferred_;
    if (deferred_) return;
    kernels_.implicit.prepare(s_);
    if (changes_) change();
  } else {
    kernel_->prepare(s_);
    known_ = true;
  }
}

void KernelStepper::change() {
  const double rate = s_.h * (std::abs(s_.F_v) * s_.inverse_slip_mass + s_.spring.damping * s_.inverse_mass);
  if (kernel_->implicit) {
    calm_ = rate < 2.5 ? calm_ + 1 : 0;
    if (calm_ > (unseen_ == 0 ? 0 : 8)) kernel_ = &kernels_.explicit_pair;
  } else if (rate > 2.8) {  // from 3.3 on it is unstable
    kernel_ = &kernels_.implicit;
    calm_ = 0;
  }
  unseen_ = std::max<std::int64_t>(unseen_, 1);
}

namespace {

const kernel::ByModel& kernels_of(Body body, bool baseline) {
  const auto best = [&](auto* lesser, decltype(lesser) better) -> const kernel::ByModel& {
    return (baseline ? lesser : best_kernel(lesser, better))();
  };
  switch (body) {
    case Body::slider: return best(&kernel::slider_baseline, BRISTLE_IF_AVX2(&kernel::slider_avx2));
    case Body::disk: return best(&kernel::disk_baseline, BRISTLE_IF_AVX2(&kernel::disk_avx2));
    case Body::by_velocity: return best(&kernel::by_velocity_baseline, BRISTLE_IF_AVX2(&kernel::by_velocity_avx2));
    case Body::by_position: break;
  }
  return best(&kernel::by_position_baseline, BRISTLE_IF_AVX2(&kernel::by_position_avx2));
}

}  // namespace

std::unique_ptr<KernelStepper> make_kernel_stepper(const System& system, Method method, bool baseline) {
  const auto body = system.single();
  if (!body) return nullptr;
  const kernel::Choice& choice = kernels_of(body->body, baseline)[body->contact.model];
  kernel::Pair pair = body->usual ? choice.usual : choice.general;
  if (method == Method::rodas) pair.explicit_pair = {};
  if (method == Method::explicit_pair) pair.implicit = {};
  if (!pair.implicit.name && !pair.explicit_pair.name) return nullptr;
  return std::make_unique<KernelStepper>(system, *body, pair);
}

const kernel::LaneTable* lane_kernels() {
  using Get = const kernel::LaneTable&();
  static Get* const best =
      best_kernel<Get>(nullptr, BRISTLE_IF_AVX2(&kernel::lanes_avx2), BRISTLE_IF_AVX512(&kernel::lanes_avx512));
  return best ? &best() : nullptr;
}

std::optional<std::size_t> lane_model(const Experiment& e) {
  if (!lane_kernels() || (e.method != Method::automatic && e.method != Method::rodas) || !System::is_plain(e))
    return {};
  std::optional<std::size_t> model;
  visit_contact(*e.contacts.front().contact, [&](const auto& box) {
    const std::size_t index = box.index();
    if (!box.has_effects() && usual_options(model_of(box.contact).p) && (*lane_kernels())[index].width > 0)
      model = index;
  });
  return model;
}

}  // namespace bristle
