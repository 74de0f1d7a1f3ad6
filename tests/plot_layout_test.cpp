/// Axes, curves and legends of figures: round numbers, no visible point lost, no overlaps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "../src/plot/panel.hpp"
#include "support/plot.hpp"
#include "support/xml.hpp"

using namespace bristle::plot;
using bristle::inf;

namespace {

/// The horizontal texts of a figure, with the room they take, and the figure's own box first.
std::vector<Box> text_boxes(const Figure& figure) {
  const auto elements = xml::parse(svg(figure));
  Box page{};
  std::sscanf(elements[0].attributes.at("viewBox").c_str(), "0 0 %lf %lf", &page.w, &page.h);
  std::vector<Box> out{page};
  for (const xml::Element& e : elements) {
    if (e.name != "text") continue;
    const auto number = [&](const char* key) { return std::stod(e.attributes.at(key)); };
    const double size = e.attributes.contains("font-size") ? number("font-size") : 8;
    const double w = text_width(e.text, {size, e.attributes.contains("font-weight")});
    double x = 0, y = 0;
    const xml::Element& g = elements[e.parent];
    if (g.name == "g") std::sscanf(g.attributes.at("transform").c_str(), "translate(%lf %lf)", &x, &y);
    if (!e.attributes.contains("x")) continue;
    const std::string anchor = e.attributes.contains("text-anchor") ? e.attributes.at("text-anchor") : "start";
    x += number("x") - (anchor == "end" ? w : anchor == "middle" ? w / 2 : 0);
    out.push_back({x, y + number("y") - 0.75 * size, w, 0.75 * size});
  }
  return out;
}

void expect_nothing_overlaps(const Figure& figure) {
  const std::vector<Box> boxes = text_boxes(figure);
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    const Box& a = boxes[i];
    EXPECT_GE(a.x, 0) << i;
    EXPECT_GE(a.y, 0) << i;
    EXPECT_LE(a.right(), boxes[0].w + 0.01) << i;
    EXPECT_LE(a.bottom(), boxes[0].h) << i;
    for (std::size_t k = 1; k < i; ++k) {
      const Box& b = boxes[k];
      EXPECT_TRUE(a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y) << k << " and " << i;
    }
  }
}

TEST(PlotLayout, TicksAreRoundNumbers) {
  struct Row {
    Range range;
    int most;
    std::vector<std::string> labels;
    std::string factor;
  };
  const std::vector<Row> rows = {
      {{0, 10}, 5, {"0", "2", "4", "6", "8", "10"}, ""},
      {{0, 1}, 4, {"0.00", "0.25", "0.50", "0.75", "1.00"}, ""},
      {{-0.055, 0.055}, 6, {"−0.04", "−0.02", "0.00", "0.02", "0.04"}, ""},
      {{97, 103}, 6, {"97", "98", "99", "100", "101", "102", "103"}, ""},
      {{0, 5.2e-5}, 6, {"0", "10", "20", "30", "40", "50"}, "×10^{−6}"},
      {{-2e-3, 2.1e-3}, 10, {"−2.0", "−1.5", "−1.0", "−0.5", "0.0", "0.5", "1.0", "1.5", "2.0"}, "×10^{−3}"},
      {{0, 2.6e5}, 6, {"0", "50", "100", "150", "200", "250"}, "×10^{3}"},
      {{0, 18000}, 4, {"0", "5000", "10000", "15000"}, ""},
      {{1e6, 1e6 + 1}, 2, {"1000000.0", "1000000.5", "1000001.0"}, ""},
      {{-7, -2}, 3, {"−6", "−4", "−2"}, ""},
  };
  for (const Row& row : rows) {
    const Ticks t = make_ticks(row.range, false, row.most);
    EXPECT_EQ(t.labels, row.labels) << row.range.lo << " " << row.range.hi;
    EXPECT_EQ(t.factor, row.factor) << row.range.lo << " " << row.range.hi;
    ASSERT_EQ(t.major.size(), t.labels.size());
    for (const double m : t.minor) EXPECT_TRUE(m >= row.range.lo && m <= row.range.hi) << m;
  }
  const Ticks t = make_ticks({0, 10}, false, 5);  // a step of 2 in four parts
  EXPECT_EQ(t.minor.size(), 15U);
  EXPECT_EQ(t.minor.front(), 0.5);
}

