#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "report/fit/curves.hpp"

namespace bristle::report {
namespace {

using identify::Fit;
using identify::Recording;

const Values& predicted(const Fit& fit, std::size_t recording) { return fit.predicted.at(recording); }

/// Force of the contact alone along the recording.
Values friction_of(Fit fit, const Recording& r, const Values& along) {
  if (r.u.empty()) return along;
  fit.body.clear();
  return identify::predict(fit, r);
}

/// The recommended fit and the best other fits.
std::vector<const Fit*> shown_fits(const identify::Ranking& ranking, std::size_t most) {
  std::vector<const Fit*> out;
  for (const Fit& f : ranking.fits) {
    if (f.model == ranking.recommended) out.push_back(&f);
  }
  for (const Fit& f : ranking.fits) {
    if (out.size() < most && f.model != ranking.recommended) out.push_back(&f);
  }
  return out;
}

/// Force of steady sliding at velocities up to the recorded ones, in the recorded directions.
plot::Series steady_curve(const Fit& fit, const Recording& r, int color) {
  plot::Series out{.label = fit.model, .color = color, .dash = 0};
  const Made made = make(find_variant(fit.model).model->name, fit.parameters, fit.effects);
  if (!made.contact || r.v.empty()) return out;
  const auto [least, most] = std::minmax_element(r.v.begin(), r.v.end());
  const double size = std::max(std::abs(*least), std::abs(*most));
  const auto ends =
      r.x.empty() ? std::pair{0.0, 1.0}
                  : std::pair{*std::min_element(r.x.begin(), r.x.end()), *std::max_element(r.x.begin(), r.x.end())};
  const double way = ends.second > ends.first ? ends.second - ends.first : 1;
  constexpr int steps = 60;  // to the steady state, over twice the distance of the recording
  const auto add = [&](double v) {
    made.contact->reset();
    double force = 0;
    const double dt = 2 * way / steps / std::abs(v);
    for (int i = 0; i < steps; ++i) force = made.contact->step({.v = v, .path = 2 * way * i / steps, .t = i * dt}, dt);
    out.x.push_back(v);
    out.y.push_back(force);
  };
  constexpr int points = 60;
  constexpr double finest = 1e-4;  // points are denser near rest
  for (int i = points; i >= 0 && *least < -0.05 * size; --i) add(-size * std::pow(finest, 1 - i / double(points)));
  if (*least < -0.05 * size && *most > 0.05 * size) {  // a vertical line at rest
    out.x.push_back(std::numeric_limits<double>::quiet_NaN());
    out.y.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  for (int i = 0; i <= points && *most > 0.05 * size; ++i) add(size * std::pow(finest, 1 - i / double(points)));
  return out;
}

}  // namespace

namespace {

/// Measured and predicted values over time, or over velocity for steady points.
plot::Panel overlay_panel(const Compared& c, const Fit& fit, Part part, const std::string& title,
                          const std::string& word) {
  const Recording& r = *c.recording;
  const Values &y = r.target(), &f = *c.predicted;
  plot::Panel panel{.title = title, .y = {.label = target_label(r)}};
  if (r.steady()) {
    panel.x.label = rate_label(r);
    panel.series.push_back(cloud(r.v, y, "measured", 0));
    panel.series.push_back(
        {.label = fit.model + ", " + word, .x = r.v, .y = f, .style = plot::Style::points, .color = 1});
  } else {
    panel.x.label = "Time t (s)";
    panel.series.push_back(envelope(r.t, y, part, "measured", 0));
    panel.series.back().width = 1.8;  // visible below the other curve
    panel.series.push_back(envelope(r.t, f, part, fit.model + ", " + word, 1));
    panel.series.back().width = 0.8;
  }
  scale_by(panel, panel.series[0].y, panel.series[1].y);
  return panel;
}

std::string word_for(const Compared& c) {
  return c.unseen ? "predicted" : c.recording->motion ? "simulated" : "fitted";
}

}  // namespace

plot::Figure overlay_figure(const Fitted& fitted, const Fit& fit, std::size_t recording) {
  const Compared c = compared(fitted, fit, recording);
  const Recording& r = *c.recording;
  const Values &y = r.target(), &f = *c.predicted;
  const std::string word = word_for(c);
  const std::vector<bool>* rows =
      !c.unseen && recording < fitted.ranking->fitted_rows.size() ? &fitted.ranking->fitted_rows[recording] : nullptr;
  Values residual(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) residual[i] = y[i] - f[i];
  const Part whole{0, y.size()};
  plot::Panel rest{.title = "Measured minus " + word,
                   .x = {.label = r.steady() ? rate_label(r) : "Time t (s)"},
                   .y = {.label = "Residual" + in_brackets(target_unit(r))}};
  rest.horizontal.push_back({0, ""});
  plot::Figure out{.columns = 1, .width_mm = 180, .panel_height_mm = 48};
  if (r.steady()) {
    rest.series.push_back({.label = word, .style = plot::Style::points, .color = 3});
    plot::Series left{.label = "not fitted", .style = plot::Style::points, .color = 1};
    for (std::size_t i = 0; i < y.size(); ++i) {
      plot::Series& to = rows && !(*rows)[i] ? left : rest.series.front();
      to.x.push_back(r.v[i]);
      to.y.push_back(residual[i]);
    }
    rest.legend = !left.x.empty();
    if (rest.legend) rest.series.push_back(std::move(left));
    out.panels.push_back(std::move(rest));
    return out;
  }
  const auto last = rows ? std::ranges::find(*rows, false) - rows->begin() : std::ptrdiff_t{0};  // fitted before it
  const bool marked = rows && last > 0;
  const double until = marked ? r.t[static_cast<std::size_t>(last)] : 0;
  const auto mark = [&](plot::Panel& panel) {
    if (!marked) return;
    panel.vertical.push_back({until, ""});
    panel.title += fmt::format(", predicted after {:.4g} s", until);
  };
  out.panels.push_back(overlay_panel(c, fit, whole, "Measured and " + word, word));
  mark(out.panels.back());
  rest.series.push_back(envelope(r.t, residual, whole, "", 3));
  rest.series.back().width = 0.7;
  rest.legend = false;
  const auto [least, most] = std::ranges::minmax(y);  // residuals beyond the measured range are those of a failed model
  const auto [low, high] = std::ranges::minmax(residual);
  if (const double width = most - least; high > width || low < -width)
    rest.y.limits = {std::max(low, -width), std::min(high, width)};
  mark(rest);
  out.panels.push_back(std::move(rest));
  if (const Part part = closer(r); part.end - part.begin < y.size() / 2) {
    out.panels.push_back(overlay_panel(c, fit, part, "Detail", word));
    out.panels.back().legend = false;
  }
  out.share_x = false;
  return out;
}

plot::Figure detail_figure(const Fitted& fitted, const Fit& fit, std::size_t recording) {
  const Compared c = compared(fitted, fit, recording);
  const std::string word = word_for(c);
  const Part part = c.recording->steady() ? Part{0, c.recording->size()} : closer(*c.recording);
  return {.panels = {overlay_panel(c, fit, part, "Measured and " + word, word)},
          .columns = 1,
          .width_mm = 95,
          .panel_height_mm = 52};
}

plot::Figure scatter_figure(const Fitted& fitted, const Fit& fit) {
  Values measured, predicted;
  const std::size_t own = fitted.recordings.size();
  for (std::size_t i = 0; i < (own > 0 ? own : fitted.validation.size()); ++i) {
    const Compared c = compared(fitted, fit, i);
    measured.insert(measured.end(), c.recording->target().begin(), c.recording->target().end());
    predicted.insert(predicted.end(), c.predicted->begin(), c.predicted->end());
  }
  const std::string label = target_label(*compared(fitted, fit, 0).recording);
  plot::Panel panel{.title = "Predicted over measured",
                    .x = {.label = "Measured: " + label},
                    .y = {.label = "Predicted"},
                    .legend = false};
  const auto [least, most] = std::ranges::minmax(measured);
  panel.series.push_back(cloud(measured, predicted, "", 1));
  panel.series.push_back({.x = {least, most}, .y = {least, most}, .color = 0, .dash = 1, .width = 0.8});
  scale_by(panel, measured, predicted);
  return {.panels = {std::move(panel)}, .columns = 1, .width_mm = 95, .panel_height_mm = 52};
}

plot::Figure score_figure(const Fitted& fitted) {
  const Fit& fit = fitted.ranking->fits.front();
  constexpr std::size_t most = 12;
  const std::size_t n = fitted.recordings.size() + fitted.validation.size();
  plot::Figure out{.columns = 1, .width_mm = 180, .panel_height_mm = n > 4 ? 32.0 : 48.0, .share_x = false};
  for (std::size_t i = 0; i < std::min(n, most); ++i) {
    const Compared c = compared(fitted, fit, i);
    out.panels.push_back(overlay_panel(c, fit, {0, c.recording->size()}, c.recording->name, word_for(c)));
    out.panels.back().legend = i == 0;
  }
  if (n > most) out.caption = fmt::format("{} more recordings not shown.", n - most);
  return out;
}

plot::Figure velocity_figure(const Fitted& fitted, std::size_t recording) {
  const Recording& r = fitted.recordings[recording];
  const identify::Ranking& ranking = *fitted.ranking;
  const std::vector<const Fit*> fits = shown_fits(ranking, 4);
  plot::Figure out{.width_mm = 180, .share_x = false};
  plot::Panel over{.title = "Over velocity", .x = {.label = rate_label(r)}, .y = {.label = friction_label(r)}};
  plot::Panel loop{.title = "Over position, detail", .x = {.label = place_label(r)}, .y = {.label = friction_label(r)}};
  const Part part = r.steady() ? Part{0, 0} : closer(r);
  for (std::size_t k = 0; r.motion && k < fits.size(); ++k)
    over.series.push_back(steady_curve(*fits[k], r, static_cast<int>(k) + 1));
  for (std::size_t k = 0; !r.motion && k < fits.size(); ++k) {
    const Values& all = predicted(*fits[k], recording);
    const Values force = friction_of(*fits[k], r, all);
    if (k == 0) {  // measurement minus the force of the fitted body
      Values measured = r.target();
      for (std::size_t i = 0; i < measured.size(); ++i) measured[i] -= all[i] - force[i];
      const std::string label = r.u.empty() ? "measured" : "measured, without inertia and gravity";
      over.series.push_back(cloud(r.v, measured, label, 0));
      if (!r.x.empty()) loop.series.push_back(envelope(r.x, measured, part, label, 0));
      for (plot::Panel* p : {&over, &loop}) {
        if (!p->series.empty()) scale_by(*p, p->series[0].y, force);
      }
    }
    const int color = static_cast<int>(k) + 1;
    over.series.push_back(steady_curve(*fits[k], r, color));
    if (!r.x.empty() && k < 2) loop.series.push_back(envelope(r.x, force, part, fits[k]->model, color));
  }
  out.panels.push_back(std::move(over));
  if (!loop.series.empty()) {
    loop.legend = false;
    out.panels.push_back(std::move(loop));
  }
  out.columns = static_cast<int>(out.panels.size());
  if (out.columns == 1) out.panel_height_mm = 75;
  return out;
}

}  // namespace bristle::report
