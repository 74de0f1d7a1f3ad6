#include "export/fmu_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "bristle/version.hpp"
#include "report/shared/labels.hpp"

namespace bristle::exports {
namespace {

using element::UnitVariable;
using V = UnitVariable;

std::string attribute(const char* name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escape(value));
}

/// Units of rotation in a rotational file; "" for numbers.
std::string unit_of(const V& v, bool rotational) {
  const std::string shown = report::shown_unit(v.unit, rotational);
  return v.unit == "1" ? "" : shown;
}

class Description {
 public:
  Description(element::Unit& unit, const Block& block, int version) : u_(unit), block_(block), v3_(version == 3) {
    for (std::size_t i = 0; i < u_.variables().size(); ++i) {
      const V& v = u_.variables()[i];
      // In FMI 3, an array is one variable: that of its first element. States stay single.
      const bool later = v.causality == V::parameter && v.slot.index > 1 && v.in_slot;
      // In FMI 2, time is there without being listed, and could not have the start value that FMI Library asks for.
      const bool implied = !v3_ && v.causality == V::independent;
      if (!(v3_ && later) && !implied) listed_.push_back(i);
    }
  }

  std::string text() {
    const std::string kind = u_.kind() == element::Unit::body ? "body with friction" : "friction";
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription";
    out += attribute("fmiVersion", v3_ ? "3.0" : "2.0");
    out += attribute("modelName", block_.model() + (u_.kind() == element::Unit::body ? "_body" : "_friction"));
    out += attribute(v3_ ? "instantiationToken" : "guid", u_.token());
    out += attribute("description", fmt::format("{} of the model {}{}", kind, block_.model(),
                                                block_.title.empty() ? "" : ": " + block_.title));
    out += attribute("generationTool", "bristle " BRISTLE_VERSION);
    out += attribute("variableNamingConvention", "structured");
    if (!v3_) out += attribute("numberOfEventIndicators", std::to_string(u_.indicators()));
    out += ">\n";
    out += fmt::format(
        "  <ModelExchange modelIdentifier=\"bristle\"{3} {0}=\"true\" {1}=\"true\" {2}=\"true\"/>\n"
        "  <CoSimulation modelIdentifier=\"bristle\" canHandleVariableCommunicationStepSize=\"true\" {0}=\"true\" "
        "{1}=\"true\" {2}=\"true\"/>\n",
        v3_ ? "canGetAndSetFMUState" : "canGetAndSetFMUstate", v3_ ? "canSerializeFMUState" : "canSerializeFMUstate",
        v3_ ? "providesDirectionalDerivatives" : "providesDirectionalDerivative",
        v3_ ? " needsCompletedIntegratorStep=\"true\"" : "");
    out += units() + types();
    out += "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n";
    out += "  <DefaultExperiment startTime=\"0\" stopTime=\"1\" stepSize=\"0.001\"/>\n";
    out += "  <ModelVariables>\n";
    for (const std::size_t i : listed_) out += variable(i);
    out += "  </ModelVariables>\n" + structure() + "</fmiModelDescription>\n";
    return out;
  }

 private:
  std::string units() const {
    std::vector<std::string> names;
    for (const V& v : u_.variables()) {
      const std::string unit = unit_of(v, block_.rotational);
      if (!unit.empty() && std::ranges::find(names, unit) == names.end()) names.push_back(unit);
    }
    std::string out = "  <UnitDefinitions>\n";
    for (const std::string& n : names) out += fmt::format("    <Unit name=\"{}\"/>\n", escape(n));
    return out + "  </UnitDefinitions>\n";
  }
  static std::string type_name(const V& v) { return "choice_" + v.name; }
  std::string types() const {
    std::string out;
    for (const V& v : u_.variables()) {
      if (v.type != V::choice) continue;
      std::string items;
      for (std::size_t k = 0; k < v.choices.size(); ++k)
        items += fmt::format(R"(<Item name="{}" value="{}"/>)", escape(v.choices[k]), k + 1);
      out += v3_ ? fmt::format("    <EnumerationType name=\"{}\">{}</EnumerationType>\n", type_name(v), items)
                 : fmt::format("    <SimpleType name=\"{}\"><Enumeration>{}</Enumeration></SimpleType>\n", type_name(v),
                               items);
    }
    return out.empty() ? "" : "  <TypeDefinitions>\n" + out + "  </TypeDefinitions>\n";
  }

