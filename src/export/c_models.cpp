#include "export/c_models.hpp"

#include <algorithm>
#include <array>

/// The laws in C, in the order of operations of the headers in include/bristle/models.
namespace bristle::exports {
namespace {

constexpr const char* viscous = R"(
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  (void)s, (void)dt;
  return @_viscous(p, u.v); /* (1) */
}
)";

constexpr const char* coulomb_tanh = R"(
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  (void)s, (void)dt;
  return u.r * (p->Fc * $tanh(p->k_tanh * u.v)) + @_viscous(p, u.v); /* (1) */
}
)";

constexpr const char* stribeck = R"(
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  (void)dt;
  if (u.v == $(0)) {
    s->dir = $fabs(u.F_app) > u.r * p->Fs ? @_side(u.F_app) : 0;
  } else {
    s->dir = u.v > $(0) ? 1 : -1;
  }
  return s->dir != 0 ? u.r * @_stribeck(p, u.v) * (@_real)s->dir + @_viscous(p, u.v) : u.F_app; /* (2), (3) */
}
)";

constexpr const char* karnopp = R"(
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  (void)dt;
  if ($fabs(u.v) <= p->dv) {
    const int leaves = $fabs(u.F_app) > u.r * p->Fs;
    s->phase = leaves ? 1 : 0;
    s->dir = leaves ? @_side(u.F_app) : 0;
  } else {
    s->phase = 2;
    s->dir = u.v > $(0) ? 1 : -1;
  }
  if (s->phase == 0) return u.F_app;                                                      /* (3) */
  if (s->phase == 1) return u.r * p->Fs * (@_real)s->dir;                                 /* (4) */
  return u.r * @_stribeck(p, u.v) * (@_real)s->dir + @_viscous(p, u.v);                         /* (2) */
}
)";

constexpr const char* dahl = R"(
?knee/* log(1 + x)/x, smooth through x = 0. */
?knee static inline @_real @_log1p_over(@_real x) {
?knee   @_real sum = $(0);
?knee   int k;
?knee   if (!($fabs(x) < $(0.01))) return $log1p(x) / x;
?knee   for (k = 9; k >= 1; --k) sum = $(1) / (@_real)k - x * sum;
?knee   return sum;
?knee }
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  const @_real d = @_sgn(u.v), g = $(1) - d * s->f / p->Fc, q = p->sigma0 * $fabs(u.v) * dt / p->Fc; /* (1) */
!knee   if (!(u.v == $(0))) s->f = s->f + d * p->Fc * g * @_gone(q); /* (2), exact */
?knee   if (!(u.v == $(0))) {
?knee     const @_real w = g == $(0) ? $(1) : $pow($fabs(g), p->i - $(1)), x = (p->i - $(1)) * q * w;
?knee     if (g == $(0) || x <= $(-1)) {
?knee       s->f = d * p->Fc;
?knee     } else {
?knee       const @_real travel = $fabs(x) < $(0.01) ? q * w * @_log1p_over(x) : $log1p(x) / (p->i - $(1));
?knee       s->f = s->f + d * p->Fc * g * @_gone(travel);
?knee     }
?knee   }
  return u.r * s->f + @_viscous(p, u.v); /* (3) */
}
)";

constexpr const char* lugre = R"(
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  const @_real S = @_stribeck(p, u.v), inverse = p->sigma0 / S, lost = @_gone($fabs(u.v) * inverse * dt);
!fade   const @_real damping = p->sigma1;
?fade   const @_real damping = p->sigma1 * @_decay((u.v / p->vd) * (u.v / p->vd)); /* (4) */
  s->z = s->z * ($(1) - lost) + @_sgn(u.v) * (S * ($(1) / p->sigma0)) * lost; /* (2), exact */
  return (u.r * (p->sigma0 * s->z) + @_viscous(p, u.v)) + u.r * damping * (u.v - $fabs(u.v) * s->z * inverse); /* (3) */
}
)";

