/// Host and device: agreement for every model, and speed with what bounds it. Writes text to standard output and numbers as
/// JSON to the file given: bristle_gpu_bench OUT.json [quick]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "base/parallel.hpp"
#include "bristle/gpu.hpp"
#include "bristle/models.hpp"
#include "bristle/registry/describe.hpp"
#include "bristle/registry/read.hpp"
#include "gpu/device.hpp"

namespace {

using namespace bristle;
using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

std::string json;
void put(const std::string& name, double value) {
  char text[64];
  std::snprintf(text, sizeof text, std::isfinite(value) ? "%.9g" : "null", value);
  json += (json.empty() ? "  \"" : ",\n  \"") + name + "\": " + text;
}
double memory_bytes = INFINITY;  // per second
int failures = 0;
void require(bool good, const std::string& what) {
  if (good) return;
  ++failures;
  std::printf("FAILED: %s\n", what.c_str());
}

/// The larger one; infinite once anything is not a number.
void grow(double& worst, double x) {
  if (!(x <= worst)) worst = x == x ? x : INFINITY;
}
/// Numbers that are zero, all alike or not finite show nothing.
struct Spread {
  double least = INFINITY, most = -INFINITY;
  std::size_t all = 0, nonzero = 0;
  bool finite = true;
  void add(double x) {
    ++all;
    if (x != 0) ++nonzero;
    finite = finite && std::isfinite(x);
    least = std::min(least, x);
    most = std::max(most, x);
  }
  bool lives() const { return finite && 2 * nonzero > all && most > least; }
};

struct Timer {  // of the device
  cudaEvent_t a{}, b{};
  Timer() {
    gpu::check(cudaEventCreate(&a), "timer");
    gpu::check(cudaEventCreate(&b), "timer");
    gpu::check(cudaEventRecord(a), "timer");
  }
  double stop() {
    gpu::check(cudaEventRecord(b), "timer");
    gpu::check(cudaEventSynchronize(b), "timer");
    float ms = 0;
    gpu::check(cudaEventElapsedTime(&ms, a, b), "timer");
    return 1e-3 * ms;
  }
};

Table typical(const std::string& model) {
  Table out;
  for (const auto& f : find_model(model)->parameters) {
    if (f.required) out.push_back({f.name, f.value});
  }
  if (model == "rolling")
    out.push_back({"creepage", Value(std::vector<double>{0.01, -0.004})});  // x: the rolled distance
  return out;
}
/// One model after the other: a failure of one of them does not hide the results of the others.
template <class F> void each_model(F&& f) {
  for (const ModelInfo& info : model_infos()) {
    if (info.name == "gfm" || info.name == "generic2010") continue;
    try {
      f(info.name);
    } catch (const std::exception& e) { require(false, info.name + ": " + e.what()); }
  }
}

/// Largest difference over the largest force, after steps at random velocities; some contacts rest.
template <class T> double batch_difference(const std::string& model, std::size_t n) {
  auto host = make_batch<T>(model, typical(model), n);
  auto there = gpu::make_batch<T>(model, typical(model), n);
  if (!host.batch || !there.batch) return NAN;
  const auto scales = make(model, typical(model), {}, {}).contact->scales();
  const double speed = scales.velocity > 0 ? 3 * scales.velocity : 0.01,
               dt = (scales.displacement > 0 ? scales.displacement : 1e-5) / speed / 4;
  std::vector<T> v(n), F(n), G(n);
  double worst = 0, largest = 0;
  Spread forces;
  for (int step = 0; step < 60; ++step) {
    for (std::size_t i = 0; i < n; ++i) {
      const double part = 2 * uniform(3, i, static_cast<std::uint64_t>(step / 5)) - 1;
      v[i] = static_cast<T>(std::abs(part) < 0.05 ? 0 : speed * part);
    }
    host.batch->step(v, static_cast<T>(dt), F);
    there.batch->step(v, static_cast<T>(dt), G);
    for (std::size_t i = 0; i < n; ++i) {
      grow(worst, std::abs(double(F[i]) - double(G[i])));
      forces.add(double(G[i]));
      largest = std::max(largest, std::abs(double(F[i])));
    }
  }
  require(largest > 0, model + ": the batch on the processor gives no force");
  require(forces.lives(), model + ": the forces of the batch on the device are zero, all alike or not finite");
  return worst / largest;
}

void compare_batches() {
  std::printf("\nBatches: largest difference over the largest force\n");
  each_model([](const std::string& name) {
    const double in_double = batch_difference<double>(name, 1000), in_float = batch_difference<float>(name, 1000);
    std::printf("  %-20s double %.2e  float %.2e\n", name.c_str(), in_double, in_float);
    put("batch_difference." + name, in_double);
    require(in_double < 1e-9, name + ": batch in double");
    require(in_float < 1e-2, name + ": batch in float");
  });
}

/// Velocities that change from step to step, read from memory; the forces of all steps are stored, and those of the first
/// contacts are compared with the processor.
template <class T>
double batch_rate(const std::string& name, const std::string& model, const Table& table, std::size_t n,
                  std::size_t steps) {
  constexpr std::size_t some = 256;
  const T dt(1e-5);
  auto made = gpu::make_batch<T>(model, table, n);
  auto host = make_batch<T>(model, table, some);
  std::vector<T> v(n * steps), F(n * steps), here(some);
  in_parallel(steps, 0, [&](std::size_t k) {
    for (std::size_t i = 0; i < n; ++i)
      v[k * n + i] = static_cast<T>(0.02 * std::sin(1e-3 * double(i % 1000) + 0.02 * double(k)));
  });
  gpu::Array<T> dv{std::span<const T>(v)}, dF(n * steps);
  made.batch->follow(dv.data(), dt, dF.data(), std::int64_t(steps));
  dF.get(F);
  double worst = 0, largest = 0;
  Spread forces;
  for (const T& f : F) forces.add(double(f));
  for (std::size_t k = 0; k < steps; ++k) {
    host.batch->step(std::span<const T>(&v[k * n], some), dt, here);
    for (std::size_t i = 0; i < some; ++i) {
      grow(worst, std::abs(double(here[i]) - double(F[k * n + i])));
      largest = std::max(largest, std::abs(double(here[i])));
    }
  }
  require(forces.lives(), name + ": forces are zero, all alike or not finite");
  require(worst < (sizeof(T) == 8 ? 1e-9 : 1e-2) * largest, name + ": forces differ from the processor");
  double best = 1e9;
  for (int k = 0; k < 5; ++k) {
    Timer t;
    made.batch->follow(dv.data(), dt, dF.data(), std::int64_t(steps));
    best = std::min(best, t.stop());
  }
  const double rate = double(n) * double(steps) / best, moved = rate * 2 * sizeof(T);
  std::printf("  %-36s %.3g contact-steps/s, difference %.1e; v and F: %.0f %% of the memory rate\n", name.c_str(),
              rate, worst / largest, 100 * moved / memory_bytes);
  put("rate." + name, rate);
  put("rate_difference." + name, worst / largest);
  put("rate_share." + name, moved / memory_bytes);
  return rate;
}

template <class T> double host_batch_rate(const std::string& name, const std::string& model, const Table& table) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t n = 1 << 14;
  const int steps = 400;
  const auto begin = Clock::now();
  in_parallel(cores, cores, [&](std::size_t) {
    auto made = make_batch<T>(model, table, n);
    std::vector<T> v(n), F(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(0.02 * std::sin(1e-3 * double(i % 1000)));
    for (int k = 0; k < steps; ++k) made.batch->step(v, T(1e-5), F);
  });
  const double rate = double(cores) * double(n) * steps / seconds_since(begin);
  std::printf("  %-46s %.3g contact-steps/s (%u cores)\n", ("host " + name).c_str(), rate, cores);
  put("rate.host " + name, rate);
  return rate;
}

Experiment stick_slip(double velocity, double stiffness, double rtol) {
  Experiment e;
  e.body.mass = 1;
  e.body.stiffness = stiffness;
  e.contacts.push_back({"",
                        std::move(make("lugre",
                                       {{"Fc", Value(1.0)},
                                        {"Fs", Value(1.5)},
                                        {"vs", Value(1e-3)},
                                        {"sigma0", Value(1e5)},
                                        {"sigma1", Value(316.0)},
                                        {"kv", Value(0.4)}},
                                       {}, {})
                                      .contact),
                        0});
  e.drive = {DriveOf::position, {{Ramp{velocity, 0}, 0}}, 0};
  e.solver.duration = 20;
  e.solver.rtol = rtol;
  return e;
}
double velocity_of(std::size_t i, std::size_t side) { return 0.05 + 0.1 * double(i) / double(side); }
double stiffness_of(std::size_t j, std::size_t side) { return 1 + 3 * double(j) / double(side); }
/// side^2 runs, prepared on all cores.
gpu::Prepared grid(std::size_t side, double rtol) {
  gpu::Prepared out(side * side);
  in_parallel(side, 0, [&](std::size_t i) {
    Experiment e = stick_slip(velocity_of(i, side), 1, rtol);
    for (std::size_t j = 0; j < side; ++j) {
      e.body.stiffness = stiffness_of(j, side);
      if (const std::string why = out.set(i * side + j, e); !why.empty()) throw BadInput(why);
    }
  });
  return out;
}

void ensembles(std::size_t side) {
  std::printf("\nLuGre stick-slip runs of 20 s, steps of variable size, max(F) over 1001 rows and count(stick)\n");
  const std::vector<gpu::Quantity> quantities{{"max", "F"}, {"count", "stick"}, {"mean", "F"}, {"final", "x"}};
  const std::span<const gpu::Quantity> two(quantities.data(), 2);
  const double rtol = 1e-6;
  const std::size_t count = side * side;
  auto run_at = [&](std::size_t i) {
    return stick_slip(velocity_of(i / side, side), stiffness_of(i % side, side), rtol);
  };
  (void)grid(std::min<std::size_t>(side, 32), rtol).measure(two);
  auto begin = Clock::now();
  const gpu::Prepared all = grid(side, rtol);
  const double preparation = seconds_since(begin);
  std::vector<gpu::Measured> measured = all.measure(two);
  const double seconds = seconds_since(begin);
  double steps = 0, rejected = 0, bad = 0;
  for (const auto& m : measured) {
    steps += double(m.steps);
    rejected += double(m.rejected);
    if (!m.failure.empty() && bad++ < 3) std::printf("    %s\n", m.failure.c_str());
  }
  std::printf("  %zu runs in %.3f s (%.3f s of it to prepare them): %.4g steps per run, %.3g steps/s, %.0f failed\n",
              count, seconds, preparation, steps / double(count), steps / seconds, bad);
  put("ensemble.runs", double(count));
  put("ensemble.seconds", seconds);
  put("ensemble.preparation", preparation);
  put("ensemble.steps_per_run", steps / double(count));
  put("ensemble.rejected_per_run", rejected / double(count));
  put("ensemble.failed", bad);
  require(bad == 0, "ensemble: failed runs");
  const auto again = all.measure(two);
  bool same = true;
  for (std::size_t i = 0; i < again.size(); ++i)
    same = same && again[i].values.size() == 2 && measured[i].values.size() == 2 &&
           std::memcmp(again[i].values.data(), measured[i].values.data(), 16) == 0;
  std::printf("  the same bits in a second run: %s\n", same ? "yes" : "no");
  require(same, "ensemble: bits differ from run to run");

  // The processor: a part of the runs, on all cores.
  const std::size_t part = std::min<std::size_t>(count, 16000), stride = count / part;
  std::vector<Experiment> some(part), exact(std::min<std::size_t>(part, 200));
  for (std::size_t i = 0; i < part; ++i) some[i] = run_at(i * stride);
  begin = Clock::now();
  std::vector<double> peak(part), sticks(part);
  EnsembleOptions options;
  options.take = [&](std::size_t i, Outcome&& o) {
    const auto& F = o.run.trace.find("F")->values;
    peak[i] = *std::max_element(F.begin(), F.end());
    for (const Event& e : o.run.events) sticks[i] += e.kind == Event::stick ? 1 : 0;
  };
  (void)simulate_all(some, options);
  const double host = seconds_since(begin) / double(part) * double(count);
  std::printf("  processor, %u cores: %.1f s for all (extrapolated from %zu runs); GPU %.0f times faster\n",
              std::thread::hardware_concurrency(), host, part, host / seconds);
  put("ensemble.host_seconds", host);
  std::size_t other = 0;
  double worst = 0;
  Spread peaks, counts;
  for (std::size_t i = 0; i < part; ++i) {
    const auto& values = measured[i * stride].values;
    if (values.size() < 2) {
      worst = INFINITY;
      continue;
    }
    grow(worst, std::abs(values[0] - peak[i]) / std::abs(peak[i]));
    peaks.add(values[0]);
    counts.add(values[1]);
    if (values[1] != sticks[i]) ++other;
  }
  std::printf(
      "  largest relative difference of max(F) from the processor: %.2e; runs with another count(stick): %zu of %zu\n",
      worst, other, part);
  put("ensemble.worst_difference", worst);
  put("ensemble.other_counts", double(other));
  require(peaks.lives() && counts.lives(), "ensemble: measures are zero, all alike or not finite");
  require(worst < 1e-4, "ensemble: max(F) differs from the processor");
  // Error: a tighter tolerance on the processor.
  double error = 0, error_of_x = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    exact[i] = copy_of(some[i * (part / exact.size())]);
    exact[i].solver.rtol = 1e-11;
  }
  std::vector<Experiment> same_runs(exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) same_runs[i] = copy_of(some[i * (part / exact.size())]);
  const auto close = gpu::measure_all(same_runs, quantities);
  std::vector<double> exact_x(exact.size()), exact_peak(exact.size()), exact_sticks(exact.size());
  options.take = [&](std::size_t i, Outcome&& o) {
    exact_x[i] = o.run.trace.find("x")->values.back();
    const auto& F = o.run.trace.find("F")->values;
    exact_peak[i] = *std::max_element(F.begin(), F.end());
    for (const Event& e : o.run.events) exact_sticks[i] += e.kind == Event::stick ? 1 : 0;
  };
  (void)simulate_all(exact, options);
  std::size_t wrong_counts = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const auto& v = close[i].values;
    grow(error, v.size() < 4 ? INFINITY : std::abs(v[0] - exact_peak[i]) / std::abs(exact_peak[i]));
    grow(error_of_x, v.size() < 4 ? INFINITY : std::abs(v[3] - exact_x[i]) / std::abs(exact_x[i]));
    wrong_counts += v.size() < 4 || v[1] != exact_sticks[i] ? 1 : 0;
  }
  std::printf(
      "  against rtol = 1e-11 in %zu runs: max(F) %.2e, final(x) %.2e of their values; other counts in %zu runs\n",
      exact.size(), error, error_of_x, wrong_counts);
  put("ensemble.error", error);
  put("ensemble.error_of_x", error_of_x);
  put("ensemble.wrong_counts", double(wrong_counts));
  require(wrong_counts == 0, "ensemble: counts differ from those of a tight tolerance");
  require(error < 1e-5, "ensemble: error above 1e-5");
}

