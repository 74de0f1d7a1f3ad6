#include "registry/shared/distribution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bristle/registry/sections.hpp"

namespace bristle {
namespace {

using asperity::Distribution;
using asperity::DistributionKey;
using DistributionKind = Distribution::Kind;

constexpr double least_probability = 1e-9;  // between from and to: below, the inversion loses its digits

/// The keys of one parameter.
class Reader {
 public:
  Reader(const DrawnView& view, Table entries, const Source& source, Problems& problems)
      : view_(view), entries_(std::move(entries)), source_(source), problems_(problems) {}

  void read() {
    const std::size_t before = problems_.size();
    const Entry* kind = find("kind");
    const auto* word = kind ? kind->value.as<std::string>() : nullptr;
    const auto name = word ? std::ranges::find(Distribution::names, *word) : Distribution::names.end();
    if (name == Distribution::names.end()) {
      wrong(kind, fmt::format("{}; kind is one of \"{}\"",
                              kind ? "kind = " + kind->value.text() + " is not known" : "missing key 'kind'",
                              fmt::join(Distribution::names, "\", \"")));
      return;
    }
    Distribution d;
    d.kind = static_cast<DistributionKind>(name - Distribution::names.begin());
    const std::vector<DistributionKey> keys = asperity::keys_of(d.kind);
    for (const DistributionKey& k : keys) read_number(k, d);
    if (d.kind == DistributionKind::table) read_values(d);
    refuse_others(keys, d.kind);
    if (problems_.size() == before) check(d);
    if (problems_.size() == before) *view_.at = std::move(d);
  }

 private:
  const Entry* find(std::string_view key) const {
    const auto at = std::ranges::find(entries_, key, &Entry::key);
    return at == entries_.end() ? nullptr : &*at;
  }
  void wrong(const Entry* e, const std::string& text) {
    const std::string& where = e ? e->where : entries_.empty() ? source_.where : entries_.front().where;
    problems_.push_back(
        {where.empty() ? source_.where : where, fmt::format("{} {}: {}", source_.section, view_.name, text)});
  }
  void read_number(const DistributionKey& k, Distribution& d) {
    const Entry* e = find(k.name);
    if (!e) {
      if (k.fallback) {
        d.*k.at = *k.fallback;
      } else {
        wrong(nullptr, fmt::format("missing key '{}' ({}) of kind \"{}\"", k.name, k.text,
                                   Distribution::names[static_cast<std::size_t>(d.kind)]));
      }
      return;
    }
    const double* x = e->value.as<double>();
    const bool off = x && k.fallback && *x == *k.fallback;  // inf: no truncation
    if (!x || (!k.range.contains(*x) && !off)) {
      wrong(e, fmt::format("{} = {} must be a number {}", k.name, e->value.text(), x ? describe(k.range, *x) : ""));
    } else {
      d.*k.at = *x;
    }
  }
  void read_values(Distribution& d) {
    const Entry* e = find("values");
    const auto* all = e ? e->value.as<std::vector<double>>() : nullptr;
    if (!e) return wrong(nullptr, "kind \"table\" requires values = [...], or file and column");
    if (!all || all->size() < 2) return wrong(e, "values must be an array of at least 2 numbers");
    if (!std::ranges::all_of(*all, [](double x) { return any_real.contains(x); }))
      return wrong(e, fmt::format("values must be finite numbers of at most {}", to_text(limit::most)));
    auto sorted = std::make_shared<std::vector<double>>(*all);
    std::ranges::sort(*sorted);
    d.values = std::move(sorted);
  }
  void refuse_others(const std::vector<DistributionKey>& keys, DistributionKind kind) {
    std::vector<std::string> known{"kind"};
    for (const DistributionKey& k : keys) known.emplace_back(k.name);
    if (kind == DistributionKind::table) known.emplace_back("values");
    for (const Entry& e : entries_) {
      if (std::ranges::find(known, e.key) != known.end()) continue;
      wrong(&e, fmt::format("unknown key '{}'; kind \"{}\" has {}", e.key,
                            Distribution::names[static_cast<std::size_t>(kind)], fmt::join(known, ", ")));
    }
  }
  void check(const Distribution& d) {
    if (!(d.from < d.to))
      return wrong(find("from"), fmt::format("from = {} must be less than to = {}", to_text(d.from), to_text(d.to)));
    if (const double part = asperity::Sampler(d).width(); !(part >= least_probability))
      return wrong(find("from"), fmt::format("the probability between from and to is {}, must be at least {}",
                                             to_text(part), to_text(least_probability)));
    // A log-normal distribution comes close to 0 and does not reach it.
    const bool open = d.kind == Distribution::Kind::lognormal && !(d.from > 0);
    const double low = open ? asperity::Sampler(d)(asperity::inner(0)) : d.lowest(), high = d.highest();
    if (view_.range.lo >= 0 && low < view_.range.lo) {
      const char* rule = view_.range.lo > 0 ? "> 0" : ">= 0";
      return wrong(find("kind"), d.can_be_truncated()
                                     ? fmt::format("values reach {}, must be {}; give from", to_text(low), rule)
                                     : fmt::format("the least value {} must be {}", to_text(low), rule));
    }
    if (high < inf && high > view_.range.hi)
      wrong(find("kind"), fmt::format("the greatest value {} must be {}", to_text(high), describe(view_.range, high)));
  }