TEST(PlotLayout, LogarithmicTicksAreDecades) {
  using Labels = std::vector<std::string>;
  const auto labels = [](double lo, double hi, int most) { return make_ticks({lo, hi}, true, most).labels; };
  EXPECT_EQ(labels(0.05, 200, 8), (Labels{"0.1", "1", "10", "100"}));
  EXPECT_EQ(labels(1e-6, 1, 8), (Labels{"10^{−6}", "10^{−5}", "10^{−4}", "10^{−3}", "10^{−2}", "10^{−1}", "10^{0}"}));
  EXPECT_EQ(labels(1e-10, 1, 5), (Labels{"10^{−10}", "10^{−8}", "10^{−6}", "10^{−4}", "10^{−2}", "10^{0}"}));
  EXPECT_EQ(labels(8, 300, 8), (Labels{"10", "20", "50", "100", "200"}));
  EXPECT_EQ(labels(1.05, 1.15, 5), (Labels{"1.06", "1.08", "1.10", "1.12", "1.14"}));
  EXPECT_EQ(make_ticks({1, 1000}, true, 8).minor.size(), 24U);  // 2 to 9 of three decades
}

TEST(PlotLayout, ScalesMapTheirEnds) {
  const Scale linear{{-2, 6}, false, 0, 80}, log{{1e-3, 10}, true, 100, 0};
  EXPECT_EQ(linear(-2), 0);
  EXPECT_EQ(linear(6), 80);
  EXPECT_EQ(linear(0), 20);
  EXPECT_NEAR(log(0.1), 50, 1e-12);
  EXPECT_TRUE(std::isnan(log(0)) && std::isnan(log(-1)) && std::isnan(linear(inf)) && std::isnan(linear(hole)));
}

TEST(PlotLayout, LegendCoversNoCurve) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int inside = 0, above = 0;
  for (int round = 0; round < 200; ++round) {
    Panel p;
    const auto t = grid(0, 1, 300);
    for (int k = 0; k < 1 + round % 5; ++k) {
      const double a = uniform(random), b = 12 * uniform(random), c = 3 * uniform(random), d = 4 * uniform(random);
      p.series.push_back(
          {"series " + std::to_string(k), t, map(t, [&](double x) { return a * std::sin(b * x) + c * x + d; })});
      if (round % 3 == 0) p.series.back().style = Style::points;
    }
    Layout l{.panel = &p, .x = x_range(p), .y = y_range(p)};
    measure_sides(l, 300, 150);
    finish(l, 300, "");
    (l.legend.above ? above : inside) += 1;
    if (l.legend.above) continue;
    const Box box = l.legend.box;
    EXPECT_TRUE(box.x > 0 && box.y > 0 && box.right() < 300 && box.bottom() < 150);
    for (const Series& s : p.series) {
      for (std::size_t i = 0; i < t.size(); ++i) {
        const double x = l.sx(s.x[i]), y = l.sy(s.y[i]);
        EXPECT_FALSE(x > box.x && x < box.right() && y > box.y && y < box.bottom()) << "round " << round;
      }
    }
  }
  EXPECT_GT(inside, 100);  // both cases occur
  EXPECT_GT(above, 5);
}

