/// Error messages for scenario files: all problems together, each with its line and the accepted values.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/scenario.hpp"

using namespace bristle;

namespace {

const std::string body = "kind = \"slider\"\nmass = 2\nstiffness = 2.0\n";
const std::string ramp = "kind = \"ramp\"\nvelocity = 0.1\n";

/// Messages about a changed piece, without line numbers.
Lines said(const std::string& piece, const std::string& other) {
  Lines out;
  for (const std::string& line : problems(with(stick_slip, piece, other)))
    out.push_back(line.substr(line.find(": ") + 2));
  return out;
}
Lines said_of_drive(const std::string& drive) { return said(ramp, drive); }
Lines said_after(const std::string& more) { return said("duration = 20.0\n", "duration = 20.0\n" + more); }

}  // namespace

TEST(ScenarioErrors, AllAtOnceInTheOrderOfTheFile) {
  const std::string text = R"toml(schema = 2
titel = "x"
[friction]
model = "lugre"
Fc = -1.0
Fs = 1.5
sigma_0 = 1e5
vs = {}
sigma1 = 1
[system]
kind = "slider"
mass = "heavy"
stifness = 2
[drive]
kind = "rmap"
[solver]
duration = 0
step = 1
[[figure]]
y = "drvie"
[expect]
"mx(F)" = { max = 1 }
"x(5)" = 3
)toml";
  EXPECT_EQ(
      problems(text),
      (Lines{
          "s.toml:1: schema = 2 must be 1", "s.toml:2: unknown key 'titel', did you mean 'title'?",
          "s.toml:5: Fc = -1 N must be > 0", "s.toml:7: unknown key 'sigma_0' in [friction], did you mean 'sigma0'?",
          "s.toml:8: vs = {...} must be a number in m/s", "s.toml:12: mass = \"heavy\" must be a number in kg",
          "s.toml:13: unknown key 'stifness' in [system], did you mean 'stiffness'?",
          "s.toml:15: kind = \"rmap\" in [drive] must be one of \"constant\", \"step\", \"ramp\", \"sine\", \"chirp\", "
          "\"triangle\", \"table\", \"staircase\", \"trapezoid\", \"s_curve\", \"minimum_jerk\", "
          "\"point_to_point\", \"prbs\", \"sum\"",
          "s.toml:17: duration = 0 s must be > 0",
          "s.toml:18: step in [solver] requires method = \"fixed\"; other methods choose their steps",
          "s.toml:20: unknown column 'drvie' in [[figure]], did you mean 'drive'?",
          "s.toml:22: \"mx(F)\" in [expect]: unknown function 'mx', did you mean 'max'?",
          "s.toml:23: \"x(5)\" in [expect]: 3 must be { value = 3, rel = 0.01 }, or with abs, or with bounds min, max"}));
}

TEST(ScenarioErrors, Sections) {
  EXPECT_EQ(problems(""),
            (Lines{"s.toml: missing section [friction]; required: the model and its parameters",
                   "s.toml: missing section [system]; required: the moving body, such as kind = \"slider\"",
                   "s.toml: missing section [solver]; required: at least duration, in s"}));
  EXPECT_EQ(said("[system]", "[sytsem]"), Lines{"unknown section 'sytsem', did you mean 'system'?"});
  EXPECT_EQ(problems("solver = 3\n" + with(stick_slip, "[solver]\nduration = 20.0\n", "")),
            Lines{"s.toml:1: solver = 3 must be a section [solver]"});
  EXPECT_EQ(said("units = \"linear\"", "units = \"imperial\""),
            Lines{"units = \"imperial\" in the file must be one of \"linear\", \"rotational\""});
  EXPECT_EQ(said("title = \"Stick-slip\"", "title = 3"), Lines{"title = 3 in the file must be a text in quotes"});
}

