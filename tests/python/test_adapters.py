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


def test_no_derivatives_of_others(panda):
    with pytest.raises(ValueError, match="no derivatives"):
        derivatives(panda, "pose", np.zeros(7))


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


def test_torch(panda):
    import torch
    from catena.adapters import torch as ours

    given = [torch.from_numpy(x).requires_grad_() for x in panda.random_state(2, seed=3)]
    assert torch.autograd.gradcheck(lambda *x: ours.inverse_dynamics(panda, *x), given, atol=1e-4)
    assert torch.autograd.gradcheck(lambda *x: ours.forward_dynamics(panda, *x), given, atol=1e-3, rtol=1e-3)
    assert torch.autograd.gradgradcheck(lambda *x: ours.inverse_dynamics(panda, *x), given, atol=1e-3, rtol=1e-3)
    assert torch.autograd.gradgradcheck(lambda *x: ours.forward_dynamics(panda, *x), given, atol=1e-1, rtol=1e-3)
    one = given[1][0].detach().requires_grad_()  # one speed for all states: its gradient is the sum over them
    ours.inverse_dynamics(panda, given[0], one, given[2]).sum().backward()
    separate = torch.stack([given[1][0].detach()] * 2).requires_grad_()
    ours.inverse_dynamics(panda, given[0], separate, given[2]).sum().backward()
    torch.testing.assert_close(one.grad, separate.grad.sum(0))


def test_torch_by_kernels(panda, monkeypatch):
    """What reaches the kernels lies as they take it, and their gradient comes back; those of the CPU stand in for them."""
    import torch
    from catena.adapters import torch as ours

    on_cpu = ours._on_cpu

    def kernel(part):
        def made(robot, job, **options):
            def call(*given):
                assert all(x.is_contiguous() or x.t().is_contiguous() for x in given) and not any(x.requires_grad for x in given)
                assert len({x.stride() for x in given}) == 1
                if part == 1:
                    return on_cpu(robot, job).gradient(*given)
                found = robot.evaluate(job, *(x.numpy() for x in given))
                return tuple(map(torch.from_numpy, found)) if isinstance(found, tuple) else torch.from_numpy(np.asarray(found))

            return call

        return made

    monkeypatch.setattr(ours.gpu, "function", kernel(0))
    monkeypatch.setattr(ours.gpu, "gradient", kernel(1))
    monkeypatch.setattr(ours, "_on_cpu", lambda robot, job: ours._by_kernels.__wrapped__(robot, job, 0, False))
    rows = [torch.from_numpy(x) for x in panda.random_state(3, seed=3)]
    for given in (rows, [x.t().contiguous().t() for x in rows], [rows[0], rows[1].t().contiguous().t(), rows[2][0]]):
        inputs = [x.clone().requires_grad_() for x in given]
        assert torch.autograd.gradcheck(lambda *x: ours.inverse_dynamics(panda, *x), inputs, atol=1e-4)
        assert torch.autograd.gradcheck(lambda *x: ours.forward_dynamics(panda, *x), inputs, atol=1e-2, rtol=1e-3)
        assert torch.autograd.gradgradcheck(lambda *x: ours.inverse_dynamics(panda, *x), inputs, atol=1e-3, rtol=1e-3)


def test_torch_on_a_device(panda):
    """Second derivatives by kernels are those of the CPU."""
    import torch
    if not torch.cuda.is_available():
        pytest.skip("there is no graphics processor")
    from catena.adapters import torch as ours

    def curved(device, function):
        given = [torch.from_numpy(x).to(device).requires_grad_() for x in panda.random_state(3, seed=3)]
        first = torch.autograd.grad((function(panda, *given) ** 2).sum(), given, create_graph=True)
        return [x.cpu() for x in torch.autograd.grad(sum((x ** 2).sum() for x in first), given)]

    for function in (ours.inverse_dynamics, ours.forward_dynamics):
        for found, expected in zip(curved("cuda", function), curved("cpu", function)):
            torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-8 * float(expected.abs().max()))


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
