#include "hybrid.hpp"

#include "kernel_stepper.hpp"

namespace bristle {
namespace {

template <class S> void run(World& world, const Experiment& e, S& stepper, Recorder& out) {
  HybridRunOf<World, S> run(world, e, stepper, out);
  while (run.start_step()) {
    const double h = run.choose();
    run.judge(h, stepper.attempt(h));
  }
  run.finish();
}

}  // namespace

void run_hybrid(World& world, const Experiment& e, Recorder& out) {
  if (const auto quick = make_kernel_stepper(world, e.method)) return run(world, e, *quick, out);
  const bool stiff = e.method == Method::rodas || (e.method == Method::automatic && world.stiff());
  const auto stepper = !stiff ? make_dopri5(world) : world.smooth_law() ? make_rodas4(world) : make_rodas5p(world);
  run(world, e, *stepper, out);
}

}  // namespace bristle
