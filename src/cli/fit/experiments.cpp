#include "cli/fit/experiments.hpp"

#include <algorithm>

#include "cli/screen.hpp"

namespace bristle::cli {

using identify::Observation;

Json experiments_json(const report::Fitted& fitted) {
  const identify::Recording& r = fitted.recordings.front();
  Json out = Json::array();
  for (const Observation& o : fitted.ranking->experiments) {
    Json j{{"experiment", o.experiment},    {"name", o.name},
           {"value", json_number(o.value)}, {"unit", report::unit_of(o.unit, r)},
           {"low", json_number(o.low)},     {"high", json_number(o.high)}};
    const bool half = o.name.ends_with("friction");  // of both directions
    if (o.experiment == "constant speed") {
      j["v"] = json_number(o.v);
    } else {
      j["direction"] = half ? 0.0 : o.v;
    }
    j["scatter"] = json_number(o.scatter);
    j["repetitions"] = o.repetitions;
    j["rows"] = o.rows;
    j["recordings"] = o.recordings;
    j["from"] = json_number(o.from);
    j["to"] = json_number(o.to);
    if (!o.remark.empty()) j["remark"] = o.remark;
    out.push_back(std::move(j));
  }
  return out;
}

void print_experiments(const report::Fitted& fitted) {
  const identify::Recording& r = fitted.recordings.front();
  const std::vector<Observation>& all = fitted.ranking->experiments;
  if (all.empty()) return;
  // Of a speed seen in both directions the friction is shown, the levels are in the report.
  std::vector<const Observation*> shown;
  for (const Observation& o : all) {
    const bool pair = !o.name.ends_with("friction") && std::ranges::any_of(all, [&](const Observation& other) {
      return &other != &o && other.experiment == o.experiment && other.name.ends_with("friction") &&
             std::abs(std::abs(o.v) - other.v) <= 0.05 * other.v;
    });
    if (!pair) shown.push_back(&o);
  }
  constexpr std::size_t most = 10;
  print("experiments\n");
  for (std::size_t i = 0; i < std::min(most, shown.size()); ++i) {
    const Observation& o = *shown[i];
    const auto [low, high] = report::interval_of(o);
    print("  {:<15} {:<19} {:<16} {:>10.5g} {:<6} {} to {}{}\n", o.experiment, o.name, report::place_of(o, r), o.value,
          report::unit_of(o.unit, r), low, high, o.name == "Masing deviation" ? "  " + o.remark : "");
  }
  if (all.size() > std::min(most, shown.size()))
    print("  {} more in the report and with --json\n", all.size() - std::min(most, shown.size()));
}

}  // namespace bristle::cli
