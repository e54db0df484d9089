"""Jobs for JAX, with Catena's own derivatives, on the CPU and on graphics processors: jit, vmap, scan, grad, jvp, first and
second derivatives forward and backward in any order, and jax.export.

    inverse_dynamics = catena.adapters.jax.inverse_dynamics(robot)
    jax.grad(lambda q: inverse_dynamics(q, qd, qdd).sum())(q)
    jax.hessian(lambda q: (inverse_dynamics(q, qd, qdd) ** 2).sum())(q)
    pose = catena.adapters.jax.function(robot, "pose", frame="panda_link7")        # any job: catena.jobs()
    torque = catena.adapters.jax.by_parameters(robot)                              # of theta too: torque(theta, q, qd, qdd)

Derivatives of inverse and forward dynamics are jobs (linearize, curvature, …); those of all others, and of robots on a base
that moves, are computed on dual numbers. Compiled programs call the library directly. On a graphics processor jobs, and the
derivatives that are jobs, are kernels in XLA's stream, compiled at the first call; docs/gpu.md.
"""

from __future__ import annotations

import functools
import json
import math
from typing import Any, Callable

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from .. import _catena
from .._jobs import job_facts, jobs
from .._robot import Robot, _follow
from . import by_a_job, differentiable
from . import by_parameters as _by_parameters

_TARGET = "catena_job"
_times = functools.partial(jnp.einsum, "...jk,...k->...j")
_turned = functools.partial(jnp.einsum, "...kj,...k->...j")

EXPORT_CHECKS = [jax.export.DisabledSafetyCheck.custom_call(_TARGET)]
"""For jax.export.export(jax.jit(f), disabled_checks=EXPORT_CHECKS): programs that call Catena. They carry the robot; the process
that runs them imports catena.adapters.jax first, of the same version."""


for _platform, _handler in _catena.xla_handlers().items():
    jax.ffi.register_ffi_target(_TARGET, _handler, platform=_platform)
_RESULTS = {job["name"]: getattr(_catena, f"{job['method_name']}_result") for job in jobs() if len(job["outputs"]) > 1}
for _name, _result in _RESULTS.items():
    jax.export.register_namedtuple_serialization(_result, serialized_name=f"catena.{_name}")


@functools.lru_cache(maxsize=64)
def _robot_of(steps: str) -> Robot:
    return _follow(json.loads(steps))


def _made_again(words: str) -> None:
    """What an exported program asks for, in a process that has not made it: the library calls this."""
    asked = json.loads(words)
    _catena.xla_job(_robot_of(asked["robot"]), words, **asked["call"])


