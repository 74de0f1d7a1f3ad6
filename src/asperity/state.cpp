/// States of populations as lists of numbers, to be kept and set again. A list from outside is checked: it must be a state
/// from which the population can continue.
#include <algorithm>
#include <array>
#include <cmath>

#include "bristle/asperity/generic2010.hpp"
#include "bristle/asperity/gfm.hpp"

namespace bristle {

using asperity::Block;
using asperity::Response;

namespace {

void number_names(std::vector<std::string>& out, const char* name, std::size_t n) {
  for (std::size_t i = 1; i <= n; ++i) out.push_back(name + std::to_string(i));
}
bool finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::abs(x) <= limit::most; });
}
bool whole(double x, double lo, double hi) { return x >= lo && x <= hi && x == std::floor(x); }

/// Gives out one list after the other.
class Reader {
 public:
  explicit Reader(std::span<const double> values) : rest_(values) {}
  double one() { return many(1)[0]; }
  std::span<const double> many(std::size_t n) {
    const auto out = rest_.first(n);
    rest_ = rest_.subspan(n);
    return out;
  }

 private:
  std::span<const double> rest_;
};

}  // namespace

std::vector<std::string> Gfm::state_names() const {
  std::vector<std::string> out{"u", "separation", "reference", "t", "t_rest"};
  for (const char* name : {"load", "contacts"}) number_names(out, name, leaves());
  for (const char* name : {"tip", "g", "land", "on", "from", "to"}) number_names(out, name, n_);
  return out;
}

std::vector<double> Gfm::state() const {
  std::vector<double> out{u_, d_, reference_, t_.sum, t_.rest};
  for (const Tally& t : tallies_) out.push_back(t.load);
  for (const Tally& t : tallies_) out.push_back(static_cast<double>(t.contacts));
  auto add = [&](const auto& all) {
    for (std::size_t i = 0; i < n_; ++i) out.push_back(static_cast<double>(all[i]));
  };
  add(p_);
  add(g_);
  add(j_);
  add(on_);
  add(low_);
  add(high_);
  return out;
}

bool Gfm::set_state(std::span<const double> values) {
  if (values.size() != 5 + 2 * leaves() + 6 * n_ || !finite(values)) return false;
  Reader in(values);
  Gfm next = *this;
  next.u_ = in.one();
  next.d_ = in.one();
  next.reference_ = in.one();
  next.t_.sum = in.one();
  next.t_.rest = in.one();
  const double t = next.t_.value(), near = 1e-9;
  if (!(t >= 0 && t <= longest_reference() * (1 + near)) || !(std::abs(next.u_) <= 1e8 * period_)) return false;
  const auto load = in.many(leaves()), contacts = in.many(leaves());
  for (std::size_t k = 0; k < leaves(); ++k) {
    if (!(load[k] >= -near) || !whole(contacts[k], 0, leaf)) return false;
    next.tallies_[k] = {load[k], static_cast<std::int64_t>(contacts[k])};
  }
  const auto tip = in.many(n_), g = in.many(n_), land = in.many(n_), on = in.many(n_), from = in.many(n_),
             to = in.many(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    if (!whole(land[i], -0x1p53, 0x1p53) || !whole(on[i], 0, 1)) return false;
    next.j_[i] = static_cast<std::int64_t>(land[i]);
    next.on_[i] = static_cast<char>(on[i]);
    next.p_[i] = tip[i];
    next.g_[i] = g[i];
    next.low_[i] = from[i];
    next.high_[i] = to[i];
    next.full_[i] = kn_[i] * std::max(0.0, h_[i] - next.d_) / kt_[i];
    next.c_[i] = on[i] != 0 ? next.full_[i] : 0;
    // The asperity is on the land, or in the gap, that has this number, and no more stretched than it can be: it has not far
    // to go to the next one.
    const double length = on[i] != 0 ? land_length(i, next.j_[i]) : gap_length(i, next.j_[i]);
    const double slack = near * period_ + 16 * epsilon<double> * (std::abs(from[i]) + std::abs(next.u_));
    const double reach = next.c_[i] * next.adhesion_of(g[i]);
    const bool aged = exponential() ? g[i] >= 0 && g[i] <= fresh(t) * (1 + near) : g[i] <= t + near * p.tau_log;
    if (!aged || std::abs(to[i] - from[i] - length) > slack || tip[i] < from[i] - slack || tip[i] > to[i] + slack ||
        !(std::abs(next.u_ - tip[i]) <= reach * (1 + near) + slack))
      return false;
  }
  for (auto [to_, from_] : {std::pair{&p_, &next.p_},
                            {&c_, &next.c_},
                            {&low_, &next.low_},
                            {&high_, &next.high_},
                            {&g_, &next.g_},
                            {&full_, &next.full_}})
    to_->swap(*from_);
  j_.swap(next.j_);
  on_.swap(next.on_);
  tallies_.swap(next.tallies_);
  u_ = next.u_;
  d_ = next.d_;
  reference_ = next.reference_;
  t_ = next.t_;
  return true;
}

