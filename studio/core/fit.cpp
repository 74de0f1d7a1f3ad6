/// Recordings and fits, with the options that the command has by default.
#include <algorithm>

#include "bristle/identify.hpp"
#include "bristle/report/fit.hpp"
#include "bristle/trace.hpp"
#include "cli/fit/ranking.hpp"
#include "core/answer.hpp"
#include "data/assignment.hpp"
#include "data/roles.hpp"

namespace bristle::studio {
namespace {

using namespace bristle::identify;

Reading reading_in(const Json& request) {
  Reading out{.skip = request.value("skip", std::size_t{0})};
  if (const auto columns = request.find("columns"); columns != request.end()) {
    for (const auto& [role, expression] : columns->items())
      out.columns.emplace_back(role, expression.get<std::string>());
  }
  return out;
}

Json findings_json(const std::vector<Finding>& findings) {
  Json out = Json::array();
  for (const Finding& f : findings) out.push_back({{"warning", f.warning}, {"text", f.text}});
  return out;
}

/// The command says how its options repair a file; the page has fields for them.
[[noreturn]] void refuse(Problems problems) { throw Refused{std::move(problems)}; }

}  // namespace

Answer recording(const Json& request) {
  const std::string name = text_in(request, "name");
  const Reading reading = reading_in(request);
  Answer out;
  TraceRead file = read_trace(name, 2'000'000, {.skip = reading.skip, .relative = true});
  if (!file.problems.empty()) refuse(std::move(file.problems));
  const auto headers = headers_of(file.trace);
  for (const Column& c : file.trace.columns) out.json["file"].push_back({{"name", c.name}, {"unit", c.unit}});
  const Roles roles = roles_of(file.trace, headers, reading.columns, name, false);
  out.json["roles"] = Json::object();
  for (std::size_t k = 0; k < role_count; ++k) {
    if (roles.of[k]) out.json["roles"][name_of(static_cast<Role>(k))] = roles.text[k];
  }
  Read read = read_recording(name, reading);
  out.json["findings"] = findings_json(read.findings);
  if (!read.problems.empty()) {  // with the columns of the file, so that roles can be chosen
    out.json["problems"] = to_json(read.problems);
    return out;
  }
  const Recording& r = read.recording;
  out.json["rows"] = r.size();
  out.json["steady"] = r.steady();
  out.json["rotational"] = r.rotational;
  out.json["quantity"] = report::quantity_of(r);
  out.json["unit"] = report::target_unit(r);
  out.json["t"] = out.add(r.t);
  out.json["x"] = out.add(r.x);
  out.json["v"] = out.add(r.v);
  out.json["y"] = out.add(r.target());
  return out;
}

Answer fit(const Json& request) {
  std::vector<std::string> files;
  std::vector<Recording> recordings;
  std::vector<std::vector<Finding>> findings;
  const Reading reading = reading_in(request);
  for (const Json& file : request.at("files")) {
    files.push_back(file.get<std::string>());
    Read read = read_recording(files.back(), reading);
    if (!read.problems.empty()) refuse(std::move(read.problems));
    recordings.push_back(std::move(read.recording));
    findings.push_back(std::move(read.findings));
  }
  Options options{.effects = {"auto"}, .threads = 1};
  options.seconds = request.value("seconds", 300.0);
  if (const auto names = request.find("models"); names != request.end())
    options.models = names->get<std::vector<std::string>>();
  options.progress = [](double done, const std::string& about) {
    tell(done, about);
    return true;
  };
  const Ranking ranking = identify::identify(recordings, options);
  const report::Fitted fitted{.ranking = &ranking, .recordings = recordings, .files = files, .findings = findings};
  Answer out;
  out.json = cli::to_json(fitted);
  out.json["quantity"] = report::quantity_of(recordings.front());
  out.json["unit"] = report::target_unit(recordings.front());
  for (std::size_t i = 0; i < ranking.fits.size(); ++i) {
    const Fit& f = ranking.fits[i];
    Json& j = out.json["fits"][i];
    j["file"] = report::friction_file(f, fitted);
    for (const auto& predicted : f.predicted) j["predicted"].push_back(out.add(predicted));
  }
  out.json["ranking_csv"] = report::ranking_csv(fitted);
  return out;
}

}  // namespace bristle::studio
