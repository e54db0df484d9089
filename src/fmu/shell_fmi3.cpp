// The functions of FMI 3.0.
#include "fmu/model.hpp"

namespace catena::fmu {

const char* const shell_fmi3_text = R"(
#ifdef FMI3_FUNCTION_PREFIX
#define FMI(name) JOINED(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI(name) name
#endif

typedef void (*Logger)(void *environment, int status, const char *category, const char *text);

static void tell(void *instance, int status, const char *message)
{
  Instance *m = (Instance *)instance;
  if (m->callback) ((Logger)m->callback)(m->environment, status, "logStatusError", message);
}

EXPORT const char *FMI(fmi3GetVersion)(void) { return "3.0"; }

EXPORT int FMI(fmi3SetDebugLogging)(void *c, bool on, size_t count, const char *const *categories)
{
  (void)c, (void)on, (void)count, (void)categories;
  return ok;
}

static void *instantiate_here(const char *name, const char *token, void *environment, Logger logger)
{
  Instance *m = instantiate(name, token);
  if (!m) {
    if (logger)
      logger(environment, error, "logStatusError",
             token && strcmp(token, TOKEN) == 0 ? sentences[no_memory] : "the instantiation token is of another FMU");
    return NULL;
  }
  m->log = tell;
  m->environment = environment;
  m->callback = (void (*)(void))logger;
  return m;
}

EXPORT void *FMI(fmi3InstantiateModelExchange)(const char *name, const char *token, const char *resources, bool visible,
                                               bool logs, void *environment, Logger logger)
{
  (void)resources, (void)visible, (void)logs;
  return instantiate_here(name, token, environment, logger);
}
EXPORT void *FMI(fmi3InstantiateCoSimulation)(const char *name, const char *token, const char *resources, bool visible,
                                              bool logs, bool events, bool early, const uint32_t *wanted, size_t count,
                                              void *environment, Logger logger, void (*update)(void))
{
  (void)resources, (void)visible, (void)logs, (void)events, (void)early, (void)wanted, (void)count, (void)update;
  return instantiate_here(name, token, environment, logger);
}
EXPORT void *FMI(fmi3InstantiateScheduledExecution)(const char *name, const char *token, const char *resources,
                                                    bool visible, bool logs, void *environment, Logger logger,
                                                    void (*clock)(void), void (*lock)(void), void (*unlock)(void))
{
  (void)name, (void)token, (void)resources, (void)visible, (void)logs, (void)clock, (void)lock, (void)unlock;
  if (logger) logger(environment, error, "logStatusError", sentences[not_here]);
  return NULL;
}
EXPORT void FMI(fmi3FreeInstance)(void *c) { destroy((Instance *)c); }

EXPORT int FMI(fmi3EnterInitializationMode)(void *c, bool has_tolerance, double tolerance, double start, bool has_stop,
                                            double stop)
{
  (void)has_stop, (void)stop;
  return begin((Instance *)c, has_tolerance, tolerance, start);
}
EXPORT int FMI(fmi3ExitInitializationMode)(void *c) { return begun((Instance *)c); }
#define NOTHING_TO_DO(name)  \
  EXPORT int FMI(name)(void *c) \
  {                          \
    (void)c;                 \
    return ok;               \
  }
NOTHING_TO_DO(fmi3EnterEventMode)
NOTHING_TO_DO(fmi3EnterContinuousTimeMode)
NOTHING_TO_DO(fmi3EnterStepMode)
NOTHING_TO_DO(fmi3EvaluateDiscreteStates)
EXPORT int FMI(fmi3Terminate)(void *c)
{
  ((Instance *)c)->s.stage = ended;
  return ok;
}
EXPORT int FMI(fmi3Reset)(void *c)
{
  reset((Instance *)c);
  return ok;
}

EXPORT int FMI(fmi3GetFloat64)(void *c, const uint32_t *which, size_t count, double *values, size_t numbers)
{
  return numbers == count ? get_numbers((Instance *)c, which, count, values)
                          : complain((Instance *)c, error, no_number);
}
EXPORT int FMI(fmi3SetFloat64)(void *c, const uint32_t *which, size_t count, const double *values, size_t numbers)
{
  return numbers == count ? set_numbers((Instance *)c, which, count, values)
                          : complain((Instance *)c, error, no_number);
}
#define NO_VARIABLES_GET(name, type)                                                                     \
  EXPORT int FMI(name)(void *c, const uint32_t *which, size_t count, type *values, size_t numbers)       \
  {                                                                                                      \
    (void)which, (void)values, (void)numbers;                                                            \
    return count == 0 ? ok : complain((Instance *)c, error, no_number);                                  \
  }
#define NO_VARIABLES(name, type)               \
  NO_VARIABLES_GET(fmi3Get##name, type)        \
  NO_VARIABLES_GET(fmi3Set##name, const type)
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
typedef const char *Text;
NO_VARIABLES(String, Text)
#define NO_CLOCKS(name, arguments, unused)                                        \
  EXPORT int FMI(name) arguments                                                  \
  {                                                                               \
    (void)which, unused;                                                          \
    return count == 0 ? ok : complain((Instance *)c, error, no_number);           \
  }
#define CLOCKS void *c, const uint32_t *which, size_t count
NO_CLOCKS(fmi3GetClock, (CLOCKS, bool *a), (void)a)
NO_CLOCKS(fmi3SetClock, (CLOCKS, const bool *a), (void)a)
NO_CLOCKS(fmi3GetIntervalDecimal, (CLOCKS, double *a, int *b), ((void)a, (void)b))
NO_CLOCKS(fmi3GetIntervalFraction, (CLOCKS, uint64_t *a, uint64_t *b, int *d), ((void)a, (void)b, (void)d))
NO_CLOCKS(fmi3GetShiftDecimal, (CLOCKS, double *a), (void)a)
NO_CLOCKS(fmi3GetShiftFraction, (CLOCKS, uint64_t *a, uint64_t *b), ((void)a, (void)b))
NO_CLOCKS(fmi3SetIntervalDecimal, (CLOCKS, const double *a), (void)a)
NO_CLOCKS(fmi3SetIntervalFraction, (CLOCKS, const uint64_t *a, const uint64_t *b), ((void)a, (void)b))
NO_CLOCKS(fmi3SetShiftDecimal, (CLOCKS, const double *a), (void)a)
NO_CLOCKS(fmi3SetShiftFraction, (CLOCKS, const uint64_t *a, const uint64_t *b), ((void)a, (void)b))
EXPORT int FMI(fmi3GetBinary)(void *c, const uint32_t *which, size_t count, size_t *sizes, const uint8_t **values,
                              size_t numbers)
{
  (void)which, (void)sizes, (void)values, (void)numbers;
  return count == 0 ? ok : complain((Instance *)c, error, no_number);
}
EXPORT int FMI(fmi3SetBinary)(void *c, const uint32_t *which, size_t count, const size_t *sizes,
                              const uint8_t *const *values, size_t numbers)
{
  (void)which, (void)sizes, (void)values, (void)numbers;
  return count == 0 ? ok : complain((Instance *)c, error, no_number);
}

EXPORT int FMI(fmi3GetNumberOfVariableDependencies)(void *c, uint32_t which, size_t *count)
{
  (void)which, (void)count;
  return complain((Instance *)c, error, not_here);
}
EXPORT int FMI(fmi3GetVariableDependencies)(void *c, uint32_t dependent, size_t *entries, uint32_t *independents,
                                            size_t *others, int *kinds, size_t count)
{
  (void)dependent, (void)entries, (void)independents, (void)others, (void)kinds, (void)count;
  return complain((Instance *)c, error, not_here);
}

EXPORT int FMI(fmi3GetFMUState)(void *c, void **state) { return get_state((Instance *)c, state); }
EXPORT int FMI(fmi3SetFMUState)(void *c, void *state) { return set_state((Instance *)c, state); }
EXPORT int FMI(fmi3FreeFMUState)(void *c, void **state)
{
  (void)c;
  return free_state(state);
}
EXPORT int FMI(fmi3SerializedFMUStateSize)(void *c, void *state, size_t *size)
{
  (void)c, (void)state;
  *size = sizeof(State);
  return ok;
}
EXPORT int FMI(fmi3SerializeFMUState)(void *c, void *state, uint8_t *bytes, size_t size)
{
  return copy_state((Instance *)c, state, bytes, size);
}
EXPORT int FMI(fmi3DeserializeFMUState)(void *c, const uint8_t *bytes, size_t size, void **state)
{
  const int status = get_state((Instance *)c, state);
  return status == ok ? copy_state((Instance *)c, bytes, *state, size) : status;
}

EXPORT int FMI(fmi3GetDirectionalDerivative)(void *c, const uint32_t *unknowns, size_t results, const uint32_t *knowns,
                                             size_t count, const double *seed, size_t seeds, double *sensitivity,
                                             size_t sensitivities)
{
  if (seeds != count || sensitivities != results) return complain((Instance *)c, error, no_number);
  return derivative((Instance *)c, unknowns, results, knowns, count, seed, sensitivity);
}
EXPORT int FMI(fmi3GetAdjointDerivative)(void *c, const uint32_t *unknowns, size_t results, const uint32_t *knowns,
                                         size_t count, const double *seed, size_t seeds, double *sensitivity,
                                         size_t sensitivities)
{
  (void)unknowns, (void)results, (void)knowns, (void)count, (void)seed, (void)seeds, (void)sensitivity;
  (void)sensitivities;
  return complain((Instance *)c, error, not_here);
}
EXPORT int FMI(fmi3EnterConfigurationMode)(void *c) { return complain((Instance *)c, error, not_here); }
EXPORT int FMI(fmi3ExitConfigurationMode)(void *c) { return complain((Instance *)c, error, not_here); }

EXPORT int FMI(fmi3UpdateDiscreteStates)(void *c, bool *again, bool *terminate, bool *nominals_changed,
                                         bool *states_changed, bool *has_next, double *next)
{
  *again = *terminate = *nominals_changed = *states_changed = false;
  *has_next = sample((Instance *)c, next);
  return ok;
}
EXPORT int FMI(fmi3CompletedIntegratorStep)(void *c, bool no_way_back, bool *enter_event_mode, bool *terminate)
{
  (void)c, (void)no_way_back;
  *enter_event_mode = *terminate = false;
  return ok;
}
EXPORT int FMI(fmi3SetTime)(void *c, double time) { return set_time((Instance *)c, time); }
EXPORT int FMI(fmi3SetContinuousStates)(void *c, const double *x, size_t count)
{
  return set_states((Instance *)c, x, count);
}
EXPORT int FMI(fmi3GetContinuousStateDerivatives)(void *c, double *rates, size_t count)
{
  return get_rates((Instance *)c, rates, count);
}
EXPORT int FMI(fmi3GetEventIndicators)(void *c, double *indicators, size_t count)
{
  (void)indicators;
  return count == 0 ? ok : complain((Instance *)c, error, no_number);
}
EXPORT int FMI(fmi3GetContinuousStates)(void *c, double *x, size_t count) { return get_states((Instance *)c, x, count); }
EXPORT int FMI(fmi3GetNominalsOfContinuousStates)(void *c, double *nominals, size_t count)
{
  return get_nominals((Instance *)c, nominals, count);
}
EXPORT int FMI(fmi3GetNumberOfEventIndicators)(void *c, size_t *count)
{
  (void)c;
  *count = 0;
  return ok;
}
EXPORT int FMI(fmi3GetNumberOfContinuousStates)(void *c, size_t *count)
{
  (void)c;
  *count = STATES;
  return ok;
}

EXPORT int FMI(fmi3GetOutputDerivatives)(void *c, const uint32_t *which, size_t count, const int32_t *orders,
                                         double *values, size_t numbers)
{
  (void)which, (void)count, (void)orders, (void)values, (void)numbers;
  return complain((Instance *)c, error, not_here);
}
EXPORT int FMI(fmi3DoStep)(void *c, double from, double by, bool no_way_back, bool *event, bool *terminate, bool *early,
                           double *reached)
{
  const int status = advance((Instance *)c, from, by);
  (void)no_way_back;
  *event = *terminate = *early = false;
  *reached = ((Instance *)c)->s.v[0];
  return status;
}
EXPORT int FMI(fmi3ActivateModelPartition)(void *c, uint32_t clock, double time)
{
  (void)clock, (void)time;
  return complain((Instance *)c, error, not_here);
}
)";

}  // namespace catena::fmu
