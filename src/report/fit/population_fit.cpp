#include <fmt/format.h>

#include "base/escape.hpp"
#include "bristle/report/fit.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"

namespace bristle::report {

std::string population_csv(const identify::PopulationFit& fit) {
  return fmt::format("model,parameters,rmse,relative_percent,bic,held_out_rmse,held_out_percent,elements,recommended,"
                     "seconds,message,r_squared,rest_rmse,rest_percent,validation_rmse,validation_percent\n"
                     "gfm,{},,{},,,,,yes,,{},,,,,\n",
                     fit.parameters.size(), to_text(100 * fit.row_error),
                     csv_cell(fmt::format("{:.3g} % of {} blocks", 100 * fit.block_error, fit.blocks)));
}

std::string population_page(const identify::PopulationFit& fit, const std::vector<std::string>& files) {
  std::string names;
  for (const std::string& f : files) names += (names.empty() ? "" : ", ") + f;
  std::string body =
      fmt::format("<header>\n<h1>Population of asperities, fitted</h1>\n<p class=\"quiet\">{}</p>\n</header>\n<main>\n",
                  escape(names));
  std::vector<Row> rows{
      {"parameter", "value", "unit", "95 % interval", "between seeds", "between wavelengths", "of the data"}};
  for (const identify::PopulationEstimate& e : fit.parameters)
    rows.push_back({"<code>" + e.name + "</code>", fmt::format("{:.5g}", e.value), e.unit == "1" ? "" : html(e.unit),
                    e.determined ? fmt::format("{:.5g} to {:.5g}", e.low, e.high) : "not determined",
                    fmt::format("{:.2g} %", 100 * e.between_seeds), fmt::format("{:.2g} %", 100 * e.between_starts),
                    fmt::format("{:.2g} %", 100 * e.of_fit)});
  body += section("Parameters", html_table(rows, "lrnnrrr"));
  for (const std::string& n : fit.notes) body += "<p class=\"note\">" + escape(n) + "</p>\n";
  plot::Panel p{.x = {"Block"}, .y = {"Mean friction (N)"}};
  plot::Series measured{.label = "measured", .style = plot::Style::points, .color = 0},
      fitted{.label = "gfm", .style = plot::Style::points, .color = 1};
  for (std::size_t i = 0; i < fit.measured.size(); ++i) {
    for (plot::Series* s : {&measured, &fitted}) s->x.push_back(static_cast<double>(i + 1));
    measured.y.push_back(fit.measured[i]);
    fitted.y.push_back(fit.predicted[i]);
  }
  p.series = {std::move(measured), std::move(fitted)};
  body += section("Means of the friction over blocks of rows", figure_html({.panels = {std::move(p)}}));
  body += fmt::format("<p>rms error: {:.3g} % of {} rows, {:.3g} % of {} blocks.</p>\n", 100 * fit.row_error, fit.rows,
                      100 * fit.block_error, fit.blocks);
  return page("Population of asperities, fitted",
              body + section("Friction file", text_block(population_file(fit))) + "</main>\n");
}

}  // namespace bristle::report
