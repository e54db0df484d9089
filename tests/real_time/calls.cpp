#include "real_time/calls.hpp"

#include <catena.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "catena/assembly.hpp"
#include "catena/call.hpp"
#include "catena/compile.hpp"
#include "catena/kinematics.hpp"
#include "catena/robot_file.hpp"
#include "catena/trajectory.hpp"
#include "support/cache_folder.hpp"
#include "support/free_robots.hpp"
#include "support/kinds_of_robots.hpp"
#include "support/law_trials.hpp"
#include "support/runners.hpp"

namespace catena::test {
namespace {

template <class S>
std::vector<ExternalWrench<S>> two_wrenches(const Mechanism& robot) {
  const int last = static_cast<int>(robot.frames.size()) - 1;
  return {{last, {S(1), S(2), S(3)}, {S(4), S(5), S(6)}, Axes::world},
          {0, {S(1), S(2), S(3)}, {S(4), S(5), S(6)}, Axes::frame}};
}

// What a call needs, in one place that does not move.
template <class S>
struct Prepared {
  Prepared(const Kind& kind, Call<S> made, bool pushed)
      : call(std::move(made)),
        q(as<S>(kind.x.q)),
        qd(as<S>(kind.x.qd)),
        qdd(as<S>(kind.x.qdd)),
        base(as<S>(kind.base)),
        out(call.size()) {
    if (pushed) wrenches = two_wrenches<S>(kind.robot);
  }
  void operator()() {
    call(with_others<S>({.q = q, .qd = qd, .qdd = qdd, .tau = qdd, .base = base, .wrenches = wrenches}, qdd), out);
  }

  Call<S> call;
  std::vector<S> q, qd, qdd, base, out;
  std::vector<ExternalWrench<S>> wrenches;
};

template <class S>
WatchedCall prepared(std::string name, const Kind& kind, Call<S> call, bool pushed = false) {
  auto own = std::make_shared<Prepared<S>>(kind, std::move(call), pushed);
  return {std::move(name), [own] { (*own)(); }};
}

State state_of(Random& random, const Mechanism& robot) {
  State x = random_state(random, robot);
  if (robot.coordinates.is_free()) x.q = start(random, robot, 1.0).q;
  return x;
}

// Matrices of a large robot by each of their formulations take long.
bool left_to_the_night(const Kind& kind, const JobInfo& job, std::string_view formulation) {
  return !formulation.empty() && job.size(sizes_of(kind.robot)) > 5000 && std::getenv("CATENA_NIGHTLY") == nullptr;
}

template <class S>
std::vector<WatchedCall> calls_in(const Kind& kind) {
  std::vector<WatchedCall> all;
  for (const JobInfo& job : jobs())
    for (const std::string_view formulation : names_of(job.name)) {
      if (left_to_the_night(kind, job, formulation)) continue;
      if (!formulation.empty() && !job.serves(kind.robot, formulation)) continue;
      const std::string name = kind.name + ", " + std::string(job.name) + " " + std::string(formulation);
      const Call<S> call(kind.robot, job.name, formulation);
      all.push_back(prepared(name, kind, call));
      if (job.feels_wrenches()) all.push_back(prepared(name + " with wrenches", kind, call, true));
    }
  return all;
}

void require(catena_status status) {
  if (status != CATENA_OK) throw std::runtime_error(catena_last_error());
}

// A call of the C interface with its inputs.
struct FromC {
  FromC(const catena_robot* robot, const char* job, const Kind& kind) : x(kind.x) {
    require(catena_call_new(robot, job, nullptr, &call));
    if (!kind.base.empty()) require(catena_call_set_base(call, kind.base.data()));
    for (std::size_t k = 0; k < catena_call_inputs(call); ++k) {
      const std::string name = catena_call_input_name(call, k);
      inputs.push_back((name == "q" ? x.q : name == "qd" ? x.qd : x.qdd).data());
      sizes.push_back(catena_call_input_size(call, k));
    }
    out.resize(catena_call_size(call) + 1);  // there is an array even where there is no result
  }
  ~FromC() { catena_call_free(call); }
  FromC(const FromC&) = delete;
  FromC& operator=(const FromC&) = delete;

  void operator()() const {
    if (catena_call_run(call, inputs.data(), sizes.data(), inputs.size(), out.data(), out.size() - 1) != CATENA_OK)
      throw std::domain_error(catena_last_error());
  }

