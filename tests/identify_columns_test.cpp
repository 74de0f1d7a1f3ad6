/// Measured files: the role and unit of each column.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "bristle/output.hpp"
#include "data/expression.hpp"
#include "support/recording.hpp"
#include "trace/shared/units.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

// Units and names

TEST(Units, OfHeaders) {
  struct Case {
    const char *name, *base;
    Quantity quantity;
    double factor;
  };
  for (const Case& c : {Case{"t_s", "t", Quantity::time, 1},
                        Case{"x_mm", "x", Quantity::length, 1e-3},
                        Case{"pos [um]", "pos", Quantity::length, 1e-6},
                        Case{"angle (deg)", "angle", Quantity::angle, pi / 180},
                        Case{"speed_rpm", "speed", Quantity::angular_speed, 2 * pi / 60},
                        Case{"v_mm_s", "v", Quantity::speed, 1e-3},
                        Case{"vel_radps", "vel", Quantity::angular_speed, 1},
                        Case{"w_deg/s", "w", Quantity::angular_speed, pi / 180},
                        Case{"F_kN", "F", Quantity::force, 1e3},
                        Case{"torque_mNm", "torque", Quantity::torque, 1e-3},
                        Case{"Torque [N m]", "Torque", Quantity::torque, 1},
                        Case{"M (N\xC2\xB7m)", "M", Quantity::torque, 1},
                        Case{"x [\xC2\xB5m]", "x", Quantity::length, 1e-6},
                        Case{"t/s", "t", Quantity::time, 1},
                        Case{"p_MPa", "p", Quantity::stress, 1e6},
                        Case{"F_mN", "F", Quantity::force, 1e-3},
                        Case{"F_MN", "F", Quantity::force, 1e6},
                        Case{"speed RPM", "speed", Quantity::angular_speed, 2 * pi / 60},
                        Case{"time", "time", Quantity::unknown, 1},
                        Case{"F_app", "F_app", Quantity::unknown, 1},
                        Case{"x_in", "x_in", Quantity::unknown, 1},
                        Case{"x [in]", "x", Quantity::length, 0.0254},
                        Case{"q_meas_m", "q_meas", Quantity::length, 1}}) {
    const Header h = header_of({c.name, ""});
    EXPECT_EQ(h.base, c.base) << c.name;
    EXPECT_EQ(h.unit.quantity, c.quantity) << c.name;
    EXPECT_DOUBLE_EQ(h.unit.factor, c.factor) << c.name;
  }
  EXPECT_EQ(header_of({"T", "K"}).unit.offset, -273.15);
  EXPECT_FALSE(header_of({"x [furlong]", ""}).unit_known);
}

// Expressions

Trace three() { return {{{"a", "", {1, 4}}, {"b_mm", "", {2000, 3000}}, {"load (%)", "", {50, 100}}}}; }
std::vector<Header> headers_of(const Trace& t) {
  std::vector<Header> out;
  for (const Column& c : t.columns) out.push_back(header_of(c));
  return out;
}
Series value(const std::string& text) {
  const Trace t = three();
  const auto parsed = Expression::parse(text, t, headers_of(t));
  EXPECT_EQ(parsed.problem, "") << text;
  return parsed.problem.empty() ? parsed.expression.evaluate(t) : Series{};
}
std::string problem(const std::string& text) {
  const Trace t = three();
  return Expression::parse(text, t, headers_of(t)).problem;
}

TEST(Expressions, AreArithmetic) {
  EXPECT_EQ(value("a"), (Series{1, 4}));
  EXPECT_EQ(value("-a"), (Series{-1, -4}));
  EXPECT_EQ(value("1 + 2*a - 6/(1+a)"), (Series{0, 7.8}));
  EXPECT_EQ(value("-a^2"), (Series{-1, -16}));
  EXPECT_EQ(value("2^-1*a"), (Series{0.5, 2}));
  EXPECT_EQ(value("a - 1 - 1"), (Series{-1, 2}));
  EXPECT_EQ(value("abs(a - 2) + sqrt(a)"), (Series{2, 4}));
  EXPECT_EQ(value("1e-1 * a"), (Series{0.1, 0.4}));
  EXPECT_EQ(value("deg2rad(180*a)/pi"), (Series{1, 4}));
}

