/* The C interface, in C99: every job of every kind of robot against the C++ calls, by the job's own function and by name; memory,
 * 32 threads, and what is refused. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define _GNU_SOURCE
#include <catena.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

/* --- memory: what the whole program asks of the heap, by thread --- */

#if defined(CATENA_SANITIZED) || !defined(__GLIBC__)
#define COUNTS_ALLOCATIONS 0
static long allocated(void) { return 0; }
#else
#define COUNTS_ALLOCATIONS 1
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
static __thread long allocations;
void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  ++allocations;
  return __libc_realloc(block, size);
}
static long allocated(void) { return allocations; }
#endif

static int failures = 0;
#define EXPECT(holds, ...)                         \
  do {                                             \
    if (!(holds)) {                                \
      ++failures;                                  \
      fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
      fprintf(stderr, __VA_ARGS__);                \
      fprintf(stderr, "\n");                       \
    }                                              \
  } while (0)

/* --- robots of every kind --- */

/* URDF of a chain, or of a tree where every third link hangs on the base; mimic: the last joint follows the first. */
static char *urdf(int joints, int tree, int mimic) {
  const size_t room = 800 * (size_t)(joints + 1);
  char *text = malloc(room);
  size_t at = (size_t)snprintf(text, room, "<robot name=\"made\"><link name=\"l0\"/>");
  for (int k = 1; k <= joints; ++k) {
    const int parent = tree && k % 3 == 0 ? 0 : k - 1;
    at += (size_t)snprintf(text + at, room - at,
                           "<link name=\"l%d\"><inertial><origin xyz=\"0.1 0.02 0.03\"/><mass value=\"1.5\"/><inertia ixx=\"0.02\" "
                           "iyy=\"0.03\" izz=\"0.025\" ixy=\"0.001\" ixz=\"0\" iyz=\"0.002\"/></inertial></link>"
                           "<joint name=\"j%d\" type=\"%s\"><parent link=\"l%d\"/><child link=\"l%d\"/><origin xyz=\"0.2 0.1 0\" "
                           "rpy=\"0.3 %g 0.1\"/><axis xyz=\"%s\"/>%s<limit lower=\"-3\" upper=\"3\" effort=\"90\" "
                           "velocity=\"9\"/><dynamics damping=\"0.3\" friction=\"0.2\"/></joint>",
                           k, k, k % 4 == 3 ? "prismatic" : "revolute", parent, k, 0.1 * k, k % 2 ? "0 0 1" : "0 1 0",
                           mimic && k == joints ? "<mimic joint=\"j1\" multiplier=\"-0.5\" offset=\"0.2\"/>" : "");
  }
  const char *const rigid = "<link name=\"l1\"/><joint name=\"j1\" type=\"fixed\"><parent link=\"l0\"/><child link=\"l1\"/></joint>";
  snprintf(text + at, room - at, "%s</robot>", joints == 0 ? rigid : "");
  return text;
}

typedef struct kind {
  const char *words, *model, *options;
  int moving, joints, tree, mimic;
} kind;

