#include "identify/columns.hpp"

#include <cmath>
#include <cstdio>

#include "catena/model/parameters.hpp"

namespace catena::identification {
namespace {

double sign_of(double v) { return v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0; }

// The place of a force's parameter among those of a joint.
int place_of(std::string_view symbol) {
  for (std::size_t k = 0; k < parameter_infos.size(); ++k)
    if (parameter_infos[k].symbol == symbol) return static_cast<int>(k);
  return -1;
}

int column_with(const std::vector<Column>& columns, int parameter) {
  for (std::size_t k = 0; k < columns.size(); ++k)
    for (const ParameterTerm& term : columns[k].parameter.terms)
      if (term.parameter == parameter) return static_cast<int>(k);
  return -1;
}

}  // namespace

double curve_at(Curve curve, double v, double w) {
  switch (curve) {
    case Curve::none:
      return 0.0;
    case Curve::offset:
      return 1.0;
    case Curve::tanh:
      return std::tanh(v / w);
    case Curve::tanh_width:
      return -v / (w * w * std::pow(std::cosh(std::min(std::abs(v / w), 300.0)), 2));
    case Curve::stribeck:
      return sign_of(v) * std::exp(-(v / w) * (v / w));
    case Curve::stribeck_width:
      return sign_of(v) * std::exp(-(v / w) * (v / w)) * 2.0 * v * v / (w * w * w);
    case Curve::forward_viscous:
      return std::max(v, 0.0);
    case Curve::forward:
      return v > 0.0 ? 1.0 : 0.0;
    case Curve::backward_viscous:
      return std::min(v, 0.0);
    case Curve::backward:
      return v < 0.0 ? -1.0 : 0.0;
  }
  return 0.0;
}

std::size_t drive_parameter(const Mechanism& robot, Coordinate joint, std::string_view symbol) {
  return index(robot.link(robot.link_of(joint)).q * parameters_per_joint + place_of(symbol));
}
FrictionColumns friction_of(const Mechanism& robot, const std::vector<Column>& columns, Coordinate joint) {
  const auto column = [&](std::string_view symbol) {
    return column_with(columns, static_cast<int>(drive_parameter(robot, joint, symbol)));
  };
  return {column("fv{}"), column("fc{}"), column("fs{}")};
}
int offset_column(const Mechanism& robot, const std::vector<Column>& columns, Coordinate joint) {
  return column_with(columns, static_cast<int>(drive_parameter(robot, joint, "offset{}")));
}

std::vector<Column> columns_of(const std::vector<BaseParameter>& parameters) {
  std::vector<Column> out;
  out.reserve(parameters.size());
  for (const BaseParameter& own : parameters) out.push_back({own, {{own.column(), 1.0}}});
  return out;
}

Column curve_column(const Mechanism& robot, Curve curve, Coordinate joint, double width) {
  const bool turns = robot.link(robot.link_of(joint)).revolute;
  const std::string j = std::to_string(index(joint) + 1);
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", width);
  BaseParameter parameter;
  parameter.unit = turns ? "N m" : "N";
  switch (curve) {
    case Curve::none:
      break;
    case Curve::offset:
      parameter.text = "offset" + j;
      break;
    case Curve::tanh:
      parameter.text = "fc" + j + " tanh(qd" + j + "/" + digits + ")";
      break;
    case Curve::stribeck:
      parameter.text = "fs" + j + " sign(qd" + j + ") exp(-(qd" + j + "/" + digits + ")^2)";
      break;
    case Curve::tanh_width:
    case Curve::stribeck_width:
      parameter.text = "speed of friction " + j;
      parameter.unit = turns ? "rad/s" : "m/s";
      break;
    case Curve::forward_viscous:
    case Curve::backward_viscous:
      parameter.text =
          "fv" + j + (curve == Curve::forward_viscous ? " where qd" + j + " > 0" : " where qd" + j + " < 0");
      parameter.unit = turns ? "N m s/rad" : "N s/m";
      break;
    case Curve::forward:
    case Curve::backward:
      parameter.text = "fc" + j + (curve == Curve::forward ? " where qd" + j + " > 0" : " where qd" + j + " < 0");
      break;
  }
  return {parameter, {}, curve, index(joint), width};
}

}  // namespace catena::identification
