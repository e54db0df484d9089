#!/usr/bin/env python3
"""The recipes of docs/contributing.md work: in the programs that were built by following them, the added job and
formulation are listed, counted, compared, generated, compiled, tabulated and completed, the format is read and written, the
command and the front end run, with the right numbers.

usage: check_adding.py --catena PROGRAM --lines PROGRAM
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, line):
        result = subprocess.run([self.path, *line.split()], cwd=self.folder, text=True, capture_output=True, check=False,
                                env={"PATH": "/usr/bin:/bin", "CATENA_MODELS": str(ROOT / "models"),
                                     "CATENA_CACHE_DIR": str(self.folder / "cache")})
        if result.returncode != 0:
            raise AssertionError(f"catena {line}: status {result.returncode}: {result.stderr}")
        return result.stdout

    def json(self, line):
        return json.loads(self.run(line + " --json"))


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def near(a, b):
    return len(a) == len(b) and all(math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-6) for x, y in zip(a, b))


def check(catena, folder):
    state = "ur5 --q 0.1,-1,1,0.2,0.3,0 --qd 0.5,-0.4,0.3,0.2,0.1,0.6"
    # The job: M q̇, and pulled back where joints are coupled.
    momenta = catena.json(f"momenta {state}")["p"]
    qd = [0.5, -0.4, 0.3, 0.2, 0.1, 0.6]
    M = catena.json("inertia ur5 --rigid --q 0.1,-1,1,0.2,0.3,0")["M"]
    require(near(momenta, [sum(m * v for m, v in zip(row, qd)) for row in M]), f"p {momenta}")
    require("momenta" in [job["name"] for job in catena.json("jobs")["jobs"]], "jobs does not list it")
    require("momenta" in catena.run("--help"), "--help does not list it")
    require("p" in catena.run("momenta --help"), "no help of its own")
    require("momenta" in catena.run("completion bash"), "no completion")
    require(len(catena.json("methods --compute momenta")["methods"]) == 1, "methods")
    require(catena.json("count --n 6 --compute momenta --method inertia")["online"]["multiplications"] > 0, "count")
    require(catena.json("compare ur5 --compute momenta")["formulations"][0]["disagreement"] < 1e-12, "compare")
    compiled = catena.json(f"momenta {state} --engine compiled")
    require(compiled["engine"] == "compiled" and near(compiled["p"], momenta), "compiled code")
    catena.run("generate ur5 --compute momenta --name arm -o arm.c")
    require("arm_momenta(" in (folder / "arm.h").read_text(encoding="utf-8"), "generated code")
    require("p1 =" in catena.run("equations planar2r --compute momenta --format text --symbols none"), "equations")
    (folder / "states.csv").write_text("q1,q2,qd1,qd2\n0.1,0.2,1,2\n0.3,0.4,3,4\n", encoding="utf-8")
    table = catena.run("run planar2r --compute momenta,inertia --states states.csv").splitlines()
    require(table[0].startswith("p1,p2,M1_1,M1_2") and len(table) == 3, f"table {table}")
    # The formulation.
    names = [f["name"] for f in catena.json("methods --compute energy")["methods"]]
    require(names == ["kinematics", "inertia"], f"methods of energy: {names}")
    one, other = catena.json(f"energy {state}"), catena.json(f"energy {state} --method inertia")
    require(near([one["kinetic_energy"], one["potential_energy"]], [other["kinetic_energy"], other["potential_energy"]]),
            f"{one} and {other}")
    # The format, by its ending and by how it begins.
    (folder / "two.pendulums").write_text("pendulums\n0.5 2\n0.25 1\n", encoding="utf-8")
    for model in ("two.pendulums", "two.txt"):
        (folder / "two.txt").write_text((folder / "two.pendulums").read_text(encoding="utf-8"), encoding="utf-8")
        tau = catena.json(f"gravity {model} --q 0.3,0.2")["g"]
        expected = [9.81 * (2 * 0.5 * math.sin(0.3) + 0.5 * math.sin(0.3) + 0.25 * math.sin(0.5)), 9.81 * 0.25 * math.sin(0.5)]
        require(near(tau, expected), f"{model}: {tau}, not {expected}")
    catena.run("convert two.pendulums -o two.toml")
    require(catena.run("convert two.toml --to pendulums") == "pendulums\n0.5 2\n0.25 1\n", "written pendulums")
    # The command.
    require("weigh" in catena.run("--help") and "weigh" in catena.run("completion bash"), "weigh is not listed")
    require(catena.run("weigh two.pendulums") == "3 kg\n", "weigh")


def check_lines(path):
    """The front end: inverse dynamics of a planar arm, and a job that its author never heard of by name."""
    result = subprocess.run([path, str(ROOT / "models/planar2r.toml")], input="inverse 0.1 0.2 1 2 3 4\ninertia 0.1 0.2\n",
                            text=True, capture_output=True, check=False)
    rows = [[float(word) for word in line.split()] for line in result.stdout.splitlines()]
    require(result.returncode == 0 and [len(row) for row in rows] == [2, 4], f"lines: {rows} {result.stderr}")
    require(math.isclose(rows[1][1], rows[1][2]), "lines: the inertia matrix is not symmetric")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True)
    parser.add_argument("--lines", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            check(Program(arguments.catena, folder), folder)
            check_lines(arguments.lines)
        except AssertionError as error:
            print(error)
            return 1
    print("what the recipes add is everywhere")
    return 0


if __name__ == "__main__":
    sys.exit(main())
