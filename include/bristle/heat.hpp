#pragma once
#include <array>
#include <cmath>

#include "field.hpp"
#include "relation.hpp"

/// Heat of friction around any lumped model, [friction.heat]:
///   one node         C dT/dt = q F v - h (T - T0)                                                        (1)
///   with flash node  C_f dT_f/dt = q F v - G_f (T_f - T),   C dT/dt = G_f (T_f - T) - h (T - T0)          (2)
///   dry friction     r -> r g_d,  g_d = max(0, 1 - a (T - T_ref)) or exp(-a (T - T_ref))                  (3)
///   viscosity        kv -> kv g_v,  g_v = exp(-b (T - T_ref)) or exp(B/(T + theta) - B/(T_ref + theta))   (4)
/// T in (3) and (4) is T_f where there is one. F v contains energy that bristles store: the heat is right over a cycle.
namespace bristle {

/// Dependence of dry friction on temperature.
enum class DryLaw { none, linear, exponential };
constexpr std::array<const char*, 3> choices(DryLaw) { return {"none", "linear", "exponential"}; }
/// Dependence of viscous friction on temperature.
enum class ViscousLaw { none, exponential, vogel };
constexpr std::array<const char*, 3> choices(ViscousLaw) { return {"none", "exponential", "vogel"}; }

/// The thermal network of a contact.
struct Heat {
  double capacity{1}, conductance{1}, ambient{inf}, share{1}, flash_capacity{0}, flash_conductance{0}, T_ref{ambient};
  DryLaw dry{DryLaw::none};
  double dry_coefficient{0};
  ViscousLaw viscous{ViscousLaw::none};
  double viscous_coefficient{0}, vogel_B{0}, vogel_theta{0};

  static constexpr auto fields() {
    using H = Heat;
    constexpr Range degrees{-273.15, inf};
    constexpr unsigned given = role::optional | role::fixed;
    return Fields{
        Field{&H::capacity, "capacity", "J/K", "heat capacity C of the contact and what it warms", positive},
        Field{&H::conductance, "conductance", "W/K", "conductance h to the surroundings; 0: none", nonnegative},
        Field{&H::ambient, "ambient", "degC", "temperature T0 of the surroundings and at the start", degrees, given},
        Field{&H::share, "share", "1", "part q of the friction power that heats this body", Range{0, 1}, given},
        Field{&H::flash_capacity, "flash_capacity", "J/K", "heat capacity C_f of the layer where friction acts",
              nonnegative, given},
        Field{&H::flash_conductance, "flash_conductance", "W/K", "conductance G_f from that layer to the body",
              nonnegative, given},
        Field{&H::T_ref, "T_ref", "degC", "temperature of the nominal parameters", degrees, given},
        Field{&H::dry, "dry", "", "law of dry friction over temperature", any_real, given},
        Field{&H::dry_coefficient, "dry_coefficient", "1/K", "a: decrease of dry friction per kelvin", Range{-1, 1},
              given},
        Field{&H::viscous, "viscous", "", "law of viscosity over temperature", any_real, given},
        Field{&H::viscous_coefficient, "viscous_coefficient", "1/K", "b: decrease of viscosity per kelvin",
              Range{-1, 1}, given},
        Field{&H::vogel_B, "vogel_B", "K", "B of Vogel's law", nonnegative, given},
        Field{&H::vogel_theta, "vogel_theta", "K", "theta of Vogel's law", Range{-5000, 5000}, given}};
  }
  static constexpr auto relations() {
    using H = Heat;
    return std::array{
        Relation<H>{[](const H& p) { return (p.flash_capacity > 0) == (p.flash_conductance > 0); },
                    {"flash_capacity", "flash_conductance"},
                    "both > 0, or neither is given"},
        Relation<H>{[](const H& p) { return (p.dry == DryLaw::none) == (p.dry_coefficient == 0); },
                    {"dry", "dry_coefficient"},
                    R"(dry = "linear" or "exponential" with dry_coefficient, or neither)"},
        Relation<H>{[](const H& p) { return (p.viscous == ViscousLaw::exponential) == (p.viscous_coefficient != 0); },
                    {"viscous", "viscous_coefficient"},
                    "viscous_coefficient with viscous = \"exponential\" only"},
        Relation<H>{[](const H& p) { return (p.viscous == ViscousLaw::vogel) == (p.vogel_B > 0); },
                    {"viscous", "vogel_B"},
                    "vogel_B > 0 with viscous = \"vogel\" only"},
        Relation<H>{[](const H& p) {
                      if (p.viscous != ViscousLaw::vogel) return p.vogel_theta == 0;
                      return p.T_reference() + p.vogel_theta > 0 && p.surroundings() + p.vogel_theta > 0;
                    },
                    {"vogel_theta", "T_ref", "ambient"},
                    "T + vogel_theta > 0, with viscous = \"vogel\" only"}};
  }

