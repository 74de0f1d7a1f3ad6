#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/sketch.hpp"

/// Snapshots of a mechanism, and its animation in a page.
namespace bristle::report {
namespace {

constexpr double gap = 6, text_height = 4;

std::size_t line_count(std::size_t n, std::size_t columns) { return (n + columns - 1) / columns; }

/// The number of columns that gives the largest snapshots within a height.
std::size_t columns_for(double aspect, std::size_t n, double width, double height) {
  std::size_t best = 1;
  double most = 0;
  for (std::size_t c = 1; c <= n; ++c) {
    const auto rows = static_cast<double>(line_count(n, c));
    const double w = width / static_cast<double>(c) - gap, h = height / rows - text_height - gap;
    const double size = std::min(w, h * aspect);
    if (size > most * 1.001) most = size, best = c;
  }
  return best;
}

/// Sets poses from the frames, at the time of the slider; springs are drawn between their points.
constexpr const char* script = R"js(
(function () {
  "use strict";
  var box = document.getElementById("mechanism"), data = JSON.parse(document.getElementById("mechanism-data").textContent);
  var bodies = box.querySelectorAll("g.body"), springs = box.querySelectorAll("path.spring");
  var button = box.querySelector("button"), slider = box.querySelector("input"), time = box.querySelector("output");
  var n = data.t.length, playing = false, start = 0, from = 0, seconds = Math.min(Math.max(data.t[n - 1], 4), 20);
  function place(b, p, k) {
    if (b === -1) { return p; }
    var q = data.poses[k][b], a = q[2] * Math.PI / 180, c = Math.cos(a), s = Math.sin(a);
    return [q[0] + c * p[0] - s * p[1], q[1] + s * p[0] + c * p[1]];
  }
  function coil(a, b) {
    var dx = b[0] - a[0], dy = b[1] - a[1], l = Math.max(Math.hypot(dx, dy), 1e-9), d = "M" + a[0] + " " + a[1];
    for (var k = 1; k !== 12; k += 1) {
      var f = 0.15 + 0.7 * (k - 0.5) / 11, w = (k === 1 || k === 11 ? 0 : k % 2 === 0 ? 1 : -1) * data.line / l;
      d += "L" + (a[0] + f * dx - w * dy) + " " + (a[1] + f * dy + w * dx);
    }
    return d + "L" + b[0] + " " + b[1];
  }
  function show(k) {
    bodies.forEach(function (g, i) {
      var p = data.poses[k][i];
      g.setAttribute("transform", "translate(" + p[0] + " " + p[1] + ") rotate(" + p[2] + ")");
    });
    springs.forEach(function (s, i) {
      var e = data.springs[i];
      s.setAttribute("d", coil(place(e[0], e[1], k), place(e[2], e[3], k)));
    });
    slider.value = k;
    time.textContent = "t = " + data.t[k].toPrecision(4) + " s";
    slider.setAttribute("aria-valuetext", time.textContent);
  }
  function pause() { playing = false; button.textContent = "Play"; }
  function step(now) {
    if (!playing) { return; }
    var k = Math.min(from + Math.max(Math.floor((now - start) / 1000 / seconds * (n - 1)), 0), n - 1);
    show(k);
    if (k === n - 1) { pause(); } else { requestAnimationFrame(step); }
  }
  button.addEventListener("click", function () {
    if (playing) { pause(); return; }
    playing = true;
    button.textContent = "Pause";
    from = Number(slider.value) === n - 1 ? 0 : Number(slider.value);
    start = performance.now();
    requestAnimationFrame(step);
  });
  slider.addEventListener("input", function () { pause(); show(Number(slider.value)); });
  box.querySelector(".controls").hidden = false;
  show(0);
}());
)js";

}  // namespace

