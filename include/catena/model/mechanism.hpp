// Mechanism: what the algorithms read. Flat, base to tip, parent[i] < i, every frame normalized
// (docs/equations/normalization.md):
//
//   z of frame i  = the axis of joint i
//   x of frame i  ⟂ z_i and ⟂ the axis of the first child, so that R_parent_from_i = [Rot(z, γ)] Rot(x, α) Rot(z, θ)
//   origin        on the axis (revolute) or anywhere (prismatic), chosen near the parent's origin: always bounded
//
// The base frame is frame 0 (the first link's) at q = 0. Everything that does not depend on q is computed once, here.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/index.hpp"
#include "catena/math/pose.hpp"
#include "catena/math/rotation.hpp"
#include "catena/model/robot.hpp"
#include "catena/scalar/scalar.hpp"

namespace catena {

inline constexpr int base = -1;

// Constants of one moving link, in its own frame i about its own origin o_i unless said otherwise.
template <class T>
struct LinkConstants {
  int parent = base;
  int q = 0;  // which entry of the user's q moves this link
  bool revolute = true;

  Tilt<T> tilt{};                         // constant factors of R_parent_from_i
  T theta = T(0);                         // revolute: θ = theta + q
  Turn<T> fixed_turn{T(1), T(0)};         // prismatic: cos θ, sin θ, constant
  Vec3<T> p_parent_to_link{};             // o_parent to o_i at q = 0, parent frame (s_i in the equations)
  Vec3<T> z_in_parent{T(0), T(0), T(1)};  // joint axis, parent frame

  T mass = T(0);
  Vec3<T> com{};          // r_ii: o_i to the mass centre
  Sym3<T> inertia_com{};  // I_C
  Sym3<T> pseudo_com{};   // Î_C = ½ tr(I_C) 1 - I_C

  // The augmented link of Algorithm 5.5: this link and, at each child's origin, the mass of all that hangs there. Exact
  // for revolute children; the share of prismatic children moves and is added on line.
  T augmented_mass = T(0);     // m̄
  Vec3<T> augmented_moment{};  // u
  Sym3<T> augmented_pseudo{};  // K̂
  bool prismatic_child = false;

  int frame = 0;  // of Mechanism::frames: the model's link that the joint moves
};

// What acts at joint q beside the rigid links.
template <class T>
struct DriveConstants {
  T viscous = T(0), coulomb = T(0), reflected_inertia = T(0);  // reflected: gear_ratio² rotor_inertia
};

// A joint of the tree where joints are coupled: q_joint = Σ factor q + offset, and all that is said of the joint
// itself.
template <class T>
struct CoupledJoint {
  struct Term {
    int coordinate = 0;  // which entry of the user's q
    T factor = T(1);
  };
  std::string name;
  std::vector<Term> terms;
  T offset = T(0);
  JointLimits limits{};
  DriveConstants<T> drive{};
};

// A user's frame: where it sits on its mechanism link (or on the base).
template <class T>
struct FrameConstants {
  std::string name;
  int link = base;
  Pose<T> in_link{};  // mechanism link frame from user's frame
};

template <class T>
struct BasicMechanism {
  std::string name;
  std::vector<LinkConstants<T>> links;
  std::vector<DriveConstants<T>> drives;  // indexed by q
  // Empty, where every joint moves by itself: then q is by joint. Otherwise by joint of the tree, which link.q is then,
  // and joint_names, limits, drives and passive are by the user's q, limits and drives as far as they can be.
  std::vector<CoupledJoint<T>> coupled;
  std::vector<FrameConstants<T>> frames;  // every link of the Robot first (same index), then its frames
  std::vector<std::string> joint_names;   // indexed by q̇, which is q unless the base is free
  std::vector<JointLimits> limits;        // likewise
  std::vector<char> passive;              // likewise: not 0 where the joint has no motor
  Pose<T> world_from_base{};              // the user's base link frame from the mechanism's base frame
  Vec3<T> gravity{};                      // mechanism base frame
  int tool = 0;                           // index into frames
  bool has_drives = false;                // some joint has friction or a rotor
  bool has_prismatic = false;
  bool has_passive = false;
  // The base moves freely: the first six joints carry it, three that slide and three that turn. They stay at zero, and
  // q starts with where the base link is instead: position and unit quaternion (dynamics/around/free_base.hpp).
  bool free_base = false;
  Pose<T> free_origin{};        // world from the frame that these positions are measured in
  bool flat = false;            // a regrouped all-revolute chain: see model/regroup.hpp
  bool library_sincos = false;  // the standard library's sin and cos instead of ours

