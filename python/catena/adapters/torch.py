"""Inverse and forward dynamics for PyTorch on the CPU, with our derivatives.

    tau = catena.adapters.torch.inverse_dynamics(robot, q, qd, qdd)      # tensors (..., n); tau.backward() works
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .._robot import Robot
from . import at_rest, derivatives


class _Job(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, robot: Robot, job: str, *given: torch.Tensor) -> torch.Tensor:
        ctx.robot, ctx.job = robot, job
        ctx.save_for_backward(*given)
        return torch.from_numpy(np.asarray(robot.evaluate(job, *(x.detach().numpy() for x in given))))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *up: torch.Tensor) -> Any:
        given = ctx.saved_tensors
        found = derivatives(ctx.robot, ctx.job, *(x.detach().numpy() for x in given))
        grads = []
        for x, by_x in zip(given, found):
            whole = (up[0].unsqueeze(-2) @ torch.from_numpy(by_x).to(up[0].dtype)).squeeze(-2)
            grads.append(whole.sum_to_size(x.shape).to(x.dtype))  # what was broadcast is summed
        return (None, None, *grads)


def inverse_dynamics(robot: Robot, q: torch.Tensor, qd: torch.Tensor, qdd: torch.Tensor) -> torch.Tensor:
    """tau, differentiable once by q, qd and qdd."""
    return _Job.apply(at_rest(robot), "inverse", q, qd, qdd)


def forward_dynamics(robot: Robot, q: torch.Tensor, qd: torch.Tensor, tau: torch.Tensor) -> torch.Tensor:
    """qdd, differentiable once by q, qd and tau."""
    return _Job.apply(at_rest(robot), "forward", q, qd, tau)
