/// [expect]: accepted forms and correct results, on traces with values known by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/scenario.hpp"

using namespace bristle;

namespace {

Scenario expecting(const std::string& lines) { return good(stick_slip + "[expect]\n" + lines); }
Lines said(const std::string& line) {
  Lines out;
  for (const std::string& l : problems(stick_slip + "[expect]\n" + line)) {
    EXPECT_EQ(l.substr(0, 11), "s.toml:21: ");
    out.push_back(l.substr(11));
  }
  return out;
}

/// x = t and v = t^2 at t = 0, 1, 2, 3, 4; F jumps from -1 to 3.
Run ramp() {
  Run run;
  run.trace.columns = {{"t", "s", {0, 1, 2, 3, 4}},
                       {"x", "m", {0, 1, 2, 3, 4}},
                       {"v", "m/s", {0, 1, 4, 9, 16}},
                       {"F", "N", {-1, -1, 3, 3, 3}}};
  run.probes.columns = {
      {"t", "s", {0.5, 2.25}}, {"x", "m", {0.5, 2.25}}, {"v", "m/s", {0.25, 5.0625}}, {"F", "N", {-1, 3}}};
  run.events = {{1, Event::slip_forward, 1}, {1.5, Event::stick, 1},          {3, Event::slip_forward, 1},
                {3.5, Event::stick, 1},      {3.75, Event::slip_backward, 1}, {6, Event::slip_forward, 1}};
  return run;
}
double computed(const std::string& function, const std::string& window = "") {
  const Scenario s = expecting("\"" + function + "\" = { min = -1e9" + window + " }");
  return check(s, ramp()).at(0).computed;
}
Checked corrected(const std::string& line) {
  static Scenario s;
  s = expecting(line);
  return check(s, ramp()).at(0);
}

}  // namespace

TEST(Expect, Functions) {
  EXPECT_EQ(computed("max(v)"), 16);
  EXPECT_EQ(computed("min(F)"), -1);
  EXPECT_EQ(computed("final(v)"), 16);
  EXPECT_EQ(computed("integral(x)"), 8);
  EXPECT_EQ(computed("mean(x)"), 2);
  EXPECT_DOUBLE_EQ(computed("rms(F)"), std::sqrt((1 + 5 + 9 + 9) / 4.0)) << "trapezoids of F^2: 1, (1 + 9)/2, 9, 9";
  EXPECT_EQ(computed("x(2.25)"), 2.25);
  EXPECT_EQ(computed(" v ( 0.5 ) "), 0.25);
}

TEST(Expect, TwoQuantities) {
  EXPECT_EQ(computed("x(2.25) - x(0.5)"), 1.75);
  EXPECT_EQ(computed("max(v)/mean(x)"), 8);
  EXPECT_EQ(computed("max(v, 0, 3) - max(v, 0, 2)"), 5);
  EXPECT_EQ(computed("final(v) - mean(x, 0, 2)", ", to = 3"), 8) << "the window is for what has none";
  EXPECT_EQ(computed("max(F - x) - count(slip-)"), 0);
  EXPECT_TRUE(std::isnan(computed("max(v) / x(0)")));
  const Scenario s = expecting("\"x(5) - x(2)\" = { min = 0 }");
  EXPECT_EQ(probe_times(s), (std::vector<double>{2, 5}));
}

TEST(Expect, OverSeveralRuns) {
  const Scenario s = expecting("\"max(v)\" = { value = 18, abs = 0.1 }\n\"count(slip+)\" = { min = 3 }");
  std::vector<bristle::Run> others{ramp(), ramp()};
  others[0].trace.columns[2].values.back() = 18;
  others[1].trace.columns[2].values.back() = 20;
  const auto c = check(s, ramp(), others);
  EXPECT_DOUBLE_EQ(c[0].computed, 18);
  EXPECT_DOUBLE_EQ(c[0].deviation, 2);
  EXPECT_EQ(c[0].line, "max(v) = 18 (mean of 3 runs, deviation 2), expected 18 within 0.1: holds");
  others[1].events.clear();
  EXPECT_FALSE(check(s, ramp(), others)[1].held);
}

TEST(Expect, Windows) {
  EXPECT_EQ(computed("max(v)", ", to = 2"), 4);
  EXPECT_EQ(computed("min(v)", ", from = 2"), 4);
  EXPECT_EQ(computed("final(v)", ", to = 3"), 9);
  EXPECT_EQ(computed("integral(x)", ", from = 0.5, to = 3.5"), 6) << "(3.5^2 - 0.5^2)/2: ends between rows count";
  EXPECT_EQ(computed("mean(x)", ", from = 1.25, to = 1.75"), 1.5) << "a window between two rows";
  EXPECT_EQ(computed("count(slip+)", ", from = 2"), 2);
  EXPECT_EQ(computed("time(slip+, 1)", ", from = 2"), 3);
}

TEST(Expect, Events) {
  EXPECT_EQ(computed("count(stick)"), 2);
  EXPECT_EQ(computed("count(slip+)"), 3);
  EXPECT_EQ(computed("count(slip-)"), 1);
  EXPECT_EQ(computed("time(slip+)"), 1);
  EXPECT_EQ(computed("time(slip+, 2)"), 3);
  EXPECT_EQ(computed("period(slip+)"), 2.5) << "mean of 2 and 3";
  EXPECT_EQ(computed("period(slip+)", ", to = 4"), 2);
}

