#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.hpp"
#include "scenario/functions.hpp"
#include "scenario/shared/bounds.hpp"

namespace bristle::scenario {
namespace {

const std::vector<std::string> of_columns = names_of(Of::columns), of_events = names_of(Of::events),
                               of_both = names_of(Of::both), of_run = names_of(Of::run), of_band = names_of(Of::band),
                               of_chain_alone = names_of(Of::chain), of_sizes = names_of(Of::sizes);

const std::vector<std::string>& event_names() {
  static const std::vector<std::string> names{to_string(Event::stick), to_string(Event::slip_forward),
                                              to_string(Event::slip_backward)};
  return names;
}

/// Optional numbers of one expectation.
struct Bounds {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  double value{none}, abs{none}, rel{none}, min{none}, max{none}, from{none}, to{none};
  static constexpr auto fields() {
    using B = Bounds;
    return Fields{Field{&B::value, "value", "1", "expected value", any_real, role::optional},
                  Field{&B::abs, "abs", "1", "absolute tolerance", nonnegative, role::optional},
                  Field{&B::rel, "rel", "1", "tolerance relative to value", nonnegative, role::optional},
                  Field{&B::min, "min", "1", "lower bound", any_real, role::optional},
                  Field{&B::max, "max", "1", "upper bound", any_real, role::optional},
                  Field{&B::from, "from", "s", "beginning of the window", nonnegative, role::optional},
                  Field{&B::to, "to", "s", "end of the window", nonnegative, role::optional}};
  }
};

class ExpectReader {
 public:
  ExpectReader(const Member& member, const char* section, const Columns& columns, double duration, Reading& reading)
      : key_(member.key),
        section_(section),
        node_(member.value),
        columns_(columns),
        duration_(duration),
        reading_(reading) {}

  Expectation read(bool bounds) {
    e_.text = key_;
    e_.where = node_.where;
    read_terms();
    if (bounds) {
      read_bounds();
    } else {
      read_window();
    }
    return e_;
  }
  /// The bounds alone, without a quantity and its window.
  Expectation bounds() {
    e_.text = key_;
    e_.where = node_.where;
    if (read_numbers([](const FieldView& f) { return f.name != "from" && f.name != "to"; })) check_bounds();
    return e_;
  }

 private:
  void wrong(const std::string& text) {
    reading_.wrong(node_.where, fmt::format("\"{}\" in {}: {}", key_, section_, text));
  }

  /// One quantity, or two as in "F(9) - F(5)" and "max(F) / mean(F)".
  void read_terms() {
    const std::string_view key = key_;
    int depth = 0;
    for (std::size_t i = 0; i < key.size(); ++i) {
      depth += key[i] == '(' ? 1 : key[i] == ')' ? -1 : 0;
      if (depth != 0 || (key[i] != '-' && key[i] != '/')) continue;
      e_.join = key[i];
      read_function(key.substr(0, i), e_);
      return read_function(key.substr(i + 1), e_.second);
    }
    read_function(key, e_);
  }

