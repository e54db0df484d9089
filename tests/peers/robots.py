"""Random robots as URDF text, the same on every machine, and what a URDF file says about drives and gravity.

Nothing here knows Catena's code: the files are written, and their drives are read, by these lines alone.
"""

import dataclasses
import math
import random
import xml.etree.ElementTree as xml


@dataclasses.dataclass
class Load:
    """A payload: a body fixed to a link, at rest in that link's frame."""

    link: str
    mass: float
    com: list
    inertia: list  # xx, yy, zz, xy, xz, yz about the mass centre

    def option(self):
        return f"--payload={self.link}:{numbers([self.mass, *self.com, *self.inertia], ',')}"


@dataclasses.dataclass
class Wrench:
    """Force and moment on a link at the origin of its frame, along the frame's axes."""

    link: str
    force: list
    moment: list

    def option(self):
        return f"--wrench={self.link}:{numbers([*self.force, *self.moment], ',')}"


@dataclasses.dataclass
class Drive:
    viscous: float = 0.0
    coulomb: float = 0.0
    reflected: float = 0.0  # gear_ratio² rotor_inertia


def numbers(values, separator=" "):
    return separator.join(repr(float(value)) for value in values)


def drives(text):
    """The drive of each moving joint by name, as docs/robot-files.md describes them."""
    root = xml.fromstring(text)
    gears = {}
    for transmission in root.iter("transmission"):
        reduction = transmission.find(".//mechanicalReduction")
        for joint in transmission.findall("joint"):
            gears[joint.get("name")] = float(reduction.text) if reduction is not None and reduction.text else 1.0
    found = {}
    for joint in root.findall("joint"):
        drive = Drive()
        dynamics, ours = joint.find("dynamics"), joint.find("catena")
        if dynamics is not None:
            drive.viscous = float(dynamics.get("damping", 0))
            drive.coulomb = float(dynamics.get("friction", 0))
        if ours is not None and ours.get("rotor_inertia") is not None:
            gear = float(ours.get("gear_ratio", gears.get(joint.get("name"), 1.0)))
            drive.reflected = gear * gear * float(ours.get("rotor_inertia"))
        found[joint.get("name")] = drive
    return found


def without_shapes(text):
    """The same robot without meshes, which other programs look for on the disk."""
    root = xml.fromstring(text)
    for link in root.findall("link"):
        for shape in link.findall("visual") + link.findall("collision"):
            link.remove(shape)
    return xml.tostring(root, encoding="unicode")


def gravity(text):
    ours = xml.fromstring(text).find("catena")
    if ours is None or ours.get("gravity") is None:
        return [0.0, 0.0, -9.81]
    return [float(value) for value in ours.get("gravity").split()]


