// The C around the generated functions that FMI 2.0 and 3.0 share.
#include "fmu/model.hpp"

namespace catena::fmu {

const char* const shell_text = R"(
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ok, warning, discard, error };                 /* fmi2Status, fmi3Status */
enum { made, starting, running, ended };              /* how far an instance is */
enum { no_memory, no_number, not_now, not_here, no_motion, no_step, bad_period, bad_start };
static const char *const sentences[] = {
  "no memory is left",
  "there is no such variable, or it cannot be set",
  "this variable is set before the simulation starts",
  "this FMU has no such function",
  "the accelerations are not finite: the robot is singular here, or an input is not finite",
  "the integrator cannot meet its tolerance",
  "the period must be positive",
  "time cannot go back, and steps must be positive",
};

/* All that changes while it runs: a copy of it is the state of the FMU. */
typedef struct {
  double v[SLOTS];
#if HAS_LAW
  double law[LAW_STATES + 1], first, next;            /* the law's state; when it was first called, and is next */
  double samples;
#endif
  double step, tolerance;                             /* of the integrator; the step that it would take next */
  int stage, fresh;                                   /* fresh: the results belong to the other numbers */
} State;

typedef struct {
  State s;
  void (*log)(void *instance, int status, const char *message);
  void *environment;
  char *name;
  void (*callback)(void);                             /* of the importer */
} Instance;

static int complain(Instance *m, int status, int sentence)
{
  if (m->log) m->log(m, status, sentences[sentence]);
  return status;
}

static void reset(Instance *m)
{
  memset(&m->s, 0, sizeof m->s);
  memcpy(m->s.v, start_values, sizeof start_values);
  m->s.tolerance = 1e-8;
#if HAS_LAW
  reset_law(m->s.law);
#endif
}

static Instance *instantiate(const char *name, const char *token)
{
  Instance *m;
  if (!token || strcmp(token, TOKEN) != 0) return NULL;
  m = (Instance *)calloc(1, sizeof *m);
  if (!m) return NULL;
  m->name = (char *)calloc(1, name ? strlen(name) + 1 : 1);
  if (!m->name) {
    free(m);
    return NULL;
  }
  if (name) strcpy(m->name, name);
  reset(m);
  return m;
}

static void destroy(Instance *m)
{
  if (!m) return;
  free(m->name);
  free(m);
}

static bool are_finite(const double *x, int count)
{
  for (int k = 0; k < count; ++k)
    if (!(x[k] - x[k] == 0.0)) return false;
  return true;
}

static bool refresh(Instance *m)
{
  if (!m->s.fresh) find_results(m->s.v);
  m->s.fresh = 1;
  return are_finite(m->s.v + RESULTS, SLOTS - RESULTS);
}

static int get_numbers(Instance *m, const uint32_t *which, size_t count, double *values)
{
  for (size_t k = 0; k < count; ++k) {
    if (which[k] >= SLOTS || access_of[which[k]] < 0) return complain(m, error, no_number);
    if (which[k] >= RESULTS && !refresh(m)) return complain(m, discard, no_motion);
    values[k] = m->s.v[which[k]];
  }
  return ok;
}

static int set_numbers(Instance *m, const uint32_t *which, size_t count, const double *values)
{
  for (size_t k = 0; k < count; ++k) {
    if (which[k] >= SLOTS || access_of[which[k]] < 1) return complain(m, error, no_number);
    if (access_of[which[k]] == 1 && m->s.stage >= running) return complain(m, error, not_now);
    m->s.v[which[k]] = values[k];
  }
  m->s.fresh = 0;
  return ok;
}

static int begin(Instance *m, bool has_tolerance, double tolerance, double time)
{
  m->s.v[0] = time;
  if (has_tolerance && tolerance > 0.0) m->s.tolerance = tolerance;
  m->s.stage = starting;
  m->s.fresh = 0;
  return ok;
}

static int begun(Instance *m)
{
#if HAS_LAW
  if (!(m->s.v[PERIOD] > 0.0)) return complain(m, error, bad_period);
  m->s.first = m->s.next = m->s.v[0];
#endif
  m->s.stage = running;
  return ok;
}

static int set_time(Instance *m, double time)
{
  m->s.v[0] = time;
  m->s.fresh = 0;
  return ok;
}

static int set_states(Instance *m, const double *x, size_t count)
{
  if (count != STATES) return complain(m, error, no_number);
  memcpy(m->s.v + Q, x, STATES * sizeof *x);
  m->s.fresh = 0;
  return ok;
}

static int get_states(Instance *m, double *x, size_t count)
{
  if (count != STATES) return complain(m, error, no_number);
  memcpy(x, m->s.v + Q, STATES * sizeof *x);
  return ok;
}

static int get_rates(Instance *m, double *rates, size_t count)
{
  if (count != STATES) return complain(m, error, no_number);
  if (!refresh(m)) return complain(m, discard, no_motion);
  memcpy(rates, m->s.v + RESULTS, STATES * sizeof *rates);
  return ok;
}

static int get_nominals(Instance *m, double *nominals, size_t count)
{
  if (count != STATES) return complain(m, error, no_number);
  for (size_t k = 0; k < count; ++k) nominals[k] = 1.0;
  return ok;
}

/* The law, if it is its time. True: there is a next time. */
static bool sample(Instance *m, double *next)
{
#if HAS_LAW
  State *s = &m->s;
  double measured[STATES + MEASURED_MORE + 1];
  if (s->v[0] >= s->next - 1e-9 * s->v[PERIOD]) {
    memcpy(measured, s->v + Q, STATES * sizeof *measured);
    memcpy(measured + STATES, s->v + MORE, MEASURED_MORE * sizeof *measured);
    step_law(s->law, measured, s->v + REFERENCE, s->v[PERIOD], s->v + TAU);
    s->samples += 1.0;
    s->next = s->first + s->samples * s->v[PERIOD];
    s->fresh = 0;
  }
  *next = s->next;
  return true;
#else
  (void)m;
  *next = 0.0;
  return false;
#endif
}

