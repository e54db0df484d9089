// The functions of FMI 2.0.
#include "fmu/model.hpp"

namespace catena::fmu {

const char* const shell_fmi2_text = R"(
#ifdef FMI2_FUNCTION_PREFIX
#define FMI(name) JOINED(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI(name) name
#endif

typedef void (*Logger)(void *environment, const char *name, int status, const char *category, const char *text, ...);
typedef struct {
  Logger logger;
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, int);
  void *environment;
} Callbacks;
typedef struct {
  int again, terminate, nominals_changed, states_changed, has_next;
  double next;
} EventInfo;

static void tell(void *instance, int status, const char *message)
{
  Instance *m = (Instance *)instance;
  if (m->callback) ((Logger)m->callback)(m->environment, m->name, status, "logStatusError", "%s", message);
}

EXPORT const char *FMI(fmi2GetTypesPlatform)(void) { return "default"; }
EXPORT const char *FMI(fmi2GetVersion)(void) { return "2.0"; }

EXPORT int FMI(fmi2SetDebugLogging)(void *c, int on, size_t count, const char *const *categories)
{
  (void)c, (void)on, (void)count, (void)categories;
  return ok;
}

EXPORT void *FMI(fmi2Instantiate)(const char *name, int type, const char *guid, const char *resources,
                                  const Callbacks *callbacks, int visible, int logs)
{
  Instance *m = instantiate(name, guid);
  (void)type, (void)resources, (void)visible, (void)logs;
  if (!m) {
    if (callbacks && callbacks->logger)
      callbacks->logger(callbacks->environment, name, error, "logStatusError", "%s",
                        guid && strcmp(guid, TOKEN) == 0 ? sentences[no_memory] : "the guid is of another FMU");
    return NULL;
  }
  m->log = tell;
  if (callbacks) {
    m->environment = callbacks->environment;
    m->callback = (void (*)(void))callbacks->logger;
  }
  return m;
}

EXPORT void FMI(fmi2FreeInstance)(void *c) { destroy((Instance *)c); }

EXPORT int FMI(fmi2SetupExperiment)(void *c, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
  (void)has_stop, (void)stop;
  begin((Instance *)c, has_tolerance != 0, tolerance, start);
  ((Instance *)c)->s.stage = made;
  return ok;
}
EXPORT int FMI(fmi2EnterInitializationMode)(void *c)
{
  ((Instance *)c)->s.stage = starting;
  return ok;
}
EXPORT int FMI(fmi2ExitInitializationMode)(void *c) { return begun((Instance *)c); }
EXPORT int FMI(fmi2Terminate)(void *c)
{
  ((Instance *)c)->s.stage = ended;
  return ok;
}
EXPORT int FMI(fmi2Reset)(void *c)
{
  reset((Instance *)c);
  return ok;
}

EXPORT int FMI(fmi2GetReal)(void *c, const uint32_t *which, size_t count, double *values)
{
  return get_numbers((Instance *)c, which, count, values);
}
EXPORT int FMI(fmi2SetReal)(void *c, const uint32_t *which, size_t count, const double *values)
{
  return set_numbers((Instance *)c, which, count, values);
}
#define NO_VARIABLES(name, type)                                                               \
  EXPORT int FMI(name)(void *c, const uint32_t *which, size_t count, type *values)             \
  {                                                                                            \
    (void)which, (void)values;                                                                 \
    return count == 0 ? ok : complain((Instance *)c, error, no_number);                        \
  }
NO_VARIABLES(fmi2GetInteger, int)
NO_VARIABLES(fmi2GetBoolean, int)
NO_VARIABLES(fmi2GetString, const char *)
NO_VARIABLES(fmi2SetInteger, const int)
NO_VARIABLES(fmi2SetBoolean, const int)
NO_VARIABLES(fmi2SetString, const char *const)

