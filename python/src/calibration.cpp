// Motions to measure along, and calibration of kinematics.
#include "catena/calibration.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/excitation.hpp"
#include "catena/robot_file.hpp"

namespace catena::python {
namespace {

std::vector<Box> boxes_of(nb::handle given, const char* name) {
  std::vector<Box> out;
  for (const std::vector<double>& v : rows_of(given, name, 6)) out.push_back({{v[0], v[1], v[2]}, {v[3], v[4], v[5]}});
  return out;
}

// inside and outside: rows of x, y, z, X, Y, Z; spheres: link or frame, x, y, z, radius.
Excitation excite(const RobotCore& core, double time, const nb::dict& given, nb::handle inside, nb::handle outside,
                  const std::vector<std::tuple<std::string, double, double, double, double>>& spheres) {
  const Mechanism& robot = core.loaded->mechanism;
  ExcitationOptions options;
  options.period = time;
  options.harmonics = nb::cast<int>(given["harmonics"]);
  options.drives = nb::cast<bool>(given["drives"]);
  options.starts = nb::cast<int>(given["starts"]);
  options.steps = nb::cast<int>(given["steps"]);
  options.share = nb::cast<double>(given["share"]);
  options.seed = nb::cast<std::uint64_t>(given["seed"]);
  const std::string criterion = nb::cast<std::string>(given["criterion"]);
  if (criterion != "condition" && criterion != "determinant")
    throw std::invalid_argument("criterion is 'condition' or 'determinant', not '" + criterion + "'");
  if (criterion == "determinant") options.criterion = ExcitationCriterion::determinant;
  if (!given["acceleration"].is_none()) options.acceleration = numbers(given["acceleration"], "acceleration");
  if (!given["weights"].is_none()) options.weights = numbers(given["weights"], "weights");
  if (!given["floor"].is_none()) options.around.floor = nb::cast<double>(given["floor"]);
  if (!inside.is_none()) options.around.inside = boxes_of(inside, "inside");
  if (!outside.is_none()) options.around.outside = boxes_of(outside, "outside");
  if (!options.around.empty())
    options.around.spheres = link_spheres(core.loaded->robot, nb::cast<double>(given["radius"]));
  for (const auto& [frame, x, y, z, radius] : spheres) options.around.spheres.push_back({frame, {x, y, z}, radius});
  nb::gil_scoped_release release;
  return find_excitation(robot, options);
}

nb::tuple at(const Excitation& found, nb::handle times) {
  const std::vector<double> given = numbers(times, "t");
  const std::size_t n = found.motion.centre.size();
  const NewArray q = new_array({given.size(), n}), qd = new_array({given.size(), n}),
                 qdd = new_array({given.size(), n});
  for (std::size_t k = 0; k < given.size(); ++k)
    found.motion.at(given[k], q.values.subspan(k * n, n), qd.values.subspan(k * n, n), qdd.values.subspan(k * n, n));
  return nb::make_tuple(q.object, qd.object, qdd.object);
}

// --- calibration ---

KinematicForm form_of(const std::string& name) {
  for (const KinematicForm form :
       {KinematicForm::offsets, KinematicForm::frames, KinematicForm::classic_dh, KinematicForm::modified_dh})
    if (name_of(form) == name) return form;
  throw std::invalid_argument("parameters are 'offsets', 'frames', 'classic' or 'modified', not '" + name + "'");
}

MeasuredPoses poses_of(nb::handle q, nb::handle positions, nb::handle rotations, std::size_t joints) {
  MeasuredPoses out;
  for (const std::vector<double>& row : rows_of(q, "q", joints)) out.q.insert(out.q.end(), row.begin(), row.end());
  for (const std::vector<double>& p : rows_of(positions, "positions", 3)) out.positions.push_back({p[0], p[1], p[2]});
  if (rotations.is_none()) return out;
  for (const std::vector<double>& R : rows_of(rotations, "rotations", 9))
    out.rotations.push_back({R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]});
  return out;
}

nb::object pose_array(const Pose<double>& pose) {
  const NewArray out = new_array({4, 4});
  const double entries[] = {pose.R.xx, pose.R.xy, pose.R.xz, pose.p.x, pose.R.yx, pose.R.yy, pose.R.yz, pose.p.y,
                            pose.R.zx, pose.R.zy, pose.R.zz, pose.p.z, 0.0,       0.0,       0.0,       1.0};
  std::copy(std::begin(entries), std::end(entries), out.values.begin());
  return out.object;
}

nb::dict errors_dict(const PoseErrors& errors) {
  nb::dict out;
  out["poses"] = errors.poses;
  out["position"] = errors.position;
  out["worst_position"] = errors.worst_position;
  out["orientation"] = errors.orientation;
  out["worst_orientation"] = errors.worst_orientation;
  return out;
}

nb::list corrections_list(const std::vector<Correction>& list) {
  nb::list out;
  for (const Correction& own : list) {
    nb::dict entry;
    entry["name"] = own.parameter.name;
    entry["unit"] = std::string(own.parameter.unit);
    entry["nominal"] = own.parameter.nominal;
    entry["change"] = own.change;
    entry["standard_error"] = own.standard_error;
    entry["lower"] = own.lower;
    entry["upper"] = own.upper;
    out.append(entry);
  }
  return out;
}

CalibrationOptions options_of(const std::string& parameters, const std::string& frame, bool base_known, bool tool_known,
                              const std::vector<std::string>& keep, double outlier) {
  return {form_of(parameters), frame, base_known, tool_known, keep, outlier};
}

nb::dict calibrate_robot(const RobotCore& core, nb::handle q, nb::handle positions, nb::handle rotations,
                         const CalibrationOptions& options) {
  const Robot& robot = core.loaded->robot;
  const MeasuredPoses poses = poses_of(q, positions, rotations, index(core.loaded->sizes.positions));
  Calibration found;
  {
    nb::gil_scoped_release release;
    found = calibrate(robot, poses, options);
  }
  nb::dict out, unseen;
  for (const UnseenParameter& own : found.unseen) unseen[own.name.c_str()] = own.as;
  out["model"] = to_toml(found.robot);
  out["corrections"] = corrections_list(found.corrections);
  out["placements"] = corrections_list(found.placements);
  out["unobservable"] = unseen;
  out["frame"] = found.frame;
  out["base"] = pose_array(found.base);
  out["tool"] = pose_array(found.tool);
  const NewArray covariance = new_array({found.corrections.size(), found.corrections.size()});
  std::copy(found.covariance.begin(), found.covariance.end(), covariance.values.begin());
  out["covariance"] = covariance.object;
  out["outliers"] = found.outliers;
  out["before"] = errors_dict(found.before);
  out["after"] = errors_dict(found.after);
  out["position_sigma"] = found.position_sigma;
  out["orientation_sigma"] = found.orientation_sigma;
  out["condition"] = found.condition;
  return out;
}

}  // namespace

