// Robots made from others, and who computes their jobs.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/changes.hpp"
#include "catena/validate.hpp"
#include "loaded.hpp"
#include "model/free_base.hpp"

namespace catena::python {
namespace {

// The changed robot, on the same base as before.
RobotCore changed(const RobotCore& core, Robot robot) {
  return {std::make_shared<Loaded>(std::move(robot), moves(core), core.loaded->options)};
}
RobotCore changed(const RobotCore& core, const MechanismOptions& options) {
  return {std::make_shared<Loaded>(core.loaded->written, moves(core), options)};
}

Vec3<double> vec3(nb::handle given, std::string_view name) {
  const std::vector<double> v = numbers(given, name, 3);
  return {v[0], v[1], v[2]};
}

RobotCore with_gravity(const RobotCore& core, nb::handle gravity) {
  Robot robot = core.loaded->written;
  robot.gravity = vec3(gravity, "gravity");
  return changed(core, std::move(robot));
}
RobotCore lock(const RobotCore& core, const std::vector<std::pair<std::string, double>>& values) {
  std::vector<JointValue> locks;
  for (const auto& [joint, value] : values) locks.push_back({joint, value});
  return changed(core, lock_joints(core.loaded->written, locks));
}
RobotCore payload(const RobotCore& core, const std::string& frame, double mass, nb::handle com, nb::handle inertia) {
  const std::vector<double> i = numbers(inertia, "inertia (xx, yy, zz, xy, xz, yz)", 6);
  return changed(
      core, add_payload(core.loaded->written, frame, {mass, vec3(com, "com"), {i[0], i[1], i[2], i[3], i[4], i[5]}}));
}
RobotCore stiff(const RobotCore& core) { return changed(core, with_stiff_joints(core.loaded->written)); }

RobotCore rigid(const RobotCore& core) {
  MechanismOptions options = core.loaded->options;
  options.rigid = true;
  return changed(core, options);
}
RobotCore snap(const RobotCore& core, double within) {
  if (!(within >= 0.0 && within < 0.5)) throw std::invalid_argument("snap takes a number from 0 to less than 0.5");
  MechanismOptions options = core.loaded->options;
  options.snap = within;
  return changed(core, options);
}

RobotCore free_base(const RobotCore& core, const std::string& joint, const std::string& world) {
  if (moves(core)) throw std::invalid_argument("robot '" + core.loaded->written.name + "' is on a moving base");
  return changed(core, on_free_base(core.loaded->written, joint, world));
}
RobotCore moving_base(const RobotCore& core) {
  if (moves(core)) throw std::invalid_argument("robot '" + core.loaded->written.name + "' is on a moving base already");
  return {std::make_shared<Loaded>(core.loaded->written, true, core.loaded->options)};
}

// A joint that moves, by its name.
JointDescription& moving_joint(Robot& robot, const std::string& name) {
  for (JointDescription& joint : robot.joints)
    if (joint.name == name && joint.type != JointType::fixed) return joint;
  throw std::invalid_argument("robot '" + robot.name + "' has no joint '" + name + "' that moves");
}
RobotCore passive(const RobotCore& core, const std::vector<std::string>& names) {
  Robot robot = core.loaded->written;
  for (const std::string& name : names) {
    JointDescription& joint = moving_joint(robot, name);
    if (joint.is_coupled() || joint.dependent)
      throw std::invalid_argument("joint '" + name + "' follows others; only one that moves by itself can be passive");
    joint.passive = true;
  }
  return changed(core, std::move(robot));
}
// By joint: viscous, dry, Stribeck friction and its speed.
RobotCore friction(const RobotCore& core, const nb::dict& given) {
  Robot robot = core.loaded->written;
  for (const auto& [name, values] : given) {
    JointDrive& drive = moving_joint(robot, nb::cast<std::string>(name)).drive;
    const std::vector<double> v = numbers(values, "friction (viscous, dry, stribeck, speed)", 4);
    for (const double each : v)
      if (!(each >= 0.0)) throw std::invalid_argument("friction takes numbers of 0 or more");
    drive.viscous = v[0], drive.coulomb = v[1], drive.stribeck = v[2], drive.stribeck_speed = v[3];
  }
  const Findings found = validate(robot);
  if (!found.ok()) throw ModelError(format_problems(robot.name, found.errors));
  return changed(core, std::move(robot));
}
// Loops closed anew, joints looked for first where they are told.
void close_anew(Robot& robot) {
  if (robot.loops.empty()) return;
  const std::vector<Problem> open = close_loops(robot);
  if (!open.empty()) throw ModelError(format_problems(robot.name, open));
}
RobotCore assembled(const RobotCore& core, const std::vector<std::pair<std::string, double>>& start) {
  Robot robot = core.loaded->written;
  if (robot.loops.empty()) throw std::invalid_argument("robot '" + robot.name + "' has no closed loop");
  for (const auto& [joint, value] : start) robot.start[moving_joint(robot, joint).name] = value;
  close_anew(robot);
  return changed(core, std::move(robot));
}
RobotCore only(const RobotCore& core, const std::vector<std::string>& links) {
  return changed(core, only_links(core.loaded->written, links));
}
RobotCore join_robots(const RobotCore& a, const RobotCore& b, const std::string& frame, const nb::dict& between,
                      const std::string& prefix) {
  if (moves(b)) throw std::invalid_argument("robot '" + b.loaded->written.name + "' is on a moving base");
  Robot made = join(a.loaded->written, frame, b.loaded->written, joint_from(nullptr, between), prefix);
  close_anew(made);
  return changed(a, std::move(made));
}

// How a batch of a job would run: engine, method, lanes, and why it is not compiled, if so.
template <class S>
nb::dict engine_of(const RobotCore& core, const std::string& job, const std::string& method, const std::string& frame,
                   const std::string& engine) {
  const BatchKey key{job_index(job), method, frame_of(core.loaded->mechanism, frame), 0, batch_engine(engine), {}};
  std::shared_ptr<Batch<S>> batch;
  {
    const nb::gil_scoped_release others_run;
    batch = core.loaded->servers<S>().batch(core.loaded->mechanism, key);
  }
  const BatchEngineReport& report = batch->engines().front();
  nb::dict found;
  found["engine"] = report.kind == EngineKind::compiled ? "compiled" : "generic";
  found["method"] = report.formulation;
  found["lanes"] = report.lanes;
  found["why"] = report.why;
  return found;
}

}  // namespace

void bind_changes(nb::module_& module) {
  module.def("lock", &lock);
  module.def("payload", &payload);
  module.def("with_gravity", &with_gravity);
  module.def("stiff", &stiff);
  module.def("rigid", &rigid);
  module.def("snap", &snap);
  module.def("assembled", &assembled);
  module.def("passive", &passive);
  module.def("friction", &friction);
  module.def("only", &only);
  module.def("join", &join_robots);
  module.def("engine_of", &engine_of<double>);
  module.def("engine_of_float", &engine_of<float>);
  module.def("on_free_base", &free_base);
  module.def("on_moving_base", &moving_base);
}

}  // namespace catena::python
