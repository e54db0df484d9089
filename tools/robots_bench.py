#!/usr/bin/env python3
"""Times many robots of one structure beside one robot: docs/batches.md. Needs the Python package."""

import time

import numpy as np

import catena


def best(work, repetitions=20):
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    for name in ("ur5", "panda"):
        robot = catena.load(name)
        for count in (4096, 100_000):
            states = [np.asfortranarray(array) for array in robot.random_state(count, seed=1)]
            theta = np.array(list(robot.parameters().values())) * np.random.default_rng(0).uniform(0.8, 1.2, (count, 1))
            robots = robot.with_parameters(theta)
            for job in ("inverse_dynamics", "forward_dynamics"):
                generic, compiled, many = (1e9 / count * best(lambda run=run, more=more: getattr(run, job)(*states, threads=1, **more))
                                           for run, more in ((robot, {}), (robot, {"engine": "compiled"}), (robots, {})))
                print(f"{name} {job} {count}: generic {generic:.1f} ns, compiled {compiled:.1f}, many robots {many:.1f}")


if __name__ == "__main__":
    main()
