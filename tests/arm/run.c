/* Random steps of an exported header: writes the forces, prints sizes and the largest numbers of instructions.
   HEADER: the file; NAME: its prefix; OUT: the file to write. A record holds the state before a step, v,
   F and the inertia of an implicit step, whose force is a difference of it. REPLAY: a file of
   another machine; each step then starts from its state. */
#include HEADER

#include <stdio.h>

#define JOIN(a, b) a##_##b
#define OF(prefix, part) JOIN(prefix, part)
#define CALL(part) OF(NAME, part)
typedef CALL(real) real;

#ifdef __arm__
#define TICK (*(volatile unsigned*)0xE000E018)
static void begin_ticks(void) {
  *(volatile unsigned*)0xE000E014 = 0xFFFFFF;
  *(volatile unsigned*)0xE000E018 = 0;
  *(volatile unsigned*)0xE000E010 = 5;
}
#else
#define TICK 0U
static void begin_ticks(void) {}
#endif

/* The same numbers on every machine: no function of math.h. */
static unsigned long long seed = 20261118;
static double uniform(void) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(seed >> 11) * 0x1p-53;
}
static double size(int decades) {
  double x = 1 - 0.9 * uniform();
  int n = (int)(uniform() * decades);
  while (n-- > 0) x *= 0.1;
  return x;
}

/* Called by pointers that the compiler cannot see through, so that no call is moved or left out. */
static real (*volatile step_of)(const CALL(params)*, CALL(state)*, CALL(motion), real) = CALL(step);
static CALL(coupled) (*volatile couple_of)(const CALL(params)*, CALL(state)*, CALL(motion), real, real) = CALL(couple_fixed);

int main(void) {
  CALL(params) p;
  CALL(state) s;
  real x = 0;
  unsigned empty = 0xFFFFFF, step = 0, couple = 0;
  int i;
  FILE* out = fopen(OUT, "wb");
#ifdef REPLAY
  FILE* in = fopen(REPLAY, "rb");
  if (!in) return 1;
#endif
  if (!out) return 1;
  CALL(init)(&p, &s);
  begin_ticks();
  for (i = 0; i < 100; ++i) {
    const unsigned from = TICK, ticks = (from - TICK) & 0xFFFFFF;
    if (ticks < empty) empty = ticks;
  }
  for (i = 0; i < 20000; ++i) {
    CALL(motion) u = CALL(at)(x, (real)(i % 17 == 0 ? 0 : (uniform() < 0.5 ? -1 : 1) * size(6)));
    const real dt = (real)(0.01 * size(4)), mass = (real)size(3);
    real result[3];
    unsigned from, ticks;
    u.F_app = (real)(6 * uniform() - 3);
#ifdef REPLAY
    if (fread(&s, sizeof s, 1, in) != 1 || fread(result, sizeof result, 1, in) != 1) return 1;
#endif
    fwrite(&s, sizeof s, 1, out);
    if (i % 40 == 3) {
      CALL(coupled) w;
      from = TICK;
      w = couple_of(&p, &s, u, mass, dt);
      ticks = (from - TICK) & 0xFFFFFF;
      if (ticks > couple) couple = ticks;
      result[0] = w.v;
      result[1] = w.F;
      result[2] = mass / dt * u.v;
      x = x + w.v * dt;
    } else {
      from = TICK;
      result[1] = step_of(&p, &s, u, dt);
      ticks = (from - TICK) & 0xFFFFFF;
      if (ticks > step) step = ticks;
      result[0] = u.v;
      result[2] = 0;
      x = x + u.v * dt;
    }
    fwrite(result, sizeof result, 1, out);
  }
  fclose(out);
  printf("%u %u %u %u %u\n", (unsigned)sizeof p, (unsigned)sizeof s, empty, step, couple);
  return 0;
}