  State x;
  catena_call* call = nullptr;
  std::vector<const double*> inputs;
  std::vector<std::size_t> sizes;
  mutable std::vector<double> out;
};

WatchedCall step_of(const Kind& kind, const LawInfo& law) {
  const Mechanism& robot = kind.robot;
  const State x = with_all_positions(robot, kind.x);
  const LawOptions options = options_for(law, robot, std::vector<double>(index(robot.nv())));
  auto controller = std::make_shared<Controller>(robot, options);
  std::vector<double> measurement = x.q, reference, torque(index(robot.nv()));
  measurement.insert(measurement.end(), x.qd.begin(), x.qd.end());
  for (const LawPart& part : controller->measurement())
    if (part.name == "force") measurement.resize(measurement.size() + index(part.size), 2.0);
  for (const LawPart& part : controller->reference()) reference.resize(reference.size() + index(part.size), 0.1);
  return {kind.name + ", law " + std::string(law.name),
          [=]() mutable { controller->step(measurement, reference, 1e-3, torque); }};
}

}  // namespace

std::vector<Kind> all_kinds() {
  std::vector<Robot> robots = kinds_of_robots();
  Random random(41);
  robots.push_back(random_free(random, 6, true));
  robots.push_back(random_free(random, 7, true, true));
  std::vector<Kind> all;
  for (const Robot& described : robots) {
    const Mechanism robot = make_mechanism(described);
    const std::string name = described.name + " (" + std::to_string(robot.nv()) + ")";
    all.push_back({name, described, robot, state_of(random, robot), {}});
    if (robot.coordinates.base != BaseKind::fixed) continue;
    const Mechanism moving = on_moving_base(robot);
    all.push_back({name + " on a moving base", described, moving, state_of(random, moving),
                   std::vector<double>(base_motion_size, 0.3)});
  }
  return all;
}

std::vector<WatchedCall> calls_in_double(const Kind& kind) { return calls_in<double>(kind); }
std::vector<WatchedCall> calls_in_float(const Kind& kind) { return calls_in<float>(kind); }

std::vector<WatchedCall> calls_from_c(const Kind& kind) {
  const std::string text = to_toml(kind.described);
  catena_robot *robot = nullptr, *moving = nullptr;
  require(catena_robot_parse(text.data(), text.size(), "robot.toml", nullptr, &robot));
  if (!kind.base.empty()) require(catena_robot_on_moving_base(robot, &moving));
  std::vector<WatchedCall> all;
  for (const JobInfo& job : jobs()) {
    const auto own = std::make_shared<FromC>(moving != nullptr ? moving : robot, std::string(job.name).c_str(), kind);
    all.push_back({kind.name + ", " + std::string(job.name) + " from C", [own] { (*own)(); }});
  }
  catena_robot_free(moving);
  catena_robot_free(robot);
  return all;
}

std::vector<WatchedCall> steps_of_laws(const Kind& kind) {
  std::vector<WatchedCall> all;
  if (!kind.base.empty() || kind.robot.nv() > 9) return all;  // gains of large robots take long
  for (const LawInfo& law : control_laws()) {
    if (!takes(law, kind.robot)) continue;
    try {
      all.push_back(step_of(kind, law));
    } catch (const std::invalid_argument&) {  // not for such a robot
    } catch (const std::domain_error&) {      // or not for this one
    }
  }
  return all;
}

std::vector<WatchedCall> calls_of_compiled_code() {
  const CacheFolder cache;  // what is loaded stays when the folder goes
  CompileOptions options = cache.options();
  options.search = false;
  std::vector<WatchedCall> all;
  Random random(42);
  for (const char* name : {"planar2r", "panda"}) {
    Kind kind{name, load_robot(find_model(name)), {}, {}, {}};
    kind.robot = make_mechanism(kind.described);
    kind.x = random_state(random, kind.robot);
    for (const char* job : {"inverse", "gravity", "forward", "inertia", "jacobian"})
      all.push_back(prepared(kind.name + ", " + job + " compiled", kind, compile(kind.robot, job, options)));
  }
  return all;
}

std::vector<WatchedCall> other_calls() {
  std::vector<WatchedCall> all;
  const auto kind = std::make_shared<Kind>(Kind{"panda", load_robot(find_model("panda")), {}, {}, {}});
  kind->robot = make_mechanism(kind->described);
  Random random(43);
  kind->x = random_state(random, kind->robot);
  const auto kinematics = std::make_shared<Kinematics<double>>(kind->robot);
  all.push_back({"kinematics", [=, columns = std::vector<JacobianColumn<double>>(7)]() mutable {
                   kinematics->update(kind->x.q, kind->x.qd, kind->x.qdd);
                   kinematics->jacobian(kind->robot.tool, columns);
                   columns[0].linear.x += kinematics->pose(kind->robot.tool).p.x + kinematics->kinetic_energy();
                 }});
  const std::vector<JointPoint> via{{0.0, 0.0}, {1.0, 2.0}};
  const std::vector<double> times{0.0, 1.0};
  const Trajectory path = Trajectory::through(ProfileKind::quintic, via, times);
  all.push_back({"trajectory", [=, q = std::vector<double>(2), qd = std::vector<double>(2),
                                qdd = std::vector<double>(2)]() mutable { path.at(0.4, q, qd, qdd); }});
  Assembly assembly(kind->described);
  for (const JobInfo& job : jobs())
    all.push_back(
        prepared("a robot that may change, " + std::string(job.name), *kind, Call<double>(assembly.live(), job.name)));
  return all;
}

}  // namespace catena::test
