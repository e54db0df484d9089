#!/usr/bin/env python3
"""Catena reads the same robots out of SDF files as libsdformat does: poses of links, joints and frames by libsdformat, dynamics
of what it read by Pinocchio, to 1e-9 in random states, on the files in tests/data/sdf.

usage: check_sdf.py --environment DIR --catena PROGRAM --peer PROGRAM [--states N] [--self-test] [FILES]

DIR is the Python environment of tools/install_peers.sh; exit status 77 says that it, or the peer (sdf_peer.cpp), is not there.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check_peers import ROOT, SKIPPED, TOLERANCE, enter

FILES = ROOT / "tests" / "data" / "sdf"
BALL, FIXED, PRISMATIC, REVOLUTE2, SCREW, UNIVERSAL, GEARBOX = 1, 3, 5, 7, 8, 9, 4  # sdf::JointType
# What libsdformat 12 does not read: follower to its leader, factor and offset.
COUPLINGS = {"coupled.sdf": {"follow": ("lead", -2.0, 0.7), "pinion_axle": ("wheel_axle", -3.0, 0.0),
                             "spindle_slide": ("spindle_turn", 0.05 / 6.283185307179586, 0.0)}}


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{program} {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


class Theirs:
    """A Pinocchio model whose joint frames stand along the world's axes in the pose of the file, or, where the base is free, along
    those of the base: only directions and points of the file are used, no frame of a link or of a joint."""

    def __init__(self, read, couplings):
        self.read, self.model, self.joint_of, self.motions = read, pin.Model(), {"world": 0}, {}
        self.model.gravity.linear = np.array(read["gravity"])
        self.couplings = dict(couplings)
        joints = [joint for joint in read["joints"] if joint["type"] != GEARBOX]
        self.cut, tree, children = [], [], {joint["child"] for joint in joints}
        group = {link: {link} for link in ["world", *read["links"]]}  # connected so far
        for joint in joints:
            first, second = group[joint["parent"]], group[joint["child"]]
            (self.cut if first is second else tree).append(joint)
            first |= second
            group.update((link, first) for link in second)
        self.base = pin.SE3.Identity()
        self.is_free = all(joint["parent"] != "world" for joint in joints)
        self.at = {0: np.zeros(3)}  # points of joints
        root = "world"
        if self.is_free:
            root = next(link for link in read["links"] if link not in children)
            self.base = self.pose(read["links"][root]["pose"])
            self.joint_of[root] = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
            self.at[self.joint_of[root]] = np.zeros(3)
        self.grow(root, tree)
        for name, link in read["links"].items():
            self.weigh(self.joint_of[name], link)
        self.data = self.model.createData()

    def pose(self, values):
        return pin.SE3(np.array(values["R"]), np.array(values["p"]))

    def grow(self, link, joints):
        """Depth first, as Pinocchio wants it."""
        for one in [joint for joint in joints if link in (joint["parent"], joint["child"])]:
            forward = one["parent"] == link
            new = one["child"] if forward else one["parent"]
            if new not in self.joint_of:
                self.joint_of[new] = self.add(one, self.joint_of[link], 1.0 if forward else -1.0)
                self.grow(new, joints)

    def add(self, joint, parent, sign):
        place = self.base.inverse() * self.pose(joint["pose"])
        parts = list(self.parts(joint, place.rotation))
        for name, kind, axis, damping, friction in parts if sign > 0 else reversed(parts):
            offset = pin.SE3(np.eye(3), place.translation - self.at[parent])
            parent = self.model.addJoint(parent, kind(sign * axis), offset, name)
            self.at[parent] = place.translation
            self.motions[name] = (damping, friction)
        return parent

    def parts(self, joint, R):
        turn, slide, name = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned, joint["name"]
        axes = [(self.base.rotation.T @ axis["xyz"], axis["damping"], axis["friction"]) for axis in joint["axes"]]
        if joint["type"] == FIXED:
            return
        if joint["type"] == BALL:
            for k, part in ((2, "yaw"), (1, "pitch"), (0, "roll")):
                yield f"{name}_{part}", turn, R[:, k], 0.0, 0.0
        elif joint["type"] in (UNIVERSAL, REVOLUTE2):
            yield f"{name}_axis", turn, *axes[0]
            yield f"{name}_axis2", turn, *axes[1]
        elif joint["type"] == SCREW:
            yield f"{name}_turn", turn, *axes[0]
            yield f"{name}_slide", slide, axes[0][0], 0.0, 0.0
            self.couplings.setdefault(f"{name}_slide", (f"{name}_turn", -1.0 / joint["pitch"], 0.0))
        else:
            yield name, slide if joint["type"] == PRISMATIC else turn, *axes[0]

    def weigh(self, joint, link):
        R = self.base.rotation.T
        com = self.base.actInv(np.array(link["com"]))
        inertia = R @ np.array(link["inertia"]) @ R.T
        self.model.appendBodyToJoint(joint, pin.Inertia(link["mass"], com - self.at[joint], inertia), pin.SE3.Identity())

    def columns(self, name):
        joint = self.model.joints[self.model.getJointId(name)]
        return joint.idx_q, joint.idx_v

    def map(self, names):
        """G and the offset: all velocities by Catena's, all positions but those of a free base."""
        G, offset = np.zeros((self.model.nv, len(names))), np.zeros(self.model.nq)
        if self.is_free:
            G[:6, :6] = np.eye(6)
        for name in self.motions:
            leader, factor, constant = self.couplings.get(name, (name, 1.0, 0.0))
            at_q, at_v = self.columns(name)
            if leader in names:
                G[at_v, names.index(leader)] = factor
            offset[at_q] = constant
        return G, offset

    def position(self, G, offset, q, base):
        position = offset.copy()
        if not self.is_free:
            return position + G @ q
        position[:7] = base
        position[7:] += G[6:] @ q
        return position

    def results(self, position, velocity):
        damping, friction = np.zeros(self.model.nv), np.zeros(self.model.nv)
        for name, values in self.motions.items():
            damping[self.columns(name)[1]], friction[self.columns(name)[1]] = values
        M = np.triu(pin.crba(self.model, self.data, position))
        bias = pin.nonLinearEffects(self.model, self.data, position, velocity) + damping * velocity + friction * np.sign(velocity)
        return M + np.triu(M, 1).T, bias, pin.computeGeneralizedGravity(self.model, self.data, position).copy()

    def frame(self, position, frame):
        pin.forwardKinematics(self.model, self.data, position)
        joint = self.joint_of[frame["link"]]
        rest = self.base.inverse() * self.pose(frame["pose"])
        return (self.data.oMi[joint] * pin.SE3(rest.rotation, rest.translation - self.at[joint])).homogeneous

    def closure(self, position):
        """J of the loops, which revolute joints close, and how far they are open."""
        pin.computeJointJacobians(self.model, self.data, position)
        rows, gaps = [], []
        for joint in self.cut:
            rest, axis = self.pose(joint["pose"]), np.array(joint["axes"][0]["xyz"])
            both = []
            for link in (joint["parent"], joint["child"]):
                k = self.joint_of[link]
                point = pin.SE3(rest.rotation, rest.translation - self.at[k])
                frame = self.model.addFrame(pin.Frame(f"{joint['name']} {link}", k, 0, point, pin.FrameType.OP_FRAME))
                data = self.model.createData()
                J = pin.computeFrameJacobian(self.model, data, position, frame, pin.LOCAL_WORLD_ALIGNED)
                pin.framesForwardKinematics(self.model, data, position)
                both.append((J, data.oMf[frame]))
            turned = both[0][1].rotation @ rest.rotation.T @ axis
            across = np.linalg.svd(turned[None])[2][1:]
            difference = both[0][0] - both[1][0]
            rows += [difference[:3], across @ difference[3:]]
            gaps.append(both[0][1].translation - both[1][1].translation)
        self.data = self.model.createData()
        return np.vstack(rows), np.concatenate(gaps)


