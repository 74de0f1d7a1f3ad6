#include <cmath>
#include <memory>
#include <type_traits>

#include "batch/shared/kernels.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/read.hpp"
#include "gpu/device.hpp"
#include "gpu/scalar.hpp"

/// Batches of contacts: one contact per thread. Numbers of the same kind lie side by side.
namespace bristle::gpu {
namespace {

/// The counts of arrays as numbers that the compiler knows.
template <std::size_t N, class P> constexpr void fix_counts(P& p) {
  if constexpr (N > 0) {
    p.k.n = N;
    if constexpr (requires { p.nu; }) p.nu.n = N;
    if constexpr (requires { p.W; }) p.W.n = N;
    if constexpr (requires { p.sigma; }) p.sigma.n = 0;
  }
}

template <template <class> class M, class T, CurveOptions O, std::size_t N>
__global__ void __launch_bounds__(256) step_contacts(const __grid_constant__ M<Number<T, O, N>> common, const T* params,
                                                     T* stored, typename M<Number<T, O, N>>::Mode* modes, const T* v,
                                                     T dt, T* F, std::size_t n, std::int64_t steps, std::size_t row) {
  using R = Number<T, O, N>;
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  M<R> c = common;
  fix_counts<N>(c.p);
  if (params) {
    std::size_t j = 0;
    each_scalar(c.p, [&](const auto&, int, R& e) { e = params[n * j++ + i]; });
  }
  auto s = c.rest();
  batch::each_stored(s, [&](std::size_t j, R& e) { e = stored[n * j + i]; });
  auto q = modes[i];
  R force = 0;
  for (std::size_t k = 0, at = i; k < static_cast<std::size_t>(steps); ++k, at += row) {
    force = advance(c, s, q, Motion<R>{.v = R(v[at])}, R(dt));
    if (row > 0) F[at] = force.x;
  }
  if (row == 0) F[i] = force.x;
  modes[i] = q;
  batch::each_stored(s, [&](std::size_t j, R& e) { stored[n * j + i] = e.x; });
}

template <template <class> class M, class T> class BatchOf final : public DeviceBatch<T> {
 public:
  BatchOf(const M<T>& c, std::size_t n) : c_(c), n_(n), v_(n), F_(n), modes_(n) { reset(); }
  std::size_t size() const override { return n_; }

  bool vary(std::string_view parameter, std::span<const T> values) override {
    if (values.size() != n_)
      throw BadInput(std::string(parameter) + " has " + std::to_string(values.size()) + " values, must have " +
                     std::to_string(n_) + ", one per contact");
    std::size_t j = 0, found = ~std::size_t{0};
    Range range{};
    each_scalar(c_.p, [&](const auto& f, int i, T&) {
      if (parameter == (i > 0 ? f.name + std::to_string(i) : std::string(f.name))) {
        found = j;
        range = f.range;
      }
      ++j;
    });
    if (found == ~std::size_t{0}) return false;
    for (const T x : values) {
      if (!range.contains(static_cast<double>(x)))
        throw BadInput(std::string(parameter) + " = " + to_text(static_cast<double>(x)) + " must be " +
                       describe(range, static_cast<double>(x)));
    }
    if (varied_.empty()) {
      each_scalar(c_.p, [&](const auto&, int, T& e) { varied_.insert(varied_.end(), n_, e); });
    }
    std::copy(values.begin(), values.end(), varied_.begin() + static_cast<std::ptrdiff_t>(found * n_));
    reset();
    return true;
  }
  using Batch<T>::step;
  void step(std::span<const T> v, T dt, std::span<T> F, const BatchInputs<T>& more) override {
    check_step(v, dt, F);
    if (!more.r.empty() || !more.x.empty() || !more.temperature.empty())
      throw BadInput("load, x and temperature are not accepted on a GPU; device cpu is required");
    if (v.size() != n_)
      throw BadInput("v has " + std::to_string(v.size()) + " values, must have " + std::to_string(n_) +
                     ", one per contact");
    for (const T x : v) {
      if (!std::isfinite(x)) throw BadInput("v = " + to_text(static_cast<double>(x)) + " must be a finite number");
    }
    v_.put(v);
    advance(v_.data(), dt, F_.data(), 1);
    F_.get(F);
  }
  /// A single contact has nothing to share among threads.
  void along(std::span<const T> /*v*/, T /*dt*/, std::span<T> /*F*/) override {
    throw BadInput("a motion of one contact is not accepted on a GPU; device cpu is required");
  }
  void advance(const T* v, T dt, T* F, std::int64_t steps) override { start(v, dt, F, steps, 0); }
  void follow(const T* v, T dt, T* F, std::int64_t steps) override { start(v, dt, F, steps, n_); }
  void wait() const override { check(cudaDeviceSynchronize(), "batch"); }

  void reset() override {
    usual_ = true;
    std::vector<T> stored;
    for (std::size_t i = 0; i < n_; ++i) {
      M<T> c = c_;
      std::size_t j = 0;
      if (!varied_.empty()) each_scalar(c.p, [&](const auto&, int, T& e) { e = varied_[n_ * j++ + i]; });
      usual_ = usual_ && usual_options(c.p);
      auto s = c.rest();
      batch::each_stored(s, [&](std::size_t k, T& e) {
        if (stored.size() < n_ * (k + 1)) stored.resize(n_ * (k + 1));
        stored[n_ * k + i] = e;
      });
    }
    const std::vector<typename M<T>::Mode> modes(n_);
    modes_.put(modes);
    if (stored_.size() != stored.size()) stored_ = Array<T>(stored.size());
    if (!stored.empty()) stored_.put(stored);
    if (params_.size() != varied_.size()) params_ = Array<T>(varied_.size());
    if (!varied_.empty()) params_.put(varied_);
  }

 private:
  void start(const T* v, T dt, T* F, std::int64_t steps, std::size_t row) {
    if (!(dt > 0) || !std::isfinite(dt)) throw BadInput("dt = " + to_text(static_cast<double>(dt)) + " s must be > 0");
    if (steps < 1) throw BadInput("steps = " + std::to_string(steps) + " must be >= 1");
    usual_ ? sized<CurveOptions::usual>(v, dt, F, steps, row) : sized<CurveOptions::general>(v, dt, F, steps, row);
  }
  static void check_step(std::span<const T> v, T dt, std::span<T> F) {
    if (!(dt > 0) || !std::isfinite(dt)) throw BadInput("dt = " + to_text(static_cast<double>(dt)) + " s must be > 0");
    if (F.size() != v.size())
      throw BadInput("F has " + std::to_string(F.size()) + " values, must have " + std::to_string(v.size()) +
                     ", as many as v");
  }
  template <CurveOptions O> void sized(const T* v, T dt, T* F, std::int64_t steps, std::size_t row) {
    if constexpr (requires {
                    c_.p.k.n;
                    c_.rest().f.n;
                  } && std::is_same_v<typename M<T>::Mode, Elements>) {
      bool plain = true;
      if constexpr (requires { c_.p.sigma; }) plain = c_.p.sigma.n == 0;
      if (plain && c_.p.k.n == 2) return launch<O, 2>(v, dt, F, steps, row);
      if (plain && c_.p.k.n == 4) return launch<O, 4>(v, dt, F, steps, row);
      if (plain && c_.p.k.n == 8) return launch<O, 8>(v, dt, F, steps, row);
    }
    launch<O, 0>(v, dt, F, steps, row);
  }
  template <CurveOptions O, std::size_t N> void launch(const T* v, T dt, T* F, std::int64_t steps, std::size_t row) {
    using C = M<Number<T, O, N>>;
    constexpr unsigned threads = 256;
    step_contacts<M, T, O, N><<<static_cast<unsigned>((n_ + threads - 1) / threads), threads>>>(
        C{convert<typename C::Params>(c_.p)}, params_.data(), stored_.data(), modes_.data(), v, dt, F, n_, steps, row);
    check_launch("batch");
  }

  M<T> c_;
  std::size_t n_;
  bool usual_ = true;
  std::vector<T> varied_{};  // parameters of all contacts, side by side; empty if they are equal
  Array<T> v_, F_, stored_{}, params_{};
  Array<typename M<T>::Mode> modes_;
};

template <class T, template <class> class... M>
MadeDeviceBatch<T> make_from(List<M...>, std::string_view model, const Table& parameters, std::size_t n) {
  MadeDeviceBatch<T> made;
  auto one = [&]<template <class> class One>() {
    if (model != One<double>::card.name) return;
    One<double> c{};
    made.problems = read(c.p, parameters, {"[friction]", std::string(model)});
    if (n == 0) made.problems.push_back({"", "a batch requires at least one contact"});
    if (made.problems.empty()) made.batch = std::make_unique<BatchOf<One, T>>(rebind<T>(c), n);
  };
  (one.template operator()<M>(), ...);
  if (!find_model(model)) {
    made.problems.push_back({"", unknown_model(model)});
  } else if (!made.batch && made.problems.empty()) {
    made.problems.push_back(
        {"", std::string(model) + " is a population of asperities; a batch accepts the other models"});
  }
  return made;
}

}  // namespace

template <class T>
MadeDeviceBatch<T> make_batch(std::string_view model, const Table& parameters, std::size_t contacts) {
  require_device();
  return make_from<T>(Models{}, model, parameters, contacts);
}
template MadeDeviceBatch<double> make_batch<double>(std::string_view, const Table&, std::size_t);
template MadeDeviceBatch<float> make_batch<float>(std::string_view, const Table&, std::size_t);

}  // namespace bristle::gpu
