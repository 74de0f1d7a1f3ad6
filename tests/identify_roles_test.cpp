/// Roles of columns with unusual names, in other languages, without units; doubts are reported.
#include <gtest/gtest.h>

#include <limits>
#include <ostream>

#include "bristle/output.hpp"
#include "support/recording.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

TEST(Roles, AreFoundInOtherLanguages) {
  EXPECT_EQ(roles({"Zeit [s]", "Weg [mm]", "Geschwindigkeit [mm/s]", "Reibkraft [N]", "Normalkraft [N]"}),
            "t = Zeit [s], x = Weg [mm], v = Geschwindigkeit [mm/s], F = Reibkraft [N], N = Normalkraft [N]");
  EXPECT_EQ(roles({"Zeit", "Istposition", "Sollposition", "Motordrehmoment"}),
            "t = Zeit, x = Istposition, u = Motordrehmoment; not used: Sollposition");
  EXPECT_EQ(roles({"temps (s)", "D\xC3\xA9placement (mm)", "vitesse (mm/s)", "Effort (N)"}),
            "t = temps (s), x = D\xC3\xA9placement (mm), v = vitesse (mm/s), u = Effort (N)");
  EXPECT_EQ(roles({"Temps", "Angle [deg]", "Couple [N.m]"}), "t = Temps, x = Angle [deg], u = Couple [N.m]");
  EXPECT_EQ(roles({"tiempo", "posici\xC3\xB3n", "velocidad", "fuerza"}),
            "t = tiempo, x = posici\xC3\xB3n, v = velocidad, u = fuerza");
  EXPECT_EQ(roles({"\xE6\x97\xB6\xE9\x97\xB4(s)", "\xE4\xBD\x8D\xE7\xBD\xAE\xEF\xBC\x88mm\xEF\xBC\x89",
                   "\xE9\x80\x9F\xE5\xBA\xA6", "\xE6\x91\xA9\xE6\x93\xA6\xE5\x8A\x9B(N)"}),
            "t = \xE6\x97\xB6\xE9\x97\xB4(s), x = \xE4\xBD\x8D\xE7\xBD\xAE\xEF\xBC\x88mm\xEF\xBC\x89, "
            "v = \xE9\x80\x9F\xE5\xBA\xA6, F = \xE6\x91\xA9\xE6\x93\xA6\xE5\x8A\x9B(N)");
  EXPECT_EQ(roles({"\xD0\x92\xD1\x80\xD0\xB5\xD0\xBC\xD1\x8F", "x", "F"}),
            "t = \xD0\x92\xD1\x80\xD0\xB5\xD0\xBC\xD1\x8F, x = x, F = F");
}

TEST(Roles, OfRobots) {
  EXPECT_EQ(roles({"time", "q", "dq", "tau_meas", "tau_cmd"}),
            "t = time, x = q, v = dq, u = tau_meas; not used: tau_cmd");
  EXPECT_EQ(roles({"timestamp", "joint_pos", "joint_vel", "effort"}),
            "t = timestamp, x = joint_pos, v = joint_vel, u = effort");
  EXPECT_EQ(roles({"t", "actual_q_0", "target_q_0", "actual_qd_0", "actual_current_0"}),
            "t = t, x = actual_q_0, v = actual_qd_0, u = actual_current_0; not used: target_q_0");
  EXPECT_EQ(
      roles({"header.stamp.secs", "header.stamp.nsecs", "header.seq", "position[0]", "velocity[0]", "effort[0]"}),
      "t = header.stamp.secs + 1e-9*header.stamp.nsecs, x = position[0], v = velocity[0], u = effort[0]; not used: "
      "header.seq");
}

