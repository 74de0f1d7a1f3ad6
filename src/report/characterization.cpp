#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/escape.hpp"
#include "bristle/registry/describe.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"
#include "report/properties.hpp"
#include "report/shared/labels.hpp"

namespace bristle::report {
namespace {

using tribometer::Chart;

constexpr std::size_t colors = 7;  // size of the palette; more curves have other dashes

/// Units of the axes.
enum class Units { linear, rotational, natural, none };

bool dimensionless(const Characterized& c) { return bristle::dimensionless(c.result->model, c.parameters); }

Units units_of_tables(Contacts contacts, bool rotational) {
  return std::ranges::all_of(contacts, dimensionless) ? Units::none : rotational ? Units::rotational : Units::linear;
}

std::string unit_for(std::string_view unit, Units units) {
  return units == Units::none ? "" : shown_unit(unit, units == Units::rotational);
}

/// Contacts with very different scales are drawn in their own natural units, so that all remain visible.
Units units_of(Contacts contacts, bool rotational) {
  constexpr double much = 5;
  for (double tribometer::Sizes::* size :
       {&tribometer::Sizes::force, &tribometer::Sizes::velocity, &tribometer::Sizes::travel}) {
    double lo = inf, hi = 0;
    for (const Characterized& c : contacts) {
      lo = std::min(lo, c.result->sizes.*size);
      hi = std::max(hi, c.result->sizes.*size);
    }
    if (hi > much * lo) return Units::natural;
  }
  return units_of_tables(contacts, rotational);
}

struct NaturalUnit {
  const char *unit, *name;
  double (*size)(const tribometer::Sizes&);
};
constexpr NaturalUnit natural_units[]{
    {"m", "X", [](const tribometer::Sizes& z) { return z.travel; }},
    {"m/s", "V", [](const tribometer::Sizes& z) { return z.velocity; }},
    {"N", "F_{0}", [](const tribometer::Sizes& z) { return z.force; }},
    {"s", "X/V", [](const tribometer::Sizes& z) { return z.time(); }},
    {"N/m", "F_{0}/X", [](const tribometer::Sizes& z) { return z.force / z.travel; }},
    {"N/s", "F_{0}V/X", [](const tribometer::Sizes& z) { return z.force / z.time(); }},
    {"J", "F_{0}X", [](const tribometer::Sizes& z) { return z.force * z.travel; }}};

const NaturalUnit* natural_unit(const std::string& unit) {
  const auto* found =
      std::find_if(std::begin(natural_units), std::end(natural_units), [&](const auto& n) { return n.unit == unit; });
  return found == std::end(natural_units) ? nullptr : found;
}

std::string axis(const std::string& label, const Column& column, Units units) {
  const NaturalUnit* natural = units == Units::natural ? natural_unit(column.unit) : nullptr;
  const std::string unit = natural ? natural->name : unit_for(column.unit, units);
  return unit.empty() ? label : fmt::format("{} ({})", label, unit);
}

std::vector<double> values_of(const Column& column, const tribometer::Sizes& sizes, Units units) {
  std::vector<double> out = column.values;
  const NaturalUnit* natural = units == Units::natural ? natural_unit(column.unit) : nullptr;
  for (double& x : out) x /= natural ? natural->size(sizes) : 1;
  return out;
}

plot::Series series_of(const Chart& chart, const Characterized& contact, std::size_t color, Units units) {
  const auto& sizes = contact.result->sizes;
  return {.label = contact.result->label,
          .x = values_of(chart.trace.columns[0], sizes, units),
          .y = values_of(chart.trace.columns[1], sizes, units),
          .style = chart.points ? plot::Style::line_and_points : plot::Style::line,
          .color = static_cast<int>(color),
          .dash = static_cast<int>(color / colors)};
}

plot::Panel panel_of_chart(const Chart& chart, Units units) {
  plot::Panel out{.title = chart.title,
                  .x = {.label = axis(chart.x_label, chart.trace.columns[0], units), .log = chart.x_log},
                  .y = {.label = axis(chart.y_label, chart.trace.columns[1], units), .log = chart.y_log}};
  if (units == Units::natural && chart.y_most > 0) out.y.limits = {0, chart.y_most};
  return out;
}

/// Charts of all contacts with the same name.
struct Overlay {
  std::string name;
  plot::Panel panel;
  std::set<std::string> at{};
};

/// Adds the frequency to the titles of panels, or its rank if contacts have different frequencies.
void tell_apart(std::vector<Overlay>& overlays) {
  for (std::size_t i = 0; i < overlays.size();) {
    const std::string title = overlays[i].panel.title;
    std::size_t end = i;
    bool alike = true;
    for (; end < overlays.size() && overlays[end].panel.title == title; ++end) {
      alike = alike && overlays[end].at.size() == 1;
    }
    for (std::size_t k = i; k < end && !overlays[k].at.begin()->empty(); ++k) {
      const bool last = k + 1 == end, middle = end - i == 3;
      const std::string rank = k == i   ? "slow"
                               : last   ? "fast"
                               : middle ? "medium"
                                        : fmt::format("{} of {}", k - i + 1, end - i);
      overlays[k].panel.title = title + ", " + (alike ? *overlays[k].at.begin() : rank);
    }
    i = end;
  }
}

std::string quantities_table(std::size_t experiment, Contacts contacts, Units units) {
  std::vector<Row> rows{{"quantity", "unit"}};
  std::vector<const tribometer::Quantity*> all;
  for (const Characterized& c : contacts) {
    for (const auto& q : c.result->measurements[experiment].quantities) {
      if (std::none_of(all.begin(), all.end(), [&](const auto* known) { return known->name == q.name; }))
        all.push_back(&q);
    }
  }
  for (const Characterized& c : contacts) rows.front().push_back(html(c.result->label));
  rows.front().emplace_back("meaning");
  for (const auto* q : all) {
    Row& row = rows.emplace_back(Row{"<code>" + escape(q->name) + "</code>", html(unit_for(q->unit, units))});
    for (const Characterized& c : contacts) {
      const double x = c.result->measurements[experiment][q->name];
      row.push_back(std::isnan(x) ? "–" : fmt::format("{:.5g}", x));
    }
    row.push_back(html(q->meaning));
  }
  return html_table(rows, "ln" + std::string(contacts.size(), 'r') + "l");
}

std::string contacts_list(Contacts contacts, Units units) {
  std::vector<Row> rows{{"contact", "model", "force F0", "velocity V", "travel X", "mass", "time (ms)"}};
  std::string texts;
  for (const Characterized& c : contacts) {
    const auto& z = c.result->sizes;
    const Units own = dimensionless(c) ? Units::none : units;
    auto sized = [&](double x, const char* unit) { return property_digits(x) + " " + html(unit_for(unit, own)); };
    rows.push_back({html(c.result->label), html(c.result->model), sized(z.force, "N"), sized(z.velocity, "m/s"),
                    sized(z.travel, "m"), sized(z.mass, "kg"), fmt::format("{:.0f}", c.result->cpu_ms)});
    std::string parameters;
    for (const Variable& p : c.parameters) {
      const std::string unit = unit_for(p.unit, own);
      parameters += fmt::format("{}{} = {}{}{}", parameters.empty() ? "" : ", ", escape(p.name), to_text(p.value),
                                unit.empty() ? "" : " ", html(unit));
    }
    texts += folded(c.result->label + ": parameters and file", "<p>" + parameters + "</p>\n" + text_block(c.text));
  }
  return html_table(rows, "llrrrrr") + texts;
}

}  // namespace

plot::Figure experiment_figure(std::size_t experiment, Contacts contacts, bool rotational) {
  const Units units = units_of(contacts, rotational);
  std::vector<Overlay> overlays;
  std::vector<plot::Panel> panels;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    for (const Chart& chart : contacts[i].result->measurements[experiment].charts) {
      plot::Series series = series_of(chart, contacts[i], i, units);
      if (chart.alone) {
        plot::Panel& panel = panels.emplace_back(panel_of_chart(chart, units));
        panel.title = series.label + ": " + panel.title;
        panel.series = {std::move(series)};
        panel.legend = false;
        continue;
      }
      auto found =
          std::find_if(overlays.begin(), overlays.end(), [&](const Overlay& o) { return o.name == chart.name; });
      if (found == overlays.end()) found = overlays.insert(found, {chart.name, panel_of_chart(chart, units)});
      found->at.insert(chart.at);
      if (contacts.size() == 1) series.label.clear();
      found->panel.series.push_back(series);
      if (chart.trace.columns.size() > 2) {  // the reference curve
        const Column& other = chart.trace.columns[2];
        series.label = i + 1 == contacts.size() ? other.name : "";
        series.y = values_of(other, contacts[i].result->sizes, units);
        series.dash = 1;
        series.width = 0.7;
        found->panel.series.push_back(std::move(series));
      }
    }
  }
  tell_apart(overlays);
  for (Overlay& o : overlays) {
    o.panel.legend = panels.empty();  // a legend in the first panel only
    panels.push_back(std::move(o.panel));
  }
  const std::size_t n = panels.size();
  const int columns = n == 1 || contacts.size() > side_by_side ? 1
                      : n == 3 || n > 4                        ? 3
                                                               : 2;  // long legends require space
  constexpr double widths[]{180, 180, 220}, heights[]{75, 0, 0};
  return {.panels = std::move(panels),
          .columns = columns,
          .width_mm = widths[columns - 1],
          .panel_height_mm = heights[columns - 1],
          .share_x = false};
}

