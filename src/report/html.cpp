#include "report/html.hpp"

#include <fmt/format.h>

#include <cctype>

#include "base/escape.hpp"
#include "bristle/version.hpp"
#include "report/explore.hpp"

namespace bristle::report {
namespace {

// Lines of about 75 characters; figures keep their size on a phone and scroll; nothing is cut off when printed.
constexpr std::string_view style = R"(
:root { --ink: #1d2330; --quiet: #5d6675; --line: #dde1e7; --soft: #f5f7f9; --good: #17713a; --bad: #b3261e; --link: #0b5fa5; --paper: #fff; --edge: #aab2bf; --shade: #0003; color-scheme: light dark; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ec; --quiet: #9aa4b2; --line: #333a45; --soft: #1b2027; --good: #5bc983; --bad: #ff8f85; --link: #7db9f0; --paper: #141414; --edge: #555e6b; --shade: #fff3; }
  figure svg { filter: invert(.92) hue-rotate(180deg); } /* white becomes the paper, hues stay */
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; color: var(--ink); background: var(--paper); line-height: 1.5; overflow-wrap: break-word;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif; }
main, header, footer { max-width: 54rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .4rem; text-wrap: balance; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2.5rem 0 .6rem; }
h3 { font-size: 1.05rem; line-height: 1.3; margin: 2.25rem 0 .4rem; }
p { margin: .5rem 0; max-width: 44rem; }
a { color: var(--link); text-decoration-thickness: .06em; text-underline-offset: .15em; }
.quiet, footer { color: var(--quiet); font-size: .9rem; }
figure { margin: 1.25rem 0; }
.wide { overflow-x: auto; background: linear-gradient(90deg, var(--paper) 60%, transparent) 0 0/2rem 100%, linear-gradient(270deg, var(--paper) 60%, transparent) 100% 0/2rem 100%,
  linear-gradient(90deg, var(--shade), transparent) 0 0/.6rem 100%, linear-gradient(270deg, var(--shade), transparent) 100% 0/.6rem 100%; background-repeat: no-repeat;
  background-attachment: local, local, scroll, scroll; } /* a shadow where more can be scrolled into view */
.broad, .broad ~ footer { max-width: 72rem; } .broad figure { max-width: 60rem; }
.pair { display: flex; flex-wrap: wrap; gap: 0 1.5rem; } .broad .pair figure { flex: 1 1 20rem; min-width: 0; max-width: 34rem; margin: .5rem 0; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .8rem 0; }
.facts dt { color: var(--quiet); } .facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
figure svg { display: block; width: 100%; height: auto; min-width: 28rem; } .pair figure svg { min-width: 0; }
table { border-collapse: collapse; font-size: .9rem; margin: .4rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem 1rem .25rem 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--quiet); border-bottom-color: var(--edge); white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
.r { text-align: right; } .r, .n { white-space: nowrap; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; font-size: .85rem; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .3rem; padding: .8rem 1rem; overflow-x: auto; line-height: 1.4; }
td code { white-space: nowrap; } sub, sup { line-height: 0; }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--link); }
.good, .bad { white-space: nowrap; } .good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
.controls { display: flex; gap: .8rem; align-items: center; margin: .5rem 0; } .controls[hidden] { display: none; }
.controls button { font: inherit; min-width: 5rem; padding: .2rem .6rem; } .controls input { flex: 1; } .controls output { min-width: 8rem; }
.note { border-left: .2rem solid var(--line); padding-left: .8rem; }
ul.plain { list-style: none; padding: 0; margin: .6rem 0; } ul.plain li { margin: .4rem 0; } ul a { white-space: nowrap; }
article { border-top: 1px solid var(--line); margin-top: 2.25rem; }
article h3 { margin-top: 1.25rem; }
.pad { cursor: crosshair; } .pad:focus { outline: none; } .pad:focus-visible { stroke: #08f; stroke-width: 1.2; } .hint { margin: .2rem 0 0; font-size: .8rem; }
footer { margin-top: 3rem; padding-bottom: 2rem; }
@media (max-width: 36rem) { main, header, footer { padding: 0 .8rem; } header { padding-top: 1.2rem; } h1 { font-size: 1.4rem; } .facts { grid-template-columns: 1fr; } .facts dd { margin-bottom: .4rem; } figure svg { min-width: 24rem; } th, td { padding-right: .6rem; } table { font-size: .8rem; } td code { white-space: normal; } td:last-child:not([class]):not(:first-child) { min-width: 11rem; } }
@media print {
  body { font-size: 10pt; } a { color: inherit; text-decoration: none; }
  figure, table, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .controls, .hint { display: none; } .wide { overflow: visible; background: none; } figure svg { min-width: 0; } pre { white-space: pre-wrap; } summary { color: inherit; }
}
)";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string html(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = text.find_first_of("_^");
    out += escape(text.substr(0, at));
    if (at == std::string_view::npos) break;
    const std::string_view tag = text[at] == '_' ? "sub" : "sup";
    std::string_view rest = text.substr(at + 1);
    const std::size_t close = rest.find('}');
    std::size_t end = 0;
    if (rest.starts_with('{') && close != std::string_view::npos) {
      out += fmt::format("<{}>{}</{}>", tag, escape(rest.substr(1, close - 1)), tag);
      end = close + 1;
    } else if (tag == "sup" && !rest.empty() && (is_word(rest[0]) || rest[0] == '-')) {
      for (end = 1; end < rest.size() && is_word(rest[end]);) ++end;
      out += fmt::format("<sup>{}</sup>", rest.substr(0, end));
    } else {
      out += text[at];
    }
    text = rest.substr(end);
  }
  return out;
}

std::string html_table(const std::vector<Row>& rows, std::string_view align) {
  std::string out = "<div class=\"wide\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::string_view tag = r == 0 ? "th" : "td";
    out += "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const std::string as = align[c] == 'l' ? "" : fmt::format(" class=\"{}\"", align[c]);
      out += fmt::format("<{}{}>{}</{}>", tag, as, rows[r][c], tag);
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string verdict(bool held) {
  return held ? R"(<span class="good">✓ holds</span>)" : R"(<span class="bad">✗ violated</span>)";
}

std::string section(std::string_view heading, const std::string& body) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", html(heading), body);
}

std::string folded(std::string_view heading, const std::string& body) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", html(heading), body);
}

std::string page(std::string_view title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}"
      "<footer>Made with Bristle {}.</footer>\n{}</body>\n</html>\n",
      escape(title), style, body, BRISTLE_VERSION,
      body.find("class=\"panel\"") == std::string::npos ? "" : fmt::format("<script>{}</script>\n", explore_script));
}

}  // namespace bristle::report
