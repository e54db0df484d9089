"""Linear models and regulators, models at a frame, equilibria, inverse kinematics: against jobs, SciPy and closed forms."""

import numpy as np
import pytest

import catena

Q = np.array([0.3, -1.1, 1.2, 0.2, 0.9, -0.4])


def test_state_space_follows_the_jobs():
    robot = catena.load("ur5")
    qd, qdd = np.linspace(-1, 1, 6), np.linspace(0.5, -0.5, 6)
    model = robot.state_space(Q, qd, qdd)
    response = robot.evaluate("response", Q, qd, robot.inverse_dynamics(Q, qd, qdd))
    np.testing.assert_allclose(model.A, np.block([[np.zeros((6, 6)), np.eye(6)], [response.qdd_q, response.qdd_qd]]), atol=1e-9)
    np.testing.assert_allclose(model.B, np.vstack([np.zeros((6, 6)), robot.inverse_inertia(Q)]), atol=1e-9)
    assert catena.load("pelican_crucible").state_space([-1.2, 0.4, 0.3]).B.shape == (6, 2)  # two motors


def test_regulators_solve_riccati_equations():
    linalg = pytest.importorskip("scipy.linalg")
    robot = catena.load("ur5")
    for dt in (None, 0.002):
        model = robot.state_space(Q, dt=dt)
        cost, effort = np.diag(np.r_[np.full(6, 100.0), np.full(6, 1.0)]), 0.01 * np.eye(6)
        found = catena.lqr(model, cost, effort)
        S = linalg.solve_continuous_are(model.A, model.B, cost, effort) if dt is None else linalg.solve_discrete_are(model.A, model.B, cost, effort)
        np.testing.assert_allclose(found.S, S, rtol=1e-6, atol=1e-6 * np.abs(S).max())
        assert np.all(found.poles.real < 0) if dt is None else np.all(np.abs(found.poles) < 1)
        np.testing.assert_allclose(np.sort(np.abs(found.poles)), np.sort(np.abs(np.linalg.eigvals(model.A - model.B @ found.K))), rtol=1e-6)


def test_models_at_a_frame():
    robot = catena.load("ur5")
    model = robot.cartesian_model(Q)
    J, Minv = robot.jacobian(Q), robot.inverse_inertia(Q)
    np.testing.assert_allclose(model.D, np.linalg.inv(J @ Minv @ J.T), rtol=1e-8)
    np.testing.assert_allclose(J.T @ model.G, robot.gravity(Q), atol=1e-9)
    assert model.names == ["x", "y", "z", "wx", "wy", "wz"]
    linear = robot.cartesian_linearize(Q, coordinates="rpy")
    assert linear.P.shape == (6, 6)
    joints, frame = robot.state_space(Q), robot.cartesian_state_space(Q)
    np.testing.assert_allclose(np.sort_complex(np.round(frame.poles, 5)), np.sort_complex(np.round(joints.poles, 5)), atol=2e-5)
    assert np.all(catena.lqr(frame, 1.0, 0.01).poles.real < 0)
    flat = catena.load("planar2r").cartesian_state_space([0.3, 1.0], coordinates="position", rows=["x", "y"])
    assert flat.A.shape == (4, 4)
    with pytest.raises(ValueError, match="there is no row 'roll'"):
        robot.cartesian_model(Q, rows=["roll"])


def test_equilibria():
    found = catena.load("pelican_crucible").equilibria([-1.2, 0.4, 0.3])
    assert [each.stability for each in found] == ["stable", "unstable"]
    robot = catena.load("pelican_crucible")
    for each in found:
        np.testing.assert_allclose(robot.gravity(each.q)[2], 0, atol=1e-9)
        np.testing.assert_allclose(each.tau, robot.gravity(each.q), atol=1e-9)


def test_inverse_kinematics_in_batches():
    robot = catena.load("panda")
    q = np.array([0.2, -0.4, 0.3, -1.9, 0.1, 1.7, 0.5]) + 0.02 * np.arange(12).reshape(3, 4, 1)
    poses = robot.pose(q)
    found = robot.inverse_kinematics(poses, q[0, 0])
    assert found.q.shape == (3, 4, 7) and found.reached.all() and found.reached.shape == (3, 4)
    np.testing.assert_allclose(robot.pose(found.q), poses, atol=1e-8)
    points = robot.inverse_kinematics(poses[..., :3, 3], q)
    np.testing.assert_allclose(robot.pose(points.q)[..., :3, 3], poses[..., :3, 3], atol=1e-8)
    far = robot.inverse_kinematics([5.0, 0, 0], tries=3)
    assert not far.reached and far.position_error > 3
    with pytest.raises(ValueError, match="poses are"):
        robot.inverse_kinematics(np.zeros((4, 2)))


def test_ellipsoids():
    robot = catena.load("ur5")
    found = robot.ellipsoids(Q)
    J = robot.jacobian(Q)
    np.testing.assert_allclose(found.translation.velocity.lengths, np.linalg.svd(J[:3], compute_uv=False), rtol=1e-10)
    pushed = J[3:] @ robot.inverse_inertia(Q) @ np.diag(robot.limits.effort)
    np.testing.assert_allclose(found.rotation.acceleration.lengths, np.linalg.svd(pushed, compute_uv=False), rtol=1e-9)
    mobility = J[:3] @ robot.inverse_inertia(Q) @ J[:3].T
    np.testing.assert_allclose(found.translation.inertia.lengths, np.sort(1 / np.linalg.eigvalsh(mobility))[::-1], rtol=1e-9)
