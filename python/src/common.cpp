#include "common.hpp"

namespace bristle::python {

void raise(const std::vector<std::string>& problems) {
  const nb::object type = nb::module_::import_("bristle._errors").attr("InputError");
  PyErr_SetObject(type.ptr(), nb::cast(problems).ptr());
  throw nb::python_error();
}

void raise_if(const Problems& problems) {
  if (problems.empty()) return;
  std::vector<std::string> lines;
  for (const Problem& p : problems) lines.push_back(p.line());
  raise(lines);
}

namespace {
Value value_of(const std::string& key, nb::handle h) {
  if (nb::isinstance<nb::bool_>(h)) return nb::cast<bool>(h);
  if (nb::isinstance<nb::str>(h)) return nb::cast<std::string>(h);
  double x = 0;
  if (nb::try_cast<double>(h, x)) return x;
  std::vector<double> a;
  if (nb::try_cast<std::vector<double>>(h, a)) return a;
  raise({key + " = " + nb::cast<std::string>(nb::repr(h)) +
         ": must be a number, a boolean, a text or a list of numbers"});
}
}  // namespace

Table table_of(const nb::dict& values) {
  Table out;
  for (auto [key, value] : values) {
    const std::string name = nb::cast<std::string>(key);
    out.push_back({name, value_of(name, value)});
  }
  return out;
}

nb::object object_of(const Value& v) {
  if (const auto* x = v.as<double>()) return nb::cast(*x);
  if (const auto* b = v.as<bool>()) return nb::cast(*b);
  if (const auto* s = v.as<std::string>()) return nb::cast(*s);
  return nb::cast(*v.as<std::vector<double>>());
}

nb::dict dict_of(const Table& table) {
  nb::dict out;
  for (const Entry& e : table) out[e.key.c_str()] = object_of(e.value);
  return out;
}

Array owned(std::vector<double>&& values) {
  auto held = std::make_unique<std::vector<double>>(std::move(values));
  std::vector<double>& all = *held;
  const nb::capsule owner(held.release(), [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return {all.data(), {all.size()}, owner};
}

Array inside(const std::vector<double>& values, nb::handle owner) {
  return {const_cast<double*>(values.data()), {values.size()}, owner};
}

nb::dict columns_of(const Trace& trace, nb::handle owner) {
  nb::dict out;
  for (const Column& c : trace.columns) out[c.name.c_str()] = inside(c.values, owner);
  return out;
}
nb::dict units_of(const Trace& trace) {
  nb::dict out;
  for (const Column& c : trace.columns) out[c.name.c_str()] = c.unit;
  return out;
}

namespace {
nb::object copied(const std::vector<double>& values) { return nb::cast(owned(std::vector<double>(values))); }
nb::dict axis_of(const plot::Axis& a) {
  nb::dict out;
  out["label"] = a.label;
  out["log"] = a.log;
  out["limits"] = a.limits ? nb::object(nb::make_tuple((*a.limits)[0], (*a.limits)[1])) : nb::none();
  return out;
}
}  // namespace

nb::dict figure_of(const plot::Figure& figure) {
  static constexpr const char* styles[]{"line", "points", "steps", "line_and_points"};
  static constexpr const char* kinds[]{"stick", "slip+", "slip-", "other"};
  nb::dict out;
  nb::list panels;
  for (const plot::Panel& p : figure.panels) {
    nb::dict panel;
    panel["title"] = p.title;
    panel["x"] = axis_of(p.x);
    panel["y"] = axis_of(p.y);
    nb::list series, bands, marks, lines;
    for (const plot::Series& s : p.series) {
      nb::dict d;
      d["label"] = s.label;
      d["x"] = copied(s.x);
      d["y"] = copied(s.y);
      d["style"] = styles[static_cast<int>(s.style)];
      d["color"] = s.color ? nb::cast(*s.color) : nb::none();
      d["dash"] = s.dash.value_or(0);
      series.append(d);
    }
    for (const plot::Band& b : p.bands) {
      nb::dict d;
      d["label"] = b.label;
      d["x"] = copied(b.x);
      d["lo"] = copied(b.lo);
      d["hi"] = copied(b.hi);
      bands.append(d);
    }
    for (const plot::Mark& k : p.marks) marks.append(nb::make_tuple(k.x, kinds[static_cast<int>(k.kind)]));
    for (const plot::Reference& r : p.horizontal) lines.append(nb::make_tuple("y", r.at, r.label));
    for (const plot::Reference& r : p.vertical) lines.append(nb::make_tuple("x", r.at, r.label));
    panel["series"] = series;
    panel["bands"] = bands;
    panel["marks"] = marks;
    panel["lines"] = lines;
    panel["map"] = nb::none();
    if (p.map) {
      nb::dict d;
      d["label"] = p.map->label;
      d["x"] = copied(p.map->x);
      d["y"] = copied(p.map->y);
      d["z"] = copied(p.map->z);
      panel["map"] = d;
    }
    panels.append(panel);
  }
  out["title"] = figure.title;
  out["columns"] = figure.columns;
  out["panels"] = panels;
  return out;
}

}  // namespace bristle::python
