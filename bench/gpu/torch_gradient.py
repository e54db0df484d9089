#!/usr/bin/env python3
"""Torques with a gradient of 2^20 Pandas: catena.gpu beside the same recursion written for batches in PyTorch.

usage: torch_gradient.py [--log-states 20] [--self-test]      (the self-test compares the recursion with catena, on NumPy)
"""

import argparse
import pathlib
import tomllib

import numpy as np

import catena


def rotation(rpy):
    (r, p, y), c, s = rpy, np.cos, np.sin
    x = np.array([[1, 0, 0], [0, c(r), -s(r)], [0, s(r), c(r)]])
    return np.array([[c(y), -s(y), 0], [s(y), c(y), 0], [0, 0, 1]]) @ np.array([[c(p), 0, s(p)], [0, 1, 0], [-s(p), 0, c(p)]]) @ x


def links(model):
    """R, p, mass, mass centre, inertia and viscous friction of each; every axis is z."""
    with open(pathlib.Path(catena.__file__).parent / "models" / f"{model}.toml", "rb") as file:
        rows = tomllib.load(file)["link"]
    for row in rows:
        xx, yy, zz, xy, xz, yz = (row["inertia"] + [0.0] * 3)[:6]
        yield (rotation(row.get("rpy", [0.0] * 3)), np.array(row.get("xyz", [0.0] * 3)), row["mass"], np.array(row["com"]),
               np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), row.get("friction", {}).get("viscous", 0.0))


def torques(constants, q, qd, qdd, stack, cross, zeros):
    """Newton and Euler, outward and inward; arrays (states, 3) of either library."""
    sin, cos = (q.sin(), q.cos()) if hasattr(q, "sin") else (np.sin(q), np.cos(q))
    w = wd = zeros
    a = zeros + constants[0][6]  # against gravity
    forces = []
    for k, (R0, p, mass, com, inertia, _, _) in enumerate(constants):
        s, c = sin[:, k:k + 1], cos[:, k:k + 1]
        a = a + cross(wd, p + zeros) + cross(w, cross(w, p + zeros))

        def into(v):  # the child's frame: by the fixed rotation, then by the joint's
            u = v @ R0
            return stack([c[:, 0] * u[:, 0] + s[:, 0] * u[:, 1], c[:, 0] * u[:, 1] - s[:, 0] * u[:, 0], u[:, 2]])

        nothing = 0 * qd[:, k]
        spin, more = stack([nothing, nothing, qd[:, k]]), stack([nothing, nothing, qdd[:, k]])
        carried, a = into(w), into(a)
        wd = into(wd) + more + cross(carried, spin)
        w = carried + spin
        f = mass * (a + cross(wd, com + zeros) + cross(w, cross(w, com + zeros)))
        forces.append((f, wd @ inertia + cross(w, w @ inertia) + cross(com + zeros, f), s, c))
    tau = [None] * len(constants)
    f = n = zeros
    for k in reversed(range(len(constants))):
        own_f, own_n, s, c = forces[k]
        f, n = f + own_f, n + own_n
        tau[k] = n[:, 2] + constants[k][5] * qd[:, k]

        def back(v):
            return stack([c[:, 0] * v[:, 0] - s[:, 0] * v[:, 1], s[:, 0] * v[:, 0] + c[:, 0] * v[:, 1], v[:, 2]]) @ constants[k][0].T

        f, n = back(f), back(n)
        n = n + cross(constants[k][1] + zeros, f)
    return stack(tau)


def self_test():
    robot, random = catena.load("panda"), np.random.default_rng(1)
    q, qd, qdd = (random.uniform(-3, 3, (50, 7)) for _ in range(3))
    constants = [(*link, np.array([0.0, 0.0, 9.81])) for link in links("panda")]
    tau = torques(constants, q, qd, qdd, lambda v: np.stack(v, axis=-1), np.cross, np.zeros((50, 3)))
    worst = np.abs(tau - robot.inverse_dynamics(q, qd, qdd)).max()
    print(f"largest difference to catena: {worst:.1e} N m")
    return worst < 1e-9


def main(log_states):
    import torch

    import catena.gpu

    def milliseconds(work, repeats=20):
        times = []
        for _ in range(repeats + 3):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            work()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end))
        return sorted(times[3:])[repeats // 2]

    states = 2**log_states
    make = lambda x: torch.tensor(x, dtype=torch.float32, device="cuda")
    constants = [tuple(make(x) if isinstance(x, np.ndarray) else x for x in (*link, np.array([0.0, 0.0, 9.81])))
                 for link in links("panda")]
    zeros = torch.zeros((states, 3), device="cuda")
    inputs = [((torch.rand((states, 7), device="cuda") - 0.5) * 6).requires_grad_() for _ in range(3)]
    in_torch = lambda q, qd, qdd: torques(constants, q, qd, qdd, lambda v: torch.stack(v, -1), torch.linalg.cross, zeros)
    by_kernel = catena.gpu.torch_inverse_dynamics(catena.load("panda"))
    results = {}
    for name, function in (("catena", by_kernel), ("PyTorch", in_torch)):
        def step():
            for x in inputs:
                x.grad = None
            function(*inputs).square().sum().backward()

        step()
        results[name] = [x.grad.clone() for x in inputs]
        with torch.no_grad():
            forward = milliseconds(lambda: function(*inputs))
        both = milliseconds(step)
        print(f"{name:8} torques {forward:8.3f} ms, with gradient {both:8.3f} ms, {states / both * 1e-6:6.2f} 10^9 states/s")
        results[name + " ms"] = both
    worst = max(((a - b).abs().max() / b.abs().max()).item() for a, b in zip(results["catena"], results["PyTorch"]))
    print(f"ratio {results['PyTorch ms'] / results['catena ms']:.1f}; gradients differ by {worst:.1e} of the largest")
    return worst < 1e-3


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log-states", type=int, default=20)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    raise SystemExit(0 if (self_test() if options.self_test else main(options.log_states)) else 1)
