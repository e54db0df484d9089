"""Robots of every kind, described here and written as TOML: plain, coupled, free, on a moving base, with passive joints, with
joints of several degrees of freedom, with closed loops, with springs, and pairs of these.

Nothing here asks the program. What the words mean is docs/robot-files.md.
"""

import dataclasses
import itertools
import json
import math
import random

X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
TRAITS = ["coupled", "free", "moving", "passive", "composite", "loop", "spring"]
# The twist of a moving base, then how fast its six numbers change.
BASE = [0.4, -0.3, 0.2, 0.5, -0.6, 0.3, 0.7, 0.2, -0.5, -0.4, 0.8, 0.6]


@dataclasses.dataclass
class Drive:
    """One degree of freedom: its friction, rotor, spring, offset and limits; what it follows, by factors, where it does."""

    viscous: float = 0.0
    coulomb: float = 0.0
    rotor: float = 0.0
    gear: float = 1.0
    stiffness: float = 0.0
    rest: float = 0.0
    torque_offset: float = 0.0
    stribeck: float = 0.0
    stribeck_speed: float = 0.0
    limits: tuple = ()  # lower, upper, velocity, effort
    passive: bool = False
    follows: dict = None
    offset: float = 0.0


@dataclasses.dataclass
class Link:
    name: str
    parent: str
    joint: str  # revolute, prismatic, fixed, floating, or one of several degrees of freedom
    joint_name: str
    xyz: list
    rpy: list
    axis: list
    mass: float
    com: list
    inertia: list  # xx, yy, zz, xy, xz, yz about the mass centre
    drives: dict = dataclasses.field(default_factory=dict)  # by the name of the part; "" where there is one
    frame: tuple = None  # xyz and rpy of the link's frame where the joint has ended
    pitch: float = None


@dataclasses.dataclass
class Frame:
    name: str
    link: str
    xyz: list
    rpy: list


@dataclasses.dataclass
class Loop:
    name: str
    kind: str
    frames: list


@dataclasses.dataclass
class Robot:
    name: str
    traits: frozenset
    links: list
    frames: list
    gravity: list
    tool: str
    base: list = None  # twelve numbers where it moves
    base_body: tuple = (3.0, [0.02, 0.01, 0.1], [0.03, 0.03, 0.02, 0.0, 0.0, 0.0])
    written: object = None  # the robot of the file, of which `more` on the command line makes this one
    more: list = dataclasses.field(default_factory=list)
    loops: list = dataclasses.field(default_factory=list)
    independent: list = dataclasses.field(default_factory=list)  # of the joints in loops
    start: dict = dataclasses.field(default_factory=dict)  # near which the loops close

    @property
    def options(self):
        """What the command line is told of a base that moves."""
        if self.base is None:
            return []
        return [f"--base-twist={numbers(self.base[:6])}", f"--base-acceleration={numbers(self.base[6:])}"]


def numbers(values, separator=","):
    return separator.join(repr(float(value)) for value in values)


class Maker:
    """Grows a robot, link by link, with numbers that depend on its name alone."""

    def __init__(self, name):
        self.random = random.Random(name)
        self.links = []

    def between(self, low, high):
        return round(self.random.uniform(low, high), 3)

    def body(self, mass):
        """Of a box that is a little out of line: a real body, whatever its numbers are."""
        a, b, c = (self.between(0.05, 0.3) for _ in range(3))
        xx, yy, zz = (mass / 12 * (b * b + c * c), mass / 12 * (a * a + c * c), mass / 12 * (a * a + b * b))
        off = [0.1 * self.between(-1, 1) * min(xx, yy, zz) for _ in range(3)]
        return [round(x, 6) for x in (xx, yy, zz, *off)]

    def drive(self, slides=False, **changes):
        limits = (-1.5, 1.5, 2.5, 900.0) if slides else (-3.0, 3.0, 4.0, 400.0)
        return Drive(self.between(0.1, 0.5), self.between(0.1, 0.4), self.between(1e-4, 1e-3) + 1e-4, self.between(5, 20),
                     limits=limits, **changes)

    def add(self, name, parent, joint, xyz, axis=Z, rpy=None, **more):
        mass = more.pop("mass", None) or self.between(1.0, 3.0)
        rpy = rpy or [self.between(-0.5, 0.5) for _ in range(3)]
        joint_name = more.pop("joint_name", f"{name} joint")
        com = [self.between(-0.1, 0.2) for _ in range(3)]
        link = Link(name, parent, joint, joint_name, xyz, rpy, axis, mass, com, self.body(mass), **more)
        parts = {"fixed": [], "floating": [], "revolute": [""], "prismatic": [""], "planar": ["x", "y", "turn"],
                 "universal": ["x", "y"], "cylindrical": ["turn", "slide"], "screw": ["turn", "slide"],
                 "spherical": ["yaw", "pitch", "roll"]}[joint]
        slides = {"planar": ["x", "y"], "cylindrical": ["slide"], "screw": ["slide"], "prismatic": [""]}.get(joint, [])
        link.drives = {part: self.drive(part in slides) for part in parts}
        self.links.append(link)
        return link