TEST(ScenarioErrors, Syntax) {
  EXPECT_EQ(problems("a = 1\nb = = 2\n").size(), 1U);
  EXPECT_EQ(problems("a = 1\nb = = 2\n")[0].substr(0, 10), "s.toml:2: ");
  EXPECT_EQ(problems("a = 1\na = 2\n")[0].substr(0, 10), "s.toml:2: ");
  EXPECT_EQ(problems("a = \"\xff\"\n").size(), 1U);
}

TEST(ScenarioErrors, Friction) {
  EXPECT_EQ(said("model = \"lugre\"", "model = \"lugra\""), Lines{"unknown model 'lugra', did you mean 'lugre'?"});
  EXPECT_EQ(said("model = \"lugre\"", "modle = \"lugre\""),
            Lines{"unknown key 'modle' in [friction], did you mean 'model'?"});
  EXPECT_EQ(said("model = \"lugre\"", ""),
            Lines{"missing key 'model' in [friction]; 'bristle models' lists the accepted names"});
  EXPECT_EQ(said("model = \"lugre\"", "model = 3"), Lines{"model = 3 in [friction] must be a text in quotes"});
  EXPECT_EQ(said("sigma0 = 1e5\n", ""),
            Lines{"missing key 'sigma0' in [friction]; required: bristle stiffness, typically 100000 N/m"});
  EXPECT_EQ(said("Fs = 1.5", "Fs = 0.5"), Lines{"Fs = 0.5 N, Fc = 1 N must satisfy Fs >= Fc"});
  EXPECT_EQ(said("[system]", "initial = 3\n[system]"), Lines{"initial = 3 must be a section [friction.initial]"});
  EXPECT_EQ(said("[system]", "[friction.initial]\ny = 3\n[system]"),
            Lines{"unknown key 'y' in [friction.initial], did you mean 'z'?"});
  EXPECT_EQ(said("[system]", "[friction.effects]\nripple = 2\n[system]"), Lines{"ripple = 2 must be 0 to 0.99"});
  EXPECT_EQ(said("[system]", "[friction.efects]\nripple = 0.2\n[system]"),
            Lines{"unknown key 'efects' in [friction], did you mean 'effects'?"});
  EXPECT_EQ(said("Fc = 1.0", "Fc = inf"), Lines{"Fc = inf N must be at most 1e+30"});
  EXPECT_EQ(said("Fc = 1.0", "Fc = nan"), Lines{"Fc = nan N must be > 0"});
  EXPECT_EQ(said("vs = 0.001", "vs = 1e-300"), Lines{"vs = 1e-300 m/s must be at least 1e-30"});
  EXPECT_EQ(said("duration = 20.0", "duration = 1e-300"), Lines{"duration = 1e-300 s must be at least 1e-30"});
  EXPECT_EQ(said("velocity = 0.1", "velocity = -1e300"), Lines{"velocity = -1e+300 m/s must be at least -1e+30"});
  EXPECT_EQ(said("Fc = 1.0", "Fc = 1979-05-27"), Lines{"Fc = \"a date or time\" must be a number in N"});
}

/// A violated relation between two keys is reported at the first of them.
TEST(ScenarioErrors, RelationsHaveALine) {
  const Lines said{"s.toml:7: Fs = 0.5 N, Fc = 1 N must satisfy Fs >= Fc"};
  EXPECT_EQ(problems(with(stick_slip, "Fs = 1.5", "Fs = 0.5")), said);
  EXPECT_EQ(problems(with(with(stick_slip, "Fs = 1.5\n", ""), "sigma1 = 316.2", "sigma1 = 316.2\nFs = 0.5")),
            Lines{"s.toml:10: Fs = 0.5 N, Fc = 1 N must satisfy Fs >= Fc"});
  EXPECT_EQ(problems(with(stick_slip, "Fc = 1.0\nFs = 1.5", "mu_c = 0.1\nmu_s = 0.05\nnormal_load = 10")), said);
  EXPECT_EQ(problems(stick_slip, {"friction.Fs=0.5"}),
            Lines{"--set friction.Fs: Fs = 0.5 N, Fc = 1 N must satisfy Fs >= Fc"});
  EXPECT_EQ(problems(stick_slip, {"friction.Fc=2"}),
            Lines{"--set friction.Fc: Fs = 1.5 N, Fc = 2 N must satisfy Fs >= Fc"});
}

