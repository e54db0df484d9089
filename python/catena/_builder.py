"""Builder: a robot made in code."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal, Mapping, Sequence

import numpy as np

from ._types import ArrayLike

if TYPE_CHECKING:
    from ._robot import Robot

JointType = Literal["revolute", "prismatic", "fixed"]
LoopType = Literal["revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "fixed"]


class Builder:
    """Builds a robot in code, link by link: the first link is the base.

        b = catena.Builder("pendulum")
        b.link("base")
        b.link("rod", mass=1.0, com=(0, 0, -0.5))
        b.joint("hinge", "revolute", "base", "rod", axis=(0, 1, 0))
        robot = b.robot()
    """

    def __init__(self, name: str = "robot", gravity: ArrayLike = (0.0, 0.0, -9.81), tool: str = ""):
        self._parts: dict[str, Any] = dict(name=name, gravity=tuple(float(g) for g in np.ravel(gravity)), tool=tool, links=[],
                                           joints=[], frames=[], loops=[], independent=[], start={})

    def link(self, name: str, mass: float = 0.0, com: ArrayLike = (0, 0, 0), inertia: ArrayLike = (0, 0, 0, 0, 0, 0)) -> "Builder":
        """mass kg; com m, in the link's frame; inertia about com: xx, yy, zz, xy, xz, yz or 3 x 3, kg m²."""
        values = np.asarray(inertia, float)
        if values.shape == (3, 3):
            values = values[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
        self._parts["links"].append(dict(name=name, mass=float(mass), com=tuple(map(float, np.ravel(com))),
                                         inertia=tuple(map(float, values))))
        return self

    def joint(self, name: str, type: JointType, parent: str, child: str, origin: ArrayLike | None = None, axis: ArrayLike = (0, 0, 1),
              lower: float = -np.inf, upper: float = np.inf, velocity: float = np.inf, effort: float = np.inf,
              viscous: float = 0.0, coulomb: float = 0.0, rotor_inertia: float = 0.0, gear_ratio: float = 1.0,
              passive: bool = False, child_frame: ArrayLike | None = None, spring: float = 0.0, spring_rest: float = 0.0,
              torque_offset: float = 0.0, stribeck: float = 0.0, stribeck_speed: float = 0.0,
              elastic_stiffness: float = 0.0, elastic_damping: float = 0.0, elastic_full: bool = False) -> "Builder":
        """type: revolute, prismatic or fixed. The child's frame in the parent's: origin · motion(axis, q) · child_frame, the
        first and the last 4 x 4; axis in the joint's frame. Limits and drive in SI units, as in the model. With an
        elastic_stiffness the motor has a coordinate of its own, after those of all joints."""
        self._parts["joints"].append(dict(
            name=name, type=type, parent=parent, child=child, origin=_pose(origin), axis=tuple(map(float, np.ravel(axis))),
            child_frame=_pose(child_frame), limits=(lower, upper, velocity, effort), drive=(viscous, coulomb, rotor_inertia, gear_ratio),
            spring=(spring, spring_rest), torque_offset=float(torque_offset), stribeck=(stribeck, stribeck_speed),
            elastic=(elastic_stiffness, elastic_damping, float(elastic_full)), passive=passive))
        return self

    def frame(self, name: str, link: str, pose: ArrayLike | None = None) -> "Builder":
        """A named frame fixed to a link; pose 4 x 4, the link's frame from this one."""
        self._parts["frames"].append(dict(name=name, link=link, pose=_pose(pose)))
        return self

    def loop(self, name: str, type: LoopType, first: str, second: str) -> "Builder":
        """Closes a loop between two frames or links. type: how the second may move relative to the first, whose z is the axis:
        revolute, prismatic, cylindrical, universal, spherical, planar or fixed."""
        self._parts["loops"].append(dict(name=name, type=type, frames=(first, second)))
        return self

    def closed_near(self, start: Mapping[str, float], independent: Sequence[str] = ()) -> "Builder":
        """Where the search for joints in loops starts, rad or m; and which of them belong to q (by default they are chosen)."""
        self._parts["start"].update({joint: float(position) for joint, position in start.items()})
        self._parts["independent"].extend(independent)
        return self

    def robot(self) -> Robot:
        """The robot as built so far. Raises ModelError with one line per problem."""
        from ._robot import _follow

        return _follow([("build", deepcopy(self._parts))])


def _pose(given: ArrayLike | None) -> tuple[float, ...]:
    pose = np.eye(4) if given is None else np.asarray(given, float)
    if pose.shape != (4, 4):
        raise ValueError(f"a pose is a 4 x 4 array, not one of shape {pose.shape}")
    return tuple(pose[:3].ravel())
