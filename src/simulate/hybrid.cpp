#include "hybrid.hpp"

namespace bristle {

void run_hybrid(World& world, const Experiment& e, Recorder& out) {
  const bool stiff = e.method == Method::rodas || (e.method == Method::automatic && world.stiff());
  std::unique_ptr<Stepper> stepper;
  if (auto small = make_small(world); small && small->implicit() == stiff) stepper = std::move(small);
  if (!stepper && stiff) stepper = make_typed(world);
  if (!stepper) stepper = !stiff ? make_dopri5(world) : world.smooth_law() ? make_rodas4(world) : make_rodas5p(world);
  HybridRun run(world, e, *stepper, out);
  while (run.start_step()) {
    const double h = run.choose();
    run.judge(h, stepper->attempt(h));
  }
  run.finish();
}

}  // namespace bristle
