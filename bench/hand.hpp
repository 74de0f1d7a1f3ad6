#pragma once
#include <cmath>
#include <cstddef>

/// The loops a careful engineer writes by hand for one model, in plain C: what the templates are measured against.
namespace hand {

struct LuGre {
  double Fc, Fs, vs, sigma0, sigma1, kv;
};

inline void lugre(const LuGre& p, double& z_state, const double* v, double dt, double* F, std::size_t n) {
  double z = z_state;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = std::fabs(v[i]), u = a / p.vs, S = p.Fc + (p.Fs - p.Fc) * std::exp(-u * u);
    const double goal = (v[i] > 0 ? S : v[i] < 0 ? -S : 0) / p.sigma0;
    z = z - (goal - z) * std::expm1(-p.sigma0 * a * dt / S);
    F[i] = p.sigma0 * z + p.sigma1 * (v[i] - p.sigma0 * a / S * z) + p.kv * v[i];
  }
  z_state = z;
}

struct Gms {
  double Fc, Fs, vs, C, kv, k[10], nu[10];
};
struct GmsState {
  double f[10];
  bool slips[10];
  int dir;
};

inline void gms(const Gms& p, GmsState& s, const double* v, double dt, double* F, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const double x = v[j], u = x / p.vs;
    const int side = (x > 0) - (x < 0);
    if (side != s.dir) {
      s.dir = side;
      for (bool& e : s.slips) e = false;
    }
    double sum = 0;
    if (x != 0) {
      const double S = p.Fc + (p.Fs - p.Fc) * std::exp(-u * u), left = std::exp(-p.C * dt / S);
      for (int i = 0; i < 10; ++i) {
        const double limit = side * p.nu[i] * S, elastic = s.f[i] + p.k[i] * x * dt;
        if (!s.slips[i] && side * (limit - elastic) > 0) {
          s.f[i] = elastic;
        } else {
          s.f[i] = !s.slips[i] && side * (limit - s.f[i]) > 0 ? limit : limit + (s.f[i] - limit) * left;
          s.slips[i] = true;
        }
      }
    }
    for (const double f : s.f) sum += f;
    F[j] = sum + p.kv * x;
  }
}

}  // namespace hand