EXPORT int FMI(fmi2GetFMUstate)(void *c, void **state) { return get_state((Instance *)c, state); }
EXPORT int FMI(fmi2SetFMUstate)(void *c, void *state) { return set_state((Instance *)c, state); }
EXPORT int FMI(fmi2FreeFMUstate)(void *c, void **state)
{
  (void)c;
  return free_state(state);
}
EXPORT int FMI(fmi2SerializedFMUstateSize)(void *c, void *state, size_t *size)
{
  (void)c, (void)state;
  *size = sizeof(State);
  return ok;
}
EXPORT int FMI(fmi2SerializeFMUstate)(void *c, void *state, char *bytes, size_t size)
{
  return copy_state((Instance *)c, state, bytes, size);
}
EXPORT int FMI(fmi2DeSerializeFMUstate)(void *c, const char *bytes, size_t size, void **state)
{
  const int status = get_state((Instance *)c, state);
  return status == ok ? copy_state((Instance *)c, bytes, *state, size) : status;
}

EXPORT int FMI(fmi2GetDirectionalDerivative)(void *c, const uint32_t *unknowns, size_t results, const uint32_t *knowns,
                                             size_t count, const double *seed, double *sensitivity)
{
  return derivative((Instance *)c, unknowns, results, knowns, count, seed, sensitivity);
}

EXPORT int FMI(fmi2EnterEventMode)(void *c)
{
  (void)c;
  return ok;
}
EXPORT int FMI(fmi2NewDiscreteStates)(void *c, EventInfo *info)
{
  memset(info, 0, sizeof *info);
  info->has_next = sample((Instance *)c, &info->next);
  return ok;
}
EXPORT int FMI(fmi2EnterContinuousTimeMode)(void *c)
{
  (void)c;
  return ok;
}
EXPORT int FMI(fmi2CompletedIntegratorStep)(void *c, int no_way_back, int *enter_event_mode, int *terminate)
{
  (void)c, (void)no_way_back;
  *enter_event_mode = *terminate = 0;
  return ok;
}
EXPORT int FMI(fmi2SetTime)(void *c, double time) { return set_time((Instance *)c, time); }
EXPORT int FMI(fmi2SetContinuousStates)(void *c, const double *x, size_t count)
{
  return set_states((Instance *)c, x, count);
}
EXPORT int FMI(fmi2GetDerivatives)(void *c, double *rates, size_t count)
{
  return get_rates((Instance *)c, rates, count);
}
EXPORT int FMI(fmi2GetEventIndicators)(void *c, double *indicators, size_t count)
{
  (void)indicators;
  return count == 0 ? ok : complain((Instance *)c, error, no_number);
}
EXPORT int FMI(fmi2GetContinuousStates)(void *c, double *x, size_t count) { return get_states((Instance *)c, x, count); }
EXPORT int FMI(fmi2GetNominalsOfContinuousStates)(void *c, double *nominals, size_t count)
{
  return get_nominals((Instance *)c, nominals, count);
}

EXPORT int FMI(fmi2SetRealInputDerivatives)(void *c, const uint32_t *which, size_t count, const int *order,
                                            const double *values)
{
  (void)which, (void)count, (void)order, (void)values;
  return complain((Instance *)c, error, not_here);
}
EXPORT int FMI(fmi2GetRealOutputDerivatives)(void *c, const uint32_t *which, size_t count, const int *order,
                                             double *values)
{
  (void)which, (void)count, (void)order, (void)values;
  return complain((Instance *)c, error, not_here);
}
EXPORT int FMI(fmi2DoStep)(void *c, double from, double by, int no_way_back)
{
  (void)no_way_back;
  return advance((Instance *)c, from, by);
}
EXPORT int FMI(fmi2CancelStep)(void *c) { return complain((Instance *)c, error, not_here); }
EXPORT int FMI(fmi2GetRealStatus)(void *c, int kind, double *value)
{
  if (kind != 2) return complain((Instance *)c, discard, not_here);
  *value = ((Instance *)c)->s.v[0];
  return ok;
}
#define NO_STATUS(name, type)                                \
  EXPORT int FMI(name)(void *c, int kind, type *value)       \
  {                                                          \
    (void)kind, (void)value;                                 \
    return complain((Instance *)c, discard, not_here);       \
  }
NO_STATUS(fmi2GetStatus, int)
NO_STATUS(fmi2GetIntegerStatus, int)
NO_STATUS(fmi2GetBooleanStatus, int)
NO_STATUS(fmi2GetStringStatus, const char *)
)";

}  // namespace catena::fmu
