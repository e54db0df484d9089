// Robot constants that stay symbols in generated code: for identification, for payloads that change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/model/mechanism.hpp"
#include "catena/model/robot.hpp"
#include "catena/scalar/expr.hpp"

namespace catena {

// One number of the robot.
struct KeptParameter {
  enum class Kind {
    mass,            // of what the joint moves: the link and all that is fixed to it
    com,             // its mass centre, in the frame of the link as the user described it; `axis` 0, 1 or 2
    inertia,         // about the mass centre, along the axes of that frame; `axis`: xx, yy, zz, xy, xz, yz
    joint_position,  // moves the joint on its parent link, along `direction` (parent link frame as described)
    link_position,   // moves the link on its joint, along `direction` (child link frame as described)
    viscous,         // friction of the joint that grows with its speed
    coulomb,         // friction of the joint that has the sign of its speed
    rotor,           // inertia of the joint's rotor, on the motor's side of the gear
    gear,            // its ratio
  };
  std::string name;  // as it appears in the code: m3, a2
  Kind kind = Kind::mass;
  int link = 0;  // of the mechanism
  int axis = 0;
  int parent_frame = 0, child_frame = 0;  // frames of the mechanism: the joint's parent and child link as described
  Vec3<double> direction{};
  double nominal = 0.0;  // what the model says
  double partner = 0.0;  // rotor: the gear's ratio, gear: the rotor's inertia, as the model says
};

// Reads "mass:3,com:3,inertia:forearm,length:a2": which quantity, of which joint (its number from 1, or its name).
// length: a or d of a Denavit-Hartenberg row, or x, y, z of the joint's origin in its parent link, then the joint.
// friction:3 is viscous and Coulomb friction, rotor:3 the rotor's inertia and the gear's ratio.
// Throws std::invalid_argument with one line that says what is allowed.
std::vector<KeptParameter> parse_kept(std::string_view text, const Robot& robot, const Mechanism& mechanism);

// The mechanism with these constants replaced by symbols, one for each parameter in order.
BasicMechanism<Expr> with_symbols(const Mechanism& mechanism, const std::vector<KeptParameter>& keep,
                                  const std::vector<Expr>& symbols);

}  // namespace catena
