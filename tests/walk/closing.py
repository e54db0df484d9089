"""Closed loops for the oracle: rows that are zero where a loop is closed, positions by Newton's method, and how the joints of
loops move with the user's. What the types mean is docs/robot-files.md.

Movers are the joints that follow no other by a coupling. A place of the user's joints is solved once, and remembered.
"""

import numpy as np

# Of the second frame's pose in the first: coordinates that are 0, and axes (of the first, of the second) at right angles.
ROWS = {"revolute": ("xyz", "xz yz"), "prismatic": ("xy", "yz zx xy"), "cylindrical": ("xy", "xz yz"),
        "universal": ("xyz", "zx"), "spherical": ("xyz", ""), "planar": ("z", "xz yz"), "fixed": ("xyz", "yz zx xy")}
RANK = 1e-8  # singular values below this part of the largest are 0
STEPS = 0.25  # of the user's joints in loops, at most
PLACES = {}  # what was solved, of each robot as it is locked and spoiled


def cross(a, b):
    """Of as many vectors as there are, or of one with many."""
    out = np.empty(a.shape if a.ndim >= b.ndim else b.shape)
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


class Loops:
    def __init__(self, oracle, robot):
        """oracle: so far of the open tree."""
        self.oracle = oracle
        self.list = [(loop, *(["xyz".index(axis) for axis in ROWS[loop.kind][0]],
                              [("xyz".index(a), "xyz".index(b)) for a, b in ROWS[loop.kind][1].split()])) for loop in robot.loops]
        movers = oracle.movers
        inside = [m for m, name in enumerate(movers) if self.turns(m)]
        self.dependent = [movers[m] for m in inside if movers[m] not in robot.independent]
        self.found = [m for m in inside if movers[m] in self.dependent]
        self.given = [m for m in inside if movers[m] not in self.dependent]
        self.own = [m for m in range(len(movers)) if m not in self.found]
        self.places = PLACES.setdefault((robot.name, *sorted(oracle.lock.items()), oracle.broken), {})
        home = np.array([robot.start.get(name, 0.0) for name in movers])
        self.at = [self.own.index(m) for m in self.given]
        self.solve(home[self.own], home)

    def turns(self, m):
        """Whether a mover, or what follows it, is in a loop."""
        group = {name for name, row in zip(self.oracle.tree, self.oracle.G) if row[m] != 0.0}
        return any(group & (self.path(loop.frames[0]) ^ self.path(loop.frames[1])) for loop, _, _ in self.list)

    def path(self, frame):
        names, k = set(), self.oracle.frames[frame][0]
        while k >= 0:
            names.add(self.oracle.joints[k].name)
            k = self.oracle.joints[k].parent
        return names

    # Rows.

    def frames(self, movers, rates=None):
        """R, p, omega, v, alpha, a of the two frames of each loop on a base that stands, while no mover accelerates."""
        rates = np.zeros(movers.shape) if rates is None else rates
        zero = np.zeros((len(movers), 3))
        still = (np.broadcast_to(np.eye(3), (len(movers), 3, 3)), *[zero] * 5)
        G = self.oracle.G
        motion = self.oracle.travel(still, self.oracle.chart(movers), rates @ G.T, np.zeros((len(movers), len(G))))
        for loop, _, _ in self.list:
            yield [self.oracle.frame_motion(name, motion)[1:] if self.oracle.frames[name][0] >= 0
                   else (still[0] @ self.oracle.frames[name][1], zero + self.oracle.frames[name][2], *[zero] * 4)
                   for name in loop.frames]

    def rows(self, movers, rates):
        """Of all loops, with their rates and accelerations."""
        out = [], [], []
        for (loop, along, pairs), (first, second) in zip(self.list, self.frames(movers, rates)):
            (RA, pA, wA, vA, dA, aA), (RB, pB, wB, vB, dB, aB) = first, second
            d = pB - pA
            seen = vB - vA - cross(wA, d)  # by the first frame
            growth = aB - aA - cross(dA, d) - cross(wA, cross(wA, d)) - 2.0 * cross(wA, seen)
            for k in along:
                for values, vector in zip(out, (d, seen, growth)):
                    values.append(np.sum(RA[:, :, k] * vector, axis=1))
            w = wB - wA
            bend = dB - dA - cross(wA, w)
            for i, j in pairs:
                a, b = RA[:, :, i], RB[:, :, j]
                for values, vector in zip(out, (b, cross(w, b), cross(bend, b) + cross(w, cross(w, b)))):
                    values.append(np.sum(a * vector, axis=1))
        return [np.array(values).T for values in out]

    def jacobian(self, movers):
        """The rows' values, and their columns by all movers."""
        inside = self.given + self.found
        steps = np.eye(len(movers))[[0, *inside]]
        steps[0] = 0.0
        values, rates, _ = self.rows(np.broadcast_to(movers, steps.shape), steps)
        J = np.zeros((values.shape[1], len(movers)))
        J[:, inside] = rates[1:].T
        return values[0], J

    # Positions.

    def newton(self, movers):
        movers = movers.copy()
        for k in range(50):
            values, J = self.jacobian(movers)
            step = np.linalg.pinv(J[:, self.found], RANK) @ values
            movers[self.found] -= step * min(1.0, 0.5 / max(1e-30, np.abs(step).max(initial=0.0)))
            if np.abs(step).max(initial=0.0) < 1e-9:  # the next one would be its square
                values, J = self.jacobian(movers)
                if np.abs(values).max() > 1e-11:
                    break
                return movers, J
        raise ArithmeticError(f"{self.oracle.robot.name}: the loops do not close at {movers}")

    def solve(self, own, near=None):
        """Movers, their complement F, the inverse of the columns of those that are found, J. Followed from the nearest place that
        is known, in small steps."""
        key = own[self.at]
        if key.tobytes() not in self.places:
            if near is None:
                size = lambda place: np.abs(place[0][self.given] - key).max(initial=0.0)
                known = min(list(self.places.values()), key=size)
                if size(known) > STEPS:
                    halfway = own.copy()
                    halfway[self.at] = known[0][self.given] + (key - known[0][self.given]) * 0.9 * STEPS / size(known)
                    self.solve(halfway)
                    return self.solve(own)
                near = known[0] + known[1][:, self.at] @ (key - known[0][self.given])
            near = near.copy()
            near[self.given] = key
            movers, J = self.newton(near)
            inverse = np.linalg.pinv(J[:, self.found], RANK)
            F = np.zeros((len(movers), len(self.own)))
            F[self.own, range(len(self.own))] = 1.0
            F[self.found] = -inverse @ J[:, self.own]
            self.places[key.tobytes()] = movers, F, inverse, J
        return self.places[key.tobytes()]

    def close(self, own):
        movers = np.zeros((len(own), len(self.oracle.movers)))
        for row, numbers in zip(movers, own):
            row[self.found] = self.solve(numbers)[0][self.found]
        movers[:, self.own] = own
        return movers

    def complement(self, own):
        return np.array([self.solve(numbers)[1] for numbers in own])

    def bend(self, own, rates):
        """What the movers' accelerations are while the user's coordinates do not accelerate."""
        growth = self.rows(self.close(own), rates)[2]
        out = np.zeros(rates.shape)
        for row, numbers, values in zip(out, own, growth):
            row[self.found] = -self.solve(numbers)[2] @ values
        return out

    # Forces.

    def wrenches(self, own, tau):
        """Of the first frame of each loop on the second: force, moment about the first frame's origin, along its axes. tau is what
        movers would have to give; where rows say the same, the multipliers are the smallest."""
        multipliers = list(self.solve(own)[2].T @ tau[self.found])
        out = []
        for (loop, along, pairs), (first, second) in zip(self.list, self.frames(self.close(own[None]))):
            R, p = first[0][0].T @ second[0][0], first[0][0].T @ (second[1] - first[1])[0]
            total = np.zeros(6)
            for k in along:
                total += multipliers.pop(0) * np.concatenate([np.eye(3)[k], cross(p, np.eye(3)[k])])
            for i, j in pairs:
                total[3:] += multipliers.pop(0) * cross(R[:, j], np.eye(3)[i])
            out.append(total)
        return np.array(out)