static const kind kinds[] = {
    {"plain", "ur5", NULL, 0, 0, 0, 0},
    {"payload", "panda", "--payload tool:2,0.01,0.02,0.05,0.01,0.01,0.01", 0, 0, 0, 0},
    {"friction", "ur5", "--friction shoulder_pan_joint:0.5,1.2,0.3,0.1 --gravity 0,0.5,-9.7", 0, 0, 0, 0},
    {"locked", "panda", "--lock panda_joint3=0.4 --rigid", 0, 0, 0, 0},
    {"one joint", "made.urdf", NULL, 0, 1, 0, 0},
    {"forty joints", "made.urdf", NULL, 0, 40, 0, 0},
    {"tree", "made.urdf", NULL, 0, 9, 1, 0},
    {"coupled", "made.urdf", NULL, 0, 7, 1, 1},
    {"free", "ur5", "--floating-base", 0, 0, 0, 0},
    {"free and coupled", "made.urdf", "--floating-base", 0, 5, 0, 1},
    {"moving", "ur5", NULL, 1, 0, 0, 0},
    {"moving and coupled", "made.urdf", NULL, 1, 7, 1, 1},
    {"passive", "pelican_crucible", NULL, 0, 0, 0, 0},
    {"made passive", "ur5", "--passive elbow_joint,wrist_1_joint", 0, 0, 0, 0},
    {"loop", "five_bar", NULL, 0, 0, 0, 0},
    {"loops", "palletizer", "--payload tool:5,0,0,0", 0, 0, 0, 0},
    {"loops and coupled", "gripper", NULL, 0, 0, 0, 0},
    {"free and loop", "five_bar", "--floating-base", 0, 0, 0, 0},
    {"moving and loop", "five_bar", NULL, 1, 0, 0, 0},
    {"elastic", CATENA_SOURCE_DIR "/examples/elastic_arm.toml", NULL, 0, 0, 0, 0},
    {"no joints", "made.urdf", NULL, 0, 0, 0, 0},
    {"moving, no joints", "made.urdf", NULL, 1, 0, 0, 0},
    {"held loops", "palletizer", "--lock 'lower arm=0.1,crank=0.2'", 0, 0, 0, 0},
    {"moving and held loops", "palletizer", "--lock 'lower arm=0.1,crank=0.2'", 1, 0, 0, 0},
    {"made stiff", CATENA_SOURCE_DIR "/examples/elastic_arm.toml", "--stiff", 0, 0, 0, 0},
};
enum { kind_count = sizeof kinds / sizeof *kinds, most_inputs = 8 };

static catena_robot *load(const kind *k, reference **same) {
  catena_robot *robot = NULL;
  char *text = strcmp(k->model, "made.urdf") == 0 ? urdf(k->joints, k->tree, k->mimic) : NULL;
  const catena_status status = text ? catena_robot_parse(text, strlen(text), k->model, k->options, &robot)
                                    : catena_robot_load(k->model, k->options, &robot);
  EXPECT(status == CATENA_OK, "%s: %s", k->words, catena_last_error());
  if (status != CATENA_OK) exit(1);
  if (k->moving) {
    catena_robot *moving = NULL;
    EXPECT(catena_robot_on_moving_base(robot, &moving) == CATENA_OK, "%s: %s", k->words, catena_last_error());
    catena_robot_free(robot);
    robot = moving;
  }
  *same = reference_new(k->model, text, k->options, k->moving);
  free(text);
  return robot;
}

/* --- a job by its own function, found by its name --- */

typedef catena_status (*of_one)(catena_call *, const double *, double *);
typedef catena_status (*of_two)(catena_call *, const double *, const double *, double *);
typedef catena_status (*of_three)(catena_call *, const double *, const double *, const double *, double *);
typedef catena_status (*of_four)(catena_call *, const double *, const double *, const double *, const double *, double *);
typedef union own_function {
  void *symbol;
  of_one one;
  of_two two;
  of_three three;
  of_four four;
} own_function;

static own_function find_own(const char *job) {
  own_function found;
  char name[100];
  snprintf(name, sizeof name, "catena_%s", job);
#ifdef _WIN32
  const FARPROC function = GetProcAddress(GetModuleHandleA("catena.dll"), name);
  memcpy(&found.symbol, &function, sizeof function);
#else
  found.symbol = dlsym(RTLD_DEFAULT, name);
#endif
  EXPECT(found.symbol != NULL, "there is no %s", name);
  if (found.symbol == NULL) exit(1);
  return found;
}

static catena_status run_own(own_function own, catena_call *call, size_t inputs, const double *const *in, double *out) {
  switch (inputs) {
    case 1: return own.one(call, in[0], out);
    case 2: return own.two(call, in[0], in[1], out);
    case 3: return own.three(call, in[0], in[1], in[2], out);
    case 4: return own.four(call, in[0], in[1], in[2], in[3], out);
    default: EXPECT(0, "a job with %zu inputs", inputs); return CATENA_FAILED;
  }
}

