// Solver implemented with SUNDIALS: ARKODE for explicit Runge-Kutta, CVODE for Adams and BDF.
#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/sundials_solver.hpp"

namespace catena {
namespace {

// Owns any SUNDIALS object, with the function that frees it.
template <class T>
using Owned = std::unique_ptr<T, std::function<void(T*)>>;
using Vector = Owned<std::remove_pointer_t<N_Vector>>;

std::span<double> values(N_Vector v) { return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))}; }

// How often a step may be shortened: from the longest step taken to the shortest that a double can represent. That
// happens where the law jumps in time, such as at the end of a motion that does not end smoothly.
constexpr int most_attempts = 20;

class SundialsSolver : public Solver {
 public:
  explicit SundialsSolver(InitialValueProblem problem) : problem_(std::move(problem)) {
    SUNContext context = nullptr;
    if (SUNContext_Create(nullptr, &context) != 0) throw std::runtime_error("SUNDIALS cannot be started");
    context_ = {context, [](std::remove_pointer_t<SUNContext>* c) { SUNContext_Free(&c); }};
    y_ = {N_VNew_Serial(static_cast<sunindextype>(problem_.size), context), N_VDestroy};
    fired_.resize(problem_.trigger_count);
  }

  std::vector<std::size_t> advance(double t_out, double& t, std::span<double> y) override {
    int flag = evolve(t_out, t);
    if (flag == CV_ILL_INPUT) {  // two triggers at numerically the same time: the second is found from there
      restart(t, y);
      flag = evolve(t_out, t);
    }
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (flag < 0) fail(flag, t);
    std::copy_n(values(y_.get()).begin(), y.size(), y.begin());
    std::vector<std::size_t> triggers;
    if (flag != ARK_ROOT_RETURN && flag != CV_ROOT_RETURN) return triggers;
    root_info(fired_.data());
    for (std::size_t k = 0; k < fired_.size(); ++k)
      if (fired_[k] != 0) triggers.push_back(k);
    return triggers;
  }

 protected:
  virtual int evolve(double t_out, double& t) = 0;
  virtual void root_info(int* fired) = 0;

  static int derivative(double t, N_Vector y, N_Vector ydot, void* self) {
    return static_cast<SundialsSolver*>(self)->guarded(
        [&](InitialValueProblem& p) { p.derivative(t, values(y), values(ydot)); });
  }
  static int triggers(double t, N_Vector y, double* g, void* self) {
    return static_cast<SundialsSolver*>(self)->guarded([&](InitialValueProblem& p) {
      p.triggers(t, values(y), {g, p.trigger_count});
    });
  }
  // SUNDIALS is written in C: an exception is stored here until the C call has returned.
  template <class F>
  int guarded(F&& f) {
    try {
      f(problem_);
      return 0;
    } catch (...) {
      error_ = std::current_exception();
      return -1;
    }
  }
  // Errors are thrown, not printed.
  static void silence(int, const char*, const char*, char*, void*) {}

  [[noreturn]] static void fail(int flag, double t) {
    const char* why = "the integrator failed";
    switch (flag) {
      case ARK_TOO_MUCH_WORK:
        why =
            "the allowed steps are used up; allow more, loosen the tolerances, or use the integrator bdf for stiff "
            "friction";
        break;
      case ARK_TOO_MUCH_ACC:
        why = "the tolerances ask for more digits than a double has; loosen them";
        break;
      case ARK_ERR_FAILURE:
        why = "the error test keeps failing: the motion is too violent for the tolerances";
        break;
      case ARK_CONV_FAILURE:
        why = "the implicit equations do not converge";
        break;
      default:
        break;
    }
    throw std::runtime_error(std::string(why) + " (near t = " + std::to_string(t) + " s)");
  }

  void load(std::span<const double> y) { std::copy(y.begin(), y.end(), values(y_.get()).begin()); }
  static void check(int flag, const char* what) {
    if (flag < 0) throw std::runtime_error(std::string("SUNDIALS: ") + what + " failed");
  }

  InitialValueProblem problem_;
  Owned<std::remove_pointer_t<SUNContext>> context_;
  Vector y_;
  std::vector<int> fired_;
  std::exception_ptr error_;
};

class Arkode final : public SundialsSolver {
 public:
  Arkode(const SimulationOptions& options, InitialValueProblem problem)
      : SundialsSolver(std::move(problem)), options_(options) {}

  void restart(double t, std::span<const double> y) override {
    load(y);
    if (memory_) {
      check(ARKStepReset(memory_.get(), t, y_.get()), "restart");
      return;
    }
    memory_ = {ARKStepCreate(derivative, nullptr, t, y_.get(), context_.get()), [](void* m) { ARKStepFree(&m); }};
    if (!memory_) throw std::runtime_error("SUNDIALS: ARKODE cannot be created");
    void* m = memory_.get();
    const auto table = options_.integrator == Integrator::verner ? ARKODE_VERNER_8_5_6 : ARKODE_DORMAND_PRINCE_7_4_5;
    check(ARKStepSetErrHandlerFn(m, silence, nullptr), "error handler");
    check(ARKStepSetUserData(m, this), "user data");
    check(ARKStepSetTableNum(m, ARKODE_DIRK_NONE, table), "method");
    check(ARKStepSStolerances(m, options_.rtol, options_.atol), "tolerances");
    check(ARKStepSetMaxNumSteps(m, options_.max_steps), "step limit");
    check(ARKStepSetMaxErrTestFails(m, most_attempts), "attempts");
    check(ARKStepRootInit(m, static_cast<int>(problem_.trigger_count), triggers), "events");
    check(ARKStepSetInterpolantDegree(m, 4), "interpolation");
    check(ARKStepSetNoInactiveRootWarn(m), "events");
    check(ARKStepSetRootDirection(m, problem_.directions.data()), "events");
  }
  long steps() const override {
    long count = 0;
    if (memory_) ARKStepGetNumSteps(memory_.get(), &count);
    return count;
  }
  long evaluations() const override {
    long explicit_count = 0, implicit_count = 0;
    if (memory_) ARKStepGetNumRhsEvals(memory_.get(), &explicit_count, &implicit_count);
    return explicit_count;
  }

