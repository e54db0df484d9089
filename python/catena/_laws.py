"""Control laws that run step by step, here and as C: Robot.controller()."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Sequence

import numpy as np

from . import _catena
from ._described import DescribedRobot
from ._types import Array, ArrayLike


class Law(NamedTuple):
    """A control law: what it follows ("joints", "frame", "both"), and its parameters with words and default; a default
    with "x inertia" is multiplied by the inertia that the joint moves."""

    name: str
    words: str
    follows: Literal["joints", "frame", "both"]
    parameters: dict[str, tuple[str, str]]


def control_laws() -> list[Law]:
    """The control laws for Robot.controller()."""
    return [Law(name, words, follows, {key: (text, f"{value:g}" + (" x inertia" if by_inertia else ""))
                                       for key, (text, value, by_inertia, _) in parameters.items()})
            for name, words, follows, parameters in _catena.control_laws()]


class Controller:
    """A control law with its state. Call step() once per period; it computes the same as the C that code() writes."""

    def __init__(self, robot: DescribedRobot, core: Any):
        self.robot = robot
        self._core = core

    @property
    def law(self) -> str:
        """Its name."""
        return str(self._core.law)

    @property
    def inputs(self) -> dict[str, tuple[str, int]]:
        """What step() takes, by name: words and number of entries; measurements first, then references."""
        return {name: (words, size) for name, words, size in (*self._core.measurement, *self._core.reference)}

    @property
    def state(self) -> dict[str, Array]:
        """What the law keeps from step to step, by name."""
        out, at, values = {}, 0, self._core.state
        for name, _, size in self._core.state_parts:
            out[name] = np.array(values[at:at + size])
            at += size
        return out

    def reset(self) -> None:
        """Forgets all steps."""
        self._core.reset()

    def step(self, dt: float, **signals: ArrayLike) -> Array:
        """The torques for the next dt seconds, from the signals of inputs: step(1e-3, q=q, qd=qd, q_ref=...). References that are
        not given are 0; pose_ref takes x, y, z and the rotation by rows, or a matrix (4, 4)."""
        known = self.inputs
        for name in signals:
            if name not in known:
                raise TypeError(f"law '{self.law}' takes no {name}; it takes {', '.join(known)}")

        def row(parts: Sequence[tuple[str, str, int]], required: bool) -> Array:
            pieces = []
            for name, _, size in parts:
                if name not in signals:
                    if required or name == "pose_ref":
                        raise TypeError(f"law '{self.law}' needs {name}")
                    pieces.append(np.zeros(size))
                    continue
                value = np.asarray(signals[name], float)
                if name == "pose_ref" and value.shape == (4, 4):
                    value = np.concatenate([value[:3, 3], value[:3, :3].ravel()])[:size]
                if value.shape != (size,):
                    raise ValueError(f"{name} has the shape {value.shape}; law '{self.law}' takes ({size},)")
                pieces.append(value)
            return np.concatenate(pieces)

        return np.asarray(self._core.step(row(self._core.measurement, True), row(self._core.reference, False), dt))

    def code(self, name: str = "controller", *, single_precision: bool = False, target: Literal["host", "cortex-m"] = "host") -> tuple[str, str]:
        """The law as C99, source and header: NAME_step(state, measurement, reference, dt, torque) and NAME_reset(state).
        target: "cortex-m" for microcontrollers, in single precision; the source then includes "NAME.h"."""
        source, header = self._core.code(name, single_precision, target)
        return source, header

    def __repr__(self) -> str:
        return f"<Controller '{self.law}' of '{self.robot.name}'>"


def controller(robot: DescribedRobot, law: str, *, frame: str = "", directions: Literal["all", "translation"] | None = None,
               gains: tuple[ArrayLike, ArrayLike] | None = None, saturate: bool = True, **parameters: ArrayLike) -> Controller:
    """A control law for this robot, to be stepped, simulated (simulate(torque=...)) or written as C; see catena.control_laws().

    parameters: one value, or one per joint or direction. frame: what the law moves (the tool). directions: "all" or
    "translation" of the frame; default all if there are six joints. gains: times and matrices (k, n, 2n) of "lqr".
    saturate: torques stay within the model's effort limits.
    """
    if directions not in (None, "all", "translation"):
        raise ValueError(f"directions is 'all' or 'translation', not {directions!r}")
    turns = robot.nv >= 6 if directions is None else directions == "all"
    times, matrices = ([], []) if gains is None else (np.ravel(np.asarray(gains[0], float)), np.asarray(gains[1], float))
    rows = [np.ravel(matrix).tolist() for matrix in matrices]
    given = {name: np.ravel(np.asarray(value, float)).tolist() for name, value in parameters.items()}
    return Controller(robot, _catena.make_law(robot, law, given, frame, turns, list(times), rows, saturate))
