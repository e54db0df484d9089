"""Logs and signals on arrays."""

import numpy as np
import pytest

import catena
from catena import signals


def motion(rate=500.0, seconds=12.0, joints=2):
    t = np.arange(int(rate * seconds)) / rate
    w = 2 * np.pi * np.array([0.3, 0.5, 0.7])
    phase = np.arange(3 * joints).reshape(3, joints)
    angle = t[:, None, None] * w[:, None] + phase
    return (t, 0.3 * np.sin(angle).sum(1), 0.3 * (w[:, None] * np.cos(angle)).sum(1),
            -0.3 * (w[:, None] ** 2 * np.sin(angle)).sum(1))


def test_gain_and_derivative():
    t = np.arange(8000) / 1000.0
    x = np.sin(2 * np.pi * 10 * t)
    out = signals.low_pass(x, 1000, 10)
    np.testing.assert_allclose(out[3000:5000], 0.5 * x[3000:5000], atol=1e-9)
    table = np.stack([x, 2 * x], axis=1)
    np.testing.assert_allclose(signals.low_pass(table, 1000, 10), np.stack([out, 2 * out], axis=1), atol=1e-12)
    np.testing.assert_allclose(signals.derivative(x, 1000), 20 * np.pi * np.cos(2 * np.pi * 10 * t), atol=1e-5)
    np.testing.assert_allclose(signals.derivative(table, 1000, order=2)[:, 1], -2 * (20 * np.pi) ** 2 * x, atol=0.1)
    f, density = signals.spectrum(x, 1000)
    assert abs(f[np.argmax(density)] - 10) < 0.3
    assert abs(density.sum() * f[1] - 0.5) < 0.01
    with pytest.raises(ValueError, match="below half the rate"):
        signals.low_pass(x, 1000, 600)
    with pytest.raises(ValueError, match="finite"):
        signals.low_pass([0.0, np.nan], 1000, 10)


def test_prepared_log_is_the_motion():
    robot = catena.load("planar2r")
    t, q, qd, qdd = motion()
    tau = robot.inverse_dynamics(q, qd, qdd)
    noisy = q + 1e-5 * np.random.default_rng(1).standard_normal(q.shape)
    assert 0.7 < signals.choose_cutoff(noisy, 500) < 10
    log = robot.prepare_log(noisy, tau, t=t)
    assert not log.warnings, log.warnings
    inner = slice(500, -500)
    np.testing.assert_allclose(log.qd[inner], qd[inner], atol=5e-3)
    np.testing.assert_allclose(log.qdd[inner], qdd[inner], atol=0.1)
    assert log.used.shape == q.shape and log.used.mean() > 0.8
    assert log.period == pytest.approx(0.002)
    np.testing.assert_array_equal(log.tau, tau)
    same = robot.prepare_log(noisy, tau, rate=500, cutoff=3, filter_torques=True)
    assert same.cutoff == 3
    assert np.abs(same.tau - tau)[inner].max() > 0


def test_bad_logs_are_named():
    robot = catena.load("ur5")
    t, q, qd, qdd = motion(joints=6)
    tau = robot.inverse_dynamics(q, qd, qdd)
    kinds = lambda *given, **more: {own.kind for own in robot.prepare_log(*given, **more).warnings}
    assert kinds(q, tau, t=t) == set()
    assert "clock-unit" in kinds(q, tau, t=1000 * t)
    assert "torque-sign" in kinds(q, tau * [1, -1, 1, 1, 1, 1], t=t)
    assert "no-motion" in kinds(0 * q, tau, t=t)
    with pytest.raises(ValueError, match="shape"):
        robot.prepare_log(q[:, :3], tau, t=t)
    with pytest.raises(ValueError, match="no clock"):
        robot.prepare_log(q, tau)


def test_files(tmp_path):
    robot = catena.load("planar2r")
    path = tmp_path / "log.csv"
    path.write_text("time_ms;a_1;a_2;i_0;i_1\n0;180;0;1;2\n1;90,5;1;;4\n")
    log = robot.read_log(str(path), columns={"q#": "a_#"}, units={"q": "deg", "tau": 0.5}, offsets={"q2": "pi/2"})
    np.testing.assert_allclose(log.t, [0, 0.001])
    np.testing.assert_allclose(log.q, [[np.pi, np.pi / 2], [np.radians(90.5), np.radians(1) + np.pi / 2]])
    np.testing.assert_array_equal(log.tau, [[0.5, 1], [np.nan, 2]])
    assert log.qd is None
    np.savez(tmp_path / "log.npz", t=[0.0, 0.001], q=[[1.0, 2.0], [3.0, 4.0]], tau=np.ones((2, 2), np.float32), other=np.ones(5))
    log = robot.read_log(str(tmp_path / "log.npz"))
    np.testing.assert_array_equal(log.q, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(log.tau, np.ones((2, 2)))
    with pytest.raises(ValueError, match="gone.csv"):
        robot.read_log(str(tmp_path / "gone.csv"))
