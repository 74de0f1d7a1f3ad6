#include "report/properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.hpp"
#include "report/html.hpp"

namespace bristle::report {
namespace {

using tribometer::Measurement;
using tribometer::Verdict;

const Verdict& finding(const Characterized& c, std::size_t i) { return c.result->findings[i]; }

bool disagrees(const Verdict& f) { return f.known && f.declared && *f.declared != f.holds; }

std::string answer(const Verdict& f) { return f.known ? f.holds ? "yes" : "no" : "not measured"; }

std::string answer_html(const Verdict& f, bool with_number, bool many = false) {
  std::string out = !f.known  ? R"(<span class="quiet" title="a required experiment failed">not measured</span>)"
                    : f.holds ? R"(<span class="good">✓ yes</span>)"
                              : "✗ no";
  if (many && f.known) out = f.holds ? R"(<span class="good" title="yes">✓</span>)" : R"(<span title="no">✗</span>)";
  if (many && !f.known) out = R"(<span class="quiet" title="not measured">–</span>)";
  if (with_number && f.known) {
    out += fmt::format(" <span class=\"quiet\">{}{}{}</span>", property_digits(f.number), f.detail.empty() ? "" : ", ",
                       f.detail);
  }
  if (disagrees(f)) out += many ? " <span class=\"bad\">≠</span>" : " <span class=\"bad\">≠ header</span>";
  return out;
}

std::string list_of(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& i : items) out += "<li>" + i + "</li>\n";
  return out.empty() ? "" : "<ul class=\"plain\">\n" + out + "</ul>\n";
}

}  // namespace

std::string property_digits(double x) { return std::isnan(x) ? "–" : fmt::format("{:.3g}", x); }

std::string properties_html(Contacts contacts, bool numbers) {
  std::vector<Row> rows;
  const std::size_t n = contacts.front().result->findings.size();
  if (contacts.size() <= side_by_side) {
    Row& head = rows.emplace_back(Row{"property"});
    for (const Characterized& c : contacts) head.push_back(html(c.result->label));
    for (std::size_t i = 0; i < n; ++i) {
      Row& row = rows.emplace_back(Row{finding(contacts.front(), i).title});
      for (const Characterized& c : contacts) row.push_back(answer_html(finding(c, i), numbers));
    }
  } else {
    Row& head = rows.emplace_back(Row{"contact"});
    for (std::size_t i = 0; i < n; ++i) {  // vertical text saves width
      head.push_back(fmt::format(R"-(<span style="writing-mode: vertical-rl; transform: rotate(180deg)">{}</span>)-",
                                 finding(contacts.front(), i).title));
    }
    for (const Characterized& c : contacts) {
      Row& row = rows.emplace_back(Row{html(c.result->label)});
      for (std::size_t i = 0; i < n; ++i) row.push_back(answer_html(finding(c, i), numbers, true));
    }
  }
  return html_table(rows, "l" + std::string(rows.front().size() - 1, 'n'));
}

std::string rules_table(Contacts contacts) {
  std::vector<Row> rows{{"property", "holds if", "threshold"}};
  for (const Verdict& f : contacts.front().result->findings)
    rows.push_back({f.title, html(f.rule), property_digits(f.threshold)});
  return html_table(rows, "llr");
}

std::string remarks(Contacts contacts) {
  std::vector<std::string> wrong, notes;
  for (const Characterized& c : contacts) {
    const std::string label = html(c.result->label);
    for (const Verdict& f : c.result->findings) {
      if (disagrees(f)) {
        wrong.push_back(
            fmt::format("{}: {}: measured {}, declared {}.", label, f.title, answer(f), *f.declared ? "yes" : "no"));
      } else if (!f.note.empty()) {
        notes.push_back(fmt::format("{}: {}: {}, {}.", label, f.title, answer(f), f.note));
      }
    }
    for (const std::string& note : c.notes) notes.push_back(html(note) + ".");
    for (const Measurement& m : c.result->measurements) {
      if (!m.failure.empty())
        wrong.push_back(fmt::format("<span class=\"bad\">{}: {}:</span> {}", label, m.experiment, escape(m.failure)));
    }
  }
  const std::string more = list_of(notes);
  return list_of(wrong) + (notes.size() > 6 ? folded("Remarks", more) : more);
}

std::vector<std::vector<std::string>> property_table(Contacts contacts) {
  std::vector<std::vector<std::string>> rows;
  const std::size_t n = contacts.front().result->findings.size();
  if (contacts.size() > side_by_side) {
    auto& head = rows.emplace_back(std::vector<std::string>{""});
    for (std::size_t i = 0; i < n; ++i) head.emplace_back(finding(contacts.front(), i).brief);
    for (const Characterized& c : contacts) {
      auto& row = rows.emplace_back(std::vector<std::string>{c.result->label});
      for (const Verdict& f : c.result->findings) row.emplace_back(f.known ? f.holds ? "yes" : "no" : "–");
    }
    return rows;
  }
  auto& head = rows.emplace_back(std::vector<std::string>{""});
  for (const Characterized& c : contacts) head.push_back(c.result->label);
  head.emplace_back("threshold");
  for (std::size_t i = 0; i < n; ++i) {
    auto& row = rows.emplace_back(std::vector<std::string>{finding(contacts.front(), i).title});
    for (const Characterized& c : contacts) {
      const Verdict& f = finding(c, i);
      row.push_back(fmt::format("{:<3} {}{}{}{}", answer(f),
                                std::isnan(f.number) ? "" : fmt::format("{:.3g}", f.number),
                                f.detail.empty() ? "" : ", ", f.detail, disagrees(f) ? " (header differs)" : ""));
    }
    row.push_back(fmt::format("{:g}", finding(contacts.front(), i).threshold));
  }
  return rows;
}

}  // namespace bristle::report
