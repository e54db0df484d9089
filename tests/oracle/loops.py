"""What a robot with closed loops must do, from its TOML file alone.

The tree that the loops leave open is the walk's oracle (tests/walk/oracle.py): Newton and Euler in world axes. Here a loop's rows
and their first two derivatives in time are written down from the motion of its two frames, the loops are closed by Newton's
method, and the motion follows with multipliers. Nothing here knows Catena's code.

q, qd, qdd and tau are of all joints of the tree that do not follow others by a coupling, in the order of the file; x, xd, xdd and
u are of the independent ones. check_loops.py prints what follows, and tests it.
"""

import dataclasses
import math
import pathlib
import sys
import tomllib

import numpy as np

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/walk"))

import robots
from oracle import Oracle, cross

REST = np.zeros(12)  # a base that stands
RANK = 1e-9  # singular values below this part of the largest are 0
CLOSED = 1e-12  # metres, and sines
PARTS = {"fixed": [], "planar": ["x", "y", "turn"], "universal": ["x", "y"], "cylindrical": ["turn", "slide"],
         "screw": ["turn", "slide"], "spherical": ["yaw", "pitch", "roll"]}
SLIDES = {"prismatic": [""], "planar": ["x", "y"], "cylindrical": ["slide"], "screw": ["slide"]}
# Of the second frame's pose in the first: coordinates that are 0, and axes (of the first, of the second) at right angles.
ROWS = {"revolute": ("xyz", "xz yz"), "prismatic": ("xy", "xy yz zx"), "cylindrical": ("xy", "xz yz"),
        "universal": ("xyz", "zx"), "spherical": ("xyz", ""), "planar": ("z", "xz yz"), "fixed": ("xyz", "xy yz zx")}
# Axes that must not point against each other: the rows alone would let them.
ALONG = {"revolute": "z", "cylindrical": "z", "planar": "z", "prismatic": "xyz", "fixed": "xyz"}


@dataclasses.dataclass
class Loop:
    name: str
    kind: str
    frames: list

    @property
    def places(self):
        return ["xyz".index(axis) for axis in ROWS[self.kind][0]]

    @property
    def pairs(self):
        return [("xyz".index(pair[0]), "xyz".index(pair[1])) for pair in ROWS[self.kind][1].split()]


# The file.


def drive_of(table, degree):
    friction, rotor, limits = (table.get(key, {}) for key in ("friction", "rotor", "limits"))
    drive = robots.Drive(friction.get("viscous", 0.0), friction.get("coulomb", 0.0), rotor.get("inertia", 0.0),
                         rotor.get("gear_ratio", 1.0), passive=table.get("passive", False))
    if "lower" in limits and "upper" in limits:
        drive.limits = (limits["lower"] * degree, limits["upper"] * degree)
    if mimic := table.get("mimic"):
        mimic = {"joint": mimic} if isinstance(mimic, str) else mimic
        drive.follows, drive.offset = {mimic["joint"]: mimic.get("multiplier", 1.0)}, mimic.get("offset", 0.0) * degree
    if coupling := table.get("coupling"):
        drive.follows, drive.offset = coupling["joints"], coupling.get("offset", 0.0) * degree
    return drive


def placed(table, convention, degree):
    """xyz and rpy of the joint, axis, and xyz and rpy of the link's frame behind it."""
    if convention == "frames":
        rpy, behind = ([angle * degree for angle in table.get(key, [0, 0, 0])] for key in ("rpy", "frame_rpy"))
        return table.get("xyz", [0, 0, 0]), rpy, table.get("axis", [0, 0, 1]), (table.get("frame_xyz", [0, 0, 0]), behind)
    a, d, epsilon = (table.get(key, 0.0) for key in ("a", "d", "epsilon"))
    alpha, theta, gamma = (table.get(key, 0.0) * degree for key in ("alpha", "theta", "gamma"))
    if convention == "classic":
        return [0, 0, epsilon + d], [0, 0, gamma + theta], [0, 0, 1], ([a, 0, 0], [alpha, 0, 0])
    where = [a * math.cos(gamma), a * math.sin(gamma), epsilon]
    return where, [alpha, 0, gamma], [0, 0, 1], ([0, 0, d], [0, 0, theta])


def six_moments(inertia):
    if np.ndim(inertia) == 2:
        return [inertia[0][0], inertia[1][1], inertia[2][2], inertia[0][1], inertia[0][2], inertia[1][2]]
    return [*inertia, 0.0, 0.0, 0.0][:6]


