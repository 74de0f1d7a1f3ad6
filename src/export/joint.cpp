#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/escape.hpp"
#include "base/number.hpp"
#include "bristle/registry/describe.hpp"
#include "export/describe.hpp"
#include "export/joint.hpp"
#include "export/writers.hpp"

namespace bristle::exports {
namespace {

/// FROM:TO of the command line, or up to the largest speed of interest.
std::optional<std::pair<double, double>> range_of(const Block& block, const Options& options, Problems& problems) {
  if (options.range.empty()) return std::pair(0.0, top_speed(block));
  const std::size_t colon = options.range.find(':');
  const auto from = parse_number(options.range.substr(0, colon));
  const auto to = colon == std::string::npos ? std::nullopt : parse_number(options.range.substr(colon + 1));
  if (from && to && *from >= 0 && *to > *from && *to >= 1e-15 && *to <= 1e15) return std::pair(*from, *to);
  problems.push_back(
      {"--range",
       fmt::format(
           "'{}' is not a range of speeds; FROM:TO with 0 <= FROM < TO, TO from 1e-15 to 1e15, is accepted: 0:0.5",
           one_line_of(options.range))});
  return {};
}

/// In a comment of XML: without --.
std::string in_xml_comment(std::string_view text) {
  std::string out = escape(one_line_of(text));
  for (std::size_t at = 0; (at = out.find("--", at)) != std::string::npos; ++at) out.insert(at + 1, " ");
  return out;
}

/// The effects that two numbers cannot state; "" for a block without effects.
std::string not_carried(const Block& block) {
  std::string names;
  for (const Parameter& p : parameters_of(block)) {
    const bool effect = p.name.starts_with("effects.");
    if (!effect && !p.name.starts_with("negative.")) continue;
    names += (names.empty() ? "" : ", ") + (effect ? p.name.substr(8) : p.name);
  }
  return names.empty() ? ""
                       : fmt::format("not carried: {}; the numbers are those at x = 0, nominal load and 20 degC, mean "
                                     "of both directions",
                                     names);
}

struct Approximated {
  JointFit fit{};
  std::string joint{}, comment{}, unit{};
};
std::optional<Approximated> approximated(const Block& block, const Options& options, Exported& out) {
  const auto range = range_of(block, options, out.problems);
  if (!range) return {};
  const JointFit fit = fit_joint(block.contact(), range->first, range->second);
  if (std::isnan(fit.frictionloss)) {
    out.problems.push_back(
        {block.file.path, fmt::format("{} with these parameters has no steady sliding; a law with a steady "
                                      "curve is required",
                                      block.model())});
    return {};
  }
  const char *force = block.rotational ? "N m" : "N", *speed = block.rotational ? "rad/s" : "m/s";
  const std::string quality = fmt::format(
      "frictionloss + damping |v| by least squares over {:.6g} to {:.6g} {}: rms error {:.3g} {}, worst {:.3g} {} ({:.3g} % of "
      "the largest friction) at {:.3g} {}",
      range->first, range->second, speed, fit.rms, force, fit.worst, force,
      fit.largest > 0 ? 100 * fit.worst / fit.largest : 0, fit.worst_at, speed);
  out.notes = block.file.notes;
  out.notes.push_back(quality);
  out.notes.emplace_back("no pre-sliding, no memory, no Stribeck effect; the kinds fmu and mujoco keep the law");
  std::string comment = in_xml_comment((block.title.empty() ? block.model() : block.title) + "; " + provenance(block)) +
                        "\n     " + in_xml_comment(quality);
  if (const std::string missing = not_carried(block); !missing.empty()) {
    out.notes.push_back(missing);
    comment += "\n     " + in_xml_comment(missing);
  }
  return Approximated{fit, options.joint.empty() ? "joint" : options.joint, std::move(comment), force};
}

std::string shown(double x) { return fmt::format("{:.6g}", x); }

/// The largest load at which a set-valued contact stays at rest, from its initial state. The steady curve does not have it: the
/// force falls when slip begins.
double breakaway(const AnyContact& contact, int side) {
  const double size = contact.scales().force;
  auto holds = [&](double load) {
    const std::unique_ptr<AnyContact> c = contact.clone();
    c->reset();
    return c->couple({.F_app = side * load, .load = side * load}, 1, 1e-6).holds;
  };
  double below = 0, above = size;
  for (int i = 0; i < 20 && holds(above); ++i) below = above, above *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (below + above);
    (holds(middle) ? below : above) = middle;
  }
  return below;
}

}  // namespace

