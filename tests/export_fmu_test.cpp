/// FMUs as an importer sees them: the archive, its XML, and the binary, loaded and driven through the functions of FMI.
#include "fmu_importer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using namespace fmu_importer;

const Table all_effects{{"asymmetry", 0.1},      {"offset", 0.05},       {"ripple", 0.1},
                        {"ripple_period", 0.01}, {"load_exponent", 0.8}, {"negative.kv", 0.3}};

TEST(Fmu, EqualsTheLibraryForEveryModel) {
  for (const ModelInfo* model : models()) {
    for (const bool effects : {false, true}) {
      auto contact = typical(*model, effects ? all_effects : Table{});
      if (!contact) continue;  // kv of negative motion is not accepted by every model
      SCOPED_TRACE(model->name);
      const Scales<double> size = contact->scales();
      const double speed = size.velocity > 0 ? size.velocity : 0.01, force = size.force;
      std::mt19937 random(7);
      std::uniform_real_distribution<double> any(-1, 1);
      {
        const Fmu fmu(contact->clone(), "friction");
        Instance2 it(fmu);
        ASSERT_TRUE(it.c);
        it.start();
        auto ours = contact->clone();
        double x = 0, path = 0;
        for (int i = 0; i < 200; ++i) {
          const double v = 3 * speed * any(random), r = 1 + 0.5 * any(random), dt = 1e-3;
          ASSERT_EQ(it.set("v", v), fmi2OK);
          ASSERT_EQ(it.set("r", r), fmi2OK);
          ASSERT_EQ(it.step(i * dt, dt), fmi2OK);
          x += v * dt;
          path += std::abs(v) * dt;
          const double F = ours->step({.x = x, .v = v, .r = r, .path = path, .t = (i + 1) * dt}, dt);
          ASSERT_NEAR(it.get("F"), F, 1e-13 * std::max(1.0, std::abs(F))) << i;
        }
      }
      const Fmu fmu(contact->clone(), "body", 2, 0.7);
      Instance2 it(fmu);
      ASSERT_TRUE(it.c);
      it.start();
      auto ours = contact->clone();
      double x = 0, v = 0, path = 0;
      for (int i = 0; i < 200; ++i) {
        const double F_app = 2 * force * std::sin(0.1 * i), dt = 1e-3;
        ASSERT_EQ(it.set("F_app", F_app), fmi2OK);
        ASSERT_EQ(it.step(i * dt, dt), fmi2OK);
        const auto next =
            ours->couple({.x = x, .v = v, .F_app = F_app, .path = path, .t = (i + 1) * dt, .load = F_app}, 0.7, dt);
        v = next.v;
        x += v * dt;
        path += std::abs(v) * dt;
        ASSERT_NEAR(it.get("F"), next.F, 1e-13 * std::max(1.0, std::abs(next.F))) << i;
        ASSERT_NEAR(it.get("x"), x, 1e-13 * std::max(1.0, std::abs(x))) << i;
      }
    }
  }
}

TEST(Fmu, StatesRatesAfterSteps) {
  const ModelInfo& lugre = *find_model("lugre");
  const Fmu alone(typical(lugre), "friction");
  Instance2 one(alone);
  ASSERT_TRUE(one.c);
  one.start();
  double z = 0;
  for (int i = 0; i < 3; ++i) {
    one.set("v", 1e-4);
    ASSERT_EQ(one.step(i * 1e-6, 1e-6), fmi2OK);
    EXPECT_NEAR(one.get("der(state.z)"), (one.get("state.z") - z) / 1e-6, 1e-6);
    EXPECT_EQ(one.get("der(x)"), 1e-4);
    z = one.get("state.z");
  }
  const Fmu moving(typical(lugre), "body", 2, 0.7);
  Instance2 body(moving);
  ASSERT_TRUE(body.c);
  body.start();
  body.set("F_app", 3);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(body.step(i * 1e-3, 1e-3), fmi2OK);
    EXPECT_NEAR(body.get("der(v)"), (3 - body.get("F")) / 0.7, 1e-12);
    EXPECT_EQ(body.get("der(x)"), body.get("v"));
  }
  EXPECT_GT(body.get("der(v)"), 0);
}