/* --- every job of every kind of robot --- */

static const catena_wrench pushes[] = {{CATENA_TOOL, 1, {5.0, -3.0, 2.0}, {0.4, 0.5, -0.6}},
                                       {1, 0, {1.0, 2.0, 3.0}, {-0.1, 0.2, 0.3}}};
static const double base_motion[12] = {0.4, -0.3, 0.2, 0.5, -0.6, 0.3, 0.7, 0.2, -0.5, -0.4, 0.8, 0.6};

static void set_up(catena_call *call, const kind *k, const char *job) {
  if (k->moving) EXPECT(catena_call_set_base(call, base_motion) == CATENA_OK, "%s", catena_last_error());
  if (reference_feels_wrenches(job))
    EXPECT(catena_call_set_wrenches(call, pushes, 2) == CATENA_OK, "%s", catena_last_error());
  if (reference_takes_frame(job)) EXPECT(catena_call_set_frame(call, 1) == CATENA_OK, "%s", catena_last_error());
}

static size_t fill(const catena_call *call, const reference *same, unsigned seed, double **in, size_t *sizes) {
  const size_t count = catena_call_inputs(call);
  for (size_t j = 0; j < count; ++j) {
    sizes[j] = catena_call_input_size(call, j);
    in[j] = malloc((sizes[j] + 1) * sizeof(double));
    reference_input(same, catena_call_input_name(call, j), seed, in[j]);
  }
  return count;
}
static void release(double **in, size_t count) {
  for (size_t j = 0; j < count; ++j) free(in[j]);
}

/* Results of one state by the job's own function, by name and by C++. All three calls are fresh: the search for closed loops starts
 * where the one before ended. Returns whether there is a result. */
static int compare_at(const kind *k, const reference *same, const catena_robot *robot, const char *job, unsigned seed) {
  catena_call *call = NULL, *other = NULL;
  EXPECT(catena_call_new(robot, job, NULL, &call) == CATENA_OK, "%s, %s: %s", k->words, job, catena_last_error());
  if (call == NULL) return 0;
  set_up(call, k, job);
  EXPECT(catena_call_copy(call, &other) == CATENA_OK, "%s, %s: %s", k->words, job, catena_last_error());
  const int frame = reference_takes_frame(job) ? 1 : CATENA_TOOL;
  const size_t size = catena_call_size(call), wrenches = reference_feels_wrenches(job) ? 2 : 0;
  double *expected = calloc(size + 1, sizeof(double)), *own = calloc(size + 1, sizeof(double)),
         *by_name = calloc(size + 1, sizeof(double)), *in[most_inputs];
  size_t sizes[most_inputs];
  const size_t count = fill(call, same, seed, in, sizes);
  const double *const *arrays = (const double *const *)in;
  const own_function function = find_own(job);
  const char *wrong = reference_run(same, job, arrays, frame, pushes, wrenches, k->moving ? base_motion : NULL, expected, size);
  const long before = allocated();
  const catena_status first = run_own(function, call, count, arrays, own);
  const catena_status second = catena_call_run(other, arrays, sizes, count, by_name, size);
  const long after = allocated();
  if (wrong != NULL) {
    EXPECT(first != CATENA_OK && second == first, "%s, %s: %d and %d, not: %s", k->words, job, (int)first, (int)second, wrong);
    EXPECT(strcmp(wrong, catena_last_error()) == 0, "%s, %s: %s, not: %s", k->words, job, catena_last_error(), wrong);
  } else {
    EXPECT(first == CATENA_OK && second == CATENA_OK, "%s, %s: %s", k->words, job, catena_last_error());
    EXPECT(memcmp(own, expected, size * sizeof(double)) == 0, "%s, %s: its function gives other numbers", k->words, job);
    EXPECT(memcmp(by_name, expected, size * sizeof(double)) == 0, "%s, %s: by name other numbers", k->words, job);
    EXPECT(after == before, "%s, %s: %ld allocations", k->words, job, after - before);
  }
  release(in, count);
  free(expected);
  free(own);
  free(by_name);
  catena_call_free(call);
  catena_call_free(other);
  return wrong == NULL;
}

