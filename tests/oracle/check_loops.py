#!/usr/bin/env python3
"""Robots with closed loops as loops.py sees them.

usage: check_loops.py [MODEL …]              a table: joints, rows of the loops, their rank, mobility, how well they close
       check_loops.py --self-test [MODEL …]  the table, and the oracle against differences, balances of forces and of energy
       check_loops.py --json COUNT [MODEL …] states near the start and what follows from them, as JSON in SI units

A MODEL is a TOML file, by default every one of models/ that has a loop. A robot passes where its loops close at the start and all
over the range of its independent joints, and where its mobility is that of the list below or, in other files, the number of its
independent joints.
"""

import argparse
import json
import sys

import numpy as np

sys.dont_write_bytecode = True

from loops import CLOSED, REST, ROOT, Closed, rank_of

MOBILITY = {"fourbar_press": 1, "slider_crank": 1, "five_bar": 2, "parallelogram": 1, "palletizer": 4, "delta": 3, "gripper": 1,
            "stewart": 6, "excavator": 4, "flyball_governor": 2, "bricard": 1, "six_bar": 1, "cardan_shaft": 1, "swash_pump": 1}
SINGULAR = 1e-3  # of Closed.fitness
PLACES = 6  # where each robot is looked at
STEP, STEPS = 1e-3, 10  # of a run, in seconds


def far(a, b, scale=None):
    """Largest difference, against the largest number."""
    scale = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)) if scale is None else scale
    return np.abs(np.asarray(a) - b).max(initial=0.0) / max(scale, 1e-12)


def some_state(robot, random, part=0.5):
    """x and xd: in the middle part of the range, and slow enough to take a second through it."""
    ranges = np.array([robot.range_of(j) for j in robot.independent])
    width = ranges[:, 1] - ranges[:, 0]
    x = ranges.mean(axis=1) + part * width * (random.random(len(width)) - 0.5)
    return x, width * (2.0 * random.random(len(width)) - 1.0)


# What a file must fulfil.


def check_file(robot, random):
    q = robot.home
    expected = MOBILITY.get(robot.name, len(robot.independent))
    if (size := np.abs(robot.phi(q)).max()) > CLOSED:
        yield f"the loops are open by {size:.1e} at the start"
    if against := robot.reversed(q):
        yield f"axes point against each other: {', '.join(against)}"
    if (mobility := robot.mobility()) != expected or len(robot.independent) != expected:
        yield f"mobility {mobility} with {len(robot.independent)} independent joints, expected {expected}"
    for k in range(PLACES):
        x = some_state(robot, random, part=1.0)[0]
        try:
            q = robot.close(x)
        except ArithmeticError as error:
            yield f"at {np.round(x, 3)}: {error}"
            continue
        if robot.mobility(q) != expected or robot.reversed(q) or robot.fitness(q) < SINGULAR:
            yield f"at {np.round(x, 3)}: mobility {robot.mobility(q)}, fitness {robot.fitness(q):.1e}"


def table_line(robot):
    rows, rank = len(robot.phi(robot.home)), rank_of(robot.jacobian(robot.home))[0]
    tree = len(robot.tree.tree)
    return (f"{robot.name:17}{tree:4} joints {len(robot.loops)} loops {rows:3} rows  rank {rank:2}  mobility {robot.mobility()}  "
            f"open by {np.abs(robot.phi(robot.home)).max():7.1e}  fitness {robot.fitness(robot.home):.3f}")


# The oracle against other ways.


def differences(robot, random):
    """Rates and accelerations of the rows along some curve, loops closed or not: by differences of the fourth order."""
    q, qd, qdd = robot.home + 0.1 * random.standard_normal(robot.n), *random.standard_normal((2, robot.n))
    h = 1e-3
    phi = [robot.phi(q + k * h * qd + 0.5 * (k * h) ** 2 * qdd) for k in (-2, -1, 0, 1, 2)]
    rate = (phi[0] - 8.0 * phi[1] + 8.0 * phi[3] - phi[4]) / (12.0 * h)
    growth = (-phi[0] + 16.0 * phi[1] - 30.0 * phi[2] + 16.0 * phi[3] - phi[4]) / (12.0 * h * h)
    J = robot.jacobian(q)
    yield "rates of the rows", far(J @ qd, rate), 1e-8
    yield "accelerations of the rows", far(J @ qdd + robot.drift(q, qd), growth), 1e-6


def motions(robot, random):
    """Velocities and accelerations of dependent joints against positions that Newton's method finds."""
    x, xd = some_state(robot, random)
    xdd, h = random.standard_normal(len(x)) * np.abs(xd), 1e-3
    q = robot.close(x)
    at = []
    for k in (-2, -1, 0, 1, 2):
        near = q.copy()
        near[robot.independent] = x + k * h * xd + 0.5 * (k * h) ** 2 * xdd
        at.append(robot.settle(near))
    qd = robot.velocities(q, xd)
    G, c = robot.gathered(q, qd)
    yield "velocities", far(qd, (at[0] - 8.0 * at[1] + 8.0 * at[3] - at[4]) / (12.0 * h)), 1e-7
    growth = (-at[0] + 16.0 * at[1] - 30.0 * at[2] + 16.0 * at[3] - at[4]) / (12.0 * h * h)
    yield "accelerations", far(G @ xdd + c, growth), 1e-5