/// A device without memory gives an error, and works when there is memory again.
void errors() {
  std::vector<gpu::Array<char>> all;
  for (std::size_t size = std::size_t{1} << 34; size >= std::size_t{1} << 20;) {
    try {
      all.emplace_back(size);
    } catch (const gpu::DeviceError&) { size /= 2; }
  }
  const std::vector<gpu::Quantity> quantities{{"max", "F"}};
  const gpu::Prepared runs = grid(200, 1e-6);
  std::string text;
  try {
    (void)runs.measure(quantities);
  } catch (const gpu::DeviceError& e) { text = e.what(); }
  std::printf("\nfull memory: %s\n", text.c_str());
  require(text.find("out of memory") != std::string::npos, "full memory: another error, or none");
  all.clear();
  require(runs.measure(quantities).front().failure.empty(), "no run after the memory was full");
}

double mean_force(const Trace& trace) {  // trapezoids
  const auto &t = trace.find("t")->values, &F = trace.find("F")->values;
  double sum = 0;
  for (std::size_t i = 1; i < t.size(); ++i) sum += (t[i] - t[i - 1]) * (F[i] + F[i - 1]) / 2;
  return sum / (t.back() - t.front());
}

double length = 1;  // s, of the compared runs
void compare_runs_of(const std::string& name, bool fixed) {
  const std::vector<gpu::Quantity> quantities{{"max", "F"}, {"mean", "F"}, {"final", "x"}};
  std::vector<Experiment> all;
  for (int i = 0; i < 64; ++i) {
    Experiment e;
    e.body.mass = 1;
    e.body.stiffness = 50 + 10 * i;
    e.body.damping = 0.3;
    e.contacts.push_back({"", std::move(make(name, typical(name), {}, {}).contact), 0});
    e.drive = {DriveOf::position, {{Ramp{0.02 + 0.002 * i, 0}, 0}}, 0};
    e.solver.duration = length;
    if (fixed) {
      e.method = Method::fixed;
      e.solver.step = 1e-3;
    }
    all.push_back(std::move(e));
  }
  const char* kind = fixed ? "fixed" : "variable";
  std::string why = bristle::objection_to(all.front());
  if (why.empty()) why = gpu::objection_to(all.front());
  if (!why.empty()) {
    std::printf("  %-20s %-8s %s\n", name.c_str(), kind, why.c_str());
    return;
  }
  const auto there = gpu::measure_all(all, quantities);
  const auto here = simulate_all(all);
  double worst[3]{};
  Spread forces, places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!here[i].failure.empty() || !there[i].failure.empty()) {
      std::printf("  %s: host '%s', device '%s'\n", name.c_str(), here[i].failure.c_str(), there[i].failure.c_str());
      worst[0] = INFINITY;
      continue;
    }
    const Trace rows = with_limits(here[i].run);  // the device counts rows at events, too
    const auto &F = rows.find("F")->values, &x = rows.find("x")->values;
    const double peak = *std::max_element(F.begin(), F.end());
    grow(worst[0], std::abs(there[i].values[0] - peak) / std::abs(peak));
    grow(worst[1], std::abs(there[i].values[1] - mean_force(rows)) / std::abs(peak));
    grow(worst[2], std::abs(there[i].values[2] - x.back()) / std::max(std::abs(x.back()), 1e-9));
    forces.add(there[i].values[0]);
    places.add(there[i].values[2]);
  }
  const double all_of = std::max({worst[0], worst[1], worst[2]});
  std::printf("  %-20s %-8s %.2e (max %.1e, mean %.1e, final %.1e)\n", name.c_str(), kind, all_of, worst[0], worst[1],
              worst[2]);
  put("run_difference." + name + "." + kind, all_of);
  require(all_of < 1e-4, name + ": runs by steps of " + kind + " size");
  require(forces.finite && forces.nonzero == forces.all && places.lives(), name + ": runs without force or motion");
}

