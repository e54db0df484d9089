#!/usr/bin/env python3
"""Catena and another library compute the same: every job the other one has, to 1e-9, on the shipped models, on URDF files
as others write them and on random robots.

usage: check_peers.py PEER --environment DIR --catena PROGRAM [--robots N] [--states N] [--self-test]

PEER is pinocchio or mujoco. DIR is the Python environment of tools/install_peers.sh; exit status 77 says that it is not there.
"""

import argparse
import importlib
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77  # SKIP_RETURN_CODE of the test
TOLERANCE = 1e-9
SINGULAR = {"lintel_gantry.urdf"}  # a joint that moves no mass: no job that solves with M
# Which outputs a job has; C is not unique, so that its two properties are compared.
JOBS = {"inverse": ["tau", "tau, mimic"], "bias": ["b"], "gravity": ["g"], "inertia": ["M", "M, mimic"], "coriolis": ["C qd", "C + C'"],
        "forward": ["qdd"], "linearize": ["D", "V", "P"], "response": ["qdd_q", "qdd_qd", "qdd_tau"], "pose": ["T"],
        "jacobian": ["J"], "drift": ["Jdot_qd"], "energy": ["kinetic_energy", "potential_energy"],
        "momentum": ["h", "com"], "centroidal": ["A", "I_com", "com, too", "mass"], "regressor": ["Y"]}


def enter(environment):
    """Goes on in the Python of the environment, or says that there is none."""
    python = environment / "bin" / "python"
    if not (environment / "complete").exists():
        print(f"SKIPPED: no {environment.name} environment: make test installs it where a Python package index is reached; "
              "INSTALL=no does not")
        sys.exit(SKIPPED)
    if pathlib.Path(sys.prefix).resolve() != environment.resolve():
        os.execv(python, [str(python), str(pathlib.Path(sys.argv[0]).resolve()), *sys.argv[1:]])


class Comparison:
    """The worst relative difference of each output, and where it was."""

    def __init__(self):
        self.worst = {}
        self.compared = 0

    def add(self, where, output, ours, theirs, floor):
        """Relative to the largest entry, or to a floor where terms cancel, as in the weight on a vertical axis."""
        scale = max(np.abs(theirs).max(initial=0.0), floor)
        difference = np.abs(np.asarray(ours) - theirs).max(initial=0.0)
        error = difference / scale if scale > 0.0 else difference
        self.compared += 1
        if not error < self.worst.get(output, (-1.0, ""))[0]:  # one that is no number is the worst
            self.worst[output] = (error, where)

    def failures(self):
        return [output for output, (error, _) in self.worst.items() if not error <= TOLERANCE]


def floors(expected, qd, weight):
    """Sizes of the terms that an output is the sum of, where their sum may vanish."""
    torque = np.abs(expected["tau"]).max()
    speed = np.abs(qd).max()
    damping = np.abs(expected["M"]).max() * speed
    response = np.abs(expected.get("qdd_tau", 0.0)).max()
    return {"b": torque, "g": torque, "C qd": torque, "C + C'": damping, "V": damping, "P": torque,
            "qdd_q": response * torque, "qdd_qd": response * damping,
            "Jdot_qd": np.abs(expected["J"]).max() * speed**2, "potential_energy": weight}


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"catena {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def states(seed, joints, count, free=False):
    """Some moving, one at rest, one at home; moderate enough that sums do not cancel to nothing. free: q starts with the
    position of the base and a quaternion."""
    random = np.random.RandomState(seed)
    table = {name: random.uniform(-2.5, 2.5, (count, joints)) for name in ("q", "qd", "qdd")}
    table["tau"] = random.uniform(-20.0, 20.0, (count, joints))
    if count > 2:
        table["qd"][1] = 0.0
        table["q"][2] = 0.0
    if free:
        turns = random.normal(size=(count, 4))
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        table["q"] = np.concatenate([table["q"][:, :3], turns, table["q"][:, 6:]], axis=1)
    return table


def compute(program, model, jobs, table, frame, options, folder, free=False):
    np.savez(folder / "states.npz", **table)
    run(program, "run", model, "--quiet", "--compute", ",".join(jobs), "--states", folder / "states.npz", "-o",
        folder / "out.npz", "--frame", frame, *options)
    outputs = dict(np.load(folder / "out.npz"))
    for alias, output in (("tau_inverse", "tau"), ("qdd_forward", "qdd")):  # also inputs of other jobs beside them
        if alias in outputs:
            outputs[output] = outputs.pop(alias)
    for output in ("tau", "M"):  # those of joints that the peer itself couples
        outputs[f"{output}, mimic"] = outputs[output]
    if "C" in outputs:
        outputs["C qd"] = np.einsum("kij,kj->ki", outputs["C"], table["qd"])
        outputs["C + C'"] = outputs["C"] + np.swapaxes(outputs["C"], 1, 2)
    for alias, output in (("com_momentum", "com"), ("com_centroidal", "com, too")):
        if alias in outputs:
            outputs[output] = outputs.pop(alias)
    if "potential_energy" in outputs and not free:
        home = json.loads(run(program, "energy", model, "--quiet", "--json", *[o for o in options if "wrench" not in o]))
        outputs["potential_energy"] = outputs["potential_energy"] - home["potential_energy"]
    return outputs


