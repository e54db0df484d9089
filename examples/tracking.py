#!/usr/bin/env python3
"""tracking.py MOTION RUN...: how far runs of `catena simulate` are from a motion, root mean square of each joint in mrad (mm)."""

import bisect
import csv
import math
import sys


def table(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}


def at(times, values, t):
    k = min(max(bisect.bisect_right(times, t), 1), len(times) - 1)
    share = (t - times[k - 1]) / (times[k] - times[k - 1])
    return values[k - 1] + share * (values[k] - values[k - 1])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    motion = table(sys.argv[1])
    joints = sum(name[:1] == "q" and name[1:].isdigit() for name in motion)
    for path in sys.argv[2:]:
        run = table(path)
        squares = [sum((q - at(motion["t"], motion[f"q{j}"], t)) ** 2 for t, q in zip(run["t"], run[f"q{j}"]))
                   for j in range(1, joints + 1)]
        print(f"{path}: " + " ".join(f"{1000 * math.sqrt(s / len(run['t'])):.2f}" for s in squares))


if __name__ == "__main__":
    main()
