#!/usr/bin/env python3
"""Changes the library in small ways, one at a time, and looks whether the tests notice.

  mutants.py [--count N] [--seed S] [--only PATTERN]   tries a sample of the changes; out/mutants.jsonl keeps what came of each
  mutants.py --change FILE BEFORE AFTER                tries a change of yours; BEFORE stands once in the file
  mutants.py --report [--only PATTERN]                 the score of what is there, and the changes that no test noticed
  mutants.py --self-test                               every kind of change on a small text

A sample depends on the seed, the pattern and the sources alone; what was tried before is not tried again. A change flips a sign,
drops a term of a sum, swaps indices, or alters a comparison or a constant (tolerances below 1e-6 are left alone), never in
comments, texts, messages of errors, lists of templates or static_assert. It is compiled in a tree of its own, build/mutants, what
it touches without optimization, and killed by the first test that fails or takes too long: tests of the file's own name first,
those of its folder next, then the quick ones of all others. What does not compile does not count. A survivor is a hole in the
tests, or makes no difference.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from check_layers import COMMENT_OR_STRING

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("include/catena/math", "include/catena/model", "src/model", "src/forces", "src/formulations", "src/coordinates",
           "src/sim", "src/control", "src/identify", "src/codegen")
NOT_CODE_LINE = re.compile(r"^[ \t]*(?:#|template <|using |namespace |requires )[^\n]*", re.MULTILINE)
NOT_CODE_REST = re.compile(r"static_assert\(.*?\);|\bthrow\b.*?;|operator[-+<>=!]+", re.DOTALL)
SIGN = re.compile(r"(?<=[\w)\]}][ \n])([ \n]*)[+-](?= [\w(-])|[+-](?==)")
UNARY = re.compile(r"(?:(?<=[=,?:*/&|(] )|(?<=[({\[])|(?<=return ))-(?=[\w(])")
COMPARISON = re.compile(r"(?<= )(<=?|>=?|==|!=)(?= )")
LOOP = re.compile(r"\bfor \([^;)]*;[^;]*;")  # beyond its end a loop reads what is not there: no matter of these tests
COMPARED = {"<": ("<=", ">"), "<=": ("<",), ">": (">=", "<"), ">=": (">",), "==": ("!=",), "!=": ("==",)}
CONSTANT = re.compile(r"(?<![\w.])(\d+\.\d*(?:e[+-]?\d+)?)(?![\w.])|(?<=[ (])2(?= \*)")
INDEX = re.compile(r"\[([a-z]|[01])\]")
PAIR = re.compile(r"(?<=[\w)][\[(])([a-z])((?:, )|(?: \* [\w()]+ \+ ))([a-z])(?=[\])])")
END_OF_TERM = re.compile(r"\s(?:[+-]|[<>]=?|[!=]=|&&|\|\||\?|:)\s")
SLOW, SLOW_ELSEWHERE = 10.0, 1.0  # seconds: tests that take longer are left out, in the file's own folder and elsewhere

Mutant = collections.namedtuple("Mutant", "file start end text kind")


def code_of(text):
    """The text with what is not to be changed blanked; strings become quotes, so that they can be seen."""
    code = COMMENT_OR_STRING.sub(lambda m: re.sub(r"[^\n]", '"' if m[0][0] == '"' else " ", m[0]), text)
    for pattern in (NOT_CODE_LINE, NOT_CODE_REST):
        code = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), code)
    return code


def end_of_term(code, start):
    depth = 0
    for k in range(start, len(code)):
        depth += (code[k] in "([{") - (code[k] in ")]}")
        if depth < 0 or (depth == 0 and (code[k] in ";," or END_OF_TERM.match(code, k))):
            return k
    return len(code)


def mutants_of(file, text):
    code = code_of(text)

    def in_text(at):  # a sum of strings
        return '"' in code[max(code.rfind(c, 0, at) for c in ";{}") + 1:max(code.find(";", at), at)]

    for m in SIGN.finditer(code):
        at = m.end() - 1
        if in_text(at):
            continue
        yield Mutant(file, at, at + 1, "-" if code[at] == "+" else "+", "sign")
        if code[at + 1] != "=":
            yield Mutant(file, at, end_of_term(code, at + 2), "", "dropped term")
    for m in UNARY.finditer(code):
        yield Mutant(file, m.start(), m.end(), "", "sign")
    loops = {at for m in LOOP.finditer(code) for at in range(*m.span())}
    for m in COMPARISON.finditer(code):
        if m.start() in loops:
            continue
        for other in COMPARED[m[0]]:
            yield Mutant(file, m.start(), m.end(), other, "comparison")
    for m in CONSTANT.finditer(code):
        if m[0] == "2" or 1e-6 < float(m[0]):
            other = {"0.5": "1.0", "2.0": "1.0", "2": "1"}.get(m[0], f"({m[0]} * 1.1)")
            yield Mutant(file, m.start(), m.end(), other, "constant")
    for m in INDEX.finditer(code):
        yield Mutant(file, m.start(1), m.end(1), {"0": "1", "1": "0"}.get(m[1], m[1] + " + 1"), "index")
    for m in PAIR.finditer(code):
        if m[1] != m[3]:
            yield Mutant(file, m.start(), m.end(), m[3] + m[2] + m[1], "index")


def applied(text, mutant):
    return text[:mutant.start] + mutant.text + text[mutant.end:]


def lines_around(text, start, end):
    return " ".join(text[text.rfind("\n", 0, start) + 1:(text.find("\n", end) + len(text) + 1) % (len(text) + 1)].split())


def record_of(text, mutant):
    after = applied(text, mutant)
    return {"file": mutant.file, "line": text.count("\n", 0, mutant.start) + 1, "kind": mutant.kind,
            "before": lines_around(text, mutant.start, mutant.end),
            "after": lines_around(after, mutant.start, mutant.start + len(mutant.text))}


def key_of(record):
    return record["file"], record["kind"], record["before"], record["after"]


def sample(source, only, count, seed):
    files = sorted(str(path.relative_to(source)) for folder in FOLDERS for path in (source / folder).rglob("*.[ch]pp"))
    found = [m for file in files if re.search(only, file) for m in mutants_of(file, (source / file).read_text(encoding="utf-8"))]
    random.Random(seed).shuffle(found)
    return found[:count], len(found)


def own_change(source, file, before, after):
    text = (source / file).read_text(encoding="utf-8")
    if text.count(before) != 1:
        sys.exit(f"mutants.py: {before!r} stands {text.count(before)} times in {file}")
    return Mutant(file, text.index(before), text.index(before) + len(before), after, "own")


def private_tree():
    """A copy of the sources, of which only what changed is written, and a build of its tests."""
    source, build = ROOT / "build" / "mutants" / "source", ROOT / "build" / "mutants" / "build"
    files = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    for name in filter(None, files.stdout.split("\0")):
        copy, own = source / name, ROOT / name
        if own.is_file() and not (copy.is_file() and copy.read_bytes() == own.read_bytes()):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(own, copy)
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    subprocess.run(["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCATENA_BUILD_TESTS=ON",
                    "-DCATENA_BUILD_PAGE=OFF", "-DCATENA_LEVELS=OFF", *launcher], check=True, stdout=subprocess.DEVNULL)
    return source, build


def parts_of(group):
    """So that what hangs is noticed soon."""
    parts, total = [], float("inf")
    for seconds, name in group:
        if total + seconds > SLOW:
            parts.append([])
            total = 0.0
        parts[-1].append((seconds, name))
        total += seconds
    return parts


class Tests:
    def __init__(self, build, jobs):
        self.build, self.program, self.jobs = build, build / "tests" / "library_tests", jobs

    def compiled(self):
        return subprocess.run(["cmake", "--build", self.build, "--target", "library_tests", "--parallel", str(self.jobs)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def run(self, command):
        return subprocess.run(command, shell=True, cwd=self.build, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    @contextlib.contextmanager
    def changed(self):
        """Compiles what a change of a source needs, without optimization, and puts the files that were there back afterwards:
        whether that went well. Ninja sees nothing of it."""
        # By another name of build.ninja: a dry run of the usual one stops where CMake looks for new files.
        shutil.copy(self.build / "build.ninja", self.build / "mutants.ninja")
        listed = subprocess.run(["ninja", "-f", "mutants.ninja", "-n", "-v", "library_tests"], cwd=self.build, stdout=subprocess.PIPE, text=True)
        commands = [re.sub(r" && cd .*", "", line.split("] ", 1)[1]) for line in listed.stdout.splitlines() if re.match(r"\[\d+/\d+\] ", line)]
        compiled = [re.sub(r" -O[1-3s](?= )", " -O0", command) for command in commands if " -c " in command]
        outputs = [self.build / name for command in commands for name in re.findall(r"(?: -o| qc) (\S+)", command)]
        kept = [(path, path.with_name(path.name + ".kept")) for path in outputs if path.exists()]
        try:
            for path, other in kept:
                path.rename(other)
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                good = all(list(pool.map(self.run, compiled)))
            yield good and all(self.run(command) for command in commands if " -c " not in command)
        finally:
            for path, other in kept:
                other.rename(path)

    def find(self):
        """The tests, where they stand, and how long they take: as ctest noted it, or else by a run, in which all must pass."""
        listed, took = self.build / "mutants_list.json", {}
        subprocess.run([self.program, "--gtest_list_tests", f"--gtest_output=json:{listed}"], check=True, stdout=subprocess.DEVNULL)
        noted = self.build / "Testing" / "Temporary" / "CTestCostData.txt"
        ran = self.build / "mutants_times.json"
        if noted.exists():
            took = {words[0]: float(words[2]) for words in map(str.split, noted.read_text().splitlines()) if len(words) == 3}
        elif not ran.exists():
            print("timing the tests, once", flush=True)
            subprocess.run([self.program, f"--gtest_output=json:{ran}.new", "--gtest_brief=1"], check=True)
            pathlib.Path(f"{ran}.new").rename(ran)
        if ran.exists():
            took.update((f"{suite['name']}.{test['name']}", float(test["time"].rstrip("s")))
                        for suite in json.loads(ran.read_text())["testsuites"] for test in suite["testsuite"])
        self.all = [(f"{suite['name']}.{test['name']}", pathlib.Path(test["file"]), took.get(f"{suite['name']}.{test['name']}", 0.5))
                    for suite in json.loads(listed.read_text())["testsuites"] for test in suite["testsuite"]]
        if failing := self.failing([(seconds, name) for name, _, seconds in self.all if seconds <= SLOW]):
            print(f"left out, as they fail without a change: {' '.join(sorted(failing))}", flush=True)
        self.all = [test for test in self.all if test[0] not in failing]

    def failing(self, tests):
        if not tests:
            return set()
        flags = self.build / "mutants_flags"
        flags.write_text("--gtest_filter=" + ":".join(name for _, name in tests) + "\n")
        done = subprocess.run([self.program, f"--gtest_flagfile={flags}"], text=True, stdout=subprocess.PIPE, errors="replace",
                              stderr=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            sys.exit("mutants.py: the tests crash without a change")
        return set(re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", done.stdout, re.MULTILINE))

    def groups(self, file):
        own = pathlib.Path(file)
        groups = ([], [], [])
        for name, path, seconds in self.all:
            near = path.parent.name in own.parts
            stem = path.stem.removesuffix("_test")
            group = 0 if own.stem in (stem, stem.rstrip("s")) or stem == own.stem.rstrip("s") else 1 if near else 2
            if seconds <= (SLOW_ELSEWHERE if group == 2 else SLOW):
                groups[group].append((seconds, name))
        return [part for group in groups for part in parts_of(sorted(group))]

    def killer(self, file):
        """The first test that fails, or None. Each runs until its part has taken ten times as long as it should."""
        for group in self.groups(file):
            flags = self.build / "mutants_flags"
            flags.write_text("--gtest_fail_fast\n--gtest_filter=" + ":".join(name for _, name in group) + "\n")
            try:
                done = subprocess.run([self.program, f"--gtest_flagfile={flags}"], text=True, stdout=subprocess.PIPE, errors="replace",
                                      stderr=subprocess.DEVNULL, timeout=30 + 10 * sum(seconds for seconds, _ in group))
            except subprocess.TimeoutExpired:
                return "takes too long"
            if done.returncode != 0:
                failed = re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", done.stdout, re.MULTILINE)
                begun = re.findall(r"^\[ RUN      \] ([\w/]+\.[\w/]+)", done.stdout, re.MULTILINE)
                return failed[0] if failed else (begun or ["start"])[-1] + " crashes"
        return None


def attempt(tests, source, mutant):
    path = source / mutant.file
    text = path.read_text(encoding="utf-8")
    record, begun, kept = record_of(text, mutant), time.time(), path.with_name(path.name + ".kept")
    path.rename(kept)  # it comes back with its time
    try:
        path.write_text(applied(text, mutant), encoding="utf-8")
        with tests.changed() as good:
            if not good:
                return dict(record, outcome="no program", seconds=round(time.time() - begun))
            by = tests.killer(mutant.file)
            return dict(record, outcome="killed" if by else "survived", by=by, seconds=round(time.time() - begun))
    finally:
        kept.rename(path)


def report(records, only):
    records = [record for record in records if re.search(only, record["file"])]
    count = collections.Counter(record["outcome"] for record in records)
    for record in records:
        if record["outcome"] == "survived":
            print(f"{record['file']}:{record['line']}: {record['kind']}\n  - {record['before']}\n  + {record['after']}")
    compiled = count["killed"] + count["survived"]
    print(f"{len(records)} changes, {compiled} compile, {count['killed']} killed, {count['survived']} survive"
          + (f": {100 * count['killed'] / compiled:.0f} %" if compiled else ""))


def self_test():
    cases = {"a = b + c * d;": {"a = b - c * d;", "a = b ;"}, "f(-x, 0);": {"f(x, 0);"}, "s += t;": {"s -= t;"},
             "for (k = 0; k < n; ++k) f();": set(), "if (a < b) f();": {"if (a <= b) f();", "if (a > b) f();"}, "x = y == z;": {"x = y != z;"}, "k = q[0];": {"k = q[1];"},
             "x = 0.5 * y;": {"x = 1.0 * y;"}, "x = 3.0 * y;": {"x = (3.0 * 1.1) * y;"}, "n = 2 * m;": {"n = 1 * m;"},
             "x = v[i];": {"x = v[i + 1];"}, "x = M(i, j);": {"x = M(j, i);"}, "x = A[i * n + j];": {"x = A[j * n + i];", "x = A[i * n - j];", "x = A[i * n ];"},
             "x = (a - b(c, d + e)) * f;": {"x = (a + b(c, d + e)) * f;", "x = (a ) * f;", "x = (a - b(c, d - e)) * f;", "x = (a - b(c, d )) * f;"},
             "// a + b": set(), 's = "a + b" + t;': set(), "#include <a + b>": set(), "static_assert(a < 2.0);": set(),
             "throw Error(name + text);": set(), "template <int n = 2 * 3>": set(), "x = 1e-12 * y + 0.0;": {"x = 1e-12 * y - 0.0;", "x = 1e-12 * y ;"}}
    wrong = [text for text, expected in cases.items() if {applied(text, m) for m in mutants_of("a.cpp", text)} != expected]
    for text in wrong:
        print(f"{text}: {sorted(applied(text, m) for m in mutants_of('a.cpp', text))}")
    print(f"self-test: {len(cases)} texts, {len(wrong)} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50, help="how many changes (50)")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="every N-th of them, from the K-th on: for several trees at a time")
    parser.add_argument("--seed", type=int, default=1, help="another seed is another sample (1)")
    parser.add_argument("--only", default="", metavar="PATTERN", help="files whose names have this regular expression")
    parser.add_argument("--jobs", type=int, default=1, help="compilers at a time (1)")
    parser.add_argument("--build", type=pathlib.Path, help="a build with tests to work in, with --source, instead of an own one")
    parser.add_argument("--source", type=pathlib.Path, help="its sources: files are changed there for a while")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out" / "mutants.jsonl")
    parser.add_argument("--change", nargs=3, metavar=("FILE", "BEFORE", "AFTER"), action="append", default=[])
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    given = parser.parse_args()
    if given.self_test:
        return self_test()
    if (given.build is None) != (given.source is None):
        parser.error("--build and --source go together")
    records = [json.loads(line) for line in given.out.read_text(encoding="utf-8").splitlines()] if given.out.exists() else []
    if given.report:
        return report(records, given.only)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("mutants.py: ended"))  # the changed file is restored
    source, build = (given.source, given.build) if given.build else private_tree()
    tests = Tests(build, given.jobs)
    if not tests.compiled():
        sys.exit(f"mutants.py: the tests do not compile: cmake --build {build} --target library_tests")
    tests.find()
    if given.change:
        chosen = [own_change(source, *change) for change in given.change]
    else:
        chosen, of = sample(source, given.only, given.count, given.seed)
        first, step = map(int, given.part.split("/"))
        chosen = chosen[first - 1::step]
        print(f"{len(chosen)} of {of} changes, seed {given.seed}", flush=True)
    known = {key_of(record) for record in records}
    given.out.parent.mkdir(parents=True, exist_ok=True)
    for mutant in chosen:
        if key_of(record_of((source / mutant.file).read_text(encoding="utf-8"), mutant)) in known:
            continue
        records.append(dict(attempt(tests, source, mutant), seed=given.seed))
        with open(given.out, "a", encoding="utf-8") as out:
            out.write(json.dumps(records[-1], ensure_ascii=False) + "\n")
        last = records[-1]
        print(f"{last['outcome']} {last['file']}:{last['line']}: {last['after']} ({last.get('by') or ''}, {last['seconds']} s)", flush=True)
    return report(records, given.only)


if __name__ == "__main__":
    sys.exit(main())
