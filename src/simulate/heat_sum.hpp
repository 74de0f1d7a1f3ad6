#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bristle/simulate.hpp"
#include "kernels/tableau.hpp"
#include "registry/shared/heated.hpp"

namespace bristle {

/// The heat balance of contacts with [friction.heat] over a run, by a quadrature of the rows independent of the solver:
///   C (T - T(0)) + C_f (T_f - T_f(0)) + integral of h (T - T0) dt = q integral of F v dt
class HeatSum {
 public:
  template <class W> HeatSum(const Experiment& e, const W& system) {
    if (e.kind == SystemKind::chain ||
        std::ranges::none_of(e.contacts, [](const NamedContact& c) { return is_heated(*c.contact); }))
      return;
    const std::vector<Column> columns = system.columns();
    row_.resize(columns.size());
    auto place = [&](const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(columns, name, &Column::name) - columns.begin());
    };
    speed_ = place(e.kind == SystemKind::roller ? "v_slip" : "v");
    alone_ = e.contacts.size() == 1;
    for (const NamedContact& c : e.contacts) {
      const auto* hot = dynamic_cast<const HeatedContact*>(c.contact.get());
      if (!hot) continue;
      const std::string dot = c.name.empty() ? "" : c.name + ".";
      each_.push_back({.name = c.name,
                       .heat = hot->heat(),
                       .force = place(c.name.empty() ? "F" : "F_" + c.name),
                       .T = place(dot + "T"),
                       .T_flash = place(dot + "T_flash"),
                       .stored_before = stored(hot->heat(), hot->start())});
    }
  }
  bool any() const { return !each_.empty(); }

  /// Adds a step of length h; row_at(theta, row) gives the row at a fraction of it.
  template <class RowAt> void add(double h, RowAt&& row_at) {
    for (std::size_t k = 0; k < lobatto.nodes.size(); ++k) {
      row_at(lobatto.nodes[k], row_.data());
      const double w = h * lobatto.weights[k];
      for (Each& c : each_) {
        const double power = row_[c.force] * row_[speed_];
        c.work += w * power;
        c.sum += w * std::abs(power);
        c.lost += w * c.heat.conductance * (row_[c.T] - c.heat.surroundings());
        c.stored = stored(c.heat, {row_[c.T], c.heat.flash() ? row_[c.T_flash] : 0});
      }
    }
  }
  /// One line per contact. `friction`: loss in friction as the solver integrated it, whose own check is the energy balance.
  void note(double friction, double rtol, Summary& summary) {
    for (const Each& c : each_) {
      const double gained = c.stored - c.stored_before, in = c.heat.share * (alone_ ? friction : c.work);
      const double error = c.sum > 0 ? std::abs(gained + c.lost - in) / c.sum : 0;
      summary.notes.push_back(fmt::format(
          "heat{}: {:.6g} J from friction = {:.6g} J stored + {:.6g} J to the surroundings; off by {:.1e} of "
          "the integral of |F v|{}",
          c.name.empty() ? "" : " of " + c.name, in, gained, c.lost, error,
          error <= std::max(100 * rtol, 1e-10) ? "" : ", more than 100 rtol: a smaller rtol is required"));
    }
  }

 private:
  struct Each {
    std::string name;
    Heat heat;
    std::size_t force, T, T_flash;  // columns
    double stored_before, stored = 0, work = 0, sum = 0, lost = 0;
  };
  static double stored(const Heat& h, const Heat::Nodes& n) {
    return h.capacity * n.T + (h.flash() ? h.flash_capacity * n.T_flash : 0);
  }

  std::vector<Each> each_{};
  std::vector<double> row_{};
  std::size_t speed_ = 0;
  bool alone_ = true;
};

}  // namespace bristle
