"""Many arms integrated on a graphics processor: catena.gpu.rollout()."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from . import _catena
from ._batches import rows
from ._described import DescribedRobot
from ._types import Array, ArrayLike

_LAWS = {"pd": "pd", "computed": "computed-torque"}


class Rollout(NamedTuple):
    """Motions of many arms, on common times."""

    t: Array  # (samples,), s
    q: Array  # (..., samples, nv), rad (m)
    qd: Array  # (..., samples, nv), rad/s (m/s)


def rollout(robot: DescribedRobot, time: float, q: ArrayLike, qd: ArrayLike | None = None, *, torque: ArrayLike | Literal["pd", "computed"] = 0.0,
            target: ArrayLike | None = None, kp: ArrayLike = 100.0, kd: ArrayLike = 20.0, table: ArrayLike | None = None, step: float = 1e-3,
            samples: int = 2, integrator: Literal["rk4", "euler"] = "rk4", device: int = 0, search: bool = True) -> Rollout:
    """Motions of many arms from q, qd (..., nv) in fixed steps on a graphics processor; in float32 where q is, else in float64.

    torque: N m (N), of each arm all the time, broadcast with q; "pd": kp (target - q) - kd qd; "computed": inverse dynamics of that.
    table: a torque for each step, (steps, nv), the same for all arms, instead. target: (..., nv); kp, kd: one, or one per joint.
    time: s, a whole number of steps, and samples - 1 of equal length. integrator: the classical Runge-Kutta scheme, or semi-implicit
    Euler. Nothing sticks or stops, and there are no events: Robot.simulate has those. Robots on a fixed base without closed loops.
    Raises GpuError if there is no device or compiler, or if the robot is not of this kind.
    """
    steps = round(float(time) / step) if step > 0 else 0
    if steps < 1 or abs(steps * step - float(time)) > 1e-9 * float(time):
        raise ValueError(f"{time:g} s is not a whole number of steps of {step:g} s")
    if samples < 2 or steps % (samples - 1):
        raise ValueError(f"{samples} samples do not divide {steps} steps into equal parts")
    if integrator not in ("rk4", "euler"):
        raise ValueError(f"integrator is 'rk4' or 'euler', not {integrator!r}")
    n, single = robot.nv, np.asarray(q).dtype == np.float32
    if isinstance(torque, str):
        if torque not in _LAWS or table is not None:
            raise ValueError(f"torque is an array, 'pd' or 'computed', and there is no table then; not {torque!r}")
        law, wanted = _LAWS[torque], np.zeros(n) if target is None else target
    elif target is not None:
        raise ValueError("a target goes with torque='pd' and 'computed'")
    else:
        law, wanted = "constant", np.broadcast_to(np.asarray(torque, float), np.broadcast_shapes(np.shape(torque), (n,)))
    lead, arrays = rows(q=(q, n), qd=(np.zeros(n) if qd is None else qd, n), target=(wanted, n))
    if table is not None:
        law, arrays["target"] = "table", np.asarray(table, float)
        if arrays["target"].shape != (steps, n):
            raise ValueError(f"table has the shape {arrays['target'].shape}; it takes ({steps}, {n}), a row for each step")
    p, d = (np.array(np.broadcast_to(np.asarray(own, float), (n,))).tolist() for own in (kp, kd))
    found: Any = _catena.rollout(robot, law, integrator == "rk4", p, d, bool(single), device, search, arrays["q"], arrays["qd"],
                                 arrays["target"], float(step), steps, samples)
    kind = np.float32 if single else np.float64
    return Rollout(np.linspace(0.0, float(time), samples), *(own.reshape((*lead, samples, n)).astype(kind, copy=False) for own in found))
