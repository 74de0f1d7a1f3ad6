#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "base/number.hpp"
#include "bristle/gallery.hpp"
#include "gallery/table.hpp"
#include "scenario/shared/bounds.hpp"

namespace bristle::gallery {
namespace {

using namespace scenario;

constexpr std::size_t most_variants = 200;  // each has a copy of the file

/// Elements of [[key]]; empty if absent.
std::vector<Node> taken_sections(Node& root, const std::string& key, Reading& reading) {
  const auto node = taken(root, key);
  if (!node) return {};
  const auto* list = node->as<Node::List>();
  if (list && std::all_of(list->begin(), list->end(), [](const Node& n) { return n.as<Node::Object>(); })) return *list;
  reading.wrong(node->where, fmt::format("{} must be sections [[{}]]", key, key));
  return {};
}

std::string needed_text(const Section& section, const std::string& key, const char* what, Reading& reading) {
  const auto& all = *section.node.as<Node::Object>();
  const bool meant = std::any_of(all.begin(), all.end(), [&](const Member& m) { return nearest(m.key, {key}) == key; });
  if (!section.has(key) && !meant) {
    reading.wrong(section.node.where, fmt::format("missing key '{}' in {}; required: {}", key, section.name, what));
  }
  return section.text(key, reading).value_or("");
}

/// Checks keys only; values are read separately.
void known_keys(const Section& section, const char* owner, const std::vector<Key>& keys, Reading& reading) {
  read_section(section, owner, {}, keys, reading);
}

class FileReader {
 public:
  FileReader(const std::string& text, const std::string& path) : path_(path) {
    out_.file.text = text;
    out_.file.path = path;
    out_.file.name = std::filesystem::path(path).stem().string();
    reading_.folder = std::filesystem::path(path).parent_path();
  }

  FigureRead read() {
    root_ = parse_toml(out_.file.text, path_, reading_.problems);
    if (reading_.problems.empty()) {
      read_paper();
      read_variants();
      read_tables();
      read_panels();
      read_checks();
      for (std::size_t i = 0; i < out_.file.variants.size(); ++i) read_scenario_of(i);
    }
    std::set<std::pair<std::string, std::string>> said;  // variants repeat problems of shared lines
    std::erase_if(reading_.problems, [&](const Problem& p) { return !said.emplace(p.where, p.text).second; });
    out_.problems = tidied(std::move(reading_.problems), path_);
    return std::move(out_);
  }

 private:
  void read_paper() {
    out_.file.title = needed_text({root_, "the file"}, "title", "the subject of the figure", reading_);
    const auto node = taken(root_, "paper");
    if (!node || !node->as<Node::Object>()) {
      return reading_.wrong(node ? node->where : path_, "missing section [paper]; required: figure and caption");
    }
    const Section section{*node, "[paper]"};
    read_section(section, "[paper]", {view("slow", "1", out_.file.slow)}, {"figure", "caption", "differs", "over"},
                 reading_);
    over_ = members(section, "over");
    out_.file.figure = needed_text(section, "figure", "its number in the paper, such as \"Fig 5\"", reading_);
    out_.file.caption = needed_text(section, "caption", "the content of the figure", reading_);
    out_.file.differs = section.text("differs", reading_).value_or("");
  }

  void read_variants() {
    nodes_ = taken_sections(root_, "variant", reading_);
    if (nodes_.size() > most_variants) {
      reading_.wrong(nodes_[most_variants].where, fmt::format("more than {} variants", most_variants));
      nodes_.resize(most_variants);
    }
    for (const Node& n : nodes_) {
      const Section section{n, "[[variant]]"};
      known_keys(section, "a variant", {"label", "set", "expect", "printed", "over"}, reading_);
      Variant& v = out_.file.variants.emplace_back();
      v.label = needed_text(section, "label", "the name in legends and tables", reading_);
      if (std::count(labels_.begin(), labels_.end(), v.label) > 0) {
        reading_.wrong(section.where("label"),
                       fmt::format("label = \"{}\" is given twice; labels must differ", v.label));
      }
      labels_.push_back(v.label);
      for (const Member& m : members(section, "printed")) {
        if (const auto* x = m.value.as<double>()) {
          v.printed.emplace_back(m.key, *x);
        } else {
          reading_.wrong(m.value.where, fmt::format("{} = {} in printed must be a number", m.key, text_of(m.value)));
        }
      }
    }
    if (nodes_.empty()) out_.file.variants.emplace_back();
  }

