#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bristle/output.hpp"
#include "bristle/registry/describe.hpp"
#include "scenario/shared/section.hpp"

namespace bristle {

namespace scenario {
namespace {

Key range_key(const char* name, const char* quantity, const char* unit) {
  return {name, form::numbers,    fmt::format("least and greatest {} of the recordings", quantity),
          unit, Range{-inf, inf}, {2, 2}};
}

std::vector<MeasuredRanges::Of> read_measured(const Node& root, Reading& reading) {
  const std::vector<Key> keys{range_key("v", "velocity", "m/s"), range_key("x", "displacement", "m"),
                              range_key("N", "normal load", "N"), range_key("T", "temperature", "degC")};
  const std::vector<std::string> names = names_of(keys);
  const auto section = subsection(root, "measured", reading);
  std::vector<MeasuredRanges::Of> out;
  if (!section) return out;
  reading.describe(*section, {}, keys);
  for (const Member& m : *section->node.as<Node::Object>()) {
    const auto* ends = m.value.as<Node::Numbers>();
    if (!contains(names, m.key)) {
      reading.wrong(m.value.where, fmt::format("unknown key '{}' in [measured]{}", m.key, hint(m.key, names)));
    } else if (!ends || ends->size() != 2 || !((*ends)[0] <= (*ends)[1]) || !std::isfinite((*ends)[1] - (*ends)[0])) {
      reading.wrong(m.value.where, fmt::format("{} = {} in [measured] must be the least and the greatest value: [0, 1]",
                                               m.key, text_of(m.value)));
    } else {
      out.push_back({m.key, (*ends)[0], (*ends)[1]});
    }
  }
  return out;
}

/// Moves a block at top level into a [friction] section.
Node with_section(Node root) {
  Node friction{.v = Node::Object{}, .where = root.where};
  Node out{.v = Node::Object{}, .where = root.where};
  for (Member& m : *root.as<Node::Object>())
    (contains(head_keys, m.key) ? out : friction).as<Node::Object>()->push_back(std::move(m));
  out.as<Node::Object>()->push_back({"friction", std::move(friction)});
  return out;
}

}  // namespace

Reading::FrictionSource read_source(const Node& root, const std::string& where, const std::string& file,
                                    Reading& reading) {
  const std::vector<std::string> unit_words{"linear", "rotational"}, roles{"F", "mu", "u", "x"};
  Reading::FrictionSource out{.where = where, .file = file};
  auto turns = [&](const Section& section) -> std::optional<bool> {
    const auto units = choice(section, "units", unit_words, false, reading);
    return units ? std::optional(*units == 1) : std::nullopt;
  };
  if (const Node* schema = root.find("schema")) {
    const auto* x = schema->as<double>();
    if (!x || *x != 1) reading.wrong(schema->where, fmt::format("schema = {} must be 1", text_of(*schema)));
  }
  out.title = Section{root, "the file"}.text("title", reading).value_or("");
  out.rotational = turns({root, "the file"});
  out.measured = read_measured(root, reading);
  const auto section = subsection(root, "fitted", reading);
  if (!section) return out;
  read_section(*section, "a fitted file", views(out.fitted),
               {{"units", form::word, "as units of the file"},
                {"role", form::word, "the fitted quantity"},
                {"terms", form::table, "factors of the terms of --with"}},
               reading);
  if (const Node* terms = section->node.find("terms"); terms && terms->as<Node::Object>()) {
    reading.describe({*terms, "[fitted.terms]"}, {}, {{"*", form::number, "factor of the term with this name"}}, true);
    for (const Member& m : *terms->as<Node::Object>()) {
      const auto* factor = m.value.as<double>();
      if (factor && std::isfinite(*factor)) {
        out.fitted.terms.push_back({m.key, *factor});
      } else {
        reading.wrong(m.value.where,
                      fmt::format("{} = {} in [fitted.terms] must be a number", m.key, text_of(m.value)));
      }
    }
  } else if (terms) {
    reading.wrong(terms->where, fmt::format("terms = {} must be a section [fitted.terms]", text_of(*terms)));
  }
  if (const auto role = choice(*section, "role", roles, false, reading)) out.fitted.target = roles[*role];
  out.fitted.rotational = turns(*section);
  if (out.rotational && out.fitted.rotational && *out.rotational != *out.fitted.rotational)
    reading.wrong(section->where("units"), "units in [fitted] differ from those of the file; must be the same");
  if (!out.rotational) out.rotational = out.fitted.rotational;
  return out;
}

FittedPart combined(FittedPart under, FittedPart over) {
  each_field(under, [&](const auto& field, double& to) {
    if (const double value = over.*field.at; !std::isnan(value)) to = value;
  });
  if (over.rotational) under.rotational = over.rotational;
  if (!over.target.empty()) under.target = over.target;
  for (Entry& e : over.terms) {
    std::erase_if(under.terms, [&](const Entry& old) { return old.key == e.key; });
    under.terms.push_back(std::move(e));
  }
  return under;
}

void take_fitted(const Section& system, BodyParams& body, std::vector<FieldView>& fields, Reading& reading) {
  FittedPart part;
  for (const Reading::FrictionSource& f : reading.sources) {
    const bool other = !std::isnan(part.mass) && !std::isnan(f.fitted.mass) && part.mass != f.fitted.mass;
    if (other && !system.has("mass") && std::isnan(reading.own.fitted.mass))
      reading.wrong(system.node.where,
                    fmt::format("[fitted] mass = {} kg of {} differs from that of another friction file; mass in "
                                "[system] decides",
                                to_text(f.fitted.mass), f.file));
    part = combined(part, f.fitted);
  }
  part = combined(part, reading.own.fitted);
  if (part.mass > 0 && !system.has("mass")) {
    body.mass = part.mass;
    for (FieldView& f : fields) {
      if (f.name == "mass") f.role = role::optional;
    }
    reading.taken.insert(reading.taken.begin(), fmt::format("mass = {:.6g}", body.mass));
  }
  const bool pendulum = !std::isnan(part.gravity) && !std::isnan(part.gravity_phase);
  if (pendulum && !system.has("gravity") && !system.has("gravity_phase")) {
    body.gravity = std::abs(part.gravity);
    body.gravity_phase = part.gravity_phase + (part.gravity < 0 ? std::numbers::pi : 0);
    reading.taken.push_back(fmt::format("gravity = {:.6g}, gravity_phase = {:.6g}", body.gravity, body.gravity_phase));
  }
  for (const Entry& e : part.terms) reading.taken.push_back("without the term " + e.key);
}

std::vector<MeasuredRanges> measured_in(const Reading& reading) {
  std::vector<MeasuredRanges> out;
  auto add = [&](const Reading::FrictionSource& f) {
    if (!f.measured.empty()) out.push_back({f.file, f.fitted.normal_load, f.measured});
  };
  for (const Reading::FrictionSource& f : reading.sources) add(f);
  add(reading.own);
  return out;
}

std::optional<Node> friction_root(const std::string& text, const std::string& path,
                                  const std::vector<std::string>& changes, Reading& reading) {
  Node root = parse_toml(text, path, reading.problems);
  if (!reading.problems.empty()) return {};
  if (!root.find("friction") && (root.find("model") || root.find("file"))) root = with_section(std::move(root));
  for (const std::string& c : changes) change(root, c, reading.problems);
  if (!reading.problems.empty()) return {};
  bool friction = root.find("friction") != nullptr;
  for (const Member& m : *root.as<Node::Object>()) {
    if (contains(known_sections, m.key)) continue;
    const bool section = m.value.as<Node::Object>() || m.value.as<Node::List>();
    reading.wrong(m.value.where,
                  fmt::format("unknown {} '{}'{}", section ? "section" : "key", m.key, hint(m.key, known_sections)));
    friction = friction || nearest(m.key, known_sections) == "friction";
  }
  if (!friction) reading.wrong(root.where, "missing section [friction]; required: the model and its parameters");
  reading.own = read_source(root, path, path, reading);
  return root;
}

}  // namespace scenario

FrictionRead load_friction(const std::string& path, const std::vector<std::string>& changes) {
  using namespace scenario;
  FrictionFile out{.path = path};
  try {
    out.text = read_file(path, most_bytes);
  } catch (const FileError& e) { return {{}, {{"", e.what()}}}; }
  Reading reading{.folder = std::filesystem::path(path).parent_path()};
  Experiment e;
  if (const std::optional<Node> root = friction_root(out.text, path, changes, reading)) {
    read_friction(*root, e, out.notes, reading);
    out.initial = root->find("friction") && root->find("friction")->find("initial");
    if (e.contacts.size() > 1)
      reading.wrong(root->find("friction")->where,
                    fmt::format("{} friction blocks; one per file is accepted", e.contacts.size()));
  }
  if (!reading.problems.empty()) return {{}, tidied(std::move(reading.problems), path)};
  out.contact = std::move(e.contacts.front().contact);
  Reading::FrictionSource& from = reading.sources.empty() ? reading.own : reading.sources.front();
  out.rotational = reading.own.rotational ? reading.own.rotational : from.rotational;
  out.measured = {from.file, from.fitted.normal_load, std::move(from.measured)};
  out.fitted = combined(from.fitted, reading.own.fitted);
  return {std::move(out), {}};
}

std::string outside_measured(const Scenario& scenario, const Run& run) {
  const Experiment& e = scenario.experiment;
  const bool roller = e.kind == SystemKind::roller;
  std::string out;
  for (const MeasuredRanges& m : scenario.measured) {
    for (const MeasuredRanges::Of& range : m.ranges) {
      double least = inf, most = -inf;
      auto add = [&](double value) {
        least = std::min(least, value);
        most = std::max(most, value);
      };
      if (range.name == "T") {
        // 20 degrees are the default: a run without temperature makes no statement about it.
        const bool depends = std::ranges::any_of(e.contacts, [](const NamedContact& c) {
          return c.contact->has_effects() && *c.contact->parameter("temperature_coefficient").as<double>() != 0;
        });
        if (depends || e.body.temperature != BodyParams{}.temperature) add(e.body.temperature);
      } else if (range.name == "N") {
        const Column* t = run.trace.find("t");
        for (std::size_t i = 0; t && e.load && i < t->values.size() && !std::isnan(m.normal_load); ++i)
          add(m.normal_load * e.load->at(t->values[i]).value);
      } else {
        const std::string name = roller ? range.name == "v" ? "v_slip" : "x" : range.name;
        for (const Column& c : run.trace.columns) {
          const bool block =
              c.name.starts_with(name) && c.name.find_first_not_of("0123456789", name.size()) == std::string::npos;
          for (std::size_t i = 0; block && i < c.values.size(); ++i) add(c.values[i]);
        }
      }
      if (least > most || !(range.left_by(least) || range.left_by(most))) continue;
      out += fmt::format("{}{} {:.4g} to {:.4g}, measured {:.4g} to {:.4g}", out.empty() ? "" : "; ", range.name, least,
                         most, range.least, range.most);
    }
  }
  return out.empty() ? out : "the run leaves the range of the measurements behind the friction file: " + out;
}

}  // namespace bristle
