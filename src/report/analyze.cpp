#include "bristle/report/analyze.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/escape.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"
#include "report/shared/labels.hpp"

namespace bristle::report {
namespace {

using analysis::Analysis;
using analysis::StabilityPoint;
constexpr double turn = 2 * std::numbers::pi;

std::string with_unit(const char* quantity, const char* unit, const Analysis& a) {
  return fmt::format("{} ({})", quantity, shown_unit(unit, a.rotational));
}

plot::Figure stability_figure(const Analysis& a) {
  plot::Series F, ratio, critical;
  bool any = false;
  for (const StabilityPoint& p : a.stability->curve) {
    const double v = std::abs(p.velocity);
    F.x.push_back(v);
    F.y.push_back(p.friction);
    ratio.x.push_back(v);
    ratio.y.push_back(p.eigenvalues.empty() ? analysis::undefined : -p.growth_rate / std::abs(p.eigenvalues.front()));
    critical.x.push_back(v);
    critical.y.push_back(p.critical.stiffness);
    any = any || !std::isnan(p.critical.stiffness);
  }
  const plot::Axis speed{with_unit("Sliding velocity", "m/s", a), true};
  plot::Figure out{.title = a.title};
  out.panels.push_back({.title = "Steady friction", .x = speed, .y = {with_unit("Friction", "N", a)}, .series = {F}});
  out.panels.push_back({.title = "Stable where the damping ratio is positive",
                        .x = speed,
                        .y = {"Damping ratio of the leading mode"},
                        .series = {ratio},
                        .horizontal = {{0, ""}}});
  if (any) {
    plot::Panel p{.title = "Stable above the critical stiffness",
                  .x = speed,
                  .y = {with_unit("Stiffness", "N/m", a), true},
                  .series = {critical}};
    p.series.front().label = "critical stiffness";
    out.panels.push_back(std::move(p));
  }
  for (plot::Panel& p : out.panels) {
    p.vertical.push_back({std::abs(a.velocity), "scenario"});
    for (const auto& c : a.stability->crossings) p.vertical.push_back({std::abs(c.velocity), "critical"});
  }
  out.columns = 1;
  return out;
}

plot::Figure cycle_figure(const Analysis& a) {
  const Trace& o = a.cycle->cycle->orbit;
  const std::vector<double>&t = o.find("t")->values, &e = o.find("stretch")->values, &v = o.find("v")->values,
        &F = o.find("F")->values;
  const std::string stretch = with_unit(a.servo ? "Reference − x" : "Drive − x", "m", a),
                    speed = with_unit("Velocity", "m/s", a), force = with_unit("Friction", "N", a);
  plot::Figure out{.title = a.title};
  out.panels.push_back({.title = "One period", .x = {"Time (s)"}, .y = {speed}, .series = {{.x = t, .y = v}}});
  out.panels.push_back({.title = "Phase plane", .x = {stretch}, .y = {speed}, .series = {{.x = e, .y = v}}});
  out.panels.push_back({.title = "Friction", .x = {speed}, .y = {force}, .series = {{.x = v, .y = F}}});
  if (a.velocity != 0) {
    out.panels[0].horizontal.push_back({a.velocity, "drive"});
    out.panels[1].horizontal.push_back({a.velocity, "drive"});
  }
  out.columns = 1;
  out.share_x = false;
  return out;
}

plot::Figure branch_figure(const Analysis& a) {
  plot::Series period{.style = plot::Style::line_and_points}, amplitude = period, multiplier = period, rate = period;
  plot::Series unstable{.label = "unstable", .style = plot::Style::line_and_points, .dash = 1}, slow = unstable,
                                                                                                growing = unstable;
  for (const analysis::BranchPoint& p : a.branch->points) {
    const analysis::Cycle c = p.cycle.cycle.value_or(analysis::Cycle{});
    for (auto* s : {&period, &amplitude, &multiplier, &rate}) s->x.push_back(p.at);
    period.y.push_back(c.period);
    amplitude.y.push_back(c.amplitude);
    multiplier.y.push_back(c.multiplier());
    rate.y.push_back(p.growth_rate);
    const analysis::Cycle u = p.unstable.cycle.value_or(analysis::Cycle{});
    for (auto* s : {&unstable, &slow, &growing}) s->x.push_back(p.at);
    unstable.y.push_back(u.amplitude);
    slow.y.push_back(u.period);
    growing.y.push_back(u.multiplier());
  }
  const plot::Axis key{a.key->key, a.key->log && a.key->from > 0};
  plot::Figure out{.title = a.title};
  out.panels.push_back({.x = key, .y = {with_unit("Amplitude", "m", a)}, .series = {amplitude}});
  out.panels.push_back({.x = key, .y = {"Period (s)"}, .series = {period}});
  out.panels.push_back({.x = key, .y = {"Largest multiplier"}, .series = {multiplier}, .horizontal = {{1, ""}}});
  out.panels.push_back(
      {.x = key, .y = {"Growth rate of steady sliding (1/s)"}, .series = {rate}, .horizontal = {{0, ""}}});
  if (std::ranges::any_of(a.branch->points, [](const auto& p) { return p.unstable.cycle.has_value(); })) {
    for (std::size_t k = 0; k < 3; ++k) {
      out.panels[k].series[0].label = "stable";
      out.panels[k].series.push_back(k == 0 ? unstable : k == 1 ? slow : growing);
    }
  }
  for (plot::Panel& p : out.panels) {
    for (const double x : a.branch->onsets) p.vertical.push_back({x, "onset"});
    for (const analysis::BranchEnd& e : a.branch->ends) p.vertical.push_back({e.at, e.fold ? "fold" : "end"});
  }
  out.columns = 1;
  return out;
}

plot::Figure describing_figure(const Analysis& a) {
  const analysis::DescribingRead& d = *a.describing;
  plot::Figure out{.title = a.title};
  plot::Panel size{.title = "Describing function N(A, ω)",
                   .x = {with_unit("Amplitude A", "m", a), true},
                   .y = {with_unit("|N|", "N/m", a), true}},
      phase{.x = size.x, .y = {"Phase of N (degrees)"}};
  const std::size_t n = d.omegas.size();
  for (std::size_t j = 0; j < n; j += n > 4 ? 3 : 1) {
    plot::Series s{.label = fmt::format("{:.3g} Hz", d.omegas[j] / turn)}, p{};
    for (std::size_t i = 0; i < d.amplitudes.size(); ++i) {
      const analysis::Complex N = d.values[i * n + j].N;
      s.x.push_back(d.amplitudes[i]);
      s.y.push_back(std::abs(N));
      p.x.push_back(d.amplitudes[i]);
      p.y.push_back(std::arg(N) * 360 / turn);
    }
    size.series.push_back(std::move(s));
    phase.series.push_back(std::move(p));
  }
  for (const analysis::Predicted& c : d.cycles)
    size.vertical.push_back({c.amplitude, c.stable ? "predicted" : "unstable"});
  out.panels = {std::move(size), std::move(phase)};
  out.columns = 1;
  return out;
}

std::string complex_text(analysis::Complex s) {
  return s.imag() == 0 ? fmt::format("{:.6g}", s.real())
                       : fmt::format("{:.6g} {} {:.6g}j", s.real(), s.imag() < 0 ? "−" : "+", std::abs(s.imag()));
}

std::string unit_of(const char* unit, const Analysis& a) { return shown_unit(unit, a.rotational); }

std::string stability_text(const Analysis& a) {
  const analysis::Stability& s = *a.stability;
  const StabilityPoint& p = s.own;
  if (std::isnan(p.growth_rate)) return fmt::format("stability: undefined: {}\n", p.reason);
  const char* word = p.growth_rate > 0 ? "unstable" : p.growth_rate < 0 ? "stable" : "neutral";
  std::string out =
      fmt::format("steady sliding at {:.6g} {}: {}\n  friction            {:.6g} {}, slope {:.6g} {}\n", p.velocity,
                  unit_of("m/s", a), word, p.friction, unit_of("N", a), p.slope, unit_of("N s/m", a));
  out += fmt::format("  growth rate         {:.6g} 1/s, frequency {:.6g} Hz\n", p.growth_rate, p.omega / turn);
  if (std::isnan(p.critical.stiffness)) {
    out += fmt::format("  critical stiffness  none: {}\n", p.critical.reason);
  } else {
    out += fmt::format("  critical stiffness  {:.6g} {}, at {:.6g} Hz\n", p.critical.stiffness, unit_of("N/m", a),
                       p.critical.omega / turn);
  }
  for (const auto& c : s.crossings)
    out += fmt::format("  critical velocity   {:.6g} {}, {} above\n", c.velocity, unit_of("m/s", a),
                       c.gains ? "stable" : "unstable");
  if (s.crossings.empty())
    out += fmt::format("  critical velocity   none from {:.3g} to {:.3g} {}\n", s.curve.front().velocity,
                       s.curve.back().velocity, unit_of("m/s", a));
  return out;
}

std::string cycle_text(const Analysis& a) {
  if (!a.cycle->cycle) return fmt::format("limit cycle: none: {}\n", a.cycle->reason);
  const analysis::Cycle& c = *a.cycle->cycle;
  std::string out = fmt::format("limit cycle{}\n  period              {:.8g} s\n  amplitude           {:.8g} {}\n"
                                "  velocity            {:.6g} to {:.6g} {}\n",
                                a.servo ? ", hunting" : "", c.period, c.amplitude, unit_of("m", a), c.v_least, c.v_most,
                                unit_of("m/s", a));
  if (!c.multipliers.empty())
    out +=
        fmt::format("  Floquet multiplier  {:.3g}, {}\n", c.multiplier(), c.multiplier() < 1 ? "stable" : "unstable");
  return out;
}

std::string cause_of(const analysis::BranchEnd& e) {
  if (e.vanishes) return "its amplitude vanishes";
  if (e.fold) return fmt::format("fold, multiplier {:.4g}", e.multiplier);
  if (std::isnan(e.multiplier)) return "cause unknown, the cycle comes from simulation";
  if (e.multiplier > 1)
    return fmt::format("cause unknown, the cycle is unstable there, multiplier {:.4g}", e.multiplier);
  return "no fold, the body no longer returns to stick";
}

std::string branch_text(const Analysis& a) {
  const analysis::Branch& b = *a.branch;
  std::string out = fmt::format("branch over {}\n", a.key->key);
  for (const double x : b.onsets)
    out += fmt::format("  onset               {:.8g}: steady sliding changes stability\n", x);
  for (const analysis::BranchEnd& e : b.ends)
    out += fmt::format("  end of the cycle    {:.8g}, it exists {}: {}\n", e.at,
                       e.upper == (a.key->from < a.key->to) ? "below" : "above", cause_of(e));
  if (b.ends.empty()) out += "  end of the cycle    none within the range\n";
  for (const auto& [from, to] : b.hysteresis)
    out += fmt::format("  hysteresis          {:.8g} to {:.8g}: steady sliding is stable and the cycle exists\n", from,
                       to);
  std::size_t found = 0, both = 0;
  std::string reason;
  for (const analysis::BranchPoint& p : b.points) {
    if (!p.unstable.cycle && p.unstable.reason.empty()) continue;
    ++both;
    found += p.unstable.cycle ? 1U : 0U;
    if (!p.unstable.cycle) reason = p.unstable.reason;
  }
  if (both > 0)
    out += fmt::format("  unstable cycle      found at {} of {} values with hysteresis{}{}\n", found, both,
                       reason.empty() ? "" : "; otherwise: ", reason);
  return out;
}

std::string describing_text(const Analysis& a) {
  const analysis::DescribingRead& d = *a.describing;
  if (d.cycles.empty()) return fmt::format("describing function: no cycle predicted: {}\n", d.reason);
  std::string out = "describing function\n";
  for (const analysis::Predicted& c : d.cycles)
    out += fmt::format("  predicted cycle     amplitude {:.6g} {}, period {:.6g} s, {}\n", c.amplitude, unit_of("m", a),
                       turn / c.omega, c.stable ? "stable" : "unstable");
  return out;
}

std::string eigenvalue_table(const Analysis& a) {
  std::vector<Row> rows{{"", "eigenvalue (1/s)"}};
  for (std::size_t i = 0; i < a.stability->own.eigenvalues.size(); ++i)
    rows.push_back({fmt::format("{}", i + 1), complex_text(a.stability->own.eigenvalues[i])});
  return html_table(rows, "rr");
}

}  // namespace

std::vector<NamedFigure> analysis_figures(const Analysis& a) {
  std::vector<NamedFigure> out;
  if (a.stability) out.push_back({"stability.svg", stability_figure(a)});
  if (a.branch) out.push_back({"branch.svg", branch_figure(a)});
  if (a.cycle && a.cycle->cycle) out.push_back({"limit_cycle.svg", cycle_figure(a)});
  if (a.describing) out.push_back({"describing.svg", describing_figure(a)});
  return out;
}

std::string analysis_text(const Analysis& a) {
  std::string out = a.title + "\n";
  if (a.stability) out += stability_text(a);
  if (a.cycle) out += cycle_text(a);
  if (a.branch) out += branch_text(a);
  if (a.describing) out += describing_text(a);
  for (const std::string& n : a.notes) out += "note: " + n + "\n";
  return out;
}

std::string analysis_page(const Analysis& a, const std::vector<NamedFigure>& figures,
                          const std::vector<NamedFigure>& map, const sweep::Plan* plan) {
  std::string links;
  auto link = [&](bool has, const char* file) {
    if (has) links += fmt::format("{0}<a href=\"{1}\">{1}</a>", links.empty() ? "" : " · ", file);
  };
  link(a.stability.has_value(), "stability.csv");
  link(a.cycle.has_value() || a.branch.has_value(), "limit_cycle.csv");
  link(a.describing.has_value(), "describing.csv");
  link(plan != nullptr, "map.csv");
  std::string body =
      fmt::format("<header><h1>{}</h1>\n<p class=\"quiet\">{}</p></header>\n<main>\n", html(a.title), links);
  auto draw = [](const NamedFigure& f) {
    plot::Figure figure = f.figure;
    figure.title.clear();
    return figure_html(figure) + fmt::format("<p class=\"quiet\"><a href=\"{0}\">{0}</a></p>\n", escape(f.file));
  };
  std::string maps;
  for (const NamedFigure& f : map) maps += draw(f);
  const bool two = plan && plan->design.keys.size() == 2;
  if (!maps.empty() && two) body += section("Maps", maps);
  body += section("Results", text_block(analysis_text(a)));
  for (const NamedFigure& f : figures) {
    const char* heading = f.file == "stability.svg"     ? "Stability of steady sliding"
                          : f.file == "branch.svg"      ? "Branch of limit cycles"
                          : f.file == "limit_cycle.svg" ? "Limit cycle"
                                                        : "Describing function";
    std::string part = draw(f);
    if (f.file == "stability.svg") part += eigenvalue_table(a);
    body += section(heading, part);
  }
  if (!maps.empty() && !two) body += section("Over the keys", maps);
  return page(a.title, body + "</main>\n");
}

}  // namespace bristle::report
