#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bristle/asperity/distribution.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/read.hpp"

/// Distributions of asperity parameters as tables: keys "h.kind", "h.mean", "h.values".
namespace bristle {

/// A parameter that may have a distribution.
struct DrawnView {
  std::string name;
  std::optional<asperity::Distribution>* at;
  Range range;
};
template <class D> std::vector<DrawnView> drawn_views(D& d) {
  std::vector<DrawnView> out;
  for (const auto& e : D::list()) out.push_back({e.name, &(d.*e.at), e.range});
  return out;
}
/// A key of [friction] that a distribution replaces.
struct Replaced {
  std::string key, by;
};
template <class D> std::vector<Replaced> replaced_by(const D& d) {
  std::vector<Replaced> out;
  for (const auto& e : D::list()) {
    if (d.*e.at && e.replaces[0]) out.push_back({e.replaces[0], e.name});
  }
  if constexpr (requires { D::of_land_and_gap; }) {
    for (const char* key : D::of_land_and_gap) {
      if (d.land && d.gap) out.push_back({key, "land, gap"});
    }
  }
  return out;
}
/// The fields of a population that no distribution replaces.
template <class P> std::vector<FieldView> own_views(P& p) {
  std::vector<FieldView> out = views(p);
  for (const Replaced& r : replaced_by(p.distribution))
    std::erase_if(out, [&](const FieldView& f) { return f.name == r.key; });
  return out;
}

/// Reads the entries without their prefix.
Problems read_distributions(const std::vector<DrawnView>& views, const Table& entries, const Source& source);
/// Keys of [friction] that are given although a distribution replaces them.
Problems check_replaced(const std::vector<Replaced>& replaced, const Table& parameters, const Source& source);
/// The entries with their prefix, to be read back.
Table distribution_settings(const std::vector<DrawnView>& views);
/// Their numbers, with the unit of the parameter.
std::vector<Variable> distribution_parameters(const std::vector<DrawnView>& views);

}  // namespace bristle
