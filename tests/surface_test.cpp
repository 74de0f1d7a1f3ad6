#include "bristle/surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bristle/random.hpp"
#include "surface_samples.hpp"

namespace {

using namespace bristle;
using surface::Heights;
using surface::Settings;

constexpr double pi = std::numbers::pi;

void near(double value, double wanted, double relative, const char* name) {
  EXPECT_NEAR(value, wanted, relative * std::abs(wanted)) << name;
}

TEST(Surface, ProfileHasTheNumbersOfAnotherProgram) {
  const auto r = surface::roughness(samples::profile(), {});
  near(r.all.m2, 6.9781605e-4, 1e-6, "m2");
  near(r.all.m4, 4.8612288e7, 1e-6, "m4");
  near(r.Sa, 6.5179927e-7, 1e-6, "Ra");
  near(r.Sq, 7.4161985e-7, 1e-6, "Rq");
  const auto f = surface::roughness(samples::profile(), {.cutoff = 0.8e-3, .shortest = 8e-6});
  near(f.Sq, 4.16642e-7, 1e-4, "Rq after the filter");
  EXPECT_EQ(f.heights.nx, 6400U);  // one cutoff dropped at each end
  EXPECT_TRUE(f.warnings.empty());
}

TEST(Surface, EggBox) {
  Heights h{.nx = 200, .ny = 200, .dx = 1e-6, .dy = 1e-6};
  const double q = 2 * pi / 20;
  for (int j = 0; j < 200; ++j) {
    for (int i = 0; i < 200; ++i) h.z.push_back(1e-6 * std::cos(q * i) * std::cos(q * j));
  }
  const auto r = surface::roughness(h, {});
  near(r.Sq, 0.5e-6, 1e-6, "Sq");
  near(r.Sku, 2.25, 1e-6, "Sku");
  near(r.Sdq, 0.2221, 0.01, "Sdq");
  // maxima at i, j multiples of 10 of equal parity, 0 and 200 are outside of the inner points
  EXPECT_EQ(r.summits.size(), 9U * 9U + 10U * 10U);
  for (const surface::Summit& s : r.summits) near(s.radius, 1e-12 / (2e-6 * (1 - std::cos(q))), 1e-9, "radius");
}

TEST(Surface, MapHasTheNumbersOfAnotherProgram) {
  const Heights h = samples::map();
  near(h.z[0], -2.0680874552e-7, 1e-6, "z(0,0)");
  const auto r = surface::roughness(h, {});
  near(r.Sq, 0.5e-6, 1e-6, "Sq");
  near(r.Sa, 4.0445953e-7, 1e-6, "Sa");
  near(r.Ssk, 0.0749192, 1e-6, "Ssk");
  near(r.x.m2, 5.9838257e-3, 1e-6, "m2 x");
  near(r.y.m2, 5.9642171e-3, 1e-6, "m2 y");
  near(r.x.m4, 7.7049728e8, 1e-6, "m4 x");
  near(r.y.m4, 7.6626866e8, 1e-6, "m4 y");
  EXPECT_EQ(r.summits.size(), 237U);
  near(*r.counted.sigma_s, 4.5347e-7, 1e-4, "sd of counted");
  near(r.counted.curvature, 41851, 1e-4, "curvature of counted");
  near(r.alpha, 5.3825019, 1e-6, "alpha");
  near(r.nayak.eta, 3.9395735e9, 1e-6, "eta");
  near(r.nayak.R(), 2.3978242e-5, 1e-6, "R");
  near(*r.nayak.sigma_s, 4.564499e-7, 1e-6, "sigma_s");
  near(r.counted.eta, r.nayak.eta, 0.1, "counted density");
  near(*r.counted.sigma_s, *r.nayak.sigma_s, 0.1, "counted sigma_s");
  near(r.counted.R(), r.nayak.R(), 0.1, "counted R");
  EXPECT_TRUE(r.warnings.empty());
}

TEST(Surface, ContactAndPopulationsOfTheMap) {
  const Settings s = samples::steel();
  const auto a = surface::analyze(surface::roughness(samples::map(), s), {}, s);
  near(*a.psi, 7.9333339, 1e-6, "psi");
  near(*a.at->pressure, 6064384.6, 1e-6, "p");
  near(a.at->area_gw, 0.0011501465, 1e-6, "A/A_n");
  near(a.at->area_persson, 0.00076985778, 1e-6, "Persson");
  ASSERT_TRUE(a.gfm);
  near(a.gfm->kn, 397192.27, 1e-6, "kn");
  near(a.gfm->kt, 343751.22, 1e-6, "kt");
  near(a.gfm->scale, 393957.35, 1e-6, "scale");
  ASSERT_TRUE(a.generic2010);
  near(a.generic2010->omega_N, 59664.631, 1e-6, "omega_N");
  near(a.generic2010->load, 0.0041911802, 1e-6, "load");
  near(a.generic2010->A, 0.0041911802, 1e-6, "A");
  near(a.generic2010->rN, 0.23451819, 1e-6, "rN");
  near(a.generic2010->Fadh, 0.47692931, 1e-6, "x");
}

// The load of a separation leads back to the separation.
TEST(Surface, LoadAndSeparationAreInverse) {
  Settings s = samples::steel();
  const auto r = surface::roughness(samples::map(), s);
  for (const auto kind : {surface::Summits::nayak, surface::Summits::counted}) {
    s.summits = kind;
    for (const double h : {-0.3, 0.7, 2.0, 2.4}) {
      s.load.reset();
      s.separation = h;
      const auto a = surface::analyze(r, {}, s);
      s.separation.reset();
      s.load = a.load;
      EXPECT_NEAR(surface::analyze(r, {}, s).at->h, h, 1e-9);
    }
  }
}

TEST(Surface, IntegralsOfTheGaussianDistribution) {
  near(surface::gaussian_moment(0, 2), 0.02275013195, 1e-9, "F_0");
  near(surface::gaussian_moment(0.5, 2), 0.0124800403, 1e-8, "F_0.5");
  near(surface::gaussian_moment(1, 2), 0.008490702617, 1e-9, "F_1");
  near(surface::gaussian_moment(1.5, 2), 0.006648177624, 1e-9, "F_1.5");
  for (const double h : {-4.0, -1.0, 0.0, 0.3, 1.0, 3.0, 6.0}) {
    const double F0 = 0.5 * std::erfc(h / std::sqrt(2)), phi = std::exp(-h * h / 2) / std::sqrt(2 * pi);
    near(surface::gaussian_moment(0, h), F0, 1e-11, "F_0");
    EXPECT_NEAR(surface::gaussian_moment(1, h), phi - h * F0, 1e-11 * (phi + std::abs(h) * F0));
    EXPECT_NEAR(surface::gaussian_moment(2, h), (1 + h * h) * F0 - h * phi, 1e-11 * (1 + h * h) * (F0 + phi));
  }
}

/// Amplitude of a wave in the middle of a record.
double amplitude_of(const Heights& h) {
  double most = 0;
  for (std::size_t i = h.nx / 4; i < 3 * h.nx / 4; ++i) most = std::max(most, std::abs(h.z[i]));
  return most;
}

// ISO 16610-21: a wave passes the mean line with 2^-(lambda_c/lambda)^2. Short kernels are summed, long ones transformed.
TEST(Surface, TransmissionOfTheFilter) {
  for (const double cutoff : {20e-6, 60e-6, 400e-6}) {
    for (const double ratio : {0.5, 1.0, 2.0, 4.0}) {
      const double wave = cutoff / ratio;
      Heights h{.nx = 8192, .ny = 1, .dx = 1e-6};
      for (int i = 0; i < 8192; ++i) h.z.push_back(1e-6 * std::cos(2 * pi * i * 1e-6 / wave));
      const auto high = surface::roughness(h, {.level = surface::Level::none, .cutoff = cutoff});
      EXPECT_NEAR(amplitude_of(high.heights), 1e-6 * (1 - std::exp2(-ratio * ratio)), 4e-3 * 1e-6)
          << cutoff << ' ' << ratio;
      const auto low = surface::roughness(h, {.level = surface::Level::none, .shortest = cutoff});
      EXPECT_NEAR(amplitude_of(low.heights), 1e-6 * std::exp2(-ratio * ratio), 4e-3 * 1e-6) << cutoff << ' ' << ratio;
    }
  }
}

// A filter does not see the order of its axes, a plane, nor the number of threads.
TEST(Surface, FilterOfMapsIsTheFilterOfLinesInBothDirections) {
  Heights h{.nx = 300, .ny = 120, .dx = 1e-6, .dy = 2e-6};
  for (std::uint64_t k = 0; k < h.nx * h.ny; ++k) h.z.push_back(1e-6 * (uniform(3, 50, k) - 0.5));
  Heights turned{.nx = h.ny, .ny = h.nx, .dx = h.dy, .dy = h.dx, .z = std::vector<double>(h.z.size())};
  for (std::size_t j = 0; j < h.ny; ++j) {
    for (std::size_t i = 0; i < h.nx; ++i) turned.z[i * h.ny + j] = h.z[j * h.nx + i];
  }
  for (const Settings& s : {Settings{.level = surface::Level::plane, .cutoff = 40e-6, .shortest = 5e-6},
                            Settings{.level = surface::Level::quadratic, .cutoff = 120e-6}}) {
    const auto a = surface::roughness(h, s, {.threads = 1}), b = surface::roughness(turned, s);
    near(a.Sq, b.Sq, 1e-12, "Sq");
    near(a.x.m2, b.y.m2, 1e-10, "m2");
    EXPECT_EQ(a.summits.size(), b.summits.size());
    const auto c = surface::roughness(h, s, {.threads = 5});
    EXPECT_EQ(a.heights.z, c.heights.z);
    EXPECT_EQ(a.all.m4, c.all.m4);
    EXPECT_EQ(a.Sdq, c.Sdq);
    EXPECT_EQ(a.spectrum_C, c.spectrum_C);
  }
}

TEST(Surface, LevelsRemoveTheirForms) {
  const auto plain = surface::roughness(samples::map(96), {.level = surface::Level::quadratic});
  Heights h = samples::map(96);
  for (std::size_t j = 0; j < h.ny; ++j) {
    for (std::size_t i = 0; i < h.nx; ++i) {
      const double x = 1e-6 * static_cast<double>(i), y = 1e-6 * static_cast<double>(j);
      h.z[j * h.nx + i] += 0.3 + 0.05 * x - 0.02 * y + 100 * x * x - 50 * x * y + 30 * y * y;
    }
  }
  const auto bent = surface::roughness(h, {.level = surface::Level::quadratic});
  near(bent.Sq, plain.Sq, 1e-9, "Sq");
  const auto tilted = surface::roughness(h, {});
  EXPECT_GT(tilted.Sq, 1.5 * plain.Sq);
  ASSERT_FALSE(tilted.warnings.empty());
  EXPECT_NE(tilted.warnings[0].find("--level plane"), std::string::npos);
}

// Heights a times, lengths b times: every number follows its dimension.
TEST(Surface, NumbersScaleWithTheirUnits) {
  const double a = 3.7, b = 0.21;
  Heights h = samples::map(128, 0.9e-6, 1.3e-6);
  const auto one = surface::roughness(h, {.cutoff = 2.3e-5});
  for (double& z : h.z) z *= a;
  h.dx *= b;
  h.dy *= b;
  const auto two = surface::roughness(h, {.cutoff = b * 2.3e-5});
  near(two.Sa, a * one.Sa, 1e-10, "Sa");
  near(two.Ssk, one.Ssk, 1e-8, "Ssk");
  near(two.Sdq, a / b * one.Sdq, 1e-10, "Sdq");
  near(two.all.m2, std::pow(a / b, 2) * one.all.m2, 1e-10, "m2");
  near(two.all.m4, std::pow(a / (b * b), 2) * one.all.m4, 1e-10, "m4");
  near(two.alpha, one.alpha, 1e-10, "alpha");
  near(two.nayak.eta, one.nayak.eta / (b * b), 1e-10, "eta");
  near(two.counted.R(), b * b / a * one.counted.R(), 1e-10, "R");
  EXPECT_EQ(one.summits.size(), two.summits.size());
}

// Random waves with known moments on rectangular grids: differences see a share sin(q D/2)/(q D/2) of each wave.
TEST(Surface, RandomWavesOfKnownMoments) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    auto U = [&](std::uint64_t i) { return uniform(seed, 51, i); };
    Heights h{.nx = 160 + static_cast<std::size_t>(100 * U(1)), .ny = 120 + static_cast<std::size_t>(80 * U(2))};
    h.dx = 1e-7 * (1 + 9 * U(3));
    h.dy = 1e-7 * (1 + 9 * U(4));
    h.z.assign(h.nx * h.ny, 0.0);
    double m0 = 0, m2x = 0, m4y = 0;
    for (std::uint64_t w = 0; w < 12; ++w) {
      const double kx = std::floor(20 * U(10 + w)) - 10, ky = 1 + std::floor(9 * U(30 + w)),
                   size = 1e-8 * (0.2 + U(50 + w));
      const double qx = 2 * pi * kx / static_cast<double>(h.nx), qy = 2 * pi * ky / static_cast<double>(h.ny),
                   phase = 2 * pi * U(70 + w);
      for (std::size_t j = 0; j < h.ny; ++j) {
        for (std::size_t i = 0; i < h.nx; ++i)
          h.z[j * h.nx + i] += size * std::cos(qx * static_cast<double>(i) + qy * static_cast<double>(j) + phase);
      }
      m0 += size * size / 2;
      m2x += size * size / 2 * std::pow(2 * std::sin(qx / 2) / h.dx, 2);
      m4y += size * size / 2 * std::pow(2 * std::sin(qy / 2) / h.dy, 4);
    }
    const auto r = surface::roughness(h, {});
    near(r.all.m0, m0, 0.5, "m0");  // waves of equal numbers interfere
    EXPECT_GT(m2x, 0);
    const auto again = surface::roughness(h, {.level = surface::Level::plane});
    EXPECT_LE(again.Sq, r.Sq * (1 + 1e-12));
    // Rows of the map as profiles: their mean moments are those of the map along x.
    double mean = 0;
    for (std::size_t j = 0; j < h.ny; ++j) {
      Heights row{.nx = h.nx, .ny = 1, .dx = h.dx};
      row.z.assign(h.z.begin() + static_cast<std::ptrdiff_t>(j * h.nx),
                   h.z.begin() + static_cast<std::ptrdiff_t>((j + 1) * h.nx));
      mean += surface::roughness(row, {.level = surface::Level::none}).all.m2 / static_cast<double>(h.ny);
    }
    near(r.x.m2, mean, 1e-10, "m2 of rows");
    near(r.x.m2, m2x, 0.5, "m2");
    near(r.y.m4, m4y, 0.5, "m4");
  }
}