def forces(robot, random):
    """Multipliers against the gathered equations; and their wrenches, put on the open tree as forces from outside."""
    x, xd = some_state(robot, random)
    q = robot.close(x)
    qd = robot.velocities(q, xd)
    u = robot.inverse(robot.home, 0.0 * qd, 0.0 * x)[0] + random.standard_normal(len(x))
    qdd, multipliers = robot.forward(q, qd, robot.spread(u))
    G, c = robot.gathered(q, qd)
    M, b = robot.inertia(q), robot.bias(q, qd)
    xdd = np.linalg.solve(G.T @ M @ G, u - G.T @ (M @ c + b))
    yield "accelerations by multipliers", far(qdd, G @ xdd + c), 1e-8
    back, again, others = robot.inverse(q, qd, qdd[robot.independent])
    yield "torques of these accelerations", max(far(back, u), far(again, qdd)), 1e-8
    sure = robot.determined(q)
    first, second = (robot.wrenches(q, values) for values in (multipliers, others))
    scale = np.abs(first).max()
    yield "wrenches of both", far(first[sure], second[sure], scale), 1e-7
    for wrenches in (first, second):
        yield "balance of wrenches", far(on_tree(robot, q, qd, qdd, wrenches), robot.spread(u), max(scale, np.abs(u).max())), 1e-9


def on_tree(robot, q, qd, qdd, wrenches):
    """Torques of a motion of the open tree while these wrenches act on both ends of every loop."""
    motion = robot.tree.move(q[None], qd[None], qdd[None], REST)
    robot.tree.wrenches = []
    for loop, wrench in zip(robot.loops, wrenches):
        (RA, pA), (_, pB) = (robot.frame(name, motion)[:2] for name in loop.frames)
        f, n = RA[0] @ wrench[:3], RA[0] @ wrench[3:]
        ends = [(loop.frames[0], -f, -n), (loop.frames[1], f, n - np.cross(pB[0] - pA[0], f))]
        robot.tree.wrenches += [(name, [*force, *moment], "world") for name, force, moment in ends
                                if robot.tree.frames[name][0] >= 0]  # the base bears what it is given
    tau = robot.tree.torques(q[None], qd[None], qdd[None])[0]
    robot.tree.wrenches = []
    return tau


def energy(robot, random):
    """Energy of a short run without friction, less the work of constant torques."""
    x, xd = some_state(robot, random, part=0.2)
    xd = 0.5 * xd
    guess = robot.close(x)
    u = 0.5 * robot.inverse(guess, 0.0 * guess, 0.0 * x)[0]
    count = len(x)

    def full(state):
        q = guess.copy()
        q[robot.independent] = state[:count]
        q = robot.settle(q)
        return q, robot.velocities(q, state[count:2 * count])

    def slope(state):
        q, qd = full(state)
        qdd = robot.forward(q, qd, robot.spread(u))[0]
        return np.concatenate([state[count:2 * count], qdd[robot.independent], [u @ state[count:2 * count]]])

    state = np.concatenate([x, xd, [0.0]])
    first, moving = robot.energy(*full(state)), 1e-6
    for _ in range(STEPS):
        k1 = slope(state)
        k2 = slope(state + 0.5 * STEP * k1)
        k3 = slope(state + 0.5 * STEP * k2)
        k4 = slope(state + STEP * k3)
        state = state + STEP / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        guess, qd = full(state)
        moving = max(moving, 0.5 * qd @ robot.inertia(guess) @ qd)
    yield "energy", abs(robot.energy(guess, qd) - first - state[-1]) / moving, 1e-7


def self_test(path, random):
    robot, rigid = Closed(path), Closed(path, rigid=True)
    worst = {}
    for found in (differences(robot, random), motions(robot, random), forces(robot, random), energy(rigid, random)):
        for what, error, allowed in found:
            worst[what] = max(worst.get(what, 0.0), error)
            if not error <= allowed:
                yield f"{what}: {error:.1e}, {allowed:.0e} allowed"
    print("    " + ", ".join(f"{what} {error:.0e}" for what, error in worst.items()))


# States for other tests.


def state_of(robot, random):
    x, xd = some_state(robot, random)
    q = robot.close(x)
    qd = robot.velocities(q, xd)
    u = robot.inverse(q, qd, 0.0 * x)[0] * (1.0 + 0.2 * random.standard_normal(len(x)))
    xdd = xd * random.standard_normal(len(x))
    qdd, multipliers = robot.forward(q, qd, robot.spread(u))
    torques, accelerations, others = robot.inverse(q, qd, xdd)
    listed = {"x": x, "xd": xd, "q": q, "qd": qd, "determined": robot.determined(q),
              "forward": {"u": u, "qdd": qdd, "wrenches": robot.wrenches(q, multipliers)},
              "inverse": {"xdd": xdd, "qdd": accelerations, "u": torques, "wrenches": robot.wrenches(q, others)}}
    return json.loads(json.dumps(listed, default=lambda array: array.tolist()))


def described(robot, count, random):
    return {"name": robot.name, "joints": robot.joints, "independent": [robot.joints[j] for j in robot.independent],
            "loops": [loop.name for loop in robot.loops], "home": robot.home.tolist(), "mobility": robot.mobility(),
            "states": [state_of(robot, random) for _ in range(count)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--json", type=int, metavar="COUNT")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    paths = options.models or [path for path in sorted((ROOT / "models").glob("*.toml")) if "[[loop]]" in path.read_text("utf-8")]
    if options.json is not None:
        print(json.dumps([described(Closed(path), options.json, np.random.default_rng(1)) for path in paths], indent=1))
        return
    wrong = 0
    for path in paths:
        robot, random = Closed(path), np.random.default_rng(1)
        print(table_line(robot), flush=True)
        for text in [*check_file(robot, random), *(self_test(path, random) if options.self_test else [])]:
            wrong += 1
            print(f"    {robot.name}: {text}")
    print(f"loops: {len(paths)} robots, {wrong} failures")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
