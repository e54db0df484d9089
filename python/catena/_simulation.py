"""Motion under torques: Robot.simulate()."""

from __future__ import annotations

import operator
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Final, Iterable, Iterator, Literal, Mapping, Sequence, Union

import numpy as np

from . import _catena, _page
from ._batches import report, rows
from ._described import DescribedRobot
from ._events import BaseMotion, Change, Event, RunWrench, TorqueFunction, attached, base_motion, run_wrenches
from ._laws import Controller
from ._motion import Trajectory
from ._progress import progress as watched
from ._types import Array, ArrayLike, EngineWarning, Numbers, Wrench

if TYPE_CHECKING:
    from ._catena import Integrator

TorqueName = Literal["zero", "pd", "pd-gravity", "computed", "feedforward", "lqr", "operational", "resolved"]
Torque = Union[TorqueName, Numbers, TorqueFunction, Controller]


class _Shown:
    show: Final = _page.show
    report: Final = _page.report


@dataclass(frozen=True)
class Motion(_Shown):
    """The result of a simulation, one row per sample."""

    robot: DescribedRobot
    t: Array  # (samples,), s
    q: Array  # (samples, nq), rad (m)
    qd: Array  # (samples, nv), rad/s (m/s)
    tau: Array  # (samples, nv), N m (N): torques of the drives
    kinetic_energy: Array  # (samples,), J
    potential_energy: Array
    work: Array  # of the drives since the start, J
    losses: Array  # to friction and impacts since the start, J
    external_work: Array  # of external wrenches since the start, J
    events: list[tuple[float, str]]  # time and description
    steps: int
    evaluations: int
    balance: float  # largest error of the energy balance, J
    complete: bool  # whether the last time was reached
    stopped: bool  # whether an event ended it
    ended_by: str  # the event, or what went wrong; empty where it is complete
    base_work: Array  # of inertial forces where the base moves, since the start, J; energies are then relative to the base
    base_orientation: Array  # (samples, 4), quaternion (x, y, z, w) of a base that moves
    joints: list[str]  # columns of qd and tau; where events attach parts, with theirs, nan while they are not there
    changes: list[Change] = field(default_factory=list)  # by events that change the robot
    q_ref: Array | None = None  # (samples, nq), rad (m): the positions that the law follows or holds, where it has any
    pose_ref: Array | None = None  # (samples, 4, 4), m: the same of a frame
    _frame: int = field(default=-1, repr=False)  # which frame that is
    _turns: bool = field(default=False, repr=False)  # whether its axes follow too
    _whole: bool = field(default=True, repr=False)  # whether the robot stayed the same
    _free: bool = field(default=True, repr=False)  # whether torques alone moved it: no stops, no wrenches

    @property
    def qdd(self) -> Array:
        """Accelerations at the samples, rad/s² (m/s²); without external wrenches, of a robot on a base at rest that does not
        change."""
        if self.changes or self.robot.has_moving_base:
            raise ValueError("accelerations are known where the base is at rest and the robot does not change")
        return self.robot.forward_dynamics(self.q, self.qd, self.tau)

    def plot(self, *what: str, figure: Any = None) -> Any:
        """Plots q, qd, tau (or the quantities named, also "energy") over time with Matplotlib; returns the figure."""
        import matplotlib.pyplot as plt

        panels = {"q": (self.q, "q, rad"), "qd": (self.qd, "qd, rad/s"), "tau": (self.tau, "tau, N m"), "energy": (None, "J")}
        chosen = what or ("q", "qd", "tau")
        for name in chosen:
            if name not in panels:
                raise ValueError(f"there is nothing '{name}' to plot; there are {', '.join(panels)}")
        figure = figure or plt.figure(figsize=(7, 2.2 * len(chosen)), layout="constrained")
        axes = figure.subplots(len(chosen), 1, sharex=True, squeeze=False)[:, 0]
        for ax, name in zip(axes, chosen):
            values, label = panels[name]
            if values is None:
                for key in ("kinetic_energy", "potential_energy", "work", "losses"):
                    ax.plot(self.t, getattr(self, key), label=key.replace("_", " "))
            else:
                names = self.joints
                for k in range(values.shape[1]):
                    ax.plot(self.t, values[:, k], label=names[k] if values.shape[1] == len(names) else f"{name}[{k}]")
            for when, _ in self.events:
                ax.axvline(when, color="0.8", linewidth=0.8, zorder=0)
            ax.set_ylabel(label)
        axes[0].legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
        axes[-1].set_xlabel("t, s")
        return figure


    def __repr__(self) -> str:
        end = "complete" if self.complete else f"ended by {self.ended_by}"
        return (f"<Motion of '{self.robot.name}': {len(self.t)} samples, t = {self.t[0]:g} to {self.t[-1]:g} s, "
                f"{len(self.events)} events, {end}>" if len(self.t) else f"<Motion of '{self.robot.name}': no samples, {end}>")