class Checker:
    def __init__(self, program, peer, count, folder):
        self.program, self.peer, self.count, self.folder = program, peer, count, folder
        self.comparison = Comparison()
        self.robots, self.refused, self.promised = 0, {}, set()

    def check(self, where, model, text, frame=None, load=None, wrench=None, spoil=None, jobs=JOBS, free=None):
        """One robot: Catena reads the file `model`, the peer the URDF text. free: what Catena must be told to free its base."""
        text = robots.without_shapes(text)
        options = [thing.option() for thing in (load, wrench) if thing is not None]
        options += free or []
        info = json.loads(run(self.program, "info", model, "--json", "--quiet", *(free or [])))
        try:
            text = text if spoil is None else spoil(text)
            if free is not None:
                peer = self.peer.Free(text, info["joints"], load, wrench)
            elif coupled.couplings(text):
                peer = coupled.Coupled(self.peer, text, info["joints"], load, wrench)
            else:
                peer = self.peer.Peer(text, info["joints"], load, wrench)
        except (ValueError, RuntimeError) as error:
            self.refused[where] = str(error).splitlines()[0]
            return
        table = states(self.robots, len(info["joints"]), self.count, free is not None)
        frame = frame or info["tool"]
        ours = compute(self.program, model, jobs, table, frame, options, self.folder, free is not None)
        for k in range(self.count):
            expected = peer.results(*(table[name][k] for name in ("q", "qd", "qdd", "tau")), frame)
            if "com" in expected:
                expected["com, too"] = expected["com"]
            expected = {output: theirs for output, theirs in expected.items() if theirs is not None}
            self.promised |= set(expected)
            floor = floors(expected, table["qd"][k], 9.81 * info["mass"])  # of one metre
            for output, theirs in expected.items():
                if output in ours:
                    self.comparison.add(f"{where}, state {k + 1}", output, ours[output][k], theirs, floor.get(output, 0.0))
        self.robots += 1

    def shipped(self):
        for shipped in sorted((ROOT / "models").glob("*.toml")):
            if "[[loop]]" in shipped.read_text(encoding="utf-8"):
                continue  # tests/oracle/check_loops.py
            model = self.folder / shipped.name  # every joint with a motor: the others know no joints without
            model.write_text(shipped.read_text().replace("passive = true", ""))
            urdf = self.folder / f"{model.stem}.urdf"
            urdf.write_text(run(self.program, "convert", model, "--to", "urdf", "--quiet"))
            self.check(model.name, model, urdf.read_text(), jobs=[job for job in JOBS if job != "regressor"])
            self.check(f"{model.name} as URDF", urdf, urdf.read_text())

    def wild(self):
        for model in sorted((ROOT / "tests" / "data" / "wild").glob("*.urdf")):
            solving = {"forward", "response"} if model.name in SINGULAR else set()
            self.check(model.name, model, model.read_text(), jobs=[job for job in JOBS if job not in solving])

    def from_mjcf(self):
        """Catena reads MJCF, the peer what Catena writes of it as URDF."""
        for model in sorted((ROOT / "tests" / "data" / "mjcf").glob("*.xml")):
            info = json.loads(run(self.program, "info", model, "--json", "--quiet"))
            if info["floating"] or info.get("loops") or not self.peer.TAKES_MASSLESS:
                continue
            text = run(self.program, "convert", model, "--to", "urdf", "--quiet")
            if any(f"{name}=" in text for name in ("spring", "torque_offset", "stribeck")):  # no peer reads them in URDF; check_mjcf.py compares them
                continue
            self.check(model.name, model, text, jobs=[job for job in JOBS if job not in ("regressor", "forward", "response")])

    def random(self, count, spoil=None):
        """The first `count` random robots that the peer takes."""
        path, last = self.folder / "random.urdf", self.robots + count
        for number in itertools.count():
            if self.robots >= last:
                return
            sample = robots.random_robot(number)
            if sample.massless and not self.peer.TAKES_MASSLESS:
                continue
            path.write_text(sample.text)
            self.check(f"random robot {number}", path, sample.text, sample.frame, sample.load, sample.wrench, spoil)

    def free(self, legged, count):
        """Legged robots of our own, and random ones, on free bases."""
        if not hasattr(self.peer, "Free"):
            return
        path, jobs = self.folder / "free.urdf", [job for job in JOBS if job != "regressor"]
        for robot in legged_robots(legged):
            path.write_text(robot.text)
            self.check(robot.name, path, robot.text, robot.frame, robot.load, robot.wrench, jobs=jobs,
                       free=[] if robot.floats else ["--floating-base"])
        for number in range(count):
            sample = robots.random_robot(number, free=True)
            path.write_text(sample.text)
            self.check(f"random robot {number} on a free base", path, sample.text, sample.frame, sample.load, sample.wrench,
                       jobs=jobs, free=["--floating-base"])

    def unexpected(self):
        """Refusals that the peer is not known for: comparisons that would silently be missing."""
        return [where for where, why in self.refused.items()
                if self.peer.REFUSES.get(where.removesuffix(" as URDF"), "\0") not in why]


