"""Parameters from logs of motions and torques, in the manner of scikit-learn: fit, predict, score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from . import _catena
from ._described import DescribedRobot
from ._logs import PreparedLog
from ._progress import Progress, progress as watched
from ._types import Array, ArrayLike


class Estimate(NamedTuple):
    """A parameter with its 95 % interval; terms: the combination of the model's parameters that it stands for."""

    name: str
    unit: str
    value: float
    standard_error: float
    lower: float
    upper: float
    nominal: float
    terms: list[tuple[str, float]]


@dataclass
class Identifier:
    """Fits a robot's base parameters, friction and offsets to measured torques.

    fit(X, y): X is (samples, 3 nv), positions, speeds and accelerations side by side; y is (samples, nv), torques. Or
    fit(log): what robot.prepare_log() gave, with its gaps, its rest and its filter. predict(X) gives torques, score(X, y) the explained share of their variance, over all joints. After fit: estimates_,
    covariance_, condition_, friction_, held_, doubts_, rms_ and explained_ by joint, with physical=True parameters_, and with folds
    held_out_: rms and explained share of the parts of the log that were held out in turn.
    """

    robot: DescribedRobot
    friction: str | list[str] = field(default_factory=list)  # none, viscous, coulomb, tanh, stribeck, asymmetric, auto
    offsets: bool = False
    drives: bool = True
    weights: ArrayLike | str | None = "residual"
    period: float = 0.0  # s between samples; 0: errors are taken as independent
    cutoff: float = 0.0  # Hz, of both sides of the regression
    decimate: int = 1
    subset: bool = False
    only: list[int] = field(default_factory=list)
    physical: bool = False
    prior: float = 0.1
    prior_model: DescribedRobot | None = None  # with the values that physical=True pulls to; by default the robot's own
    mass_bounds: tuple[float, float] | None = None  # of each link's mass, as multiples of the prior's
    centre_within: float | None = None  # m, of mass centres from the prior's
    folds: int = 0  # parts of the log, each held out in turn

    def __post_init__(self) -> None:
        self.estimates_: list[Estimate]
        self.covariance_: Array
        self.condition_: float
        self.block_: Array
        self.friction_: list[str]
        self.held_: list[str]
        self.doubts_: list[str]
        self.rms_: Array
        self.explained_: Array
        self.parameters_: Array | None
        self.held_out_: Any

    def fit(self, X: ArrayLike | PreparedLog, y: ArrayLike | None = None, used: ArrayLike | None = None, *,
            progress: Progress = None) -> "Identifier":
        """From X (samples, 3 nv), in rad, rad/s, rad/s², and torques y (samples, nv), N m; or from a prepared log. used: 1 where a
        torque counts. progress: as show of catena.progress()."""
        with watched("identification", progress):
            self._fitted = _catena.identify(self.robot, self._measured(X, y, used), self._options(X), self.physical)
        found = self._fitted._result()
        self.estimates_ = [Estimate(*row) for row in found["estimates"]]
        self.covariance_, self.condition_, self.block_ = found["covariance"], found["condition"], found["block"]
        self.friction_, self.held_, self.doubts_ = found["friction"], found["held"], found["doubts"]
        best = found["physical" if self.physical else "least_squares"]
        self.rms_, self.explained_ = best["rms"], best["explained"]
        self.parameters_, self.held_out_ = found.get("parameters"), found.get("held_out")
        return self

    def predict(self, X: ArrayLike) -> Array:
        """Torques (samples, nv), N m, of the motion X (samples, 3 nv)."""
        parts = self._parts(X)
        return self._fitted._predict(*parts).reshape(-1, self.robot.nv)

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """The share of the variance of the torques y that predict(X) explains, at most 1."""
        tau = np.asarray(y, float)
        left = ((tau - self.predict(X)) ** 2).sum()
        return float(1.0 - left / ((tau - tau.mean(axis=0)) ** 2).sum())

    def validate(self, X: ArrayLike | PreparedLog, y: ArrayLike | None = None) -> dict[str, Array]:
        """rms and explained share by joint, of rows made as in fit: filtered and decimated."""
        return self._fitted._validate(self._measured(X, y, None))

    def online(self, X: ArrayLike | PreparedLog, y: ArrayLike | None = None, *, forgetting: float = np.inf) -> tuple[list[str], Array]:
        """Names of the base parameters, and their estimates after each row of the log, (samples, p), by recursive least squares.

        forgetting: the time after which a row counts 1/e, s (rows, without a period)."""
        measured = self._measured(X, y)
        period = (X.period if isinstance(X, PreparedLog) else self.period) or 1.0
        return _catena.online(self.robot, measured, self._options(X), float(np.exp(-period / forgetting)))

    def _parts(self, X: ArrayLike) -> list[Array]:
        rows = np.asarray(X, float)
        if rows.ndim != 2 or rows.shape[1] != 3 * self.robot.nv:
            raise ValueError(f"X is {rows.shape}; it has q, qd and qdd side by side: (samples, {3 * self.robot.nv})")
        return [np.ascontiguousarray(part).ravel() for part in np.hsplit(rows, 3)]

    def _measured(self, X: ArrayLike | PreparedLog, y: ArrayLike | None, used: ArrayLike | None = None) -> Any:
        period, stretches = self.period, []
        if isinstance(X, PreparedLog):
            y, used = X.tau if y is None else y, X.used if used is None else used
            X, period, stretches = np.hstack([X.q, X.qd, X.qdd]), X.period, X.stretches
        if y is None:
            raise ValueError("there are no torques")
        tau = np.asarray(y, float).ravel()
        mask = None if used is None else np.asarray(used, float).ravel()
        return _catena.measurements(self.robot, *self._parts(X), tau, period, mask, stretches)

    def _options(self, log: Any = None) -> dict[str, Any]:
        filtered = isinstance(log, PreparedLog) and self.cutoff == 0.0
        weighted = self.weights is not None and not isinstance(self.weights, str)
        return {"drives": self.drives, "offsets": self.offsets, "subset": self.subset,
                "reweight": isinstance(self.weights, str), "weights": self.weights if weighted else None,
                "cutoff": log.cutoff if filtered else self.cutoff, "decimate": log.decimation if filtered else self.decimate, "folds": self.folds, "prior": self.prior, "prior_model": self.prior_model,
                "mass_bounds": self.mass_bounds, "centre_within": self.centre_within, "only": list(self.only),
                "friction": [self.friction] if isinstance(self.friction, str) else list(self.friction)}


