/* Steps an FMU 2.0 of kind "friction" outside of an importer: unit LIBRARY RESOURCES TOKEN V_REFERENCE F_REFERENCE. Prints the bits of
   the forces, for a comparison between systems. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
static void* symbol(const char* library, const char* name) {
  HMODULE m = LoadLibraryA(library);
  return m ? (void*)GetProcAddress(m, name) : NULL;
}
#else
#include <dlfcn.h>
static void* symbol(const char* library, const char* name) {
  void* m = dlopen(library, RTLD_NOW);
  return m ? dlsym(m, name) : NULL;
}
#endif

#include "fmi2Functions.h"

static void say(fmi2ComponentEnvironment e, fmi2String who, fmi2Status s, fmi2String category, fmi2String text, ...) {
  (void)e, (void)who, (void)s, (void)category;
  fprintf(stderr, "%s\n", text);
}
static void fail(const char* what) {
  fprintf(stderr, "unit: %s\n", what);
  exit(1);
}

int main(int argc, char** argv) {
  static const char* const others[] = {"fmi3DoStep", "fmi3InstantiateCoSimulation", "fmi3InstantiateModelExchange", "fmi2GetDerivatives"};
  fmi2CallbackFunctions calls = {say, calloc, free, NULL, NULL};
  fmi2Component c;
  unsigned n;
  if (argc != 6) fail("five arguments are required");
#define GET(name) fmi2##name##TYPE* name = (fmi2##name##TYPE*)symbol(argv[1], "fmi2" #name)
  GET(Instantiate);
  GET(SetupExperiment);
  GET(EnterInitializationMode);
  GET(ExitInitializationMode);
  GET(SetReal);
  GET(GetReal);
  GET(DoStep);
  GET(FreeInstance);
  for (n = 0; n < sizeof others / sizeof *others; ++n) {
    if (!symbol(argv[1], others[n])) fail(others[n]);
  }
  if (!Instantiate || !DoStep) fail("no such library");
  c = Instantiate("one", fmi2CoSimulation, argv[3], argv[2], &calls, fmi2False, fmi2False);
  if (!c) fail("not instantiated");
  if (SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0) != fmi2OK || EnterInitializationMode(c) != fmi2OK ||
      ExitInitializationMode(c) != fmi2OK)
    fail("not initialised");
  for (n = 0; n < 400; ++n) {
    const fmi2ValueReference v_at = (fmi2ValueReference)atol(argv[4]), F_at = (fmi2ValueReference)atol(argv[5]);
    const double v = 0.05 * ((double)((n * 37) % 101) / 50.0 - 1.0);
    unsigned long long bits;
    double F;
    if (SetReal(c, &v_at, 1, &v) != fmi2OK || DoStep(c, n * 1e-3, 1e-3, fmi2True) != fmi2OK || GetReal(c, &F_at, 1, &F) != fmi2OK)
      fail("no step");
    memcpy(&bits, &F, sizeof bits);
    printf("%08lx%08lx\n", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xFFFFFFFFUL));
  }
  FreeInstance(c);
  return 0;
}
