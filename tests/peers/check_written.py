#!/usr/bin/env python3
"""MuJoCo reads the robots that Catena writes as MJCF: inertia matrix, bias and gravity torques to 1e-9 in random states, and
poses of sites. Robots of every kind: shipped ones, random chains and trees with friction, rotors, payloads, coupled joints,
links without mass, free bases, closed loops, 1 to 40 joints. Catena computes with the file that it had before.

usage: check_written.py --environment DIR --catena PROGRAM [--robots N] [--states N] [--self-test]

DIR is the Python environment of tools/install_peers.sh; exit status 77 says that it is not there.
"""

import argparse
import importlib
import json
import os
import pathlib
import re
import sys
import tempfile

import check_mjcf
from check_mjcf import Chart, expected, rotation, run
from check_peers import ROOT, TOLERANCE, enter
from legged import legged_robots
from robots import Generator, random_robot

# Shipped robots that cannot be written, and words of why.
REFUSED = {"cardan_shaft": "universal", "flyball_governor": "cylindrical", "slider_crank": "prismatic", "swash_pump": "planar",
           "puma560": "principal moments"}


def written(program, source, options, spoil=None):
    """MuJoCo's model of the text that Catena writes."""
    text = run(program, "convert", source, "--to", "mjcf", "--quiet", *options)
    if spoil is not None:
        pattern, factor = spoil
        text, changed = re.subn(pattern, lambda m: m[1] + repr(float(m[2]) * factor), text, count=1)
        if not changed:
            return None
    return mujoco.MjModel.from_xml_string(text)


def numeric(model, name):
    for k in range(model.nnumeric):
        if model.numeric(k).name == name:
            return np.array(model.numeric(k).data)
    return None


def from_rpy(rpy):
    return (check_mjcf.turn(2, rpy[2]) @ check_mjcf.turn(1, rpy[1]) @ check_mjcf.turn(0, rpy[0])).real


def in_world(model, base):
    """Catena measures a free base from its joint's origin, MuJoCo from the world's."""
    origin = numeric(model, "catena:free_origin")
    if origin is None:
        return base
    R, quaternion = from_rpy(origin[3:]), np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, (R @ rotation(base[3:])).ravel())
    return np.concatenate([origin[:3] + R @ base[:3], np.roll(quaternion, -1)])


class Ties:
    """All equalities of a model as J(q) qvel = 0, at closed positions: between sites, joints and in tendons."""

    def __init__(self, model, data):
        self.model, self.data = model, data

    def rows(self):
        """J, dJ/dt qvel, and how far the loops are open."""
        J, drift, gap = [], [], []
        for e in range(self.model.neq):
            kind, a, b, c = (x[e] for x in (self.model.eq_type, self.model.eq_obj1id, self.model.eq_obj2id, self.model.eq_data))
            weld = kind == mujoco.mjtEq.mjEQ_WELD
            if weld or kind == mujoco.mjtEq.mjEQ_CONNECT:
                self.between_sites(a, b, weld, J, drift, gap)
                continue
            terms = {a: 1.0, b: -c[1]} if kind == mujoco.mjtEq.mjEQ_JOINT else Chart.tendon(self, a)
            row, position = np.zeros(self.model.nv), -c[0]
            for joint, factor in terms.items():
                row[self.model.jnt_dofadr[joint]] += factor
                position += factor * self.data.qpos[self.model.jnt_qposadr[joint]]
            J.append(row[None]), drift.append([0.0]), gap.append([position])
        return np.concatenate(J), np.concatenate(drift), np.concatenate(gap)

    def between_sites(self, a, b, weld, J, drift, gap):
        model, data = self.model, self.data
        own, rate = np.zeros((2, 2, 3, model.nv)), np.zeros((2, 2, 3, model.nv))
        for k, site in enumerate((a, b)):
            body = model.site_bodyid[site]
            mujoco.mj_jac(model, data, own[k, 0], own[k, 1], data.site_xpos[site], body)
            mujoco.mj_jacDot(model, data, rate[k, 0], rate[k, 1], data.site_xpos[site], body)
        for part in range(2 if weld else 1):
            J.append(own[0, part] - own[1, part])
            drift.append((rate[0, part] - rate[1, part]) @ data.qvel)
        gap.append(data.site_xpos[a] - data.site_xpos[b])
        if weld:
            gap.append((data.site_xmat[a] - data.site_xmat[b]))


