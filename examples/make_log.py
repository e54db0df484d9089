#!/usr/bin/env python3
"""Writes the log that a controller would keep while an arm moves along a table of `catena excite --rate`: clock, encoder positions,
and motor currents, with what real ones have. Nothing but Python and the program `catena` is needed.

    catena excite ur5 --time 10 --rate 250 -o motion.csv
    python3 examples/make_log.py ur5 motion.csv -o raw.csv --truth truth.json

The arm is the model with rigid links, plus at every joint, of a size that goes with its effort limit,
    friction   viscous, and Stribeck's: fc + (fs - fc) exp(-(qd/vs)^2) against the motion; at rest anything below fs
    rotor      an inertia
    offset     of the torque that the current stands for
    gain       N m (N) by ampere
The log has encoders that are quantized, stamps that jitter, rows that are missing and doubled, errors of the currents that are
correlated, and the arm at rest before and after. --truth keeps the numbers. The same seed gives the same log.
"""

import argparse
import csv
import io
import json
import math
import random
import subprocess
import sys


def catena(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"make_log: {done.stderr.strip()}")
    return done.stdout


def table(text):
    """Columns by name."""
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}


def drives_of(joint_types, limits, dice):
    """What each joint has beside its rigid links."""
    drives = []
    for kind, limit in zip(joint_types, limits):
        effort = limit["effort"] if limit["effort"] is not None else 50.0
        speed = limit["velocity"] if limit["velocity"] is not None else 2.0
        coulomb = effort * dice.uniform(0.02, 0.04)
        drives.append({"viscous": 0.05 * effort / speed * dice.uniform(0.6, 1.4), "coulomb": coulomb,
                       "breakaway": coulomb * dice.uniform(1.15, 1.5), "stribeck_speed": 0.02 * speed * dice.uniform(0.8, 1.2),
                       "rotor": 0.004 * effort * dice.uniform(0.5, 1.5), "offset": 0.005 * effort * dice.uniform(-1, 1),
                       "gain": 0.1 * effort * dice.uniform(0.8, 1.2), "noise": 0.004 * effort,
                       "resolution": 2 * math.pi / 2**19 if kind == "revolute" else 1e-6})
    return drives


def friction(drive, speed, held):
    if speed == 0.0:
        return held * drive["breakaway"]
    push = drive["coulomb"] + (drive["breakaway"] - drive["coulomb"]) * math.exp(-((speed / drive["stribeck_speed"]) ** 2))
    return drive["viscous"] * speed + math.copysign(push, speed)


def write_real(given, drives, names):
    """The arm as a model: rigid links, load, rotors, friction and offsets."""
    changes = [f"--friction={name}:{drive['viscous']!r},{drive['coulomb']!r},{drive['breakaway'] - drive['coulomb']!r},"
               f"{drive['stribeck_speed']!r}" for name, drive in zip(names, drives)]
    load = [f"--payload={given.payload}"] if given.payload else []
    catena(given.catena, "convert", given.model, "--quiet", "--force", *changes, *load, "-o", given.real)
    more = {f"joint_name = {json.dumps(name)}": [f"rotor = {{ inertia = {drive['rotor']!r} }}", f"torque_offset = {drive['offset']!r}"]
            for name, drive in zip(names, drives)}
    with open(given.real, encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if not line.startswith(("rotor = ", "torque_offset = "))]
    with open(given.real, "w", encoding="utf-8") as file:
        for line in lines:
            print(line, *more.get(line, []), sep="\n", file=file)


def read_motion(path, joints):
    try:
        with open(path, encoding="utf-8") as file:
            motion = table(file.read())
        columns = [[motion[f"{group}{j + 1}"] for j in range(joints)] for group in ("q", "qd", "qdd")]
        return motion["t"], columns
    except (OSError, KeyError, ValueError, IndexError) as error:
        sys.exit(f"make_log: {path}: no table of t, q1, …, qd1, …, qdd1, … of {joints} joints: {error}")