@dataclass(frozen=True)
class Motions(Motion):
    """The results of simulations from many starts, (...), on the same times t: q is (..., samples, nq), qd and tau are (..., samples, nv),
    energies and works (..., samples), base_orientation (..., samples, 4). Rows that a run did not reach are nan; [index] is the
    Motion from one start."""

    events: Array  # type: ignore[assignment]  # (...), of lists of time and description
    steps: Array  # type: ignore[assignment]  # (...), as the next five
    evaluations: Array  # type: ignore[assignment]
    balance: Array  # type: ignore[assignment]
    complete: Array  # type: ignore[assignment]
    stopped: Array  # type: ignore[assignment]
    ended_by: Array  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.complete)

    def __getitem__(self, index: int | tuple[int, ...]) -> Motion:
        same = ("robot", "t", "joints", "changes", "q_ref", "pose_ref", "_frame", "_turns", "_whole", "_free")
        own = {name: value[index] for name, value in vars(self).items() if name not in same}
        if np.ndim(own["complete"]):
            raise IndexError(f"one number for each of the {self.complete.ndim} dimensions of starts")
        reached = ~np.isnan(own["kinetic_energy"])
        arrays = {name: value[reached] for name, value in own.items() if isinstance(value, np.ndarray)}
        plain = {name: value.item() for name, value in own.items() if isinstance(value, np.generic)}
        return Motion(self.robot, self.t[reached], joints=self.joints, _whole=self._whole, _free=self._free, **{**own, **arrays, **plain})

    def __iter__(self) -> Iterator[Motion]:
        return (self[index] for index in np.ndindex(self.complete.shape))

    def plot(self, *what: str, figure: Any = None) -> Any:
        raise ValueError("plot one of them: motions[0].plot()")

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.complete.shape))
        return f"<Motions of '{self.robot.name}': {shape} starts, {len(self.t)} samples, {int(self.complete.sum())} complete>"


class SimulationError(RuntimeError):
    """A simulation that could not continue; motion holds everything up to that point."""

    def __init__(self, text: str, motion: Motion):
        super().__init__(text, motion)
        self.motion = motion

    def __str__(self) -> str:
        return str(self.args[0])


def _goal(torque: str, given: dict[str, Any]) -> dict[str, Any]:
    """The goals of a frame: points (3), or poses (4 x 4), one or several."""
    if "goal" not in given:
        raise ValueError(f"torque='{torque}' needs a goal")
    goal = np.asarray(given["goal"], float)
    if torque == "operational":
        return {"goal": goal}
    if goal.ndim in (2, 3) and goal.shape[-2:] == (4, 4):
        poses = goal.reshape(-1, 4, 4)
        turned = poses[:, :3, :3]
        if not (np.allclose(turned @ turned.transpose(0, 2, 1), np.eye(3), atol=1e-6) and (np.linalg.det(turned) > 0).all()):
            raise ValueError("goal: a pose is a rotation and a point, homogeneous (4 x 4)")
        return {"goal": poses.reshape(-1, 16), "turns": True}
    if goal.ndim not in (1, 2) or goal.shape[-1] != 3:
        raise ValueError(f"goal has the shape {goal.shape}; it takes points (3) or (k, 3), or poses (4, 4) or (k, 4, 4)")
    return {"goal": goal.reshape(-1, 3), "turns": False}


