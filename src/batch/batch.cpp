#include "bristle/batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "base/processor.hpp"
#include "bristle/registry/any.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/read.hpp"
#include "kernels.hpp"

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

template <template <class> class M, class T> class BatchOf final : public Batch<T> {
 public:
  BatchOf(const M<T>& c, std::size_t n, const batch::ModelKernels<T>& k) : c_(c), n_(n), kernels_(k) { reset(); }
  std::size_t size() const override { return n_; }

  bool vary(std::string_view parameter, std::span<const T> values) override {
    if (values.size() != n_)
      throw BadInput(fmt::format("{} has {} values, must have {}, one per contact", parameter, values.size(), n_));
    std::size_t j = 0, found = ~std::size_t{0};
    Range range{};
    each_scalar(c_.p, [&](const auto& f, int i, T&) {
      if (parameter == (i > 0 ? fmt::format("{}{}", f.name, i) : f.name)) {
        found = j;
        range = f.range;
      }
      ++j;
    });
    if (found == ~std::size_t{0}) return false;
    for (const T x : values) {
      if (!range.contains(static_cast<double>(x)))
        throw BadInput(fmt::format("{} = {} must be {}", parameter, x, describe(range, static_cast<double>(x))));
    }
    if (params_.empty()) {
      each_scalar(c_.p, [&](const auto&, int, T& e) { params_.emplace_back(n_, e); });
    }
    params_[found].assign(values.begin(), values.end());
    reset();
    return true;
  }

  void step(std::span<const T> v, T dt, std::span<T> F) override {
    check(v, dt, F);
    if (v.size() != n_) throw BadInput(fmt::format("v has {} values, must have {}, one per contact", v.size(), n_));
    kernels_.many(&c_, params_.empty() ? nullptr : varied_.data(), pointers_.data(), modes_.data(), v.data(), dt,
                  F.data(), n_, usual_);
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
  M<T> c_;
  std::size_t n_;
  bool usual_ = true;
  batch::ModelKernels<T> kernels_;
  std::vector<std::vector<T>> stored_, params_;
  std::vector<T*> pointers_;
  std::vector<const T*> varied_;
  std::vector<typename M<T>::Mode> modes_;
};

template <class T, template <class> class... M>
MadeBatch<T> make_from(List<M...>, std::string_view model, const Table& parameters, std::size_t n,
                       const batch::Table<T>& kernels) {
  MadeBatch<T> made;
  std::size_t index = 0;
  auto one = [&]<template <class> class One>() {
    if (model == One<double>::card.name) {
      One<double> c{};
      made.problems = read(c.p, parameters, {"[friction]", std::string(model)});
      if (n == 0) made.problems.push_back({"", "a batch requires at least one contact"});
      if (made.problems.empty()) made.batch = std::make_unique<BatchOf<One, T>>(rebind<T>(c), n, kernels[index]);
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
MadeBatch<T> make_batch(std::string_view model, const Table& parameters, std::size_t contacts, std::string_view isa) {
  for (const auto& choice : choices_of<T>()) {
    if (choice.runs && (isa.empty() || isa == choice.name)) {
      return make_from<T>(Models{}, model, parameters, contacts, choice.kernels());
    }
  }
  MadeBatch<T> made;
  made.problems.push_back(
      {"", fmt::format("unknown instruction set '{}'; accepted: {}", isa, fmt::join(batch_instruction_sets(), ", "))});
  return made;
}
template MadeBatch<double> make_batch<double>(std::string_view, const Table&, std::size_t, std::string_view);
template MadeBatch<float> make_batch<float>(std::string_view, const Table&, std::size_t, std::string_view);

}  // namespace bristle
