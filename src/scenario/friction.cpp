#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "bristle/output.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/sections.hpp"
#include "bristle/trace.hpp"
#include "scenario/shared/section.hpp"

namespace bristle::scenario {
namespace {

const std::vector<Key> described_keys = [] {
  using namespace form;
  Key model{"model", word, "the friction law; its parameters are keys of this section: bristle models NAME"};
  model.required = true;
  model.instead = {"file"};
  return std::vector<Key>{
      std::move(model),
      {"file", text, "friction file, such as MODEL.toml of identify; keys given here replace those of the file"},
      {"name", text, "name of one of several contacts: columns F_NAME, NAME.z"},
      {"initial", table, "states at t = 0"},
      {"effects", table, "effects that any model accepts: asymmetry, ripple, noise..."},
      {"negative", table, "parameters with other values for negative motion"},
      {"distribution", table, "distributions of the parameters of asperities: gfm, generic2010"},
      {"heat", table, "heat of friction, and parameters that change with the temperature"}};
}();
const std::vector<std::string> own_keys = names_of(described_keys);

bool is_own(const std::string& key) { return std::find(own_keys.begin(), own_keys.end(), key) != own_keys.end(); }

/// Merges sections; keys of `over` take precedence.
Node merged(Node under, const Node& over) {
  for (const Member& m : *over.as<Node::Object>()) {
    Node* old = under.find(m.key);
    if (!old) {
      under.as<Node::Object>()->push_back(m);
    } else if (old->as<Node::Object>() && m.value.as<Node::Object>()) {
      *old = merged(*old, m.value);
    } else {
      *old = m.value;
    }
  }
  under.where = over.where;
  return under;
}

/// The friction block of another file; empty after a problem, which is reported at `where`.
std::optional<Node> block_of(const std::string& file, const std::string& where, Reading& reading) {
  const std::string path = reading.resolved(file);
  const std::size_t before = reading.problems.size();
  Node root;
  try {
    root = parse_toml(read_file(path, most_bytes), path, reading.problems);
  } catch (const FileError& e) { reading.wrong(where, e.what()); }
  if (reading.problems.size() > before) return {};
  reading.sources.push_back(read_source(root, where, path, reading));
  if (Node* block = root.find("friction")) {
    if (auto* list = block->as<Node::List>(); list && list->size() == 1) block = &list->front();
    root = Node(*block);
  } else {
    std::erase_if(*root.as<Node::Object>(), [](const Member& m) {
      return std::find(head_keys.begin(), head_keys.end(), m.key) != head_keys.end();
    });
  }
  if (!root.as<Node::Object>()) {
    reading.wrong(where, fmt::format("{} must contain one friction block", path));
  } else if (const Node* next = root.find("file")) {
    reading.wrong(next->where, "a friction file must contain the block itself, not refer to another file");
  } else {
    // Files of distributions belong to the folder of the file that refers to them.
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (Node* all = root.find("distribution"); all && all->as<Node::Object>()) {
      for (Member& m : *all->as<Node::Object>()) {
        Node* own = m.value.find("file");
        if (auto* name = own ? own->as<std::string>() : nullptr)
          *name = std::filesystem::absolute(folder / *name).string();
      }
    }
    return root;
  }
  return {};
}

Table subtable(const Node& block, const std::string& key, Reading& reading) {
  const Node* n = block.find(key);
  if (n && n->as<Node::Object>()) return to_table(*n);
  if (n) reading.wrong(n->where, fmt::format("{} = {} must be a section [friction.{}]", key, text_of(*n), key));
  return {};
}

/// Replaces file and column of a table by its values.
void read_column(Node& own, const std::string& name, Reading& reading) {
  const Node *file = own.find("file"), *column = own.find("column");
  if (!file && !column) return;
  const std::string title = "[friction.distribution] " + name;
  auto text = [&](const Node* n, const char* key) {
    const auto* word = n ? n->as<std::string>() : nullptr;
    if (!n)
      reading.wrong(own.where, fmt::format("{}: file and column are required together; '{}' is missing", title, key));
    if (n && !word) reading.wrong(n->where, fmt::format("{}: {} = {} must be a text", title, key, text_of(*n)));
    return word;
  };
  const auto *path = text(file, "file"), *wanted = text(column, "column");
  if (own.find("values")) {
    reading.wrong(own.where, fmt::format("{}: values and file are both given; one is accepted", title));
    path = nullptr;
  }
  Node::Numbers values;
  if (path && wanted) {
    const TraceRead read = read_csv(reading.resolved(*path));
    for (const Problem& p : read.problems) reading.wrong(p.where.empty() ? file->where : p.where, p.text);
    const Column* found = read.problems.empty() ? read.trace.find(*wanted) : nullptr;
    if (found) {
      values = found->values;
    } else if (read.problems.empty()) {
      reading.wrong(column->where, fmt::format("{}: unknown column '{}' in {}{}", title, *wanted, *path,
                                               hint(*wanted, read.trace.names())));
    }
    if (std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); })) {
      reading.wrong(column->where, fmt::format("{}: column '{}' of {} has empty cells or text; numbers are accepted",
                                               title, *wanted, *path));
      values.clear();
    }
  }
  const std::string where = own.where;
  std::erase_if(*own.as<Node::Object>(), [](const Member& m) { return m.key == "file" || m.key == "column"; });
  if (!values.empty()) own.as<Node::Object>()->push_back({"values", Node{.v = std::move(values), .where = where}});
}

