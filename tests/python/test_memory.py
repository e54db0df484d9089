"""Memory stays as it is however many robots are loaded. `python test_memory.py 100000` prints the figures of a long run."""

import gc
import os
import resource
import sys

import numpy as np

import catena


def resident() -> float:
    """MB."""
    with open("/proc/self/statm") as about:
        return int(about.read().split()[1]) * resource.getpagesize() / 1e6


def load_and_use(times: int) -> float:
    """The growth in MB, after loads that fill what is kept."""
    text, q = catena.load("panda").to_toml(), np.zeros((3, 7))
    for k in range(200 + times):
        if k == 200:
            gc.collect()
            before = resident()
        robot = catena.load(text) if k % 2 else catena.load("panda")
        robot.payload(1.0).inverse_dynamics(q, q, q)
        try:
            robot.gravity(q[:, :6])
        except ValueError:
            pass
    gc.collect()
    return resident() - before


def test_memory_is_flat():
    assert load_and_use(1000) < 3.0  # a robot that stayed would cost 50 kB and more


if __name__ == "__main__":
    print(f"{sys.argv[1]} loads: {load_and_use(int(sys.argv[1])):+.1f} MB, now {resident():.0f} MB, pid {os.getpid()}")
