#!/usr/bin/env python3
"""The first pages tell the truth: the first C++ block of docs/cpp.md is examples/first_torques.cpp, letter by letter; every command
of the README's console blocks prints what is shown below it (numbers to nine digits: compilers differ in the last ones), where a
line of `…` stands for any number of lines; and none of the README's blocks has more than five lines.

usage: check_readme.py [--catena PROGRAM] [--first-torques PROGRAM]
"""

import argparse
import difflib
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = r"([-+]?\d+\.?\d*(?:[eE][-+]?\d+)?)"
ROOT = pathlib.Path(__file__).resolve().parent.parent


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def difference(expected, actual, expected_name, actual_name):
    return "".join(difflib.unified_diff(expected.splitlines(keepends=True), actual.splitlines(keepends=True),
                                        expected_name, actual_name))


def same_line(expected, actual, relative=1e-9, absolute=1e-9):
    """Equal but for spaces and the last digits of numbers."""
    words, others = (re.split(NUMBER, " ".join(line.split())) for line in (expected, actual))
    return len(words) == len(others) and all(
        math.isclose(float(a), float(b), rel_tol=relative, abs_tol=absolute) if k % 2 else a == b
        for k, (a, b) in enumerate(zip(words, others)))


def same_lines(expected, actual, *tolerances):
    if not expected:
        return not actual
    if expected[0] == "…":
        return any(same_lines(expected[1:], actual[k:], *tolerances) for k in range(len(actual) + 1))
    return bool(actual) and same_line(expected[0], actual[0], *tolerances) and same_lines(expected[1:], actual[1:], *tolerances)


def sessions(text):
    """(command, expected output) of every console block, block by block."""
    for block in blocks(text, "console"):
        steps = re.split(r"^\$ ", block, flags=re.MULTILINE)
        yield [re.split(r"(?<!\\)\n", step, maxsplit=1) for step in steps if step]


def check_sessions(text, programs):
    count = 0
    for steps in sessions(text):
        with tempfile.TemporaryDirectory() as folder:
            # Commands name files as seen from the root of the source tree; what they write lands beside links to it.
            for entry in ("examples", "models"):
                os.symlink(ROOT / entry, pathlib.Path(folder, entry))
            for name, program in programs.items():
                link = pathlib.Path(folder, name)
                link.parent.mkdir(parents=True, exist_ok=True)
                os.symlink(pathlib.Path(program).resolve(), link)
            for command, expected in steps:
                result = subprocess.run(command, shell=True, cwd=folder, text=True, capture_output=True, check=False)
                count += 1
                if result.returncode != 0 or not same_lines(expected.splitlines(), result.stdout.splitlines()):
                    yield (f"README: `{command}` (exit status {result.returncode}) prints otherwise:\n"
                           + difference(expected, result.stdout, "README.md", "printed") + result.stderr)
    print(f"{count} commands of the README run")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--catena")
    parser.add_argument("--first-torques")
    arguments = parser.parse_args()
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    problems = []
    shown = blocks((ROOT / "docs/cpp.md").read_text(encoding="utf-8"), "cpp")[0]
    example = (ROOT / "examples/first_torques.cpp").read_text(encoding="utf-8")
    if shown != example:
        problems.append(difference(example, shown, "examples/first_torques.cpp", "docs/cpp.md"))
    problems += [f"README: more than five lines in one block:\n{block}" for block in blocks(text, r"\w+") if block.count("\n") > 5]
    given = {"build/catena": arguments.catena, "build/examples/first_torques": arguments.first_torques}
    programs = {name: program for name, program in given.items() if program}
    if programs:
        problems += check_sessions(text, programs)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
