/// Scenario files: every key of a valid file has its effect.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <variant>

#include "support/scenario.hpp"

using namespace bristle;

namespace {

/// A folder with files, removed at the end.
class Folder {
 public:
  Folder() : path_(std::filesystem::path(testing::TempDir()) / ("scenario" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

Drive drive_of(const std::string& section) {
  return good(with(stick_slip, "kind = \"ramp\"\nvelocity = 0.1", section)).experiment.drive;
}
template <class Shape> Shape shape_of(const std::string& section) {
  const Drive drive = drive_of(section);
  EXPECT_EQ(drive.terms.size(), 1U);
  const auto* shape = std::get_if<Shape>(&drive.terms.front().shape);
  EXPECT_NE(shape, nullptr) << section;
  return shape ? *shape : Shape{};
}
const std::string lugre_block = "model = \"lugre\"\nFc = 1\nFs = 1.5\nvs = 0.001\nsigma0 = 1e5\nsigma1 = 316.2\n";

}  // namespace

TEST(Scenario, TheWholeFile) {
  const Scenario s =
      good(stick_slip + "rtol = 1e-9\natol = 1e-12\noutput_step = 0.1\nmethod = \"rodas\"\nmax_steps = 1000\n");
  EXPECT_EQ(s.title, "Stick-slip");
  EXPECT_EQ(s.name, "s");
  EXPECT_EQ(s.path, "s.toml");
  EXPECT_FALSE(s.rotational);
  const Experiment& e = s.experiment;
  EXPECT_EQ(e.kind, SystemKind::slider);
  EXPECT_EQ(e.body.mass, 2);
  EXPECT_EQ(e.body.stiffness, 2);
  EXPECT_EQ(e.body.x0, 0);
  ASSERT_EQ(e.contacts.size(), 1U);
  EXPECT_EQ(e.contacts[0].name, "");
  EXPECT_EQ(e.contacts[0].contact->model(), "lugre");
  EXPECT_EQ(parameter(*e.contacts[0].contact, "sigma1"), 316.2);
  EXPECT_EQ(e.drive.of, DriveOf::position);
  EXPECT_FALSE(e.load);
  EXPECT_FALSE(e.controller);
  EXPECT_EQ(e.solver.duration, 20);
  EXPECT_EQ(e.solver.rtol, 1e-9);
  EXPECT_EQ(e.solver.atol, 1e-12);
  EXPECT_EQ(e.solver.output_step, 0.1);
  EXPECT_EQ(e.solver.max_steps, 1000);
  EXPECT_EQ(e.method, Method::rodas);
  EXPECT_EQ(s.notes.size(), 1U) << "these parameters are not passive";
}

TEST(Scenario, SchemaTitleAndUnitsAreOptional) {
  const Scenario s = good(with(stick_slip, "schema = 1\ntitle = \"Stick-slip\"\nunits = \"linear\"\n", ""));
  EXPECT_EQ(s.title, "");
  EXPECT_TRUE(good(with(stick_slip, "linear", "rotational")).rotational);
}

TEST(Scenario, EveryMethod) {
  const std::pair<std::string, Method> methods[]{{"auto", Method::automatic},
                                                 {"rodas", Method::rodas},
                                                 {"explicit", Method::explicit_pair},
                                                 {"cvode", Method::cvode}};
  for (const auto& [name, method] : methods) {
    EXPECT_EQ(good(stick_slip + "method = \"" + name + "\"").experiment.method, method) << name;
  }
  const Scenario fixed = good(stick_slip + "method = \"fixed\"\nstep = 1e-3");
  EXPECT_EQ(fixed.experiment.method, Method::fixed);
  EXPECT_EQ(fixed.experiment.solver.step, 1e-3);
}

TEST(Scenario, InitialStateAndEffects) {
  const Scenario s =
      good(with(stick_slip, "[system]", "[friction.initial]\nz = 1e-6\n[friction.effects]\nasymmetry = 0.1\n[system]"));
  const AnyContact& c = *s.experiment.contacts[0].contact;
  EXPECT_EQ(c.states()[0].value, 1e-6);
  EXPECT_EQ(parameter(c, "asymmetry"), 0.1);
}

TEST(Scenario, CoefficientsTimesLoad) {
  const Scenario s = good(with(stick_slip, "Fc = 1.0\nFs = 1.5", "mu_c = 0.1\nmu_s = 0.2\nnormal_load = 9.81"));
  EXPECT_DOUBLE_EQ(parameter(*s.experiment.contacts[0].contact, "Fc"), 0.981);
  EXPECT_DOUBLE_EQ(parameter(*s.experiment.contacts[0].contact, "Fs"), 1.962);
}

TEST(Scenario, SeveralContacts) {
  const std::string text =
      with(stick_slip, "[friction]\n",
           "[[friction]]\nname = \"rear\"\nmodel = \"coulomb\"\nFc = 2\n[[friction]]\nname = \"front\"\n");
  const Scenario s =
      good(text +
           "[[figure]]\ny = [\"F\", \"F_rear\", \"F_front\", \"front.z\"]\n[expect]\n\"max(front.z)\" = { max = 1 }\n");
  ASSERT_EQ(s.experiment.contacts.size(), 2U);
  EXPECT_EQ(s.experiment.contacts[0].name, "rear");
  EXPECT_EQ(s.experiment.contacts[0].contact->model(), "coulomb");
  EXPECT_EQ(s.experiment.contacts[1].name, "front");
  EXPECT_EQ(s.experiment.contacts[1].contact->model(), "lugre");
  EXPECT_EQ(good(with(stick_slip, "[friction]", "[[friction]]")).experiment.contacts[0].name, "");
}

TEST(Scenario, FrictionFromAFile) {
  const Folder folder;
  folder.write("block.toml", "title = \"a fit\"\n" + lugre_block + "[effects]\nasymmetry = 0.1\noffset = 0.2\n");
  folder.write("section.toml", "[friction]\n" + lugre_block);
  const std::string own = stick_slip.substr(0, stick_slip.find("[friction]"));
  const std::string rest = stick_slip.substr(stick_slip.find("[system]"));
  for (const std::string file : {"block.toml", "section.toml"}) {
    const std::string path = folder.write("s.toml", own + "[friction]\nfile = \"" + file + "\"\nFc = 1.2\n" + rest);
    const Loaded loaded = load_scenario(path);
    ASSERT_EQ(lines(loaded.problems), Lines{});
    const AnyContact& c = *loaded.scenario->experiment.contacts[0].contact;
    EXPECT_EQ(parameter(c, "Fc"), 1.2) << "other keys replace those of `file`";
    EXPECT_EQ(parameter(c, "Fs"), 1.5);
    if (file == "block.toml") { EXPECT_EQ(parameter(c, "offset"), 0.2); }
  }
  const std::string path =
      folder.write("s.toml", own + "[friction]\nfile = \"block.toml\"\neffects.offset = 0.3\n" + rest);
  const Loaded loaded = load_scenario(path);
  ASSERT_EQ(lines(loaded.problems), Lines{});
  const AnyContact& c = *loaded.scenario->experiment.contacts[0].contact;
  EXPECT_EQ(parameter(c, "offset"), 0.3);
  EXPECT_EQ(parameter(c, "asymmetry"), 0.1);
}

/// A friction file sets the units unless the scenario does.
TEST(Scenario, UnitsFromAFrictionFile) {
  const Folder folder;
  const std::string block = lugre_block + "kv = 200\n";  // passive: no note about that
  const std::string rest = stick_slip.substr(stick_slip.find("[system]"));
  auto put = [&](const std::string& name, const std::string& units) {
    const std::string head = units.empty() ? "" : "units = \"" + units + "\"\n";
    folder.write(name + ".toml", head + "title = \"a fit\"\n[friction]\n" + block);
    folder.write(name + "_block.toml", head + block);
  };
  put("turning", "rotational");
  put("sliding", "linear");
  put("silent", "");
  put("wrong", "imperial");
  auto load = [&](const std::string& text) { return load_scenario(folder.write("s.toml", text)); };
  auto of = [](const std::string& file) { return "file = \"" + file + ".toml\"\n"; };
  for (const std::string form : {"", "_block"}) {
    for (const auto& [name, rotational] : {std::pair{"turning", true}, {"sliding", false}, {"silent", false}}) {
      const Loaded loaded = load("[friction]\n" + of(name + form) + rest);
      ASSERT_EQ(lines(loaded.problems), Lines{});
      EXPECT_EQ(loaded.scenario->rotational, rotational) << name << form;
      EXPECT_EQ(loaded.scenario->notes.size(), 0U);
    }
    const Loaded own = load("units = \"linear\"\n[friction]\n" + of("turning" + form) + rest);
    ASSERT_EQ(lines(own.problems), Lines{});
    EXPECT_FALSE(own.scenario->rotational);
    ASSERT_EQ(own.scenario->notes.size(), 1U);
    EXPECT_EQ(own.scenario->notes[0].substr(own.scenario->notes[0].find("turning")),
              "turning" + form + ".toml has units = \"rotational\", this file \"linear\", which holds");
    const Loaded wrong = load("[friction]\n" + of("wrong" + form) + rest);
    ASSERT_EQ(wrong.problems.size(), 1U);
    EXPECT_EQ(wrong.problems[0].text, "units = \"imperial\" in the file must be one of \"linear\", \"rotational\"");
    EXPECT_TRUE(wrong.problems[0].where.ends_with("wrong" + form + ".toml:1"));
  }
  auto two = [&](const std::string& head, const std::string& a, const std::string& b) {
    return load(head + "[[friction]]\nname = \"a\"\n" + of(a) + "[[friction]]\nname = \"b\"\n" + of(b) + rest);
  };
  EXPECT_TRUE(two("", "turning", "turning").scenario->rotational);
  EXPECT_TRUE(two("", "silent", "turning").scenario->rotational);
  const Loaded mixed = two("", "turning", "sliding");
  ASSERT_EQ(mixed.problems.size(), 1U);
  EXPECT_TRUE(mixed.problems[0].where.ends_with("s.toml:6")) << mixed.problems[0].line();
  EXPECT_TRUE(mixed.problems[0].text.ends_with("write the ones that hold, units = ..., into this file"));
  EXPECT_TRUE(two("units = \"rotational\"\n", "turning", "sliding").scenario->rotational);
  EXPECT_EQ(two("units = \"rotational\"\n", "turning", "sliding").scenario->notes.size(), 1U);
}

TEST(Scenario, Systems) {
  const std::string body = "kind = \"slider\"\nmass = 2\nstiffness = 2.0\n";
  const Experiment slider =
      good(with(stick_slip, body, body + "damping = 3\nrest_length = 4\nx0 = 5\nv0 = -6\ntemperature = 40\n"))
          .experiment;
  EXPECT_EQ(slider.body.damping, 3);
  EXPECT_EQ(slider.body.rest_length, 4);
  EXPECT_EQ(slider.body.x0, 5);
  EXPECT_EQ(slider.body.v0, -6);
  EXPECT_EQ(slider.body.temperature, 40);

  const Experiment prescribed = good(with(stick_slip, body, "kind = \"prescribed\"\ntemperature = 80\n")).experiment;
  EXPECT_EQ(prescribed.kind, SystemKind::prescribed);
  EXPECT_EQ(prescribed.body.temperature, 80);

  const std::string roller = with(body, "slider", "roller") + "radius = 0.5\nv0 = 3\n";
  const Experiment rolls = good(with(stick_slip, body, roller)).experiment;
  EXPECT_EQ(rolls.kind, SystemKind::roller);
  EXPECT_EQ(rolls.disk.radius, 0.5);
  EXPECT_EQ(rolls.disk.inertia, 0) << "stands for half m r^2";
  EXPECT_EQ(rolls.disk.omega0, 6) << "it rolls by default";
  const Experiment slips = good(with(stick_slip, body, roller + "omega0 = 1\ninertia = 7\n")).experiment;
  EXPECT_EQ(slips.disk.omega0, 1);
  EXPECT_EQ(slips.disk.inertia, 7);
}

TEST(Scenario, NoDriveIsAFarEndAtRest) {
  const Drive d = good(with(stick_slip, "[drive]\nkind = \"ramp\"\nvelocity = 0.1\n", "")).experiment.drive;
  EXPECT_EQ(d.at(3).value, 0);
  EXPECT_EQ(d.of, DriveOf::position);
}

TEST(Scenario, DriveKinds) {
  EXPECT_EQ(shape_of<Constant>("kind = \"constant\"\nvalue = 3").value, 3);
  const auto step = shape_of<StepAt>("kind = \"step\"\nat = 1\nsize = -2");
  EXPECT_EQ(step.at, 1);
  EXPECT_EQ(step.size, -2);
  EXPECT_EQ(shape_of<StepAt>("kind = \"step\"\nsize = 1").at, 0);
  const auto ramp = shape_of<Ramp>("kind = \"ramp\"\nvelocity = 2\nstart = 1");
  EXPECT_EQ(ramp.velocity, 2);
  EXPECT_EQ(ramp.start, 1);
  EXPECT_EQ(shape_of<Ramp>("kind = \"ramp\"\nof = \"force\"\nrate = 7").velocity, 7);
  EXPECT_EQ(shape_of<Ramp>("kind = \"ramp\"\nrate = 7").velocity, 7);
  const auto sine = shape_of<Sine>("kind = \"sine\"\namplitude = 2\nfrequency = 3\nphase = 0.5\noffset = 1");
  EXPECT_EQ(sine.amplitude, 2);
  EXPECT_EQ(sine.frequency, 3);
  EXPECT_EQ(sine.phase, 0.5);
  EXPECT_EQ(sine.offset, 1);
  EXPECT_DOUBLE_EQ(shape_of<Sine>("kind = \"sine\"\namplitude = 1\nomega = 25").frequency, 25 / (2 * std::acos(-1)));
  const auto chirp = shape_of<Chirp>("kind = \"chirp\"\namplitude = 1\nf0 = 0.1\nf1 = 5\nsweep_time = 10");
  EXPECT_EQ(chirp.f0, 0.1);
  EXPECT_EQ(chirp.f1, 5);
  EXPECT_EQ(chirp.sweep_time, 10);
  EXPECT_EQ(shape_of<Triangle>("kind = \"triangle\"\namplitude = 1\nfrequency = 4").frequency, 4);
  const auto table = shape_of<Points>("kind = \"table\"\nt = [0, 1.5, 2]\nvalue = [1, 2, 0]");
  EXPECT_EQ(table.t, (std::vector<double>{0, 1.5, 2}));
  EXPECT_EQ(table.value, (std::vector<double>{1, 2, 0}));
}

TEST(Scenario, DriveOf) {
  EXPECT_EQ(drive_of("kind = \"constant\"\nvalue = 1\nof = \"velocity\"").of, DriveOf::velocity);
  EXPECT_EQ(drive_of("kind = \"constant\"\nvalue = 1\nof = \"force\"").of, DriveOf::force);
}

TEST(Scenario, SumsAndSoftStarts) {
  const Drive d = drive_of("kind = \"sum\"\nsoft_start = 2\nterms = [{ kind = \"constant\", value = 1 },\n"
                           "{ kind = \"sine\", amplitude = 2, frequency = 3, soft_start = 0.5 }]");
  ASSERT_EQ(d.terms.size(), 2U);
  EXPECT_EQ(d.soft_start, 2);
  EXPECT_EQ(d.terms[0].soft_start, 0);
  EXPECT_EQ(d.terms[1].soft_start, 0.5);
  EXPECT_EQ(std::get<Sine>(d.terms[1].shape).frequency, 3);
  // sin^2(pi/4) = 1/2 in the middle of the soft start.
  EXPECT_DOUBLE_EQ(drive_of("kind = \"constant\"\nvalue = 4\nsoft_start = 2").at(1).value, 2);
}

TEST(Scenario, TableFromAFile) {
  const Folder folder;
  folder.write("motion.csv", "time,x,speed\n0,1,5\n2,3,6\n");
  auto points = [&](const std::string& more) {
    const std::string text =
        with(stick_slip, "kind = \"ramp\"\nvelocity = 0.1", "kind = \"table\"\nfile = \"motion.csv\"\n" + more);
    const Loaded loaded = load_scenario(folder.write("s.toml", text));
    EXPECT_EQ(lines(loaded.problems), Lines{});
    return std::get<Points>(loaded.scenario->experiment.drive.terms.at(0).shape);
  };
  EXPECT_EQ(points("").t, (std::vector<double>{0, 2}));
  EXPECT_EQ(points("").value, (std::vector<double>{1, 3}));
  EXPECT_EQ(points("columns = [\"time\", \"speed\"]").value, (std::vector<double>{5, 6}));
}

TEST(Scenario, LoadHasTheKindsOfADrive) {
  const Scenario s = good(stick_slip + "[load]\nkind = \"sine\"\noffset = 1\namplitude = 0.5\nfrequency = 2\n");
  ASSERT_TRUE(s.experiment.load);
  EXPECT_DOUBLE_EQ(s.experiment.load->at(0.125).value, 1.5);
}

TEST(Scenario, Controller) {
  const std::string servo =
      with(stick_slip, "stiffness = 2.0\n", "") +
      "[controller]\nkp = 1\nki = 2\nkd = 3\nsample_time = 1e-3\nlimit = 10\nencoder_step = 1e-6\n";
  const Experiment e = good(servo + "[[figure]]\ny = [\"u\", \"reference\"]").experiment;
  ASSERT_TRUE(e.controller);
  EXPECT_EQ(e.controller->kp, 1);
  EXPECT_EQ(e.controller->ki, 2);
  EXPECT_EQ(e.controller->kd, 3);
  EXPECT_EQ(e.controller->sample_time, 1e-3);
  EXPECT_EQ(e.controller->limit, 10);
  EXPECT_EQ(e.controller->encoder_step, 1e-6);
  EXPECT_EQ(e.feedforward, nullptr);
  EXPECT_EQ(good(with(servo, "limit = 10", "limit = inf")).experiment.controller->limit, inf);
  for (const std::string word : {"model", "lugre"}) {
    const Experiment own = good(servo + "feedforward = \"" + word + "\"").experiment;
    ASSERT_NE(own.feedforward, nullptr);
    EXPECT_EQ(parameter(*own.feedforward, "Fc"), 1);
  }
  const Folder folder;
  folder.write("other.toml", with(lugre_block, "Fc = 1\n", "Fc = 1.1\n"));
  const Loaded loaded = load_scenario(folder.write("s.toml", servo + "feedforward = \"other.toml\""));
  ASSERT_EQ(lines(loaded.problems), Lines{});
  EXPECT_EQ(parameter(*loaded.scenario->experiment.feedforward, "Fc"), 1.1);
  // A block of its own, here and from a file with changes: the contact itself stays as it is.
  const Experiment block = good(servo + "feedforward = { model = \"coulomb\", Fc = 0.8, kv = 2 }").experiment;
  EXPECT_EQ(block.feedforward->model(), "coulomb");
  EXPECT_EQ(parameter(*block.feedforward, "kv"), 2);
  EXPECT_EQ(parameter(*block.contacts[0].contact, "Fc"), 1);
  const Loaded changed = load_scenario(folder.write(
      "t.toml", servo + "[controller.feedforward]\nfile = \"other.toml\"\nkv = 0.6\n[controller.feedforward."
                        "initial]\nz = 1e-6\n"));
  ASSERT_EQ(lines(changed.problems), Lines{});
  const AnyContact& f = *changed.scenario->experiment.feedforward;
  EXPECT_EQ(parameter(f, "Fc"), 1.1);
  EXPECT_EQ(parameter(f, "kv"), 0.6);
  EXPECT_EQ(f.states()[0].value, 1e-6);
}

TEST(Scenario, Figures) {
  const Scenario s = good(
      stick_slip +
      "[[figure]]\ny = \"F\"\n[[figure]]\ny = \"v\"\nevents = true\n[[figure]]\nx = \"x\"\ny = [\"F\", \"z\"]\ntitle = \"T\"\nxlabel = \"X\"\n"
      "ylabel = \"Y\"\nlegend = [\"a\", \"b\"]\nxlog = true\nylog = true\nxlim = [0.1, 1]\nylim = [0.5, 2.5]\n");
  ASSERT_EQ(s.figures.size(), 3U);
  EXPECT_EQ(s.figures[0].x, "t");
  EXPECT_EQ(s.figures[0].y, Lines{"F"});
  EXPECT_FALSE(s.figures[0].xlog || s.figures[0].ylog || s.figures[0].events || s.figures[0].xlim || s.figures[0].ylim);
  EXPECT_TRUE(s.figures[1].events);
  const FigureSpec& f = s.figures[2];
  EXPECT_EQ(f.x, "x");
  EXPECT_EQ(f.y, (Lines{"F", "z"}));
  EXPECT_EQ(f.title + f.xlabel + f.ylabel, "TXY");
  EXPECT_EQ(f.legend, (Lines{"a", "b"}));
  EXPECT_TRUE(f.xlog && f.ylog && !f.events);
  EXPECT_EQ(f.xlim, (std::array<double, 2>{0.1, 1}));
  EXPECT_EQ(f.ylim, (std::array<double, 2>{0.5, 2.5}));
}
