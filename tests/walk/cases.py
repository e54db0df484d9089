"""What the walk is made of: robots as a command line changes them, runs of the program and how they are judged, jobs."""

import collections
import json
import os
import re
import shlex
import subprocess

import numpy as np

import jobs
import refusals
import robots
from oracle import Oracle

# Changes of a robot on the command line. lock: what it stands still at, the first joint or one in the middle.
CHANGES = {"": {}, "rigid": {"rigid": True}, "payload": {"payload": True}, "lock": {"lock": "middle"},
           "wrench": {"wrench": "frame"},
           "all": {"payload": True, "lock": "first", "wrench": "world", "gravity": [1.0, -2.0, -8.0]}}
LOAD = ("tip", 1.3, [0.05, 0.02, 0.1], [0.01, 0.012, 0.008, 0.001, 0.0, -0.0005])
FORCES = {"frame": [("tip", [3.0, -2.0, 5.0, 0.4, 0.3, -0.6], "frame")],
          "world": [("tip", [3.0, -2.0, 5.0, 0.4, 0.3, -0.6], "world"), ("first", [-1.0, 2.0, 1.5, 0.2, -0.7, 0.3], "world")]}

LONGEST = 100  # s, of a run
BEYOND = "catena: the motion does not respect the limits"  # and the report all the same


class Case:
    """A robot as it is changed on the command line, its file and its oracle."""

    def __init__(self, walk, robot, change="", broken=None, **changes):
        what = {**CHANGES[change], **changes}
        self.walk, self.robot, self.change = walk, robot, change
        self.path = walk.folder / (robot.name.replace(" ", "_") + ".toml")
        self.folder = walk.folder / (self.path.stem + "_" + (change or "as_it_is"))
        self.folder.mkdir(exist_ok=True)
        if not self.path.exists():
            self.path.write_text(robots.to_toml(robot), encoding="utf-8")
        lock = {self.joint(what["lock"]): 0.3} if "lock" in what else {}
        wrenches = [(self.link() if name == "first" else name, numbers, axes)
                    for name, numbers, axes in FORCES.get(what.get("wrench"), [])]
        self.rigid = bool(what.get("rigid"))
        self.oracle = Oracle(robot, self.rigid, LOAD if what.get("payload") else None, lock, wrenches, broken)
        self.gravity_options = []
        if "gravity" in what:
            self.oracle.gravity_vector = np.array(what["gravity"])
            self.gravity_options = [f"--gravity={robots.numbers(what['gravity'])}"]
        self.lock_options = [f"--lock={joint}={at}" for joint, at in lock.items()]
        load = [f"--payload={LOAD[0]}:{robots.numbers([LOAD[1], *LOAD[2], *LOAD[3]])}"]
        self.load_options = load if what.get("payload") else []
        self.wrench_options = [f"--wrench={name}:{robots.numbers(numbers)}" for name, numbers, _ in wrenches]
        if wrenches:
            self.wrench_options.append(f"--wrench-axes={wrenches[0][2]}")
        self.found = {}

    def joint(self, which):
        """A joint that locks: the first, one in the middle, which others follow where any do, or one that follows."""
        chain = self.robot.links[0].name.startswith("l1")
        if which == "follower":
            return "left joint"
        if which == "first":
            return "l1 joint" if chain else "column joint_turn" if "composite" in self.robot.traits else "column joint"
        return f"l{min(2, len(self.robot.links))} joint" if chain else "upper joint"

    def link(self):
        return self.robot.links[0].name if "free" not in self.robot.traits else "column"

    def expected(self, seed=0):
        if seed not in self.found:
            self.found[seed] = jobs.Expected(self.oracle, jobs.state_of(self.oracle, seed))
        return self.found[seed]

    def state(self, seed=0):
        return self.expected(seed).state

    def options(self, command):
        """All that the command takes of what this case has."""
        takes = self.walk.options_of(command)
        out = self.robot.more + self.load_options + self.lock_options
        out = out + (self.gravity_options if "--gravity" in takes else [])
        out = out + (["--rigid"] if self.rigid and "--rigid" in takes else [])
        out = out + (self.robot.options if "--base-twist" in takes else [])
        return out + (self.wrench_options if "--wrench" in takes else [])

    def args(self, command, *more):
        return [command, str(self.path), *self.options(command), "--quiet", *more]

    def typed(self, inputs, seed=0, hybrid=False):
        """--q=… and so on. hybrid: what is found is left 0, as the program asks."""
        out = []
        found = np.concatenate([np.arange(6 * self.oracle.free), jobs.passive(self.oracle)]).astype(int)
        for name in inputs:
            values = self.state(seed).get(name)
            if values is None:
                continue
            values = values.copy()
            if hybrid and name == "qdd":
                values[found] = 0.0
            if hybrid and name == "tau":
                values[np.setdiff1d(np.arange(len(values)), found)] = 0.0
            out.append(f"--{name}={robots.numbers(values)}")
        return out

    def table(self, name, rows, inputs=("q", "qd", "qdd", "tau")):
        """States 0, 1, … as CSV or .npy; its path."""
        path = self.folder / name
        columns = [np.array([self.state(k)[i] for k in range(rows)]) for i in inputs]
        if path.suffix == ".npy":
            np.save(path, np.concatenate(columns, axis=1))
        else:
            heads = [f"{i}{j + 1}" for i, block in zip(inputs, columns) for j in range(block.shape[1])]
            np.savetxt(path, np.concatenate(columns, axis=1), delimiter=",", header=",".join(heads), comments="", fmt="%.17g")
        return path


