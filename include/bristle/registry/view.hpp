#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "../field.hpp"
#include "../value.hpp"

/// Field lists at run time: the static lists of a parameter or state struct, seen through one type.
namespace bristle {

enum class Kind { real, array, integer, boolean, choice };

struct FieldView {
  std::string name, unit, text, per_load;
  Kind kind = Kind::real;
  Range range = any_real;
  unsigned role = needed;
  std::size_t capacity = 1;            // of an array
  std::vector<std::string> choices{};  // of a choice
  std::function<Value()> get{};
  std::function<void(const Value&)> set{};  // expects a value of the right kind

  bool required() const { return (role & optional) == 0; }
  bool fitted() const { return (role & fixed) == 0 && (kind == Kind::real || kind == Kind::array); }
};

namespace detail {
FieldView view_of(const char* name, const char* unit, const char* text, Range range, unsigned role,
                  const char* per_load);
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

/// Views onto p, which must stay where it is.
template <class P> std::vector<FieldView> views(P& p) {
  std::vector<FieldView> out;
  each_field(p, [&](const auto& field, auto& v) {
    detail::bind(
        out.emplace_back(detail::view_of(field.name, field.unit, field.text, field.range, field.role, field.per_load)),
        v);
  });
  return out;
}

/// "Fc = 1.5 N", "k[2] = -3 N/m": for messages.
std::string quoted(const FieldView& field);

}  // namespace bristle
