#include "fmi/fmi3Functions.h"

#include "instance.hpp"

/// FMI 3.0: co-simulation and model exchange. Functions of kinds that are not offered exist, because importers load all.
namespace {

using bristle::element::UnitVariable;
using Vr = fmi3ValueReference;

struct Fmi3 : bristle::fmu::Instance {
  fmi3InstanceEnvironment environment = nullptr;
  fmi3LogMessageCallback message = nullptr;
  void log(const std::string& text) const {
    if (message) message(environment, fmi3Error, "logStatusError", text.c_str());
  }
};

template <class F> fmi3Status on(fmi3Instance c, F&& f) {
  if (!c) return fmi3Error;
  auto& it = *static_cast<Fmi3*>(c);
  try {
    const std::string wrong = f(it);
    if (wrong.empty()) return fmi3OK;
    it.log(wrong);
  } catch (const std::exception& e) { it.log(e.what()); }
  return fmi3Error;
}
fmi3Status well(fmi3Instance c) {
  return on(c, [](Fmi3&) { return std::string(); });
}
fmi3Status none(fmi3Instance c, size_t n, const char* what) {
  return on(c, [&](Fmi3&) { return n == 0 ? "" : std::string("not offered: ") + what; });
}

/// f(number, place among the values) for all elements of these variables.
template <class F> std::string each(Fmi3& it, const Vr* vr, size_t n, size_t values, UnitVariable::Type type, F&& f) {
  const auto& all = it.unit.variables();
  size_t at = 0;
  for (size_t i = 0; i < n; ++i) {
    if (vr[i] >= all.size() || all[vr[i]].type != type)
      return "no variable of this type has the value reference " + std::to_string(vr[i]);
    const size_t length = all[vr[i]].length > 0 ? all[vr[i]].length : 1;
    for (size_t k = 0; k < length; ++k, ++at) {
      if (at >= values) return "the variables have more than " + std::to_string(values) + " values";
      if (std::string wrong = f(vr[i] + k, at); !wrong.empty()) return wrong;
    }
  }
  return at == values ? "" : "the variables have " + std::to_string(at) + " values, not " + std::to_string(values);
}
template <class T>
fmi3Status get(fmi3Instance c, const Vr* vr, size_t n, T* out, size_t values, UnitVariable::Type type) {
  return on(c, [&](Fmi3& it) {
    return each(it, vr, n, values, type, [&](size_t v, size_t at) {
      out[at] = static_cast<T>(it.unit.get(v) + (type == UnitVariable::choice ? 1 : 0));
      return std::string();
    });
  });
}
template <class T>
fmi3Status set(fmi3Instance c, const Vr* vr, size_t n, const T* x, size_t values, UnitVariable::Type type) {
  return on(c, [&](Fmi3& it) {
    return each(it, vr, n, values, type, [&](size_t v, size_t at) {
      return it.unit.set(v, static_cast<double>(x[at]) - (type == UnitVariable::choice ? 1 : 0));
    });
  });
}
fmi3Instance instantiate(const char* token, const char* resources, fmi3InstanceEnvironment environment,
                         fmi3LogMessageCallback message, bool exchange) {
  try {
    auto it = std::make_unique<Fmi3>();
    it->environment = environment;
    it->message = message;
    it->model_exchange = exchange;
    const std::string wrong = it->load(resources ? resources : "", token ? token : "");
    if (wrong.empty()) return it.release();
    it->log(wrong);
  } catch (const std::exception&) {}
  return nullptr;
}
using Bytes = std::vector<char>;

}  // namespace