class Walk:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.everything = self.quick = False
        self.kept, self.remembers, self.help = {}, False, {}
        self.forget()
        self.environment = {name: value for name, value in os.environ.items() if name != "CATENA_MODELS"}
        self.environment["CATENA_CACHE_DIR"] = str(folder / "cache")

    def forget(self):
        self.failures, self.runs, self.compared, self.met = [], 0, 0, collections.Counter()
        self.tried = set()  # by a quick walk

    def found(self):
        return self.failures, self.runs, self.compared, self.met

    def add(self, failures, runs, compared, met):
        self.failures += failures
        self.runs += runs
        self.compared += compared
        self.met += met

    def run(self, args):
        """Status, output, messages."""
        key = tuple(args)
        if self.remembers and key in self.kept:
            return self.kept[key]
        try:
            done = subprocess.run([self.program, *args], capture_output=True, stdin=subprocess.DEVNULL, env=self.environment,
                                  cwd=self.folder, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return -1, "", f"still runs after {LONGEST} s"
        result = (done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
        self.runs += 1
        if self.remembers:
            self.kept[key] = result
        return result

    def options_of(self, command):
        if command not in self.help:
            status, self.help[command], messages = self.run([command, "--help"])
            if status != 0 or not self.help[command]:
                self.fail(None, [command, "--help"], f"status {status}: {messages.strip()[:400]}")
        return self.help[command]

    def fail(self, case, args, what):
        self.failures.append(f"{case.robot.name + (', ' + case.change if case.change else '') if case else 'program'}: "
                             f"catena {shlex.join(args)}\n    {what}")

    def compare(self, case, args, what, got, want, tolerance):
        """Relative to the largest entry, or to 1 where all are small."""
        self.compared += 1
        try:
            got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
        except (TypeError, ValueError):
            return self.fail(case, args, f"{what}: not numbers: {str(got)[:200]}")
        if got.shape != want.shape:
            return self.fail(case, args, f"{what}: has shape {got.shape}, should have {want.shape}")
        if not got.size:
            return None
        off = np.abs(got - want)
        worst = np.unravel_index(np.argmax(np.where(np.isnan(off), np.inf, off)), off.shape)
        if not off[worst] <= tolerance * max(1.0, np.abs(want).max()):
            entry = [int(k) + 1 for k in worst]
            self.fail(case, args, f"{what}{entry if entry else ''}: {float(got[worst])!r}, should be {float(want[worst])!r} "
                                  f"(off by {off[worst]:.3g})")
        return None

    def judge(self, case, args, status, output, messages):
        """Whether there is a result. Refusals are looked up, all else is a failure."""
        traits = case.robot.traits if case else frozenset()
        if status == 0:
            if messages.strip():
                self.fail(case, args, f"messages beside --quiet: {messages.strip()[:400]}")
            if re.search(r"(?<![\w.])-?(nan|inf(inity)?)(?![\w.])", output, re.IGNORECASE):
                self.fail(case, args, "a number that is not finite")
            return True
        lines = messages.splitlines()
        if args[0] == "trajectory" and "--check" in args and status == 1 and lines == [BEYOND] and output:
            return True  # the report that was asked for
        name = (case.robot.written or case.robot).name if case else ""
        listed = refusals.find(args, traits, name, lines[0] if lines else "")
        if status not in (1, 2) or len(lines) != 1 or (output and args[0] != "simulate"):  # which keeps what it has
            self.fail(case, args, f"status {status}, {len(lines)} lines{', output' if output else ''}: {messages.strip()[:600]}")
        elif listed is None:
            self.fail(case, args, f"status {status}: {lines[0]}")
        else:
            self.met[listed] += 1
        return False

    def look(self, case, args, check=None):
        """Runs; where there is a result, what it is: JSON where that was asked for. check(result) gives (what, got, want,
        tolerance). A quick walk looks at each command once, and once at each set of options of run, which has tables and lanes."""
        trial = frozenset(word.partition("=")[0] for word in args if word.startswith("--")) if args[0] == "run" else args[0]
        if self.quick and trial in self.tried:
            return None
        self.tried.add(trial)
        status, output, messages = self.run(args)
        if not self.judge(case, args, status, output, messages):
            return None
        result = output
        if "--json" in args:
            try:
                result = json.loads(output)
            except ValueError as error:
                return self.fail(case, args, f"no JSON: {error}")
        if check:
            try:
                for what, got, want, tolerance in check(result):
                    self.compare(case, args, what, got, want, tolerance)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                self.fail(case, args, f"cannot be read: {error!r}")
        return result


def outputs_of(job, e, out, frame):
    """(what, got, want, tolerance) of a job's outputs at a state."""
    name = job["name"]
    get = lambda key: np.array(out[f"{key}_{name}"] if f"{key}_{name}" in out else out[key])
    if name == "coriolis":
        return [(what, *rest) for what, rest in jobs.check_coriolis(e, get("C")).items()]
    if name == "factor":
        return [(what, *rest) for what, rest in jobs.check_factor(e, get("U"), get("D")).items()]
    if name == "regressor_two":
        return [(what, *rest) for what, rest in jobs.check_regressor_two(e, get("Y")).items()]
    if name not in e.kept:
        e.kept[name] = jobs.EXPECTED[name](e, frame)
    got = {key: get(key) for key in e.kept[name]}
    if name == "loop_forces" and not e.oracle.loops:
        got = {key: thing.ravel() for key, thing in got.items()}
    if name == "regressor":
        got["Y"] = jobs.own_columns(e, got["Y"])
    return [(f"{name} {key}", got[key], want, tolerance) for key, (want, tolerance) in e.kept[name].items()]


def walk_job(walk, case, job, *more):
    """The command of a job, at a state."""
    name = job["name"]
    passive = len(jobs.passive(case.oracle)) > 0
    hybrid = name == "hybrid" or (name == "inverse" and passive)

    def check(out):
        if name != "inverse" or not passive:
            return outputs_of(job, case.expected(), out, case.robot.tool)
        wanted = case.expected().hybrid(case.state()["qdd"], np.zeros(case.oracle.nv))  # all that is free to move does
        return [(key, out[key], want, jobs.EXACT) for key, want in wanted.items()]

    inputs = [i for i in job["inputs"] if i != "tau" or name != "inverse"]
    walk.look(case, case.args(name, "--json", *case.typed(inputs, hybrid=hybrid), *more), check)


def walk_all_jobs(walk, case, listed, *more):
    """All of them in one pass; hybrid wants other inputs than the others and has a pass of its own."""
    some = [job for job in listed if job["name"] != "hybrid"]
    compute = "--compute=" + ",".join(job["name"] for job in some)
    args = case.args("run", compute, "--json", *case.typed(jobs.inputs_of(some)), *more)
    walk.look(case, args, lambda out: [line for job in some for line in outputs_of(job, case.expected(), out, case.robot.tool)])
    walk_job(walk, case, next(job for job in listed if job["name"] == "hybrid"), *more)
