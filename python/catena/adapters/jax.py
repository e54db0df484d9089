"""Inverse and forward dynamics for JAX, with Catena's own derivatives, on the CPU and on graphics processors: jit, grad
and vmap work, and so does a second derivative, forward or backward over a backward one: hessian, grad of grad.

    inverse_dynamics = catena.adapters.jax.inverse_dynamics(robot)
    jax.grad(lambda q: inverse_dynamics(q, qd, qdd).sum())(q)
    jax.hessian(lambda q: (inverse_dynamics(q, qd, qdd) ** 2).sum())(q)

Compiled programs call the library directly. On a graphics processor the job and its gradient are kernels in XLA's stream, compiled at
the first call; docs/gpu.md.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np

from .. import _catena
from .._jobs import job_facts
from .._robot import Robot
from . import differentiable, input_sizes

_TARGET = "catena_job"


@functools.cache
def _register() -> None:
    for platform, handler in _catena.xla_handlers().items():
        jax.ffi.register_ffi_target(_TARGET, handler, platform=platform)


def _call(number: int, sides: list[tuple[int, ...]], *given: jax.Array) -> Any:
    """The job with this number at states with equal leading dimensions; `sides`: further dimensions of results."""
    shapes = [jax.ShapeDtypeStruct((*given[0].shape[:-1], *own), given[0].dtype) for own in sides]
    return jax.ffi.ffi_call(_TARGET, shapes, vmap_method="broadcast_all")(*given, job=np.int64(number))


def _function(robot: Robot, job: str, search: bool) -> Callable[..., jax.Array]:
    _register()
    derivatives, by_input = differentiable(job)
    outputs = [output["name"] for output in job_facts(derivatives)["outputs"]]
    job_number = _catena.xla_job(robot, job, False, search)
    matrices_number = _catena.xla_job(robot, derivatives, False, search)
    gradient_number = _catena.xla_job(robot, job, True, search)
    curvature_number = _catena.xla_job(robot, job_facts(job)["curvature"], False, search)
    n, sizes = robot.nv, input_sizes(robot, job)
    names = [entry["name"] for entry in job_facts(job)["inputs"]]
    count = len(sizes)

    @jax.custom_vjp
    def function(*given: jax.Array) -> jax.Array:
        return _call(job_number, [(n,)], *given)[0]

    def ahead(*given: jax.Array) -> Any:
        if robot.nq != n:
            raise ValueError(f"robot '{robot.name}' has positions whose derivatives are not qd: no gradient by them is known")
        return function(*given), given

    def matrices(*given: jax.Array) -> list[jax.Array]:
        found = dict(zip(outputs, _call(matrices_number, [(n, n)] * count, *given)))
        return [found[name] for name in by_input]

    def by_matrices(*given: jax.Array) -> Any:
        return tuple(jnp.einsum("...i,...ij->...j", given[-1], by_x) for by_x in matrices(*given[:-1]))

    def by_kernel(*given: jax.Array) -> Any:
        return tuple(_call(gradient_number, [(n,)] * count, *given))

    @jax.custom_jvp
    def gradient(*given: jax.Array) -> Any:
        return jax.lax.platform_dependent(*given, cuda=by_kernel, default=by_matrices)

    @gradient.defjvp
    def gradient_change(given: Any, changes: Any) -> Any:
        by_00, by_01, by_02, by_11 = _call(curvature_number, [(n, n)] * 4, *given)
        times = functools.partial(jnp.einsum, "...jk,...k->...j")
        turned = functools.partial(jnp.einsum, "...kj,...k->...j")
        *x, up = changes
        by_inputs = (times(by_00, x[0]) + times(by_01, x[1]) + times(by_02, x[2]), turned(by_01, x[0]) + times(by_11, x[1]), turned(by_02, x[0]))
        return gradient(*given), tuple(own + turned(by_x, up) for own, by_x in zip(by_inputs, matrices(*given[:-1])))

    def back(given: Any, up: jax.Array) -> Any:
        return gradient(*given, up)

    function.defvjp(ahead, back)

    def call(*given: Any) -> jax.Array:
        arrays = [jnp.asarray(x) for x in given]
        kind = jnp.result_type(*arrays, jnp.float32)
        if len(arrays) != count:
            raise TypeError(f"{len(arrays)} arrays are given, {count} are needed")
        for name, array, size in zip(names, arrays, sizes):
            if array.ndim == 0 or array.shape[-1] != size:
                raise ValueError(f"{name} has the shape {array.shape}; robot '{robot.name}' takes (..., {size})")
        lead = jnp.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        return function(*(jnp.broadcast_to(array.astype(kind), (*lead, size)) for array, size in zip(arrays, sizes)))

    return call


def inverse_dynamics(robot: Robot, *, search: bool = True) -> Callable[..., jax.Array]:
    """A function of q, qd, qdd (..., n) that gives tau. search: on a graphics processor, look for the cheapest kernel."""
    return _function(robot, "inverse", search)


def forward_dynamics(robot: Robot, *, search: bool = True) -> Callable[..., jax.Array]:
    """A function of q, qd, tau (..., n) that gives qdd. search: on a graphics processor, look for the cheapest kernel."""
    return _function(robot, "forward", search)