def _stepped(robot: DescribedRobot, torque: Controller, given: dict[str, Any], only: Callable[..., None]) -> dict[str, Any]:
    """A law that steps, and what it follows: a target or a trajectory of the joints, goals of its frame."""
    joints, frame = "q_ref" in torque.inputs, "pose_ref" in torque.inputs
    only(*(["target", "trajectory"] if joints else []), *(["goal"] if frame else []), *(["force"] if "force_ref" in torque.inputs else []))
    law: dict[str, Any] = {"law": "stepped", "core": torque._core}
    if joints:
        if "target" in given and "trajectory" in given:
            raise ValueError("give a target or a trajectory, not both")
        law |= {"trajectory": given["trajectory"]} if "trajectory" in given else {"target": given.get("target", robot.home)}
    if frame:
        law |= _goal("resolved", given) if "goal" in given else {"goal": np.zeros((0, 3)), "turns": False}
    if "force" in given:
        force = np.ravel(np.asarray(given["force"], float))
        if force.size not in (3, 6):
            raise ValueError(f"force has {force.size} entries; it takes a force (3), or a force and a moment (6)")
        law["force"] = np.concatenate([force, np.zeros(6 - force.size)])
    return law


def _law(robot: DescribedRobot, torque: Torque, options: dict[str, Any]) -> dict[str, Any]:
    """The law as plain data; options that it does not use are rejected."""
    given = {name: value for name, value in options.items() if value is not None}

    def only(*allowed: str) -> None:
        for name in given:
            if name not in allowed:
                raise ValueError(f"{name} does not go with torque={torque if isinstance(torque, str) else 'as given'!r}")

    if isinstance(torque, Controller):
        return _stepped(robot, torque, given, only)
    if callable(torque):
        only()
        return {"law": "python", "function": torque}
    if not isinstance(torque, str):
        values = np.asarray(torque, float)
        if values.ndim < 2:
            only()
            return {"law": "constant", "tau": values}
        only("torque_times")
        if "torque_times" not in given:
            raise ValueError("a table of torques needs torque_times, one per row")
        return {"law": "table", "tau": values, "times": given["torque_times"]}
    if torque == "zero":
        only()
        return {"law": "zero"}
    if torque in ("operational", "resolved"):
        only("goal", "frame", "kp", "kd")
        return {"law": torque, "kp": float(given.get("kp", 100.0)), "kd": float(given.get("kd", 20.0)),
                "frame": given.get("frame", ""), **_goal(torque, given)}
    only("target", "trajectory", *(["weights"] if torque == "lqr" else ["kp", "kd"]))
    if "target" in given and "trajectory" in given:
        raise ValueError("give a target or a trajectory, not both")
    law = {"law": torque, "kp": given.get("kp", 100.0), "kd": given.get("kd", 20.0), "weights": given.get("weights", (100.0, 1.0, 0.01))}
    if "trajectory" in given:
        return {**law, "trajectory": given["trajectory"]}
    return {**law, "target": given.get("target", robot.home)}


def _event(robot: DescribedRobot, event: Event) -> dict[str, Any]:
    law = None if event.torque is None else _law(robot, event.torque, dict(event.options))
    return dict(kind=event.kind, value=float(event.value), joint=event.joint, frame=event.frame, normal=event.normal,
                function=event.function, name=event.name, direction=event.direction, stop=event.stop, torque=law,
                robot=event.robot, attach=None if event.attach is None else attached(robot, event.attach), detach=event.detach,
                close=None if event.close is None else event.close._asdict(), open=event.open, set_mass=event.set_mass, changes=event.changes,
                what=event.name or f"{event.kind} {event.joint or event.frame or ''} {event.value:g}".replace("  ", " "))


