#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bristle/surface.hpp"
#include "surface/contact.hpp"

namespace bristle::surface {
namespace {

using std::numbers::pi;
constexpr double stiffness_over_mass = 2000;  // of generic2010, over omega_N^2: 20^2 + 40^2

void choose_summits(Analysis& a) {
  const Roughness& r = a.roughness;
  if (a.settings.summits == Summits::nayak) {
    a.used = r.nayak;
    if (!a.used.sigma_s)
      a.warnings.push_back(fmt::format(
          "alpha = {:.4g}: sigma_s^2 = (1 - 0.8968/alpha) m0 is not positive; no contact is computed", r.alpha));
    return;
  }
  if (r.is_profile) throw BadSurface("--summits counted requires a map; nayak is accepted for a profile");
  if (r.summits.size() < 30 || !r.counted.sigma_s)
    throw BadSurface(fmt::format("--summits counted: {} summits; at least 30 are required", r.summits.size()));
  a.used = r.counted;
  for (const Summit& s : r.summits) a.heights.push_back((s.height - a.used.mean) / *a.used.sigma_s);
  std::ranges::sort(a.heights);
}

void find_contact(Analysis& a) {
  const Settings& s = a.settings;
  const Distribution d{a.heights};
  const Moments& m = a.roughness.all;
  for (int k = 0; k <= 50; ++k) a.contacts.push_back(contact_at(a.used, d, m, s.E, 0.1 * k));
  double h = s.separation.value_or(2);
  if (s.load) {
    if (!a.area) throw BadSurface("--load: a profile has no area; --area in m^2 is required");
    h = separation_for(a.used, d, *s.load / *a.area / *s.E);
  }
  a.at = contact_at(a.used, d, m, s.E, h);
  if (!(a.at->contacts > 0) && !s.load && !s.separation) {  // the roughness does not need a contact
    a.at.reset();
    a.warnings.emplace_back(
        "no summit reaches the assumed separation of 2 sigma_s: no contact is computed; --load or --separation sets it");
    return;
  }
  if (!(a.at->contacts > 0))
    throw BadSurface(fmt::format("no summit reaches the separation h = {:.4g}; a smaller one is accepted", h));
  if (!s.load && !s.separation) a.notes.emplace_back("separation of 2 sigma_s assumed; --load or --separation sets it");
  if (a.at->area_gw > 1)
    throw BadSurface(fmt::format(
        "contact at h = {:.4g}: area of {:.3g} times the nominal one; a smaller load or a larger separation is accepted",
        h, a.at->area_gw));
  if (a.at->area_gw > 0.1)
    a.warnings.push_back(fmt::format(
        "contact area of {:.3g} of the nominal one: summits affect each other, and Greenwood and Williamson's theory does not hold",
        a.at->area_gw));
  if (s.separation && std::abs(h) > 0 && std::abs(h) < 1e-3)
    a.warnings.push_back(
        fmt::format("--separation {} is in standard deviations of the summit heights, not in m", to_text(h)));
  if (a.at->pressure && a.area) a.load = *a.at->pressure * *a.area;
  if (a.area && a.at->contacts * *a.area < 1)
    a.warnings.push_back(
        fmt::format("{:.3g} contacts in the area of {:.3g} m^2: fewer than one", a.at->contacts * *a.area, *a.area));
  if (s.E && s.hardness) {
    a.psi = *s.E / *s.hardness * std::sqrt(*a.used.sigma_s / a.used.R());
    if (*a.psi > 1)
      a.notes.push_back(fmt::format(
          "plasticity index of {:.3g} above 1: summits yield, while the contact is computed as elastic", *a.psi));
  }
}

std::string listed(const std::vector<const char*>& names) {
  std::string out;
  for (const char* n : names) out += (out.empty() ? "" : ", ") + std::string(n);
  return out;
}

/// Mean load and stiffness of the Hertz summits at h, as linear asperities; Mindlin's tangential stiffness.
void make_gfm(Analysis& a) {
  const Settings& s = a.settings;
  std::vector<const char*> missing;
  if (!s.E) missing.push_back("--E");
  if (!a.area) missing.push_back("--area");
  if (!a.at) {
    a.no_gfm = "no contact is computed";
    return;
  }
  if (!missing.empty()) {
    a.no_gfm = "requires " + listed(missing);
    return;
  }
  const Distribution d{a.heights};
  const double h = a.at->h, R = a.used.R(), sd = *a.used.sigma_s, root = std::sqrt(R * sd);
  const double F0 = d.moment(0, h), F05 = d.moment(0.5, h), F1 = d.moment(1, h), F15 = d.moment(1.5, h);
  const double G = *s.E * (1 - s.poisson) / (2 * (2 - s.poisson));
  GfmPopulation g;
  g.kn = 4.0 / 3 * *s.E * root * F15 / F1;
  g.kt = 8 * G * root * F05 / F0;
  g.mass = 4 * pi * s.density * R * sd * sd;
  g.wavelength = (a.counter ? *a.counter : a.roughness).wavelength();
  g.scale = a.used.eta * *a.area;
  g.sd = sd;
  g.separation = h * sd + (a.heights.empty() ? 0 : a.used.mean);
  if (s.shear) g.mu_inf = *s.shear * a.at->area_gw / *a.at->pressure;
  g.asperities = static_cast<int>(std::clamp(std::ceil(1000 / F0), 4000.0, 200000.0));
  if (std::ranges::any_of(std::array{g.kn, g.kt, g.mass, g.wavelength, g.scale},
                          [](double x) { return !(x > 1e-30 && x < 1e30); })) {
    a.no_gfm = "parameters are outside of 1e-30 to 1e30";
    return;
  }
  a.gfm = g;
}

void make_generic2010(Analysis& a) {
  const Settings& s = a.settings;
  std::vector<const char*> missing;
  if (!s.E) missing.push_back("--E");
  if (!a.area) missing.push_back("--area");
  if (!s.hardness) missing.push_back("--hardness");
  if (!s.shear) missing.push_back("--shear");
  if (!s.mass) missing.push_back("--mass");
  if (!a.gfm || !missing.empty()) {
    a.no_generic2010 = !missing.empty() && a.at ? "requires " + listed(missing) : a.no_gfm;
    return;
  }
  const Distribution d{a.heights};
  const double h = a.at->h, R = a.used.R(), sd = *a.used.sigma_s, lambda = a.gfm->wavelength;
  const double F0 = d.moment(0, h), F1 = d.moment(1, h), kn = a.gfm->kn, M = *s.mass;
  const double yield = std::pow(pi * (0.454 + 0.41 * s.poisson) * *s.hardness / (2 * *s.E), 2) * R;
  const double tangential = std::sqrt(a.gfm->kt / kn);
  Generic2010Population g;
  g.lambda = lambda;
  g.omega_N = std::sqrt(a.used.eta * *a.area * F0 * kn / M);
  g.scale_force = M * g.omega_N * g.omega_N * lambda;
  g.wTe = 20 * tangential;
  g.wTp = 40 * tangential;
  g.rN = 1600 * yield / lambda;
  g.rT = g.wTp * g.wTp * yield / lambda;
  g.wP = std::sqrt(stiffness_over_mass);
  g.L_sd = sd / lambda;
  g.A = sd * F1 / (F0 * lambda);
  g.R = R / lambda;
  g.Fadh = stiffness_over_mass * *s.shear * pi * R * sd * F1 / (F0 * kn * lambda);
  g.load = *a.load / g.scale_force;
  g.asperities = static_cast<int>(std::clamp(std::ceil(200 / F0), 2000.0, 20000.0));
  g.m = 1 / (stiffness_over_mass * F0 * g.asperities);
  if (!(0.5 * g.R > g.A)) {
    a.no_generic2010 = fmt::format(
        "the least radius of {:.3g} wavelengths does not exceed the overlap A of {:.3g}, as the model requires",
        0.5 * g.R, g.A);
    return;
  }
  a.generic2010 = g;
}

}  // namespace

Analysis analyze(Roughness own, std::optional<Roughness> counter, const Settings& settings) {
  Analysis a{.settings = settings};
  a.roughness = std::move(own);
  a.counter = std::move(counter);
  a.warnings = a.roughness.warnings;
  if (a.counter) {
    for (const std::string& w : a.counter->warnings) a.warnings.push_back("counter surface: " + w);
  }
  a.area = settings.area;
  if (!a.area && !a.roughness.is_profile) {
    const Heights& h = a.roughness.heights;
    a.area = h.length_x() * h.length_y();
    a.notes.push_back(fmt::format("nominal area: {:.4g} m^2, that of the evaluated map; --area sets another", *a.area));
  }
  choose_summits(a);
  if (a.used.sigma_s) find_contact(a);
  make_gfm(a);
  make_generic2010(a);
  return a;
}

}  // namespace bristle::surface