static int compare(const kind *k, const reference *same, const catena_robot *robot, const char *job) {
  catena_call *call = NULL;
  EXPECT(catena_call_new(robot, job, NULL, &call) == CATENA_OK, "%s, %s: %s", k->words, job, catena_last_error());
  size_t entries = 0;
  for (size_t j = 0; j < catena_call_outputs(call); ++j)
    entries += catena_call_output_rows(call, j) * catena_call_output_columns(call, j);
  EXPECT(entries == catena_call_size(call), "%s, %s: %zu entries", k->words, job, entries);
  EXPECT(strcmp(catena_call_job(call), job) == 0, "a call of %s is one of %s", job, catena_call_job(call));
  catena_call_free(call);
  int results = 0;
  for (unsigned seed = 1; seed <= 3; ++seed) results += compare_at(k, same, robot, job, seed);
  return results > 0;
}

static void every_job(void) {
  int results = 0;
  for (size_t n = 0; n < kind_count; ++n) {
    reference *same = NULL;
    catena_robot *robot = load(&kinds[n], &same);
    for (size_t job = 0; job < catena_jobs(); ++job) results += compare(&kinds[n], same, robot, catena_job_name(job));
    const size_t joints = catena_robot_nv(robot);
    EXPECT(joints == 0 || catena_robot_joint(robot, joints - 1) != NULL, "%s: a joint has no name", kinds[n].words);
    EXPECT(catena_robot_joint(robot, joints) == NULL, "%s: a joint too many", kinds[n].words);
    catena_robot_free(robot);
    reference_free(same);
  }
  const int pairs = (int)(kind_count * catena_jobs());
  printf("%d pairs of a robot and a job, %d with results; allocations %s\n", pairs, results,
         COUNTS_ALLOCATIONS ? "counted" : "not counted here");
  EXPECT(results > pairs * 8 / 10, "only %d of %d have results", results, pairs);
}

/* --- 32 threads --- */

enum { thread_count = 32, runs = 200 };
typedef struct work {
  const catena_robot *robot; /* shared */
  catena_call *call;         /* its own */
  const double *const *in;
  const double *expected;
  int wrong;
} work;

/* To rounding, as the search for closed loops starts where the one before ended. */
static int agree(const double *a, const double *b, size_t size) {
  double largest = 0.0, worst = 0.0;
  for (size_t k = 0; k < size; ++k) {
    largest = fmax(largest, fabs(b[k]));
    worst = fmax(worst, fabs(a[k] - b[k]));
  }
  return worst <= 1e-10 * largest;
}

static void *thread(void *argument) {
  work *w = argument;
  const size_t size = catena_call_size(w->call);
  double *out = malloc(size * sizeof(double));
  size_t sizes[most_inputs];
  for (size_t j = 0; j < catena_call_inputs(w->call); ++j) sizes[j] = catena_call_input_size(w->call, j);
  for (int k = 0; k < runs; ++k) {
    if (catena_call_run(w->call, w->in, sizes, catena_call_inputs(w->call), out, size) != CATENA_OK ||
        !agree(out, w->expected, size))
      ++w->wrong;
    catena_call *mine = NULL; /* set-up beside others that compute */
    if (k % 50 == 0) {
      if (catena_call_new(w->robot, "gravity", NULL, &mine) != CATENA_OK) ++w->wrong;
      catena_call_free(mine);
    }
  }
  if (catena_call_run(w->call, w->in, sizes, 0, out, size) != CATENA_BAD_ARGUMENT) ++w->wrong;
  if (strstr(catena_last_error(), "the list of inputs") == NULL) ++w->wrong;
  free(out);
  return NULL;
}

