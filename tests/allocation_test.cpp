/// A run takes its memory at the start: how often it allocates depends neither on the number of steps nor on the number
/// of rows. The list of events may grow, by doubling.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <new>

#include "bristle/couple_all.hpp"
#include "bristle/models.hpp"
#include "support/experiment.hpp"

using namespace bristle;

namespace {
long allocations = 0;  // of this thread's work; the tests here start no other

void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = alignment > alignof(std::max_align_t)
                     ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                     : std::malloc(size > 0 ? size : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) { return allocate(size, 1); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return allocate(size, 1); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t a) {
  return allocate(size, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t a) {
  return allocate(size, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

struct Counted {
  long allocations, steps;
  std::size_t events, rows, columns, limits;
};
Counted counted(Experiment e, double duration, double output_step, double rtol = 1e-8) {
  e.solver.duration = duration;
  e.solver.output_step = output_step;
  e.solver.rtol = rtol;
  const long before = allocations;
  const Run run = simulate(e);
  return {allocations - before, run.summary.steps,        run.events.size(),
          run.trace.rows(),     run.trace.columns.size(), run.limits.rows()};
}

/// Allocations of a list that doubles until it holds n, from its first size.
long growth(std::size_t n, std::size_t first) {
  long times = 0;
  for (std::size_t capacity = 0; capacity < n; capacity = capacity == 0 ? first : 2 * capacity) ++times;
  return times;
}
/// Of the events, and of the columns of their limits, which begin with 32 rows.
long growth(const Counted& c) { return growth(c.events, 1) + static_cast<long>(c.columns) * growth(c.limits, 32); }

Experiment stick_slip() {
  return slider(
      contact("lugre", {{"Fc", 1}, {"Fs", 1.5}, {"vs", 1e-3}, {"sigma0", 1e5}, {"sigma1", 316.23}, {"kv", 0.4}}), 1, 2,
      position(Ramp{0.1, 0}), 20);
}
Experiment block(const std::string& model, const Table& p) {
  return slider(contact(model, p), 1, 10, position(Ramp{0.4, 0}), 10);
}
const Table curve{{"Fc", 0.981}, {"Fs", 1.962}, {"vs", 0.5}};

struct Named {
  const char* name;
  Experiment (*make)();
};
const Named runs[]{
    {"stick-slip, LuGre", stick_slip},
    {"block, Coulomb", [] { return block("coulomb", {{"Fc", 0.981}}); }},
    {"block, Stribeck", [] { return block("stribeck", curve); }},
    {"block, Dahl", [] { return block("dahl", {{"Fc", 0.981}, {"sigma0", 400}}); }},
    {"block, LuGre", [] { return block("lugre", curve + Table{{"sigma0", 400}, {"sigma1", 0.1}}); }},
    {"block, Brown-McPhee", [] { return block("brown_mcphee", curve); }},
    {"roller, LuGre",
     [] {
       return roller(contact("lugre", curve + Table{{"sigma0", 400}, {"sigma1", 0.1}}), 1, 10, 0.1,
                     position(Ramp{0.2, 0}), 10);
     }},
    {"sine, GMS", [] { return prescribed(contact("gms", typical("gms")), velocity(Sine{5e-3, 1, 0, 0}), 10); }},
};

}  // namespace

TEST(Allocation, IsCounted) {
  const long before = allocations;
  { const std::vector<double> something(10); }
  EXPECT_GE(allocations, before);  // the optimiser may leave it out, but never counts backwards
  delete new int(1);
  auto kept = std::make_unique<std::vector<double>>(10);
  EXPECT_GE(allocations, before + 2) << kept->size();
}

/// Ten times longer, with the same number of rows.
TEST(Allocation, DoesNotDependOnTheNumberOfSteps) {
  for (const Named& n : runs) {
    const Counted brief = counted(n.make(), 10, 0.01), lengthy = counted(n.make(), 100, 0.1);
    ASSERT_EQ(brief.rows, lengthy.rows);
    ASSERT_GT(lengthy.steps, brief.steps) << n.name;
    EXPECT_LE(lengthy.allocations, brief.allocations + growth(lengthy) - growth(brief))
        << n.name << ": " << brief.allocations << " allocations in " << brief.steps << " steps with " << brief.events
        << " events, " << lengthy.allocations << " in " << lengthy.steps << " with " << lengthy.events;
  }
}

TEST(Allocation, DoesNotDependOnTheTolerance) {
  for (const Named& n : runs) {
    const Counted loose = counted(n.make(), 10, 0.01, 1e-5), tight = counted(n.make(), 10, 0.01, 1e-10);
    ASSERT_GT(tight.steps, loose.steps) << n.name;
    EXPECT_LE(tight.allocations, loose.allocations + growth(tight) - growth(loose))
        << n.name << ": " << loose.allocations << " allocations in " << loose.steps << " steps, " << tight.allocations
        << " in " << tight.steps;
  }
}

TEST(Allocation, DoesNotDependOnTheNumberOfRows) {
  for (const Named& n : runs) {
    const Counted few = counted(n.make(), 10, 0.1), many = counted(n.make(), 10, 0.001);
    ASSERT_GT(many.rows, 50 * few.rows);
    EXPECT_EQ(many.allocations, few.allocations) << n.name << ": with " << few.rows << " and " << many.rows << " rows";
  }
}

/// All contacts of a mechanism in one step: memory is taken when the workspace is made.
TEST(Allocation, StepsOfManyContactsTakeNone) {
  const LuGre<> bristle{};
  const Gms<> elements{};
  const Coulomb<> dry{};
  auto z = bristle.rest();
  auto f = elements.rest();
  auto none = dry.rest();
  NoMode a;
  Elements b;
  StickSlip c;
  const std::array<ContactRef, 3> contacts{ContactRef(bristle, z, a), ContactRef(elements, f, b),
                                           ContactRef(dry, none, c)};
  const std::array<double, 9> mass{0.3, 0.1, 0.05, 0.1, 0.2, 0.05, 0.05, 0.05, 0.1};
  std::array<double, 3> v{}, force{};
  CoupleAll work(3);
  const long before = allocations;
  for (int k = 0; k < 1000; ++k) {
    for (std::size_t i = 0; i < 3; ++i) force[i] = 2 * std::sin(0.01 * k * static_cast<double>(i + 1));
    const auto next = couple_all(contacts, MassMatrix{mass}, v, force, 1e-3, work);
    for (std::size_t i = 0; i < 3; ++i) v[i] = next[i].v;
  }
  EXPECT_EQ(allocations, before);
}