// Isotropic Gaussian surfaces: counted summits agree with Nayak's statistics, and a profile with its map.
TEST(Surface, CountedSummitsFollowNayak) {
  for (const int seed : {14, 15}) {
    const auto r = surface::roughness(samples::map(256, 0.5e-6, 0.5e-6, static_cast<std::uint64_t>(seed)), {});
    near(r.counted.eta, r.nayak.eta, 0.15, "density");
    near(*r.counted.sigma_s, *r.nayak.sigma_s, 0.15, "sd");
    near(r.counted.mean, r.nayak.mean, 0.15, "mean");
    near(r.counted.curvature, r.nayak.curvature, 0.15, "curvature");
    near(r.x.m2, r.y.m2, 0.1, "isotropy");
  }
}

// White noise: the spectrum is even and contains the mean square of the heights.
TEST(Surface, SpectrumIntegratesToTheMeanSquare) {
  Heights h{.nx = 16384, .ny = 1, .dx = 2e-6};
  for (std::uint64_t k = 0; k < h.nx; ++k) h.z.push_back(1e-8 * (uniform(8, 53, k) - 0.5));
  const auto r = surface::roughness(h, {});
  double sum = 0;
  for (std::size_t k = 0; k + 1 < r.spectrum_q.size(); ++k)
    sum += 0.5 * (r.spectrum_C[k] + r.spectrum_C[k + 1]) * (r.spectrum_q[k + 1] - r.spectrum_q[k]);
  near(sum, r.all.m0, 0.06, "m0");  // 1.5 % is the standard deviation
}

