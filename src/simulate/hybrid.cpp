#include "hybrid.hpp"

#include "kernel_stepper.hpp"

namespace bristle {
namespace {

template <class S> void run(System& system, const Experiment& e, S& stepper, Recorder& out) {
  HybridRunOf<System, S> run(system, e, stepper, out);
  while (run.start_step()) {
    const double h = run.choose();
    run.judge(h, stepper.attempt(h));
  }
  run.finish();
}

}  // namespace

void run_hybrid(System& system, const Experiment& e, Recorder& out) {
  if (const auto quick = make_kernel_stepper(system, e.method)) return run(system, e, *quick, out);
  const bool stiff = e.method == Method::rodas || (e.method == Method::automatic && system.stiff());
  const auto stepper = !stiff ? make_dopri5(system) : system.smooth_law() ? make_rodas4(system) : make_rodas5p(system);
  run(system, e, *stepper, out);
}

}  // namespace bristle
