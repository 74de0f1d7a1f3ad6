/* LuGre along a prescribed motion, as one would write it for ctypes: v[i] is held over the i-th interval. */
#include <math.h>

void lugre(const double* p, const double* v, double dt, double* F, long n) {
  const double Fc = p[0], Fs = p[1], vs = p[2], sigma0 = p[3], sigma1 = p[4], kv = p[5];
  double z = 0;
  for (long i = 0; i < n; ++i) {
    const double speed = fabs(v[i]), u = v[i] / vs, S = Fc + (Fs - Fc) * exp(-u * u);
    const double kept = exp(-sigma0 * speed * dt / S), reach = (v[i] > 0) - (v[i] < 0);
    z = z * kept + reach * S / sigma0 * (1 - kept);
    F[i] = sigma0 * z + sigma1 * (v[i] - sigma0 * speed / S * z) + kv * v[i];
  }
}