void compare_runs() {
  std::printf("\nRuns: largest relative difference of max(F), mean(F), final(x)\n");
  for (const bool fixed : {false, true}) each_model([&](const std::string& name) { compare_runs_of(name, fixed); });
}

/// Records of a motion to and fro, for both laws of adhesion and with standstill, then the speed of many asperities.
void gfm(std::size_t n, std::size_t steps) {
  std::printf("\nPopulations of the model of 2008\n");
  double worst_of_all = 0;
  for (const Adhesion law : {Adhesion::exponential, Adhesion::logarithmic}) {
    for (const double dt : {1e-3, 0.5}) {
      GfmParams p;
      p.asperities = 5000;
      p.adhesion = law;
      Gfm host(p);
      gpu::GfmPopulation there(host);
      std::vector<asperity::Step> motion;
      double u = 0;
      for (int i = 0; i < 3000; ++i) {
        u += i % 500 < 20 ? 0
                          : 0.004 * (uniform(5, static_cast<std::uint64_t>(i), 0) + 0.2) * (i / 700 % 2 == 0 ? 1 : -1);
        motion.push_back({u, dt});
      }
      std::vector<asperity::Record> here(motion.size());
      host.run(motion, here);
      const auto records = there.run(motion);
      double worst = 0;
      Spread forces;
      const double asperity::Record::* all[] = {
          &asperity::Record::F, &asperity::Record::W_adh, &asperity::Record::W_def,   &asperity::Record::W_imp,
          &asperity::Record::E, &asperity::Record::Fn,    &asperity::Record::contact, &asperity::Record::slip};
      for (const auto x : all) {
        double largest = 0, off = 0;
        for (std::size_t i = 0; i < motion.size(); ++i) {
          largest = std::max(largest, std::abs(here[i].*x));
          grow(off, std::abs(here[i].*x - records[i].*x));
        }
        require(largest > 0, "gfm: a number of the processor is always 0");
        grow(worst, off / largest);
      }
      for (const auto& r : records) forces.add(r.F);
      std::printf("  %s, steps of %g s: largest difference of a number over its largest value %.2e\n",
                  law == Adhesion::exponential ? "exponential" : "logarithmic", dt, worst);
      require(worst < 1e-8, "gfm: records differ from the processor");
      require(forces.lives(), "gfm: forces are zero, all alike or not finite");
      grow(worst_of_all, worst);
      gpu::GfmPopulation once_more{Gfm(p)};
      const auto again = once_more.run(motion);
      require(std::memcmp(again.data(), records.data(), records.size() * sizeof records[0]) == 0,
              "gfm: bits differ from run to run");
    }
  }
  put("gfm.difference", worst_of_all);
  if (steps == 0) return;
  GfmParams p;
  p.asperities = static_cast<int>(n);
  Gfm big(p, false);
  gpu::GfmPopulation fast(big);
  std::vector<asperity::Step> motion;
  for (std::size_t i = 0; i < steps; ++i) motion.push_back({1e-3 * double(i + 1), 1e-3});
  (void)fast.run(std::span(motion).first(32), true);
  auto begin = Clock::now();
  const auto a = fast.run(std::span(motion).subspan(32), true);
  const double rate = double(n) * double(steps - 32) / seconds_since(begin);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<asperity::Record> here(std::min<std::size_t>(steps, 512));
  begin = Clock::now();
  big.run(std::span(motion).first(here.size()), here, cores);
  const double host_rate = double(n) * double(here.size()) / seconds_since(begin);
  double off = 0;
  for (std::size_t i = 32; i < here.size(); ++i) grow(off, std::abs(here[i].F - a[i - 32].F) / std::abs(here[i].F));
  std::printf("  %zu asperities: %.3g asperity-steps/s; processor, %u cores: %.3g; difference %.1e\n", n, rate, cores,
              host_rate, off);
  require(off < 1e-8, "gfm: forces of many asperities differ from the processor");
  put("gfm.rate", rate);
  put("gfm.host_rate", host_rate);
}