 private:
  // Steps end at t_out and at triggers: interpolation would lose digits. Where a trigger fires, ARKODE interpolates,
  // which is as accurate as the step only near its ends; a step with a trigger in its middle is repeated to end there.
  int evolve(double t_out, double& t) override {
    for (double stop = t_out;;) {
      ARKStepSetStopTime(memory_.get(), stop);
      const int flag = ARKStepEvolve(memory_.get(), stop, y_.get(), &t, ARK_NORMAL);
      if (flag == ARK_ROOT_RETURN && go_back_from(t)) {
        stop = t;
        continue;
      }
      if (flag < 0 || flag == ARK_ROOT_RETURN || stop == t_out) return flag;
      stop = t_out;  // the trigger fires slightly later than it seemed to
    }
  }
  // Returns to the beginning of the last step if t lies in its middle.
  bool go_back_from(double t) {
    double end = 0.0, length = 0.0;
    ARKStepGetCurrentTime(memory_.get(), &end);
    ARKStepGetLastStep(memory_.get(), &length);
    const double begin = end - length;
    if (std::min(t - begin, end - t) <= 1e-3 * length) return false;
    check(ARKStepGetDky(memory_.get(), begin, 0, y_.get()), "interpolation");
    check(ARKStepReset(memory_.get(), begin, y_.get()), "restart");
    return true;
  }
  void root_info(int* fired) override { ARKStepGetRootInfo(memory_.get(), fired); }

  SimulationOptions options_;
  Owned<void> memory_;
};

class Cvode final : public SundialsSolver {
 public:
  Cvode(const SimulationOptions& options, InitialValueProblem problem)
      : SundialsSolver(std::move(problem)), options_(options) {}

  void restart(double t, std::span<const double> y) override {
    load(y);
    if (memory_) {
      finished_steps_ = steps();  // CVODE restarts its counters
      finished_evaluations_ = evaluations();
      check(CVodeReInit(memory_.get(), t, y_.get()), "restart");
      return;
    }
    const bool stiff = options_.integrator == Integrator::bdf;
    memory_ = {CVodeCreate(stiff ? CV_BDF : CV_ADAMS, context_.get()), [](void* m) { CVodeFree(&m); }};
    if (!memory_) throw std::runtime_error("SUNDIALS: CVODE cannot be created");
    void* m = memory_.get();
    check(CVodeSetErrHandlerFn(m, silence, nullptr), "error handler");
    check(CVodeInit(m, derivative, t, y_.get()), "start");
    check(CVodeSetUserData(m, this), "user data");
    check(CVodeSStolerances(m, options_.rtol, options_.atol), "tolerances");
    check(CVodeSetMaxNumSteps(m, options_.max_steps), "step limit");
    check(CVodeSetMaxErrTestFails(m, most_attempts), "attempts");
    check(CVodeRootInit(m, static_cast<int>(problem_.trigger_count), triggers), "events");
    check(CVodeSetNoInactiveRootWarn(m), "events");
    check(CVodeSetRootDirection(m, problem_.directions.data()), "events");
    if (stiff) {
      const auto n = static_cast<sunindextype>(problem_.size);
      matrix_ = {SUNDenseMatrix(n, n, context_.get()), SUNMatDestroy};
      linear_ = {SUNLinSol_Dense(y_.get(), matrix_.get(), context_.get()), [](auto* s) { SUNLinSolFree(s); }};
      check(CVodeSetLinearSolver(m, linear_.get(), matrix_.get()), "linear solver");
    } else {
      nonlinear_ = {SUNNonlinSol_FixedPoint(y_.get(), 0, context_.get()), [](auto* s) { SUNNonlinSolFree(s); }};
      check(CVodeSetNonlinearSolver(m, nonlinear_.get()), "fixed-point iteration");
    }
  }
  long steps() const override { return finished_steps_ + counted(CVodeGetNumSteps); }
  long evaluations() const override {
    long jacobian = 0;
    if (memory_ && linear_) CVodeGetNumLinRhsEvals(memory_.get(), &jacobian);
    return finished_evaluations_ + counted(CVodeGetNumRhsEvals) + jacobian;
  }

 private:
  long counted(int (*get)(void*, long*)) const {
    long count = 0;
    if (memory_) get(memory_.get(), &count);
    return count;
  }
  int evolve(double t_out, double& t) override {
    CVodeSetStopTime(memory_.get(), t_out);
    return CVode(memory_.get(), t_out, y_.get(), &t, CV_NORMAL);
  }
  void root_info(int* fired) override { CVodeGetRootInfo(memory_.get(), fired); }

  SimulationOptions options_;
  Owned<void> memory_;
  Owned<std::remove_pointer_t<SUNMatrix>> matrix_;
  Owned<std::remove_pointer_t<SUNLinearSolver>> linear_;
  Owned<std::remove_pointer_t<SUNNonlinearSolver>> nonlinear_;
  long finished_steps_ = 0, finished_evaluations_ = 0;
};

}  // namespace

std::unique_ptr<Solver> make_arkode(const SimulationOptions& options, InitialValueProblem problem) {
  return std::make_unique<Arkode>(options, std::move(problem));
}
std::unique_ptr<Solver> make_cvode(const SimulationOptions& options, InitialValueProblem problem) {
  return std::make_unique<Cvode>(options, std::move(problem));
}

}  // namespace catena
