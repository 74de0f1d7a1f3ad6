#include "identify/joint_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bristle/registry/any.hpp"
#include "identify/evaluator.hpp"

namespace bristle::identify {
namespace {

/// Other optional parameters are fitted on request.
bool usual(const AnyContact& c, const std::string& name) {
  const auto model = evaluator(std::string(c.model()), {});
  const auto& all = model->scalars();
  const auto found = std::ranges::find(all, name, &Scalar::name);
  return found == all.end() || (found->role & role::optional) == 0 || (found->role & role::sought) != 0;
}
double number(const AnyContact& c, const std::string& name) {
  const Value v = c.parameter(name);
  return v.as<double>() ? *v.as<double>() : NAN;
}

}  // namespace

JointParameters::JointParameters(const Rig& rig, const JointOptions& options)
    : rig_(rig), options_(options), base_(copy_of(rig.experiment)) {
  apply_fixed();
  choose();
  relate();
}

void JointParameters::apply_fixed() {
  for (const Entry& e : options_.fixed) {
    const auto [contact, name] = place(e.key, "--fix");
    base_.contacts[contact].contact->set(name, e.value);
  }
}

/// The contact and the parameter of JOINT.PARAMETER.
std::pair<std::size_t, std::string> JointParameters::place(const std::string& key, const char* option) const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < base_.contacts.size(); ++i) {
    for (const FieldInfo& f : find_model(base_.contacts[i].contact->model())->parameters) {
      all.push_back(base_.contacts[i].name + "." + f.name);
      if (all.back() == key) return {i, f.name};
    }
  }
  const std::string near = nearest(key, all);
  throw BadInput(fmt::format(
      "{} {}: unknown parameter; {}", option, key,
      near.empty() ? fmt::format("one of {}", fmt::join(all, ", ")) : fmt::format("did you mean '{}'?", near)));
}

void JointParameters::choose() {
  std::vector<std::string> zero;
  for (std::size_t i = 0; i < base_.contacts.size(); ++i) {
    const AnyContact& c = *base_.contacts[i].contact;
    for (const FieldInfo& f : find_model(c.model())->parameters) {
      const std::string key = base_.contacts[i].name + "." + f.name;
      const bool asked = std::ranges::find(options_.free, key) != options_.free.end();
      const bool fixed = std::ranges::any_of(options_.fixed, [&](const Entry& e) { return e.key == key; });
      if (asked && fixed) throw BadInput(fmt::format("{} is both in --free and in --fix; one is accepted", key));
      if (asked ? false : fixed || !f.fitted || !usual(c, f.name) || !options_.free.empty()) continue;
      const Value value = c.parameter(f.name);
      const double* x = value.as<double>();
      if (!x || f.kind != Kind::real) {
        if (asked) throw BadInput(fmt::format("--free {}: must be a parameter with one number", key));
        continue;
      }
      if (!(*x > 0) || !std::isfinite(*x)) {
        if (asked)
          throw BadInput(
              fmt::format("--free {}: the scenario must give a starting value > 0, not {}", key, to_text(*x)));
        zero.push_back(key);
        continue;
      }
      const bool follows = !f.follows.empty() && *x == f.factor * number(c, f.follows);
      if (follows && !asked) continue;
      Free one{i, base_.contacts[i].name, f.name, f.unit, *x, f.range};
      for (const FieldInfo& g : find_model(c.model())->parameters) {
        const Value other = c.parameter(g.name);
        if (g.follows == f.name && other.as<double>() && *other.as<double>() == g.factor * *x)
          one.also.emplace_back(g.name, g.factor);
      }
      free_.push_back(std::move(one));
    }
  }
  for (const std::string& key : options_.free) place(key, "--free");
  if (free_.empty())
    throw BadInput(fmt::format("{}: no parameter to fit; a joint with [joint.friction] is required", rig_.name));
  if (!zero.empty())
    notes_.push_back(fmt::format("not fitted, as the scenario gives no value > 0: {}", fmt::join(zero, ", ")));
}

Operand JointParameters::operand(std::size_t contact, const std::string& name) const {
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (free_[i].contact != contact) continue;
    if (free_[i].name == name) return {1, static_cast<std::ptrdiff_t>(i)};
    for (const auto& [key, factor] : free_[i].also) {
      if (key == name) return {factor, static_cast<std::ptrdiff_t>(i)};
    }
  }
  return {number(*base_.contacts[contact].contact, name)};
}

void JointParameters::relate() {
  constexpr double strictly = 1e-9;
  for (std::size_t i = 0; i < base_.contacts.size(); ++i) {
    for (const RelationInfo& r : find_model(base_.contacts[i].contact->model())->relations) {
      if (r.bond != Bond::above && r.bond != Bond::strictly_above && r.bond != Bond::fraction) continue;
      Tie tie{r.bond != Bond::fraction, r.bond == Bond::above ? 0 : strictly};
      tie.a = operand(i, r.fields[0]);
      tie.b = operand(i, r.fields[1]);
      if (r.fields.size() > 2) tie.c = operand(i, r.fields[2]);
      const bool numbers = tie.a.factor > 0 && tie.b.factor > 0 && tie.c.factor > 0;  // not those of arrays
      if (numbers && tie.a.of != tie.b.of && tie.moved().free()) ties_.push_back(tie);
    }
  }
  for (const Free& f : free_) {
    constexpr double widest = 12;  // of a logarithm
    box_.lo.push_back(f.range.lo > 0 ? std::max(-widest, std::log(f.range.lo / f.start)) : -widest);
    box_.hi.push_back(std::min(widest, std::log(f.range.hi / f.start)));
  }
}

std::vector<double> JointParameters::values(const std::vector<double>& q) const {
  std::vector<double> x(free_.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::clamp(free_[i].start * std::exp(q[i]), free_[i].range.lo, free_[i].range.hi);
  for (const Tie& tie : ties_) tie.keep(x);
  return x;
}

void JointParameters::project(std::vector<double>& q) const {
  box_.clamp(q);
  const std::vector<double> x = values(q);
  for (std::size_t i = 0; i < x.size(); ++i) q[i] = std::log(x[i] / free_[i].start);
  box_.clamp(q);
}

Experiment JointParameters::experiment(const std::vector<double>& q) const {
  Experiment e = copy_of(base_);
  std::vector<Table> tables(base_.contacts.size());
  const std::vector<double> all = values(q);
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const double x = all[i];
    tables[free_[i].contact].push_back({free_[i].name, x});
    for (const auto& [key, factor] : free_[i].also) tables[free_[i].contact].push_back({key, factor * x});
  }
  for (std::size_t i = 0; i < tables.size(); ++i) e.contacts[i].contact->set(tables[i]);
  return e;
}

bool JointParameters::at_limit(const std::vector<double>& q, std::size_t i) const {
  const std::vector<double> x = values(q);
  return q[i] - box_.lo[i] < 1e-6 || box_.hi[i] - q[i] < 1e-6 ||
         std::ranges::any_of(ties_, [&](const Tie& tie) { return tie.active(x, i); });
}

}  // namespace bristle::identify