TEST(ScenarioErrors, SeveralContacts) {
  const std::string two = with(stick_slip, "[friction]\n",
                               "[[friction]]\nname = \"a\"\nmodel = \"coulomb\"\nFc = 2\n[[friction]]\nname = \"b\"\n");
  EXPECT_EQ(problems(with(two, "name = \"b\"\n", "")),
            Lines{"s.toml:8: missing key 'name' in [[friction]]; several contacts require a name each"});
  EXPECT_EQ(problems(with(two, "name = \"b\"", "name = \"a\"")),
            Lines{"s.toml:9: name = \"a\" is given twice; names of contacts must differ"});
  EXPECT_EQ(problems(with(two, "name = \"b\"", "name = \"a b\"")),
            Lines{"s.toml:9: name = \"a b\" must consist of letters, digits, _ and -"});
  EXPECT_EQ(
      problems(with(two, "name = \"b\"", "name = \"app\"")),
      Lines{
          "s.toml:9: name = \"app\" must consist of letters, digits, _ and -, and not be 'app': column F_app exists already"});
  EXPECT_EQ(problems(two + "[[figure]]\ny = \"z\""),
            Lines{"s.toml:26: unknown column 'z' in [[figure]]; accepted: t, x, v, F, F_app, drive, F_a, F_b, b.z"});
}

TEST(ScenarioErrors, FrictionFile) {
  EXPECT_EQ(said("model = \"lugre\"", "file = \"none.toml\""),
            Lines{"none.toml: cannot be read: No such file or directory"});
  EXPECT_EQ(said("model = \"lugre\"", "file = \".\""), Lines{".: cannot be read: Is a directory"});
  EXPECT_EQ(said("model = \"lugre\"", "file = 3"), Lines{"file = 3 in [friction] must be a text in quotes"});
}

TEST(ScenarioErrors, System) {
  EXPECT_EQ(
      said(body, "mass = 2\n"),
      Lines{
          "missing key 'kind' in [system]; accepted: \"prescribed\", \"slider\", \"roller\", \"chain\", \"multibody\""});
  const Lines mechanism = said("kind = \"slider\"", "kind = \"multibody\"");
  EXPECT_NE(std::find(mechanism.begin(), mechanism.end(), "no body; at least one [[body]] is required"),
            mechanism.end());
  EXPECT_EQ(said("mass = 2\n", ""),
            Lines{"missing key 'mass' in [system]; required: mass, or 0 for a quasi-static body, typically 1 kg"});
  EXPECT_EQ(said(body, "kind = \"prescribed\"\nmass = 2\n"),
            Lines{"unknown key 'mass' in [system]; a prescribed accepts temperature, start, kind"});
  EXPECT_EQ(
      said("mass = 2", "mass = 2\nradius = 1"),
      Lines{
          "unknown key 'radius' in [system]; a slider accepts mass, stiffness, damping, rest_length, x0, v0, temperature, gravity, "
          "gravity_phase, start, kind"});
  EXPECT_EQ(said("kind = \"slider\"", "kind = \"roller\""),
            Lines{"missing key 'radius' in [system]; required: radius, typically 1 m"});
}

