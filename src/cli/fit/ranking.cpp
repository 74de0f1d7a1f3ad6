#include "cli/fit/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "cli/fit/experiments.hpp"
#include "cli/fit/recordings.hpp"
#include "cli/screen.hpp"

namespace bristle::cli {

using namespace bristle::identify;
using report::Fitted;

Json to_json(const Errors& e) {
  return {{"rows", e.rows},
          {"rmse", json_number(e.rmse)},
          {"mean_absolute", json_number(e.mean_abs)},
          {"percent", json_number(e.relative)},
          {"r_squared", json_number(e.r_squared)}};
}

Json to_json(const Score& score, std::span<const std::string> files) {
  Json out = to_json(score.all);
  for (std::size_t i = 0; i < score.each.size(); ++i) {
    Json one = to_json(score.each[i]);
    one["file"] = files[i];
    out["files"].push_back(std::move(one));
  }
  return out;
}

void print_errors(std::span<const std::string> files, const Score& score, const std::string& unit) {
  const std::string in = unit.empty() ? "" : " (" + unit + ")";
  std::vector<std::vector<std::string>> rows{{"file", "rows", "rmse" + in, "MAE" + in, "percent", "R²"}};
  auto add = [&](const std::string& name, const Errors& e) {
    rows.push_back({name, std::to_string(e.rows), fmt::format("{:.4g}", e.rmse), fmt::format("{:.4g}", e.mean_abs),
                    percent(e.relative), fmt::format("{:.6g}", e.r_squared)});
  };
  for (std::size_t i = 0; i < score.each.size(); ++i) add(files[i], score.each[i]);
  if (score.each.size() > 1) add("all", score.all);
  print_rows(rows);
}

namespace {

Json to_json(const std::vector<Estimate>& estimates, const Recording& r) {
  Json out = Json::array();
  for (const Estimate& e : estimates) {
    Json j{{"name", e.name},
           {"value", json_number(e.value)},
           {"unit", report::unit_of(e.unit, r)},
           {"low", json_number(e.low)},
           {"high", json_number(e.high)},
           {"profiled", e.profiled},
           {"at_bound", e.at_bound},
           {"identifiable", e.identifiable},
           {"dropped", e.dropped}};
    if (!e.diagnosis.empty()) j["remark"] = e.diagnosis;
    out.push_back(std::move(j));
  }
  return out;
}

}  // namespace

Json to_json(const Fitted& fitted) {
  const Ranking& ranking = *fitted.ranking;
  const Recording& r = fitted.recordings.front();
  Json out{{"recommended", ranking.recommended},
           {"why", ranking.why},
           {"notes", ranking.notes},
           {"stopped", ranking.stopped},
           {"experiments", experiments_json(fitted)},
           {"not_determined", ranking.not_determined},
           {"unfinished", ranking.unfinished}};
  for (std::size_t i = 0; i < fitted.files.size(); ++i) {
    Json file{{"file", fitted.files[i]}, {"rows", fitted.recordings[i].size()}, {"findings", Json::array()}};
    for (const Finding& f : fitted.findings[i]) file["findings"].push_back({{"warning", f.warning}, {"text", f.text}});
    if (i < ranking.outliers.size()) {
      file["outliers"] = Json::array();
      const auto& line = fitted.recordings[i].line;
      for (const std::size_t row : ranking.outliers[i])
        file["outliers"].push_back(row < line.size() ? line[row] : row + 1);
    }
    out["data"].push_back(std::move(file));
  }
  for (std::size_t i = 0; i < fitted.validation_files.size(); ++i)
    out["validation"].push_back({{"file", fitted.validation_files[i]}, {"rows", fitted.validation[i].size()}});
  out["fits"] = Json::array();
  for (const Fit& f : ranking.fits) {
    Json j{{"model", f.model},
           {"parameters", f.used},
           {"rmse", json_number(f.rmse)},
           {"mean_absolute", json_number(f.mean_abs)},
           {"relative_percent", json_number(f.relative)},
           {"r_squared", json_number(f.r_squared)},
           {"bic", json_number(f.bic)},
           {"held_out_rmse", json_number(f.held_out)},
           {"held_out_percent", json_number(f.held_out_relative)},
           {"converged", f.converged},
           {"finished", f.finished},
           {"seconds", f.seconds}};
    if (f.elements > 0) j["elements"] = f.elements;
    for (std::size_t i = 0; i < f.each.size(); ++i) {
      j["files"].push_back(to_json(f.each[i]));
      j["files"].back()["file"] = fitted.files[i];
    }
    if (f.rest.rows > 0) j["rest"] = to_json(Score{{}, f.rest_each, f.rest}, fitted.files);
    if (f.validation.rows > 0)
      j["validation"] = to_json(Score{{}, f.validation_each, f.validation}, fitted.validation_files);
    j["friction"] = to_json(f.friction, r);
    j["body"] = to_json(f.body, r);
    for (const ResidualTest& t : f.tests)
      j["residual"][t.name] = {{"statistic", json_number(t.statistic)}, {"p", json_number(t.p)}, {"text", t.text}};
    out["fits"].push_back(std::move(j));
  }
  for (const Fit& f : ranking.failed) out["failed"].push_back({{"model", f.model}, {"message", f.message}});
  return out;
}

void print_ranking(const Fitted& fitted) {
  const Ranking& ranking = *fitted.ranking;
  const Recording& r = fitted.recordings.front();
  const std::string unit = report::target_unit(r), in = unit.empty() ? "" : " (" + unit + ")";
  print_experiments(fitted);
  for (const std::string& note : ranking.notes) print("note: {}\n", note);
  std::vector<std::vector<std::string>> rows{
      {"model", "fitted", "held out" + in, "held out %", "rmse" + in, "relative %", "BIC"}};
  // Columns for the rest of the recordings (--train) and for other recordings (--validate).
  std::vector<std::pair<const char*, Errors Fit::*>> unseen;
  for (const auto& one : {std::pair{"rest", &Fit::rest}, std::pair{"validation", &Fit::validation}}) {
    if ((ranking.fits.front().*one.second).rows == 0) continue;
    unseen.push_back(one);
    rows.front().insert(rows.front().end(), {one.first + in, fmt::format("{} %", one.first)});
  }
  rows.front().emplace_back();
  for (const Fit& f : ranking.fits) {
    std::string remark = f.model == ranking.recommended ? "recommended" : "";
    if (!f.finished || !f.converged)
      remark += fmt::format("{}{}", remark.empty() ? "" : ", ", f.finished ? "not converged" : "not finished");
    rows.push_back({f.elements > 0 ? fmt::format("{} ({})", f.model, f.elements) : f.model, std::to_string(f.used),
                    f.finished ? fmt::format("{:.4g}", f.held_out) : "-",
                    f.finished ? percent(f.held_out_relative) : "-", fmt::format("{:.4g}", f.rmse), percent(f.relative),
                    fmt::format("{:.1f}", f.bic)});
    for (const auto& one : unseen) {
      const Errors& u = f.*one.second;
      rows.back().insert(rows.back().end(), {fmt::format("{:.4g}", u.rmse), percent(u.relative)});
    }
    rows.back().push_back(remark);
  }
  print("\n");
  print_rows(rows);
  for (const Fit& f : ranking.failed) print("{}: no fit: {}\n", f.model, f.message);
  const auto best = std::find_if(ranking.fits.begin(), ranking.fits.end(),
                                 [&](const Fit& f) { return f.model == ranking.recommended; });
  if (best == ranking.fits.end()) {
    if (!ranking.why.empty()) print("\n{}\n", ranking.why);
    return;
  }
  print("\nrecommended: {}\n", ranking.why.empty() ? best->model : ranking.why);
  print("  R² {:.6g} on the fitted rows\n", best->r_squared);
  if (r.motion) print("  mean absolute error {:.4g} {}\n", best->mean_abs, unit);
  for (const auto* list : {&best->friction, &best->body}) {
    for (const Estimate& e : *list) {
      const std::string u = report::unit_of(e.unit, r);
      std::string line = fmt::format("  {:<14} {:>12.6g} {:<8} {}", e.name, e.value, u, report::interval_text(e));
      if (!e.identifiable) line += e.dropped ? "  not identifiable, dropped" : "  not identifiable";
      if (e.at_bound) line += "  at a limit";
      print("{}\n", line);
    }
  }
  for (const auto* list : {&best->friction, &best->body}) {
    for (const Estimate& e : *list) {
      if (!e.diagnosis.empty()) print("warning: {}\n", e.diagnosis);
    }
  }
  const std::tuple<const char*, std::span<const std::string>, Score> unseen_parts[]{
      {"rest of the recordings", fitted.files, {{}, best->rest_each, best->rest}},
      {"validation", fitted.validation_files, {{}, best->validation_each, best->validation}}};
  for (const auto& [name, files, score] : unseen_parts) {
    if (score.all.rows == 0) continue;
    print("\n{}, predicted by {}:\n", name, best->model);
    print_errors(files, score, unit);
  }
  for (const ResidualTest& t : best->tests) {
    if (t.p < 0.01 && !t.text.empty()) print("residual: {}\n", t.text);
  }
}

}  // namespace bristle::cli