template <class T> void generic2010(const char* name, std::size_t n, std::size_t steps) {
  Generic2010Params p;
  p.asperities = 20000;
  p.m = {0, 0.08 / p.asperities};
  Generic2010<T> host(p);
  host.use_threads(std::max(1U, std::thread::hardware_concurrency()));
  host.settle(1);
  gpu::Generic2010Population<T> there(host);
  std::vector<double> U(200);
  for (std::size_t i = 0; i < U.size(); ++i) U[i] = 0.5 * std::sin(0.05 * double(i));
  const auto sums = there.run(U);
  double worst = 0, largest = 0;
  Spread forces;
  const double Y = host.Y();
  for (std::size_t i = 0; i < U.size(); ++i) {
    const auto r = host.step_to(U[i], Y);
    grow(worst, std::abs(r.F - sums[i].F));
    grow(worst, std::abs(r.Fn - sums[i].Fn));
    forces.add(sums[i].F);
    largest = std::max({largest, std::abs(r.F), std::abs(r.Fn)});
  }
  std::printf("  %s: largest difference of F and Fn from the processor in %zu steps: %.2e of the largest\n", name,
              U.size(), worst / largest);
  put(std::string("generic2010.difference.") + name, worst / largest);
  require(worst / largest < (sizeof(T) == 8 ? 1e-8 : 1e-2), std::string("generic2010 ") + name);
  require(forces.lives(), std::string("generic2010 ") + name + ": forces are zero, all alike or not finite");

  p.asperities = static_cast<int>(n);
  p.m = {0, 0.08 / p.asperities};
  Generic2010<T> big(p);
  big.use_threads(std::max(1U, std::thread::hardware_concurrency()));
  big.settle(20 * p.dt);
  gpu::Generic2010Population<T> fast(big);
  std::vector<double> speed(steps, 0.3);
  (void)fast.run(std::span(speed).first(32), true);
  auto begin = Clock::now();
  const auto a = fast.run(speed, true);
  const double seconds = seconds_since(begin);
  begin = Clock::now();
  const double Y1 = big.Y();
  for (int i = 0; i < 100; ++i) big.step_to(0.3, Y1);
  const double host_rate = double(n) * 100 / seconds_since(begin);
  const double rate = double(n) * double(steps) / seconds;
  std::printf("  %s, %zu asperities: %.3g asperity-steps/s; processor, %u cores: %.3g\n", name, n, rate,
              std::thread::hardware_concurrency(), host_rate);
  put(std::string("generic2010.rate.") + name, rate);
  put(std::string("generic2010.host_rate.") + name, host_rate);
  Spread last;
  for (const auto& r : a) last.add(r.F);
  require(last.lives(), "generic2010: forces are zero, all alike or not finite");
}