class Generator:
    """Grows one robot, link by link. Inertias are those of boxes, turned, so that real bodies have them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.tree = self.chance(0.5)
        self.massless = self.chance(0.25)  # moving links without mass that carry others
        self.elements = []
        self.links = []
        self.bare = None  # a moving link without mass, which the next link must hang on
        self.coupled = self.chance(0.2)  # some joints copy others
        self.masters = []

    def chance(self, probability):
        return self.random.random() < probability

    def between(self, low, high):
        return self.random.uniform(low, high)

    def vector(self, half_width):
        return [self.between(-half_width, half_width) for _ in range(3)]

    def direction(self):
        while True:
            v = self.vector(1.0)
            length = math.sqrt(sum(x * x for x in v))
            if 0.1 < length < 1.0:
                return [x / length for x in v]

    def angles(self):
        kind = self.random.randrange(3)
        if kind == 0:
            return self.vector(3.0)
        if kind == 1:
            return [self.random.randrange(-1, 3) * math.pi / 2 for _ in range(3)]
        return [0.0, 0.0, 0.0]

    def axis(self):
        if self.chance(0.4):
            return self.direction()
        axis = [0.0, 0.0, 0.0]
        axis[self.random.randrange(3)] = self.random.choice([-1.0, 1.0])
        return axis

    def box(self, mass):
        a, b, c = (self.between(0.05, 0.4) for _ in range(3))
        return [mass / 3 * (b * b + c * c), mass / 3 * (a * a + c * c), mass / 3 * (a * a + b * b)]

    def add_link(self, name, has_mass):
        inertial = ""
        if has_mass:
            mass = self.between(0.3, 4.0)
            xx, yy, zz = (repr(x) for x in self.box(mass))
            inertial = (f'<inertial><origin xyz="{numbers(self.vector(0.3))}" rpy="{numbers(self.angles())}"/>'
                        f'<mass value="{mass!r}"/><inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial>')
        self.elements.append(f'<link name="{name}">{inertial}</link>')
        self.links.append(name)

    def add_joint(self, name, kind, parent, child):
        inside = (f'<parent link="{parent}"/><child link="{child}"/>'
                  f'<origin xyz="{numbers(self.vector(0.5))}" rpy="{numbers(self.angles())}"/>')
        if kind != "fixed":
            inside += f'<axis xyz="{numbers(self.axis())}"/>'
            if kind != "continuous":
                inside += '<limit lower="-9" upper="9" velocity="9" effort="900"/>'
            if self.coupled and self.masters and self.chance(0.4):
                inside += (f'<mimic joint="{self.random.choice(self.masters)}" multiplier="{self.between(0.5, 2)!r}" '
                           f'offset="{self.between(-1, 1)!r}"/>')
            else:
                self.masters.append(name)
            if self.chance(0.6):
                inside += f'<dynamics damping="{self.between(0, 2)!r}" friction="{self.between(0, 1)!r}"/>'
            if self.chance(0.6):
                gear = self.between(1, 100) * self.random.choice([-1, 1])
                inside += f'<catena rotor_inertia="{self.between(0, 1e-3)!r}" gear_ratio="{gear!r}"/>'
        self.elements.append(f'<joint name="{name}" type="{kind}">{inside}</joint>')

    def parent_of_next(self):
        if self.bare:
            return self.bare
        return self.random.choice(self.links) if self.tree and self.chance(0.5) else self.links[-1]

    def grow(self, joints, heavy_base=False):
        self.add_link("base", heavy_base or self.chance(0.5))
        names = [f"joint{k}" for k in range(joints)]
        self.random.shuffle(names)  # programs that sort by name get another order
        for k in range(joints):
            parent, kind = self.parent_of_next(), self.random.choice(["revolute", "revolute", "continuous", "prismatic"])
            # Two parallel sliders with nothing between them could not be told apart.
            bare = self.massless and not self.bare and k + 1 < joints and kind != "prismatic" and self.chance(0.4)
            self.bare = f"link{k}" if bare else None
            self.add_link(f"link{k}", not bare)
            self.add_joint(names[k], kind, parent, f"link{k}")
            if self.chance(0.25):
                self.add_link(f"part{k}", self.chance(0.7))
                self.add_joint(f"mount{k}", "fixed", f"link{k}", f"part{k}")
        if self.tree:
            self.random.shuffle(self.elements)
        where = self.gravity()
        return f'<robot name="random">\n<catena gravity="{numbers(where)}"/>\n' + "\n".join(self.elements) + "\n</robot>\n"

    def gravity(self):
        return [0.0, 0.0, -9.81] if self.chance(0.5) else [9.81 * x for x in self.direction()]

    def load(self):
        mass = self.between(0.5, 3.0)
        return Load(self.random.choice(self.links), mass, self.vector(0.2), self.box(mass) + [0.0, 0.0, 0.0])

    def wrench(self):
        return Wrench(self.random.choice(self.links), self.vector(20.0), self.vector(5.0))


@dataclasses.dataclass
class Sample:
    text: str
    frame: str
    load: Load
    wrench: Wrench
    massless: bool  # some moving links have no mass


def random_robot(number, free=False):
    """The number-th of an endless list: 1 to 12 joints, every twentieth has 30. free: whose base may be left free."""
    generator = Generator(f"{number} peers")
    if free:
        generator.coupled = generator.massless = False
    text = generator.grow(30 if number % 20 == 19 else 1 + number % 12, free)
    return Sample(text, generator.random.choice(generator.links), generator.load() if generator.chance(0.4) else None,
                  generator.wrench() if generator.chance(0.4) else None, generator.massless)
