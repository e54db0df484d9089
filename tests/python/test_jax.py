"""Jobs in compiled programs of JAX: on the CPU here, on a graphics processor where JAX has one."""

import pathlib
import subprocess

import numpy as np
import pytest

from catena.adapters import derivatives

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402

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
    with pytest.raises(ValueError, match="no gradient by them is known"):
        jax.grad(lambda x: free(q, x, x).sum())(np.zeros(13))


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
