#include "catena/model/varied.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "catena/model/parameters.hpp"
#include "catena/model/regroup.hpp"

namespace catena {

Mechanism varied(const Mechanism& robot) {
  Mechanism out = optimize(robot);
  out.varied = true;
  return out;
}

std::vector<double> constants_of(const Mechanism& varied) {
  ConstantsOf of(varied);
  std::vector<double> constants(of.size());
  of(standard_parameters(varied), constants);
  return constants;
}

ConstantsOf::ConstantsOf(const Mechanism& varied)
    : nominal_(varied),
      robot_(varied),
      standard_(standard_parameters(varied)),
      size_(static_cast<std::size_t>(varied_constants(varied.tree()))) {
  if (!varied.varied) throw std::invalid_argument("the constants of robot '" + varied.name + "' are no input");
}

void ConstantsOf::refuse(std::size_t parameter, double value, const std::string& why) const {
  const std::string name = parameter_names(static_cast<int>(standard_.size()) / parameters_per_joint)[parameter];
  std::ostringstream text;
  text << name << " is " << value << why;
  throw std::invalid_argument(text.str());
}

// From the frame of the model's link to that of the tree, and about the mass centre.
void ConstantsOf::set(LinkConstants<double>& link, const double* theta, std::size_t first) const {
  if (theta[0] < 0.0) refuse(first, theta[0], ": a mass must not be negative");
  link.mass = theta[0];
  const Vec3<double> moment{theta[1], theta[2], theta[3]};
  Vec3<double> com{};
  if (theta[0] > 0.0) {
    com = (1.0 / theta[0]) * moment;
  } else {
    for (std::size_t k = 1; k <= 3; ++k)
      if (theta[k] != 0.0) refuse(first + k, theta[k], ", and the link has no mass");
  }
  const Sym3<double> about_com =
      Sym3<double>{theta[4], theta[5], theta[6], theta[7], theta[8], theta[9]} - link.mass * steiner(com);
  const Pose<double>& link_from_user = nominal_.frames[index(link.frame)].in_link;
  link.com = link_from_user.p + link_from_user.R * com;
  link.inertia_com = congruence(link_from_user.R, about_com);
  link.pseudo_com = pseudo_inertia(link.inertia_com);
}

void ConstantsOf::operator()(std::span<const double> parameters, std::span<double> constants) {
  if (parameters.size() != standard_.size() || constants.size() != size_)
    throw std::invalid_argument(std::to_string(parameters.size()) + " parameters, and there are " +
                                std::to_string(standard_.size()));
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (!std::isfinite(parameters[k])) refuse(k, parameters[k], "");
  const int first_joint = nominal_.joints() - parameter_joints(nominal_);
  for (auto& link : robot_.links) {
    if (link.q < first_joint) continue;
    const std::size_t first = index(link.q - first_joint) * parameters_per_joint;
    set(link, &parameters[first], first);
    std::size_t next = first + link_parameters;
    AllForces::for_each([&](auto force) {
      const std::size_t own = next;
      next += force.parameters.size();
      if constexpr (requires { force.set(nominal_.drives[link.q], robot_.drives[link.q], &parameters[own]); })
        force.set(nominal_.drives[link.q], robot_.drives[link.q], &parameters[own]);
      const auto written = force.values(robot_.drives[link.q]);
      for (std::size_t k = 0; k < written.size(); ++k)
        if (std::abs(written[k] - parameters[own + k]) > 1e-12 * std::abs(parameters[own + k]))
          refuse(own + k, parameters[own + k],
                 ": the model has no such force at joint '" + nominal_.joint_names[link.q] + "' that could vary");
    });
  }
  augment_links(robot_.links);
  for (std::size_t i = robot_.links.size(); i-- > index(robot_.carried ? base_joints : 0);) {
    LinkConstants<double> discarded;
    const int parent = robot_.links[i].parent;
    if (robot_.links[i].revolute) regroup_link(robot_.links[i], parent == base_link ? discarded : robot_.link(parent));
  }
  auto next = constants.begin();
  for_each_constant(nominal_.tree(), robot_, [&](double constant) { *next++ = constant; });
}

}  // namespace catena
