#include <cmath>
#include <deque>
#include <string_view>

#include "bristle/batch/along.hpp"
#include "bristle/couple_all.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/friction_file.hpp"
#include "bristle/simulate/snapshot.hpp"
#include "common.hpp"

namespace bristle::python {
namespace {

/// A contact and where its motion is.
struct Contact {
  std::unique_ptr<AnyContact> any;
  std::vector<std::string> notes{};
  Place place{};
  std::atomic_flag busy{};  // a contact is moved by one thread at a time

  explicit Contact(Made&& made) : any(std::move(made.contact)), notes(std::move(made.notes)) {}
  Contact(const Contact& o) : any(o.any->clone()), notes(o.notes), place(o.place) {}

  Motion<double> motion(double v, std::optional<double> x, double load, double temperature, double F_app) const {
    return {.x = x.value_or(place.x),
            .v = v,
            .F_app = F_app,
            .r = load,
            .path = place.path,
            .t = place.t,
            .temperature = temperature};
  }
  /// The motion at the end of a step.
  Motion<double> ahead(double v, double dt, std::optional<double> x, double load, double temperature,
                       double F_app) const {
    Motion<double> u = motion(v, x, load, temperature, F_app);
    u.x = x.value_or(place.x + v * dt);
    u.path += std::abs(v) * dt;
    u.t += dt;
    return u;
  }
};

/// Refuses a second thread, which would mix two motions.
class Moving {
 public:
  explicit Moving(Contact& c) : c_(c) {
    if (c.busy.test_and_set()) raise({"this contact is moved by another thread; each thread requires its own copy()"});
  }
  ~Moving() { c_.busy.clear(); }
  Moving(const Moving&) = delete;
  Moving& operator=(const Moving&) = delete;