constexpr const char* maxwell_slip = R"(
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  const @_real d = @_sgn(u.v), travel = u.v * dt;
  @_real F = $(0);
  int i;
  for (i = 0; i < @N; ++i) { /* (1), (2), exact */
    const @_real elastic = s->f[i] + p->k[i] * travel;
    s->f[i] = d * elastic >= p->W[i] ? d * p->W[i] : elastic;
    F = F + s->f[i];
  }
  return u.r * F + @_viscous(p, u.v); /* (3) */
}
)";

constexpr const char* gms = R"(
static inline @_real @_total(const @_law* p, const @_state* s, @_motion u, @_real S) { /* (4) */
  @_real F = $(0);
  int i;
  for (i = 0; i < @N; ++i) F = F + s->f[i];
?sigma   for (i = 0; i < @N; ++i) {
?sigma     const @_real d = (@_real)s->dir;
?sigma     const int slips = (s->slips & (@_flags)1 << i) != 0;
?sigma     F = F + p->sigma[i] / p->k[i] * (slips ? d * p->C * (p->nu[i] - d * s->f[i] / S) : p->k[i] * u.v);
?sigma   }
!sigma   (void)S;
  return u.r * F + @_viscous(p, u.v);
}
static inline void @_move(const @_law* p, @_state* s, @_real v, @_real S, @_real dt) {
  const @_real d = @_sgn(v), travel = v * dt;
  @_real left;
  int i;
  if (@_side(v) != s->dir) { /* every element sticks where v passes zero */
    s->dir = @_side(v);
    s->slips = 0;
  }
  if (v == $(0)) return;
  left = @_decay(p->C * dt / S);
  for (i = 0; i < @N; ++i) {
    const @_flags bit = (@_flags)1 << i;
    const @_real bound = p->nu[i] * S, limit = d * bound, elastic = s->f[i] + p->k[i] * travel;
    if ((s->slips & bit) == 0 && d * elastic < bound) { /* (2) */
      s->f[i] = elastic;
    } else if ((s->slips & bit) == 0 && d * s->f[i] < bound) {
      s->f[i] = limit;
      s->slips |= bit;
    } else { /* (3), exact */
      s->f[i] = limit + (s->f[i] - limit) * left;
      s->slips |= bit;
    }
  }
}
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  const @_real S = @_stribeck(p, u.v);
  @_move(p, s, u.v, S, dt);
  return @_total(p, s, u, S);
}
)";

