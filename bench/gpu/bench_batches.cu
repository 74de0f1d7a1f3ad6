#include "shared.hpp"

/// Batches: agreement of every model, and steps per second.
namespace bristle::bench {
namespace {

const Table lugre{
    {"Fc", Value(1.0)}, {"Fs", Value(1.5)}, {"vs", Value(1e-2)}, {"sigma0", Value(1e5)}, {"sigma1", Value(300.0)}};

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

}  // namespace

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

void measure_batches() {
  std::printf("\nSpeed of batches\n");
  batch_rate<double>("lugre double", "lugre", lugre, 1 << 20, 64);
  batch_rate<double>("lugre double, one step a call", "lugre", lugre, 1 << 24, 1);
  batch_rate<float>("lugre float", "lugre", lugre, 1 << 20, 64);
  batch_rate<double>("gms 4 elements double", "gms", typical("gms"), 1 << 20, 64);
  batch_rate<float>("gms 4 elements float", "gms", typical("gms"), 1 << 20, 64);
  host_batch_rate<double>("lugre double", "lugre", lugre);
  host_batch_rate<double>("gms double", "gms", typical("gms"));
}

/// Each kernel of the table once, at a size that fills the device.
void batches_once() {
  batch_once<double>("lugre", lugre);
  batch_once<double>("gms", typical("gms"));
}

}  // namespace bristle::bench
