#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <ostream>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/report/surface.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/screen.hpp"
#include "cli/studies.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;

/// DX or DX,DY in m; zeros if it is not given.
std::array<double, 2> spacing_of(const std::string& given, Problems& problems) {
  std::array<double, 2> out{};
  if (given.empty()) return out;
  const std::size_t comma = std::min(given.find(','), given.size());
  const std::string_view text = given;
  const auto dx = parse_number(trimmed(text.substr(0, comma)));
  const auto dy = comma < given.size() ? parse_number(trimmed(text.substr(comma + 1))) : dx;
  if (dx && dy && *dx > 0 && *dy > 0 && std::isfinite(*dx) && std::isfinite(*dy)) return {*dx, *dy};
  problems.push_back({"--spacing", fmt::format("'{}' is not accepted; DX or DX,DY with lengths > 0 in m is", given)});
  return out;
}

template <class E> E choice(const std::string& text, const char* option, Problems& problems) {
  const auto all = choices(E{});
  std::string accepted;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (text == all[i]) return static_cast<E>(i);
    accepted += (i > 0 ? ", " : "") + std::string(all[i]);
  }
  problems.push_back({option, fmt::format("'{}' is unknown; {} are accepted", text, accepted)});
  return E{};
}

surface::Roughness load(const std::string& file, const SurfaceOptions& o, const surface::Settings& settings,
                        std::array<double, 2> spacing, std::vector<std::string>& notes,
                        const std::function<void(double)>& progress) {
  const std::atomic<bool>* stop = &Interrupt::flag();
  const surface::Work reading{[&](double x) { progress(0.4 * x); }, stop, o.threads};
  surface::ReadResult read = surface::read_heights(file, spacing, reading);
  if (!read.problems.empty()) throw surface::BadSurface(read.problems.front().line());
  for (const std::string& n : read.notes) notes.push_back(file + ": " + n);
  try {
    return surface::roughness(std::move(read.heights), settings,
                              {[&](double x) { progress(0.4 + 0.6 * x); }, stop, o.threads});
  } catch (const surface::BadSurface& e) { throw surface::BadSurface(Problem{file, e.what()}.line()); }
}

Json json_of(const surface::Analysis& a, const std::vector<std::string>& files) {
  auto number = [](const std::optional<double>& x) { return x ? json_number(*x) : Json(nullptr); };
  const surface::Heights& h = a.roughness.heights;
  Json values = Json::object(), units = Json::object(), contact = Json::array();
  for (const surface::Named& v : values_of(a)) {
    values[v.name] = number(v.value);
    units[v.name] = v.unit;
  }
  for (const surface::Contact& c : a.contacts)
    contact.push_back({{"h", c.h},
                       {"separation", c.separation},
                       {"pressure", number(c.pressure)},
                       {"contacts", c.contacts},
                       {"area_gw", c.area_gw},
                       {"area_persson", c.area_persson}});
  Json out{{"file", a.file}, {"kind", a.roughness.is_profile ? "profile" : "map"}};
  if (a.counter) out["counter"] = a.counter_file;
  out["points"] = {h.nx, h.ny};
  out["values"] = std::move(values);
  out["units"] = std::move(units);
  out["contact"] = std::move(contact);
  out["warnings"] = a.warnings;
  out["notes"] = a.notes;
  out["files"] = files;
  return out;
}

/// All files of the folder together, or none.
std::vector<std::string> write(const surface::Analysis& a, const std::string& folder) {
  fs::create_directories(folder);
  std::vector<OutputFile> files;
  std::vector<std::string> names;
  auto add = [&](const char* name, const std::string& text) {
    names.push_back((fs::path(folder) / name).string());
    files.emplace_back(names.back(), [&](std::ostream& o) { o << text; });
  };
  add("surface.csv", surface_csv(a));
  add("contact.csv", contact_csv(a));
  add("summits.csv", summits_csv(a));
  if (a.gfm) add("gfm.toml", gfm_toml(a));
  if (a.generic2010) add("generic2010.toml", generic2010_toml(a));
  add("report.html", report::surface_page(a));
  if (Interrupt::flag()) throw surface::Interrupted();
  const Interrupt::Pause pause;
  keep(files);
  return names;
}

