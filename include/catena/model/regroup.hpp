// Transformations Mechanism -> Mechanism that change no torque, inertia matrix or acceleration, only what they cost.
// Equations: docs/equations/regrouping.md.
#pragma once

#include "catena/model/mechanism.hpp"

namespace catena {

// Slides each origin along its axis to the point nearest the first child's origin, tip to base, so that the child's
// offset has no z component. A prismatic link's origin goes to the mass centre of its augmented link, which then has no
// first moment.
Mechanism slide_origins(const Mechanism& robot);

// Moves the inertial parameters that cannot show in any torque to the parent (the base parameters): for a revolute
// joint the rod on its axis, for a prismatic joint all of the rotational inertia. Only the augmented constants change;
// mass, com and inertia_com keep the physical values, so that every formulation still runs on the result.
Mechanism regroup(const Mechanism& robot);

// What the run-time calls compute with: slid, then regrouped, and marked `flat` when nothing but revolute joints in a
// chain is left, all of whose offsets and first moments have z = 0.
Mechanism optimize(const Mechanism& robot);

}  // namespace catena
