"""Motions to measure along, and calibration of kinematics from measured poses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Literal, Sequence

import numpy as np

from . import _catena
from ._described import DescribedRobot
from ._motion import Point
from ._progress import Progress, progress as watched
from ._types import Array, ArrayLike

if TYPE_CHECKING:
    from ._robot import Robot

Kinematics = Literal["offsets", "frames", "classic", "modified"]


class Excitation(_catena.ExcitationCore):
    """A motion from rest to rest that determines the base parameters, created by Robot.excite(). Called with times, it returns
    q, qd, qdd; it repeats after its period."""

    def __call__(self, t: ArrayLike) -> Point:
        """q, qd, qdd at a time or at times of any shape, s."""
        times = np.asarray(t, float)
        return Point(*(values.reshape((*times.shape, values.shape[-1])) for values in self._at(times.ravel())))

    def sampled(self, rate: float) -> tuple[Array, Point]:
        """Times and the motion at a controller's rate, Hz, from the first to the last moment; the period must be a whole
        number of steps."""
        steps = self.period * rate
        if abs(steps - round(steps)) > 1e-6 * steps:
            raise ValueError(f"a period of {self.period:g} s is not a whole number of steps at {rate:g} Hz")
        t = np.arange(round(steps) + 1) / rate
        return t, self(t)


def excite(robot: DescribedRobot, time: float, *, harmonics: int = 5, acceleration: ArrayLike | None = None,
           floor: float | None = None, inside: ArrayLike | None = None, outside: ArrayLike | None = None, radius: float = 0.05,
           spheres: Iterable[tuple[str, float, float, float, float]] = (), criterion: Literal["condition", "determinant"] = "condition",
           weights: ArrayLike | None = None, drives: bool = True, starts: int = 4, steps: int = 300, share: float = 0.95,
           seed: int = 1, progress: Progress = None) -> Excitation:
    """A motion of `time` seconds that determines all base parameters, within the limits of the model, at rest at both ends.

    acceleration: limits of each joint or of all, rad/s². floor: keep all links above this z of the base link, m. inside, outside:
    boxes, rows of x, y, z, X, Y, Z, that links stay in, or out of. Links are spheres of this radius along their skeleton, and
    those of `spheres`: link or frame, x, y, z, radius. criterion: condition or determinant (D-optimal). weights: 1/σ² of the
    joints' torques. drives: friction and rotors will be identified too. progress: as show of catena.progress(). Raises NoResultError if no motion was found.
    """
    def by_joint(given: ArrayLike | None) -> Array | None:
        return None if given is None else np.array(np.broadcast_to(np.asarray(given, float), (robot.nv,)))

    def boxes(given: ArrayLike | None) -> Array | None:
        return None if given is None else np.atleast_2d(np.asarray(given, float))

    options = dict(harmonics=harmonics, drives=drives, starts=starts, steps=steps, share=float(share), seed=seed,
                   criterion=criterion, acceleration=by_joint(acceleration), weights=by_joint(weights), floor=floor,
                   radius=float(radius))
    with watched("excitation", progress):
        return Excitation(_catena.excite(robot, float(time), options, boxes(inside), boxes(outside), list(spheres)))


@dataclass(frozen=True)
class Correction:
    """The correction of a kinematic parameter, with its 95 % interval."""

    name: str
    unit: str
    nominal: float
    change: float
    standard_error: float
    lower: float
    upper: float

    @property
    def value(self) -> float:
        """the corrected value"""
        return self.nominal + self.change


@dataclass(frozen=True)
class PoseErrors:
    """Root mean square and largest errors of poses, m and rad."""

    poses: int
    position: float
    worst_position: float
    orientation: float
    worst_orientation: float


class Calibrator:
    """Corrects the kinematics of a robot from measured poses of its tool.

        calibrator = catena.Calibrator(robot, parameters="modified").fit(q, positions)
        print(calibrator.corrections, calibrator.unobservable, calibrator.after.position)
        calibrator.robot_.save("calibrated.toml")

    parameters: offsets, frames, classic or modified (rows). frame: what carries the measured point; default: the tool.
    base_known: positions are in the base link's frame. tool_known: the frame itself was measured. keep: names of parameters that
    stay unchanged. outlier: poses that are off by more standard deviations than this are left out.
    """

    robot_: Robot
    corrections: list[Correction]
    placements: list[Correction]
    before: PoseErrors
    after: PoseErrors
    unobservable: dict[str, str]
    base: Array
    tool: Array
    covariance: Array
    outliers: list[int]
    position_sigma: float
    orientation_sigma: float
    condition: float

    def __init__(self, robot: DescribedRobot, *, parameters: Kinematics = "frames", frame: str = "", base_known: bool = False,
                 tool_known: bool = False, keep: Sequence[str] = (), outlier: float = 5.0):
        self.robot: DescribedRobot = robot
        self._options = _catena.calibration_options(parameters, frame, base_known, tool_known, list(keep), float(outlier))

    def fit(self, q: ArrayLike, positions: ArrayLike, rotations: ArrayLike | None = None) -> "Calibrator":
        """q (poses, nq) as the encoders showed it; positions (poses, 3), m; rotations (poses, 3, 3), device from measured body.

        Sets robot_, the corrected robot, corrections, unobservable (names, and what each acts like), base and tool (4 x 4),
        placements, covariance, outliers, before, after, position_sigma, orientation_sigma, condition.
        """
        from ._robot import _follow

        with watched("calibration", None):
            found = _catena.calibrate(self.robot, *_poses(q, positions, rotations), self._options)
        self.robot_ = _follow([("read", found["model"], "calibrated.toml", False, True)])
        self.corrections = [Correction(**entry) for entry in found["corrections"]]
        self.placements = [Correction(**entry) for entry in found["placements"]]
        self.before, self.after = PoseErrors(**found["before"]), PoseErrors(**found["after"])
        self.unobservable = found["unobservable"]
        self.base, self.tool, self.covariance = found["base"], found["tool"], found["covariance"]
        self.outliers = found["outliers"]
        self.position_sigma, self.orientation_sigma = found["position_sigma"], found["orientation_sigma"]
        self.condition = found["condition"]
        self._frame: str = found["frame"]
        return self

    def predict(self, q: ArrayLike) -> Array:
        """Poses as the device would measure them, (..., 4, 4)."""
        return self.base @ self.robot_.pose(np.asarray(q, float), frame=self._frame) @ self.tool

    def score(self, q: ArrayLike, positions: ArrayLike, rotations: ArrayLike | None = None) -> float:
        """The share of the positions' variance that is explained, at most 1; orientations do not count."""
        measured = np.asarray(positions, float)
        left = measured - self.predict(q)[..., :3, 3]
        return 1.0 - float((left**2).sum() / ((measured - measured.mean(axis=0)) ** 2).sum())

    def cross_validate(self, q: ArrayLike, positions: ArrayLike, rotations: ArrayLike | None = None, folds: int = 5) -> PoseErrors:
        """Errors of poses that are held out, every k-th of them in turn."""
        with watched("calibration", None):
            return PoseErrors(**_catena.cross_validate_calibration(self.robot, *_poses(q, positions, rotations), self._options, folds))


def _poses(q: ArrayLike, positions: ArrayLike, rotations: ArrayLike | None) -> tuple[Array, Array, Array | None]:
    return (np.asarray(q, float), np.asarray(positions, float),
            None if rotations is None else np.asarray(rotations, float).reshape(-1, 9))


def kinematic_sensitivity(robot: DescribedRobot, q: ArrayLike, parameters: Kinematics = "frames",
                          frame: str = "") -> tuple[list[str], Array]:
    """Names of the parameters (offsets, frames, classic or modified), and how the frame moves and turns with each, (6, p)."""
    return _catena.kinematic_sensitivity(robot, parameters, np.asarray(q, float), frame)
