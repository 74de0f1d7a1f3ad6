#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "bristle/registry/describe.hpp"
#include "bristle/registry/sections.hpp"
#include "bristle/registry/view.hpp"
#include "bristle/report/fit.hpp"
#include "bristle/scenario.hpp"
#include "bristle/version.hpp"
#include "report/fit/tables.hpp"
#include "report/shared/labels.hpp"

namespace bristle::report {
namespace {

using identify::Estimate;
using identify::Fit;
using identify::Recording;

std::string or_empty(double x) { return std::isfinite(x) ? to_text(x) : ""; }

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

/// "N, 95 %: 1.1 to 1.3"
std::string interval(const Estimate& e, const Recording& r) {
  std::string out = unit_of(e.unit, r);
  if (!e.identifiable) {
    out += fmt::format("{}not identifiable{}", out.empty() ? "" : ", ", e.dropped ? ", dropped" : "");
  } else if (std::isfinite(e.low) && std::isfinite(e.high)) {
    out += fmt::format("{}95 %: {}", out.empty() ? "" : ", ", interval_text(e));
  }
  return out + (e.at_bound ? ", at a limit" : "");
}

/// One key with the intervals of its numbers; those of an array are on the following lines.
std::string line_of(const Entry& entry, const Fit& fit, const Recording& r) {
  std::string out = fmt::format("{} = {}", entry.key, entry.value.text());
  const auto find = [&](const std::string& name) {
    const auto found =
        std::find_if(fit.friction.begin(), fit.friction.end(), [&](const Estimate& e) { return e.name == name; });
    return found == fit.friction.end() ? nullptr : &*found;
  };
  if (const Estimate* e = find(entry.key)) {
    out = fmt::format("{:<32} # {}\n", out, interval(*e, r));
    return e->diagnosis.empty() ? out : out + "# " + one_line(e->diagnosis) + "\n";
  }
  out += "\n";
  const auto* array = entry.value.as<std::vector<double>>();
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    if (const Estimate* e = find(fmt::format("{}{}", entry.key, i + 1)))
      out += fmt::format("# {}: {}\n", e->name, interval(*e, r));
  }
  return out;
}

struct Span {
  double least = inf, most = -inf;
  bool known() const { return least <= most; }
};
/// Range of a series over the fitted rows of all recordings.
Span span_of(std::vector<double> Recording::* series, const Fitted& fitted) {
  Span out;
  const auto& fitted_rows = fitted.ranking->fitted_rows;
  for (std::size_t k = 0; k < fitted.recordings.size(); ++k) {
    const std::vector<double>& values = fitted.recordings[k].*series;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (k < fitted_rows.size() && !fitted_rows[k][i]) continue;
      out = {std::min(out.least, values[i]), std::max(out.most, values[i])};
    }
  }
  return out;
}

/// A key of TOML, in quotes where necessary.
std::string toml_key(const std::string& name) {
  const auto bare = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  return std::ranges::all_of(name, bare) ? name : "\"" + name + "\"";
}

/// [fitted]: the values besides friction, with their intervals.
std::string fitted_section(const Fit& fit, const Fitted& fitted) {
  const Recording& r = fitted.recordings.front();
  FittedPart known;
  const std::vector<FieldView> fields = views(known);
  std::string out = "\n[fitted]\n", terms;
  for (const Estimate& e : fit.body) {
    if (!std::isfinite(e.value)) continue;
    const std::string key = e.name == "inertia" ? "mass" : e.name;
    const bool is_key = std::ranges::find(fields, key, &FieldView::name) != fields.end();
    (is_key ? out : terms) +=
        fmt::format("{:<32} # {}\n", fmt::format("{} = {}", toml_key(key), to_text(e.value)), interval(e, r));
  }
  if (fitted.rig) {  // the rest of the body, as given
    const BodyParams& body = fitted.rig->experiment.body;
    const auto is_free = [&](const char* name) {
      return std::ranges::find(fit.body, name, &Estimate::name) != fit.body.end();
    };
    if (!is_free("mass")) out += fmt::format("mass = {}\n", to_text(body.mass));
    const bool heavy = body.gravity > 0 || is_free("gravity");
    if (heavy && !is_free("gravity")) out += fmt::format("gravity = {}\n", to_text(body.gravity));
    if (heavy && !is_free("gravity_phase")) out += fmt::format("gravity_phase = {}\n", to_text(body.gravity_phase));
  }
  if (fit.normal_load > 0 && !r.coefficient)
    out += fmt::format("{:<32} # N, at which the friction block holds\n",
                       fmt::format("normal_load = {}", to_text(fit.normal_load)));
  if (fit.start_speed > 0) out += fmt::format("start_speed = {}\n", to_text(fit.start_speed));
  out += fmt::format("units = \"{}\"\n", r.rotational ? "rotational" : "linear");
  out += fmt::format("role = \"{}\"\n", r.motion ? "x" : r.coefficient ? "mu" : r.u.empty() ? "F" : "u");
  return terms.empty() ? out : out + "\n[fitted.terms]\n" + terms;
}