void memory_rate() {
  gpu::Array<double> a(1 << 28), b(1 << 28);
  a.clear();
  double best = 1e9;
  for (int k = 0; k < 5; ++k) {
    Timer t;
    gpu::check(cudaMemcpyAsync(b.data(), a.data(), (std::size_t{1} << 28) * 8, cudaMemcpyDeviceToDevice), "copy");
    best = std::min(best, t.stop());
  }
  memory_bytes = 2 * 8 * double(1 << 28) / best;
  put("memory_rate", memory_bytes);
  std::printf("memory: %.3g bytes/s\n", memory_bytes);
}

void speed() {
  std::printf("\nSpeed of batches\n");
  const Table lugre{
      {"Fc", Value(1.0)}, {"Fs", Value(1.5)}, {"vs", Value(1e-2)}, {"sigma0", Value(1e5)}, {"sigma1", Value(300.0)}};
  batch_rate<double>("lugre double", "lugre", lugre, 1 << 20, 64);
  batch_rate<double>("lugre double, one step a call", "lugre", lugre, 1 << 24, 1);
  batch_rate<float>("lugre float", "lugre", lugre, 1 << 20, 64);
  batch_rate<double>("gms 4 elements double", "gms", typical("gms"), 1 << 20, 64);
  batch_rate<float>("gms 4 elements float", "gms", typical("gms"), 1 << 20, 64);
  host_batch_rate<double>("lugre double", "lugre", lugre);
  host_batch_rate<double>("gms double", "gms", typical("gms"));
  std::printf("\nPopulations of the model of 2010\n");
  generic2010<double>("double", 1 << 20, 1024);
  generic2010<float>("float", 1 << 20, 1024);
}

