/// Contacts with 1 to 64 elements: every switch of an element is an event, and the variable steps agree with the step path
/// of the models, with CVODE, with closed forms and with numbers computed elsewhere.
#include <gtest/gtest.h>

#include "support/experiment.hpp"

using namespace bristle;

namespace {

constexpr std::size_t counts[]{1, 2, 4, 10, 16, 32, 64};
constexpr double Fc = 1, Fs = 1.5, vs = 1e-3;
const std::vector<std::string> models{"gms", "maxwell_slip", "leuven"};

/// Elements of equal shares that yield one after the other, at 2 um to 30 um under Fs.
struct Elements {
  std::vector<double> k{}, share{}, yields{};
  explicit Elements(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const double at = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 1;
      share.push_back(1 / static_cast<double>(n));
      yields.push_back(2e-6 * std::pow(15, at));
      k.push_back(share[i] * Fs / yields[i]);
    }
  }
};
std::vector<double> times(std::vector<double> values, double factor) {
  for (double& v : values) v *= factor;
  return values;
}
std::unique_ptr<AnyContact> array_contact(const std::string& model, std::size_t n) {
  const Elements e(n);
  const Table stribeck{{"Fc", Fc}, {"Fs", Fs}, {"vs", vs}}, elements{{"k", e.k}, {"W", times(e.share, Fs)}};
  if (model == "maxwell_slip") return contact(model, elements + Table{{"kv", 0.4}});
  if (model == "leuven") return contact(model, stribeck + elements + Table{{"sigma1", 20}, {"kv", 10}});
  return contact(model, stribeck + Table{{"k", e.k}, {"nu", e.share}, {"C", 100}, {"kv", 0.4}});
}

/// The four elements of the reference numbers, each cut into `parts` equal ones: nothing changes.
Table reference(std::size_t parts) {
  std::vector<double> k, nu;
  for (const auto& [stiffness, share] : {std::pair{4e4, 0.1}, {3e4, 0.225}, {2e4, 0.3}, {1e4, 0.375}}) {
    k.insert(k.end(), parts, stiffness / static_cast<double>(parts));
    nu.insert(nu.end(), parts, share / static_cast<double>(parts));
  }
  return {{"k", k}, {"nu", nu}, {"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"alpha", 1}, {"C", 100}};
}

std::string name_of(const std::string& model, std::size_t n) { return model + " with " + std::to_string(n); }

}  // namespace

/// In steady motion each element of a Maxwell-slip contact yields once, exactly where its spring reaches its limit: as
/// many switches as elements, and a force that is piecewise linear to rounding, for any tolerance.
TEST(Arrays, EverySwitchIsAnEvent) {
  for (const std::size_t n : counts) {
    const Elements e(n);
    const double v = 1e-5;
    Experiment run =
        prescribed(contact("maxwell_slip", {{"k", e.k}, {"W", times(e.share, Fs)}}), position(Ramp{v, 0}), 4);
    run.solver.rtol = 1e-4;
    const auto out = simulate(run);
    EXPECT_EQ(out.summary.switches, static_cast<long>(n)) << n;
    const auto &t = column(out.trace, "t"), &F = column(out.trace, "F");
    double worst = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += e.k[j] * std::min(v * t[i], e.yields[j]);
      worst = std::max(worst, std::abs(F[i] - sum));
    }
    EXPECT_LT(worst, 1e-12) << n;
  }
}

/// The same for a body under a force that grows: m x'' = rate t - F(x) on every piece of the polygon. With the last element
/// the contact has given all it has; until then as many switches as elements have yielded.
TEST(Arrays, SwitchesOfAFreeBodyAreEvents) {
  for (const std::size_t n : counts) {
    const Elements e(n);
    Experiment run =
        slider(contact("gms", {{"Fc", Fs}, {"Fs", Fs}, {"vs", vs}, {"k", e.k}, {"nu", e.share}, {"C", 100}}), 100, 0,
               force(Ramp{0.1, 0}), 14.8);
    const auto out = simulate(run);
    const auto &x = column(out.trace, "x"), &F = column(out.trace, "F");
    std::size_t yielded = 0;
    for (const double at : e.yields) yielded += at < *std::max_element(x.begin(), x.end()) ? 1U : 0U;
    EXPECT_GE(out.summary.switches, static_cast<long>(yielded)) << n;
    double furthest = 0, worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] < furthest) continue;  // it swings back: another branch
      furthest = x[i];
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += e.k[j] * std::min(x[i], e.yields[j]);
      worst = std::max(worst, std::abs(F[i] - sum));
    }
    EXPECT_LT(worst, 1e-7) << n;
  }
}