  void read_tables() {
    for (const Node& n : taken_sections(root_, "table", reading_)) {
      const Section section{n, "[[table]]"};
      known_keys(section, "a table", {"title", "columns", "variants", "plot"}, reading_);
      TableSpec& t = out_.file.tables.emplace_back();
      t.title = section.text("title", reading_).value_or("");
      t.variants = shown_variants(section);
      const Node* columns = n.find("columns");
      const auto* list = columns ? columns->as<Node::List>() : nullptr;
      if (!list || !std::all_of(list->begin(), list->end(), [](const Node& c) { return c.as<Node::Object>(); })) {
        reading_.wrong(section.where("columns"),
                       R"([[table]] requires columns = [{ head = "Model", value = "label" }, ...])");
        continue;
      }
      for (const Node& c : *list) read_column(c, t);
      read_plot(section, t);
    }
  }

  /// plot = { x = "head of a column", y = "head of another, or several" }
  void read_plot(const Section& section, TableSpec& table) {
    if (!section.has("plot")) return;
    const auto plot = subsection(section.node, "plot", reading_);
    if (!plot) return;
    read_section({plot->node, "plot of [[table]]"}, "a plot",
                 {view("xlog", "1", table.xlog), view("ylog", "1", table.ylog), view("line", "1", table.line),
                  view("fit", "1", table.fit),
                  view("root", "1", table.root, nonnegative, "exponent of a law that vanishes at some x"),
                  view("below", "1", table.below, nonnegative, "value from which y is subtracted")},
                 {"x", "y", "in", "label"}, reading_);
    table.in = plot->text("in", reading_).value_or("");
    table.label = plot->text("label", reading_).value_or("");
    if (!plot->has("x") || !plot->has("y")) {
      return reading_.wrong(plot->node.where, "plot in [[table]] requires x and y, heads of its columns");
    }
    auto columns = [&](const char* key) {
      std::vector<std::size_t> out;
      for (const std::string& head : plot->texts(key, reading_)) {
        const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                     [&](const TableColumn& c) { return c.head == head && c.value != "label"; });
        if (at == table.columns.end()) {
          std::vector<std::string> heads;
          for (const TableColumn& c : table.columns) {
            if (c.value != "label") heads.push_back(c.head);
          }
          reading_.wrong(plot->where(key),
                         fmt::format("unknown column of numbers '{}' in [[table]]{}", head, hint(head, heads)));
        } else {
          out.push_back(static_cast<std::size_t>(at - table.columns.begin()));
        }
      }
      return out;
    };
    const auto x = columns("x");
    table.y = columns("y");
    if (x.size() == 1 && !table.y.empty()) table.x = x[0];
  }

  void read_column(const Node& node, TableSpec& table) {
    const Section section{node, "columns of [[table]]"};
    TableColumn& c = table.columns.emplace_back();
    read_section(section, "a column", {view("factor", "1", c.factor), view("offset", "1", c.offset)},
                 {"head", "value", "from", "to"}, reading_);
    c.head = needed_text(section, "head", "the heading of the column", reading_);
    c.value = needed_text(section, "value", table_values, reading_);
    if (!is_function(c.value)) {
      check_word(section, c.value, table);
      return;
    }
    Member quantity{c.value, node};
    for (const char* own : {"head", "value", "factor", "offset"}) taken(quantity.value, own);
    for (const std::size_t v : table.variants) quantities_[v].push_back(quantity);
  }

  /// A column that is not a function of the run.
  void check_word(const Section& section, const std::string& word, const TableSpec& table) {
    for (const char* key : {"from", "to"}) {
      if (section.has(key)) reading_.wrong(section.where(key), fmt::format("{} requires a function of a column", key));
    }
    const auto has = [&](std::size_t v) {
      const auto& printed = out_.file.variants[v].printed;
      return std::any_of(printed.begin(), printed.end(), [&](const auto& p) { return "printed." + p.first == word; });
    };
    if (word.empty() || is_known(word)) return;
    if (!word.starts_with("printed.")) {
      reading_.wrong(section.where("value"),
                     fmt::format("value = \"{}\" in {} must be {}", word, section.name, table_values));
    } else if (std::none_of(table.variants.begin(), table.variants.end(), has)) {
      reading_.wrong(section.where("value"),
                     fmt::format("value = \"{}\" requires this key in printed of a variant", word));
    }
  }