TEST(PlotLayout, TextsDoNotOverlapOrLeaveThePage) {
  expect_nothing_overlaps(rich());
  Figure narrow = rich();
  narrow.width_mm = 85;
  narrow.columns = 1;
  expect_nothing_overlaps(narrow);
  Figure long_numbers{.panels = {{.x = {"t"}, .series = {{"", {1e6, 1e6 + 0.013}, {0, 1}}}}}, .columns = 3};
  for (int i = 0; i < 5; ++i) long_numbers.panels.push_back(long_numbers.panels[0]);
  expect_nothing_overlaps(long_numbers);
  const std::string words =
      "a label that goes on for much longer than any axis is, whatever the width of the page may be ";
  Panel p{.title = words, .x = {words + words}, .y = {words}, .series = {{words, {0, 1}, {0, 1}}}};
  p.series.push_back({std::string(200, 'w'), {0, 1}, {1e6, 1e6 + 1}});
  expect_nothing_overlaps({.title = words + words, .caption = words + words, .panels = {p, p}, .width_mm = 90});
}

TEST(PlotLayout, ThinningKeepsExtremes) {
  Series s{.x = grid(0, 1, 1000000)};
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  s.y = map(s.x, [&](double) { return normal(random); });
  s.y[123456] = 40;
  s.y[654321] = -50;
  const Scale sx{{0, 1}, false, 0, 400}, sy{{-60, 60}, false, 200, 0};
  const auto parts = curve(s, sx, sy, {0, 0, 400, 200});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_LT(parts[0].size(), 4000U);
  const auto [low, high] =
      std::minmax_element(parts[0].begin(), parts[0].end(), [](auto& a, auto& b) { return a.y < b.y; });
  EXPECT_NEAR(low->y, sy(40), 0.05);  // pt, the tolerance of simplify
  EXPECT_NEAR(high->y, sy(-50), 0.05);
  EXPECT_NEAR(low->x, sx(s.x[123456]), 0.05);
  EXPECT_LT(svg(one({.series = {s}})).size(), 300000U);
}

TEST(PlotLayout, SimplifiedLineStaysNear) {
  Polyline line;  // spirals to either side, corners and a way back along itself
  for (int i = 0; i < 1500; ++i) line.push_back({i * 0.1 * std::cos(i * 0.02), i * 0.1 * std::sin(i * 0.02)});
  for (int i = 0; i < 1500; ++i) line.push_back({i * 0.1 * std::cos(i * 0.02), -i * 0.1 * std::sin(i * 0.02)});
  line.insert(line.end(), {{0, 0}, {100, 0}, {40, 0}, {40, 30}});
  const double tolerance = 0.05;
  const Polyline simple = simplify(line, tolerance);
  EXPECT_LT(simple.size(), line.size() / 3);
  for (const Point& p : line) {
    double nearest = inf;
    for (std::size_t i = 1; i < simple.size(); ++i) {
      const Point a = simple[i - 1], b = simple[i];
      const double dx = b.x - a.x, dy = b.y - a.y;
      const double s = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
      nearest = std::min(nearest, std::hypot(a.x + s * dx - p.x, a.y + s * dy - p.y));
    }
    EXPECT_LE(nearest, tolerance * 1.001) << p.x << " " << p.y;
  }
}

TEST(PlotLayout, LinesAndAreasAreCutAtTheFrame) {
  std::vector<Polyline> parts;
  clip_line({{-5, 5}, {15, 5}, {15, 20}, {5, 20}, {5, 5}}, {0, 0, 10, 10}, parts);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].front().x, 0);
  EXPECT_EQ(parts[0].back().x, 10);
  EXPECT_EQ(parts[1].front().y, 10);
  EXPECT_EQ(parts[1].back().y, 5);
  double twice = 0;  // a diamond of area 200 about the corner of a square of 10 by 10: 50 of it are inside
  const Polyline cut = clip_area({{-10, 0}, {0, -10}, {10, 0}, {0, 10}}, {0, 0, 10, 10});
  for (std::size_t i = 0; i < cut.size(); ++i) {
    const Point a = cut[i], b = cut[(i + 1) % cut.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  EXPECT_NEAR(std::abs(twice) / 2, 50, 1e-12);
}

}  // namespace
