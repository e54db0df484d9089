// How a sweep reads a link. One text of an algorithm serves both: on a robot that optimize() found flat, the entries
// known to be zero are not read and the questions with one answer are not asked.
#pragma once

#include "catena/dynamics/formulation.hpp"

namespace catena {

struct AnyTree {
  static constexpr bool chain = false;
  template <class T>
  static constexpr int parent(const BasicMechanism<T>& robot, int i) {
    return robot.link(i).parent;
  }
  template <class T>
  static constexpr const Tilt<T>& tilt(const LinkConstants<T>& link) {
    return link.tilt;
  }
  template <class T>
  static constexpr bool revolute(const LinkConstants<T>& link) {
    return link.revolute;
  }
  template <class T>
  static constexpr bool variable(const LinkConstants<T>& link) {
    return link.prismatic_child;
  }
  template <class T>
  static constexpr bool omega_before_joint(const LinkConstants<T>& link) {
    return link.omega_before_joint;
  }
  template <class T, class S>
  static constexpr Vec3<S> offset(const LinkConstants<T>& link, std::span<const S> q) {
    return joint_offset(link, q[index(link.q)]);
  }
  template <class T>
  static constexpr const Vec3<T>& moment(const LinkConstants<T>& link) {
    return link.augmented_moment;
  }
  template <class T>
  static constexpr const Sym3<T>& pseudo(const LinkConstants<T>& link) {
    return link.augmented_pseudo;
  }
};

// A chain of any links: what one link leaves for the next need not be stored.
struct AnyChain : AnyTree {
  static constexpr bool chain = true;
  template <class T>
  static constexpr int parent(const BasicMechanism<T>&, int i) {
    return i - 1;
  }
  template <class T>
  static constexpr PlainTilt<T> tilt(const LinkConstants<T>& link) {
    return {link.tilt.cos_alpha, link.tilt.sin_alpha};
  }
};

struct FlatChain {
  static constexpr bool chain = true;  // the parent of link i is link i - 1
  template <class T>
  static constexpr int parent(const BasicMechanism<T>&, int i) {
    return i - 1;
  }
  template <class T>
  static constexpr PlainTilt<T> tilt(const LinkConstants<T>& link) {
    return {link.tilt.cos_alpha, link.tilt.sin_alpha};
  }
  template <class T>
  static constexpr bool revolute(const LinkConstants<T>&) {
    return true;
  }
  template <class T>
  static constexpr bool variable(const LinkConstants<T>&) {
    return false;
  }
  template <class T>
  static constexpr bool omega_before_joint(const LinkConstants<T>&) {
    return false;
  }
  template <class T, class S>
  static constexpr FlatVec3<T> offset(const LinkConstants<T>& link, std::span<const S>) {
    return {link.p_parent_to_link.x, link.p_parent_to_link.y};
  }
  template <class T>
  static constexpr FlatVec3<T> moment(const LinkConstants<T>& link) {
    return {link.augmented_moment.x, link.augmented_moment.y};
  }
  template <class T>
  static constexpr FlatSym3<T> pseudo(const LinkConstants<T>& link) {
    const Sym3<T>& K = link.augmented_pseudo;
    return {K.xx, K.yy, K.xy, K.xz, K.yz};
  }
};

// The parent of every link is the link before, and no link is turned.
template <class T>
bool is_chain(const BasicMechanism<T>& robot) {
  for (int i = 0; i < robot.n(); ++i)
    if (robot.link(i).parent != i - 1 || robot.link(i).tilt.turned) return false;
  return true;
}

}  // namespace catena
