"""Robot: a model that was read or built, and everything that can be computed with it."""

from __future__ import annotations

import os
import sys
import warnings
from importlib.util import find_spec
from inspect import Parameter, Signature
from pathlib import Path
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Callable, Final, Generic, Mapping, Protocol, Sequence, TypeVar, Union, overload

import numpy as np

from . import _batches, _calibration, _catena, _code, _control, _jobs, _laws, _links, _logs, _manifold, _motion, _page, _simulation, _to_pinocchio
from ._builder import Builder, JointType
from ._described import DescribedRobot
from ._progress import Progress, progress as _watched
from ._robots import Robots, parameter_rows
from ._types import Array, ArrayLike, Engine, ModelWarning
from ._words import python_words

if TYPE_CHECKING:
    from ._catena import ArrayJob

Result = TypeVar("Result")

MODELS = str(Path(__file__).parent / "share" / "catena" / "models")  # where the program looks too


# How a robot was created, so that a pickle restores it exactly: a first step and then changes.
_STEPS: dict[str, Callable[..., _catena.RobotCore]] = {
    "read": lambda text, name, strict, lenient, *_: _catena.parse_robot(text, name, strict, lenient),
    "build": _catena.build,
    "lock": _catena.lock,
    "payload": _catena.payload,
    "with_gravity": _catena.with_gravity,
    "stiff": _catena.stiff,
    "rigid": _catena.rigid,
    "snap": _catena.snap,
    "assembled": _catena.assembled,
    "general_arm": _catena.general_arm,
    "on_free_base": _catena.on_free_base,
    "on_moving_base": _catena.on_moving_base,
    "passive": _catena.passive,
    "friction": _catena.friction,
    "only": _catena.only,
    "with_parameters": _catena.one_robot,
    "join": lambda core, steps, *rest: _catena.join(core, _follow(steps), *rest),
}


def _follow(steps: Sequence[tuple[Any, ...]]) -> "Robot":
    core: Any = None
    for name, *arguments in steps:
        with python_words(lenient=False):
            core = _STEPS[name](*arguments) if core is None else _STEPS[name](core, *arguments)
    return Robot(core, tuple(steps))