/// mass a = F_app - F - gravity sin(x - phase) - offset, with values of a fit; a negative gravity turns the phase.
TEST(Fmu, MovesAFittedJoint) {
  auto contact = typical(*find_model("lugre"), {{"ripple", 0.1}, {"ripple_period", 0.02}});
  const double mass = 0.3, gravity = -0.5, phase = 0.2, offset = 0.01, dt = 1e-3;
  const Fmu fmu(contact->clone(), "", 2, mass, [&](FittedPart& f) {
    f.gravity = gravity;
    f.gravity_phase = phase;
    f.offset = offset;
  });
  Instance2 it(fmu);
  ASSERT_TRUE(it.c);
  it.start();
  double x = 0, v = 0, path = 0;
  for (int i = 0; i < 500; ++i) {
    const double u = 3 * std::sin(0.02 * i), need = u - gravity * std::sin(x - phase) - offset;
    it.set("F_app", u);
    ASSERT_EQ(it.step(i * dt, dt), fmi2OK);
    v = contact->couple({.x = x, .v = v, .F_app = need, .path = path, .load = u}, mass, dt).v;
    x += v * dt;
    path += std::abs(v) * dt;
    ASSERT_NEAR(it.get("x"), x, 1e-12) << i;
  }
  EXPECT_GT(std::abs(x), 0.01);
}

/// Ten seconds from one second after the ramp: until then bristles settle, as in docs/export.md. The relaxation of slip_variable
/// takes seconds.
TEST(Fmu, HoldsARampedLoad) {
  for (const ModelInfo* model : models()) {
    if (!model->has.stiction) continue;
    SCOPED_TRACE(model->name);
    auto contact = typical(*model);
    const double load = 0.5 * contact->scales().force, from = model->name == "slip_variable" ? 10 : 5;
    for (const double h : {1e-3, 5e-3, 20e-3}) {
      const Fmu fmu(contact->clone(), "body");
      Instance2 it(fmu);
      it.start();
      double x = NAN;
      const int n = static_cast<int>(std::lround((from + 10) / h));
      const fmi2ValueReference max_step = fmu.vr.at("max_step");
      ASSERT_EQ(FMI2(SetReal)(it.c, &max_step, 1, &h), fmi2OK);
      for (int i = 0; i < n; ++i) {
        it.set("F_app", load * std::min(1.0, i * h / 4));
        ASSERT_EQ(it.step(i * h, h), fmi2OK);
        if (std::abs((i + 1) * h - from) < h / 2) x = it.get("x");
      }
      EXPECT_LE(std::abs(it.get("x") - x), 1e-12) << h;
    }
  }
}

TEST(Fmu, KeepsInstancesApartAndStates) {
  const ModelInfo& lugre = *find_model("lugre");
  const Fmu fmu(typical(lugre), "friction");
  Instance2 a(
      fmu, "file://" + fmu.folder.parent_path().string() + "/" + [&] {
        std::string name = fmu.folder.filename().string();
        for (std::size_t at; (at = name.find(' ')) != std::string::npos;) name.replace(at, 1, "%20");
        return name;
      }());
  Instance2 b(fmu);
  ASSERT_TRUE(a.c);
  ASSERT_TRUE(b.c);
  a.start();
  b.start();
  a.set("v", 0.01);
  for (int i = 0; i < 10; ++i) a.step(i * 1e-3, 1e-3);
  EXPECT_GT(a.get("F"), 0.5);
  EXPECT_EQ(b.get("F"), 0);

  fmi2FMUstate state = nullptr;
  ASSERT_EQ(FMI2(GetFMUstate)(a.c, &state), fmi2OK);
  size_t size = 0;
  ASSERT_EQ(FMI2(SerializedFMUstateSize)(a.c, state, &size), fmi2OK);
  std::vector<char> bytes(size);
  ASSERT_EQ(FMI2(SerializeFMUstate)(a.c, state, bytes.data(), size), fmi2OK);
  fmi2FMUstate copy = nullptr;
  ASSERT_EQ(FMI2(DeSerializeFMUstate)(b.c, bytes.data(), size, &copy), fmi2OK);
  ASSERT_EQ(FMI2(SetFMUstate)(b.c, copy), fmi2OK);
  for (int i = 10; i < 20; ++i) {
    for (Instance2* it : {&a, &b}) {
      it->set("v", -0.004);
      it->step(i * 1e-3, 1e-3);
    }
    EXPECT_EQ(a.get("F"), b.get("F"));
  }
  bytes[3] ^= 1;
  fmi2FMUstate none = nullptr;
  EXPECT_EQ(FMI2(DeSerializeFMUstate)(b.c, bytes.data(), size, &none), fmi2Error);
  EXPECT_EQ(FMI2(DeSerializeFMUstate)(b.c, bytes.data(), size / 2, &none), fmi2Error);
  EXPECT_EQ(FMI2(Reset)(a.c), fmi2OK);
  a.start();
  EXPECT_EQ(a.get("F"), 0);
  FMI2(FreeFMUstate)(a.c, &state);
  FMI2(FreeFMUstate)(b.c, &copy);
}

