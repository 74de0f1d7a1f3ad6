#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bristle/value.hpp"

/// A TOML file as a tree; each node has a place for messages: "file.toml:12" or "--set a.b".
namespace bristle::scenario {

struct Node;
struct Member;

struct Node {
  using Numbers = std::vector<double>;
  using List = std::vector<Node>;      // any other array
  using Object = std::vector<Member>;  // in the order of the file
  std::variant<Object, List, Numbers, double, bool, std::string> v;
  std::string where{};
  bool braces = false;  // a table written as { ... }

  template <class X> const X* as() const { return std::get_if<X>(&v); }
  template <class X> X* as() { return std::get_if<X>(&v); }
  /// The member of a table; nullptr if it is absent or this is not a table.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};
struct Member {
  std::string key;
  Node value;
};

/// The members as values; tables and lists become a word that no key accepts.
Value to_value(const Node& node);
Table to_table(const Node& object);
/// The text of a value as in a file, tables and lists shortened.
std::string text_of(const Node& node);

/// Reads TOML up to the first syntax error. Size limits make it safe for any input.
Node parse_toml(const std::string& text, const std::string& path, Problems& problems);
/// Sets or replaces the value at a path such as friction.Fc.
void assign(Node& root, std::string_view path, const Node& value, Problems& problems);
/// Applies an assignment "friction.Fc=1.2"; a value that is not TOML is a text.
void change(Node& root, const std::string& assignment, Problems& problems);

inline constexpr std::size_t most_bytes = std::size_t{16} << 20;

}  // namespace bristle::scenario
