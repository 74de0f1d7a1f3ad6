#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "bristle/sweep/analyze.hpp"
#include "sweep/analyze/subject.hpp"

namespace bristle::analysis {
namespace {

/// Empty where undefined.
std::string cell(double x) { return std::isfinite(x) ? bristle::to_text(x) : ""; }

std::string stability_row(const StabilityPoint& p, bool own, std::size_t eigenvalues) {
  std::string out = fmt::format("{},{},{},{},{},{},{},{},{}", cell(p.velocity), cell(p.friction), cell(p.slope),
                                std::isnan(p.growth_rate) ? ""
                                : p.growth_rate <= 0      ? "1"
                                                          : "0",
                                cell(p.growth_rate), cell(p.omega / turn), cell(p.critical.stiffness),
                                cell(p.critical.omega / turn), own ? 1 : 0);
  for (std::size_t i = 0; i < eigenvalues; ++i) {
    const bool has = i < p.eigenvalues.size();
    out += fmt::format(",{},{}", has ? cell(p.eigenvalues[i].real()) : "", has ? cell(p.eigenvalues[i].imag()) : "");
  }
  return out + "," + csv_cell(p.reason.empty() ? p.critical.reason : p.reason) + "\n";
}

std::string cycle_cells(const CycleRead& read) {
  const Cycle c = read.cycle.value_or(Cycle{});
  const bool has = read.cycle.has_value();
  std::string multipliers;
  for (const Complex m : c.multipliers)
    multipliers += fmt::format("{}{}{}", multipliers.empty() ? "" : " ", bristle::to_text(m.real()),
                               m.imag() == 0 ? "" : fmt::format("{:+}j", m.imag()));
  return fmt::format("{},{},{},{},{},{},{},{}", cell(c.period), cell(1 / c.period), cell(c.amplitude),
                     has ? cell(c.v_least) : "", has ? cell(c.v_most) : "", cell(c.multiplier()), multipliers,
                     csv_cell(read.reason));
}
constexpr const char* cycle_head = "period,frequency,amplitude,v_least,v_most,multiplier,multipliers,message";

}  // namespace

std::string stability_csv(const Stability& s) {
  std::size_t count = s.own.eigenvalues.size();
  for (const StabilityPoint& p : s.curve) count = std::max(count, p.eigenvalues.size());
  std::string out = "velocity,friction,slope,stable,growth_rate,frequency,critical_stiffness,critical_frequency,own";
  for (std::size_t i = 1; i <= count; ++i) out += fmt::format(",re{0},im{0}", i);
  out += ",message\n";
  out += stability_row(s.own, true, count);
  for (const StabilityPoint& p : s.curve) out += stability_row(p, false, count);
  return out;
}

std::string cycle_csv(const Analysis& a) {
  if (!a.branch) return std::string(cycle_head) + "\n" + cycle_cells(a.cycle.value_or(CycleRead{})) + "\n";
  std::string out = csv_cell(a.key->key) + ",growth_rate," + cycle_head +
                    ",unstable_period,unstable_amplitude,unstable_multiplier,unstable_message\n";
  for (const BranchPoint& p : a.branch->points) {
    const Cycle u = p.unstable.cycle.value_or(Cycle{});
    out += fmt::format("{},{},{},{},{},{},{}\n", bristle::to_text(p.at), cell(p.growth_rate), cycle_cells(p.cycle),
                       cell(u.period), cell(u.amplitude), cell(u.multiplier()), csv_cell(p.unstable.reason));
  }
  return out;
}

std::string describing_csv(const DescribingRead& d) {
  std::string out = "amplitude,frequency,N_re,N_im,magnitude,phase,message\n";
  for (const Describing& v : d.values)
    out += fmt::format("{},{},{},{},{},{},{}\n", cell(v.amplitude), cell(v.omega / turn), cell(v.N.real()),
                       cell(v.N.imag()), cell(std::abs(v.N)), cell(std::arg(v.N)), csv_cell(v.reason));
  return out;
}

}  // namespace bristle::analysis
