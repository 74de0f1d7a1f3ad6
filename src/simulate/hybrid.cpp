#include "hybrid.hpp"

#include "small.hpp"

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
  if (const auto small = make_small(world, e.method)) return run(world, e, *small, out);
  const bool stiff = e.method == Method::rodas || (e.method == Method::automatic && world.stiff());
  std::unique_ptr<Stepper> stepper = stiff ? make_typed(world) : nullptr;
  if (!stepper) stepper = !stiff ? make_dopri5(world) : world.smooth_law() ? make_rodas4(world) : make_rodas5p(world);
  run(world, e, *stepper, out);
}

}  // namespace bristle
