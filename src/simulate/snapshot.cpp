#include "bristle/simulate/snapshot.hpp"

#include "registry/shared/generic2010.hpp"
#include "registry/shared/population.hpp"

namespace bristle {

Trace snapshot(const Gfm& population) {
  Trace out{{{"asperity", "1"},
             {"phase", "1"},
             {"force", "N"},
             {"load", "N"},
             {"tip", "m"},
             {"age", "s"},
             {"from", "m"},
             {"to", "m"}}};
  double i = 0;
  for (const asperity::Asperity& a : population.snapshot()) {
    const double row[]{i++, static_cast<double>(a.phase), a.force, a.load, a.tip, a.age, a.land_from, a.land_to};
    for (std::size_t k = 0; k < out.columns.size(); ++k) out.columns[k].values.push_back(row[k]);
  }
  return out;
}

Trace snapshot(const Generic2010<double>& population) {
  Trace out{{{"asperity", "1"},
             {"phase", "1"},
             {"force", "N"},
             {"load", "N"},
             {"x", "m"},
             {"y", "m"},
             {"gap", "m"},
             {"from", "m"},
             {"to", "m"}}};
  const double N = population.p.scale_force, m = population.p.scale_length;
  double i = 0;
  for (const asperity::PointMass& a : population.snapshot()) {
    const double phase = !a.touches ? 0 : a.sticks ? 1 : 2;
    const double row[]{i++,
                       phase,
                       N * a.force,
                       N * a.load,
                       m * a.x,
                       m * a.y,
                       m * a.gap,
                       m * (a.crest - a.half),
                       m * (a.crest + a.half)};
    for (std::size_t k = 0; k < out.columns.size(); ++k) out.columns[k].values.push_back(row[k]);
  }
  return out;
}

Trace snapshot(const AnyContact& contact) {
  const auto* box = dynamic_cast<const BoxedPopulation*>(&contact);
  if (box) return snapshot(box->population());
  const auto* later = dynamic_cast<const BoxedGeneric2010*>(&contact);
  return later ? snapshot(later->population()) : Trace{};
}

}  // namespace bristle
