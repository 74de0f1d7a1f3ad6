#include <fmt/format.h>

#include "base/escape.hpp"
#include "bristle/report/fit.hpp"
#include "report/html.hpp"

namespace bristle::report {

using identify::Observation;

std::string place_of(const Observation& o, const identify::Recording& r) {
  if (o.experiment == "constant speed") return fmt::format("{:.4g} {}", o.v, r.rotational ? "rad/s" : "m/s");
  const bool half = o.name.ends_with("friction");
  return half || o.v == 0 ? "both directions" : o.v > 0 ? "positive" : "negative";
}

std::array<std::string, 2> interval_of(const Observation& o) {
  return interval_of(identify::Estimate{.value = o.value, .low = o.low, .high = o.high});
}

std::string experiments_table(const Fitted& fitted) {
  std::vector<Row> rows{
      {"experiment", "number", "at", "value", "unit", "95 % from", "to", "scatter", "repetitions", "recordings", ""}};
  const identify::Recording& r = fitted.recordings.front();
  for (const Observation& o : fitted.ranking->experiments) {
    std::string recordings = escape(o.recordings.front());
    if (o.recordings.size() > 1) recordings += fmt::format(" and {} more", o.recordings.size() - 1);
    const auto [low, high] = interval_of(o);
    rows.push_back({o.experiment, o.name, html(place_of(o, r)), fmt::format("{:.5g}", o.value),
                    html(unit_of(o.unit, r)), low, high, o.scatter > 0 ? fmt::format("{:.2g}", o.scatter) : "",
                    std::to_string(o.repetitions), recordings, escape(o.remark)});
  }
  return html_table(rows, "nnnrnrrrrnl") +
         "<p class=\"quiet\">Numbers read from parts of the recordings that are experiments of their own, without a "
         "model. Levels of one direction contain a weight and the zero of the sensor.</p>\n";
}

}  // namespace bristle::report
