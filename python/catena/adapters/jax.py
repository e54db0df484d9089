"""Inverse and forward dynamics for JAX, with Catena's own derivatives, on the CPU and on graphics processors: jit, grad
and vmap work, and so do second derivatives, forward and backward in any order: hessian, grad of grad.

    inverse_dynamics = catena.adapters.jax.inverse_dynamics(robot)
    jax.grad(lambda q: inverse_dynamics(q, qd, qdd).sum())(q)
    jax.hessian(lambda q: (inverse_dynamics(q, qd, qdd) ** 2).sum())(q)

Compiled programs call the library directly. On a graphics processor the job, its gradient and its second derivatives are
kernels in XLA's stream, compiled at the first call; docs/gpu.md.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from .. import _catena
from .._jobs import job_facts
from .._robot import Robot
from . import differentiable, input_sizes

_TARGET = "catena_job"
_times = functools.partial(jnp.einsum, "...jk,...k->...j")
_turned = functools.partial(jnp.einsum, "...kj,...k->...j")


@functools.cache
def _register() -> None:
    for platform, handler in _catena.xla_handlers().items():
        jax.ffi.register_ffi_target(_TARGET, handler, platform=platform)


def _call(number: int, sides: list[tuple[int, ...]], *given: jax.Array) -> Any:
    """The job with this number at states with equal leading dimensions; `sides`: further dimensions of results."""
    shapes = [jax.ShapeDtypeStruct((*given[0].shape[:-1], *own), given[0].dtype) for own in sides]
    return jax.ffi.ffi_call(_TARGET, shapes, vmap_method="broadcast_all")(*given, job=np.int64(number))


class _Job:
    """A job of a robot with its derivatives, as functions of arrays with equal leading dimensions."""

    def __init__(self, robot: Robot, job: str, search: bool):
        derivatives, self._by_input = differentiable(job)
        self._outputs = [output["name"] for output in job_facts(derivatives)["outputs"]]
        self._number, self._matrices, self._curvature = (_catena.xla_job(robot, name, False, search)
                                                         for name in (job, derivatives, job_facts(job)["curvature"]))
        self._gradient = _catena.xla_job(robot, job, True, search)
        self.robot, self.n, self.sizes = robot, robot.nv, input_sizes(robot, job)
        self.names = [entry["name"] for entry in job_facts(job)["inputs"]]
        self.count = len(self.sizes)

    def result(self, *given: jax.Array) -> jax.Array:
        return _call(self._number, [(self.n,)], *given)[0]

    def matrices(self, *given: jax.Array) -> list[jax.Array]:
        """The derivatives by each input."""
        found = dict(zip(self._outputs, _call(self._matrices, [(self.n, self.n)] * self.count, *given)))
        return [found[name] for name in self._by_input]

    def curved(self, given: Any, weights: jax.Array, changes: Any) -> list[jax.Array]:
        """Changes of the gradient of the weighed results by each input, at fixed weights."""
        by_00, by_01, by_02, by_11 = _call(self._curvature, [(self.n, self.n)] * 4, *given, weights)
        x, y, z = changes
        return [_times(by_00, x) + _times(by_01, y) + _times(by_02, z), _turned(by_01, x) + _times(by_11, y), _turned(by_02, x)]

    def gradient(self, *given: jax.Array) -> Any:
        """Of the results, weighed by the last array, by each input; on a graphics processor without matrices."""
        def by_matrices(*given: jax.Array) -> Any:
            return tuple(_turned(by_x, given[-1]) for by_x in self.matrices(*given[:-1]))

        def by_kernel(*given: jax.Array) -> Any:
            return tuple(_call(self._gradient, [(self.n,)] * self.count, *given))

        return jax.lax.platform_dependent(*given, cuda=by_kernel, default=by_matrices)

    def change(self, *given: jax.Array) -> Any:
        """Of the results, with changes of the inputs: the second half of the arrays."""
        state, changes = given[:self.count], given[self.count:]
        return (sum(_times(by_x, x) for by_x, x in zip(self.matrices(*state), changes)),)


# The two linear maps, each the transpose of the other, as JAX wants them for derivatives of derivatives.
_CHANGE, _GRADIENT = Primitive("catena_change"), Primitive("catena_gradient")


def _describe(primitive: Primitive, work: Callable[..., Any], results: Callable[[_Job], int]) -> None:
    def batch(given: Any, axes: Any, job: _Job) -> Any:
        size = next(x.shape[axis] for x, axis in zip(given, axes) if axis is not None)
        front = [jnp.broadcast_to(x, (size, *x.shape)) if axis is None else jnp.moveaxis(x, axis, 0) for x, axis in zip(given, axes)]
        return primitive.bind(*front, job=job), [0] * results(job)

    primitive.multiple_results = True
    primitive.def_impl(lambda *given, job: work(job, *given))
    primitive.def_abstract_eval(lambda *given, job: [jax.core.ShapedArray((*given[0].shape[:-1], job.n), given[0].dtype)] * results(job))
    mlir.register_lowering(primitive, mlir.lower_fun(lambda *given, job: work(job, *given), multiple_results=True))
    batching.primitive_batchers[primitive] = batch


_describe(_CHANGE, _Job.change, lambda job: 1)
_describe(_GRADIENT, _Job.gradient, lambda job: job.count)


def _full(tangents: Any) -> list[Any]:
    return [ad.instantiate_zeros(x) for x in tangents]


def _change_jvp(given: Any, tangents: Any, job: _Job) -> Any:
    state, changes = given[:job.count], given[job.count:]
    along, more = _full(tangents[:job.count]), _full(tangents[job.count:])
    every = [jnp.broadcast_to(x[..., None, :], (*x.shape[:-1], job.n, x.shape[-1])) for x in (*state, *along)]  # of each result
    weights = jnp.broadcast_to(jnp.eye(job.n, dtype=state[0].dtype), every[0].shape[:-1] + (job.n,))
    curved = job.curved(every[:job.count], weights, every[job.count:])
    own = sum(_times(by_x, x) for by_x, x in zip(curved, changes))
    return _CHANGE.bind(*given, job=job), [own + _CHANGE.bind(*state, *more, job=job)[0]]


def _change_transposed(up: Any, *given: Any, job: _Job) -> Any:
    state, changes = given[:job.count], given[job.count:]
    found = _GRADIENT.bind(*state, ad.instantiate_zeros(up[0]), job=job)
    return [None] * job.count + [own if ad.is_undefined_primal(x) else None for x, own in zip(changes, found)]


def _gradient_jvp(given: Any, tangents: Any, job: _Job) -> Any:
    *state, weights = given
    *along, up = _full(tangents)
    curved = job.curved(state, weights, along)
    return _GRADIENT.bind(*given, job=job), [own + _turned(by_x, up) for own, by_x in zip(curved, job.matrices(*state))]


ad.primitive_jvps[_CHANGE], ad.primitive_jvps[_GRADIENT] = _change_jvp, _gradient_jvp
ad.primitive_transposes[_CHANGE] = _change_transposed


def _function(robot: Robot, job: str, search: bool) -> Callable[..., jax.Array]:
    _register()
    made = _Job(robot, job, search)

    @jax.custom_jvp
    def function(*given: jax.Array) -> jax.Array:
        return made.result(*given)

    @function.defjvp
    def change(given: Any, changes: Any) -> Any:
        if robot.nq != robot.nv:
            raise ValueError(f"robot '{robot.name}' has positions whose derivatives are not qd: no gradient by them is known")
        return function(*given), _CHANGE.bind(*given, *changes, job=made)[0]

    def call(*given: Any) -> jax.Array:
        arrays = [jnp.asarray(x) for x in given]
        kind = jnp.result_type(*arrays, jnp.float32)
        if len(arrays) != made.count:
            raise TypeError(f"{len(arrays)} arrays are given, {made.count} are needed")
        for name, array, size in zip(made.names, arrays, made.sizes):
            if array.ndim == 0 or array.shape[-1] != size:
                raise ValueError(f"{name} has the shape {array.shape}; robot '{robot.name}' takes (..., {size})")
        lead = jnp.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        return function(*(jnp.broadcast_to(array.astype(kind), (*lead, size)) for array, size in zip(arrays, made.sizes)))

    return call


def inverse_dynamics(robot: Robot, *, search: bool = True) -> Callable[..., jax.Array]:
    """A function of q, qd, qdd (..., n) that gives tau. search: on a graphics processor, look for the cheapest kernel."""
    return _function(robot, "inverse", search)


def forward_dynamics(robot: Robot, *, search: bool = True) -> Callable[..., jax.Array]:
    """A function of q, qd, tau (..., n) that gives qdd. search: on a graphics processor, look for the cheapest kernel."""
    return _function(robot, "forward", search)
