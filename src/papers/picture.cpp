#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bristle/papers.hpp"
#include "papers/table.hpp"

namespace bristle::papers {
namespace {

/// A variant keeps its colour through the panels, unless one beside it has the same.
class Colors {
 public:
  /// The runs of these variants that came to an end.
  std::vector<report::Shown> shown(const FigureFile& file, const std::vector<std::size_t>& variants,
                                   const std::vector<VariantResult>& results) {
    std::vector<report::Shown> out;
    std::set<std::size_t> taken;
    for (const std::size_t i : variants) {
      if (const auto old = of_.find(i); old != of_.end() && taken.insert(old->second).second) continue;
      of_.erase(i);
    }
    for (const std::size_t i : variants) {
      std::size_t color = 0;
      while (!of_.contains(i) && !taken.insert(color).second) ++color;
      of_.emplace(i, color);
      if (!results[i].failure.empty()) continue;
      out.push_back({&file.variants[i].scenario, &results[i].run, file.variants[i].label, of_.at(i)});
    }
    return out;
  }

 private:
  std::map<std::size_t, std::size_t> of_{};
};

std::string number_text(double x) { return std::isnan(x) ? "–" : fmt::format("{:.6g}", x); }

std::string cell(const TableColumn& column, const Variant& variant, const VariantResult& result,
                 std::size_t& quantity) {
  if (column.value == "label") return variant.label;
  if (column.value.starts_with("printed.")) {
    for (const auto& [key, value] : variant.printed) {
      if (column.value.substr(8) == key) return number_text(value);
    }
    return "–";
  }
  const std::size_t k = is_function(column.value) ? quantity++ : 0;
  if (!result.failure.empty()) return "–";
  const Summary& s = result.run.summary;
  if (column.value == "cpu_ms") return fmt::format("{:.3g}", result.cpu_ms);
  if (column.value == "steps") return fmt::format("{}", s.steps);
  if (column.value == "balance") return fmt::format("{:.1e}", s.energy.error);
  return number_text(measure(variant.scenario.quantities[k], result.run));
}

}  // namespace

plot::Figure picture(const FigureFile& file, const std::vector<VariantResult>& results) {
  std::vector<Panel> panels = file.panels;
  if (panels.empty() && file.tables.empty()) {
    std::vector<std::size_t> all(file.variants.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    for (const FigureSpec& spec : report::figures_of(file.variants.front().scenario)) panels.push_back({spec, all});
  }
  std::vector<plot::Panel> out;
  Colors colors;
  for (const Panel& p : panels) {
    if (const auto runs = colors.shown(file, p.variants, results); !runs.empty()) {
      out.push_back(report::panel_of(p.spec, runs));
    }
  }
  return report::figure_of(std::move(out));
}

std::vector<std::vector<std::string>> table(const FigureFile& file, const TableSpec& spec,
                                            const std::vector<VariantResult>& results) {
  std::vector<std::vector<std::string>> out(1);
  for (const TableColumn& c : spec.columns) out[0].push_back(c.head);
  for (const std::size_t i : spec.variants) {
    std::size_t quantity = 0;  // those of earlier tables come first
    for (const TableSpec& t : file.tables) {
      if (&t == &spec) break;
      if (std::find(t.variants.begin(), t.variants.end(), i) == t.variants.end()) continue;
      for (const TableColumn& c : t.columns) quantity += is_function(c.value) ? 1U : 0U;
    }
    auto& row = out.emplace_back();
    for (const TableColumn& c : spec.columns) row.push_back(cell(c, file.variants[i], results[i], quantity));
  }
  return out;
}

}  // namespace bristle::papers
