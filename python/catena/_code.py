"""Equations for reading, code for compiling, operation counts, and comparison of formulations."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Literal, Mapping, NamedTuple, Sequence, overload

import numpy as np

from . import _catena
from ._described import DescribedRobot
from ._progress import Progress, progress as watched

if TYPE_CHECKING:
    from ._catena import Language


class Equations:
    """Equations of one robot. Jupyter shows them typeset; print() shows them as text; latex is a complete document."""

    def __init__(self, texts: dict[str, str]):
        self.texts: dict[str, str] = texts

    @property
    def latex(self) -> str:
        """A complete LaTeX document."""
        return self.texts["latex"]

    @property
    def text(self) -> str:
        """Plain text, as print() shows it."""
        return self.texts["text"]

    def _repr_latex_(self) -> str:
        """The displayed formulas of the document, for a notebook."""
        body = self.latex.split(r"\begin{document}")[1].split(r"\end{document}")[0]
        formulas = re.findall(r"\\\[\n.*?\n\\\]|\\begin\{(?:align|gather|multline)\*\}.*?\\end\{(?:align|gather|multline)\*\}", body,
                              re.DOTALL)
        return "\n\n".join("$$\n" + f[3:-3] + "\n$$" if f.startswith(r"\[") else f for f in formulas)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def equations(robot: DescribedRobot, *jobs: str, method: str | Mapping[str, str] = "", symbols: str = "", frame: str = "",
              digits: int = 6) -> Equations:
    """M, C and g (or other jobs) as a person would write them.

    method: a formulation of all these jobs, or one for each job that it names, as {"coriolis": "denoc"}; others take
    their standard one. symbols: constants written as symbols: "all", "none" or a list such as "mass:2,length:a1"; by
    default all for robots with at most three joints.
    """
    methods = {"": method} if isinstance(method, str) else dict(method)
    return Equations(_catena.equations(robot, list(jobs), methods, symbols, frame, digits))


class Source(str):
    """Generated source code; .header has the prototypes, if the language has any."""

    header: str
    extension: str

    def save(self, path: str | os.PathLike[str]) -> list[Path]:
        """Writes the source, and the header beside it under the same name with the ending .h."""
        files = [Path(path)]
        files[0].write_text(self, encoding="utf-8")
        if self.header:
            files.append(files[0].with_suffix(".h"))
            files[1].write_text(self.header, encoding="utf-8")
        return files


def generate(robot: DescribedRobot, *jobs: str, language: Language = "c", name: str = "", method: str = "", frame: str = "", keep: str = "",
             float32: bool = False, fuse: bool = False, packed: bool = False, gravity_input: bool = False, search: bool = True,
             sines: Literal["built-in", "library", "freestanding"] = "built-in", lanes: int = 0, significance: float = 0.0, speeds: Sequence[float] = (),
             accelerations: Sequence[float] = (), abi: Literal["plain", "casadi"] = "plain", derivatives: int = 0,
             progress: Progress = None) -> Source:
    """Straight-line source code for this robot, with all constants folded.

    language: see catena.languages(). name: functions are NAME_inverse, …. keep: constants that become arguments, as
    "mass:3,com:3". fuse: one function for all jobs. packed: symmetric matrices as their upper triangle. gravity_input:
    gravity as an argument. search: look for the cheapest program. sines: built-in, library or freestanding. lanes: states
    per vector, for c-batch. significance: summands are left out, for errors of at most this share (0.01 is 1 %) of the
    largest result in motions with these top speeds and accelerations, one a joint; empty: as catena generate has them.
    abi: "casadi": C functions as casadi.external loads them. derivatives: 1: exact Jacobians beside each function; 2:
    gradients of weighted results and their Jacobians too. progress: as show of catena.progress().
    """
    options = dict(language=language, name=name, method=method, frame=frame, keep=keep, sines=sines, float32=float32, fuse=fuse,
                   packed=packed, gravity_input=gravity_input, search=search, lanes=lanes, significance=significance,
                   speeds=list(speeds), accelerations=list(accelerations), abi=abi, derivatives=derivatives)
    with watched("generating", progress):
        text, header, extension = _catena.generate(robot, list(jobs or ("inverse",)), options)
    source = Source(text)
    source.header, source.extension = header, extension
    return source


class Count(NamedTuple):
    """Operations of a formulation for one robot, found by running it."""

    multiplications: int
    additions: int
    divisions: int
    sincos: int
    offline: tuple[int, int, int, int]  # the same, once per robot


@overload
def count(robot: DescribedRobot, job: str = ..., method: None = ..., *, optimized: bool = ...) -> dict[str, Count]: ...
@overload
def count(robot: DescribedRobot, job: str, method: str, *, optimized: bool = ...) -> Count: ...
@overload
def count(robot: DescribedRobot, job: str = ..., *, method: str, optimized: bool = ...) -> Count: ...
def count(robot: DescribedRobot, job: str = "inverse_dynamics", method: str | None = None, *, optimized: bool = False) -> dict[str, Count] | Count:
    """Operations of all formulations, or of one. optimized: on the robot as used by calls without a method."""
    counts = {name: Count(each[0], each[1], each[2], each[3], tuple(once)) for name, (each, once) in _catena.count(robot, job, method or "", optimized).items()}
    return counts if method is None else counts[method]


class Compared(NamedTuple):
    """One formulation beside the standard one."""

    disagreement: float  # largest difference from the standard one, relative to the largest result
    operations: Count
    nanoseconds: float  # per state, in a batch on one thread


class Comparison(dict[str, Compared]):
    """All formulations of a job side by side."""

    def _lines(self) -> Iterator[str]:
        width = max(len("formulation"), *(len(name) for name in self))
        yield f"{'formulation':{width}}  disagreement  multiplications  additions  ns a state"
        for name, row in self.items():
            yield f"{name:{width}}  {row.disagreement:12.1e}  {row.operations.multiplications:15d}  {row.operations.additions:9d}  {row.nanoseconds:10.0f}"

    def __repr__(self) -> str:
        return "\n".join(self._lines())


def compare(robot: DescribedRobot, job: str = "inverse_dynamics", *, states: int = 256, seed: int = 0) -> Comparison:
    """Every formulation of a job on the same random states: largest difference, operations, time."""
    q, qd, qdd = robot.random_state(states, seed=seed)
    base = np.random.default_rng(seed).uniform(-1, 1, (states, 12))
    given = [{"q": q, "qd": qd, "base": base}.get(name, qdd) for name, _ in robot._inputs(job)]

    def flat(result: Any) -> Any:
        parts = result if isinstance(result, tuple) else (result,)
        return np.concatenate([np.reshape(part, (states, -1)) for part in parts], axis=1)

    standard = flat(robot.evaluate(job, *given))
    scale = float(np.max(np.abs(standard))) or 1.0
    rows = Comparison()
    for name, counted in count(robot, job).items():
        best = np.inf
        for _ in range(5):
            start = time.perf_counter()
            result = robot.evaluate(job, *given, method=name, threads=1)
            best = min(best, time.perf_counter() - start)
        rows[name] = Compared(float(np.max(np.abs(flat(result) - standard))) / scale, counted, 1e9 * best / states)
    return rows