 private:
  Contact& c_;
};

Contact made(Made&& made) {
  raise_if(made.problems);
  return Contact(std::move(made));
}

/// "LuGre" of bristle::LuGre<double>.
template <class C> std::string class_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__, before = "C = bristle::";
  const std::size_t at = text.find(before) + before.size();
  return std::string(text.substr(at, text.find_first_of("<];", at) - at));
}
std::string class_of(const std::string& model) {
  std::string name;
  Models::visit(model, [&]<template <class> class M>() { name = class_name<M<double>>(); });
  if (model == Gfm::card.name) name = class_name<Gfm>();
  if (model == Generic2010<double>::card.name) name = class_name<Generic2010<double>>();
  return name;
}

nb::dict field_of(const FieldInfo& f) {
  nb::dict d;
  d["name"] = f.name;
  d["unit"] = f.unit;
  d["meaning"] = f.meaning;
  d["kind"] = to_string(f.kind);
  d["required"] = f.required;
  d["value"] = object_of(f.value);
  d["range"] = nb::make_tuple(f.range.lo, f.range.hi);
  d["accepted"] = f.choices.empty() ? nb::cast(describe(f.range)) : nb::cast(f.choices);
  d["follows"] = f.follows;
  d["per_load"] = f.per_load;
  return d;
}
nb::list fields_of_list(const std::vector<FieldInfo>& fields) {
  nb::list out;
  for (const FieldInfo& f : fields) out.append(field_of(f));
  return out;
}

nb::list model_list() {
  nb::list out;
  for (const ModelInfo& i : model_infos()) {
    nb::dict d, has;
    d["name"] = i.name;
    d["class"] = class_of(i.name);
    d["title"] = i.title;
    d["equations"] = i.equations;
    d["notes"] = i.notes;
    d["references"] = i.references;
    d["set_valued"] = i.set_valued;
    for (const PropertyInfo& p : property_infos()) has[p.name] = i.has.*p.at;
    d["properties"] = has;
    d["parameters"] = fields_of_list(i.parameters);
    d["states"] = fields_of_list(i.states);
    nb::list rules;
    for (const RelationInfo& r : i.relations) rules.append(nb::make_tuple(r.rule, r.fields, static_cast<int>(r.bond)));
    d["relations"] = rules;
    out.append(d);
  }
  return out;
}

nb::dict values_of(const std::vector<Variable>& variables) {
  nb::dict out;
  for (const Variable& v : variables) out[v.name.c_str()] = v.value;
  return out;
}

/// In pieces of at most a few milliseconds, between which Ctrl-C is handled. The contact stays as it was after an error.
void move_along(Contact& c, const In& dt, const In& v, const In& x, const In& load, const In& temperature, Out& F) {
  const Moving moving(c);
  check({.dt = span_of(dt), .v = span_of(v), .x = span_of(x), .r = span_of(load), .temperature = span_of(temperature)});
  if (F.shape(0) != v.shape(0)) raise({"out: must be as long as the motion"});
  const std::vector<double> before = c.any->state();
  const Place place = c.place;
  const std::size_t n = v.shape(0), most = c.any->index() < Models::size ? 8192 : 32;
  try {
    const nb::gil_scoped_release without;
    auto last = std::chrono::steady_clock::now();
    for (std::size_t from = 0; from < n; from += most) {
      const std::size_t count = std::min(most, n - from);
      auto part = [&](const In& a) { return a.shape(0) == n ? span_of(a).subspan(from, count) : span_of(a); };
      along(*c.any, {.dt = part(dt), .v = part(v), .x = part(x), .r = part(load), .temperature = part(temperature)},
            c.place, {F.data() + from, count});
      if (const auto now = std::chrono::steady_clock::now(); now - last > std::chrono::milliseconds(20)) {
        last = now;
        const nb::gil_scoped_acquire with;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      }
    }
  } catch (...) {
    c.any->set_state(before);
    c.place = place;
    throw;
  }
}

nb::tuple couple_all_of(const std::vector<Contact*>& contacts, const In& mass, bool inverse, const In& v,
                        const In& F_app, double dt) {
  const std::size_t n = contacts.size();
  std::vector<std::string> problems;
  if (mass.shape(0) != n * n) problems.push_back("mass: must be a matrix with a row and a column per contact");
  if (v.shape(0) != n) problems.push_back("v: must have one value per contact");
  if (F_app.shape(0) != n) problems.push_back("F_app: must have one value per contact");
  if (!(dt > 0) || !std::isfinite(dt)) problems.push_back("dt = " + to_text(dt) + " s must be > 0");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (contacts[i] == contacts[j])
        problems.push_back("contacts: the same contact twice; each requires its own copy()");
    }
  }
  if (!problems.empty()) raise(problems);
  std::deque<Moving> moving;
  for (Contact* c : contacts) moving.emplace_back(*c);
  std::vector<ContactRef> refs;
  std::vector<std::vector<double>> before;
  std::vector<Motion<double>> motions;
  for (std::size_t i = 0; i < n; ++i) {
    refs.push_back(contacts[i]->any->ref());
    before.push_back(contacts[i]->any->state());
    motions.push_back(contacts[i]->motion(v.data()[i], {}, 1, 20, F_app.data()[i]));
  }
  CoupleAll work(n);
  const bool good = inverse ? work.step(refs, InverseMassMatrix{span_of(mass)}, motions, dt)
                            : work.step(refs, MassMatrix{span_of(mass)}, motions, dt);
  if (!good) {
    for (std::size_t i = 0; i < n; ++i) contacts[i]->any->set_state(before[i]);
    raise({"couple_all: no balance found; mass must be symmetric and positive definite, and all numbers finite"});
  }
  std::vector<double> w, F;
  nb::list holds;
  for (std::size_t i = 0; i < n; ++i) {
    const Coupled<double>& r = work.result()[i];
    w.push_back(r.v);
    F.push_back(r.F);
    holds.append(r.holds);
    Place& p = contacts[i]->place;
    p = {p.x + r.v * dt, p.path + std::abs(r.v) * dt, p.t + dt};
  }
  return nb::make_tuple(owned(std::move(w)), owned(std::move(F)), holds);
}

}  // namespace

