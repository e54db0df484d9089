"""Legged robots and humanoids as URDF text, of our own making: a body with limbs, left and right alike, drives at the joints.

Some files leave the base free by a floating joint, which may stand anywhere in the world; the others fix it.
"""

import dataclasses
import math

from robots import Generator, Load, Wrench, numbers

X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
LEG2 = [("hip", Y), ("knee", Y)]
LEG3 = [("abad", X), ("hip", Y), ("knee", Y)]
LEG6 = [("hip_yaw", Z), ("hip_roll", X), ("hip_pitch", Y), ("knee", Y), ("ankle_pitch", Y), ("ankle_roll", X)]
ARM4 = [("shoulder_pitch", Y), ("shoulder_roll", X), ("shoulder_yaw", Z), ("elbow", Y)]
ARM7 = ARM4 + [("forearm", Z), ("wrist_pitch", Y), ("wrist_roll", X)]
# Limbs of each side along the body, and what stands on it.
KINDS = {"hopper": ([], []), "biped": ([LEG6], []), "quadruped": ([LEG3, LEG3], []), "hexapod": ([LEG3, LEG3, LEG3], []),
         "strider": ([LEG2, LEG2], [("neck", Y)]), "humanoid": ([LEG6, ARM4], [("waist", Z), ("neck", Z), ("head", Y)]),
         "tall humanoid": ([LEG6, ARM7], [("waist", Z), ("chest", Y), ("neck", Z), ("head", Y)])}


@dataclasses.dataclass
class Legged:
    name: str
    text: str
    frame: str
    load: Load
    wrench: Wrench
    floats: bool  # by a joint of the file


class Maker(Generator):
    def __init__(self, seed):
        super().__init__(seed)
        self.coupled = self.massless = False

    def limb(self, parent, side, name, joints, place):
        length = self.between(0.12, 0.45)
        for joint, axis in joints:
            child = f"{side}{name}_{joint}_link"
            self.add_link(child, True)
            self.place_joint(f"{side}{name}_{joint}", parent, child, place, axis)
            parent, place = child, [0, 0, -length if joint in ("hip", "hip_pitch", "knee", "elbow", "forearm") else 0.02]
        self.add_link(f"{side}{name}_end", self.chance(0.5))
        self.elements.append(f'<joint name="{side}{name}_end_joint" type="fixed"><parent link="{parent}"/>'
                             f'<child link="{side}{name}_end"/><origin xyz="{numbers(place)}"/></joint>')

    def place_joint(self, name, parent, child, place, axis):
        inside = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{numbers(place)}"/><axis xyz="{numbers(axis)}"/>'
        inside += '<limit lower="-3" upper="3" velocity="20" effort="200"/>'
        if self.chance(0.7):
            inside += f'<dynamics damping="{self.between(0, 0.5)!r}" friction="{self.between(0, 0.3)!r}"/>'
            inside += f'<catena rotor_inertia="{self.between(0, 1e-4)!r}" gear_ratio="{self.between(5, 100)!r}"/>'
        self.elements.append(f'<joint name="{name}" type="revolute">{inside}</joint>')

    def make(self, kind, floats):
        sides, spine = KINDS[kind]
        self.add_link("trunk", True)
        if not sides:
            self.limb("trunk", "", "leg", LEG3, [0, 0, -0.05])
        for row, joints in enumerate(sides):
            x, y = 0.5 * (len(sides) - 1) - row, self.between(0.08, 0.2)
            for side, sign in (("left_", 1), ("right_", -1)):
                self.limb("trunk", side, f"limb{row}", joints, [0.6 * x, sign * y, self.between(-0.1, 0.3)])
        if spine:
            self.limb("trunk", "", "spine", spine, [0, 0, 0.3])
        if floats:
            self.links.append("world")
            pose = f'<origin xyz="{numbers(self.vector(1.0))}" rpy="{numbers(self.vector(math.pi))}"/>'
            self.elements.insert(0, '<link name="world"/><joint name="root" type="floating"><parent link="world"/>'
                                 f'<child link="trunk"/>{pose if self.chance(0.5) else ""}</joint>')
            self.links.remove("world")
        where = numbers(self.gravity())
        return f'<robot name="legged">\n<catena gravity="{where}"/>\n' + "\n".join(self.elements) + "\n</robot>\n"


def legged_robots(count):
    for number in range(count):
        kind = list(KINDS)[number % len(KINDS)]
        maker = Maker(f"{number} legged")
        floats = number % 2 == 1
        text = maker.make(kind, floats)
        yield Legged(f"{kind} {number}", text, maker.random.choice(maker.links), maker.load() if maker.chance(0.5) else None,
                     maker.wrench() if maker.chance(0.5) else None, floats)
