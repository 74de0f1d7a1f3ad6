#include <fmt/format.h>

#include <algorithm>

#include "bristle/gallery.hpp"
#include "gallery/table.hpp"
#include "scenario/shared/bounds.hpp"

/// Reads [[check]] of figure files.
namespace bristle::gallery {
namespace {

using namespace scenario;
using Of = CrossCheck::Of;

const std::vector<std::string> words{"slope",    "residual", "proportion", "ratio",   "difference",
                                     "distance", "stretch",  "factor",     "mismatch"};

class CheckReader {
 public:
  CheckReader(const Node& node, FigureFile& file, const std::vector<std::string>& labels, std::size_t runs,
              Reading& reading)
      : section_{node, "[[check]]"}, file_(file), labels_(labels), runs_(runs), reading_(reading) {}

  void read() {
    const auto of = choice(section_, "of", words, true, reading_);
    if (!of) return;
    c_.of = static_cast<Of>(*of);
    Member bounds{section_.text("title", reading_).value_or(""), section_.node};
    if (bounds.key.empty()) wrong("title", "requires title, the quantity in words");
    std::vector<std::string> own{"of", "title", "table", "x", "y", "xlog", "ylog", "variants", "to"};
    auto* members = bounds.value.as<Node::Object>();
    std::erase_if(*members, [&](const Member& m) { return std::ranges::find(own, m.key) != own.end(); });
    c_.scatter = read_sigma(bounds, runs_, reading_);
    c_.quantity = read_bounds(bounds, reading_);
    read_variants();
    if (c_.of == Of::distance) {
      c_.column = section_.text("y", reading_).value_or("");
      if (c_.column.empty()) wrong("y", "of = \"distance\" requires y, a column of the runs");
      refuse({"table", "x", "to", "xlog", "ylog"});
    } else {
      c_.curve = curve(section_);
      c_.xlog = flag("xlog");
      c_.ylog = flag("ylog");
      if (of_variants(c_.of)) refuse({"x", "to", "xlog", "ylog"});
      if (c_.of == Of::proportion) refuse({"xlog", "ylog"});
      if (!matches(c_.of)) refuse({"to"});
      if (matches(c_.of)) read_to();
    }
    file_.checks.push_back(std::move(c_));
  }

 private:
  void wrong(const std::string& key, const std::string& text) {
    reading_.wrong(section_.where(key), fmt::format("[[check]]: {}", text));
  }
  void refuse(std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (section_.has(key))
        wrong(key, fmt::format("{} is not accepted with of = \"{}\"", key, words[static_cast<std::size_t>(c_.of)]));
    }
  }
  bool flag(const char* key) {
    const Node* n = section_.node.find(key);
    const bool* on = n ? n->as<bool>() : nullptr;
    if (n && !on) wrong(key, fmt::format("{} must be true or false", key));
    return on && *on;
  }
  void read_variants() {
    for (const std::string& label : section_.texts("variants", reading_)) {
      const auto at = std::ranges::find(labels_, label);
      if (at == labels_.end())
        return wrong("variants", fmt::format("unknown variant '{}'{}", label, hint(label, labels_)));
      c_.variants.push_back(static_cast<std::size_t>(at - labels_.begin()));
    }
    const bool two = of_variants(c_.of);
    if (two ? c_.variants.size() != 2 : !c_.variants.empty())
      wrong("variants", two ? "requires variants = [A, B], two of them" : "variants are those of the table");
  }
  void read_to() {
    const Node* to = section_.node.find("to");
    if (!to || !to->as<Node::Object>()) return wrong("to", "requires to = { table = ..., x = ..., y = ... }");
    const Section section{*to, "to of [[check]]"};
    read_section(section, "the other curve", {}, {"table", "x", "y"}, reading_);
    c_.to = curve(section);
  }
  CrossCheck::Curve curve(const Section& section) {
    const std::string title = section.text("table", reading_).value_or("");
    std::vector<std::string> titles;
    for (const TableSpec& t : file_.tables) titles.push_back(t.title);
    const auto at = std::ranges::find(titles, title);
    if (at == titles.end()) {
      reading_.wrong(section.where("table"), fmt::format("[[check]]: table = \"{}\" must be the title of a [[table]]{}",
                                                         title, hint(title, titles)));
      return {};
    }
    CrossCheck::Curve out{.table = static_cast<std::size_t>(at - titles.begin())};
    const TableSpec& table = file_.tables[out.table];
    const auto column = [&](const char* key) -> std::size_t {
      const std::string head = section.text(key, reading_).value_or("");
      std::vector<std::string> heads;
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].value == "label") continue;
        if (table.columns[i].head == head) return i;
        heads.push_back(table.columns[i].head);
      }
      reading_.wrong(section.where(key), fmt::format("[[check]]: {} = \"{}\" must be the head of a column of numbers{}",
                                                     key, head, hint(head, heads)));
      return 0;
    };
    out.y = column("y");
    if (!of_variants(c_.of)) out.x = column("x");
    return out;
  }

  Section section_;
  FigureFile& file_;
  const std::vector<std::string>& labels_;
  std::size_t runs_;
  Reading& reading_;
  CrossCheck c_{};
};

}  // namespace

void read_check(const Node& node, FigureFile& file, const std::vector<std::string>& labels, std::size_t runs,
                Reading& reading) {
  CheckReader(node, file, labels, runs, reading).read();
}

}  // namespace bristle::gallery