  static constexpr double room = 20;  // degC, where nothing else is given
  /// Temperature of the surroundings, degC.
  constexpr double surroundings() const { return ambient < inf ? ambient : room; }
  /// Temperature at which the parameters hold, degC.
  constexpr double T_reference() const { return T_ref < inf ? T_ref : surroundings(); }
  /// Whether the contact spots have a node of their own.
  constexpr bool flash() const { return flash_capacity > 0; }

  /// The last exponential of a law: nearby temperatures take it times a short series, which gives the same bits from any start.
  struct Anchor {
    double at{0}, value{1};  // at: its exponent; value: the exponential
  };
  /// Factor of dry friction at the temperature T, next to the last one.
  double dry_factor(double T, Anchor& near) const {  // (3)
    const double x = dry_coefficient * (T - T_reference());
    if (dry == DryLaw::none) return 1;
    return dry == DryLaw::linear ? larger(1 - x, 0.0) : decay(x, near);
  }
  /// Factor of dry friction at the temperature T.
  double dry_factor(double T) const {
    Anchor start;
    return dry_factor(T, start);
  }
  /// Largest relative change of friction per kelvin near T.
  double sensitivity(double T) const {
    const double above = larger(T + vogel_theta, 1.0);
    const double of_viscous = viscous == ViscousLaw::vogel ? vogel_B / (above * above) : std::abs(viscous_coefficient);
    return larger(std::abs(dry_coefficient), of_viscous);
  }
  /// Factor of viscous friction at the temperature T, next to the last one.
  double viscous_factor(double T, Anchor& near) const {  // (4)
    if (viscous == ViscousLaw::none) return 1;
    if (viscous == ViscousLaw::exponential) return decay(viscous_coefficient * (T - T_reference()), near);
    const double above = larger(T + vogel_theta, 1e-3);
    return decay(vogel_B / (T_reference() + vogel_theta) - vogel_B / above, near);
  }
  /// Factor of viscous friction at the temperature T.
  double viscous_factor(double T) const {
    Anchor start;
    return viscous_factor(T, start);
  }

