#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../value.hpp"
#include "view.hpp"

/// Reads a parameter or state struct from a table of values. All problems are reported at once.
namespace bristle {

/// Origin of a table for messages: section "[friction]", owner "lugre".
struct Source {
  // section: name of the section, for messages; owner: reader of the keys, for messages
  std::string section, owner, where{};
};

/// Result for each field.
struct ReadResult {
  std::vector<bool> given, good;   // good: not given, or given and acceptable
  std::vector<std::string> where;  // place of its entry; place of the table if absent
  Problems problems;
};
/// `partial`: keys may be missing (initial states).
ReadResult read_fields(std::span<const FieldView> fields, const Table& table, const Source& source,
                       bool partial = false);

/// A relation that does not hold: reported at the first of its fields that is given.
void report_relation(std::span<const FieldView> fields, const ReadResult& read, const Source& source,
                     const RelationInfo& relation, Problems& problems);

namespace detail {
/// Defaults of absent fields follow the earlier ones (Fs = Fc).
template <class P> void complete(P& p, const std::vector<bool>& given) {
  auto one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    constexpr auto& field = field_in<fields_of<P>, I>;
    if constexpr ((field.role & role::optional) != 0 || field.waived_by != nullptr) {
      if (!given[I]) p.*field.at = default_after<I>(p);
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (one(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<fields_of<P>.size>{});
}
}  // namespace detail

/// Fills p; after problems p is invalid.
template <class P> Problems read(P& p, const Table& table, const Source& source, bool partial = false) {
  const std::vector<FieldView> fields = views(p);
  ReadResult result = read_fields(fields, table, source, partial);
  if (!partial) detail::complete(p, result.given);
  if constexpr (requires { P::relations(); }) {
    for (const auto& r : P::relations()) {
      if (!r.holds(p))
        report_relation(fields, result, source, detail::relation_info(r.bond, r.names, r.rule), result.problems);
    }
  }
  return result.problems;
}

}  // namespace bristle
