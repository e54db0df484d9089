#!/usr/bin/env python3
"""Measures what the texts claim, for docs/claims.md:

    python3 tools/measure_claims.py --catena build/catena integration|crossings

integration  chains of n links in free fall: evaluations of an adaptive run, and the largest fixed step that keeps the energy,
             by each formulation of forward dynamics
crossings    where one formulation becomes cheaper than another, from the counts
"""
import argparse
import json
import os
import subprocess
import tempfile

FORWARD = ["denoc", "articulated-body", "composite-ldlt", "noc"]
LENGTHS = [6, 12, 18, 24, 30]


def run(program, *words):
    done = subprocess.run([program, *map(str, words), "--json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def chain(n, path):
    """Rods of 1 m and 1 kg in all, joints in turns about axes at right angles, from the horizontal."""
    length = 1.0 / n
    lines = ['name = "chain"', 'convention = "classic"', 'angles = "deg"', "gravity = [0, -9.81, 0]"]
    for k in range(n):
        across = length * length / (12 * n)
        lines += ["[[link]]", 'joint = "revolute"', f"a = {length!r}", f"alpha = {90 if k % 2 == 0 else -90}",
                  f"mass = {1 / n!r}", f"com = [{-length / 2!r}, 0, 0]",
                  f"inertia = [{across / 10!r}, {across!r}, {across!r}]"]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def largest_step(program, model, method):
    """Of rk4 over 0.5 s: the largest of a fine ladder whose energy balance stays below 1e-4 of the largest energy."""
    low = 0.0
    for k in range(60):
        step = 0.05 * 0.93**k
        out = run(program, "simulate", model, "--time", 0.5, "--samples", 2, "--integrator", "rk4", "--step", step,
                  "--method", method)
        if out is None or not out["complete"]:
            continue
        if out["balance"] < 1e-4 * max(out["kinetic"]):
            low = step
            break
    return low


def integration(program):
    print("| n |", " | ".join(f"{m}: evaluations, largest step" for m in FORWARD), "| largest difference |")
    print("| --- |" + " --- |" * (len(FORWARD) + 1))
    with tempfile.TemporaryDirectory() as folder:
        for n in LENGTHS:
            model = os.path.join(folder, f"chain{n}.toml")
            chain(n, model)
            evaluations, steps = [], []
            for method in FORWARD:
                out = run(program, "simulate", model, "--time", 0.5, "--samples", 2, "--rtol", 1e-8, "--atol", 1e-10,
                          "--method", method)
                evaluations.append(out["evaluations"])
                steps.append(largest_step(program, model, method))
            spread = max(max(evaluations) / min(evaluations), max(steps) / max(min(steps), 1e-12)) - 1
            cells = [f"{e}, {1000 * s:.3g} ms" for e, s in zip(evaluations, steps)]
            print(f"| {n} |", " | ".join(cells), f"| {100 * spread:.1f} % |", flush=True)


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
    parser.add_argument("what", choices=["integration", "crossings"])
    parser.add_argument("--catena", required=True)
    given = parser.parse_args()
    {"integration": integration, "crossings": crossings}[given.what](given.catena)


if __name__ == "__main__":
    main()