TEST(Expect, Tolerances) {
  EXPECT_TRUE(corrected("\"max(v)\" = { value = 15.9, abs = 0.11 }").held);
  EXPECT_FALSE(corrected("\"max(v)\" = { value = 15.9, abs = 0.09 }").held);
  EXPECT_TRUE(corrected("\"max(v)\" = { value = 16.1, rel = 0.01 }").held);
  EXPECT_FALSE(corrected("\"max(v)\" = { value = 16.1, rel = 0.001 }").held);
  EXPECT_TRUE(corrected("\"min(F)\" = { value = -1.05, rel = 0.05 }").held)
      << "relative to the size of a negative value";
  EXPECT_TRUE(corrected("\"max(v)\" = { value = 16.1, rel = 0.001, abs = 0.2 }").held) << "one of the two is enough";
  EXPECT_TRUE(corrected("\"count(stick)\" = { value = 2, abs = 0 }").held);
  EXPECT_TRUE(corrected("\"max(v)\" = { min = 16, max = 16 }").held);
  EXPECT_FALSE(corrected("\"max(v)\" = { min = 16.1 }").held);
  EXPECT_FALSE(corrected("\"max(v)\" = { max = 15.9 }").held);
}

TEST(Expect, Lines) {
  EXPECT_EQ(corrected("\"max(v)\" = { value = 15.9, rel = 0.02 }").line,
            "max(v) = 16, expected 15.9 within 2 %: holds");
  EXPECT_EQ(corrected("\"max(v)\" = { value = 15, abs = 0.5 }").line, "max(v) = 16, expected 15 within 0.5: violated");
  EXPECT_EQ(corrected("\"max(v)\" = { value = 15, abs = 0.5, rel = 0.1 }").line,
            "max(v) = 16, expected 15 within 0.5 or 10 %: holds");
  EXPECT_EQ(corrected("\"max(v)\" = { min = 1, max = 2 }").line,
            "max(v) = 16, expected at least 1, at most 2: violated");
}

TEST(Expect, WhatCannotBeComputedIsViolatedAndSaysWhy) {
  EXPECT_EQ(
      corrected("\"period(stick)\" = { min = 0, to = 3 }").line,
      "period(stick) is undefined: a period requires two such events, the run has 1, expected at least 0: violated");
  EXPECT_EQ(corrected("\"time(slip+, 9)\" = { min = 0 }").line,
            "time(slip+, 9) is undefined: the run has 3 such events, expected at least 0: violated");
  EXPECT_EQ(corrected("\"x(7)\" = { min = 0 }").line,
            "x(7) is undefined: the run ended before this time, expected at least 0: violated");
  EXPECT_TRUE(std::isnan(corrected("\"x(7)\" = { min = 0 }").computed));
  bristle::Run run = ramp();
  run.trace.columns[3].values[2] = std::numeric_limits<double>::quiet_NaN();
  const Scenario s = expecting("\"max(F)\" = { min = -9 }\n\"min(F)\" = { min = -9 }\n\"mean(F)\" = { min = -9 }");
  for (const Checked& c : check(s, run)) EXPECT_FALSE(c.held) << c.line;
}

TEST(Expect, ProbeTimesAreSortedAndUnique) {
  const Scenario s =
      expecting("\"x(5)\" = { min = 0 }\n\"v(1.5)\" = { min = 0 }\n\"v(5)\" = { min = 0 }\n\"max(v)\" = { min = 0 }");
  EXPECT_EQ(probe_times(s), (std::vector<double>{1.5, 5}));
}

TEST(Expect, InTheOrderOfTheFile) {
  const Scenario s = expecting("\"x(20)\" = { min = 0 }\n\"max(v)\" = { min = 0 }\n\"F(0)\" = { min = 0 }");
  ASSERT_EQ(s.expectations.size(), 3U);
  EXPECT_EQ(s.expectations[0].text, "x(20)") << "the end belongs to the run";
  EXPECT_EQ(s.expectations[1].text, "max(v)");
  EXPECT_EQ(s.expectations[2].text, "F(0)");
}

TEST(Expect, PartsArriveWhereTheyBelong) {
  const Scenario s =
      expecting("\"time( slip+ , 2 )\" = { value = 1, abs = 2, rel = 3, min = -4, max = 5, from = 6, to = 7 }");
  const Expectation& e = s.expectations.at(0);
  EXPECT_EQ(e.function, "time");
  EXPECT_EQ(e.of, "slip+");
  EXPECT_EQ(e.argument, 2);
  EXPECT_EQ(e.value, 1);
  EXPECT_EQ(e.abs, 2);
  EXPECT_EQ(e.rel, 3);
  EXPECT_EQ(e.min, -4);
  EXPECT_EQ(e.max, 5);
  EXPECT_EQ(e.from, 6);
  EXPECT_EQ(e.to, 7);
  EXPECT_EQ(e.where, "s.toml:21");
}

