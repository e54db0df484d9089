"""Robots as functions for other libraries: SciPy, CasADi, JAX, PyTorch. Each is imported only where it is used."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any, Callable

import numpy as np

from .. import _catena
from .._jobs import job_facts, jobs
from .._robot import Robot
from .._types import Array


def differentiable(job: str) -> tuple[str, tuple[str, ...]]:
    """The job that computes the derivatives of this one, and its outputs in input order. ValueError if there is none."""
    facts = job_facts(job)
    if "derivatives" not in facts:
        raise ValueError(f"the derivatives of '{job}' are no job; those of {', '.join(e['name'] for e in jobs() if 'derivatives' in e)} are")
    return facts["derivatives"]


def by_a_job(robot: Robot, job: str) -> bool:
    """Whether a job computes the derivatives of this one by the arrays that it takes; else dual numbers do."""
    return "derivatives" in job_facts(job) and robot.nq == robot.nv and not robot.has_moving_base


def at_rest(robot: Robot) -> Robot:
    """The robot, unchanged. Raises ValueError if its base has a prescribed motion."""
    if robot.has_moving_base:
        raise ValueError(f"robot '{robot.name}' is on a moving base, which this adapter does not support")
    return robot


def input_sizes(robot: Robot, job: str) -> list[int]:
    """The size of each input of the job."""
    return [size for _, size in robot._inputs(job)]


def along(robot: Robot, job: str, given: Any, *directions: Any, weights: Any = None, frame: str | None = None) -> list[Array]:
    """Derivatives of any job along one direction, or second ones along two: exact, on dual numbers. All arrays of a job's
    inputs have equal leading dimensions; results have them too, with their entries in a row.

    weights (..., entries of all results): the gradient of the results times these instead, by each input; with a
    direction, how that changes along it.
    """
    order = len(directions) + (weights is not None)
    arrays = [np.asarray(x, float) for x in (*given, *(x for direction in directions for x in direction), *([] if weights is None else [weights]))]
    lead = arrays[0].shape[:-1]
    rows = [np.ascontiguousarray(x.reshape(math.prod(lead), x.shape[-1])) for x in arrays]
    found = _catena.along(robot, job, order, frame or "", weights is not None, rows)
    return [x.reshape(*lead, x.shape[-1]) for x in found]


def derivatives(robot: Robot, job: str, *given: Any, frame: str | None = None, **options: Any) -> tuple[Array, ...]:
    """Derivatives of any job with respect to each argument: (..., shape of the result, size of the argument). Where a job
    has several results, their entries are in one row. A quaternion is four numbers of length 1.
    """
    if by_a_job(robot, job):
        other, names = differentiable(job)
        result = robot.evaluate(other, *given, **options)
        return tuple(getattr(result, name) for name in names)
    if options:
        raise ValueError(f"derivatives of '{job}' of robot '{robot.name}' do not take {', '.join(options)}")
    sizes, outputs = input_sizes(robot, job), robot._outputs(job)
    lead = np.broadcast_shapes(*(np.shape(x)[:-1] for x in given))
    many = (*lead, sum(sizes))
    state = [np.broadcast_to(np.asarray(x, float)[..., None, :], (*many, size)) for x, size in zip(given, sizes)]
    units = [np.broadcast_to(unit, (*many, unit.shape[-1])) for unit in np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=-1)]
    columns = np.moveaxis(np.concatenate(along(robot, job, state, units, frame=frame), axis=-1), -2, -1)
    if len(outputs) == 1:
        columns = columns.reshape(*lead, *outputs[0][1], sum(sizes))
    return tuple(np.split(columns, np.cumsum(sizes)[:-1], axis=-1))


def parameters(robot: Robot) -> Array:
    """θ of the model as an array, in the order of the columns of regressor: the values of robot.parameters()."""
    return np.array(list(robot.parameters().values()))


def payload_columns(robot: Robot, frame: str = "") -> Array:
    """How θ changes with a load at a frame (the tool), shape (np, 10): parameters(robot) + payload_columns(robot) @ load.

    load: mass, mass times centre of mass x, y, z, and inertia xx, yy, zz, xy, xz, yz about the frame's origin.
    """
    own, loads, changes = parameters(robot), [], []
    for centre in (np.zeros(3), *np.eye(3)):
        loads.append([1.0, *centre, *_steiner(centre)])
        changes.append(parameters(robot.payload(1.0, centre, frame=frame)) - own)
    for inertia in ((1, 1, 0, 0, 0, 0), (1, 0, 1, 0, 0, 0), (0, 1, 1, 0, 0, 0), (2, 2, 2, 1, 0, 0), (2, 2, 2, 0, 1, 0), (2, 2, 2, 0, 0, 1)):
        loads.append([1.0, 0.0, 0.0, 0.0, *inertia])
        changes.append(parameters(robot.payload(1.0, inertia=inertia, frame=frame)) - own)
    return np.linalg.solve(np.array(loads, float), np.array(changes)).T


def _steiner(c: Array) -> list[float]:
    """The inertia of 1 kg at c about the origin."""
    x, y, z = map(float, c)
    return [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]


def by_parameters(job: str, regressor: Callable[..., Any], einsum: Any, solve: Any, units: Callable[[Any], Any]) -> Callable[..., Any]:
    """The job as a function of θ and its arrays, by the regressor: τ = Y θ. The operations are those of an array library."""
    name = job_facts(job)["name"]

    def torques(theta: Any, q: Any, qd: Any, qdd: Any) -> Any:
        return einsum("...jk,...k->...j", regressor(q, qd, qdd), theta)

    def inertia(theta: Any, q: Any, qd: Any) -> Any:
        at = regressor(q[..., None, :], qd[..., None, :], units(qd)) - regressor(q, qd, 0 * qd)[..., None, :, :]
        return einsum("...ijk,...k->...ji", at, theta)

    def forward(theta: Any, q: Any, qd: Any, tau: Any) -> Any:
        return solve(inertia(theta, q, qd), (tau - torques(theta, q, qd, 0 * qd))[..., None])[..., 0]

    functions: dict[str, Callable[..., Any]] = {
        "inverse": torques, "forward": forward, "bias": lambda theta, q, qd: torques(theta, q, qd, 0 * qd)}
    if name not in functions:
        raise ValueError(f"'{job}' by parameters is not there; {', '.join(functions)} are")
    return functions[name]


def second_derivatives(robot: Robot, job: str, *given: Any, **options: Any) -> dict[str, Array]:
    """Second derivatives of inverse or forward dynamics, every result's: H_q_q, H_q_qd, … with shape (..., nv, nv, nv).

    The first of the three is the result, the others are the two inputs; pairs that are not there are zero. nv calls of
    the job `curvature` or `response_curvature`, in one batch.
    """
    differentiable(job)
    curvature = job_facts(job_facts(job)["curvature"])
    result = robot.evaluate(curvature["name"], *(np.asarray(x, float)[..., None, :] for x in given), np.eye(robot.nv), **options)
    return dict(zip((output["name"] for output in curvature["outputs"]), result))


class Flat:
    """A job as a function of one vector, its arguments concatenated: for least_squares, fsolve, minimize.

        fun = catena.adapters.Flat(robot, "inverse")
        scipy.optimize.least_squares(lambda x: fun(x) - wanted, x0, jac=fun.jac)
    """

    def __init__(self, robot: Robot, job: str = "inverse", **options: Any):
        self.robot: Robot = robot
        self.job: str = job_facts(job)["name"]
        self.options: dict[str, Any] = options
        self._cuts = np.cumsum(input_sizes(robot, job))

    def split(self, x: Any) -> list[Array]:
        """The arguments of the job."""
        vector = np.asarray(x, float)
        if vector.shape[-1:] != (self._cuts[-1],):
            raise ValueError(f"x has the shape {vector.shape}; '{self.job}' of robot '{self.robot.name}' takes {self._cuts[-1]} numbers")
        return np.split(vector, self._cuts[:-1], axis=-1)

    def __call__(self, x: Any) -> Array:
        result = self.robot.evaluate(self.job, *self.split(x), **self.options)
        parts = result if isinstance(result, tuple) else (result,)
        lead = np.shape(x)[:-1]
        return np.concatenate([np.reshape(part, (*lead, -1)) for part in parts], axis=-1)

    def jac(self, x: Any) -> Array:
        """The Jacobian with respect to x."""
        lead = np.shape(x)[:-1]
        found = np.concatenate(derivatives(self.robot, self.job, *self.split(x), **self.options), axis=-1)
        return found.reshape(*lead, -1, found.shape[-1])


class Ode:
    """The equations of motion for solve_ivp: y is q, then qd.

        fun = catena.adapters.Ode(robot, lambda t, q, qd: -5 * qd)
        scipy.integrate.solve_ivp(fun, (0, 1), y0, method="Radau", jac=fun.jac)

    torque: a function of t, q, qd, an array, or None. torque_jac(t, q, qd) returns its derivatives with respect to q
    and qd; without it they are taken by central differences. Those of the robot are exact.
    """

    def __init__(self, robot: Robot, torque: Any = None, torque_jac: Callable[..., Any] | None = None, **options: Any):
        if robot.nq != robot.nv:
            raise ValueError(f"robot '{robot.name}' has positions whose derivatives are not qd; use Robot.simulate()")
        self.robot: Robot = at_rest(robot)
        self.torque: Any = torque
        self.torque_jac: Callable[..., Any] | None = torque_jac
        self.options: dict[str, Any] = options

    def _tau(self, t: float, q: Array, qd: Array) -> Array:
        if callable(self.torque):
            return np.asarray(self.torque(t, q, qd), float)
        return np.zeros(self.robot.nv) if self.torque is None else np.asarray(self.torque, float)

    def _torque_slopes(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Derivatives of the torque with respect to q and qd, by central differences."""
        def slopes(at: Array, torque: Callable[[Array], Array]) -> Array:
            steps = np.diag(6e-6 * np.maximum(1.0, np.abs(at)))  # the cube root of the rounding
            return np.stack([(torque(at + h) - torque(at - h)) / (2 * h.sum()) for h in steps], axis=-1)

        return slopes(q, lambda x: self._tau(t, x, qd)), slopes(qd, lambda x: self._tau(t, q, x))

    def __call__(self, t: float, y: Any) -> Array:
        q, qd = np.split(np.asarray(y, float), 2)
        return np.concatenate([qd, self.robot.forward_dynamics(q, qd, self._tau(t, q, qd), **self.options)])

    def jac(self, t: float, y: Any) -> Array:
        q, qd = np.split(np.asarray(y, float), 2)
        by_q, by_qd, by_tau = derivatives(self.robot, "forward", q, qd, self._tau(t, q, qd), **self.options)
        if callable(self.torque):
            tau_q, tau_qd = self._torque_slopes(t, q, qd) if self.torque_jac is None else self.torque_jac(t, q, qd)
            by_q, by_qd = by_q + by_tau @ tau_q, by_qd + by_tau @ tau_qd
        n = self.robot.nv
        return np.block([[np.zeros((n, n)), np.eye(n)], [by_q, by_qd]])


def __getattr__(name: str) -> Any:
    if name in ("casadi", "jax", "torch"):  # on first use: each needs its library
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
