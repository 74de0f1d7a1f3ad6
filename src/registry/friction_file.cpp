#include "bristle/registry/friction_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/document.hpp"
#include "bristle/output.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/read.hpp"

namespace bristle {

double FittedPart::constant_force() const {
  auto known = [](double x) { return std::isnan(x) ? 0 : x; };
  return known(offset) + (std::isnan(gravity_phase) ? known(gravity) : 0);
}

bool MeasuredRanges::Of::left_by(double value) const {
  const bool place = name == "x" || name == "T";
  const double margin = 0.05 * (place ? most - least : std::max(std::abs(least), std::abs(most)));
  return value < least - margin || value > most + margin;
}

namespace {

using scenario::Member;
using scenario::Node;

const std::vector<std::string> own_sections{"friction", "fitted", "measured"};
const std::vector<std::string> inner_sections{"effects", "initial", "negative", "heat", "distribution"};
const std::vector<std::string> head{"schema", "title", "units", "tribometer", "fitted", "measured"};

bool is_in(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

/// One file being read.
class FrictionFileReader {
 public:
  explicit FrictionFileReader(LoadedContact& out) : out_(out) {}

  void read(const Node& root) {
    read_head(root);
    if (const auto turns = units(root); turns) out_.rotational = *turns;
    if (const Node* section = table(root, "fitted")) read_fitted(*section, root);
    if (const Node* section = table(root, "measured")) read_measured(*section);
    const Node block = block_in(root);
    if (out_.problems.empty()) read_block(block);
  }

 private:
  void wrong(const std::string& where, std::string text) { out_.problems.push_back({where, std::move(text)}); }

  /// A subtable; nullptr if it is absent or something else (reported).
  const Node* table(const Node& parent, const std::string& key) {
    const Node* n = parent.find(key);
    if (n && !n->as<Node::Object>()) {
      wrong(n->where, fmt::format("{} = {} must be a section", key, text_of(*n)));
      return nullptr;
    }
    return n;
  }
  const std::string* text(const Node& parent, const std::string& key) {
    const Node* n = parent.find(key);
    if (n && !n->as<std::string>()) wrong(n->where, fmt::format("{} = {} must be a text in quotes", key, text_of(*n)));
    return n ? n->as<std::string>() : nullptr;
  }
  std::optional<bool> units(const Node& parent) {
    const std::string* word = text(parent, "units");
    if (!word) return {};
    if (*word != "linear" && *word != "rotational")
      wrong(parent.find("units")->where, fmt::format(R"(units = "{}" must be "linear" or "rotational")", *word));
    return *word == "rotational";
  }

  void read_head(const Node& root) {
    if (const Node* schema = root.find("schema"); schema && to_value(*schema) != Value(1))
      wrong(schema->where, fmt::format("schema = {} must be 1", text_of(*schema)));
    if (const std::string* title = text(root, "title")) out_.title = *title;
    if (!root.find("friction")) return;  // every other key belongs to the block
    for (const Member& m : *root.as<Node::Object>()) {
      if (is_in(own_sections, m.key) || is_in(head, m.key)) continue;
      const bool section = m.value.as<Node::Object>() || m.value.as<Node::List>();
      const std::string near = nearest(m.key, own_sections);
      if (section && near.empty()) continue;  // of a scenario
      wrong(m.value.where,
            fmt::format("unknown {} '{}'{}", section ? "section" : "key", m.key,
                        near.empty() ? "; accepted: schema, title, units, [friction], [fitted], [measured]"
                                     : ", did you mean '" + near + "'?"));
    }
  }

  void read_fitted(const Node& section, const Node& root) {
    Table numbers;
    for (Entry& e : to_table(section)) {
      if (e.key != "units" && e.key != "role" && e.key != "terms") numbers.push_back(std::move(e));
    }
    const Problems more = bristle::read(out_.fitted, numbers, {"[fitted]", "a fitted file", section.where}, true);
    out_.problems.insert(out_.problems.end(), more.begin(), more.end());
    out_.fitted.rotational = units(section);
    if (const auto turns = out_.fitted.rotational) {
      if (root.find("units") && *turns != out_.rotational)
        wrong(section.find("units")->where, "units in [fitted] differ from those of the file; must be the same");
      out_.rotational = *turns;
    }
    if (const std::string* role = text(section, "role")) {
      if (!is_in({"F", "mu", "u", "x"}, *role))
        wrong(section.find("role")->where, fmt::format(R"(role = "{}" must be "F", "mu", "u" or "x")", *role));
      out_.fitted.target = *role;
    }
    const Node* terms = table(section, "terms");
    for (const Entry& e : terms ? to_table(*terms) : Table{}) {
      if (const double* factor = e.value.as<double>(); factor && std::isfinite(*factor)) {
        out_.fitted.terms.push_back({e.key, *factor});
      } else {
        wrong(e.where, fmt::format("{} = {} in [fitted.terms] must be a number", e.key, e.value.text()));
      }
    }
  }

  void read_measured(const Node& section) {
    for (const Member& m : *section.as<Node::Object>()) {
      const auto* ends = m.value.as<Node::Numbers>();
      if (!is_in({"v", "x", "N", "T"}, m.key)) {
        wrong(m.value.where, fmt::format("unknown key '{}' in [measured]; accepted: v, x, N, T", m.key));
      } else if (!ends || ends->size() != 2 || !((*ends)[0] <= (*ends)[1]) || !std::isfinite((*ends)[1] - (*ends)[0])) {
        wrong(m.value.where, fmt::format("{} = {} in [measured] must be the least and the greatest value: [0, 1]",
                                         m.key, text_of(m.value)));
      } else {
        out_.measured.ranges.push_back({m.key, (*ends)[0], (*ends)[1]});
      }
    }
    out_.measured.normal_load = out_.fitted.normal_load;
  }

  /// The block of [friction] or at top level.
  Node block_in(const Node& root) {
    if (const Node* block = root.find("friction")) {
      if (const auto* list = block->as<Node::List>(); list && list->size() == 1) block = &list->front();
      if (const auto* list = block->as<Node::List>(); list && list->size() > 1) {
        wrong(block->where, fmt::format("{} friction blocks; one per file is accepted", list->size()));
      } else if (!block->as<Node::Object>()) {
        wrong(block->where, fmt::format("friction = {} must be a section", text_of(*block)));
      } else {
        return *block;
      }
      return {};
    }
    Node block{.v = Node::Object{}, .where = root.where};
    for (const Member& m : *root.as<Node::Object>()) {
      if (!is_in(head, m.key)) block.as<Node::Object>()->push_back(m);
    }
    if (!block.find("model") && !block.find("file"))
      wrong(root.where, "missing section [friction]; required: the model and its parameters");
    return block;
  }

  /// A section below [friction]; `make` takes all but [friction.initial] with their prefix among the effects.
  void read_inner(const Member& section, Table& to) {
    const bool plain = section.key == "effects" || section.key == "initial";
    const std::string prefix = plain ? "" : section.key + ".";
    if (section.key == "heat" && section.value.as<Node::Object>()->empty())
      wrong(section.value.where, "[friction.heat] is empty; capacity and conductance are required");
    for (const Member& m : *section.value.as<Node::Object>()) {
      const auto* table = m.value.as<Node::Object>();
      if (!table) {
        to.push_back({prefix + m.key, to_value(m.value), m.value.where});
      } else if (section.key != "distribution") {
        wrong(m.value.where, fmt::format("{} in [friction.{}] must be a value, not a section", m.key, section.key));
      } else if (m.value.find("file")) {
        wrong(m.value.where,
              fmt::format("{} in [friction.distribution]: a friction file must contain the values", m.key));
      } else {
        for (const Member& k : *table) to.push_back({prefix + m.key + "." + k.key, to_value(k.value), k.value.where});
      }
    }
  }

  void read_block(const Node& block) {
    if (const Node* file = block.find("file"))
      return wrong(file->where, "a friction file must contain the block itself, not refer to another file");
    Table parameters, effects, initial;
    for (const Member& m : *block.as<Node::Object>()) {
      const bool inner = is_in(inner_sections, m.key);
      if (inner && !m.value.as<Node::Object>()) {
        wrong(m.value.where, fmt::format("{0} = {1} must be a section [friction.{0}]", m.key, text_of(m.value)));
      } else if (inner) {
        read_inner(m, m.key == "initial" ? initial : effects);
      } else if (m.key != "model" && m.key != "name") {
        parameters.push_back({m.key, to_value(m.value), m.value.where});
      }
    }
    const std::string* model = text(block, "model");
    if (!model && !block.find("model"))
      wrong(block.where, "missing key 'model' in [friction]; 'bristle models' lists the accepted names");
    if (model && !find_model(*model)) return wrong(block.find("model")->where, unknown_model(*model));
    if (!model) return;
    Made made = make(*model, parameters, effects, initial, block.where);
    out_.problems.insert(out_.problems.end(), made.problems.begin(), made.problems.end());
    out_.notes = std::move(made.notes);
    if (out_.problems.empty()) out_.contact = std::move(made.contact);
  }

  LoadedContact& out_;
};

}  // namespace

LoadedContact read_contact(const std::string& text, const std::string& path) {
  LoadedContact out;
  out.measured.file = path;
  const Node root = scenario::parse_toml(text, path, out.problems);
  if (out.problems.empty()) FrictionFileReader(out).read(root);
  if (!out.problems.empty()) out.fitted = {};
  return out;
}

LoadedContact load_contact(const std::string& path) {
  try {
    return read_contact(read_file(path, scenario::most_bytes), path);
  } catch (const FileError& e) {
    LoadedContact out;
    out.problems.push_back({"", e.what()});
    return out;
  }
}

}  // namespace bristle