TEST(Fmu, TunesParametersAndRefusesWrongOnes) {
  const Fmu fmu(typical(*find_model("lugre")), "friction");
  Instance2 it(fmu);
  it.start();
  EXPECT_EQ(it.set("Fc", -1), fmi2Error);
  EXPECT_EQ(it.set("Fc", NAN), fmi2Error);
  EXPECT_EQ(it.set("v", INFINITY), fmi2Error);
  EXPECT_EQ(it.set("F", 1), fmi2Error);
  EXPECT_EQ(it.set("v", 0.1), fmi2OK);
  EXPECT_EQ(it.set("Fc", 3), fmi2OK);
  EXPECT_EQ(it.step(0, 1e-3), fmi2Error);  // Fs < Fc
  EXPECT_EQ(it.set("Fs", 4), fmi2OK);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(it.step(i * 1e-3, 1e-3), fmi2OK);
  EXPECT_NEAR(it.get("F"), 3, 1e-9);
  EXPECT_EQ(it.step(0.1, -1), fmi2Error);
}

TEST(Fmu, GivesDirectionalDerivatives) {
  for (const ModelInfo* model : models()) {
    SCOPED_TRACE(model->name);
    auto contact = typical(*model);
    const double speed = contact->scales().velocity > 0 ? contact->scales().velocity : 0.01;
    const Fmu fmu(contact->clone(), "friction");
    Instance2 it(fmu);
    it.start();
    it.set("v", 0.7 * speed);
    for (int i = 0; i < 50; ++i) it.step(i * 1e-3, 1e-3);
    const fmi2ValueReference F = fmu.vr.at("F"), v = fmu.vr.at("v");
    double seed = 1, slope = NAN;
    ASSERT_EQ(FMI2(GetDirectionalDerivative)(it.c, &F, 1, &v, 1, &seed, &slope), fmi2OK);
    const double h = 1e-6 * speed;
    it.set("v", 0.7 * speed + h);
    const double above = it.get("F");
    it.set("v", 0.7 * speed - h);
    const double below = it.get("F");
    EXPECT_NEAR(slope, (above - below) / (2 * h), 1e-4 * (std::abs(slope) + contact->scales().force / speed));
  }
}

/// FMI 2 has the independent variable without a line for it, FMI 3 requires one. All other variables of causality input and parameter
/// have start values.
TEST(Fmu, ListsTimeInVersion3Only) {
  for (const int version : {2, 3}) {
    for (const char* kind : {"friction", "body"}) {
      const Fmu fmu(typical(*find_model("gms")), kind, version);
      const std::string& xml = fmu.files.at("modelDescription.xml");
      EXPECT_EQ(xml.find("causality=\"independent\"") == std::string::npos, version == 2) << kind;
      for (std::size_t at = 0; (at = xml.find(" valueReference=\"", at)) != std::string::npos; ++at) {
        const std::string line = xml.substr(at, xml.find('\n', at) - at);
        const bool required = line.find("causality=\"input\"") != std::string::npos ||
                              line.find("initial=\"exact\"") != std::string::npos;
        EXPECT_EQ(line.find(" start=\"") != std::string::npos && line.find("Dimension") == std::string::npos,
                  required && line.find("Dimension") == std::string::npos)
            << line;
      }
    }
  }
}