  /// max(F), mean(F, 5, 20), x(5), time(slip+, 2).
  void read_function(std::string_view key, RunQuantity& q) {
    key = trimmed(key);
    const std::size_t open = key.find('('), comma = key.find(',');
    if (open == std::string_view::npos || open == 0 || key.back() != ')') {
      return wrong("must be a function of a column, such as max(F), or its value at a time, such as x(5)");
    }
    const std::string name(trimmed(key.substr(0, open)));
    const std::string_view inside = key.substr(open + 1, key.size() - open - 2);
    const bool two = comma != std::string_view::npos;
    const std::string first(trimmed(inside.substr(0, two ? comma - open - 1 : inside.size())));
    const std::string second(two ? trimmed(key.substr(comma + 1, key.size() - comma - 2)) : "");
    if ((contains(of_chain_alone, name) || contains(of_sizes, name)) && columns_.all && columns_.blocks == 0) {
      wrong(fmt::format("{} requires kind = \"chain\" in [system]", name));
    } else if (contains(of_run, name) || contains(of_chain_alone, name)) {
      q.function = name;
      if (!inside.empty()) wrong(fmt::format("{} has no argument: {}()", name, name));
    } else if (contains(of_sizes, name)) {
      q.function = name;
      read_two_numbers(name, first, second, q);
    } else if (contains(of_band, name)) {
      q.function = name;
      q.of = first;
      read_band(two, second, q);
      known_column(first);
    } else if (contains(of_columns, name) || (contains(of_both, name) && !contains(event_names(), first))) {
      q.function = name;
      q.of = first;
      if (two) read_own_window(second, q);
      known_column(first);
    } else if (contains(of_events, name) || contains(of_both, name)) {
      q.function = name;
      q.of = first;
      if (!contains(event_names(), first))
        wrong(fmt::format("unknown event '{}'{}", first, hint(first, event_names())));
      read_count(name, two, second, q);
    } else {
      read_value_at(name, first, two, q);
    }
  }
  /// The two times of mean(F, 5, 20).
  void read_own_window(std::string_view times, RunQuantity& q) {
    const std::size_t comma = times.find(',');
    const auto from = parse_number(std::string(trimmed(times.substr(0, comma))));
    const auto to =
        comma == std::string_view::npos ? std::nullopt : parse_number(std::string(trimmed(times.substr(comma + 1))));
    if (!from || !to) return wrong("must have one column, or a column and the two ends of a window: mean(F, 5, 20)");
    q.from = from;
    q.to = to;
    check_window(q);
  }
  /// Moments of size_exponent(0.001, 0.1), or time and delay of decay_exponent(100, 0.1).
  void read_two_numbers(const std::string& name, const std::string& first, const std::string& second, RunQuantity& q) {
    const auto a = parse_number(first), b = parse_number(second);
    const bool sizes = name.starts_with("size");
    if (!a || !b || (sizes ? !(*a > 0 && *b > *a) : !(*a >= 0 && *b > 0))) {
      return wrong(sizes ? fmt::format("must have two moments in increasing order, such as {}(0.001, 0.1)", name)
                         : fmt::format("must have a time and a delay above 0, such as {}(100, 0.1)", name));
    }
    q.argument = *a;
    q.argument2 = *b;
    if (!sizes) inside_run("t", *a + *b);
  }
  /// The tolerance of settling_time(x, 0.02), relative to the step of the reference.
  void read_band(bool two, const std::string& second, RunQuantity& q) {
    const auto band = two ? parse_number(second) : 0.02;
    if (!band || !(*band > 0 && *band < 1))
      return wrong(
          fmt::format("'{}' must be the band relative to the step, between 0 and 1: settling_time(x, 0.02)", second));
    q.argument = *band;
  }
  void read_count(const std::string& name, bool two, const std::string& second, RunQuantity& q) {
    q.argument = 1;
    if (!two) return;
    const auto n = parse_number(second);
    if (name != "time") {
      wrong("must have one event");
    } else if (!n || !(*n >= 1 && *n <= 1e9) || *n != std::floor(*n)) {
      wrong(fmt::format("'{}' must be the number of the event, counted from 1", second));
    } else {
      q.argument = *n;
    }
  }
  void read_value_at(const std::string& name, const std::string& time, bool two, RunQuantity& q) {
    q.function = "at";
    q.of = name;
    const auto t = parse_number(time);
    if (!t || two) {
      std::vector<std::string> known;
      for (const auto* list : {&of_band, &of_columns, &of_events, &of_both, &of_run, &of_chain_alone, &of_sizes})
        known.insert(known.end(), list->begin(), list->end());
      return wrong(fmt::format("unknown function '{}'{}", name, hint(name, known)));
    }
    q.argument = *t;
    known_column(name);
    inside_run("t", *t);
  }
  void known_column(const std::string& name) {
    if (const std::string why = columns_.objection(name); !why.empty()) wrong(why);
  }
  void inside_run(const char* name, double t) {
    if (!(t >= 0 && !(t > duration_))) {
      wrong(fmt::format("{} = {} s lies outside the run, 0 to {} s", name, to_text(t), to_text(duration_)));
    }
  }

  void read_bounds() {
    if (!node_.as<Node::Object>()) {
      const auto* x = node_.as<double>();
      return wrong(fmt::format("{} must be {{ value = {}, rel = 0.01 }}, or with abs, or with bounds min, max",
                               text_of(node_), x ? to_text(*x) : "1"));
    }
    if (read_numbers([](const FieldView&) { return true; })) check_bounds();
  }
  void check_bounds() {
    const bool tolerance = e_.abs || e_.rel;
    if (e_.value && !tolerance) {
      wrong(fmt::format("value = {} requires a tolerance, rel = 0.01 or abs (0 for exactly)", to_text(*e_.value)));
    } else if (tolerance && !e_.value) {
      wrong("a tolerance requires a value");
    } else if (!e_.value && !e_.min && !e_.max) {
      wrong("requires value with abs or rel, or bounds min, max");
    }
    if (e_.min && e_.max && *e_.min > *e_.max)
      wrong(fmt::format("min = {} must not exceed max = {}", to_text(*e_.min), to_text(*e_.max)));
  }
  void read_window() {
    if (const auto* window = node_.as<Node::Object>(); window && window->empty()) return;
    read_numbers([](const FieldView& f) { return f.name == "from" || f.name == "to"; });
  }
  bool read_numbers(bool (*known)(const FieldView&)) {
    Bounds b;
    std::vector<FieldView> fields = views(b);
    std::erase_if(fields, [&](const FieldView& f) { return !known(f); });
    const Section section{node_, fmt::format("\"{}\" of {}", key_, section_)};
    if (!read_section(section, "an expectation", fields, {}, reading_).good) return false;
    auto given = [&](const char* name, double x) { return section.has(name) ? std::optional(x) : std::nullopt; };
    e_.value = given("value", b.value);
    e_.abs = given("abs", b.abs);
    e_.rel = given("rel", b.rel);
    e_.min = given("min", b.min);
    e_.max = given("max", b.max);
    use_window(given("from", b.from), given("to", b.to));
    return true;
  }
  /// Gives the window to each quantity without its own.
  void use_window(const std::optional<double>& from, const std::optional<double>& to) {
    if (!from && !to) return;
    std::size_t users = 0;
    for (RunQuantity* q : {static_cast<RunQuantity*>(&e_), &e_.second}) {
      if (q->function.empty() || q->function == "at" || q->from || q->to) continue;
      ++users;
      q->from = from;
      q->to = to;
      if (users == 1) check_window(*q);
    }
    if (users == 0 && !e_.function.empty())
      wrong(fmt::format("from and to are not accepted {}",
                        e_.from ? "with a window in the function" : "for the value at one time"));
  }
  void check_window(const RunQuantity& q) {
    if (q.from) inside_run("from", *q.from);
    if (q.to) inside_run("to", *q.to);
    if (q.from && q.to && !(*q.from < *q.to)) {
      wrong(fmt::format("from = {} s must be less than to = {} s", to_text(*q.from), to_text(*q.to)));
    }
  }