class _Job:
    """A job of a robot with its derivatives, as functions of arrays with equal leading dimensions. All results stand in one
    row; what differs between jobs whose derivatives are jobs and others is in here."""

    def __init__(self, robot: Robot, job: str, frame: str, search: bool):
        self.robot, self.facts, self.known = robot, job_facts(job), by_a_job(robot, job)
        inputs, outputs = robot._inputs(job), robot._outputs(job)
        self.names, self.sizes = [name for name, _ in inputs], [size for _, size in inputs]
        self.shapes = [tuple(shape) for _, shape in outputs]
        self.lengths = [math.prod(shape) for shape in self.shapes]
        self.count, self.size = len(self.sizes), sum(self.lengths)
        self._frame, self._search, self._steps = frame, search, json.dumps(robot._steps, default=float)
        self._calls: dict[str, tuple[int, str]] = {}

    def _call(self, lengths: list[int], given: Any, **asked: Any) -> list[jax.Array]:
        """Rows of these lengths, for states with equal leading dimensions."""
        call = {"job": self.facts["name"], "frame": self._frame, "search": self._search, **asked}
        key = json.dumps(call, sort_keys=True)
        if key not in self._calls:
            words = json.dumps({"robot": self._steps, "call": call})
            self._calls[key] = _catena.xla_job(self.robot, words, **call), words
        number, words = self._calls[key]
        shapes = [jax.ShapeDtypeStruct((*given[0].shape[:-1], length), given[0].dtype) for length in lengths]
        return list(jax.ffi.ffi_call(_TARGET, shapes, vmap_method="broadcast_all")(*given, job=np.int64(number), words=words))

    def result(self, *given: jax.Array) -> jax.Array:
        return _row(self._call(self.lengths, given))

    def matrices(self, *given: jax.Array) -> list[jax.Array]:
        """The derivatives by each input, where they are a job."""
        name, by_input = differentiable(self.facts["name"])
        n = self.size
        found = self._call([n * n] * self.count, given, job=name, frame="")
        named = {output["name"]: x.reshape(*x.shape[:-1], n, n) for output, x in zip(job_facts(name)["outputs"], found)}
        return [named[name] for name in by_input]

    def change(self, *given: jax.Array) -> list[jax.Array]:
        """Of the results, with changes of the inputs: the second half of the arrays."""
        if not self.known:
            return [_row(self._call(self.lengths, given, order=1))]
        return [sum(_times(by_x, x) for by_x, x in zip(self.matrices(*given[:self.count]), given[self.count:]))]

    def gradient(self, *given: jax.Array) -> list[jax.Array]:
        """Of the results, weighed by the last array, by each input; on a graphics processor without matrices."""
        if not self.known:
            return self._call(self.sizes, given, order=1, weighed=True)

        def by_matrices(*given: jax.Array) -> Any:
            return tuple(_turned(by_x, given[-1]) for by_x in self.matrices(*given[:-1]))

        def by_kernel(*given: jax.Array) -> Any:
            return tuple(self._call(self.sizes, given, gradient=True))

        return list(jax.lax.platform_dependent(*given, cuda=by_kernel, default=by_matrices))

    def second_change(self, *given: jax.Array) -> list[jax.Array]:
        """How the change of the results changes along another direction: the last third of the arrays."""
        if not self.known:
            return [_row(self._call(self.lengths, given, order=2))]
        state, changes, along = given[:self.count], given[self.count:2 * self.count], given[2 * self.count:]
        every = [jnp.broadcast_to(x[..., None, :], (*x.shape[:-1], self.size, x.shape[-1])) for x in (*state, *along)]  # of each result
        weights = jnp.broadcast_to(jnp.eye(self.size, dtype=state[0].dtype), every[0].shape[:-1] + (self.size,))
        curved = self.curved(*every, weights)
        return [sum(_times(by_x, x) for by_x, x in zip(curved, changes))]

    def curved(self, *given: jax.Array) -> list[jax.Array]:
        """Changes of the gradient of the results, weighed by the last array, along a direction: the arrays before it."""
        if not self.known:
            return self._call(self.sizes, given, order=2, weighed=True)
        n = self.size
        found = self._call([n * n] * 4, (*given[:self.count], given[-1]), job=self.facts["curvature"], frame="")
        by_00, by_01, by_02, by_11 = (x.reshape(*x.shape[:-1], n, n) for x in found)
        x, y, z = given[self.count:-1]
        return [_times(by_00, x) + _times(by_01, y) + _times(by_02, z), _turned(by_01, x) + _times(by_11, y), _turned(by_02, x)]

    def unpacked(self, row: jax.Array) -> Any:
        """The results as the robot's method gives them."""
        parts = jnp.split(row, np.cumsum(self.lengths)[:-1], axis=-1) if len(self.lengths) > 1 else [row]
        shaped = [part.reshape(*row.shape[:-1], *shape) for part, shape in zip(parts, self.shapes)]
        return shaped[0] if len(shaped) == 1 else _RESULTS[self.facts["name"]](*shaped)


def _row(parts: list[jax.Array]) -> jax.Array:
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts, axis=-1)


# Maps that are linear in what follows the state, the first two and the last two each the transposes of each other, as JAX
# wants them for derivatives of derivatives.
_CHANGE, _GRADIENT = Primitive("catena_change"), Primitive("catena_gradient")
_SECOND, _CURVED = Primitive("catena_second_change"), Primitive("catena_curved")


