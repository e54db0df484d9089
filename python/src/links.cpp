// What each link adds to the model, and the matrices of the decoupled natural orthogonal complement, at one state.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/kinematics.hpp"
#include "catena/link_models.hpp"
#include "catena/screws.hpp"
#include "formulations/shared/denoc_table.hpp"

namespace catena::python {
namespace {

nb::object matrix(std::span<const double> entries, std::size_t columns) {
  const NewArray made = new_array({columns == 0 ? 0 : entries.size() / columns, columns});
  std::copy(entries.begin(), entries.end(), made.values.begin());
  return made.object;
}

// axis, point, pitch; a point is nan where the pitch is infinite.
nb::tuple to_tuple(const Screw& screw) {
  const auto array = [](const Vec3<double>& v) { return to_array(std::vector<double>{v.x, v.y, v.z}); };
  const double none = std::nan("");
  return nb::make_tuple(array(screw.axis),
                        array(std::isinf(screw.pitch) ? Vec3<double>{none, none, none} : screw.point), screw.pitch);
}

// The screws on which unit rates of the joints move a frame, along the axes of the base link, by joint.
nb::dict joint_screws(const std::vector<std::string>& names, Kinematics<double>& kinematics, int frame) {
  std::vector<JacobianColumn<double>> columns(names.size());
  kinematics.jacobian(frame, columns);
  const Vec3<double> origin = kinematics.pose(frame).p;
  nb::dict out;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto& [linear, angular] = columns[j];
    if (dot(linear, linear) + dot(angular, angular) > 1e-24)  // beyond rounding
      out[names[j].c_str()] = to_tuple(screw_of(angular, linear - cross(angular, origin)));
  }
  return out;
}

// Of inertia, in the link's frame: none of a link without mass, or with an inertia that no body has.
nb::list inertia_screws(const Inertial& body) {
  nb::list out;
  if (!(body.mass > 0.0)) return out;
  try {
    for (const Screw& screw : principal_screws(body)) out.append(to_tuple(screw));
  } catch (const std::domain_error&) {
  }
  return out;
}

// A list of (name, mass, joints, index, M, C, g, joint screws, screws of inertia); without models: None for five of
// them.
nb::list links(const RobotCore& core, nb::handle q, nb::handle qd, bool models) {
  const Robot& robot = core.loaded->written;
  MechanismOptions made = core.loaded->options;
  made.stiff = true;
  const Mechanism mechanism = make_mechanism(robot, made);
  const std::vector<double> at = numbers(q, "q", index(mechanism.nq()));
  const std::vector<std::string> names = coordinate_names(mechanism);
  Kinematics<double> kinematics(mechanism);
  kinematics.update(at);
  std::optional<LinkModels<double>> all;
  std::span<const LinkModel<double>> of_links;
  if (models) {
    made.rigid = true;
    of_links = all.emplace(robot, made)(at, numbers(qd, "qd", index(mechanism.nv())));
  }
  nb::list out;
  for (std::size_t k = 0; k < robot.links.size(); ++k) {
    const LinkDescription& link = robot.links[k];
    nb::object joints = nb::none(), indices = nb::none(), M = nb::none(), C = nb::none(), g = nb::none();
    if (models) {
      const LinkModel<double>& own = of_links[k];
      nb::list called;
      for (const int j : own.joints) called.append(names[index(j)]);
      joints = called, indices = nb::cast(own.joints), g = to_array(own.g);
      M = matrix(own.M, own.joints.size()), C = matrix(own.C, own.joints.size());
    }
    out.append(nb::make_tuple(link.name, link.inertial.mass, joints, indices, M, C, g,
                              joint_screws(names, kinematics, mechanism.frame_index(link.name)),
                              inertia_screws(link.inertial)));
  }
  return out;
}

// By name: a matrix, or a dictionary of matrices by the numbers of joints.
nb::dict denoc(const RobotCore& core, nb::handle q, nb::handle qd, const std::vector<std::string>& objects) {
  MechanismOptions made = core.loaded->options;
  made.stiff = true;
  const Mechanism robot = make_mechanism(core.loaded->written, made);
  require_fixed_base(robot, "the objects of DeNOC do");
  std::vector<const DenocKind*> chosen;
  for (const DenocKind& kind : denoc_kinds)
    if (objects.empty() || std::find(objects.begin(), objects.end(), kind.name) != objects.end())
      chosen.push_back(&kind);
  for (const std::string& name : objects)
    if (std::none_of(chosen.begin(), chosen.end(), [&](const DenocKind* kind) { return kind->name == name; })) {
      std::string known;
      for (const DenocKind& kind : denoc_kinds) known.append(known.empty() ? "" : ", ").append(kind.name);
      throw std::invalid_argument("there is no object '" + name + "'; there are " + known);
    }
  const std::vector<double> at = numbers(q, "q", index(robot.nq())), speed = numbers(qd, "qd", index(robot.nv()));
  nb::dict out;
  for (const auto& [kind, indices, values] : collect_denoc(DenocObjects<double>(robot, at, speed), chosen)) {
    for (const double entry : values.entries)
      if (!std::isfinite(entry))
        throw std::domain_error(std::string(kind->name) + " is not finite: a joint moves nothing that has inertia");
    const nb::object array = values.entries.size() == 1 ? nb::cast(values.entries[0])
                             : values.columns == 1      ? to_array(values.entries)
                                                        : matrix(values.entries, index(values.columns));
    const nb::str name(std::string(kind->name).c_str());
    if (indices.empty()) {
      out[name] = array;
      continue;
    }
    if (!out.contains(name)) out[name] = nb::dict();
    const nb::object key = indices.size() == 1 ? nb::cast(indices[0]) : nb::make_tuple(indices[0], indices[1]);
    nb::borrow<nb::dict>(out[name])[key] = array;
  }
  return out;
}

}  // namespace

void bind_links(nb::module_& module) {
  module.def("links", &links);
  module.def("denoc", &denoc);
}

}  // namespace catena::python