constexpr const char* elasto_plastic = R"(
/* d zeta/d travel with zeta = z sgn(v): 1 - a zeta/z_ss. */
static inline @_real @_yielding(const @_law* p, @_real zeta, @_real z_ss) {
  @_real a;
  if (zeta <= p->z_ba) return $(1);
  if (zeta >= z_ss) return $(1) - zeta / z_ss;
  a = $(0.5) + $(0.5) * $sin($(3.141592653589793) * (zeta - $(0.5) * (z_ss + p->z_ba)) / (z_ss - p->z_ba)); /* (4) */
  return $(1) - a * (zeta / z_ss);
}
static inline void @_deflect(const @_law* p, @_state* s, @_real v, @_real z_ss, @_real dt) {
  const @_real d = @_sgn(v), range = z_ss - p->z_ba;
  @_real left = $fabs(v) * dt, zeta = d * s->z, root, curvature, y, gone;
  if (v == $(0)) return;
  if (!(left >= $(0))) { /* NaN shows */
    s->z = left;
    return;
  }
  if (zeta > z_ss) {
    s->z = d * @_relax(zeta, z_ss, left / z_ss);
    return;
  }
  if (zeta < p->z_ba) { /* elastic */
    if (zeta + left <= p->z_ba) {
      s->z = s->z + v * dt;
      return;
    }
    left = left - (p->z_ba - zeta);
    zeta = p->z_ba;
  }
  if (!(range > $(0))) { /* by rounding */
    s->z = d * @_relax(zeta, z_ss, left / z_ss);
    return;
  }
  while (left > $(0) && z_ss - zeta > $(0.01) * range) { /* Runge-Kutta steps of 6 % of the distance to z_ss */
    const @_real a = @_yielding(p, zeta, z_ss), h = @_smaller(left, $(0.06) * (z_ss - zeta) / a);
    const @_real b = @_yielding(p, zeta + $(0.5) * h * a, z_ss), c = @_yielding(p, zeta + $(0.5) * h * b, z_ss);
    const @_real next =
        @_smaller(zeta + h / $(6) * (a + $(2) * (b + c) + @_yielding(p, zeta + h * c, z_ss)), z_ss);
    if (!(next > zeta)) break; /* lost in rounding */
    zeta = next;
    left = left - h;
  }
  root = $(1.5707963267948966) * z_ss / range; /* the last percent in closed form */
  curvature = root * root;
  y = $(1) - zeta / z_ss;
  gone = @_decay(@_larger(left, $(0)) / z_ss);
  s->z = d * (z_ss * ($(1) - y * gone / ($(1) + curvature * y * ($(1) - gone))));
}
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  const @_real z_ss = @_stribeck(p, u.v) / p->sigma0; /* (1) */
  @_deflect(p, s, u.v, z_ss, dt);
  return u.r * (p->sigma0 * s->z + p->sigma1 * (u.v * @_yielding(p, s->z * @_sgn(u.v), z_ss))) + @_viscous(p, u.v); /* (5) */
}
)";

const std::array models{
    CModel{.name = "viscous", .state = "", .code = viscous, .holds = ""},
    CModel{.name = "coulomb_tanh", .state = "", .code = coulomb_tanh, .holds = ""},
    CModel{.name = "stribeck",
           .state = "  int dir; /* 0 stick, +1 or -1 slip */\n",
           .code = stribeck,
           .holds = "s.dir == 0",
           .stribeck = true},
    CModel{.name = "karnopp",
           .state =
               "  int phase; /* 0 stuck, 1 leaving, 2 slipping */\n  int dir;   /* of the force or of the motion */\n",
           .code = karnopp,
           .holds = "s.phase == 0",
           .stribeck = true},
    CModel{.name = "dahl", .state = "", .code = dahl, .holds = ""},
    CModel{.name = "lugre", .state = "", .code = lugre, .holds = "", .stribeck = true},
    CModel{.name = "maxwell_slip", .state = "", .code = maxwell_slip, .holds = "", .elements = true},
    CModel{.name = "gms",
           .state = "  @_flags slips; /* one bit per slipping element */\n  int dir;       /* side of the motion */\n",
           .code = gms,
           .holds = "",
           .elements = true,
           .stribeck = true},
    CModel{.name = "leuven",
           .state = "  @_flags slips; /* one bit per slipping element */\n  int dir;       /* side of dz */\n",
           .code = c_leuven,
           .holds = "",
           .elements = true,
           .stribeck = true,
           .worst = "A step passes at most one switch per element."},
    CModel{.name = "elasto_plastic",
           .state = "",
           .code = elasto_plastic,
           .holds = "",
           .stribeck = true,
           .worst = "Worst case: a step from z_ba into sliding takes up to 80 Runge-Kutta steps with four sines each."},
    CModel{.name = "bouc_wen",
           .state = "",
           .code = c_bouc_wen,
           .holds = "",
           .worst = "Worst case: 50 Newton steps with a series of up to 400 terms each; usually 5 with 30."},
};

}  // namespace

const CModel* find_c_model(const std::string& name) {
  const auto at = std::ranges::find(models, name, &CModel::name);
  return at == models.end() ? nullptr : &*at;
}
std::vector<std::string> c_model_names() {
  std::vector<std::string> out;
  out.reserve(models.size());
  for (const CModel& m : models) out.emplace_back(m.name);
  return out;
}

}  // namespace bristle::exports