def closed(theirs, ours, names, k):
    """M and g on the independent joints, at Catena's positions of all joints."""
    order = [name for name in theirs.motions]
    position = np.zeros(theirs.model.nq)
    for name, value in zip(order, ours["q_tree"][k]):
        position[theirs.columns(name)[0]] = value
    free = [theirs.columns(name)[1] for name in names]
    bound = [v for v in range(theirs.model.nv) if v not in free]
    J, gap = theirs.closure(position)
    G = np.zeros((theirs.model.nv, len(free)))
    G[free] = np.eye(len(free))
    G[bound] = -np.linalg.pinv(J[:, bound]) @ J[:, free]
    M, _, g = theirs.results(position, np.zeros(theirs.model.nv))
    return {"M": G.T @ M @ G, "g": G.T @ g, "open": gap}


def check(program, peer, file, count, folder, spoil=None):
    """The worst relative difference of each output."""
    names = json.loads(run(program, "info", file, "--json", "--quiet"))["joints"]
    theirs = Theirs(json.loads(run(peer, spoiled(file, spoil, folder))), COUPLINGS.get(file.name, {}))
    random = np.random.RandomState(7)
    q, v = (random.uniform(-0.4, 0.4, (count, len(names))) for _ in range(2))
    table, bases = {"q": q, "qd": v}, [None] * count
    if theirs.is_free:
        quaternions = random.normal(size=(count, 4))
        quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
        bases = np.concatenate([q[:, :3], quaternions], axis=1)
        table["q"] = np.concatenate([bases, q[:, 6:]], axis=1)
    np.savez(folder / "states.npz", **table)
    jobs, frame = "inertia,bias,gravity", next((name for name in theirs.read["frames"] if not name.startswith("_")), None)
    jobs += ",place" if theirs.cut else ",pose" if frame else ""
    run(program, "run", file, "--quiet", "--compute", jobs, "--states", folder / "states.npz", "-o", folder / "out.npz",
        *(["--frame", frame] if frame and not theirs.cut else []))
    ours, worst = dict(np.load(folder / "out.npz")), {}
    ours["open"] = np.zeros((count, 3))
    G, offset = theirs.map(names)
    for k in range(count):
        if theirs.cut:
            expected = closed(theirs, ours, names, k)
        else:
            position = theirs.position(G, offset, q[k], bases[k])
            M, bias, g = theirs.results(position, G @ v[k])
            expected = {"M": G.T @ M @ G, "b": G.T @ bias, "g": G.T @ g}
            if frame:
                expected["T"] = theirs.frame(position, theirs.read["frames"][frame])
        for output, value in expected.items():
            error = np.abs(ours[output][k] - value).max() / max(np.abs(value).max(), 1e-3)
            worst[output] = max(worst.get(output, 0.0), error) if error == error else np.inf
    return worst