namespace {
/// The variables of an asperity; R and h follow from the arc.
template <class T>
constexpr std::array moving{&Block<T>::eT, &Block<T>::eN, &Block<T>::dT, &Block<T>::dN,
                            &Block<T>::rx, &Block<T>::Y,  &Block<T>::u,  &Block<T>::v};
constexpr std::array names_2010{"eT", "eN", "dT", "dN", "rx", "h", "u", "v"};
}  // namespace

template <class T> std::vector<std::string> Generic2010<T>::state_names() const {
  std::vector<std::string> out{"Y", "V", "steps", "F", "Fn", "contacts"};
  for (const char* name : names_2010) number_names(out, name, n_);
  number_names(out, "arc", n_);
  if (p.integrator == Integrator::abm) {
    out.emplace_back("begun");
    number_names(out, "slope", 24 * (n_ + 1));
  }
  return out;
}

template <class T> std::vector<double> Generic2010<T>::state() const {
  std::vector<double> out{Y_, V_, static_cast<double>(steps_), last_.F, last_.Fn, last_.contacts};
  auto add = [&](auto lane) {
    for (std::size_t i = 0; i < n_; ++i) {
      const auto& values = blocks_[i / Block<T>::size].*lane;
      out.push_back(static_cast<double>(values[i % Block<T>::size]));
    }
  };
  for (const auto lane : moving<T>) add(lane);
  add(&Block<T>::arc);
  if (p.integrator == Integrator::abm) {
    out.push_back(history_.empty() ? 0 : 1);
    out.insert(out.end(), history_.begin(), history_.end());
    if (history_.empty()) out.insert(out.end(), 24 * (n_ + 1), 0.0);
  }
  return out;
}

template <class T> bool Generic2010<T>::set_state(std::span<const double> values) {
  const std::size_t slopes = p.integrator == Integrator::abm ? 24 * (n_ + 1) : 0;
  if (values.size() != 6 + 9 * n_ + (slopes > 0 ? 1 + slopes : 0) || !finite(values)) return false;
  Reader in(values);
  const double Y = in.one(), V = in.one(), steps = in.one();
  const Response last{in.one(), in.one(), in.one()};
  if (!whole(steps, 0, 0x1p53) || !whole(last.contacts, 0, static_cast<double>(n_))) return false;
  auto next = blocks_;
  constexpr double far = 1e6;  // in wavelengths, or as a velocity: nothing that moves goes on from there
  for (const auto lane : moving<T>) {
    const auto all = in.many(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      if (!(std::abs(all[i]) <= far)) return false;
      (next[i / Block<T>::size].*lane)[i % Block<T>::size] = static_cast<T>(all[i]);
    }
  }
  const auto arc = in.many(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    Block<T>& b = next[i / Block<T>::size];
    const std::size_t l = i % Block<T>::size;
    if (!whole(arc[i], 0, arcs - 1)) return false;
    const auto j = static_cast<std::size_t>(arc[i]);
    b.arc[l] = static_cast<std::int32_t>(j);
    b.R[l] = profile_->R[j];
    b.h[l] = profile_->h[j];
    const T slack = T(1e-6);
    if (!(std::abs(b.rx[l]) <= b.h[l] * (1 + slack)) || !(std::abs(b.dT[l]) <= b.lT[l] * (1 + slack)) ||
        !(std::abs(b.dN[l]) <= b.lN[l] * (1 + slack)))
      return false;
  }
  std::vector<double> history;
  if (slopes > 0) {
    const double begun = in.one();
    if (!whole(begun, 0, 1)) return false;
    const auto all = in.many(slopes);
    if (begun != 0) history.assign(all.begin(), all.end());
  }
  Y_ = Y;
  V_ = V;
  steps_ = static_cast<std::int64_t>(steps);
  last_ = last;
  blocks_ = std::move(next);
  history_ = std::move(history);
  return true;
}

template std::vector<std::string> Generic2010<double>::state_names() const;
template std::vector<std::string> Generic2010<float>::state_names() const;
template std::vector<double> Generic2010<double>::state() const;
template std::vector<double> Generic2010<float>::state() const;
template bool Generic2010<double>::set_state(std::span<const double>);
template bool Generic2010<float>::set_state(std::span<const double>);

}  // namespace bristle
