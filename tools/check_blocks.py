#!/usr/bin/env python3
"""What the pages show runs: every `catena …` of the README's and docs/'s blocks ends well, in a folder with the files that the
pages speak of; every block of C++ in docs/ stands in tests/jobs/documents_test.cpp, line by line (the recipes of docs/contributing.md
are followed by tools/check_adding.py, docs/cpp.md is compared by tools/check_readme.py, Python by tests/python/test_documents.py). In the
lessons of docs/tutorial each console block also prints what the page shows (numbers to one percent: compilers and steps differ),
and a block after "Save this as `NAME`:" is that file.

usage: check_blocks.py --catena PROGRAM [--self-test]
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check_readme import same_lines, sessions

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIKE_A_SHELL = {"", "sh", "console"}
COMMAND = re.compile(r"(?:\$ )?((?:printf .*|python3 examples/.*|(?:CATENA_\w+=\S+ )?(?:build/)?catena .*))")
FINDS_PROBLEMS = re.compile(r"catena check .*models/\*")  # a shipped robot has an inertia as its paper prints it


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text):
    """(line, language, text) of every one."""
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, found.start()) + 2, found[1], found[2]


def commands(text):
    """(line, command) of every one that stands there in full: `…` stands for what the reader puts in."""
    for start, language, block in blocks(text):
        if language not in LIKE_A_SHELL:
            continue
        joined = re.sub(r"\\\n\s*", " ", block)
        for offset, line in enumerate(joined.splitlines()):
            found = COMMAND.match(line.strip())
            if found and "…" not in line and "--device" not in line:  # no device here
                yield start + offset, found[1].replace("build/catena", "catena").split(" && pdflatex")[0]


def prepare(folder, program):
    """The files that a reader of the pages has; a reader of the README makes his own."""
    for name in ("examples", "models"):
        os.symlink(ROOT / name, folder / name)
    (folder / "bin").mkdir()
    os.symlink(pathlib.Path(program).resolve(), folder / "bin" / "catena")
    (folder / ".config" / "fish" / "completions").mkdir(parents=True)
    for name in ("my_robot.urdf", "gripper.urdf", "arm.urdf"):
        shutil.copy(ROOT / "examples" / "two_link.urdf", folder / name)
    shutil.copy(ROOT / "examples" / "crucible.toml", folder / "bucket.toml")
    (folder / "gantry.urdf").write_text(
        '<robot name="gantry"><link name="rail"/><link name="carriage"><inertial><mass value="9"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="along" type="prismatic">'
        '<parent link="rail"/><child link="carriage"/><axis xyz="1 0 0"/><limit lower="0" upper="3" effort="900" velocity="2"/>'
        "</joint></robot>")
    (folder / "pushes.csv").write_text("t,fx,fy,fz,mx,my,mz\n0,0,0,0,0,0,0\n1,0,0,-5,0,0,0\n")
    (folder / "waves.csv").write_text("t,vx,vy,vz,wx,wy,wz\n0,0,0,0,0,0,0\n10,0,0,0.1,0,0.1,0\n20,0,0,0,0,0,0\n")
    rows = range(800)
    wave = lambda k, j: math.sin(0.01 * k * (1.0 + 0.3 * j)) + 0.3 * math.sin(0.03 * k + j)  # noqa: E731
    (folder / "log.csv").write_text("\n".join(
        [",".join(["t", *(f"actual_q_{j}" for j in range(6)), *(f"actual_current_{j}" for j in range(6))])] +
        [",".join(f"{x:.9g}" for x in [0.01 * k, *(wave(k, j) for j in range(6)), *(3 * wave(k, j) for j in range(6))]) for k in rows]) + "\n")
    (folder / "signals.csv").write_text("t,a\n" + "".join(f"{0.01 * k:.9g},{wave(k, 1):.9g}\n" for k in rows))
    run = [
        "catena trajectory ur5 --to 1,-1,1,0,0,0 --time 2 -o motion.npy",
        "catena simulate planar2r --time 1 -o run.csv",
        "catena excite panda --time 10 --starts 1 --steps 20 -o excited.csv",
        "catena inverse panda --states excited.csv -o torques.csv && paste -d, excited.csv torques.csv > measured.csv && cp measured.csv raw.csv",
        "catena excite ur5 --time 10 --starts 1 --steps 1 --samples 61 -o some.csv && cut -d, -f2-7 some.csv > q.csv && "
        "catena pose ur5 --states q.csv -o T.csv && paste -d, q.csv T.csv > poses.csv && cp poses.csv others.csv",
    ]
    for command in run:
        problem = ends_well(command, folder)
        if problem:
            sys.exit(f"check_blocks: while preparing: {problem}")


def ends_well(command, folder):
    """None, or what went wrong."""
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder)}
    try:
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return f"{command}: takes too long"
    allowed = {0, 2} if FINDS_PROBLEMS.match(command) else {0}
    return None if done.returncode in allowed else f"{command}: exit status {done.returncode}: {done.stderr.strip()}"


def saved(text):
    """(name, text) of the files that the page asks its reader to save."""
    return re.findall(r"^Save this as `([\w.]+)`:\n\n```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def prints(command, expected, folder):
    """None, or how what a command of a lesson prints differs from what stands there."""
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder)}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode == 0 and same_lines(expected.splitlines(), done.stdout.splitlines(), 1e-2, 1e-7):
        return None
    return f"{command}: exit status {done.returncode}, prints\n{done.stdout}where the page has\n{expected}"


def lesson(text, folder):
    """(line, problem or None) of every command of a lesson."""
    for steps in sessions(text):
        for command, expected in steps:
            yield text.count("\n", 0, text.find(f"$ {command}\n")) + 1, prints(re.sub(r"\\\n\s*", " ", command), expected, folder)


def check_page(name, text, made):
    """Its commands one after the other, in a folder of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "reader"
        shutil.copytree(made, folder, symlinks=True)
        for file, content in saved(text):
            (folder / file).write_text(content, encoding="utf-8")
        if name.startswith("docs/tutorial/"):
            ended = list(lesson(text, folder))
        else:
            ended = [(line, ends_well(command, folder)) for line, command in commands(text)]
    return [f"{name}:{line}: {problem}" for line, problem in ended if problem], len(ended)


