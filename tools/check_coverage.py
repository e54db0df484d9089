#!/usr/bin/env python3
"""Holds docs/coverage.md to its word: every command in it runs, every test and page in it exists.

    python3 tools/check_coverage.py --catena build/catena [--self-test]
"""
import argparse
import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "coverage.md"


def rows(text):
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("| ") and not line.startswith("| ---") and not line.startswith("| of the text"):
            yield number, line


def registered_tests():
    """Names of tests: files tests/FOLDER/NAME.cpp, those of the command line with their folder, and add_test(NAME ...)."""
    names = {"cli/" + path.stem if path.parent.name == "cli" else path.stem for path in (ROOT / "tests").glob("*/*_test.cpp")}
    for listing in ROOT.glob("*/CMakeLists.txt"):
        names.update(re.findall(r"add_test\(\s*NAME\s+(\w+)", listing.read_text()))
    return names


def look(text, tests):
    """Problems of the page that need no program, and its commands."""
    problems, commands = [], []
    count = 0
    for number, line in rows(text):
        count += 1
        shown = line.split("|")[2]
        named = re.findall(r"`([^`]+)`", shown)
        pages = re.findall(r"\]\(([^)#]+)[^)]*\)", shown)
        if not named and not pages:
            problems.append(f"{number}: nothing shows it")
        for name in named:
            if name.startswith("catena "):
                commands.append((number, name))
            elif name not in tests:
                problems.append(f"{number}: no test '{name}'")
        for page in pages:
            if not (PAGE.parent / page).is_file():
                problems.append(f"{number}: no page {page}")
    if count < 60:
        problems.append(f"only {count} rows")
    return problems, commands


def run(program, number, command, folder):
    words = [program, *shlex.split(command)[1:]]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return f"{number}: {command}: takes too long"
    return None if done.returncode == 0 else f"{number}: {command}: {done.stderr.strip() or done.returncode}"


def check(program, text):
    problems, commands = look(text, registered_tests())
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        unique = {command: number for number, command in reversed(commands)}
        results = pool.map(lambda c: run(program, c[1], c[0], folder), unique.items())
        problems += [problem for problem in results if problem]
    return problems, len(commands)


def self_test(program):
    filler = "".join(f"| item {k} | `count_test` |\n" for k in range(60))
    for row, wanted in (("| a | `catena inverse nobody` |", "nobody"), ("| a | `gone_test` |", "no test 'gone_test'"),
                        ("| a | [x](gone.md) |", "no page gone.md"), ("| a | words |", "nothing shows it")):
        problems, _ = check(program, filler + row + "\n")
        if len(problems) != 1 or wanted not in problems[0]:
            sys.exit(f"check_coverage: self-test: {row} gave {problems}")
    if check(program, filler)[0]:
        sys.exit("check_coverage: self-test: a good page was refused")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--catena", required=True)
    parser.add_argument("--self-test", action="store_true")
    given = parser.parse_args()
    program = str(pathlib.Path(given.catena).resolve())
    if given.self_test:
        return self_test(program)
    problems, commands = check(program, PAGE.read_text())
    for problem in problems:
        print(f"docs/coverage.md:{problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"{commands} commands run")


if __name__ == "__main__":
    main()