/// [friction.distribution]: keys "distribution.h.mean".
void add_distributions(const Node& block, Table& to, Reading& reading) {
  for (const Entry& e : subtable(block, "distribution", reading)) {
    Node own = *block.find("distribution")->find(e.key);
    const std::string prefix = std::string(of_distribution) + e.key;
    if (!own.as<Node::Object>()) {
      to.push_back({prefix, e.value, e.where});
      continue;
    }
    read_column(own, e.key, reading);
    for (Entry& k : to_table(own)) to.push_back({prefix + "." + k.key, std::move(k.value), k.where});
  }
}

/// Candidates for a misspelt key, including keys of the model if it is known.
std::vector<std::string> known_keys(const std::string& model) {
  std::vector<std::string> out = own_keys;
  if (const ModelInfo* info = find_model(model)) {
    for (const FieldInfo& f : info->parameters) {
      out.push_back(f.name);
      if (!f.per_load.empty()) out.insert(out.end(), {f.per_load, "normal_load"});
    }
  }
  return out;
}

struct Block {
  std::unique_ptr<AnyContact> contact{};
  std::string model{};   // "" if absent
  double normal_load{};  // of coefficients mu_c, mu_s; 0 if it is not given
};

Block read_block(const Node& block, std::vector<std::string>& notes, Reading& reading) {
  const Section section{block, "[friction]"};
  reading.describe(section, {}, described_keys);
  const std::size_t before = reading.problems.size();
  const auto model = section.text("model", reading);
  const std::vector<std::string> known = known_keys(model.value_or(""));
  bool meant = false;  // a misspelt key resembles it
  Table parameters;
  for (Entry& e : to_table(block)) {
    if (is_own(e.key)) continue;
    const bool plain = std::find(known.begin(), known.end(), e.key) != known.end();
    if (const std::string near = plain ? "" : nearest(e.key, known); is_own(near) && !section.has(near)) {
      reading.wrong(e.where, fmt::format("unknown key '{}' in [friction], did you mean '{}'?", e.key, near));
      meant = meant || near == "model";
    } else {
      parameters.push_back(std::move(e));
    }
  }
  if (!section.has("model") && !meant) {
    reading.wrong(block.where, "missing key 'model' in [friction]; 'bristle models' lists the accepted names");
  }
  const Table initial = subtable(block, "initial", reading);
  Table effects = subtable(block, "effects", reading);
  for (Entry& e : subtable(block, "negative", reading)) {
    e.key.insert(0, of_negative);
    effects.push_back(std::move(e));
  }
  for (Entry& e : subtable(block, "heat", reading)) {
    e.key.insert(0, of_heat);
    effects.push_back(std::move(e));
  }
  if (const Node* heat = block.find("heat"); heat && heat->as<Node::Object>() && heat->as<Node::Object>()->empty())
    reading.wrong(heat->where, "[friction.heat] is empty; capacity and conductance are required");
  const std::size_t before_files = reading.problems.size();
  add_distributions(block, effects, reading);
  if (reading.problems.size() > before_files) return {};
  if (!model) return {};
  if (!find_model(*model)) {
    reading.wrong(section.where("model"), unknown_model(*model));
    return {};
  }
  Made made = make(*model, parameters, effects, initial, block.where);
  reading.add(std::move(made.problems));
  notes.insert(notes.end(), made.notes.begin(), made.notes.end());
  const auto load =
      std::find_if(parameters.begin(), parameters.end(), [](const Entry& e) { return e.key == "normal_load"; });
  const double* N = load != parameters.end() ? load->value.as<double>() : nullptr;
  const bool of_body = find_model(*model)->level != "contact";  // not of each asperity
  return {reading.problems.size() == before ? std::move(made.contact) : nullptr, *model, N && of_body ? *N : 0};
}

