#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "scenario/shared/section.hpp"

namespace bristle::scenario {
namespace {

std::optional<std::array<double, 2>> read_limits(const Section& section, const std::string& key, Reading& reading) {
  const Node* n = section.node.find(key);
  if (!n) return {};
  const auto* a = n->as<Node::Numbers>();
  if (a && a->size() == 2 && any_real.contains((*a)[0]) && any_real.contains((*a)[1]) && (*a)[0] < (*a)[1]) {
    return std::array{(*a)[0], (*a)[1]};
  }
  reading.wrong(n->where,
                fmt::format("{} = {} in {} must be two numbers in increasing order", key, text_of(*n), section.name));
  return {};
}

std::vector<Key> figure_keys() {
  using namespace form;
  return {
      Key{"x", text, "column, or difference of two columns, on the x axis"}.or_else("\"t\""),
      {"y", text | texts,
       "columns, or differences such as \"reference - x\", on the y axis; for a map, one column of the first block; "
       "required for both"},
      Key{"show", word,
          "curves, or of a chain: map (a column of all blocks over time), sizes (of its events), snapshot (blocks in "
          "the potential at the end)"}
          .or_else("\"curves\""),
      {"fit", numbers, "of sizes: moments between which a power law is fitted, m", "1", positive, {2, 2}},
      {"title", text, "title of the panel"},
      {"xlabel", text, "label of the x axis; name and unit of the column unless given"},
      {"ylabel", text, "label of the y axis"},
      {"legend", text | texts, "names of the curves, one for each of y; name of the colours of a map"},
      {"xlim", numbers, "ends of the x axis", "1", any_real, {2, 2}},
      {"ylim", numbers, "ends of the y axis", "1", any_real, {2, 2}}};
}

/// Panels of chains.
void check_show(const Section& section, const FigureSpec& f, const Columns& columns, Reading& reading) {
  const auto refuse = [&](const char* key, const std::string& why) {
    if (section.has(key)) reading.wrong(section.where(key), fmt::format("{} in {} {}", key, section.name, why));
  };
  if (f.show == Show::curves) return refuse("fit", "requires show = \"sizes\"");
  const std::string shown = choices(Show{})[static_cast<std::size_t>(f.show)];
  if (columns.all && columns.blocks == 0) refuse("show", "requires kind = \"chain\" in [system]");
  if (f.show != Show::sizes) refuse("fit", "requires show = \"sizes\"");
  if (f.fit && !((*f.fit)[0] > 0)) refuse("fit", "must be two moments above 0");
  std::vector<const char*> without{"x", "events", "xlog", "ylog"};
  if (f.show != Show::map) without.push_back("legend");
  for (const char* key : without) refuse(key, fmt::format("is not accepted with show = \"{}\"", shown));
  if (f.show == Show::map) {
    if (f.y.size() > 1) refuse("y", "must be one column of the first block for show = \"map\"");
  } else {
    refuse("y", fmt::format("is not accepted with show = \"{}\"", shown));
    if (f.show == Show::snapshot) refuse("last", "is not accepted with show = \"snapshot\"");
  }
}

FigureSpec read_figure(const Section& section, const Columns& columns, Reading& reading) {
  FigureSpec f;
  read_section(section, "a figure",
               {view("xlog", "1", f.xlog, any_real, "logarithmic x axis"),
                view("ylog", "1", f.ylog, any_real, "logarithmic y axis"),
                view("events", "1", f.events, any_real, "marks stick and slip; requires x = \"t\""),
                view("last", "1", f.last, {1e-6, 1}, "fraction of the run that is drawn, up to its end")},
               figure_keys(), reading);
  std::vector<std::string> shows;
  for (const char* name : choices(Show{})) shows.emplace_back(name);
  f.show = static_cast<Show>(choice(section, "show", shows, false, reading).value_or(0));
  f.fit = read_limits(section, "fit", reading);
  f.x = section.text("x", reading).value_or("t");
  f.y = section.texts("y", reading);
  f.title = section.text("title", reading).value_or("");
  f.xlabel = section.text("xlabel", reading).value_or("");
  f.ylabel = section.text("ylabel", reading).value_or("");
  f.legend = section.texts("legend", reading);
  f.xlim = read_limits(section, "xlim", reading);
  f.ylim = read_limits(section, "ylim", reading);
  check_show(section, f, columns, reading);
  if (!section.has("y") && (f.show == Show::curves || f.show == Show::map)) {
    reading.wrong(
        section.node.where,
        fmt::format(R"(missing key 'y' in {}; one or several columns are accepted: y = ["x", "drive"])", section.name));
  }
  auto known = [&](const std::string& key, const std::string& name) {
    if (std::string why = columns.objection(name, " in " + section.name); !why.empty())
      reading.wrong(section.where(key), std::move(why));
  };
  if (section.has("x")) known("x", f.x);
  for (const std::string& name : f.y) known("y", name);
  if (!f.legend.empty() && f.legend.size() != f.y.size()) {
    reading.wrong(section.where("legend"), fmt::format("legend in {} has {} texts, must have {}, one for each of y",
                                                       section.name, f.legend.size(), f.y.size()));
  }
  if (f.events && f.x != "t") {
    reading.wrong(section.where("events"), fmt::format("events = true in {} requires x = \"t\"", section.name));
  }
  for (const auto& [log, key, limits] : {std::tuple{f.xlog, "xlim", f.xlim}, std::tuple{f.ylog, "ylim", f.ylim}}) {
    if (log && limits && (*limits)[0] <= 0) {
      reading.wrong(section.where(key), fmt::format("{} in {} must be > 0 on a logarithmic axis", key, section.name));
    }
  }
  return f;
}

}  // namespace

std::vector<FigureSpec> read_figures(const Node& root, const Columns& columns, Reading& reading) {
  std::vector<FigureSpec> out;
  const Node* node = root.find("figure");
  if (!node) return out;
  if (node->as<Node::Object>()) {
    out.push_back(read_figure({*node, "[figure]"}, columns, reading));
  } else if (const auto* list = node->as<Node::List>();
             list && std::all_of(list->begin(), list->end(), [](const Node& n) { return n.as<Node::Object>(); })) {
    for (const Node& n : *list) out.push_back(read_figure({n, "[[figure]]"}, columns, reading));
  } else {
    reading.wrong(node->where, fmt::format("figure = {} must be a section [[figure]]", text_of(*node)));
  }
  return out;
}

}  // namespace bristle::scenario
