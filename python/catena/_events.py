"""What happens during a simulation: events, parts that come and go, wrenches and motions of the base."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Iterable, Literal, Mapping, NamedTuple, Union

import numpy as np

from ._described import DescribedRobot
from ._types import Array, ArrayLike, Wrench

if TYPE_CHECKING:
    from ._robot import Robot
    from ._simulation import Torque

TorqueFunction = Callable[[float, Array, Array], ArrayLike]
# On a frame: six numbers, rows of seven with a time first, or a function of t, q, qd.
RunWrench = Union[ArrayLike, TorqueFunction]
BaseMotion = Union[ArrayLike, Callable[[float], ArrayLike]]


class Attach(NamedTuple):
    """A part, or a whole robot, that an event attaches to a frame of the robot (its tool), by a joint without a motor."""

    robot: "Robot"
    frame: str = ""
    name: str = ""  # to detach it by, and a prefix of its links and joints; by default the robot's name, without a prefix
    type: str = "fixed"  # of the joint: fixed, revolute or prismatic
    axis: ArrayLike = (0, 0, 1)
    origin: ArrayLike | None = None  # 4 x 4, of the joint in the frame
    moving: ArrayLike = (0, 0, 0, 0, 0, 0)  # v and w of the part before, m/s and rad/s along the axes of the base


class Close(NamedTuple):
    """A loop that an event closes between two frames that meet."""

    first: str
    second: str
    type: str = "fixed"  # as in Builder.loop
    name: str = "loop"


class Change(NamedTuple):
    """What an event did that changed the robot: energies in J, momenta M q̇ by joint."""

    t: float
    what: str
    kinetic_before: float
    kinetic_of_part: float  # that a part added or took away
    kinetic_after: float
    lost: float  # in the impact
    potential_of_part: float
    momentum: Array  # after the change
    momentum_before: Array  # of robot and part before it, at the same joints


@dataclass(frozen=True)
class Event:
    """Something that happens during a simulation, and its effect: it is only recorded, unless an effect is given.

    Created by one of the class methods. stop: ends the run. torque: switches to another law. robot: replaces the robot
    by one with the same joints (a payload gripped or dropped). direction: +1 only while rising, -1 only while
    falling.
    These change the joints, once, at the first time: attach: an Attach. detach: what was attached, by its name. close: a
    Close. open: a loop, by its name. set_mass: {link: kg}; its inertia keeps its shape.
    """

    kind: Literal["time", "position", "speed", "frame", "function"]
    value: float = 0.0
    joint: str = ""
    frame: str = ""
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    function: Callable[[float, Array, Array], float] | None = None
    name: str | None = None
    direction: int | None = None
    stop: bool = False
    torque: "Torque | None" = None
    robot: DescribedRobot | None = None
    options: dict[str, Any] = field(default_factory=dict)  # of the torque: target, trajectory, kp, kd
    attach: Attach | None = None
    detach: str | None = None
    close: Close | None = None
    open: str | None = None
    set_mass: Mapping[str, float] | None = None

    @property
    def changes(self) -> bool:
        """whether it changes which joints there are, or a mass"""
        return any(own is not None for own in (self.attach, self.detach, self.close, self.open, self.set_mass))

    @classmethod
    def at_time(cls, t: float, **effect: Any) -> "Event":
        """At a time, s."""
        return cls("time", t, **effect)

    @classmethod
    def at_position(cls, joint: str, value: float, **effect: Any) -> "Event":
        """Where a joint passes a position, rad or m."""
        return cls("position", value, joint, **effect)

    @classmethod
    def at_speed(cls, joint: str, value: float, **effect: Any) -> "Event":
        """Where a joint passes a speed, rad/s or m/s."""
        return cls("speed", value, joint, **effect)

    @classmethod
    def frame_enters(cls, frame: str, normal: tuple[float, float, float], offset: float, **effect: Any) -> "Event":
        """Where the origin of a frame reaches normal · p = offset (m, base link) from below."""
        return cls("frame", offset, frame=frame, normal=normal, **effect)

    @classmethod
    def where(cls, function: Callable[[float, Array, Array], float], **effect: Any) -> "Event":
        """Where a function of t, q, qd is zero."""
        return cls("function", function=function, name=effect.pop("name", getattr(function, "__name__", "event")), **effect)


def attached(robot: DescribedRobot, given: Attach) -> dict[str, Any]:
    from ._builder import Builder

    name = given.name or given.robot.name
    joint = Builder().joint(f"{name}_joint", given.type, "", "", given.origin, given.axis)._parts["joints"][0]
    return dict(robot=given.robot, frame=given.frame or robot.tool, name=name, prefix=f"{name}_" if given.name else "", joint=joint, moving=given.moving)


def run_wrenches(given: Mapping[str, RunWrench] | Iterable[Wrench] | None) -> list[tuple[str, str, Any, bool]]:
    """Frame, kind, values and whether they are along the axes of the base."""
    if given is None:
        return []
    all_of_them: list[Any] = [(frame, values, "frame") for frame, values in given.items()] if isinstance(given, Mapping) else list(given)
    out = []
    for frame, values, axes in all_of_them:
        if axes not in ("frame", "world"):
            raise ValueError(f"axes of a wrench are 'frame' or 'world', not '{axes}'")
        kind = "function" if callable(values) else "table" if np.ndim(values) == 2 else "constant"
        out.append((frame, kind, values, axes == "world"))
    return out


def base_motion(robot: DescribedRobot, given: BaseMotion | None, times: Array) -> dict[str, Any]:
    if given is None:
        return {}
    if not robot.has_moving_base:
        raise ValueError(f"robot '{robot.name}' is not on a moving base and takes no motion of it; on_moving_base() gives one")
    if callable(given):
        return {"function": given}
    values = np.asarray(given, float)
    if values.shape in ((6,), (12,)):
        return {"twist": np.concatenate([values, np.zeros(12 - values.size)])}
    if values.ndim != 2 or values.shape[1] not in (7, 13) or not len(values):
        raise ValueError(f"base has the shape {values.shape}; it takes a twist (6,), with its rates (12,), or rows (k, 7) or (k, 13) with a time first")
    if times.size and not values[0, 0] <= times[0] <= times[-1] <= values[-1, 0]:
        raise ValueError(f"the table of the base goes from t = {values[0, 0]:g} to {values[-1, 0]:g} s, the run from {times[0]:g} to {times[-1]:g} s")
    return {"table": values, "rates": values.shape[1] == 13}