def check_commands(texts, program):
    with tempfile.TemporaryDirectory() as made, concurrent.futures.ThreadPoolExecutor(2) as pool:
        prepare(pathlib.Path(made), program)
        results = list(pool.map(lambda page: check_page(*page, made), texts.items()))
    return [problem for problems, _ in results for problem in problems], sum(count for _, count in results)


def bare(lines):
    return [line.strip() for line in lines if line.strip() and not line.startswith("#include")]


def check_cpp(texts):
    tested = "\n".join(bare((ROOT / "tests" / "jobs" / "documents_test.cpp").read_text(encoding="utf-8").splitlines()))
    return [f"{name}:{line}: not in tests/jobs/documents_test.cpp, line by line" for name, text in texts.items()
            for line, language, block in blocks(text)
            if language == "cpp" and name not in ("docs/cpp.md", "docs/contributing.md") and "\n".join(bare(block.splitlines())) not in tested]


def self_test(program):
    good = "```\ncatena info ur5\n```\n"
    for text, wanted in ((good, 0), (good + "```sh\ncatena info nobody\n```\n", 1), ("```console\n$ catena inverse ur5 \\\n  --nothing\n```\n", 1)):
        problems, _ = check_commands({"page.md": text}, program)
        if len(problems) != wanted:
            sys.exit(f"check_blocks: self-test: {text!r} gave {problems}")
    shown = "Save this as `one.toml`:\n\n```toml\nmass = 1.001\n```\n\n```console\n$ cat one.toml\nmass = %s\n```\n"
    for number, wanted in (("1.0", 0), ("1.1", 1)):
        problems, _ = check_commands({"docs/tutorial/page.md": shown % number}, program)
        if len(problems) != wanted:
            sys.exit(f"check_blocks: self-test: {shown % number!r} gave {problems}")
    if len(check_cpp({"docs/page.md": "```cpp\nno_such_call();\n```\n"})) != 1:
        sys.exit("check_blocks: self-test: C++ that no test has was taken")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--catena", required=True)
    parser.add_argument("--self-test", action="store_true")
    given = parser.parse_args()
    if given.self_test:
        return self_test(given.catena)
    texts = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages()}
    problems, count = check_commands(texts, given.catena)
    problems += check_cpp(texts)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems or count < 80:
        sys.exit(f"{count} commands, {len(problems)} problems")
    print(f"{count} commands run")


if __name__ == "__main__":
    main()
