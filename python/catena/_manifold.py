"""Positions of robots whose base may be free: sums and differences along the robot's own velocities.

q of a free base is p, quaternion (x, y, z, w), joints; v is the twist of the base along its own axes, linear then
angular, joints. As in Pinocchio: integrate(q, v) places the base at T(q) exp(v), difference is its inverse.
"""

from __future__ import annotations

import numpy as np

from ._described import DescribedRobot
from ._types import Array, ArrayLike

_NEAR = 0.1  # rad: below it the series, whose next terms are below 1e-13


def _cross(a: Array, b: Array) -> Array:
    a, b = np.broadcast_arrays(a, b)
    x, y, z = (a[..., k] for k in range(3))
    u, v, w = (b[..., k] for k in range(3))
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _times(a: Array, b: Array) -> Array:
    """The product of quaternions (x, y, z, w)."""
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + _cross(a[..., :3], b[..., :3])
    scalar = a[..., 3] * b[..., 3] - np.sum(a[..., :3] * b[..., :3], axis=-1)
    return np.concatenate([vector, scalar[..., None]], axis=-1)


def _turned(quaternion: Array, vector: Array) -> Array:
    """The vector along the axes of the world."""
    twice = 2.0 * _cross(quaternion[..., :3], vector)
    return vector + quaternion[..., 3:] * twice + _cross(quaternion[..., :3], twice)


def _inverse(quaternion: Array) -> Array:
    return quaternion * np.array([-1.0, -1.0, -1.0, 1.0])


def _series(angle: Array, far: Array, coefficients: tuple[float, ...]) -> Array:
    near = np.zeros_like(angle)
    for coefficient in reversed(coefficients):
        near = near * angle**2 + coefficient
    return np.where(angle < _NEAR, near, far)


def _side_by_side(*parts: Array) -> Array:
    shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1)


def _given(robot: DescribedRobot, values: ArrayLike, name: str, size: int) -> Array:
    array = np.asarray(values, float)
    if array.ndim == 0 or array.shape[-1] != size:
        columns = array.shape[-1] if array.ndim else 1
        raise ValueError(f"{name} has {columns} columns, robot '{robot.name}' has {size} {'velocities' if name == 'v' else 'positions'}")
    return array


def _unit(robot: DescribedRobot, quaternion: Array) -> Array:
    length = np.linalg.norm(quaternion, axis=-1, keepdims=True)
    if not (np.isfinite(length) & (length > 0.0)).all():
        raise ValueError(f"a quaternion of robot '{robot.name}' has no direction: its length is 0 or not finite")
    return quaternion / length


def neutral(self: DescribedRobot) -> Array:
    """q (nq,) with every joint at 0 and a free base at the origin, not rotated: the same as home."""
    return self.home


def normalize(self: DescribedRobot, q: ArrayLike) -> Array:
    """q (..., nq) with quaternions of length 1; a copy."""
    at = np.array(_given(self, q, "q", self.nq))
    if self.has_free_base:
        at[..., 3:7] = _unit(self, at[..., 3:7])
    return at


def integrate(self: DescribedRobot, q: ArrayLike, v: ArrayLike) -> Array:
    """Where a robot at q (..., nq) is after moving at the velocity v (..., nv) for 1 s: (..., nq); v·dt for dt.

    Joints: q + v, rad and m. A free base turns and slides at a constant twist: m/s, rad/s along its own axes.
    """
    at, step = _given(self, q, "q", self.nq), _given(self, v, "v", self.nv)
    if not self.has_free_base:
        return at + step
    slide, turn = step[..., :3], step[..., 3:6]
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    safe = np.where(angle < _NEAR, 1.0, angle)
    half = 0.5 * np.sinc(angle / (2.0 * np.pi))  # sin(θ/2)/θ
    rest = _series(angle, (safe - np.sin(safe)) / safe**3, (1 / 6, -1 / 120, 1 / 5040, -1 / 362880))
    across = _cross(turn, slide)
    start = _unit(self, at[..., 3:7])
    way = _turned(start, slide + 2.0 * half**2 * across + rest * _cross(turn, across))
    after = _unit(self, _times(start, _side_by_side(half * turn, np.cos(0.5 * angle))))
    after = np.where(np.sum(after * start, axis=-1, keepdims=True) < 0.0, -after, after)
    return _side_by_side(at[..., :3] + way, after, at[..., 7:] + step[..., 6:])


def difference(self: DescribedRobot, q0: ArrayLike, q1: ArrayLike) -> Array:
    """The velocity v (..., nv) that leads from q0 to q1, each (..., nq), in 1 s: integrate(q0, v) is q1.

    A free base takes the shorter way around.
    """
    first, last = _given(self, q0, "q0", self.nq), _given(self, q1, "q1", self.nq)
    if not self.has_free_base:
        return last - first
    start = _unit(self, first[..., 3:7])
    way = _turned(_inverse(start), last[..., :3] - first[..., :3])
    turn = _times(_inverse(start), _unit(self, last[..., 3:7]))
    turn = np.where(turn[..., 3:] < 0.0, -turn, turn)
    sine = np.linalg.norm(turn[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, turn[..., 3:])
    w = turn[..., :3] * np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 2.0)
    safe = np.where(angle < _NEAR, 1.0, angle)
    rest = _series(angle, (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2, (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600))
    across = _cross(w, way)
    return _side_by_side(way - 0.5 * across + rest * _cross(w, across), w, last[..., 7:] - first[..., 7:])


def interpolate(self: DescribedRobot, q0: ArrayLike, q1: ArrayLike, u: ArrayLike) -> Array:
    """q (..., nq) at the share u (...) of the way from q0 to q1: q0 at 0, q1 at 1."""
    return integrate(self, q0, np.asarray(u, float)[..., None] * difference(self, q0, q1))


def random(self: DescribedRobot, rng: np.random.Generator | int | None = None, shape: int | tuple[int, ...] = ()) -> Array:
    """q (*shape, nq) within the limits, a free base within 1 m in any orientation. rng: a generator or a seed."""
    sides = (shape,) if isinstance(shape, int) else tuple(shape)
    return self._drawn(np.random.default_rng(rng), sides)