def branched(traits, name=None):
    """A tree of seven joints, one of which slides, with a branch; and what its traits make of it."""
    make = Maker("a tree")
    composite = "composite" in traits
    root = "base"
    if "free" in traits:
        root = make.add("trunk", "base", "floating", [0.1, -0.2, 0.5], mass=6.0).name
    make.add("column", root, "planar" if composite else "revolute", [0.05, 0.02, 0.3], Z if composite else [0.1, 0.2, 1])
    make.add("upper", "column", "revolute", [0.1, 0.0, 0.25], Y)
    make.add("slide", "upper", "prismatic", [0.2, 0.05, 0.0], X, joint_name="slide")
    if "loop" in traits:
        four_bar(make, traits)
    make.add("fore", "stretch" if "loop" in traits else "slide", "universal" if composite else "revolute", [0.15, 0.0, -0.05],
             [0, -1, 0.3])
    make.add("bracket", "fore", "fixed", [0.05, 0.03, 0.02])
    hand = make.add("hand", "bracket", "spherical" if composite else "revolute", [0.2, 0.0, 0.1], [0.3, 0.2, -0.9],
                    frame=([0.02, -0.03, 0.05], [0.2, -0.1, 0.4]))
    kind = "revolute" if not composite else "screw" if "coupled" in traits else "cylindrical"
    make.add("left", "upper", "revolute", [0.0, 0.2, 0.05], [1, 0.5, 0])
    finger = make.add("finger", "left", kind, [0.05, 0.2, 0.0], Z)
    if "coupled" in traits:
        follow(make.links, traits)
        if composite:
            finger.pitch = 0.05
            finger.drives["slide"] = Drive(viscous=0.2, rotor=1e-3, gear=10.0)
    if "passive" in traits:
        for link in make.links:
            if link.name in ("fore", "finger", "crank"):
                next(iter(link.drives.values())).passive = True
    if "dry" in traits:
        next(iter(hand.drives.values())).coulomb = 0.3
    if "spring" in traits:
        spring(make.links)
    if name is None:
        name = " and ".join(trait for trait in TRAITS + ["dry"] if trait in traits) or "plain"
    robot = Robot(name, frozenset(traits), make.links, [Frame("tip", "hand", [0.1, 0.02, -0.03], [0.3, 0.1, -0.2])],
                  [0.3, -0.2, -9.7], "tip", BASE if "moving" in traits else None)
    if "loop" in traits:
        close(robot, traits)
    return robot


def four_bar(make, traits):
    """On the slide, in a plane that lies anyhow: the crank turns all around. Of joints of several degrees of freedom it is one in
    space. Its rocker grows as the crank turns where joints follow others."""
    tilt = [0.4, -0.3, 0.5]
    make.add("crank", "slide", "revolute", [0.05, 0.1, 0.0], Z, tilt)
    if "composite" in traits:
        make.add("rod", "crank", "universal", [0.1, 0.0, 0.02], X, [0.1, -0.2, 0.7])
    else:
        make.add("rod", "crank", "revolute", [0.1, 0.0, 0.0], Z, [0, 0, 0])
    away = turned(tilt, [0.4, 0.0, 0.0])
    make.add("rocker", "slide", "revolute", [round(x, 12) for x in (0.05 + away[0], 0.1 + away[1], away[2])], Z, tilt)
    stretch = make.add("stretch", "rocker", "prismatic" if "coupled" in traits else "fixed", [0.2, 0.0, 0.0], X, [0, 0, 0])
    if "coupled" in traits:
        stretch.drives[""].follows, stretch.drives[""].offset = {"crank joint": 0.03}, 0.003


def turned(rpy, vector):
    """Rz(yaw) Ry(pitch) Rx(roll) times a vector."""
    x, y, z = vector
    for angle, (i, j) in zip(rpy, ((1, 2), (2, 0), (0, 1))):
        vector = [x, y, z]
        c, s = math.cos(angle), math.sin(angle)
        vector[i], vector[j] = c * vector[i] - s * vector[j], s * vector[i] + c * vector[j]
        x, y, z = vector
    return [x, y, z]