  bool has_start(const V& v) const { return v.causality == V::input || v.causality == V::parameter; }
  std::string start(std::size_t i) const {
    const V& v = u_.variables()[i];
    if (!has_start(v)) return "";
    if (v.type == V::choice) return attribute("start", std::to_string(static_cast<int>(v.value()) + 1));
    std::string values = to_text(v.value());
    for (std::size_t k = 1; v3_ && k < v.length; ++k) values += " " + to_text(u_.variables()[i + k].value());
    return attribute("start", values);
  }
  /// Limits and infinite values (a term that is off) cannot be written in FMI 2.
  static std::string range(const V& v) {
    if (v.causality != V::parameter || v.type != V::real) return "";
    std::string out;
    if (v.range.lo > -limit::most) out += attribute("min", to_text(v.range.lo));
    if (v.range.hi < limit::most) out += attribute("max", to_text(v.range.hi));
    return out;
  }

  std::string variable(std::size_t i) {
    const V& v = u_.variables()[i];
    static constexpr const char* causalities[]{"independent", "input", "output", "parameter", "local"};
    std::string name = v.name;
    if (v3_ && v.length > 0) name.resize(name.find('['));
    const bool infinite = has_start(v) && v.type == V::real && std::isinf(v.value());
    std::string head = attribute("name", name) + attribute("valueReference", std::to_string(i)) +
                       attribute("causality", infinite ? "local" : causalities[v.causality]);
    const bool discrete = v.type == V::boolean || (v.causality == V::local && v.in_slot && !v.state);
    head += attribute("variability", infinite                      ? "fixed"
                                     : v.causality == V::parameter ? (v.tunable ? "tunable" : "fixed")
                                     : discrete                    ? "discrete"
                                                                   : "continuous");
    head += attribute("description", v.text);
    if (v.causality == V::parameter && !infinite) head += attribute("initial", "exact");
    if (v.causality == V::output || v.causality == V::local || infinite) head += attribute("initial", "calculated");
    std::string body = infinite ? "" : start(i);
    if (v.type == V::real) {
      const std::string unit = unit_of(v, block_.rotational);
      if (!unit.empty()) body += attribute("unit", unit);
      if (!infinite) body += range(v);
      if (v.derivative_of >= 0)
        body +=
            attribute("derivative", v3_ ? std::to_string(v.derivative_of) : std::to_string(index_of(v.derivative_of)));
    } else if (v.type == V::choice) {
      body += attribute("declaredType", type_name(v));
    }
    const char* type = v.type == V::boolean  ? "Boolean"
                       : v.type == V::choice ? "Enumeration"
                       : v3_                 ? "Float64"
                                             : "Real";
    if (!v3_) return fmt::format("    <ScalarVariable{}><{}{}/></ScalarVariable>\n", head, type, body);
    if (v.length == 0) return fmt::format("    <{}{}{}/>\n", type, head, body);
    return fmt::format("    <{}{}{}><Dimension start=\"{}\"/></{}>\n", type, head, body, v.length, type);
  }

  /// From 1, as FMI 2 counts.
  std::size_t index_of(int variable) const {
    return static_cast<std::size_t>(std::ranges::find(listed_, static_cast<std::size_t>(variable)) - listed_.begin()) +
           1;
  }
  std::string structure() const {
    std::string outputs, derivatives, initial;
    auto unknown = [&](const char* element, std::size_t i) {
      return v3_ ? fmt::format("    <{} valueReference=\"{}\"/>\n", element, i)
                 : fmt::format("      <Unknown index=\"{}\"/>\n", index_of(static_cast<int>(i)));
    };
    std::string indicators;
    for (const std::size_t i : listed_) {
      const V& v = u_.variables()[i];
      if (v.causality == V::output) outputs += unknown("Output", i);
      if (v.derivative_of >= 0) derivatives += unknown("ContinuousStateDerivative", i);
      if (v.causality == V::output || v.derivative_of >= 0 || v.state) initial += unknown("InitialUnknown", i);
    }
    if (v3_) {
      for (std::size_t k = 0; k < u_.indicators(); ++k)
        indicators += fmt::format("    <EventIndicator valueReference=\"{}\"/>\n", u_.indicator_variable(k));
      return "  <ModelStructure>\n" + outputs + derivatives + initial + indicators + "  </ModelStructure>\n";
    }
    return fmt::format("  <ModelStructure>\n    <Outputs>\n{}    </Outputs>\n    <Derivatives>\n{}    </Derivatives>\n"
                       "    <InitialUnknowns>\n{}    </InitialUnknowns>\n  </ModelStructure>\n",
                       outputs, derivatives, initial);
  }

  element::Unit& u_;
  const Block& block_;
  bool v3_;
  std::vector<std::size_t> listed_{};
};

}  // namespace

std::string model_description(element::Unit& unit, const Block& block, int version) {
  return Description(unit, block, version).text();
}

}  // namespace bristle::exports