TEST(Expect, WrongFunctions) {
  EXPECT_EQ(said("\"mx(F)\" = { min = 0 }"),
            Lines{"\"mx(F)\" in [expect]: unknown function 'mx', did you mean 'max'?"});
  EXPECT_EQ(said("\"max(f)\" = { min = 0 }"), Lines{"\"max(f)\" in [expect]: unknown column 'f', did you mean 'F'?"});
  EXPECT_EQ(said("\"max(omega)\" = { min = 0 }"),
            Lines{"\"max(omega)\" in [expect]: unknown column 'omega'; accepted: t, x, v, F, F_app, drive, z"});
  EXPECT_EQ(said("\"drvie(3)\" = { min = 0 }"),
            Lines{"\"drvie(3)\" in [expect]: unknown column 'drvie', did you mean 'drive'?"});
  EXPECT_EQ(said("\"count(slip)\" = { min = 0 }"),
            Lines{"\"count(slip)\" in [expect]: unknown event 'slip', did you mean 'slip+'?"});
  EXPECT_EQ(said("\"count(slip+, 2)\" = { min = 0 }"), Lines{"\"count(slip+, 2)\" in [expect]: must have one event"});
  EXPECT_EQ(
      said("\"max(F, 2)\" = { min = 0 }"),
      Lines{
          "\"max(F, 2)\" in [expect]: must have one column, or a column and the two ends of a window: mean(F, 5, 20)"});
  EXPECT_EQ(said("\"max(F, 3, 2)\" = { min = 0 }"),
            Lines{"\"max(F, 3, 2)\" in [expect]: from = 3 s must be less than to = 2 s"});
  EXPECT_EQ(said("\"max(F, 1, 2)\" = { min = 0, from = 1 }"),
            Lines{"\"max(F, 1, 2)\" in [expect]: from and to are not accepted with a window in the function"});
  EXPECT_EQ(said("\"max(F) - mx(F)\" = { min = 0 }"),
            Lines{"\"max(F) - mx(F)\" in [expect]: unknown function 'mx', did you mean 'max'?"});
  EXPECT_EQ(said("\"time(slip+, 1.5)\" = { min = 0 }"),
            Lines{"\"time(slip+, 1.5)\" in [expect]: '1.5' must be the number of the event, counted from 1"});
  const std::string form = "must be a function of a column, such as max(F), or its value at a time, such as x(5)";
  for (const std::string key : {"F", "", "(F)", "max(F", "max)F("}) {
    EXPECT_EQ(said("\"" + key + "\" = { min = 0 }"), Lines{"\"" + key + "\" in [expect]: " + form});
  }
}

TEST(Expect, WrongBounds) {
  auto wrong = [](const std::string& value) { return said("\"max(F)\" = " + value); };
  const std::string at = "\"max(F)\" in [expect]: ";
  EXPECT_EQ(wrong("1.5"), Lines{at + "1.5 must be { value = 1.5, rel = 0.01 }, or with abs, or with bounds min, max"});
  EXPECT_EQ(wrong("\"high\""),
            Lines{at + "\"high\" must be { value = 1, rel = 0.01 }, or with abs, or with bounds min, max"});
  EXPECT_EQ(wrong("{ value = 1.5 }"),
            Lines{at + "value = 1.5 requires a tolerance, rel = 0.01 or abs (0 for exactly)"});
  EXPECT_EQ(wrong("{ abs = 1.5 }"), Lines{at + "a tolerance requires a value"});
  EXPECT_EQ(wrong("{ from = 1 }"), Lines{at + "requires value with abs or rel, or bounds min, max"});
  EXPECT_EQ(wrong("{ min = 2, max = 1 }"), Lines{at + "min = 2 must not exceed max = 1"});
  EXPECT_EQ(wrong("{ min = 2, from = 3, to = 3 }"), Lines{at + "from = 3 s must be less than to = 3 s"});
  EXPECT_EQ(wrong("{ min = 2, to = 21 }"), Lines{at + "to = 21 s lies outside the run, 0 to 20 s"});
  EXPECT_EQ(wrong("{ value = 2, abs = -1 }"), Lines{"abs = -1 must be >= 0"});
  EXPECT_EQ(wrong("{ vlaue = 2, abs = 1 }"),
            Lines{"unknown key 'vlaue' in \"max(F)\" of [expect], did you mean 'value'?"});
  EXPECT_EQ(said("\"x(21)\" = { min = 0 }"), Lines{"\"x(21)\" in [expect]: t = 21 s lies outside the run, 0 to 20 s"});
  EXPECT_EQ(said("\"x(-1)\" = { min = 0 }"), Lines{"\"x(-1)\" in [expect]: t = -1 s lies outside the run, 0 to 20 s"});
  EXPECT_EQ(said("\"x(nan)\" = { min = 0 }"),
            Lines{"\"x(nan)\" in [expect]: t = nan s lies outside the run, 0 to 20 s"});
  EXPECT_EQ(said("\"x(5)\" = { min = 0, from = 1 }"),
            Lines{"\"x(5)\" in [expect]: from and to are not accepted for the value at one time"});
}