void bind_contact(nb::module_& m) {
  m.def("models", &model_list);
  m.def("effects", [] { return fields_of_list(effect_infos()); });
  m.def("heat", [] { return fields_of_list(heat_infos()); });

  nb::class_<Contact>(m, "Contact")
      .def("__init__",
           [](Contact* self, const std::string& model, const nb::dict& parameters, const nb::dict& effects,
              const nb::dict& initial) {
             new (self) Contact(made(make(model, table_of(parameters), table_of(effects), table_of(initial))));
           })
      .def_prop_ro("model", [](const Contact& c) { return std::string(c.any->model()); })
      .def_ro("notes", &Contact::notes)
      .def_prop_ro("passive", [](const Contact& c) { return c.any->passive(); })
      .def("_settings", [](const Contact& c) { return dict_of(c.any->settings()); })
      .def("_initial", [](const Contact& c) { return dict_of(c.any->initial()); })
      .def("_set",
           [](Contact& c, const nb::dict& values) {
             const Moving moving(c);
             c.any->set(table_of(values));
           })
      .def_prop_ro(
          "states", [](const Contact& c) { return values_of(c.any->states()); },
          "The states by name, as in the columns of a run.")
      .def_prop_ro("state_names", [](const Contact& c) { return c.any->state_names(); })
      .def_prop_rw(
          "state", [](const Contact& c) { return nb::cast(owned(c.any->state())); },
          [](Contact& c, const In& values) {
            const Moving moving(c);
            c.any->set_state(span_of(values));
          },
          "All that the contact remembers, modes too, as an array.", nb::for_setter(nb::arg("state")))
      .def_prop_ro(
          "x", [](const Contact& c) { return c.place.x; }, "Displacement since the start, m.")
      .def_prop_ro(
          "t", [](const Contact& c) { return c.place.t; }, "Time since the start, s.")
      .def(
          "reset",
          [](Contact& c) {
            const Moving moving(c);
            c.any->reset();
            c.place = {};
          },
          "Back to the initial state.")
      .def(
          "force",
          [](const Contact& c, double v, double load, double temperature, std::optional<double> x, double F_app) {
            return c.any->force(c.motion(v, x, load, temperature, F_app));
          },
          "v"_a, nb::kw_only(), "load"_a = 1.0, "temperature"_a = 20.0, "x"_a = nb::none(), "F_app"_a = 0.0,
          "Force in N at velocity v as the contact is now; nothing changes. load: normal load over nominal load.")
      .def(
          "step",
          [](Contact& c, double v, double dt, double load, double temperature, std::optional<double> x, double F_app) {
            const Moving moving(c);
            const Motion<double> u = c.ahead(v, dt, x, load, temperature, F_app);
            const double F = c.any->step(u, dt);
            c.place = {u.x, u.path, u.t};
            return F;
          },
          "v"_a, "dt"_a, nb::kw_only(), "load"_a = 1.0, "temperature"_a = 20.0, "x"_a = nb::none(), "F_app"_a = 0.0,
          "Advance by dt at constant velocity v; return the force at the end.")
      .def("_couple",
           [](Contact& c, double v, double F_app, double mass, double dt, double load, double temperature,
              std::optional<double> x) {
             const Moving moving(c);
             const auto r = c.any->couple(c.motion(v, x, load, temperature, F_app), mass, dt);
             c.place = {x.value_or(c.place.x) + r.v * dt, c.place.path + std::abs(r.v) * dt, c.place.t + dt};
             return nb::make_tuple(r.v, r.F, r.dFdv, r.holds);
           })
      .def(
          "_steady",
          [](const Contact& c, const In& v, Out F) {
            const nb::gil_scoped_release without;
            steady(*c.any, span_of(v), {F.data(), F.shape(0)});
          },
          "v"_a, nb::arg("out").noconvert())
      .def("_along", &move_along, "dt"_a, "v"_a, "x"_a, "load"_a, "temperature"_a, nb::arg("out").noconvert())
      .def("_assign",
           [](Contact& c, const Contact& o) {
             const Moving moving(c);
             c.any = o.any->clone();
             c.notes = o.notes;
             c.place = o.place;
           })
      .def("_text", [](const Contact& c) { return serialise(*c.any); })
      .def("_place", [](const Contact& c) { return nb::make_tuple(c.place.x, c.place.path, c.place.t); })
      .def("_restore",
           [](Contact& c, const std::string& text, double x, double path, double t) {
             const Moving moving(c);
             c.any = made(deserialise(text)).any;
             c.place = {x, path, t};
           })
      .def("_snapshot", [](const Contact& c) {
        Trace all = snapshot(*c.any);
        nb::dict out;
        for (Column& column : all.columns) out[column.name.c_str()] = owned(std::move(column.values));
        return out;
      });
  m.def("couple_all", &couple_all_of);
  m.def("load_contact", [](const std::string& text, const std::string& path) {
    const LoadedContact read = read_contact(text, path);
    raise_if(read.problems);
    return nb::make_tuple(std::string(read.contact->model()), serialise(*read.contact));
  });
}

}  // namespace bristle::python
