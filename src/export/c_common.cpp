#include "export/c_models.hpp"

/// The parts of a header that all laws share.
namespace bristle::exports {

const char* const c_helpers = R"(
static inline @_real @_sgn(@_real v) { return (@_real)((v > $(0)) - (v < $(0))); }
static inline int @_side(@_real v) { return (v > $(0)) - (v < $(0)); }
static inline @_real @_smaller(@_real a, @_real b) { return b < a ? b : a; }
static inline @_real @_larger(@_real a, @_real b) { return b > a ? b : a; }
/* exp(-x) and 1 - exp(-x) for x >= 0. */
static inline @_real @_decay(@_real x) { return $exp(-@_smaller(x, $(800))); }
static inline @_real @_gone(@_real x) { return -$expm1(-@_smaller(x, $(800))); }
/* x towards its goal by the fraction 1 - exp(-q). */
static inline @_real @_relax(@_real x, @_real goal, @_real q) { return x + (goal - x) * @_gone(q); }
/* Viscous friction, kv |v|^kv_exponent sgn(v); for exponents below 1 rounded within 1e-6 m/s of rest. */
static inline @_real @_viscous(const @_law* p, @_real v) {
?kv_power   const @_real n = p->kv_exponent;
?kv_power   if (n < $(1)) return p->kv * v * $pow(v * v + $(1e-12), $(0.5) * (n - $(1)));
?kv_power   return v == $(0) ? $(0) * v : p->kv * v * @_smaller($pow($fabs(v), n - $(1)), @_MOST);
!kv_power   return p->kv * v;
}
?stribeck/* S(v) */
?stribeck static inline @_real @_stribeck(const @_law* p, @_real v) {
?stribeck   const @_real u = v * ($(1) / p->vs);
?gauss   return p->Fc + (p->Fs - p->Fc) * @_decay(u * u);
?power   return p->Fc + (p->Fs - p->Fc) * @_decay($pow($fabs(u), p->alpha));
?stribeck }
)";

const char* const c_no_effects = R"(
static inline @_motion @_inside(const @_params* p, @_motion u) {
  (void)p;
  return u;
}
static inline @_real @_outside(const @_params* p, @_motion u, @_real F) {
  (void)p, (void)u;
  return F;
}
)";

const char* const c_effects = R"(
/* Effects: F = gain F_model + offset, gain = (1 + asymmetry sgn F) (1 + ripple sin(2 pi s/ripple_period + ripple_phase)). */
static inline @_real @_gain(const @_params* p, @_motion u, @_real F) {
?ripple   const @_real wave =
?ripple       $sin($(6.283185307179586) * (u.x - p->reference_position) / p->ripple_period + p->ripple_phase);
?ripple   return ($(1) + p->asymmetry * @_sgn(F)) * ($(1) + p->ripple * wave);
!ripple   (void)u;
!ripple   return $(1) + p->asymmetry * @_sgn(F);
}
static inline @_real @_added(const @_params* p, @_motion u) {
!cogging   (void)u;
!cogging   return p->offset;
?cogging   return p->offset +
?cogging          p->cogging * $sin($(6.283185307179586) * (u.x - p->reference_position) / p->cogging_period +
?cogging                            p->cogging_phase);
}
/* Input of the law inside: its part of F_app, and the load that acts on it. */
static inline @_motion @_inside(const @_params* p, @_motion u) {
  const @_real F = u.F_app - @_added(p, u);
  u.F_app = F / @_gain(p, u, F);
?load_offset   u.r = @_larger(u.r + p->load_offset, $(0));
?load_exponent   u.r = @_smaller($pow(u.r, p->load_exponent), @_MOST);
  return u;
}
static inline @_real @_outside(const @_params* p, @_motion u, @_real F) { return @_gain(p, u, F) * F + @_added(p, u); }
)";

const char* const c_calls = R"(
/* The parameters of this direction of motion; at rest the force to hold tells it. */
static inline const @_law* @_law_at(const @_params* p, @_motion m) {
?directed   const int side = m.v != $(0) ? @_side(m.v) : @_side(m.F_app);
?directed   return side < 0 ? &p->negative : &p->positive;
!directed   (void)m;
!directed   return p;
}
/* Advances by dt at constant velocity u.v and returns the force at the end. Stable for any dt > 0. */
static inline @_real @_step(const @_params* p, @_state* s, @_motion u, @_real dt) {
  const @_motion m = @_inside(p, u);
  const @_real F = @_advance(@_law_at(p, m), s, m, dt);
  return @_outside(p, u, F);
}
/* The force at this motion; nothing changes. */
static inline @_real @_force(const @_params* p, const @_state* s, @_motion u) {
  @_state copy = *s;
  return @_step(p, &copy, u, $(0));
}
/* Feed-forward: the friction along the reference, to be added to the output of the controller once per sample; with a state
   of its own. */
static inline @_real @_feedforward(const @_params* p, @_state* s, @_real x_reference, @_real v_reference, @_real dt) {
  return @_step(p, s, @_at(x_reference, v_reference), dt);
}
)";