plot::Drawing drawing_of(const Mechanism& mechanism, const Trace& trace, double width, bool labelled) {
  constexpr std::size_t shots = 6;
  if (trace.rows() == 0) return {};
  plot::Drawing out{.width = width};
  if (labelled) {
    const Sketch large(mechanism, trace, width, 0.45 * width, 6);
    out.svg +=
        fmt::format("<g transform=\"translate({:.5g} 0)\">{}</g>\n", (width - large.width()) / 2, large.at(0, true));
    out.height += large.height() + gap;
  }
  const std::vector<std::size_t> rows = frames_of(trace, shots);
  const Sketch any(mechanism, trace, width, width, 3);
  const std::size_t columns = columns_for(any.width() / any.height(), rows.size(), width, 0.55 * width);
  const double cell = width / static_cast<double>(columns);
  const Sketch small(mechanism, trace, cell - gap, 0.55 * width, 3);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::size_t line = k / columns;
    const double x = cell * static_cast<double>(k % columns) + (cell - small.width()) / 2,
                 y = out.height + static_cast<double>(line) * (small.height() + text_height + gap);
    out.svg += fmt::format(
        "<g transform=\"translate({:.5g} {:.5g})\">{}<text x=\"{:.5g}\" y=\"{:.5g}\" font-size=\"7.5\" "
        "text-anchor=\"middle\" fill=\"#555\">t = {:.4g} s</text></g>\n",
        x, y, small.at(rows[k], false), small.width() / 2, small.height() + 1, trace.columns[0].values[rows[k]]);
  }
  const auto lines = static_cast<double>(line_count(rows.size(), columns));
  out.height += lines * (small.height() + text_height + gap);
  return out;
}

std::optional<plot::Drawing> drawing_of(const Scenario& scenario, const Run& run) {
  const Mechanism* m = mechanism_of(scenario);
  return m ? std::optional(drawing_of(*m, run.trace, 440)) : std::nullopt;
}

std::string animation_html(const Mechanism& mechanism, const Trace& trace) {
  if (trace.rows() == 0) return "";
  constexpr double width = 453, line = 6;
  const Sketch sketch(mechanism, trace, width, 0.6 * width, line);
  const std::size_t n = mechanism.bodies.size();
  const std::vector<std::size_t> rows = frames_of(trace, std::clamp<std::size_t>(30000 / n, 50, 600));
  std::string picture = sketch.ground() + sketch.springs(rows.front());
  for (std::size_t i = 0; i < n; ++i) {
    const Pose p = sketch.pose(i, rows.front());
    picture += fmt::format("<g class=\"body\" transform=\"translate({:.2f} {:.2f}) rotate({:.2f})\">{}</g>\n", p.x, p.y,
                           p.degrees, sketch.body(i));
  }
  std::string times, poses, springs;
  for (const std::size_t row : rows) {
    times += fmt::format("{}{:.6g}", times.empty() ? "" : ",", trace.columns[0].values[row]);
    poses += poses.empty() ? "[" : ",[";
    for (std::size_t i = 0; i < n; ++i) {
      const Pose p = sketch.pose(i, row);
      poses += fmt::format("{}[{:.2f},{:.2f},{:.2f}]", i > 0 ? "," : "", p.x, p.y, p.degrees);
    }
    poses += ']';
  }
  for (const Sketch::Spring& s : sketch.spring_list()) {
    auto end = [&](int body, Point2 p) {
      const Point2 q = sketch.place(body, p);
      return fmt::format("{},[{:.2f},{:.2f}]", std::max(body, -1), q[0], q[1]);
    };
    springs += fmt::format("{}[{},{}]", springs.empty() ? "" : ",", end(s.first, s.from), end(s.second, s.to));
  }
  return fmt::format(
             "<figure id=\"mechanism\"><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.5g} {:.5g}\" role=\"img\" "
             "aria-label=\"Motion of the mechanism\" style=\"max-width: {:.0f}pt; max-height: 60vh; margin: auto\">\n{}</svg>\n"
             "<div class=\"controls\" hidden=\"hidden\"><button type=\"button\">Play</button> "
             "<input type=\"range\" min=\"0\" max=\"{}\" value=\"0\" aria-label=\"Time\"/> <output>t = 0 s</output></div>\n"
             "</figure>\n",
             sketch.width(), sketch.height(), sketch.width() * 1.2, picture, rows.size() - 1) +
         fmt::format("<script type=\"application/json\" id=\"mechanism-data\">{{\"line\":{},\"t\":[{}],\"poses\":[{}],"
                     "\"springs\":[{}]}}</script>\n<script>{}</script>\n",
                     line, times, poses, springs, script);
}

}  // namespace bristle::report
