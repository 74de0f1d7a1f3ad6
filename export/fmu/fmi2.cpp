#include "fmi/fmi2Functions.h"

#include "instance.hpp"

/// FMI 2.0: co-simulation and model exchange.
namespace {

using bristle::element::UnitVariable;

struct Fmi2 : bristle::fmu::Instance {
  std::string name;
  fmi2CallbackFunctions call{};
  void log(fmi2Status status, const std::string& text) const {
    if (call.logger)
      call.logger(call.componentEnvironment, name.c_str(), status, status == fmi2OK ? "logAll" : "logStatusError", "%s",
                  text.c_str());
  }
};

/// Nothing that is thrown (memory) may reach the importer.
template <class F> fmi2Status on(fmi2Component c, F&& f) {
  if (!c) return fmi2Error;
  auto& it = *static_cast<Fmi2*>(c);
  try {
    const std::string wrong = f(it);
    if (wrong.empty()) return fmi2OK;
    it.log(fmi2Error, wrong);
  } catch (const std::exception& e) { it.log(fmi2Error, e.what()); }
  return fmi2Error;
}

template <class T>
fmi2Status get(fmi2Component c, const fmi2ValueReference* vr, size_t n, T* out, UnitVariable::Type type) {
  return on(c, [&](Fmi2& it) -> std::string {
    const auto& all = it.unit.variables();
    for (size_t i = 0; i < n; ++i) {
      if (vr[i] >= all.size() || all[vr[i]].type != type)
        return "no variable of this type has the value reference " + std::to_string(vr[i]);
      const double x = it.unit.get(vr[i]) + (type == UnitVariable::choice ? 1 : 0);
      out[i] = static_cast<T>(x);
    }
    return "";
  });
}
template <class T>
fmi2Status set(fmi2Component c, const fmi2ValueReference* vr, size_t n, const T* x, UnitVariable::Type type) {
  return on(c, [&](Fmi2& it) -> std::string {
    const auto& all = it.unit.variables();
    std::string wrong;
    for (size_t i = 0; i < n && wrong.empty(); ++i) {
      if (vr[i] >= all.size() || all[vr[i]].type != type)
        return "no variable of this type has the value reference " + std::to_string(vr[i]);
      wrong = it.unit.set(vr[i], static_cast<double>(x[i]) - (type == UnitVariable::choice ? 1 : 0));
    }
    return wrong;
  });
}
fmi2Status none(fmi2Component c, size_t n, const char* type) {
  return on(c, [&](Fmi2&) { return n == 0 ? "" : std::string("there are no variables of type ") + type; });
}
using Bytes = std::vector<char>;

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char* fmi2GetVersion(void) { return fmi2Version; }
fmi2Status fmi2SetDebugLogging(fmi2Component, fmi2Boolean, size_t, const fmi2String[]) { return fmi2OK; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* call, fmi2Boolean, fmi2Boolean) {
  try {
    auto it = std::make_unique<Fmi2>();
    it->name = name ? name : "";
    if (call) it->call = *call;
    it->model_exchange = type == fmi2ModelExchange;
    const std::string wrong = it->load(resources ? resources : "", guid ? guid : "");
    if (wrong.empty()) return it.release();
    it->log(fmi2Error, wrong);
  } catch (const std::exception&) {}
  return nullptr;
}
void fmi2FreeInstance(fmi2Component c) { delete static_cast<Fmi2*>(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean, fmi2Real, fmi2Real start, fmi2Boolean, fmi2Real) {
  return on(c, [&](Fmi2& it) {
    it.start = start;
    return it.unit.begin(start);
  });
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return on(c, [](Fmi2&) { return std::string(); });
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return on(c, [](Fmi2& it) {
    std::string wrong = it.unit.begin(it.start);
    if (wrong.empty() && it.model_exchange) it.unit.start_events();
    return wrong;
  });
}
fmi2Status fmi2Terminate(fmi2Component c) {
  return on(c, [](Fmi2&) { return std::string(); });
}
fmi2Status fmi2Reset(fmi2Component c) {
  return on(c, [](Fmi2& it) {
    it.reset();
    it.start = 0;
    return std::string();
  });
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real x[]) {
  return get(c, vr, n, x, UnitVariable::real);
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer x[]) {
  return get(c, vr, n, x, UnitVariable::choice);
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean x[]) {
  return get(c, vr, n, x, UnitVariable::boolean);
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference[], size_t n, fmi2String[]) {
  return none(c, n, "String");
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real x[]) {
  return set(c, vr, n, x, UnitVariable::real);
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer x[]) {
  return set(c, vr, n, x, UnitVariable::choice);
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean x[]) {
  return set(c, vr, n, x, UnitVariable::boolean);
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference[], size_t n, const fmi2String[]) {
  return none(c, n, "String");
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return on(c, [&](Fmi2& it) {
    if (*state) {
      *static_cast<Bytes*>(*state) = it.bytes();
    } else {
      *state = new Bytes(it.bytes());
    }
    return std::string();
  });
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return on(c, [&](Fmi2& it) {
    const auto* b = static_cast<const Bytes*>(state);
    return std::string(b && it.set_bytes(b->data(), b->size()) ? "" : "this is no state of this unit");
  });
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return on(c, [&](Fmi2&) {
    delete static_cast<Bytes*>(*state);
    *state = nullptr;
    return std::string();
  });
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
  return on(c, [&](Fmi2&) {
    *size = static_cast<const Bytes*>(state)->size();
    return std::string();
  });
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte out[], size_t size) {
  return on(c, [&](Fmi2&) {
    const auto& b = *static_cast<const Bytes*>(state);
    if (size < b.size()) return "the state takes " + std::to_string(b.size()) + " bytes";
    std::memcpy(out, b.data(), b.size());
    return std::string();
  });
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte in[], size_t size, fmi2FMUstate* state) {
  return on(c, [&](Fmi2& it) {
    bristle::fmu::Instance trial = it;
    if (!trial.set_bytes(in, size)) return std::string("these bytes are no state of this unit");
    delete static_cast<Bytes*>(*state);
    *state = new Bytes(in, in + size);
    return std::string();
  });
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n,
                                        const fmi2ValueReference known[], size_t m, const fmi2Real seed[],
                                        fmi2Real out[]) {
  return on(c, [&](Fmi2& it) {
    std::vector<std::pair<std::size_t, double>> seeds;
    for (size_t i = 0; i < m; ++i) seeds.emplace_back(known[i], seed[i]);
    for (size_t i = 0; i < n; ++i) {
      if (unknown[i] >= it.unit.variables().size() || !it.unit.slope(unknown[i], seeds, out[i]))
        return std::string("no derivative of this variable along these variables");
    }
    return std::string();
  });
}

// Co-simulation.
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean) {
  return on(c, [&](Fmi2& it) { return it.unit.advance(t, h); });
}
fmi2Status fmi2CancelStep(fmi2Component) { return fmi2Error; }
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference[], size_t n, const fmi2Integer[],
                                       const fmi2Real[]) {
  return on(c, [&](Fmi2&) { return std::string(n == 0 ? "" : "inputs are constant over a step"); });
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference[], size_t n, const fmi2Integer[],
                                        fmi2Real[]) {
  return on(c, [&](Fmi2&) { return std::string(n == 0 ? "" : "derivatives of outputs are not offered"); });
}
fmi2Status fmi2GetStatus(fmi2Component, const fmi2StatusKind, fmi2Status*) { return fmi2Discard; }
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* x) {
  if (!c || kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *x = static_cast<Fmi2*>(c)->unit.time();
  return fmi2OK;
}
fmi2Status fmi2GetIntegerStatus(fmi2Component, const fmi2StatusKind, fmi2Integer*) { return fmi2Discard; }
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* x) {
  if (!c || kind != fmi2Terminated) return fmi2Discard;
  *x = fmi2False;
  return fmi2OK;
}
fmi2Status fmi2GetStringStatus(fmi2Component, const fmi2StatusKind, fmi2String*) { return fmi2Discard; }

