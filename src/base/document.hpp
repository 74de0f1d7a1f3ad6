#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bristle/value.hpp"

/// A TOML file as a plain tree, each node with the place to name in messages: "file.toml:12" or "--set a.b".
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
  /// The member of a table; nullptr if there is none, or if this is no table.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};
struct Member {
  std::string key;
  Node value;
};

/// What a model is told; tables and lists become a word that no key accepts.
Value to_value(const Node& node);
Table to_table(const Node& object);
/// As a user would write it, tables and lists shortened.
std::string text_of(const Node& node);

/// Reads TOML; the first syntax error ends it. Nothing crashes or hangs it: too much of anything is a problem too.
Node parse_toml(const std::string& text, const std::string& path, Problems& problems);
/// Puts a value where a path such as friction.Fc leads, in place of what is there.
void assign(Node& root, std::string_view path, const Node& value, Problems& problems);
/// "friction.Fc=1.2": the value in TOML, otherwise a word.
void change(Node& root, const std::string& assignment, Problems& problems);

inline constexpr std::size_t most_bytes = std::size_t{16} << 20;

}  // namespace bristle::scenario
