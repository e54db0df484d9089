"""What a robot's numbers must be, from its description in robots.py alone.

A tree of bodies in world axes: poses, velocities and accelerations by plain recursion, Newton's and Euler's equations of every
body, their forces projected on the joints. The user's coordinates come by a chart written out here, whose derivative is found by
differences; closed loops (closing.py) make it one that is not linear. Every function takes many states at once, along the first
axis of its arrays.

Terms in `broken` are left out, to see that somebody notices: SPOILS.
"""

import dataclasses
import math

import numpy as np

import closing
from closing import cross

SPOILS = ["gyroscopic", "factor", "spin", "friction", "stribeck", "rotor", "spring", "offset", "coriolis", "base", "wrench", "payload", "passive", "carried",
          "turned", "bend"]
STEP = 1e-3  # of differences of the fourth order: what is left is near 1e-11


def turn(axis, angles):
    """Rodrigues: rotations about a unit axis, one for each angle; or about vectors, by their lengths."""
    x, y, z = axis
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angles = np.asarray(angles)[..., None, None]
    return np.eye(3) + np.sin(angles) * k + (1.0 - np.cos(angles)) * (k @ k)


def from_rpy(rpy):
    return turn([0, 0, 1], rpy[2]) @ turn([0, 1, 0], rpy[1]) @ turn([1, 0, 0], rpy[0])


def from_quaternion(xyzw):
    x, y, z, w = np.moveaxis(xyzw / np.linalg.norm(xyzw, axis=-1, keepdims=True), -1, 0)
    return np.moveaxis(np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                                 [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                                 [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]), -1, 0)


def times(a, b):
    """Product of quaternions (x, y, z, w)."""
    v = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + cross(a[..., :3], b[..., :3])
    return np.concatenate([v, a[..., 3:] * b[..., 3:] - np.sum(a[..., :3] * b[..., :3], -1, keepdims=True)], -1)


def rise(drive, rate):
    """What a speed leaves of Stribeck friction of size 1."""
    return np.exp(-(rate / drive.stribeck_speed)**2) * np.sign(rate) if drive.stribeck_speed else 0.0 * rate


def six(inertia):
    xx, yy, zz, xy, xz, yz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def across(axis):
    """x and y of a joint of several degrees of freedom, whose z is the axis (docs/robot-files.md)."""
    z = np.array(axis)
    down = z[2] < 0.0
    z = -z if down else z
    angle, about = math.acos(min(z[2], 1.0)), np.cross([0, 0, 1], z)
    length = np.linalg.norm(about)
    tilt = turn(about / length, angle) if length > 0 else np.eye(3)
    return tilt[:, 0], -tilt[:, 1] if down else tilt[:, 1]


@dataclasses.dataclass
class Joint:
    """One degree of freedom or none, and the body that it moves; `parent` is a place in the list, -1 the base."""

    name: str
    parent: int
    place: tuple  # R, p in the parent's frame
    kind: str
    axis: np.ndarray
    after: tuple  # R, p of the link's frame where the joint has ended
    bodies: list  # (mass, mass centre, inertia about it), in the link's frame
    drive: object


@dataclasses.dataclass
class Motion:
    """Of all bodies' frames: R, p, omega, v, alpha, a; the joints' axes and places. Of the joints of the tree, how they move, and
    how they do with the user's coordinates, G, one for each state."""

    frames: list
    axes: list
    at: np.ndarray
    rates: np.ndarray
    growth: np.ndarray
    G: np.ndarray


