"""Inverse and forward dynamics for JAX on the CPU, with our derivatives: jit, grad and vmap take them.

    inverse_dynamics = catena.adapters.jax.inverse_dynamics(robot)
    jax.grad(lambda q: inverse_dynamics(q, qd, qdd).sum())(q)
"""

from __future__ import annotations

from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np

from .._robot import Robot
from . import derivatives, input_sizes


def _function(robot: Robot, job: str) -> Callable[..., jax.Array]:
    sizes = input_sizes(robot, job)

    def shaped(given: Any, *sides: int) -> jax.ShapeDtypeStruct:
        lead = jnp.broadcast_shapes(*(x.shape[:-1] for x in given))
        return jax.ShapeDtypeStruct((*lead, *sides), jnp.result_type(*given))

    # What JAX hands over has read-only arrays of its own, and its own word on types.
    def numbers(given: Any, like: Any) -> list[Any]:
        return [np.asarray(x, like.dtype) for x in given]

    @jax.custom_vjp
    def function(*given: jax.Array) -> jax.Array:
        like = shaped(given, robot.nv)
        return jax.pure_callback(lambda *x: np.asarray(robot.evaluate(job, *numbers(x, like))), like, *given,
                                 vmap_method="expand_dims")

    def ahead(*given: jax.Array) -> Any:
        return function(*given), given

    def back(given: Any, up: jax.Array) -> Any:
        likes = tuple(shaped(given, robot.nv, size) for size in sizes)
        found = jax.pure_callback(lambda *x: tuple(np.asarray(d) for d in derivatives(robot, job, *numbers(x, likes[0]))), likes, *given,
                                  vmap_method="expand_dims")
        grads = []
        for x, by_x in zip(given, found):
            whole = jnp.einsum("...i,...ij->...j", up, by_x)
            extra = whole.ndim - x.ndim
            whole = whole.sum(tuple(range(extra))) if extra else whole
            repeated = tuple(d for d in range(x.ndim) if x.shape[d] == 1 and whole.shape[d] != 1)
            grads.append((whole.sum(repeated, keepdims=True) if repeated else whole).astype(x.dtype))
        return tuple(grads)

    function.defvjp(ahead, back)

    def call(*given: Any) -> jax.Array:
        return function(*(jnp.asarray(x) for x in given))

    return call


def inverse_dynamics(robot: Robot) -> Callable[..., jax.Array]:
    """A function of q, qd, qdd (..., n) that gives tau."""
    return _function(robot, "inverse")


def forward_dynamics(robot: Robot) -> Callable[..., jax.Array]:
    """A function of q, qd, tau (..., n) that gives qdd."""
    return _function(robot, "forward")
