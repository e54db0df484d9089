"""How far a long computation is, and Ctrl-C while it runs."""

from __future__ import annotations

import sys
from typing import Any, Callable, Union

from . import _catena

Progress = Union[bool, Callable[[float], object], None]


class _Line:
    """A line on stderr that is written again and again."""

    def __init__(self, what: str) -> None:
        self._what, self._shown = what, -1

    def __call__(self, share: float) -> None:
        percent = int(100 * share)
        if percent > self._shown:
            self._shown = percent
            print(f"\r{self._what}: {percent} %", end="", file=sys.stderr, flush=True)

    def close(self, complete: bool) -> None:
        if complete:
            self(1.0)
        if self._shown >= 0:
            print(file=sys.stderr)


class _Bar:
    """The same by tqdm."""

    def __init__(self, what: str, tqdm: Any) -> None:
        self._bar = tqdm(total=100.0, desc=what, bar_format="{desc}: {percentage:3.0f} % |{bar}| {elapsed}, {remaining} left")

    def __call__(self, share: float) -> None:
        self._bar.update(max(0.0, 100.0 * share - self._bar.n))

    def close(self, complete: bool) -> None:
        if complete:
            self(1.0)
        self._bar.close()


def _shown(what: str) -> _Line | _Bar:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line(what)
    return _Bar(what, tqdm)


class progress:
    """Shows how far the library is with what is computed inside, on this thread; Ctrl-C ends that.

        with catena.progress("torques"):
            tau = robot.inverse_dynamics(q, qd, qdd)  # a large batch

    show: True, a bar (with tqdm if it is installed, else a line on stderr); or a function, which is called now and then with the
    share that is done, 0 to 1; an exception in it ends the computation. False or None: only Ctrl-C.
    """

    def __init__(self, what: str = "computing", show: Progress = True) -> None:
        if not (show is None or isinstance(show, bool) or callable(show)):
            raise TypeError(f"progress takes True, False or a function of the share that is done, not {show!r}")
        self._what, self._show = what, show
        self._made: _Line | _Bar | None = None

    def __enter__(self) -> Callable[[float], object] | None:
        self._made = _shown(self._what) if self._show is True else None
        told = self._made or (None if self._show in (None, False) else self._show)
        self._watch = _catena.Watch(told)
        self._watch.enter()
        return told if callable(told) else None

    def __exit__(self, kind: Any, *rest: Any) -> None:
        self._watch.exit()
        if self._made is not None:
            self._made.close(kind is None)