/// A trace with these columns; `sizes`: mean of each column after the first.
Trace table(const std::vector<std::string>& names, const Series& means, double spread = 0.1) {
  Trace t;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (std::size_t c = 0; c < names.size(); ++c) {
    Column& column = t.columns.emplace_back(Column{names[c], ""});
    for (int i = 0; i < 100; ++i)
      column.values.push_back(c == 0 ? i * 0.01 : means[c - 1] + spread * normal(random) + (c == 1 ? 0.1 * i : 0));
  }
  return t;
}

/// NaN is not equal to itself; a column with missing values is still one column.
TEST(Roles, AColumnWithMissingValuesIsNoSecondOne) {
  Trace t = table({"t_s", "x_m", "F_N"}, {0, 5});
  t.columns[1].values[30] = t.columns[2].values[40] = std::numeric_limits<double>::quiet_NaN();
  for (const Finding& finding : reading_of(t).findings)
    EXPECT_EQ(finding.text.find("as well"), std::string::npos) << finding.text;
}

TEST(Roles, FrictionNextToAStressIsACoefficient) {
  const Read rock =
      reading_of(table({"Time (s)", "Displacement (um)", "Friction", "Normal Stress (MPa)"}, {0, 0.6, 25}));
  ASSERT_TRUE(rock.problems.empty()) << all(rock);
  EXPECT_TRUE(rock.recording.coefficient);
  EXPECT_NE(find(rock, "the size of a coefficient next to the normal stress Normal Stress (MPa)"), nullptr)
      << all(rock);
  EXPECT_FALSE(reading_of(table({"t", "x", "Friction", "Normal Stress (MPa)"}, {0, 60, 25})).recording.coefficient);
  EXPECT_TRUE(reading_of(table({"t", "x", "Friction [-]", "load"}, {0, 0.6, 25})).recording.coefficient);
  EXPECT_TRUE(warns(reading_of(table({"t", "x", "Friction", "Normal force (N)"}, {0, 0.6, 25})),
                    "if it is a coefficient: --column mu="));
  const Read ratio = reading_of(table({"t", "x", "Shear stress (MPa)", "Normal stress (MPa)"}, {0, 15, 25}));
  ASSERT_TRUE(ratio.problems.empty()) << all(ratio);
  EXPECT_NEAR(ratio.recording.F[50], 0.6, 0.02);
}

TEST(Roles, TheSpreadOfAVelocityIsNotThatOfTheForce) {
  EXPECT_EQ(roles({"v", "F", "v_std"}), "v = v, F = F; not used: v_std");
  EXPECT_EQ(roles({"v", "F", "F_std"}), "v = v, F = F, sigma = F_std");
  EXPECT_EQ(roles({"v", "torque", "std"}), "v = v, F = torque, sigma = std");
}

TEST(Roles, PercentIsNoForce) {
  const Read guessed = reading_of(table({"t", "pos_rad", "Torque (%)"}, {0, 10}));
  ASSERT_EQ(guessed.problems.size(), 1U) << all(guessed);
  EXPECT_TRUE(
      has(guessed.problems[0].text, "Torque (%) is in %: with the rated value M, --column u='M*\"Torque (%)\"'"))
      << all(guessed);
  EXPECT_TRUE(
      warns(reading_of(table({"t", "pos_rad", "Torque (%)"}, {0, 10}), {{"u", "\"Torque (%)\""}}), "is in percent"));
  const Read scaled = reading_of(table({"t", "pos_rad", "Torque (%)"}, {0, 10}), {{"u", "32*\"Torque (%)\""}});
  EXPECT_EQ(find(scaled, "is in percent"), nullptr);
  EXPECT_NEAR(scaled.recording.u[7], 3.2, 0.3);
  EXPECT_EQ(find(reading_of(table({"t", "x", "current_A"}, {0, 10}), {{"u", "0.5*current_A"}}), "is a current"),
            nullptr);
}

