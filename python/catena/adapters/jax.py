"""Inverse and forward dynamics for JAX, with Catena's own derivatives, on the CPU and on graphics processors: jit, grad
and vmap work.

    inverse_dynamics = catena.adapters.jax.inverse_dynamics(robot)
    jax.grad(lambda q: inverse_dynamics(q, qd, qdd).sum())(q)

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

    def by_matrices(*given: jax.Array) -> Any:
        found = dict(zip(outputs, _call(matrices_number, [(n, n)] * count, *given[:-1])))
        return tuple(jnp.einsum("...i,...ij->...j", given[-1], found[name]) for name in by_input)

    def by_kernel(*given: jax.Array) -> Any:
        return tuple(_call(gradient_number, [(n,)] * count, *given))

    def back(given: Any, up: jax.Array) -> Any:
        return jax.lax.platform_dependent(*given, up, cuda=by_kernel, default=by_matrices)

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
