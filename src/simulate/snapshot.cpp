#include "bristle/simulate/snapshot.hpp"

#include "boundary/population.hpp"

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

Trace snapshot(const AnyContact& contact) {
  const auto* box = dynamic_cast<const BoxedPopulation*>(&contact);
  return box ? snapshot(box->population()) : Trace{};
}

}  // namespace bristle
