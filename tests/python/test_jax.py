"""Jobs in compiled programs of JAX: on the CPU here, on a graphics processor where JAX has one."""

import pathlib
import subprocess
import sys

import jax
import numpy as np
import pytest

import catena
from catena.adapters import derivatives, parameters, payload_columns
from differentiated import JOBS, KINDS, SOME, difference, directions, evaluated, has_derivatives, near, robot_of, row, state_of

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

from catena.adapters import jax as ours  # noqa: E402

SOURCES = pathlib.Path(__file__).parents[2] / "python" / "src"
MAKERS = [(ours.inverse_dynamics, "inverse"), (ours.forward_dynamics, "forward")]


@pytest.mark.parametrize("make, job", MAKERS)
def test_jit_vmap_and_derivatives(panda, make, job):
    function = make(panda)
    given = panda.random_state(40, seed=3)
    expected = panda.evaluate(job, *given)
    close = dict(rtol=1e-10, atol=1e-10 * np.abs(expected).max())
    np.testing.assert_allclose(function(*given), expected, **close)
    np.testing.assert_allclose(jax.jit(function)(*given), expected, **close)
    np.testing.assert_allclose(jax.jit(jax.vmap(function))(*given), expected, **close)
    np.testing.assert_allclose(jax.vmap(function, in_axes=(0, None, None))(given[0], given[1][0], given[2][0]),
                               panda.evaluate(job, given[0], given[1][0], given[2][0]), **close)
    shaped = [x.reshape(2, 4, 5, 7) for x in given]
    np.testing.assert_allclose(jax.jit(function)(*shaped), expected.reshape(2, 4, 5, 7), **close)
    one = [x[0] for x in given]
    for k, by_x in enumerate(derivatives(panda, job, *one)):
        np.testing.assert_allclose(jax.jit(jax.jacrev(function, argnums=k))(*one), by_x, rtol=1e-9, atol=1e-9 * np.abs(by_x).max())


@pytest.mark.parametrize("make, job", MAKERS)
def test_second_derivatives(panda, make, job):
    """Of a cost over the results: forward and backward over backward, against differences of the gradient."""
    function = make(panda)
    given = panda.random_state(seed=3)
    scale = np.abs(panda.evaluate(job, *given)).max()
    cost = lambda *x: ((function(*x) / scale) ** 2).sum() + (function(*x) / scale).sum()
    for k in range(3):
        for m in range(3):
            slope = jax.jit(jax.grad(cost, argnums=k))
            moved = lambda h, e: slope(*given[:m], given[m] + h * e, *given[m + 1:])
            expected = np.stack([(moved(1e-5, e) - moved(-1e-5, e)) / 2e-5 for e in np.eye(7)], axis=-1)
            close = dict(rtol=1e-5, atol=1e-5 * np.abs(expected).max() + 1e-9)
            np.testing.assert_allclose(jax.jit(jax.jacfwd(jax.grad(cost, argnums=k), argnums=m))(*given), expected, **close)
            np.testing.assert_allclose(jax.jit(jax.jacrev(jax.grad(cost, argnums=k), argnums=m))(*given), expected, **close)
    whole = jax.jit(jax.hessian(cost, argnums=(0, 1, 2)))(*given)
    np.testing.assert_allclose(whole[0][1], np.swapaxes(whole[1][0], -1, -2), rtol=1e-9, atol=1e-9 * np.abs(whole[0][1]).max())
    many = panda.random_state(5, seed=4)
    each = jax.jit(jax.vmap(jax.hessian(cost)))(*many)
    np.testing.assert_allclose(each[2], jax.hessian(cost)(*(x[2] for x in many)), rtol=1e-9, atol=1e-9 * np.abs(each).max())


def test_gradient_of_what_is_repeated_is_summed(panda):
    q, qd, qdd = panda.random_state(30, seed=4)
    function = ours.inverse_dynamics(panda)
    loss = lambda x, y: (function(q, x, y) ** 2).sum()
    shared, own = jax.jit(jax.grad(loss, argnums=(0, 1)))(qd[0], qdd)
    tau = panda.inverse_dynamics(q, qd[0], qdd)
    _, by_qd, by_qdd = derivatives(panda, "inverse", q, qd[0], qdd)
    np.testing.assert_allclose(shared, np.einsum("ki,kij->j", 2 * tau, by_qd), rtol=1e-9)
    np.testing.assert_allclose(own, np.einsum("ki,kij->kj", 2 * tau, by_qdd), rtol=1e-9)


