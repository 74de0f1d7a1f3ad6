#include "bristle/batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "base/processor.hpp"
#include "bristle/effects.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/read.hpp"
#include "shared/kernels.hpp"

namespace bristle {
namespace {

/// Kernels of this build that this processor can run, best first.
template <class T> struct Choice {
  const char* name;
  const batch::Table<T>& (*kernels)();
  bool runs;
};
template <class T> std::vector<Choice<T>> choices_of() {
  using Kernels = const batch::Table<T>& (*)();
  auto pick = [](const batch::Table<double>& (*in_double)(), const batch::Table<float>& (*in_float)()) -> Kernels {
    return std::get<Kernels>(std::tuple{in_double, in_float});
  };
  return {
#ifdef BRISTLE_AVX512
      {"avx512", pick(&batch::kernels_avx512_double, &batch::kernels_avx512_float), has_avx512()},
#endif
#ifdef BRISTLE_AVX2
      {"avx2", pick(&batch::kernels_avx2_double, &batch::kernels_avx2_float), has_avx2()},
#endif
      {"baseline", pick(&batch::kernels_baseline_double, &batch::kernels_baseline_float), true},
  };
}

/// A real parameter: its place in the order of each_scalar.
struct Found {
  std::size_t index;
  Range range;

  template <class T> void require(std::string_view name, std::span<const T> values) const {
    for (const T x : values) {
      if (!range.contains(static_cast<double>(x)))
        throw BadInput(fmt::format("{} = {} must be {}", name, x, describe(range, static_cast<double>(x))));
    }
  }
};
template <class P> std::optional<Found> find(P& p, std::string_view parameter) {
  std::optional<Found> found;
  std::size_t j = 0;
  each_scalar(p, [&](const auto& f, int i, auto&) {
    if (parameter == (i > 0 ? fmt::format("{}{}", f.name, i) : f.name)) found = {j, f.range};
    ++j;
  });
  return found;
}

/// Effects around the contacts of a batch, and the positions that they read. In double: a long displacement in float would lose
/// the ripple.
template <class T> class Surround {
 public:
  Surround(const Effects<double>& common, std::size_t n) : common_(common), u_(n), r_(n), F_app_(n) {}

  bool vary(std::string_view effect, std::span<const T> values) {
    const std::optional<Found> found = find(common_, effect);
    if (!found) return false;
    found->require(effect, values);
    std::erase_if(varied_, [&](const auto& v) { return v.first == found->index; });
    varied_.emplace_back(found->index, std::vector<double>(values.begin(), values.end()));
    return true;
  }
  void reset() { std::ranges::fill(u_, Motion<double>{}); }

  /// Inputs of the models inside, as in With (effects.hpp).
  batch::Inputs<T> enter(std::span<const T> v, T dt, const BatchInputs<T>& more) {
    for (std::size_t i = 0; i < u_.size(); ++i) {
      Motion<double>& u = u_[i];
      u.v = v[i];
      u.x = more.x.empty() ? u.x + u.v * dt : more.x[i];
      u.path += std::abs(u.v) * dt;
      u.t += dt;
      u.r = more.r.empty() ? 1 : more.r[i];
      u.temperature = more.temperature.empty() ? Motion<double>{}.temperature : more.temperature[i];
      const Motion<double> inside = at(i).in(u);
      r_[i] = static_cast<T>(inside.r);
      F_app_[i] = static_cast<T>(inside.F_app);
    }
    return {v.data(), r_.data(), F_app_.data()};
  }
  void leave(std::span<T> F) {
    for (std::size_t i = 0; i < u_.size(); ++i) F[i] = static_cast<T>(at(i).out(u_[i], F[i]));
  }

 private:
  const Effects<double>& at(std::size_t i) {
    if (varied_.empty()) return common_;
    each_scalar(common_, [&, j = std::size_t{0}](const auto&, int, double& e) mutable {
      for (const auto& [index, values] : varied_) {
        if (index == j) e = values[i];
      }
      ++j;
    });
    return common_;
  }
  Effects<double> common_;
  std::vector<std::pair<std::size_t, std::vector<double>>> varied_;
  std::vector<Motion<double>> u_;
  std::vector<T> r_, F_app_;
};

template <template <class> class M, class T> class BatchOf final : public Batch<T> {
 public:
  BatchOf(const M<T>& c, std::optional<Effects<double>> e, std::size_t n, const batch::ModelKernels<T>& k)
      : c_(c), n_(n), kernels_(k) {
    if (e) surround_.emplace(*e, n);
    reset();
  }
  using Batch<T>::step;
  std::size_t size() const override { return n_; }

  bool vary(std::string_view parameter, std::span<const T> values) override {
    if (values.size() != n_)
      throw BadInput(fmt::format("{} has {} values, must have {}, one per contact", parameter, values.size(), n_));
    if (surround_ && parameter.starts_with(of_effects)) {
      const bool known = surround_->vary(parameter.substr(of_effects.size()), values);
      reset();
      return known;
    }
    const std::optional<Found> found = find(c_.p, parameter);
    if (!found) return false;
    found->require(parameter, values);
    if (params_.empty()) {
      each_scalar(c_.p, [&](const auto&, int, T& e) { params_.emplace_back(n_, e); });
    }
    params_[found->index].assign(values.begin(), values.end());
    reset();
    return true;
  }

  void step(std::span<const T> v, T dt, std::span<T> F, const BatchInputs<T>& more) override {
    check(v, dt, F);
    require(v, "v", any_real, false);
    require(more.r, "r", nonnegative);
    require(more.x, "x", any_real);
    require(more.temperature, "temperature", any_real);
    batch::Inputs<T> in{v.data(), more.r.empty() ? nullptr : more.r.data(), nullptr};
    if (surround_) in = surround_->enter(v, dt, more);
    kernels_.many(&c_, params_.empty() ? nullptr : varied_.data(), pointers_.data(), modes_.data(), in, dt, F.data(),
                  n_, usual_);
    if (surround_) surround_->leave(F);
  }

  void along(std::span<const T> v, T dt, std::span<T> F) override {
    check(v, dt, F);
    M<T> c = first();
    auto s = c.rest();
    batch::each_stored(s, [&](std::size_t j, T& e) { e = stored_[j][0]; });
    kernels_.along(&c, &s, modes_.data(), v.data(), dt, F.data(), v.size(), usual_);
    batch::each_stored(s, [&](std::size_t j, T& e) { stored_[j][0] = e; });
  }

  void reset() override {
    usual_ = true;
    if (surround_) surround_->reset();
    modes_.assign(n_, {});
    stored_.clear();
    pointers_.clear();
    varied_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      M<T> c = c_;
      if (!params_.empty()) {
        std::size_t j = 0;
        each_scalar(c.p, [&](const auto&, int, T& e) { e = params_[j++][i]; });
      }
      usual_ = usual_ && usual_options(c.p);
      auto s = c.rest();
      batch::each_stored(s, [&](std::size_t j, T& e) {
        if (stored_.size() <= j) stored_.emplace_back(n_);
        stored_[j][i] = e;
      });
    }
    for (auto& a : stored_) pointers_.push_back(a.data());
    for (auto& a : params_) varied_.push_back(a.data());
  }