TEST(Fmu, SpeaksVersion3) {
  const ModelInfo& gms = *find_model("gms");
  const Fmu fmu(typical(gms), "body", 3);
  const std::string& xml = fmu.files.at("modelDescription.xml");
  EXPECT_NE(xml.find("instantiationToken=\"" + fmu.token + "\""), std::string::npos);
  EXPECT_NE(xml.find("<Dimension start="), std::string::npos);
  EXPECT_EQ(xml.find("inf"), xml.find("information"));
  EXPECT_EQ(fmu.files.count("binaries/x86_64-linux/bristle.so"), 1U);
  fmi3Instance c = FMI3(InstantiateCoSimulation)("one", fmu.token.c_str(), (fmu.folder.string() + "/").c_str(), false,
                                                 false, false, false, nullptr, 0, nullptr, nullptr, nullptr);
  ASSERT_TRUE(c);
  ASSERT_EQ(FMI3(EnterInitializationMode)(c, false, 0, 0, false, 0), fmi3OK);
  const std::vector<double> k = *typical(gms)->parameter("k").as<std::vector<double>>();
  std::vector<double> read(k.size());
  const fmi3ValueReference array = fmu.vr.at("k"), force = fmu.vr.at("F_app"), F = fmu.vr.at("F");
  ASSERT_EQ(FMI3(GetFloat64)(c, &array, 1, read.data(), read.size()), fmi3OK);
  EXPECT_EQ(read, k);
  EXPECT_EQ(FMI3(GetFloat64)(c, &array, 1, read.data(), read.size() - 1), fmi3Error);
  ASSERT_EQ(FMI3(ExitInitializationMode)(c), fmi3OK);
  double load = 0.2, out = NAN, last = 0;
  bool event = false, end = false, early = false;
  ASSERT_EQ(FMI3(SetFloat64)(c, &force, 1, &load, 1), fmi3OK);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(FMI3(DoStep)(c, i * 1e-3, 1e-3, true, &event, &end, &early, &last), fmi3OK);
  ASSERT_EQ(FMI3(GetFloat64)(c, &F, 1, &out, 1), fmi3OK);
  EXPECT_NEAR(out, load, 1e-9);
  FMI3(FreeInstance)(c);
}

TEST(Fmu, RefusesHostileResources) {
  const Fmu fmu(typical(*find_model("lugre")), "friction");
  auto opens = [&] { return Instance2(fmu).c != nullptr; };
  const std::string good = fmu.files.at("resources/friction.txt"), unit = fmu.files.at("resources/unit.txt");
  auto put = [&](const char* name, const std::string& text) {
    std::ofstream(fmu.folder / name, std::ios::binary) << text;
  };
  EXPECT_TRUE(opens());
  EXPECT_FALSE(Instance2(fmu, "/no/such/folder").c);
  EXPECT_FALSE(Instance2(fmu, "", "another token").c);
  auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& bad :
       {std::string(), std::string(2'000'000, 'x'), std::string("\0\xff\xfe", 3), changed("lugre", "lugra"),
        changed("friction.Fc = 1", "friction.Fc = nan"), changed("friction.Fc = 1", "friction.Fc = -1"),
        changed("friction.Fc = 1", "friction.Fc = [1, 2]"), changed("friction.Fc = 1", "friction.Fd = 1"),
        changed("friction.Fc = 1\n", ""), changed("friction.Fc = 1", "friction.Fc = 1e999"), good + good,
        good + "effects.noise = 1\n", good + "effects.curve_x = [" + std::string(3000, '1') + "]\n",
        changed("lugre", "haessig_friedland")}) {
    put("friction.txt", bad);
    EXPECT_FALSE(opens()) << bad.substr(0, 200);
  }
  put("friction.txt", good);
  for (const std::string& bad : {std::string("kind = wheel\n"), unit + "mass = 0\n", unit + "max_step = nan\n"}) {
    put("unit.txt", bad);
    EXPECT_FALSE(opens()) << bad;
  }
  put("unit.txt", unit);
  EXPECT_TRUE(opens());
}

TEST(Fmu, RefusesWhatIsRandom) {
  const auto* kind = exports::find_kind("fmu");
  for (const char* name : {"haessig_friedland", "gfm"}) {
    auto contact = typical(*find_model(name));
    ASSERT_TRUE(contact) << name;
    EXPECT_FALSE(exports::write(*kind, exports::block_of(std::move(contact)), {.out = "x.fmu", .resources = resources})
                     .problems.empty());
  }
  auto noisy = typical(*find_model("lugre"), {{"noise", 0.1}});
  EXPECT_FALSE(exports::write(*kind, exports::block_of(std::move(noisy)), {.out = "x.fmu", .resources = resources})
                   .problems.empty());
}

}  // namespace
