#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/escape.hpp"
#include "bristle/surface.hpp"
#include "bristle/version.hpp"

namespace bristle::surface {
namespace {

std::string number(const std::optional<double>& x) { return x && std::isfinite(*x) ? to_text(*x) : ""; }

/// A line of a TOML file: "kn = 397192.27  # N/m, normal stiffness".
std::string key(const char* name, double value, const char* comment) {
  return fmt::format("{} = {}  # {}\n", name, to_text(value), comment);
}
std::string same(const char* name, double value, const char* comment) {
  return fmt::format("{0} = [{1}, {1}]  # {2}\n", name, to_text(value), comment);
}

/// Comments of a friction file: the surface, the contact, remarks. A line break in a name would end the comment.
std::string heading(const Analysis& a, const char* model) {
  auto name = [](const std::string& path) { return csv_cell(std::filesystem::path(path).filename().string()); };
  std::string out = fmt::format("# Population of {} for the surface {}, written by Bristle {}\n", model, name(a.file),
                                BRISTLE_VERSION);
  if (a.counter)
    out += fmt::format("# wavelength of the counter surface {}; contact of the first surface with a smooth plane\n",
                       name(a.counter_file));
  out += fmt::format("# sigma_s = {:.6g} m, R = {:.6g} m, eta = {:.6g} 1/m^2 ({})\n", *a.used.sigma_s, a.used.R(),
                     a.used.eta, a.heights.empty() ? "Nayak, McCool" : "counted");
  out += fmt::format("# h = {:.6g}: pressure {:.6g} Pa, load {:.6g} N on {:.6g} m^2, contact area {:.6g} of it\n",
                     a.at->h, *a.at->pressure, *a.load, *a.area, a.at->area_gw);
  out += fmt::format("# E* = {:.6g} Pa, Poisson's ratio {:.6g}, density {:.6g} kg/m^3\n", *a.settings.E,
                     a.settings.poisson, a.settings.density);
  for (const std::string& w : a.warnings) out += "# warning: " + w + "\n";
  return out;
}

}  // namespace

std::vector<Named> values_of(const Analysis& a) {
  const Roughness& r = a.roughness;
  const bool map = !r.is_profile;
  std::vector<Named> out;
  auto add = [&](const char* name, const char* unit, const char* meaning, std::optional<double> value) {
    if (value && !std::isfinite(*value)) value.reset();
    out.push_back({name, unit, meaning, value});
  };
  add("points_x", "1", "points along x after the filter", static_cast<double>(r.heights.nx));
  add("points_y", "1", "points along y after the filter", static_cast<double>(r.heights.ny));
  add("spacing_x", "m", "spacing along x", r.heights.dx);
  if (map) add("spacing_y", "m", "spacing along y", r.heights.dy);
  add(map ? "Sa" : "Ra", "m", "mean of |z|", r.Sa);
  add(map ? "Sq" : "Rq", "m", "root mean square of z", r.Sq);
  add(map ? "Ssk" : "Rsk", "1", "skewness", r.Ssk);
  add(map ? "Sku" : "Rku", "1", "kurtosis", r.Sku);
  if (map) add("Sp", "m", "highest peak", r.Sp);
  if (map) add("Sv", "m", "deepest pit", r.Sv);
  add(map ? "Sz" : "Rt", "m", "highest peak to deepest pit", r.Sp + r.Sv);
  add(map ? "Sdq" : "Rdq", "1", "rms slope, from 7 points", r.Sdq);
  add("m0", "m^2", "spectral moment: mean square of heights", r.all.m0);
  add("m2", "1", "spectral moment: mean square of slopes", r.all.m2);
  add("m4", "1/m^2", "spectral moment: mean square of curvatures", r.all.m4);
  if (map) {
    add("m2_x", "1", "m2 along x", r.x.m2);
    add("m2_y", "1", "m2 along y", r.y.m2);
    add("m4_x", "1/m^2", "m4 along x", r.x.m4);
    add("m4_y", "1/m^2", "m4 along y", r.y.m4);
  }
  if (a.settings.shortest > 0) {
    add("bias_m2", "1", "share of m2 that differences see of a wave of the length --short", r.bias_m2);
    add("bias_m4", "1", "share of m4 that differences see of a wave of the length --short", r.bias_m4);
  }
  add("alpha", "1", "bandwidth m0 m4/m2^2", r.alpha);
  add("eta", "1/m^2", "density of summits, Nayak", r.nayak.eta);
  add("curvature", "1/m", "mean curvature of summits, McCool", r.nayak.curvature);
  add("R", "m", "radius of summits", r.nayak.R());
  add("sigma_s", "m", "standard deviation of summit heights", r.nayak.sigma_s);
  add("summit_mean", "m", "mean height of summits", r.nayak.mean);
  add("summits", "1", map ? "counted summits: above 8 neighbours" : "counted peaks: above 2 neighbours",
      static_cast<double>(r.summits.size()));
  if (map) {
    const bool any = !r.summits.empty();
    auto counted = [&](double x) { return any ? std::optional(x) : std::nullopt; };
    add("eta_counted", "1/m^2", "density of counted summits", counted(r.counted.eta));
    add("curvature_counted", "1/m", "mean curvature of counted summits", counted(r.counted.curvature));
    add("R_counted", "m", "radius of counted summits", counted(r.counted.R()));
    add("sigma_s_counted", "m", "standard deviation of counted heights", r.counted.sigma_s);
    add("summit_mean_counted", "m", "mean height of counted summits", counted(r.counted.mean));
  }
  add("wavelength", "m", "2 pi sqrt(m0/m2)", r.wavelength());
  if (a.counter) add("wavelength_counter", "m", "2 pi sqrt(m0/m2) of the counter surface", a.counter->wavelength());
  add("missing", "1", "share of heights that are missing", r.missing);
  add("area", "m^2", "nominal area", a.area);
  add("psi", "1", "plasticity index", a.psi);
  auto at = [&](auto member) { return a.at ? std::optional<double>((*a.at).*member) : std::nullopt; };
  add("h", "1", "separation over sigma_s", at(&Contact::h));
  add("separation", "m", "separation from the mean of the summits", at(&Contact::separation));
  add("pressure", "Pa", "mean pressure", a.at ? a.at->pressure : std::nullopt);
  add("load", "N", "load on the nominal area", a.load);
  add("contacts", "1/m^2", "contacts per area", at(&Contact::contacts));
  add("area_gw", "1", "contact area over nominal area, Greenwood and Williamson", at(&Contact::area_gw));
  add("area_persson", "1", "contact area over nominal area, Persson", at(&Contact::area_persson));
  if (a.gfm) {
    add("kn", "N/m", "normal stiffness of an asperity", a.gfm->kn);
    add("kt", "N/m", "tangential stiffness of an asperity", a.gfm->kt);
    add("mass", "kg", "mass of an asperity", a.gfm->mass);
    add("scale", "1", "number of summits", a.gfm->scale);
    if (a.gfm->mu_inf) add("mu_inf", "1", "shear strength times contact area over load", a.gfm->mu_inf);
  }
  if (a.generic2010) {
    add("omega_N", "rad/s", "frequency of the main mass on the contacts", a.generic2010->omega_N);
    add("generic_load", "1", "load of generic2010", a.generic2010->load);
    add("generic_A", "1", "overlap A of generic2010", a.generic2010->A);
    add("generic_rN", "1", "normal yield force of generic2010", a.generic2010->rN);
    add("generic_x", "1", "mean force of adhesion of generic2010", a.generic2010->Fadh);
  }
  return out;
}

std::string surface_csv(const Analysis& a) {
  std::string out = "name,value,unit\n";
  for (const Named& v : values_of(a)) out += fmt::format("{},{},{}\n", v.name, number(v.value), v.unit);
  return out;
}

std::string contact_csv(const Analysis& a) {
  std::string out = "h,separation,pressure,contacts,area_gw,area_persson\n";
  for (const Contact& c : a.contacts)
    out += fmt::format("{},{},{},{},{},{}\n", to_text(c.h), to_text(c.separation), number(c.pressure),
                       to_text(c.contacts), to_text(c.area_gw), to_text(c.area_persson));
  return out;
}

std::string summits_csv(const Analysis& a) {
  std::string out = "x,y,height,radius\n";
  for (const Summit& s : a.roughness.summits)
    out += fmt::format("{},{},{},{}\n", to_text(s.x), to_text(s.y), to_text(s.height), to_text(s.radius));
  return out;
}

std::string gfm_toml(const Analysis& a) {
  const GfmPopulation& g = *a.gfm;
  std::string out = heading(a, "gfm");
  out += fmt::format(
      "# The geometry determines heights, stiffnesses, masses, wavelength and number; {}mu0 and tau are not geometry:\n"
      "# {} and tau are the defaults of the model, to be measured. Half of the asperities are above lands\n"
      "# (topography 1): in sliding the population carries about half of the load above.\n",
      g.mu_inf ? "--shear determines mu_inf; " : "mu_inf, ", g.mu_inf ? "mu0/mu_inf" : "mu0, mu_inf");
  out += "schema = 1\n\n[friction]\nmodel = \"gfm\"\n";
  out += fmt::format("asperities = {}  # drawn; each stands for scale/asperities summits\n", g.asperities);
  out += key("kn", g.kn, "N/m, mean load of the summits");
  out += key("kt", g.kt, "N/m, Mindlin, like materials");
  out += key("mass", g.mass, "kg, 4 pi rho R sigma_s^2");
  out +=
      key("separation", g.separation, a.heights.empty() ? "m, from the mean of the summits" : "m, from the mean plane");
  out += key("wavelength", g.wavelength, "m, 2 pi sqrt(m0/m2) of the counter surface");
  out += "topography = 1\n";
  if (g.mu_inf) {
    out += key("mu0", 0.2 * *g.mu_inf, "0.2 mu_inf, not geometry");
    out += key("mu_inf", *g.mu_inf, "shear strength times contact area over load");
  } else {
    out += "mu0 = 0.2  # not geometry\nmu_inf = 1  # not geometry\n";
  }
  out += "tau = 1  # s, not geometry\n";
  out += key("scale", g.scale, "summits in the nominal area");
  out += "\n[friction.distribution]\n";
  if (a.heights.empty()) {
    out += fmt::format("h = {{ kind = \"gaussian\", mean = 0, sd = {} }}  # m, heights of summits\n", to_text(g.sd));
  } else {
    out += "h = { kind = \"table\", file = \"summits.csv\", column = \"height\" }  # m, counted summits\n";
  }
  return out;
}

std::string generic2010_toml(const Analysis& a) {
  const Generic2010Population& g = *a.generic2010;
  std::string out = heading(a, "generic2010");
  out +=
      "# Masses are scaled: k/m = 2000 omega_N^2 for every asperity. The true masses of summits are some 1e5 times smaller,\n"
      "# so that impacts and velocities of asperities in this population are not physical; damping is the model's default.\n";
  out += "schema = 1\n\n[friction]\nmodel = \"generic2010\"\n";
  out += fmt::format("asperities = {}\n", g.asperities);
  out += same("wNe", 20, "over omega_N") + same("wNp", 40, "over omega_N");
  out += same("wTe", g.wTe, "wNe sqrt(kt/kn)") + same("wTp", g.wTp, "wNp sqrt(kt/kn)");
  out += same("rN", g.rN, "yield at the onset of plastic flow") + same("rT", g.rT, "yield at the same stretch");
  out += fmt::format("Fadh = [0, {}]  # twice the mean adhesion\n", to_text(2 * g.Fadh));
  out += fmt::format("R = [{}, {}]  # radii over lambda\n", to_text(0.5 * g.R), to_text(1.5 * g.R));
  out += same("wP", g.wP, "sqrt(2000)") + same("m", g.m, "scaled, of all together 1/(2000 F_0)");
  out += key("A", g.A, "mean overlap over lambda") + key("load", g.load, "over M omega_N^2 lambda");
  out += key("scale_force", g.scale_force, "N, M omega_N^2 lambda") + key("scale_length", g.lambda, "m, lambda");
  out += key("scale_time", 1 / g.omega_N, "s, 1/omega_N");
  if (a.heights.empty()) {
    out += key("L_sd", g.L_sd, "sigma_s over lambda");
  } else {
    out += key("L_sd", g.L_sd, "sd of the counted summits over lambda, as Gaussian heights");
  }
  return out;
}

}  // namespace bristle::surface