TEST(Expressions, ColumnsEnterInSi) {
  EXPECT_EQ(value("b_mm"), (Series{2, 3}));
  EXPECT_EQ(value("a * b"), (Series{2, 12})) << "without its unit where that leaves no doubt";
  EXPECT_EQ(value("\"load (%)\" * 2"), (Series{1, 2}));
  EXPECT_EQ(value("load (%)"), (Series{0.5, 1})) << "the whole is a name";
  EXPECT_EQ(value("a [mm]"), (Series{0.001, 0.004}));
  EXPECT_EQ(value("b_mm [mm]"), (Series{2, 3})) << "a unit of the whole converts once";
  const Trace t = three();
  EXPECT_EQ(Expression::parse("-2*b_mm", t, headers_of(t)).expression.unit().quantity, Quantity::length);
  EXPECT_EQ(Expression::parse("a*b_mm", t, headers_of(t)).expression.unit().quantity, Quantity::unknown);
}

TEST(Expressions, RowsCanBeCounted) {
  EXPECT_EQ(value("row / 1000"), (Series{0, 0.001}));
  EXPECT_EQ(value("row + a"), (Series{1, 5}));
  EXPECT_EQ(value("row [ms]"), (Series{0, 0.001}));
  const Trace t = three();
  EXPECT_EQ(Expression::parse("row", t, headers_of(t)).expression.evaluate(t, 8), (Series{0, 8})) << "of the file";
}

TEST(Expressions, MistakesAreSaid) {
  EXPECT_EQ(problem("b_m"), "unknown column 'b_m', did you mean 'b_mm'?");
  EXPECT_EQ(problem("velocity"), "unknown column 'velocity'; accepted: a, b_mm, load (%)");
  EXPECT_EQ(problem("a +"), "ends too early; a column or a number is required");
  EXPECT_EQ(problem("(a"), "'(' without ')'");
  EXPECT_EQ(problem("a)"), "')' without '('");
  EXPECT_EQ(problem("a b_mm"), "unexpected 'b_mm'; an operator + - * / or the end is accepted");
  EXPECT_EQ(problem("a ** 2"), "unexpected '* 2'; a column or a number is required");
  EXPECT_EQ(problem("sqr(a)"), "unknown function 'sqr', did you mean 'sqrt'?");
  EXPECT_EQ(problem("3"), "contains no column; an expression over columns is required");
  EXPECT_EQ(problem(""), "must be a column or an expression over columns");
  EXPECT_EQ(problem("a [furlong]"), "unknown unit 'furlong'; units such as mm, rpm, deg/s, Nm are accepted");
  EXPECT_EQ(problem(std::string(300, '(') + "a"), "has too many nested brackets");
  EXPECT_EQ(problem(std::string(300, '-') + "a"), "has too many nested brackets");
}

// Roles

std::string roles(const std::vector<std::string>& names, const Columns& given = {}) {
  Trace t;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const std::string& n : names) {
    Column& c = t.columns.emplace_back(Column{n, ""});
    for (int i = 0; i < 60; ++i) c.values.push_back(t.columns.size() == 1 ? i : normal(random));
  }
  const Read read = reading_of(t, given);
  return read.problems.empty() ? find(read, " = ")->text : read.problems[0].text;
}

