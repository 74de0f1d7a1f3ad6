#pragma once
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "experiment.hpp"

/// The same experiment in other units of mass, length and time, by the units in the field lists alone: a new model or
/// key is covered by itself.
namespace units {

using namespace bristle;

/// How many new units the old ones hold. Powers of four are exact, and so are their square roots: the rows of a solver that
/// knows no unit are then the same to the last bit.
struct System {
  double kg{1}, m{1}, s{1};

  /// Of a unit such as N s/m, kg m^2, N/(m s), 1/K, Hz. Angles and temperatures stay.
  double of(const std::string& unit) const {
    const std::size_t slash = std::min(unit.find('/'), unit.size());
    return product(unit.substr(0, slash)) / (slash < unit.size() ? product(unit.substr(slash + 1)) : 1);
  }

 private:
  double base(const std::string& name) const {
    if (name == "kg") return kg;
    if (name == "m") return m;
    if (name == "s") return s;
    if (name == "N") return kg * m / (s * s);
    if (name == "J") return kg * m * m / (s * s);
    if (name == "Hz") return 1 / s;
    if (name != "1" && name != "rad" && name != "K" && name != "degC") ADD_FAILURE() << "unknown unit '" << name << "'";
    return 1;
  }
  double product(const std::string& units) const {
    double all = 1;
    std::string name;
    for (std::size_t i = 0; i <= units.size(); ++i) {
      if (i < units.size() && (std::isalnum(static_cast<unsigned char>(units[i])) || units[i] == '^')) {
        name += units[i];
      } else if (!name.empty()) {
        const std::size_t hat = std::min(name.find('^'), name.size());
        const double power = hat < name.size() ? std::strtod(name.c_str() + hat + 1, nullptr) : 1;
        all *= std::pow(base(name.substr(0, hat)), power);
        name.clear();
      }
    }
    return all;
  }
};

/// Every number of a struct with a field list. `driven` is what "*" stands for.
template <class P> void convert(P& p, const System& u, const std::string& driven = "1") {
  each_field(p, [&](const auto& field, auto& value) {
    using V = std::remove_cvref_t<decltype(value)>;
    std::string unit = field.unit;
    double factor = 1;
    if (unit.starts_with('*')) {
      factor = u.of(driven);
      unit.replace(0, 1, "1");
    }
    if constexpr (std::is_same_v<V, double>) {
      value *= factor * u.of(unit);
    } else if constexpr (std::is_same_v<V, std::vector<double>>) {
      for (double& x : value) x *= factor * u.of(unit);
    }
  });
}

inline void convert(Drive& d, const System& u, const std::string& driven) {
  d.soft_start *= u.s;
  for (Term& term : d.terms) {
    term.soft_start *= u.s;
    std::visit(
        [&](auto& shape) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(shape)>, Points>) {
            for (double& t : shape.t) t *= u.s;
            for (double& value : shape.value) value *= u.of(driven);
          } else {
            convert(shape, u, driven);
          }
        },
        term.shape);
  }
}

inline Table converted(Table table, const std::vector<FieldInfo>& fields, const System& u) {
  for (Entry& e : table) {
    for (const FieldInfo& f : fields) {
      if (f.name != e.key || f.kind == Kind::integer) continue;
      if (const auto* x = e.value.as<double>()) {
        e.value = *x * u.of(f.unit);
      } else if (const auto* list = e.value.as<std::vector<double>>()) {
        std::vector<double> values = *list;
        for (double& v : values) v *= u.of(f.unit);
        e.value = values;
      }
    }
  }
  return table;
}

/// The tables that a contact was made of.
struct Recipe {
  std::string name, model;
  Table parameters{}, effects{};
  std::unique_ptr<AnyContact> made(const System& u = {}) const {
    return contact(model, converted(parameters, find_model(model)->parameters, u),
                   converted(effects, effect_infos(), u));
  }
};

struct Recipes {
  std::vector<Recipe> contacts{};
  std::optional<Recipe> feedforward{};
};

/// An experiment whose contacts were made by these.
inline Experiment converted(const Experiment& e, const Recipes& recipes, const System& u) {
  Experiment out;
  out.kind = e.kind;
  out.body = e.body;
  out.disk = e.disk;
  out.chain = e.chain;
  out.drive = e.drive;
  out.load = e.load;
  out.controller = e.controller;
  out.solver = e.solver;
  out.method = e.method;
  convert(out.body, u);
  convert(out.disk, u);
  convert(out.chain, u);
  convert(out.solver, u);
  if (out.controller) {
    convert(*out.controller, u);
    convert(out.controller->sensor, u);
  }
  convert(out.drive, u, e.drive.of == DriveOf::position ? "m" : e.drive.of == DriveOf::velocity ? "m/s" : "N");
  if (out.load) convert(*out.load, u, "1");
  for (const Recipe& r : recipes.contacts) out.contacts.push_back({r.name, r.made(u)});
  if (recipes.feedforward) out.feedforward = recipes.feedforward->made(u);
  return out;
}

}  // namespace units
