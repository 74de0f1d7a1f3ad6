#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bristle/registry/describe.hpp"
#include "tribometer/bench.hpp"

namespace bristle::tribometer {
namespace {

/// Numbers of a battery by experiment and name.
class Numbers {
 public:
  explicit Numbers(const std::vector<Measurement>& all) : all_(all) {}
  double operator()(std::string_view experiment, std::string_view name) const {
    for (const Measurement& m : all_) {
      if (m.experiment == experiment) return m[name];
    }
    return none;
  }

 private:
  const std::vector<Measurement>& all_;
};

}  // namespace

std::vector<Verdict> findings(const AnyContact& contact, const std::vector<Measurement>& measurements) {
  const Numbers to_text(measurements);
  const ModelInfo* info = find_model(contact.model());
  auto declared = [&](bool Properties::* at) { return info ? std::optional(info->has.*at) : std::nullopt; };
  std::vector<Verdict> out;
  auto add = [&](Verdict f) -> Verdict& {
    f.known = !std::isnan(f.number);
    f.holds = f.holds && f.known;
    return out.emplace_back(std::move(f));
  };

  const double creep = to_text("hold", "creep_ratio"), leaves = to_text("hold", "release");
  add({"stiction", "stiction", "stiction", "creep under half of the sliding friction / V < threshold", creep < 1e-9,
       creep, 1e-9, declared(&Properties::stiction)});
  add({"set_valued", "set-valued", "set-valued",
       "velocity from one state at rest under three loads / velocity of a free body = 0", leaves == 0, leaves, 0,
       info ? std::optional(info->set_valued) : std::nullopt});

  const double elastic = to_text("loops", "elastic_return");
  const bool presliding = elastic > 0.2 && elastic < 0.8;
  add({"presliding", "pre-sliding displacement", "pre-sliding",
       "fraction of the force after reversing half of a small deflection > threshold (and < 0.8)", presliding, elastic,
       0.2, declared(&Properties::presliding)});

  const double rate = to_text("loops", "rate_dependence");
  const bool hysteresis = to_text("loops", "dry_height") > 1e-9 * to_text("loops", "height"), independent = rate < 1e-9;
  Verdict& hysteretic = add({"rate_independent", "rate-independent hysteresis", "rate-indep.",
                             "dry force on the same path at 0.01 V and 10 V, difference / F0 < threshold",
                             independent && hysteresis, rate, 1e-9, declared(&Properties::rate_independent)});
  if (independent && !hysteresis) hysteretic.note = "no dry friction, no hysteresis";

  const double closure = to_text("loops", "closure_error"), depth = to_text("loops", "memory_depth");
  const bool encloses = to_text("loops", "inner_area") > 0.01;
  Verdict& memory = add({"memory", "nonlocal memory", "memory",
                         "gap of a closed inner loop / height of the outer one < threshold (and its area > 0.01 of the "
                         "outer one's)",
                         presliding && encloses && closure < 0.03, closure, 0.03, declared(&Properties::memory)});
  if (!presliding) {
    memory.note = "no pre-sliding, hence no memory";
  } else if (!encloses) {
    memory.note = "elastic inner loop, hence no memory";
  }
  if (memory.holds) memory.detail = fmt::format("depth {:.0f}", depth);

  const double fall = to_text("curve", "fall");
  add({"stribeck", "Stribeck effect", "Stribeck", "fall of the steady curve / F0 > threshold", fall > 1e-3, fall, 1e-3,
       declared(&Properties::stribeck)});

  const char* path_alone = "force depends on the path alone";
  const double late = to_text("lag", "difference");
  Verdict& lags = add({"lag", "friction lag", "lag",
                       "friction in acceleration minus friction in deceleration at the same velocity / F0 > threshold",
                       late > 1e-3 && !independent, late, 1e-3, declared(&Properties::lag)});
  if (independent && late > 1e-3) lags.note = path_alone;

  const double variation = to_text("breakaway", "variation");
  Verdict& varying = add({"varying_breakaway", "varying breakaway force", "breakaway",
                          "breakaway force at slow and fast force rates, difference / highest > threshold",
                          variation > 0.03 && !independent, variation, 0.03, declared(&Properties::varying_breakaway)});
  if (independent && variation > 0.03) varying.note = path_alone;
  if (varying.holds) {
    const double falls = to_text("breakaway", "fall"), rises = to_text("breakaway", "rise");
    varying.detail = std::min(falls, rises) > 0.03 ? "both" : falls > rises ? "falls" : "rises";
  }

  const double stronger = to_text("dwell", "strengthening");
  Verdict& ageing = add({"dwell", "dwell strengthening", "dwell",
                         "static friction after a long rest minus that after a short one / F0 > threshold",
                         stronger > 1e-3 && !independent, stronger, 1e-3, std::nullopt});
  if (independent && stronger > 1e-3) ageing.note = path_alone;

  const double travel = to_text("drift", "per_cycle_ratio");
  const auto drifts = declared(&Properties::drifts);
  add({"non_drift", "non-drift", "non-drift",
       "travel per cycle under an oscillating load below sliding friction / X < threshold", travel < 1e-4, travel, 1e-4,
       drifts ? std::optional(!*drifts) : std::nullopt});

  const double loss = to_text("energy", "least_loss");
  add({"dissipative", "dissipativity", "dissipative",
       "smallest energy lost per cycle / (F0 X) of all cycles tried > threshold", loss > -1e-4, loss, -1e-4,
       info && !info->has.passivity_open ? std::optional(contact.passive()) : std::nullopt});

  const double largest = to_text("energy", "largest_force");
  add({"bounded", "boundedness", "bounded",
       "largest dry force on a random path / largest in steady sliding < threshold", largest < 1.02, largest, 1.02,
       std::nullopt});
  return out;
}

}  // namespace bristle::tribometer