extern "C" {

const char* fmi3GetVersion(void) { return fmi3Version; }
fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean, size_t, const fmi3String[]) { return well(c); }
fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String token, fmi3String resources, fmi3Boolean, fmi3Boolean,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback message) {
  return instantiate(token, resources, environment, message, true);
}
fmi3Instance fmi3InstantiateCoSimulation(fmi3String, fmi3String token, fmi3String resources, fmi3Boolean, fmi3Boolean,
                                         fmi3Boolean, fmi3Boolean, const fmi3ValueReference[], size_t,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback message,
                                         fmi3IntermediateUpdateCallback) {
  return instantiate(token, resources, environment, message, false);
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                               fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3ClockUpdateCallback,
                                               fmi3LockPreemptionCallback, fmi3UnlockPreemptionCallback) {
  return nullptr;
}
void fmi3FreeInstance(fmi3Instance c) { delete static_cast<Fmi3*>(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean, fmi3Float64, fmi3Float64 start, fmi3Boolean,
                                       fmi3Float64) {
  return on(c, [&](Fmi3& it) {
    it.start = start;
    return it.unit.begin(start);
  });
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  return on(c, [](Fmi3& it) {
    std::string wrong = it.unit.begin(it.start);
    if (wrong.empty() && it.model_exchange) it.unit.start_events();
    return wrong;
  });
}
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return well(c); }
fmi3Status fmi3Terminate(fmi3Instance c) { return well(c); }
fmi3Status fmi3Reset(fmi3Instance c) {
  return on(c, [](Fmi3& it) {
    it.reset();
    it.start = 0;
    return std::string();
  });
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const Vr vr[], size_t n, fmi3Float64 x[], size_t values) {
  return get(c, vr, n, x, values, UnitVariable::real);
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const Vr vr[], size_t n, const fmi3Float64 x[], size_t values) {
  return set(c, vr, n, x, values, UnitVariable::real);
}
fmi3Status fmi3GetInt64(fmi3Instance c, const Vr vr[], size_t n, fmi3Int64 x[], size_t values) {
  return get(c, vr, n, x, values, UnitVariable::choice);
}
fmi3Status fmi3SetInt64(fmi3Instance c, const Vr vr[], size_t n, const fmi3Int64 x[], size_t values) {
  return set(c, vr, n, x, values, UnitVariable::choice);
}
fmi3Status fmi3GetBoolean(fmi3Instance c, const Vr vr[], size_t n, fmi3Boolean x[], size_t values) {
  return get(c, vr, n, x, values, UnitVariable::boolean);
}
fmi3Status fmi3SetBoolean(fmi3Instance c, const Vr vr[], size_t n, const fmi3Boolean x[], size_t values) {
  return set(c, vr, n, x, values, UnitVariable::boolean);
}
#define BRISTLE_NO_TYPE(T)                                                                                  \
  fmi3Status fmi3Get##T(fmi3Instance c, const Vr[], size_t n, fmi3##T[], size_t) { return none(c, n, #T); } \
  fmi3Status fmi3Set##T(fmi3Instance c, const Vr[], size_t n, const fmi3##T[], size_t) { return none(c, n, #T); }
