#include <algorithm>
#include <array>
#include <cmath>

#include "base/processor.hpp"
#include "chain.hpp"
#include "kernels/chain_step.hpp"

/// Rosenbrock steps of a chain by the kernels of kernels/blocks.cpp.
namespace bristle {
namespace {

using kernel::ChainKernel;

class ChainLanes final : public StepperOf<Chain> {
 public:
  ChainLanes(const Chain& chain, const ChainKernel& kernel, const void* contact)
      : StepperOf(chain), kernel_(kernel), each_(chain.each()), n_(chain.block(0).states()) {
    s_.contact = contact;
    s_.blocks = chain.bodies();
    s_.stride = (s_.blocks + kernel.width - 1) / kernel.width * kernel.width;
    s_.mass = chain.mass();
    s_.coupling = chain.links().coupling;
    s_.coupling_damping = chain.links().damping;
    s_.rest_length = chain.plain()->rest_length;
    share_out();
    for (std::size_t b = 0; b < s_.blocks; ++b) {
      const double pulls = chain.pulls(b) ? 1 : 0;
      s_.has_left[b] = b > 0 ? 1 : 0;
      s_.has_right[b] = b + 1 < s_.blocks ? 1 : 0;
      const double links = s_.has_left[b] + s_.has_right[b];
      s_.stiffness[b] = pulls * chain.plain()->stiffness;
      s_.damping[b] = pulls * chain.plain()->damping;
      s_.push[b] = pulls;
      s_.all_stiffness[b] = s_.stiffness[b] + links * s_.coupling;
      s_.all_damping[b] = s_.damping[b] + links * s_.coupling_damping;
    }
    for (const std::size_t body : chain.shown()) {
      const std::size_t from = (body - 1) / kernel.width * kernel.width;
      const States part{from, std::min(from + (body == 1 ? 2 : 1) * kernel.width, s_.stride)};  // with its neighbour
      if (shown_.empty() || part.from > shown_.back().to) {
        shown_.push_back(part);
      } else {
        shown_.back().to = std::max(shown_.back().to, part.to);
      }
    }
    f_.resize(chain.size());
    y1_.resize(chain.size());
    error_.resize(chain.size());
  }
  const char* name() const override { return kernel_.name; }
  int order() const override { return kernel_.order; }
  bool restless() const override { return s_.restless; }
  void allow(const Tolerances& t) override {  // the same for all blocks
    s_.rtol = t.rtol;
    std::copy_n(t.atol.begin(), each_, s_.atol.begin());
    std::copy_n(t.largest.begin(), each_, s_.largest.begin());
  }
  double norm() const override { return s_.norm; }
  const double* begin_rates() const override { return f_.data(); }
  const double* end() const override { return y1_.data(); }
  const double* error() const override {
    gather(s_.u + (kernel_.stages - 1) * kernel::room * s_.stride, error_);
    return error_.data();
  }
  double curvature(std::size_t i) const override {  // theta (1 - theta) <= 1/4
    know_dense(i % each_ + 1 == n_);
    const std::size_t at = i % each_ * s_.stride + i / each_;
    return (std::abs(s_.dense[0][at]) + std::abs(s_.dense[1][at]) + std::abs(s_.dense[2][at])) / 4;
  }
  void dense(double theta, double* y) const override { dense_of({0, system_.size()}, theta, y); }
  void dense_of(States only, double theta, double* y) const override {
    know_dense(only.to == only.from + 1 && only.from % each_ + 1 == n_);
    std::size_t b = only.from / each_, i = only.from % each_;
    for (std::size_t k = only.from; k < only.to; ++k) {
      const std::size_t at = i * s_.stride + b;
      const double c = s_.dense[0][at] + theta * (s_.dense[1][at] + theta * s_.dense[2][at]);
      y[k] = (1 - theta) * s_.y[at] + theta * (s_.y1[at] + (1 - theta) * c);
      if (++i == each_) i = 0, ++b;
    }
  }
  void forces(const double* theta, std::size_t n, double* net, double* applied) const override {
    know_dense();
    kernel_.rows(s_, theta, n, 0, s_.stride, rows_);
    for (std::size_t k = 0; k < n; ++k, net += s_.blocks, applied += s_.blocks) {
      const double *x = rows_ + (k * (n_ + 1) + n_ - 2) * s_.stride, *v = x + s_.stride, *F = v + s_.stride;
      const Input<double> in = system_.block(0).input(t_ + theta[k] * h_);
      for (std::size_t b = 0; b < s_.blocks; ++b) {
        const double F_app = applied_force(b, in, x, v);
        applied[b] = F_app;
        net[b] = F_app - F[b];
      }
    }
  }
  /// Columns as Chain::columns gives them.
  void rows(const double* t, std::size_t n, double* const* to) const override {
    if (dense_known_ != everything) {
      for (const States& part : shown_) kernel_.curvature(s_, false, part.from, part.to);
    }
    const std::size_t nz = n_ - 2, stride = s_.stride;
    std::array<double, rows_at_once> theta{};
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t r = k % rows_at_once, count = std::min(rows_at_once, n - k);
      if (r == 0) {
        for (std::size_t i = 0; i < count; ++i) theta[i] = (t[k + i] - t_) / h_;
        for (const States& part : shown_) kernel_.rows(s_, theta.data(), count, part.from, part.to, rows_);
      }
      const double *z = rows_ + r * (n_ + 1) * stride, *x = z + nz * stride, *v = x + stride, *F = v + stride;
      const Signal d = system_.block(0).drive_at(t[k]);
      const bool first = system_.shown().front() == 1;
      double* const* column = to;
      (*column++)[k] = t[k];
      if (!first) (*column++)[k] = d.value;
      for (const std::size_t number : system_.shown()) {
        const std::size_t b = number - 1;
        (*column++)[k] = x[b];
        (*column++)[k] = v[b];
        (*column++)[k] = F[b];
        if (b == 0) {
          const double F_app = applied_force(0, system_.block(0).input(t[k]), x, v);
          (*column++)[k] = F_app;
          (*column++)[k] = d.value;
        }
        for (std::size_t i = 0; i < nz; ++i) (*column++)[k] = z[i * stride + b];
      }
    }
  }