 private:
  M<T> first() const {
    M<T> c = c_;
    std::size_t j = 0;
    if (!params_.empty()) each_scalar(c.p, [&](const auto&, int, T& e) { e = params_[j++][0]; });
    return c;
  }
  static void check(std::span<const T> v, T dt, std::span<T> F) {
    if (!(dt > 0) || !std::isfinite(dt)) throw BadInput(fmt::format("dt = {} s must be > 0", dt));
    if (F.size() != v.size())
      throw BadInput(fmt::format("F has {} values, must have {}, as many as v", F.size(), v.size()));
  }
  void require(std::span<const T> values, const char* name, const Range& range, bool optional = true) const {
    if (values.size() != n_ && !(optional && values.empty()))
      throw BadInput(fmt::format("{} has {} values, must have {}, one per contact", name, values.size(), n_));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]) || !range.contains(static_cast<double>(values[i])))
        throw BadInput(fmt::format(
            "{}[{}] = {} must be {}", name, i, values[i],
            std::isfinite(values[i]) ? describe(range, static_cast<double>(values[i])) : "a finite number"));
    }
  }
  static constexpr std::string_view of_effects = "effects.";

  M<T> c_;
  std::size_t n_;
  bool usual_ = true;
  batch::ModelKernels<T> kernels_;
  std::optional<Surround<T>> surround_;
  std::vector<std::vector<T>> stored_, params_;
  std::vector<T*> pointers_;
  std::vector<const T*> varied_;
  std::vector<typename M<T>::Mode> modes_;
};

template <class T, template <class> class... M>
MadeBatch<T> make_from(List<M...>, std::string_view model, const Table& parameters, std::size_t n,
                       const batch::Table<T>& kernels, const Table& effects) {
  MadeBatch<T> made;
  std::optional<Effects<double>> around;
  if (!effects.empty()) {
    around.emplace();
    made.problems = read(*around, effects, {"[friction.effects]", "effects"});
  }
  std::size_t index = 0;
  auto one = [&]<template <class> class One>() {
    if (model == One<double>::card.name) {
      One<double> c{};
      for (Problem& p : read(c.p, parameters, {"[friction]", std::string(model)}))
        made.problems.push_back(std::move(p));
      if (n == 0) made.problems.push_back({"", "a batch requires at least one contact"});
      if (made.problems.empty())
        made.batch = std::make_unique<BatchOf<One, T>>(rebind<T>(c), around, n, kernels[index]);
    }
    ++index;
  };
  (one.template operator()<M>(), ...);
  if (!find_model(model)) {
    made.problems.push_back({"", unknown_model(model)});
  } else if (!made.batch && made.problems.empty()) {
    made.problems.push_back(
        {"", fmt::format("{} is a population of asperities; a batch accepts the other models", model)});
  }
  return made;
}

}  // namespace

std::vector<std::string> batch_instruction_sets() {
  std::vector<std::string> out;
  for (const auto& choice : choices_of<double>()) {
    if (choice.runs) out.emplace_back(choice.name);
  }
  return out;
}

template <class T>
MadeBatch<T> make_batch(std::string_view model, const Table& parameters, std::size_t contacts, std::string_view isa,
                        const Table& effects) {
  for (const auto& choice : choices_of<T>()) {
    if (choice.runs && (isa.empty() || isa == choice.name)) {
      return make_from<T>(Models{}, model, parameters, contacts, choice.kernels(), effects);
    }
  }
  MadeBatch<T> made;
  made.problems.push_back(
      {"", fmt::format("unknown instruction set '{}'; accepted: {}", isa, fmt::join(batch_instruction_sets(), ", "))});
  return made;
}
template MadeBatch<double> make_batch<double>(std::string_view, const Table&, std::size_t, std::string_view,
                                              const Table&);
template MadeBatch<float> make_batch<float>(std::string_view, const Table&, std::size_t, std::string_view,
                                            const Table&);

}  // namespace bristle
