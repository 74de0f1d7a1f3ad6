/// 05. A simulation: mass, spring, drive and friction, with located stick and slip events and the energy balance.
/// Needs bristle::simulate.
#include <bristle/simulate.hpp>

#include <cmath>
#include <cstdio>

using namespace bristle;

int main() {
  Made made = make("stribeck", {{"Fc", 1.0}, {"Fs", 1.5}, {"vs", 1e-3}});
  if (!made.contact) return 1;
  Experiment e;
  e.body = {.mass = 1, .stiffness = 2};
  e.drive = {DriveOf::position, {{Ramp{.velocity = 0.1}, 0}}, 0};  // the far end of the spring
  e.contacts.push_back({"", std::move(made.contact)});
  e.solver.duration = 20;
  try {
    const Run run = simulate(e);
    for (const Event& event : run.events)
      std::printf("t = %7.4f s  %-5s at x = %.4f m\n", event.t, to_string(event.kind), event.x);
    // The spring reaches Fs when the drive has moved Fs/stiffness: at 0.75 m, after 7.5 s.
    double first = 0;
    for (const Event& event : run.events) {
      if (first == 0 && event.kind == Event::slip_forward) first = event.t;
    }
    std::printf("%zu rows of %zu columns; energy balanced to %.1e\n", run.trace.columns[0].values.size(),
                run.trace.columns.size(), run.summary.energy.error);
    return std::abs(first - 7.5) < 1e-6 && run.summary.energy.error < 1e-6 ? 0 : 1;
  } catch (const RunFailed& failure) {  // what() has time, step and state
    std::printf("failed: %s\n", failure.what());
  } catch (const BadInput& bad) { std::printf("refused: %s\n", bad.what()); }
  return 1;
}
