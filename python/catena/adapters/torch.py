"""Jobs for PyTorch, with Catena's own derivatives: tensors on the CPU or a graphics processor.

    tau = catena.adapters.torch.inverse_dynamics(robot, q, qd, qdd)      # tensors (..., n); tau.sum().backward() works, twice too
    pose = catena.adapters.torch.function(robot, "pose")                 # any job: pose(q)
    torque = catena.adapters.torch.by_parameters(robot)                  # of theta too: torque(theta, q, qd, qdd)

Backward and forward mode, twice, and torch.func: vmap, jvp, jacfwd, jacrev, hessian. On a graphics processor jobs, and the
derivatives of inverse and forward dynamics, are kernels in the current stream, compiled at the first call; docs/gpu.md. Other
derivatives are computed on the CPU.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Callable

import numpy as np
import torch

from .. import _catena, gpu
from .._jobs import job_facts
from .._robot import Robot
from . import along as _along
from . import by_a_job, differentiable
from . import by_parameters as _by_parameters

Tensors = Any  # a tensor for each input of the job


def _lying_alike(first: torch.Tensor, *others: torch.Tensor) -> list[torch.Tensor]:
    """Tensors as a kernel needs them: all in the layout of the first, rows or columns, and without a gradient."""
    columns = first.dim() == 2 and first.stride() == (1, first.shape[0]) and first.shape[0] > 1
    return [x.detach().t().contiguous().t() if columns else x.detach().contiguous() for x in (first, *others)]


@functools.lru_cache(maxsize=64)
def _kernel(make: Callable[..., Any], robot: Robot, job: str, device: int, search: bool) -> Callable[..., Any]:
    return make(robot, job, device=device, search=search)


class _Job:
    """A job of a robot with its derivatives, as functions of tensors with equal leading dimensions. All results stand in one
    row; what differs between jobs whose derivatives are jobs and others is in here."""

    def __init__(self, robot: Robot, job: str, frame: str | None, search: bool):
        self.robot, self.facts, self.frame, self.search = robot, job_facts(job), frame, search
        self.known = by_a_job(robot, job)
        inputs, outputs = robot._inputs(job), robot._outputs(job)
        self.names, self.sizes = [name for name, _ in inputs], [size for _, size in inputs]
        self.shapes = [tuple(shape) for _, shape in outputs]
        self.lengths = [math.prod(shape) for shape in self.shapes]
        self.count = len(self.sizes)

    def _run(self, name: str, given: Tensors, gradient: bool = False) -> list[torch.Tensor]:
        """A job, or its gradient, as a list of its results."""
        first = given[0]
        if first.device.type == "cuda":
            found = _kernel(gpu.gradient if gradient else gpu.function, self.robot, name, first.device.index, self.search)(*_lying_alike(*given))
            return list(found) if isinstance(found, tuple) else [found]
        found = self.robot.evaluate(name, *(x.detach().numpy() for x in given), frame=self.frame)
        return [torch.from_numpy(np.asarray(part)).to(first.dtype) for part in (found if isinstance(found, tuple) else (found,))]

    def _dual(self, given: Tensors, *directions: Tensors, weights: torch.Tensor | None = None) -> list[torch.Tensor]:
        def numbers(x: torch.Tensor) -> Any:
            return x.detach().cpu().double().numpy()

        found = _along(self.robot, self.facts["name"], [numbers(x) for x in given], *([numbers(x) for x in own] for own in directions),
                       weights=None if weights is None else numbers(weights), frame=self.frame)
        return [torch.from_numpy(x).to(given[0]) for x in found]

    def result(self, given: Tensors) -> torch.Tensor:
        if given[0].device.type == "cuda" and self.frame is not None:
            raise ValueError("on a graphics processor jobs take no frame but the tool")
        lead = given[0].shape[:-1]
        return torch.cat([x.reshape((*lead, -1)) for x in self._run(self.facts["name"], given)], dim=-1)

    def matrices(self, given: Tensors) -> list[torch.Tensor]:
        name, by_input = differentiable(self.facts["name"])
        found = dict(zip((output["name"] for output in job_facts(name)["outputs"]), self._run(name, given)))
        return [found[one] for one in by_input]

    def change(self, given: Tensors, changes: Tensors) -> torch.Tensor:
        """Of the results, with changes of the inputs."""
        if not self.known:
            return torch.cat(self._dual(given, changes), dim=-1)
        return sum(_times(by_x, x) for by_x, x in zip(self.matrices(given), changes))  # type: ignore[return-value]

    def gradient(self, given: Tensors, weights: torch.Tensor) -> list[torch.Tensor]:
        """Of the weighed results, by each input."""
        if not self.known:
            return self._dual(given, weights=weights)
        if given[0].device.type == "cuda":
            return self._run(self.facts["name"], (*given, weights), gradient=True)
        return [_turned(by_x, weights) for by_x in self.matrices(given)]

    def second_change(self, given: Tensors, changes: Tensors, along: Tensors) -> torch.Tensor:
        """How the change of the results changes along another direction."""
        if not self.known:
            return torch.cat(self._dual(given, changes, along), dim=-1)
        n = self.robot.nv
        every = [[x.unsqueeze(-2).expand(*x.shape[:-1], n, x.shape[-1]) for x in own] for own in (given, along)]  # of each result
        weights = torch.eye(n).to(given[0]).expand(*every[0][0].shape[:-1], n)
        return sum(_times(by_x, x) for by_x, x in zip(self.curved(every[0], weights, every[1]), changes))  # type: ignore[return-value]

    def curved(self, given: Tensors, weights: torch.Tensor, along: Tensors) -> list[torch.Tensor]:
        """Changes of the gradient of the weighed results by each input, at fixed weights."""
        if not self.known:
            return self._dual(given, along, weights=weights)
        by_00, by_01, by_02, by_11 = self._run(self.facts["curvature"], (*given, weights))
        x, y, z = along
        return [_times(by_00, x) + _times(by_01, y) + _times(by_02, z), _turned(by_01, x) + _times(by_11, y), _turned(by_02, x)]

    def unpacked(self, row: torch.Tensor) -> Any:
        """The results as the robot's method gives them."""
        shaped = [part.reshape((*row.shape[:-1], *shape)) for part, shape in zip(row.split(self.lengths, dim=-1), self.shapes)]
        return shaped[0] if len(shaped) == 1 else getattr(_catena, f"{self.facts['method_name']}_result")(*shaped)


