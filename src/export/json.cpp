#include "bristle/registry/describe.hpp"
#include "bristle/version.hpp"
#include "export/describe.hpp"
#include "export/json_text.hpp"
#include "export/writers.hpp"

namespace bristle::exports {
namespace {

JsonText parameters_json(const Block& block) {
  JsonText out = JsonText::object();
  for (const Parameter& p : parameters_of(block)) {
    JsonText one = JsonText::object();
    one.add("value", p.value).add("unit", p.unit).add("meaning", p.meaning);
    if (!p.interval.empty()) one.add("interval_95", p.interval);
    if (!p.identifiable) one.add("identifiable", false);
    if (p.at_limit) one.add("at_limit", true);
    out.add(p.name, one);
  }
  return out;
}

JsonText states_json(const Block& block) {
  JsonText out = JsonText::array();
  const std::vector<std::string> names = block.contact().state_names();
  const std::vector<double> values = block.contact().state();
  for (std::size_t i = 0; i < names.size(); ++i)
    out.add(JsonText::object().add("name", names[i]).add("initial", values[i]));
  return out;
}

JsonText fitted_json(const Block& block) {
  JsonText out = JsonText::object();
  each_field(block.file.fitted, [&](const auto& field, const double& value) {
    if (value == value) out.add(field.name, value);
  });
  return out;
}

}  // namespace

Exported write_json(const Block& block, const Options&) {
  const ModelInfo& info = *find_model(block.model());
  const Scales<double> scales = block.contact().scales();
  JsonText out = JsonText::object();
  out.add("bristle", BRISTLE_VERSION).add("sha256", block.sha256).add("model", info.name).add("title", block.title);
  out.add("units", block.rotational ? "rotational" : "linear").add("parameters", parameters_json(block));
  out.add("states", states_json(block)).add("equations", info.equations).add("notes", info.notes);
  const std::optional<bool> known = passive(block);
  out.add("passive", known ? JsonText(*known) : JsonText::null()).add("passive_if", info.passive_if);
  if (const std::string remark = passive_remark(block); !remark.empty()) out.add("passive_remark", remark);
  out.add("scales", JsonText::object()
                        .add("force", scales.force)
                        .add("velocity", scales.velocity)
                        .add("displacement", scales.displacement));
  JsonText properties = JsonText::object();
  for (const PropertyInfo& p : property_infos()) properties.add(p.name, info.has.*p.at);
  out.add("declared_properties", properties);
  JsonText measured = JsonText::object();
  for (const MeasuredRanges::Of& r : block.file.measured.ranges)
    measured.add(r.name, JsonText::array().add(r.least).add(r.most));
  out.add("measured", measured).add("fitted", fitted_json(block));
  JsonText v = JsonText::array(), F = JsonText::array();
  for (const auto& [speed, force] : steady_points(block)) {
    v.add(speed);
    F.add(force);
  }
  out.add("steady", JsonText::object().add("v", v).add("F", F));
  JsonText references = JsonText::array();
  for (const std::string& r : info.references) references.add(r);
  out.add("references", references).add("canonical", block.canonical);
  return {{{"", out.text()}}, block.file.notes, {}};
}

}  // namespace bristle::exports
