/* Catena in Octave and MATLAB: any job of any robot as a function.
 *
 *   [M] = catena_mex(MODEL, OPTIONS, JOB, q, ...)      the job's inputs, in the order of `catena jobs`; its results
 *   names = catena_mex(MODEL, OPTIONS)                 the joints, in the order of q
 *
 *   mkoctfile --mex catena_mex.c $(pkg-config --cflags --libs catena)        Octave
 *   mex catena_mex.c -I$HOME/catena/include -L$HOME/catena/lib -lcatena      MATLAB
 *
 * Robots and calls are kept: only the first use of one reads its file.
 */
#include <catena.h>
#include <mex.h>
#include <stdlib.h>
#include <string.h>

enum { most_inputs = 8, most_kept = 64 };

typedef struct kept {
  char *model, *options, *job; /* job NULL: a robot alone */
  catena_robot *robot;
  catena_call *call;
} kept;
static kept list[most_kept];
static int count = 0;

static void free_all(void)
{
  for (; count > 0; --count) {
    kept *one = &list[count - 1];
    free(one->model);
    free(one->options);
    free(one->job);
    catena_call_free(one->call);
    catena_robot_free(one->robot);
  }
}

static void check(catena_status status)
{
  if (status != CATENA_OK) mexErrMsgIdAndTxt("catena:failed", "catena: %s", catena_last_error());
}

static char *text_of(const mxArray *array, const char *what)
{
  char *text = mxIsChar(array) ? mxArrayToString(array) : NULL;
  if (text == NULL) mexErrMsgIdAndTxt("catena:text", "catena_mex: %s must be a text", what);
  return text;
}

static int same(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

/* Beyond this call, which takes back what mxMalloc gave. */
static char *copy_of(const char *text)
{
  char *copy = malloc(strlen(text) + 1);
  return copy != NULL ? strcpy(copy, text) : NULL;
}

/* The call or robot with these words, made where it is not there yet. */
static kept *find(const char *model, const char *options, const char *job)
{
  kept *made;
  int k;
  for (k = 0; k < count; ++k)
    if (same(list[k].model, model) && same(list[k].options, options) && same(list[k].job, job)) return &list[k];
  if (count == most_kept) free_all();
  made = &list[count];
  memset(made, 0, sizeof *made);
  check(catena_robot_load(model, options, &made->robot));
  if (job != NULL && catena_call_new(made->robot, job, NULL, &made->call) != CATENA_OK) {
    catena_robot_free(made->robot);
    check(CATENA_BAD_ARGUMENT);
  }
  made->model = copy_of(model), made->options = copy_of(options), made->job = job != NULL ? copy_of(job) : NULL;
  ++count;
  return made;
}

static mxArray *joints_of(const catena_robot *robot)
{
  const size_t nv = catena_robot_nv(robot);
  mxArray *names = mxCreateCellMatrix(nv, 1);
  size_t k;
  for (k = 0; k < nv; ++k) mxSetCell(names, k, mxCreateString(catena_robot_joint(robot, k)));
  return names;
}

/* Results as matrices, which are stored by columns here. */
static void give(const catena_call *call, const double *out, int results, mxArray **to)
{
  int k;
  for (k = 0; k < results; ++k) {
    const size_t rows = catena_call_output_rows(call, (size_t)k), columns = catena_call_output_columns(call, (size_t)k);
    double *values;
    size_t i, j;
    to[k] = mxCreateDoubleMatrix(rows, columns, mxREAL);
    values = mxGetPr(to[k]);
    for (i = 0; i < rows; ++i)
      for (j = 0; j < columns; ++j) values[i + j * rows] = out[i * columns + j];
    out += rows * columns;
  }
}

void mexFunction(int results, mxArray *to[], int arguments, const mxArray *from[])
{
  const double *inputs[most_inputs];
  size_t sizes[most_inputs];
  double *out;
  kept *one;
  int k;
  mexAtExit(free_all);
  if (arguments < 2 || arguments > 3 + most_inputs)
    mexErrMsgIdAndTxt("catena:usage", "catena_mex(MODEL, OPTIONS, JOB, q, ...)");
  one = find(text_of(from[0], "MODEL"), text_of(from[1], "OPTIONS"), arguments > 2 ? text_of(from[2], "JOB") : NULL);
  if (arguments == 2) {
    to[0] = joints_of(one->robot);
    return;
  }
  for (k = 3; k < arguments; ++k) {
    if (!mxIsDouble(from[k]) || mxIsComplex(from[k]))
      mexErrMsgIdAndTxt("catena:numbers", "catena_mex: inputs must be real numbers of class double");
    inputs[k - 3] = mxGetPr(from[k]);
    sizes[k - 3] = mxGetNumberOfElements(from[k]);
  }
  if (results > (int)catena_call_outputs(one->call))
    mexErrMsgIdAndTxt("catena:results", "catena_mex: %s has %d results", catena_call_job(one->call), (int)catena_call_outputs(one->call));
  out = mxMalloc((catena_call_size(one->call) + 1) * sizeof *out);
  check(catena_call_run(one->call, inputs, sizes, (size_t)(arguments - 3), out, catena_call_size(one->call)));
  give(one->call, out, results > 0 ? results : 1, to);
  mxFree(out);
}