def link_of(table, number, before, convention, degree):
    xyz, rpy, axis, behind = placed(table, convention, degree)
    kind, joint = table["joint"], table.get("joint_name", f"joint{number}")
    com = table.get("com") or [-x for x in table.get("r", [0, 0, 0])]
    units = {part: 1.0 if part in SLIDES.get(kind, []) else degree for part in PARTS.get(kind, [""])}
    drives = {part: drive_of(table.get(part, {}) if part else table, unit) for part, unit in units.items()}
    return robots.Link(table.get("name", f"link{number}"), table.get("parent", before), kind, joint, xyz, rpy, axis,
                       table["mass"], com, six_moments(table.get("inertia", [0, 0, 0])), drives, behind, table.get("pitch"))


def read(path):
    """The robot without its loops, the loops, the names of independent joints, and where the search starts."""
    data = tomllib.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    degree = math.pi / 180.0 if data.get("angles") == "deg" else 1.0
    base = data.get("base", {}).get("name", "base")
    links, before = [], base
    for number, table in enumerate(data["link"], 1):
        links.append(link_of(table, number, before, data["convention"], degree))
        before = links[-1].name
    frames = [robots.Frame(frame["name"], frame["link"], frame.get("xyz", [0, 0, 0]),
                           [angle * degree for angle in frame.get("rpy", [0, 0, 0])]) for frame in data.get("frame", [])]
    loops = [Loop(loop.get("name", f"loop{k}"), loop["type"], loop["frames"]) for k, loop in enumerate(data.get("loop", []), 1)]
    for thing, key in [*((link, "parent") for link in links), *((frame, "link") for frame in frames)]:
        setattr(thing, key, "base" if getattr(thing, key) == base else getattr(thing, key))
    for loop in loops:
        loop.frames = ["base" if name == base else name for name in loop.frames]
    slides = {f"{link.joint_name}_{part}" if part else link.joint_name for link in links for part in SLIDES.get(link.joint, [])}
    start = {joint: at * (1.0 if joint in slides else degree) for joint, at in data.get("start", {}).items()}
    robot = robots.Robot(data["name"], frozenset(), links, frames, data.get("gravity", [0, 0, -9.81]), data.get("tool", ""))
    return robot, loops, data.get("independent", []), start


# The mechanism.


def rank_of(J):
    """Rank, and bases of what the rows span: U S V^T of the singular values that count."""
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    count = int(np.sum(s > RANK * max(s.max(initial=0.0), 1e-3)))
    return count, U[:, :count], s[:count], Vt[:count]


