#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../relation.hpp"
#include "../value.hpp"

/// Field lists at run time: the static lists of a parameter or state struct as one type.
namespace bristle {

/// Form of the values of a key.
enum class Kind { real, array, integer, boolean, choice };

/// A field with access to its value.
struct FieldView {
  std::string name, unit, text, per_load;  // per_load: key of the same parameter per normal load, empty: none
  std::string waived_by{};                 // may be missing, and must be, where this other field is given
  Kind kind = Kind::real;                  // form of its values
  Range range = any_real;
  unsigned role = role::needed;        // bits of role::Role
  Start start{};                       // of fits; its part is resolved
  std::size_t capacity = 1;            // of an array
  std::vector<std::string> choices{};  // of a choice
  /// Reads the value.
  std::function<Value()> get{};
  std::function<void(const Value&)> set{};  // expects a value of the right kind

  bool required() const { return (role & role::optional) == 0; }
  /// Whether fits may change it.
  bool fitted() const { return (role & role::fixed) == 0 && (kind == Kind::real || kind == Kind::array); }
};

namespace detail {
FieldView view_of(const char* name, const char* unit, const char* text, Range range, unsigned role,
                  const char* per_load, Start start);
template <class V> void bind(FieldView& view, V& v) {
  if constexpr (is_vec<V>) {
    view.kind = Kind::array;
    view.capacity = V::capacity;
    view.get = [&v] { return Value(std::vector<double>(v.begin(), v.end())); };
    view.set = [&v](const Value& x) {
      const auto& a = *x.as<std::vector<double>>();
      v.n = a.size() < V::capacity ? a.size() : V::capacity;
      for (std::size_t i = 0; i < v.n; ++i) v[i] = a[i];
    };
  } else if constexpr (std::is_enum_v<V>) {
    view.kind = Kind::choice;
    for (const char* c : choices(V{})) view.choices.emplace_back(c);
    view.get = [&v] { return Value(choices(v)[static_cast<std::size_t>(v)]); };
    view.set = [&v](const Value& x) {
      std::size_t i = 0;
      for (const char* c : choices(V{})) {
        if (*x.as<std::string>() == c) v = static_cast<V>(i);
        ++i;
      }
    };
  } else if constexpr (std::is_same_v<V, bool>) {
    view.kind = Kind::boolean;
    view.get = [&v] { return Value(v); };
    view.set = [&v](const Value& x) { v = *x.as<bool>(); };
  } else {
    view.kind = std::is_integral_v<V> ? Kind::integer : Kind::real;
    view.get = [&v] { return Value(static_cast<double>(v)); };
    view.set = [&v](const Value& x) { v = static_cast<V>(*x.as<double>()); };
  }
}
}  // namespace detail

/// Views of the fields of p, which must not move.
template <class P> std::vector<FieldView> views(P& p) {
  std::vector<FieldView> out;
  out.reserve(fields_of<P>.size);
  each_field(p, [&](const auto& field, auto& v) {
    detail::bind(
        out.emplace_back(detail::view_of(field.name, field.unit, field.text, field.range, field.role, field.per_load,
                                         {field.part(), field.start.times, field.start.lowest})),
        v);
    if (field.waived_by) out.back().waived_by = field.waived_by;
  });
  return out;
}
/// Whether another field, which has a value, takes the place of this one.
bool is_waived(const FieldView& field, std::span<const FieldView> fields);

/// A relation between fields, with its rule in words: "Fs >= Fc".
struct RelationInfo {
  Bond bond = Bond::condition;  // the form of the relation
  std::vector<std::string> fields{};
  std::string rule{};
};
namespace detail {
RelationInfo relation_info(Bond bond, std::span<const char* const> names, const char* rule);
}
/// The relations of a model's parameters.
template <class P> std::vector<RelationInfo> relation_infos() {
  std::vector<RelationInfo> out;
  if constexpr (requires { P::relations(); }) {
    for (const auto& r : P::relations()) out.push_back(detail::relation_info(r.bond, r.names, r.rule));
  }
  return out;
}

/// "Fc = 1.5 N", "k = [1, 2] N/m", for messages.
std::string quoted(const FieldView& field);

}  // namespace bristle
