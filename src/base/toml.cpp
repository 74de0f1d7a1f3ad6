#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

// toml++ asserts properties that some input violates ("1979-05-27Tx"), and then aborts in a debug build and has
// undefined behaviour in a release build. Its checks after the assertions are sound, so the assertions are disabled.
// The namespace is renamed: toml++ of a user's program, with other settings, must not mix with this one.
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#define toml bristle_toml
#include <toml++/toml.h>

#include "base/document.hpp"

namespace bristle::scenario {
namespace {

constexpr std::size_t most_dots = 16, most_keys = 1000, most_nodes = 50000;

struct Refused : std::runtime_error {
  Refused(std::size_t at, const std::string& text) : std::runtime_error(text), line(at) {}
  Refused(std::string_view text, std::size_t i, const std::string& why)
      : Refused(
            1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), '\n')),
            why) {}
  std::size_t line;
};

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// Length of the UTF-8 character at i; 0 if it is invalid.
std::size_t character(std::string_view text, std::size_t i) {
  auto byte = [&](std::size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U; };
  const unsigned a = byte(0), b = byte(1);
  const std::size_t n = a < 0x80                ? 1
                        : a >= 0xC2 && a < 0xE0 ? 2
                        : a >= 0xE0 && a < 0xF0 ? 3
                        : a >= 0xF0 && a < 0xF5 ? 4
                                                : 0;
  for (std::size_t k = 1; k < n; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (a == 0xE0 && b < 0xA0) || (a == 0xF0 && b < 0x90);
  const bool outside = (a == 0xED && b > 0x9F) || (a == 0xF4 && b > 0x8F);  // surrogates, beyond U+10FFFF
  return overlong || outside ? 0 : n;
}

/// toml++ has undefined behaviour for some non-ASCII characters where it looks for blanks. This function encodes each
/// byte of a non-ASCII character, and @ itself, as @ and two digits.
std::string in_ascii(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_ascii(c) && c != '@') {
      out += c;
    } else {
      out += {'@', digits[static_cast<unsigned char>(c) >> 4], digits[static_cast<unsigned char>(c) & 15]};
    }
  }
  return out;
}
std::string from_ascii(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '@' && i + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Position after the string that begins at i.
std::size_t string_end(std::string_view text, std::size_t i) {
  const char quote = text[i];
  auto triple = [&](std::size_t k) { return text.substr(k, 3) == std::string(3, quote); };
  const bool lines = triple(i);
  for (i += lines ? 3 : 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      // This escape would collide with the code of in_ascii.
      if (text.substr(i, 6) == "\\u0040" || text.substr(i, 10) == "\\U00000040")
        throw Refused(text, i, "\\u0040 is not accepted; write @");
      ++i;
    } else if (text[i] == quote && (!lines || triple(i))) {
      i += lines ? 3 : 1;
      for (int extra = 0; lines && extra < 2 && i < text.size() && text[i] == quote; ++extra)
        ++i;  // quotes before the closing ones
      return i;
    } else if (text[i] == '\n' && !lines) {
      return i;
    }
  }
  return text.size();
}

/// Refuses text before toml++ reads it: invalid UTF-8; characters that TOML forbids outside quotes and comments; keys
/// with many dots, which toml++ does not limit although it destroys its tables recursively.
void refuse_early(std::string_view text) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.:=,[]{}\"'# \t\r\n";
  for (std::size_t i = 0, n = 0; i < text.size(); i += n) {
    n = character(text, i);
    if (n == 0) throw Refused(text, i, "invalid UTF-8; text must be UTF-8");
  }
  std::size_t dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = string_end(text, i);
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (allowed.find(c) == std::string_view::npos) {
      const std::string_view one = text.substr(i, character(text, i));
      throw Refused(text, i, fmt::format("'{}' is accepted in quotes and comments only", one));
    }
    if (c == '.' && ++dots > most_dots) throw Refused(text, i, fmt::format("a key has more than {} dots", most_dots));
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots = 0;
    ++i;
  }
}

double number_in(const toml::node& n) {
  const auto* whole = n.as_integer();
  return whole ? static_cast<double>(whole->get()) : n.as_floating_point()->get();
}

class Converter {
 public:
  explicit Converter(const std::string& path) : path_(path) {}

  Node node(const toml::node& from) {
    if (++nodes_ > most_nodes) refuse(from, fmt::format("more than {} values", most_nodes));
    Node out{.where = fmt::format("{}:{}", path_, line(from))};
    if (const auto* table = from.as_table()) {
      out.v = object(*table);
      out.braces = table->is_inline();
    } else if (const auto* array = from.as_array()) {
      if (std::all_of(array->begin(), array->end(), [](const toml::node& e) { return e.is_number(); })) {
        Node::Numbers numbers;
        for (const toml::node& e : *array) numbers.push_back(number_in(e));
        out.v = std::move(numbers);
      } else {
        Node::List list;
        for (const toml::node& e : *array) list.push_back(node(e));
        out.v = std::move(list);
      }
    } else if (from.is_number()) {
      out.v = number_in(from);
    } else if (const auto b = from.value_exact<bool>()) {
      out.v = *b;
    } else if (const auto s = from.value_exact<std::string>()) {
      out.v = from_ascii(*s);
    } else {
      out.v = std::string("a date or time");  // no key takes one
    }
    return out;
  }

 private:
  Node::Object object(const toml::table& table) {
    if (table.size() > most_keys) refuse(table, fmt::format("more than {} keys in one section", most_keys));
    struct Place {
      toml::source_position at;
      std::string_view key;
      const toml::node* value;
    };
    std::vector<Place> places;
    for (const auto& [key, value] : table) places.push_back({key.source().begin, key.str(), &value});
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
    Node::Object out;
    for (const Place& p : places) out.push_back({from_ascii(p.key), node(*p.value)});
    return out;
  }
  static std::size_t line(const toml::node& n) { return n.source().begin.line; }
  [[noreturn]] static void refuse(const toml::node& n, const std::string& text) { throw Refused(line(n), text); }

  const std::string& path_;
  std::size_t nodes_ = 0;
};

}  // namespace

Node parse_toml(const std::string& text, const std::string& path, Problems& problems) {
  auto wrong = [&](std::size_t line, std::string_view what) {
    problems.push_back({fmt::format("{}:{}", path, line), std::string(what)});
    return Node{.where = path};
  };
  try {
    std::string_view plain = text;
    if (plain.starts_with("\xEF\xBB\xBF")) plain.remove_prefix(3);  // byte order mark
    refuse_early(plain);
    Node root = Converter(path).node(toml::parse(in_ascii(plain)));
    root.where = path;
    return root;
  } catch (const toml::parse_error& e) {
    return wrong(e.source().begin.line, from_ascii(e.description()));
  } catch (const Refused& e) { return wrong(e.line, e.what()); }
}

}  // namespace bristle::scenario
