"""Beyond single jobs: several in one pass, the inertia at a frame, motors in closed loops, changes of parameters."""

from __future__ import annotations

import warnings
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

import numpy as np

from . import _catena
from ._described import DescribedRobot
from ._jobs import job_facts
from ._types import Array, ArrayLike, NoResultWarning, Wrenches

Failures = tuple[int, int, str]  # how many, the first, why that one


def report(failures: Failures, lead: tuple[int, ...], what: str = "states") -> None:
    """Says what has no result, as jobs do: one state raises, some of many are a warning."""
    failed, first, why = failures
    if failed == 0:
        return
    if not lead:
        raise _catena.NoResultError(why)
    where = ", ".join(map(str, np.unravel_index(first, lead)))
    warnings.warn(f"{failed} of {int(np.prod(lead))} {what} have no result and are marked by nan, the first at [{where}]: {why}",
                  NoResultWarning, stacklevel=3)


def rows(**given: tuple[ArrayLike, int]) -> tuple[tuple[int, ...], dict[str, Array]]:
    """The common leading dimensions, and arrays (states, entries) by name; given: array and entries of each."""
    arrays = {}
    for name, (values, size) in given.items():
        arrays[name] = np.asarray(values, float)
        if arrays[name].shape[-1:] != (size,):
            raise ValueError(f"{name} has the shape {arrays[name].shape}; it takes (..., {size})")
    lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    return lead, {name: np.broadcast_to(array, (*lead, array.shape[-1])).reshape(-1, array.shape[-1]) for name, array in arrays.items()}


def run(robot: DescribedRobot, jobs: str | Sequence[str], q: ArrayLike | None = None, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, *,
        tau: ArrayLike | None = None, lam: ArrayLike | None = None, qd_r: ArrayLike | None = None, base: ArrayLike | None = None,
        frame: str = "", method: str | Mapping[str, str] = "", wrenches: Wrenches | None = None, threads: int | None = None,
        engine: str = "generic") -> dict[str, Any]:
    """Several jobs in one pass over the states, by their names: {job: what its method returns}.

    jobs: "inverse,inertia" or a list; see jobs(). q, qd, qdd, tau, lam, qd_r: (..., n) as the jobs take them, broadcast; those
    that are left out are 0, q home. base: (..., 12), for a robot on a moving base. method: the formulation, for all of them or
    {job: name}. frame, wrenches, threads, engine: as for one job; wrenches are the same in all states.
    """
    asked = [name.strip() for name in jobs.split(",")] if isinstance(jobs, str) else list(jobs)
    if not asked:
        raise ValueError("jobs names none")
    names = {str(job_facts(name)["name"]): name for name in asked}
    if len(names) < len(asked):
        raise ValueError("jobs names one twice")
    given: dict[str, Any] = {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "lam": lam, "qd_r": qd_r, "base": base}
    taken = {name: size for job in asked for name, size in robot._inputs(job)}
    for name, values in given.items():
        if values is not None and name not in taken:
            raise ValueError(f"none of {', '.join(asked)} takes {name}")
    zeros = {name: robot.home if name == "q" else np.zeros(size) for name, size in taken.items()}
    lead, arrays = rows(**{name: (zeros[name] if given.get(name) is None else given[name], size) for name, size in taken.items()})
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    methods = [method if isinstance(method, str) else method.get(name, "") for name in asked]
    outputs, failures = _catena.run(robot, asked, methods, arrays, frame, wrenches, threads or 0, engine)
    report(failures, lead)
    found: dict[str, list[Any]] = {name: [] for name in asked}
    for job, _, array, sides, *shape in outputs:
        found[names[job]].append(array.reshape((*lead, *(shape if sides == 2 else [shape[0] * shape[1]] if sides else [])))[()])
    kinds: dict[str, Any] = {name: _catena.result_type(name) for name in asked}
    return {name: values[0] if kinds[name] is None else kinds[name](*values) for name, values in found.items()}


def operational_inertia(robot: DescribedRobot, q: ArrayLike, frame: str = "", *, translation: bool = False) -> Array:
    """The inertia felt at a frame (the tool), Λ = (J M⁻¹ Jᵀ)⁻¹, along the axes of the base link: (..., 6, 6), translation first, or
    with translation=True (..., 3, 3), kg, kg m and kg m². q: (..., nq). There is none where the frame cannot be accelerated in
    all directions."""
    lead, arrays = rows(q=(q, robot.nq))
    found: Array
    found, failures = _catena.operational_inertia(robot, arrays["q"], frame, translation)
    report(failures, lead)
    return found.reshape(*lead, *found.shape[1:])


