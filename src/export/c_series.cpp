#include "export/c_models.hpp"

/// The two laws in C whose step takes more than a page.
namespace bristle::exports {

const char* const c_leuven = R"(
typedef struct {
  @_real rho, left;
  int stopped;
} @_leg;
static inline @_real @_hysteresis(const @_state* s) {
  @_real sum = $(0);
  int i;
  for (i = 0; i < @N; ++i) sum = sum + s->f[i];
  return sum;
}
static inline @_real @_pace(const @_law* p, @_real rho) { /* 1 - sgn(rho)|rho|^n */
  const @_real size = @_smaller($fabs(rho), $(1e5));
?square   (void)p;
?square   return $(1) - @_sgn(rho) * (size * size);
!square   return $(1) - @_sgn(rho) * $pow(size, p->n);
}
?closed/* A potential whose differences are travels. */
?closed static inline @_real @_potential(@_real y) {
?square   return y < $(0) ? $atan(y) : $(0.5) * $log(($(1) + y) / $fabs($(1) - y));
?linear   return -$log($fabs($(1) - y));
?closed }
?closed static inline @_leg @_travel(const @_law* p, @_real rho, @_real q, @_real stop) {
?closed   @_leg out = {rho, $(0), 0};
?closed   (void)p;
?closed   if ((rho < $(1)) == (stop < $(1)) && !(rho == $(1))) { /* rho = 1 is never passed */
?closed     const @_real needed = @_potential(stop) - @_potential(rho);
?closed     if (needed <= q) {
?closed       out.rho = stop;
?closed       out.left = q - @_larger(needed, $(0));
?closed       out.stopped = 1;
?closed       return out;
?closed     }
?closed   }
?linear   out.rho = @_relax(rho, $(1), q);
?square   if (rho < $(0)) { /* d rho/dq = 1 + rho^2 up to 0 */
?square     const @_real to_zero = -$atan(rho);
?square     out.rho = q < to_zero ? $tan(q - to_zero) : $tanh(q - to_zero);
?square   } else {
?square     const @_real t = $tanh(q); /* below and above 1 alike */
?square     out.rho = (rho + t) / ($(1) + rho * t);
?square   }
?closed   return out;
?closed }
!closed/* The travel from 0 to y, |y| <= 1/2, as a geometric series. */
!closed static inline @_real @_potential(const @_law* p, @_real y) {
!closed   const @_real ratio = @_sgn(y) * $pow($fabs(y), p->n);
!closed   @_real sum = $(0), power = $(1);
!closed   int k;
!closed   for (k = 0; k < 60 && $fabs(power) > $(1e-18); ++k) {
!closed     sum = sum + power / ((@_real)k * p->n + $(1));
!closed     power = power * ratio;
!closed   }
!closed   return y * sum;
!closed }
!closed static inline @_real @_stepped(const @_law* p, @_real y, @_real h) {
!closed   const @_real a = @_pace(p, y), b = @_pace(p, y + $(0.5) * h * a), c = @_pace(p, y + $(0.5) * h * b);
!closed   return y + h / $(6) * (a + $(2) * (b + c) + @_pace(p, y + h * c));
!closed }
!closed static inline @_leg @_travel(const @_law* p, @_real rho, @_real q, @_real stop) {
!closed   const @_real way = @_sgn(@_pace(p, rho)), inner = $(0.5);
!closed   @_leg out = {q, $(0), 0};
!closed   @_real y = rho, left = q;
!closed   int i;
!closed   if (!(q >= $(0))) return out; /* NaN */
!closed   while (left > $(0) && $fabs(@_pace(p, y)) > $(40 * @_EPSILON) * p->n) {
!closed     if (way > $(0) && y >= -inner && y < inner) {
!closed       const @_real goal = @_smaller(stop, inner), needed = @_potential(p, goal) - @_potential(p, y);
!closed       @_real travelled, end;
!closed       if (needed <= left) {
!closed         left = left - @_larger(needed, $(0));
!closed         y = goal;
!closed         if (goal == stop) {
!closed           out.rho = stop;
!closed           out.left = left;
!closed           out.stopped = 1;
!closed           return out;
!closed         }
!closed         continue;
!closed       }
!closed       travelled = @_potential(p, y) + left;
!closed       end = @_smaller(y + left * @_pace(p, y), goal);
!closed       for (i = 0; i < 8; ++i) end = end + (travelled - @_potential(p, end)) * @_pace(p, end);
!closed       out.rho = end;
!closed       return out;
!closed     } else {
!closed       const @_real next_stop = way > $(0) && y < -inner ? @_smaller(stop, -inner) : stop;
!closed       const @_real size = $fabs(y) > $(1) ? $fabs(y) / ($(1) + $fabs(@_pace(p, y))) : $(1);
!closed       const @_real h = @_smaller(left, $(0.03) / p->n * size), next = @_stepped(p, y, h);
!closed       if (way * (next - next_stop) >= $(0)) {
!closed         @_real part = $(0);
!closed         for (i = 0; i < 6; ++i) {
!closed           const @_real at = @_stepped(p, y, part);
!closed           part = part + (next_stop - at) / @_pace(p, at);
!closed         }
!closed         left = left - part;
!closed         y = next_stop;
!closed         if (next_stop == stop) {
!closed           out.rho = stop;
!closed           out.left = left;
!closed           out.stopped = 1;
!closed           return out;
!closed         }
!closed         continue;
!closed       }
!closed       y = next;
!closed       left = left - h;
!closed     }
!closed   }
!closed   out.rho = y;
!closed   return out;
!closed }
static inline void @_deflect(const @_law* p, @_state* s, @_real v, @_real S, @_real dt) {
  const @_real d = @_sgn(v);
  @_real left = $fabs(v) * dt;
  int pass, i;
  if (v == $(0)) return;
  for (pass = 0; pass <= @N; ++pass) { /* at most one switch per element: dz keeps its sign */
    const @_real rho = d * @_hysteresis(s) / S, way = d * @_sgn(@_pace(p, rho)); /* (3) */
    @_real K = $(0), room = $(HUGE_VAL), dz;
    @_leg end;
    int next = @N;
    if (@_side(way) != s->dir) {
      s->slips = 0;
      s->dir = @_side(way);
    }
    for (i = 0; i < @N; ++i) { /* active stiffness, and the distance to the next yield */
      @_real reach;
      if (way * s->f[i] >= p->W[i]) s->slips |= (@_flags)1 << i;
      if ((s->slips & (@_flags)1 << i) != 0) continue;
      K = K + p->k[i];
      reach = (p->W[i] - way * s->f[i]) / p->k[i];
      if (reach < room) {
        room = reach;
        next = i;
      }
    }
    if (!(K > $(0))) return; /* all yielded: nothing moves on */
    end = @_travel(p, rho, K * left / S, rho + d * way * K * room / S);
    dz = end.stopped ? room : $fabs(end.rho - rho) * S / K;
    s->z = s->z + way * dz;
    for (i = 0; i < @N; ++i) {
      if ((s->slips & (@_flags)1 << i) == 0) s->f[i] = s->f[i] + way * p->k[i] * dz; /* (2) */
    }
    if (!end.stopped || next == @N) return;
    left = end.left * S / K;
    s->f[next] = way * p->W[next];
    s->slips |= (@_flags)1 << next;
    if (!(left > $(0))) return;
  }
}
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  const @_real S = @_stribeck(p, u.v);
  @_real Fh;
  @_deflect(p, s, u.v, S, dt);
  Fh = @_hysteresis(s);
  return u.r * (Fh + p->sigma1 * (u.v * @_pace(p, @_sgn(u.v) * Fh / S))) + @_viscous(p, u.v); /* (4), (5) */
}
)";

