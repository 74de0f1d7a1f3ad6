#include "chain_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/number.hpp"
#include "bristle/random.hpp"
#include "population.hpp"
#include "registry/shared/heated.hpp"

namespace bristle {
namespace {

constexpr std::uint64_t of_chain = 11;  // stream of random numbers

std::uint64_t hash(std::string_view name) {  // FNV-1a
  std::uint64_t h = 0xCBF29CE484222325u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return h;
}
double draw(const SpreadParams& s, std::string_view name, std::size_t b) {  // within +-1/2
  return uniform(static_cast<std::uint64_t>(s.seed), of_chain, b, hash(name)) - 0.5;
}

}  // namespace

double spread_factor(const SpreadParams& spread, const std::string& parameter, std::size_t b) {
  double factor = 1;
  for (const auto& [name, width] : spread.widths) {
    if (name == parameter) factor += width * draw(spread, name, b);
  }
  return factor;
}

bool belongs_to_chain(const std::string& parameter) {
  return parameter == "mass" || parameter == "stiffness" || parameter == "damping" || parameter == "coupling" ||
         parameter == "U0";
}

namespace {
std::string objection_to_potential(const ChainParams& c) {
  const PotentialParams& p = c.potential;
  if (!(p.U0 >= 0)) return fmt::format("U0 = {} J must not be negative", to_text(p.U0));
  if (!(p.period > 0)) return fmt::format("period = {} m must be positive", to_text(p.period));
  if (p.fourier.empty() || p.fourier.size() > 64 ||
      !std::ranges::all_of(p.fourier, [](double a) { return std::isfinite(a); }))
    return "fourier must have from 1 to 64 finite numbers";
  if (!p.present() || !c.ring()) return {};
  const double turns = c.blocks * c.spacing / p.period;
  if (std::abs(turns - std::round(turns)) > 1e-9 * std::max(turns, 1.0))
    return fmt::format(
        "a periodic chain requires a whole number of periods: blocks x spacing = {} x period; spacing = {} m is accepted",
        to_text(turns), to_text(std::round(turns) * p.period / c.blocks));
  return {};
}
/// The value of a parameter of the chain itself for equal blocks.
double usual_value(const Experiment& e, const std::string& parameter) {
  if (parameter == "mass") return e.body.mass;
  if (parameter == "stiffness") return e.body.stiffness;
  if (parameter == "damping") return e.body.damping;
  if (parameter == "coupling") return e.chain.blocks > 1 ? e.chain.coupling : 0;
  return e.chain.potential.U0;
}
std::string objection_to_spread(const Experiment& e) {
  const auto without_effect = [](const std::string& name, double width) {
    return fmt::format(
        "{} = {} in [system.spread] has no effect: it is a relative width, and {} is 0 in this chain; a value above 0 is "
        "required",
        name, to_text(width), name);
  };
  for (const auto& [name, width] : e.chain.spread.widths) {
    if (!(width >= 0 && width < 2))
      return fmt::format("{} = {} in [system.spread] is a relative width; from 0 to less than 2 is accepted", name,
                         to_text(width));
    if (belongs_to_chain(name)) {
      if (width > 0 && usual_value(e, name) == 0) return without_effect(name, width);
      continue;
    }
    const AnyContact& contact = *e.contacts.front().contact;
    try {
      const Value value = contact.parameter(name);
      if (!value.as<double>()) return fmt::format("{} in [system.spread] is no number of {}", name, contact.model());
      if (width > 0 && *value.as<double>() == 0) return without_effect(name, width);
    } catch (const BadInput&) {
      return fmt::format(
          "{} in [system.spread]: {} has no such parameter; its numbers, mass, stiffness, damping, coupling, U0 and offset "
          "are accepted",
          name, contact.model());
    }
  }
  try {
    blocks_of(e);
  } catch (const BadInput& why) { return fmt::format("[system.spread]: {}", why.what()); }
  return {};
}
std::string objection_to_heat(const Experiment& e) {
  const ChainParams& c = e.chain;
  if (!(c.kT >= 0)) return fmt::format("kT = {} J must not be negative", to_text(c.kT));
  if (c.kT > 0 && e.method != Method::fixed)
    return "kT requires method = \"fixed\" with a step; a variable step cannot follow thermal noise";
  if (e.method != Method::fixed) return {};
  const AnyContact& contact = *e.contacts.front().contact;
  if (contact.model() != "viscous" || contact.has_effects())
    return fmt::format(
        "method fixed accepts a chain with viscous friction or a potential alone, not {}; thermal noise is "
        "known for viscous friction",
        contact.model());
  if (c.coupling_damping > 0) return "method fixed accepts a chain without coupling_damping; damping or kv is accepted";
  if (e.drive.of == DriveOf::velocity || e.load)
    return "method fixed accepts a chain with a drive of position or force";
  if (*contact.parameter("kv_exponent").as<double>() != 1)
    return "method fixed accepts a chain with kv_exponent = 1: thermal noise balances a viscous force in proportion to the speed";
  if (c.kT > 0 && e.body.damping == 0 && *contact.parameter("kv").as<double>() == 0)
    return "kT requires damping or kv: without them the chain does not exchange heat";
  return {};
}
}  // namespace

std::string objection_to_chain(const Experiment& e) {
  const ChainParams& c = e.chain;
  if (c.blocks < 1 || c.blocks > 100000) return fmt::format("blocks = {} must be from 1 to 100000", c.blocks);
  if (!(c.coupling >= 0) || !(c.coupling_damping >= 0)) return "coupling and coupling_damping must not be negative";
  if (e.contacts.size() > 1) return "a chain accepts one contact, the same for each block";
  if (is_heated(*e.contacts.front().contact)) return "[friction.heat] requires a single body; a chain goes without";
  if (has_population(e))
    return fmt::format("{} takes steps only, which requires a single body; a chain accepts the other models",
                       e.contacts.front().contact->model());
  if (c.ring() && c.blocks < 2) return "boundary = \"periodic\" requires at least 2 blocks, not 1";
  if (c.stress != 0 && c.boundary != Boundary::fixed_stress) return "stress requires boundary = \"fixed_stress\"";
  for (const auto& why : {objection_to_potential(c), objection_to_heat(e), objection_to_spread(e)}) {
    if (!why.empty()) return why;
  }
  return {};
}

Blocks blocks_of(const Experiment& e) {
  const ChainParams& c = e.chain;
  const auto n = static_cast<std::size_t>(c.blocks);
  Blocks out;
  for (std::size_t b = 0; b < n; ++b) {
    const auto of = [&](const char* name, double value) { return value * spread_factor(c.spread, name, b); };
    const double pulled = b == 0 || c.pulled == Pulled::all ? 1 : 0;
    out.x0.push_back(e.body.x0 + (c.spread.offset > 0 ? c.spread.offset * draw(c.spread, "offset", b) : 0));
    out.mass.push_back(of("mass", e.body.mass));
    out.stiffness.push_back(pulled * of("stiffness", e.body.stiffness));
    out.damping.push_back(pulled * of("damping", e.body.damping));
    out.U0.push_back(of("U0", c.potential.U0));
    out.link.push_back(of("coupling", c.coupling));
  }
  if (!c.ring()) out.link.front() = 0;
  out.link.push_back(c.ring() ? out.link.front() : 0);
  out.pull.assign(n, 0.0);
  if (c.boundary == Boundary::fixed_stress) {
    out.pull.front() -= c.stress;
    out.pull.back() += c.stress;
  }
  const bool contacts = std::ranges::any_of(c.spread.widths, [](const auto& w) { return !belongs_to_chain(w.first); });
  for (std::size_t b = 0; contacts && b < n; ++b) {
    out.contacts.push_back(e.contacts.front().contact->clone());
    for (const auto& [name, width] : c.spread.widths) {
      if (belongs_to_chain(name)) continue;
      const Value usual = out.contacts.back()->parameter(name);
      const double* const value = usual.as<double>();
      if (!value) throw BadInput(fmt::format("{} in [system.spread] is no number", name));
      out.contacts.back()->set(name, Value(*value * spread_factor(c.spread, name, b)));
    }
  }
  return out;
}

}  // namespace bristle