TEST(Surface, MissingHeightsAreNotCounted) {
  Heights h = samples::map(128);
  const auto whole = surface::roughness(h, {});
  for (std::uint64_t k = 0; k < h.z.size(); ++k) {
    if (uniform(5, 52, k) < 0.03) h.z[k] = std::nan("");
  }
  const auto r = surface::roughness(h, {});
  near(r.Sq, whole.Sq, 0.01, "Sq");
  near(r.all.m2, whole.all.m2, 0.02, "m2");
  near(r.all.m4, whole.all.m4, 0.03, "m4");
  ASSERT_EQ(r.warnings.size(), 1U);
  for (std::uint64_t k = 0; k < h.z.size(); ++k) {
    if (uniform(6, 52, k) < 0.05) h.z[k] = std::nan("");
  }
  EXPECT_THROW(surface::roughness(h, {}), surface::BadSurface);
}

TEST(Surface, BandwidthBelowItsLeastValueHasNoSummits) {
  const Settings s{.E = 1e11, .area = 1e-6};
  for (const double wave : {0.0, 1e-9, 2e-9}) {  // a tilted plane, and waves on it
    Heights h{.nx = 400, .ny = 1, .dx = 1e-6};
    for (int i = 0; i < 400; ++i) h.z.push_back(1e-2 * 1e-6 * i + wave * std::cos(0.2 * i));
    const auto r = surface::roughness(h, s);
    ASSERT_LT(r.alpha, 0.8968);
    const auto a = surface::analyze(r, {}, s);
    EXPECT_FALSE(a.used.sigma_s);
    EXPECT_FALSE(a.at);
    EXPECT_FALSE(a.gfm);
    EXPECT_FALSE(a.no_gfm.empty());
    EXPECT_TRUE(a.contacts.empty());
    EXPECT_GE(a.warnings.size(), 3U);  // tilt, alpha, sigma_s
    for (const surface::Named& v : surface::values_of(a)) {
      const bool undefined = v.name == "sigma_s" || v.name == "pressure" || v.name == "h";
      EXPECT_TRUE(!undefined || !v.value) << v.name;
      EXPECT_TRUE(!v.value || std::isfinite(*v.value)) << v.name;
    }
  }
  const auto sine = [] {
    Heights w{.nx = 1000, .ny = 1, .dx = 1e-6};
    for (int i = 0; i < 1000; ++i) w.z.push_back(1e-6 * std::cos(2 * pi * i / 50));
    return w;
  }();
  const auto r = surface::roughness(sine, {});  // one wave: alpha is 1, below 1.5
  EXPECT_NEAR(r.alpha, 1, 0.01);
  ASSERT_FALSE(r.warnings.empty());
  EXPECT_NE(r.warnings.back().find("alpha"), std::string::npos);
}

TEST(Surface, RefusesRecordsThatCannotBeEvaluated) {
  auto refused = [](const Heights& h, const Settings& s, const char* part) {
    try {
      (void)surface::roughness(h, s);
      ADD_FAILURE() << part;
    } catch (const surface::BadSurface& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  const Heights good = samples::profile();
  Heights few = good;
  few.nx = 31;
  few.z.resize(31);
  refused(few, {}, "at least 32");
  Heights small{.nx = 15, .ny = 20, .dx = 1e-6, .dy = 1e-6, .z = std::vector<double>(300, 0.0)};
  refused(small, {}, "16 x 16");
  refused(good, {.cutoff = 8.1e-3}, "exceeds the record");
  refused(good, {.shortest = 1.9e-6}, "two points");
  refused(good, {.cutoff = 1e-4, .shortest = 2e-4}, "not below");
  Heights flat = good;
  std::ranges::fill(flat.z, 2e-6);
  refused(flat, {}, "equal");
  Heights wrong = good;
  for (double& z : wrong.z) z *= 1e6;
  refused(wrong, {}, "m;");
  for (double& z : wrong.z) z *= 0.1;
  refused(wrong, {}, "different units");
}

}  // namespace