TEST(Roles, AreGuessedFromNames) {
  EXPECT_EQ(roles({"t", "x", "F"}), "t = t, x = x, F = F");
  EXPECT_EQ(roles({"t", "x", "v", "F", "F_app", "drive", "z"}),
            "t = t, x = x, v = v, F = F; not used: F_app, drive, z");
  EXPECT_EQ(roles({"Time (s)", "Position [mm]", "Friction force (N)"}),
            "t = Time (s), x = Position [mm], F = Friction force (N)");
  EXPECT_EQ(roles({"time_s", "goal_rad", "pos_rad", "tau"}), "t = time_s, x = pos_rad, u = tau; not used: goal_rad");
  EXPECT_EQ(roles({"t", "MotorSpeed_rpm", "MotorTorque_Nm", "temp_C"}),
            "t = t, v = MotorSpeed_rpm, u = MotorTorque_Nm, T = temp_C");
  EXPECT_EQ(roles({"t", "x", "normal_N", "friction_N"}), "t = t, x = x, F = friction_N, N = normal_N");
  EXPECT_EQ(roles({"t", "x", "Fn", "Ft"}), "t = t, x = x, F = Ft, N = Fn");
  EXPECT_EQ(roles({"t", "disp_um", "friction_coeff"}), "t = t, x = disp_um, mu = friction_coeff");
  EXPECT_EQ(roles({"speed_rpm", "torque_Nm", "torque_std_Nm"}), "v = speed_rpm, F = torque_Nm, sigma = torque_std_Nm");
  EXPECT_EQ(roles({"time", "q", "qd", "u"}), "t = time, x = q, v = qd, u = u");
  EXPECT_EQ(roles({"t", "x", "current_A"}), "t = t, x = x, u = current_A");
  EXPECT_EQ(roles({"t", "x", "current_A", "torque"}), "t = t, x = x, u = torque; not used: current_A");
  EXPECT_EQ(roles({"t", "x_ref", "pos", "F"}), "t = t, x = pos, F = F; not used: x_ref");
}

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
      roles({"header.seq", "header.stamp.secs", "header.stamp.nsecs", "position[0]", "velocity[0]", "effort[0]"}),
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
      char time[40];
      const int us = 100 * i;
      const std::string f = format;
      const char* digits = f == "s"     ? "1700000000.%06d"
                           : f == "us"  ? "1700000000%06d"
                           : f == "ros" ? "1700000000,%d000"
                                        : "1700000000%06d000";
      if (f == "ms") {
        std::snprintf(time, sizeof time, "1700000000%03d.%d", us / 1000, us % 1000 / 100);
      } else {
        std::snprintf(time, sizeof time, digits, us);  // NOLINT: one of the formats above
      }
      text += std::string(time) + "," + std::to_string(std::sin(0.05 * i)) + "," + std::to_string(std::cos(0.05 * i)) +
              "\n";
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

// One signal per file

class Joined : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("joined" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string path = (folder / name).string();
    write_file(path, [&](std::ostream& out) { out << text; });
    return path;
  }
  /// f at n times from `begin` with this step; without a time if the name of the time is empty.
  static std::string signal(const std::string& time, double begin, double step, int n, double (*f)(double)) {
    std::string out = time.empty() ? "" : time + ",value\n";
    for (int i = 0; i < n; ++i) {
      const double t = begin + step * i;
      out += (time.empty() ? "" : to_text(t) + ",") + to_text(f(t)) + "\n";
    }
    return out;
  }
};
double way(double t) { return std::sin(6 * t); }
double pull(double t) { return std::cos(6 * t) + 2; }

TEST_F(Joined, RowByRow) {
  const std::string x = file("pos.txt", signal("", 0, 0.01, 100, way)),
                    u = file("torque.txt", signal("", 0, 0.01, 100, pull));
  const Read read = read_joined({x, u}, {.columns = {{"t", "row/100"}}});
  ASSERT_TRUE(read.problems.empty()) << all(read);
  EXPECT_NE(find(read, "t = row/100, x = pos, u = torque"), nullptr) << all(read);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(read.recording.u[i], pull(0.01 * static_cast<double>(i)));
  const std::string fewer = file("force.txt", signal("", 0, 0.01, 98, pull));
  EXPECT_TRUE(
      has(all(read_joined({x, fewer})),
          "force.txt: 98 rows, but pos.txt has 100; equal numbers of rows, or a time in each file, are required"));
}

