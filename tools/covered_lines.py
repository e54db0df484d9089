#!/usr/bin/env python3
"""Which lines and branches of include/ and src/ the tests run.

  covered_lines.py BUILD REPORT [--least PERCENT] [--no-run] | --self-test

BUILD is a build folder of the preset `coverage`, with library_tests, cli_tests, c_api_test and the program. Runs them, asks gcov
what has run, prints lines and branches by folder, and writes REPORT: by file, every line that did not run, with the reason that
covered_lines.txt knows. The status is 1 where a test fails, or where fewer lines than PERCENT ran. --no-run: what has run so far.

A line of a template is compiled for many types: it has run where one of them has. So has a branch; those that only exceptions
take are not counted. What is instantiated nowhere has no lines.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
LOOKED_AT = ("include", "src")
PARTS = 24  # processes of a test program: what one of them breaks ends its part alone
FLAGS = {"GTEST_BRIEF": "1", "CATENA_EVERY": "11"}  # one robot runs the lines that ten others run


# --- running ---

def programs(build):
    """Each a name, its words and its environment."""
    for name in ("library_tests", "cli_tests"):
        for part in range(PARTS):
            shard = {"GTEST_TOTAL_SHARDS": str(PARTS), "GTEST_SHARD_INDEX": str(part)}
            yield f"{name} {part + 1}/{PARTS}", [str(build / "tests" / name)], {**FLAGS, **shard}
    yield "c_api_test", [str(build / "tests" / "c" / "c_api_test")], {}
    yield "walk --quick", ["ctest", "--output-on-failure", "-R", "^walk_quick$"], {}


def run(build):
    """The names of those that failed; what they said is printed."""
    for counts in build.rglob("*.gcda"):
        counts.unlink()

    def one(program):
        name, words, more = program
        done = subprocess.run(words, env={**os.environ, **more}, cwd=build, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", check=False)
        return name, done.returncode, done.stdout

    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, said in pool.map(one, programs(build)):
            print(f"{name}: {'passed' if status == 0 else f'status {status}'}", flush=True)
            if status != 0:
                failed.append(name)
                print(said[-6000:], flush=True)
    return failed


# --- reading ---

def merge(into, more):
    """Lines of files: {file: {line: (how often, {how many branches: [each taken?]})}}."""
    for file, lines in more.items():
        own = into.setdefault(file, {})
        for number, (count, branches) in lines.items():
            had, known = own.get(number, (0, {}))
            for size, taken in branches.items():
                known[size] = [a or b for a, b in zip(known.get(size, [False] * size), taken)]
            own[number] = (max(had, count), known)
    return into


def lines_of(said, root):
    """Of what gcov says of an object file, the files below include/ and src/."""
    found = {}
    for file in said["files"]:
        path = pathlib.Path(os.path.normpath(os.path.join(said["current_working_directory"], file["file"])))
        if not path.is_relative_to(root):
            continue
        name = path.relative_to(root).as_posix()
        if not name.startswith(tuple(folder + "/" for folder in LOOKED_AT)):
            continue
        for line in file["lines"]:
            taken = [branch["count"] > 0 for branch in line["branches"] if not branch["throw"]]
            one = {name: {line["line_number"]: (line["count"], {len(taken): taken} if len(taken) > 1 else {})}}
            merge(found, one)
    return found


def read(notes, root):
    """What gcov knows of one object file."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", str(notes)], capture_output=True,
                          text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        merge(found, lines_of(json.loads(line), root))
    return found


def read_all(build, root):
    found = {}
    notes = sorted(path for path in build.rglob("*.gcno") if "CompilerId" not in str(path))
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for more in pool.map(read, notes, [root] * len(notes)):
            merge(found, more)
    return found


# --- saying ---

def branches_of(known):
    """A line that is compiled in several ways has the branches of the longest."""
    return known[max(known)] if known else []


def counts(lines):
    """Lines that ran, lines, branches taken, branches."""
    every = [branches_of(known) for _, known in lines.values()]
    return (sum(count > 0 for count, _ in lines.values()), len(lines), sum(sum(taken) for taken in every),
            sum(len(taken) for taken in every))


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def row(name, numbers):
    ran, lines, taken, branches = numbers
    return f"{name:32} {percent(ran, lines):6.1f} % of {lines:6} lines {percent(taken, branches):6.1f} % of {branches:6} branches"


def folder_of(name):
    parts = name.split("/")
    return "/".join(parts[:2 if parts[0] == "src" or len(parts) < 4 else 3]) if len(parts) > 2 else parts[0]


