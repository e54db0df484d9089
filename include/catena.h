/* Catena from C, and from every language that can call C: the dynamics of robot manipulators. C99. docs/c.md is the guide.
 *
 *   catena_robot *robot;
 *   catena_call *inverse;
 *   if (catena_robot_load("ur5", "--payload tool:2,0,0,0.1", &robot)) puts(catena_last_error());
 *   catena_call_new(robot, "inverse", NULL, &inverse);
 *   catena_inverse(inverse, q, qd, qdd, tau);
 *   catena_call_free(inverse);
 *   catena_robot_free(robot);
 *
 * Numbers are in SI units and radians, matrices are stored by rows. Texts are UTF-8 and end with a zero.
 *
 * Results. Functions that can fail return a status. If it is not CATENA_OK, nothing was created, what results are written to
 * must not be used, and catena_last_error() says why. No C++ exception leaves the library.
 *
 * Memory. Set-up allocates: loading robots, and catena_call_new, _copy and _set_wrenches with more wrenches than before.
 * A computation that succeeds does not allocate, with up to 16 wrenches. Texts that are returned belong to the library and last as long as the
 * handle they were asked of.
 *
 * Threads. A robot does not change once it is loaded: any number of threads may use it at the same time, also to create
 * calls. A call has a workspace: one thread may use it at a time, and catena_call_copy gives other threads their own.
 * Error messages are kept for each thread. A robot may be freed before its calls; no handle may be freed while it is used.
 *
 * Binary interface. What is declared here stays in every libcatena.so.1: functions may be added, none is removed or changed.
 */
#ifndef CATENA_H
#define CATENA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(CATENA_BUILDS_DLL)
#define CATENA_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define CATENA_API __attribute__((visibility("default")))
#else
#define CATENA_API
#endif

typedef enum catena_status {
  CATENA_OK = 0,
  CATENA_BAD_ARGUMENT = 1, /* NULL, a wrong size, arrays that overlap, or a name or an option that does not exist */
  CATENA_BAD_MODEL = 2,    /* a robot that cannot be found or read, or that is not valid */
  CATENA_NO_RESULT = 3,    /* a number is not finite, or M cannot be inverted, or a loop does not close there */
  CATENA_NO_MEMORY = 4,
  CATENA_FAILED = 5 /* anything else */
} catena_status;

typedef struct catena_robot catena_robot;
typedef struct catena_call catena_call;

/* The version of the library, "1.2.3". */
CATENA_API const char *catena_version(void);
/* Why the latest function of this thread that failed did so; "" if none did. At most 4095 bytes; what is longer is cut. */
CATENA_API const char *catena_last_error(void);

/* --- robots --- */

/* Reads a robot: a file in any format (TOML, URDF, xacro, MJCF, SDF), or the name of a robot that comes with Catena. `options`
 * are those that the program takes about a robot, on one line and with the same texts: "--payload tool:2,0,0,0.1 --lock
 * elbow=0.5 --friction wrist:0.1 --floating-base --passive pivot --gravity 0,0,-9.81 --rigid --lenient …". A part in quotes
 * keeps its blanks. NULL: none. */
CATENA_API catena_status catena_robot_load(const char *model, const char *options, catena_robot **robot);
/* The same for `length` bytes of text. `file` is its name in messages; its ending says the format. NULL: by how it begins. */
CATENA_API catena_status catena_robot_parse(const char *text, size_t length, const char *file, const char *options,
                                            catena_robot **robot);
/* The same robot on a base whose motion is prescribed: catena_call_set_base. */
CATENA_API catena_status catena_robot_on_moving_base(const catena_robot *robot, catena_robot **moving);
CATENA_API void catena_robot_free(catena_robot *robot); /* NULL: nothing happens */

CATENA_API const char *catena_robot_name(const catena_robot *robot);
CATENA_API const char *catena_robot_warnings(const catena_robot *robot);           /* one a line; "" if there are none */
CATENA_API size_t catena_robot_nq(const catena_robot *robot);                      /* entries of q */
CATENA_API size_t catena_robot_nv(const catena_robot *robot);                      /* of qd, qdd and tau */
CATENA_API const char *catena_robot_joint(const catena_robot *robot, size_t k);    /* k < nv; beyond: NULL */
CATENA_API size_t catena_robot_frames(const catena_robot *robot);                  /* links are frames too */
CATENA_API const char *catena_robot_frame(const catena_robot *robot, size_t k);    /* beyond the last: NULL */
#define CATENA_TOOL (-1)
#define CATENA_NO_FRAME (-2)
CATENA_API int catena_robot_find_frame(const catena_robot *robot, const char *name); /* its number, or CATENA_NO_FRAME */

/* --- what can be computed --- */

CATENA_API size_t catena_jobs(void);
CATENA_API const char *catena_job_name(size_t job); /* beyond the last: NULL */
CATENA_API const char *catena_job_words(size_t job);

/* --- calls: a job of a robot, with its workspace --- */