class Oracle:
    def __init__(self, robot, rigid=False, payload=None, lock=None, wrenches=(), broken=None):
        self.robot, self.lock, self.wrenches, self.broken = robot, dict(lock or {}), list(wrenches), broken
        self.rigid = rigid
        self.free = "free" in robot.traits
        self.gravity_vector = np.array(robot.gravity)
        self.joints, self.frames = [], {"base": (-1, np.eye(3), np.zeros(3))}
        for link in robot.links:
            self.add(link)
        for frame in robot.frames:
            at, R, p = self.frames[frame.link]
            self.frames[frame.name] = (at, R @ from_rpy(frame.rpy), p + R @ np.array(frame.xyz))
        if payload and broken != "payload":
            frame, mass, com, inertia = payload
            at, R, p = self.frames[robot.tool if frame == "tool" else frame]
            self.joints[at].bodies.append((mass, p + R @ np.array(com), R @ six(inertia) @ R.T))
        self.moving = [k for k, joint in enumerate(self.joints)
                       if joint.kind in ("revolute", "prismatic") and not self.is_locked(joint.name)]
        self.tree = {self.joints[k].name: j for j, k in enumerate(self.moving)}  # joints of the tree, in the order of the file
        self.movers = [name for name in self.tree if not self.drive_of(name).follows]
        n, shift = len(self.movers), 0.5  # couplings are linear, so that any step is exact
        steps = np.eye(n) * shift
        self.G = (self.chart(steps) - self.chart(-steps)).T / (2.0 * shift)  # by movers
        self.loops = closing.Loops(self, robot) if robot.loops else None
        self.own = [name for name in self.movers if not self.loops or name not in self.loops.dependent]  # the user's
        self.nv = len(self.own) + 6 * self.free
        self.nq = self.nv + self.free
        self.carried = [self.has_mover(k) for k in range(len(self.joints))]

    # The description becomes a tree.

    def add(self, link):
        parent, R, p = self.frames[link.parent]
        place = (R @ from_rpy(link.rpy), p + R @ np.array(link.xyz))
        after = (from_rpy(link.frame[1]), np.array(link.frame[0])) if link.frame else (np.eye(3), np.zeros(3))
        axis = np.array(link.axis, dtype=float) / np.linalg.norm(link.axis)
        x, y = across(axis)
        kinds = {"floating": [("", "floating", axis)], "fixed": [("", "fixed", axis)], "revolute": [("", "revolute", axis)],
                 "prismatic": [("", "prismatic", axis)], "universal": [("x", "revolute", x), ("y", "revolute", y)],
                 "planar": [("x", "prismatic", x), ("y", "prismatic", y), ("turn", "revolute", axis)],
                 "cylindrical": [("turn", "revolute", axis), ("slide", "prismatic", axis)],
                 "screw": [("turn", "revolute", axis), ("slide", "prismatic", axis)],
                 "spherical": [("yaw", "revolute", axis), ("pitch", "revolute", y), ("roll", "revolute", x)]}[link.joint]
        still = (np.eye(3), np.zeros(3))
        for k, (part, kind, direction) in enumerate(kinds):
            last = k + 1 == len(kinds)
            name = f"{link.joint_name}_{part}" if part else link.joint_name
            drive = link.drives.get(part)
            if link.joint == "screw" and part == "slide":
                drive = dataclasses.replace(drive, follows={f"{link.joint_name}_turn": link.pitch / (2.0 * math.pi)})
            self.joints.append(Joint(name, parent, place if k == 0 else still, kind, direction, after if last else still,
                                     [(link.mass, np.array(link.com), six(link.inertia))] if last else [], drive))
            parent = len(self.joints) - 1
        self.frames[link.name] = (parent, np.eye(3), np.zeros(3))

    def joint(self, name):
        return next(joint for joint in self.joints if joint.name == name)

    def drive_of(self, name):
        return self.joint(name).drive

    def is_locked(self, name):
        if name in self.lock:
            return True
        follows = self.drive_of(name).follows
        return bool(follows) and all(self.is_locked(master) for master in follows)

    def has_mover(self, k):
        """Whether anything moves this body against the world or, where that moves, the base."""
        while k >= 0:
            if k in self.moving or self.joints[k].kind == "floating":
                return True
            k = self.joints[k].parent
        return False

    # The chart: positions of all joints from the user's.

    def position(self, name, movers):
        if name in self.lock:
            return np.full(len(movers), float(self.lock[name]))
        drive = self.drive_of(name)
        if not drive.follows:
            return movers[:, self.movers.index(name)]
        total = np.full(len(movers), drive.offset)
        for master, factor in drive.follows.items():
            total = total + (1.0 if self.broken == "factor" else factor) * self.position(master, movers)
        return total

    def chart(self, movers):
        """Of the joints that follow none by couplings."""
        return np.stack([self.position(name, movers) for name in self.tree], axis=-1)

    def place(self, q):
        own = q[:, 7:] if self.free else q
        return self.chart(self.loops.close(own) if self.loops else own)

    def joints_of(self, q, v, a):
        """Positions, rates and accelerations of the joints of the tree, and G."""
        own, v, a = (q[:, 7:], v[:, 6:], a[:, 6:]) if self.free else (q, v, a)
        if not self.loops:
            return self.chart(own), v @ self.G.T, a @ self.G.T, np.broadcast_to(self.G, (len(q), *self.G.shape))
        movers, F = self.loops.close(own), self.loops.complement(own)
        rates = np.einsum("bij,bj->bi", F, v)
        growth = np.einsum("bij,bj->bi", F, a)
        if self.broken != "bend":
            growth = growth + self.loops.bend(own, rates)
        return self.chart(movers), rates @ self.G.T, growth @ self.G.T, self.G @ F

    def rates(self, q, v):
        """Of the joints of the tree, at one state."""
        own, v = (q[7:], v[6:]) if self.free else (q, v)
        return self.G @ (self.loops.complement(own[None])[0] @ v if self.loops else v)

    # Motions.

    def start(self, q, v, a, base):
        """The base link's frame, or that of the link that is free: R, p, omega, v, alpha, a."""
        count = len(q)
        zero = np.zeros((count, 3))
        if self.free:
            place = next(joint for joint in self.joints if joint.kind == "floating").place
            R = place[0] @ from_quaternion(q[:, 3:7])
            p = place[1] + q[:, :3] @ place[0].T
            twist, rates = v[:, :6], a[:, :6]
        else:
            R, p = np.broadcast_to(np.eye(3), (count, 3, 3)), zero
            twist, rates = (np.broadcast_to(part, (count, 6)) for part in (base[:6], base[6:]))
        spin = 0.0 if self.broken == "spin" else cross(twist[:, 3:], twist[:, :3])  # its axes turn
        in_world = lambda u: np.einsum("bij,bj->bi", R, u)
        return (R, p, in_world(twist[:, 3:]), in_world(twist[:, :3]), in_world(rates[:, 3:]), in_world(rates[:, :3] + spin))

    def move(self, q, v, a, base):
        return self.travel(self.start(q, v, a, base), *self.joints_of(q, v, a))

    def travel(self, first, at, rates, accelerations, G=None):
        """first: how the base link moves, or the one that is free."""
        motion = Motion([], [], at, rates, accelerations, G)
        for joint in self.joints:
            if joint.kind == "floating":
                motion.frames.append(first)
                motion.axes.append(None)
                continue
            R, p, omega, velocity, alpha, acceleration = first if joint.parent < 0 else motion.frames[joint.parent]
            R_joint, z, origin = self.reach(R, p, joint)
            j = self.tree.get(joint.name)
            rate, growth = (rates[:, j, None], accelerations[:, j, None]) if j is not None else (0.0, 0.0)
            where = at[:, j] if j is not None else self.held(joint, len(at))
            turned, along = R_joint, 0.0
            if joint.kind == "revolute":
                turned = R_joint @ turn(joint.axis, where)
            elif joint.kind == "prismatic":
                along = z * where[:, None]
            arm = origin + along - p
            slides = joint.kind == "prismatic"
            twice = 0.0 if self.broken == "coriolis" else 2.0
            velocity = velocity + (0.0 if self.broken == "carried" else cross(omega, arm)) + (z * rate if slides else 0.0)
            acceleration = acceleration + cross(alpha, arm) + cross(omega, cross(omega, arm))
            if slides:
                acceleration = acceleration + twice * cross(omega, z * rate) + z * growth
            elif joint.kind == "revolute":
                alpha = alpha + z * growth + cross(omega, z * rate)
                omega = omega + z * rate
            end = np.einsum("bij,j->bi", turned, joint.after[1])
            velocity, acceleration = self.carry(velocity, acceleration, omega, alpha, end)
            motion.frames.append((turned @ joint.after[0], origin + along + end, omega, velocity, alpha, acceleration))
            motion.axes.append((z, origin + along))
        return motion

    def reach(self, R, p, joint):
        R_joint = R @ joint.place[0]
        return R_joint, R_joint @ joint.axis, p + R @ joint.place[1]

    def held(self, joint, count):
        """Where a joint stands that is locked, or follows locked ones alone."""
        if joint.kind == "fixed":
            return None
        return self.position(joint.name, np.zeros((count, 0)))

    def carry(self, velocity, acceleration, omega, alpha, arm):
        return velocity + cross(omega, arm), acceleration + cross(alpha, arm) + cross(omega, cross(omega, arm))

    # Forces.

    def torques(self, q, v, a, gravity=True, base=None, wrenches=True, drives=True):
        """Inverse dynamics. gravity (springs with it), wrenches, drives, base: with them or without; base None is the robot's,
        drives may be their "rotors" alone."""
        motion, force, moment = self.forces(q, v, a, gravity, base, wrenches)
        return self.gather(motion, force, moment, drives, springs=gravity)

    def forces(self, q, v, a, gravity=True, base=None, wrenches=True):
        """The motion, and what each body takes for it: force and moment about the origin of the world."""
        base = np.array(self.base_motion if base is None else base)
        motion = self.move(q, v, a, base)
        g = self.gravity_vector if gravity else np.zeros(3)
        force = [np.zeros((len(q), 3)) for _ in self.joints]
        moment = [np.zeros((len(q), 3)) for _ in self.joints]
        for k, joint in enumerate(self.joints):
            R, p, omega, _, alpha, acceleration = motion.frames[k]
            for mass, com, inertia in joint.bodies:
                arm = R @ com
                f = mass * (acceleration + cross(alpha, arm) + cross(omega, cross(omega, arm)) - g)
                I = R @ inertia @ np.swapaxes(R, 1, 2)
                n = np.einsum("bij,bj->bi", I, alpha)
                if self.broken != "gyroscopic":
                    n = n + cross(omega, np.einsum("bij,bj->bi", I, omega))
                force[k] = force[k] + f
                moment[k] = moment[k] + n + cross(p + arm, f)
        for name, six_numbers, axes in (self.wrenches if wrenches and self.broken != "wrench" else []):
            k, R, p = self.frame_motion(name, motion)[:3]
            f, n = np.array(six_numbers[:3]), np.array(six_numbers[3:])
            if axes == "frame":
                f, n = R @ f, R @ n
            f, n = (np.broadcast_to(u, p.shape) for u in (f, n))
            force[k], moment[k] = force[k] - f, moment[k] - n - cross(p, f)
        return motion, force, moment

    def project(self, motion, force, moment, drives, springs=True):
        """On the joints of the tree; forces and moments become those of all that a body carries."""
        for k in range(len(self.joints) - 1, -1, -1):
            parent = self.joints[k].parent
            if parent >= 0:
                force[parent], moment[parent] = force[parent] + force[k], moment[parent] + moment[k]
        rates, growth = motion.rates, motion.growth
        tree = np.zeros(rates.shape)
        for j, k in enumerate(self.moving):
            z, origin = motion.axes[k]
            push = force[k] if self.joints[k].kind == "prismatic" else moment[k] - cross(origin, force[k])
            tree[:, j] = np.sum(z * push, axis=1)
            drive = self.joints[k].drive
            if not drives or self.rigid:
                continue
            if self.broken != "friction" and drives != "rotors":
                tree[:, j] += drive.viscous * rates[:, j] + drive.coulomb * np.sign(rates[:, j])
            if self.broken != "stribeck" and drives is True:
                tree[:, j] += drive.stribeck * rise(drive, rates[:, j])
            if self.broken != "rotor":
                tree[:, j] += drive.gear**2 * drive.rotor * growth[:, j]
            if self.broken != "spring" and drives is True and springs:
                tree[:, j] += drive.stiffness * (motion.at[:, j] - drive.rest)
            if self.broken != "offset" and drives is True and springs:
                tree[:, j] += drive.torque_offset
        return tree

    def gather(self, motion, force, moment, drives, springs=True):
        """On the user's coordinates."""
        own = np.einsum("bj,bji->bi", self.project(motion, force, moment, drives, springs), motion.G)
        if not self.free:
            return own
        R, p = motion.frames[0][:2]
        back = lambda u: np.einsum("bji,bj->bi", R, u)
        return np.concatenate([back(force[0]), back(moment[0] - cross(p, force[0])), own], axis=1)

    @property
    def base_motion(self):
        return np.zeros(12) if self.robot.base is None or self.broken == "base" else np.array(self.robot.base)

    def frame_motion(self, name, motion):
        """k, R, p, omega, v, alpha, a of a frame; the base link's are those of a base that stands."""
        k, R_own, p_own = self.frames[self.robot.tool if name == "tool" else name]
        R, p, omega, velocity, alpha, acceleration = motion.frames[k]
        arm = R @ p_own
        return (k, R @ R_own, p + arm, omega, velocity + cross(omega, arm), alpha,
                acceleration + cross(alpha, arm) + cross(omega, cross(omega, arm)))