class Closed:
    """A robot with loops. rigid: without friction and rotors."""

    def __init__(self, path, rigid=False):
        self.name = pathlib.Path(path).stem
        robot, self.loops, named, start = read(path)
        self.tree = Oracle(robot, rigid=rigid)
        self.joints = self.tree.own
        self.n = len(self.joints)
        self.start = np.array([start.get(joint, 0.0) for joint in self.joints])
        self.in_loops = [j for j in range(self.n)
                         if any(self.moves(joint, loop) for joint in self.group(j) for loop in self.loops)]
        self.independent = [j for j in range(self.n) if j not in self.in_loops or self.joints[j] in named]
        if not named:
            self.independent = self.chosen()
        self.dependent = [j for j in range(self.n) if j not in self.independent]
        self.home = self.settle(self.start)

    def group(self, j):
        """A joint and those that follow it."""
        return [name for name, row in zip(self.tree.tree, self.tree.G) if row[j] != 0.0]

    def path(self, frame):
        """The names of all joints between the base and a frame."""
        names, k = set(), self.tree.frames[frame][0]
        while k >= 0:
            names.add(self.tree.joints[k].name)
            k = self.tree.joints[k].parent
        return names

    def moves(self, joint, loop):
        return joint in self.path(loop.frames[0]) ^ self.path(loop.frames[1])

    def chosen(self):
        """Independent joints where the file names none: those with motors first, then in the order of the file."""
        J = self.jacobian(self.newton(self.start, self.in_loops))
        order = sorted(range(self.n), key=lambda j: self.tree.drive_of(self.joints[j]).passive)
        rank, taken = rank_of(J)[0], []
        for j in order:
            rest = [k for k in range(self.n) if k not in (*taken, j)]
            if rank_of(J[:, rest])[0] == rank:
                taken.append(j)
        return sorted(taken)

    # Rows of the loops.

    def frame(self, name, motion):
        """R, p, omega, v, alpha, a."""
        k, R, p = self.tree.frames[name]
        if k >= 0:
            return self.tree.frame_motion(name, motion)[1:]
        zero = np.zeros((len(motion.frames[0][1]), 3))
        return np.broadcast_to(R, (len(zero), 3, 3)), zero + p, zero, zero, zero, zero

    def rows(self, q, qd, qdd):
        """All rows, their rates and their accelerations, of many states at once."""
        motion = self.tree.move(q, qd, qdd, REST)
        out = [], [], []
        for loop in self.loops:
            RA, pA, wA, vA, dA, aA = self.frame(loop.frames[0], motion)
            RB, pB, wB, vB, dB, aB = self.frame(loop.frames[1], motion)
            d, rate, growth = pB - pA, vB - vA, aB - aA  # along the world's axes
            seen = rate - cross(wA, d)  # by the first link
            seen_growth = growth - cross(dA, d) - cross(wA, rate) - cross(wA, seen)
            for k in loop.places:
                for values, vector in zip(out, (d, seen, seen_growth)):
                    values.append(np.sum(RA[:, :, k] * vector, axis=1))
            for i, j in loop.pairs:
                a, b = RA[:, :, i], RB[:, :, j]
                ad, bd = cross(wA, a), cross(wB, b)
                add, bdd = cross(dA, a) + cross(wA, ad), cross(dB, b) + cross(wB, bd)
                out[0].append(np.sum(a * b, axis=1))
                out[1].append(np.sum(ad * b + a * bd, axis=1))
                out[2].append(np.sum(add * b + 2.0 * ad * bd + a * bdd, axis=1))
        return [np.array(values).T for values in out]

    def phi(self, q):
        zero = np.zeros((1, self.n))
        return self.rows(q[None], zero, zero)[0][0]

    def jacobian(self, q):
        many = np.broadcast_to(q, (self.n, self.n))
        return self.rows(many, np.eye(self.n), 0.0 * many)[1].T

    def drift(self, q, qd):
        """What the rows' accelerations are while no joint accelerates."""
        return self.rows(q[None], qd[None], np.zeros((1, self.n)))[2][0]

    def reversed(self, q):
        """Names of loops whose axes point against each other, or whose frames are turned although the rows are 0."""
        zero = np.zeros((1, self.n))
        motion = self.tree.move(q[None], zero, zero, REST)
        turned = [(loop, self.frame(loop.frames[0], motion)[0][0].T @ self.frame(loop.frames[1], motion)[0][0])
                  for loop in self.loops]
        return [loop.name for loop, R in turned if any(R["xyz".index(k), "xyz".index(k)] < 0.5 for k in ALONG.get(loop.kind, ""))]

    # Positions.

    def newton(self, q, free):
        """Closes the loops by the joints `free` alone, from where they are; what is redundant does not matter."""
        q = np.array(q, dtype=float)
        best = math.inf
        for _ in range(60):
            error = self.phi(q)
            size = np.abs(error).max()
            if size < CLOSED and (size == 0.0 or size >= 0.5 * best):  # as good as numbers can be
                return q
            best = min(best, size)
            _, U, s, Vt = rank_of(self.jacobian(q)[:, free])
            step = -Vt.T @ ((U.T @ error) / s)
            q[free] += step * min(1.0, 0.5 / np.abs(step).max(initial=1e-30))
        raise ArithmeticError(f"{self.name}: the loops do not close: {size:.1e}")

    def settle(self, q):
        return self.newton(q, self.dependent)

    def close(self, x, steps=8):
        """Positions of all joints, followed from the start in steps of the independent ones."""
        q = self.home.copy()
        begin = q[self.independent]
        for k in range(1, steps + 1):
            q[self.independent] = begin + (np.asarray(x) - begin) * (k / steps)
            q = self.settle(q)
        return q

    def mobility(self, q=None):
        return self.n - rank_of(self.jacobian(self.home if q is None else q))[0]

    def fitness(self, q):
        """Smallest singular value of the dependent columns against the largest: 0 where the choice of joints fails."""
        s = np.linalg.svd(self.jacobian(q)[:, self.dependent], compute_uv=False)
        return s[len(self.dependent) - 1] / s[0] if len(s) >= len(self.dependent) else 0.0

    # Velocities and accelerations.

    def velocities(self, q, xd):
        return self.gathered(q, np.zeros(self.n))[0] @ xd

    def gathered(self, q, qd):
        """G and c of qd = G xd, qdd = G xdd + c."""
        J = self.jacobian(q)
        _, U, s, Vt = rank_of(J[:, self.dependent])
        solve = lambda rows: Vt.T @ ((U.T @ rows).T / s).T
        G, c = np.zeros((self.n, len(self.independent))), np.zeros(self.n)
        G[self.independent] = np.eye(len(self.independent))
        G[self.dependent] = -solve(J[:, self.independent])
        c[self.dependent] = -solve(self.drift(q, qd))
        return G, c

    def inertia(self, q):
        many, zero = np.broadcast_to(q, (self.n, self.n)), np.zeros((self.n, self.n))
        return self.tree.torques(many, zero, np.eye(self.n), gravity=False)

    def bias(self, q, qd):
        return self.tree.torques(q[None], qd[None], np.zeros((1, self.n)))[0]

    def forward(self, q, qd, tau):
        """qdd of all joints and the multipliers, of M qdd + b = tau + J^T lambda, J qdd + Jd qd = 0. Where rows are redundant the
        multipliers are the smallest."""
        J = self.jacobian(q)
        count, U, _, _ = rank_of(J)
        A = U.T @ J
        K = np.block([[self.inertia(q), A.T], [A, np.zeros((count, count))]])
        out = np.linalg.solve(K, np.concatenate([tau - self.bias(q, qd), -U.T @ self.drift(q, qd)]))
        return out[:self.n], -U @ out[self.n:]

    def inverse(self, q, qd, xdd):
        """Torques at the independent joints, qdd of all, and the multipliers."""
        G, c = self.gathered(q, qd)
        qdd = G @ xdd + c
        needed = self.inertia(q) @ qdd + self.bias(q, qd)
        _, U, s, Vt = rank_of(self.jacobian(q)[:, self.dependent])
        return G.T @ needed, qdd, U @ ((Vt @ needed[self.dependent]) / s)

    def spread(self, u):
        tau = np.zeros(self.n)
        tau[self.independent] = u
        return tau

    # Forces of the loops.

    def wrench_maps(self, q):
        """Of every loop, force and moment about the first frame's origin, along its axes, of each multiplier of 1."""
        zero = np.zeros((1, self.n))
        motion = self.tree.move(q[None], zero, zero, REST)
        maps = []
        for loop in self.loops:
            (RA, pA), (RB, pB) = (self.frame(name, motion)[:2] for name in loop.frames)
            R, p = RA[0].T @ RB[0], RA[0].T @ (pB[0] - pA[0])
            columns = [np.concatenate([np.eye(3)[k], np.cross(p, np.eye(3)[k])]) for k in loop.places]
            columns += [np.concatenate([np.zeros(3), np.cross(R[:, j], np.eye(3)[i])]) for i, j in loop.pairs]
            maps.append(np.array(columns).T)
        return maps

    def wrenches(self, q, multipliers):
        """What the first link of every loop exerts on the second: force, moment about the first frame's origin, in its axes."""
        out, at = [], 0
        for columns in self.wrench_maps(q):
            out.append(columns @ multipliers[at:at + columns.shape[1]])
            at += columns.shape[1]
        return np.array(out)

    def determined(self, q):
        """Which of these numbers follow from the motion: those that no forces in balance among the loops could change."""
        J = self.jacobian(q)
        count, U, _, _ = rank_of(J)
        free = np.linalg.svd(J, full_matrices=True)[0][:, count:]
        if not free.shape[1]:
            return np.ones((len(self.loops), 6), dtype=bool)
        return np.max(np.abs([self.wrenches(q, column) for column in free.T]), axis=0) < 1e-9

    def energy(self, q, qd):
        motion = self.tree.move(q[None], qd[None], np.zeros((1, self.n)), REST)
        total = 0.5 * qd @ self.inertia(q) @ qd
        for joint, (R, p, *_) in zip(self.tree.joints, motion.frames):
            for mass, com, _ in joint.bodies:
                total -= mass * self.tree.gravity_vector @ (p[0] + R[0] @ com)
        return total

    def range_of(self, j):
        """Limits of a joint; a little around its home where the file has none."""
        limits = self.tree.drive_of(self.joints[j]).limits
        return limits or (self.home[j] - 0.5, self.home[j] + 0.5)
