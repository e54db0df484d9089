"""Trajectories, and the check of them against a robot's limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _catena
from ._described import DescribedRobot
from ._progress import Progress, progress as watched
from ._types import Array, ArrayLike, Wrenches


Profile = Literal["cycloid", "cubic", "quintic", "trapezoidal", "septic"]


class Point(NamedTuple):
    """The state of a trajectory at one or more times: (..., joints) each."""

    q: Array
    qd: Array
    qdd: Array


class Trajectory(_catena.TrajectoryCore):
    """A motion through via points, created by Robot.trajectory(). Called with times, it returns q, qd, qdd."""

    def __init__(self, core: _catena.TrajectoryCore, made_by: tuple[Any, ...]):
        super().__init__(core)
        self._made_by = made_by

    def __reduce__(self) -> Any:
        return _make, self._made_by

    def __call__(self, t: ArrayLike) -> Point:
        """q, qd, qdd at a time or at times of any shape, s. Before the start and after the end the robot is at rest."""
        times = np.asarray(t, float)
        return Point(*(values.reshape((*times.shape, self.joints)) for values in self._at(times.ravel())))

    def rates(self, t: ArrayLike) -> tuple[Array, Array, Array, Array, Array]:
        """q and its first four derivatives at a time or at times of any shape: what elastic_inverse() takes."""
        times = np.asarray(t, float)
        q, qd, qdd, jerk, snap = (values.reshape((*times.shape, self.joints)) for values in self._rates_at(times.ravel()))
        return q, qd, qdd, jerk, snap

    @property
    def peaks(self) -> tuple[Array, Array]:
        """The largest speed and acceleration of each joint, rad/s and rad/s²."""
        return self._peaks()

    def scaled(self, factor: float) -> "Trajectory":
        """The same path, taking factor times as long."""
        name, *arguments, scale = self._made_by
        return _make(name, *arguments, scale * factor)

    def __repr__(self) -> str:
        return f"<Trajectory of {self.joints} joints, {self.start:g} to {self.end:g} s>"


def _make(name: str, *arguments: Any) -> Trajectory:
    *given, scale = arguments
    core = getattr(_catena, name)(*given)
    return Trajectory(core if scale == 1.0 else core._scaled(scale), (name, *arguments))


def trajectory(robot: DescribedRobot, points: ArrayLike, times: ArrayLike | None = None, *, profile: Profile = "quintic",
               velocity: ArrayLike | None = None, acceleration: ArrayLike | None = None) -> Trajectory:
    """A trajectory through the rows of points (via, nq), at rest at both ends.

    times: of the points, s. Without them: as fast as velocity (default: the model's limits) and acceleration (rad/s²,
    which the model does not contain) allow. profile: cycloid, cubic, quintic, trapezoidal or septic.
    """
    if robot.has_free_base:
        raise ValueError(f"robot '{robot.name}' has a free base; a motion is planned for robots on a fixed one")
    if times is not None:
        if velocity is not None or acceleration is not None:
            raise ValueError("give times, or velocity and acceleration, not both")
        return _make("trajectory_through", profile, np.asarray(points, float), robot.nq, np.asarray(times, float), 1.0)
    if acceleration is None:
        raise ValueError("give the times of the points, or the acceleration that each joint may have")
    speed = robot.limits.velocity if velocity is None else np.broadcast_to(np.asarray(velocity, float), (robot.nv,))
    rates = np.broadcast_to(np.asarray(acceleration, float), (robot.nv,))
    return _make("trajectory_within", profile, np.asarray(points, float), robot.nq, np.array(speed), np.array(rates), 1.0)


class MotorMotion(NamedTuple):
    """A motion of links and motors, (..., nv) each, and its torques; those of elastic joints' links are 0."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