TEST(Roles, MissingUnitsAreQuestioned) {
  const Read robot = reading_of(table({"t", "theta", "tau"}, {0, 1}));
  EXPECT_TRUE(robot.recording.rotational);
  EXPECT_TRUE(warns(robot, "theta, tau without a unit: taken as a rotation in rad and N m")) << all(robot);
  EXPECT_NE(find(robot, "units: without a unit in the header, assumed: t in s, x in rad, u in N m"), nullptr);
  EXPECT_FALSE(reading_of(table({"t", "q", "force"}, {0, 1})).recording.rotational);
  Trace far = table({"t", "x", "F"}, {0, 1});
  for (double& x : far.columns[1].values) x *= 10;
  EXPECT_TRUE(warns(reading_of(far), "x has no unit and travels")) << all(reading_of(far));
  far.columns[1].name = "angle";
  EXPECT_FALSE(reading_of(far, {{"x", "angle [deg]"}}).problems.size());
  EXPECT_EQ(find(reading_of(far, {{"x", "angle [deg]"}}), "without a unit:"), nullptr);
}

TEST(Roles, EquallyGoodColumnsAreNamed) {
  EXPECT_TRUE(warns(reading_of(table({"t", "x1", "x2", "F"}, {0, 1, 1})), "x = x1, but x2 fits as well: --column"));
  Trace same = table({"t", "x", "x", "F"}, {0, 1, 1});
  same.columns[2].values = same.columns[1].values;
  EXPECT_EQ(find(reading_of(same), "as well"), nullptr);
}

/// Dates in s, ms, us and ns, also as two columns, are the same times.
TEST(Roles, DatesKeepTheirDigits) {
  for (const char* format : {"s", "ms", "us", "ns", "time_ns", "ros"}) {
    std::string text = std::string(format) == "ros"       ? "header.stamp.secs,header.stamp.nsecs,x,F\n"
                       : std::string(format) == "time_ns" ? "time_ns,x,F\n"
                                                          : "timestamp,x,F\n";
    for (int i = 0; i < 200; ++i) {
      std::string us = std::to_string(100 * i);
      us.insert(0, 6 - us.size(), '0');
      const std::string f = format, whole = "1700000000";
      const std::string time = f == "s"     ? whole + "." + us
                               : f == "ms"  ? whole + us.substr(0, 3) + "." + us.substr(3)
                               : f == "us"  ? whole + us
                               : f == "ros" ? whole + "," + us + "000"
                                            : whole + us + "000";
      text += time + "," + std::to_string(std::sin(0.05 * i)) + "," + std::to_string(std::cos(0.05 * i)) + "\n";
    }
    const std::string path = testing::TempDir() + "dates.csv";
    write_file(path, [&](std::ostream& out) { out << text; });
    const Read read = read_recording(path);
    ASSERT_TRUE(read.problems.empty()) << format << all(read);
    ASSERT_EQ(read.recording.t.size(), 200U) << format << all(read);
    for (std::size_t i = 0; i < 200; ++i)
      EXPECT_NEAR(read.recording.t[i], 1e-4 * static_cast<double>(i), 1e-12) << format;
  }
}

TEST(Roles, ColumnsByNumber) {
  const std::string path = testing::TempDir() + "numbers.csv";
  write_file(path, [](std::ostream& out) {
    out << "Bench 3\nmode,a,b,c\n";
    for (int i = 0; i < 50; ++i)
      out << "run," << 0.1 * i << "," << std::sin(0.2 * i) << "," << std::cos(0.2 * i) << "\n";
  });
  const Read read = read_recording(path, {.columns = {{"t", "$2"}, {"x", "$3"}, {"F", "-$4"}}});
  ASSERT_TRUE(read.problems.empty()) << all(read);
  EXPECT_EQ(read.recording.t[1], 0.1);
  EXPECT_TRUE(has(all(read_recording(path, {.columns = {{"t", "$1"}}})), "unknown column '$1'"));
  EXPECT_TRUE(has(all(read_recording(path)), "; line 2 is taken for the header (mode, a, b, c): --skip N skips lines, "
                                             "--column 'ROLE=$2' takes a column by its number"));
}

}  // namespace