def _times(matrix: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return (matrix @ x.unsqueeze(-1)).squeeze(-1)


def _turned(matrix: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return _times(matrix.transpose(-1, -2), x)


class _Map(torch.autograd.Function):
    """What the maps below share: they keep what they are given, and take more leading dimensions."""

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.job, *given = inputs
        ctx.save_for_backward(*given)
        ctx.save_for_forward(*given)

    @classmethod
    def vmap(cls, info: Any, axes: Any, job: _Job, *given: torch.Tensor) -> Any:
        front = [x.unsqueeze(0).expand(info.batch_size, *x.shape) if axis is None else x.movedim(axis, 0) for x, axis in zip(given, axes[1:])]
        found = cls.apply(job, *front)
        return found, tuple(0 for _ in found) if isinstance(found, tuple) else 0


def _there(tangents: Any, like: Any) -> list[torch.Tensor]:
    return [torch.zeros_like(x) if tangent is None else tangent for tangent, x in zip(tangents, like)]


class _SecondChange(_Map):
    """The second derivatives along two directions, which end here."""

    @staticmethod
    def forward(job: _Job, *given: torch.Tensor) -> torch.Tensor:
        n = job.count
        return job.second_change(given[:n], given[n:2 * n], given[2 * n:])

    @staticmethod
    def backward(ctx: Any, *up: torch.Tensor) -> Any:
        raise RuntimeError(f"third derivatives of '{ctx.job.facts['name']}' are asked for; there are first and second ones")

    jvp = backward


class _Curved(_Map):
    """How the gradient changes along a direction, where derivatives end."""

    @staticmethod
    def forward(job: _Job, *given: torch.Tensor) -> Any:
        n = job.count
        return tuple(job.curved(given[:n], given[n], given[n + 1:]))

    backward = _SecondChange.backward
    jvp = _SecondChange.backward


class _Gradient(_Map):
    """The gradient of a weighted sum of results, by the job's tensors and the weights."""

    @staticmethod
    def forward(job: _Job, *given: torch.Tensor) -> Any:
        return tuple(job.gradient(given[:-1], given[-1]))

    @staticmethod
    def backward(ctx: Any, *up: torch.Tensor) -> Any:
        *state, weights = ctx.saved_tensors
        return None, *_Curved.apply(ctx.job, *state, weights, *up), _Change.apply(ctx.job, *state, *up)

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        *state, weights = ctx.saved_tensors
        *along, up = _there(tangents, ctx.saved_tensors)
        return tuple(x + y for x, y in zip(_Curved.apply(ctx.job, *state, weights, *along), _Gradient.apply(ctx.job, *state, up)))


class _Change(_Map):
    """The change of the results with changes of the job's tensors: their second half."""

    @staticmethod
    def forward(job: _Job, *given: torch.Tensor) -> torch.Tensor:
        return job.change(given[:job.count], given[job.count:])

    @staticmethod
    def backward(ctx: Any, *up: torch.Tensor) -> Any:
        n = ctx.job.count
        state, changes = ctx.saved_tensors[:n], ctx.saved_tensors[n:]
        return None, *_Curved.apply(ctx.job, *state, *up, *changes), *_Gradient.apply(ctx.job, *state, *up)

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        n = ctx.job.count
        state, changes = ctx.saved_tensors[:n], ctx.saved_tensors[n:]
        found = _there(tangents, ctx.saved_tensors)
        return _SecondChange.apply(ctx.job, *state, *changes, *found[:n]) + _Change.apply(ctx.job, *state, *found[n:])


class _Result(_Map):
    @staticmethod
    def forward(job: _Job, *given: torch.Tensor) -> torch.Tensor:
        return job.result(given)

    @staticmethod
    def backward(ctx: Any, *up: torch.Tensor) -> Any:
        return None, *_Gradient.apply(ctx.job, *ctx.saved_tensors, *up)

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        return _Change.apply(ctx.job, *ctx.saved_tensors, *_there(tangents, ctx.saved_tensors))


def function(robot: Robot, job: str, *, frame: str | None = None, search: bool = True) -> Callable[..., Any]:
    """A job as a function of its tensors (..., n), with the results of the robot's method of that name.

    frame: for jobs that take one. search: on a graphics processor, look for the cheapest kernel. A quaternion is four
    numbers, of length 1 to 1e-4: normalize it if steps change it. Derivatives are perpendicular to it.
    """
    if frame is not None and not job_facts(job)["takes_frame"]:
        raise ValueError(f"'{job}' takes no frame")
    made = _Job(robot, job, frame, search)

    def call(*given: torch.Tensor) -> Any:
        if len(given) != made.count:
            raise TypeError(f"{len(given)} tensors are given, {made.count} are needed")
        for name, x, size in zip(made.names, given, made.sizes):
            if x.dim() == 0 or x.shape[-1] != size:
                raise ValueError(f"{name} has the shape {tuple(x.shape)}; robot '{robot.name}' takes (..., {size})")
        lead = torch.broadcast_shapes(*(x.shape[:-1] for x in given))
        kind = functools.reduce(torch.promote_types, (x.dtype for x in given))
        return made.unpacked(_Result.apply(made, *(x.to(kind).expand(*lead, x.shape[-1]) for x in given)))  # PyTorch sums over these

    return call


@functools.lru_cache(maxsize=64)
def _kept(robot: Robot, job: str, search: bool) -> Callable[..., Any]:
    return function(robot, job, search=search)


def inverse_dynamics(robot: Robot, q: torch.Tensor, qd: torch.Tensor, qdd: torch.Tensor, *, search: bool = True) -> torch.Tensor:
    """tau, differentiable twice by q, qd and qdd. search: on a graphics processor, look for the cheapest kernel."""
    return _kept(robot, "inverse", search)(q, qd, qdd)


def forward_dynamics(robot: Robot, q: torch.Tensor, qd: torch.Tensor, tau: torch.Tensor, *, search: bool = True) -> torch.Tensor:
    """qdd, differentiable twice by q, qd and tau. search: on a graphics processor, look for the cheapest kernel."""
    return _kept(robot, "forward", search)(q, qd, tau)


def by_parameters(robot: Robot, job: str = "inverse") -> Callable[..., torch.Tensor]:
    """inverse, bias or forward as a function of θ (..., np) and of the job's tensors, for learning: f(theta, q, qd, qdd).

    theta: of catena.adapters.parameters(robot), or others; the robot's own masses and inertias do not matter. Differentiable
    twice by all arguments, by theta to any order.
    """
    regressor = function(robot, "regressor")
    return _by_parameters(job, regressor, torch.einsum, torch.linalg.solve, lambda x: torch.eye(robot.nv).to(x))