/* `formulation`: as `catena methods` lists them; NULL: the fastest. */
CATENA_API catena_status catena_call_new(const catena_robot *robot, const char *job, const char *formulation,
                                         catena_call **call);
CATENA_API catena_status catena_call_copy(const catena_call *call, catena_call **copy);
CATENA_API void catena_call_free(catena_call *call); /* NULL: nothing happens */

CATENA_API const char *catena_call_job(const catena_call *call);
CATENA_API const char *catena_call_formulation(const catena_call *call);
CATENA_API size_t catena_call_inputs(const catena_call *call);
CATENA_API const char *catena_call_input_name(const catena_call *call, size_t k); /* "q"; beyond the last: NULL */
CATENA_API size_t catena_call_input_size(const catena_call *call, size_t k);
/* Results stand one behind the other in one array of catena_call_size numbers. */
CATENA_API size_t catena_call_size(const catena_call *call);
CATENA_API size_t catena_call_outputs(const catena_call *call);
CATENA_API const char *catena_call_output_name(const catena_call *call, size_t k);
CATENA_API size_t catena_call_output_rows(const catena_call *call, size_t k);
CATENA_API size_t catena_call_output_columns(const catena_call *call, size_t k);

/* What every following computation of the call takes, until it is set again. */

/* For jobs that take a frame: a number that catena_robot_find_frame gave, or CATENA_TOOL, which it is at first. */
CATENA_API catena_status catena_call_set_frame(catena_call *call, int frame);

typedef struct catena_wrench {
  int frame;        /* it acts at the origin of this frame; CATENA_TOOL: of the tool */
  int along_world;  /* 0: along the axes of that frame; 1: along those of the base link */
  double force[3];  /* N */
  double moment[3]; /* N m, about that origin */
} catena_wrench;
/* For jobs that feel what the environment exerts on the robot. None at first. */
CATENA_API catena_status catena_call_set_wrenches(catena_call *call, const catena_wrench *wrenches, size_t count);
/* For a robot on a moving base: 12 numbers along the axes of the base link: velocity, angular velocity, and how fast the two
 * change. NULL: at rest, which it is at first. */
CATENA_API catena_status catena_call_set_base(catena_call *call, const double *motion);

/* Any job: inputs[k] has sizes[k] numbers, for k < count = catena_call_inputs(call); out has `size` = catena_call_size(call).
 * All sizes are checked. Results must not overlap inputs. */
CATENA_API catena_status catena_call_run(catena_call *call, const double *const *inputs, const size_t *sizes, size_t count,
                                         double *out, size_t size);

/* One function a job, for calls of that job. q has nq numbers, every other input nv; sizes are not checked here. Results and
 * their shapes stand at the end of each comment, np: parameters, nt: joints of the tree, nl: closed loops; several results
 * follow one another in `out`. */

/* jobs */
/* torques of a motion (inverse dynamics), friction, rotors and springs included: tau [nv]. Takes wrenches. */
CATENA_API catena_status catena_inverse(catena_call *call, const double *q, const double *qd, const double *qdd,
                                        double *tau);

/* torques that hold the robot still against its weight, springs and offsets: g [nv]. Takes wrenches. */
CATENA_API catena_status catena_gravity(catena_call *call, const double *q, double *g);

/* inertia matrix M(q), rotors included: M [nv x nv]. */
CATENA_API catena_status catena_inertia(catena_call *call, const double *q, double *M);

/* inverse of the inertia matrix: how accelerations depend on torques, rotors included: Minv [nv x nv]. */
CATENA_API catena_status catena_inverse_inertia(catena_call *call, const double *q, double *Minv);

/* torques at zero acceleration: Coriolis, centrifugal, gravity, friction and springs: b [nv]. Takes wrenches. */
CATENA_API catena_status catena_bias(catena_call *call, const double *q, const double *qd, double *b);

/* matrix C(q, q̇) of the rigid links: velocity torques are C q̇, and Ṁ - 2C is skew: C [nv x nv]. */
CATENA_API catena_status catena_coriolis(catena_call *call, const double *q, const double *qd, double *C);

/* factors of the inertia matrix, M = U D Uᵀ, rotors included: U [nv x nv], D [nv]. */
CATENA_API catena_status catena_factor(catena_call *call, const double *q, double *out);

/* accelerations under torques (forward dynamics), friction, rotors and springs included: qdd [nv]. Takes wrenches. */
CATENA_API catena_status catena_forward(catena_call *call, const double *q, const double *qd, const double *tau,
                                        double *qdd);

/* accelerations of passive joints and torques of the others (hybrid dynamics), friction, rotors and springs
 * included: qdd [nv], tau [nv]. Takes wrenches. */
CATENA_API catena_status catena_hybrid(catena_call *call, const double *q, const double *qd, const double *qdd,
                                       const double *tau, double *out);

/* positions of every joint of the tree, including those that follow from couplings and loops: q_tree [nt]. */
CATENA_API catena_status catena_place(catena_call *call, const double *q, double *q_tree);

