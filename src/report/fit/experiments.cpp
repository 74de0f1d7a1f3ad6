#include <fmt/format.h>

#include "base/escape.hpp"
#include "bristle/report/fit.hpp"
#include "report/fit/tables.hpp"
#include "report/html.hpp"

namespace bristle::report {

using identify::Observation;

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

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

std::string experiments_csv(const Fitted& fitted) {
  const identify::Recording& r = fitted.recordings.front();
  std::string out = "experiment,name,at,value,low,high,unit,scatter,repetitions,rows,recordings,from_s,to_s,remark\n";
  for (const Observation& o : fitted.ranking->experiments) {
    std::string recordings;
    for (const std::string& name : o.recordings) recordings += (recordings.empty() ? "" : " ") + name;
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", o.experiment, o.name, place_of(o, r),
                       to_text(o.value), to_text(o.low), to_text(o.high), unit_of(o.unit, r), to_text(o.scatter),
                       o.repetitions, o.rows, csv_cell(recordings), to_text(o.from), to_text(o.to), csv_cell(o.remark));
  }
  return out;
}

std::string steady_csv(const Fitted& fitted) {
  const identify::Recording& r = fitted.recordings.front();
  const std::string unit = target_unit(r), in = unit.empty() ? "" : fmt::format(" [{}]", unit);
  std::string out =
      fmt::format("v [{}],{}{},sigma{}\n", r.rotational ? "rad/s" : "m/s", r.coefficient ? "mu" : "F", in, in);
  std::size_t points = 0;
  for (const Observation& o : fitted.ranking->experiments) {
    if (o.experiment != "constant speed" || o.name == "friction") continue;
    out += fmt::format("{},{},{}\n", to_text(o.v), to_text(o.value), to_text((o.high - o.low) / 4));
    ++points;
  }
  return points < 3 ? "" : out;  // fewer points are not a curve
}

}  // namespace bristle::report
