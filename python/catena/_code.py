"""Equations for reading, code for compiling, operation counts, and comparison of formulations."""

from __future__ import annotations

import html
import os
import re
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Literal, Mapping, NamedTuple, Sequence, overload

import numpy as np

from . import _catena, _files, _page
from ._described import DescribedRobot
from ._progress import Progress, progress as watched
from ._types import EngineWarning

if TYPE_CHECKING:
    from ._catena import Language
    from ._laws import Controller


class Equations:
    """Equations of one robot. Jupyter shows them typeset, or a table with the beginnings of long ones; print() shows them as
    text; latex is a complete document; save() writes one, show() opens all of them in the browser."""

    _WHOLE = 50_000  # characters of LaTeX that a notebook shows

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

    @property
    def entries(self) -> dict[str, str]:
        """The right-hand sides as text, by the names of the left: {"M11": "m1 l1^2 + …", "M12 = M21": …}."""
        found = re.findall(r"^(\S+(?: = [A-Za-z]\w*)*) = (.*(?:\n    .*)*)$", self.text.partition("\n\n")[2], re.MULTILINE)
        return {name: " ".join(right.split()) for name, right in found}

    def terms(self) -> dict[str, int]:
        """How many products are added up in each of the entries."""
        return {name: 0 if right == "0" else 1 + len(re.findall(r" [+-] ", right)) for name, right in self.entries.items()}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a LaTeX document (.tex), the text (.txt) or a page for a browser (.html), by the path's ending."""
        made = {".tex": lambda: self.latex, ".txt": lambda: self.text, ".html": self._page}.get(Path(path).suffix)
        if made is None:
            raise ValueError(f"{path}: the name must end in .tex, .txt or .html")
        _files.write({Path(path): made().encode()})
        return Path(path)

    def show(self, *, path: str | os.PathLike[str] | None = None, open: bool = True, embed: bool = False, height: int = 600) -> Path | None:
        """Shows all of them: in Jupyter below the cell, elsewhere in the browser. Arguments are those of Robot.show()."""
        return _page.present(self._page().encode(), f"equations of {self._title()}", path, open, embed, height)

    def _title(self) -> str:
        return self.text.split("\n", 1)[0].split(":")[0]

    def _page(self) -> str:
        """The text with its indices below, an entry a paragraph."""
        body = re.sub(r"\b([A-Za-z]+)(\d+)\b", r"\1<sub>\2</sub>", html.escape(self.text, quote=False))
        body = re.sub(r"\bqd(d?)(?=\W)", lambda match: "q̈" if match[1] else "q̇", body)
        body = re.sub(r"\^(\d+)", r"<sup>\1</sup>", body)
        return (f"<!doctype html><html><head><meta charset=utf-8><title>{html.escape(self._title())}</title>"
                "<style>body{font:15px/1.6 Georgia,serif;margin:2em;max-width:60em}pre{font:inherit;white-space:pre-wrap}"
                f"sub,sup{{font-size:70%;line-height:0}}</style></head><body><pre>{body}</pre></body></html>")

    def _is_long(self) -> bool:
        return len(self.latex) > self._WHOLE

    def _groups(self) -> dict[str, dict[str, int]]:
        """The terms by the letters before the indices: M, C, g."""
        groups: dict[str, dict[str, int]] = {}
        for name, count in self.terms().items():
            groups.setdefault(re.split(r"[\d[]", name)[0], {})[name] = count
        return groups

    def _summary(self) -> str:
        sums = "; ".join(f"{letter}: {len(own)} entries, {sum(own.values())} terms" for letter, own in self._groups().items())
        return f"{self.text.split(chr(10), 1)[0]}\n{sums or f'{len(self.text)} characters'}"

    def _repr_latex_(self) -> str | None:
        """The displayed formulas of the document, for a notebook."""
        if self._is_long():
            return None
        body = self.latex.split(r"\begin{document}")[1].split(r"\end{document}")[0]
        formulas = re.findall(r"\\\[\n.*?\n\\\]|\\begin\{(?:align|gather|multline)\*\}.*?\\end\{(?:align|gather|multline)\*\}", body,
                              re.DOTALL)
        return "\n\n".join("$$\n" + f[3:-3] + "\n$$" if f.startswith(r"\[") else f for f in formulas)

    def _repr_html_(self) -> str | None:
        """What long ones begin with."""
        if not self._is_long():
            return None
        entries, lines = self.entries, [f"<p>{html.escape(self._summary()).replace(chr(10), '<br>')}</p>"]
        for letter, own in self._groups().items():
            rows = "".join(f"<tr><td>{name}</td><td>{count}</td><td style='text-align:left'><code>{html.escape(_beginning(entries[name]))}</code></td></tr>"
                           for name, count in own.items())
            lines.append(f"<details><summary>{letter}</summary><table><tr><th>entry</th><th>terms</th><th>begins with</th></tr>{rows}</table></details>")
        return "".join(lines) + (f"<p><code>.show()</code> opens all of it, <code>.save(\"equations.tex\")</code> writes {len(self.latex) / 1e6:.1f} MB of "
                                 "LaTeX, <code>print()</code> prints it.</p>")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{self._summary()}\n.show() opens all of it, .save(\"equations.tex\") writes it, print() prints it" if self._is_long() else self.text


def _beginning(text: str, most: int = 70) -> str:
    """The first terms, as many as fit."""
    return text if len(text) <= most else re.sub(r" [+-]? ?\S*$", "", text[:most]) + " …"


def equations(robot: DescribedRobot, *jobs: str, method: str | Mapping[str, str] = "", symbols: str = "", frame: str = "",
              digits: int = 6) -> Equations:
    """M, C and g (or other jobs) as a textbook would write them.

    method: a formulation for all these jobs, or one for each named job, as {"coriolis": "denoc"}; others take
    their standard one. symbols: constants written as symbols: "all", "none" or a list such as "mass:2,length:a1"; by
    default all for robots with at most three joints.
    """
    methods = {"": method} if isinstance(method, str) else dict(method)
    return Equations(_catena.equations(robot, list(jobs), methods, symbols, frame, digits))


class Source(str):
    """Generated source code; .header has the prototypes, if the language has any; .files has the functions by the names
    of their files where the language finds them so (MATLAB)."""

    header: str
    extension: str
    files: dict[str, str]

    def save(self, path: str | os.PathLike[str]) -> list[Path]:
        """Writes the source, and the header beside it under the same name with the ending .h. MATLAB: path is a folder, which
        gets a file for each function."""
        if self.files:
            Path(path).mkdir(parents=True, exist_ok=True)
            files = {Path(path) / name: text.encode() for name, text in self.files.items()}
        else:
            files = {Path(path): self.encode()}
            if self.header:
                files[Path(path).with_suffix(".h")] = self.header.encode()
        _files.write(files)
        return list(files)


def generate(robot: DescribedRobot, *jobs: str, language: Language = "c", name: str = "", method: str = "", frame: str = "", keep: str = "",
             float32: bool = False, fuse: bool = False, packed: bool = False, gravity_input: bool = False, search: bool = True,
             sines: Literal["built-in", "library", "freestanding"] = "built-in", lanes: int = 0, significance: float = 0.0, speeds: Sequence[float] = (),
             accelerations: Sequence[float] = (), abi: Literal["plain", "casadi"] = "plain", derivatives: int = 0,
             target: Literal["host", "cortex-m"] = "host", progress: Progress = None) -> Source:
    """Straight-line source code for this robot, with all constants folded.

    language: see catena.languages(). name: functions are NAME_inverse, …. keep: constants that become arguments, as
    "mass:3,com:3". fuse: one function for all jobs. packed: symmetric matrices as their upper triangle. gravity_input:
    gravity as an argument. search: look for the cheapest program. sines: built-in, library or freestanding. lanes: states
    per vector, for c-batch. significance: terms are left out, for errors of at most this share (0.01 is 1 %) of the
    largest result in motions with these top speeds and accelerations, one per joint; empty: as catena generate has them.
    abi: "casadi": C functions as casadi.external loads them. derivatives: 1: exact Jacobians beside each function; 2:
    gradients of weighted results and their Jacobians too. target: "cortex-m": C for microcontrollers, in single precision; the
    source includes "NAME.h". progress: as show of catena.progress().
    """
    options = dict(language=language, name=name, method=method, frame=frame, keep=keep, sines=sines, float32=float32, fuse=fuse,
                   packed=packed, gravity_input=gravity_input, search=search, lanes=lanes, significance=significance,
                   speeds=list(speeds), accelerations=list(accelerations), abi=abi, derivatives=derivatives, target=target)
    with watched("generating", progress):
        text, header, extension, files = _catena.generate(robot, list(jobs or ("inverse",)), options)
    source = Source(text)
    source.header, source.extension, source.files = header, extension, files
    return source


def fmu(robot: DescribedRobot, path: str | os.PathLike[str], *, kind: Literal["", "me", "cs"] = "", fmi: Literal[2, 3] = 3,
        law: Controller | None = None, name: str = "", frame: str = "", search: bool = True, progress: Progress = None) -> Path:
    """Writes a Functional Mock-up Unit with its sources and this machine's binary, and returns its path.

    kind: "me", model exchange, "cs", co-simulation, or both. fmi: the standard's version. law: a controller of this robot that
    computes the torques inside; its reference is the input. name: the model identifier. frame: whose pose is an output (the tool).
    search: look for the cheapest program. Without a C compiler there are sources alone, and a warning.
    """
    with watched("generating", progress):
        archive, no_binary = _catena.fmu(robot, kind, fmi, None if law is None else law._core, name, frame, search)
    _files.write({Path(path): archive})
    if no_binary:
        warnings.warn(f"{path} has sources and no binary: {no_binary}", EngineWarning, stacklevel=2)
    return Path(path)


class Count(NamedTuple):
    """Operations of a formulation for one robot, found by running it."""

    multiplications: int
    additions: int
    divisions: int
    sincos: int
    offline: tuple[int, int, int, int]  # the same, once per robot


@overload
def count(robot: DescribedRobot, job: str = ..., method: None = ..., *, optimized: bool = ..., constants: str = ...) -> dict[str, Count]: ...
@overload
def count(robot: DescribedRobot, job: str, method: str, *, optimized: bool = ..., constants: str = ...) -> Count: ...
@overload
def count(robot: DescribedRobot, job: str = ..., *, method: str, optimized: bool = ..., constants: str = ...) -> Count: ...
def count(robot: DescribedRobot, job: str = "inverse_dynamics", method: str | None = None, *, optimized: bool = False,
          constants: str = "any") -> dict[str, Count] | Count:
    """Operations of all formulations, or of one. optimized: on the robot as used by calls without a method.
    constants: "any" counts every constant as a number; "known" leaves out what constants 0, 1 and -1 make superfluous, "twists" only those
    of the angles between axes."""
    counts = {name: Count(each[0], each[1], each[2], each[3], tuple(once)) for name, (each, once) in _catena.count(robot, job, method or "", optimized, constants).items()}
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
        yield f"{'formulation':{width}}  disagreement  multiplications  additions  ns per state"
        for name, row in self.items():
            yield f"{name:{width}}  {row.disagreement:12.1e}  {row.operations.multiplications:15d}  {row.operations.additions:9d}  {row.nanoseconds:10.0f}"

    def __repr__(self) -> str:
        return "\n".join(self._lines())


def compare(robot: DescribedRobot, job: str = "inverse_dynamics", *, method: str | None = None, states: int = 256, seed: int = 0) -> Comparison:
    """Every formulation of a job, or one, on the same random states: largest difference, operations, time."""
    q, qd, qdd = robot.random_state(states, seed=seed)
    base = np.random.default_rng(seed).uniform(-1, 1, (states, 12))
    given = [{"q": q, "qd": qd, "base": base}.get(name, qdd) for name, _ in robot._inputs(job)]

    def flat(result: Any) -> Any:
        parts = result if isinstance(result, tuple) else (result,)
        return np.concatenate([np.reshape(part, (states, -1)) for part in parts], axis=1)

    standard = flat(robot.evaluate(job, *given))
    scale = float(np.max(np.abs(standard))) or 1.0
    rows = Comparison()
    for name, counted in (count(robot, job) if method is None else {method: count(robot, job, method)}).items():
        best = np.inf
        for _ in range(5):
            start = time.perf_counter()
            result = robot.evaluate(job, *given, method=name, threads=1)
            best = min(best, time.perf_counter() - start)
        rows[name] = Compared(float(np.max(np.abs(flat(result) - standard))) / scale, counted, 1e9 * best / states)
    return rows