/// Along a prescribed motion the step path is exact for Maxwell-slip (to rounding) and of second order for the others, whose
/// S(v) it holds over a step.
TEST(Arrays, PrescribedMotionAgreesWithTheStepPath) {
  const double amplitude = 4e-4, frequency = 2, w = two_pi * frequency, T = 0.875;  // ends between two reversals
  auto at = [&](double t) { return amplitude * std::sin(w * t); };
  for (const std::string& model : models) {
    for (const std::size_t n : counts) {
      Experiment e = prescribed(array_contact(model, n), position(Sine{amplitude, frequency, 0, 0}), T);
      e.solver.rtol = 1e-10;
      e.solver.output_step = T / 7;
      const auto run = simulate(e);
      const auto& F = column(run.trace, "F");
      auto error = [&](int steps) {  // a multiple of 7, with the reversals between steps
        const auto c = array_contact(model, n);
        const double dt = T / steps;
        double worst = 0;
        for (int i = 0; i < steps; ++i) {
          const double a = i * dt, b = a + dt, v = (at(b) - at(a)) / dt;
          const double force = c->step({.x = at(b), .v = v, .t = b}, dt);
          if ((i + 1) % (steps / 7) != 0) continue;
          // The force at the end of the step goes with the velocity there.
          const double viscous = model == "leuven" ? 10 : 0.4;
          const auto row = static_cast<std::size_t>((i + 1) / (steps / 7));
          worst = std::max(worst, std::abs(force + viscous * (amplitude * w * std::cos(w * b) - v) - F[row]));
        }
        return worst;
      };
      const double coarse = error(7 * 2000), fine = error(7 * 8000);
      if (model == "maxwell_slip") {
        EXPECT_LT(coarse, 1e-9) << name_of(model, n);
      } else {
        EXPECT_LT(fine, 3e-4) << name_of(model, n);
        EXPECT_LT(fine, 0.4 * coarse) << name_of(model, n);
      }
    }
  }
}

/// CVODE finds its own roots. A body on a spring that is pulled back and forth far beyond the last yield, and a servo.
TEST(Arrays, AgreeWithCvode) {
  for (const std::string& model : models) {
    for (const std::size_t n : counts) {
      for (const bool servo_too : {false, true}) {
        const Drive sine = position(Sine{2e-3, 2, 0, 0});
        Experiment e = servo_too ? servo(array_contact(model, n), 1, {.kp = 4e3, .ki = 2e4, .kd = 80}, sine, 0.3)
                                 : slider(array_contact(model, n), 1, 2e3, sine, 0.3);
        e.solver.rtol = 1e-9;
        const auto ours = simulate(e);
        e.method = Method::cvode;
        const auto other = simulate(e);
        const auto d = difference(ours, other, 1e-6, vs);
        EXPECT_LT(d.worst, 2e-6) << name_of(model, n) << (servo_too ? ", servo: " : ": ") << d.name << " at " << d.t;
        EXPECT_LT(ours.summary.energy.error, 1e-7) << name_of(model, n);
      }
    }
  }
}

/// The coupled step path (method fixed) is of first order: its error follows the step towards the variable steps, though not
/// smoothly, for its elements yield at the ends of steps. The body rings in stick at up to 600 rad/s: 2.5 us are 0.15 % of it.
TEST(Arrays, CoupledStepsConvergeToTheVariableOnes) {
  for (const std::string& model : models) {
    for (const std::size_t n : {1U, 10U, 40U}) {
      for (const bool servo_too : {false, true}) {
        const Drive sine = position(Sine{2e-3, 2, 0, 0});
        Experiment e = servo_too ? servo(array_contact(model, n), 1, {.kp = 4e3, .ki = 2e4, .kd = 80}, sine, 0.2)
                                 : slider(array_contact(model, n), 1, 2e3, sine, 0.2);
        e.solver.output_step = 0.01;
        const auto ours = simulate(e);
        e.method = Method::fixed;
        auto fixed = [&](double step) {
          e.solver.step = step;
          return simulate(e);
        };
        const auto slow = fixed(1e-5), quick = fixed(2.5e-6);
        double coarse = 0, fine = 0;
        for (const std::string name : {"x", "F"}) {
          const auto &a = column(ours.trace, name), &b = column(slow.trace, name), &c = column(quick.trace, name);
          for (std::size_t i = 0; i < a.size(); ++i) {
            const double size = largest(a) * static_cast<double>(a.size());  // means: a row may lie next to a kink
            coarse += std::abs(b[i] - a[i]) / size;
            fine += std::abs(c[i] - a[i]) / size;
          }
        }
        const std::string what = name_of(model, n) + (servo_too ? ", servo" : "");
        EXPECT_LT(fine, 1.5e-3) << what;
        EXPECT_LT(fine, 0.45 * coarse) << what;
      }
    }
  }
}

