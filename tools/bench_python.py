#!/usr/bin/env python3
"""Races Catena's Python package against Pinocchio's: single calls and batches, and prints both into docs/benchmarks.md.

usage: PYTHON bench_python.py [--rounds N] [--states N] [--dry-run]

PYTHON is an interpreter that has catena, pinocchio and numpy; `make bench-python` knows one. Contenders take turns, and the
fastest of all rounds counts. Before the race they must agree to 1e-9. --dry-run prints the tables and writes nothing.
"""

import argparse
import datetime
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
JOBS = ["inverse_dynamics", "forward_dynamics", "inertia_matrix", "pose", "jacobian", "linearize"]


def contenders(robot, model, job, states):
    """What both libraries call: {name: function of the number of a state}, and ours of all states."""
    data, (q, qd, third) = model.createData(), states
    given = {1: (q,), 2: (q, qd), 3: (q, qd, third)}[len(robot._inputs(job))]
    frame = model.getFrameId(robot.tool)
    method = getattr(robot, job)
    compiled = robot.compile(job)

    def upper(matrix):
        return np.triu(matrix) + np.triu(matrix, 1).T

    def theirs(i):
        if job == "inverse_dynamics":
            return pinocchio.rnea(model, data, q[i], qd[i], third[i])
        if job == "forward_dynamics":
            return pinocchio.aba(model, data, q[i], qd[i], third[i])
        if job == "inertia_matrix":
            return pinocchio.crba(model, data, q[i])
        if job == "jacobian":
            return pinocchio.computeFrameJacobian(model, data, q[i], frame, pinocchio.LOCAL_WORLD_ALIGNED)
        if job == "linearize":
            return pinocchio.computeRNEADerivatives(model, data, q[i], qd[i], third[i])
        pinocchio.framesForwardKinematics(model, data, q[i])
        return data.oMf[frame]

    for i in range(5):
        rival, own = theirs(i), method(*(values[i] for values in given))
        if job == "inertia_matrix":
            rival = upper(rival)
        if job == "pose":
            rival = rival.homogeneous
        pairs = zip((upper(rival[2]), rival[1], rival[0]), own) if job == "linearize" else [(rival, own)]
        worst = max(np.abs(a - b).max() / np.abs(b).max() for a, b in pairs)
        if not worst < 1e-9:
            sys.exit(f"{job}: the libraries differ by {worst:.1e} of the largest number")
    single = {"catena": lambda i: method(*(values[i] for values in given)),
              "catena compiled": lambda i: compiled(*(values[i] for values in given)), "pinocchio": theirs}
    return single, method, given


def raced(functions, rounds, least=2e-3):
    """Seconds a call, by name: contenders take turns, blocks last about `least` seconds, the fastest counts."""
    counts = {}
    for name, function in functions.items():
        start, count = time.perf_counter(), 0
        while time.perf_counter() - start < least:
            function(count)
            count += 1
        counts[name] = count
    best = dict.fromkeys(functions, np.inf)
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            for i in range(counts[name]):
                function(i)
            best[name] = min(best[name], (time.perf_counter() - start) / counts[name])
    return best


def tables(options):
    robot = catena.load("panda")
    robot = robot.friction({name: (0, 0) for name in robot.joint_names})
    model = robot.to_pinocchio()
    n, cores = options.states, len(os.sched_getaffinity(0))
    states = robot.random_state(n, seed=1)
    few = [list(values[:4096]) for values in states]

    yield "| one call, µs | Catena | Catena, compiled | Pinocchio | Pinocchio : Catena |"
    yield "| --- | --- | --- | --- | --- |"
    batches = {}
    for job in JOBS:
        single, method, given = contenders(robot, model, job, few)
        turn = {name: (lambda i, f=f: f(i % 4096)) for name, f in single.items()}
        best = raced(turn, options.rounds)
        yield f"| `{job}` | {1e6 * best['catena']:.2f} | {1e6 * best['catena compiled']:.2f} | {1e6 * best['pinocchio']:.2f} | {best['pinocchio'] / best['catena']:.1f} |"
        batches[job] = (single["pinocchio"], method, states[:len(given)])

    yield ""
    yield f"| {n:,} states, ns each | Catena, 1 thread | {cores} threads | compiled, 1 thread | {cores} threads | Pinocchio in a loop | its `InParallel`, 1 thread | {cores} threads |".replace(",", " ", 1)
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    pool = pinocchio.ModelPool(model, cores)
    columns = [np.asfortranarray(values.T) for values in states]
    for job, (theirs, method, given) in batches.items():
        out = method(*given)
        out = out if isinstance(out, np.ndarray) else None
        more = {} if out is None else {"out": out}
        turn = {"generic 1": lambda i: method(*given, threads=1, **more), "generic": lambda i: method(*given, threads=cores, **more),
                "compiled 1": lambda i: method(*given, threads=1, engine="compiled", **more),
                "compiled": lambda i: method(*given, threads=cores, engine="compiled", **more),
                "loop": lambda i: [theirs(k) for k in range(1000)]}
        if job in ("inverse_dynamics", "forward_dynamics"):
            call = pinocchio.rneaInParallel if job == "inverse_dynamics" else pinocchio.abaInParallel
            room = np.zeros_like(columns[0], order="F")
            for threads in (1, cores):
                turn[f"parallel {threads}"] = lambda i, threads=threads, call=call, room=room: call(threads, pool, *columns, room)
        best = raced(turn, max(3, options.rounds // 3))
        best["loop"] *= n / 1000
        yield f"| `{job}` | " + " | ".join(f"{1e9 * best[name] / n:.0f}" if name in best else ""
                                           for name in ("generic 1", "generic", "compiled 1", "compiled", "loop", "parallel 1", f"parallel {cores}")) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    name, family, number = bench_peers.cpu()
    lines = [f"Panda without friction; {name}, family {family}, model {number}; CPython {sys.version.split()[0]}, NumPy {np.__version__}, "
             f"Pinocchio {pinocchio.__version__}; {datetime.date.today()}.", "", *tables(options)]
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