BRISTLE_NO_TYPE(Float32)
BRISTLE_NO_TYPE(Int8)
BRISTLE_NO_TYPE(UInt8)
BRISTLE_NO_TYPE(Int16)
BRISTLE_NO_TYPE(UInt16)
BRISTLE_NO_TYPE(Int32)
BRISTLE_NO_TYPE(UInt32)
BRISTLE_NO_TYPE(UInt64)
BRISTLE_NO_TYPE(String)
#undef BRISTLE_NO_TYPE
fmi3Status fmi3GetBinary(fmi3Instance c, const Vr[], size_t n, size_t[], fmi3Binary[], size_t) {
  return none(c, n, "Binary");
}
fmi3Status fmi3SetBinary(fmi3Instance c, const Vr[], size_t n, const size_t[], const fmi3Binary[], size_t) {
  return none(c, n, "Binary");
}
fmi3Status fmi3GetClock(fmi3Instance c, const Vr[], size_t n, fmi3Clock[]) { return none(c, n, "Clock"); }
fmi3Status fmi3SetClock(fmi3Instance c, const Vr[], size_t n, const fmi3Clock[]) { return none(c, n, "Clock"); }
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, Vr, size_t*) { return none(c, 1, "dependencies"); }
fmi3Status fmi3GetVariableDependencies(fmi3Instance c, Vr, size_t[], Vr[], size_t[], fmi3DependencyKind[], size_t) {
  return none(c, 1, "dependencies");
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) {
  return on(c, [&](Fmi3& it) {
    if (*state) {
      *static_cast<Bytes*>(*state) = it.bytes();
    } else {
      *state = new Bytes(it.bytes());
    }
    return std::string();
  });
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  return on(c, [&](Fmi3& it) {
    const auto* b = static_cast<const Bytes*>(state);
    return std::string(b && it.set_bytes(b->data(), b->size()) ? "" : "this is no state of this unit");
  });
}
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
  return on(c, [&](Fmi3&) {
    delete static_cast<Bytes*>(*state);
    *state = nullptr;
    return std::string();
  });
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t* size) {
  return on(c, [&](Fmi3&) {
    *size = static_cast<const Bytes*>(state)->size();
    return std::string();
  });
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte out[], size_t size) {
  return on(c, [&](Fmi3&) {
    const auto& b = *static_cast<const Bytes*>(state);
    if (size < b.size()) return "the state takes " + std::to_string(b.size()) + " bytes";
    std::memcpy(out, b.data(), b.size());
    return std::string();
  });
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte in[], size_t size, fmi3FMUState* state) {
  return on(c, [&](Fmi3& it) {
    bristle::fmu::Instance trial = it;
    Bytes bytes(in, in + size);
    if (!trial.set_bytes(bytes.data(), size)) return std::string("these bytes are no state of this unit");
    delete static_cast<Bytes*>(*state);
    *state = new Bytes(std::move(bytes));
    return std::string();
  });
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const Vr unknowns[], size_t n, const Vr knowns[], size_t m,
                                        const fmi3Float64 seed[], size_t n_seed, fmi3Float64 out[], size_t n_out) {
  return on(c, [&](Fmi3& it) {
    if (n_seed != m || n_out != n) return std::string("one value per variable is required");
    std::vector<std::pair<std::size_t, double>> seeds;
    for (size_t i = 0; i < m; ++i) seeds.emplace_back(knowns[i], seed[i]);
    for (size_t i = 0; i < n; ++i) {
      if (unknowns[i] >= it.unit.variables().size() || !it.unit.slope(unknowns[i], seeds, out[i]))
        return std::string("no derivative of this variable along these variables");
    }
    return std::string();
  });
}
fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const Vr[], size_t, const Vr[], size_t, const fmi3Float64[], size_t,
                                    fmi3Float64[], size_t) {
  return none(c, 1, "adjoint derivatives");
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { return well(c); }
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { return well(c); }
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const Vr[], size_t n, fmi3Float64[], fmi3IntervalQualifier[]) {
  return none(c, n, "clocks");
}
fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const Vr[], size_t n, fmi3UInt64[], fmi3UInt64[],
                                   fmi3IntervalQualifier[]) {
  return none(c, n, "clocks");
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const Vr[], size_t n, fmi3Float64[]) { return none(c, n, "clocks"); }
fmi3Status fmi3GetShiftFraction(fmi3Instance c, const Vr[], size_t n, fmi3UInt64[], fmi3UInt64[]) {
  return none(c, n, "clocks");
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const Vr[], size_t n, const fmi3Float64[]) {
  return none(c, n, "clocks");
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const Vr[], size_t n, const fmi3UInt64[], const fmi3UInt64[]) {
  return none(c, n, "clocks");
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const Vr[], size_t n, const fmi3Float64[]) {
  return none(c, n, "clocks");
}
fmi3Status fmi3SetShiftFraction(fmi3Instance c, const Vr[], size_t n, const fmi3UInt64[], const fmi3UInt64[]) {
  return none(c, n, "clocks");
}
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) { return well(c); }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate, fmi3Boolean* nominals,
                                    fmi3Boolean* values, fmi3Boolean* next_defined, fmi3Float64* next) {
  return on(c, [&](Fmi3& it) {
    *again = *terminate = *nominals = *next_defined = false;
    *next = 0;
    *values = it.model_exchange && it.unit.handle_events();
    return it.unit.element().broken();
  });
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return well(c); }
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean, fmi3Boolean* event, fmi3Boolean* terminate) {
  return on(c, [&](Fmi3& it) {
    *event = it.unit.passed();
    *terminate = false;
    return std::string();
  });
}
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t) {
  return on(c, [&](Fmi3& it) {
    it.unit.set_time(t);
    return std::string();
  });
}
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n) {
  return on(c, [&](Fmi3& it) {
    if (n != it.unit.states()) return "there are " + std::to_string(it.unit.states()) + " continuous states";
    for (size_t i = 0; i < n; ++i) it.unit.set_state(i, x[i]);
    return std::string();
  });
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 x[], size_t n) {
  return on(c, [&](Fmi3& it) {
    for (size_t i = 0; i < n && i < it.unit.states(); ++i) x[i] = it.unit.rate(i);
    return std::string();
  });
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 x[], size_t n) {
  return on(c, [&](Fmi3& it) {
    if (n != it.unit.indicators()) return "there are " + std::to_string(it.unit.indicators()) + " event indicators";
    if (n > 0) it.unit.indicators(x);
    return std::string();
  });
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
  return on(c, [&](Fmi3& it) {
    for (size_t i = 0; i < n && i < it.unit.states(); ++i) x[i] = it.unit.state(i);
    return std::string();
  });
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
  return on(c, [&](Fmi3& it) {
    for (size_t i = 0; i < n && i < it.unit.states(); ++i) x[i] = it.unit.nominal(i);
    return std::string();
  });
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* n) {
  return on(c, [&](Fmi3& it) {
    *n = it.unit.indicators();
    return std::string();
  });
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* n) {
  return on(c, [&](Fmi3& it) {
    *n = it.unit.states();
    return std::string();
  });
}

fmi3Status fmi3EnterStepMode(fmi3Instance c) { return well(c); }
fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const Vr[], size_t n, const fmi3Int32[], fmi3Float64[], size_t) {
  return none(c, n, "derivatives of outputs");
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean, fmi3Boolean* event,
                      fmi3Boolean* terminate, fmi3Boolean* early, fmi3Float64* last) {
  return on(c, [&](Fmi3& it) {
    *event = *terminate = *early = false;
    std::string wrong = it.unit.advance(t, h);
    *last = wrong.empty() ? t + h : t;
    return wrong;
  });
}
fmi3Status fmi3ActivateModelPartition(fmi3Instance c, Vr, fmi3Float64) { return none(c, 1, "scheduled execution"); }

}  // extern "C"
