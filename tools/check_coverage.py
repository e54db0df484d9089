#!/usr/bin/env python3
"""Holds docs/coverage.md to its word: every command in it runs, every test and page in it exists, and every section of
every text has a row, in the order of the text, or is named as having nothing to compute.

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
# The sections of the texts, from their tables of contents; references and acknowledgements aside.
SECTIONS = {
    "Saha 1999": "1 2 3 4.1 4.2 4.3 5.1 5.2 6.1 6.2 7 A B.1 B.2".split(),
    "Saha and Goel": "1 2 3 3.1.1 3.1.2 4 5".split(),
    "Balafoutis 1989": """1.1 1.2 1.3 1.4 1.5 2.1 2.2.1 2.2.2 2.3.1 2.3.2 2.3.3 3.1 3.2.1 3.2.2 3.2.3 3.3.1 3.3.2 3.3.3 3.3.4 3.4
        4.1 4.2.1 4.2.2 4.2.3 4.3.1 4.3.2 4.3.3 4.3.4 5.1 5.2.1 5.2.2 5.2.3 5.2.4 5.3.1 5.3.2 5.4.1 5.4.2 5.5
        6.1 6.2 6.3.1 6.3.2 6.3.3 6.4 6.5 7.1 7.2.1 7.2.2 7.3.1 7.3.2 7.4.1 7.4.2 7.5 8.1 8.2 A B C""".split(),
    "Lin 1991": ["Introduction", "Inertia matrix", "Bias vector", "Algorithm", "Conclusion", "Appendix"],
    "Laus, Simoni and Martins": "1 2.1 2.2 2.3 2.4 3.1 3.2 4".split(),
}


def rows(text):
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("| ") and not line.startswith("| ---") and not line.startswith("| section"):
            yield number, line


def sections_of(cell):
    """'5.4.1, 5.4.2 (5.4.15)' names 5.4.1 and 5.4.2."""
    return [name.strip() for name in cell.split("(")[0].split(",")]


def look_at_sections(text):
    """Each text's list of sections, the first column of its table and what it says has nothing to compute."""
    for heading, wanted in SECTIONS.items():
        _, found, part = text.partition(f"## {heading}\n")
        part = part.split("\n## ")[0]
        if not found:
            yield f"no text '{heading}'"
            continue
        listed = re.search(r"^Sections: (.*?)\.$", part, re.MULTILINE | re.DOTALL)
        titles = [entry.strip() for entry in listed[1].split(";")] if listed else []
        if len(titles) != len(wanted) or not all(title.startswith(name) for title, name in zip(titles, wanted)):
            yield f"{heading}: the list of sections is not that of the text"
        empty = re.search(r"^Nothing to compute: (.*)\.$", part, re.MULTILINE)
        idle = [name for entry in (empty[1].split(";") if empty else []) for name in sections_of(entry)]
        rowed = [name for _, line in rows(part) for name in sections_of(line.split("|")[1])]
        for name in {*rowed, *idle} - {*wanted, "none"}:
            yield f"{heading}: there is no section {name}"
        for name in wanted:
            if (name in rowed) == (name in idle):
                yield f"{heading}: section {name} " + ("has rows and nothing to compute" if name in idle else "is left out")
        places = [wanted.index(name) for name in rowed if name in wanted]
        if places != sorted(places):
            yield f"{heading}: rows are not in the order of the text"


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
        shown = line.split("|")[3]
        named = re.findall(r"`([^`]+)`", shown)
        pages = re.findall(r"\]\(([^)#]+)[^)]*\)", shown)
        if not named and not pages and not shown.startswith(" not here: "):
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
    filler = "".join(f"| 1 | item {k} | `count_test` |\n" for k in range(60))
    for row, wanted in (("| 1 | a | `catena inverse nobody` |", "nobody"), ("| 1 | a | `gone_test` |", "no test 'gone_test'"),
                        ("| 1 | a | [x](gone.md) |", "no page gone.md"), ("| 1 | a | words |", "nothing shows it")):
        problems, _ = check(program, filler + row + "\n")
        if len(problems) != 1 or wanted not in problems[0]:
            sys.exit(f"check_coverage: self-test: {row} gave {problems}")
    if check(program, filler + "| 1 | a | not here: nobody needs it |\n")[0]:
        sys.exit("check_coverage: self-test: a good page was refused")
    page = PAGE.read_text()
    for old, new, wanted in (("| B.2 (51)-(55)", "| B.1 (51)-(55)", "section B.2 is left out"),
                             ("| B.2 (51)-(55)", "| B.3 (51)-(55)", "no section B.3"),
                             ("| B.2 (51)-(55)", "| 3, B.2 (51)-(55)", "not in the order"),
                             ("Nothing to compute: 7 (", "Nothing to compute: 7, A (", "A has rows and nothing"),
                             ("; B.2 UDU", "; UDU", "not that of the text")):
        if old not in page or not any(wanted in problem for problem in look_at_sections(page.replace(old, new))):
            sys.exit(f"check_coverage: self-test: {old} -> {new} passes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--catena", required=True)
    parser.add_argument("--self-test", action="store_true")
    given = parser.parse_args()
    program = str(pathlib.Path(given.catena).resolve())
    if given.self_test:
        return self_test(program)
    problems, commands = check(program, PAGE.read_text())
    problems = [*look_at_sections(PAGE.read_text()), *problems]
    for problem in problems:
        print(f"docs/coverage.md:{problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"{commands} commands run")


if __name__ == "__main__":
    main()
