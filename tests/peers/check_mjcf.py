#!/usr/bin/env python3
"""Catena and MuJoCo read the same robots out of the same MJCF files: inertia matrix, bias, gravity and springs to 1e-9 in
random states, poses of sites, on the files in tests/data/mjcf.

usage: check_mjcf.py --environment DIR --catena PROGRAM [--states N] [--self-test] [FILES]

DIR is the Python environment of tools/install_peers.sh; exit status 77 says that it is not there.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check_peers import ROOT, TOLERANCE, enter

FILES = ROOT / "tests" / "data" / "mjcf"
STEP = 1e-30  # of complex-step derivatives


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"catena {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def turn(axis, angle):
    """A rotation about a coordinate axis; the angle may be complex."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3, dtype=complex)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


class Chart:
    """MuJoCo's positions and velocities by Catena's: qvel = G(q) v. Nothing here knows Catena's code: couplings are read from
    the compiled model, a ball joint is three turns about z, y and x, a free base moves along and about its own axes."""

    def __init__(self, model, names):
        self.model, self.names = model, names
        self.free = next((j for j in range(model.njnt) if model.jnt_type[j] == 0), None)
        self.rows = self.couplings()

    def couplings(self):
        """Followers: joint to (constant, {joint: factor})."""
        model, rows = self.model, {}
        for e in range(model.neq):
            kind, first, second, c = model.eq_type[e], model.eq_obj1id[e], model.eq_obj2id[e], model.eq_data[e]
            if kind == mujoco.mjtEq.mjEQ_JOINT:
                terms, constant = {first: 1.0, second: -c[1]}, c[0]
            elif kind == mujoco.mjtEq.mjEQ_TENDON:
                terms, constant = self.tendon(first), c[0]
            else:
                continue
            constant += sum(f * model.qpos0[model.jnt_qposadr[j]] for j, f in terms.items())
            chosen = next(j for j in terms if model.joint(j).name not in self.names)
            factor = terms.pop(chosen)
            rows[chosen] = (constant / factor, {j: -f / factor for j, f in terms.items()})
        return rows

    def tendon(self, k):
        at, count = self.model.tendon_adr[k], self.model.tendon_num[k]
        return {self.model.wrap_objid[i]: self.model.wrap_prm[i] for i in range(at, at + count)}

    def value(self, joint, q):
        if joint in self.rows:
            constant, terms = self.rows[joint]
            return constant + sum(f * self.value(j, q) for j, f in terms.items())
        return q[self.names.index(self.model.joint(joint).name)]

    def positions(self, q, base):
        qpos = np.zeros(self.model.nq)
        for j in range(self.model.njnt):
            at, kind, name = self.model.jnt_qposadr[j], self.model.jnt_type[j], self.model.joint(j).name
            if kind == 0:
                qpos[:3], qpos[3:7] = base[:3], np.roll(base[3:], 1)
            elif kind == 1:
                quat = np.zeros(4)
                mujoco.mju_mat2Quat(quat, self.ball(name, q).real.ravel())
                qpos[at:at + 4] = quat
            else:
                qpos[at] = self.value(j, q)
        return qpos

    def angles(self, name, q):
        return [q[self.names.index(f"{name}_{part}")] for part in ("yaw", "pitch", "roll")]

    def ball(self, name, q):
        yaw, pitch, roll = self.angles(name, q)
        return turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)

    def map(self, q, R):
        """G: complex, for its derivative."""
        G = np.zeros((self.model.nv, len(self.names)), dtype=complex)
        for j in range(self.model.njnt):
            at, kind, name = self.model.jnt_dofadr[j], self.model.jnt_type[j], self.model.joint(j).name
            if kind == 0:
                G[at:at + 3, :3], G[at + 3:at + 6, 3:6] = R, np.eye(3)
            elif kind == 1:
                _, pitch, roll = self.angles(name, q)
                columns = [self.names.index(f"{name}_{part}") for part in ("yaw", "pitch", "roll")]
                G[at:at + 3, columns[0]] = turn(0, roll).T @ turn(1, pitch).T @ [0, 0, 1]
                G[at:at + 3, columns[1]] = turn(0, roll).T @ [0, 1, 0]
                G[at:at + 3, columns[2]] = [1, 0, 0]
            else:
                self.fill(G[at], j, 1.0)
        return G

    def fill(self, row, joint, factor):
        if joint not in self.rows:
            row[self.names.index(self.model.joint(joint).name)] += factor
            return
        for other, own in self.rows[joint][1].items():
            self.fill(row, other, factor * own)


def rotation(quaternion):
    """By (x, y, z, w)."""
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.roll(quaternion, 1))
    return R.reshape(3, 3)


