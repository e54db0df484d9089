// What is fitted: a number for each column of a regression of torques. A column is a combination of those of the
// regressor Y, or a function of one joint's speed in that joint's torque alone.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "catena/identify.hpp"

namespace catena::identification {

// Functions of the speed v of a joint; w is a width. Equations: docs/equations/identification.md.
enum class Curve {
  none,            // a combination of columns of Y
  offset,          // 1
  tanh,            // tanh(v/w)
  tanh_width,      // its derivative with respect to w
  stribeck,        // sign(v) exp(-(v/w)²)
  stribeck_width,  // its derivative
  forward_viscous,
  forward,  // where v > 0: v, 1
  backward_viscous,
  backward  // where v < 0: v, -1
};
double curve_at(Curve curve, double v, double w);  // speed, width

struct Column {
  BaseParameter parameter;
  std::vector<ParameterTerm> of_Y{};
  Curve curve = Curve::none;
  std::size_t joint = 0;  // of a curve
  double width = 0.0;
  std::size_t from = 0;  // samples before do not show it

  bool known() const { return parameter.text == "known"; }  // its value is 1
};
inline BaseParameter known_parameter() { return {.terms = {}, .text = "known", .unit = {}, .nominal = 1.0}; }

// Where a joint's friction stands among θ: which of the columns are its viscous, its dry and, with the speed of the
// model, its Stribeck friction; -1: none.
struct FrictionColumns {
  int viscous = -1, dry = -1, stribeck = -1;
  bool has(std::size_t column) const {
    const int k = static_cast<int>(column);
    return k == viscous || k == dry || k == stribeck;
  }
};
FrictionColumns friction_of(const Mechanism& robot, const std::vector<Column>& columns, Coordinate joint);

// Which of them is its offset; -1: none.
int offset_column(const Mechanism& robot, const std::vector<Column>& columns, Coordinate joint);
// Which entry of θ a parameter of its drive is, by its symbol: "offset{}".
std::size_t drive_parameter(const Mechanism& robot, Coordinate joint, std::string_view symbol);

// Columns of base parameters.
std::vector<Column> columns_of(const std::vector<BaseParameter>& parameters);
// A curve of one joint: "fs2 sign(qd2) exp(-(qd2/0.05)^2)".
Column curve_column(const Mechanism& robot, Curve curve, Coordinate joint, double width = 0.0);

}  // namespace catena::identification
