/// Figures as documents and files: they show the given data, and the bytes are always the same.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <locale>
#include <set>
#include <stdexcept>

#include "base/escape.hpp"
#include "bristle/output.hpp"
#include "plot/text.hpp"
#include "support/plot.hpp"
#include "support/xml.hpp"

using namespace bristle;
using namespace bristle::plot;
namespace fs = std::filesystem;

namespace {

/// Every path of that stroke or fill, one string.
std::string paths(const Figure& figure, const std::string& color) {
  std::string out;
  for (const xml::Element& e : xml::parse(svg(figure))) {
    if (e.name != "path") continue;
    const auto has = [&](const char* key) { return e.attributes.contains(key) && e.attributes.at(key) == color; };
    if (has("stroke") || has("fill")) out += e.attributes.at("d");
  }
  return out;
}
const std::string blue = "#0072B2";

TEST(Plot, GapsBreakLines) {
  const auto pieces = [](std::vector<double> y, bool log = false) {
    const std::string d =
        paths(one({.y = {.log = log}, .series = {{"", grid(0, 1, static_cast<int>(y.size())), y}}}), blue);
    return std::count(d.begin(), d.end(), 'M');
  };
  EXPECT_EQ(pieces({1, 2, 3, 4}), 1);
  EXPECT_EQ(pieces({1, 2, hole, 3, 5}), 2);
  EXPECT_EQ(pieces({hole, 1, 2, inf, 3, -inf, 4, 6, hole}), 3);
  EXPECT_EQ(pieces({1, 10, 0, -4, 100, 1000}, true), 2);
  EXPECT_EQ(pieces({hole, hole}), 0);
}

TEST(Plot, DocumentIsWellFormed) {
  const auto elements = xml::parse(svg(rich()));
  EXPECT_EQ(elements[0].name, "svg");
  EXPECT_EQ(elements[0].attributes.at("width"), "160mm");
  const auto count = [&](const char* name) {
    return std::count_if(elements.begin(), elements.end(), [&](const auto& e) { return e.name == name; });
  };
  EXPECT_EQ(count("g"), 4);  // panels
  EXPECT_EQ(count("title"), 1);
  EXPECT_NO_THROW(xml::parse(svg(Figure{})));
  EXPECT_NO_THROW(xml::parse(svg({.panels = {{}, {}}})));
}

TEST(Plot, TextStaysText) {
  const std::string odd = "a < b & \"c\" > 'd' \xC3\xA9\xE2\x88\x92";  // with an accent and a true minus sign
  Panel p{.title = odd, .x = {odd}, .y = {odd}, .series = {{odd, {0, 1}, {0, 1}}}, .notes = {{0.5, 0.2, odd}}};
  int found = 0;
  for (const auto& e : xml::parse(svg({.title = odd, .caption = odd, .panels = {p}}))) {
    if (e.name == "text" || e.name == "title") found += e.text == odd;
  }
  EXPECT_EQ(found, 8);
}

TEST(Plot, BadBytesDoNoHarm) {
  for (const std::string bad :
       {"\xFF", "a\xC3", "\xE2\x88", "\xED\xA0\x80", "\xC0\x80", "\xF5\x80\x80\x80", "\x01\x7F"})
    EXPECT_NO_THROW(xml::parse(svg({.title = bad, .caption = bad + "^{", .panels = {{.title = bad}}})));
  EXPECT_EQ(escape("a\xFF z"), "a\uFFFD z");
  EXPECT_EQ(escape("\xED\xA0\x80z"), "\uFFFDz");              // half of a surrogate pair
  EXPECT_EQ(escape("\x9F\xBFz"), "\uFFFD\uFFFDz");            // continuations of nothing
  EXPECT_EQ(escape("\xC0\xAFz"), "\uFFFD\uFFFDz");            // a longer way to write /
  EXPECT_EQ(escape("\xF0\x9D\x9C\x87"), "\xF0\x9D\x9C\x87");  // a mathematical mu
}

TEST(Plot, ScriptsAreRaisedAndLowered) {
  EXPECT_EQ(rich_text("m/s^2", 10), "m/s<tspan dy=\"-3.6\" font-size=\"7.2\">2</tspan>");
  EXPECT_EQ(rich_text("F_{s} & G", 10),
            "F<tspan dy=\"1.6\" font-size=\"7.2\">s</tspan><tspan dy=\"-1.6\"> &amp; G</tspan>");
  EXPECT_EQ(rich_text("10^-6", 10), "10<tspan dy=\"-3.6\" font-size=\"7.2\">\u22126</tspan>");
  EXPECT_EQ(rich_text("spring_force a^b ^ _{", 10), "spring_force a^b ^ _{");
}

TEST(Plot, WidthsAreNotTooSmall) {
  // Helvetica: V 667, e 556, l 222, o 556, c 500, i 222, t 278, y 500. DejaVu Sans: V 684, e 615, l 278, o 612, c 550,
  // i 278, t 392, y 592.
  EXPECT_GE(text_width("Velocity", {10}), 10 * 4.001 - 1e-9);
  EXPECT_LE(text_width("Velocity", {10}), 10 * 4.1);
  EXPECT_GE(text_width("x^{2}", {10}), text_width("x", {10}) + 4);
  EXPECT_EQ(wrap("one two  three", {10}, text_width("one two", {10})), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("aaaa", {10}, text_width("aa", {10})), (std::vector<std::string>{"aa", "aa"}));
  EXPECT_EQ(wrap("a\nb", {10}, 100), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(wrap("", {10}, 100).empty());
}

TEST(Plot, SameBytesAlways) {
  struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::string first = svg(rich());
  const std::locale before = std::locale::global(std::locale(std::locale(), new Commas));
  const std::string second = svg(rich());
  std::locale::global(before);
  EXPECT_EQ(first, second);
}

TEST(Plot, StackedPanelsAreAligned) {
  const auto t = grid(0, 10, 50);
  Figure f{
      .panels = {{.x = {"t (s)"}, .y = {"x"}, .series = {{"", t, t}}},
                 {.x = {"t (s)"}, .y = {"F"}, .series = {{"", t, map(t, [](double v) { return 12345.678 * v; })}}}}};
  const auto frames = [&] {
    std::set<std::string> out;
    for (const auto& e : xml::parse(svg(f))) {
      if (e.name == "g")
        out.insert("x " + e.attributes.at("transform").substr(0, e.attributes.at("transform").find(' ')));
      if (e.name == "rect" && e.attributes.contains("stroke")) out.insert("w " + e.attributes.at("width"));
    }
    return out;
  };
  EXPECT_EQ(frames().size(), 2U);  // one left edge, one width
  const auto labels = [&](const std::string& text) {
    const auto all = xml::parse(svg(f));
    return std::count_if(all.begin(), all.end(), [&](const auto& e) { return e.name == "text" && e.text == text; });
  };
  EXPECT_EQ(labels("t (s)"), 1);
  f.share_x = false;
  EXPECT_EQ(labels("t (s)"), 2);
}

TEST(Plot, EqualAspect) {
  const auto a = grid(0, 6.3, 400);
  const auto size = [&](bool equal) {
    const Figure f = one(
        {.series = {{"", map(a, [](double v) { return std::cos(v); }), map(a, [](double v) { return std::sin(v); })}},
         .equal_aspect = equal});
    for (const auto& e : xml::parse(svg(f))) {
      if (e.name == "rect" && e.attributes.contains("stroke"))
        return std::pair{std::stod(e.attributes.at("width")), std::stod(e.attributes.at("height"))};
    }
    return std::pair{0.0, 0.0};
  };
  EXPECT_NEAR(size(true).first, size(true).second, 0.05);  // a circle in a square
  EXPECT_GT(size(false).first, 1.5 * size(false).second);
}

TEST(Plot, ManyMarksStayFew) {
  Panel p{.series = {{"", {0, 1}, {0, 1}}}};
  for (int i = 0; i < 100000; ++i) p.marks.push_back({i * 1e-5, "stick", Mark::Kind::stick});
  EXPECT_LT(svg(one(p)).size(), 30000U);
  p.marks.resize(1);
  EXPECT_NE(paths(one(p), "#444"), "");
}

TEST(Plot, StrangeDataAreDrawn) {
  const std::vector<std::vector<double>> columns = {{},
                                                    {1},
                                                    {0, 0, 0},
                                                    {5, 5, 5},
                                                    {hole, hole},
                                                    {inf, -inf},
                                                    {1, hole},
                                                    {1e308, -1e308},
                                                    {1e-320, 2e-320},
                                                    {1, 1 + 1e-15},
                                                    {1e300, 1e-300},
                                                    {-1, -2}};
  for (const auto& y : columns) {
    for (const bool log : {false, true}) {
      for (const Style style : {Style::line, Style::points, Style::steps, Style::line_and_points}) {
        Panel p{.x = {"x", log}, .y = {"y", log}, .series = {{"s", y, y, style}}, .bands = {{"b", y, y, y}}};
        p.horizontal = {{0, "zero"}, {hole, "nan"}};
        p.notes = {{0, inf, "nowhere"}};
        const std::string text = svg(one(p));
        EXPECT_NO_THROW(xml::parse(text));
        EXPECT_EQ(text.find("nan\""), std::string::npos);
        for (const double v : y) p.y.limits = {{v, 1}};
        EXPECT_NO_THROW(xml::parse(svg(one(p))));
      }
    }
  }
  EXPECT_NE(svg(one({.series = {{"s", {}, {}}}})).find("no data"), std::string::npos);
  const auto limited = [](std::optional<std::array<double, 2>> limits) {
    return svg(one({.y = {.limits = limits}, .series = {{"s", {0, 1}, {0, 1}}}}));
  };
  EXPECT_EQ(limited({{2, 2}}), limited({}));  // no range at all
  EXPECT_EQ(limited({{hole, 2}}), limited({}));
  EXPECT_EQ(limited({{2, 0}}), limited({{0, 2}}));
  EXPECT_NE(limited({{0, 2}}), limited({}));
}

TEST(Plot, WrongLengthsAreRefused) {
  EXPECT_THROW(svg(one({.series = {{"s", {1, 2}, {1}}}})), std::invalid_argument);
  EXPECT_THROW(svg(one({.bands = {{"b", {1, 2}, {1, 2}, {1}}}})), std::invalid_argument);
}

TEST(Plot, SeriesFromTrace) {
  const Trace trace{{{"t", "s", {0, 1}}, {"mu", "1", {0.1, 0.2}}}};
  EXPECT_EQ(label(trace.columns[0]), "t (s)");
  EXPECT_EQ(label(trace.columns[1]), "mu");
  const Series s = series(trace, "t", "mu");
  EXPECT_EQ(s.label, "mu");
  EXPECT_EQ(s.x, trace.columns[0].values);
  EXPECT_EQ(s.y, trace.columns[1].values);
  EXPECT_THROW(series(trace, "t", "v"), std::invalid_argument);
}

TEST(Prefixes, AreAChangeOfUnits) {
  // Micrometres and kilonewtons instead of metres and newtons: the same picture, whoever changes the unit.
  auto figure_in = [](const char* x_label, double x_unit, const char* y_label, double y_unit, bool prefixes) {
    Series s{.label = "measured"};
    Band band{.label = "range"};
    for (int i = 0; i <= 64; ++i) {
      const double x = 0.5 * i - 16, y = x * x / 8;  // exact in binary, and so is the product with a power of ten below
      s.x.push_back(x * x_unit);
      s.y.push_back(y * y_unit);
      band.x.push_back(x * x_unit);
      band.lo.push_back((y - 1) * y_unit);
      band.hi.push_back((y + 1) * y_unit);
    }
    Panel p{.title = "loop", .x = {x_label}, .y = {y_label}, .series = {s}, .bands = {band}};
    p.horizontal = {{10 * y_unit, "limit"}};
    p.marks = {{4 * x_unit, "stick", Mark::Kind::stick}};
    return Figure{.panels = {p}, .prefixes = prefixes};
  };
  const std::string given = svg(figure_in("Position x (m)", 1e-6, "Force (N)", 1e3, true));
  EXPECT_EQ(given, svg(figure_in("Position x (\u00b5m)", 1, "Force (kN)", 1, false)));
  EXPECT_NE(given.find("(\u00b5m)"), std::string::npos);
  // No unit, several units, or a unit without prefixes: as given.
  for (const char* label : {"Position", "x (m), y (m)", "Mass (kg)", "Temperature (degC)", "n (1/s)"}) {
    EXPECT_EQ(svg(figure_in(label, 1e-6, "F", 1, true)), svg(figure_in(label, 1e-6, "F", 1, false))) << label;
  }
}

TEST(Prefixes, FollowTheSizeOfTheNumbers) {
  auto label = [](const char* text, double most) {
    const std::string out = svg({.panels = {{.y = {text}, .series = {{"", {0, 1}, {0, most}}}}}});
    const std::size_t at = out.find(" (");
    return out.substr(at + 1, out.find(')', at) - at);
  };
  EXPECT_EQ(label("F (N)", 3), "(N)");
  EXPECT_EQ(label("F (N)", 0.02), "(mN)");
  EXPECT_EQ(label("F (N)", 2e7), "(MN)");
  EXPECT_EQ(label("v (m/s)", 3e-6), "(\u00b5m/s)");
  EXPECT_EQ(label("t (s)", 1e6), "(s)");  // not ks
  EXPECT_EQ(label("E (J)", 4e-10), "(pJ)");
  EXPECT_EQ(label("density (1/N)", 5e6), "(1/\u00b5N)");
  EXPECT_EQ(label("density (1/N)", 5), "(1/N)");
  // A detail with limits of its own has its own unit.
  auto panel = [](double end) {
    return Panel{.x = {"v (m/s)", false, std::array{0.0, end}}, .series = {{"", {0, end}, {0, 1}}}};
  };
  const std::string two = svg({.panels = {panel(0.1), panel(0.001)}, .share_x = false});
  EXPECT_NE(two.find("(m/s)"), std::string::npos);
  EXPECT_NE(two.find("(mm/s)"), std::string::npos);
}

TEST(Prefixes, OfTheColourBarOfAMap) {
  const Panel p{.map = Map{"peak (m)", {1, 2}, {1, 2, 3}, {1e-6, 2e-6, 3e-6, 4e-6, hole, 6e-6}}};
  Figure figure{.panels = {p}};
  EXPECT_NE(svg(figure).find("peak (\u00b5m)"), std::string::npos);
  EXPECT_EQ(svg(figure).find("cells"), std::string::npos);
  figure.interactive = true;  // the script of a page reads the values
  EXPECT_NE(svg(figure).find(R"(data-x="1 2" data-y="1 2 3" data-z="1 2 3 4 nan 6")"), std::string::npos);
}

TEST(Plot, CurvesOfOneColourHaveOtherDashes) {
  Panel p;
  for (int k = 0; k < 40; ++k) p.series.push_back({"curve " + std::to_string(k), {0, 1}, {0.0 + k, 1.0 + k}});
  const std::string out = svg({.panels = {p}});
  std::set<std::string> strokes;
  std::size_t curves = 0;
  for (std::size_t at = out.find("stroke=\"#"); at != std::string::npos; at = out.find("stroke=\"#", at + 1)) {
    const std::string one = out.substr(at, out.find(" d=", at) - at);
    if (one.find("\"1.1\"") == std::string::npos && one.find("\"0.55\"") == std::string::npos) continue;
    ++curves;
    strokes.insert(one);
  }
  EXPECT_EQ(curves, 80U);  // and their samples
  EXPECT_EQ(strokes.size(), 40U);
}

TEST(Prefixes, LegendsAndFontsDoNotMoveData) {
  Series s{"a", {0, 1, 2}, {1, 3, 2}};
  Figure f{.panels = {{.series = {s}}, {.series = {s}}}};
  auto count = [&](Legends legends) {
    f.legends = legends;
    const std::string out = svg(f);
    std::size_t n = 0;
    for (std::size_t at = out.find(">a<"); at != std::string::npos; at = out.find(">a<", at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count(Legends::automatic), 2U);
  EXPECT_EQ(count(Legends::above), 2U);
  EXPECT_EQ(count(Legends::shared), 1U);
  EXPECT_EQ(count(Legends::none), 0U);
}

struct Files : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("plot_test-" + std::to_string(::getpid()));
  Figure figure = one({.series = {{"s", {0, 1, 2}, {1, 4, 9}}}});
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  std::string at(const char* name) const { return (folder / name).string(); }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {})); }
  static std::string read(const std::string& path) { return read_file(path, 1 << 24); }
  std::string error(const std::string& path) const {
    try {
      write_figure(figure, path);
    } catch (const std::exception& e) { return e.what(); }
    return "";
  }
};