  /// Variants of a panel or table; all by default.
  std::vector<std::size_t> shown_variants(const Section& section) {
    std::vector<std::size_t> out;
    for (const std::string& label : section.texts("variants", reading_)) {
      const auto at = std::find(labels_.begin(), labels_.end(), label);
      if (at == labels_.end()) {
        reading_.wrong(section.where("variants"),
                       fmt::format("unknown variant '{}' in {}{}", label, section.name, hint(label, labels_)));
      } else {
        out.push_back(static_cast<std::size_t>(at - labels_.begin()));
      }
    }
    for (std::size_t i = 0; !section.has("variants") && i < out_.file.variants.size(); ++i) out.push_back(i);
    return out;
  }

  void read_panels() {
    Node* figure = root_.find("figure");
    if (!figure) return;
    if (figure->as<Node::Object>()) figure->v = Node::List{*figure};
    auto* list = figure->as<Node::List>();
    if (!list || !std::all_of(list->begin(), list->end(), [](const Node& n) { return n.as<Node::Object>(); })) {
      return;  // reported by the reader of scenarios
    }
    for (Node& n : *list) {
      const Section section{n, "[[figure]]"};
      Panel& p = out_.file.panels.emplace_back(Panel{.variants = shown_variants(section)});
      taken(n, "variants");
      if (const auto cycles = taken(n, "cycles")) read_cycles(*cycles, n, p);
      const Node* events = n.find("events");
      if (const auto* on = events ? events->as<bool>() : nullptr; on && *on && p.variants.size() > 1) {
        reading_.wrong(events->where, "events = true in [[figure]] requires variants = [...] with one variant");
      }
    }
  }

  void read_cycles(const Node& node, const Node& figure, Panel& panel) {
    const auto* n = node.as<double>();
    const Node* last = figure.find("last");
    const auto* part = last ? last->as<double>() : nullptr;
    if (!n || !(*n >= 1) || *n != std::floor(*n) || !part || *n * *part > 1 + 1e-9) {
      return reading_.wrong(node.where,
                            fmt::format("cycles = {} in [[figure]] must be a number of windows of length last "
                                        "that the run has room for; last = 0.1 accepts 1 to 10",
                                        text_of(node)));
    }
    panel.cycles = static_cast<std::size_t>(*n);
  }

  void read_checks() {
    for (const Node& n : taken_sections(root_, "check", reading_))
      read_check(n, out_.file, labels_, runs_of(over_), reading_);
    std::vector<std::string> titles;
    for (const Panel& p : out_.file.panels) titles.push_back(title_of(p));
    for (const TableSpec& t : out_.file.tables) {
      if (!t.in.empty() && std::count(titles.begin(), titles.end(), t.in) == 0) {
        reading_.wrong(
            path_, fmt::format("in = \"{}\" of a plot must be the title of a [[figure]], or of an earlier [[table]] "
                               "with a plot{}",
                               t.in, hint(t.in, titles)));
      }
      if (t.x && t.in.empty()) titles.push_back(t.title);
    }
  }
  /// The titles are read with the scenarios, later.
  std::string title_of(const Panel& panel) const {
    const auto* list = root_.find("figure")->as<Node::List>();
    const Node* title = (*list)[static_cast<std::size_t>(&panel - out_.file.panels.data())].find("title");
    const auto* text = title ? title->as<std::string>() : nullptr;
    return text ? *text : "";
  }

  /// The members of an optional table.
  Node::Object members(const Section& section, const char* key) {
    const Node* n = section.node.find(key);
    if (!n) return {};
    if (const auto* object = n->as<Node::Object>()) return *object;
    reading_.wrong(n->where, fmt::format("{} = {} in {} must be a table {{ ... }}", key, text_of(*n), section.name));
    return {};
  }