TEST(ScenarioErrors, Drives) {
  EXPECT_EQ(said_of_drive("kind = \"ramp\"\n"),
            Lines{"missing key 'velocity' in [drive]; required: slope; key rate for a force"});
  EXPECT_EQ(said_of_drive("kind = \"ramp\"\nof = \"force\"\n"),
            Lines{"missing key 'rate' in [drive]; required: slope; key rate for a force"});
  EXPECT_EQ(said_of_drive(ramp + "rate = 1\n"), Lines{"rate and velocity are both given in [drive]; one is accepted"});
  EXPECT_EQ(said_of_drive("kind = \"ramp\"\nof = \"velocity\"\nrate = \"x\"\n"),
            Lines{"rate = \"x\" must be a number in m/s^2"});
  EXPECT_EQ(said_of_drive("kind = \"ramp\"\nvelocty = 1\n"),
            Lines{"unknown key 'velocty' in [drive], did you mean 'velocity'?"});
  EXPECT_EQ(said_of_drive("kind = \"sine\"\namplitude = 1\n"),
            Lines{"missing key 'frequency' in [drive]; required: frequency; or omega in rad/s"});
  EXPECT_EQ(said_of_drive("kind = \"sine\"\namplitude = 1\nfrequency = 1\nomega = 3\n"),
            Lines{"omega and frequency are both given in [drive]; one is accepted"});
  EXPECT_EQ(said_of_drive("kind = \"sine\"\namplitude = 1\nomega = -3\n"), Lines{"omega = -3 rad/s must be > 0"});
  EXPECT_EQ(said_of_drive(ramp + "soft_start = -1\n"), Lines{"soft_start = -1 s must be >= 0"});
  EXPECT_EQ(said_of_drive(ramp + "of = \"speed\"\n"),
            Lines{"of = \"speed\" in [drive] must be one of \"position\", \"velocity\", \"force\""});
  EXPECT_EQ(said_of_drive("velocity = 1\n"),
            Lines{"missing key 'kind' in [drive]; accepted: \"constant\", \"step\", \"ramp\", \"sine\", "
                  "\"chirp\", \"triangle\", \"table\", \"staircase\", \"trapezoid\", \"s_curve\", \"minimum_jerk\", "
                  "\"point_to_point\", \"prbs\", \"sum\""});
  EXPECT_EQ(said_of_drive("kind = \"sum\"\nterms = 3\n"),
            Lines{"[drive] requires terms = [{ kind = \"sine\", ... }, ...]"});
  EXPECT_EQ(
      said_of_drive(
          "kind = \"sum\"\nterms = [{ kind = \"constant\", value = 1, of = \"force\" }, { kind = \"sum\" }]\n"),
      (Lines{"unknown key 'of' in [drive] terms[1]; a constant accepts value, soft_start, kind",
             "kind = \"sum\" in [drive] terms[2] must be one of \"constant\", \"step\", \"ramp\", \"sine\", \"chirp\", "
             "\"triangle\", \"table\", \"staircase\", \"trapezoid\", \"s_curve\", \"minimum_jerk\", "
             "\"point_to_point\", \"prbs\""}));
}

TEST(ScenarioErrors, Tables) {
  auto table = [](const std::string& rest) { return said_of_drive("kind = \"table\"\n" + rest + "\n"); };
  EXPECT_EQ(table("t = [0, 1]"), Lines{"missing key 'value' in [drive]; arrays t and value, or a file, are accepted"});
  EXPECT_EQ(table("t = [0, 1]\nvalue = [1]"), Lines{"t has 2 values and value has 1; both must have the same length"});
  EXPECT_EQ(table("t = [0, 1, 1]\nvalue = [1, 2, 3]"),
            Lines{"t of the table must increase: 1 s is followed by 1 s at point 3"});
  EXPECT_EQ(table("t = [0, 1]\nvalue = [1, nan]"),
            Lines{"point 2 of the table, t = 1 s, value = nan: must be finite numbers of at most 1e+30"});
  EXPECT_EQ(table("t = [0, 1e300]\nvalue = [1, 2]"),
            Lines{"point 2 of the table, t = 1e+300 s, value = 2: must be finite numbers of at most 1e+30"});
  EXPECT_EQ(table("t = [0, \"a\"]\nvalue = [1, 2]"), Lines{"t = [...] in [drive] must be an array of numbers"});
  EXPECT_EQ(table("t = []\nvalue = []").size(), 2U);
  EXPECT_EQ(table("file = \"none.csv\""), Lines{"none.csv: cannot be read: No such file or directory"});
  EXPECT_EQ(table("file = \"none.csv\"\nt = [1]").front(),
            "file and arrays are both given in [drive]; one is accepted");
  EXPECT_EQ(table("t = [0]\nvalue = [1]\ncolumns = [\"a\", \"b\"]"), Lines{"columns requires file"});
}