def spoiled(file, spoil, folder):
    """The file with one number changed."""
    if spoil is None:
        return file
    text, changed = re.subn(spoil[0], lambda m: m[1] + repr(float(m[2]) * spoil[1]), file.read_text(), count=1)
    if not changed:
        raise RuntimeError(f"{file.name} has no {spoil[0]}")
    shutil.copytree(file.parent, folder / "spoiled", dirs_exist_ok=True)  # with what it includes
    (folder / "spoiled" / file.name).write_text(text)
    return folder / "spoiled" / file.name


NUMBER = r"(-?[\d.]+)"
# A number that libsdformat reads changed by a ten-thousandth, and an output that must tell.
SPOILS = [("arm.sdf", f'(degrees="true">0.1 -0.2 0.3 ){NUMBER}', "g"), ("arm.sdf", f'(relative_to="pan">){NUMBER}', "M"),
          ("arm.sdf", f'(expressed_in="pedestal">0 ){NUMBER}', "M"), ("arm.sdf", f'(quat_xyzw">){NUMBER}', "M"),
          ("arm.sdf", f'(expressed_in="__model__">){NUMBER}', "M"), ("arm.sdf", f"(<ixy>){NUMBER}", "M"),
          ("arm.sdf", f"(<damping>){NUMBER}", "b"), ("arm.sdf", f"(<friction>){NUMBER}", "b"),
          ("arm.sdf", f"(<axis2><xyz>){NUMBER}", "M"), ("old.sdf", f"(<gravity>){NUMBER}", "g"),
          ("old.sdf", f'(<xyz>){NUMBER}', "M"), ("old.sdf", f"(<pose>-){NUMBER}", "M"),
          ("old.sdf", f"(<thread_pitch>){NUMBER}", "M"), ("walker.sdf", f'(relative_to="trunk">){NUMBER}', "T"),
          ("walker.sdf", f'(attached_to="trunk"><pose>0 ){NUMBER}', "M"), ("cell.sdf", f'(name="table"><static>true</static><pose>0 0 0.7 0 0 ){NUMBER}', "g"),
          ("cell.sdf", f'(relative_to="corner">0 0 0.1 ){NUMBER}', "g"), ("cell.sdf", f'("left_end" attached_to="arm"><pose>){NUMBER}', "M"),
          ("cell.sdf", f'(relative_to="right_end">0 0 ){NUMBER}', "M"), ("fourbar.sdf", f'(relative_to="crank_body">){NUMBER}', "M")]


def self_test(program, peer, folder):
    blind = 0
    for name, pattern, output in SPOILS:
        error = check(program, peer, FILES / name, 3, folder, (pattern, 1 + 1e-4))[output]
        seen = error > TOLERANCE
        blind += not seen
        print(f"{name}: {pattern} wrong: {output} differs by {error:.1e}" + ("" if seen else "   NOT SEEN"))
    return 1 if blind else 0


def compare(program, peer, files, count, folder):
    failed = 0
    for file in files:
        for output, error in check(program, peer, file, count, folder).items():
            mark = "" if error <= TOLERANCE else f"   MORE THAN {TOLERANCE:g}"
            failed += bool(mark)
            print(f"{file.name:20} {output:4} {error:8.1e}{mark}")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--environment", type=pathlib.Path, required=True)
    parser.add_argument("--catena", required=True)
    parser.add_argument("--peer", required=True)
    parser.add_argument("--states", type=int, default=20, help="of each robot (default 20)")
    parser.add_argument("--self-test", action="store_true", help="a wrong number in the file is seen")
    options = parser.parse_args()
    if not pathlib.Path(options.peer).exists():
        print("SKIPPED: no libsdformat; tools/install_dependencies.sh test installs it")
        return SKIPPED
    enter(options.environment)
    global np, pin
    import numpy as np
    import pinocchio as pin
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if options.self_test:
            return self_test(options.catena, options.peer, folder)
        files = [file.resolve() for file in options.files] or sorted(FILES.glob("*.sdf"))
        return compare(options.catena, options.peer, files, options.states, folder)


if __name__ == "__main__":
    sys.exit(main())