  const std::string& key_;
  const char* section_;
  const Node& node_;
  const Columns& columns_;
  double duration_;
  Reading& reading_;
  Expectation e_{};
};

}  // namespace

std::vector<Expectation> read_expectations(const Node& root, const Columns& columns, double duration,
                                           Reading& reading) {
  std::vector<Expectation> out;
  if (const auto section = subsection(root, "expect", reading)) {
    reading.describe(*section, {}, {{"*", form::table, "bounds of this function of the run"}}, true);
    for (const Member& m : *section->node.as<Node::Object>())
      out.push_back(ExpectReader(m, "[expect]", columns, duration, reading).read(true));
  }
  return out;
}

Expectation read_bounds(const Member& member, Reading& reading) {
  const Columns none;
  return ExpectReader(member, "[[check]]", none, std::numeric_limits<double>::infinity(), reading).bounds();
}

Expectation read_quantity(const Member& quantity, const Columns& columns, double duration, Reading& reading) {
  return ExpectReader(quantity, "[[table]]", columns, duration, reading).read(false);
}

namespace {

/// peak = "max(F)" or { of = "max(F)", from = 5 }: the expression is the key of a table with the window.
std::optional<Member> as_quantity(const Member& m, Reading& reading) {
  const Node* expression = m.value.as<Node::Object>() ? m.value.find("of") : &m.value;
  const auto* text = expression ? expression->as<std::string>() : nullptr;
  if (!text) {
    reading.wrong(m.value.where,
                  fmt::format("{} = {} in [measure]; must be an expression such as \"max(F)\", or {{ of = \"max(F)\", "
                              "from = 5, to = 10 }}",
                              m.key, text_of(m.value)));
    return {};
  }
  Node::Object window;
  if (const auto* table = m.value.as<Node::Object>()) {
    reading.describe({m.value, fmt::format("{} of [measure]", m.key)}, {},
                     {Key{"of", form::text, "function of the run"}.needed()});
    window = *table;
  }
  std::erase_if(window, [](const Member& e) { return e.key == "of"; });
  return Member{*text, Node{std::move(window), m.value.where}};
}

}  // namespace

std::vector<Measure> read_measures(const Node& root, const std::vector<std::string>& more, const Columns& columns,
                                   double duration, Reading& reading) {
  std::vector<Measure> out;
  auto add = [&](const Member& m) {
    const auto quantity = as_quantity(m, reading);
    if (!quantity) return;
    Measure read{m.key, ExpectReader(*quantity, "[measure]", columns, duration, reading).read(false)};
    const auto same = std::ranges::find(out, m.key, &Measure::name);
    (same == out.end() ? out.emplace_back() : *same) = std::move(read);
  };
  if (const auto section = subsection(root, "measure", reading)) {
    reading.describe(*section, {}, {{"*", form::text | form::table, "function of the run"}}, true);
    for (const Member& m : *section->node.as<Node::Object>()) add(m);
  }
  for (const std::string& given : more) {
    const std::size_t equals = given.find('=');
    const std::string name(trimmed(given.substr(0, equals)));
    const std::string where =
        given == fmt::format("{0}={0}", name) ? name : "--measure " + given;  // a goal has no name of its own
    if (equals == std::string::npos || name.empty()) {
      reading.wrong(where, "must be NAME=EXPRESSION, such as peak=max(F)");
    } else {
      add({name, Node{std::string(trimmed(given.substr(equals + 1))), where}});
    }
  }
  return out;
}

}  // namespace bristle::scenario
