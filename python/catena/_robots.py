"""Robots of one structure with parameters of their own: randomized, identified or learned ones, in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _catena
from ._described import DescribedRobot
from ._types import Array, ArrayLike, Engine


def parameter_rows(robot: _catena.RobotCore, theta: ArrayLike) -> Array:
    """θ as an array (..., parameters) of float64, or a ValueError."""
    rows = np.asarray(theta, float)
    names, _ = _catena.parameters(robot)
    if rows.ndim == 0 or rows.shape[-1] != len(names):
        raise ValueError(f"theta has the shape {rows.shape}; robot '{robot.name}' has {len(names)} parameters: (..., {len(names)})")
    return rows


class Robots(DescribedRobot):
    """Many robots that differ only in their parameters, from Robot.with_parameters(theta).

    Every job is a method, as of a Robot; the leading dimensions of theta are broadcast with those of the states:

        robots = robot.with_parameters(theta)               # theta (100, parameters)
        tau = robots.inverse_dynamics(q, qd, qdd)           # q (100, 7): a state each; or (5000, 1, 7): each in all

    Jobs run code that is compiled once for the structure, states side by side; EngineWarning where there is none.
    """

    def __init__(self, robot: Any, theta: ArrayLike):
        rows = parameter_rows(robot, theta)
        super().__init__(_catena.many_robots(robot))
        self._robot, self._theta = robot, rows
        columns = _catena.constants_of_all(self, np.ascontiguousarray(rows).ravel())
        self._constants = self._shaped(columns)
        _catena.take_constants(self, self._constants, self._shaped(columns.astype(np.float32)))

    def _shaped(self, columns: Array) -> Array:
        robots = int(np.prod(self.shape))
        return np.moveaxis(columns[:, :robots].reshape(len(columns), *self.shape), 0, -1)

    @property
    def shape(self) -> tuple[int, ...]:
        """the leading dimensions of theta"""
        return self._theta.shape[:-1]

    @property
    def theta(self) -> Array:
        """the parameters, shape (*shape, parameters), in the order of Robot.parameters()"""
        return self._theta

    @property
    def constants(self) -> Array:
        """what generated code and kernels for the structure take of each robot, shape (*shape, constants)"""
        return self._constants

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, at: Any) -> Any:
        """One of the robots, a Robot, or some of them."""
        return self._robot.with_parameters(self._theta[at])

    def __reduce__(self) -> Any:
        return Robots, (self._robot, self._theta)

    def __copy__(self) -> "Robots":
        return self

    def __deepcopy__(self, memo: Any) -> "Robots":
        return self

    def __repr__(self) -> str:
        return f"{self.name}: robots {self.shape} of one structure, nq {self.nq}, nv {self.nv}, {self._theta.shape[-1]} parameters each"

    def engine_of(self, job: str, *, method: str = "", frame: str = "", engine: str = "compiled", dtype: Any = float) -> Engine:
        """What computes the job, as Robot.engine_of()."""
        make = _catena.engine_of_float if np.dtype(dtype) == np.float32 else _catena.engine_of
        return Engine(**make(self, job, method, frame, engine))
