#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "../contact.hpp"
#include "../dual.hpp"
#include "interval.hpp"

namespace bristle::control {

/// Extended Kalman filter of a body with friction: it estimates the velocity, all states of the model and chosen parameters from
/// the measured velocity w,
///   m dv/dt = u - F(s, w; p),   ds/dt = rate(s, w; p),   dp = drift dW,   w = v + noise
/// The model moves with the measured velocity and takes two half steps of its own, which are stable for any dt; dual numbers
/// give their derivatives. Parameters are frozen without exciting motion and kept between their bounds and within the relations
/// of the model. N: states and parameters together, at most.
template <class C, std::size_t N = 8>
  requires Flow<C>
struct KalmanObserver {
  /// The number of the contact.
  using T = typename C::Scalar;
  using D = Dual<T, N>;  // D: numbers with derivatives by the estimated quantities
  static constexpr std::size_t most = N;

  C model{};
  T inertia{1}, velocity_noise{T(1e-4)}, force_noise{T(0.1)};  // kg, m/s, N: standard deviations in a sample
  T state_noise{T(0.01)};                                      // of each state in a second, over its bound
  Excitation<T> excitation{};                                  // decides when parameters are corrected

  /// Estimated state of the contact.
  typename C::State s{model.rest()};
  typename C::Mode q{};  // its mode
  T v{};
  /// A parameter that is estimated.
  struct Estimated {
    std::size_t place{};             // among the real parameters, arrays unrolled
    T lowest{}, highest{}, drift{};  // drift: standard deviation after one second of motion
    bool level{};                    // a force
  };
  T together{T(0.95)};  // correlation of the forces Fc, Fs: load and lubricant change all of them
  std::array<Estimated, N> parameters{};
  std::size_t count{}, states{};                // parameters, states
  std::array<std::array<T, N + 1>, N + 1> P{};  // of v, states, parameters
  T innovation{}, variance{};  // of the last sample: their ratio tells whether the filter is consistent
  bool begun{};                // whether there was a sample before
  Hold<T> hold{};              // against failed sensors

  /// Place of a real parameter, "Fc" or "k2"; a large number if there is none.
  constexpr std::size_t place_of(std::string_view name) const {
    std::size_t at = 0, found = ~std::size_t{0};
    auto p = model.p;
    each_scalar(p, [&](const auto& field, int index, T&) {
      const std::string_view key = field.name;
      const bool same = index == 0 ? name == key
                                   : name.size() > key.size() && name.substr(0, key.size()) == key &&
                                         number_of(name.substr(key.size())) == index;
      if (same) found = at;
      ++at;
    });
    return found;
  }
  /// Value of the parameter at this place of the field list.
  constexpr T parameter(std::size_t place) const {
    T out{};
    std::size_t at = 0;
    auto p = model.p;
    each_scalar(p, [&](const auto&, int, T& value) {
      if (at++ == place) out = value;
    });
    return out;
  }
  /// Changes the parameter at this place of the field list.
  constexpr void set_parameter(std::size_t place, const T& to) {
    std::size_t at = 0;
    each_scalar(model.p, [&](const auto&, int, T& value) {
      if (at++ == place) value = to;
    });
  }
  /// False if there is no place left. `uncertainty`: standard deviation of the first value.
  constexpr bool estimate(std::size_t place, const T& uncertainty, const T& lowest, const T& highest, const T& drift) {
    if (!begun) begin();
    if (states + count >= N) return false;
    bool level = false;
    std::size_t at = 0;
    each_scalar(model.p, [&](const auto& field, int, T&) {
      level = at++ == place ? field.unit == std::string_view("N") : level;
    });
    parameters[count] = {place, lowest, highest, drift, level};
    const std::size_t i = 1 + states + count;
    spread_[count] = uncertainty;
    P[i][i] = square(uncertainty);
    for (std::size_t k = 0; k < count && level; ++k) {
      if (parameters[k].level) P[i][1 + states + k] = P[1 + states + k][i] = together * uncertainty * spread_[k];
    }
    ++count;
    return true;
  }
  /// False if the model has more states than N. To be called before the first sample, with the model in place.
  constexpr bool begin() {
    s = model.rest();
    states = 0;
    auto bound = model.bound();
    each_scalar(bound, [&](const auto&, int, T& b) {
      if (states < N) P[1 + states][1 + states] = square(finite(b) ? b : T(1));
      ++states;
    });
    P[0][0] = square(velocity_noise);
    begun = true;
    return states <= N;
  }

  constexpr T step(const Interval<T>& given) {
    const Interval<T>& in = hold(given);
    if (!begun) begin();
    predict(in);
    update(in.v, excitation(in.v, in.dt));
    project();
    const Motion<T> u{.v = in.v, .F_app = in.u};  // in the middle of the next interval, as in predict()
    auto ahead = s;
    auto mode = q;
    model.step(ahead, mode, u, in.dt / T(2));
    return model.force(ahead, mode, u);
  }

