#include "bristle/registry/read.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bristle {
namespace {

std::string with_unit(const std::string& x, const std::string& unit) {
  return unit.empty() || unit == "1" ? x : x + " " + unit;
}

std::string typical(const FieldView& f) {
  const Value value = f.get();
  if (const auto* x = value.as<double>(); x && *x == 0) return f.text;  // no size is usual: an amplitude, a frequency
  return fmt::format("{}, typically {}", f.text, with_unit(value.text(), f.unit));
}

/// The reason why a number is not accepted for this field, or "".
std::string complaint(const FieldView& f, const std::string& name, double x) {
  if (f.range.contains(x) && (f.kind != Kind::integer || x == std::floor(x))) return "";
  return fmt::format("{} = {} must be {}{}", name, with_unit(to_text(x), f.unit),
                     f.kind == Kind::integer ? "a whole number, " : "", describe(f.range, x));
}

void read_one(const FieldView& f, const Value& value, const std::string& where, Problems& problems) {
  auto wrong = [&](const std::string& text) { problems.push_back({where, text}); };
  auto wrong_kind = [&](const std::string& kind) {
    wrong(fmt::format("{} = {} must be {}", f.name, value.text(), kind));
  };
  switch (f.kind) {
    case Kind::real:
    case Kind::integer:
      if (const auto* x = value.as<double>(); !x) {
        wrong_kind(f.unit == "1" ? "a number" : "a number in " + f.unit);
      } else if (const std::string text = complaint(f, f.name, *x); !text.empty()) {
        wrong(text);
      } else {
        f.set(value);
      }
      break;
    case Kind::array:
      if (const auto* a = value.as<std::vector<double>>(); !a) {
        wrong_kind(fmt::format("an array such as {}", f.get().text()));
      } else if (a->empty() || a->size() > f.capacity) {
        wrong(fmt::format("{} has {} values, must have 1 to {}", f.name, a->size(), f.capacity));
      } else {
        const std::size_t before = problems.size();
        for (std::size_t i = 0; i < a->size(); ++i) {
          if (const std::string text = complaint(f, fmt::format("{}[{}]", f.name, i + 1), (*a)[i]); !text.empty())
            wrong(text);
        }
        if (problems.size() == before) f.set(value);
      }
      break;
    case Kind::boolean: value.as<bool>() ? f.set(value) : wrong_kind("true or false"); break;
    case Kind::choice:
      if (const auto* x = value.as<std::string>();
          x && std::find(f.choices.begin(), f.choices.end(), *x) != f.choices.end()) {
        f.set(value);
      } else {
        wrong_kind(fmt::format("one of \"{}\"", fmt::join(f.choices, "\", \"")));
      }
      break;
  }
}

/// Fc may be given as mu_c times normal_load. Rewrites such keys of the table into the fields they stand for.
Table without_coefficients(std::span<const FieldView> fields, const Table& table, const Source& source,
                           Problems& problems) {
  auto find = [&](const std::string& key) {
    return key.empty() ? table.end()
                       : std::find_if(table.begin(), table.end(), [&](const Entry& e) { return e.key == key; });
  };
  auto field_for = [&](const std::string& key) {
    return std::find_if(fields.begin(), fields.end(),
                        [&](const FieldView& f) { return !key.empty() && f.per_load == key; });
  };
  const bool own_load =
      std::any_of(fields.begin(), fields.end(), [](const FieldView& f) { return f.name == "normal_load"; });
  std::vector<std::string> coefficients;
  for (const FieldView& f : fields) {
    if (!f.per_load.empty()) coefficients.push_back(f.per_load);
  }
  // A misspelt coefficient also counts: its own message is enough.
  const bool uses_coefficients = std::any_of(table.begin(), table.end(), [&](const Entry& e) {
    const bool known = std::any_of(fields.begin(), fields.end(), [&](const FieldView& f) { return f.name == e.key; });
    return !known && !nearest(e.key, coefficients).empty();
  });
  const auto load = own_load ? table.end() : find("normal_load");
  const double* N = load == table.end() ? nullptr : load->value.as<double>();
  if (load != table.end() && uses_coefficients && (!N || !positive.contains(*N))) {
    problems.push_back({load->where, fmt::format("normal_load = {} must be a number in N {}", load->value.text(),
                                                 N ? describe(positive, *N) : "> 0")});
  }
  Table out;
  for (const Entry& e : table) {
    const auto f = field_for(e.key);
    if (f == fields.end()) {
      if (e.key != "normal_load" || own_load || coefficients.empty()) {
        out.push_back(e);
      } else if (!uses_coefficients) {
        problems.push_back(
            {e.where, fmt::format("normal_load in {} requires {}", source.section, fmt::join(coefficients, ", "))});
      }
      continue;
    }
    const double* mu = e.value.as<double>();
    if (find(f->name) != table.end()) {
      problems.push_back(
          {e.where, fmt::format("{} and {} are both given in {}; one is accepted", e.key, f->name, source.section)});
    } else if (load == table.end()) {
      problems.push_back({e.where, fmt::format("{} requires normal_load (N) in {}", e.key, source.section)});
      out.push_back({f->name, f->get(), e.where});  // stands for the missing product, so that it is not missed as well
    } else if (!mu) {
      problems.push_back({e.where, fmt::format("{} = {} must be a number", e.key, e.value.text())});
      out.push_back({f->name, f->get(), e.where});
    } else {
      out.push_back({f->name, N && positive.contains(*N) ? Value(*mu * *N) : f->get(), e.where});
    }
  }
  return out;
}

std::size_t index_of(std::span<const FieldView> fields, std::string_view name) {
  const auto f = std::find_if(fields.begin(), fields.end(), [&](const FieldView& v) { return v.name == name; });
  return static_cast<std::size_t>(f - fields.begin());
}

/// The later change is the likelier mistake: options of the command line (0), then the file itself (1), then those it takes in.
int distance_of(std::string_view where, std::string_view own) {
  if (where.starts_with("--")) return 0;
  return where.substr(0, where.rfind(':')) == own.substr(0, own.rfind(':')) ? 1 : 2;
}

}  // namespace