class Robot(DescribedRobot):
    """A robot. Every job of the library is a method: inverse_dynamics, forward_dynamics, inertia_matrix, pose, ….

    Arrays may have any leading dimensions: q.shape == (..., nq). jobs() lists the methods with their shapes and units.
    A robot never changes; payload(), lock(), with_gravity(), on_free_base() and on_moving_base() return another one.
    Threads may share it.
    """

    def __init__(self, core: _catena.RobotCore, steps: tuple[Any, ...]) -> None:
        super().__init__(core)
        self._steps = steps

    def _changed(self, *step: Any) -> "Robot":
        with python_words(lenient=False):
            return Robot(_STEPS[step[0]](self, *step[1:]), (*self._steps, step))

    def __reduce__(self) -> Any:
        return _follow, (self._steps,)

    def __copy__(self) -> "Robot":
        return self

    def __deepcopy__(self, memo: Any) -> "Robot":
        return self

    def position_hessian(self, q: ArrayLike, frame: str | None = None) -> Array:
        """Second derivatives of a frame's position by q, shape (..., 3, nv, nv); without a name the tool's.

        From the accelerations J̇ q̇, which are quadratic in the speeds. Along a free base, whose turns do not commute,
        the mean of both orders.
        """
        n, at = self.nv, np.asarray(q, float)[..., None, None, :]
        speeds = np.eye(n)
        pairs = self.evaluate("drift", at, speeds[:, None] + speeds[None, :], frame=frame)[..., :3]
        alone = np.diagonal(pairs, axis1=-3, axis2=-2) / 4  # twice a speed: four times the acceleration
        return np.moveaxis(pairs, -1, -3) / 2 - (alone[..., :, None] + alone[..., None, :]) / 2

    # -- changed robots --------------------------------------------------------------------------------------------
    def payload(self, mass: float, com: ArrayLike = (0, 0, 0), inertia: ArrayLike = (0, 0, 0, 0, 0, 0),
                frame: str = "") -> "Robot":
        """The robot with a body fixed to a frame (the tool): mass kg, com m, inertia xx, yy, zz, xy, xz, yz about com, kg m²."""
        return self._changed("payload", frame, float(mass), tuple(np.ravel(com)), tuple(np.ravel(inertia)))

    def lock(self, **joints: float) -> "Robot":
        """The robot with these joints fixed at these values, rad or m."""
        return self._changed("lock", [(name, float(value)) for name, value in joints.items()])

    def with_gravity(self, gravity: ArrayLike) -> "Robot":
        """The robot under another gravity, m/s² along the axes of the base link."""
        return self._changed("with_gravity", tuple(float(g) for g in np.ravel(gravity)))

    def stiff(self) -> "Robot":
        """The robot without elasticity of its joints: rotors turn with the links."""
        return self._changed("stiff")

    def rigid(self) -> "Robot":
        """The robot without friction, rotor inertia, gears, springs and offsets."""
        return self._changed("rigid")

    def snap(self, within: float) -> "Robot":
        """The robot with entries of rotations between joints that are within this of 0 and ±1 taken as exact (1e-14 where this is
        not called): cheaper where a file has 1.5708 for a right angle. Compare torques before and after."""
        return self._changed("snap", float(within))

    def assembled(self, **joints: float) -> "Robot":
        """The robot with its closed loops assembled another way: joints are looked for first at these values, rad or m."""
        return self._changed("assembled", [(name, float(value)) for name, value in joints.items()])

    def passive(self, *joints: str) -> "Robot":
        """The robot with these joints without a motor too."""
        return self._changed("passive", list(joints))

    def friction(self, joints: Mapping[str, ArrayLike]) -> "Robot":
        """The robot with other friction: {joint: (viscous, dry, stribeck, speed)} in N m s/rad, N m, N m and rad/s (N s/m, N,
        N and m/s where it slides); values left out at the end are 0."""
        rows = {name: tuple(map(float, np.ravel(values))) for name, values in joints.items()}
        return self._changed("friction", {name: (*row, *(0.0,) * (4 - len(row))) for name, row in rows.items()})

    def parameters(self) -> dict[str, float]:
        """θ of the model by name, in the order of the columns of regressor: m1, m1 cx1, …, in SI units.

        regressor(q, qd, qdd) @ list(parameters().values()) is inverse_dynamics(q, qd, qdd).
        """
        names, values = _catena.parameters(self)
        return dict(zip(names, map(float, values)))

    @overload
    def with_parameters(self, theta: Mapping[str, float]) -> "Robot": ...
    @overload
    def with_parameters(self, theta: ArrayLike) -> "Robot | Robots": ...
    def with_parameters(self, theta: Mapping[str, float] | ArrayLike) -> "Robot | Robots":
        """The robot with other parameters, in the order and the units of parameters(): θ of one robot, or some of them by
        name; or Robots, one for each row of an array (..., parameters)."""
        if isinstance(theta, Mapping):
            known = self.parameters()
            if unknown := [name for name in theta if name not in known]:
                raise ValueError(f"robot '{self.name}' has no parameter '{unknown[0]}'; it has {', '.join(known)}")
            theta = list({**known, **theta}.values())
        rows = parameter_rows(self, theta)
        return Robots(self, rows) if rows.ndim > 1 else self._changed("with_parameters", tuple(map(float, rows)))

    def only(self, *links: str) -> "Robot":
        """The robot with the mass and inertia of only these links, without friction, rotors and springs: what they add."""
        return self._changed("only", list(links))

    def check(self) -> list[str]:
        """What `catena check` says about the model: its warnings, a line each."""
        return self.warnings

    def engine_of(self, job: str, *, method: str = "", frame: str = "", engine: str = "generic", dtype: Any = float) -> Engine:
        """What computes a batch of the job with these arguments: engine, formulation, states at once. With
        engine="compiled" this compiles. dtype: float or numpy.float32, that of the arrays."""
        make = _catena.engine_of_float if np.dtype(dtype) == np.float32 else _catena.engine_of
        return Engine(**make(self, job, method, frame, engine))

    def on_free_base(self, joint: str = "floating_base", world: str = "world") -> "Robot":
        """The robot with its base free: q = position, quaternion (x, y, z, w), joints; qd = twist of the base along its own
        axes, linear then angular, joints; nq = nv + 1, as for Pinocchio's free flyer."""
        return self._changed("on_free_base", joint, world)

    def on_moving_base(self) -> "Robot":
        """The robot on a base with a prescribed motion: a vehicle, a ship. Every job takes one more array, base (..., 12):
        the velocity v of the base link's origin and its angular velocity w, m/s and rad/s along the axes of the base link,
        and the time derivatives of these six; without it the base is at rest. q, qd, qdd and tau are those of the joints,
        as before. An accelerometer on the base measures dv/dt + w × v - g. Gravity keeps its direction along the axes of
        the base link.

            ship = robot.on_moving_base()
            tau = ship.inverse_dynamics(q, qd, qdd, base=(0, 0, 0, 0, 0.1, 0, 0, 0, 2.0, 0, 0.3, 0))
        """
        return self._changed("on_moving_base")

    def save(self, path: str | os.PathLike[str], *, format: str = "", force: bool = False) -> None:
        """Writes the model in the format of the path's ending, .toml, .urdf, …; or in this one, "toml", "urdf", ….

        Raises FileExistsError if the file exists; force: replace it.
        """
        if not force and os.path.exists(path):
            raise FileExistsError(f"{os.fspath(path)} exists; force=True replaces it")
        self._save(os.fspath(path), format)

    def to_pinocchio(self) -> Any:
        """A pinocchio.Model with the same joints, inertias, frames and limits; rotors as armature."""
        return _to_pinocchio.to_pinocchio(self)

    # -- the rest, each in its own file ------------------------------------------------------------------------------
    neutral: Final = _manifold.neutral
    normalize: Final = _manifold.normalize
    integrate: Final = _manifold.integrate
    difference: Final = _manifold.difference
    interpolate: Final = _manifold.interpolate
    random: Final = _manifold.random
    simulate: Final = _simulation.simulate
    run: Final = _batches.run
    operational_inertia: Final = _batches.operational_inertia
    coriolis_coefficients: Final = _batches.coriolis_coefficients
    motor_torques: Final = _batches.motor_torques
    base_parameters: Final = _batches.base_parameters
    parameter_sensitivity: Final = _batches.parameter_sensitivity
    assemblies: Final = _batches.assemblies
    links: Final = _links.links
    denoc: Final = _links.denoc
    controller: Final = _laws.controller
    trajectory: Final = _motion.trajectory
    time_optimal: Final = _motion.time_optimal
    check_limits: Final = _motion.check_limits
    state_space: Final = _control.state_space
    cartesian_model: Final = _control.cartesian_model
    cartesian_linearize: Final = _control.cartesian_linearize
    cartesian_state_space: Final = _control.cartesian_state_space
    elastic_inverse: Final = _motion.elastic_inverse
    equilibria: Final = _control.equilibria
    inverse_kinematics: Final = _control.inverse_kinematics
    ellipsoids: Final = _control.ellipsoids
    excite: Final = _calibration.excite
    kinematic_sensitivity: Final = _calibration.kinematic_sensitivity
    read_log: Final = _logs.read_log
    prepare_log: Final = _logs.prepare_log
    equations: Final = _code.equations
    generate: Final = _code.generate
    fmu: Final = _code.fmu
    count: Final = _code.count
    compare: Final = _code.compare
    show: Final = _page.show
    report: Final = _page.report

    @overload
    def compile(self, job: ArrayJob = ..., *, method: str = ..., frame: str = ..., search: bool = ..., fallback: bool = ...,
                progress: Progress = ...) -> "CompiledJob[Array]": ...
    @overload
    def compile(self, job: str, *, method: str = ..., frame: str = ..., search: bool = ..., fallback: bool = ...,
                progress: Progress = ...) -> "CompiledJob[Any]": ...
    def compile(self, job: str = "inverse_dynamics", *, method: str = "", frame: str = "", search: bool = True,
                fallback: bool = False, progress: Progress = None) -> "CompiledJob[Any]":
        """A job as code generated for this robot and compiled by the C compiler of this machine; kept in a cache.

        method: a formulation; without one the cheapest. frame: for jobs that take one. search: look for the cheapest
        program. fallback: where it cannot be compiled, use the generic engine instead of raising CompileError. progress: as
        show of catena.progress().
        """
        with _watched("compiling", progress):
            return CompiledJob(self, job, method, frame, search, fallback)

    def casadi(self, *jobs: str, name: str = "", method: str = "", frame: str = "", keep: str = "", gravity_input: bool = False,
               search: bool = True) -> Any:
        """A job as a casadi.Function of SX, without a call back: CasADi differentiates it to any order, maps it and writes it
        as code. Several jobs: one function with all their results. Further arguments are as in generate()."""
        from .adapters import casadi

        return casadi.function(self, *jobs, name=name, method=method, frame=frame, keep=keep, gravity_input=gravity_input,
                               search=search)

    @overload
    def methods(self, job: None = ...) -> dict[str, list[str]]: ...
    @overload
    def methods(self, job: str) -> list[str]: ...
    def methods(self, job: str | None = None) -> dict[str, list[str]] | list[str]:
        """The formulations of a job, or of all jobs by method name."""
        return _jobs.methods(job)