def _describe(primitive: Primitive, work: Callable[..., Any], lengths: Callable[[_Job], list[int]]) -> None:
    def batch(given: Any, axes: Any, job: _Job) -> Any:
        size = next(x.shape[axis] for x, axis in zip(given, axes) if axis is not None)
        front = [jnp.broadcast_to(x, (size, *x.shape)) if axis is None else jnp.moveaxis(x, axis, 0) for x, axis in zip(given, axes)]
        return primitive.bind(*front, job=job), [0] * len(lengths(job))

    def shapes(*given: Any, job: _Job) -> Any:
        return [jax.core.ShapedArray((*given[0].shape[:-1], length), given[0].dtype) for length in lengths(job)]

    primitive.multiple_results = True
    primitive.def_impl(lambda *given, job: work(job, *given))
    primitive.def_abstract_eval(shapes)
    mlir.register_lowering(primitive, mlir.lower_fun(lambda *given, job: work(job, *given), multiple_results=True))
    batching.primitive_batchers[primitive] = batch


_describe(_CHANGE, _Job.change, lambda job: [job.size])
_describe(_GRADIENT, _Job.gradient, lambda job: job.sizes)
_describe(_SECOND, _Job.second_change, lambda job: [job.size])
_describe(_CURVED, _Job.curved, lambda job: job.sizes)


def _full(tangents: Any) -> list[Any]:
    return [ad.instantiate_zeros(x) for x in tangents]


def _sum(first: Any, second: Any) -> list[Any]:
    return [x + y for x, y in zip(first, second)]


def _change_jvp(given: Any, tangents: Any, job: _Job) -> Any:
    n, moved = job.count, _full(tangents)
    return _CHANGE.bind(*given, job=job), _sum(_SECOND.bind(*given, *moved[:n], job=job), _CHANGE.bind(*given[:n], *moved[n:], job=job))


def _gradient_jvp(given: Any, tangents: Any, job: _Job) -> Any:
    *state, weights = given
    *along, up = _full(tangents)
    return _GRADIENT.bind(*given, job=job), _sum(_CURVED.bind(*state, *along, weights, job=job), _GRADIENT.bind(*state, up, job=job))


def _last_jvp(primitive: Primitive, cut: Callable[[_Job], int], given: Any, tangents: Any, job: _Job) -> Any:
    """Of a map that is linear in the arrays before the cut and in those behind it."""
    n, k = job.count, cut(job)
    if any(type(x) is not ad.Zero for x in tangents[:n]):
        raise ValueError(f"third derivatives of '{job.facts['name']}' are asked for; there are first and second ones")
    moved = _full(tangents)
    return primitive.bind(*given, job=job), _sum(primitive.bind(*given[:n], *moved[n:k], *given[k:], job=job),
                                                 primitive.bind(*given[:k], *moved[k:], job=job))


def _transposed(given: Any, job: _Job, *groups: tuple[int, int, Callable[[], Any]]) -> list[Any]:
    """What each array gets, where the linear ones are those of one group: from, to, and how."""
    found: list[Any] = [None] * len(given)
    for start, end, work in groups:
        if any(map(ad.is_undefined_primal, given[start:end])):
            found[start:end] = [own if ad.is_undefined_primal(x) else None for x, own in zip(given[start:end], work())]
    return found


def _change_transposed(up: Any, *given: Any, job: _Job) -> Any:
    n = job.count
    return _transposed(given, job, (n, 2 * n, lambda: _GRADIENT.bind(*given[:n], *_full(up), job=job)))


def _gradient_transposed(up: Any, *given: Any, job: _Job) -> Any:
    n = job.count
    return _transposed(given, job, (n, n + 1, lambda: _CHANGE.bind(*given[:n], *_full(up), job=job)))