def close(robot, traits):
    composite = "composite" in traits
    robot.frames += [Frame("rod end", "rod", [0.36, 0.0, 0.0], [0.0, 0.0, 0.3]),
                     Frame("rocker end", "stretch", [0.05, 0.0, 0.06 if composite else 0.0], [0.0, 0.0, -0.2])]
    robot.loops = [Loop("closure", "spherical" if composite else "revolute", ["rod end", "rocker end"])]
    robot.independent = ["crank joint"]
    robot.start = {"rocker joint": 1.7} if composite else {"rod joint": 0.75, "rocker joint": 1.72}


def two_loops():
    """Twelve joints, of which seven are in two loops that share one: crank, rod and rocker in space, and a slide that the rocker
    moves by a strut."""
    make = Maker("two loops")
    make.add("column", "base", "revolute", [0.05, 0.02, 0.3], [0.1, 0.2, 1])
    make.add("upper", "column", "revolute", [0.1, 0.0, 0.25], Y)
    make.add("crank", "upper", "revolute", [0.0, 0.0, 0.1], [0.1, 0.0, 1], [0.2, 0.1, 0.0])
    make.add("rod", "crank", "spherical", [0.08, 0.0, 0.02], Z, [0.1, -0.2, 0.6])
    make.add("rocker", "upper", "revolute", [0.4, 0.05, 0.15], [0.0, 0.1, 1], [0.1, 0.0, 0.0])
    make.add("strut", "rocker", "universal", [0.1, 0.15, 0.0], X, [0.0, 0.1, -0.1])
    make.add("slider", "upper", "prismatic", [0.5, 0.25, 0.2], X, [0.0, 0.1, 0.2])
    make.add("fore", "slider", "revolute", [0.15, 0.0, -0.05], [0, -1, 0.3])
    make.add("hand", "fore", "revolute", [0.2, 0.0, 0.1], [0.3, 0.2, -0.9])
    frames = [Frame("tip", "hand", [0.1, 0.02, -0.03], [0.3, 0.1, -0.2]),
              Frame("rod end", "rod", [0.36, 0.0, 0.0], [0.0, 0.3, 0.0]),
              Frame("rocker end", "rocker", [0.0, 0.25, 0.0], [0.3, 0.0, 1.1]),
              Frame("strut end", "strut", [0.3, 0.0, 0.0], [0, 0, 0])]
    loops = [Loop("first", "universal", ["rod end", "rocker end"]), Loop("second", "spherical", ["slider", "strut end"])]
    return Robot("two loops", frozenset(["loop"]), make.links, frames, [0.3, -0.2, -9.7], "tip", loops=loops,
                 independent=["crank joint"])


def follow(links, traits):
    """The left joint follows one other, the hand's (its first part) two; a follower of several has no dry friction, which no
    run could take."""
    byname = {link.name: link for link in links}
    fore = "fore joint_x" if "composite" in traits else "fore joint"
    turn = "column joint_turn" if "composite" in traits else "column joint"
    left = byname["left"].drives[""]
    left.follows, left.offset = {"upper joint": -0.5}, 0.1
    part = next(iter(byname["hand"].drives))
    drive = byname["hand"].drives[part]
    drive.follows, drive.offset, drive.coulomb = {turn: 0.4, fore: -0.7}, 0.05, 0.0


def spring(links):
    """At every other degree of freedom, those that follow or depend among them; at the others a constant torque, and Stribeck
    friction where a run could take it."""
    for k, drive in enumerate(drive for link in links for drive in link.drives.values()):
        if k % 2 == 0:
            drive.stiffness, drive.rest = 8.0 + 3.0 * (k % 10), round(0.4 - 0.15 * (k % 7), 3)
        if k % 2 == 1 or k == 0:
            drive.torque_offset = round(1.5 - 0.4 * (k % 6), 3)
            if not drive.follows or len(drive.follows) == 1:
                drive.stribeck, drive.stribeck_speed = round(0.3 + 0.1 * (k % 5), 3), round(0.9 - 0.1 * (k % 4), 3)


def chain(name, count, letter="l", sprung=False):
    make = Maker(name)
    parent = "base"
    for k in range(count):
        joint = "prismatic" if k % 7 == 3 else "revolute"
        axis = [Z, Y, X, [1, 1, 0.5]][k % 4]
        parent = make.add(f"{letter}{k + 1}", parent, joint, [0.08, 0.02, 0.05], axis, mass=make.between(0.4, 0.8)).name
    traits = ["one"] * (count == 1) + ["spring"] * sprung
    if sprung:
        spring(make.links)
    return Robot(name, frozenset(traits), make.links,
                 [Frame("tip", parent, [0.1, 0.0, 0.05], [0.1, 0.2, 0.3])], [0.0, 0.0, -9.81], "tip")


