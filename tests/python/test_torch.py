"""Jobs in PyTorch: backward and forward mode, twice, and torch.func, of every job on every kind of robot."""

import numpy as np
import pytest
import torch

from catena.adapters import parameters, payload_columns
from catena.adapters import torch as ours
from differentiated import JOBS, KINDS, SOME, difference, directions, evaluated, has_derivatives, near, robot_of, row, state_of


def tensors(arrays):
    return tuple(torch.from_numpy(np.ascontiguousarray(x)) for x in arrays)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("job", JOBS)
def test_every_job(job, kind):
    """Values, both modes, vmap and a second derivative of every job that the library lists, on every kind of robot."""
    robot = robot_of(kind)
    function, given = ours.function(robot, job), state_of(robot, job, 2, 3)
    expected, along = evaluated(robot, job, given), directions(given)
    if not has_derivatives(kind, job):
        with pytest.raises(ValueError, match="computed only by calls"):
            torch.func.jvp(function, tensors(given), tensors(along))
        return
    value, change = torch.func.jvp(function, tensors(given), tensors(along))
    near([x.numpy() for x in row(value)], expected, 1e-12)
    near([x.numpy() for x in row(change)], difference(lambda x: evaluated(robot, job, x), given, along), 1e-5, expected)
    near([x.numpy() for x in row(torch.func.vmap(torch.func.vmap(function))(*tensors(given)))], expected, 1e-9)
    weights = [torch.from_numpy(np.random.default_rng(3).uniform(-1, 1, x.shape)) for x in expected]

    def backward(*given):
        return torch.func.grad(lambda x: sum((y * w).sum() for y, w in zip(row(function(*x)), weights)))(given)

    found = backward(*tensors(given))
    left = sum((x * y).sum() for x, y in zip(found, tensors(along)))
    right = sum((x * y).sum() for x, y in zip(row(change), weights))
    assert abs(left - right) < 1e-9 * sum((x * y).abs().sum() for x, y in zip(found, tensors(along))) + 1e-12
    other = directions(given, seed=4)
    _, second = torch.func.jvp(backward, tensors(given), tensors(other))
    near([x.numpy() for x in second], difference(lambda x: [y.numpy() for y in backward(*tensors(x))], given, other), 1e-5, (*found, *expected))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("job", SOME)
def test_gradients_of_both_orders(job, kind):
    robot = robot_of(kind)
    given = state_of(robot, job, 2, seed=5)
    scale = max(float(np.abs(x).max()) for x in evaluated(robot, job, given))
    function = lambda *x: tuple(y / scale for y in row(ours.function(robot, job)(*x)))
    inputs = [x.requires_grad_() for x in tensors(given)]
    assert torch.autograd.gradcheck(function, inputs, atol=1e-4, rtol=1e-4, check_forward_ad=True, fast_mode=True, nondet_tol=1e-9)
    assert torch.autograd.gradgradcheck(function, inputs, atol=1e-3, rtol=1e-3, check_fwd_over_rev=True, fast_mode=True, nondet_tol=1e-9)


def test_hessians_of_all_orders_of_modes():
    robot = robot_of("free")
    q, qd = tensors(state_of(robot, "energy", seed=2))
    cost = lambda q: ours.function(robot, "energy")(q, qd).potential_energy ** 2
    func = torch.func
    whole = func.hessian(cost)(q)
    for first in (func.jacfwd, func.jacrev):
        for second in (func.jacfwd, func.jacrev):
            torch.testing.assert_close(second(first(cost))(q), whole, rtol=1e-9, atol=1e-9 * float(whole.abs().max()))
    with pytest.raises(RuntimeError, match="third derivatives of 'energy'"):
        func.jacfwd(func.hessian(cost))(q)


def test_what_does_not_fit_is_said(panda):
    pose = ours.function(panda, "pose")
    with pytest.raises(ValueError, match=r"q has the shape \(6,\); robot 'Panda' takes \(..., 7\)"):
        pose(torch.zeros(6))
    with pytest.raises(TypeError, match="2 tensors are given, 1 are needed"):
        pose(torch.zeros(7), torch.zeros(7))
    with pytest.raises(ValueError, match="'energy' takes no frame"):
        ours.function(panda, "energy", frame="panda_link4")


def test_frames_and_single_precision(panda):
    pose = ours.function(panda, "pose", frame="panda_link4")
    q = torch.from_numpy(panda.random_state(seed=2)[0])
    np.testing.assert_allclose(torch.func.jacrev(pose)(q)[:3, 3], panda.jacobian(q.numpy(), frame="panda_link4")[:3], atol=1e-12)
    single = q.float().requires_grad_()
    pose(single).sum().backward()
    assert single.grad.dtype == torch.float32
    np.testing.assert_allclose(single.grad, torch.func.grad(lambda q: pose(q).sum())(q), atol=1e-5)