/// The block with the keys of its file; empty after a problem.
std::optional<Node> whole_block(const Node& block, Reading& reading) {
  const Section section{block, "[friction]"};
  if (!section.has("file")) return block;
  const auto file = section.text("file", reading);
  const auto under = file ? block_of(*file, section.where("file"), reading) : std::nullopt;
  return under ? std::optional(merged(*under, block)) : std::nullopt;
}

Block read_contact(const Node& block, std::vector<std::string>& notes, Reading& reading) {
  const std::size_t before = reading.sources.size();
  std::optional<Node> whole = whole_block(block, reading);
  if (!whole) return {};
  if (reading.slider) {  // the constant force of a fit acts on the body as an effect
    const bool file = reading.sources.size() > before;
    const FittedPart part = combined(file ? reading.sources.back().fitted : FittedPart{}, reading.own.fitted);
    const Node* effects = whole->find("effects");
    if (const double force = part.constant_force(); force != 0 && !(effects && effects->find("offset"))) {
      const std::string& where = file ? reading.sources.back().where : block.where;
      assign(*whole, "effects.offset", Node{.v = force, .where = where}, reading.problems);
      reading.taken.push_back(fmt::format("offset = {:.6g}", force));
    }
  }
  return read_block(*whole, notes, reading);
}

/// The name of a contact, used in columns F_name and name.z.
bool good_name(const std::string& name) {
  const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.size() <= 64 && name != "app" && name.find_first_not_of(letters) == std::string::npos;
}

/// The friction files of a part and their units, without their [fitted] and [measured].
void take_units(const Reading& part, Reading& reading) {
  for (const Reading::FrictionSource& f : part.sources)
    reading.sources.push_back({.where = f.where, .file = f.file, .rotational = f.rotational});
  reading.files.insert(reading.files.end(), part.files.begin(), part.files.end());
}

std::string read_name(const Node& block, const Experiment& experiment, Reading& reading) {
  const Section section{block, "[[friction]]"};
  if (!section.has("name")) {
    reading.wrong(block.where, "missing key 'name' in [[friction]]; several contacts require a name each");
    return "";
  }
  const auto name = section.text("name", reading);
  if (!name) return "";
  const auto& all = experiment.contacts;
  if (!good_name(*name)) {
    reading.wrong(section.where("name"),
                  fmt::format("name = \"{}\" must consist of letters, digits, _ and -{}", *name,
                              *name == "app" ? ", and not be 'app': column F_app exists already" : ""));
  } else if (std::any_of(all.begin(), all.end(), [&](const NamedContact& c) { return c.name == *name; })) {
    reading.wrong(section.where("name"),
                  fmt::format("name = \"{}\" is given twice; names of contacts must differ", *name));
  }
  return *name;
}

}  // namespace

bool read_units(const Node& root, std::vector<std::string>& notes, Reading& reading) {
  auto word = [](bool rotational) { return rotational ? "rotational" : "linear"; };
  const std::optional<bool>& own = reading.own.rotational;
  const Reading::FrictionSource* first = nullptr;
  for (const Reading::FrictionSource& f : reading.sources) {
    if (!f.rotational) continue;
    if (own && *f.rotational != *own) {
      notes.push_back(fmt::format(R"({} has units = "{}"; units = "{}" of this file is used)", f.file,
                                  word(*f.rotational), word(*own)));
    } else if (!own && !root.find("units") && first && *f.rotational != *first->rotational) {
      reading.wrong(f.where,
                    fmt::format(R"({} has units = "{}" and {} has units = "{}"; units = ... in this file decides)",
                                f.file, word(*f.rotational), first->file, word(*first->rotational)));
    }
    if (!first) first = &f;
  }
  return own ? *own : first && *first->rotational;
}