if TYPE_CHECKING:
    class _Compiled(_catena.CompiledJob, Generic[Result]):
        def __call__(self, *given: ArrayLike) -> Result: ...
else:
    class _Compiled(_catena.CompiledJob):  # types of nanobind have one base
        __class_getitem__ = classmethod(GenericAlias)


class CompiledJob(_Compiled[Result]):
    """A job of one robot as code compiled for it, made by Robot.compile(): call it as the robot's method. A pickle compiles
    again where it is unpacked, or finds the code in the cache."""

    def __init__(self, *made_by: Any):
        super().__init__(_catena.compile_job(*made_by))
        self._made_by = made_by
        taken = (name for name, _ in made_by[0]._inputs(made_by[1]))
        self.__signature__: Signature = Signature([Parameter(name, Parameter.POSITIONAL_ONLY) for name in taken])

    def __reduce__(self) -> Any:
        return CompiledJob, self._made_by


class MujocoModel(Protocol):
    """A mujoco.MjModel, also for a type checker that has no MuJoCo."""

    @property
    def nbody(self) -> int:
        """How many bodies it has."""


Model = Union[str, "os.PathLike[str]", "Builder", "MujocoModel"]


def load(model: Model, *, strict: bool = False, lenient: bool = False, xacro: Mapping[str, object] | None = None,
         package_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = ()) -> Robot:
    """A robot by a shipped model's name, from a file (.toml, .urdf, .xml: MJCF, .sdf, .xacro), from the text of one, from a Builder
    or from a mujoco.MjModel.

    strict: warnings become errors. lenient: a physically impossible inertia is accepted as written, and whatever in an
    MJCF or SDF file is not understood is left out, each with a warning.
    xacro: arguments of a .xacro file, {"ur_type": "ur5e"}; the package xacro expands it, and evaluates Python expressions in
    it. package_path: folders with ROS packages, for $(find NAME), beside those of ROS_PACKAGE_PATH.
    Raises ModelError, with one line per problem that says where it is and how to correct it.
    """
    if isinstance(model, Builder):
        return model.robot()
    if type(model).__name__ == "MjModel" and not isinstance(model, os.PathLike):
        from ._mujoco import mjcf_of

        return load(mjcf_of(model), strict=strict, lenient=lenient)
    given = os.fspath(model)
    is_text = isinstance(model, str) and ("\n" in given or given.lstrip().startswith("<"))
    folders = [package_path] if isinstance(package_path, (str, os.PathLike)) else package_path
    reading = [f"{key}:={_xacro_value(value)}" for key, value in (xacro or {}).items()], [os.fspath(folder) for folder in folders]
    with python_words():
        core, text, name = _catena.load_robot(given if is_text else _catena.find_model(given, MODELS), is_text, strict, lenient,
                                              *reading, sys.executable if find_spec("xacro") else "")
    robot = Robot(core, (("read", text.decode("utf-8"), name, strict, lenient, *reading),))
    for line in robot.warnings:
        warnings.warn(line, ModelWarning, stacklevel=2)
    return robot


