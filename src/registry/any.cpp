#include "bristle/registry/any.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "bristle/couple_all.hpp"
#include "bristle/registry/sections.hpp"
#include "registry/shared/boxed.hpp"

namespace bristle {
namespace {

void require_positive(const char* name, const char* unit, double x) {
  if (!positive.contains(x)) {
    throw BadInput(fmt::format("{} = {} {} must be {}", name, to_text(x), unit, describe(positive, x)));
  }
}
[[gnu::noinline]] void refuse_motion(const Motion<double>& u) {
  struct Input {
    const char *name, *unit;
    double x;
  };
  for (const auto& [name, unit, x] : {Input{"x", " m", u.x},
                                      {"v", " m/s", u.v},
                                      {"F_app", " N", u.F_app},
                                      {"r", "", u.r},
                                      {"path", " m", u.path},
                                      {"t", " s", u.t},
                                      {"temperature", " degC", u.temperature}}) {
    if (!std::isfinite(x)) throw BadInput(fmt::format("{} = {}{} must be a finite number", name, to_text(x), unit));
  }
  if (u.r < 0) throw BadInput(fmt::format("normal load ratio r = {} must be >= 0", to_text(u.r)));
}
void require_finite(const Motion<double>& u) {
  if (!detail::usable(u)) refuse_motion(u);
}

/// An entry of a table and, for an element of an array, its number from 1.
struct Place {
  Table::iterator entry;
  std::size_t element = 0;
};
/// Keys of the model come first; `effects.` may be left out where that is clear.
Place find(Table& table, std::string_view key, std::string_view model) {
  auto named = [&](std::string_view name) {
    return std::find_if(table.begin(), table.end(), [&](const Entry& e) {
      return e.key == name || (e.key.starts_with(of_effects) && e.key.substr(of_effects.size()) == name);
    });
  };
  if (const auto whole = named(key); whole != table.end()) return {whole};
  const std::size_t digits = key.find_last_not_of("0123456789") + 1;
  if (digits > 0 && digits < key.size() && key[digits] != '0') {
    const auto array = named(key.substr(0, digits));
    std::size_t i = 0;
    std::from_chars(key.data() + digits, key.data() + key.size(), i);
    const auto* a = array == table.end() ? nullptr : array->value.as<std::vector<double>>();
    if (a && i <= a->size()) return {array, i};
  }
  std::vector<std::string> keys;
  for (const Entry& e : table) keys.push_back(e.key);
  const std::string near = nearest(key, keys);
  throw BadInput(near.empty() ? fmt::format("unknown parameter '{}'; {} has {}", key, model, fmt::join(keys, ", "))
                              : fmt::format("unknown parameter '{}' of {}, did you mean '{}'?", key, model, near));
}

}  // namespace

std::size_t AnyContact::index() const { return Models::size; }

Value AnyContact::parameter(std::string_view key) const {
  Table all = settings();
  const Place place = find(all, key, model());
  if (place.element == 0) return place.entry->value;
  return (*place.entry->value.as<std::vector<double>>())[place.element - 1];
}

void AnyContact::set(const Table& parameters) {
  Table all = settings();
  for (const Entry& e : parameters) {
    const bool absent = of_section(e.key) && std::ranges::find(all, e.key, &Entry::key) == all.end();
    if (absent && (has_effects() || !e.key.starts_with(of_negative))) {
      all.push_back(e);
      continue;
    }
    const Place place = find(all, e.key, model());
    if (place.element == 0) {
      place.entry->value = e.value;
    } else if (const double* x = e.value.as<double>()) {
      auto elements = *place.entry->value.as<std::vector<double>>();
      elements[place.element - 1] = *x;
      place.entry->value = Value(std::move(elements));
    } else {
      throw BadInput(fmt::format("{} = {} must be a number", e.key, e.value.text()));
    }
  }
  Table of_model, effects;
  for (Entry& e : all) {
    const bool effect = e.key.starts_with(of_effects) || of_section(e.key);
    if (e.key.starts_with(of_effects)) e.key.erase(0, of_effects.size());
    if (const auto* a = e.value.as<std::vector<double>>(); a && a->empty()) continue;  // absent
    (effect ? effects : of_model).push_back(std::move(e));
  }
  const Made made = make(model(), of_model, effects);
  if (!made.contact) throw BadInput(made.problems.front().line());
  take_parameters(*made.contact);
}

void AnyContact::set_state(std::span<const double> values) {
  if (const std::string wrong = do_set_state(values); !wrong.empty())
    throw BadInput(fmt::format("state of {}: {}", model(), wrong));
}

double AnyContact::force(const Motion<double>& u) const {
  require_finite(u);
  return do_force(u);
}

double AnyContact::step(const Motion<double>& u, double dt) {
  require_positive("dt", "s", dt);
  require_finite(u);
  return do_step(u, dt);
}

Coupled<double> AnyContact::couple(const Motion<double>& u, double mass, double dt) {
  require_positive("dt", "s", dt);
  require_positive("mass", "kg", mass);
  require_finite(u);
  return do_couple(u, mass, dt);
}

Coupled<double> AnyContact::do_couple(const Motion<double>& u, double mass, double dt) {
  return bristle::couple(ref(), u, mass, dt);
}

namespace {

/// For a contact of which only steps are known: a copy takes the trial steps, and differences of forces are the slope.
namespace by_steps {
AnyContact& contact(const ContactRef& r) { return *static_cast<AnyContact*>(r.state); }
Motion<double> motion(const ContactRef::Trial& t, double w) {
  Motion<double> u = t.u;
  u.x += w * t.dt;
  u.path += std::abs(w) * t.dt;
  u.v = w;
  u.F_app = t.need;
  return u;
}
double size(const ContactRef& r) { return contact(r).scales().force; }
double at(const ContactRef& r, const ContactRef::Trial& t, double w) {
  return contact(r).clone()->step(motion(t, w), t.dt);
}
ContactRef::Response stop(const ContactRef& r, const ContactRef::Trial& t) { return {at(r, t, 0)}; }
ContactRef::Response respond(const ContactRef& r, const ContactRef::Trial& t, double w) {
  const double h = 1e-4 * contact(r).scales().displacement / t.dt, F = at(r, t, w);
  return {F, h > 0 ? (at(r, t, w + h) - F) / h : 0};
}
detail::Root root(const ContactRef& r, const ContactRef::Trial& t, const ContactRef::Search& s, double F) {
  return ContactRef::search([&](double w) { return respond(r, t, w); }, t, s, F);
}
double advance(const ContactRef& r, const ContactRef::Trial& t, double w) {
  return contact(r).step(motion(t, w), t.dt);
}
constexpr ContactRef::Functions functions{false, size, stop, respond, root, advance};
}  // namespace by_steps

}  // namespace

ContactRef AnyContact::ref() { return {this, by_steps::functions}; }

std::vector<FieldView> differing(std::vector<FieldView> a, const std::vector<FieldView>& b) {
  std::size_t i = 0;
  std::erase_if(a, [&](const FieldView& f) { return f.get() == b[i++].get(); });
  return a;
}

Table settings_of(const std::vector<FieldView>& model, const Effects<double>* effects,
                  const std::vector<FieldView>& negative) {
  Table out;
  for (const FieldView& f : model) {
    if (!is_waived(f, model)) out.push_back({f.name, f.get()});
  }
  if (effects) {
    Effects<double> e = *effects;
    for (const FieldView& f : views(e)) out.push_back({std::string(of_effects) + f.name, f.get()});
  }
  for (const FieldView& f : negative) out.push_back({std::string(of_negative) + f.name, f.get()});
  return out;
}

std::vector<Variable> parameters_of(const std::vector<FieldView>& model, const Effects<double>* effects,
                                    const std::vector<FieldView>& negative) {
  std::vector<Variable> out;
  auto list = [&](const std::vector<FieldView>& fields, std::string_view prefix = "") {
    for (const FieldView& f : fields) {
      if (is_waived(f, fields)) continue;
      const std::string name = std::string(prefix) + f.name;
      const Value value = f.get();
      if (f.kind == Kind::real) out.push_back({name, f.unit, *value.as<double>()});
      if (f.kind != Kind::array) continue;
      std::size_t i = 0;
      for (const double x : *value.as<std::vector<double>>()) out.push_back({name + std::to_string(++i), f.unit, x});
    }
  };
  list(model);
  if (effects) {
    Effects<double> e = *effects;
    list(views(e));
  }
  list(negative, of_negative);
  return out;
}

std::vector<Variable> variables_of(const Slots& slots) {
  std::vector<Variable> out;
  out.reserve(slots.size());
  for (const Slot& s : slots) out.push_back({s.name(), s.unit, s.value()});
  return out;
}

}  // namespace bristle
