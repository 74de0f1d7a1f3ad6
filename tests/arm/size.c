/* The functions of an exported header as object code, for their sizes. */
#include HEADER

#define JOIN(a, b) a##_##b
#define OF(prefix, part) JOIN(prefix, part)
#define CALL(part) OF(NAME, part)

CALL(real) call_step(const CALL(params) * p, CALL(state) * s, CALL(motion) u, CALL(real) dt);
CALL(real) call_step(const CALL(params) * p, CALL(state) * s, CALL(motion) u, CALL(real) dt) { return CALL(step)(p, s, u, dt); }
#ifdef COUPLE
CALL(coupled) call_couple(const CALL(params) * p, CALL(state) * s, CALL(motion) u, CALL(real) mass, CALL(real) dt);
CALL(coupled) call_couple(const CALL(params) * p, CALL(state) * s, CALL(motion) u, CALL(real) mass, CALL(real) dt) {
  return CALL(couple_fixed)(p, s, u, mass, dt);
}
#endif
