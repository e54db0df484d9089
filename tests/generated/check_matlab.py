#!/usr/bin/env python3
"""Every job of robots of every kind as MATLAB code, run by Octave in one process, against the program's own numbers and the oracle.

usage: check_matlab.py --catena PROGRAM
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from kinds import BY_ORACLE, Kind, Walk, all_kinds

TOLERANCE = 1e-9

SCRIPT = """1;
function show(value)
  printf(" %d %d", rows(value), columns(value));
  printf(" %.17g", value.');
  printf("\\n");
end
"""


def numbers(values):
    return "[" + ", ".join(f"{v:.17g}" for v in np.ravel(values)) + "]"


def script_of(kinds):
    """Calls of everything, vectors as rows and as columns in turn; wrong sizes are refused."""
    text = SCRIPT
    for kind in kinds:
        for k, function in enumerate(kind.functions):
            given = ", ".join(numbers(a) + ("'" if k % 2 else "") for a in function.arguments)
            names = [f"x{i}" for i in range(len(function.results))]
            text += f"[{', '.join(names)}] = {function.name}({given});\n" + "".join(f"show({name});\n" for name in names)
    first = kinds[0].functions[0]
    wrong = ", ".join(["[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]"] + [numbers(a) for a in first.arguments[1:]])
    return text + f"try\n  {first.name}({wrong});\n  disp('taken');\ncatch problem\n  disp(problem.message);\nend\ndisp('done');\n"


def read(line, like):
    """A vector is a column in MATLAB and has one dimension in NumPy."""
    rows, columns, *values = line.split()
    values = np.array([float(v) for v in values]).reshape(int(rows), int(columns))
    return values[:, 0] if like.ndim == 1 and values.shape[1] == 1 else values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True, help="the program")
    options = parser.parse_args()
    octave = shutil.which("octave-cli") or shutil.which("octave")
    if octave is None:
        sys.exit("check_matlab.py: no octave: tools/install_dependencies.sh test")
    failures, worst, compared = [], 0.0, 0
    with tempfile.TemporaryDirectory(prefix="matlab") as folder:
        folder = pathlib.Path(folder)
        walk = Walk(str(pathlib.Path(options.catena).resolve()), folder)
        kinds = [Kind(walk, robot, k) for k, robot in enumerate(all_kinds())]
        for kind in kinds:
            kind.code("matlab", "-o", str(folder / "code"))
        (folder / "calls.m").write_text(script_of(kinds))
        done = subprocess.run([octave, "--norc", "--no-gui", "--path", str(folder / "code"), str(folder / "calls.m")], capture_output=True, text=True,
                              timeout=300)
        if done.returncode != 0 or "done" not in done.stdout[-10:]:
            sys.exit(f"octave ended with {done.returncode}: {done.stderr[-3000:]}")
        lines = iter(done.stdout.splitlines())
        for kind in kinds:
            for function in kind.functions:
                results = [read(next(lines), like) for like in function.results]
                off = function.disagreement(results)
                worst, compared = max(worst, off), compared + 1
                if not off <= TOLERANCE:
                    failures.append(f"{kind.case.robot.name}: {function.job} is off by {off:.3g}")
                if function.job in BY_ORACLE:
                    failures += [f"{kind.case.robot.name}: {what} is not the oracle's" for what in kind.by_oracle(function, results)]
        if (said := next(lines)) != f"{first_input(kinds)} must have {len(kinds[0].functions[0].arguments[0])} entries, not [1 11]":
            failures.append(f"eleven positions: {said}")
    print(*failures, f"matlab: {compared} functions of {len(kinds)} robots, largest difference {worst:.2g}", sep="\n")
    sys.exit(1 if failures else 0)


def first_input(kinds):
    return kinds[0].listed[kinds[0].functions[0].job]["inputs"][0]


if __name__ == "__main__":
    main()