def elastic_inverse(robot: DescribedRobot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, jerk: ArrayLike,
                    snap: ArrayLike) -> MotorMotion:
    """The motion of motors behind elastic joints, and their torques, for a motion of the links with its first four
    derivatives, (..., links) each: feed-forward.

        motion = robot.stiff().trajectory(points, times, profile="septic")
        q, qd, qdd, tau = robot.elastic_inverse(*motion.rates(t))

    Raises ValueError if these do not determine it: a joint with elastic damping, full coupling, passive joints,
    closed loops, a base that is not fixed.
    """
    given = np.broadcast_arrays(*(np.asarray(rates, float) for rates in (q, qd, qdd, jerk, snap)))
    links = robot.nv - sum(joint["elastic"][0] > 0 for joint in robot.description["joints"])
    if given[0].ndim == 0 or given[0].shape[-1] != links:
        raise ValueError(f"the motion has the shape {given[0].shape}; robot '{robot.name}' has {links} joints of links")
    found = _catena.elastic_inverse(robot, [np.ascontiguousarray(rates).ravel() for rates in given])
    return MotorMotion(*(values.reshape((*given[0].shape[:-1], robot.nv)) for values in found))


class TimeOptimal(NamedTuple):
    """The fastest motion along a path. By points of the path: s, its speed, and the largest speed there from which the end can
    be reached; t. least: no motion within the limits is faster, to the accuracy of the points; idle: the longest run of
    intervals at no limit at all."""

    motion: Trajectory
    s: Array
    speed: Array
    most: Array
    t: Array
    least: float
    idle: int
    rounds: int


def time_optimal(robot: DescribedRobot, points: ArrayLike, *, stops: bool = False, velocity: ArrayLike | None = None,
                 acceleration: ArrayLike | None = None, jerk: ArrayLike | None = None, intervals: int = 1000) -> TimeOptimal:
    """The fastest motion through the rows of points (via, nq) that the limits of speed and effort allow, at rest at both ends.

    A spline through the points, or straight from each to the next with stops. velocity: instead of the model's limits;
    acceleration, jerk: further limits, one per joint or one for all.
    """
    def limits(given: ArrayLike | None) -> Array | None:
        return None if given is None else np.array(np.broadcast_to(np.asarray(given, float), (robot.nv,)))

    arguments = (robot, np.asarray(points, float), stops, intervals, limits(velocity), limits(acceleration), limits(jerk))
    with watched("time-optimal motion", None):
        core, *rest = _catena.time_optimal(*arguments)
    return TimeOptimal(Trajectory(core, ("time_optimal_motion", *arguments, 1.0)), *rest)


@dataclass(frozen=True)
class LimitEvent:
    """A quantity at a time: position, speed, effort or power of a joint, with its limit."""

    kind: str  # position, speed, effort or power
    joint: str
    time: float
    value: float
    limit: float

    def __str__(self) -> str:
        return f"{self.kind} of {self.joint} at {self.time:.6g} s: {self.value:.6g}, limit {self.limit:.6g}"


@dataclass(frozen=True)
class LimitReport:
    """Whether a motion respects the limits, where it first exceeds them, and how much slower (or faster) it may run."""

    respected: bool
    peaks: list[LimitEvent]
    violations: list[tuple[LimitEvent, LimitEvent]]  # where each limit is crossed, and where it is exceeded most
    outcome: Literal["found", "impossible", "unbounded"]  # unbounded: nothing limits the speed
    factor: float  # taking factor times as long, the motion just respects the limits
    slower_too: bool
    binding: LimitEvent | None  # what then reaches its limit

    def __str__(self) -> str:
        if self.respected:
            return f"all limits are respected; {self.factor:.6g} times the time would do" if self.outcome == "found" else \
                "all limits are respected"
        lines = [f"{first}; worst: {worst}" for first, worst in self.violations]
        lines.append(f"{self.factor:.6g} times the time would do" if self.outcome == "found" else "however slow, it cannot be done")
        return "\n".join(lines)


def check_limits(robot: DescribedRobot, trajectory: Trajectory, *, power: ArrayLike | None = None, total_power: float = np.inf,
                 wrenches: Wrenches | None = None, method: str = "", samples: int = 1000) -> LimitReport:
    """Checks positions, speeds and efforts against the model's limits; also power (W, per joint) and total_power."""
    found = _catena.check_limits(robot, trajectory, power, float(total_power), wrenches, method, samples)
    found["peaks"] = [LimitEvent(**event) for event in found["peaks"]]
    found["violations"] = [(LimitEvent(**first), LimitEvent(**worst)) for first, worst in found["violations"]]
    found["binding"] = None if found["binding"] is None else LimitEvent(**found["binding"])
    return LimitReport(**found)