def check(model: Model, **options: Any) -> list[str]:
    """Everything that is wrong or doubtful about a model, one line each: errors and warnings; empty if there is nothing.

    Arguments are those of load(), which raises the errors.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            return load(model, **options).warnings
    except _catena.ModelError as error:
        return str(error).splitlines()


def join(robot: Robot, other: Robot, frame: str = "", *, name: str = "", type: JointType = "fixed", origin: ArrayLike | None = None,
         axis: ArrayLike = (0, 0, 1), prefix: str = "") -> Robot:
    """Two robots as one: the base of the other is joined to a frame of the first (its tool).

    type: of the joint between: fixed, revolute or prismatic, with this name, 4 x 4 origin in the frame, and axis. q is that
    of the first, the joint's own, then the other's. prefix: for names of the other that the first also has; default its name.
    """
    between = Builder().joint(name, type, "", "", origin, axis)._parts["joints"][0]
    return robot._changed("join", other._steps, frame, between, prefix)


def _xacro_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def general_arm(n: int, twists: str = "general") -> Robot:
    """An arm of n revolute joints without a zero among its constants, to count operations on; twists: between axes, "general" or
    "right" angles."""
    if twists not in ("general", "right"):
        raise ValueError(f"twists is 'general' or 'right', not {twists!r}")
    return _follow([("general_arm", n, twists == "right")])


def models() -> list[str]:
    """Names of the models that ship with Catena."""
    return _catena.shipped_models(MODELS)
