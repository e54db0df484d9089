#!/usr/bin/env python3
"""Torques with a gradient of 2^20 Pandas on a graphics processor: catena's kernels beside the same recursion written for batches in
PyTorch, as it stands and compiled, or in JAX, compiled.

usage: gradient.py torch|jax [--log-states 20]
       gradient.py self-test      (compares the recursion with catena, on NumPy)
"""

import argparse
import functools
import pathlib
import time
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


def torques(constants, q, qd, qdd, library, stack, cross, zeros):
    """Newton and Euler, outward and inward; arrays (states, 3) of either library."""
    sin, cos = library.sin(q), library.cos(q)
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
    tau = torques(constants, q, qd, qdd, np, lambda v: np.stack(v, axis=-1), np.cross, np.zeros((50, 3)))
    worst = np.abs(tau - robot.inverse_dynamics(q, qd, qdd)).max()
    print(f"largest difference to catena: {worst:.1e} N m")
    return worst < 1e-9


def shown(name, forward, both, states):
    print(f"{name:16} torques {forward:8.3f} ms, with gradient {both:8.3f} ms, {states / both * 1e-6:6.2f} 10^9 states/s", flush=True)


def compared(times, gradients):
    """The ratio to each of the others, and how far their gradients are."""
    worst = 0.0
    for name in list(times)[1:]:
        apart = max(float(abs(a - b).max() / abs(b).max()) for a, b in zip(gradients["catena"], gradients[name]))
        print(f"{name}: {times[name] / times['catena']:.1f} times as long; gradients differ by {apart:.1e} of the largest")
        worst = max(worst, apart)
    return worst < 1e-3


def in_torch(log_states):
    import torch

    import catena.adapters.torch
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
    plain = lambda q, qd, qdd: torques(constants, q, qd, qdd, torch, lambda v: torch.stack(v, -1), torch.linalg.cross, zeros)
    ours = functools.partial(catena.adapters.torch.inverse_dynamics, catena.load("panda"))
    functions = {"catena": ours, "PyTorch": plain, "torch.compile": torch.compile(plain)}
    times, gradients = {}, {}
    for name, function in functions.items():
        def step():
            for x in inputs:
                x.grad = None
            function(*inputs).square().sum().backward()

        try:
            step()
        except Exception as error:  # without what it compiles by
            print(f"{name}: {str(error).splitlines()[0]}")
            continue
        gradients[name] = [x.grad.cpu().numpy() for x in inputs]
        with torch.no_grad():
            forward = milliseconds(lambda: function(*inputs))
        times[name] = milliseconds(step)
        shown(name, forward, times[name], states)
    weights = torch.rand((states, 7), device="cuda")
    by_rows = catena.gpu.gradient(catena.load("panda"))
    plain_inputs = [x.detach() for x in inputs]
    print(f"the kernel of the gradient alone, in rows {milliseconds(lambda: by_rows(*plain_inputs, weights)):.3f} ms")
    return compared(times, gradients)


def in_jax(log_states):
    import jax
    import jax.numpy as jnp

    from catena.adapters import jax as adapter

    jax.config.update("jax_default_matmul_precision", "highest")  # else its matrices have ten bits
    states = 2**log_states

    def milliseconds(work, repeats=20):
        times = []
        for _ in range(repeats + 3):
            start = time.perf_counter()
            jax.block_until_ready(work())
            times.append(1e3 * (time.perf_counter() - start))
        return sorted(times[3:])[repeats // 2]

    constants = [tuple(jnp.asarray(x, jnp.float32) if isinstance(x, np.ndarray) else x for x in (*link, np.array([0.0, 0.0, 9.81])))
                 for link in links("panda")]
    random = np.random.default_rng(1)
    inputs = [jnp.asarray(random.uniform(-3, 3, (states, 7)), jnp.float32) for _ in range(3)]
    plain = lambda q, qd, qdd: torques(constants, q, qd, qdd, jnp, lambda v: jnp.stack(v, -1), jnp.cross, jnp.zeros((q.shape[0], 3), q.dtype))
    functions = {"catena": adapter.inverse_dynamics(catena.load("panda")), "JAX": plain}
    times, gradients = {}, {}
    for name, function in functions.items():
        forward = jax.jit(function)
        both = jax.jit(jax.grad(lambda *x: (function(*x) ** 2).sum(), argnums=(0, 1, 2)))
        gradients[name] = [np.asarray(x) for x in both(*inputs)]
        times[name] = milliseconds(lambda: both(*inputs))
        shown(name, milliseconds(lambda: forward(*inputs)), times[name], states)
    expected = catena.load("panda").inverse_dynamics(*(np.asarray(x[:1000], float) for x in inputs))
    found = np.asarray(jax.jit(functions["catena"])(*inputs))[:1000]
    print(f"torques differ from the CPU's by {np.abs(found - expected).max() / np.abs(expected).max():.1e} of the largest")
    return compared(times, gradients)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=["torch", "jax", "self-test"])
    parser.add_argument("--log-states", type=int, default=20)
    options = parser.parse_args()
    good = self_test() if options.library == "self-test" else {"torch": in_torch, "jax": in_jax}[options.library](options.log_states)
    raise SystemExit(0 if good else 1)