JointFit fit_joint(const AnyContact& contact, double from, double to) {
  constexpr int points = 1000;
  double n = 0, v1 = 0, v2 = 0, F1 = 0, vF = 0;
  std::vector<std::pair<double, double>> curve;
  for (int i = 0; i < points; ++i) {
    const double v = from + (to - from) * (i + 0.5) / points;
    curve.emplace_back(v, 0.5 * (steady_force(contact, v) - steady_force(contact, -v)));
  }
  for (const auto& [v, F] : curve) n += 1, v1 += v, v2 += v * v, F1 += F, vF += v * F;
  JointFit out;
  out.damping = (n * vF - v1 * F1) / (n * v2 - v1 * v1);
  out.frictionloss = (F1 - out.damping * v1) / n;
  if (out.damping < 0) out.damping = 0, out.frictionloss = F1 / n;  // a simulator refuses negative values
  if (out.frictionloss < 0) out.frictionloss = 0, out.damping = vF / v2;
  double squares = 0;
  if (from == 0)
    curve.insert(curve.begin(),
                 {to * 1e-9, 0.5 * (steady_force(contact, to * 1e-9) - steady_force(contact, -to * 1e-9))});
  for (const auto& [v, F] : curve) {
    const double error = std::abs(F - out.frictionloss - out.damping * v);
    squares += error * error / static_cast<double>(curve.size());
    out.largest = std::max(out.largest, std::abs(F));
    if (error > out.worst) out.worst = error, out.worst_at = v;
  }
  out.rms = std::sqrt(squares);
  if (const ModelInfo* info = find_model(contact.model()); info && info->set_valued && from == 0) {
    const double hold = 0.5 * (breakaway(contact, 1) + breakaway(contact, -1)),
                 error = std::abs(hold - out.frictionloss);
    out.largest = std::max(out.largest, hold);
    if (error > out.worst) out.worst = error, out.worst_at = 0;
  }
  return out;
}

Exported write_mjcf(const Block& block, const Options& options) {
  Exported out;
  const auto a = approximated(block, options, out);
  if (!a) return out;
  std::string text = fmt::format("<!-- {} -->\n", a->comment);
  text += fmt::format(
      "<!-- solreffriction: twice the timestep of the model, here 0.002 s. The defaults let a held joint creep. -->\n");
  text += fmt::format(
      "<joint name=\"{}\" type=\"{}\" frictionloss=\"{}\" damping=\"{}\" solimpfriction=\"0.9999 0.9999 0.001\" "
      "solreffriction=\"0.004 1\"/>\n",
      escape(one_line_of(a->joint)), block.rotational ? "hinge" : "slide", shown(a->fit.frictionloss),
      shown(a->fit.damping));
  out.files.push_back({"", text});
  return out;
}

Exported write_urdf(const Block& block, const Options& options) {
  Exported out;
  const auto a = approximated(block, options, out);
  if (!a) return out;
  out.files.push_back(
      {"", fmt::format("<!-- {} -->\n<joint name=\"{}\" type=\"{}\">\n  <dynamics friction=\"{}\" damping=\"{}\"/>\n"
                       "</joint>\n",
                       a->comment, escape(one_line_of(a->joint)), block.rotational ? "continuous" : "prismatic",
                       shown(a->fit.frictionloss), shown(a->fit.damping))});
  return out;
}

}  // namespace bristle::exports