/// [measured]: the range of the recordings.
std::string measured_section(const Fitted& fitted) {
  std::string out;
  const bool turns = fitted.recordings.front().rotational;
  const std::tuple<const char*, std::vector<double> Recording::*, const char*> all[]{
      {"v", &Recording::v, "m/s"}, {"x", &Recording::x, "m"}, {"N", &Recording::N, ""}, {"T", &Recording::T, "degC"}};
  for (const auto& [name, series, unit] : all) {
    const Span span = span_of(series, fitted);
    if (!span.known()) continue;
    out += fmt::format("{:<32} # {}\n", fmt::format("{} = [{}, {}]", name, to_text(span.least), to_text(span.most)),
                       *unit ? shown_unit(unit, turns) : "N, or Pa for a stress");
  }
  return "\n[measured]\n" + out;
}

/// A simple motion with the speed and duration of the recording, in the middle of its positions.
std::string ride_of(const Recording& r, const Span& places) {
  std::vector<double> speeds;
  std::size_t turns = 0, forwards = 0;
  for (const double v : r.v) {
    speeds.push_back(std::abs(v));
    forwards += v > 0 ? 1U : 0U;
  }
  double velocity = 1;
  if (!speeds.empty()) {
    const auto at = speeds.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(speeds.size() - 1));
    std::nth_element(speeds.begin(), at, speeds.end());
    if (*at > 0) velocity = *at;
  }
  double side = 0;  // a reversal counts between fast motions
  for (const double v : r.v) {
    if (std::abs(v) < 0.2 * velocity) continue;
    turns += side * v < 0 ? 1U : 0U;
    side = v;
  }
  const double span = r.steady() ? 10 : r.t.back() - r.t.front();
  std::string out = "[drive]\n";
  double duration = span;
  if (turns == 0 && (forwards == 0 || forwards == r.v.size() || !r.steady())) {
    const bool back = forwards * 2 < r.v.size();
    if (places.known() && places.most > places.least) {
      duration = std::min(span, (places.most - places.least) / velocity);
      out += fmt::format("of = \"position\"\nkind = \"ramp\"\nvelocity = {}\nstart = {}\n",
                         to_text(back ? -velocity : velocity), to_text(back ? places.most : places.least));
    } else {
      out += fmt::format("of = \"velocity\"\nkind = \"constant\"\nvalue = {}\n", to_text(back ? -velocity : velocity));
    }
  } else {
    const double frequency = r.steady() ? 0.2 : std::max(0.5 * static_cast<double>(turns), 1.0) / span;
    duration = 2 / frequency;
    const std::string of_time = fmt::format("kind = \"sine\"\nfrequency = {}\n", to_text(frequency));
    out += places.known()
               ? fmt::format("of = \"position\"\n{}amplitude = {}\noffset = {}\nphase = {}  # starts at rest\n",
                             of_time, to_text(velocity / (2 * std::numbers::pi * frequency)),
                             to_text(0.5 * (places.least + places.most)), to_text(-0.5 * std::numbers::pi))
               : fmt::format("of = \"velocity\"\n{}amplitude = {}\n", of_time, to_text(velocity));
  }
  return out + fmt::format("\n[solver]\nduration = {}\n", to_text(duration));
}

}  // namespace

std::string unit_of(const std::string& unit, const Recording& r) {
  if (!r.coefficient) return shown_unit(unit, r.rotational);
  std::string out = unit;  // for a coefficient of friction the unit of force is 1
  const std::size_t at = out.find('N');
  if (at != std::string::npos) {
    out.erase(at, 1);
    if (out.starts_with(' ')) out.erase(0, 1);
    if (out.starts_with('/')) out = "1" + out;
  }
  return out == "1" ? "" : out;
}

std::string quantity_of(const Recording& r) {
  if (r.motion) return r.rotational ? "angle" : "position";
  if (r.coefficient) return "friction coefficient";
  if (r.u.empty()) return "friction";
  return r.rotational ? "actuator torque" : "actuator force";
}