def simulate(robot: DescribedRobot, time: float | ArrayLike, q: ArrayLike | None = None, qd: ArrayLike | None = None, *,
             torque: Torque = "zero", target: ArrayLike | None = None, trajectory: Trajectory | None = None,
             kp: ArrayLike | None = None, kd: ArrayLike | None = None, weights: ArrayLike | None = None,
             goal: ArrayLike | None = None, frame: str | None = None, force: ArrayLike | None = None, torque_times: ArrayLike | None = None,
             events: Sequence[Event] = (), wrenches: Mapping[str, RunWrench] | Iterable[Wrench] | None = None, base: BaseMotion | None = None,
             controller_model: DescribedRobot | None = None, samples: int = 101, integrator: Integrator = "verner",
             rtol: float = 1e-9, atol: float = 1e-11, step: float = 1e-3, method: str = "", stops: bool = False,
             restitution: float = 0.0, saturate: bool = False, max_steps: int = 10_000_000, engine: str = "generic", threads: int | None = None,
             period: float | None = None, progress: bool | Callable[[float], object] | None = None, on_failure: Literal["raise", "return"] = "raise") -> Motion:
    """The motion from q, qd; by default from the start of the trajectory where one is followed, else from home at rest: a Motion.
    From many starts, q (..., nq) or qd (..., nv), broadcast, side by side on all cores: Motions.

    time: the duration, s, divided into samples; or the times of the samples.
    torque: "zero"; "pd", "pd-gravity", "computed", "feedforward" (with target or trajectory, kp, kd); "lqr" (with target or
        trajectory, and weights of positions, speeds and torques); "operational" moves a frame's origin to a goal (3),
        "resolved" moves it on straight lines through goals, points (k, 3) or poses (k, 4, 4) (with frame, kp, kd); an
        array of torques (N m), a table of them with torque_times, or a function of t, q, qd that returns them; or a
        Controller (Robot.controller), with target, trajectory, goal and force as its law takes them.
    period: the law is evaluated once per period, s, and its torques are held in between; default 1 ms for a Controller, else it
        is evaluated whenever the integrator needs it.
    events: see Event. wrenches: {frame: (fx, fy, fz, mx, my, mz)} in N and N m, the same throughout the run; or rows of t and these
        six, (k, 7), straight lines between them; or a function of t, q, qd that returns six. Or Wrenches with them.
    base: how the base of a robot on_moving_base() moves: its twist (6,), m/s and rad/s along its own axes, constant; with how fast
        these change (12,), m/s² and rad/s²; rows with a time first, (k, 7) or (k, 13), over the whole run; or a function of t that
        returns 12. Gravity keeps its direction in the world.
    controller_model: the robot that a named law assumes, if it differs from the one that moves.
    engine: "compiled" runs forward dynamics on code compiled for the robot. threads: for many starts; by default one per core.
    stops: make joint limits hard stops, with restitution. saturate: drive torques stay within the model's effort limits.
    integrator: see catena.integrators(); those with a fixed step use step, the others rtol and atol. max_steps: of it.
    progress: True, a bar; or a function, which is called with the time at every sample, and now and then in between; of many starts,
        with how many are done.
    on_failure: a run that cannot continue raises SimulationError, which has the motion up to that point; with "return" that is
        returned, and says why it ended. Runs that an event stops are returned always. Of many starts, those that fail are nan from
        there on, and a NoResultWarning says how many; with "return" none does.
    """
    if on_failure not in ("raise", "return"):
        raise ValueError(f"on_failure is 'raise' or 'return', not {on_failure!r}")
    if operator.index(max_steps) < 1:
        raise ValueError(f"max_steps is at least 1, not {max_steps}")
    times = np.asarray(time, float)
    if times.ndim == 0:
        times = np.linspace(0.0, float(times), samples)
    law = _law(robot, torque, dict(target=target, trajectory=trajectory, kp=kp, kd=kd, weights=weights, goal=goal, frame=frame,
                                   force=force, torque_times=torque_times))
    if period is None:
        period = 1e-3 if isinstance(torque, Controller) else 0.0
    elif not period > 0:
        raise ValueError(f"period is positive, not {period}")
    changes = any(event.changes for event in events)
    options = dict(base=base_motion(robot, base, times), controller_model=controller_model, engine=engine, changes=changes, integrator=integrator, rtol=rtol, atol=atol, step=step, method=method, stops=stops,
                   restitution=restitution, saturate=saturate, period=float(period), wrenches=run_wrenches(wrenches), max_steps=operator.index(max_steps), progress=None)
    start, speed = (robot.home, np.zeros(robot.nv)) if trajectory is None else trajectory(times[0] if times.size else 0.0)[:2]
    happen = [_event(robot, event) for event in events]
    first: ArrayLike = start if q is None else q
    rate: ArrayLike = speed if qd is None else qd
    if np.ndim(first) > 1 or np.ndim(rate) > 1:
        if changes:
            raise ValueError("events that change the robot take one start")
        options["progress"] = progress if callable(progress) else None
        return _many(robot, first, rate, times, law, happen, options, threads, on_failure)
    if threads is not None:
        raise ValueError("threads are for many starts")
    if changes and engine != "generic":
        raise ValueError("a robot that changes is not compiled")
    with watched("simulation", True if progress is True else None) as bar:
        begin, length = (times[0], times[-1] - times[0]) if times.size else (0.0, 0.0)
        options["progress"] = progress if callable(progress) else bar and (lambda t: bar((t - begin) / (length or 1.0)))
        run = (_changing if changes else _catena.simulate)(robot, first, rate, times, law, happen, options)
    _warn_of_engine(run.pop("not_compiled", ""))
    motion = Motion(robot, **{"joints": list(robot.joint_names), **run, "changes": [Change(*own) for own in run.get("changes", [])]},
                    _whole=not changes and all(event.robot is None for event in events), _free=not stops and not wrenches)
    if on_failure == "raise" and not motion.complete and not motion.stopped:
        reached = f"t = {motion.t[-1]:g} s: " if len(motion.t) else ""
        raise SimulationError(reached + motion.ended_by, motion)
    return motion