/* where a frame is, seen from the base link (4 x 4, homogeneous): T [4 x 4]. Takes a frame. */
CATENA_API catena_status catena_pose(catena_call *call, const double *q, double *T);

/* geometric Jacobian of a frame, along the axes of the base link: J [6 x nv]. Takes a frame. */
CATENA_API catena_status catena_jacobian(catena_call *call, const double *q, double *J);

/* acceleration of a frame while no joint accelerates, J̇ q̇: Jdot_qd [6]. Takes a frame. */
CATENA_API catena_status catena_drift(catena_call *call, const double *q, const double *qd, double *Jdot_qd);

/* kinetic energy, rotors included, and potential energy, springs included: kinetic_energy [1], potential_energy [1]. */
CATENA_API catena_status catena_energy(catena_call *call, const double *q, const double *qd, double *out);

/* momentum of the moving links, linear and about their centre of mass, and that centre: h [6], com [3]. */
CATENA_API catena_status catena_momentum(catena_call *call, const double *q, const double *qd, double *out);

/* matrix A of the momentum about the centre of mass, h = A q̇, and the inertia of all links there: A [6 x nv], I_com
 * [3 x 3], com [3], mass [1]. */
CATENA_API catena_status catena_centroidal(catena_call *call, const double *q, double *out);

/* linearized model: D = ∂τ/∂q̈, V = ∂τ/∂q̇, P = ∂τ/∂q, friction, rotors and springs included: D [nv x nv], V [nv x
 * nv], P [nv x nv]. Takes wrenches. */
CATENA_API catena_status catena_linearize(catena_call *call, const double *q, const double *qd, const double *qdd,
                                          double *out);

/* V = ∂τ/∂q̇ of the linearized model, friction included; it is the same at any acceleration: V [nv x nv]. */
CATENA_API catena_status catena_damping(catena_call *call, const double *q, const double *qd, double *V);

/* P = ∂τ/∂q of the linearized model, springs included: P [nv x nv]. Takes wrenches. */
CATENA_API catena_status catena_stiffness(catena_call *call, const double *q, const double *qd, const double *qdd,
                                          double *P);

/* derivatives of forward dynamics: how accelerations depend on positions, speeds and torques: qdd_q [nv x nv],
 * qdd_qd [nv x nv], qdd_tau [nv x nv]. Takes wrenches. */
CATENA_API catena_status catena_response(catena_call *call, const double *q, const double *qd, const double *tau,
                                         double *out);

/* Y of τ = Y θ, θ for each joint: m, m c, J of its link, friction, rotor and spring: Y [nv x np]. */
CATENA_API catena_status catena_regressor(catena_call *call, const double *q, const double *qd, const double *qdd,
                                          double *Y);

/* wrenches that hold closed loops, with motors at the coordinates: force and moment of the first frame on the
 * second, about the first frame's origin along its axes: loop_forces [nl x 6]. Takes wrenches. */
CATENA_API catena_status catena_loop_forces(catena_call *call, const double *q, const double *qd, const double *qdd,
                                            double *loop_forces);

/* second derivatives of inverse dynamics, λᵀ∂²τ, for pairs of positions, speeds and accelerations: H_q_q [nv x nv],
 * H_q_qd [nv x nv], H_q_qdd [nv x nv], H_qd_qd [nv x nv]. Takes wrenches. */
CATENA_API catena_status catena_curvature(catena_call *call, const double *q, const double *qd, const double *qdd,
                                          const double *lam, double *out);

/* second derivatives of forward dynamics, λᵀ∂²q̈, for pairs of positions, speeds and torques: H_q_q [nv x nv],
 * H_q_qd [nv x nv], H_q_tau [nv x nv], H_qd_qd [nv x nv]. Takes wrenches. */
CATENA_API catena_status catena_response_curvature(catena_call *call, const double *q, const double *qd,
                                                   const double *tau, const double *lam, double *out);

/* torques with a reference velocity, M q̈ + C(q, q̇) q̇_r + g, friction of q̇, rotors and springs included: tau
 * [nv]. Takes wrenches. */
CATENA_API catena_status catena_inverse_two(catena_call *call, const double *q, const double *qd, const double *qdd,
                                            const double *qd_r, double *tau);

/* Y of inverse_two, M q̈ + C(q, q̇) q̇_r + g = Y θ, with θ as for the regressor: Y [nv x np]. */
CATENA_API catena_status catena_regressor_two(catena_call *call, const double *q, const double *qd, const double *qdd,
                                              const double *qd_r, double *Y);

/* generalized momenta p = M q̇ and β = Cᵀ q̇ - g, less friction and springs: ṗ = τ + β: p [nv], beta [nv]. */
CATENA_API catena_status catena_observer(catena_call *call, const double *q, const double *qd, double *out);
/* end of jobs */

#ifdef __cplusplus
}
#endif

#endif