def identify_payload(robot: DescribedRobot, X: ArrayLike | PreparedLog, y: ArrayLike | None = None, frame: str = "", *, mass: float | None = None,
                     bounds: tuple[float, float] = (0.0, np.inf), **options: Any) -> dict[str, Any]:
    """A load fixed to a frame (default: the tool) of a robot that is as its model says: mass, com, inertia of a body that
    is physically possible, and estimates of mass and mass centre with intervals. mass: known; bounds: of the mass. X may be
    what robot.prepare_log() gave."""
    made = Identifier(robot, **options)
    with watched("identification", None):
        found = _catena.identify_payload(robot, made._measured(X, y), frame, made._options(X), mass, *bounds)
    found["estimates"] = [Estimate(*row) for row in found["estimates"]]
    return found


def identify_gains(robot: DescribedRobot, loaded: DescribedRobot, without: tuple[ArrayLike, ArrayLike] | PreparedLog,
                   with_load: tuple[ArrayLike, ArrayLike] | PreparedLog, **options: Any) -> list[Estimate]:
    """Drive gains from the currents of two runs, (X, currents) or a prepared log each: without a load, and with one that was
    weighed, which `loaded` has."""
    made = Identifier(robot, **options)
    runs = [made._measured(run, None) if isinstance(run, PreparedLog) else made._measured(*run) for run in (without, with_load)]
    rows = _catena.identify_gains(robot, loaded, *runs, made._options(without))
    return [Estimate(*row) for row in rows]