FieldView detail::view_of(const char* name, const char* unit, const char* text, Range range, unsigned role,
                          const char* per_load, Start start) {
  return {.name = name,
          .unit = unit,
          .text = text,
          .per_load = per_load ? per_load : "",
          .range = range,
          .role = role,
          .start = start};
}

RelationInfo detail::relation_info(Bond bond, std::span<const char* const> names, const char* rule) {
  RelationInfo out{bond};
  for (const char* name : names) {
    if (name) out.fields.emplace_back(name);
  }
  auto of = [&](std::size_t i) { return out.fields[i]; };
  switch (bond) {
    case Bond::condition: out.rule = rule; break;
    case Bond::above: out.rule = of(0) + " >= " + of(1); break;
    case Bond::strictly_above: out.rule = of(0) + " > " + of(1); break;
    case Bond::fraction: out.rule = of(0) + " < " + of(1) + (out.fields.size() > 2 ? "/" + of(2) : ""); break;
    case Bond::below_one: out.rule = of(0) + " < 1 unless " + of(1) + " = 0"; break;
    case Bond::sum_to_one: out.rule = "sum of " + of(0) + " = 1"; break;
    case Bond::shares: out.rule = "sum of " + of(0) + " >= " + of(1); break;
    case Bond::same_length: out.rule = of(0) + " and " + of(1) + " have the same length"; break;
    case Bond::optional_length: out.rule = of(1) + " is absent or as long as " + of(0); break;
    case Bond::interval: out.rule = of(0) + " = [from, to]"; break;
  }
  return out;
}

bool is_waived(const FieldView& field, std::span<const FieldView> fields) {
  const std::size_t i = field.waived_by.empty() ? fields.size() : index_of(fields, field.waived_by);
  if (i == fields.size()) return false;
  const Value value = fields[i].get();
  if (const auto* a = value.as<std::vector<double>>()) return !a->empty();
  const auto* x = value.as<double>();
  return x && *x != 0;
}

