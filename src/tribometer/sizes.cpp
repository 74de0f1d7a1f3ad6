#include "tribometer/bench.hpp"

namespace bristle::tribometer {

Sizes sizes_of(const AnyContact& contact, const SizeSettings& settings) {
  const Scales<double> own = contact.scales();
  Sizes z;
  z.velocity = or_else(settings.velocity, own.velocity > 0       ? own.velocity
                                          : own.displacement > 0 ? 100 * own.displacement
                                          : settings.travel > 0  ? 100 * settings.travel
                                                                 : 1e-3);
  z.travel = or_else(settings.travel, own.displacement > 0 ? own.displacement : 0.01 * z.velocity);
  for (const Variable& v : contact.parameters()) {
    if (v.name == "kv") z.kv = v.value;
    if (v.name == "kv_exponent") z.kv_exponent = v.value;
  }
  z.force = own.force;
  const Specimen s{.contact = contact, .sizes = z};
  // Impact dominates the curve of a population far above its natural velocity.
  const double v = (takes_steps_only(contact) ? 4 : 100) * z.velocity, forward = steady_force(s, v).F - z.viscous(v),
               backward = steady_force(s, -v).F + z.viscous(v);
  z.sliding = 0.5 * (forward - backward);
  z.offset = 0.5 * (forward + backward);
  const double viscous = z.kv > 0 ? z.viscous(z.velocity) : 1;  // for a law with viscous friction alone
  z.force = or_else(settings.force, own.force > 0 ? own.force : z.sliding > 0 ? z.sliding : viscous);
  if (!(z.sliding > 1e-9 * z.force)) z.sliding = z.force;
  z.mass = or_else(settings.mass, z.force * z.travel / (25 * z.velocity * z.velocity));
  return z;
}

Specimen specimen(const AnyContact& contact, const Settings& settings) {
  return {.contact = contact, .sizes = sizes_of(contact, settings.sizes), .rtol = settings.rtol};
}

double Measurement::operator[](std::string_view name) const {
  for (const Quantity& q : quantities) {
    if (q.name == name) return q.value;
  }
  return none;
}

}  // namespace bristle::tribometer