std::unique_ptr<AnyContact> read_friction_file(const std::string& file, const std::string& where, Reading& reading) {
  std::vector<std::string> notes;
  Reading own{.folder = reading.folder};  // [fitted] and [measured] of this file do not concern the body
  const auto block = block_of(file, where, own);
  auto contact = block ? read_block(*block, notes, own).contact : nullptr;
  take_units(own, reading);
  reading.problems.insert(reading.problems.end(), own.problems.begin(), own.problems.end());
  return contact;
}

std::unique_ptr<AnyContact> read_friction_block(const Node& block, const std::string& section, Reading& reading) {
  std::vector<std::string> notes;
  Reading own{.folder = reading.folder};
  Block read = read_contact(block, notes, own);
  take_units(own, reading);
  const std::string usual = "[friction";
  for (Problem& p : own.problems) {  // reported at the place that refers to the file
    if (const std::size_t at = p.text.find(usual); at != std::string::npos)
      p.text.replace(at, usual.size(), "[" + section);
  }
  if (const Node* name = block.find("name")) own.wrong(name->where, "name is accepted in [[friction]] only");
  reading.problems.insert(reading.problems.end(), own.problems.begin(), own.problems.end());
  return std::move(read.contact);
}

JointFriction read_joint_friction(const Node& block, std::vector<std::string>& notes, Reading& reading) {
  JointFriction out;
  Reading own{.folder = reading.folder};
  if (std::optional<Node> whole = whole_block(block, own)) {
    const Node* model = whole->find("model");
    const ModelInfo* info = model && model->as<std::string>() ? find_model(*model->as<std::string>()) : nullptr;
    if (const Node* load = whole->find("normal_load")) {
      const auto* N = load->as<double>();
      if (N && positive.contains(*N)) out.normal_load = *N;
      bool used = false;  // by the model, or by a coefficient such as mu_c
      for (const FieldInfo& f : info ? info->parameters : std::vector<FieldInfo>{})
        used = used || f.name == "normal_load" || (!f.per_load.empty() && whole->find(f.per_load));
      if (info && !used) {  // the nominal load of a law with given forces
        if (!(out.normal_load > 0))
          own.wrong(load->where,
                    fmt::format("normal_load = {} in [friction] must be a number in N > 0", text_of(*load)));
        std::erase_if(*whole->as<Node::Object>(), [](const Member& m) { return m.key == "normal_load"; });
      }
    }
    if (const Node* name = whole->find("name")) own.wrong(name->where, "name is accepted in [[friction]] only");
    out.contact = read_block(*whole, notes, own).contact;
  }
  take_units(own, reading);
  const std::string usual = "[friction";
  for (Problem& p : own.problems) {
    if (const std::size_t at = p.text.find(usual); at != std::string::npos)
      p.text.replace(at, usual.size(), "[joint.friction");
  }
  reading.problems.insert(reading.problems.end(), own.problems.begin(), own.problems.end());
  return out;
}

std::vector<std::string> read_friction(const Node& root, Experiment& experiment, std::vector<std::string>& notes,
                                       Reading& reading) {
  std::vector<std::string> models;
  auto add = [&](const std::string& name, const Node& node) {
    Block block = read_contact(node, notes, reading);
    experiment.contacts.push_back({name, std::move(block.contact), block.normal_load});
    models.push_back(block.model);
  };
  const Node* node = root.find("friction");
  const auto* list = node ? node->as<Node::List>() : nullptr;
  if (list && std::all_of(list->begin(), list->end(), [](const Node& n) { return n.as<Node::Object>(); })) {
    for (const Node& n : *list) add(list->size() > 1 ? read_name(n, experiment, reading) : "", n);
  } else if (const auto section = subsection(root, "friction", reading)) {
    add("", section->node);
  }
  return models;
}

}  // namespace bristle::scenario
