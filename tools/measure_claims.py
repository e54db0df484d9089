#!/usr/bin/env python3
"""Measures what the texts claim, for docs/claims.md:

    python3 tools/measure_claims.py --catena build/catena integration|integrators|crossings|gradients

integration  chains of n links in free fall: evaluations of an adaptive run by each formulation of forward dynamics, over
             the mass at the tip and the tolerance; and the largest fixed step that keeps the energy
integrators  evaluations that each integrator takes to bring an arm to a given accuracy
crossings    where one formulation becomes cheaper than another, from the counts
gradients    conjugate gradients against the factorization and the recursion: steps and time over the number of joints

Evaluations of adaptive runs depend on rounding, hence on the instructions in use: those are the baseline's here, on every
processor.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile

FORWARD = ["denoc", "articulated-body", "noc", "composite-ldlt", "base-origin"]
MOST_STEPS = 200_000


def run(program, *words, level="baseline"):
    environment = dict(os.environ, CATENA_LEVEL=level)
    done = subprocess.run([program, *map(str, words), "--json", "--quiet"], capture_output=True, text=True,
                          env=environment)
    return json.loads(done.stdout) if done.returncode == 0 else None


def chain(n, path, tip=1.0, growth=1.0):
    """Rods of 1 m and 1 kg in all, joints in turns about axes at right angles, from the horizontal; the last one `tip`
    times as heavy, or all heavier outward, by `growth` in all."""
    length = 1.0 / n
    lines = ['name = "chain"', 'convention = "classic"', 'angles = "deg"', "gravity = [0, -9.81, 0]"]
    for k in range(n):
        mass = (tip if k == n - 1 else 1.0) * growth ** (k / (n - 1)) / n
        across = mass * length * length / 12
        lines += ["[[link]]", 'joint = "revolute"', f"a = {length!r}", f"alpha = {90 if k % 2 == 0 else -90}",
                  f"mass = {mass!r}", f"com = [{-length / 2!r}, 0, 0]",
                  f"inertia = [{across / 10!r}, {across!r}, {across!r}]"]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def largest_step(program, model, method):
    """Of rk4 over 0.1 s: the largest of a fine ladder whose energy balance stays below 1e-4 of the largest energy."""
    for k in range(120):
        step = 0.05 * 0.93**k
        out = run(program, "simulate", model, "--time", 0.1, "--samples", 2, "--integrator", "rk4", "--step", step,
                  "--method", method)
        if out and out["complete"] and out["balance"] < 1e-4 * max(out["kinetic"]):
            return step
    return 0.0


def integration(program):
    print("| n | heavier | rtol |", " | ".join(f"`{m}`" for m in FORWARD), "|")
    print("| --- |" + " --- |" * (len(FORWARD) + 2))
    loads = [("", 1, 1), ("tip, 1e4", 1e4, 1), ("tip, 1e6", 1e6, 1), ("outward, 1e8", 1, 1e8)]
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "chain.toml")
        for n in (6, 9, 12):
            for words, tip, growth in loads:
                chain(n, model, tip, growth)
                for rtol in (1e-8, 1e-10, 1e-12):
                    cells = []
                    for method in FORWARD:
                        out = run(program, "simulate", model, "--time", 0.1, "--samples", 2, "--rtol", rtol, "--atol",
                                  rtol / 100, "--method", method, "--max-steps", MOST_STEPS)
                        cells.append(str(out["evaluations"]) if out else f"over {MOST_STEPS} steps")
                    print(f"| {n} | {words} | {rtol:.0e} |", " | ".join(cells), "|", flush=True)
        print("largest steps of rk4, ms, n = 12:")
        for words, tip, growth in loads:
            chain(12, model, tip, growth)
            print(words or "alike", [f"{1000 * largest_step(program, model, m):.3g}" for m in FORWARD], flush=True)


FALLS = {"stanford": "0,1.5707963267948966,0,0,0,0", "puma560": "0,0,0,0,0,0", "ur5": "0,0,0,0,0,0"}
INTEGRATORS = {"adams-bashforth": "step", "rk4": "step", "dormand-prince": "rtol", "verner": "rtol", "adams": "rtol"}


def integrators(program):
    """Every run is as long as the fall is not chaotic: 1 s. The error is the largest of q at its end, against a run with
    the tightest tolerance."""
    goals = (1e-3, 1e-5, 1e-7, 1e-9)
    print("| arm | error, rad |", " | ".join(f"`{name}`" for name in INTEGRATORS), "|")
    print("| --- |" + " --- |" * (len(INTEGRATORS) + 1))
    for arm, start in FALLS.items():
        words = ["simulate", arm, "--rigid", "--q", start, "--time", 1, "--samples", 2]
        exact = run(program, *words, "--rtol", 3e-14, "--atol", 1e-15)["q"][-1]
        least = {name: [math.inf] * len(goals) for name in INTEGRATORS}
        for name, by in INTEGRATORS.items():
            ladder = [0.5 * 0.8**k for k in range(46)] if by == "step" else [10 ** (-1 - k / 4) for k in range(52)]
            for value in ladder:
                out = run(program, *words, "--integrator", name,
                          *(["--step", value] if by == "step" else ["--rtol", value, "--atol", value / 100]))
                if not out or not out["complete"]:
                    continue
                error = max(abs(a - b) for a, b in zip(out["q"][-1], exact))
                for k, goal in enumerate(goals):
                    if error < goal:
                        least[name][k] = min(least[name][k], out["evaluations"])
        for k, goal in enumerate(goals):
            cells = [str(least[n][k]) if math.isfinite(least[n][k]) else "not reached" for n in INTEGRATORS]
            print(f"| {arm} | {goal:.0e} |", " | ".join(cells), "|", flush=True)


def gradients(program):
    print("| n | `conjugate-gradient` | `composite-ldlt` | `articulated-body` |")
    print("| --- | --- | --- | --- |")
    for n in (6, 12, 24, 48, 96):
        best = {}
        for _ in range(5):
            for row in run(program, "compare", "--n", n, "--compute", "forward", level="")["formulations"]:
                best[row["name"]] = min(best.get(row["name"], math.inf), row["ns"])
        print(f"| {n} |", " | ".join(f"{best[m] / 1000:.3g}" for m in ("conjugate-gradient", "composite-ldlt",
                                                                         "articulated-body")), "|", flush=True)


def counted(program, job, n):
    out = run(program, "count", "--n", n, "--compute", job)
    return {c["name"]: (c["online"]["multiplications"], c["online"]["additions"]) for c in out["counts"]}


def crossings(program):
    print("forward dynamics, M + A: O(n) methods against composite bodies with an O(n^3) solution")
    for n in range(6, 25):
        own = {k: sum(v) for k, v in counted(program, "forward", n).items() if "(" not in k}
        print(n, own, flush=True)
    for job in ("inertia", "bias"):
        print(f"{job}, M and A")
        for n in range(2, 13):
            print(n, {k: v for k, v in counted(program, job, n).items() if "(" not in k}, flush=True)


def main():
    parser = argparse.ArgumentParser()
    experiments = {"integration": integration, "integrators": integrators, "crossings": crossings,
                   "gradients": gradients}
    parser.add_argument("what", choices=experiments)
    parser.add_argument("--catena", required=True)
    given = parser.parse_args()
    experiments[given.what](given.catena)


if __name__ == "__main__":
    main()
