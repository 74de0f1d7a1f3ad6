#include "cli/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/paint.hpp"

namespace bristle::cli {
namespace {

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> out{""};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!out.back().empty() && out.back().size() + 1 + word.size() > width) out.emplace_back();
    out.back() += (out.back().empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out;
}

/// The last column is wrapped; on a narrow screen it gets lines of its own.
std::string table_text(const Block& b, std::size_t width) {
  constexpr std::size_t gap = 2, least = 26, indent = 6;
  const std::size_t columns = b.rows.front().size();
  std::vector<std::size_t> widths(columns);
  for (const auto& row : b.rows) {
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::size_t before = gap;
  for (std::size_t i = 0; i + 1 < columns; ++i) before += widths[i] == 0 ? 0 : widths[i] + gap;
  const bool stacked = before + std::min(least, widths.back()) > width;
  std::string out;
  for (const auto& row : b.rows) {
    std::string line(gap, ' ');
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      if (widths[i] == 0) continue;
      const std::string cell = fmt::format("{:<{}}", row[i], widths[i]);
      line += (i == 0 && &row != &b.rows.front() ? painted(cell, Paint::bold) : cell) + std::string(gap, ' ');
    }
    if (stacked) {
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      if (&row == &b.rows.front()) continue;
      for (const std::string& part : wrapped(row.back(), width - indent)) out += std::string(indent, ' ') + part + "\n";
      continue;
    }
    std::string start = line;
    for (const std::string& part : wrapped(row.back(), width - before)) {
      const std::string whole = start + part;
      out += whole.substr(0, whole.find_last_not_of(' ') + 1) + "\n";
      start = std::string(before, ' ');
    }
  }
  return out;
}

std::string indented(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += (end > at ? "    " : "") + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

/// [drive] and kind = "sine" are code.
std::string heading(const std::string& words) {
  const std::size_t end = words.starts_with("[") ? words.find("]: ") : std::string::npos;
  if (end != std::string::npos) return "`" + words.substr(0, end + 1) + "`" + words.substr(end + 1);
  return words.starts_with("[") || words.find(" = ") != std::string::npos ? "`" + words + "`" : words;
}

/// Cells may not contain the separator of a table.
std::string markdown_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  for (std::size_t at = 0; (at = text.find('*', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

}  // namespace

std::string for_terminal(const Page& page, std::size_t width) {
  std::string out;
  for (const Block& b : page) {
    if (!out.empty()) out += "\n";
    switch (b.kind) {
      case Block::heading: out += painted(b.words, Paint::bold) + "\n"; break;
      case Block::text:
        for (const std::string& line : wrapped(b.words, width - 2)) out += "  " + line + "\n";
        break;
      case Block::table: out += table_text(b, width); break;
      case Block::code: out += indented(b.words); break;
    }
    if (b.kind == Block::heading && &b != &page.back() && (&b)[1].kind == Block::table) out.pop_back();
    if (!out.empty() && out.back() != '\n') out += "\n";
  }
  return out;
}

std::string as_markdown(const Page& page) {
  std::string out;
  for (const Block& b : page) {
    if (!out.empty()) out += "\n";
    switch (b.kind) {
      case Block::heading:
        out += std::string(static_cast<std::size_t>(b.level), '#') + " " + heading(b.words) + "\n";
        break;
      case Block::text: out += fmt::format("{}\n", fmt::join(wrapped(b.words, 120), "\n")); break;
      case Block::code: out += "```toml\n" + b.words + "```\n"; break;
      case Block::table:
        for (const auto& row : b.rows) {
          const bool head = &row == &b.rows.front();
          for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string shown = markdown_cell(row[i]);
            if (i > 0 || head) {
              out += "| " + shown + (shown.empty() ? "" : " ");
            } else {
              out += b.words.empty() ? "| `" + row[i] + "` " : fmt::format("| [`{0}`]({1}{0}.md) ", row[i], b.words);
            }
          }
          out += "|\n";
          if (!head) continue;
          for (std::size_t i = 0; i < row.size(); ++i) out += "|---";
          out += "|\n";
        }
        break;
    }
  }
  return out;
}

}  // namespace bristle::cli
