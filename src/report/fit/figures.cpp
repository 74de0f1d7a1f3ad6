#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/report/fit.hpp"

namespace bristle::report {
namespace {

using identify::Fit;
using identify::Recording;
using Series = std::vector<double>;

constexpr std::size_t most_points = 3000;  // more cannot be distinguished on a page

struct Part {
  std::size_t begin, end;
};

/// Minimum and maximum of each piece in order of time, which keeps spikes.
plot::Series envelope(const Series& x, const Series& y, Part part, std::string label, int color) {
  plot::Series out{.label = std::move(label), .color = color, .dash = 0};
  const std::size_t n = part.end - part.begin, pieces = most_points / 2;
  auto add = [&](std::size_t i) {
    out.x.push_back(x[i]);
    out.y.push_back(y[i]);
  };
  if (n <= most_points) {
    for (std::size_t i = part.begin; i < part.end; ++i) add(i);
    return out;
  }
  for (std::size_t k = 0; k < pieces; ++k) {
    const auto from = y.begin() + static_cast<std::ptrdiff_t>(part.begin + k * n / pieces);
    const auto until = y.begin() + static_cast<std::ptrdiff_t>(part.begin + (k + 1) * n / pieces);
    const auto [lo, hi] = std::minmax_element(from, until);
    const auto a = static_cast<std::size_t>(std::min(lo, hi) - y.begin()),
               b = static_cast<std::size_t>(std::max(lo, hi) - y.begin());
    add(a);
    if (b != a) add(b);
  }
  return out;
}

/// Evenly chosen samples as small dots: a line with a gap after each.
plot::Series cloud(const Series& x, const Series& y, std::string label, int color) {
  plot::Series out{.label = std::move(label), .color = color, .dash = 0, .width = 0.9};
  constexpr std::size_t few = 200;
  if (x.size() <= few) {
    out.style = plot::Style::points;
    out.x = x;
    out.y = y;
    return out;
  }
  const std::size_t step = (x.size() - 1) / most_points + 1;
  for (std::size_t i = 0; i < x.size(); i += step) {
    out.x.insert(out.x.end(), {x[i], std::numeric_limits<double>::quiet_NaN()});
    out.y.insert(out.y.end(), {y[i], std::numeric_limits<double>::quiet_NaN()});
  }
  return out;
}

/// A part of the recording around a reversal in its middle, with a few reversals.
Part closer(const Recording& r) {
  const std::size_t n = r.size();
  Series speeds = r.v;
  for (double& v : speeds) v = std::abs(v);
  const double fast = speeds.empty() ? 0 : 0.2 * *std::max_element(speeds.begin(), speeds.end());
  std::vector<std::size_t> turns;
  double side = 0;
  for (std::size_t i = 0; i < r.v.size(); ++i) {
    if (std::abs(r.v[i]) < fast) continue;
    if (side * r.v[i] < 0) turns.push_back(i);
    side = r.v[i];
  }
  std::size_t length = n / 10, middle = n / 2;
  if (turns.empty()) {  // without reversals: the largest change of force
    double most = 0;
    for (std::size_t i = 0; i + length <= n; i += std::max<std::size_t>(length / 4, 1)) {
      const auto from = r.target().begin() + static_cast<std::ptrdiff_t>(i);
      const auto [lo, hi] = std::minmax_element(from, from + static_cast<std::ptrdiff_t>(length));
      if (length == 0 || *hi - *lo <= most) continue;
      most = *hi - *lo;
      middle = i + length / 2;
    }
  } else {
    const std::size_t k = turns.size() / 2;
    middle = turns[k];
    length =
        turns.size() > 2 ? std::clamp(3 * (turns.back() - turns.front()) / (turns.size() - 1), n / 200, n / 4) : n / 10;
  }
  length = std::max<std::size_t>(length, std::min<std::size_t>(n, 50));
  const std::size_t begin = middle > length / 2 ? std::min(middle - length / 2, n - length) : 0;
  return {begin, begin + length};
}

std::string unit_in_brackets(const std::string& unit) { return unit.empty() ? "" : " (" + unit + ")"; }
std::string way_label(const Recording& r) { return r.rotational ? "Angle x (rad)" : "Position x (m)"; }
std::string target_label(const Recording& r) {
  if (r.motion) return way_label(r);
  if (r.coefficient) return "Friction coefficient μ";
  const std::string word = r.u.empty()    ? r.rotational ? "Friction torque F" : "Friction force F"
                           : r.rotational ? "Actuator torque u"
                                          : "Actuator force u";
  return word + unit_in_brackets(unit_of("N", r));
}
std::string friction_label(const Recording& r) {
  return r.coefficient ? "Friction coefficient μ"
                       : (r.rotational ? "Friction torque F" : "Friction force F") + unit_in_brackets(unit_of("N", r));
}

const Series& predicted(const Fit& fit, std::size_t recording) { return fit.predicted.at(recording); }

/// Force of the contact alone along the recording.
Series friction_of(Fit fit, const Recording& r, const Series& along) {
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

plot::Figure overlay_figure(const Fitted& fitted, const Fit& fit, std::size_t recording) {
  const bool unseen = recording >= fitted.recordings.size();
  const std::size_t further = recording - fitted.recordings.size();
  const Recording& r = unseen ? fitted.validation[further] : fitted.recordings[recording];
  const Series &y = r.target(), &f = unseen ? fit.validation_predicted.at(further) : predicted(fit, recording);
  const std::string word = unseen ? "predicted" : r.motion ? "simulated" : "fitted";
  const std::vector<bool>* rows =
      !unseen && recording < fitted.ranking->fitted_rows.size() ? &fitted.ranking->fitted_rows[recording] : nullptr;
  Series residual(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) residual[i] = y[i] - f[i];
  const Part whole{0, y.size()};
  const std::string unit = unit_in_brackets(target_unit(r));
  plot::Figure out{.columns = 1, .width_mm = 180, .panel_height_mm = 48};
  if (r.steady()) {
    plot::Panel panel{.title = "Measured minus " + word,
                      .x = {.label = r.rotational ? "Angular velocity v (rad/s)" : "Velocity v (m/s)"},
                      .y = {.label = "Residual" + unit}};
    panel.series.push_back({.label = word, .style = plot::Style::points, .color = 3});
    plot::Series left{.label = "not fitted", .style = plot::Style::points, .color = 1};
    for (std::size_t i = 0; i < y.size(); ++i) {
      plot::Series& to = rows && !(*rows)[i] ? left : panel.series.front();
      to.x.push_back(r.v[i]);
      to.y.push_back(residual[i]);
    }
    panel.legend = !left.x.empty();
    if (panel.legend) panel.series.push_back(std::move(left));
    panel.horizontal.push_back({0, ""});
    out.panels.push_back(std::move(panel));
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
  const auto overlay = [&](Part part, const std::string& title) {
    plot::Panel panel{.title = title, .x = {.label = "Time t (s)"}, .y = {.label = target_label(r)}};
    panel.series.push_back(envelope(r.t, y, part, "measured", 0));
    panel.series.push_back(envelope(r.t, f, part, fit.model + ", " + word, 1));
    panel.series.back().width = 0.9;
    return panel;
  };
  out.panels.push_back(overlay(whole, "Measured and " + word));
  mark(out.panels.back());
  plot::Panel rest{.title = "Measured minus " + word, .x = {.label = "Time t (s)"}, .y = {.label = "Residual" + unit}};
  rest.series.push_back(envelope(r.t, residual, whole, "", 3));
  rest.series.back().width = 0.7;
  rest.horizontal.push_back({0, ""});
  rest.legend = false;
  mark(rest);
  out.panels.push_back(std::move(rest));
  if (const Part part = closer(r); part.end - part.begin < y.size() / 2) {
    out.panels.push_back(overlay(part, "Detail"));
    out.panels.back().legend = false;
  }
  out.share_x = false;
  return out;
}

plot::Figure velocity_figure(const Fitted& fitted, std::size_t recording) {
  const Recording& r = fitted.recordings[recording];
  const identify::Ranking& ranking = *fitted.ranking;
  const std::vector<const Fit*> fits = shown_fits(ranking, 4);
  plot::Figure out{.width_mm = 180, .share_x = false};
  const std::string rate = r.rotational ? "Angular velocity v (rad/s)" : "Velocity v (m/s)";
  plot::Panel over{.title = "Over velocity", .x = {.label = rate}, .y = {.label = friction_label(r)}};
  plot::Panel loop{.title = "Over position, detail", .x = {.label = way_label(r)}, .y = {.label = friction_label(r)}};
  const Part part = r.steady() ? Part{0, 0} : closer(r);
  for (std::size_t k = 0; r.motion && k < fits.size(); ++k)
    over.series.push_back(steady_curve(*fits[k], r, static_cast<int>(k) + 1));
  for (std::size_t k = 0; !r.motion && k < fits.size(); ++k) {
    const Series& all = predicted(*fits[k], recording);
    const Series force = friction_of(*fits[k], r, all);
    if (k == 0) {  // measurement minus the force of the fitted body
      Series measured = r.target();
      for (std::size_t i = 0; i < measured.size(); ++i) measured[i] -= all[i] - force[i];
      const std::string label = r.u.empty() ? "measured" : "measured, without inertia and gravity";
      over.series.push_back(cloud(r.v, measured, label, 0));
      if (!r.x.empty()) loop.series.push_back(envelope(r.x, measured, part, label, 0));
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