 private:
  void prepare(const double* y) override {
    ++counts_.evaluations;
    ++counts_.jacobians;
    for (std::size_t b = 0; b < s_.blocks; ++b) {
      s_.slope_v[b] = system_.block(b).slope_velocity(y[n_ - 1]);
      for (std::size_t i = 0; i < each_; ++i) s_.y[i * s_.stride + b] = *y++;
    }
    drive(0, t_);
    const System::InputRates rates = system_.block(0).input_rates(system_.block(0).drive_at(t_));
    s_.end_a = rates.end_a;
    s_.external_rate = rates.external;
    kernel_.prepare(s_);
    gather(s_.f, f_);
  }
  bool advance() override {
    counts_.evaluations += static_cast<std::int64_t>(kernel_.stages) - 1;
    s_.h = h_;
    for (std::size_t i = 1; i < kernel_.stages; ++i) drive(i, t_ + kernel_.alpha[i] * h_);
    kernel_.attempt(s_);
    dense_known_ = nothing;
    if (s_.fits) gather(s_.y1, y1_);
    return s_.fits;
  }
  void drive(std::size_t stage, double t) {
    const Input<double> in = system_.block(0).input(t);
    s_.end[stage] = in.end;
    s_.end_v[stage] = in.end_v;
    s_.external[stage] = in.external;
  }
  /// By drive and neighbours, from positions and velocities of all blocks.
  double applied_force(std::size_t b, const Input<double>& in, const double* x, const double* v) const {
    const Spring<double> spring{s_.stiffness[b], s_.damping[b], s_.rest_length};
    double F = spring.pull(in, x[b], v[b]) + s_.push[b] * in.external;
    if (b > 0) F += s_.coupling * (x[b - 1] - x[b]) + s_.coupling_damping * (v[b - 1] - v[b]);
    if (b + 1 < s_.blocks) F += s_.coupling * (x[b + 1] - x[b]) + s_.coupling_damping * (v[b + 1] - v[b]);
    return F;
  }
  void know_dense(bool velocity = false) const {
    if (dense_known_ == everything || (velocity && dense_known_ == velocities)) return;
    kernel_.curvature(s_, velocity, 0, s_.stride);
    dense_known_ = velocity ? velocities : everything;
  }
  void gather(const double* from, std::vector<double>& to) const {
    double* out = to.data();
    for (std::size_t b = 0; b < s_.blocks; ++b) {
      for (std::size_t i = 0; i < each_; ++i) *out++ = from[i * s_.stride + b];
    }
  }
  /// One piece of memory, zero at first, for everything that is as long as the chain.
  void share_out() {
    const std::size_t groups = s_.stride / kernel_.width, columns = each_ * s_.stride, linked = s_.stride + 2;
    std::vector<std::pair<double**, std::size_t>> parts;
    for (double** p : {&s_.has_left, &s_.has_right, &s_.stiffness, &s_.damping, &s_.push, &s_.all_stiffness,
                       &s_.all_damping, &s_.slope_v, &s_.pivot, &s_.lower, &s_.right})
      parts.emplace_back(p, s_.stride);
    for (double** p : {&s_.y, &s_.f, &s_.y1, &s_.stage}) parts.emplace_back(p, columns);
    parts.emplace_back(&rows_, rows_at_once * (n_ + 1) * s_.stride);
    parts.emplace_back(&s_.u, kernel::most_stages * kernel::room * s_.stride);
    for (double*& p : s_.dense) parts.emplace_back(&p, columns);
    for (double** p : {&s_.x, &s_.v, &s_.right_x, &s_.u_v, &s_.v0}) parts.emplace_back(p, linked);
    parts.emplace_back(&s_.in_time, 3 * s_.stride);
    parts.emplace_back(&s_.slopes, groups * kernel_.slopes);
    parts.emplace_back(&s_.factors, groups * kernel_.factors);
    constexpr std::size_t line = 8;  // numbers of a cache line
    auto rounded = [](std::size_t n) { return (n + line - 1) / line * line; };
    std::size_t all = line;
    for (const auto& [p, n] : parts) all += rounded(n);
    memory_.assign(all, 0.0);
    void* begin = memory_.data();
    std::size_t space = all * sizeof(double);
    auto* next = static_cast<double*>(std::align(line * sizeof(double), sizeof(double), begin, space));
    for (const auto& [p, n] : parts) {
      *p = next;
      next += rounded(n);
    }
  }

  const ChainKernel& kernel_;
  const std::size_t each_, n_;
  std::vector<double> memory_{}, f_{}, y1_{};
  mutable std::vector<double> error_{};
  mutable kernel::ChainStep s_{};
  static constexpr std::size_t rows_at_once = 16;
  double* rows_{};
  std::vector<States> shown_{};                                             // blocks, in whole vectors, that rows need
  mutable enum { nothing, velocities, everything } dense_known_ = nothing;  // what is known of the dense output
};

}  // namespace

std::unique_ptr<StepperOf<Chain>> make_chain_lanes(const Chain& chain) {
  const ContactFlow::Inside contact = chain.block(0).contact().inside();
  if (!chain.plain() || contact.model >= Models::size || contact.effects || !contact.usual) return nullptr;
  const ChainKernel& kernel =
      best_kernel(&kernel::chains_baseline, BRISTLE_IF_AVX2(&kernel::chains_avx2))()[contact.model];
  return kernel.name ? std::make_unique<ChainLanes>(chain, kernel, contact.contact) : nullptr;
}

}  // namespace bristle
