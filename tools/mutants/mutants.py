#!/usr/bin/env python3
"""Changes the library in small ways, one at a time, and looks whether the tests notice.

  mutants.py [--count N] [--seed S] [--only PATTERN]   tries a sample of the changes; out/mutants.jsonl keeps what came of each
  mutants.py --again [--count N] ...                   tries once more those of the sample that survived: you have added tests
  mutants.py --change FILE BEFORE AFTER                tries a change of yours; BEFORE stands once in the file
  mutants.py --report [--only PATTERN]                 the score of what is there, and the changes that no test noticed
  mutants.py --self-test                               every kind of change on a small text

A sample depends on the seed, the pattern and the sources alone; what was tried before is not tried again. A change flips a sign,
drops a term of a sum, swaps indices, or alters a comparison or a constant (tolerances below 1e-6 are left alone), never in
comments, texts, messages of errors, lists of templates or static_assert. All changes of a sample are compiled at once, in a tree
of their own, build/mutants, as switches (switches.py); one acts in each run of the tests. A run without changes says which tests
reach which. A change is killed by the first test that fails or takes too long, of those that reach it: tests of the file's own
name first, those of its folder next, then the quick ones of all others, then slow ones, a minute of them; last the inputs of the
fuzz targets and the quick walk of the program. What has no switch (in what the compiler computes) or does not compile does not
count. A survivor is a hole in the tests, or makes no difference.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from check_layers import COMMENT_OR_STRING  # noqa: E402
import switches  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
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
SLOW, SLOW_ELSEWHERE = 10.0, 1.0  # seconds: tests that take longer come last, in the file's own folder and elsewhere
ENOUGH = 60.0  # seconds of these
STARTS = ("cli/main.cpp", "tests/fuzz/corpus_test.cpp")  # of programs beside library_tests
MEMORY = 8 << 30  # bytes: a change may ask for more and more

Mutant = collections.namedtuple("Mutant", "file start end text kind")


def code_of(text):
    """The text with what is not to be changed blanked; strings become quotes, so that they can be seen."""
    code = COMMENT_OR_STRING.sub(lambda m: re.sub(r"[^\n]", '"' if m[0][0] == '"' else " ", m[0]), text)
    for pattern in (NOT_CODE_LINE, NOT_CODE_REST):
        code = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), code)
    return code


def uncommented(text):
    return COMMENT_OR_STRING.sub(lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), text)


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


class Tree:
    """A copy of the sources with every change of the sample as a switch, and a build of its tests: optimized a little."""

    def __init__(self, chosen, dropped, jobs):
        self.source, self.build, self.jobs = ROOT / "build" / "mutants" / "source", ROOT / "build" / "mutants" / "build", jobs
        self.chosen, self.dropped = dict(enumerate(chosen, 1)), dropped
        self.program = self.build / "tests" / "library_tests"
        self.others = {"fuzz_tests": [self.build / "tests" / "fuzz" / "fuzz_tests", "--gtest_fail_fast"],
                       "the quick walk": ["ctest", "--test-dir", self.build, "--tests-regex", "^walk_quick$", "--no-tests=error"]}

    def write(self):
        """Writes what differs from what is there. Changes where no switch can stand are dropped."""
        names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        files = {name: ROOT / name for name in filter(None, names.stdout.split("\0")) if (ROOT / name).is_file()}
        for part in ("chosen", "reached"):
            files[f"tests/support/mutants_{part}.cpp"] = ROOT / "tools" / "mutants" / f"{part}.cpp"
        by_file = collections.defaultdict(list)
        for number, mutant in self.chosen.items():
            if number not in self.dropped:
                by_file[mutant.file].append((number, mutant.start, mutant.end, mutant.text))
        self.lines = collections.defaultdict(dict)
        for name, path in files.items():
            content = path.read_bytes()
            if name in by_file:
                text = content.decode("utf-8")
                content, self.lines[name] = switches.switched(text, code_of(text), uncommented(text), by_file[name])
                self.dropped.update(number for number, *_ in by_file[name] if number not in self.lines[name])
                content = content.encode("utf-8")
            if name in STARTS:
                content += files["tests/support/mutants_chosen.cpp"].read_bytes()
            copy = self.source / name
            if not (copy.is_file() and copy.read_bytes() == content):
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)

    def configure(self):
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        subprocess.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                        "-DCMAKE_CXX_FLAGS_RELEASE=-O1", f"-DCMAKE_CXX_FLAGS=-include {self.source}/tools/mutants/switch.hpp",
                        "-DCATENA_BUILD_TESTS=ON", "-DCATENA_BUILD_PAGE=OFF", "-DCATENA_LEVELS=OFF", *launcher],
                       check=True, stdout=subprocess.DEVNULL)

    def drop_what_fails(self, output):
        """Drops the changes that a compiler complained of: those at an error, or else at any place that it named."""
        named = {"error": set(), "all": set()}
        for file, line, what in re.findall(rf"{re.escape(str(self.source))}/([\w/.]+):(\d+)(?::\d+)?:\s+(\w+)", output):
            for number, lines in self.lines[file].items():
                if int(line) in lines:
                    named["all"].add(number)
                    if what == "error":
                        named["error"].add(number)
        failed = (named["error"] or named["all"]) - self.dropped
        if not failed:
            sys.exit(f"mutants.py: the tests do not compile:\n{output[-3000:]}")
        self.dropped |= failed
        print(f"{len(failed)} do not compile", flush=True)

    def compile(self, known):
        self.write()
        self.configure()
        # Syntax and templates first: an error in a header is found in half the time that compiling takes.
        commands = {entry["file"]: entry for entry in json.loads((self.build / "compile_commands.json").read_text())
                    if re.search(r" -o src/", entry["command"])}
        looked_at = {}
        while not known:
            def complaint(entry):
                command = re.sub(r" -o \S+", " -o /dev/null", entry["command"]) + " -fsyntax-only -w"
                done = subprocess.run(command, shell=True, cwd=entry["directory"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                return entry["file"], done.stderr if done.returncode != 0 else ""
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                looked_at.update(pool.map(complaint, [entry for file, entry in commands.items() if looked_at.get(file, " ")]))
            if not any(looked_at.values()):
                break
            self.drop_what_fails("".join(looked_at.values()))
            self.write()
        while True:
            done = subprocess.run(["ninja", "-k", "0", "-j", str(self.jobs), "library_tests", "fuzz_tests", "catena_cli"], cwd=self.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode == 0:
                return
            self.drop_what_fails(done.stdout)
            self.write()


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
    """Where they stand, how long they take and what they reach, by one run without a change; those that fail are left out."""

    def __init__(self, tree):
        self.tree, self.all, self.reached = tree, [], collections.defaultdict(set)
        listed = tree.build / "mutants_list.json"
        subprocess.run([tree.program, "--gtest_list_tests", f"--gtest_output=json:{listed}"], check=True, stdout=subprocess.DEVNULL)
        files = {f"{suite['name']}.{test['name']}": pathlib.Path(test["file"])
                 for suite in json.loads(listed.read_text())["testsuites"] for test in suite["testsuite"]}
        noted = ROOT / "build" / "Testing" / "Temporary" / "CTestCostData.txt"
        took = {words[0]: float(words[2]) for words in map(str.split, noted.read_text().splitlines() if noted.exists() else []) if len(words) == 3}
        in_order = sorted(files, key=lambda name: -took.get(name, 0.0))

        all_known = tree.build / f"mutants_reached.of_{tree.jobs}"
        is_known = all_known.exists() and all_known.stat().st_mtime > tree.program.stat().st_mtime

        def run(part):
            out = tree.build / f"mutants_reached.{part}_of_{tree.jobs}"
            if not is_known:
                out.unlink(missing_ok=True)
                self.run(in_order[part::tree.jobs], {"CATENA_REACHED": str(out)}, None, stop=False)
            return out.read_text().splitlines()
        failing = []
        with concurrent.futures.ThreadPoolExecutor(tree.jobs) as pool:
            for line in (line for lines in pool.map(run, range(tree.jobs)) for line in lines):
                name, passed, milliseconds, *numbers = line.split(" ")
                if passed != "1":
                    failing.append(name)
                    continue
                self.all.append((name, files[name], float(milliseconds) / 1000.0))
                for number in map(int, numbers):
                    self.reached[number].add(name)
        all_known.touch()
        self.others = {}
        for name, command in tree.others.items():
            begun = time.time()
            if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                self.others[name] = command, time.time() - begun
            else:
                failing.append(name)
        print(f"{len(self.all)} tests and {len(self.others)} programs; left out, as they fail without a change: {' '.join(failing) or 'none'}", flush=True)

    def run(self, names, environment, timeout, stop=True):
        with tempfile.NamedTemporaryFile("w", suffix=".flags") as flags:
            flags.write(("--gtest_fail_fast\n" if stop else "") + "--gtest_filter=" + ":".join(names) + "\n")
            flags.flush()
            return subprocess.run(["prlimit", f"--as={MEMORY}", self.tree.program, f"--gtest_flagfile={flags.name}"], text=True, stdout=subprocess.PIPE, errors="replace",
                                  stderr=subprocess.DEVNULL, timeout=timeout, env={**os.environ, **environment})

    def groups(self, number, file):
        own = pathlib.Path(file)
        groups, slow = ([], [], [], []), []
        for name, path, seconds in self.all:
            near = path.parent.name in own.parts
            stem = path.stem.removesuffix("_test")
            group = 0 if own.stem in (stem, stem.rstrip("s")) or stem == own.stem.rstrip("s") else 1 if near else 2
            if name not in self.reached[number]:
                if group == 0:
                    groups[3].append((seconds, name))  # in another order of tests it may: what is computed once is reached once
            else:
                (groups[group] if seconds <= (SLOW_ELSEWHERE if group == 2 else SLOW) else slow).append((seconds, name))
        slow.sort()
        enough = next((k for k in range(len(slow)) if sum(seconds for seconds, _ in slow[:k]) > ENOUGH), len(slow))
        return [part for group in (*groups, slow[:enough]) for part in parts_of(sorted(group))]

    def killer(self, number, file):
        """The first test that fails, or None. Each runs until its part has taken ten times as long as it should."""
        for group in self.groups(number, file):
            try:
                done = self.run([name for _, name in group], {"CATENA_MUTANT": str(number)}, 30 + 10 * sum(seconds for seconds, _ in group))
            except subprocess.TimeoutExpired:
                return "takes too long"
            if done.returncode != 0:
                failed = re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", done.stdout, re.MULTILINE)
                begun = re.findall(r"^\[ RUN      \] ([\w/]+\.[\w/]+)", done.stdout, re.MULTILINE)
                return failed[0] if failed else (begun or ["start"])[-1] + " crashes"
        for name, (command, seconds) in self.others.items():
            try:
                done = subprocess.run(["prlimit", f"--as={MEMORY}", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                      timeout=30 + 10 * seconds, env={**os.environ, "CATENA_MUTANT": str(number)})
            except subprocess.TimeoutExpired:
                return "takes too long"
            if done.returncode != 0:
                return name
        return None


def attempt(tests, number, mutant):
    record, begun = record_of((ROOT / mutant.file).read_text(encoding="utf-8"), mutant), time.time()
    by = tests.killer(number, mutant.file)
    return dict(record, outcome="killed" if by else "survived", by=by, reached=len(tests.reached[number]), seconds=round(time.time() - begun))


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
    others, also_wrong = switches.self_test()
    print(f"self-test: {len(cases) + others} texts, {len(wrong) + also_wrong} wrong")
    return 1 if wrong or also_wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50, help="how many changes (50)")
    parser.add_argument("--seed", type=int, default=1, help="another seed is another sample (1)")
    parser.add_argument("--only", default="", metavar="PATTERN", help="files whose names have this regular expression")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes at a time (1)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out" / "mutants.jsonl")
    parser.add_argument("--change", nargs=3, metavar=("FILE", "BEFORE", "AFTER"), action="append", default=[])
    parser.add_argument("--again", action="store_true", help="what survived is tried once more")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    given = parser.parse_args()
    if given.self_test:
        return self_test()
    records = [json.loads(line) for line in given.out.read_text(encoding="utf-8").splitlines()] if given.out.exists() else []
    if given.report:
        return report(records, given.only)
    if given.change:
        chosen = [own_change(ROOT, *change) for change in given.change]
    else:
        chosen, of = sample(ROOT, given.only, given.count, given.seed)
        print(f"{len(chosen)} of {of} changes, seed {given.seed}", flush=True)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    known = {key_of(record) for record in records if not (given.again and record["outcome"] == "survived")}

    def note(record):
        records[:] = [other for other in records if key_of(other) != key_of(record)]
        records.append(dict(record, seed=given.seed))
        part = given.out.with_suffix(".part")
        part.write_text("".join(json.dumps(other, ensure_ascii=False) + "\n" for other in records), encoding="utf-8")
        part.replace(given.out)
        print(f"{record['outcome']} {record['file']}:{record['line']}: {record['after']} ({record.get('by') or ''}, {record.get('seconds', 0)} s)", flush=True)

    keys = {number: key_of(record_of((ROOT / mutant.file).read_text(encoding="utf-8"), mutant)) for number, mutant in enumerate(chosen, 1)}
    without = {key_of(record) for record in records if record["outcome"] == "no switch"}
    tree = Tree(chosen, {number for number, key in keys.items() if key in without}, given.jobs)
    tree.compile(given.again)
    new = {number: mutant for number, mutant in tree.chosen.items() if given.change or keys[number] not in known}
    for number in sorted(tree.dropped & new.keys()):
        note(dict(record_of((ROOT / new[number].file).read_text(encoding="utf-8"), new[number]), outcome="no switch"))
    tests = Tests(tree)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for done in concurrent.futures.as_completed(pool.submit(attempt, tests, number, mutant)
                                                    for number, mutant in new.items() if number not in tree.dropped):
            note(done.result())
    return report(records, given.only)


if __name__ == "__main__":
    sys.exit(main())