TEST(ScenarioErrors, WhatABodyCannotFollow) {
  auto prescribed = [](const std::string& drive) {
    return problems(with(with(stick_slip, body, "kind = \"prescribed\"\n"), "[drive]\n" + ramp, drive));
  };
  EXPECT_EQ(prescribed(""), Lines{"s.toml: missing section [drive]; a prescribed motion requires it"});
  EXPECT_EQ(
      prescribed("[drive]\nof = \"force\"\n" + ramp),
      Lines{
          "s.toml:14: of = \"force\" does not prescribe a motion; for a force history on a body use kind = \"slider\" with "
          "stiffness = 0"});
  EXPECT_EQ(
      prescribed("[drive]\nkind = \"step\"\nat = 2\nsize = 1\n"),
      Lines{"s.toml:14: the prescribed position jumps at t = 2 s, which no body can follow; a ramp, a table or of = "
            "\"velocity\" is accepted"});
  EXPECT_EQ(prescribed("[drive]\nof = \"velocity\"\nkind = \"step\"\nat = 2\nsize = 1\n"), Lines{});
  EXPECT_EQ(
      problems(
          with(with(stick_slip, "mass = 2\n", "mass = 2\ndamping = 1\n"), ramp, "kind = \"step\"\nat = 2\nsize = 1\n")),
      Lines{"s.toml:17: the drive jumps at t = 2 s, which no damper can follow; a ramp, a table or damping = 0 in "
            "[system] is accepted"});
  auto servo = [](const std::string& gains, const std::string& drive) {
    const std::string text = with(stick_slip, "stiffness = 2.0\n", "[controller]\nkp = 10\n" + gains + "\n");
    return problems(with(text, ramp, drive));
  };
  const std::string step = "kind = \"step\"\nat = 2\nsize = 1\n",
                    sum = "kind = \"sum\"\nterms = [{ kind = \"ramp\", velocity = 1 }, { kind = \"step\", at = 2, "
                          "size = 1 }]\n";
  for (const std::string& drive : {step, sum}) {
    EXPECT_EQ(
        servo("kd = 3", drive),
        Lines{"s.toml:18: the reference jumps at t = 2 s: its derivative is a Dirac impulse, on which kd = 3 N s/m "
              "cannot act; sample_time, derivative_filter or derivative_weight = 0 in [controller], a ramp, a "
              "table or a smooth motion is accepted"});
    EXPECT_EQ(servo("limit = 1\nkd = 3", drive).size(), 1U);
    for (const std::string gains : {"kd = 0", "kd = 3\nsample_time = 0.01", "kd = 3\nderivative_weight = 0"})
      EXPECT_EQ(servo(gains, drive), Lines{});
    EXPECT_EQ(servo("kd = 3", drive + "of = \"velocity\"\n"), Lines{});
  }
  EXPECT_EQ(servo("kd = 3", with(step, "at = 2", "at = 21")), Lines{}) << "after the end";
  EXPECT_EQ(servo("kd = 3", with(step, "at = 2", "at = 0")), Lines{}) << "from the start";
  EXPECT_EQ(said_after("[load]\nkind = \"ramp\"\nstart = 1\nvelocity = -0.1\n").size(), 1U);
  EXPECT_EQ(said_after("[load]\nkind = \"table\"\nt = [0, 1, 1.001, 1.002]\nvalue = [1, 1, -2, 1]\n"),
            Lines{"the normal load ratio falls to -2 at t = 1.001 s, must stay >= 0"});
  EXPECT_EQ(said_after("[load]\nkind = \"constant\"\nvalue = 1\nof = \"force\"\n"),
            Lines{"unknown key 'of' in [load]; a constant accepts value, soft_start, kind"});
}