def _second_transposed(up: Any, *given: Any, job: _Job) -> Any:
    n = job.count
    state, changes, along = given[:n], given[n:2 * n], given[2 * n:]
    return _transposed(given, job, (n, 2 * n, lambda: _CURVED.bind(*state, *along, *_full(up), job=job)),
                       (2 * n, 3 * n, lambda: _CURVED.bind(*state, *changes, *_full(up), job=job)))


def _curved_transposed(up: Any, *given: Any, job: _Job) -> Any:
    n = job.count
    state, along, weights = given[:n], given[n:2 * n], given[2 * n]
    return _transposed(given, job, (n, 2 * n, lambda: _CURVED.bind(*state, *_full(up), weights, job=job)),
                       (2 * n, 2 * n + 1, lambda: _SECOND.bind(*state, *along, *_full(up), job=job)))


ad.primitive_jvps[_CHANGE], ad.primitive_jvps[_GRADIENT] = _change_jvp, _gradient_jvp
for _primitive in (_SECOND, _CURVED):
    ad.primitive_jvps[_primitive] = functools.partial(_last_jvp, _primitive, lambda job: 2 * job.count)
ad.primitive_transposes[_CHANGE], ad.primitive_transposes[_GRADIENT] = _change_transposed, _gradient_transposed
ad.primitive_transposes[_SECOND], ad.primitive_transposes[_CURVED] = _second_transposed, _curved_transposed


def function(robot: Robot, job: str, *, frame: str | None = None, search: bool = True) -> Callable[..., Any]:
    """A job as a function of its arrays (..., n), with the results of the robot's method of that name.

    frame: for jobs that take one. search: on a graphics processor, look for the cheapest kernel. A quaternion is four
    numbers, of length 1 to 1e-4: normalize it if steps change it. Derivatives are perpendicular to it.
    """
    if frame is not None and not job_facts(job)["takes_frame"]:
        raise ValueError(f"'{job}' takes no frame")
    made = _Job(robot, job, frame or "", search)

    @jax.custom_jvp
    def row(*given: jax.Array) -> jax.Array:
        return made.result(*given)

    @row.defjvp
    def change(given: Any, changes: Any) -> Any:
        return row(*given), _CHANGE.bind(*given, *changes, job=made)[0]

    def call(*given: Any) -> Any:
        arrays = [jnp.asarray(x) for x in given]
        kind = jnp.result_type(*arrays, jnp.float32)
        if len(arrays) != made.count:
            raise TypeError(f"{len(arrays)} arrays are given, {made.count} are needed")
        for name, array, size in zip(made.names, arrays, made.sizes):
            if array.ndim == 0 or array.shape[-1] != size:
                raise ValueError(f"{name} has the shape {array.shape}; robot '{robot.name}' takes (..., {size})")
        lead = jnp.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        return made.unpacked(row(*(jnp.broadcast_to(array.astype(kind), (*lead, size)) for array, size in zip(arrays, made.sizes))))

    return call


def inverse_dynamics(robot: Robot, *, search: bool = True) -> Callable[..., jax.Array]:
    """A function of q, qd, qdd (..., n) that gives tau. search: on a graphics processor, look for the cheapest kernel."""
    return function(robot, "inverse", search=search)


def forward_dynamics(robot: Robot, *, search: bool = True) -> Callable[..., jax.Array]:
    """A function of q, qd, tau (..., n) that gives qdd. search: on a graphics processor, look for the cheapest kernel."""
    return function(robot, "forward", search=search)


def by_parameters(robot: Robot, job: str = "inverse") -> Callable[..., jax.Array]:
    """inverse, bias or forward as a function of θ (..., np) and of the job's arrays, for learning: f(theta, q, qd, qdd).

    theta: catena.adapters.parameters(robot), or others; the robot's own masses and inertias do not matter. Differentiable
    twice by all arguments, by theta to any order.
    """
    regressor = function(robot, "regressor")
    call = _by_parameters(job, regressor, jnp.einsum, jnp.linalg.solve, lambda x: jnp.eye(robot.nv, dtype=x.dtype))
    return lambda theta, *given: call(jnp.asarray(theta), *map(jnp.asarray, given))