void bind_calibration(nb::module_& module) {
  nb::class_<Excitation>(module, "ExcitationCore")
      .def(nb::init<const Excitation&>())
      .def("_at", &at)
      .def_prop_ro(
          "period", [](const Excitation& found) { return found.motion.period; }, "s")
      .def_ro("condition", &Excitation::condition, "of the base regressors along it, columns scaled to length 1")
      .def_ro("first_condition", &Excitation::first_condition, "of the best random start")
      .def_ro("information", &Excitation::information, "log det(YᵀWY/samples) / parameters")
      .def_ro("first_information", &Excitation::first_information, "of the best random start");
  module.def("excite", &excite, nb::arg("robot"), nb::arg("time"), nb::arg("given"), nb::arg("inside").none(),
             nb::arg("outside").none(), nb::arg("spheres"));
  nb::class_<CalibrationOptions>(module, "CalibrationOptions");
  module.def("calibration_options", &options_of);
  module.def("calibrate", &calibrate_robot, nb::arg("robot"), nb::arg("q"), nb::arg("positions"),
             nb::arg("rotations").none(), nb::arg("options"));
  module.def(
      "cross_validate_calibration",
      [](const RobotCore& core, nb::handle q, nb::handle positions, nb::handle rotations,
         const CalibrationOptions& options, int folds) {
        const MeasuredPoses poses = poses_of(q, positions, rotations, index(core.loaded->sizes.positions));
        const PoseErrors errors = [&] {
          const nb::gil_scoped_release others_run;
          return cross_validate(core.loaded->robot, poses, options, folds);
        }();
        return errors_dict(errors);
      },
      nb::arg("robot"), nb::arg("q"), nb::arg("positions"), nb::arg("rotations").none(), nb::arg("options"),
      nb::arg("folds"));
  module.def("kinematic_sensitivity",
             [](const RobotCore& core, const std::string& parameters, nb::handle q, const std::string& frame) {
               const KinematicForm form = form_of(parameters);
               const Robot& robot = core.loaded->robot;
               const std::vector<double> S =
                   kinematic_sensitivity(robot, form, numbers(q, "q", index(core.loaded->sizes.positions)), frame);
               std::vector<std::string> names;
               for (const KinematicParameter& own : kinematic_parameters(robot, form, frame)) names.push_back(own.name);
               const NewArray out = new_array({6, names.size()});
               std::copy(S.begin(), S.end(), out.values.begin());
               return nb::make_tuple(names, out.object);
             });
}

}  // namespace catena::python