def expected_tied(model, names, tree, v):
    """M, bias and gravity on the independent joints of a robot with loops, where all of its joints are at `tree`."""
    data = mujoco.MjData(model)
    for name, q in tree.items():
        data.qpos[model.joint(name).qposadr[0]] = q
    free = [model.joint(name).dofadr[0] for name in names]
    bound = [k for k in range(model.nv) if k not in free]
    mujoco.mj_fwdPosition(model, data)
    J, _, gap = Ties(model, data).rows()
    G = np.zeros((model.nv, len(free)))
    G[free] = np.eye(len(free))
    inverse = np.linalg.pinv(J[:, bound], rcond=1e-10)
    G[bound] = -inverse @ J[:, free]
    data.qvel[:] = G @ v
    mujoco.mj_fwdVelocity(model, data)
    drift = np.zeros(model.nv)
    drift[bound] = -inverse @ Ties(model, data).rows()[1]
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    friction = model.dof_frictionloss * np.sign(data.qvel)
    bias = data.qfrc_bias - data.qfrc_passive + friction + M @ drift
    data.qvel[:] = 0
    mujoco.mj_fwdVelocity(model, data)
    return {"M": G.T @ M @ G, "b": G.T @ bias, "g": G.T @ data.qfrc_bias, "open": gap}


class Checker:
    def __init__(self, program, count, folder):
        self.program, self.count, self.folder = program, count, folder
        self.worst, self.robots = {}, 0

    def compute(self, source, options, jobs, table):
        np.savez(self.folder / "states.npz", **table)
        run(self.program, "run", source, "--quiet", "--compute", jobs, "--states", self.folder / "states.npz", "-o",
            self.folder / "out.npz", *options)
        return dict(np.load(self.folder / "out.npz"))

    def add(self, where, output, ours, theirs):
        error = np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-3) if np.size(theirs) else 0.0
        if not error <= self.worst.get(output, (-1.0, ""))[0]:
            self.worst[output] = (error if error == error else np.inf, where)

    def check(self, where, source, *options, spoil=None):
        model = written(self.program, source, options, spoil)
        if model is None:
            return
        self.robots += 1
        info = json.loads(run(self.program, "info", source, "--json", "--quiet", *options))
        if info.get("loops"):
            return self.check_loops(where, source, options, model, info)
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT) | int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
        names, random = info["joints"], np.random.RandomState(7)
        chart = Chart(model, names)
        q, v = (random.uniform(-1.2, 1.2, (self.count, len(names))) for _ in range(2))
        table, bases = {"q": q, "qd": v}, [None] * self.count
        if chart.free is not None:
            quaternions = random.normal(size=(self.count, 4))
            quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
            bases = np.concatenate([q[:, :3], quaternions], axis=1)
            table["q"] = np.concatenate([bases, q[:, 6:]], axis=1)
        site = next((model.site(k).name for k in range(model.nsite)), None)
        frame = ["--frame", site] if site else []
        ours = self.compute(source, [*options, *frame], "inertia,bias,gravity" + (",pose" if site else ""), table)
        for k in range(self.count):
            base = None if bases[k] is None else in_world(model, bases[k])
            theirs, sites = expected(model, chart, q[k], v[k], base)
            if site:
                theirs["T"] = np.eye(4)
                theirs["T"][:3, 3], theirs["T"][:3, :3] = sites[site]
            for output, value in theirs.items():
                self.add(where, output, ours[output][k], value)

    def check_loops(self, where, source, options, model, info):
        names, random = info["joints"], np.random.RandomState(7)
        listed = [model.numeric(k).name.removeprefix("catena:order ") for k in range(model.nnumeric)
                  if model.numeric(k).name.startswith("catena:order ")]
        order = listed or [model.joint(j).name for j in range(model.njnt)]
        start = {name: model.key_qpos[0][model.joint(name).qposadr[0]] if model.nkey else 0.0 for name in names}
        q = np.array([start[name] for name in names]) + random.uniform(-0.02, 0.02, (self.count, len(names)))
        v = random.uniform(-1.2, 1.2, (self.count, len(names)))
        ours = self.compute(source, options, "inertia,bias,gravity,place", {"q": q, "qd": v})
        for k in range(self.count):
            theirs = expected_tied(model, names, dict(zip(order, ours["q_tree"][k])), v[k])
            self.add(where, "open", np.ones(1), 1.0 + theirs.pop("open"))
            for output, value in theirs.items():
                self.add(where, output, ours[output][k], value)

    def shipped(self):
        for source in sorted((ROOT / "models").glob("*.toml")):
            words = REFUSED.get(source.stem)
            if words is None:
                self.check(source.name, source)
                continue
            try:
                written(self.program, source, [])
            except RuntimeError as error:
                if words in str(error):
                    continue
            raise RuntimeError(f"{source.name} should be refused: {words}")

    def random(self, count, spoil=None):
        path = self.folder / "random.urdf"
        for number in range(count):
            sample = random_robot(number)
            path.write_text(sample.text)
            load = [sample.load.option()] if sample.load else []
            self.check(f"random robot {number}", path, *load, spoil=spoil)

    def long(self):
        path = self.folder / "long.urdf"
        for joints in (1, 7, 40):
            path.write_text(Generator(f"{joints} long").grow(joints))
            self.check(f"{joints} joints", path)
        path.write_text(Generator("7 long").grow(7))
        name = json.loads(run(self.program, "info", path, "--json", "--quiet"))["joints"][3]
        self.check("passive joint, other friction", path, "--passive", name, f"--friction={name}:0.5,0.25")

    def free(self, count):
        path = self.folder / "free.urdf"
        for robot in legged_robots(count):
            path.write_text(robot.text)
            self.check(robot.name, path, *([robot.load.option()] if robot.load else []),
                       *([] if robot.floats else ["--floating-base"]))
        for number in range(count):
            path.write_text(random_robot(number, free=True).text)
            self.check(f"random robot {number} on a free base", path, "--floating-base")


