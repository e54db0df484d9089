// Robots: read, built, changed and described.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/changes.hpp"
#include "catena/robot_file.hpp"
#include "catena/validate.hpp"
#include "evaluate.hpp"
#include "io/source_text.hpp"
#include "model/find_frame.hpp"
#include "model/free_base.hpp"

namespace catena::python {

namespace {
Mechanism mechanism_of(const Robot& robot, bool moves, const MechanismOptions& options) {
  Mechanism made = make_mechanism(robot, options);
  if (moves && made.coordinates.is_free())
    throw std::invalid_argument("robot '" + robot.name + "' has a free base, which moves by itself");
  return moves ? on_moving_base(made) : made;
}
}  // namespace

Loaded::Loaded(Robot described, bool moves, const MechanismOptions& made, bool is_varied)
    : written(std::move(described)),
      options(made),
      robot(options.rigid ? with_stiff_joints(written) : with_motors(written)),
      mechanism(is_varied ? varied(mechanism_of(robot, moves, options)) : mechanism_of(robot, moves, options)),
      sizes(sizes_of(mechanism)),
      plausible(robot) {
  for (const JobInfo& job : jobs()) inputs.push_back(job.inputs_for(mechanism));
}

int frame_of(const Mechanism& robot, std::string_view name) {
  if (name.empty()) return tool_frame;
  const int frame = find_frame(robot, name);
  if (frame >= 0) return frame;
  std::string known;
  for (const auto& f : robot.frames) known += (known.empty() ? "" : ", ") + f.name;
  throw std::invalid_argument("robot '" + robot.name + "' has no link or frame '" + std::string(name) + "'; it has " +
                              known);
}

namespace {

RobotCore loaded(Robot robot) { return {std::make_shared<Loaded>(std::move(robot))}; }
Vec3<double> vec3(nb::handle given, std::string_view name) {
  const std::vector<double> v = numbers(given, name, 3);
  return {v[0], v[1], v[2]};
}

Axes axes_from(const std::string& name) {
  if (name == "frame") return Axes::frame;
  if (name == "world") return Axes::world;
  throw std::invalid_argument("axes of a wrench are 'frame' or 'world', not '" + name + "'");
}

int require_frame_of(const Mechanism& robot, const std::string& name) {
  const int frame = frame_of(robot, name);
  return frame == tool_frame ? robot.tool : frame;
}

}  // namespace

std::vector<ExternalWrench<double>> wrenches_by_state(const Mechanism& robot, nb::handle given,
                                                      std::vector<nb::object>& rows) {
  std::vector<ExternalWrench<double>> wrenches;
  const nb::object as_array = nb::module_::import_("numpy").attr("asarray");
  const auto add = [&](const std::string& frame, nb::handle values, const std::string& axes) {
    const std::string name = "the wrench on '" + frame + "' (fx, fy, fz, mx, my, mz)";
    wrenches.push_back({require_frame_of(robot, frame), {}, {}, axes_from(axes)});
    rows.emplace_back(nb::none());
    const nb::object array = as_array(values, "float64");
    if (nb::cast<int>(array.attr("ndim")) > 1) {
      const auto columns = nb::cast<int>(array.attr("shape")[-1]);
      if (columns != 6) throw std::invalid_argument(name + " has " + std::to_string(columns) + " columns, not 6");
      rows.back() = array;
      return;
    }
    const std::vector<double> w = numbers(array, name, 6);
    wrenches.back().force = {w[0], w[1], w[2]}, wrenches.back().moment = {w[3], w[4], w[5]};
  };
  if (nb::isinstance<nb::dict>(given)) {
    for (const auto& [frame, values] : nb::borrow<nb::dict>(given)) add(nb::cast<std::string>(frame), values, "frame");
    return wrenches;
  }
  for (const nb::handle wrench : nb::iter(given)) {
    if (!nb::hasattr(wrench, "frame") || !nb::hasattr(wrench, "values"))
      throw nb::type_error("wrenches takes {frame: (fx, fy, fz, mx, my, mz)} or a list of catena.Wrench");
    add(nb::cast<std::string>(wrench.attr("frame")), wrench.attr("values"), nb::cast<std::string>(wrench.attr("axes")));
  }
  return wrenches;
}

std::vector<ExternalWrench<double>> wrenches_of(const Mechanism& robot, nb::handle given) {
  std::vector<nb::object> rows;
  std::vector<ExternalWrench<double>> wrenches = wrenches_by_state(robot, given, rows);
  for (const nb::object& row : rows)
    if (!row.is_none()) throw std::invalid_argument("a wrench is (fx, fy, fz, mx, my, mz) here, the same all the time");
  return wrenches;
}

namespace {

// --- built in code: plain data, as catena.Builder stores it ---

Sym3<double> inertia_from(nb::handle given) {
  const std::vector<double> v = numbers(given, "inertia (xx, yy, zz, xy, xz, yz)", 6);
  return {v[0], v[1], v[2], v[3], v[4], v[5]};
}
Inertial inertial_from(nb::handle mass, nb::handle com, nb::handle inertia) {
  return {nb::cast<double>(mass), vec3(com, "com"), inertia_from(inertia)};
}
// Three rows of rotation and translation: 12 numbers.
Pose<double> pose_from(nb::handle given, std::string_view name) {
  const std::vector<double> v = numbers(given, name, 12);
  Pose<double> pose;
  pose.R = {v[0], v[1], v[2], v[4], v[5], v[6], v[8], v[9], v[10]};
  pose.p = {v[3], v[7], v[11]};
  return pose;
}
JointType joint_type(const std::string& name) {
  if (name == "revolute") return JointType::revolute;
  if (name == "prismatic") return JointType::prismatic;
  if (name == "fixed") return JointType::fixed;
  throw std::invalid_argument("a joint is 'revolute', 'prismatic' or 'fixed', not '" + name + "'");
}
int link_named(const Robot& robot, nb::handle given) {
  const std::string name = nb::cast<std::string>(given);
  const int link = robot.link_index(name);
  if (link < 0) throw std::invalid_argument("robot '" + robot.name + "' has no link '" + name + "'");
  return link;
}

}  // namespace

JointDescription joint_from(const Robot* robot, const nb::dict& given) {
  JointDescription joint;
  joint.name = nb::cast<std::string>(given["name"]);
  joint.type = joint_type(nb::cast<std::string>(given["type"]));
  if (robot != nullptr)
    joint.parent = link_named(*robot, given["parent"]), joint.child = link_named(*robot, given["child"]);
  joint.origin = pose_from(given["origin"], "origin");
  joint.axis = vec3(given["axis"], "axis");
  joint.child_frame = pose_from(given["child_frame"], "child_frame");
  const std::vector<double> limits = numbers(given["limits"], "limits (lower, upper, velocity, effort)", 4);
  joint.limits = {limits[0], limits[1], limits[2], limits[3]};
  const std::vector<double> drive = numbers(given["drive"], "drive (viscous, coulomb, rotor_inertia, gear_ratio)", 4);
  const std::vector<double> spring = numbers(given["spring"], "spring (stiffness, rest)", 2);
  const std::vector<double> stribeck = numbers(given["stribeck"], "stribeck (friction, speed)", 2);
  joint.drive = {
      drive[0],    drive[1],   drive[2], drive[3], spring[0], spring[1], nb::cast<double>(given["torque_offset"]),
      stribeck[0], stribeck[1]};
  joint.passive = nb::cast<bool>(given["passive"]);
  if (const std::vector<double> e = numbers(given["elastic"], "elastic (stiffness, damping, full)", 3); e[0] != 0.0)
    joint.elastic = {e[0], e[1], e[2] != 0.0};
  return joint;
}

namespace {

LoopType loop_type(const std::string& name) {
  std::string known;
  for (std::size_t k = 0; k < loop_type_names.size(); ++k) {
    if (loop_type_names[k] == name) return static_cast<LoopType>(k);
    known += (known.empty() ? "" : ", ") + std::string(loop_type_names[k]);
  }
  throw std::invalid_argument("a loop is one of " + known + ", not '" + name + "'");
}
void add_loops(const nb::dict& given, Robot& robot) {
  for (const nb::handle loop : nb::iter(given["loops"]))
    robot.loops.push_back({nb::cast<std::string>(loop["name"]),
                           loop_type(nb::cast<std::string>(loop["type"])),
                           {nb::cast<std::string>(loop["frames"][0]), nb::cast<std::string>(loop["frames"][1])}});
  robot.independent = nb::cast<std::vector<std::string>>(given["independent"]);
  for (const auto& [joint, position] : nb::cast<nb::dict>(given["start"]))
    robot.start[nb::cast<std::string>(joint)] = nb::cast<double>(position);
}

RobotCore build(const nb::dict& given) {
  Robot robot;
  robot.name = nb::cast<std::string>(given["name"]);
  robot.gravity = vec3(given["gravity"], "gravity");
  robot.tool = nb::cast<std::string>(given["tool"]);
  for (const nb::handle link : nb::iter(given["links"]))
    robot.add_link(nb::cast<std::string>(link["name"]), inertial_from(link["mass"], link["com"], link["inertia"]));
  for (const nb::handle joint : nb::iter(given["joints"]))
    robot.add_joint(joint_from(&robot, nb::borrow<nb::dict>(joint)));
  for (const nb::handle frame : nb::iter(given["frames"]))
    robot.add_frame(nb::cast<std::string>(frame["name"]), link_named(robot, frame["link"]),
                    pose_from(frame["pose"], "pose"));
  if (given.contains("loops")) add_loops(given, robot);
  Findings found = validate(robot);
  if (found.ok()) found.errors = close_loops(robot);
  if (!found.ok()) throw ModelError(format_problems(robot.name, found.errors));
  for (const Problem& p : found.warnings) robot.warnings.push_back({p.text, p.who, p.kind});
  return loaded(std::move(robot));
}

// --- described ---

nb::object pose_array(const Pose<double>& pose) {
  const NewArray made = new_array({4, 4});
  const double rows[] = {pose.R.xx, pose.R.xy, pose.R.xz, pose.p.x, pose.R.yx, pose.R.yy, pose.R.yz, pose.p.y,
                         pose.R.zx, pose.R.zy, pose.R.zz, pose.p.z, 0,         0,         0,         1};
  std::copy(std::begin(rows), std::end(rows), made.values.begin());
  return made.object;
}
nb::object vector_array(const Vec3<double>& v) { return to_array(std::vector{v.x, v.y, v.z}); }
const char* name_of(JointType type) {
  return type == JointType::revolute ? "revolute" : type == JointType::prismatic ? "prismatic" : "fixed";
}

nb::dict joint_entry(const Robot& robot, const JointDescription& joint) {
  nb::dict entry;
  entry["name"] = joint.name;
  entry["type"] = name_of(joint.type);
  entry["parent"] = robot.links[index(joint.parent)].name;
  entry["child"] = robot.links[index(joint.child)].name;
  entry["origin"] = pose_array(joint.origin);
  entry["axis"] = vector_array(joint.axis);
  entry["child_frame"] = pose_array(joint.child_frame);
  entry["limits"] = nb::make_tuple(joint.limits.lower, joint.limits.upper, joint.limits.velocity, joint.limits.effort);
  entry["drive"] =
      nb::make_tuple(joint.drive.viscous, joint.drive.coulomb, joint.drive.rotor_inertia, joint.drive.gear_ratio);
  entry["spring"] = nb::make_tuple(joint.drive.spring, joint.drive.spring_rest);
  entry["torque_offset"] = joint.drive.offset;
  entry["stribeck"] = nb::make_tuple(joint.drive.stribeck, joint.drive.stribeck_speed);
  const JointElasticity none, &elastic = joint.elastic ? *joint.elastic : none;
  entry["elastic"] = nb::make_tuple(elastic.stiffness, elastic.damping, elastic.full);
  entry["passive"] = joint.passive;
  entry["coupled"] = joint.is_coupled();
  entry["dependent"] = joint.dependent;
  return entry;
}

// The whole description of the robot, as plain Python data.
nb::dict describe(const RobotCore& core) {
  const Robot& robot = core.loaded->written;
  nb::dict all;
  nb::list links, joints, frames, loops, warnings;
  for (const LinkDescription& link : robot.links) {
    const Sym3<double>& i = link.inertial.inertia;
    nb::dict entry;
    entry["name"] = link.name;
    entry["mass"] = link.inertial.mass;
    entry["com"] = vector_array(link.inertial.com);
    entry["inertia"] = nb::make_tuple(i.xx, i.yy, i.zz, i.xy, i.xz, i.yz);
    links.append(entry);
  }
  for (const JointDescription& joint : robot.joints) joints.append(joint_entry(robot, joint));
  for (const FrameDescription& frame : robot.frames) {
    nb::dict entry;
    entry["name"] = frame.name;
    entry["link"] = robot.links[index(frame.link)].name;
    entry["pose"] = pose_array(frame.pose);
    frames.append(entry);
  }
  for (const LoopDescription& loop : robot.loops) {
    nb::dict entry;
    entry["name"] = loop.name;
    entry["type"] = std::string(catena::name_of(loop.type));
    entry["frames"] = nb::make_tuple(loop.frames[0], loop.frames[1]);
    loops.append(entry);
  }
  for (const Warning& warning : robot.warnings) warnings.append(warning.text);
  all["name"] = robot.name;
  all["mass"] = robot.mass();
  all["gravity"] = vector_array(robot.gravity);
  all["tool"] = robot.tool_name();
  all["base"] = robot.links[index(robot.root())].name;
  all["links"] = links;
  all["joints"] = joints;
  all["frames"] = frames;
  all["loops"] = loops;
  all["warnings"] = warnings;
  return all;
}

nb::list frame_names(const RobotCore& core) {
  nb::list names;
  for (const auto& frame : core.loaded->mechanism.frames) names.append(frame.name);
  return names;
}

// Per velocity coordinate: lower, upper, velocity, effort.
nb::object limits(const RobotCore& core) {
  std::vector<std::vector<double>> rows(4);
  for (const JointLimits& l : core.loaded->mechanism.coordinates.limits) {
    const double values[] = {l.lower, l.upper, l.velocity, l.effort};
    for (std::size_t k = 0; k < 4; ++k) rows[k].push_back(values[k]);
  }
  return to_array(rows, rows[0].size());
}

DhForm dh_form_of(const RobotCore& core, const std::string& convention) {
  for (const DhConvention known : {DhConvention::classic, DhConvention::modified})
    if (catena::name_of(known) == convention) return dh_form(core.loaded->written, known);
  throw std::invalid_argument("convention '" + convention + "' must be classic or modified");
}

nb::list dh_rows(const RobotCore& core, const std::string& convention) {
  const DhForm form = dh_form_of(core, convention);
  nb::list rows;
  for (std::size_t k = 0; k < form.rows.size(); ++k) {
    if (is_free_part(form.robot, k)) continue;
    const JointDescription& joint = form.robot.joints[k];
    const DhRow& row = form.rows[k];
    nb::dict entry;
    entry["joint"] = joint.name;
    entry["type"] = name_of(joint.type);
    entry["link"] = form.robot.links[index(joint.child)].name;
    entry["parent"] = form.robot.links[index(joint.parent)].name;
    entry["theta"] = row.theta;
    entry["d"] = row.d;
    entry["a"] = row.a;
    entry["alpha"] = row.alpha;
    entry["gamma"] = row.gamma;
    entry["epsilon"] = row.epsilon;
    rows.append(entry);
  }
  return rows;
}

// The robot in a file or a text, the text that was read (of xacro: what it was expanded to), and its name in messages.
nb::tuple load(const std::string& given, bool is_text, bool strict, bool lenient, const std::vector<std::string>& xacro,
               const std::vector<std::string>& package_path, const std::string& python) {
  const LoadOptions options{strict, lenient, xacro, package_path, python};
  const io::SourceText source =
      is_text ? io::expanded({given, "text"}, false, options) : io::read_source(given, options);
  return nb::make_tuple(loaded(parse_robot(source.text, source.name, options)),
                        nb::bytes(source.text.data(), source.text.size()), source.name);
}

}  // namespace

void bind_robots(nb::module_& module) {
  nb::class_<RobotCore> robot(module, "RobotCore", "A robot with its jobs; catena.Robot is the public one.");
  robot.def(nb::init<const RobotCore&>())
      .def_prop_ro(
          "name", [](const RobotCore& r) { return r.loaded->written.name; }, "what the model calls itself")
      .def_prop_ro(
          "nq", [](const RobotCore& r) { return r.loaded->sizes.positions; }, "entries of q")
      .def_prop_ro(
          "nv", [](const RobotCore& r) { return r.loaded->sizes.velocities; }, "entries of qd, qdd and tau")
      .def_prop_ro(
          "joint_names", [](const RobotCore& r) { return coordinate_names(r.loaded->mechanism); },
          "names of the joints that move by themselves, in the order of qd")
      .def_prop_ro(
          "tree_joint_names", [](const RobotCore& r) { return tree_joint_names(r.loaded->mechanism); },
          "names of all joints that move, those that follow others or closed loops too, in the order of place()")
      .def_prop_ro(
          "position_names", [](const RobotCore& r) { return position_names(r.loaded->mechanism); },
          "names of the entries of q: the joints' own, but for the quaternion of a free base")
      .def_prop_ro(
          "has_free_base", [](const RobotCore& r) { return r.loaded->mechanism.coordinates.is_free(); },
          "whether q starts with position and quaternion (x, y, z, w) of the base, and qd with its twist")
      .def_prop_ro("has_moving_base", &moves, "whether every job takes the motion of the base too: on_moving_base()")
      .def_prop_ro("frames", &frame_names, nb::for_getter(nb::sig("def frames(self) -> list[str]")),
                   "names of all links and frames")
      .def_prop_ro(
          "mass", [](const RobotCore& r) { return r.loaded->written.mass(); }, "of all links, kg")
      .def_prop_ro("_limits", &limits, nb::for_getter(nb::sig("def _limits(self) -> Array")))
      .def("_describe", &describe, nb::sig("def _describe(self) -> dict[str, Any]"))
      .def("_to_toml", [](const RobotCore& r) { return to_toml(r.loaded->written); })
      .def("_to_urdf", [](const RobotCore& r) { return to_urdf(r.loaded->written); })
      .def("_to_mjcf", [](const RobotCore& r) { return to_mjcf(r.loaded->written); })
      .def("_to_dh",
           [](const RobotCore& r, const std::string& convention) { return to_toml(dh_form_of(r, convention)); })
      .def("_dh_rows", &dh_rows, nb::sig("def _dh_rows(self, convention: str, /) -> list[dict[str, Any]]"))
      .def("_save", [](const RobotCore& r, const std::string& path, const std::string& format) {
        save_robot(r.loaded->written, path, format);
      });
  bind_jobs(module, robot);
  module.def("find_model",
             [](const std::string& model, const std::string& models) { return find_model(model, models); });
  module.def("shipped_models", [](const std::string& models) { return shipped_models(models); });
  module.def("load_robot", &load);
  module.def("parse_robot", [](const std::string& text, const std::string& file, bool strict, bool lenient) {
    return loaded(parse_robot(text, file, {strict, lenient}));
  });
  module.def("build", &build);
}

}  // namespace catena::python
