#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bristle/simulate/catalogue.hpp"
#include "bristle/simulate/statics.hpp"
#include "scenario/functions.hpp"
#include "scenario/measure.hpp"

/// Numbers of chains: their events, and their states of rest.
namespace bristle::scenario {
namespace {

Number undefined(std::string why) { return {std::numeric_limits<double>::quiet_NaN(), {}, std::move(why)}; }

Number at_rest(const std::string& function, const ChainSetup& setup) {
  try {
    const ChainStatics rest(setup.chain, setup.stiffness);
    if (function == "depinning") return {rest.depinning()};
    if (function == "barrier") return {rest.barrier()};
    return {rest.waves().front()};
  } catch (const BadInput& why) { return undefined(why.what()); }
}

}  // namespace

bool is_of_chain(const std::string& function) {
  for (const Of of : {Of::chain, Of::sizes}) {
    const std::vector<std::string> names = names_of(of);
    if (std::ranges::find(names, function) != names.end()) return true;
  }
  return false;
}

Number of_chain(const RunQuantity& q, const Run& run) {
  if (q.chain) return at_rest(q.function, *q.chain);
  std::vector<SlipEvent> events;
  std::ranges::copy_if(run.catalogue, std::back_inserter(events),
                       [&](const SlipEvent& e) { return e.t >= q.from.value_or(-inf) && e.t <= q.to.value_or(inf); });
  const auto single = std::ranges::count(events, 1, &SlipEvent::blocks);
  if (q.function == "slip_events") return {static_cast<double>(events.size())};
  if (q.function == "single_fraction") {
    if (events.empty()) return undefined("the catalogue has no events in the window");
    return {static_cast<double>(single) / static_cast<double>(events.size())};
  }
  if (q.function == "largest_moment") {
    if (events.empty()) return undefined("the catalogue has no events in the window");
    return {std::ranges::max(events, {}, &SlipEvent::moment).moment};
  }
  std::vector<double> values;
  const bool sizes = q.function.starts_with("size");
  for (const SlipEvent& e : events) {
    if (!sizes) {
      values.push_back(e.t - q.argument);
    } else if (e.blocks > 1) {
      values.push_back(e.moment);
    }
  }
  const double hi = sizes ? q.argument2 : q.to.value_or(run.summary.duration) - q.argument;
  const PowerLaw law = fit_power_law(values, sizes ? q.argument : q.argument2, hi);
  if (law.count < 3)
    return undefined(fmt::format("the catalogue has {} such events; at least 3 are required", law.count));
  if (q.function.ends_with("_error")) return {law.error};
  return {sizes ? law.exponent - 1 : law.exponent};
}

}  // namespace bristle::scenario
