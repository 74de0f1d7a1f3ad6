#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// A minimal XML reader: checks that a document is well-formed and lists its elements.
namespace xml {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes{};
  std::string text{};         // of itself and its children, entities resolved
  std::size_t parent = npos;  // index into the list
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};

inline std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '<' || (c < 0x20 && c != '\n' && c != '\t')) throw std::runtime_error("character not allowed");
    if (c != '&') {
      out += text[i];
      continue;
    }
    const std::size_t end = text.find(';', i);
    static const std::map<std::string_view, char> entities = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    if (end == std::string_view::npos) throw std::runtime_error("lone &");
    out += entities.at(text.substr(i, end + 1 - i));
    i = end;
  }
  return out;
}

/// All elements in the order of their opening tags. Throws if the document is not well-formed.
inline std::vector<Element> parse(std::string_view doc) {
  std::vector<Element> out;
  std::vector<std::size_t> open;
  std::size_t at = 0;
  const auto need = [](bool ok, const char* what) {
    if (!ok) throw std::runtime_error(what);
  };
  while (at < doc.size()) {
    if (doc[at] != '<') {
      const std::size_t end = doc.find('<', at);
      const std::string text = unescape(doc.substr(at, end - at));
      need(!open.empty() || text == "\n", "text outside of the root");
      for (const std::size_t i : open) out[i].text += text;
      at = end == std::string_view::npos ? doc.size() : end;
      continue;
    }
    ++at;
    std::string_view tag;
    {  // up to the > that is not in quotes
      std::size_t end = at;
      for (char quote = 0; end < doc.size() && (quote || doc[end] != '>'); ++end) {
        if (doc[end] == '"') quote = quote ? '\0' : '"';
      }
      need(end < doc.size(), "tag not closed");
      tag = doc.substr(at, end - at);
      at = end + 1;
    }
    if (tag.starts_with('/')) {
      need(!open.empty() && out[open.back()].name == tag.substr(1), "tags do not match");
      open.pop_back();
      continue;
    }
    const bool empty = tag.ends_with('/');
    if (empty) tag.remove_suffix(1);
    need(!open.empty() || out.empty(), "two roots");
    Element e{.name = std::string{tag.substr(0, tag.find(' '))}, .parent = open.empty() ? Element::npos : open.back()};
    std::string_view rest = tag.substr(e.name.size());
    while (rest.find('=') != std::string_view::npos) {
      const std::size_t eq = rest.find('='), begin = rest.find_first_not_of(' ');
      need(begin > 0 && rest.substr(eq + 1).starts_with('"'), "attribute not separated or quoted");
      const std::size_t end = rest.find('"', eq + 2);
      const std::string key{rest.substr(begin, eq - begin)};
      need(e.attributes.emplace(key, unescape(rest.substr(eq + 2, end - eq - 2))).second, "attribute given twice");
      rest.remove_prefix(end + 1);
    }
    need(rest.find_first_not_of(' ') == std::string_view::npos, "attribute without value");
    out.push_back(std::move(e));
    if (!empty) open.push_back(out.size() - 1);
  }
  need(open.empty(), "tag left open");
  return out;
}

}  // namespace xml