const char* const c_bouc_wen = R"(
/* A travel as a function of its end, and the rate at which the end moves with the travel. */
typedef struct {
  @_real travel, pace;
} @_leg;
static inline @_real @_power(@_real y, @_real n) { return y > $(0) ? $pow(y, n) : $(0) * y; }
static inline int @_counts(@_real term, @_real sum) { return (double)term > 0.1 * @_EPSILON * (double)sum; }
/* From 0 down to -w: integral of 1/(1 + a w^n). */
static inline @_leg @_unloading(@_real w, @_real n, @_real a) {
  const @_real A = a * @_power(w, n), z = A / ($(1) + A);
  @_real term = $(1), sum = $(1);
  @_leg out;
  int k;
  for (k = 1; k < 400 && @_counts(term, sum); ++k) {
    term = term * z * (@_real)k / ((@_real)k + $(1) / n);
    sum = sum + term;
  }
  out.travel = w / ($(1) + A) * sum;
  out.pace = $(1) + A;
  return out;
}
/* From 0 up to y with y^n <= 1/2: integral of 1/(1 - y^n) term by term. */
static inline @_leg @_loading(@_real y, @_real n, @_real a) {
  const @_real z = @_power(y, n);
  @_real term = $(1), sum = $(1);
  @_leg out;
  int k;
  (void)a;
  for (k = 1; k < 100 && @_counts(term, sum); ++k) {
    term = term * z;
    sum = sum + term / ((@_real)k * n + $(1));
  }
  out.travel = y * sum;
  out.pace = $(1) - z;
  return out;
}
/* Further up, in e = -ln(1 - y^n). */
static inline @_leg @_ending(@_real e, @_real n, @_real a) {
  const @_real t = $exp(-e);
  @_real term = $(1), sum = $(0), slope = $(1);
  @_leg out;
  int k;
  (void)a;
  for (k = 1; k < 100 && @_counts(term, $(1)); ++k) {
    term = term * t * ((@_real)k - $(1) / n) / (@_real)k;
    sum = sum + term / (@_real)k;
    slope = slope + term;
  }
  out.travel = e - sum;
  out.pace = $(1) / slope;
  return out;
}
/* Newton, from the side from which it never passes the root. */
static inline @_real @_inverse(@_leg (*leg)(@_real, @_real, @_real), const @_law* p, @_real travel, @_real from) {
  const @_real slack = $(2) * p->beta - $(1);
  @_leg l;
  int i;
  for (i = 0; i < 50; ++i) {
    @_real change;
    l = leg(from, p->n, slack);
    change = (travel - l.travel) * l.pace;
    from = from + change;
    if (!($fabs(change) > $(4 * @_EPSILON) * $fabs(from))) break;
  }
  l = leg(from, p->n, slack);
  return from + (travel - l.travel) * l.pace;
}
static inline @_real @_loaded(const @_law* p, @_real y, @_real left) {
  const @_real knee = $pow($(0.5), $(1) / p->n);
  @_real from = y, rest_of, e, ahead;
  @_leg start;
  if (y < knee) {
    @_real end, top;
    start = @_loading(y, p->n, $(0));
    end = start.travel + left;
    top = @_loading(knee, p->n, $(0)).travel;
    if (end <= top) return @_inverse(@_loading, p, end, @_smaller(y + left * start.pace, knee));
    from = knee;
    left = end - top;
  }
  rest_of = $(1) - @_power(from, p->n);
  if (!(rest_of > $(0))) return $(1);
  e = -$log(rest_of);
  start = @_ending(e, p->n, $(0));
  ahead = @_smaller(p->n * left, $(800));
  return $pow(-$expm1(-@_inverse(@_ending, p, start.travel + ahead, e + ahead * start.pace)), $(1) / p->n);
}
static inline @_real @_advance(const @_law* p, @_state* s, @_motion u, @_real dt) {
  if (!(u.v == $(0))) { /* (2), exact */
    const @_real way = @_sgn(u.v), y = way * s->f / p->Fc, left = $fabs(u.v) * dt * p->sigma0 / p->Fc;
    s->d = s->d + u.v * dt; /* (3) */
    if (!($fabs(y) <= $(1))) { /* given as such: back to the limit in a stable way */
      s->f = way * p->Fc * @_relax(y, $(1), p->n * left);
    } else {
      const @_leg back = @_unloading(@_larger(-y, $(0)), p->n, $(2) * p->beta - $(1));
      if (left < back.travel) {
        s->f = -way * p->Fc *
               @_inverse(@_unloading, p, back.travel - left, @_larger(-y - left * back.pace, $(0)));
      } else {
        s->f = way * p->Fc * @_loaded(p, @_larger(y, $(0)), left - back.travel);
      }
    }
  }
  return u.r * s->f + p->ke * s->d + @_viscous(p, u.v); /* (4) */
}
)";

}  // namespace bristle::exports
