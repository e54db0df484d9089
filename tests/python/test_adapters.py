"""Robots as functions of SciPy, CasADi, JAX and PyTorch; derivatives against differences."""

import numpy as np
import pytest

import catena
from catena.adapters import Flat, Ode, derivatives, second_derivatives


def differences(function, x, step=1e-6):
    """Central differences of a function of one vector."""
    columns = [(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(x.size)]
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("job", ["inverse", "forward_dynamics"])
def test_flat_derivatives(robot, job):
    fun = Flat(robot, job)
    x = np.random.default_rng(1).uniform(-1, 1, 3 * robot.nv)
    np.testing.assert_allclose(fun.jac(x), differences(fun, x), rtol=1e-6, atol=1e-6 * np.abs(fun.jac(x)).max())
    assert fun(np.stack([x, x])).shape == (2, robot.nv)
    with pytest.raises(ValueError, match="takes"):
        fun(x[:-1])


@pytest.mark.parametrize("job, names", [("inverse", ["H_q_q", "H_q_qd", "H_q_qdd", "H_qd_qd"]),
                                        ("forward", ["H_q_q", "H_q_qd", "H_q_tau", "H_qd_qd"])])
def test_second_derivatives(robot, job, names):
    given = robot.random_state(seed=3)
    found = second_derivatives(robot, job, *given)
    assert list(found) == names
    for name, by, along in zip(names, (0, 0, 0, 1), (0, 1, 2, 1)):
        expected = differences(lambda x: derivatives(robot, job, *given[:along], x, *given[along + 1:])[by], given[along], 1e-5)
        np.testing.assert_allclose(found[name], expected, atol=1e-5 * np.abs(expected).max(), rtol=1e-5)
    many = second_derivatives(robot, job, *(np.stack([x, x]) for x in given))
    np.testing.assert_allclose(many[names[0]][1], found[names[0]], rtol=1e-9, atol=1e-9 * np.abs(found[names[0]]).max())


def test_position_hessian(robot):
    q = robot.random_state(seed=3)[0]
    expected = differences(lambda x: robot.jacobian(x)[:3], q)
    np.testing.assert_allclose(robot.position_hessian(q), expected, atol=1e-8)
    np.testing.assert_allclose(robot.position_hessian(np.stack([q, q]))[1], robot.position_hessian(q), atol=1e-12)


def test_derivatives_of_any_job(panda):
    q, qd, _ = panda.random_state(seed=3)
    (by_q,) = derivatives(panda, "pose", q, frame="panda_link4")
    np.testing.assert_allclose(by_q[:3, 3], panda.jacobian(q, frame="panda_link4")[:3], atol=1e-12)
    fun = Flat(panda, "energy")
    x = np.concatenate([q, qd])
    np.testing.assert_allclose(fun.jac(x), differences(fun, x), rtol=1e-6, atol=1e-6 * np.abs(fun.jac(x)).max())
    assert fun.jac(np.stack([x, x])).shape == (2, 2, 14)
    with pytest.raises(ValueError, match="do not take wrenches"):
        derivatives(panda, "pose", q, wrenches={})


def test_least_squares_finds_a_posture(panda):
    """The posture in which gravity asks for given torques."""
    optimize = pytest.importorskip("scipy.optimize")
    wanted = panda.gravity(np.array([0.3, 0.5, -0.2, -1.0, 0.4, 1.2, 0.0]))
    fun = Flat(panda, "inverse")
    still = np.zeros(14)
    found = optimize.least_squares(lambda q: fun(np.concatenate([q, still])) - wanted, np.array([0.2, 0.4, 0.0, -0.9, 0.3, 1.0, 0.0]),
                                   jac=lambda q: fun.jac(np.concatenate([q, still]))[:, :7], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert found.cost < 1e-18


def test_solve_ivp_agrees_with_simulate():
    integrate = pytest.importorskip("scipy.integrate")
    robot = catena.load("ur5")
    n = robot.nv
    damped = Ode(robot, lambda t, q, qd: -5 * qd, lambda t, q, qd: (np.zeros((n, n)), -5 * np.eye(n)))
    start = np.concatenate([np.full(n, 0.3), np.zeros(n)])
    run = integrate.solve_ivp(damped, (0, 0.2), start, method="Radau", jac=damped.jac, rtol=1e-7, atol=1e-9)
    ours = robot.simulate(0.2, start[:n], torque=lambda t, q, qd: -5 * qd)
    np.testing.assert_allclose(run.y[:n, -1], ours.q[-1], atol=1e-6)
    np.testing.assert_allclose(damped.jac(0.0, start), differences(lambda y: damped(0.0, y), start), atol=1e-4, rtol=1e-5)


def test_the_jacobian_of_a_torque_without_derivatives():
    robot = catena.load("ur5")
    fun = Ode(robot, lambda t, q, qd: robot.gravity(q) - 5 * qd - 3 * q)
    y = np.linspace(-0.5, 0.6, 12)
    np.testing.assert_allclose(fun.jac(0.0, y), differences(lambda x: fun(0.0, x), y), atol=1e-4, rtol=1e-5)
    assert np.array_equal(Ode(robot, np.ones(6)).jac(0.0, y), Ode(robot, lambda t, q, qd: np.ones(6)).jac(0.0, y))


def test_casadi(panda):
    casadi = pytest.importorskip("casadi")
    from catena.adapters import casadi as ours

    q, qd, qdd = panda.random_state(seed=3)
    function = ours.inverse_dynamics(panda)
    np.testing.assert_allclose(np.array(function(q, qd, qdd)).ravel(), panda.inverse_dynamics(q, qd, qdd), rtol=1e-12)
    x = casadi.MX.sym("x", 7)
    slope = casadi.Function("slope", [x], [casadi.jacobian(function(x, qd, qdd), x)])
    np.testing.assert_allclose(np.array(slope(q)), derivatives(panda, "inverse", q, qd, qdd)[0], atol=1e-9)


def test_dlpack_and_buffers(panda):
    q, qd, qdd = panda.random_state(4, seed=3)
    expected = panda.inverse_dynamics(q, qd, qdd)
    np.testing.assert_array_equal(panda.inverse_dynamics(np.from_dlpack(q), memoryview(qd), qdd), expected)
    np.testing.assert_array_equal(panda.inverse_dynamics(q.tolist(), qd.tolist(), qdd.tolist()), expected)
