/// Figures and pages of runs: correct labels and units, the requested panels, self-contained pages.
#include "bristle/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "bristle/report/compare.hpp"
#include "support/scenario.hpp"
#include "support/xml.hpp"

using namespace bristle;
using namespace bristle::report;

namespace {

Run run_of(const Scenario& s) { return simulate(s.experiment, {.probes = probe_times(s)}); }

plot::Figure figure(const std::string& text) {
  const Scenario s = good(text);
  return figure_of(s, run_of(s));
}
plot::Panel panel(const std::string& text, const std::string& spec) {
  return figure(text + "[[figure]]\n" + spec).panels.at(0);
}
Lines labels(const plot::Panel& panel) {
  Lines out;
  for (const plot::Series& s : panel.series) out.push_back(s.label);
  return out;
}

const std::string servo = with(with(with(stick_slip, "stiffness = 2.0\n", "[controller]\nkp = 100\nkd = 10\n"),
                                    "kind = \"ramp\"\nvelocity = 0.1", "kind = \"step\"\nsize = 0.01"),
                               "duration = 20.0", "duration = 1.0");
const std::string led = R"([friction]
model = "maxwell_slip"
k = [4e4, 2e4]
W = [0.1, 0.3]
[system]
kind = "prescribed"
[drive]
kind = "triangle"
amplitude = 30e-6
frequency = 1
[solver]
duration = 1
)";
const std::string two_contacts = R"([[friction]]
name = "left"
model = "coulomb"
Fc = 0.6
[[friction]]
name = "right"
model = "dahl"
Fc = 0.4
sigma0 = 1e4
[system]
kind = "slider"
mass = 1
stiffness = 100
[drive]
kind = "step"
size = 0.1
[solver]
duration = 1
)";

TEST(ReportLabels, HaveWordSymbolAndUnit) {
  const plot::Panel p = panel(stick_slip, "y = \"F\"");
  EXPECT_EQ(p.x.label, "Time t (s)");
  EXPECT_EQ(p.y.label, "Friction force F (N)");
  EXPECT_EQ(labels(p), Lines{""});  // one curve needs no legend
  EXPECT_EQ(panel(stick_slip, "x = \"v\"\ny = \"F_app\"").x.label, "Velocity v (m/s)");
  EXPECT_EQ(panel(stick_slip, "y = \"F_app\"").y.label, "Applied force F_{app} (N)");
  EXPECT_EQ(panel(stick_slip, "y = \"z\"").y.label, "Bristle deflection z (m)");
  EXPECT_EQ(panel(led, "y = \"f2\"").y.label, "Element force f_{2} (N)");
  EXPECT_EQ(panel(two_contacts, "y = \"F_left\"").y.label, "Friction force F_{left} (N)");
  EXPECT_EQ(panel(two_contacts, "y = \"right.f\"").y.label, "Friction force without the viscous part f (right) (N)");
  EXPECT_EQ(panel(servo, "y = \"reference - x\"").y.label, "reference − x (m)");
}

TEST(ReportLabels, OfARotation) {
  const std::string joint = with(stick_slip, "units = \"linear\"", "units = \"rotational\"");
  EXPECT_EQ(panel(joint, "y = \"F\"").y.label, "Friction torque F (N m)");
  EXPECT_EQ(panel(joint, "y = \"v\"").y.label, "Angular velocity v (rad/s)");
  EXPECT_EQ(panel(joint, "y = [\"x\", \"drive\"]").y.label, "Angle (rad)");
  EXPECT_EQ(panel(joint, "y = \"z\"").y.label, "Bristle deflection z (rad)");
}

TEST(ReportLabels, OfSeveralColumns) {
  const plot::Panel same = panel(stick_slip, "y = [\"F\", \"F_app\"]");
  EXPECT_EQ(same.y.label, "Force (N)");
  EXPECT_EQ(labels(same), (Lines{"Friction force F", "Applied force F_{app}"}));
  const plot::Panel mixed = panel(stick_slip, "y = [\"x\", \"v\"]");
  EXPECT_EQ(mixed.y.label, "");
  EXPECT_EQ(labels(mixed), (Lines{"Position x (m)", "Velocity v (m/s)"}));
  EXPECT_EQ(panel(two_contacts, "y = [\"F_left\", \"F_right\"]").y.label, "Friction force (N)");
  const plot::Panel own = panel(stick_slip, "y = [\"x\", \"drive\"]\nlegend = [\"mass\", \"hand\"]\nylabel = \"way\"");
  EXPECT_EQ(labels(own), (Lines{"mass", "hand"}));
  EXPECT_EQ(own.y.label, "way");
}

