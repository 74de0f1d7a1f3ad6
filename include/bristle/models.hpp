#pragma once
#include "models/brown_mcphee.hpp"
#include "models/coulomb.hpp"
#include "models/dahl.hpp"
#include "models/gms.hpp"
#include "models/lugre.hpp"
#include "models/maxwell_slip.hpp"
#include "models/stribeck.hpp"
#include "models/viscous.hpp"

namespace bristle {

/// Every model by name. A line here, and it is in the command, the documents, the law tests and all that follows.
using Models = List<Viscous, Coulomb, Stribeck, BrownMcPhee, Dahl, LuGre, MaxwellSlip, Gms>;

}  // namespace bristle
