/// Model Exchange: an integrator with event location drives FMUs through the functions of FMI 2, and its motion is compared with
/// closed forms and with Co-Simulation at decreasing steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fmu_importer.hpp"

namespace {

using namespace fmu_importer;

struct Exchange : Instance2 {
  std::size_t n = 0, events = 0;
  int indicators = 0;
  std::function<double(double)> input;
  std::string input_name;
  std::vector<double> y;

  Exchange(const Fmu& f, std::string name, std::function<double(double)> u)
      : Instance2(f, "", "", fmi2ModelExchange), input(std::move(u)), input_name(std::move(name)) {
    const std::string& xml = f.files.at("modelDescription.xml");
    const std::string key = "numberOfEventIndicators=\"";
    indicators = std::stoi(xml.substr(xml.find(key) + key.size()));
    for (std::size_t at = 0; (at = xml.find(" derivative=\"", at)) != std::string::npos; ++at) ++n;
    y.resize(n);
    EXPECT_TRUE(c);
    set(input_name, input(0));
    start();
    discrete();
    EXPECT_EQ(FMI2(EnterContinuousTimeMode)(c), fmi2OK);
    EXPECT_EQ(FMI2(GetContinuousStates)(c, y.data(), n), fmi2OK);
  }
  void discrete() {
    fmi2EventInfo info{};
    info.newDiscreteStatesNeeded = fmi2True;
    for (int i = 0; i < 100 && info.newDiscreteStatesNeeded; ++i) {
      EXPECT_EQ(FMI2(NewDiscreteStates)(c, &info), fmi2OK);
    }
    EXPECT_FALSE(info.newDiscreteStatesNeeded);
  }
  void place(double t, const std::vector<double>& s) {
    FMI2(SetTime)(c, t);
    set(input_name, input(t));
    FMI2(SetContinuousStates)(c, s.data(), n);
  }
  std::vector<double> rates(double t, const std::vector<double>& s) {
    std::vector<double> out(n);
    place(t, s);
    EXPECT_EQ(FMI2(GetDerivatives)(c, out.data(), n), fmi2OK);
    return out;
  }
  bool holds() {
    const fmi2ValueReference r = fmu.vr.at("holds");
    fmi2Boolean out = fmi2False;
    EXPECT_EQ(FMI2(GetBoolean)(c, &r, 1, &out), fmi2OK);
    return out != fmi2False;
  }
  std::vector<double> guards() {
    std::vector<double> out(static_cast<std::size_t>(indicators));
    if (indicators > 0) { EXPECT_EQ(FMI2(GetEventIndicators)(c, out.data(), out.size()), fmi2OK); }
    return out;
  }
  /// One step of the classical method of Runge and Kutta, of order 4.
  std::vector<double> stepped(double t, double h) {
    auto plus = [&](const std::vector<double>& k, double f) {
      std::vector<double> out = y;
      for (std::size_t i = 0; i < n; ++i) out[i] += f * k[i];
      return out;
    };
    const auto a = rates(t, y), b = rates(t + h / 2, plus(a, h / 2)), d = rates(t + h / 2, plus(b, h / 2)),
               e = rates(t + h, plus(d, h));
    std::vector<double> out = y;
    for (std::size_t i = 0; i < n; ++i) out[i] += h / 6 * (a[i] + 2 * b[i] + 2 * d[i] + e[i]);
    return out;
  }
  /// To t + h; a guard that changes its sign is located by bisection.
  void advance(double t, double h) {
    const double end = t + h;
    for (int round = 0; t < end; ++round) {
      ASSERT_LT(round, 1000) << "events do not end at t = " << t;
      place(t, y);
      const std::vector<double> before = guards();
      auto crossed = [&](double part) {
        place(t + part, stepped(t, part));
        const std::vector<double> now = guards();
        for (std::size_t i = 0; i < now.size(); ++i) {
          if (before[i] != 0 && (before[i] < 0) != (now[i] < 0)) return true;  // as CVODE: none that begins at zero
        }
        return false;
      };
      double low = 0, part = end - t;
      const bool event = crossed(part);
      if (event) {
        for (int i = 0; i < 60; ++i) {
          const double middle = 0.5 * (low + part);
          (crossed(middle) ? part : low) = middle;
        }
      }
      y = stepped(t, part);
      t = event ? t + part : end;
      place(t, y);
      fmi2Boolean enter = fmi2False, over = fmi2False;
      EXPECT_EQ(FMI2(CompletedIntegratorStep)(c, fmi2True, &enter, &over), fmi2OK);
      if (!event && !enter) continue;
      ++events;
      EXPECT_EQ(FMI2(EnterEventMode)(c), fmi2OK);
      discrete();
      EXPECT_EQ(FMI2(EnterContinuousTimeMode)(c), fmi2OK);
      EXPECT_EQ(FMI2(GetContinuousStates)(c, y.data(), n), fmi2OK);
    }
  }
};

/// Karnopp with Fs = Fc under the load A t: rest until the load passes Fc, then m v' = A t - Fc.
TEST(FmuExchange, KarnoppLeavesStickAndSlides) {
  for (const double Fc : {0.8, 8e3}) {
    const double m = 0.5, A = 2.5 * Fc, leaves = Fc / A, h = 1e-3;
    const Fmu fmu(std::move(make("karnopp", {{"Fc", Fc}, {"Fs", Fc}, {"vs", 1e-3}, {"dv", 1e-7}}).contact), "body", 2,
                  m);
    Exchange it(fmu, "F_app", [&](double t) { return A * t; });
    for (int i = 0; i < 1000; ++i) {
      it.advance(i * h, h);
      const double t = (i + 1) * h, s = t - leaves;
      if (t < leaves - h) {
        ASSERT_EQ(it.get("v"), 0) << t;
        ASSERT_TRUE(it.holds()) << t;
        ASSERT_NEAR(it.get("F"), A * t, 1e-12 * Fc);
      } else if (t > leaves + h) {
        ASSERT_FALSE(it.holds()) << t;
        ASSERT_NEAR(it.get("v"), A * s * s / (2 * m), 1e-9 * A / m) << t;
      }
    }
    EXPECT_GE(it.events, 2U);  // into motion, and out of the zone
  }
}

/// At a given velocity the zone of stick decides: the applied force inside of it, the sliding force outside.
TEST(FmuExchange, KarnoppFollowsAGivenVelocity) {
  for (const double V : {1e-3, 0.3}) {
    const double Fc = 0.8, dv = 0.1 * V, load = 0.3, h = 1e-3;
    const Fmu fmu(std::move(make("karnopp", {{"Fc", Fc}, {"Fs", Fc}, {"vs", V}, {"dv", dv}}).contact), "friction");
    Exchange it(fmu, "v", [&](double t) { return V * std::sin(2 * std::numbers::pi * t); });
    it.set("F_app", load);
    int inside = 0, outside = 0;
    for (int i = 0; i < 2000; ++i) {
      it.advance(i * h, h);
      const double v = it.input((i + 1) * h);
      if (std::abs(v) < 0.9 * dv) {
        ++inside;
        ASSERT_NEAR(it.get("F"), load, 1e-12) << i * h;
      } else if (std::abs(v) > 1.1 * dv) {
        ++outside;
        ASSERT_NEAR(it.get("F"), std::copysign(Fc, v), 1e-12) << i * h;
      }
    }
    EXPECT_GT(inside, 50);
    EXPECT_GT(outside, 1000);
  }
}

/// Solvers with difference quotients take a jump of a rate for a slope of 1e5/s, and then follow no change: the least thickness of a
/// film is an event.
TEST(FmuExchange, TheRateOfAFilmDoesNotJumpAtItsLeastThickness) {
  const double vs = 0.01, length = 0.02, least = 0.1, Fs = 1.5;
  const Table table{{"Fc", 0.2}, {"Fs", Fs}, {"vs", vs}, {"kf", 2.0}, {"squeeze_length", length}, {"H_b", least}};
  const Fmu fmu(std::move(make("film", table).contact), "body");
  for (const double load : {0.5 * Fs, 2 * Fs}) {  // at rest, and in motion
    Exchange it(fmu, "F_app", [&](double) { return load; });
    ASSERT_EQ(it.n, 3U);
    const double sinks = vs * least * least * least / length;
    double last = NAN;
    for (const double part : {-1e-6, -1e-9, 0.0, 1e-9, 1e-6}) {
      const double rate = it.rates(0, {0, load > Fs ? 0.3 * vs * least * least : 0, least * (1 + part)})[2];
      if (!std::isnan(last)) { EXPECT_NEAR(rate, last, 1e-5 * sinks) << part; }
      last = rate;
    }
    it.place(0, it.y);
    // It leaves and comes back: as thin as it can be after a rest, H = least exp(x/squeeze_length) after a fast start.
    for (int i = 0; i < 200; ++i) it.advance(i * 1e-4, 1e-4);
    const double x = it.get("x");
    EXPECT_NEAR(it.get("state.H"), least * std::exp(x / length), load > Fs ? 1e-3 * least : 1e-15);
    EXPECT_EQ(x > 1e-6, load > Fs);
  }
}

/// Equal elements yield at the same instant: each of their events counts, also at reversals.
TEST(FmuExchange, EventsAtTheSameTimeAreAllHandled) {
  for (const std::size_t n : {2U, 5U}) {
    const double k = 1e4, W = 0.5, w = 10, A = 1e-2;
    const Table table{{"k", std::vector<double>(n, k)}, {"W", std::vector<double>(n, W)}};
    const Fmu fmu(std::move(make("maxwell_slip", table).contact), "friction");
    Exchange it(fmu, "v", [&](double t) { return A * std::cos(w * t); });
    double f = 0;  // of an element: its travel within [-W, W]
    for (int i = 0; i < 1000; ++i) {
      it.advance(i * 1e-3, 1e-3);
      f = std::clamp(f + k * A / w * (std::sin(w * (i + 1) * 1e-3) - std::sin(w * i * 1e-3)), -W, W);
      ASSERT_NEAR(it.get("F"), static_cast<double>(n) * f, 1e-3 * static_cast<double>(n) * W) << i;
    }
    EXPECT_GE(it.events, 6U);
  }
}

/// A load that swings: stick, slip, stick, slip in the other direction. Co-Simulation is of first order, so that half of its step
/// halves its error: what is left to its limit is the difference between the two steps. No error of Model Exchange falls with it.
/// Set-valued laws stick and slip at multiples of the step: they may be a step of motion away.
TEST(FmuExchange, EqualsTheLimitOfCoSimulation) {
  for (const ModelInfo* model : models()) {
    if (model->name == "rate_state") continue;  // never rests; docs/fmu.md
    SCOPED_TRACE(model->name);
    const auto contact = typical(*model);
    const double size_of = contact->scales().force, force = size_of > 0 ? size_of : 1, duration = 0.1;
    auto load = [&](double t) { return 1.6 * force * std::sin(2 * std::numbers::pi * 12 * t + 0.7); };
    const Fmu fmu(contact->clone(), "body");
    constexpr int rows = 50;
    auto stepped = [&](int parts) {
      Instance2 it(fmu);
      it.start();
      std::vector<double> out;
      const double h = duration / (rows * parts);
      for (int i = 0; i < rows * parts; ++i) {
        it.set("F_app", load((i + 0.5) * h));
        EXPECT_EQ(it.step(i * h, h), fmi2OK);
        if ((i + 1) % parts == 0) out.push_back(it.get("x"));
      }
      return out;
    };
    const std::vector<double> coarse = stepped(100), fine = stepped(200);
    Exchange it(fmu, "F_app", load);
    double step = 0, apart = 0, size = 0, speed = 0;
    for (int i = 0; i < rows; ++i) {
      constexpr int parts = 100;
      for (int k = 0; k < parts; ++k)
        it.advance((i * parts + k) * duration / (rows * parts), duration / (rows * parts));
      const auto at = static_cast<std::size_t>(i);
      step = std::max(step, std::abs(coarse[at] - fine[at]));
      apart = std::max(apart, std::abs(it.get("x") - fine[at]));
      size = std::max(size, std::abs(fine[at]));
      speed = std::max(speed, std::abs(it.get("v")));
    }
    EXPECT_GT(size, 1e-6);
    const double late = model->set_valued ? speed * duration / (rows * 200) : 0;
    EXPECT_LE(apart, 1.5 * step + late + 1e-6 * size) << "of a motion of " << size << " m, steps differ by " << step;
  }
}

}  // namespace