TEST(ReportPanels, ShowWhatTheScenarioSays) {
  const plot::Panel p =
      panel(stick_slip, "y = \"F\"\ntitle = \"T\"\nxlim = [1, 5]\nylim = [0.1, 2]\nylog = true\nevents = true");
  EXPECT_EQ(p.title, "T");
  EXPECT_EQ(p.x.limits, (std::array{1.0, 5.0}));
  EXPECT_EQ(p.y.limits, (std::array{0.1, 2.0}));
  EXPECT_TRUE(p.y.log);
  EXPECT_FALSE(p.x.log);
  const Scenario s = good(stick_slip);
  ASSERT_EQ(p.marks.size(), run_of(s).events.size());
  EXPECT_GE(p.marks.size(), 4U);
  EXPECT_EQ(p.marks[0].kind, plot::Mark::Kind::stick);
  EXPECT_EQ(p.marks[1].kind, plot::Mark::Kind::slip_plus);
  EXPECT_TRUE(panel(stick_slip, "y = \"F\"").marks.empty());
}

TEST(ReportPanels, ADifferenceIsDrawn) {
  const Scenario s = good(servo + "[[figure]]\ny = \"reference - x\"\n");
  const auto run = run_of(s);
  const plot::Panel p = figure_of(s, run).panels.at(0);
  const std::size_t last = run.trace.rows() - 1;
  EXPECT_EQ(p.series[0].y.back(), run.trace.find("reference")->values[last] - run.trace.find("x")->values[last]);
}

TEST(ReportPanels, SoAreAProductAndARatio) {
  const Scenario s = good(stick_slip + "[[figure]]\ny = \"F * v\"\n[[figure]]\ny = \"F / F_app\"\n");
  const auto run = run_of(s);
  const auto panels = figure_of(s, run).panels;
  const std::size_t last = run.trace.rows() - 1;
  const auto value = [&](const char* name) { return run.trace.find(name)->values[last]; };
  EXPECT_EQ(panels.at(0).series[0].y.back(), value("F") * value("v"));
  EXPECT_EQ(panels.at(1).series[0].y.back(), value("F") / value("F_app"));
  EXPECT_EQ(panels.at(0).y.label, "F · v (N m/s)");
  EXPECT_EQ(panels.at(1).y.label, "F / F_{app}");
  EXPECT_EQ(panel(stick_slip, "y = \"v * v\"").y.label, "v · v ((m/s)^2)");
  EXPECT_EQ(panel(stick_slip, "y = \"F / x\"").y.label, "F / x (N/m)");
}

TEST(ReportPanels, OfTheLastPartOfARun) {
  const Scenario s = good(stick_slip + "[[figure]]\ny = \"F\"\nlast = 0.25\n");
  const plot::Panel p = figure_of(s, run_of(s)).panels.at(0);
  EXPECT_NEAR(p.series[0].x.front(), 15, 0.021);
  EXPECT_EQ(p.series[0].x.back(), 20);
  EXPECT_EQ(p.series[0].x.size(), p.series[0].y.size());
}

TEST(ReportPanels, ByDefault) {
  const auto columns = [](const std::string& text) {
    Lines out;
    for (const FigureSpec& f : figures_of(good(text))) {
      std::string line = f.x + ":";
      for (const std::string& y : f.y) line += " " + y;
      out.push_back(line);
    }
    return out;
  };
  EXPECT_EQ(columns(stick_slip), (Lines{"t: x drive", "t: v", "t: F F_app"}));
  EXPECT_EQ(columns(servo), (Lines{"t: x reference", "t: v", "t: F u"}));
  EXPECT_EQ(columns(led), (Lines{"t: F", "x: F"}));
  EXPECT_EQ(columns(with(led, "kind = \"triangle\"", "of = \"velocity\"\nkind = \"triangle\"")),
            (Lines{"t: F", "v: F"}));
  const std::string roller = with(with(stick_slip, "\"slider\"", "\"roller\""), "mass = 2", "mass = 2\nradius = 1");
  EXPECT_EQ(columns(roller), (Lines{"t: x drive", "t: v v_slip", "t: F F_app"}));
  EXPECT_EQ(columns(stick_slip + "[[figure]]\ny = \"z\""), (Lines{"t: z"}));
  EXPECT_EQ(figure(stick_slip).title, "Stick-slip");
}

