"""Type aliases, named tuples and warnings."""

from __future__ import annotations

from typing import Any, Iterable, Literal, Mapping, NamedTuple, Sequence, Union

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating[Any]]
ArrayLike = npt.ArrayLike
Numbers = Union[npt.NDArray[Any], float, Sequence[float], Sequence[Sequence[float]], Sequence[npt.NDArray[Any]]]  # without text
EngineName = Literal["generic", "compiled", "auto"]


class Wrench(NamedTuple):
    """A force and a moment that the environment exerts on a frame, at its origin: fx, fy, fz (N), mx, my, mz (N m)."""

    frame: str
    values: ArrayLike
    axes: Literal["frame", "world"] = "frame"  # along the frame's own axes, or "world": those of the base link


Wrenches = Union[Mapping[str, ArrayLike], Iterable[Wrench]]


class NoResultWarning(RuntimeWarning):
    """Some states of a batch have no result: a number is not finite, or the inertia matrix is singular."""


class UnitsWarning(UserWarning):
    """Positions far beyond the limits of a revolute joint: degrees instead of radians?"""


class EngineWarning(RuntimeWarning):
    """engine="compiled" was requested, but the generic engine ran."""


class ModelWarning(UserWarning):
    """A model was read, and something in it is doubtful or was not used."""


class Engine(NamedTuple):
    """Who computes a job over a batch of states."""

    engine: Literal["generic", "compiled"]
    method: str  # the formulation
    lanes: int  # states computed at once
    why: str  # why it is not compiled although it was asked for; else empty


class Limits(NamedTuple):
    """The limits in the model, one number per joint; infinite where there is none."""

    lower: Array  # rad (m for a prismatic joint)
    upper: Array
    velocity: Array  # rad/s (m/s)
    effort: Array  # N m (N)
