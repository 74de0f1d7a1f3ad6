#include <algorithm>
#include <array>
#include <optional>

#include "bristle/gpu.hpp"
#include "gpu/ensemble.hpp"

/// Quantities of scenario files as the device computes them.
namespace bristle::gpu {

static_assert(most_quantities == plain::most_measures);

namespace {

using plain::Function;
using plain::Shown;

struct Named {
  const char* name;
  Function function;
};
constexpr std::array functions{Named{"max", Function::max},
                               Named{"min", Function::min},
                               Named{"peak_to_peak", Function::peak_to_peak},
                               Named{"final", Function::final},
                               Named{"integral", Function::integral},
                               Named{"mean", Function::mean},
                               Named{"rms", Function::rms},
                               Named{"at", Function::at},
                               Named{"count", Function::count},
                               Named{"time", Function::time},
                               Named{"period", Function::period},
                               Named{"stuck_fraction", Function::stuck_fraction}};
constexpr std::array columns{std::pair{"t", Shown::t},         std::pair{"x", Shown::x},
                             std::pair{"v", Shown::v},         std::pair{"F", Shown::F},
                             std::pair{"F_app", Shown::F_app}, std::pair{"drive", Shown::drive}};

std::optional<Event::Kind> event_of(const std::string& name) {
  for (const Event::Kind kind : {Event::stick, Event::slip_forward, Event::slip_backward}) {
    if (name == to_string(kind)) return kind;
  }
  return {};
}

/// The objection, or the gauge.
std::string read(const Quantity& q, const Experiment& e, plain::Gauge& g) {
  const auto known = std::ranges::find_if(functions, [&](const Named& f) { return q.function == f.name; });
  if (known == functions.end())
    return q.function +
           " is not computed on a GPU; max, min, peak_to_peak, final, integral, mean, rms, Y(T), count, time, "
           "period of an event and stuck_fraction are";
  g = {};
  g.function = known->function;
  g.from = q.from;
  g.to = q.to;
  g.argument = q.argument;
  if (g.function == Function::stuck_fraction) {
    return e.method == Method::fixed ? "stuck_fraction is not computed on a GPU with method = \"fixed\"" : "";
  }
  if (g.function > Function::at) {
    const auto kind = event_of(q.of);
    if (!kind)
      return q.function + "(" + q.of + ") is not computed on a GPU; events stick, slip+ and slip- are accepted";
    g.event = *kind;
    return {};
  }
  const auto column = std::ranges::find_if(columns, [&](const auto& c) { return q.of == c.first; });
  if (column != columns.end()) {
    g.column = column->second;
    return {};
  }
  const std::vector<Variable> states = e.contacts.front().contact->states();
  for (std::size_t i = 0; i < std::min(states.size(), plain::most_states); ++i) {
    if (states[i].name != q.of) continue;
    g.column = Shown::state;
    g.state = static_cast<int>(i);
    return {};
  }
  return "column " + q.of + " is not computed on a GPU; t, x, v, F, F_app, drive and the first three states are";
}

}  // namespace

std::string objection_to(const Quantity& quantity, const Experiment& experiment) {
  plain::Gauge unused;
  return read(quantity, experiment, unused);
}
plain::Gauge gauge_of(const Quantity& quantity, const Experiment& experiment) {
  plain::Gauge g;
  (void)read(quantity, experiment, g);
  return g;
}
std::string objection_to(const Experiment& experiment) { return plain::write_task(experiment, false).objection; }

}  // namespace bristle::gpu