/// Each kernel of the table once, at a size that fills the device.
template <class T> void population_of_2010() {
  Generic2010Params p;
  p.asperities = 1 << 20;
  p.m = {0, 0.08 / p.asperities};
  Generic2010<T> from(p);
  from.use_threads(std::max(1U, std::thread::hardware_concurrency()));
  from.settle(20 * p.dt);
  gpu::Generic2010Population<T> population(from);
  (void)population.run(std::vector<double>(256, 0.3), true);
}
template <class T> void batch_once(const std::string& model, const Table& table) {
  const std::size_t n = 1 << 20, steps = 64;
  auto made = gpu::make_batch<T>(model, table, n);
  std::vector<T> v(n * steps);
  for (std::size_t k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < n; ++i)
      v[k * n + i] = static_cast<T>(0.02 * std::sin(1e-3 * double(i % 1000) + 0.02 * double(k)));
  }
  gpu::Array<T> dv{std::span<const T>(v)}, F(n * steps);
  made.batch->follow(dv.data(), T(1e-5), F.data(), std::int64_t(steps));
  made.batch->wait();
}
void kernels() {
  batch_once<double>(
      "lugre",
      {{"Fc", Value(1.0)}, {"Fs", Value(1.5)}, {"vs", Value(1e-2)}, {"sigma0", Value(1e5)}, {"sigma1", Value(300.0)}});
  batch_once<double>("gms", typical("gms"));
  population_of_2010<double>();
  population_of_2010<float>();
  GfmParams p;
  p.asperities = 1 << 20;
  gpu::GfmPopulation gfm{Gfm(p, false)};
  std::vector<asperity::Step> motion;
  for (int i = 0; i < 256; ++i) motion.push_back({1e-3 * (i + 1), 1e-3});
  (void)gfm.run(motion, true);
  (void)grid(400, 1e-6).measure(std::vector<gpu::Quantity>{{"max", "F"}, {"count", "stick"}});
}

}  // namespace