  const DrawnView& view_;
  Table entries_;
  const Source& source_;
  Problems& problems_;
};

}  // namespace

Problems check_replaced(const std::vector<Replaced>& replaced, const Table& parameters, const Source& source) {
  Problems problems;
  for (const Replaced& r : replaced) {
    const auto old = std::ranges::find(parameters, r.key, &Entry::key);
    if (old == parameters.end()) continue;
    problems.push_back(
        {old->where.empty() ? source.where : old->where,
         fmt::format("{} in [friction] and {} in {} are both given; one is accepted", r.key, r.by, source.section)});
  }
  return problems;
}

Problems read_distributions(const std::vector<DrawnView>& views, const Table& entries, const Source& source) {
  Problems problems;
  std::vector<std::string> names;
  for (const DrawnView& v : views) names.push_back(v.name);
  for (const DrawnView& v : views) {
    Table own;
    const std::string prefix = v.name + ".";
    for (const Entry& e : entries) {
      if (e.key.starts_with(prefix)) own.push_back({e.key.substr(prefix.size()), e.value, e.where});
    }
    if (own.empty()) continue;
    Reader(v, std::move(own), source, problems).read();
  }
  for (const Entry& e : entries) {
    const std::string name = e.key.substr(0, e.key.find('.'));
    if (std::ranges::find(names, name) != names.end() && e.key.size() > name.size()) continue;
    const std::string near = nearest(name, names);
    problems.push_back(
        {e.where.empty() ? source.where : e.where,
         e.key == name && std::ranges::find(names, name) != names.end()
             ? fmt::format("{} {} = {} must be a table such as {{ kind = \"gaussian\", mean = 0, sd = 1 }}",
                           source.section, name, e.value.text())
             : fmt::format("unknown key '{}' in {}; {}", name, source.section,
                           near.empty() ? fmt::format("{} has {}", source.owner, fmt::join(names, ", "))
                                        : "did you mean '" + near + "'?")});
  }
  return problems;
}

Table distribution_settings(const std::vector<DrawnView>& views) {
  Table out;
  for (const DrawnView& v : views) {
    if (!*v.at) continue;
    const Distribution& d = **v.at;
    const std::string prefix = std::string(of_distribution) + v.name + ".";
    out.push_back({prefix + "kind", Value(Distribution::names[static_cast<std::size_t>(d.kind)])});
    for (const DistributionKey& k : asperity::keys_of(d.kind)) {
      if (!k.fallback || d.*k.at != *k.fallback) out.push_back({prefix + k.name, Value(d.*k.at)});
    }
    if (d.values) out.push_back({prefix + "values", Value(*d.values)});
  }
  return out;
}

std::vector<Variable> distribution_parameters(const std::vector<DrawnView>& views) {
  std::vector<Variable> out;
  for (const Entry& e : distribution_settings(views)) {
    if (const double* x = e.value.as<double>()) out.push_back({e.key, "", *x});
  }
  return out;
}

}  // namespace bristle