TEST(ScenarioErrors, Controller) {
  auto servo = [](const std::string& more) {
    return problems(with(stick_slip, "stiffness = 2.0\n", "") + "[controller]\nkp = 1\n" + more);
  };
  EXPECT_EQ(servo("kpp = 3\n"), Lines{"s.toml:21: unknown key 'kpp' in [controller], did you mean 'kp'?"});
  EXPECT_EQ(servo("encoder_step = 1e-6\n"),
            Lines{"s.toml:21: encoder_step = 1e-06 m requires sample_time (s) in [controller]"});
  EXPECT_EQ(servo("sample_time = 1\nfeedforward = \"none.toml\"\n"),
            Lines{"s.toml:22: none.toml: cannot be read: No such file or directory"});
  EXPECT_EQ(
      servo("sample_time = 1\nfeedforward = \"dahl\"\n"),
      Lines{
          "s.toml:22: feedforward = \"dahl\" must be \"model\", the one in the friction block, a friction file, or a block "
          "[controller.feedforward]"});
  EXPECT_EQ(servo("sample_time = 1\n[controller.feedforward]\nmodel = \"coulomb\"\nFcc = 1\nname = \"a\"\n"),
            (Lines{"s.toml:24: unknown key 'Fcc' in [controller.feedforward], did you mean 'Fc'?",
                   "s.toml:25: name is accepted in [[friction]] only"}));
  EXPECT_EQ(
      servo("sample_time = 1\n[controller.feedforward]\nFc = 1\n"),
      Lines{"s.toml:22: missing key 'model' in [controller.feedforward]; 'bristle models' lists the accepted names"});
  EXPECT_EQ(servo("feedforward = { model = \"coulomb\", Fc = 1 }\n"),
            Lines{"s.toml:21: feedforward requires sample_time (s) in [controller]"});
  EXPECT_EQ(servo("sample_time = 1\nfeedforward = 3\n").size(), 1U);
  EXPECT_EQ(said_after("[controller]\nkp = 1\n"),
            Lines{"stiffness = 2 N/m in [system] must be 0 with a [controller]: the servo replaces the spring"});
  EXPECT_EQ(problems(with(stick_slip, body, "kind = \"prescribed\"\n") + "[controller]\nkp = 1\n"),
            Lines{"s.toml:18: [controller] requires kind = \"slider\" in [system]"});
  EXPECT_EQ(
      problems(with(with(stick_slip, "stiffness = 2.0\n", ""), "velocity = 0.1\n", "velocity = 0.1\nof = \"force\"\n") +
               "[controller]\nkp = 1\n"),
      Lines{
          "s.toml:17: of = \"force\" in [drive] must be \"position\" or \"velocity\": the drive is the reference of the [controller]"});
}

TEST(ScenarioErrors, Solver) {
  EXPECT_EQ(said("duration = 20.0\n", ""),
            Lines{"missing key 'duration' in [solver]; required: length of the run, typically 1 s"});
  EXPECT_EQ(said_after("method = \"fixed\"\n"), Lines{"method = \"fixed\" requires step (s) in [solver]"});
  EXPECT_EQ(problems(with(stick_slip, "[friction]\n",
                          "[[friction]]\nname = \"a\"\nmodel = \"coulomb\"\nFc = 2\n"
                          "[[friction]]\nname = \"b\"\n") +
                     "method = \"fixed\"\nstep = 1\n"),
            Lines{"s.toml:25: method = \"fixed\" accepts one contact, not several"});
  EXPECT_EQ(said_after("method = \"rodas\"\nstep = 1\n"),
            Lines{"step in [solver] requires method = \"fixed\"; other methods choose their steps"});
  EXPECT_EQ(
      said_after("method = \"euler\"\nstep = 1\n"),
      Lines{"method = \"euler\" in [solver] must be one of \"auto\", \"rodas\", \"explicit\", \"cvode\", \"fixed\""});
  EXPECT_EQ(
      said_after("output_step = 1e-9\n"),
      Lines{
          "output_step = 1e-09 s over duration = 20 s gives 2e+10 rows, about 1280.0 GB; at most 2e+07 rows are accepted"});
}

