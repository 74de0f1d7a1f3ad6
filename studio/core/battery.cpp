/// Experiments of the tribometer, and populations of asperities step by step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bristle/report.hpp"
#include "bristle/simulate/snapshot.hpp"
#include "bristle/tribometer.hpp"
#include "cli/describe.hpp"
#include "core/answer.hpp"

namespace bristle::studio {
namespace {

using namespace bristle::tribometer;

Value value_of(const Json& j, const std::string& key) {
  if (j.is_number()) return j.get<double>();
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_string()) return j.get<std::string>();
  if (j.is_array()) return j.get<std::vector<double>>();
  throw BadInput(key + ": a number, a list of numbers, a word or a truth value is accepted");
}

/// Numbers that JSON has no word for keep their meaning on the way through the page: "inf", "-inf", null for undefined.
Json exact_json(double x) {
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return cli::json_number(x);
}
double exact_number(const Json& j) {
  if (j.is_number()) return j.get<double>();
  const double most = std::numeric_limits<double>::infinity();
  if (j.is_string()) return j == "inf" ? most : j == "-inf" ? -most : std::numeric_limits<double>::quiet_NaN();
  return std::numeric_limits<double>::quiet_NaN();
}

Json measurement_json(Measurement m, bool rotational, Answer& answer) {
  Json out{
      {"experiment", m.experiment}, {"failure", m.failure}, {"quantities", Json::array()}, {"charts", Json::array()}};
  for (const Quantity& q : m.quantities)
    out["quantities"].push_back({{"name", q.name},
                                 {"value", exact_json(q.value)},
                                 {"unit", cli::unit_of(q, rotational)},
                                 {"meaning", q.meaning}});
  for (const Chart& c : m.charts)
    out["charts"].push_back({{"name", c.name},
                             {"title", c.title},
                             {"at", c.at},
                             {"x", c.x_label},
                             {"y", c.y_label},
                             {"xlog", c.x_log},
                             {"ylog", c.y_log},
                             {"points", c.points},
                             {"columns", to_json(c.trace, answer)}});
  return out;
}

Measurement measured(const ExperimentInfo& e, const Specimen& s, const Settings& settings) {
  Measurement out;
  try {
    out = e.run(s, settings);
  } catch (const RunFailed& failure) { out.failure = failure.what(); } catch (const BadInput& failure) {
    out.failure = failure.what();
  }
  out.experiment = e.name;
  return out;
}

std::unique_ptr<AnyContact> live;  // the population of `advance`
double time = 0, place = 0;

}  // namespace

Subject subject_in(const Json& request, bool* rotational) {
  if (rotational) *rotational = request.value("rotational", false);
  if (const auto given = request.find("friction"); given != request.end()) {
    const std::string model = text_in(*given, "model");
    Table parameters;
    for (const auto& [key, value] : given->items()) {
      if (key != "model") parameters.push_back({key, value_of(value, key), "[friction]"});
    }
    Made made = make(model, parameters, {}, {}, "[friction]");
    if (!made.contact) throw Refused{std::move(made.problems)};
    return {.label = model, .contact = std::move(made.contact)};
  }
  SubjectRead read = read_subject(text_in(request, "text"), request.value("name", std::string("friction.toml")));
  if (!read.subject) throw Refused{std::move(read.problems)};
  if (rotational) *rotational = read.rotational;
  return std::move(*read.subject);
}

Answer experiments(const Json& request) {
  bool rotational = false;
  Subject subject = subject_in(request, &rotational);
  if (request.value("draft", false)) subject.settings.rtol = std::max(subject.settings.rtol, draft_experiment_rtol);
  const Specimen s = specimen(*subject.contact, subject.settings);
  const auto names = request.at("which").get<std::vector<std::string>>();
  Answer out;
  out.json["model"] = subject.contact->model();
  out.json["sizes"] = {
      {"force", s.sizes.force}, {"velocity", s.sizes.velocity}, {"travel", s.sizes.travel}, {"mass", s.sizes.mass}};
  out.json["measurements"] = Json::array();
  for (const std::string& name : names) {
    const auto& all = tribometer::experiments();
    const auto found = std::ranges::find_if(all, [&](const ExperimentInfo& e) { return name == e.name; });
    if (found == all.end()) throw BadInput("no experiment is called " + name);
    out.json["measurements"].push_back(measurement_json(measured(*found, s, subject.settings), rotational, out));
  }
  return out;
}

/// Properties from the quantities of experiments that other requests have measured; unknown without theirs.
Answer findings(const Json& request) {
  bool rotational = false;
  const Subject subject = subject_in(request, &rotational);
  Characterization all{.label = subject.label, .model = std::string(subject.contact->model())};
  for (const Json& given : request.at("measurements")) {
    Measurement& m = all.measurements.emplace_back();
    m.experiment = text_in(given, "experiment");
    for (const Json& q : given.at("quantities"))
      m.quantities.push_back(
          {text_in(q, "name"), text_in(q, "unit"), text_in(q, "meaning"), exact_number(q.at("value"))});
  }
  all.findings = tribometer::findings(*subject.contact, all.measurements);
  const report::Characterized contact{&all, subject.contact->parameters()};
  Answer out;
  out.json["model"] = all.model;
  out.json["properties"] = cli::to_json(contact, rotational)["properties"];
  return out;
}

Answer population(const Json& request) {
  const Subject subject = subject_in(request);
  Answer out;
  const Trace now = snapshot(*subject.contact);
  if (now.columns.empty())
    throw BadInput("model " + std::string(subject.contact->model()) +
                   " has no population of asperities; gfm and generic2010 are accepted");
  live = subject.contact->clone();
  time = place = 0;
  const Sizes sizes = sizes_of(*live);
  out.json["sizes"] = {{"force", sizes.force}, {"velocity", sizes.velocity}, {"travel", sizes.travel}};
  out.json["columns"] = to_json(now, out);
  return out;
}

/// Steps at constant velocity; `force` has one value per step.
Answer advance(const Json& request) {
  if (!live) throw BadInput("no population; the request 'population' comes first");
  const double v = request.at("v").get<double>(), dt = request.at("dt").get<double>();
  const auto steps = std::clamp<int>(request.value("steps", 1), 1, 10000);
  std::vector<double> force, position, times;
  for (int i = 0; i < steps; ++i) {
    time += dt;
    place += v * dt;
    force.push_back(live->step({.x = place, .v = v, .t = time}, dt));
    position.push_back(place);
    times.push_back(time);
  }
  Answer out;
  out.json["t"] = out.add(std::move(times));
  out.json["x"] = out.add(std::move(position));
  out.json["F"] = out.add(std::move(force));
  out.json["columns"] = to_json(snapshot(*live), out);
  return out;
}

}  // namespace bristle::studio
