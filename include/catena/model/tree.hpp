// Tree: the only thing the formulations read. Flat, base to tip, parent[i] < i, every joint turns or slides
// independently, every frame is normalized (docs/equations/normalization.md):
//
//   z of frame i  = the axis of joint i
//   x of frame i  ⟂ z_i and ⟂ the axis of the first child, so that R_parent_from_i = [Rot(z, γ)] Rot(x, α) Rot(z, θ)
//   origin        on the axis (revolute) or anywhere (prismatic), chosen near the parent's origin: always bounded
//
// The base frame is frame 0 (the first link's) at q = 0. Everything that does not depend on q is computed once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/math/pose.hpp"
#include "catena/math/rotation.hpp"
#include "catena/model/forces.hpp"
#include "catena/model/indices.hpp"
#include "catena/scalar/scalar.hpp"

namespace catena {

// Constants of one moving link, in its own frame i about its own origin o_i unless stated otherwise.
template <class T>
struct LinkConstants {
  int parent = base_link;
  TreeJoint q{};  // the joint that moves it: its index in the tree's q, q̇ and τ
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

  // The augmented link of Algorithm 5.5: this link and, at each child's origin, the mass of everything outward of it.
  // Exact for revolute children; the contribution of prismatic children moves and is added on line.
  T augmented_mass = T(0);     // m̄
  Vec3<T> augmented_moment{};  // u
  Sym3<T> augmented_pseudo{};  // K̂
  bool prismatic_child = false;

  int frame = 0;  // index into Tree::frames: the model's link that the joint moves

  // Which form of Ω tensor-augmented uses: from the motion before the joint adds its rate, or after. The results are
  // the same; code generation searches for the choice that gives the shorter code.
  bool early_omega = false;
};

// A user's frame: its pose on its link of the mechanism (or on the base).
template <class T>
struct FrameConstants {
  std::string name;
  int link = base_link;
  Pose<T> in_link{};  // mechanism link frame from user's frame
};

template <class T>
struct BasicTree {
  std::string name;
  std::vector<LinkConstants<T>> links;
  ByJoint<DriveConstants<T>> drives;  // the forces at the joints: model/forces.hpp
  ByJoint<std::string> joint_names;
  ByJoint<char> passive;                  // not 0 if the torque is an input of hybrid dynamics
  std::vector<FrameConstants<T>> frames;  // every link of the Robot first (same index), then its frames
  Pose<T> world_from_base{};              // the user's base link frame from the tree's base frame
  Vec3<T> gravity{};                      // in the tree's base frame
  int tool = 0;                           // index into frames
  bool has_drives = false;                // some force acts at a joint
  bool has_prismatic = false;
  bool has_passive = false;
  bool carried = false;         // the first six joints stay at zero and carry all others: the base moves
  bool flat = false;            // a regrouped all-revolute chain: see model/regroup.hpp
  bool library_sincos = false;  // the standard library's sin and cos instead of ours

  int joints() const { return static_cast<int>(links.size()); }  // as many as moving links
  AllOf<TreeJoint> all_joints() const { return AllOf<TreeJoint>(joints()); }
  LinkConstants<T>& link(int i) { return links[index(i)]; }
  const LinkConstants<T>& link(int i) const { return links[index(i)]; }
  bool is_passive(TreeJoint j) const { return has_passive && passive[j] != 0; }
  // The link that a joint moves.
  int link_of(TreeJoint joint) const {
    for (int i = 0; i < joints(); ++i)
      if (links[index(i)].q == joint) return i;
    return base_link;
  }
  int frame_index(std::string_view frame_name) const {  // -1: no such frame
    for (std::size_t k = 0; k < frames.size(); ++k)
      if (frames[k].name == frame_name) return static_cast<int>(k);
    return -1;
  }
  // The same with constants of another type.
  template <class U>
  BasicTree<U> cast_tree() const;
};
using Tree = BasicTree<double>;

// The tree in the form that an algorithm on the scalar S reads.
template <class S>
using TreeFor = BasicTree<ConstantOf<S>>;

// The number of joints between the base and the link farthest from it, including that link's own joint.
template <class T>
int longest_path(const BasicTree<T>& tree) {
  int longest = 0;
  for (int i = 0; i < tree.joints(); ++i) {
    int joints = 0;
    for (int m = i; m != base_link; m = tree.link(m).parent) ++joints;
    if (joints > longest) longest = joints;
  }
  return longest;
}

// What the forces at a joint add to its own inertia. They are part of the pivots of forward dynamics.
template <class T>
T added_inertia(const BasicTree<T>& tree, const LinkConstants<T>& link) {
  T sum(0);
  if (!tree.has_drives) return sum;
  AllForces::for_each([&](auto force) {
    if constexpr (requires { force.inertia(tree.drives[link.q]); }) sum = sum + force.inertia(tree.drives[link.q]);
  });
  return sum;
}

// The off-line half of Algorithm 5.5 (docs/equations/tensor_augmented.md, (1)), from mass, com and inertia_com of every
// link: a single link, and what a child adds to it.
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
    if (links[i].parent != base_link) augment_parent(links[i], links[static_cast<std::size_t>(links[i].parent)]);
}

template <class T>
template <class U>
BasicTree<U> BasicTree<T>::cast_tree() const {
  BasicTree<U> out;
  out.name = name;
  out.joint_names = joint_names;
  out.passive = passive;
  out.tool = tool;
  out.has_drives = has_drives;
  out.has_prismatic = has_prismatic;
  out.has_passive = has_passive;
  out.carried = carried;
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
  for (const auto& d : drives) out.drives.push_back(d.template cast<U>());
  for (const auto& f : frames)
    out.frames.push_back({f.name, f.link, {static_cast<Mat3<U>>(f.in_link.R), static_cast<Vec3<U>>(f.in_link.p)}});
  return out;
}

}  // namespace catena
