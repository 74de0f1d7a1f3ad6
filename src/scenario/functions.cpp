#include "scenario/functions.hpp"

#include "bristle/scenario/reference.hpp"

namespace bristle::scenario {
namespace {

struct Function {
  const char *name, *form, *text;
  Of of;
};
constexpr Function functions[]{
    {"max", "max(Y)", "largest value of a column", Of::columns},
    {"min", "min(Y)", "least value", Of::columns},
    {"mean", "mean(Y)", "mean over time", Of::columns},
    {"rms", "rms(Y)", "root of the mean square over time", Of::columns},
    {"final", "final(Y)", "last value", Of::columns},
    {"integral", "integral(Y)", "integral over time", Of::columns},
    {"iae", "iae(Y)", "integral over time of |reference - Y|", Of::columns},
    {"peak_to_peak", "peak_to_peak(Y)", "largest minus least value", Of::columns},
    {"overshoot", "overshoot(Y)", "largest excess over the last value of the reference, in the direction of the step",
     Of::columns},
    {"amplitude", "amplitude(Y)", "half the peak-to-peak value of the settled cycle", Of::columns},
    {"count", "count(EVENT)", "number of events stick, slip+ or slip-", Of::events},
    {"time", "time(EVENT, N)", "time of the N-th event, the first unless given", Of::events},
    {"period", "period(Y), period(EVENT)", "period of the settled cycle of a column; mean time between events",
     Of::both},
    {"stuck_fraction", "stuck_fraction()", "fraction of the time in stick", Of::run},
    {"energy_per_cycle", "energy_per_cycle()", "energy that friction dissipates in one settled cycle", Of::run},
    {"settling_time", "settling_time(Y, BAND)",
     "time from the last change of the reference until Y stays within BAND times the step; 0.02 unless given",
     Of::band},
    {"slip_events", "slip_events()", "chain: number of events in its catalogue", Of::chain},
    {"single_fraction", "single_fraction()", "chain: fraction of the events that moved one block", Of::chain},
    {"largest_moment", "largest_moment()", "chain: moment of its largest event", Of::chain},
    {"size_exponent", "size_exponent(M1, M2)",
     "chain: b of counts per decade M^-b of events of several blocks, for moments from M1 to M2, in m", Of::sizes},
    {"size_exponent_error", "size_exponent_error(M1, M2)", "its standard deviation", Of::sizes},
    {"decay_exponent", "decay_exponent(T, C)",
     "chain: p of the rate (t - T)^-p of events from T + C until the end of the window", Of::sizes},
    {"decay_exponent_error", "decay_exponent_error(T, C)", "its standard deviation", Of::sizes},
    {"depinning", "depinning()", "chain in a potential: largest force on each block at which it rests", Of::chain},
    {"phonon_gap", "phonon_gap()", "chain in a potential: least stiffness of small waves around its ground state",
     Of::chain},
    {"barrier", "barrier()", "chain in a potential: energy of the pass between two ground states, as of a kink",
     Of::chain},
};

}  // namespace

std::vector<std::string> names_of(Of of) {
  std::vector<std::string> out;
  for (const Function& f : functions) {
    if (f.of == of) out.emplace_back(f.name);
  }
  return out;
}

const std::vector<FunctionInfo>& run_functions() {
  static const std::vector<FunctionInfo> all = [] {
    std::vector<FunctionInfo> out{{"", "Y(T)", "value of a column at the time T, in s: x(5)"}};
    for (const Function& f : functions) out.push_back({f.name, f.form, f.text});
    out.push_back({"", "A - B, A / B", "difference or quotient of two functions: F(9) - F(5), max(F) / mean(F)"});
    return out;
  }();
  return all;
}

}  // namespace bristle::scenario
