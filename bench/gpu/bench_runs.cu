#include "shared.hpp"

/// Runs of sliders: agreement of every model, a million runs, and a device without memory.
namespace bristle::bench {
namespace {

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

double mean_force(const Trace& trace) {  // trapezoids
  const auto &t = trace.find("t")->values, &F = trace.find("F")->values;
  double sum = 0;
  for (std::size_t i = 1; i < t.size(); ++i) sum += (t[i] - t[i - 1]) * (F[i] + F[i - 1]) / 2;
  return sum / (t.back() - t.front());
}

void compare_runs_of(const std::string& name, bool fixed, double length) {
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

}  // namespace

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
void full_memory() {
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

void compare_runs(double seconds) {
  std::printf("\nRuns: largest relative difference of max(F), mean(F), final(x)\n");
  for (const bool fixed : {false, true}) each_model([&](const std::string& name) { compare_runs_of(name, fixed, seconds); });
}

void runs_once() { (void)grid(400, 1e-6).measure(std::vector<gpu::Quantity>{{"max", "F"}, {"count", "stick"}}); }

}  // namespace bristle::bench
