"""Inverse and forward dynamics for PyTorch, with Catena's own derivatives: tensors on the CPU or a graphics processor.

    tau = catena.adapters.torch.inverse_dynamics(robot, q, qd, qdd)      # tensors (..., n); tau.sum().backward() works, twice too

On a graphics processor the job and its gradient are kernels in the current stream, compiled at the first call; docs/gpu.md.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, NamedTuple

import numpy as np
import torch

from .. import gpu
from .._jobs import job_facts
from .._robot import Robot
from . import at_rest, differentiable


def _lying_alike(first: torch.Tensor, *others: torch.Tensor) -> list[torch.Tensor]:
    """Tensors as a kernel needs them: all in the layout of the first, rows or columns, and without a gradient."""
    columns = first.dim() == 2 and first.stride() == (1, first.shape[0]) and first.shape[0] > 1
    return [x.detach().t().contiguous().t() if columns else x.detach().contiguous() for x in (first, *others)]


class _Functions(NamedTuple):
    """A job; its gradient, matrices of derivatives in input order, and curvature, which take the tensors of the job; the
    first and the last also the weights of the results."""

    result: Callable[..., Any]
    gradient: Callable[..., Any]
    matrices: Callable[..., Any]
    curvature: Callable[..., Any]


def _ordered(job: str, found: Any) -> list[Any]:
    derivatives, by_input = differentiable(job)
    named = dict(zip((output["name"] for output in job_facts(derivatives)["outputs"]), found))
    return [named[name] for name in by_input]


@functools.lru_cache(maxsize=32)
def _by_kernels(robot: Robot, job: str, device: int, search: bool) -> _Functions:
    def kernel(make: Callable[..., Any], name: str) -> Callable[..., Any]:
        made = make(robot, name, device=device, search=search)
        return lambda *given: made(*_lying_alike(*given))

    matrices = kernel(gpu.function, differentiable(job)[0])
    return _Functions(kernel(gpu.function, job), kernel(gpu.gradient, job), lambda *given: _ordered(job, matrices(*given)),
                      kernel(gpu.function, job_facts(job)["curvature"]))


def _on_cpu(robot: Robot, job: str) -> _Functions:
    def run(name: str, *given: torch.Tensor) -> Any:
        found = robot.evaluate(name, *(x.detach().numpy() for x in given))
        return [torch.from_numpy(np.asarray(part)).to(given[0].dtype) for part in (found if isinstance(found, tuple) else (found,))]

    def matrices(*given: torch.Tensor) -> list[torch.Tensor]:
        return _ordered(job, run(differentiable(job)[0], *given))

    def gradient(*given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        *state, up = given
        return tuple(_turned(by_x.to(up.dtype), up).to(x.dtype) for x, by_x in zip(state, matrices(*state)))

    return _Functions(lambda *given: run(job, *given)[0], gradient, matrices, functools.partial(run, job_facts(job)["curvature"]))


def _times(matrix: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return (matrix @ x.unsqueeze(-1)).squeeze(-1)


def _turned(matrix: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return _times(matrix.transpose(-1, -2), x)


class _Gradient(torch.autograd.Function):
    """The gradient of a weighted sum of results, by the job's tensors and the weights."""

    @staticmethod
    def forward(ctx: Any, functions: _Functions, *given: torch.Tensor) -> Any:
        ctx.functions = functions
        ctx.save_for_backward(*given)
        return functions.gradient(*given)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *up: torch.Tensor) -> Any:
        *state, weights = ctx.saved_tensors
        by_00, by_01, by_02, by_11 = ctx.functions.curvature(*state, weights)
        by_state = (_turned(by_00, up[0]) + _times(by_01, up[1]) + _times(by_02, up[2]), _turned(by_01, up[0]) + _times(by_11, up[1]),
                    _turned(by_02, up[0]))
        by_weights = sum(_times(by_x, x) for by_x, x in zip(ctx.functions.matrices(*state), up))
        return (None, *by_state, by_weights)


class _Job(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, functions: _Functions, *given: torch.Tensor) -> torch.Tensor:
        ctx.functions = functions
        ctx.save_for_backward(*given)
        return functions.result(*given)

    @staticmethod
    def backward(ctx: Any, *up: torch.Tensor) -> Any:
        return (None, *_Gradient.apply(ctx.functions, *ctx.saved_tensors, *up))


def _apply(robot: Robot, job: str, search: bool, *given: torch.Tensor) -> torch.Tensor:
    at_rest(robot)
    device = given[0].device
    functions = _by_kernels(robot, job, device.index, search) if device.type == "cuda" else _on_cpu(robot, job)
    lead = torch.broadcast_shapes(*(x.shape[:-1] for x in given))
    return _Job.apply(functions, *(x.expand(*lead, x.shape[-1]) for x in given))  # PyTorch sums over these


def inverse_dynamics(robot: Robot, q: torch.Tensor, qd: torch.Tensor, qdd: torch.Tensor, *, search: bool = True) -> torch.Tensor:
    """tau, differentiable twice by q, qd and qdd. search: on a graphics processor, look for the cheapest kernel."""
    return _apply(robot, "inverse", search, q, qd, qdd)


def forward_dynamics(robot: Robot, q: torch.Tensor, qd: torch.Tensor, tau: torch.Tensor, *, search: bool = True) -> torch.Tensor:
    """qdd, differentiable twice by q, qd and tau. search: on a graphics processor, look for the cheapest kernel."""
    return _apply(robot, "forward", search, q, qd, tau)
