#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/escape.hpp"
#include "report/html.hpp"
#include "report/parts.hpp"
#include "report/shared/labels.hpp"

namespace bristle::report {
namespace {

/// "friction lugre, Fc = 1 N, Fs = 1.5 N; system mass = 1 kg".
std::string settings_line(const std::vector<Setting>& settings) {
  std::string out, section;
  for (const Setting& s : settings) {
    if (s.section != section) out += fmt::format("{}<b>{}</b> ", out.empty() ? "" : "; ", escape(s.section));
    out += s.section == section ? ", " : "";
    out += s.name == "model"
               ? escape(s.value)
               : fmt::format("{} = {}{}{}", escape(s.name), escape(s.value), s.unit.empty() ? "" : " ", html(s.unit));
    section = s.section;
  }
  return out;
}

/// Settings shared by all runs appear once.
std::string settings_list(const GalleryEntry& entry) {
  std::vector<std::vector<Setting>> all;
  all.reserve(entry.runs.size());
  for (const GalleryRun& r : entry.runs) all.push_back(settings_of(*r.scenario));
  auto everywhere = [&](const Setting& s) {
    return std::all_of(all.begin(), all.end(),
                       [&](const auto& one) { return std::count(one.begin(), one.end(), s) > 0; });
  };
  std::vector<Setting> common;
  std::copy_if(all[0].begin(), all[0].end(), std::back_inserter(common), everywhere);
  std::string out = "<ul class=\"plain\">\n";
  for (std::size_t i = 0; all.size() > 1 && i < all.size(); ++i) {
    std::erase_if(all[i], [&](const Setting& s) { return std::count(common.begin(), common.end(), s) > 0; });
    const std::string own = settings_line(all[i]);
    if (!own.empty()) out += fmt::format("<li>{}: {}</li>\n", html(entry.runs[i].label), own);
  }
  const char* whose = all.size() > 1 ? "All: " : "";
  if (!common.empty()) out += fmt::format("<li>{}{}</li>\n", whose, settings_line(common));
  return out + "</ul>\n";
}

std::string runs_table(const GalleryEntry& entry) {
  std::vector<Row> rows{{"run", "method", "steps", "events", "energy or work error", "CPU (ms)", "data"}};
  for (const GalleryRun& r : entry.runs) {
    const std::string label = r.label.empty() ? "the run" : html(r.label);
    if (!r.failure.empty()) {
      rows.push_back({label, "<span class=\"bad\">failed</span>", "", "", "", "", ""});
      continue;
    }
    const Summary& s = r.run->summary;
    const bool given = r.scenario->experiment.kind == SystemKind::prescribed;
    const double error = given ? check_work(*r.run).error() : s.energy.error;
    rows.push_back({label, escape(s.method), fmt::format("{}", s.steps), fmt::format("{}", r.run->events.size()),
                    fmt::format("{:.1e}", error), fmt::format("{:.3g}", r.cpu_ms),
                    fmt::format("<a href=\"{}\">CSV</a>", escape(r.csv))});
  }
  return html_table(rows, "llrrrrl");
}

/// CPU time and energy balance.
std::string runs_line(const GalleryEntry& entry) {
  double cpu = 0, balance = 0, work = 0;
  bool free = false, moves = false;  // free: the motion is not given
  for (const GalleryRun& r : entry.runs) {
    cpu += r.cpu_ms;
    balance = std::max(balance, r.run->summary.energy.error);
    const bool given = r.scenario->experiment.kind == SystemKind::prescribed;
    if (given && r.failure.empty()) {
      const WorkCheck check = check_work(*r.run);
      work = std::max(work, check.error());
      moves = moves || !(check.size == 0);
    }
    free = free || !given;
  }
  const std::size_t n = entry.runs.size();
  const std::string energy = free ? fmt::format("largest energy error {:.0e}", balance)
                             : moves || work > 0
                                 ? fmt::format("work and integral of F dx over the rows differ by at most {:.0e}", work)
                                 : "no work of friction";
  return fmt::format("<p class=\"quiet\">{} {}, {:.3g} ms CPU time, {}.</p>\n", n, n == 1 ? "run" : "runs", cpu,
                     energy);
}

std::string source_line(const GallerySection& section) {
  return fmt::format("<p class=\"quiet\">{}{}</p>\n", section.authors.empty() ? "" : html(section.authors) + ". ",
                     html(section.reference));
}

std::string table_html(const TextTable& table) {
  std::vector<Row> rows;
  for (const auto& row : table.rows) {
    Row& cells = rows.emplace_back();
    for (const std::string& cell : row) cells.push_back(html(cell));
  }
  std::string align(rows.front().size(), 'r');
  for (std::size_t c = 0; c < align.size(); ++c) {
    if (table.words[c]) align[c] = 'l';
  }
  return (table.title.empty() ? "" : "<p><b>" + html(table.title) + "</b></p>\n") + html_table(rows, align);
}

}  // namespace

std::string gallery_entry(const GalleryEntry& entry) {
  std::string out = fmt::format("<article id=\"{}\">\n<h3>{}: {}</h3>\n<p>{}</p>\n", escape(entry.id),
                                html(entry.figure), html(entry.title), html(entry.caption));
  if (!entry.picture.panels.empty()) out += figure_html(entry.picture);
  for (const TextTable& t : entry.tables) out += table_html(t);
  if (!entry.differs.empty()) out += "<p class=\"note\"><b>Differs.</b> " + html(entry.differs) + "</p>\n";
  std::vector<CheckedRun> checks;
  for (const GalleryRun& r : entry.runs) {
    if (!r.failure.empty()) {
      out += fmt::format("<p class=\"bad\">{}{}</p>\n", r.label.empty() ? "" : html(r.label) + ": ", escape(r.failure));
    }
    checks.push_back({r.label, r.scenario, r.checks});
  }
  out += checks_table(checks) + runs_line(entry);
  out += folded("Parameters and runs", settings_list(entry) + runs_table(entry));
  out += folded(entry.id + ".toml", text_block(entry.text));
  return out + "</article>\n";
}

std::string gallery_page(const std::string& title, const std::vector<GallerySection>& sections) {
  const bool alone = sections.size() == 1;
  std::size_t held = 0, all = 0, figures = 0;
  std::string contents, body;
  for (const GallerySection& s : sections) {
    contents += "<li>" + (alone ? "" : html(s.title) + "<br/>");
    for (const GalleryItem& i : s.items) {
      contents += fmt::format("{}<a href=\"#{}\"{}>{}</a>", &i == s.items.data() ? "" : " · ", escape(i.id),
                              i.good ? "" : " class=\"bad\"", html(i.figure));
      held += i.held;
      all += i.checks;
      ++figures;
    }
    contents += "</li>\n";
    body += "<section>\n" + (alone ? "" : "<h2>" + html(s.title) + "</h2>\n" + source_line(s));
    for (const GalleryItem& i : s.items) body += i.html;
    body += "</section>\n";
  }
  if (figures == 1) contents.clear();
  const std::string head = fmt::format("<h1>{}</h1>\n{}<p>{} {}; {}.</p>\n<ul class=\"plain\">\n{}</ul>", html(title),
                                       alone ? source_line(sections[0]) : "", figures,
                                       figures == 1 ? "figure" : "figures", checks_text(held, all), contents);
  return page(title, "<header>" + head + "</header>\n<main>\n" + body + "</main>\n");
}

}  // namespace bristle::report
