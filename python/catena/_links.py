"""Models link by link, and the matrices of the decoupled natural orthogonal complement."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np

from . import _catena
from ._described import DescribedRobot
from ._types import Array, ArrayLike


class Screw(NamedTuple):
    """A line and a pitch: a turn about the axis with a translation of pitch m/rad along it. An infinite pitch is a pure translation
    alone, and then the point is nan."""

    axis: Array  # (3,), unit
    point: Array  # (3,), m, on the axis
    pitch: float  # m/rad


class LinkModel(NamedTuple):
    """What one link adds to the model of the robot."""

    name: str
    mass: float  # kg
    joints: list[str] | None  # that move it, from the base outward; None, as the next four, where only screws were asked for
    places: list[int] | None  # of these joints in q, k of them
    M: Array | None  # (k, k), kg m² (kg m, kg): its part of the inertia matrix
    C: Array | None  # (k, k), by Christoffel symbols: of the Coriolis matrix
    g: Array | None  # (k,), N m (N): of the torques of gravity
    joint_screws: dict[str, Screw]  # on which unit rates of the joints move it, along the axes of the base link
    screws: list[Screw]  # the six principal screws of its inertia, in its own frame; none without a mass


def links(robot: DescribedRobot, q: ArrayLike | None = None, qd: ArrayLike | None = None, *, screws: bool = False) -> dict[str, LinkModel]:
    """What each link adds to the model at one state, by the link's name: the joints that move it, its own M, C and g, and
    screws of its joints and inertia.

    q: (nq,), rad (m), by default home; qd: (nv,), rad/s (m/s), by default 0. M, C and g of the robot are the sums of these, each
    at its joints; friction, rotors and springs belong to joints and are left out. screws: only the screws, for robots of any
    kind: closed loops, coupled joints and free bases have no models by links.
    """
    rigid = robot.stiff() if hasattr(robot, "stiff") else robot
    at, speed = rigid.home if q is None else q, np.zeros(rigid.nv) if qd is None else qd
    if screws and qd is not None:
        raise ValueError("screws do not depend on qd; leave it out")
    out = {}
    for name, mass, joints, places, M, C, g, by_joint, principal in _catena.links(robot, at, speed, not screws):
        out[name] = LinkModel(name, mass, joints, places, M, C, g, {joint: Screw(*own) for joint, own in by_joint.items()},
                              [Screw(*own) for own in principal])
    return out


def denoc(robot: DescribedRobot, q: ArrayLike | None = None, qd: ArrayLike | None = None, *, objects: str | Sequence[str] = ()) -> dict[str, Any]:
    """The matrices of the decoupled natural orthogonal complement at one state, by name: docs/equations/denoc_objects.md.

    q: (nq,), by default home; qd: (nv,), by default 0. objects: which, "p,M_tilde" or a list; by default all. N_l (6 n, 6 n),
    N_d (6 n, n), U and U_inverse (n, n) are arrays; the others are dictionaries of arrays by the number of a link, p[1], or of two,
    B[2, 1], which count from 1 as joints do. Components are along the axes of the base link, twists (angular, linear) at mass
    centres, SI units. Robots on a fixed base.
    """
    names = [name.strip() for name in objects.split(",")] if isinstance(objects, str) else list(objects)
    rigid = robot.stiff() if hasattr(robot, "stiff") else robot
    return _catena.denoc(robot, rigid.home if q is None else q, np.zeros(rigid.nv) if qd is None else qd, names)