static void threads(const kind *k, const char *job) {
  reference *same = NULL;
  catena_robot *robot = load(k, &same);
  catena_call *call = NULL;
  EXPECT(catena_call_new(robot, job, NULL, &call) == CATENA_OK, "%s", catena_last_error());
  set_up(call, k, job);
  double *in[most_inputs];
  size_t sizes[most_inputs];
  const size_t count = fill(call, same, 7, in, sizes), size = catena_call_size(call);
  double *expected = malloc(size * sizeof(double));
  const double *const *arrays = (const double *const *)in;
  const char *wrong = reference_run(same, job, arrays, CATENA_TOOL, pushes, reference_feels_wrenches(job) ? 2 : 0,
                                    k->moving ? base_motion : NULL, expected, size);
  EXPECT(wrong == NULL, "%s, %s: %s", k->words, job, wrong);
  pthread_t all[thread_count];
  work works[thread_count];
  for (int n = 0; n < thread_count; ++n) {
    works[n].robot = robot;
    works[n].in = arrays;
    works[n].expected = expected;
    works[n].wrong = 0;
    EXPECT(catena_call_copy(call, &works[n].call) == CATENA_OK, "%s", catena_last_error());
  }
  catena_call_free(call);
  for (int n = 0; n < thread_count; ++n)
    if (pthread_create(&all[n], NULL, thread, &works[n]) != 0) exit(1);
  for (int n = 0; n < thread_count; ++n) {
    pthread_join(all[n], NULL);
    EXPECT(works[n].wrong == 0, "%s, %s: %d slips in thread %d", k->words, job, works[n].wrong, n);
    catena_call_free(works[n].call);
  }
  release(in, count);
  free(expected);
  catena_robot_free(robot);
  reference_free(same);
}

/* --- what is refused --- */

static void refuses(catena_status status, catena_status expected, const char *says) {
  EXPECT(status == expected, "status %d, not %d: %s", (int)status, (int)expected, says);
  EXPECT(strstr(catena_last_error(), says) != NULL, "'%s' does not say '%s'", catena_last_error(), says);
}

static void refused_robots(void) {
  catena_robot *robot = NULL, *moving = NULL;
  refuses(catena_robot_load("no_such_robot", NULL, &robot), CATENA_BAD_MODEL, "no_such_robot: no such file");
  refuses(catena_robot_load("/no/such/folder/a.toml", NULL, &robot), CATENA_BAD_MODEL, "/no/such/folder/a.toml");
  refuses(catena_robot_load(NULL, NULL, &robot), CATENA_BAD_ARGUMENT, "the model is NULL");
  refuses(catena_robot_load("ur5", NULL, NULL), CATENA_BAD_ARGUMENT, "where the robot is to be stored is NULL");
  refuses(catena_robot_parse("<robot", 6, "bad.urdf", NULL, &robot), CATENA_BAD_MODEL, "bad.urdf:1");
  refuses(catena_robot_parse("name = 3", 8, "bad.toml", NULL, &robot), CATENA_BAD_MODEL, "bad.toml:1");
  refuses(catena_robot_parse(NULL, 0, NULL, NULL, &robot), CATENA_BAD_ARGUMENT, "the text is NULL");
  refuses(catena_robot_load("ur5", "--paylod tool:1,0,0,0", &robot), CATENA_BAD_ARGUMENT, "did you mean '--payload'?");
  refuses(catena_robot_load("ur5", "--payload", &robot), CATENA_BAD_ARGUMENT, "--payload needs a value: FRAME:mass");
  refuses(catena_robot_load("ur5", "--rigid=yes", &robot), CATENA_BAD_ARGUMENT, "--rigid takes no value");
  refuses(catena_robot_load("ur5", "--lock 'elbow_joint=1", &robot), CATENA_BAD_ARGUMENT, "is not closed");
  refuses(catena_robot_load("ur5", "--lock elbow=1", &robot), CATENA_BAD_ARGUMENT, "--lock: no moving joint 'elbow'");
  refuses(catena_robot_load("ur5", "--gravity 1,2", &robot), CATENA_BAD_ARGUMENT, "--gravity takes 3 numbers");
  refuses(catena_robot_load("ur5", "--snap 7", &robot), CATENA_BAD_ARGUMENT, "--snap 7");
  refuses(catena_robot_load("ur5", "--strict --lenient", &robot), CATENA_BAD_ARGUMENT, "either");
  EXPECT(robot == NULL, "a robot was made");
  refuses(catena_robot_on_moving_base(NULL, &moving), CATENA_BAD_ARGUMENT, "the robot is NULL");
  EXPECT(catena_robot_load("ur5", "--floating-base", &robot) == CATENA_OK, "%s", catena_last_error());
  refuses(catena_robot_on_moving_base(robot, &moving), CATENA_BAD_ARGUMENT, "free");
  EXPECT(catena_robot_find_frame(robot, "nothing") == CATENA_NO_FRAME, "a frame that does not exist was found");
  EXPECT(catena_robot_find_frame(robot, "tool") >= 0, "there is no tool");
  EXPECT(catena_robot_frame(robot, catena_robot_frames(robot)) == NULL, "a frame too many");
  catena_robot_free(robot);
  catena_robot_free(NULL);
  EXPECT(catena_robot_nq(NULL) == 0 && catena_robot_nv(NULL) == 0 && catena_robot_name(NULL) == NULL, "NULL has joints");
}