  int n() const { return static_cast<int>(links.size()); }         // links that move, joints of the tree
  int nv() const { return static_cast<int>(joint_names.size()); }  // entries of q̇: as many, but for coupled joints
  int nq() const { return free_base ? nv() + 1 : nv(); }           // entries of q
  // Where the position of joint j stands in q; those that turn a free base have none.
  int position_of(int j) const { return !free_base || j < 3 ? j : j + 1; }
  bool is_coupled() const { return !coupled.empty(); }
  // The link that the joint of q itself moves.
  int link_of(int q) const {
    for (int i = 0; i < n(); ++i) {
      const int joint = links[index(i)].q;
      if (is_coupled() ? coupled[index(joint)].name == joint_names[index(q)] : joint == q) return i;
    }
    return base;
  }
  const JointLimits& limits_of(const LinkConstants<T>& link) const {
    return is_coupled() ? coupled[index(link.q)].limits : limits[index(link.q)];
  }
  LinkConstants<T>& link(int i) { return links[index(i)]; }
  const LinkConstants<T>& link(int i) const { return links[index(i)]; }
  bool is_passive(int q) const { return has_passive && passive[index(q)] != 0; }
  int frame_index(std::string_view frame_name) const {  // -1: no such frame
    for (std::size_t k = 0; k < frames.size(); ++k)
      if (frames[k].name == frame_name) return static_cast<int>(k);
    return -1;
  }
  template <class U>
  BasicMechanism<U> cast() const;
};

using Mechanism = BasicMechanism<double>;

// The robot as an algorithm on the scalar S reads it.
template <class S>
using MechanismFor = BasicMechanism<ConstantOf<S>>;

struct MechanismOptions {
  double snap = 1e-14;          // rotation entries closer than this to 0 or ±1 become exactly that
  bool rigid = false;           // leave friction, rotors and gears out
  bool library_sincos = false;  // the standard library's sin and cos instead of ours (scalar/sincos.hpp)
};

// Joints between the base and the link that is farthest from it, that link's own joint included.
template <class T>
int longest_path(const BasicMechanism<T>& robot) {
  int longest = 0;
  for (int i = 0; i < robot.n(); ++i) {
    int joints = 0;
    for (int m = i; m != base; m = robot.link(m).parent) ++joints;
    longest = std::max(longest, joints);
  }
  return longest;
}

// The tree alone: its joints, coupled or not, are its q.
template <class T>
BasicMechanism<T> tree_of(const BasicMechanism<T>& robot) {
  BasicMechanism<T> tree = robot;
  if (!robot.is_coupled()) return tree;
  tree.coupled.clear();
  tree.joint_names.clear(), tree.limits.clear(), tree.drives.clear();
  for (const CoupledJoint<T>& joint : robot.coupled) {
    tree.joint_names.push_back(joint.name);
    tree.limits.push_back(joint.limits);
    tree.drives.push_back(joint.drive);
  }
  tree.passive.assign(robot.coupled.size(), 0);
  tree.has_passive = false;
  return tree;
}

// Throws std::invalid_argument where joints are coupled, for those who cannot take it.
template <class T>
void require_uncoupled(const BasicMechanism<T>& robot, const char* who) {
  if (robot.is_coupled())
    throw std::invalid_argument("robot '" + robot.name + "' has coupled joints, which " + who + " do not take");
}

// The joints that a free base is carried by.
inline constexpr int free_joints = 6;

// The names of the entries of q: those of the joints, but for the quaternion of a free base.
template <class T>
std::vector<std::string> position_names(const BasicMechanism<T>& robot) {
  std::vector<std::string> names = robot.joint_names;
  if (!robot.free_base) return names;
  const std::string stem = names.front().substr(0, names.front().size() - 1);  // NAME_x
  names.insert(names.begin() + 3, stem + "qx");
  for (std::size_t k = 0; k < 3; ++k) names[4 + k] = stem + (k == 0 ? "qy" : k == 1 ? "qz" : "qw");
  return names;
}

// Throws std::invalid_argument where the base is free, for those who cannot take it.
template <class T>
void require_fixed_base(const BasicMechanism<T>& robot, const char* who) {
  if (robot.free_base)
    throw std::invalid_argument("robot '" + robot.name + "' has a free base, which " + who + " not take");
}

// Normalizes a Robot. Throws ModelError when the robot is not a tree of valid links (see validate.hpp).
Mechanism make_mechanism(const Robot& robot, const MechanismOptions& options = {});

// The off-line half of Algorithm 5.5, from mass, com and inertia_com of every link (docs/equations/tensor_augmented.md,
// (1)). Called by make_mechanism and by whoever changes a link's inertia afterwards.
void compute_augmented_links(Mechanism& mechanism);

// The same on the links alone, for any scalar: a link by itself, and what a child adds to it.
template <class T>
void start_augmented(LinkConstants<T>& link) {
  link.augmented_mass = link.mass;
  link.augmented_moment = link.mass * link.com;
  link.augmented_pseudo = link.pseudo_com + link.mass * outer(link.com);
  link.prismatic_child = false;
}
template <class T>
void augment_parent(const LinkConstants<T>& link, LinkConstants<T>& parent) {
  parent.augmented_mass += link.augmented_mass;
  parent.prismatic_child = parent.prismatic_child || !link.revolute;
  if (!link.revolute) return;
  parent.augmented_moment += link.augmented_mass * link.p_parent_to_link;
  parent.augmented_pseudo += link.augmented_mass * outer(link.p_parent_to_link);
}
template <class T>
void augment_links(std::vector<LinkConstants<T>>& links) {
  for (auto& link : links) start_augmented(link);
  for (std::size_t i = links.size(); i-- > 0;)
    if (links[i].parent != base) augment_parent(links[i], links[static_cast<std::size_t>(links[i].parent)]);
}

template <class T>
template <class U>
BasicMechanism<U> BasicMechanism<T>::cast() const {
  BasicMechanism<U> out;
  out.name = name;
  out.joint_names = joint_names;
  out.limits = limits;
  out.passive = passive;
  out.tool = tool;
  out.has_drives = has_drives;
  out.has_prismatic = has_prismatic;
  out.has_passive = has_passive;
  out.free_base = free_base;
  out.free_origin = {static_cast<Mat3<U>>(free_origin.R), static_cast<Vec3<U>>(free_origin.p)};
  out.flat = flat;
  out.library_sincos = library_sincos;
  out.gravity = static_cast<Vec3<U>>(gravity);
  out.world_from_base = {static_cast<Mat3<U>>(world_from_base.R), static_cast<Vec3<U>>(world_from_base.p)};
  for (const auto& l : links) {
    const Tilt<U> tilt{U(l.tilt.cos_alpha), U(l.tilt.sin_alpha), U(l.tilt.cos_gamma), U(l.tilt.sin_gamma),
                       l.tilt.turned};
    out.links.push_back({l.parent,
                         l.q,
                         l.revolute,
                         tilt,
                         U(l.theta),
                         {U(l.fixed_turn.c), U(l.fixed_turn.s)},
                         static_cast<Vec3<U>>(l.p_parent_to_link),
                         static_cast<Vec3<U>>(l.z_in_parent),
                         U(l.mass),
                         static_cast<Vec3<U>>(l.com),
                         static_cast<Sym3<U>>(l.inertia_com),
                         static_cast<Sym3<U>>(l.pseudo_com),
                         U(l.augmented_mass),
                         static_cast<Vec3<U>>(l.augmented_moment),
                         static_cast<Sym3<U>>(l.augmented_pseudo),
                         l.prismatic_child,
                         l.frame});
  }
  const auto drive = [](const DriveConstants<T>& d) {
    return DriveConstants<U>{U(d.viscous), U(d.coulomb), U(d.reflected_inertia)};
  };
  for (const auto& d : drives) out.drives.push_back(drive(d));
  for (const auto& joint : coupled) {
    out.coupled.push_back({joint.name, {}, U(joint.offset), joint.limits, drive(joint.drive)});
    for (const auto& term : joint.terms) out.coupled.back().terms.push_back({term.coordinate, U(term.factor)});
  }
  for (const auto& f : frames)
    out.frames.push_back({f.name, f.link, {static_cast<Mat3<U>>(f.in_link.R), static_cast<Vec3<U>>(f.in_link.p)}});
  return out;
}

}  // namespace catena