def cross(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def expected(model, chart, q, v, base):
    """M, bias, gravity in Catena's coordinates, without the forces of limits, contacts and actuators."""
    data = mujoco.MjData(model)
    R = rotation(base[3:]) if base is not None else np.eye(3)
    data.qpos[:] = chart.positions(q, base)
    G = chart.map(q, R)
    # Of a free base, d/dt R = R [w]; of the others, q + i h v.
    turned = R.astype(complex) + 1j * STEP * (R @ cross(v[3:6]) if base is not None else 0.0)
    Gd = chart.map(np.asarray(q) + 1j * STEP * np.asarray(v), turned).imag / STEP
    G = G.real
    data.qvel[:] = G @ v
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    friction = model.dof_frictionloss * np.sign(data.qvel)
    bias = data.qfrc_bias - data.qfrc_passive + friction
    sites = {model.site(k).name: (data.site_xpos[k].copy(), data.site_xmat[k].reshape(3, 3).copy()) for k in range(model.nsite)}
    data.qvel[:] = 0
    mujoco.mj_fwdVelocity(model, data)
    return {"M": G.T @ M @ G, "b": G.T @ (bias + M @ Gd @ v), "g": G.T @ (data.qfrc_bias - data.qfrc_passive)}, sites


def expected_closed(model, names, tree, v):
    """The same of a loop that one <connect> closes, on its independent joints; also how far the loop is open."""
    data = mujoco.MjData(model)
    data.qpos[:] = tree
    free = [model.joint(name).dofadr[0] for name in names]
    bound = [k for k in range(model.nv) if k not in free]
    mujoco.mj_fwdPosition(model, data)
    bodies = [model.eq_obj1id[0], model.eq_obj2id[0]]
    points = [data.xpos[b] + data.xmat[b].reshape(3, 3) @ model.eq_data[0][3 * k:3 * k + 3] for k, b in enumerate(bodies)]

    def difference(jacobian):
        both = np.zeros((2, 3, model.nv))
        for out, point, b in zip(both, points, bodies):
            jacobian(model, data, out, None, point, b)
        return both[0] - both[1]

    J = difference(mujoco.mj_jac)
    G = np.zeros((model.nv, len(free)))
    G[free] = np.eye(len(free))
    G[bound] = -np.linalg.pinv(J[:, bound]) @ J[:, free]
    data.qvel[:] = G @ v
    mujoco.mj_fwdVelocity(model, data)
    drift = np.zeros(model.nv)
    drift[bound] = -np.linalg.pinv(J[:, bound]) @ difference(mujoco.mj_jacDot) @ data.qvel
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    bias = data.qfrc_bias - data.qfrc_passive + M @ drift
    data.qvel[:] = 0
    mujoco.mj_fwdVelocity(model, data)
    return {"M": G.T @ M @ G, "b": G.T @ bias, "g": G.T @ (data.qfrc_bias - data.qfrc_passive), "open": points[0] - points[1]}


def check_closed(program, file, count, folder):
    names = json.loads(run(program, "info", file, "--json", "--quiet"))["joints"]
    model = mujoco.MjModel.from_xml_path(str(file))
    random = np.random.RandomState(7)
    q, v = random.uniform(-0.3, 0.3, (count, len(names))), random.uniform(-1.2, 1.2, (count, len(names)))
    np.savez(folder / "states.npz", q=q, qd=v)
    run(program, "run", file, "--quiet", "--compute", "inertia,bias,gravity,place", "--states", folder / "states.npz", "-o",
        folder / "out.npz")
    ours, worst = dict(np.load(folder / "out.npz")), {}
    ours["open"] = np.zeros((count, 3))
    for k in range(count):
        for output, value in expected_closed(model, names, ours["q_tree"][k], v[k]).items():
            error = np.abs(ours[output][k] - value).max() / max(np.abs(value).max(), 1e-3)
            worst[output] = max(worst.get(output, 0.0), error)
    return worst


def check(program, file, count, folder, spoil=None):
    """The worst relative difference of each output."""
    info = json.loads(run(program, "info", file, "--json", "--quiet"))
    names = info["joints"]
    model = spoiled(file, spoil, folder)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT) | int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    chart = Chart(model, names)
    random = np.random.RandomState(7)
    q, v = (random.uniform(-1.2, 1.2, (count, len(names))) for _ in range(2))
    bases = None
    table = {"q": q, "qd": v}
    if chart.free is not None:
        quaternions = random.normal(size=(count, 4))
        quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
        bases = np.concatenate([q[:, :3], quaternions], axis=1)
        table["q"] = np.concatenate([bases, q[:, 6:]], axis=1)
    np.savez(folder / "states.npz", **table)
    jobs, frame = "inertia,bias,gravity", []
    site = next((model.site(k).name for k in range(model.nsite) if model.site(k).name), None)
    if site is not None:
        jobs, frame = jobs + ",pose", ["--frame", site]
    run(program, "run", file, "--quiet", "--compute", jobs, "--states", folder / "states.npz", "-o", folder / "out.npz", *frame)
    ours, worst = dict(np.load(folder / "out.npz")), {}
    for k in range(count):
        theirs, sites = expected(model, chart, q[k], v[k], None if bases is None else bases[k])
        if site is not None:
            theirs["T"] = np.eye(4)
            theirs["T"][:3, 3], theirs["T"][:3, :3] = sites[site]
        for output, value in theirs.items():
            error = np.abs(ours[output][k] - value).max() / max(np.abs(value).max(), 1e-3)
            worst[output] = max(worst.get(output, 0.0), error) if error == error else np.inf
    return worst