static void refused_calls(void) {
  catena_robot *robot = NULL;
  catena_call *inverse = NULL, *pose = NULL, *none = NULL;
  double q[6] = {0}, qd[6] = {0}, qdd[6] = {0}, tau[6];
  const double *in[3];
  size_t sizes[3] = {6, 6, 6};
  in[0] = q, in[1] = qd, in[2] = qdd;
  EXPECT(catena_robot_load("ur5", NULL, &robot) == CATENA_OK, "%s", catena_last_error());
  refuses(catena_call_new(robot, "invers", NULL, &none), CATENA_BAD_ARGUMENT, "no job 'invers'; known: inverse, gravity");
  refuses(catena_call_new(robot, "inverse", "magic", &none), CATENA_BAD_ARGUMENT, "no formulation 'magic' of inverse");
  refuses(catena_call_new(NULL, "inverse", NULL, &none), CATENA_BAD_ARGUMENT, "the robot is NULL");
  refuses(catena_call_new(robot, NULL, NULL, &none), CATENA_BAD_ARGUMENT, "the job is NULL");
  refuses(catena_call_new(robot, "inverse", NULL, NULL), CATENA_BAD_ARGUMENT, "where the call is to be stored is NULL");
  refuses(catena_call_copy(NULL, &none), CATENA_BAD_ARGUMENT, "the call is NULL");
  EXPECT(none == NULL, "a call was made");
  EXPECT(catena_call_new(robot, "inverse", "luh-walker-paul", &inverse) == CATENA_OK, "%s", catena_last_error());
  EXPECT(strcmp(catena_call_formulation(inverse), "luh-walker-paul") == 0, "another formulation runs");
  EXPECT(catena_call_new(robot, "pose", NULL, &pose) == CATENA_OK, "%s", catena_last_error());
  catena_robot_free(robot); /* before its calls */
  EXPECT(catena_inverse(inverse, q, qd, qdd, tau) == CATENA_OK, "%s", catena_last_error());
  refuses(catena_inverse(NULL, q, qd, qdd, tau), CATENA_BAD_ARGUMENT, "the call is NULL");
  refuses(catena_inverse(inverse, q, NULL, qdd, tau), CATENA_BAD_ARGUMENT, "qd is NULL");
  refuses(catena_inverse(inverse, q, qd, qdd, NULL), CATENA_BAD_ARGUMENT, "the array of results is NULL");
  refuses(catena_gravity(inverse, q, tau), CATENA_BAD_ARGUMENT, "this is a call of 'inverse', not of 'gravity'");
  refuses(catena_inverse(inverse, q, qd, qdd, qd), CATENA_BAD_ARGUMENT, "tau overlaps an argument");
  refuses(catena_call_run(inverse, in, sizes, 2, tau, 6), CATENA_BAD_ARGUMENT, "the list of inputs has 2 values, 3 are needed");
  refuses(catena_call_run(inverse, in, sizes, 3, tau, 5), CATENA_BAD_ARGUMENT, "tau has 5 values, 6 are needed");
  sizes[1] = 7;
  refuses(catena_call_run(inverse, in, sizes, 3, tau, 6), CATENA_BAD_ARGUMENT, "qd has 7 values, 6 are needed");
  in[2] = NULL;
  refuses(catena_call_run(inverse, in, sizes, 3, tau, 6), CATENA_BAD_ARGUMENT, "qdd is NULL");
  refuses(catena_call_run(inverse, NULL, sizes, 3, tau, 6), CATENA_BAD_ARGUMENT, "the list of inputs is NULL");
  refuses(catena_call_set_frame(inverse, 0), CATENA_BAD_ARGUMENT, "inverse does not take a frame");
  refuses(catena_call_set_frame(pose, 1000), CATENA_BAD_ARGUMENT, "frame");
  refuses(catena_call_set_wrenches(pose, pushes, 1), CATENA_BAD_ARGUMENT, "pose does not take external wrenches");
  refuses(catena_call_set_wrenches(inverse, NULL, 1), CATENA_BAD_ARGUMENT, "the array of wrenches is NULL");
  refuses(catena_call_set_base(inverse, base_motion), CATENA_BAD_ARGUMENT, "is not on a moving base");
  q[2] = NAN;
  refuses(catena_inverse(inverse, q, qd, qdd, tau), CATENA_NO_RESULT, "finite");
  EXPECT(catena_call_input_name(inverse, 3) == NULL && catena_call_output_name(inverse, 1) == NULL, "too many names");
  EXPECT(catena_job_name(catena_jobs()) == NULL, "a job too many");
  catena_call_free(inverse);
  catena_call_free(pose);
  catena_call_free(NULL);
}

