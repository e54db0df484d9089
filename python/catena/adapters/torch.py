"""Inverse and forward dynamics for PyTorch, with Catena's own derivatives: tensors on the CPU or a graphics processor.

    tau = catena.adapters.torch.inverse_dynamics(robot, q, qd, qdd)      # tensors (..., n); tau.sum().backward() works

On a graphics processor the job and its gradient are kernels in the current stream, compiled at the first call; docs/gpu.md.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

import numpy as np
import torch

from .. import gpu
from .._robot import Robot
from . import at_rest, derivatives


def _lying_alike(first: torch.Tensor, *others: torch.Tensor) -> list[torch.Tensor]:
    """Tensors as a kernel needs them: all in the layout of the first, rows or columns, and without a gradient."""
    columns = first.dim() == 2 and first.stride() == (1, first.shape[0]) and first.shape[0] > 1
    return [x.detach().t().contiguous().t() if columns else x.detach().contiguous() for x in (first, *others)]


@functools.lru_cache(maxsize=32)
def _by_kernels(robot: Robot, job: str, device: int, search: bool) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The job, and its gradient as a function of the same tensors and the weights of the results."""
    result = gpu.function(robot, job, device=device, search=search)
    gradient = gpu.gradient(robot, job, device=device, search=search)
    return lambda *given: result(*_lying_alike(*given)), lambda *given: gradient(*_lying_alike(*given))


def _on_cpu(robot: Robot, job: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def result(*given: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(np.asarray(robot.evaluate(job, *(x.detach().numpy() for x in given))))

    def gradient(*given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        *state, up = given
        found = derivatives(robot, job, *(x.detach().numpy() for x in state))
        return tuple((up.unsqueeze(-2) @ torch.from_numpy(by_x).to(up.dtype)).squeeze(-2).to(x.dtype) for x, by_x in zip(state, found))

    return result, gradient


class _Job(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, result: Callable[..., Any], gradient: Callable[..., Any], *given: torch.Tensor) -> torch.Tensor:
        ctx.gradient = gradient
        ctx.save_for_backward(*given)
        return result(*given)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *up: torch.Tensor) -> Any:
        return (None, None, *ctx.gradient(*ctx.saved_tensors, *up))


def _apply(robot: Robot, job: str, search: bool, *given: torch.Tensor) -> torch.Tensor:
    at_rest(robot)
    device = given[0].device
    functions = _by_kernels(robot, job, device.index, search) if device.type == "cuda" else _on_cpu(robot, job)
    lead = torch.broadcast_shapes(*(x.shape[:-1] for x in given))
    return _Job.apply(*functions, *(x.expand(*lead, x.shape[-1]) for x in given))  # PyTorch sums over these


def inverse_dynamics(robot: Robot, q: torch.Tensor, qd: torch.Tensor, qdd: torch.Tensor, *, search: bool = True) -> torch.Tensor:
    """tau, differentiable once by q, qd and qdd. search: on a graphics processor, look for the cheapest kernel."""
    return _apply(robot, "inverse", search, q, qd, qdd)


def forward_dynamics(robot: Robot, q: torch.Tensor, qd: torch.Tensor, tau: torch.Tensor, *, search: bool = True) -> torch.Tensor:
    """qdd, differentiable once by q, qd and tau. search: on a graphics processor, look for the cheapest kernel."""
    return _apply(robot, "forward", search, q, qd, tau)
