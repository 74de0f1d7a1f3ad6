#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "asperity/shared/gfm_step.hpp"
#include "bristle/asperity/generic2010.hpp"

namespace bristle::asperity {

/// Access to what a population is made of, for the same steps elsewhere.
struct Inside {
  template <class T> static const std::vector<Block<T>>& blocks(const Generic2010<T>& p) { return p.blocks_; }
  template <class T> static const auto& profile(const Generic2010<T>& p) { return *p.profile_; }

  /// The numbers of all asperities of a population of 2008.
  struct Arrays {
    std::span<const double> kt, m, full, p, c, low, high, g;
    std::span<const std::int64_t> j;
    std::span<const char> on;
  };
  static Arrays arrays(const Gfm& f) {
    auto all = [&](const auto& a) { return std::span(a.data(), f.n_); };
    return {all(f.kt_),  all(f.m_),    all(f.full_), all(f.p_), all(f.c_),
            all(f.low_), all(f.high_), all(f.g_),    all(f.j_), all(f.on_)};
  }
  static bool drawn_lands(const Gfm& f) { return f.land_ || f.gap_; }
  static UniformLands lands(const Gfm& f) {
    const GfmParams& p = f.p;
    return {f.land_key_, f.gap_key_, p.wavelength / (1 + p.topography),
            p.topography * p.wavelength / (1 + p.topography), p.wavelength_spread};
  }
  /// The step to u, after which the clock of the population is at its end.
  static Move next_move(Gfm& f, double u, double dt) { return f.next_move(u, dt); }
  /// A population of one asperity with the clock of another.
  static Gfm clock_of(const Gfm& f) {
    GfmParams p = f.p;
    p.asperities = 1;
    p.distribution = {};
    Gfm out(p, false);
    out.u_ = f.u_;
    out.d_ = f.d_;
    out.reference_ = f.reference_;
    out.t_ = f.t_;
    return out;
  }
};

}  // namespace bristle::asperity
