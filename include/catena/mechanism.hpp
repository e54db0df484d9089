// Mechanism: a Robot prepared for computing. It holds the tree, which formulations read, and the coordinates, which
// users see.
#pragma once

#include <compare>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/model/coordinates.hpp"
#include "catena/model/tree.hpp"
#include "catena/robot.hpp"
#include "catena/wrenches.hpp"

namespace catena {

// Where a wrench of the environment acts, if its six numbers come with every state.
struct WrenchPlace {
  int frame = 0;  // index into Tree::frames
  Axes axes = Axes::frame;
  auto operator<=>(const WrenchPlace&) const = default;
};

template <class T>
struct BasicMechanism : BasicTree<T> {
  BasicCoordinates<T> coordinates;
  // What is an input of jobs beside the state.
  std::vector<WrenchPlace> wrenches{};  // of the jobs that feel wrenches: with_wrenches()
  bool varied = false;                  // constants of links and of forces at joints: model/varied.hpp

  int nv() const { return coordinates.nv(); }  // entries of q̇ and τ
  int nq() const { return coordinates.nq(); }  // entries of q
  bool is_coupled() const { return coordinates.is_coupled(); }
  const std::string& name_of(Coordinate c) const { return this->joint_names[coordinates.joints[c]]; }
  const JointLimits& limits(Coordinate c) const { return coordinates.limits[c]; }
  bool is_passive(Coordinate c) const { return BasicTree<T>::is_passive(coordinates.joints[c]); }
  using BasicTree<T>::is_passive;
  using BasicTree<T>::link_of;
  // The link that is moved by a coordinate's own joint.
  int link_of(Coordinate c) const { return BasicTree<T>::link_of(coordinates.joints[c]); }
  const BasicTree<T>& tree() const { return *this; }

  template <class U>
  BasicMechanism<U> cast() const {
    return {this->template cast_tree<U>(), coordinates.template cast<U>(), wrenches, varied};
  }
};

using Mechanism = BasicMechanism<double>;

// The robot in the form that an algorithm on the scalar S reads.
template <class S>
using MechanismFor = BasicMechanism<ConstantOf<S>>;

struct MechanismOptions {
  double snap = 1e-14;          // rotation entries closer than this to 0 or ±1 are rounded to it
  bool rigid = false;           // leave friction, rotors, gears and springs out, those of elastic joints too
  bool stiff = false;           // elastic joints without elasticity: their rotors turn with the links
  bool library_sincos = false;  // the standard library's sin and cos instead of ours (scalar/sincos.hpp)
};

// Normalizes a Robot. Motors of elastic joints have coordinates behind all others (elastic.hpp). Throws ModelError if
// the robot is not a tree of valid links (see validate.hpp).
Mechanism make_mechanism(const Robot& robot, const MechanismOptions& options = {});

// The robot on a base with a prescribed motion: v, ω, v̇, ω̇ of the base link are inputs in every state. Throws
// std::invalid_argument if the base is free or already moving.
Mechanism on_moving_base(const Mechanism& robot);

// The robot on which wrenches act at these places: their numbers, force and moment of one after the other, are an input
// of the jobs that feel them. Throws std::invalid_argument if a frame does not exist.
Mechanism with_wrenches(const Mechanism& robot, std::vector<WrenchPlace> places);

// The robot whose q has every joint of its closed loops, as encoders or Placement give them, so that nothing is solved
// for; all else has nv entries as before. Generated code takes q like this. The robot itself if it has no loops.
Mechanism with_all_positions(const Mechanism& robot);

// The names of the coordinates, and of the entries of q, which differ only in the quaternion of a free base.
std::vector<std::string> coordinate_names(const Mechanism& robot);
std::vector<std::string> position_names(const Mechanism& robot);
// The names of the joints of the tree, without those that carry a base that is not fixed: what job 'place' gives.
std::vector<std::string> tree_joint_names(const Mechanism& robot);

// Calls augment_links() for its links. Call it after changing a link's inertia; make_mechanism has already done so.
void compute_augmented_links(Mechanism& mechanism);

// The forces at the tree's joints that act on only one coordinate, by coordinate: forces at a joint that follows one
// coordinate act on that coordinate as its own do. Stribeck friction of several joints is exact at rest; its speed is
// a mean of theirs.
ByCoordinate<DriveConstants<double>> drives_by_coordinate(const Mechanism& robot);

// Throw std::invalid_argument, for callers that cannot handle them: coupled joints and closed loops; a base that is not
// fixed.
template <class T>
void require_uncoupled(const BasicMechanism<T>& robot, const char* who) {
  if (robot.coordinates.is_closed())
    throw std::invalid_argument("robot '" + robot.name + "' has closed loops, which " + who + " do not support");
  if (robot.is_coupled())
    throw std::invalid_argument("robot '" + robot.name + "' has coupled joints, which " + who + " do not support");
}
template <class T>
void require_fixed_base(const BasicMechanism<T>& robot, const char* who) {
  if (robot.coordinates.base != BaseKind::fixed)
    throw std::invalid_argument("robot '" + robot.name + "' has a " +
                                (robot.coordinates.is_free() ? "free" : "moving") + " base, which " + who +
                                " not support");
}

}  // namespace catena