int main(int argc, char** argv) {
  // quick: fewer runs; tiny: for a memory checker; kernels: each once, for a profiler;
  // runs: the million runs alone
  const std::string mode = argc > 2 ? argv[2] : "";
  try {
    const gpu::Device d = gpu::device();
    std::printf("%s, %d multiprocessors, %.3g GHz, %.0f GB\n", d.name.c_str(), d.multiprocessors, d.clock / 1e9,
                d.memory / 1e9);
    put("multiprocessors", d.multiprocessors);
    put("clock", d.clock);
    if (mode == "kernels") {
      kernels();
      return 0;
    }
    if (mode == "runs") {
      ensembles(1000);
      return failures == 0 ? 0 : 1;
    }
    if (mode != "tiny") memory_rate();
    compare_batches();
    if (mode != "tiny") speed();
    length = mode == "tiny" ? 0.05 : 1;
    compare_runs();
    gfm(1 << 20, mode == "tiny" ? 0 : 4096);
    if (mode != "tiny") errors();
    ensembles(mode == "tiny" ? 8 : mode == "quick" ? 100 : 1000);
  } catch (const std::exception& e) {
    std::printf("FAILED: %s\n", e.what());
    ++failures;
  }
  if (argc > 1) {
    if (std::FILE* f = std::fopen(argv[1], "w")) {
      std::fprintf(f, "{\n%s\n}\n", json.c_str());
      std::fclose(f);
    }
  }
  std::printf("\n%s\n", failures == 0 ? "all comparisons hold" : "some comparisons FAILED");
  return failures == 0 ? 0 : 1;
}
