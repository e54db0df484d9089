"""Control laws step by step, simulated, and as C."""

import ctypes
import subprocess

import numpy as np
import pytest

import catena

PLACE = [0.1, -1.0, 1.2, 0.3, 0.8, 0.2]
INERTIAL = {"along": [0, 0, 1, 0, 0, 0]}


def controllers(robot):
    n = robot.nv
    K = np.hstack([np.diag([100.0, 100, 50, 5, 5, 1])[:n, :n], np.diag([20.0, 20, 10, 0.5, 0.5, 0.1])[:n, :n]])
    for law in catena.control_laws():
        if law.name == "null-space":
            yield robot.controller(law.name, directions="translation")
        elif law.name == "lqr":
            yield robot.controller(law.name, gains=([0.0, 1.0], [K, 0.5 * K]))
        elif law.name == "hybrid":
            yield robot.controller(law.name, **INERTIAL)
        else:
            yield robot.controller(law.name)


def signals_of(law, rng):
    return {name: rng.uniform(-0.5, 0.5, size) for name, (_, size) in law.inputs.items()}


def test_every_law_steps_and_is_the_same_as_c(tmp_path):
    robot, rng = catena.load("ur5"), np.random.default_rng(1)
    names = []
    for law in controllers(robot):
        source, header = law.code("own")
        assert "own_step" in header
        (tmp_path / f"{law.law}.c").write_text(source)
        subprocess.run(["cc", "-O1", "-std=c99", "-shared", "-fPIC", "-o", str(tmp_path / f"{law.law}.so"), str(tmp_path / f"{law.law}.c")], check=True)
        library = ctypes.CDLL(str(tmp_path / f"{law.law}.so"))
        pointer = ctypes.POINTER(ctypes.c_double)
        library.own_step.argtypes = [pointer, pointer, pointer, ctypes.c_double, pointer]
        state = np.zeros(max(1, sum(v.size for v in law.state.values())))
        library.own_reset(state.ctypes.data_as(pointer))
        for _ in range(3):
            given = signals_of(law, rng)
            parts = [name for name, _, _ in law._core.measurement], [name for name, _, _ in law._core.reference]
            measurement, reference = (np.concatenate([given[name] for name in names_]) for names_ in parts)
            torque = np.zeros(robot.nv)
            library.own_step(*(a.ctypes.data_as(pointer) for a in (state, measurement, reference)), 1e-3, torque.ctypes.data_as(pointer))
            np.testing.assert_allclose(law.step(1e-3, **given), torque, rtol=1e-9, atol=1e-9)
        kept = np.concatenate([*law.state.values(), np.zeros(0)])
        np.testing.assert_allclose(kept, state[:kept.size], rtol=1e-9, atol=1e-9)
        names.append(law.law)
    assert len(names) == len(catena.control_laws()) == 11


def test_simulated_with_what_each_follows():
    robot = catena.load("ur5")
    for law in controllers(robot):
        joints, frame = "q_ref" in law.inputs, "pose_ref" in law.inputs
        wanted = {"target": PLACE} if joints else {}
        if frame:
            wanted["goal"] = robot.pose(PLACE)[:3, 3] + [0, 0, 0.01]
        if law.law == "hybrid":
            wanted["force"] = [0, 0, 0]
        motion = robot.simulate(0.3, PLACE, torque=law, integrator="rk4", samples=11, **wanted)
        assert motion.complete and np.isfinite(motion.tau).all(), law.law
        assert np.abs(motion.q[-1] - PLACE).max() < 0.1, law.law


def test_a_period_holds_torques():
    robot = catena.load("pelican")
    asked = []

    def law(t, q, qd):
        asked.append(t)
        return [0.0, 0.0]

    robot.simulate(0.1, torque=law, period=0.01)
    assert np.allclose(asked, np.arange(len(asked)) * 0.01) and 10 <= len(asked) <= 12
    with pytest.raises(ValueError, match="period is positive"):
        robot.simulate(0.1, period=-1)


def test_what_is_wrong_is_said():
    robot = catena.load("ur5")
    with pytest.raises(ValueError, match="there are pid"):
        robot.controller("pdi")
    with pytest.raises(ValueError, match="no parameter 'kx'"):
        robot.controller("pid", kx=1)
    with pytest.raises(ValueError, match="needs one value, or 6"):
        robot.controller("pid", kp=[1, 2])
    law = robot.controller("pid")
    with pytest.raises(TypeError, match="needs qd"):
        law.step(1e-3, q=PLACE)
    with pytest.raises(TypeError, match="takes no pose"):
        law.step(1e-3, q=PLACE, qd=PLACE, pose=1)
    with pytest.raises(ValueError, match="shape"):
        law.step(1e-3, q=PLACE[:3], qd=PLACE)
    with pytest.raises(ValueError, match="goal does not go"):
        robot.simulate(0.1, torque=law, goal=[0, 0, 0])
    with pytest.raises(ValueError, match="directions"):
        robot.controller("impedance", directions="some")
