/// Measured files: the role and unit of each column.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

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
                        Case{"Friction force, MN", "Friction force", Quantity::force, 1e6},
                        Case{"speed of the table in mm/s", "speed of the table", Quantity::speed, 1e-3},
                        Case{"Velocity, mm/s", "Velocity", Quantity::speed, 1e-3},
                        Case{"Force 1", "Force 1", Quantity::unknown, 1},
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
