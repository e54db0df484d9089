#!/usr/bin/env python3
"""Runs every command with the programs of two systems and compares what they print and write: numbers, words, files, the lines
about bad input.

usage: compare.py --linux PROGRAM --windows PROGRAM [--only COMMAND]

The second program may be a script that starts the first one's twin elsewhere, as wine.py makes. Exit status 1 where they differ.
"""

import argparse
import io
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True

import cases

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
TOLERANCE = 1e-12
BAD_ROBOT = 'name = "bad"\n[[link]]\nname = "a"\nmas = 1\n'
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UMLAUT = "Größe und Maß"


def sines():
    """A motion of two joints that shows all their parameters."""
    out = ["q1,q2,qd1,qd2,qdd1,qdd2"]
    for k in range(400):
        rows = [[a * w ** d * math.sin(w * 0.01 * k + phase + d * math.pi / 2) for a, w, phase in joint] for d in range(3)
                for joint in (((0.8, 3.1, 0), (0.3, 7.3, 1)), ((0.7, 4.7, 0.5), (0.4, 9.1, 0)))]
        out.append(",".join(repr(sum(terms)) for terms in rows))
    return "\n".join(out) + "\n"


class Side:
    """One program in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        folder.mkdir()
        robot = (ROOT / "models" / "planar2r.toml").read_text(encoding="utf-8")
        for name in (UMLAUT, "mixed", "mixed/sub"):
            (folder / name).mkdir()
        for name in (f"{UMLAUT}/robot.toml", "mixed/robot.toml"):
            (folder / name).write_text(robot, encoding="utf-8")
        (folder / "crlf.toml").write_bytes(robot.replace("\n", "\r\n").encode())
        (folder / "bad.toml").write_text(BAD_ROBOT)
        (folder / "empty.toml").write_text("")
        (folder / "planar_motion.csv").write_text(sines())
        (folder / "bad.csv").write_text("q1,q2,q3,q4,q5,q6\n1,2,3,4,5,x\n")

    def run(self, line):
        words = [word.replace("{u}", UMLAUT) for word in shlex.split(line.replace("\\", "\\\\"))]
        environment = {**os.environ, "CATENA_LEVEL": "baseline", "CATENA_MODELS": str(ROOT / "models"),
                       "CATENA_PAGE": str(ROOT / "build" / "page" / "page.html")}
        done = subprocess.run([self.program, *words], cwd=self.folder, env=environment, capture_output=True, timeout=600)
        return done.returncode, done.stdout, done.stderr

    def files(self):
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.is_file()}


def numbers_of(text):
    """The words and the numbers of a text, apart."""
    return NUMBER.sub("#", text), [float(number) for number in NUMBER.findall(text)]


def different_numbers(a, b, tolerance):
    if len(a) != len(b):
        return f"{len(a)} and {len(b)} numbers"
    scale = max((abs(x) for x in a if x == x and abs(x) < 1e300), default=0.0)
    worst = 0.0
    for x, y in zip(a, b):
        if x != y and not (x != x and y != y):
            worst = max(worst, abs(x - y) / max(1.0, abs(x), min(scale, 1e6)))
    return f"numbers differ by {worst:.1e}" if worst > tolerance else ""


def different_text(a, b, tolerance):
    (words, numbers), (others, own) = (numbers_of(re.sub(r"looked in [^)\n]*", "looked in", text)) for text in (a, b))
    if words != others:
        at = next((k for k, (x, y) in enumerate(zip(words, others)) if x != y), min(len(words), len(others)))
        return f"texts differ: …{words[max(0, at - 30):at + 60]!r} and …{others[max(0, at - 30):at + 60]!r}"
    return different_numbers(numbers, own, tolerance)


def arrays(content):
    """The headers and the numbers of an .npy or .npz file."""
    import numpy
    loaded = numpy.load(io.BytesIO(content))
    both = {"": loaded} if isinstance(loaded, numpy.ndarray) else dict(loaded)
    names = [(name, array.dtype.str, array.shape) for name, array in both.items()]
    return names, [float(x) for array in both.values() for x in array.ravel()]


def different_content(name, a, b, tolerance):
    if a == b:
        return ""
    if name.endswith((".npy", ".npz")):
        (names, numbers), (others, own) = arrays(a), arrays(b)
        return f"headers differ: {names} and {others}" if names != others else different_numbers(numbers, own, tolerance)
    if name.endswith((".fmu", ".zip")):
        return "" if zipfile.ZipFile(io.BytesIO(a)).namelist() == zipfile.ZipFile(io.BytesIO(b)).namelist() else "members differ"
    return different_text(a.decode(), b.decode(), tolerance)


def shape_of(value):
    """The keys of a JSON text, without its numbers."""
    if isinstance(value, dict):
        return {key: shape_of(entry) for key, entry in value.items()}
    return "list" if isinstance(value, list) else type(value).__name__


def compare(sides, line, tolerance=TOLERANCE, what="numbers", other=None):
    """What is different after both have run a line; an empty text where nothing is."""
    (status, out, err), (own_status, own_out, own_err) = (side.run(text) for side, text in zip(sides, (line, other or line)))
    if status != own_status:
        return f"status {status} and {own_status}: {err.decode()[-300:]!r} and {own_err.decode()[-300:]!r}"
    if what == "status":
        return "" if err.count(b"\n") == own_err.count(b"\n") else f"{err.decode()!r} and {own_err.decode()!r}"
    if b"\r" in own_out + own_err:
        return "a carriage return is printed"
    if what == "shape":
        return "" if shape_of(json.loads(out)) == shape_of(json.loads(own_out)) else "the shapes of the results differ"
    for a, b in ((out, own_out), (err, own_err)):
        text = b.decode()
        if other:
            text = text.replace("\\\\", "/").replace("\\", "/").replace("./mixed", "mixed")
        if found := different_text(a.decode(), text, tolerance):
            return found
    files, own = sides[0].files(), sides[1].files()
    if set(files) != set(own):
        return f"files differ: {sorted(set(files) ^ set(own))}"
    for name in files:
        if what == "bytes" and name in line and files[name] != own[name]:
            return f"the bytes of {name} differ"
        if found := different_content(name, files[name], own[name], max(tolerance, 1e-6)) if name not in line else \
                different_content(name, files[name], own[name], tolerance):
            return f"{name}: {found}"
    return ""


def job_lines(side):
    """Every job on every robot, at one state."""
    listed = json.loads(side.run("jobs --json")[1])["jobs"]
    for robot in cases.ROBOTS:
        about = json.loads(side.run(f"info {robot} --json")[1])
        sizes = {"q": len(about["positions"]), "qd": about["dof"], "qdd": about["dof"], "tau": about["dof"]}
        for job in listed:
            words = [job["name"], robot, "--json"]
            for name in job["inputs"]:
                if name in sizes:
                    words.append(f"--{name}=" + ",".join(f"{0.1 * (k + 1) * (-1) ** k:.3g}" for k in range(sizes[name])))
            yield " ".join(words)


def lines(side, only):
    """(command line, tolerance, what, the line of the second program)"""
    ordered = sorted(cases.COMMANDS, key=lambda name: name not in cases.FIRST)
    for name in ordered:
        if only in (None, name):
            for entry in cases.COMMANDS[name]:
                line, tolerance, what = entry if isinstance(entry, tuple) else (entry, TOLERANCE, "numbers")
                yield line, tolerance, what, None
    if only is None:
        for line in [*job_lines(side), *cases.BAD_INPUT, *cases.NAMES]:
            yield line, TOLERANCE, "numbers", None
        for line, other in cases.BACKSLASHES:
            yield line, TOLERANCE, "numbers", other


def planar_table(folder):
    """A table for `identify`: motion and torques side by side."""
    rows = [(folder / name).read_text().splitlines() for name in ("planar_motion.csv", "planar_torques.csv")]
    (folder / "planar.csv").write_text("".join(f"{a},{b}\n" for a, b in zip(*(drop_time(r, k) for k, r in enumerate(rows)))))


def drop_time(rows, k):
    """Without the time of the second table."""
    return rows if k == 0 or not rows[0].startswith("t,") else [row.split(",", 1)[1] for row in rows]


def first_torques(sides):
    """How far the first torques are apart; 0: the same bits."""
    line = "inverse ur5 --q 0.3,-1,1,0.2,0.1,0.4 --qd 0.1,0.2,0.3,0.4,0.5,0.6 --qdd 1,1,1,1,1,1 --json"
    one, two = (json.loads(side.run(line)[1])["tau"] for side in sides)
    return max(abs(a - b) for a, b in zip(one, two)), one[0], two[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linux", required=True)
    parser.add_argument("--windows", required=True)
    parser.add_argument("--only", help="this command alone")
    options = parser.parse_args()
    failures, count = [], 0
    with tempfile.TemporaryDirectory(prefix="catena windows") as folder:
        sides = [Side(str(pathlib.Path(program).resolve()), pathlib.Path(folder) / name)
                 for name, program in (("one", options.linux), ("two", options.windows))]
        listed = re.findall(r"^  (\S+)", sides[0].run("--help")[1].decode().split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)
        jobs = [job["name"] for job in json.loads(sides[0].run("jobs --json")[1])["jobs"]]
        failures += [f"{name}: a command that nobody compares" for name in set(listed) - set(jobs) - set(cases.COMMANDS)]
        for line, tolerance, what, other in lines(sides[0], options.only):
            count += 1
            if found := compare(sides, line, tolerance, what, other):
                failures.append(f"catena {other or line}: {found}")
            if "planar_torques" in line:
                for side in sides:
                    planar_table(side.folder)
        apart, one, two = first_torques(sides)
        print(f"inverse ur5: first torque {one!r} and {two!r}; all within {apart:.1e}")
        failures += ["inverse ur5: torques differ by more than 1e-14 of the largest"] if apart > 1e-12 else []
    for failure in failures:
        print(failure)
    print(f"compare: {count} command lines, {len(failures)} differences")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