def freed():
    """The plain robot, whose base the command line lets go, and one of its joints."""
    plain = branched([])
    mass, com, inertia = plain.base_body
    links = [Link("base", "base", "floating", "floating_base", [0, 0, 0], [0, 0, 0], Z, mass, com, inertia), *branched([]).links]
    next(link for link in links if link.name == "fore").drives[""].passive = True
    return Robot("freed", frozenset(["free", "passive"]), links, plain.frames, plain.gravity, plain.tool, written=plain,
                 more=["--floating-base", "--passive=fore joint"])


def one_of_each():
    """For a quick walk: plain, one joint, every trait."""
    yield branched([])
    yield chain("one joint", 1)
    yield from (branched([trait]) for trait in TRAITS)


def all_robots(pairs_only=True):
    """plain, one joint, forty; every trait; every pair of them; some of three."""
    yield branched([])
    yield chain("one joint", 1)
    yield chain("forty joints", 40)
    yield chain("one joint with a spring", 1, sprung=True)
    yield chain("forty joints with springs", 40, sprung=True)
    for size in (1, 2, 3, 4):
        for traits in itertools.combinations(TRAITS, size):
            if {"free", "moving"} <= set(traits):
                continue
            if size > 2 and pairs_only and traits not in (("coupled", "free", "passive"), ("coupled", "moving", "passive")):
                continue
            yield branched(traits)
    yield branched(["coupled", "dry"])
    yield two_loops()
    yield freed()


def drive_table(drive):
    out = {}
    if drive.limits:
        out["limits"] = dict(zip(("lower", "upper", "velocity", "effort"), drive.limits))
    if drive.viscous or drive.coulomb or drive.stribeck:
        out["friction"] = {"viscous": drive.viscous, "coulomb": drive.coulomb}
    if drive.stribeck:
        out["friction"] |= {"stribeck": drive.stribeck, "stribeck_speed": drive.stribeck_speed}
    if drive.rotor:
        out["rotor"] = {"inertia": drive.rotor, "gear_ratio": drive.gear}
    if drive.stiffness:
        out["spring"] = {"stiffness": drive.stiffness, "rest": drive.rest}
    if drive.torque_offset:
        out["torque_offset"] = drive.torque_offset
    if drive.passive:
        out["passive"] = True
    if drive.follows and len(drive.follows) == 1:
        (joint, factor), = drive.follows.items()
        out["mimic"] = {"joint": joint, "multiplier": factor, "offset": drive.offset}
    elif drive.follows:
        out["coupling"] = {"joints": drive.follows, "offset": drive.offset}
    return out


def value(thing):
    if isinstance(thing, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {value(entry)}" for key, entry in thing.items()) + " }"
    return json.dumps(thing)


def to_toml(robot):
    robot = robot.written or robot
    mass, com, inertia = robot.base_body
    out = [f"name = {value(robot.name)}", 'convention = "frames"', f"gravity = {value(robot.gravity)}",
           f"tool = {value(robot.tool)}"]
    if robot.loops:
        out += [f"independent = {value(robot.independent)}", f"start = {value(robot.start)}"]
    out.append("[base]")
    if "free" not in robot.traits:
        out += [f"mass = {mass}", f"com = {value(com)}", f"inertia = {value(inertia)}"]
    for link in robot.links:
        words = ("name", "parent", "joint", "joint_name", "xyz", "rpy", "mass", "com", "inertia")
        keys = {key: getattr(link, key) for key in words}
        if link.joint not in ("fixed", "floating"):
            keys["axis"] = link.axis
        if link.frame:
            keys["frame_xyz"], keys["frame_rpy"] = link.frame
        if link.pitch is not None:
            keys["pitch"] = link.pitch
        for part, drive in link.drives.items():
            if part:
                keys[part] = drive_table(drive)
            else:
                keys.update(drive_table(drive))
        out += ["[[link]]", *(f"{key} = {value(entry)}" for key, entry in keys.items())]
    for frame in robot.frames:
        out += ["[[frame]]", *(f"{key} = {value(entry)}" for key, entry in dataclasses.asdict(frame).items())]
    for loop in robot.loops:
        out += ["[[loop]]", f"name = {value(loop.name)}", f"type = {value(loop.kind)}", f"frames = {value(loop.frames)}"]
    return "\n".join(out) + "\n"
