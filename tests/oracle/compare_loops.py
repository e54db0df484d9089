#!/usr/bin/env python3
"""Catena beside loops.py, which shares no code with it, on the shipped robots with closed loops.

usage: compare_loops.py --catena PROGRAM [--states COUNT] [MODEL …]

Positions of all joints, torques, accelerations by every formulation, and the forces of loops where they are determined.
"""

import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BOUND = 1e-9  # of the largest entry


def catena(program, command, model, **inputs):
    arguments = [program, command, str(model), "--json"]
    for name, values in inputs.items():
        arguments += [f"--{name}", values if isinstance(values, str) else ",".join(repr(float(v)) for v in values)]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def numbers(value):
    """All numbers of a result, in order."""
    if isinstance(value, (int, float)):
        return [float(value)]
    items = value.values() if isinstance(value, dict) else value
    return [x for item in items for x in numbers(item)]


def off(found, expected):
    scale = max([1.0] + [abs(x) for x in expected])
    if len(found) != len(expected):
        return float("inf")
    return max([abs(a - b) for a, b in zip(found, expected)] + [0.0]) / scale


def held(found, expected, determined):
    """Entries of the wrenches that the loops determine."""
    keep = [k for k, known in enumerate(numbers([[int(x) for x in row] for row in determined])) if known]
    found, expected = numbers(found), numbers(expected)
    return off([found[k] for k in keep], [expected[k] for k in keep])


def compare(program, model, robot):
    """The largest error of each job over the states."""
    info = catena(program, "info", model)
    order = [robot["independent"].index(name) for name in info["joints"]]
    tree = [joint["name"] for joint in info["tree"] if joint["type"] != "fixed"]  # coupled joints too
    known = [k for k, name in enumerate(tree) if name in robot["joints"]]
    by_tree = [robot["joints"].index(tree[k]) for k in known]
    worst = {}

    def count(job, error):
        worst[job] = max(worst.get(job, 0.0), error)

    for state in robot["states"]:
        q, qd = [state["x"][k] for k in order], [state["xd"][k] for k in order]
        inverse, forward = state["inverse"], state["forward"]
        qdd, u = [inverse["xdd"][k] for k in order], [forward["u"][k] for k in order]
        placed = numbers(catena(program, "place", model, q=q)["q_tree"])
        count("place", off([placed[k] for k in known], [state["q"][k] for k in by_tree]))
        motion = dict(q=q, qd=qd, qdd=qdd)
        if not info["passive"]:
            tau = catena(program, "inverse", model, **motion)["tau"]
            count("inverse", off(numbers(tau), [inverse["u"][k] for k in order]))
            for method in ("composite-ldlt", "articulated-body"):
                found = catena(program, "forward", model, q=q, qd=qd, tau=u, method=method)["qdd"]
                joints = [robot["joints"].index(name) for name in info["joints"]]
                count(f"forward {method}", off(numbers(found), [forward["qdd"][k] for k in joints]))
        forces = catena(program, "loop_forces", model, **motion)["loop_forces"]
        count("loop_forces", held(forces, inverse["wrenches"], state["determined"]))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True)
    parser.add_argument("--states", type=int, default=4)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    models = options.models or [p for p in sorted((ROOT / "models").glob("*.toml")) if "[[loop]]" in p.read_text()]
    expected = subprocess.run([sys.executable, HERE / "check_loops.py", "--json", str(options.states), *models],
                              capture_output=True, text=True, check=True)
    failed = False
    for model, robot in zip(models, json.loads(expected.stdout)):
        worst = compare(options.catena, model, robot)
        failed = failed or any(error > BOUND for error in worst.values())
        print(f"{robot['name']:18}", "  ".join(f"{job} {error:.1e}" for job, error in worst.items()))
    return 1 if failed or not models else 0


if __name__ == "__main__":
    sys.exit(main())
