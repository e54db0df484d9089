// Linear models and regulators, models at a frame, equilibria, inverse kinematics.
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/control.hpp"
#include "catena/inverse_kinematics.hpp"
#include "evaluate.hpp"
#include "model/asking.hpp"

namespace catena::python {
namespace {

using Wrenches = std::vector<ExternalWrench<double>>;

nb::object matrix(const std::vector<double>& entries, std::size_t columns) {
  const NewArray out = new_array({columns == 0 ? 0 : entries.size() / columns, columns});
  std::copy(entries.begin(), entries.end(), out.values.begin());
  return out.object;
}
nb::tuple matrices(const StateSpace& model) {
  return nb::make_tuple(matrix(model.A, model.states()), matrix(model.B, model.inputs()));
}
Wrenches wrenches_or_none(const Mechanism& robot, nb::handle given) {
  return given.is_none() ? Wrenches{} : wrenches_of(robot, given);
}

struct Motion {
  std::vector<double> q, qd, qdd;
  Motion(const Mechanism& robot, nb::handle positions, nb::handle rates, nb::handle accelerations)
      : q(numbers(positions, "q", index(robot.nq()))), qd(index(robot.nv())), qdd(index(robot.nv())) {
    if (!rates.is_none()) qd = numbers(rates, "qd", qd.size());
    if (!accelerations.is_none()) qdd = numbers(accelerations, "qdd", qdd.size());
  }
};

FrameCoordinates coordinates_named(const std::string& name) {
  const auto found = std::find(std::begin(frame_coordinate_names), std::end(frame_coordinate_names), name);
  if (found == std::end(frame_coordinate_names))
    throw std::invalid_argument("coordinates are 'position', 'velocity', 'rpy' or 'zyz', not '" + name + "'");
  return static_cast<FrameCoordinates>(found - std::begin(frame_coordinate_names));
}
CartesianDynamics cartesian_of(const Mechanism& robot, const std::string& frame, const std::string& coordinates,
                               const std::vector<std::string>& rows, double damping) {
  const FrameCoordinates own = coordinates_named(coordinates);
  CartesianOptions options{.damping = damping};
  const std::vector<std::string> known = row_names(own);
  for (const std::string& row : rows) {
    const auto found = std::find(known.begin(), known.end(), row);
    if (found == known.end()) throw std::invalid_argument("there is no row '" + row + "' of " + coordinates);
    options.rows.push_back(static_cast<int>(found - known.begin()));
  }
  std::sort(options.rows.begin(), options.rows.end());
  const int chosen = frame_of(robot, frame);
  return {robot, chosen == tool_frame ? robot.tool : chosen, own, options};
}

StateSpace sampled(StateSpace model, std::optional<double> dt) { return dt ? discretize(model, *dt) : model; }

nb::tuple joint_space(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle qdd, std::optional<double> dt,
                      nb::handle wrenches) {
  const Mechanism& robot = core.loaded->mechanism;
  const Motion at(robot, q, qd, qdd);
  return matrices(sampled(Linearization(robot).along(at.q, at.qd, at.qdd, wrenches_or_none(robot, wrenches)), dt));
}
nb::tuple frame_space(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle qdd, std::optional<double> dt,
                      nb::handle wrenches, const std::string& frame, const std::string& coordinates,
                      const std::vector<std::string>& rows, double damping) {
  const Mechanism& robot = core.loaded->mechanism;
  const Motion at(robot, q, qd, qdd);
  CartesianDynamics dynamics = cartesian_of(robot, frame, coordinates, rows, damping);
  return matrices(
      sampled(state_space(dynamics.linearize(at.q, at.qd, at.qdd, wrenches_or_none(robot, wrenches)), robot), dt));
}

nb::dict cartesian(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle qdd, nb::handle wrenches,
                   const std::string& frame, const std::string& coordinates, const std::vector<std::string>& rows,
                   double damping, bool linear) {
  const Mechanism& robot = core.loaded->mechanism;
  const Motion at(robot, q, qd, qdd);
  const Wrenches acting = wrenches_or_none(robot, wrenches);
  CartesianDynamics dynamics = cartesian_of(robot, frame, coordinates, rows, damping);
  const std::size_t n = index(robot.nv());
  nb::dict out;
  const auto put_motion = [&](const CartesianMotion& motion) {
    out["names"] = motion.names;
    out["position"] = to_array(motion.position), out["velocity"] = to_array(motion.velocity);
    out["acceleration"] = to_array(motion.acceleration);
    out["J"] = matrix(motion.J, n), out["J_dot"] = matrix(motion.J_dot, n);
    out["manipulability"] = motion.manipulability, out["condition"] = motion.condition;
  };
  if (linear) {
    const CartesianLinearization model = dynamics.linearize(at.q, at.qd, at.qdd, acting);
    put_motion(model);
    const std::size_t m = model.names.size();
    out["D"] = matrix(model.D, m), out["V"] = matrix(model.V, m), out["P"] = matrix(model.P, m);
    return out;
  }
  const CartesianModel model = dynamics.model(at.q, at.qd, at.qdd, acting);
  put_motion(model);
  out["D"] = matrix(model.D, model.names.size());
  out["C"] = to_array(model.C), out["G"] = to_array(model.G), out["W"] = to_array(model.W),
  out["f"] = to_array(model.f);
  return out;
}

StateSpace model_from(nb::handle A, nb::handle B) {
  const std::vector<double> a = numbers(A, "A"), b = numbers(B, "B");
  const auto states = static_cast<std::size_t>(std::lround(std::sqrt(double(a.size()))));
  if (states * states != a.size() || states % 2 != 0 || states == 0 || b.size() % states != 0)
    throw std::invalid_argument("A is 2n x 2n and B 2n x m");
  return {static_cast<int>(states / 2), a, b};
}
nb::tuple regulator(nb::handle A, nb::handle B, nb::handle Q, nb::handle R, bool discrete) {
  const StateSpace model = model_from(A, B);
  const QuadraticCost cost{numbers(Q, "Q"), numbers(R, "R")};
  const Regulator found = discrete ? sampled_lqr(model, cost) : lqr(model, cost);
  return nb::make_tuple(matrix(found.K, model.states()), matrix(found.S, model.states()), found.poles, found.residual);
}

nb::list equilibria(const RobotCore& core, nb::handle q, int starts, nb::handle wrenches) {
  const Mechanism& robot = core.loaded->mechanism;
  const std::vector<double> from = numbers(q, "q", index(robot.nq()));
  const auto pushes = wrenches_or_none(robot, wrenches);
  const std::vector<Equilibrium> found = [&] {
    const nb::gil_scoped_release others_run;
    return find_equilibria(robot, from, starts, pushes);
  }();
  nb::list out;
  for (const Equilibrium& own : found)
    out.append(nb::make_tuple(to_array(own.q), to_array(own.tau), std::string(name_of(own.stability)),
                              to_array(own.stiffness), own.potential));
  return out;
}

// Targets one after the other; each starts where it is told, or where the last one ended.
nb::tuple solve(const RobotCore& core, nb::handle targets, nb::handle starts, const std::string& frame,
                const std::string& aim, double tolerance, int tries, bool limits) {
  const Mechanism& robot = core.loaded->mechanism;
  if (aim != "pose" && aim != "position") throw std::invalid_argument("aim is 'pose' or 'position', not '" + aim + "'");
  const bool whole = aim == "pose";
  const std::vector<std::vector<double>> rows = rows_of(targets, "target", whole ? 16 : 3);
  std::vector<std::vector<double>> from;
  if (!starts.is_none()) from = rows_of(starts, "start", index(robot.nq()));
  if (from.size() > 1 && from.size() != rows.size())
    throw std::invalid_argument(std::to_string(from.size()) + " starts for " + std::to_string(rows.size()) +
                                " targets");
  const int chosen = frame_of(robot, frame);
  InverseKinematics solver(robot, chosen == tool_frame ? robot.tool : chosen, whole ? Aim::pose : Aim::position);
  const InverseKinematicsOptions set{
      .position_tolerance = tolerance, .rotation_tolerance = tolerance, .starts = tries, .limits = limits};
  const NewArray q = new_array({rows.size(), index(robot.nq())}), left = new_array({rows.size(), 2}),
                 reached = new_array({rows.size()});
  const nb::gil_scoped_release others_run;
  std::vector<double> start = from.empty() ? std::vector<double>{} : from.front();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    ask(double(k) / double(rows.size()));
    const std::vector<double>& t = rows[k];
    Pose<double> target;
    target.p = whole ? Vec3<double>{t[3], t[7], t[11]} : Vec3<double>{t[0], t[1], t[2]};
    if (whole) target.R = {t[0], t[1], t[2], t[4], t[5], t[6], t[8], t[9], t[10]};
    if (from.size() > 1) start = from[k];
    const InverseKinematicsResult& found = solver.solve(target, start, set);
    std::copy(found.q.begin(), found.q.end(), q.values.begin() + long(k * found.q.size()));
    left.values[2 * k] = found.position_error, left.values[2 * k + 1] = found.rotation_error;
    reached.values[k] = found.reached ? 1.0 : 0.0;
    if (found.reached && from.size() <= 1) start = found.q;
  }
  const nb::gil_scoped_acquire back;
  return nb::make_tuple(q.object, left.object, reached.object);
}

nb::tuple to_tuple(const Ellipsoid& own) {
  const NewArray axes = new_array({3, 3});
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3<double>& axis = own.axes[k];
    axes.values[3 * k] = axis.x, axes.values[3 * k + 1] = axis.y, axes.values[3 * k + 2] = axis.z;
  }
  return nb::make_tuple(to_array(own.lengths), axes.object, own.isotropy());
}
nb::dict at_frame(const RobotCore& core, nb::handle q, const std::string& frame) {
  const Mechanism& robot = core.loaded->mechanism;
  const int chosen = frame_of(robot, frame);
  const Ellipsoids found =
      ellipsoids(robot, chosen == tool_frame ? robot.tool : chosen, numbers(q, "q", index(robot.nq())));
  nb::dict out;
  for (const auto& [name, part] : {std::pair{"translation", &found.translation}, {"rotation", &found.rotation}})
    out[name] = nb::make_tuple(to_tuple(part->velocity), to_tuple(part->acceleration), to_tuple(part->inertia));
  return out;
}

}  // namespace

