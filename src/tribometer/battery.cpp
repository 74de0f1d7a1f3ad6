#include <algorithm>
#include <ctime>

#include "base/parallel.hpp"
#include "tribometer/bench.hpp"

namespace bristle::tribometer {
namespace {

/// CPU time of this thread, ms.
double worked() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

/// One experiment on one contact.
Measurement measure(const Specimen& s, const ExperimentInfo& experiment, const Settings& settings) {
  const double begin = worked();
  Measurement out;
  try {
    out = experiment.run(s, settings);
  } catch (const RunFailed& e) { out.failure = e.what(); } catch (const BadInput& e) {
    out.failure = e.what();
  }
  out.experiment = experiment.name;
  out.cpu_ms = worked() - begin;
  return out;
}

}  // namespace

const std::vector<ExperimentInfo>& experiments() {
  static const std::vector<ExperimentInfo> all{
      {"loops", "Pre-sliding hysteresis",
       "Slow reciprocating motion with an inner loop inside the outer one. Nonlocal memory closes the inner "
       "loop and continues along the outer curve; the outer branches are the virgin curve scaled by two (Masing).",
       [](const Specimen& s, const Settings& c) { return loops(s, c.loops); }},
      {"curve", "Stribeck curve", "Friction in steady sliding, from creep to full speed, in both directions.",
       [](const Specimen& s, const Settings& c) { return curve(s, c.curve); }},
      {"lag", "Friction lag",
       "Sliding in one direction with oscillating velocity. With lag, friction is higher in acceleration than in "
       "deceleration, and the difference grows with the frequency.",
       [](const Specimen& s, const Settings& c) { return lag(s, c.lag); }},
      {"steps", "Velocity steps",
       "Velocity steps in sliding. Friction changes at once, then evolves towards its new steady value.",
       [](const Specimen& s, const Settings& c) { return steps(s, c.steps); }},
      {"hold", "Holding a load",
       "Constant load of half the sliding friction on a body at rest. Stiction holds it without creep.",
       [](const Specimen& s, const Settings& c) { return hold(s, c.hold); }},
      {"breakaway", "Breakaway force", "Force ramp until the body breaks away.",
       [](const Specimen& s, const Settings& c) { return breakaway(s, c.breakaway); }},
      {"dwell", "Static friction after a rest", "Slow sliding, rest, slow sliding: largest friction at the restart.",
       [](const Specimen& s, const Settings& c) { return dwell(s, c.dwell); }},
      {"reversal", "Velocity reversals", "Periodic sliding through zero velocity, compared with the steady curve.",
       [](const Specimen& s, const Settings& c) { return reversal(s, c.reversal); }},
      {"drift", "Non-drift", "Oscillating load below sliding friction: with exact stick the body does not drift.",
       [](const Specimen& s, const Settings& c) { return drift(s, c.drift); }},
      {"stick_slip", "Stick-slip", "Block pulled by a spring at constant velocity.",
       [](const Specimen& s, const Settings& c) { return stick_slip(s, c.stick_slip); }},
      {"cycles", "Energy per cycle and describing function",
       "Sinusoidal motion: dissipated energy, and stiffness and loss of the equivalent linear element, "
       "in phase and in quadrature (negative values, of a leading force, are not drawn).",
       [](const Specimen& s, const Settings& c) { return cycles(s, c.cycles); }},
      {"energy", "Dissipation and bounds",
       "Search for a cycle of motions that yields energy, and the largest force on a random path.",
       [](const Specimen& s, const Settings& c) { return energy(s, c.energy); }}};
  return all;
}

std::vector<Characterization> characterize(const std::vector<Subject>& subjects, const Hooks& hooks) {
  const auto& battery = experiments();
  std::vector<Characterization> out(subjects.size());
  std::vector<Specimen> specimens;
  for (const Subject& s : subjects) {
    specimens.push_back(specimen(*s.contact, s.settings));
    specimens.back().stop = hooks.stop;
  }
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    out[i].label = subjects[i].label;
    out[i].model = subjects[i].contact->model();
    out[i].sizes = specimens[i].sizes;
    out[i].measurements.resize(battery.size());
  }
  std::mutex mutex;
  std::size_t done = 0;
  const std::size_t jobs = subjects.size() * battery.size();
  in_parallel(jobs, hooks.threads, [&](std::size_t job) {
    const std::size_t i = job / battery.size(), k = job % battery.size();
    Measurement m = measure(specimens[i], battery[k], subjects[i].settings);
    out[i].measurements[k] = std::move(m);
    const std::lock_guard lock(mutex);
    ++done;
    if (hooks.progress) hooks.progress(static_cast<double>(done) / static_cast<double>(jobs));
  });
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    for (const Measurement& m : out[i].measurements) out[i].cpu_ms += m.cpu_ms;
    out[i].findings = findings(*subjects[i].contact, out[i].measurements);
  }
  return out;
}

}  // namespace bristle::tribometer
