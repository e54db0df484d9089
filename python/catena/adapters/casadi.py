"""Inverse and forward dynamics as CasADi functions, with Catena's own derivatives.

    tau = catena.adapters.casadi.inverse_dynamics(robot)        # keep it alive while CasADi uses it
    x = casadi.MX.sym("x", robot.nq); casadi.jacobian(tau(x, qd, qdd), x)
"""

from __future__ import annotations

from typing import Any

import casadi
import numpy as np

from .._jobs import job_facts
from .._robot import Robot
from . import derivatives, input_sizes


class _Jacobian(casadi.Callback):
    """The Jacobian that CasADi asks for: derivatives of the result by each input, given the inputs and the result."""

    def __init__(self, name: str, job: "_Job", options: Any):
        casadi.Callback.__init__(self)
        self._job = job
        self.construct(name, options)

    def get_n_in(self) -> int:
        return len(self._job.sizes) + 1

    def get_n_out(self) -> int:
        return len(self._job.sizes)

    def get_sparsity_in(self, k: int) -> casadi.Sparsity:
        return casadi.Sparsity.dense(self._job.sizes[k] if k < len(self._job.sizes) else self._job.robot.nv, 1)

    def get_sparsity_out(self, k: int) -> casadi.Sparsity:
        return casadi.Sparsity.dense(self._job.robot.nv, self._job.sizes[k])

    def eval(self, given: Any) -> Any:
        arrays = [np.array(x, float).ravel() for x in given[:-1]]
        return [casadi.DM(d) for d in derivatives(self._job.robot, self._job.job, *arrays)]


class _Job(casadi.Callback):
    def __init__(self, name: str, robot: Robot, job: str):
        casadi.Callback.__init__(self)
        self.robot, self.job, self.sizes = robot, job, input_sizes(robot, job)
        self._names = [entry["name"] for entry in job_facts(job)["inputs"]]
        self._result = job_facts(job)["outputs"][0]["name"]
        self._jacobian: Any = None
        self.construct(name, {})

    def get_n_in(self) -> int:
        return len(self.sizes)

    def get_n_out(self) -> int:
        return 1

    def get_name_in(self, k: int) -> str:
        return self._names[k]

    def get_name_out(self, k: int) -> str:
        return self._result

    def get_sparsity_in(self, k: int) -> casadi.Sparsity:
        return casadi.Sparsity.dense(self.sizes[k], 1)

    def get_sparsity_out(self, k: int) -> casadi.Sparsity:
        return casadi.Sparsity.dense(self.robot.nv, 1)

    def eval(self, given: Any) -> Any:
        return [casadi.DM(self.robot.evaluate(self.job, *(np.array(x, float).ravel() for x in given)))]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, inames: Any, onames: Any, options: Any) -> casadi.Callback:
        self._jacobian = _Jacobian(name, self, options)
        return self._jacobian


def inverse_dynamics(robot: Robot, name: str = "inverse_dynamics") -> casadi.Callback:
    """A CasADi function of q, qd, qdd that gives tau."""
    return _Job(name, robot, "inverse")


def forward_dynamics(robot: Robot, name: str = "forward_dynamics") -> casadi.Callback:
    """A CasADi function of q, qd, tau that gives qdd."""
    return _Job(name, robot, "forward")
