"""Linear models and regulators, models at a frame, equilibria, inverse kinematics."""

from __future__ import annotations

from typing import Literal, NamedTuple, Sequence

import numpy as np

from . import _catena
from ._described import DescribedRobot
from ._progress import Progress, progress as watched
from ._types import Array, ArrayLike, Wrenches


Coordinates = Literal["position", "velocity", "rpy", "zyz"]


class StateSpace(NamedTuple):
    """x' = A x + B u, or x_{k+1} = A x_k + B u_k with dt: changes of positions and speeds, and of the motors' torques."""

    A: Array
    B: Array
    dt: float | None = None

    @property
    def poles(self) -> Array:
        """Eigenvalues of A, by real part, largest first."""
        return np.asarray(_catena.poles(np.ravel(self.A)), complex)


class Regulator(NamedTuple):
    """u = -K x. S: the cost from x on is x' S x; poles: of the closed loop; residual: of the Riccati equation, relative."""

    K: Array
    S: Array
    poles: Array
    residual: float


def state_space(robot: DescribedRobot, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, *,
                dt: float | None = None, wrenches: Wrenches | None = None) -> StateSpace:
    """The model linearized about a motion, under the torques that produce it. dt: sampled, torques held between, s."""
    return StateSpace(*_catena.state_space(robot, q, qd, qdd, dt, wrenches), dt)


def _diagonal(weights: ArrayLike, size: int) -> Array:
    given = np.asarray(weights, float)
    return given if given.ndim == 2 else np.diag(np.broadcast_to(given, (size,)))


def lqr(model: StateSpace, Q: ArrayLike = 1.0, R: ArrayLike = 1.0) -> Regulator:
    """The linear quadratic regulator of a model. Q, R: matrices, diagonals, or one number for all."""
    given = (model.A, model.B, _diagonal(Q, len(model.A)), _diagonal(R, model.B.shape[1]))
    K, S, poles, residual = _catena.lqr(*(np.ravel(matrix) for matrix in given), model.dt is not None)
    return Regulator(K, S, np.asarray(poles, complex), residual)


class CartesianModel(NamedTuple):
    """f = D x" + C + G - W at a frame: x" the acceleration of the rows `names`, f the force there."""

    names: list[str]
    position: Array
    velocity: Array
    acceleration: Array
    J: Array
    J_dot: Array
    manipulability: float
    condition: float
    D: Array
    C: Array
    G: Array
    W: Array
    f: Array


class CartesianLinearization(NamedTuple):
    """dtau = D dx" + V dx' + P dx: torques by changes of a frame's motion."""

    names: list[str]
    position: Array
    velocity: Array
    acceleration: Array
    J: Array
    J_dot: Array
    manipulability: float
    condition: float
    D: Array
    V: Array
    P: Array


def cartesian_model(robot: DescribedRobot, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, *, frame: str = "",
                    coordinates: Coordinates = "velocity", rows: Sequence[str] = (), damping: float = 0.0,
                    wrenches: Wrenches | None = None) -> CartesianModel:
    """Inertia, velocity terms, gravity and force as seen at a frame (the tool). coordinates: position, velocity, rpy or zyz;
    rows: only these of them, ["x", "y"]; damping: for Jacobians that are nearly singular."""
    return CartesianModel(**_catena.cartesian(robot, q, qd, qdd, wrenches, frame, coordinates, list(rows), damping, False))


def cartesian_linearize(robot: DescribedRobot, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, *,
                        frame: str = "", coordinates: Coordinates = "velocity", rows: Sequence[str] = (), damping: float = 0.0,
                        wrenches: Wrenches | None = None) -> CartesianLinearization:
    """Torques by changes of a frame's motion; arguments as in cartesian_model()."""
    return CartesianLinearization(**_catena.cartesian(robot, q, qd, qdd, wrenches, frame, coordinates, list(rows), damping, True))