TEST(ReportPanels, OfSeveralRuns) {
  const Scenario a = good(stick_slip), b = good(stick_slip, {"system.mass=4"});
  const auto run_a = run_of(a), run_b = run_of(b);
  const std::array<Shown, 2> runs{Shown{&a, &run_a, "light", 0}, Shown{&b, &run_b, "heavy", 3}};
  const plot::Panel one = panel_of({.y = {"x"}}, runs);
  EXPECT_EQ(labels(one), (Lines{"light", "heavy"}));
  EXPECT_EQ(one.series[1].color, 3);
  EXPECT_NE(one.series[0].dash, one.series[1].dash);
  // The drive is the same in both: drawn once, and no question which column is meant.
  EXPECT_EQ(labels(panel_of({.y = {"x", "drive"}}, runs)), (Lines{"light", "heavy", "Drive position"}));
  EXPECT_EQ(labels(panel_of({.y = {"F", "F_app"}}, runs)),
            (Lines{"light: Friction force F", "heavy: Friction force F", "light: Applied force F_{app}",
                   "heavy: Applied force F_{app}"}));
  const plot::Figure f = figure_of({panel_of({.y = {"x"}}, runs), panel_of({.y = {"v"}}, runs)});
  EXPECT_TRUE(f.panels[0].legend);
  EXPECT_FALSE(f.panels[1].legend);  // it would say the same again
  const plot::Panel loops = panel_of({.x = "v", .y = {"F"}}, runs);
  EXPECT_EQ(loops.series[1].dash, 0);  // a reciprocating curve
}

std::string body(const std::string& page) {
  const std::string head = "<!DOCTYPE html>\n";
  EXPECT_TRUE(page.starts_with(head));
  return page.substr(head.size());
}
std::string page_of(const std::string& text, const Lines& changes = {}) {
  const Scenario s = good(text, changes);
  Run run = run_of(s);
  run.summary.seconds = 0;
  return run_page(s, run, check(s, run));
}
bool has(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

TEST(ReportPage, HasAllItsParts) {
  const std::string page = page_of(with(stick_slip, "Stick-slip", "Stick <& slip>") +
                                   "[expect]\n\"max(F)\" = { value = 1.5, rel = 0.1 }\n\"x(5)\" = { min = 1 }\n");
  const std::vector<xml::Element> elements = xml::parse(body(page));
  const auto text_of = [&](const std::string& name) {
    Lines out;
    for (const xml::Element& e : elements) {
      if (e.name == name) out.push_back(e.text);
    }
    return out;
  };
  EXPECT_EQ(text_of("h1"), Lines{"Stick <& slip>"});
  EXPECT_EQ(text_of("h2"), (Lines{"Checks", "Parameters", "Energy", "Events", "Solver", "Scenario"}));
  EXPECT_EQ(text_of("svg").size(), 1U);
  const Lines cells = text_of("td");
  for (const char* cell : {"max(F)", "1.5 within 10 %", "✓ holds", "✗ violated", "sigma0", "100000", "N/m",
                           "bristle stiffness", "work of the drive", "slip+"}) {
    EXPECT_NE(std::find(cells.begin(), cells.end(), cell), cells.end()) << cell;
  }
  EXPECT_TRUE(has(page, "1 of 2 checks holds"));
  EXPECT_TRUE(has(text_of("pre").at(0), "title = \"Stick <& slip>\""));
  // Nothing is fetched from elsewhere: the page forbids it, and its only script is inline.
  EXPECT_TRUE(has(page, "default-src 'none'"));
  EXPECT_EQ(text_of("script").size(), 1U);
  for (const xml::Element& e : elements) {
    EXPECT_NE(e.name, "link");
    EXPECT_FALSE(e.attributes.contains("src"));
  }
  EXPECT_EQ(page, page_of(with(stick_slip, "Stick-slip", "Stick <& slip>") +
                          "[expect]\n\"max(F)\" = { value = 1.5, rel = 0.1 }\n\"x(5)\" = { min = 1 }\n"));
}

TEST(ReportPage, ParametersAreThoseThatWereSet) {
  const std::string page = page_of(led);
  EXPECT_TRUE(has(page, "[40000, 20000]"));  // an array is one line
  EXPECT_TRUE(has(page, "element stiffness"));
  EXPECT_FALSE(has(page, "max_steps"));          // at its default
  EXPECT_FALSE(has(page, "<code>mass</code>"));  // nothing has one here
  const std::string joint = page_of(with(stick_slip, "units = \"linear\"", "units = \"rotational\""));
  EXPECT_TRUE(has(joint, "<td class=\"n\">kg m<sup>2</sup></td>"));
  EXPECT_TRUE(has(joint, "<td class=\"n\">N m s/rad</td>"));
  EXPECT_TRUE(has(page_of(stick_slip, {"system.mass=3"}), "# --set system.mass=3\n"));
}

const std::string population = R"toml([friction]
model = "gfm"
asperities = 30
[system]
kind = "slider"
mass = 20
stiffness = 0.3
[drive]
kind = "ramp"
velocity = 0.02
[solver]
duration = 5
[measure]
peak = { of = "max(F)", from = 1, to = 4 }
[expect]
"mean(F)" = { min = 0, from = 1 }
"min(F, 2, 3)" = { min = 0 }
)toml";

