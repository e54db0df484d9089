"""The description of a robot, and states for it."""

from __future__ import annotations

import warnings
from functools import cached_property
from html import escape
from typing import Any, Literal

import numpy as np

from . import _catena
from ._types import Array, Limits, NoResultWarning
from ._words import in_python

Convention = Literal["classic", "modified"]


class DescribedRobot(_catena.RobotCore):
    """A robot with its jobs; Robot adds simulation, trajectories, code and changed robots."""

    @property
    def limits(self) -> Limits:
        """lower, upper, velocity and effort, one number per joint."""
        lower, upper, velocity, effort = np.asarray(self._limits)
        return Limits(lower, upper, velocity, effort)

    @property
    def description(self) -> dict[str, Any]:
        """The whole model as plain dictionaries: links, joints, frames, loops, gravity, tool, warnings."""
        return self._describe()

    @cached_property
    def tool(self) -> str:
        """the frame that jobs use where none is given"""
        return self._describe()["tool"]

    @property
    def gravity_vector(self) -> Array:
        """m/s², along the axes of the base link"""
        return np.asarray(self._describe()["gravity"])

    @property
    def warnings(self) -> list[str]:
        """warnings from reading the model"""
        return [in_python(line) for line in self._describe()["warnings"]]

    def to_toml(self) -> str:
        """The robot as a text in TOML."""
        return self._to_toml()

    def to_urdf(self) -> str:
        """The robot as a text in URDF."""
        return self._to_urdf()

    def to_mjcf(self) -> str:
        """The robot as a text in MJCF."""
        return self._to_mjcf()

    def to_dh(self, convention: Convention = "classic") -> str:
        """The robot as a text in TOML, in classic or modified Denavit-Hartenberg rows."""
        return self._to_dh(convention)

    def dh_rows(self, convention: Convention = "classic") -> list[dict[str, Any]]:
        """Denavit-Hartenberg rows, classic or modified, as dicts: joint, type, link, parent, theta, d, a, alpha, gamma, epsilon,
        in m and rad. Those of type fixed place an axis that one row cannot reach."""
        return self._dh_rows(convention)

    def __repr__(self) -> str:
        about = self._describe()
        rows = [("joint", "type", "parent", "link", "mass kg", "lower", "upper", "velocity", "effort")]
        masses = {link["name"]: link["mass"] for link in about["links"]}
        for joint in about["joints"]:
            if joint["type"] == "fixed":
                continue
            numbers = (masses[joint["child"]], *joint["limits"])
            rows.append((joint["name"], joint["type"], joint["parent"], joint["child"], *(f"{x:.6g}" for x in numbers)))
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = [f"{about['name']}: nq {self.nq}, nv {self.nv}, {about['mass']:.6g} kg, tool {about['tool']}"
                 + (", on a moving base" if self.has_moving_base else "")]
        for row in rows:
            cells = [cell.ljust(w) if k < 4 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head, *rows = repr(self).split("\n")
        return f"<b>{escape(head)}</b><pre>{escape(chr(10).join(rows))}</pre>"

    @property
    def home(self) -> Array:
        """q with every joint at 0, and a free base at the origin of the world, not rotated"""
        q = np.zeros(self.nq)
        if self.has_free_base:
            q[6] = 1.0
        return q

    def random_state(self, *shape: int, seed: int | None = None) -> tuple[Array, Array, Array]:
        """q within the limits, a free base within 1 m in any orientation; qd and qdd within ±1; shape (*shape, n).

        Closed loops close at these q; ValueError where no such q is found.
        """
        dice = np.random.default_rng(seed)
        q = self._random_positions(dice, shape)
        qd, qdd = dice.uniform(-1, 1, (*shape, self.nv)), dice.uniform(-1, 1, (*shape, self.nv))
        return self._closed(dice, q), qd, qdd

    def _drawn(self, dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return self._closed(dice, self._random_positions(dice, shape))

    def _closed(self, dice: np.random.Generator, q: Array) -> Array:
        if self._describe()["loops"]:
            self._draw_until_closed(dice, q.reshape(-1, self.nq))
        return q

    def _random_positions(self, dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
        limits = self.limits
        q = dice.uniform(np.maximum(limits.lower, -np.pi), np.minimum(limits.upper, np.pi), (*shape, self.nv))
        if self.has_free_base:
            turn = dice.normal(size=(*shape, 4))
            turn /= np.linalg.norm(turn, axis=-1, keepdims=True)
            q = np.concatenate([q[..., :3] / np.pi, turn, q[..., 6:]], axis=-1)
        return q

    def _draw_until_closed(self, dice: np.random.Generator, q: Array) -> None:
        """Replaces the rows of q at which the closed loops do not close."""
        left = np.arange(len(q))
        for _ in range(200):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NoResultWarning)
                found = self.place(np.repeat(q[left], 2, axis=0))[::2]  # one state alone would raise
            left = left[np.isnan(found).any(axis=-1)]
            if len(left) == 0:
                return
            q[left] = self._random_positions(dice, (len(left),))
        raise ValueError(f"robot '{self.name}': no q within its limits was found at which its loops close")