int run(const SurfaceOptions& o) {
  Problems problems;
  surface::Settings s{.cutoff = o.cutoff.value_or(0),
                      .shortest = o.shortest.value_or(0),
                      .E = o.E,
                      .hardness = o.hardness,
                      .shear = o.shear,
                      .area = o.area,
                      .mass = o.mass,
                      .poisson = o.poisson,
                      .density = o.density,
                      .load = o.load,
                      .separation = o.separation};
  s.level = choice<surface::Level>(o.level, "--level", problems);
  s.summits = choice<surface::Summits>(o.summits, "--summits", problems);
  const auto spacing = spacing_of(o.spacing, problems);
  for (const auto& [option, value] : {std::pair{"--cutoff", o.cutoff}, {"--short", o.shortest}}) {
    if (value && *value == 0) problems.push_back({option, "0 m is not accepted; a length > 0 is required"});
  }
  for (const Problem& p : surface::check(s)) problems.push_back(p);
  for (const Problem& p : problems) complain(p.line());
  if (!problems.empty()) return wrong_input;
  if (!o.out.empty()) OutputFile::check_in(o.out, "report.html");

  std::vector<std::string> notes;
  Progress progress(o.counter.empty() ? 1.1 : 2.1, !o.json);
  surface::Roughness own = load(o.file, o, s, spacing, notes, [&](double x) { progress.reached(x); });
  std::optional<surface::Roughness> counter;
  if (!o.counter.empty()) counter = load(o.counter, o, s, spacing, notes, [&](double x) { progress.reached(1 + x); });
  surface::Analysis a = surface::analyze(std::move(own), std::move(counter), s);
  a.file = o.file;
  a.counter_file = o.counter;
  a.notes.insert(a.notes.begin(), notes.begin(), notes.end());
  std::vector<std::string> files;
  if (!o.out.empty()) files = write(a, o.out);
  progress.finish();
  if (!o.out.empty() && !a.gfm) a.notes.push_back("no gfm.toml: " + a.no_gfm);
  if (!o.out.empty() && !a.generic2010) a.notes.push_back("no generic2010.toml: " + a.no_generic2010);
  if (o.json) {
    print("{}", json_text(json_of(a, files)));
    return done;
  }
  print_text(report::surface_text(a));
  for (const std::string& w : a.warnings) complain("warning: " + w);
  for (const std::string& n : a.notes) print("note: {}\n", n);
  for (const std::string& f : files) print("wrote {}\n", f);
  return done;
}

}  // namespace

int surface_command(const SurfaceOptions& options) {
  const Interrupt interrupt("bristle surface: stopped\n");
  try {
    return run(options);
  } catch (const surface::Interrupted&) {
    complain("stopped");
    return stopped;
  } catch (const surface::BadSurface& e) {
    complain(e.what());
    return wrong_input;
  } catch (...) { return status_of_exception(options.out); }
}

CLI::App* add_surface(CLI::App& app, SurfaceOptions& o) {
  auto* out = app.add_subcommand(
      "surface",
      "Roughness of a measured profile or height map: filter, ISO parameters, summits, contact, and a population of "
      "asperities.\n"
      "Example: bristle surface map.csv --spacing 1e-6 --cutoff 8e-5\n"
      "Example: bristle surface map.sdf --E 115e9 --hardness 2e9 --shear 3e8 --area 1e-4 --mass 1 --load 600 -o out");
  out->add_option(
         "FILE", o.file,
         "heights: CSV profile (x,z or z), CSV matrix (rows along x) or SDF as text; m, or units in the header: x_mm,z_um")
      ->required();
  out->add_option("--counter", o.counter, "the counter surface, which determines the wavelength")->type_name("FILE");
  out->add_option("--spacing", o.spacing, "distance of the points in m, for files without positions")
      ->type_name("DX[,DY]")
      ->allow_extra_args(false);
  out->add_option("--level", o.level, "form to subtract: none, mean, plane or quadratic")
      ->type_name("KIND")
      ->capture_default_str();
  out->add_option("--cutoff", o.cutoff, "cutoff of the mean line in m (Gaussian filter, ISO 16610-21)")
      ->type_name("LC");
  out->add_option("--short", o.shortest, "cutoff of short waves in m")->type_name("LS");
  out->add_option("--summits", o.summits, "statistics of summits: nayak (from the moments) or counted")
      ->type_name("KIND")
      ->capture_default_str();
  out->add_option("--E", o.E, "effective modulus E* in Pa: 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2")->type_name("PA");
  out->add_option("--poisson", o.poisson, "Poisson's ratio, for the tangential stiffness")
      ->type_name("NU")
      ->capture_default_str();
  out->add_option("--hardness", o.hardness, "hardness in Pa")->type_name("PA");
  out->add_option("--density", o.density, "density in kg/m^3")->type_name("RHO")->capture_default_str();
  out->add_option("--shear", o.shear, "shear strength of the contacts in Pa")->type_name("TAU");
  out->add_option("--area", o.area, "nominal area in m^2; default: that of the map")->type_name("A");
  auto* load = out->add_option("--load", o.load, "normal load in N")->type_name("W");
  out->add_option("--separation", o.separation, "separation over the standard deviation of summit heights; default: 2")
      ->type_name("H")
      ->excludes(load);
  out->add_option("--mass", o.mass, "main mass of generic2010 in kg")->type_name("M");
  out->add_option(
         "-o", o.out,
         "folder to write to: DIR/report.html, surface.csv, contact.csv, summits.csv, gfm.toml, generic2010.toml")
      ->type_name("DIR");
  out->add_option("--threads", o.threads, "number of threads; 0: all cores")->type_name("N")->capture_default_str();
  out->add_flag("--json", o.json, "machine-readable output");
  auto group = [&](const char* heading, std::initializer_list<const char*> names) {
    for (const char* n : names) out->get_option(n)->group(heading);
  };
  group("Heights", {"--counter", "--spacing", "--level", "--cutoff", "--short", "--summits"});
  group("Contact",
        {"--E", "--poisson", "--hardness", "--density", "--shear", "--area", "--load", "--separation", "--mass"});
  group("Output", {"-o", "--threads", "--json"});
  return out;
}

}  // namespace bristle::cli
