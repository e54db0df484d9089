#!/usr/bin/env python3
"""The recipes of docs/architecture.md work: in the program that was built by following them, the added job and the added
formulation are listed, counted, compared, generated, compiled, tabulated and completed, with the right numbers.

usage: check_adding.py --catena PROGRAM
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
    # The job: by differences of the kinetic energy.
    gradient = catena.json(f"gradient {state}")["dT_dq"]
    q, qd = [0.1, -1, 1, 0.2, 0.3, 0], "0.5,-0.4,0.3,0.2,0.1,0.6"
    expected = []
    for joint in range(6):
        ends = []
        for step in (1e-5, -1e-5):
            moved = [str(value + (step if k == joint else 0.0)) for k, value in enumerate(q)]
            ends.append(catena.json(f"energy ur5 --q={','.join(moved)} --qd {qd}")["kinetic_energy"])
        expected.append((ends[0] - ends[1]) / 2e-5)
    require(near(gradient, expected), f"dT_dq {gradient}, by differences {expected}")
    require("gradient" in [job["name"] for job in catena.json("jobs")["jobs"]], "jobs does not list it")
    require("gradient" in catena.run("--help"), "--help does not list it")
    require("dT_dq" in catena.run("gradient --help"), "no help of its own")
    require("gradient" in catena.run("completion bash"), "no completion")
    require(len(catena.json("methods --compute gradient")["methods"]) == 1, "methods")
    require(catena.json("count --n 6 --compute gradient --method progressive")["online"]["multiplications"] > 0, "count")
    require(catena.json("compare ur5 --compute gradient")["formulations"][0]["disagreement"] < 1e-12, "compare")
    compiled = catena.json(f"gradient {state} --engine compiled")
    require(compiled["engine"] == "compiled" and near(compiled["dT_dq"], gradient), "compiled code")
    catena.run("generate ur5 --compute gradient --name arm -o arm.c")
    require("arm_gradient(" in (folder / "arm.h").read_text(encoding="utf-8"), "generated code")
    require("dT_dq1 =" in catena.run("equations planar2r --compute gradient --format text --symbols none"), "equations")
    (folder / "states.csv").write_text("q1,q2,qd1,qd2\n0.1,0.2,1,2\n0.3,0.4,3,4\n", encoding="utf-8")
    table = catena.run("run planar2r --compute gradient,inertia --states states.csv").splitlines()
    require(table[0].startswith("dT_dq1,dT_dq2,M1_1,M1_2") and len(table) == 3, f"table {table}")
    # The formulation.
    names = [f["name"] for f in catena.json("methods --compute energy")["methods"]]
    require(names == ["kinematics", "inertia"], f"methods of energy: {names}")
    one, other = catena.json(f"energy {state}"), catena.json(f"energy {state} --method inertia")
    require(near([one["kinetic_energy"], one["potential_energy"]], [other["kinetic_energy"], other["potential_energy"]]),
            f"{one} and {other}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            check(Program(arguments.catena, folder), folder)
        except AssertionError as error:
            print(error)
            return 1
    print("the added job and the added formulation are everywhere")
    return 0


if __name__ == "__main__":
    sys.exit(main())
