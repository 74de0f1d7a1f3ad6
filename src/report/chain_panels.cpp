#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bristle/report.hpp"
#include "bristle/simulate/catalogue.hpp"
#include "report/parts.hpp"
#include "report/shared/labels.hpp"

/// Panels of chains: maps over time and block, sizes of events, blocks in their potential.
namespace bristle::report {
namespace {

plot::Panel framed(const FigureSpec& spec, const std::string& xlabel, const std::string& ylabel) {
  return {.title = spec.title,
          .x = {spec.xlabel.empty() ? xlabel : spec.xlabel, false, spec.xlim},
          .y = {spec.ylabel.empty() ? ylabel : spec.ylabel, false, spec.ylim}};
}

/// Blocks that have columns.
std::vector<std::size_t> recorded_blocks(const Scenario& s) {
  const Experiment& e = s.experiment;
  std::vector<std::size_t> out(e.solver.record.begin(), e.solver.record.end());
  for (int b = 1; e.solver.record.empty() && b <= e.chain.blocks; ++b) out.push_back(static_cast<std::size_t>(b));
  std::ranges::sort(out);
  return out;
}
/// "x - drive" for block 7: "x7 - drive".
std::string of_block(const std::string& text, std::size_t block) {
  std::string out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    const bool own =
        !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0 && word != "drive" && word != "t";
    out += (from > 0 ? " " : "") + (own ? name_in_chain(word, block) : word);
    from = end + 1;
  }
  return out;
}

plot::Panel map_panel(const FigureSpec& spec, const Shown& shown) {
  constexpr std::size_t most_times = 400, most_blocks_drawn = 250;
  const Trace& trace = shown.run->trace;
  const std::vector<double>& t = trace.find("t")->values;
  const std::vector<std::size_t> blocks = recorded_blocks(*shown.scenario);
  const auto begin =
      static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), t.back() * (1 - spec.last)) - t.begin());
  const std::size_t rows = t.size() - begin, every = (rows + most_times - 1) / most_times,
                    skip = (blocks.size() + most_blocks_drawn - 1) / most_blocks_drawn;
  plot::Panel out = framed(spec, "Time t (s)", "Block");
  plot::Map map{.contours = false};
  for (std::size_t i = begin; i < t.size(); i += every) map.x.push_back(t[i]);
  std::vector<std::vector<double>> values;
  for (std::size_t b = 0; b < blocks.size(); b += skip) {
    const auto column = column_of(trace, of_block(spec.y.front(), blocks[b]));
    if (!column) continue;
    if (map.label.empty()) {
      const std::string unit = shown_unit(column->unit, shown.scenario->rotational);
      map.label =
          spec.legend.empty() ? spec.y.front() + (unit.empty() ? "" : fmt::format(" ({})", unit)) : spec.legend.front();
    }
    map.y.push_back(static_cast<double>(blocks[b]));
    std::vector<double>& own = values.emplace_back();
    for (std::size_t i = begin; i < t.size(); i += every) own.push_back(column->values[i]);
  }
  for (std::size_t i = 0; i < map.x.size(); ++i) {
    for (const std::vector<double>& own : values) map.z.push_back(own[i]);
  }
  out.map = std::move(map);
  return out;
}