NUMBER = r"(-?(?:[1-9][\d.]*|0\.\d+)(?:e-?\d+)?)"
# A number of the written file changed by a ten-thousandth, and an output that must tell.
SPOILS = {f'(armature="){NUMBER}': "M", f'(damping="){NUMBER}': "b", f'(frictionloss="){NUMBER}': "b",
          f'(<body name="link1" pos="){NUMBER}': "M", f'(<inertial pos="){NUMBER}': "M", f'(mass="){NUMBER}': "M",
          f'(fullinertia="){NUMBER}': "M", f'(diaginertia="){NUMBER}': "M", f'(<option gravity="(?:0 )*){NUMBER}': "g",
          f'(axis="(?:0 )*){NUMBER}(?= -?[\d.]+)': "M", f'(polycoef="{NUMBER} )'.replace("(-?", "(?:-?", 1) + NUMBER: "M"}


def self_test(program, folder):
    blind = 0
    for pattern, output in SPOILS.items():
        checker = Checker(program, 3, folder)
        checker.random(20, (pattern, 1 + 1e-4))
        error = checker.worst.get(output, (0.0, ""))[0]
        blind += not error > TOLERANCE
        print(f"{pattern} wrong: {output} differs by {error:.1e}" + ("" if error > TOLERANCE else "   NOT SEEN"))
    return 1 if blind else 0


def compare(program, robots, states, folder):
    checker = Checker(program, states, folder)
    checker.shipped()
    checker.long()
    checker.random(robots)
    checker.free(robots // 5)
    print(f"MuJoCo {mujoco.__version__}: {checker.robots} robots that Catena wrote")
    for output, (error, where) in checker.worst.items():
        print(f"  {output:5} {error:8.1e}  {where}" + ("" if error <= TOLERANCE else f"   MORE THAN {TOLERANCE:g}"))
    return 0 if all(error <= TOLERANCE for error, _ in checker.worst.values()) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", type=pathlib.Path, required=True)
    parser.add_argument("--catena", required=True)
    parser.add_argument("--robots", type=int, default=60, help="random ones (default 60)")
    parser.add_argument("--states", type=int, default=5, help="of each robot (default 5)")
    parser.add_argument("--self-test", action="store_true", help="a wrong number in a written file is seen")
    options = parser.parse_args()
    enter(options.environment)
    global np, mujoco
    np, mujoco = (importlib.import_module(name) for name in ("numpy", "mujoco"))
    check_mjcf.np, check_mjcf.mujoco = np, mujoco
    program = str(pathlib.Path(options.catena).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        os.chdir(folder)  # where MuJoCo leaves its log
        return self_test(program, folder) if options.self_test else compare(program, options.robots, options.states, folder)


if __name__ == "__main__":
    sys.exit(main())
