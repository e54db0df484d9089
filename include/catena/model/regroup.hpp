// Transformations Mechanism -> Mechanism that change no torque, inertia matrix or acceleration, only their cost.
// Equations: docs/equations/regrouping.md.
#pragma once

#include <span>

#include "catena/mechanism.hpp"

namespace catena {

// Where the origin of a revolute link is moved to along its axis.
enum class Slide {
  to_child,   // to the point nearest to the first child's origin: the child's offset then has no z component
  to_normal,  // to the foot of its common normal with the parent's axis: its own offset then has no y
};

// Slides each origin along its axis, tip to base; `slides` by link; empty: all to the child (the last link's to its
// mass centre). A prismatic link's origin moves to the mass centre of its augmented link, which then has no first
// moment. T is double, or Expr if some constants are symbols.
template <class T>
BasicMechanism<T> slide_origins(const BasicMechanism<T>& robot, std::span<const Slide> slides = {});

// Moves the inertial parameters that cannot affect any torque to the parent, which leaves the base parameters: for a
// revolute joint the rod on its axis, for a prismatic joint all rotational inertia. Only the augmented constants
// change; mass, com and inertia_com keep the physical values, so that every formulation still runs on the result.
template <class T>
BasicMechanism<T> regroup(const BasicMechanism<T>& robot);

// That step for one link.
template <class T>
void regroup_link(LinkConstants<T>& link, LinkConstants<T>& parent);

// Whether it is a chain of revolute joints with no turned link and no offset along an axis: sweeps may read it as
// `flat` once it is regrouped.
bool is_flat(const Mechanism& slid);

// What the run-time calls compute with: slid, then regrouped, and marked `flat` if it is a chain of revolute joints in
// which all offsets and first moments have z = 0.
Mechanism optimize(const Mechanism& robot);

}  // namespace catena