std::string quoted(const FieldView& f) { return fmt::format("{} = {}", f.name, with_unit(f.get().text(), f.unit)); }

ReadResult read_fields(std::span<const FieldView> fields, const Table& table, const Source& source, bool partial) {
  ReadResult r{std::vector<bool>(fields.size()),
               std::vector<bool>(fields.size(), true),
               std::vector<std::string>(fields.size(), source.where),
               {}};
  Table once;
  for (Entry e : table) {
    if (e.where.empty()) e.where = source.where;
    if (std::any_of(once.begin(), once.end(), [&](const Entry& o) { return o.key == e.key; })) {
      r.problems.push_back({e.where, fmt::format("key '{}' is given twice in {}", e.key, source.section)});
    } else {
      once.push_back(std::move(e));
    }
  }
  const Table plain = without_coefficients(fields, once, source, r.problems);
  std::vector<bool> meant(fields.size());  // by a misspelt key: one mistake, one message
  std::vector<std::string> names;
  for (const FieldView& f : fields) {
    names.push_back(f.name);
    if (!f.per_load.empty() && !partial) names.push_back(f.per_load);
  }
  for (const Entry& e : plain) {
    const std::size_t i = index_of(fields, e.key);
    if (i == fields.size()) {
      const std::string near = nearest(e.key, names);
      r.problems.push_back({e.where, fmt::format("unknown key '{}' in {}{}", e.key, source.section,
                                                 !near.empty()   ? fmt::format(", did you mean '{}'?", near)
                                                 : names.empty() ? fmt::format("; {} accepts none", source.owner)
                                                                 : fmt::format("; {} accepts {}", source.owner,
                                                                               fmt::join(names, ", ")))});
      for (std::size_t k = 0; k < fields.size(); ++k) {
        if (!near.empty() && (fields[k].name == near || fields[k].per_load == near)) meant[k] = true;
      }
    } else {
      const std::size_t before = r.problems.size();
      r.given[i] = true;
      r.where[i] = e.where;
      read_one(fields[i], e.value, e.where, r.problems);
      r.good[i] = r.problems.size() == before;
    }
  }
  for (std::size_t i = 0; i < fields.size() && !partial; ++i) {
    if (!r.given[i] && meant[i]) r.good[i] = false;
    const std::size_t other = fields[i].waived_by.empty() ? fields.size() : index_of(fields, fields[i].waived_by);
    const bool waived = other < fields.size() && r.given[other] && is_waived(fields[i], fields);
    if (waived && r.given[i]) {
      r.good[i] = false;
      r.problems.push_back({r.where[i], fmt::format("{} and {} are both given in {}; one is accepted", fields[i].name,
                                                    fields[other].name, source.section)});
    }
    if (!r.given[i] && !meant[i] && !waived && fields[i].required()) {
      r.good[i] = false;
      r.problems.push_back(
          {source.where, fmt::format("missing key '{}' in {}; required: {}{}", fields[i].name, source.section,
                                     typical(fields[i]), other < fields.size() ? ", or " + fields[other].name : "")});
    }
  }
  return r;
}

void report_relation(std::span<const FieldView> fields, const ReadResult& read, const Source& source,
                     const RelationInfo& relation, Problems& problems) {
  std::string values;
  std::string where = source.where;
  int best = 3;
  for (const std::string& name : relation.fields) {
    const std::size_t i = index_of(fields, name);
    if (!read.good[i]) return;  // already reported
    values += (values.empty() ? "" : ", ") + quoted(fields[i]);
    if (const int rank = distance_of(read.where[i], source.where); read.given[i] && rank < best) {
      best = rank;
      where = read.where[i];
    }
  }
  if (relation.bond == Bond::sum_to_one) {
    const Value value = fields[index_of(fields, relation.fields.front())].get();
    const auto& a = *value.as<std::vector<double>>();
    const double sum = std::accumulate(a.begin(), a.end(), 0.0);
    problems.push_back({where, fmt::format("{} sums to {}, must sum to 1", values, to_text(sum))});
  } else {
    problems.push_back({where, fmt::format("{} must satisfy {}", values, relation.rule)});
  }
}

}  // namespace bristle