TEST(ScenarioErrors, Figures) {
  EXPECT_EQ(said_after("[[figure]]\nx = \"t\"\n"),
            Lines{"missing key 'y' in [[figure]]; one or several columns are accepted: y = [\"x\", \"drive\"]"});
  EXPECT_EQ(said_after("[[figure]]\ny = \"F\"\nxlim = [1, 0]\n"),
            Lines{"xlim = [1, 0] in [[figure]] must be two numbers in increasing order"});
  EXPECT_EQ(said_after("[[figure]]\ny = \"F\"\nlegend = [\"a\", \"b\"]\n"),
            Lines{"legend in [[figure]] has 2 texts, must have 1, one for each of y"});
  EXPECT_EQ(said_after("[[figure]]\ny = [\"F\", 3]\n"),
            Lines{"y = [...] in [[figure]] must be a text or an array of texts"});
  EXPECT_EQ(said_after("[[figure]]\ny = \"F\"\nxlog = 1\n"), Lines{"xlog = 1 must be true or false"});
  EXPECT_EQ(said_after("[[figure]]\nx = \"x\"\ny = \"F\"\nevents = true\n"),
            Lines{"events = true in [[figure]] requires x = \"t\""});
  EXPECT_EQ(said_after("[[figure]]\ny = \"F\"\nylog = true\nylim = [0, 1]\nxlim = [-1, 1]\n"),
            Lines{"ylim in [[figure]] must be > 0 on a logarithmic axis"});
  const std::string gms =
      with(stick_slip, "model = \"lugre\"", "model = \"gms\"");  // cannot be made, but has f1, f2...
  const Lines said_of_gms = problems(gms + "[[figure]]\ny = [\"f1\", \"f12\", \"f1x\", \"F\", \"z\"]\n");
  ASSERT_GT(said_of_gms.size(), 2U);
  EXPECT_EQ(said_of_gms[said_of_gms.size() - 2].substr(0, 34), "s.toml:21: unknown column 'f1x' in");
  EXPECT_EQ(said_of_gms[said_of_gms.size() - 1].substr(0, 32), "s.toml:21: unknown column 'z' in");
  EXPECT_EQ(said_after("[[figure]]\ny = \"u\"\n"),
            Lines{"unknown column 'u' in [[figure]]; accepted: t, x, v, F, F_app, drive, z"});
}

/// Numbers that a wrong one leaves unknown are no further mistakes: blocks of a chain, the period of a servo, the temperature of a
/// contact that heats.
TEST(ScenarioErrors, WrongNumbersAreReportedAlone) {
  const std::string figure = "[[figure]]\ny = [\"x3\", \"F2\"]\n";
  const std::string chain = "kind = \"chain\"\nmass = 2\nstiffness = 2.0\ncoupling = 1\nblocks = ";
  EXPECT_EQ(problems(with(stick_slip, body, chain + "3\n") + figure), Lines{});
  EXPECT_EQ(said(body, chain + "2\n" + figure).size(), 1U);
  const Lines none = said(body, chain + "0\n" + figure);
  EXPECT_EQ(none, Lines{"blocks = 0 must be a whole number, 1 to 100000"});
  const std::string servo = "kind = \"step\"\nat = 1\nsize = 1\n[controller]\nkp = 10\nkd = 1\nsample_time = ";
  const std::string free = with(stick_slip, body, "kind = \"slider\"\nmass = 2\n");
  EXPECT_EQ(problems(with(free, ramp, servo + "1e-3\n")), Lines{});
  EXPECT_EQ(problems(with(free, ramp, servo + "0\n")).size(), 1U);  // its kd meets the jump of the reference
  EXPECT_EQ(problems(with(free, ramp, servo + "-1\n")), Lines{"s.toml:21: sample_time = -1 s must be >= 0"});
  const std::string heated = "[friction.heat]\ncapacity = -3\nconductance = 1\n[[figure]]\ny = \"T\"\n";
  EXPECT_EQ(said_after(heated), Lines{"capacity = -3 J/K must be > 0"});
}
