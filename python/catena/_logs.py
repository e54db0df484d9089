"""Logs of measured motions: read, cleaned, filtered, differentiated, and told what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Sequence

import numpy as np

from . import _catena
from ._described import DescribedRobot
from ._types import Array, ArrayLike
from ._words import in_python, python_words


class Log(NamedTuple):
    """What was recorded, in SI units at the joints; None where it was not. NaN marks single values that are missing."""

    t: Array | None
    q: Array
    qd: Array | None
    tau: Array | None


@dataclass(frozen=True)
class Finding:
    """Something that was found in a log, done to it or left out."""

    kind: str
    warning: bool
    joint: str
    number: float
    text: str
    cure: str


@dataclass(frozen=True)
class PreparedLog:
    """Motion and torques on an even clock: (rows, joints) each."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None
    used: Array
    resting: Array
    stretches: list[int]
    period: float
    cutoff: float
    order: int
    decimation: int
    dead_band: Array
    noise: Array
    findings: list[Finding]

    @property
    def warnings(self) -> list[Finding]:
        """The findings that are probably mistakes."""
        return [own for own in self.findings if own.warning]


def read_log(robot: DescribedRobot, files: str | Sequence[str], *, columns: dict[str, str] | None = None,
             units: dict[str, str | float] | None = None, offsets: dict[str, str | float] | None = None,
             header: Sequence[str] = (), gears: ArrayLike | None = None, rate: float | None = None) -> Log:
    """Reads a log of this robot; several files are side by side, parts of the same rows.

    columns: {"tau3": "i_3", "q#": "joint_#_pos", "q6": "m6/32 - m5/45"}; units: {"t": "ms", "q": "deg", "tau3": 0.12};
    offsets: {"q2": "-pi/2"}; header: the names of the columns, for files without; gears: positions and torques are
    those of motors; rate: rows per second, instead of a clock.
    """
    pairs = [[f"{name}={value}" for name, value in (given or {}).items()] for given in (columns, units, offsets)]
    paths = [str(files)] if isinstance(files, str) or not isinstance(files, Sequence) else [str(file) for file in files]
    with python_words():
        return Log(*_catena.read_log(robot, paths, *pairs, list(header), None if gears is None else np.asarray(gears, float),
                                     1.0 / rate if rate else 0.0))


def prepare_log(robot: DescribedRobot, q: ArrayLike, tau: ArrayLike | None = None, *, t: ArrayLike | None = None,
                rate: float | None = None, qd: ArrayLike | None = None, start: float = 0.0, end: float = np.inf,
                cutoff: float | None = None, order: int = 4, derivative: Literal["filter", "savgol"] = "filter", rest: Literal["leave-out", "hold", "keep"] = "leave-out",
                gap: int = 5, diagnose: bool = True, filter_torques: bool = False) -> PreparedLog:
    """Cleans, filters and differentiates a log: q, tau and qd are (rows, joints), t (rows,) or a rate.

    used: 1 where a torque counts in a regression; cutoff: Hz, of the filter for both of its sides, chosen from the
    spectra of the positions if not given; rest: rows at rest are leave-out, hold or keep; filter_torques: filter
    tau like the positions, for use without that.
    """
    if derivative not in ("filter", "savgol") or rest not in ("leave-out", "hold", "keep"):
        raise ValueError("derivative is filter or savgol, rest is leave-out, hold or keep")
    given = {name: None if values is None else np.ascontiguousarray(np.asarray(values, float))
             for name, values in (("t", t), ("q", q), ("qd", qd), ("tau", tau))}
    for name in ("q", "qd", "tau"):
        if given[name] is not None and given[name].shape != (len(given["q"]), robot.nv):
            raise ValueError(f"{name} must have the shape (rows, {robot.nv}), not {given[name].shape}")
    flat = {name: None if values is None else values.ravel() for name, values in given.items()}
    with python_words():
        out = _catena.prepare_log(robot, flat["t"], flat["q"], flat["qd"], flat["tau"], 1.0 / rate if rate else 0.0, [], start,
                                  end, cutoff or 0.0, order, derivative == "savgol", rest, gap, diagnose, filter_torques)
    out["used"], out["resting"] = out["used"] > 0, out["resting"] > 0
    out["findings"] = [Finding(*(in_python(part) if isinstance(part, str) else part for part in own)) for own in out["findings"]]
    return PreparedLog(**out)
