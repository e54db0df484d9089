#!/usr/bin/env python3
"""Races Catena's Python package against Pinocchio's: single calls and batches, and prints both into docs/benchmarks.md.

usage: PYTHON bench_python.py [--rounds N] [--states N] [--dry-run]

PYTHON is an interpreter that has catena, pinocchio and numpy; `make bench-python` knows one. Contenders take turns, and the
fastest of all rounds counts. Before the race they must agree to 1e-9. --dry-run prints the tables and writes nothing.
"""

import argparse
import datetime
import functools
import os
import pathlib
import re
import sys
import time

import numpy as np
import pinocchio

import bench_peers
import catena

PAGE = bench_peers.PAGE
BLOCK = re.compile(r"(<!-- bench_python.py -->\n).*?(<!-- end of bench_python.py -->)", re.DOTALL)


def pinocchio_calls(model, frame):
    """Functions of a state, by the names of our jobs."""
    data = model.createData()

    def pose(q):
        pinocchio.framesForwardKinematics(model, data, q)
        return data.oMf[frame]

    return {"inverse_dynamics": functools.partial(pinocchio.rnea, model, data), "forward_dynamics": functools.partial(pinocchio.aba, model, data),
            "inertia_matrix": functools.partial(pinocchio.crba, model, data), "pose": pose,
            "jacobian": lambda q: pinocchio.computeFrameJacobian(model, data, q, frame, pinocchio.LOCAL_WORLD_ALIGNED),
            "linearize": functools.partial(pinocchio.computeRNEADerivatives, model, data)}


def require_agreement(job, ours, theirs, rows):
    def whole(half):  # Pinocchio fills the upper half of a symmetric matrix
        return np.triu(half) + np.triu(half, 1).T

    for row in rows[:5]:
        rival, own = theirs(*row), ours(*row)
        if job == "linearize":
            pairs = zip((whole(rival[2]), rival[1], rival[0]), own)
        else:
            pairs = [(whole(rival) if job == "inertia_matrix" else rival.homogeneous if job == "pose" else rival, own)]
        worst = max(np.abs(a - b).max() / np.abs(b).max() for a, b in pairs)
        if not worst < 1e-9:
            sys.exit(f"{job}: the libraries differ by {worst:.1e} of the largest number")


def raced(works, rounds):
    """Seconds that each takes, by name: they take turns, the fastest round counts."""
    best = dict.fromkeys(works, np.inf)
    for work in works.values():
        work()
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def one_by_one(function, rows):
    def work():
        for row in rows:
            function(*row)

    return work


def tables(options):
    robot = catena.load("panda")
    robot = robot.friction({name: (0, 0) for name in robot.joint_names})
    model = robot.to_pinocchio()
    theirs = pinocchio_calls(model, model.getFrameId(robot.tool))
    n, cores = options.states, len(os.sched_getaffinity(0))
    states = robot.random_state(n, seed=1)
    rows = {job: list(zip(*(values[:1000] for values in states[:len(robot._inputs(job))]))) for job in theirs}

    yield "| one call, µs | Catena | Catena, compiled | Pinocchio | Pinocchio : Catena |"
    yield "| --- | --- | --- | --- | --- |"
    for job, call in theirs.items():
        method = getattr(robot, job)
        require_agreement(job, method, call, rows[job])
        best = raced({name: one_by_one(function, rows[job]) for name, function in
                      (("generic", method), ("compiled", robot.compile(job)), ("pinocchio", call))}, options.rounds)
        times = {name: 1e6 * seconds / len(rows[job]) for name, seconds in best.items()}
        yield (f"| `{job}` | {times['generic']:.2f} | {times['compiled']:.2f} | {times['pinocchio']:.2f} | "
               f"{times['pinocchio'] / times['generic']:.1f} |")

    yield ""
    yield (f"| {n:_} states, ns each | Catena, 1 thread | {cores} threads | compiled, 1 thread | {cores} threads | Pinocchio in a loop | "
           f"its `InParallel`, 1 thread | {cores} threads |").replace("_", " ")
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    pool, columns = pinocchio.ModelPool(model, cores), [np.asfortranarray(values.T) for values in states]
    parallel = {"inverse_dynamics": pinocchio.rneaInParallel, "forward_dynamics": pinocchio.abaInParallel}
    for job, call in theirs.items():
        given = states[:len(rows[job][0])]
        out = getattr(robot, job)(*given)
        run = functools.partial(getattr(robot, job), *given, out=out)
        works = {f"{engine} {threads}": functools.partial(run, engine=engine, threads=threads)
                 for engine in ("generic", "compiled") for threads in (1, cores)}
        works["loop"] = one_by_one(call, rows[job])
        if job in parallel:
            room = np.zeros_like(columns[0], order="F")
            works |= {f"parallel {threads}": functools.partial(parallel[job], threads, pool, *columns, room) for threads in (1, cores)}
        best = raced(works, options.rounds)
        yield f"| `{job}` | " + " | ".join(f"{1e9 * best[name] / (len(rows[job]) if name == 'loop' else n):.0f}" if name in best else "" for name in
                                           ("generic 1", f"generic {cores}", "compiled 1", f"compiled {cores}", "loop", "parallel 1", f"parallel {cores}")) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    name, family, number = bench_peers.cpu()
    lines = [f"Panda without friction; {name}, family {family}, model {number}; CPython {sys.version.split()[0]}, NumPy {np.__version__}, "
             f"Pinocchio {pinocchio.__version__}; load {before:.1f} before; {datetime.date.today()}.", "", *tables(options)]
    print(*lines, sep="\n")
    if before > 1.5:
        print(f"the load was {before:.1f} at the start: these times are too long, and their ratios are doubtful", file=sys.stderr)
    if not options.dry_run:
        text = PAGE.read_text(encoding="utf-8")
        if not BLOCK.search(text):
            sys.exit(f"{PAGE}: no place for the tables: <!-- bench_python.py -->")
        PAGE.write_text(BLOCK.sub(lambda match: match[1] + "\n".join(lines) + "\n" + match[2], text), encoding="utf-8")


if __name__ == "__main__":
    main()