def coriolis_coefficients(robot: DescribedRobot, q: ArrayLike) -> Array:
    """The coefficients of the products of rates, (..., nv, nv, nv), in SI units: [..., i, j, k] of q̇_j q̇_k in torque i, the Christoffel
    symbols of M. q: (..., nq)."""
    C: Array = robot.evaluate("coriolis", np.asarray(q, float)[..., None, :], np.eye(robot.nv))
    return np.moveaxis(C, -3, -1)


def motor_torques(robot: DescribedRobot, q: ArrayLike, tau: ArrayLike, *, motors: Iterable[str] | None = None,
                  weights: Mapping[str, float] | None = None) -> dict[str, Array]:
    """Torques tau (..., nv) at the coordinates as torques of motors at joints of the tree, inside closed loops: {joint: (...)}, N m
    (N), which do the same. q: (..., nq).

    motors: joints of tree_joint_names; by default all that have one. Where they are more than needed, the sum of weight times square is
    least; weights: {joint: weight}, 1 by default. If there are too few there is no result.
    """
    following = {joint["name"] for joint in robot.description["joints"] if joint.get("passive") or joint.get("mimic")}
    chosen = [name for name in robot.tree_joint_names if name not in following] if motors is None else list(motors)
    for name in weights or {}:
        if name not in chosen:
            raise ValueError(f"joint '{name}' has no motor")
    lead, arrays = rows(q=(q, robot.nq), tau=(tau, robot.nv))
    found, failures = _catena.motor_torques(robot, arrays["q"], arrays["tau"], chosen, [float((weights or {}).get(name, 1.0)) for name in chosen])
    report(failures, lead)
    return {name: found[:, k].reshape(lead)[()] for k, name in enumerate(chosen)}


class BaseParameter(NamedTuple):
    """A combination of parameters that torques depend on: its column of regressor is that of its first term."""

    name: str  # "m3 cx3 + 0.0825 m4"
    unit: str
    value: float  # the model's
    column: int  # of regressor
    terms: list[tuple[str, float]]  # parameter, as in parameters(), and factor


def base_parameters(robot: DescribedRobot, *, drives: bool = True) -> list[BaseParameter]:
    """All combinations of parameters that torques depend on: inverse_dynamics is the sum of their values times their columns of
    regressor. drives: with friction, rotors and springs."""
    return [BaseParameter(*own) for own in _catena.base_parameters(robot, drives)]


class Sensitivity(NamedTuple):
    """How motions under given torques change with p parameters."""

    parameters: list[str]
    by_q: Array | None  # ∂q/∂θ (rows, nv, p), along a run
    by_qd: Array | None  # ∂q̇/∂θ (rows, nv, p), along a run
    qdd: Array  # ∂q̈/∂θ (..., nv, p)


def parameter_sensitivity(robot: DescribedRobot, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, t: ArrayLike | None = None,
                          parameters: Sequence[str] = (), wrenches: Wrenches | None = None) -> Sensitivity:
    """How accelerations under torques tau change with the parameters of links and drives; with the times t of the rows of a recorded run, also
    positions and speeds along it, from a start that does not depend on them. (Torques of a motion by parameters: regressor.)

    q: (..., nq), qd, tau: (..., nv), with t (rows, n); t: (rows,), s. parameters: names of parameters(); by default all.
    """
    names = list(robot.parameters())  # type: ignore[attr-defined]
    for name in parameters:
        if name not in names:
            raise ValueError(f"robot '{robot.name}' has no parameter '{name}'; parameters() lists them")
    chosen = list(parameters) or names
    index = [names.index(name) for name in chosen]
    lead, arrays = rows(q=(q, robot.nq), qd=(qd, robot.nv), tau=(tau, robot.nv))
    found, failures = _catena.accelerations_by(robot, arrays["q"], arrays["qd"], arrays["tau"], index, wrenches)
    report(failures, lead)
    qdd = found.reshape(*lead, robot.nv, len(index))
    if t is None:
        return Sensitivity(chosen, None, None, qdd)
    if wrenches is not None:
        raise ValueError("a recorded run is followed without wrenches; leave them out")
    along: Any = _catena.motion_by(robot, t, arrays["q"], arrays["qd"], arrays["tau"], index)
    return Sensitivity(chosen, along[:, :robot.nv], along[:, robot.nv:], qdd)


def assemblies(robot: DescribedRobot, q: ArrayLike, *, starts: int = 400) -> Array:
    """The ways in which closed loops can be assembled at q (nq,): positions of all joints of the tree, a row each, (ways, joints) as
    place() has them, the present one first; searched from this many starts. assembled() gives the robot in another one."""
    found: Any = _catena.assemblies(robot, q, starts)
    return np.asarray(found)