/// In sliding all elements slip and F' = C (1 - F/S(v)), whatever they are: lag areas computed elsewhere for four.
TEST(Arrays, LagDoesNotDependOnTheElements) {
  for (const std::size_t n : counts) {
    for (const auto& [omega, printed] : {std::pair{1, "4.58293e-06"}, {16, "7.0547699e-05"}, {100, "0.0001921746"}}) {
      const Elements parts(n);
      const double T = two_pi / omega;
      const int periods = omega == 100 ? 6 : 2;
      const Table p{{"k", parts.k}, {"nu", parts.share}, {"Fc", 1}, {"Fs", 1.5},
                    {"vs", 1e-3},   {"alpha", 1},        {"C", 100}};
      Experiment e = prescribed(contact("gms", p), velocity(Sine{1e-3, omega / two_pi, 0, 1.5e-3}), periods * T);
      e.solver.output_step = T / 500;
      const auto run = simulate(e);
      const auto &t = column(run.trace, "t"), &F = column(run.trace, "F");
      double area = 0;  // the periodic trapezoidal rule
      for (std::size_t i = t.size() - 500; i < t.size(); ++i)
        area += F[i] * 1e-3 * omega * std::cos(omega * t[i]) * T / 500;
      expect_printed(std::abs(area), printed, 1e-4, std::to_string(n) + " elements");
    }
  }
}

/// Four elements in 4, 16 or 64 pieces: their switches coincide, and the numbers computed elsewhere for four remain.
TEST(Arrays, CutElementsAreTheSameContact) {
  for (const std::size_t parts : {1U, 4U, 16U}) {
    for (const auto& [frequency, reversal, energy] :
         {std::tuple{0.5, "1.4088022049", "0.00637045622359"}, {5.0, "1.1675513978", "0.00054808794617"}}) {
      auto run = [&](double cycles) {
        Experiment e =
            prescribed(contact("gms", reference(parts)), velocity(Sine{0.005, frequency, 0, 0}), cycles / frequency);
        return simulate(e);
      };
      const auto half = run(4.5);
      expect_printed(column(half.trace, "F").back(), reversal, 1e-6, std::to_string(parts) + " parts");
      expect_printed(run(4).summary.energy.friction - run(3).summary.energy.friction, energy, 1e-6, "energy");
    }
    auto work = [&](double cycles) {
      const Table p = reference(parts);
      return simulate(
                 prescribed(contact("maxwell_slip", {p[0], {"W", p[1].value}}), position(Triangle{3e-5, 1}), cycles))
          .summary.energy.friction;
    };
    expect_printed(work(2.25) - work(1.25), "4.92500000000e-5", 1e-9, "Maxwell-slip loop");
  }
}

/// F = r(t)(0.5 + 0.4 sin 2 pi t) on 1 kg: after 20 cycles a GMS contact does not move on, a Leuven contact does.
TEST(Arrays, GmsDoesNotDrift) {
  auto travel = [&](std::unique_ptr<AnyContact> c) {
    Experiment e = slider(std::move(c), 1, 0, force(Sine{0.4, 1, 0, 0.5}, 1), 22);
    e.solver.rtol = 1e-11;
    const auto run = simulate(e, {.probes = {21, 22}});
    return probe(run, "x", 22) - probe(run, "x", 21);
  };
  for (const std::size_t parts : {1U, 8U})
    EXPECT_LT(std::abs(travel(contact("gms", reference(parts) + Table{{"kv", 0.4}}))), 1e-15) << parts;
  EXPECT_GT(travel(array_contact("leuven", 4)), 1e-7);
}
