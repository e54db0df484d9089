"""Robots of every kind and every job as generated code: robots, states and oracle are the walk's, the numbers of the program itself
come from its code for Python."""

import inspect
import json
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "walk"))

import robots
from cases import Case, Walk, outputs_of

LONG = 20  # joints: for more a few jobs are enough, code without loops grows with the cube of their number
OF_LONG = ["inverse", "gravity", "forward", "pose"]
BY_ORACLE = ["inverse", "gravity", "inertia", "forward", "pose", "energy"]
WHOLE = ["one joint", "three joints"]
MORE = [["coupled", "free", "passive"], ["free", "loop"], ["coupled", "dry"]]  # the command writes no code for a moving base


def all_kinds():
    yield robots.branched([])
    yield robots.chain("one joint", 1)
    yield robots.chain("three joints", 3)
    yield robots.chain("forty joints", 40)
    for traits in [[trait] for trait in robots.TRAITS if trait != "moving"] + MORE:
        yield robots.branched(traits)
    yield robots.two_loops()


class Function:
    """A job of a robot: what it takes, what the program's own numbers are."""

    def __init__(self, job, name, arguments, results):
        self.job, self.name, self.arguments, self.results = job, name, arguments, results

    def disagreement(self, results):
        """The largest difference, of the largest entry of its output; infinite where a shape is another one."""
        worst = 0.0
        for got, want in zip(results, self.results, strict=True):
            if got.shape != want.shape or not np.isfinite(got).all():
                return np.inf
            worst = max(worst, (np.abs(got - want) / max(1.0, np.abs(want).max(initial=0.0))).max(initial=0.0))
        return worst


class Kind:
    """A robot with the code of all its jobs that the program writes; longest: of those with at most so many lines, but all of WHOLE."""

    def __init__(self, walk, robot, number, longest=None):
        self.walk, self.case, self.name = walk, Case(walk, robot), f"r{number}"
        self.listed = {job["name"]: job for job in json.loads(walk.run(["jobs", "--json"])[1])["jobs"]}
        by_calls_alone = [name for name, job in self.listed.items() if self.case.oracle.loops and "lam" in job["inputs"]]
        self.jobs = [name for name in (OF_LONG if self.case.oracle.nv > LONG else self.listed) if name not in by_calls_alone]
        text = self.code("python")
        if longest is not None and robot.name not in WHOLE:
            lengths = {part.split("(")[0]: part.count("\n") for part in text.split(f"\ndef {self.name}_")[1:]}
            most = 10 * longest if self.case.oracle.nv > LONG else longest
            self.jobs = [job for job in self.jobs if lengths[job] <= most]
        space = {}
        exec(compile(text, self.name, "exec"), space)
        state = {**self.case.state(), "q": self.case.expected().of_movers()}
        self.functions = []
        for job in self.jobs:
            function = space[f"{self.name}_{job}"]
            arguments = [state[name] for name in inspect.signature(function).parameters]
            results = function(*arguments)
            self.functions.append(Function(job, function.__name__, arguments, results if isinstance(results, tuple) else (results,)))

    def code(self, language, *more):
        """Text on standard output, or files."""
        args = self.case.args("generate", f"--lang={language}", "--no-search", f"--name={self.name}", "--compute=" + ",".join(self.jobs), *more)
        status, text, message = self.walk.run(args)
        if status != 0:
            raise SystemExit(f"{self.case.robot.name}: {message}")
        return text

    def by_oracle(self, function, results):
        """What differs from the walk's oracle, of jobs that take it little time."""
        job = self.listed[function.job]
        out = {f"{output['name']}_{function.job}": np.squeeze(result) if output["shape"] == "1" else result
               for output, result in zip(job["outputs"], results)}
        return [what for what, got, want, tolerance in outputs_of(job, self.case.expected(), out, self.case.robot.tool)
                if not np.abs(got - want).max(initial=0.0) <= 10 * tolerance * max(1.0, np.abs(want).max(initial=0.0))]