std::string characterization_page(Contacts contacts, bool rotational) {
  std::string names;
  for (const Characterized& c : contacts) names += (names.empty() ? "" : ", ") + c.result->label;
  if (contacts.size() > side_by_side) names = fmt::format("{} contacts", contacts.size());
  const std::string title = "Characterization of " + names;
  const auto& battery = tribometer::experiments();
  std::string links;
  for (const auto& e : battery)
    links += fmt::format("{}<a href=\"#{}\">{}</a>", links.empty() ? "" : " · ", e.name, e.title);
  std::string body = section(
      "Properties",
      properties_html(contacts, contacts.size() <= side_by_side) + remarks(contacts) +
          (contacts.size() > side_by_side ? folded("Properties with numbers", properties_html(contacts, true)) : "") +
          folded("Decision rules", rules_table(contacts)));
  for (std::size_t k = 0; k < battery.size(); ++k) {
    const plot::Figure figure = experiment_figure(k, contacts, rotational);
    std::string part = fmt::format("<article id=\"{}\">\n<h3>{}</h3>\n<p>{}</p>\n", battery[k].name, battery[k].title,
                                   html(battery[k].text));
    if (!figure.panels.empty()) part += figure_html(figure);
    const std::string table = quantities_table(k, contacts, units_of_tables(contacts, rotational));
    part += contacts.size() <= side_by_side ? table : folded("Numbers", table);
    body += part + "</article>\n";
  }
  const char* natural =
      units_of(contacts, rotational) == Units::natural
          ? " These scales differ widely here: figures are in natural units, tables and data are not scaled."
          : "";
  body +=
      section("Contacts",
              "<p class=\"quiet\">Experiments scaled by the natural sizes of the first contact, with --own by those of "
              "each; [tribometer] in a file sets other sizes." +
                  std::string(natural) + "</p>\n" + contacts_list(contacts, units_of_tables(contacts, rotational)));
  return page(title,
              fmt::format("<header><h1>{}</h1>\n<p>{}</p></header>\n<main>\n{}</main>\n", html(title), links, body));
}

}  // namespace bristle::report
