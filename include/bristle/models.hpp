#pragma once
#include "models/armstrong.hpp"
#include "models/bliman_sorine.hpp"
#include "models/bouc_wen.hpp"
#include "models/brown_mcphee.hpp"
#include "models/coulomb.hpp"
#include "models/coulomb_sat.hpp"
#include "models/coulomb_tanh.hpp"
#include "models/dahl.hpp"
#include "models/dankowicz.hpp"
#include "models/elasto_plastic.hpp"
#include "models/film.hpp"
#include "models/gms.hpp"
#include "models/haessig_friedland.hpp"
#include "models/iwan.hpp"
#include "models/karnopp.hpp"
#include "models/leuven.hpp"
#include "models/lugre.hpp"
#include "models/maxwell_slip.hpp"
#include "models/rate_state.hpp"
#include "models/reset_integrator.hpp"
#include "models/rolling.hpp"
#include "models/slip_variable.hpp"
#include "models/stribeck.hpp"
#include "models/stribeck_dankowicz.hpp"
#include "models/stribeck_sat.hpp"
#include "models/stribeck_tanh.hpp"
#include "models/velocity_weakening.hpp"
#include "models/viscous.hpp"

namespace bristle {

/// All models by name: the command, the documents and the tests use this list.
using Models = List<Viscous, Coulomb, CoulombSat, CoulombTanh,  // of velocity alone
                    Stribeck, StribeckSat, StribeckTanh, BrownMcPhee, Karnopp, Armstrong, VelocityWeakening, Film,  //
                    Dahl, Dankowicz, StribeckDankowicz, LuGre, ElastoPlastic,  // with internal state
                    BlimanSorine, SlipVariable, ResetIntegrator, HaessigFriedland, RateState, BoucWen,  //
                    MaxwellSlip, Gms, Leuven, Iwan, Rolling>;  // with nonlocal memory

}  // namespace bristle