void bind_control(nb::module_& module) {
  module.def("state_space", &joint_space, nb::arg("robot"), nb::arg("q"), nb::arg("qd").none(), nb::arg("qdd").none(),
             nb::arg("dt").none(), nb::arg("wrenches").none());
  module.def("cartesian_state_space", &frame_space, nb::arg("robot"), nb::arg("q"), nb::arg("qd").none(),
             nb::arg("qdd").none(), nb::arg("dt").none(), nb::arg("wrenches").none(), nb::arg("frame"),
             nb::arg("coordinates"), nb::arg("rows"), nb::arg("damping"));
  module.def("cartesian", &cartesian, nb::arg("robot"), nb::arg("q"), nb::arg("qd").none(), nb::arg("qdd").none(),
             nb::arg("wrenches").none(), nb::arg("frame"), nb::arg("coordinates"), nb::arg("rows"), nb::arg("damping"),
             nb::arg("linear"));
  module.def("lqr", &regulator);
  module.def("poles", [](nb::handle A) { return eigenvalues(numbers(A, "A")); });
  module.def("equilibria", &equilibria, nb::arg("robot"), nb::arg("q"), nb::arg("starts"), nb::arg("wrenches").none());
  module.def("inverse_kinematics", &solve, nb::arg("robot"), nb::arg("target"), nb::arg("start").none(),
             nb::arg("frame"), nb::arg("aim"), nb::arg("tolerance"), nb::arg("tries"), nb::arg("limits"));
  module.def("ellipsoids", &at_frame);
}

}  // namespace catena::python
