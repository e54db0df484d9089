#include "catena/model/parameters.hpp"

#include <cmath>
#include <initializer_list>

namespace catena {
namespace {

std::string numbered(std::string_view symbol, int number) {
  std::string text(symbol);
  for (std::size_t at; (at = text.find("{}")) != std::string::npos;) text.replace(at, 2, std::to_string(number));
  return text;
}

// Clears what rotation to another frame has made of a zero.
void drop_dust(std::initializer_list<double*> entries, double scale) {
  for (double* entry : entries)
    if (std::abs(*entry) < 1e-15 * scale) *entry = 0.0;
}

}  // namespace

std::vector<std::string> parameter_names(int joints) {
  std::vector<std::string> names;
  for (int j = 1; j <= joints; ++j)
    for (const ParameterInfo& info : parameter_infos) names.push_back(numbered(info.symbol, j));
  return names;
}

std::vector<std::string> parameter_units(const Mechanism& robot) {
  const int first = robot.joints() - parameter_joints(robot);
  std::vector<std::string> units(index(parameter_joints(robot)) * parameters_per_joint);
  for (const auto& link : robot.links)
    for (std::size_t k = 0; link.q >= first && k < parameters_per_joint; ++k)
      units[index(link.q - first) * parameters_per_joint + k] =
          link.revolute ? parameter_infos[k].turning : parameter_infos[k].sliding;
  return units;
}

std::vector<double> standard_parameters(const Mechanism& robot) {
  const int first = robot.joints() - parameter_joints(robot);
  std::vector<double> theta(index(parameter_joints(robot)) * parameters_per_joint);
  for (const auto& link : robot.links) {
    if (link.q < first) continue;
    const Pose<double> user_from_link = robot.frames[index(link.frame)].in_link.inverse();
    Vec3<double> com = user_from_link.p + user_from_link.R * link.com;
    Sym3<double> J = congruence(user_from_link.R, link.inertia_com) + link.mass * steiner(com);
    drop_dust({&J.xy, &J.xz, &J.yz}, J.trace());
    if (link.mass > 0.0) drop_dust({&com.x, &com.y, &com.z}, std::sqrt(J.trace() / link.mass));
    double* next = &theta[index(link.q - first) * parameters_per_joint];
    for (const double value :
         {link.mass, link.mass * com.x, link.mass * com.y, link.mass * com.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz})
      *next++ = value;
    AllForces::for_each([&](auto force) {
      for (const double value : force.values(robot.drives[link.q])) *next++ = value;
    });
  }
  return theta;
}

bool is_identified(const Mechanism& robot, int parameter) {
  const int joint = parameter / parameters_per_joint, own = parameter % parameters_per_joint;
  const ParameterKind kind = parameter_infos[index(own)].kind;
  if (kind != ParameterKind::device && kind != ParameterKind::signed_device) return true;
  bool asked = false;
  int next = link_parameters;
  AllForces::for_each([&](auto force) {
    const typename decltype(force)::template Constants<double>& constants = robot.drives[TreeJoint(joint)];
    for (const double value : force.values(constants))
      if (next++ == own) asked = kind == ParameterKind::device ? value != 0.0 : constants.acts();
  });
  return asked;
}

}  // namespace catena