 private:
  using Row = std::array<T, N + 1>;
  static constexpr T square(const T& x) { return x * x; }
  static constexpr bool finite(const T& x) { return x < T(limit::most); }
  static constexpr int number_of(std::string_view digits) {
    int n = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9' || n > 1000) return -1;
      n = 10 * n + (c - '0');
    }
    return n;
  }
  constexpr std::size_t size() const { return 1 + states + count; }

  constexpr void predict(const Interval<T>& in) {
    const std::size_t n = size();
    auto c = rebind<D>(model);
    std::size_t at = 0;
    each_scalar(c.p, [&](const auto&, int, D& p) {
      for (std::size_t k = 0; k < count; ++k) {
        if (parameters[k].place == at) p.d[states + k] = T(1);
      }
      ++at;
    });
    auto ds = convert<typename rebound<C, D>::State>(s);
    std::size_t i = 0;
    each_scalar(ds, [&](const auto&, int, D& x) {
      x.d[i] = T(1);
      ++i;
    });
    const Motion<D> u{.v = D(in.v), .F_app = D(in.u)};
    c.step(ds, q, u, D(in.dt / T(2)));
    const D F = c.force(ds, q, u);
    c.step(ds, q, u, D(in.dt / T(2)));

    std::array<Row, N + 1> A{}, AP{};
    A[0][0] = T(1);
    const T push = in.dt / inertia;
    for (std::size_t k = 0; k + 1 < n; ++k) A[0][1 + k] = -push * F.d[k];
    i = 1;
    each_scalar(ds, [&](const auto&, int, D& x) {
      for (std::size_t k = 0; k + 1 < n; ++k) A[i][1 + k] = x.d[k];
      ++i;
    });
    for (std::size_t k = 1 + states; k < n; ++k) A[k][k] = T(1);
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t m = 0; m < n; ++m) AP[r][k] = AP[r][k] + A[r][m] * P[m][k];
      }
    }
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t k = 0; k <= r; ++k) {
        T sum(0);
        for (std::size_t m = 0; m < n; ++m) sum = sum + AP[r][m] * A[k][m];
        P[r][k] = P[k][r] = sum;
      }
    }
    P[0][0] = P[0][0] + square(push * force_noise);
    auto bound = model.bound();
    i = 1;
    each_scalar(bound, [&](const auto&, int, T& b) {
      if (finite(b)) P[i][i] = P[i][i] + square(state_noise * b) * in.dt;
      ++i;
    });
    v = v + push * (in.u - F.a);
    auto plain = convert<typename C::State>(ds);
    s = plain;
    dt_ = in.dt;
  }

  constexpr void update(const T& measured, bool exciting) {
    const std::size_t n = size();
    for (std::size_t k = 0; k < count && exciting; ++k) {
      for (std::size_t j = 0; j < count; ++j) {
        const Estimated &a = parameters[k], &b = parameters[j];
        const T shared = j == k ? T(1) : a.level && b.level ? together : T(0);
        T& p = P[1 + states + k][1 + states + j];
        p = p + shared * a.drift * b.drift * dt_;
      }
    }
    innovation = measured - v;
    variance = P[0][0] + square(velocity_noise);
    Row K{};
    for (std::size_t i = 0; i < n; ++i) K[i] = i <= states || exciting ? P[i][0] / variance : T(0);
    const Row first = P[0];
    for (std::size_t i = 0; i < n; ++i) {  // Joseph's form, which holds for any K
      for (std::size_t k = 0; k <= i; ++k)
        P[i][k] = P[k][i] = P[i][k] - K[i] * first[k] - first[i] * K[k] + K[i] * variance * K[k];
      if (P[i][i] < T(0)) P[i][i] = T(0);
    }
    v = v + K[0] * innovation;
    std::size_t i = 1;
    each_scalar(s, [&](const auto&, int, T& x) { x = x + K[i++] * innovation; });
    if (!exciting) return;
    std::array<T, N> before{};
    for (std::size_t k = 0; k < count; ++k) {
      const Estimated& e = parameters[k];
      before[k] = parameter(e.place);
      set_parameter(e.place, projected(before[k] + K[1 + states + k] * innovation, e.lowest, e.highest));
    }
    for (std::size_t k = 0; k < count; ++k) {  // one that breaks a relation stays where it was
      if (!admissible()) set_parameter(parameters[k].place, before[k]);
    }
  }
  constexpr bool admissible() const {
    if constexpr (requires { C::Params::relations(); }) {
      for (const auto& r : C::Params::relations()) {
        if (!r.holds(model.p)) return false;
      }
    }
    return true;
  }
  constexpr void project() {
    auto bound = model.bound();
    std::array<T, N> limits{};
    std::size_t i = 0;
    each_scalar(bound, [&](const auto&, int, T& b) { limits[i++] = b; });
    i = 0;
    each_scalar(s, [&](const auto&, int, T& x) {
      x = projected(x, -limits[i], limits[i]);
      ++i;
    });
  }
  std::array<T, N> spread_{};
  T dt_{};
};

}  // namespace bristle::control
