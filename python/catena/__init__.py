"""Catena: the dynamics of robot manipulators.

    import catena
    robot = catena.load("panda")
    tau = robot.inverse_dynamics(q, qd, qdd)      # q.shape == (..., 7)
"""

from __future__ import annotations as _annotations

import importlib as _importlib
import typing as _typing

from . import _catena
from ._calibration import Calibrator, Excitation
from ._catena import CompileError, ModelError, NoResultError
from ._code import Count, Equations
from ._control import Ellipsoids, Equilibrium, Regulator, StateSpace, lqr
from ._identify import Identifier, identify_gains, identify_payload
from ._batches import BaseParameter, Sensitivity
from ._jobs import Source, jobs, methods, sources
from ._laws import Controller, Law, control_laws
from ._links import LinkModel, Screw
from ._logs import Finding, Log, PreparedLog
from ._motion import LimitReport, TimeOptimal, Trajectory
from ._progress import progress
from ._builder import Builder
from ._robot import CompiledJob, Robot, check, general_arm, join, load, models
from ._robots import Robots
from .interop import from_mujoco, from_pinocchio, from_roboticstoolbox
from ._events import Attach, Change, Close, Event
from ._simulation import Motion, Motions, SimulationError
from ._types import Engine, EngineWarning, Limits, ModelWarning, NoResultWarning, UnitsWarning, Wrench

__version__: str = _catena.version


if _typing.TYPE_CHECKING:
    from . import adapters, distributed, gpu, interop, signals
_ON_FIRST_USE = ("adapters", "distributed", "gpu", "signals")


def __getattr__(name: str) -> _typing.Any:
    if name in _ON_FIRST_USE:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*__all__, *_ON_FIRST_USE, "interop", "__version__"})


def integrators() -> list[str]:
    """Names for Robot.simulate(integrator=…)."""
    return _catena.integrators()


def languages() -> list[str]:
    """Names for Robot.generate(language=…)."""
    return _catena.languages()


__all__ = ["Attach", "BaseParameter", "Builder", "Calibrator", "Change", "Close", "CompileError", "CompiledJob", "Controller", "Count", "Ellipsoids", "Engine", "EngineWarning", "Equations", "Equilibrium", "Event", "Excitation", "Finding", "Identifier", "Law", "LimitReport", "Limits", "LinkModel", "Log", "ModelError", "ModelWarning", "Motion", "Motions", "NoResultError", "NoResultWarning", "PreparedLog", "Regulator", "Robot", "Robots", "Screw", "Sensitivity", "SimulationError", "Source", "StateSpace", "TimeOptimal", "Trajectory", "UnitsWarning", "Wrench", "check", "control_laws", "from_mujoco", "from_pinocchio", "from_roboticstoolbox", "general_arm", "identify_gains", "identify_payload", "integrators", "jobs", "join", "languages", "load", "lqr", "methods", "models", "progress", "sources"]
