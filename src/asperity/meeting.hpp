#pragma once
#include "asperity/profile.hpp"

namespace bristle::asperity {

/// One asperity and the profile below it, in scalar code.
struct Meeting {
  double g, nx, ny, depth;  // as in Touch
};
inline Meeting meet(Profile profile, double rx, double Y, double R, double h, double A) {
  struct Slow {};
  using Two = batch::Pack<double, 2, Slow>;
  auto of = [&]<Profile P>() {
    const auto t = touch<P>(Two(rx), Two(Y), Two(R), Two(h), Two(A));
    return Meeting{t.g.x[0], t.nx.x[0], t.ny.x[0], t.depth.x[0]};
  };
  switch (profile) {
    case Profile::circular: return of.template operator()<Profile::circular>();
    case Profile::triangular: return of.template operator()<Profile::triangular>();
    case Profile::trapezoidal: return of.template operator()<Profile::trapezoidal>();
    case Profile::sinusoidal: break;
  }
  return of.template operator()<Profile::sinusoidal>();
}

}  // namespace bristle::asperity
