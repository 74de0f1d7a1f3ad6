/// Nanoseconds per sample of every model, one by one and in batches, and of hand-written loops with the same formulas.
/// `make bench` runs it together with a NumPy pass and writes docs/benchmarks.md.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "bristle/batch.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/describe.hpp"
#include "hand.hpp"

using namespace bristle;

namespace {

constexpr std::size_t samples = 10000;
constexpr double period = 1e-3;

/// Strokes through zero at several times the model's own velocity.
template <class C> std::vector<double> motion(const C& c) {
  const auto s = c.scales();
  const double A = 5 * (s.velocity > 0 ? s.velocity : s.displacement > 0 ? 100 * s.displacement : 1);
  std::vector<double> v(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const double t = static_cast<double>(i) * period;
    v[i] = A * (std::sin(two_pi * 1.3 * t) + 0.3 * std::sin(two_pi * 7.7 * t));
  }
  return v;
}

/// Ten elements: the size most fits end with.
template <class C> void ten_elements(C& c) {
  if constexpr (requires { c.p.nu; }) {
    c.p.k.n = c.p.nu.n = 10;
    for (std::size_t i = 0; i < 10; ++i) {
      c.p.k[i] = 1e4 * static_cast<double>(i + 1);
      c.p.nu[i] = 0.1;
    }
  }
}

Table table_of(const std::string& model) {
  Table t;
  for (const auto& f : find_model(model)->parameters) {
    if (f.required) t.push_back({f.name, f.value});
    if (model == "gms" && f.name == "k")
      t.back().value = std::vector<double>{1e4, 2e4, 3e4, 4e4, 5e4, 6e4, 7e4, 8e4, 9e4, 1e5};
    if (model == "gms" && f.name == "nu") t.back().value = std::vector<double>(10, 0.1);
  }
  return t;
}

void per_sample(benchmark::State& state) {
  state.counters["ns"] = benchmark::Counter(static_cast<double>(state.iterations()) * samples,
                                            benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <class C> void scalar(benchmark::State& state, C c) {
  ten_elements(c);
  const auto v = motion(c);
  std::vector<double> F(samples);
  auto s = c.rest();
  typename C::Mode q{};
  for (auto _ : state) {
    for (std::size_t i = 0; i < samples; ++i) F[i] = advance(c, s, q, Motion<double>{.v = v[i]}, period);
    benchmark::DoNotOptimize(F.data());
    benchmark::ClobberMemory();
  }
  per_sample(state);
}

template <class T, class C> void along(benchmark::State& state, const C& c, const std::string& isa) {
  const auto plain = motion(c);
  const std::vector<T> v(plain.begin(), plain.end());
  std::vector<T> F(samples);
  auto made = make_batch<T>(c.card.name, table_of(c.card.name), 1, isa);
  for (auto _ : state) {
    made.batch->along(v, static_cast<T>(period), F);
    benchmark::ClobberMemory();
  }
  per_sample(state);
}

template <class C> void many(benchmark::State& state, const C& c, const std::string& isa) {
  const auto v = motion(c);
  std::vector<double> F(samples);
  auto made = make_batch<double>(c.card.name, table_of(c.card.name), samples, isa);
  for (auto _ : state) {
    made.batch->step(v, period, F);
    benchmark::ClobberMemory();
  }
  per_sample(state);
}

void hand_lugre(benchmark::State& state) {
  const LuGre<> c{};
  const auto v = motion(c);
  std::vector<double> F(samples);
  const hand::LuGre p{c.p.Fc, c.p.Fs, c.p.vs, c.p.sigma0, c.p.sigma1, c.p.kv};
  double z = 0;
  for (auto _ : state) {
    hand::lugre(p, z, v.data(), period, F.data(), samples);
    benchmark::ClobberMemory();
  }
  per_sample(state);
}

void hand_gms(benchmark::State& state) {
  Gms<> c{};
  ten_elements(c);
  const auto v = motion(c);
  std::vector<double> F(samples);
  hand::Gms p{c.p.Fc, c.p.Fs, c.p.vs, c.p.C, c.p.kv, {}, {}};
  for (std::size_t i = 0; i < 10; ++i) {
    p.k[i] = c.p.k[i];
    p.nu[i] = c.p.nu[i];
  }
  hand::GmsState s{};
  for (auto _ : state) {
    hand::gms(p, s, v.data(), period, F.data(), samples);
    benchmark::ClobberMemory();
  }
  per_sample(state);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string isa = batch_instruction_sets().front();
  const std::string second = batch_instruction_sets().size() > 2 ? "avx2" : "baseline";
  benchmark::RegisterBenchmark("hand/lugre", hand_lugre);
  benchmark::RegisterBenchmark("hand/gms", hand_gms);
  Models::each([&]<template <class> class M>() {
    const M<double> c{};
    const std::string name = c.card.name;
    benchmark::RegisterBenchmark(("scalar/" + name).c_str(), [c](benchmark::State& s) { scalar(s, c); });
    benchmark::RegisterBenchmark(("along_avx2/" + name).c_str(),
                                 [c, second](benchmark::State& s) { along<double>(s, c, second); });
    benchmark::RegisterBenchmark(("along/" + name).c_str(),
                                 [c, isa](benchmark::State& s) { along<double>(s, c, isa); });
    benchmark::RegisterBenchmark(("along_float/" + name).c_str(),
                                 [c, isa](benchmark::State& s) { along<float>(s, c, isa); });
    benchmark::RegisterBenchmark(("many/" + name).c_str(), [c, isa](benchmark::State& s) { many(s, c, isa); });
  });
  benchmark::AddCustomContext("isa", isa);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
