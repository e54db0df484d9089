#!/usr/bin/env python3
"""Every job of robots of every kind as C code, run by Valgrind: no read or write beyond an array, no value that nobody wrote, all
results written; and the program's own numbers.

usage: check_valgrind.py --catena PROGRAM [--self-test]

--self-test: code that reads one entry too many, and code that leaves one result out, are found.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from kinds import Kind, Walk, all_kinds

TOLERANCE = 1e-9
LONGEST = 5000 if "CATENA_NIGHTLY" in os.environ else 400  # lines of a job's code

START = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *copy(const double *values, size_t count) { return memcpy(malloc(count * sizeof *values), values, count * sizeof *values); }
static void show(const double *values, size_t count) {
  for (size_t k = 0; k < count; ++k) printf("%.17g ", values[k]);
  printf("\\n");
}
"""


def program_of(kinds):
    """A program that calls everything with arrays of exactly the lengths that the header states."""
    text, calls = START, ""
    for kind in kinds:
        text += f'#include "{kind.name}.h"\n'
        for function in kind.functions:
            calls += "  {\n"
            for k, given in enumerate(function.arguments):
                values = ", ".join(f"{v:.17g}" for v in np.ravel(given))
                calls += f"    const double v{k}[] = {{{values}}};\n    double *a{k} = copy(v{k}, {np.size(given)});\n"
            for k, result in enumerate(function.results):
                calls += f"    double *r{k} = malloc({np.size(result)} * sizeof *r{k});\n"
            names = [f"a{k}" for k in range(len(function.arguments))] + [f"r{k}" for k in range(len(function.results))]
            calls += f"    {function.name}({', '.join(names)});\n"
            calls += "".join(f"    show(r{k}, {np.size(result)});\n" for k, result in enumerate(function.results))
            calls += "".join(f"    free({name});\n" for name in names) + "  }\n"
    return f"{text}\nint main(void) {{\n{calls}  return 0;\n}}\n"


def run(folder, kinds):
    """What Valgrind says, and what the program prints."""
    (folder / "main.c").write_text(program_of(kinds))
    sources = ["main.c", *(f"{kind.name}.c" for kind in kinds)]
    subprocess.run(["cc", "-std=c99", "-g", "-O0", "-o", "main", *sources, "-lm"], cwd=folder, check=True)
    done = subprocess.run(["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "./main"], cwd=folder, capture_output=True, text=True)
    return done.stderr if done.returncode else "", done.stdout


def self_test(folder, kinds):
    """Breaks the code of the first robot in two ways."""
    file = folder / f"{kinds[0].name}.c"
    sound = file.read_text()
    # The first job takes q first; its last entry is read as the one behind it. The last statement that writes a result is dropped.
    nq = np.size(kinds[0].functions[0].arguments[0])
    for what, broken in (("a read too far", re.sub(rf"\bq\[{nq - 1}\]", f"q[{nq}]", sound)), ("no result", re.sub(r"\n\s*tau\[0\] = [^;]+;", "", sound, count=1))):
        if broken == sound:
            sys.exit(f"check_valgrind.py: the code has no place for {what}")
        file.write_text(broken)
        if not run(folder, kinds[:1])[0]:
            sys.exit(f"check_valgrind.py: {what} was not found")
    print("valgrind: both mistakes found")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True, help="the program")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("check_valgrind.py: no valgrind: tools/install_dependencies.sh test")
    with tempfile.TemporaryDirectory(prefix="valgrind") as folder:
        folder = pathlib.Path(folder)
        walk = Walk(str(pathlib.Path(options.catena).resolve()), folder)
        robots = list(all_kinds())[1:2] if options.self_test else all_kinds()  # the first with all jobs
        kinds = [Kind(walk, robot, k, LONGEST) for k, robot in enumerate(robots)]
        for kind in kinds:
            kind.code("c", "-o", str(folder / f"{kind.name}.c"))
        if options.self_test:
            return self_test(folder, kinds)
        said, printed = run(folder, kinds)
        failures = [said[:3000]] if said else []
        lines, worst, compared = iter(printed.splitlines()), 0.0, 0
        for kind in kinds if not said else []:
            for function in kind.functions:
                results = [np.array(next(lines).split(), dtype=float).reshape(like.shape) for like in function.results]
                off = function.disagreement(results)
                worst, compared = max(worst, off), compared + 1
                if not off <= TOLERANCE:
                    failures.append(f"{kind.case.robot.name}: {function.job} is off by {off:.3g}")
    print(*failures, f"valgrind: {compared} functions of {len(kinds)} robots, largest difference {worst:.2g}", sep="\n")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