TEST_F(Files, SvgIsTheString) {
  write_figure(figure, at("a.svg"));
  EXPECT_EQ(read(at("a.svg")), svg(figure));
  EXPECT_EQ(files(), 1U);
}

TEST_F(Files, PngAndPdf) {
  if (std::system("command -v rsvg-convert >/dev/null") != 0) GTEST_SKIP() << "no rsvg-convert";
  write_figure(figure, at("a.png"));
  write_figure(figure, at("a.pdf"));
  EXPECT_EQ(read(at("a.png")).substr(0, 4), "\x89PNG");
  EXPECT_EQ(read(at("a.pdf")).substr(0, 5), "%PDF-");
  EXPECT_EQ(files(), 2U);
}

TEST_F(Files, MissingProgramIsSaid) {
  std::ofstream(at("old.png")) << "old";
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const std::string said = error(at("old.png"));
  const std::string fine = error(at("new.svg"));
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(said, "PNG and PDF require the program rsvg-convert (package librsvg2-bin); SVG is accepted without it");
  EXPECT_EQ(fine, "");
  EXPECT_EQ(read(at("old.png")), "old");  // what was there is still there
  EXPECT_EQ(files(), 2U);
}

TEST_F(Files, WhatCannotBeWrittenIsSaidAndLeavesNothing) {
  fs::create_directories(at("folder.svg"));
  EXPECT_NE(error(at("folder.svg")), "");
  EXPECT_NE(error(at("no/such/folder.svg")), "");
  for (const char* name : {"a.gif", "a", "svg", "a.SVG.txt"})
    EXPECT_NE(error(at(name)).find(".svg, .png or .pdf"), std::string::npos) << name;
  EXPECT_EQ(files(), 1U);
}

}  // namespace