std::string target_unit(const Recording& r) { return unit_of(r.motion ? "m" : "N", r); }

std::array<std::string, 2> interval_of(const Estimate& e) {
  const double size = std::max(std::abs(e.low), std::abs(e.high)), width = e.high - e.low;
  const int digits = size > 0 && width > 0 ? static_cast<int>(std::ceil(std::log10(size / width))) + 2 : 4;
  const auto text = [&](double x) {
    const bool far = x > 0 && e.value > 0 && (x > 1e3 * e.value || x < 1e-3 * e.value);
    return std::isfinite(x) && !far ? fmt::format("{:.{}g}", x, std::clamp(digits, 4, 12)) : std::string("–");
  };
  return {text(e.low), text(e.high)};
}

std::string interval_text(const Estimate& e) {
  const auto [low, high] = interval_of(e);
  const std::string open = "–";
  if (low == open && high == open) return "no limits";
  if (high == open) return "> " + low;
  return low == open ? "< " + high : low + " to " + high;
}

std::string ranking_csv(const Fitted& fitted) {
  std::string out =
      "model,parameters,rmse,relative_percent,bic,held_out_rmse,held_out_percent,elements,recommended,seconds,message,"
      "r_squared,rest_rmse,rest_percent,validation_rmse,validation_percent\n";
  const identify::Ranking& ranking = *fitted.ranking;
  for (const auto* list : {&ranking.fits, &ranking.failed}) {
    for (const Fit& f : *list) {
      const bool good = list == &ranking.fits;
      const auto n = [&](double x) { return good ? or_empty(x) : std::string(); };
      const auto unseen = [&](const identify::Errors& u) {
        return u.rows > 0 ? or_empty(u.rmse) + "," + or_empty(u.relative) : ",";
      };
      out +=
          fmt::format("{},{},{},{},{},{},{},{},{},{:.3f},{},{},{},{}\n", f.model, good ? std::to_string(f.used) : "",
                      n(f.rmse), n(f.relative), n(f.bic), n(f.held_out), n(f.held_out_relative),
                      f.elements > 0 ? std::to_string(f.elements) : "", f.model == ranking.recommended ? "yes" : "no",
                      f.seconds, csv_cell(one_line(f.message)), n(f.r_squared), unseen(f.rest), unseen(f.validation));
    }
  }
  return out;
}

std::string friction_file(const Fit& fit, const Fitted& fitted) {
  const Recording& r = fitted.recordings.front();
  const std::string unit = target_unit(r);
  std::string names;
  for (const std::string& f : fitted.files) names += (names.empty() ? "" : ", ") + one_line(f);
  const std::string in = unit.empty() ? "" : " " + unit;
  std::string out = fmt::format("# {} fitted by Bristle {} to {}\n# rmse {:.4g}{} ({:.3g} %), {}\n", fit.model,
                                BRISTLE_VERSION, names, fit.rmse, in, fit.relative,
                                fit.finished ? fmt::format("held out {:.4g}{}", fit.held_out, in) : "not finished");
  if (r.coefficient) out += "# forces are coefficients of friction; multiplied by the normal load they are in N\n";
  if (!fit.converged) out += "# the fit did not converge: " + one_line(fit.message) + "\n";
  out += fmt::format("schema = 1\ntitle = \"{}, as fitted\"\n", fit.model);
  out += fmt::format("units = \"{}\"\n", r.rotational ? "rotational" : "linear");
  out += fmt::format("\n[friction]\nmodel = \"{}\"\n", find_variant(fit.model).model->name);
  for (const Entry& e : fit.parameters) out += line_of(e, fit, r);
  // Keys of negative motion and of heat have sections of their own.
  for (const std::string_view section : {std::string_view{}, of_negative, of_heat}) {
    bool first = true;
    for (const Entry& e : fit.effects) {
      if (section.empty() ? of_section(e.key) : !e.key.starts_with(section)) continue;
      if (first)
        out += fmt::format("\n[friction.{}]\n", section.empty() ? "effects" : section.substr(0, section.size() - 1));
      first = false;
      out += line_of(e, fit, r).substr(section.size());
    }
  }

  out += fitted_section(fit, fitted) + measured_section(fitted);
  return out +
         "\n# A motion similar to the recorded one: this file is a complete scenario. Other files: [friction] file = ...\n"
         "[system]\nkind = \"prescribed\"\n\n" +
         ride_of(r, span_of(&Recording::x, fitted));
}

}  // namespace bristle::report