def test_a_trajectory_is_optimized(panda):
    """Through a scan, as people do it: the gradient of a rollout against differences."""
    forward = ours.forward_dynamics(panda)

    @jax.jit
    def end(torques):
        def step(state, tau):
            q, qd = state
            qd = qd + 1e-3 * forward(q, qd, tau)
            return (q + 1e-3 * qd, qd), None
        (q, _), _ = jax.lax.scan(step, (jnp.zeros(7), jnp.zeros(7)), torques)
        return (q ** 2).sum()

    torques = np.random.default_rng(1).normal(size=(20, 7))
    direction = np.random.default_rng(2).normal(size=(20, 7))
    h = 1e-4
    slope = (end(torques + h * direction) - end(torques - h * direction)) / (2 * h)
    assert abs((jax.grad(end)(torques) * direction).sum() - slope) < 1e-6 * abs(slope)


def test_single_precision(panda):
    given = [x.astype(np.float32) for x in panda.random_state(50, seed=5)]
    found = ours.inverse_dynamics(panda)(*given)
    assert found.dtype == jnp.float32
    expected = panda.inverse_dynamics(*(x.astype(float) for x in given))
    assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()
    mixed = ours.inverse_dynamics(panda)(given[0], given[1].astype(float), given[2])
    assert mixed.dtype == jnp.float64


def test_no_states_and_states_without_a_result(panda):
    function = jax.jit(ours.inverse_dynamics(panda))
    assert function(np.zeros((0, 7)), np.zeros((0, 7)), np.zeros((0, 7))).shape == (0, 7)
    q = np.zeros((3, 7))
    q[1, 4] = np.inf
    found = np.asarray(function(q, np.zeros(7), np.zeros(7)))
    assert np.isnan(found[1]).all() and np.isfinite(found[[0, 2]]).all()


def test_many_states_and_threads(panda):
    from concurrent.futures import ThreadPoolExecutor

    function = jax.jit(ours.inverse_dynamics(panda))
    given = panda.random_state(20_000, seed=6)
    expected = panda.inverse_dynamics(*given)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: np.asarray(function(*given)), range(8)):
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-9)