def spoiled(file, spoil, folder):
    """The model as MuJoCo compiles it, with one number of the file changed."""
    if spoil is None:
        return mujoco.MjModel.from_xml_path(str(file))
    pattern, factor = spoil
    text, changed = re.subn(pattern, lambda m: m[1] + repr(float(m[2]) * factor), file.read_text(), count=1)
    if not changed:
        raise RuntimeError(f"{file.name} has no {pattern}")
    shutil.copytree(file.parent, folder / "spoiled", dirs_exist_ok=True)  # with what it includes
    copy = folder / "spoiled" / file.name
    copy.write_text(text)
    return mujoco.MjModel.from_xml_path(str(copy))


NUMBER = r"(-?[\d.]+)"
# A number that MuJoCo reads changed by a ten-thousandth, and an output that must tell.
SPOILS = [("orientations.xml", f'(armature="){NUMBER}', "M"), ("orientations.xml", f'(damping="){NUMBER}', "b"),
          ("orientations.xml", f'( ref="){NUMBER}', "M"), ("orientations.xml", f'(frictionloss="){NUMBER}', "b"),
          ("orientations.xml", f'(euler="){NUMBER}', "M"), ("orientations.xml", f'(xyaxes="1 ){NUMBER}', "M"),
          ("orientations.xml", f'(fullinertia="){NUMBER}', "M"), ("orientations.xml", f'(<option gravity="){NUMBER}', "g"),
          ("classes.xml", f'(density="){NUMBER}', "M"), ("classes.xml", f'(capsule" size="){NUMBER}', "M"),
          ("classes.xml", f'(ellipsoid" size="){NUMBER}', "M"), ("corrected.xml", f'(boundinertia="){NUMBER}', "M"),
          ("corrected.xml", f'(settotalmass="){NUMBER}', "M"), ("meshes.xml", f'(scale="){NUMBER}', "M"),
          ("meshes.xml", f'(refpos="){NUMBER}', "M"), ("hulls.xml", f'(scale="){NUMBER}', "M"),
          ("hulls.xml", f'(vertex="0 0 0 ){NUMBER}', "M"), ("hulls.xml", f'(ellipsoid" size="){NUMBER}', "M"),
          ("walker.xml", f'(coef="){NUMBER}', "M"), ("walker.xml", f'(polycoef="){NUMBER}', "M"),
          ("springs.xml", f'(stiffness="){NUMBER}', "g"),
          ("springs.xml", f'(springref="){NUMBER}', "g"), ("springs.xml", f'(slide" stiffness="){NUMBER}', "b"),
          ("springs.xml", f'( ref="){NUMBER}', "g")]


def self_test(program, folder):
    blind = 0
    for name, pattern, output in SPOILS:
        error = check(program, FILES / name, 3, folder, (pattern, 1 + 1e-4))[output]
        seen = error > TOLERANCE
        blind += not seen
        print(f"{name}: {pattern} wrong: {output} differs by {error:.1e}" + ("" if seen else "   NOT SEEN"))
    return 1 if blind else 0


def compare(program, files, count, folder):
    failed = 0
    for file in files:
        is_closed = "<connect name" in file.read_text()
        for output, error in (check_closed if is_closed else check)(program, file, count, folder).items():
            mark = "" if error <= TOLERANCE else f"   MORE THAN {TOLERANCE:g}"
            failed += bool(mark)
            print(f"{file.name:20} {output:4} {error:8.1e}{mark}")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--environment", type=pathlib.Path, required=True)
    parser.add_argument("--catena", required=True)
    parser.add_argument("--states", type=int, default=20, help="of each robot (default 20)")
    parser.add_argument("--self-test", action="store_true", help="a wrong number in the file is seen")
    options = parser.parse_args()
    enter(options.environment)
    global np, mujoco
    import mujoco
    import numpy as np
    options.catena, files = str(pathlib.Path(options.catena).resolve()), [file.resolve() for file in options.files]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        os.chdir(folder)  # where MuJoCo leaves its log
        if options.self_test:
            return self_test(options.catena, folder)
        return compare(options.catena, files or sorted(FILES.glob("*.xml")), options.states, folder)


if __name__ == "__main__":
    sys.exit(main())
