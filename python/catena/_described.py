"""The description of a robot, and states for it."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from . import _catena
from ._types import Array, Limits


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

    @property
    def tool(self) -> str:
        """the frame that jobs use where none is given"""
        return self._describe()["tool"]

    @property
    def gravity_vector(self) -> Array:
        """m/s², along the axes of the base link"""
        return self._describe()["gravity"]

    @property
    def warnings(self) -> list[str]:
        """warnings from reading the model"""
        return self._describe()["warnings"]

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
        """q within the limits, a free base within 1 m in any orientation; qd and qdd within ±1; shape (*shape, n)."""
        dice = np.random.default_rng(seed)
        limits = self.limits
        low, high = np.maximum(limits.lower, -np.pi), np.minimum(limits.upper, np.pi)
        q = dice.uniform(low, high, (*shape, self.nv))
        qd, qdd = dice.uniform(-1, 1, (*shape, self.nv)), dice.uniform(-1, 1, (*shape, self.nv))
        if self.has_free_base:
            turn = dice.normal(size=(*shape, 4))
            turn /= np.linalg.norm(turn, axis=-1, keepdims=True)
            q = np.concatenate([q[..., :3] / np.pi, turn, q[..., 6:]], axis=-1)
        return q, qd, qdd