const char* const c_couple = R"(
typedef struct {
  @_real v;  /* velocity at the end of the step, held over it: x advances by v dt */
  @_real F;  /* friction over the step: mass (v - v0)/dt = F_app - F */
  int holds; /* the contact carries the load at rest */
} @_coupled;
static inline @_real @_trial(const @_params* p, @_state* s, @_motion u, @_real need, @_real w, @_real dt) {
  u.x = u.x + w * dt;
  u.v = w;
  u.F_app = need;
  return @_step(p, s, u, dt);
}
/* One implicit step of a mass with this contact: mass (w - v)/dt = F_app - F(w), found by @_BISECTIONS bisections in units of
   the last place, always. u holds x, v and F_app at the start of the step. A spring k and a damper c of the body are passed
   as mass + dt c + dt^2 k. */
static inline @_coupled @_couple_fixed(const @_params* p, @_state* state, @_motion u, @_real mass, @_real dt) {
  const @_real mass_dt = mass / dt, need = u.F_app + mass_dt * u.v;
  @_state s = *state;
  const @_real stop = @_trial(p, &s, u, need, $(0), dt), imbalance = stop - need;
  const @_real side = imbalance < $(0) ? $(1) : $(-1), size = $fabs(need) + $fabs(imbalance);
!set_valued   const int holds = imbalance == $(0);
?set_valued   const int holds = @HOLDS && isfinite(stop);
  const @_real furthest = @_larger($(4) * size / mass_dt, @_LEAST);
  @_real lo_x = $(0), lo_f = side * imbalance, hi_x = furthest, hi_f = -lo_f, between, w, F, balance;
  @_word above, below, middle;
  @_coupled out;
  int n, at_rest;
  above.x = furthest;
  below.bits = above.bits - @_BINADES;
  for (n = 0; n < @_BISECTIONS; ++n) {
    @_real f;
    middle.bits = below.bits + (above.bits - below.bits) / 2;
    s = *state;
    w = side * middle.x;
    F = @_trial(p, &s, u, need, w, dt);
    f = side * (mass_dt * w + F - need);
    if (f < $(0)) {
      below = middle;
      lo_x = middle.x;
      lo_f = f;
    } else {
      above = middle;
      hi_x = middle.x;
      hi_f = f;
    }
  }
  at_rest = holds || lo_x == $(0);
  between = lo_x + (hi_x - lo_x) * (lo_f / (lo_f - hi_f));
  w = at_rest ? $(0) : side * (between > lo_x && between < hi_x ? between : hi_x);
  F = @_trial(p, state, u, need, w, dt);
  balance = need - mass_dt * w;
  out.v = w;
  out.F = at_rest || !($fabs(F - balance) <= $(8 * @_EPSILON) * size) ? balance : F;
  out.holds = at_rest;
  return out;
}
)";

const char* const c_lugre_observer = R"(
/* Observer: the law driven by the measured velocity u.v and corrected by the position error e = x - x_reference with a gain
   in 1/s, dz/dt = v - sigma0 |v| z/S(v) - gain e. Returns the friction to compensate. */
static inline @_real @_observe(const @_params* p, @_state* s, @_motion u, @_real e, @_real gain, @_real dt) {
  const @_motion m = @_inside(p, u);
  const @_law* q = @_law_at(p, m);
  const @_real loss = $fabs(m.v) * (q->sigma0 / @_stribeck(q, m.v)), loss_dt = loss * dt, bound = q->Fs / q->sigma0;
  const @_real push = m.v - gain * e, mean = loss_dt > $(1e-6) ? @_gone(loss_dt) / loss_dt : $(1) - loss_dt / $(2);
!fade   const @_real damping = q->sigma1;
?fade   const @_real damping = q->sigma1 * @_decay((m.v / q->vd) * (m.v / q->vd));
  s->z = @_larger(@_smaller(s->z * @_decay(loss_dt) + push * dt * mean, bound), -bound);
  return @_outside(p, u, m.r * (q->sigma0 * s->z + damping * (push - loss * s->z)) + @_viscous(q, m.v));
}
)";

const char* const c_gms_observer = R"(
/* Observer: the law driven by the measured velocity u.v; the position error e = x - x_reference with a gain in 1/s corrects
   the elements that stick, df_i/dt = k_i (v - gain e). Returns the friction to compensate. */
static inline @_real @_observe(const @_params* p, @_state* s, @_motion u, @_real e, @_real gain, @_real dt) {
  const @_motion m = @_inside(p, u);
  const @_law* q = @_law_at(p, m);
  const @_real S = @_stribeck(q, m.v);
  int i;
  @_move(q, s, m.v, S, dt);
  for (i = 0; i < @N; ++i) {
    const @_real bound = q->nu[i] * q->Fs;
    if ((s->slips & (@_flags)1 << i) == 0) s->f[i] = s->f[i] - q->k[i] * gain * e * dt;
    s->f[i] = @_larger(@_smaller(s->f[i], bound), -bound);
  }
  return @_outside(p, u, @_total(q, s, m, S));
}
)";

}  // namespace bristle::exports