def by_folder(found):
    sums = collections.Counter()
    for name, lines in found.items():
        for where in (folder_of(name), name.split("/")[0], "all"):
            for k, number in enumerate(counts(lines)):
                sums[where, k] += number
    names = sorted({where for where, _ in sums} - {"all"}) + ["all"]
    return [(where, [sums[where, k] for k in range(4)]) for where in names]


def reasons(text):
    """What covered_lines.txt says: (pattern of files, pattern in a line or near it, the reason), the first that fits counts."""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" | ")]
        if len(parts) != 3:
            sys.exit(f"covered_lines.txt:{number}: FILES | PATTERN | REASON, not '{line}'")
        rules.append((parts[0], re.compile(parts[1]), parts[2]))
    return rules


def reason_of(name, text, number, rules):
    """The pattern is looked for in the line and, as a statement may take several, in the three before it."""
    near = "\n".join(text[max(0, number - 4):number])
    return next((reason for files, pattern, reason in rules if fnmatch.fnmatch(name, files) and pattern.search(near)), "")


def missed(name, lines, root, rules):
    """The lines of a file that did not run: number, text, reason."""
    text = (root / name).read_text(encoding="utf-8").splitlines()
    numbers = sorted(number for number, (count, _) in lines.items() if count == 0)
    return [(number, "".join(text[number - 1:number]), reason_of(name, text, number, rules)) for number in numbers]


def report(found, root, rules):
    """The table by folder, that by reason, and each file's lines that did not run."""
    table = [row(where, numbers) for where, numbers in by_folder(found)]
    files, why = [], collections.Counter()
    for name, lines in sorted(found.items(), key=lambda item: (folder_of(item[0]), item[0])):
        if gone := missed(name, lines, root, rules):
            files += ["", row(name, counts(lines))]
            files += [f"  {number:4}  {text}{f'   <- {reason}' if reason else ''}" for number, text, reason in gone]
            why.update(reason or "no reason is known" for _, _, reason in gone)
    return table + ["", *(f"{count:6}  {reason}" for reason, count in why.most_common())], files


# --- trying itself ---

SOURCE = """#include <cstdio>
template <class T>
T larger(T a, T b) {
  if (a > b)
    return a;
  return b;
}
void never() {
  std::puts("no");
}
"""
MAIN = """#include "src/small.hpp"
int main(int count, char**) {
  if (count > 5) never();
  return larger(count, 2) == 2 && larger(2.0, 1.0) == 2.0 ? 0 : 1;
}
"""


def self_test():
    """A small program: an instance runs a line that another does not, a function does not run."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        (root / "src").mkdir()
        (root / "src" / "small.hpp").write_text(SOURCE, encoding="utf-8")
        (root / "main.cpp").write_text(MAIN, encoding="utf-8")
        subprocess.run(["g++", "-std=c++20", "-O0", "--coverage", "-fprofile-abs-path", "main.cpp", "-o", "main"], cwd=root, check=True)
        silent = read_all(root, root)
        subprocess.run([str(root / "main")], check=True)
        found = read_all(root, root)
        ran = {number for number, (count, _) in found["src/small.hpp"].items() if count}
        wrong = [] if list(found) == ["src/small.hpp"] else [f"files: {list(found)}"]
        wrong += [] if ran == {3, 4, 5, 6} else [f"lines that ran: {ran}"]
        wrong += [] if set(found["src/small.hpp"]) - ran == {8, 9, 10} else [f"lines: {sorted(found['src/small.hpp'])}"]
        wrong += [] if counts(found["src/small.hpp"])[2:] == (2, 2) else ["branches of two instances"]
        wrong += [] if counts(silent["src/small.hpp"])[:3:2] == (0, 0) else ["a program that did not run"]
        rules = reasons("# files | near | why\nsrc/* | never\\(\\) | nobody asks\n")
        table, files = report(found, root, rules)
        wrong += [] if '     9    std::puts("no");   <- nobody asks' in files else ["the report"]
        wrong += [] if table[-1] == "     3  nobody asks" else ["the reasons"]
    for text in wrong:
        print(text)
    print(f"covered_lines: {len(wrong)} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("report", nargs="?", type=pathlib.Path)
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    build = options.build.resolve()
    failed = [] if options.no_run else run(build)
    found = read_all(build, ROOT)
    table, files = report(found, ROOT, reasons(pathlib.Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")))
    options.report.parent.mkdir(parents=True, exist_ok=True)
    options.report.write_text("\n".join(table + files) + "\n", encoding="utf-8")
    print("\n".join(table))
    ran, lines, _, _ = by_folder(found)[-1][1]
    if failed:
        print(f"failed: {', '.join(failed)}")
    if not lines or percent(ran, lines) < options.least:
        print(f"fewer than {options.least:g} % of the lines run; {options.report} has the others")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
