"""A program that uses the package widely, for mypy --strict and pyright; it also runs (test_types.py)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import catena
from catena import signals

Array = npt.NDArray[np.floating[Any]]


def jobs(robot: catena.Robot) -> None:
    q, qd, qdd = robot.random_state(seed=1)
    tau: Array = robot.inverse_dynamics(q, qd, qdd, method="denoc", engine="generic", wrenches={"panda_link8": (0, 0, 1, 0, 0, 0)})
    again: Array = robot.forward_dynamics(q, qd, tau, wrenches=[catena.Wrench("panda_link8", (0, 0, 1, 0, 0, 0), "frame")])
    assert np.allclose(again, qdd)
    energy = robot.energy(q, qd, out=(None, np.zeros(())))
    kinetic: Array = energy.kinetic_energy
    matrix, pivots = robot.factor(q)
    assert matrix.shape == (7, 7) and pivots.shape == (7,) and float(kinetic) >= 0
    pose: Array = robot.evaluate("pose", q, frame="panda_link7")
    both: tuple[Array, ...] = robot.evaluate("energy", q, qd)
    assert pose.shape == (4, 4) and len(both) == 2
    names: list[str] = robot.methods("inverse_dynamics")
    every: dict[str, list[str]] = catena.methods()
    assert every["inverse_dynamics"] == names
    counted: catena.Count = robot.count("inverse_dynamics", "denoc")
    all_counts: dict[str, catena.Count] = robot.count("inverse_dynamics")
    assert all_counts["denoc"].multiplications == counted.multiplications
    compiled = robot.compile("inverse_dynamics", fallback=True)
    fast: Array = compiled(q, qd, qdd)
    why: str = compiled.why
    assert fast.shape == (7,) and isinstance(why, str)
    who: catena.Engine = robot.engine_of("gravity")
    limits: catena.Limits = robot.limits
    assert who.engine == "generic" and limits.effort.shape == (7,)


def changed(robot: catena.Robot) -> list[catena.Robot]:
    builder = catena.Builder("pendulum").link("base").link("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01, 0, 0, 0))
    pendulum = builder.joint("hinge", "revolute", "base", "rod", axis=(0, 1, 0)).robot()
    return [robot.payload(1.0), robot.lock(panda_joint1=0.5), robot.with_gravity((0, 0, 0)), robot.on_free_base(),
            robot.on_moving_base(), robot.passive("panda_joint7"), robot.friction({"panda_joint1": (0.1, 0.2)}),
            catena.join(robot, pendulum, type="fixed")]


def positions(robot: catena.Robot) -> None:
    free = robot.on_free_base()
    q0, q1 = free.random(1), free.random(2)
    assert np.allclose(free.integrate(q0, free.difference(q0, q1))[:3], q1[:3])
    assert free.interpolate(q0, q1, 0.5).shape == (free.nq,) and free.normalize(q0).shape == free.neutral().shape


def motion(robot: catena.Robot) -> None:
    plan: catena.Trajectory = robot.trajectory([[0.0] * 7, [0.3] * 7], [0.0, 2.0], profile="quintic")
    q, qd, qdd = plan([0.0, 1.0])
    report: catena.LimitReport = robot.check_limits(plan, samples=50)
    fastest: catena.TimeOptimal = robot.time_optimal([[0.0] * 7, [0.2] * 7], intervals=50)
    run: catena.Motion = robot.simulate(0.1, torque="computed", trajectory=plan, integrator="verner", samples=3,
                                        events=[catena.Event.at_time(0.05)], on_failure="return")
    law: catena.Controller = robot.controller("pid", directions="all")
    held: catena.Motion = robot.simulate(0.01, torque=law, target=robot.home, samples=2, on_failure="return")
    assert q.shape == qd.shape == qdd.shape == (2, 7) and isinstance(report.respected, bool)
    assert fastest.motion.duration > 0 and run.q.shape[1] == 7 and held.tau.shape[1] == 7


def control(robot: catena.Robot) -> None:
    q = robot.random(4)
    model: catena.StateSpace = robot.state_space(q)
    gains: catena.Regulator = catena.lqr(model)
    solved = robot.inverse_kinematics(robot.pose(q), q)
    reached: bool = bool(solved.reached)
    axes: catena.Ellipsoids = robot.ellipsoids(q)
    names, moved = robot.kinematic_sensitivity(q, "modified")
    assert gains.K.shape == (7, 14) and reached and axes.translation.velocity.lengths.shape == (3,)
    assert len(names) == moved.shape[1] and robot.cartesian_model(q, coordinates="rpy").J.shape == (6, 7)


def identified(robot: catena.Robot) -> None:
    q, qd, qdd = robot.random_state(300, seed=3)
    X, tau = np.hstack([q, qd, qdd]), robot.inverse_dynamics(q, qd, qdd)
    fit = catena.Identifier(robot, drives=False).fit(X, tau)
    first: str = fit.estimates_[0].name
    rms: Array = fit.rms_
    assert first and rms.shape == (7,) and fit.score(X, tau) > 0.99
    found = catena.Calibrator(robot, parameters="offsets").fit(q, robot.pose(q)[:, :3, 3])
    corrected: catena.Robot = found.robot_
    assert corrected.nv == 7 and found.after.position < 1e-6
    low: Array = signals.low_pass(tau, rate=100.0, cutoff=10.0)
    assert low.shape == tau.shape


def written(robot: catena.Robot) -> None:
    source = robot.generate("inverse", "gravity", language="c", sines="library", search=False)
    text: str = robot.to_toml() + robot.to_urdf() + robot.to_mjcf()
    assert source.header and text and robot.parameters()
    equations: catena.Equations = catena.load("planar2r").equations("inertia")
    assert equations.latex and equations.text
    with tempfile.TemporaryDirectory() as folder:
        robot.save(Path(folder) / "a.toml")
        assert catena.load(Path(folder) / "a.toml").nv == 7 and catena.check("panda") == robot.check()


def main() -> None:
    robot: catena.Robot = catena.load("panda", strict=False)
    jobs(robot)
    assert all(other.nv >= 6 for other in changed(robot))
    positions(robot)
    motion(robot)
    control(robot)
    identified(robot)
    written(robot)


if __name__ == "__main__":
    main()