def report(checker):
    comparison, peer = checker.comparison, checker.peer
    print(f"{peer.NAME} {peer.VERSION}: {checker.robots} robots, {comparison.compared} comparisons")
    for job, outputs in JOBS.items():
        for output in outputs:
            if output in comparison.worst:
                error, where = comparison.worst[output]
                mark = "" if error <= TOLERANCE else f"   MORE THAN {TOLERANCE:g}"
                print(f"  {job:10} {output:18} {error:8.1e}  {where}{mark}")
    for where, why in checker.refused.items():
        print(f"  {peer.NAME} refuses {where}: {why}")


def scale_first(pattern, factor):
    """Changes the first number that the pattern finds."""
    return lambda text: re.sub(pattern, lambda m: m[1] + repr(float(m[2]) * factor), text, count=1)


NUMBER = r'([-+.\de]+)'
MASS = {"tau", "b", "g", "M", "C qd", "C + C'", "qdd", "D", "V", "P", "qdd_q", "qdd_qd", "qdd_tau", "kinetic_energy",
        "potential_energy"}
# A number that the peer gets wrong by a millionth, and the outputs that must tell.
SPOILS = {
    "the mass of a link": (scale_first(f'(<mass value="){NUMBER}', 1 + 1e-6), MASS),
    "an inertia": (scale_first(f'( ixx="){NUMBER}', 1 + 1e-5), MASS - {"g", "potential_energy"}),
    "a mass centre": (scale_first(f'(<inertial><origin xyz="){NUMBER}', 1 + 1e-5), MASS),
    "where a joint is": (scale_first(f'(</?child[^>]*><origin xyz="){NUMBER}', 1 + 1e-5), MASS | {"T", "J", "Jdot_qd", "Y"}),
    "how a joint is turned": (scale_first(f'(<child[^>]*><origin xyz="[^"]*" rpy="){NUMBER}', 1 + 1e-5),
                              MASS | {"T", "J", "Jdot_qd", "Y"}),
    "viscous friction": (scale_first(f'(damping="){NUMBER}', 1 + 1e-6), {"tau", "b", "qdd", "V", "qdd_q", "qdd_qd"}),
    "dry friction": (scale_first(f'(friction="){NUMBER}', 1 + 1e-6), {"tau", "b", "qdd", "qdd_q"}),
    "a gear ratio": (scale_first(f'(gear_ratio="){NUMBER}', 1 + 1e-6),
                     {"tau", "M", "qdd", "D", "qdd_q", "qdd_qd", "qdd_tau", "kinetic_energy"}),
    "gravity": (scale_first(f'(<catena gravity="(?:0.0 )*){NUMBER}', 1 + 1e-6),
                {"tau", "b", "g", "qdd", "P", "qdd_q", "potential_energy"}),
}


def self_test(options, peer, folder):
    """Nothing is wrong on some random robots; with each spoil, each output that depends on it says so."""
    blind = 0
    for name, (spoil, outputs) in {"nothing": (None, set()), **SPOILS}.items():
        checker = Checker(options.catena, peer, 3, folder)
        checker.random(16, spoil)
        failed, known = set(checker.comparison.failures()), set(checker.comparison.worst)
        missed = (outputs & known) - failed
        wrong = failed if spoil is None else set()
        blind += len(missed | wrong)
        print(f"{name} wrong: seen in {', '.join(sorted(failed)) or 'no output'}"
              + (f"; NOT SEEN in {', '.join(sorted(missed))}" if missed else ""))
    return 1 if blind else 0


def compare(options, peer, folder):
    checker = Checker(options.catena, peer, options.states, folder)
    checker.shipped()
    checker.wild()
    checker.from_mjcf()
    checker.random(options.robots)
    checker.free(20, options.robots // 4)
    report(checker)
    for where in checker.unexpected():
        print(f"  {where} was not compared, and {peer.NAME} is not known for refusing it")
    for output in checker.promised - set(checker.comparison.worst):
        print(f"  {output} was never compared: catena has no output of that name")
    complete = not checker.unexpected() and checker.promised == set(checker.comparison.worst)
    return 0 if complete and not checker.comparison.failures() else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=["pinocchio", "mujoco"])
    parser.add_argument("--environment", type=pathlib.Path, required=True)
    parser.add_argument("--catena", required=True)
    parser.add_argument("--robots", type=int, default=200, help="random ones (default 200)")
    parser.add_argument("--states", type=int, default=5, help="of each robot (default 5)")
    parser.add_argument("--self-test", action="store_true", help="a wrong number in the robot is seen")
    options = parser.parse_args()
    enter(options.environment)
    global np, robots, coupled, legged_robots
    np, robots, coupled = (importlib.import_module(name) for name in ("numpy", "robots", "coupled"))
    legged_robots = importlib.import_module("legged").legged_robots
    peer = importlib.import_module(f"{options.peer}_peer")
    with tempfile.TemporaryDirectory() as folder:
        return (self_test if options.self_test else compare)(options, peer, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