static bool rates_at(Instance *m, double time, const double *x, double *rates)
{
  set_time(m, time);
  memcpy(m->s.v + Q, x, STATES * sizeof *x);
  if (!refresh(m)) return false;
  memcpy(rates, m->s.v + RESULTS, STATES * sizeof *rates);
  return true;
}

/* One step of Dormand and Prince's scheme of orders 5 and 4 from x, whose rates are k[0]: y, its rates k[6], and the
 * largest error by the tolerance. */
static double try_step(Instance *m, double h, const double *x, double (*k)[STATES], double *y)
{
  static const double c[7] = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};
  static const double a[7][6] = {
    {0.0}, {1.0 / 5.0}, {3.0 / 40.0, 9.0 / 40.0}, {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
  static const double e[7] = {71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0,
                              -1.0 / 40.0};
  const double time = m->s.v[0];
  double worst = 0.0;
  bool found = true;
  for (int i = 1; i < 7 && found; ++i) {
    for (int j = 0; j < STATES; ++j) {
      double sum = 0.0;
      for (int l = 0; l < i; ++l) sum += a[i][l] * k[l][j];
      y[j] = x[j] + h * sum;
    }
    found = rates_at(m, time + c[i] * h, y, k[i]);
  }
  for (int j = 0; j < STATES && found; ++j) {
    double difference = 0.0, size = x[j] > 0.0 ? x[j] : -x[j];
    const double other = y[j] > 0.0 ? y[j] : -y[j];
    for (int l = 0; l < 7; ++l) difference += e[l] * k[l][j];
    if (other > size) size = other;
    difference *= h / (m->s.tolerance * (0.01 + size));
    if (difference < 0.0) difference = -difference;
    if (difference > worst) worst = difference;
  }
  set_time(m, time);
  return found ? worst : 1e300;
}

/* 0.9 error^(-1/5), from 0.2 to 5. */
static double change_of_step(double worst)
{
  double factor = 5.0;
  while (factor > 0.2 && factor * factor * factor * factor * factor * worst > 0.59049) factor *= 0.9;
  return factor;
}

static int integrate(Instance *m, double end)
{
  double x[STATES], y[STATES], k[7][STATES];
  memcpy(x, m->s.v + Q, sizeof x);
  if (!rates_at(m, m->s.v[0], x, k[0])) return complain(m, discard, no_motion);
  if (!(m->s.step > 0.0)) m->s.step = 1e-3;
  while (m->s.v[0] < end) {
    const double time = m->s.v[0], left = end - time;
    const bool last = m->s.step >= 0.999999 * left;
    const double h = last ? left : m->s.step, worst = try_step(m, h, x, k, y), next = h * change_of_step(worst);
    if (worst <= 1.0) {
      memcpy(x, y, sizeof x);
      memcpy(k[0], k[6], sizeof k[0]);
      set_time(m, last ? end : time + h);
      if (!last || next > m->s.step) m->s.step = next;
    } else {
      m->s.step = next;
    }
    memcpy(m->s.v + Q, x, sizeof x);
    if (m->s.step < 1e-14 * (1.0 + (time > 0.0 ? time : -time))) return complain(m, discard, no_step);
  }
  return ok;
}

/* Co-simulation: to the end of a communication step, inputs as they are. */
static int advance(Instance *m, double from, double by)
{
  const double end = from + by;
  double next;
  int status = ok;
  if (!(by > 0.0) || !(from >= m->s.v[0] - 1e-9 * by)) return complain(m, error, bad_start);
  while (status == ok && m->s.v[0] < end) {
    const bool sampled = sample(m, &next);
    status = integrate(m, sampled && next < end ? next : end);
  }
  return status;
}

static int derivative(Instance *m, const uint32_t *unknowns, size_t results, const uint32_t *knowns, size_t count,
                      const double *seed, double *sensitivity)
{
  double d[SLOTS] = {0.0};
  for (size_t k = 0; k < count; ++k) {
    if (knowns[k] >= RESULTS || access_of[knowns[k]] < 0) return complain(m, error, no_number);
    d[knowns[k]] += seed[k];
  }
  find_tangent(m->s.v, d);
  for (size_t k = 0; k < results; ++k) {
    if (unknowns[k] >= SLOTS || access_of[unknowns[k]] < 0) return complain(m, error, no_number);
    sensitivity[k] = d[unknowns[k]];
  }
  return are_finite(d, SLOTS) ? ok : complain(m, discard, no_motion);
}

static int get_state(Instance *m, void **state)
{
  if (!*state) *state = malloc(sizeof(State));
  if (!*state) return complain(m, error, no_memory);
  memcpy(*state, &m->s, sizeof(State));
  return ok;
}

static int set_state(Instance *m, const void *state)
{
  memcpy(&m->s, state, sizeof(State));
  return ok;
}

static int free_state(void **state)
{
  if (state) {
    free(*state);
    *state = NULL;
  }
  return ok;
}

static int copy_state(Instance *m, const void *from, void *to, size_t size)
{
  if (size != sizeof(State)) return complain(m, error, no_number);
  memcpy(to, from, size);
  return ok;
}

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif
#define JOINED_NAMES(a, b) a##b
#define JOINED(a, b) JOINED_NAMES(a, b)
)";

}  // namespace catena::fmu