TEST(ReportPage, PopulationsHaveNoUnits) {
  const std::string page = page_of(population);
  for (const char* unit : {"(s)", "(m)", "(N)", "(J)", ">N<", ">m<", ">J<", "N/m", "m/s", " s<"})
    EXPECT_FALSE(has(page, unit)) << unit;
  EXPECT_TRUE(has(page, "from 1 to 4"));
  EXPECT_FALSE(has(page, "from 2 to 3"));  // the text of the quantity has it
  // A scale converts them to those of a plant.
  const std::string scaled = page_of(population, {"friction.scale=3"});
  for (const char* unit : {"(s)", ">J<", ">N/m<", "from 1 s to 4 s"}) EXPECT_TRUE(has(scaled, unit)) << unit;
}

TEST(ReportPage, DrivesAndLoadsAreSettings) {
  const std::string page = page_of(stick_slip + "[load]\nkind = \"sum\"\nterms = [{ kind = \"constant\", value = 1 }, "
                                                "{ kind = \"sine\", amplitude = 0.125, frequency = 3 }]\n");
  for (const char* cell :
       {"<td>drive</td>", "<td class=\"r\">ramp</td>", "<td class=\"r\">0.1</td><td class=\"n\">m/s</td>",
        "<td>load term 2</td>", "<td class=\"r\">0.125</td><td class=\"n\"></td>"})
    EXPECT_TRUE(has(page, cell)) << cell;
}

TEST(ReportCompare, ShowsWhatDiffersInTheDrive) {
  auto compared = [](const Lines& changes) {
    Scenario s = good(stick_slip, changes);
    bristle::Run run = run_of(s);
    return sweep::Compared{"run", std::move(s), std::move(run), ""};
  };
  std::vector<sweep::Compared> runs;
  runs.push_back(compared({}));
  runs.push_back(compared({"drive.velocity=0.2"}));
  EXPECT_TRUE(has(compare_page(runs, {"x"}), "<td class=\"r\">0.1 m/s</td><td class=\"r\">0.2 m/s</td>"));
  runs[1] = compared({});
  EXPECT_TRUE(has(compare_page(runs, {"x"}), "<p>None.</p>"));
}

TEST(ReportCharacterization, OfAPopulationHasNoUnits) {
  auto page = [](const Table& more) {
    Table table{{"asperities", 10}};
    table.insert(table.end(), more.begin(), more.end());
    const Made made = make("gfm", table);
    tribometer::Characterization result{.label = "gfm", .model = "gfm", .sizes = {1, 1, 1, 1}};
    result.findings = {};
    for (const auto& e : tribometer::experiments()) result.measurements.push_back({.experiment = e.name});
    result.measurements[0].quantities = {{"loop_area", "J", "energy lost", 1}};
    const std::vector<Characterized> one{{&result, made.contact->parameters(), "gfm.toml", ""}};
    return characterization_page(one);
  };
  EXPECT_FALSE(has(page({}), ">J<"));
  EXPECT_FALSE(has(page({}), " N/m"));
  EXPECT_TRUE(has(page({{"scale", 2}}), ">J<"));
}

TEST(ReportPage, ManyEventsAreFolded) {
  EXPECT_FALSE(has(page_of(stick_slip), "<details"));
  const std::string page = page_of(stick_slip, {"solver.duration=100"});
  EXPECT_TRUE(has(page, "<details>"));
  EXPECT_NO_THROW(xml::parse(body(page)));
}

}  // namespace