/// Counts per decade with their statistical errors, and the power law of maximum likelihood with its band.
void add_sizes(plot::Panel& out, const FigureSpec& spec, const Shown& shown, bool several) {
  constexpr int bins = 5;
  std::vector<double> single, many;
  const auto add = [&](const Run& run) {
    const double from = run.summary.duration * (1 - spec.last);
    for (const SlipEvent& e : run.catalogue) {
      if (e.t >= from) (e.blocks == 1 ? single : many).push_back(e.moment);
    }
  };
  add(*shown.run);
  for (const Run& run : shown.again) add(run);
  const std::string name = several ? shown.label + ": " : "";
  const SizeDistribution of_many = size_distribution(many, bins), of_one = size_distribution(single, bins);
  const int color = static_cast<int>(shown.color) * 2;
  out.series.push_back({.label = name + "several blocks",
                        .x = of_many.moment,
                        .y = of_many.per_decade,
                        .style = plot::Style::points,
                        .color = color});
  if (!single.empty())
    out.series.push_back({.label = name + "one block",
                          .x = of_one.moment,
                          .y = of_one.per_decade,
                          .style = plot::Style::points,
                          .color = color + 1});
  if (!spec.fit) return;
  const auto [lo, hi] = *spec.fit;
  const PowerLaw law = fit_power_law(many, lo, hi);
  if (law.count < 3) return;
  const double b = law.exponent - 1, L = std::log(hi / lo), n = static_cast<double>(law.count);
  plot::Series line{.label = fmt::format("{}M^{{-{:.2f} ± {:.2f}}}", name, b, law.error), .color = color, .dash = 1};
  plot::Band band{.color = color};
  const auto per_decade = [&](double M, double slope) {  // n events between lo and hi
    const double share = std::abs(slope * L) < 1e-9 ? 1 / L : slope / -std::expm1(-slope * L);
    return n * share * std::pow(M / lo, -slope) * std::numbers::ln10;
  };
  for (int k = 0; k <= 40; ++k) {
    const double M = lo * std::pow(hi / lo, k / 40.0);
    const double edges[]{per_decade(M, b - 2 * law.error), per_decade(M, b), per_decade(M, b + 2 * law.error)};
    line.x.push_back(M);
    line.y.push_back(edges[1]);
    const double poisson = 2 / std::sqrt(std::max(edges[1] / bins, 1.0));  // of the count in a bin
    band.x.push_back(M);
    band.lo.push_back(*std::ranges::min_element(edges) * std::max(1 - poisson, 0.05));
    band.hi.push_back(*std::ranges::max_element(edges) * (1 + poisson));
  }
  out.series.push_back(std::move(line));
  out.bands.push_back(std::move(band));
}

/// The blocks at the end of the run, at their places in the potential.
plot::Panel snapshot_panel(const FigureSpec& spec, std::span<const Shown> runs) {
  plot::Panel out = framed(spec, "Place s/period", "Potential U/U0");
  for (const Shown& shown : runs) {
    const ChainParams& c = shown.scenario->experiment.chain;
    const double k = 2 * std::numbers::pi / c.potential.period;
    const auto U = [&](double s) {
      double sum = 0;
      for (std::size_t n = 0; n < c.potential.fourier.size(); ++n)
        sum -= c.potential.fourier[n] * std::cos(k * static_cast<double>(n + 1) * s);
      return sum;
    };
    plot::Series atoms{.label = runs.size() > 1 ? shown.label : "",
                       .style = plot::Style::points,
                       .color = static_cast<int>(shown.color)};
    for (const std::size_t b : recorded_blocks(*shown.scenario)) {
      const Column* x = shown.run->trace.find(name_in_chain("x", b));
      if (!x || x->values.empty()) continue;
      const double s = x->values.back() + static_cast<double>(b - 1) * c.spacing;
      atoms.x.push_back(s / c.potential.period);
      atoms.y.push_back(U(s));
    }
    if (atoms.x.empty()) continue;
    const auto [least, most] = std::ranges::minmax(atoms.x);
    plot::Series curve{.color = static_cast<int>(runs.size()), .width = 0.6};
    const double width = most - least + 1;
    for (int i = 0; i <= 2000; ++i) {
      const double s = least - 0.5 + width * i / 2000;
      curve.x.push_back(s);
      curve.y.push_back(U(s * c.potential.period));
    }
    if (&shown == &runs.front()) out.series.push_back(std::move(curve));
    out.series.push_back(std::move(atoms));
  }
  return out;
}

}  // namespace

plot::Panel chain_panel(const FigureSpec& spec, std::span<const Shown> runs) {
  if (spec.show == Show::map) return map_panel(spec, runs.front());
  if (spec.show == Show::snapshot) return snapshot_panel(spec, runs);
  plot::Panel out = framed(spec, "Moment M (m)", "Events per decade of M");
  out.x.log = out.y.log = true;
  for (const Shown& shown : runs) add_sizes(out, spec, shown, runs.size() > 1);
  return out;
}

}  // namespace bristle::report