TEST_F(Joined, OnTime) {
  const std::string x = file("pos.csv", signal("t", 0, 0.01, 100, way)),
                    u = file("torque.csv", signal("t_ms", -50, 2, 700, [](double t) { return pull(t / 1000); }));
  const Read missing = read_joined({x, u});
  EXPECT_TRUE(has(all(missing), "must both have a unit or none")) << all(missing);
  const std::string s = file("pos_s.csv", signal("t_s", 0, 0.01, 100, way));
  const Read read = read_joined({s, u}, {.columns = {{"x", "value"}, {"u", "\"torque value\""}}});
  ASSERT_TRUE(read.problems.empty()) << all(read);
  ASSERT_EQ(read.recording.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(read.recording.u[i], pull(0.01 * static_cast<double>(i)), 1e-4);
  EXPECT_NE(find(read, "torque.csv interpolated at the times of pos_s.csv"), nullptr);
  const std::string late = file("late.csv", signal("t_s", 100, 0.01, 100, pull));
  EXPECT_TRUE(has(all(read_joined({s, late})), "late.csv: its times do not overlap with those of pos_s.csv"));
}

TEST_F(Joined, NamesFromFiles) {
  const std::string x = file("pos.txt", signal("", 0, 0.01, 100, way));
  std::string both;
  for (int i = 0; i < 100; ++i) both += to_text(0.01 * i) + " " + to_text(pull(0.01 * i)) + "\n";
  const Read read = read_joined({file("torque.txt", both), x});
  EXPECT_NE(find(read, "t = t, x = pos, u = torque"), nullptr) << all(read);
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

TEST(Roles, CanBeGiven) {
  EXPECT_EQ(roles({"1", "2", "3"}, {{"t", "1"}, {"x", "2"}, {"F", "-$3"}}), "t = 1, x = 2, F = -$3");
  EXPECT_EQ(roles({"t", "x", "load", "vin_V"}, {{"u", "load*vin_V"}}), "t = t, x = x, u = load*vin_V");
  EXPECT_EQ(roles({"t", "x", "v", "F"}, {{"x", "none"}}), "t = t, v = v, F = F; not used: x");
  EXPECT_EQ(roles({"t", "x", "F"}, {{"F", "-FF"}}), "--column F=-FF: unknown column 'FF', did you mean 'F'?");
  EXPECT_EQ(roles({"t", "x", "F"}, {{"f", "F"}}),
            "unknown role 'f'; accepted: t, x, v, F, mu, u, N, T, sigma, ref, on, load");
  EXPECT_EQ(roles({"t", "x", "F"}, {{"F", "F"}, {"F", "x"}}),
            "role F is given twice; one expression per role is accepted");
  EXPECT_EQ(roles({"t", "x", "F"}, {{"u", "F"}, {"F", "F"}}), "more than one of F, mu and u is given; one is accepted");
  EXPECT_TRUE(has(roles({"1", "2", "3"}), "no column for friction F, coefficient mu or actuator force u"));
  EXPECT_TRUE(has(roles({"t", "F"}), "no column for position x or velocity v"));
  EXPECT_TRUE(has(roles({"x", "F"}), "no column for time t"));
  EXPECT_EQ(roles({"x", "F"}, {{"t", "row/1000"}}), "t = row/1000, x = x, F = F");
}

TEST(Roles, UnitsBecomeSi) {
  Trace t = Bench{}.trace();
  t.columns[0].name = "t_ms";
  t.columns[1].name = "x_mm";
  t.columns[2].name = "friction_mN";
  for (double& x : t.columns[0].values) x *= 1e3;
  for (double& x : t.columns[1].values) x *= 1e3;
  for (double& x : t.columns[2].values) x *= 1e3;
  const Read read = reading_of(t), plain = reading_of(Bench{}.trace());
  ASSERT_EQ(read.recording.size(), plain.recording.size()) << all(read);
  EXPECT_LT(largest_error(read.recording.v, plain.recording.v, 0), 1e-9);
  EXPECT_LT(largest_error(read.recording.F, plain.recording.F, 0), 1e-9);
  EXPECT_FALSE(read.recording.rotational);
  t.columns[1].name = "x_deg";
  t.columns[2].name = "friction_Nmm";
  EXPECT_TRUE(reading_of(t).recording.rotational);
  t.columns[2].name = "friction_N";
  EXPECT_TRUE(warns(reading_of(t), "x in rotational units, F in linear units"));
  t.columns[1].name = "x_mm";
  EXPECT_TRUE(warns(reading_of(t, {{"x", "x_mm/1000"}}), "is converted to m twice"));
  t.columns[1].name = "x [furlong]";
  EXPECT_TRUE(warns(reading_of(t), "unknown unit 'furlong' of x [furlong]"));
}

// Columns of public recordings

TEST(Measured, RolesAreFound) {
  const char* root = std::getenv("BRISTLE_DATA");
  if (!root || !std::filesystem::is_directory(root)) GTEST_SKIP() << "BRISTLE_DATA names no folder";
  struct Case {
    const char *file, *roles;
    std::size_t rows;
    bool rotational;
    Columns columns{};
  };
  const Columns pwm{{"u", "load_0p1pct_unwrapped*vin_V"}};
  const char* servo =
      "t = t_s, x = pos_rad, v = speed_raw_radps, u = load_0p1pct_unwrapped*vin_V, T = temp_C; not used: goal_rad, torque_enable";
  for (const Case& c :
       {Case{"emps/train.csv", "t = t_s, x = q_meas_m, u = force_N; not used: q_ref_m, u_V, pulse_N", 24841, false},
        Case{"emps/pulses.csv", "t = t_s, x = q_meas_m, u = force_N; not used: q_ref_m, u_V, pulse_N", 24841, false},
        Case{"micro_tribometer/reciprocating.csv", "t = t_s, x = x_mm, F = friction_N, N = normal_N", 21422, false},
        Case{"screw_drives/drive1_curve.csv",
             "v = v_mean_radps, F = torque_mean_Nm, sigma = torque_std_Nm; not used: v_std", 32, true},
        Case{"screw_drives/drive2_curve.csv",
             "v = v_mean_radps, F = torque_mean_Nm, sigma = torque_std_Nm; not used: v_std", 30, true},
        Case{"screw_drives/drive1_startstop_50.csv", "t = t_s, v = motor_vel_radps, u = motor_torque_Nm", 500, true},
        Case{"screw_drives/drive1_startstop_200.csv", "t = t_s, v = motor_vel_radps, u = motor_torque_Nm", 500, true},
        Case{"screw_drives/drive2_startstop_50.csv", "t = t_s, v = motor_vel_radps, u = motor_torque_Nm", 500, true},
        Case{"screw_drives/drive2_startstop_200.csv", "t = t_s, v = motor_vel_radps, u = motor_torque_Nm", 500, true},
        Case{"servo_pendulum/xl330_kp100_sin_sin.csv", servo, 1124, true, pwm},
        Case{"servo_pendulum/xl330_kp400_lift_and_drop.csv", servo, 1499, true, pwm},
        Case{"rock_velocity_step/sepiolite.csv",
             "t = time_s, x = displacement_um, mu = friction_coeff, N = normal_stress_MPa", 16466, false}}) {
    SCOPED_TRACE(c.file);
    const Read read = read_recording(std::string(root) + "/" + c.file, {.columns = c.columns});
    ASSERT_TRUE(read.problems.empty()) << all(read);
    EXPECT_NE(find(read, c.roles), nullptr) << all(read);
    EXPECT_EQ(read.recording.size(), c.rows);
    EXPECT_EQ(read.recording.rotational, c.rotational);
    EXPECT_EQ(read.recording.stretches.size(), 1U);
  }
}

}  // namespace
