// The six joints that carry a moving base: they stay at zero, their axes meet in the origin of the base link, and only
// the last has mass. A sweep may process them in one step.
#pragma once

#include "catena/formulation/formulation.hpp"

namespace catena {

template <class T>
struct Carrier {
  Mat3<T> link_from_axes{};  // the base link's frame from the axes along which the joints first slide, then turn
  Mat3<T> link_from_base{};
  bool others_slide = false;  // some joint beyond them slides

  explicit Carrier(const BasicTree<T>& tree) : others_slide(tree.has_prismatic) {
    if (!tree.carried) return;
    others_slide = false;
    for (int i = base_joints; i < tree.joints(); ++i) others_slide = others_slide || !tree.link(i).revolute;
    Mat3<T> base_from_link = Mat3<T>::identity();
    Vec3<T> axes[base_joints];
    for (int i = 0; i < base_joints; ++i) {
      const auto& link = tree.link(i);
      if (i > 0) base_from_link = base_from_link * matrix(link.tilt, link.fixed_turn);
      axes[i] = base_from_link.column_z();
    }
    link_from_base = base_from_link.transpose();
    link_from_axes = link_from_base * Mat3<T>::from_columns(axes[0], axes[1], axes[2]);
  }
};

}  // namespace catena
