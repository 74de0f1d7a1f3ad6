#include "shared.hpp"

/// Populations: agreement, and asperity steps per second.
namespace bristle::bench {
namespace {

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

}  // namespace

/// Records of a reciprocating motion, for both laws of adhesion and with standstill, then the speed of many asperities.
void compare_gfm(std::size_t n, std::size_t steps) {
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

void measure_generic2010() {
  std::printf("\nPopulations of the model of 2010\n");
  generic2010<double>("double", 1 << 20, 1024);
  generic2010<float>("float", 1 << 20, 1024);
}

void populations_once() {
  population_of_2010<double>();
  population_of_2010<float>();
  GfmParams p;
  p.asperities = 1 << 20;
  gpu::GfmPopulation gfm{Gfm(p, false)};
  std::vector<asperity::Step> motion;
  for (int i = 0; i < 256; ++i) motion.push_back({1e-3 * (i + 1), 1e-3});
  (void)gfm.run(motion, true);
}

}  // namespace bristle::bench
