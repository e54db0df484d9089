#!/usr/bin/env python3
"""Counts what screws with three coordinates save for planar arms, for docs/claims.md:

    python3 tools/count_planar_screws.py --catena build/catena

The inertia matrix link by link, eqs 21-24 of Laus, Simoni and Martins, with every product of matrices in full: with screws of
six coordinates, and with three (lambda = 3). Beside it what `catena count` says of the formulation `progressive`, as it
stands and as code generated for the arm. Each matrix is compared with that of `catena inertia`.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile


class Counted:
    """A number that counts the multiplications and additions made with it."""

    M = A = 0

    def __init__(self, value):
        self.value = value

    def __mul__(self, other):
        Counted.M += 1
        return Counted(self.value * other.value)

    def __add__(self, other):
        Counted.A += 1
        return Counted(self.value + other.value)

    def __neg__(self):
        return Counted(-self.value)


def matrix(rows):
    return [[x if isinstance(x, Counted) else Counted(x) for x in row] for row in rows]


def product(a, b):
    out = []
    for row in a:
        line = []
        for column in zip(*b):
            terms = [x * y for x, y in zip(row, column)]
            total = terms[0]
            for term in terms[1:]:
                total = total + term
            line.append(total)
        out.append(line)
    return out


def transposed(a):
    return [list(column) for column in zip(*a)]


def plus(a, b):
    return [[x + y for x, y in zip(*rows)] for rows in zip(a, b)]


def blocks(a, b, c, d):
    return [x + y for x, y in zip(a, b)] + [x + y for x, y in zip(c, d)]


def zeros(rows, columns):
    return matrix([[0.0] * columns for _ in range(rows)])


class Space:
    """Screws of six coordinates: rotations 3 x 3, points of three."""

    def __init__(self, planar):
        self.planar = planar
        self.spin, self.line = (1, 2) if planar else (3, 3)

    def turn(self, q):
        c, s = math.cos(q), math.sin(q)
        return matrix([[c, -s], [s, c]] if self.planar else [[c, -s, 0], [s, c, 0], [0, 0, 1]])

    def point(self, p):
        return matrix([[x] for x in p[:self.line]])

    def skew(self, p):
        """p x: takes angular velocities, one number in the plane."""
        if self.planar:
            return [[p[1][0]], [-p[0][0]]]
        zero = Counted(0.0)
        return [[zero, -p[2][0], p[1][0]], [p[2][0], zero, -p[0][0]], [-p[1][0], p[0][0], zero]]

    def axis(self):
        return matrix([[1.0]] if self.planar else [[0.0], [0.0], [1.0]])

    def turned_spin(self, R):
        return matrix([[1.0]]) if self.planar else R

    def mass_matrix(self, mass, inertia):
        spin = [[inertia[2]]] if self.planar else [[inertia[0], 0, 0], [0, inertia[1], 0], [0, 0, inertia[2]]]
        line = [[mass if i == j else 0.0 for j in range(self.line)] for i in range(self.line)]
        return blocks(matrix(spin), zeros(self.spin, self.line), zeros(self.line, self.spin), matrix(line))


def inertia_matrix(arm, q, planar):
    """Eq. 21 with (22)-(24), link by link."""
    space = Space(planar)
    n = len(arm)
    M = [[0.0] * n for _ in range(n)]
    R, origin = None, None
    columns = []  # (23), one more with each link
    for i, link in enumerate(arm):
        offset = space.point([link["a"], 0.0, 0.0])
        origin = offset if R is None else plus(origin, product(R, offset))
        R = space.turn(q[i]) if R is None else product(R, space.turn(q[i]))
        columns.append(space.axis() + product(space.skew(origin), space.axis()))  # [z; p x z]
        J = transposed([[entry[0] for entry in column] for column in columns])
        com = plus(origin, product(R, space.point(link["com"])))
        back = transposed(R)
        lower = [[-x for x in row] for row in product(back, space.skew(com))]
        T = blocks(space.turned_spin(back), zeros(space.spin, space.line), lower, back)  # (22)
        own = product(T, J)  # (24)
        body = product(transposed(own), product(space.mass_matrix(link["mass"], link["inertia"]), own))  # (21)
        for r, row in enumerate(body):
            for c, entry in enumerate(row):
                M[r][c] += entry.value
                Counted.A += (i > max(r, c))
    return M


def planar_arm(n):
    return [dict(a=0.0 if k == 0 else 0.3 + 0.05 * k, mass=2.0 - 0.1 * k, com=[0.12 + 0.01 * k, 0.02 + 0.003 * k, 0.0],
                 inertia=[0.01, 0.02, 0.03 + 0.001 * k]) for k in range(n)]


def write(arm, path):
    lines = ['name = "planar"', 'convention = "modified"', "gravity = [0, -9.81, 0]"]
    for link in arm:
        lines += ["[[link]]", 'joint = "revolute"'] + [f"{key} = {value!r}" for key, value in link.items()]
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def run(program, *words):
    return json.loads(subprocess.run([program, *words, "--json"], capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--catena", required=True)
    program = parser.parse_args().catena
    print("| n | six coordinates | three | progressive | generated for the arm |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "planar.toml")
        for n in (2, 3, 6, 12):
            arm = planar_arm(n)
            write(arm, path)
            q = [0.3 + 0.2 * k * (-1)**k for k in range(n)]
            expected = run(program, "inertia", path, "--q=" + ",".join(map(repr, q)))["M"]
            cells = []
            for planar in (False, True):
                Counted.M = Counted.A = 0
                found = inertia_matrix(arm, q, planar)
                cells.append(f"{Counted.M} M {Counted.A} A")
                worst = max(abs(found[r][c] - expected[r][c]) for r in range(n) for c in range(n))
                if worst > 1e-12 * expected[0][0]:
                    raise SystemExit(f"{n} joints: the matrix differs by {worst:g}")
            for counted in run(program, "count", path, "--compute", "inertia", "--method", "progressive")["counts"]:
                if "optimized" not in counted["name"]:
                    cells.append("{multiplications} M {additions} A".format(**counted["online"]))
            print(f"| {n} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
