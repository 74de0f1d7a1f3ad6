/// The mechanisms of simbody_mechanisms.cpp in Bristle, and chains of N bodies: "chain:N".
#include <fmt/format.h>

#include <stdexcept>

#include "bristle/scenario.hpp"
#include "mechanisms.hpp"

namespace {

std::string friction(const peers::Lugre& f) {
  return fmt::format("friction = {{ model = \"lugre\", Fc = {}, Fs = {}, vs = {}, sigma0 = {}, sigma1 = {}, kv = {}, "
                     "normal_load = 10.0, effects = {{ load_exponent = 0.0 }} }}\n",
                     f.Fc, f.Fs, f.vs, f.sigma0, f.sigma1, f.kv);
}
std::string body(const std::string& name, double mass, double inertia, double x, double y, double angle,
                 const std::string& more = "") {
  return fmt::format("[[body]]\nname = \"{}\"\nmass = {}\ninertia = {}\nposition = [{}, {}]\nangle = {}\n{}", name,
                     mass, inertia, x, y, angle, more);
}
std::string revolute(const std::string& name, const std::string& a, const std::string& b, double x, double y,
                     const std::string& more) {
  return fmt::format("[[joint]]\nname = \"{}\"\nkind = \"revolute\"\nbodies = [\"{}\", \"{}\"]\nat = [{}, {}]\n{}",
                     name, a, b, x, y, more);
}

std::string text_of(const std::string& problem) {
  std::string out = "[system]\nkind = \"multibody\"\n";
  const peers::Numbers numbers = peers::numbers_of(problem);
  const std::string in_bearing = fmt::format("radius = {}\n", peers::bearing_radius) + friction(numbers.law);
  if (problem.starts_with("slider_crank")) {
    const double pi = std::acos(-1.0), phi = -std::asin(0.1 * std::sin(pi / 4) / 0.25);
    const double c = 0.1 * std::cos(pi / 4), s = 0.1 * std::sin(pi / 4), x = c + 0.25 * std::cos(phi);
    out += body("first", 1, 1e-2 / 12, c / 2, s / 2, pi / 4, "rate = 20.0\n");
    out += body("second", 1, 0.0625 / 12, (c + x) / 2, s / 2, phi) + body("slider", 0.5, 1e-3, x, 0, 0);
    out +=
        revolute("pivot", "ground", "first", 0, 0, in_bearing) + revolute("pin", "first", "second", c, s, in_bearing);
    out += revolute("wrist", "second", "slider", x, 0, "");
    out += fmt::format(
               "[[joint]]\nname = \"guide\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"slider\"]\nat = [{}, 0]\n"
               "axis = [1, 0]\n",
               x) +
           friction(numbers.law);
    out += fmt::format(
        "[[actuator]]\njoint = \"pivot\"\nacts = \"force\"\nkind = \"sine\"\namplitude = {}\nfrequency = {}\n",
        numbers.torque, peers::torque_frequency);
  } else if (problem.starts_with("double_pendulum")) {
    out += body("first", 1, 0.0625 / 12, 0.125, 0, 0) + body("second", 0.8, 0.05 / 12, 0.375, 0, 0);
    out += revolute("shoulder", "ground", "first", 0, 0, in_bearing) +
           revolute("elbow", "first", "second", 0.25, 0, in_bearing);
  } else if (problem.rfind("chain:", 0) == 0) {
    const int n = std::stoi(problem.substr(6));
    for (int i = 0; i < n; ++i) out += body(fmt::format("b{}", i), 1, 1e-2 / 12, 0.1 * i + 0.05, 0, 0);
    for (int i = 0; i < n; ++i)
      out += revolute(fmt::format("j{}", i), i == 0 ? "ground" : fmt::format("b{}", i - 1), fmt::format("b{}", i),
                      0.1 * i, 0, in_bearing);
  } else {
    throw std::runtime_error("unknown problem " + problem);
  }
  return out + fmt::format("[solver]\nduration = {}\n", problem.rfind("chain:", 0) == 0 ? 0.2 : peers::duration);
}

long run(const std::string& problem, double rtol, std::vector<double>& rows) {
  bristle::Loaded loaded = bristle::read_scenario(text_of(problem), problem + ".toml");
  if (!loaded.scenario) throw std::runtime_error(loaded.problems.front().line());
  bristle::Experiment& e = loaded.scenario->experiment;
  e.solver.rtol = rtol;
  bristle::RunOptions options{.rows = false};
  const bool chain = problem.rfind("chain:", 0) == 0;
  const int n = static_cast<int>(std::lround(peers::duration / peers::output_step));
  for (int k = 0; !chain && k <= n; ++k) options.probes.push_back(k * peers::output_step);
  const bristle::Run out = bristle::simulate(e, options);
  for (std::size_t k = 0; !chain && k < options.probes.size(); ++k) {
    for (const char* name : {"first.angle", "first.rate", "second.angle", "second.rate"})
      rows.push_back(out.probes.find(name)->values[k]);
  }
  return static_cast<long>(out.summary.steps + out.summary.rejected);
}

}  // namespace

int main(int argc, char** argv) { return peers::serve(argc, argv, run); }