def test_what_does_not_fit_is_said(panda):
    function = ours.inverse_dynamics(panda)
    with pytest.raises(ValueError, match=r"qd has the shape \(6,\); robot 'Panda' takes \(..., 7\)"):
        function(np.zeros(7), np.zeros(6), np.zeros(7))
    with pytest.raises(TypeError, match="2 arrays are given, 3 are needed"):
        function(np.zeros(7), np.zeros(7))
    floating = panda.on_free_base()
    free = ours.inverse_dynamics(floating)
    q = np.concatenate([[0, 0, 1, 0, 0, 0, 1], np.zeros(7)])
    np.testing.assert_allclose(free(q, np.zeros(13), np.zeros(13)), floating.inverse_dynamics(q, np.zeros(13), np.zeros(13)), atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("job", JOBS)
def test_every_job(job, kind):
    """jit, vmap, forward and backward mode and a second derivative of every job that the library lists, on every kind of robot."""
    robot = robot_of(kind)
    function = ours.function(robot, job)
    given, along = state_of(robot, job, 2, 3), directions(state_of(robot, job, 2, 3))
    expected = evaluated(robot, job, given)
    assert [np.shape(x) for x in row(function(*given))] == [np.shape(x) for x in expected]
    both = jax.jit(lambda given, along: jax.jvp(function, given, along))
    if not has_derivatives(kind, job):
        with pytest.raises(Exception, match="computed only by calls"):
            jax.block_until_ready(both(tuple(given), tuple(along)))
        return
    value, change = both(tuple(given), tuple(along))
    near(row(value), expected, 1e-9)
    near(row(change), difference(lambda x: evaluated(robot, job, x), given, along), 1e-5, expected)
    near(row(jax.vmap(jax.vmap(function))(*given)), expected, 1e-9)

    def backward(given, weights):
        return jax.vjp(function, *given)[1](weights)

    weights = jax.tree.map(lambda x: jnp.asarray(np.random.default_rng(3).uniform(-1, 1, x.shape)), value)
    found = jax.jit(backward)(tuple(given), weights)
    total = lambda left, right: sum(float((jnp.asarray(x) * y).sum()) for x, y in zip(left, right))
    assert abs(total(found, along) - total(row(weights), row(change))) < 1e-9 * sum(float(jnp.abs(x * y).sum()) for x, y in zip(found, along)) + 1e-12
    other = directions(given, seed=4)
    _, second = jax.jit(lambda given: jax.jvp(lambda *x: backward(x, weights), given, tuple(other)))(tuple(given))
    near(second, difference(lambda x: [np.asarray(y) for y in jax.jit(backward)(tuple(x), weights)], given, other), 1e-5, (*found, *expected))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("job", SOME)
def test_gradients_of_both_orders(job, kind):
    robot = robot_of(kind)
    function, given = ours.function(robot, job), state_of(robot, job, seed=5)
    scale = max(float(np.abs(x).max()) for x in evaluated(robot, job, given))
    check_grads(jax.jit(lambda *x: jax.tree.map(lambda y: y / scale, function(*x))), given, order=2, modes=("fwd", "rev"), atol=1e-4, rtol=1e-4)


def test_a_frame(panda):
    q = panda.random_state(4, seed=2)[0]
    pose = ours.function(panda, "pose", frame="panda_link4")
    np.testing.assert_allclose(pose(q), panda.pose(q, frame="panda_link4"), atol=1e-12)
    slope = jax.vmap(jax.jacfwd(pose))(q)[:, :3, 3]
    np.testing.assert_allclose(slope, panda.jacobian(q, frame="panda_link4")[:, :3], atol=1e-12)
    with pytest.raises(ValueError, match="'inverse' takes no frame"):
        ours.function(panda, "inverse", frame="panda_link4")
    with pytest.raises(ValueError, match="third derivatives of 'pose'"):
        jax.jacfwd(jax.hessian(pose))(q[0])


def test_derivatives_in_single_precision(panda):
    for job in ("inverse", "energy"):
        function, given = ours.function(panda, job), state_of(panda, job, 3)
        loss = lambda *x: sum(jnp.sin(y).sum() for y in row(function(*x)))
        single = jax.grad(loss)(*(x.astype(np.float32) for x in given))
        assert single.dtype == jnp.float32
        expected = jax.grad(loss)(*given)
        assert np.abs(single - expected).max() < 1e-3 * np.abs(expected).max()


LOAD = """
import sys
import numpy as np, jax
jax.config.update("jax_enable_x64", True)
import catena.adapters.jax
with open(sys.argv[1], "rb") as file:
    program = jax.export.deserialize(bytearray(file.read()))
np.savez(sys.argv[2], *jax.tree.leaves(program.call(*np.load(sys.argv[1] + ".npz").values())))
"""


@pytest.mark.parametrize("kind", ["plain", "free", "loop"])
def test_an_exported_program_runs_in_a_fresh_process(kind, tmp_path):
    robot = robot_of(kind)
    tau, energy = ours.inverse_dynamics(robot), ours.function(robot, "energy")

    def everything(q, qd, qdd):
        return tau(q, qd, qdd), energy(q, qd), jax.grad(lambda q: (tau(q, qd, qdd) ** 2).sum() + energy(q, qd).kinetic_energy.sum())(q)

    given = state_of(robot, "inverse", 4)
    program = jax.export.export(jax.jit(everything), disabled_checks=ours.EXPORT_CHECKS)(*given)
    (tmp_path / "program").write_bytes(program.serialize())
    np.savez(tmp_path / "program.npz", *given)
    subprocess.run([sys.executable, "-c", LOAD, tmp_path / "program", tmp_path / "out.npz"], check=True)
    for found, expected in zip(np.load(tmp_path / "out.npz").values(), jax.tree.leaves(everything(*given)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_a_program_for_any_number_of_states_and_its_gradient(panda):
    tau = ours.inverse_dynamics(panda)
    shape = jax.ShapeDtypeStruct(jax.export.symbolic_shape("n, 7"), np.float64)
    program = jax.export.export(jax.jit(tau), disabled_checks=ours.EXPORT_CHECKS)(shape, shape, shape)
    again = jax.export.deserialize(program.serialize(vjp_order=1))
    given = panda.random_state(5, seed=1)
    np.testing.assert_allclose(again.call(*given), panda.inverse_dynamics(*given), atol=1e-10)
    found = jax.grad(lambda q: again.call(q, *given[1:]).sum())(given[0])
    np.testing.assert_allclose(found, jax.grad(lambda q: tau(q, *given[1:]).sum())(given[0]), rtol=1e-12)


@pytest.mark.parametrize("kind", ["plain", "coupled", "free", "passive", "loop"])
def test_by_parameters(kind):
    """At the robot's own parameters the jobs are those of the robot; derivatives by all arguments hold."""
    robot = robot_of(kind)
    theta = parameters(robot)
    for job in ("inverse", "bias", "forward"):
        function, given = ours.by_parameters(robot, job), state_of(robot, job, 3)
        expected = robot.evaluate(job, *given)
        np.testing.assert_allclose(function(theta, *given), expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
        other = theta * np.random.default_rng(1).uniform(0.9, 1.1, theta.shape)
        one, scale = [x[0] for x in given], np.abs(expected).max()
        check_grads(jax.jit(lambda t, *x: function(t, *x) / scale), (other, *one), order=1, modes=("fwd", "rev"), atol=1e-3, rtol=1e-4, eps=1e-6)
    with pytest.raises(ValueError, match="'pose' by parameters is not there"):
        ours.by_parameters(robot, "pose")


def pendulum(mass, length):
    built = catena.Builder("pendulum").link("base").link("upper", mass=1.2, com=(0, 0, -0.3), inertia=(0.02, 0.03, 0.01, 0, 0, 0))
    built.link("lower", mass=mass, com=(0.01, 0, -length), inertia=(0.02, 0.03, 0.01, 0, 0, 0))
    built.joint("first", "revolute", "base", "upper", axis=(0, 1, 0), viscous=0.1)
    built.joint("second", "revolute", "upper", "lower", np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -0.6], [0, 0, 0, 1]]), axis=(0, 1, 0))
    return built.robot()


def test_gradients_by_parameters_are_those_of_robots_built_anew():
    """By a mass and a length, through θ; inverse and forward dynamics."""
    robot, h = pendulum(0.8, 0.25), 1e-5
    by_mass = (parameters(pendulum(0.8 + h, 0.25)) - parameters(pendulum(0.8 - h, 0.25))) / (2 * h)
    by_length = (parameters(pendulum(0.8, 0.25 + h)) - parameters(pendulum(0.8, 0.25 - h))) / (2 * h)
    for job in ("inverse", "forward"):
        function, given = ours.by_parameters(robot, job), state_of(robot, job)
        slope = jax.jacrev(function)(parameters(robot), *given)
        for change, ends in ((by_mass, [(0.8 + h, 0.25), (0.8 - h, 0.25)]), (by_length, [(0.8, 0.25 + h), (0.8, 0.25 - h)])):
            after, before = (pendulum(*end).evaluate(job, *given) for end in ends)
            np.testing.assert_allclose(slope @ change, (after - before) / (2 * h), rtol=1e-6, atol=1e-8)
    q, qd, qdd = state_of(robot, "inverse")
    np.testing.assert_allclose(jax.jacfwd(ours.by_parameters(robot))(parameters(robot), q, qd, qdd), robot.regressor(q, qd, qdd), atol=1e-12)
    tau = robot.inverse_dynamics(q, qd, qdd)
    expected = -np.linalg.solve(robot.inertia_matrix(q), robot.regressor(q, qd, qdd))
    np.testing.assert_allclose(jax.jacrev(ours.by_parameters(robot, "forward"))(parameters(robot), q, qd, tau), expected, atol=1e-9)


def test_a_load_is_learned(panda):
    """Its ten numbers, from torques, by gradients: θ is linear in them."""
    carried = panda.payload(1.3, com=(0.02, -0.01, 0.08), inertia=(0.004, 0.005, 0.003, 1e-4, -2e-4, 3e-4))
    columns, theta = payload_columns(panda), parameters(panda)
    x, y, z = 0.02, -0.01, 0.08
    load = np.array([1.3, 1.3 * x, 1.3 * y, 1.3 * z, 0.004 + 1.3 * (y * y + z * z), 0.005 + 1.3 * (x * x + z * z), 0.003 + 1.3 * (x * x + y * y),
                     1e-4 - 1.3 * x * y, -2e-4 - 1.3 * x * z, 3e-4 - 1.3 * y * z])
    np.testing.assert_allclose(theta + columns @ load, parameters(carried), atol=1e-10)
    given = panda.random_state(60, seed=3)
    torque, measured = ours.by_parameters(panda), carried.inverse_dynamics(*given)
    loss = jax.jit(lambda load: ((torque(theta + columns @ load, *given) - measured) ** 2).sum())
    found = -np.linalg.solve(jax.hessian(loss)(np.zeros(10)), jax.grad(loss)(np.zeros(10)))  # the loss is quadratic
    np.testing.assert_allclose(found, load, atol=1e-8)


CHECK = """
#include <cstddef>
#include "xla/ffi/api/c_api.h"
#include "xla.hpp"
#define SAME(ours, member, theirs, other) static_assert(offsetof(catena::xla::ours, member) == offsetof(theirs, other))
using Base = decltype(XLA_FFI_Metadata_Extension::extension_base);  // its name is not the same in all versions
SAME(Extension, type, Base, type);
SAME(Extension, next, Base, next);
SAME(Version, major, XLA_FFI_Api_Version, major_version);
SAME(Version, minor, XLA_FFI_Api_Version, minor_version);
SAME(Metadata, version, XLA_FFI_Metadata, api_version);
SAME(Metadata, traits, XLA_FFI_Metadata, traits);
SAME(MetadataExtension, metadata, XLA_FFI_Metadata_Extension, metadata);
SAME(Buffer, type, XLA_FFI_Buffer, dtype);
SAME(Buffer, data, XLA_FFI_Buffer, data);
SAME(Buffer, rank, XLA_FFI_Buffer, rank);
SAME(Buffer, sides, XLA_FFI_Buffer, dims);
SAME(Scalar, value, XLA_FFI_Scalar, value);
SAME(Text, length, XLA_FFI_ByteSpan, len);
SAME(Buffers, count, XLA_FFI_Args, size);
SAME(Buffers, buffers, XLA_FFI_Args, args);
SAME(Buffers, count, XLA_FFI_Rets, size);
SAME(Buffers, buffers, XLA_FFI_Rets, rets);
SAME(Attributes, count, XLA_FFI_Attrs, size);
SAME(Attributes, names, XLA_FFI_Attrs, names);
SAME(Attributes, values, XLA_FFI_Attrs, attrs);
SAME(ErrorArguments, message, XLA_FFI_Error_Create_Args, message);
SAME(ErrorArguments, code, XLA_FFI_Error_Create_Args, errc);
SAME(ErrorHandle, error, XLA_FFI_Error_Destroy_Args, error);
SAME(StreamArguments, context, XLA_FFI_Stream_Get_Args, ctx);
SAME(StreamArguments, stream, XLA_FFI_Stream_Get_Args, stream);
SAME(Api, version, XLA_FFI_Api, api_version);
SAME(Api, make_error, XLA_FFI_Api, XLA_FFI_Error_Create);
SAME(Api, give_back_error, XLA_FFI_Api, XLA_FFI_Error_Destroy);
SAME(Api, stream_of, XLA_FFI_Api, XLA_FFI_Stream_Get);
SAME(Call, api, XLA_FFI_CallFrame, api);
SAME(Call, context, XLA_FFI_CallFrame, ctx);
SAME(Call, stage, XLA_FFI_CallFrame, stage);
SAME(Call, arguments, XLA_FFI_CallFrame, args);
SAME(Call, results, XLA_FFI_CallFrame, rets);
SAME(Call, attributes, XLA_FFI_CallFrame, attrs);
static_assert(int(catena::xla::Number::float32) == XLA_FFI_DataType_F32 && int(catena::xla::Number::float64) == XLA_FFI_DataType_F64);
static_assert(catena::xla::execute == XLA_FFI_ExecutionStage_EXECUTE && XLA_FFI_Extension_Metadata == 1);
static_assert(XLA_FFI_Error_Code_INTERNAL == 13);
"""


def test_the_interface_is_that_of_jax(tmp_path):
    (tmp_path / "check.cpp").write_text(CHECK)
    command = ["c++", "-std=c++20", "-fsyntax-only", "-I", jax.ffi.include_dir(), "-I", str(SOURCES), str(tmp_path / "check.cpp")]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