/* Wrenches and the motion of the base go with a copy, and are its own then. */
static void copies(void) {
  catena_robot *robot = NULL, *moving = NULL;
  catena_call *first = NULL, *second = NULL;
  double q[6] = {0.1, -1.0, 1.0, 0.2, 0.3, 0.4}, g[6], same[6], other[6];
  EXPECT(catena_robot_load("ur5", NULL, &robot) == CATENA_OK, "%s", catena_last_error());
  EXPECT(catena_robot_on_moving_base(robot, &moving) == CATENA_OK, "%s", catena_last_error());
  EXPECT(catena_call_new(moving, "gravity", NULL, &first) == CATENA_OK, "%s", catena_last_error());
  catena_call_set_base(first, base_motion);
  catena_call_set_wrenches(first, pushes, 2);
  EXPECT(catena_gravity(first, q, g) == CATENA_OK, "%s", catena_last_error());
  catena_call_copy(first, &second);
  catena_call_set_base(first, NULL);
  catena_call_set_wrenches(first, NULL, 0);
  EXPECT(catena_gravity(first, q, other) == CATENA_OK && memcmp(g, other, sizeof g) != 0, "what was set is still there");
  catena_call_free(first);
  EXPECT(catena_gravity(second, q, same) == CATENA_OK && memcmp(g, same, sizeof g) == 0, "a copy has forgotten");
  catena_call_free(second);
  catena_robot_free(moving);
  catena_robot_free(robot);
}

int main(void) {
  EXPECT(catena_last_error()[0] == '\0', "an error before anything was done");
  every_job();
  threads(&kinds[0], "inverse");
  threads(&kinds[10], "forward");
  threads(&kinds[15], "inertia");
  refused_robots();
  refused_calls();
  copies();
  printf("catena %s: %d failures\n", catena_version(), failures);
  return failures == 0 ? 0 : 1;
}