def make(given):
    dice = random.Random(given.seed)
    about = json.loads(catena(given.catena, "info", given.model, "--json"))
    joints = about["dof"]
    t, (q, qd, qdd) = read_motion(given.motion, joints)
    load = ["--payload", given.payload] if given.payload else []
    tau = table(catena(given.catena, "inverse", given.model, "--states", given.motion, "--rigid", "--quiet", *load))
    drives = drives_of(about["types"], about["limits"], random.Random(given.drives))
    period = t[1] - t[0]
    rest = round(given.rest / period)
    moments = [0] * rest + list(range(len(t))) + [len(t) - 1] * rest
    held = [dice.uniform(-0.8, 0.8) for _ in range(joints)]
    drift, rows = [0.0] * joints, []
    for k, sample in enumerate(moments):
        still = k < rest or k >= rest + len(t)
        if k == rest + len(t):
            held = [dice.uniform(-0.8, 0.8) for _ in range(joints)]
        row = [k * period + dice.uniform(-given.jitter, given.jitter) * period + given.start]
        positions, currents = [], []
        for j, drive in enumerate(drives):
            speed, push = (0.0, 0.0) if still else (qd[j][sample], qdd[j][sample])
            speed = 0.0 if abs(speed) < 1e-9 else speed
            drift[j] = 0.9 * drift[j] + math.sqrt(1 - 0.9**2) * dice.gauss(0, drive["noise"])
            torque = tau[f"tau{j + 1}"][sample] + drive["rotor"] * push + friction(drive, speed, held[j])
            positions.append(round(q[j][sample] / drive["resolution"]) * drive["resolution"])
            currents.append((torque + drive["offset"] + drift[j] + dice.gauss(0, 0.5 * drive["noise"])) / drive["gain"])
        rows.append(row + positions + (currents if not given.torques else [i * d["gain"] for i, d in zip(currents, drives)]))
    kept = []
    for row in rows:
        if dice.random() > given.missing:
            kept.append(row)
            if dice.random() < given.doubled:
                kept.append(row)
    return kept, drives, about["joints"], period


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("motion", help="table of catena excite: t, q, qd, qdd at an even rate, CSV")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--truth", help="where friction, rotors, gains and offsets are written, JSON")
    parser.add_argument("--real", help="where the arm is written as a model, .toml")
    parser.add_argument("--payload", help="a load at the tool, as catena --payload takes it")
    parser.add_argument("--torques", action="store_true", help="columns tau1, … instead of the currents i1, …")
    parser.add_argument("--rest", type=float, default=2.0, help="seconds at rest before and after; default 2")
    parser.add_argument("--jitter", type=float, default=0.2, help="of stamps, as a part of the period; default 0.2")
    parser.add_argument("--missing", type=float, default=0.002, help="share of rows that are lost; default 0.002")
    parser.add_argument("--doubled", type=float, default=0.001, help="share of rows that are there twice; default 0.001")
    parser.add_argument("--start", type=float, default=1000.0, help="what the clock shows first, s; default 1000")
    parser.add_argument("--seed", type=int, default=1, help="of the errors; default 1")
    parser.add_argument("--drives", type=int, default=1, help="seed of friction, rotors, offsets and gains; default 1")
    parser.add_argument("--catena", default="catena", help="the program; default: that on the path")
    given = parser.parse_args()
    rows, drives, names, period = make(given)
    joints, group = len(drives), "tau" if given.torques else "i"
    with open(given.output, "w", encoding="utf-8", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        write.writerow(["t", *(f"q{j + 1}" for j in range(joints)), *(f"{group}{j + 1}" for j in range(joints))])
        write.writerows([[f"{row[0]:.6f}", *(f"{x:.9g}" for x in row[1:])] for row in rows])
    if given.real:
        write_real(given, drives, names)
    if given.truth:
        with open(given.truth, "w", encoding="utf-8") as file:
            json.dump({"joints": names, "period": period, "payload": given.payload, "drives": drives}, file, indent=1)
    print(f"{len(rows)} rows, {rows[-1][0] - rows[0][0]:.1f} s, {joints} joints: {given.output}")


if __name__ == "__main__":
    main()