  void read_scenario_of(std::size_t i) {
    Node tree = root_;
    Node::Object over = over_;
    if (i < nodes_.size()) {
      const Section variant{nodes_[i], "[[variant]]"};
      change_to(variant, tree);
      if (variant.has("over")) over = members(variant, "over");
    }
    out_.file.variants[i].scatter = read_scatter(tree.find("expect"), runs_of(over), reading_);
    std::vector<std::size_t> panels;
    Node::List shown;
    for (std::size_t k = 0; k < out_.file.panels.size(); ++k) {
      const auto& in = out_.file.panels[k].variants;
      if (std::find(in.begin(), in.end(), i) == in.end()) continue;
      shown.push_back((*root_.find("figure")->as<Node::List>())[k]);
      panels.push_back(k);
    }
    if (!out_.file.panels.empty()) tree.find("figure")->v = std::move(shown);
    Loaded loaded = scenario_of(tree, out_.file.text, path_, quantities_[i]);
    for (Problem& p : loaded.problems) reading_.problems.push_back(std::move(p));
    if (!loaded.scenario) return;
    for (std::size_t k = 0; k < panels.size(); ++k) out_.file.panels[panels[k]].spec = loaded.scenario->figures[k];
    out_.file.variants[i].scenario = std::move(*loaded.scenario);
    for (const Member& m : over) repeat(i, tree, m);
  }

  static std::size_t runs_of(const Node::Object& over) {
    std::size_t runs = 1;
    for (const Member& m : over) {
      if (const auto* values = m.value.as<Node::Numbers>()) runs += std::max<std::size_t>(values->size(), 1) - 1;
    }
    return runs;
  }
  /// over = { "friction.seed" = [1, 2, 3] }: one run for each value.
  void repeat(std::size_t i, const Node& tree, const Member& over) {
    const auto* values = over.value.as<Node::Numbers>();
    if (!values || values->empty()) {
      return reading_.wrong(
          over.value.where,
          fmt::format("{} = {} in over must be a list of numbers, such as [1, 2, 3]", over.key, text_of(over.value)));
    }
    auto& all = out_.file.variants[i];
    for (std::size_t k = 0; k < values->size(); ++k) {
      Node changed = tree;
      assign(changed, over.key, {.v = (*values)[k], .where = over.value.where}, reading_.problems);
      Loaded loaded = scenario_of(changed, out_.file.text, path_, quantities_[i]);
      for (Problem& p : loaded.problems) reading_.problems.push_back(std::move(p));
      if (!loaded.scenario) return;
      if (k == 0) {
        all.scenario = std::move(*loaded.scenario);
      } else {
        all.again.push_back(std::move(*loaded.scenario));
      }
    }
  }

  void change_to(const Section& variant, Node& tree) {
    for (const Member& m : members(variant, "set")) {
      const std::string section(trimmed(std::string_view(m.key).substr(0, m.key.find('.'))));
      if (section == "figure" || section == "expect") {
        reading_.wrong(
            m.value.where,
            fmt::format(
                "'{}' is not accepted in set; variants share panels, and expectations are in expect = {{ ... }}",
                m.key));
      } else {
        set(tree, m.key, m.value);
      }
    }
    for (const Member& m : members(variant, "expect")) expect(tree, m);
  }

  /// A table in braces replaces a whole section; a dotted key changes one value.
  void set(Node& tree, const std::string& path, const Node& value) {
    const auto* table = value.as<Node::Object>();
    if (!table || value.braces) return assign(tree, path, value, reading_.problems);
    for (const Member& m : *table) set(tree, path + "." + m.key, m.value);
  }

  /// The expectation of a variant replaces the common one.
  static void expect(Node& tree, const Member& member) {
    if (!tree.find("expect")) tree.as<Node::Object>()->push_back({"expect", Node{.where = member.value.where}});
    Node& all = *tree.find("expect");
    if (Node* common = all.find(member.key)) {
      *common = member.value;
    } else if (auto* object = all.as<Node::Object>()) {
      object->push_back(member);
    }
  }

  const std::string& path_;
  Reading reading_{};
  Node root_{};
  std::vector<Node> nodes_{};  // nodes of the variants
  std::vector<std::string> labels_{};
  Node::Object over_{};                                      // default of `over` for all variants
  std::map<std::size_t, std::vector<Member>> quantities_{};  // quantities of each variant, in the order of the tables
  FigureRead out_{};
};

}  // namespace

FigureRead read_figure_file(const std::string& text, const std::string& path) { return FileReader(text, path).read(); }

}  // namespace bristle::gallery