def _changing(robot: DescribedRobot, q: ArrayLike, qd: ArrayLike, times: Array, law: dict[str, Any], events: list[dict[str, Any]],
              options: dict[str, Any]) -> dict[str, Any]:
    """A run in which parts come and go. Events are told apart by their names there."""
    for k, event in enumerate(events):
        event["name"] = event["name"] or event["kind"]
        event["what"] += "" if all(event["what"] not in (own["what"], own["name"]) for own in events[:k]) else f" ({k + 1})"
    run = _catena.simulate_changing(robot, q, qd, times, law, events, options)
    run["stopped"] = any(event["stop"] and run["ended_by"] == event["what" if event["changes"] else "name"] for event in events)
    return run


def _warn_of_engine(why: str) -> None:
    if why:
        warnings.warn(f"the generic engine ran instead of compiled code: {why}", EngineWarning, stacklevel=3)


def _many(robot: DescribedRobot, q: ArrayLike, qd: ArrayLike, times: Array, law: dict[str, Any], events: list[dict[str, Any]],
          options: dict[str, Any], threads: int | None, on_failure: str) -> Motions:
    if threads is not None and operator.index(threads) < 1:
        raise ValueError(f"threads must be at least 1, not {threads}")
    lead, arrays = rows(q=(q, robot.nq), qd=(qd, robot.nv))
    run = _catena.simulate_many(robot, arrays["q"], arrays["qd"], times, {**law, "own": True}, events, options, threads or 0)
    _warn_of_engine(run.pop("not_compiled"))
    shaped: dict[str, Any] = {}
    for name, values in run.items():
        if isinstance(values, list):
            kind: Any = {"steps": int, "evaluations": int, "balance": float, "complete": bool, "stopped": bool}.get(name, object)
            array = np.empty(len(values), kind)
            array[:] = values if kind is not object or name == "ended_by" else [None] * len(values)
            if name == "events":
                for k, own in enumerate(values):
                    array[k] = own
            shaped[name] = array.reshape(lead)
        else:
            shaped[name] = values.reshape(*lead, *values.shape[1:])
    failed = np.flatnonzero(~shaped["complete"] & ~shaped["stopped"])
    if failed.size and on_failure == "raise":
        report((failed.size, int(failed[0]), shaped["ended_by"].ravel()[failed[0]]), lead, "runs")
    return Motions(robot, times, joints=list(robot.joint_names), **shaped)
