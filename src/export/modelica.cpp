#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "bristle/registry/describe.hpp"
#include "export/describe.hpp"
#include "export/writers.hpp"

namespace bristle::exports {
namespace {

/// A law as equations of Modelica. States are those of the model, with their names.
struct Law {
  const char* model;
  bool curve;  // uses S, the Stribeck curve
  const char* equations;
};
constexpr std::array laws{
    Law{"viscous", false, "  F = kv*v"},
    Law{"coulomb_tanh", false, "  F = r*Fc*tanh(k_tanh*v) + kv*v"},
    Law{"stribeck_tanh", true, "  F = r*S*tanh(k_tanh*v) + kv*v"},
    Law{"brown_mcphee", false, "  F = r*(Fc*tanh(4*v/vs) + (Fs - Fc)*(v/vs)/((v/vs)^2/4 + 3/4)^2) + kv*v"},
    Law{"dankowicz", false, "  der(z) = v - abs(v)*z/delta;\n  F = r*Fc*z/delta + kv*v"},
    Law{"stribeck_dankowicz", true, "  der(z) = v - abs(v)*z/delta;\n  F = r*S*z/delta + kv*v"},
    Law{"bliman_sorine", false,
        "  der(fa) = (f1*v - abs(v)*fa)/(eta*eps_f);\n  der(fb) = -(f2*v + abs(v)*fb)/eps_f;\n  F = r*(fa + fb) + kv*v"},
    Law{"dahl", false, "  der(f) = sigma0*(v - abs(v)*f/Fc);\n  F = r*f + kv*v"},
    Law{"bouc_wen", false,
        "  der(f) = sigma0*(v - beta*abs(v)*abs(f/Fc)^(n - 1)*f/Fc - (1 - beta)*v*abs(f/Fc)^n);\n  der(d) = v;\n"
        "  F = r*f + ke*d + kv*v"},
    Law{"lugre", true, "  der(z) = v - sigma0*abs(v)*z/S;\n  F = r*(sigma0*z + sigma1*der(z)) + kv*v"},
};

std::string quoted_string(std::string_view text) {
  std::string out;
  for (const char c : one_line_of(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// "N s/m" as "N.s/m"; two divisors need brackets: "N/(m s)" as "N/(m.s)".
std::string modelica_unit(std::string unit) {
  std::ranges::replace(unit, ' ', '.');
  return unit.empty() ? "1" : unit;
}

std::string class_name(const Block& block, const Options& options) {
  // Keywords of the Modelica specification, and predefined names.
  static const std::set<std::string> taken{
      "algorithm",  "and",       "annotation",     "assert",        "block",     "break",       "class",
      "connect",    "connector", "constant",       "constrainedby", "der",       "discrete",    "each",
      "else",       "elseif",    "elsewhen",       "encapsulated",  "end",       "enumeration", "equation",
      "expandable", "extends",   "external",       "false",         "final",     "flow",        "for",
      "function",   "if",        "import",         "impure",        "in",        "initial",     "inner",
      "input",      "loop",      "model",          "not",           "operator",  "or",          "outer",
      "output",     "package",   "parameter",      "partial",       "protected", "public",      "pure",
      "record",     "redeclare", "replaceable",    "return",        "stream",    "then",        "true",
      "type",       "when",      "while",          "within",        "Real",      "Integer",     "Boolean",
      "String",     "Clock",     "ExternalObject", "time"};
  const std::string name = identifier(block, options);
  return taken.contains(name) ? name + "_" : name;
}

}  // namespace

Exported write_modelica(const Block& block, const Options& options) {
  Exported out;
  auto refuse = [&](std::string text) { out.problems.push_back({block.file.path, std::move(text)}); };
  const std::string model = block.model();
  const auto law = std::ranges::find(laws, model, [](const Law& l) { return std::string(l.model); });
  if (law == laws.end()) {
    std::string names;
    for (const Law& l : laws) names += (names.empty() ? "" : ", ") + std::string(l.model);
    refuse(
        fmt::format("{} has no Modelica text; smooth laws are accepted: {}; others need the kind fmu", model, names));
    return out;
  }
  double offset = 0;
  std::string declared;
  for (const Parameter& p : parameters_of(block)) {
    const double* value = p.value.as<double>();
    if (p.name == "effects.offset") {
      offset = *value;
    } else if (p.name.starts_with("effects.") || p.name.starts_with("negative.")) {
      refuse(fmt::format("{} has no Modelica text; the effect offset is accepted, others need the kind fmu", p.name));
    } else if (p.name == "kv_exponent") {
      refuse(fmt::format("kv_exponent = {} has no Modelica text; kv_exponent = 1 is accepted", to_text(*value)));
    } else if (p.name == "vd" && value && *value < inf) {
      refuse("vd has no Modelica text; it must be off");
    } else if (p.name == "i" && value && *value != 1) {
      refuse(fmt::format("i = {} has no Modelica text; i = 1 is accepted", to_text(*value)));
    } else if (p.name != "vd" && p.name != "i") {
      declared += fmt::format("  parameter Real {}(unit=\"{}\") = {} \"{}\";\n", p.name, modelica_unit(p.unit),
                              to_text(*value), quoted_string(p.meaning));
    }
  }
  if (!out.problems.empty()) return out;
  const ModelInfo& info = *find_model(model);
  const std::string name = class_name(block, options);
  const char *force = block.rotational ? "N.m" : "N", *speed = block.rotational ? "rad/s" : "m/s";
  std::string text =
      fmt::format("model {} \"{}\"\n", name,
                  quoted_string((block.title.empty() ? info.title : block.title) + "; " + provenance(block)));
  text += declared;
  if (offset != 0)
    text += fmt::format("  parameter Real offset(unit=\"{}\") = {} \"constant force\";\n", force, to_text(offset));
  text += "  parameter Real r = 1 \"normal load over nominal load\";\n";
  text += fmt::format("  input Real v(unit=\"{}\") \"sliding velocity\";\n", speed);
  text += fmt::format("  output Real F(unit=\"{}\") \"friction force, resists v\";\n", force);
  for (const Entry& e : block.contact().initial()) {
    const auto state = std::ranges::find(info.states, e.key, &FieldInfo::name);
    text += fmt::format("  Real {}(start={}, fixed=true) \"{}\";\n", e.key, to_text(*e.value.as<double>()),
                        state == info.states.end() ? "" : quoted_string(state->meaning));
  }
  if (law->curve) text += fmt::format("  Real S(unit=\"{}\") \"Stribeck curve\";\n", force);
  text += "equation\n";
  if (law->curve) text += "  S = Fc + (Fs - Fc)*exp(-(abs(v)/vs)^alpha);\n";
  text += std::string(law->equations) + (offset != 0 ? " + offset;\n" : ";\n");
  if (const std::string measured = measured_text(block); !measured.empty())
    text += fmt::format("  annotation(Documentation(info=\"Measured range: {}\"));\n", quoted_string(measured));
  out.files.push_back({"", text + fmt::format("end {};\n", name)});
  out.notes = block.file.notes;
  return out;
}

}  // namespace bristle::exports