def test_by_parameters(panda):
    """A load is learned from torques; gradients by all arguments hold."""
    theta, columns = torch.from_numpy(parameters(panda)), torch.from_numpy(payload_columns(panda))
    carried = panda.payload(1.3, com=(0.02, -0.01, 0.08), inertia=(0.004, 0.005, 0.003, 0, 0, 0))
    given = panda.random_state(60, seed=3)
    torque, measured = ours.by_parameters(panda), torch.from_numpy(carried.inverse_dynamics(*given))
    loss = lambda load: ((torque(theta + columns @ load, *tensors(given)) - measured) ** 2).sum()
    start = torch.zeros(10, dtype=torch.float64)
    found = -torch.linalg.solve(torch.func.hessian(loss)(start), torch.func.grad(loss)(start))
    np.testing.assert_allclose(found[:4], 1.3 * np.array([1, 0.02, -0.01, 0.08]), atol=1e-8)
    robot = robot_of("plain")
    for job in ("inverse", "bias", "forward"):
        function, one = ours.by_parameters(robot, job), state_of(robot, job)
        own = torch.from_numpy(parameters(robot))
        expected = robot.evaluate(job, *one)
        np.testing.assert_allclose(function(own, *tensors(one)), expected, rtol=1e-8)
        scale = float(np.abs(expected).max())
        inputs = [x.requires_grad_() for x in (own, *tensors(one))]
        assert torch.autograd.gradcheck(lambda *x: function(*x) / scale, inputs, atol=1e-2, rtol=1e-2, eps=1e-7, fast_mode=True)


def test_one_speed_for_all_states(panda):
    """Its gradient is the sum over them."""
    given = [torch.from_numpy(x) for x in panda.random_state(2, seed=3)]
    one = given[1][0].clone().requires_grad_()
    ours.inverse_dynamics(panda, given[0], one, given[2]).sum().backward()
    separate = torch.stack([given[1][0]] * 2).requires_grad_()
    ours.inverse_dynamics(panda, given[0], separate, given[2]).sum().backward()
    torch.testing.assert_close(one.grad, separate.grad.sum(0))


def test_kernels(panda, monkeypatch):
    """What reaches the kernels lies as they take it, and their gradient comes back; the CPU stands in for them."""
    on_cpu = ours._Job(panda, "inverse", None, False)

    def kernel(gradient):
        def made(robot, job, **options):
            def call(*given):
                assert all(x.is_contiguous() or x.t().is_contiguous() for x in given) and not any(x.requires_grad for x in given)
                assert len({x.stride() for x in given}) == 1
                if gradient:
                    return tuple(ours._turned(by_x, given[-1]) for by_x in on_cpu.matrices(given[:-1]))
                found = robot.evaluate(job, *(x.numpy() for x in given))
                return tuple(map(torch.from_numpy, found)) if isinstance(found, tuple) else torch.from_numpy(np.asarray(found))

            return call

        return made

    def by_kernels(self, name, given, gradient=False):
        found = kernel(gradient)(self.robot, name)(*ours._lying_alike(*given))
        return list(found) if isinstance(found, tuple) else [found]

    run = ours._Job._run
    on_cpu._run = lambda *given: run(on_cpu, *given)
    monkeypatch.setattr(ours._Job, "_run", by_kernels)
    monkeypatch.setattr(ours._Job, "gradient", lambda self, given, weights: self._run("inverse", (*given, weights), gradient=True))
    inverse = ours.function(panda, "inverse")
    rows = tensors(panda.random_state(3, seed=3))
    for given in (rows, [x.t().contiguous().t() for x in rows], [rows[0], rows[1].t().contiguous().t(), rows[2][0]]):
        inputs = [x.clone().requires_grad_() for x in given]
        assert torch.autograd.gradcheck(inverse, inputs, atol=1e-4)
        assert torch.autograd.gradgradcheck(inverse, inputs, atol=1e-3, rtol=1e-3)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no graphics processor")
def test_on_a_device(panda):
    """Derivatives on a graphics processor are those of the CPU."""
    def curved(device, job):
        given = [torch.from_numpy(x).to(device).requires_grad_() for x in state_of(panda, job, 3)]
        first = torch.autograd.grad(sum((y ** 2).sum() for y in row(ours.function(panda, job)(*given))), given, create_graph=True)
        return [x.cpu() for x in torch.autograd.grad(sum((x ** 2).sum() for x in first), given)]

    for job in SOME:
        for found, expected in zip(curved("cuda", job), curved("cpu", job)):
            torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-8 * float(expected.abs().max()))
