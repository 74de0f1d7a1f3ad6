#include "bristle/sweep/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/number.hpp"
#include "base/parallel.hpp"

namespace bristle::sweep {
namespace {

/// One value of --set-each: a change, and its text in the name of the run.
struct Choice {
  std::string change, name;
};

/// Splits at commas outside of brackets and quotes.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else {
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
    if (c == ',' && depth == 0 && quote == 0) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::vector<Choice> choices_of(const std::string& text, Problems& problems) {
  const std::size_t equals = text.find('=');
  const std::string key(trimmed(std::string_view(text).substr(0, equals)));
  std::vector<Choice> out;
  if (equals != std::string::npos && !key.empty()) {
    const std::string short_key = key.substr(key.rfind('.') + 1);
    for (const std::string& part : split(std::string_view(text).substr(equals + 1))) {
      const std::string value(trimmed(part));
      if (value.empty()) return problems.push_back({"--set-each " + text, "a value is empty"}), std::vector<Choice>{};
      out.push_back(
          {fmt::format("{}={}", key, value), short_key == "model" ? value : fmt::format("{} = {}", short_key, value)});
    }
  }
  if (out.empty()) problems.push_back({"--set-each " + text, "must be KEY=A,B,C, such as friction.model=lugre,dahl"});
  return out;
}

/// All combinations, the last choice varying fastest.
std::vector<std::vector<Choice>> combinations(const std::vector<std::vector<Choice>>& all) {
  std::vector<std::vector<Choice>> out{{}};
  for (const auto& choices : all) {
    std::vector<std::vector<Choice>> longer;
    for (const auto& begun : out) {
      for (const Choice& c : choices) {
        longer.push_back(begun);
        longer.back().push_back(c);
      }
    }
    out = std::move(longer);
  }
  return out;
}

/// File names without folder and ending if they differ, else the paths.
std::vector<std::string> names_of(const std::vector<std::string>& files) {
  std::vector<std::string> out;
  out.reserve(files.size());
  for (const std::string& f : files) out.push_back(std::filesystem::path(f).stem().string());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::ranges::count(out, out[i]) > 1) return files;
  }
  return out;
}

/// A column at a time, linear between rows; NaN outside.
double value_at(const std::vector<double>& t, const std::vector<double>& y, double at) {
  const auto after = static_cast<std::size_t>(std::ranges::lower_bound(t, at) - t.begin());
  if (after == t.size()) return std::numeric_limits<double>::quiet_NaN();
  if (t[after] == at || after == 0) return t[after] == at ? y[after] : std::numeric_limits<double>::quiet_NaN();
  const double share = (at - t[after - 1]) / (t[after] - t[after - 1]);
  return y[after - 1] + share * (y[after] - y[after - 1]);
}

}  // namespace

ComparedRead read_compared(const std::vector<std::string>& files, const std::vector<std::string>& set_each,
                           const Changes& changes) {
  constexpr std::size_t most = 100;
  ComparedRead out;
  std::vector<std::vector<Choice>> all;
  all.reserve(set_each.size());
  for (const std::string& text : set_each) all.push_back(choices_of(text, out.problems));
  if (!out.problems.empty()) return out;
  const auto combined = combinations(all);
  if (files.size() * combined.size() > most) {
    out.problems.push_back({"", fmt::format("{} runs; at most {} can be compared, 'bristle sweep' accepts more",
                                            files.size() * combined.size(), most)});
    return out;
  }
  const std::vector<std::string> names = names_of(files);
  for (std::size_t f = 0; f < files.size(); ++f) {
    for (const auto& set : combined) {
      Changes own = changes;
      own.other_models = true;
      std::string name = files.size() > 1 ? names[f] : "";
      for (const Choice& c : set) {
        own.set.push_back(c.change);
        name += (name.empty() ? "" : ", ") + c.name;
      }
      Loaded loaded = load_scenario(files[f], own);
      for (const Problem& p : loaded.problems)
        out.problems.push_back({p.where, set.empty() ? p.text : fmt::format("{}: {}", name, p.text)});
      if (loaded.scenario) out.runs.push_back({name.empty() ? names[f] : name, std::move(*loaded.scenario)});
    }
  }
  for (std::size_t i = 0; i < out.runs.size(); ++i) {
    auto same = [&](const Compared& c) { return c.name == out.runs[i].name; };
    const auto n = std::count_if(out.runs.begin(), out.runs.begin() + static_cast<std::ptrdiff_t>(i), same);
    if (n > 0) out.runs[i].name += fmt::format(" ({})", n + 1);
  }
  return out;
}

void simulate(std::vector<Compared>& runs, const std::atomic<bool>* stop) {
  in_parallel(runs.size(), 0, [&](std::size_t i) {
    Compared& c = runs[i];
    try {
      c.run = bristle::simulate(c.scenario.experiment, {.probes = probe_times(c.scenario), .stop = stop});
    } catch (const RunFailed& e) { c.failure = e.what(); }
  });
}

std::vector<std::string> common_columns(const std::vector<Compared>& runs) {
  std::vector<std::string> out;
  const auto first = std::ranges::find(runs, "", &Compared::failure);
  if (first == runs.end()) return out;
  for (const Column& c : first->run.trace.columns) {
    const bool everywhere = std::ranges::all_of(runs, [&](const Compared& r) {
      const Column* own = r.run.trace.find(c.name);
      return !r.failure.empty() || (own && own->unit == c.unit);
    });
    if (everywhere && c.name != "t") out.push_back(c.name);
  }
  return out;
}

std::vector<Difference> differences(const Compared& first, const Compared& other,
                                    const std::vector<std::string>& columns) {
  std::vector<Difference> out;
  const std::vector<double>& t = first.run.trace.find("t")->values;
  const std::vector<double>& other_t = other.run.trace.find("t")->values;
  for (const std::string& name : columns) {
    const Column &a = *first.run.trace.find(name), &b = *other.run.trace.find(name);
    Difference d{.column = name, .unit = a.unit};
    double sum = 0, time = 0, last = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double y = value_at(other_t, b.values, t[i]);
      if (std::isnan(y)) break;
      const double gap = std::abs(y - a.values[i]);
      d.largest = std::max(d.largest, gap);
      if (i > 0) {  // the square of a line between two rows
        sum += (t[i] - t[i - 1]) * (gap * gap + gap * last + last * last) / 3;
        time += t[i] - t[i - 1];
      }
      last = gap;
    }
    d.rms = time > 0 ? std::sqrt(sum / time) : d.largest;
    const auto [lo, hi] = std::ranges::minmax(a.values);
    d.relative = hi > lo ? d.largest / (hi - lo) : std::numeric_limits<double>::quiet_NaN();
    out.push_back(d);
  }
  return out;
}

}  // namespace bristle::sweep