  /// Temperatures of the nodes.
  struct Nodes {
    double T{}, T_flash{};  // T: temperature of the body, degC; T_flash: of the contact spots, degC
  };
  /// Temperatures at the start.
  constexpr Nodes start() const { return {surroundings(), flash() ? surroundings() : 0}; }
  /// Temperature that acts on friction, degC.
  constexpr double acting(const Nodes& n) const { return flash() ? n.T_flash : n.T; }
  /// Rates of the temperatures at a frictional power in W.
  constexpr Nodes rates(const Nodes& n, double power) const {  // (1), (2)
    const double lost = conductance * (n.T - surroundings());
    if (!flash()) return {(power - lost) / capacity, 0};
    const double flow = flash_conductance * (n.T_flash - n.T);
    return {(flow - lost) / capacity, (power - flow) / flash_capacity};
  }
  /// The nodes over one length of step: temperatures above the surroundings and the powers at both ends enter linearly.
  struct Transfer {
    double dt{};
    /// Weights of the two temperatures and of the powers at both ends, for one node.
    struct Row {
      double T{}, T_flash{};     // T, T_flash: of the temperatures at the start
      double before{}, after{};  // before, after: of the powers at both ends, K/W
    };
    Row body{}, flash{};  // body: for the body; flash: for the contact spots
  };
  /// Exact for a power that changes linearly, and stable for any dt.
  Transfer over(double dt) const {
    Transfer out{.dt = dt};
    if (!flash()) {
      const Ramp r = ramp(conductance * dt / capacity);
      out.body = {r.kept, 0, dt / capacity * r.first, dt / capacity * r.second};
      return out;
    }
    // Two eigenvalues of [[-(G + h)/C, G/C], [G/Cf, -G/Cf]], both real and not positive.
    const double G = flash_conductance, C = capacity, Cf = flash_capacity, h = conductance;
    const double a = (G + h) / C, d = G / Cf, off = G / C, back = G / Cf;
    const double half = 0.5 * (a - d), root = std::sqrt(half * half + off * back), mean = 0.5 * (a + d);
    const double fast = mean + root,
                 slow = h == 0 ? 0 : h / C * d / fast;  // rates of decay; the product is a d - off back
    // Projection on the eigenvectors (T, T_flash) = (off, a - rate).
    for (const double rate : {slow, fast}) {
      const double other = rate == slow ? fast : slow, width = off * ((a - rate) - (a - other));
      const double of_T = -(a - other) / width, of_flash = off / width;  // components of (1, 0) and (0, 1)
      const Ramp r = ramp(rate * dt);
      auto add = [&](Transfer::Row& row, double part) {
        row.T += part * of_T * r.kept;
        row.T_flash += part * of_flash * r.kept;
        row.before += part * of_flash * dt / Cf * r.first;
        row.after += part * of_flash * dt / Cf * r.second;
      };
      add(out.body, off);
      add(out.flash, a - rate);
    }
    return out;
  }
  /// The nodes after a step, with the power at its beginning and at its end.
  Nodes after(const Nodes& n, double before, double after, const Transfer& t) const {
    const double T0 = surroundings(), y = n.T - T0;
    if (!flash()) return {T0 + (y * t.body.T + (t.body.before * before + t.body.after * after)), 0};
    const double z = n.T_flash - T0;
    auto at = [&](const Transfer::Row& r) {
      return T0 + (y * r.T + z * r.T_flash + (r.before * before + r.after * after));
    };
    return {at(t.body), at(t.flash)};
  }
  /// The same with another power at the end.
  void add(Nodes& n, double more, const Transfer& t) const {
    n.T += t.body.after * more;
    if (flash()) n.T_flash += t.flash.after * more;
  }
  /// The nodes after a step of length dt.
  Nodes after(const Nodes& n, double before, double power_after, double dt) const {
    return after(n, before, power_after, over(dt));
  }

 private:
  static double decay(double exponent, Anchor& near) {  // exp(-exponent)
    constexpr double rounds = 0x1.8p52, per_unit = 32;  // |rest| <= 1/64: the next term is 5e-17
    const double x = clamped(exponent, 200.0), at = ((x * per_unit + rounds) - rounds) / per_unit, d = at - x;
    if (at != near.at) near = {at, std::exp(-at)};
    const double series = 1 + d * (1 + d * (1. / 2 + d * (1. / 6 + d * (1. / 24 + d * (1. / 120 + d * (1. / 720))))));
    return near.value * series;
  }
  /// exp(-x), and the weights of the values at both ends of a ramp: integrals of exp(-x (1 - s)) times 1 - s and s.
  struct Ramp {
    double kept, first, second;
  };
  static Ramp ramp(double x) {
    if (x < 1e-3) {  // next terms below 1e-17
      const double kept = 1 - x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4)));
      const double whole = 1 - x / 2 + x * x / 6 - x * x * x / 24, second = 0.5 - x / 6 + x * x / 24 - x * x * x / 120;
      return {kept, whole - second, second};
    }
    const double kept = std::exp(-x), whole = -std::expm1(-x) / x, second = (1 - whole) / x;
    return {kept, whole - second, second};
  }
};

}  // namespace bristle