// Model exchange.
fmi2Status fmi2EnterEventMode(fmi2Component c) {
  return on(c, [](Fmi2&) { return std::string(); });
}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  return on(c, [&](Fmi2& it) {
    *info = {};
    info->valuesOfContinuousStatesChanged = it.unit.handle_events() ? fmi2True : fmi2False;
    return it.unit.element().broken();
  });
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  return on(c, [](Fmi2&) { return std::string(); });
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean, fmi2Boolean* event, fmi2Boolean* terminate) {
  return on(c, [&](Fmi2& it) {
    *event = it.unit.passed() ? fmi2True : fmi2False;
    *terminate = fmi2False;
    return std::string();
  });
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) {
  return on(c, [&](Fmi2& it) {
    it.unit.set_time(t);
    return std::string();
  });
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
  return on(c, [&](Fmi2& it) {
    if (n != it.unit.states()) return "there are " + std::to_string(it.unit.states()) + " continuous states";
    for (size_t i = 0; i < n; ++i) it.unit.set_state(i, x[i]);
    return std::string();
  });
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real x[], size_t n) {
  return on(c, [&](Fmi2& it) {
    for (size_t i = 0; i < n && i < it.unit.states(); ++i) x[i] = it.unit.rate(i);
    return std::string();
  });
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real x[], size_t n) {
  return on(c, [&](Fmi2& it) {
    if (n != it.unit.indicators()) return "there are " + std::to_string(it.unit.indicators()) + " event indicators";
    if (n > 0) it.unit.indicators(x);
    return std::string();
  });
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  return on(c, [&](Fmi2& it) {
    for (size_t i = 0; i < n && i < it.unit.states(); ++i) x[i] = it.unit.state(i);
    return std::string();
  });
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  return on(c, [&](Fmi2& it) {
    for (size_t i = 0; i < n && i < it.unit.states(); ++i) x[i] = it.unit.nominal(i);
    return std::string();
  });
}

}  // extern "C"
