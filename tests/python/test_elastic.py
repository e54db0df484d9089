"""Elastic joints: coordinates, what stays written, feed-forward."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import catena

ARM = Path(__file__).resolve().parents[2] / "examples" / "elastic_arm.toml"


def test_motors_are_coordinates():
    robot = catena.load(ARM)
    assert robot.joint_names == ["turn", "shoulder", "elbow", "turn_motor", "shoulder_motor", "elbow_motor"]
    assert catena.load(robot.to_toml()).to_toml() == robot.to_toml() and "motor" not in robot.to_toml()
    q, qd = np.array([0.1, 0.2, 0.3, 0.15, 0.22, 0.31]), np.linspace(-1, 1, 6)
    M, stiff = robot.inertia_matrix(q), robot.stiff()
    assert stiff.nv == 3
    np.testing.assert_allclose(M[3:, 3:], np.diag([0.8, 0.8, 0.3]), atol=1e-12)
    np.testing.assert_allclose(M[:3, :3] + M[3:, 3:], stiff.inertia_matrix(q[:3]), atol=1e-12)
    again = pickle.loads(pickle.dumps(robot.lock(elbow=0.2).payload(1.0)))
    assert again.joint_names == ["turn", "shoulder", "turn_motor", "shoulder_motor"]
    assert pickle.loads(pickle.dumps(stiff)).nv == 3
    with pytest.raises(ValueError, match="elastic"):
        pytest.importorskip("pinocchio")
        robot.to_pinocchio()


def test_built():
    b = catena.Builder("wheel", gravity=(0, 0, 0))
    b.link("base")
    b.link("rim", mass=2.0, inertia=(0.8, 0.8, 0.8, 0, 0, 0))
    b.joint("hub", "revolute", "base", "rim", rotor_inertia=2e-4, gear_ratio=50, elastic_stiffness=300.0, elastic_damping=1.5)
    robot = b.robot()
    x, v, a = np.array([0.3, 0.1]), np.array([1.0, -2.0]), np.array([0.5, 0.7])
    force = 300.0 * (x[0] - x[1]) + 1.5 * (v[0] - v[1])
    np.testing.assert_allclose(robot.inverse_dynamics(x, v, a), [0.8 * a[0] + force, 0.5 * a[1] - force], atol=1e-12)
    assert robot.description["joints"][0]["elastic"] == (300.0, 1.5, False)


def test_feed_forward():
    robot = catena.load(ARM)
    motion = robot.stiff().trajectory([[0, 0, 0], [1, 0.5, -0.5]], [0, 1], profile="septic")
    t = np.linspace(0, 1, 41)
    rates = motion.rates(t)
    for k in range(1, 5):
        slope = (motion.rates(t[1:-1] + 1e-5)[k - 1] - motion.rates(t[1:-1] - 1e-5)[k - 1]) / 2e-5
        np.testing.assert_allclose(rates[k][1:-1], slope, atol=1e-5 * np.abs(rates[k]).max())
    q, qd, qdd, tau = robot.elastic_inverse(*rates)
    assert q.shape == (41, 6) and tau.shape == (41, 6)
    np.testing.assert_array_equal(tau[:, :3], 0)
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), tau, atol=1e-9)
    one = robot.elastic_inverse(*(values[7] for values in rates))
    np.testing.assert_array_equal(one.tau, tau[7])
    with pytest.raises(ValueError, match="3 joints of links"):
        robot.elastic_inverse(q, qd, qdd, qdd, qdd)
    with pytest.raises(ValueError, match="none of its joints"):
        robot.stiff().elastic_inverse(*rates)