def cartesian_state_space(robot: DescribedRobot, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, *,
                          frame: str = "", coordinates: Coordinates = "rpy", rows: Sequence[str] = (), damping: float = 0.0,
                          dt: float | None = None, wrenches: Wrenches | None = None) -> StateSpace:
    """The linearized model of a frame, with as many rows as joints, as a state space."""
    return StateSpace(*_catena.cartesian_state_space(robot, q, qd, qdd, dt, wrenches, frame, coordinates, list(rows), damping), dt)


class Equilibrium(NamedTuple):
    """Where passive joints rest: q, the torques that hold the others, "stable", "unstable" or "neutral", eigenvalues of the
    stiffness, potential energy in J."""

    q: Array
    tau: Array
    stability: Literal["stable", "unstable", "neutral"]
    stiffness: Array
    potential: float


def equilibria(robot: DescribedRobot, q: ArrayLike, *, starts: int = 32, wrenches: Wrenches | None = None) -> list[Equilibrium]:
    """Positions of the passive joints at which gravity does not move them while the others stay as in q, lowest energy first."""
    with watched("equilibria", None):
        return [Equilibrium(*found) for found in _catena.equilibria(robot, q, starts, wrenches)]


class Solved(NamedTuple):
    """q that brings the frame to its target, or the nearest found; whether it reaches it; the remaining errors, m and rad."""

    q: Array
    reached: Array
    position_error: Array
    rotation_error: Array


def inverse_kinematics(robot: DescribedRobot, target: ArrayLike, start: ArrayLike | None = None, *, frame: str = "",
                       tolerance: float = 1e-9, tries: int = 100, limits: bool = True,
                       progress: Progress = None) -> Solved:
    """Joint positions within their limits that bring a frame (the tool) to poses (..., 4, 4) or positions (..., 3), along the
    axes of the base link. start: (nq,) for the first, each next target then starting from the last solution; or one for each
    target, (..., nq). tries: the most starts to try. progress: as show of catena.progress()."""
    given = np.asarray(target, float)
    whole = given.shape[-2:] == (4, 4)
    if not whole and given.shape[-1:] != (3,):
        raise ValueError(f"target has the shape {given.shape}; poses are (..., 4, 4), positions (..., 3)")
    lead = given.shape[:-2] if whole else given.shape[:-1]
    starts = None if start is None else np.asarray(start, float).reshape(-1, robot.nq)
    with watched("inverse kinematics", progress):
        q, left, reached = _catena.inverse_kinematics(robot, given.reshape(-1, 16 if whole else 3), starts, frame,
                                                      "pose" if whole else "position", tolerance, tries, limits)
    return Solved(q.reshape(*lead, robot.nq), reached.reshape(lead) == 1, left[:, 0].reshape(lead), left[:, 1].reshape(lead))


class Ellipsoid(NamedTuple):
    """Half axes: their lengths, longest first, and directions, one per row; isotropy: the shortest over the longest."""

    lengths: Array
    axes: Array
    isotropy: float


class FrameEllipsoids(NamedTuple):
    """velocity: of joint speeds of norm 1; acceleration: of shares of the efforts of norm 1 (of torques, where a joint has no
    limit), the dynamic manipulability; inertia: the mass that resists in each direction."""

    velocity: Ellipsoid
    acceleration: Ellipsoid
    inertia: Ellipsoid


class Ellipsoids(NamedTuple):
    """Of the frame's origin, in m/s, m/s² and kg; and of its turning, in rad/s, rad/s² and kg m²."""

    translation: FrameEllipsoids
    rotation: FrameEllipsoids


def ellipsoids(robot: DescribedRobot, q: ArrayLike, *, frame: str = "") -> Ellipsoids:
    """What the joints can do at a frame (the tool), in all directions at once."""
    found = _catena.ellipsoids(robot, q, frame)
    return Ellipsoids(*(FrameEllipsoids(*(Ellipsoid(*part) for part in found[name])) for name in ("translation", "rotation")))
