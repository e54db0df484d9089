// Which friction a joint has, and how it becomes columns.
#pragma once

#include "identify/solution.hpp"

namespace catena::identification {

// Kinds that are given; widths, and kinds that are `best`, by cross-validation over five parts of the log. `columns`
// are the base parameters, dry friction among them.
std::vector<ChosenFriction> choose_friction(const Mechanism& robot, const Measurements& data,
                                            const std::vector<Column>& given, const Selection& selection,
                                            const IdentificationOptions& options);
bool has_width(JointFriction kind);
// Widths of a curve that rows can tell from viscous and dry friction: one row in fifty is slower than the narrowest;
// the widest is half the joint's highest speed, of Stribeck's curve a quarter.
struct WidthRange {
  double least = 0.0, most = 0.0;
};
WidthRange widths_of(const Measurements& data, std::size_t n, std::size_t joint, JointFriction kind);

// The columns of a joint's friction, added where they are missing.
std::vector<std::size_t> friction_columns(const Mechanism& robot, std::vector<Column>& columns, Coordinate joint,
                                          const ChosenFriction& friction);
// The joint's offset where such friction has one of its own: dry friction that differs in the two directions is the
// same as an offset. -1: none.
int offset_within(const std::vector<Column>& columns, Coordinate joint, JointFriction kind);
// Its curve from the values of all columns.
FrictionCurve curve_of(const Mechanism& robot, const std::vector<Column>& columns, const std::vector<double>& values,
                       Coordinate joint, const ChosenFriction& friction);

}  // namespace catena::identification
