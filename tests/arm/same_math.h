/* Functions of math.h from sums and products alone: the same bits on every machine. With them in the place of math.h, a header has
   the bits of x86-64 on a controller if its operations have the same order. Accurate to about 1e-15, for normal numbers. */
#ifndef SAME_MATH_H
#define SAME_MATH_H
#include <math.h>

static double same_exp(double x) {
  const double k = floor(x * 1.4426950408889634 + 0.5), r = (x - k * 0x1.62e42fefp-1) - k * 0x1.473de6af278edp-34;
  double sum = 1;
  int n;
  if (x > 709) return HUGE_VAL;
  if (x < -740) return 0;
  for (n = 20; n > 0; --n) sum = 1 + r / n * sum;
  return ldexp(sum, (int)k);
}
static double same_expm1(double x) {
  double sum = 1;
  int n;
  if (!(fabs(x) < 0.5)) return same_exp(x) - 1;
  for (n = 20; n > 1; --n) sum = 1 + x / n * sum;
  return x * sum;
}
static double same_log(double x) {
  double m, f, s, sum = 0;
  int k, n;
  if (!(x > 0)) return -HUGE_VAL;
  m = frexp(x, &k);
  if (m < 0.70710678) {
    m = 2 * m;
    k = k - 1;
  }
  f = (m - 1) / (m + 1);
  s = f * f;
  for (n = 41; n > 0; n -= 2) sum = 1.0 / n + s * sum;
  return k * 0x1.62e42fefp-1 + (2 * f * sum + k * 0x1.473de6af278edp-34);
}
static double same_tanh(double x) {
  const double t = same_expm1(2 * fabs(x)), y = fabs(x) > 20 ? 1 : t / (t + 2);
  return x < 0 ? -y : y;
}
static double same_sin(double x) {
  const double k = floor(x * 0.3183098861837907 + 0.5), r = (x - k * 0x1.921fb544p+1) - k * 0x1.0b4611a626331p-33, s = r * r;
  double sum = 1;
  int n;
  for (n = 21; n > 1; n -= 2) sum = 1 - s / (n * (n - 1)) * sum;
  return fmod(k, 2) != 0 ? -r * sum : r * sum;
}
static double same_cos(double x) { return same_sin(x + 1.5707963267948966); }
static double same_tan(double x) { return same_sin(x) / same_cos(x); }
static double same_atan(double x) {
  double y = fabs(x), s, sum = 0;
  int n;
  if (y > 1) return x < 0 ? -1.5707963267948966 - same_atan(1 / x) : 1.5707963267948966 - same_atan(1 / x);
  for (n = 0; n < 2; ++n) y = y / (1 + sqrt(1 + y * y));
  s = y * y;
  for (n = 41; n > 0; n -= 2) sum = 1.0 / n - s * sum;
  return x < 0 ? -4 * y * sum : 4 * y * sum;
}
static double same_pow(double x, double y) { return x > 0 ? same_exp(y * same_log(x)) : y > 0 ? 0 : y < 0 ? HUGE_VAL : 1; }

/* Every function is used, or the compiler warns. */
static double same_all(void) {
  return same_exp(1) + same_expm1(1) + same_log(1) + same_tanh(1) + same_tan(1) + same_atan(1) + same_pow(1, 1);
}
static double (*volatile same_math)(void) = same_all;

#define exp same_exp
#define expm1 same_expm1
#define log same_log
#define tanh same_tanh
#define sin same_sin
#define cos same_cos
#define tan same_tan
#define atan same_atan
#define pow same_pow
#endif
