#!/usr/bin/env python3
"""Documents and code agree: every formulation's equations page exists and has every equation number that its header cites,
relative links in *.md lead somewhere, headings they point at exist, and no file holds a path of somebody's machine.

usage: check_docs.py [--root DIR] | --self-test
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile

TEXT = {".md", ".hpp", ".cpp", ".h", ".cu", ".py", ".sh", ".cmake", ".txt", ".toml", ".urdf", ".json", ".ts", ".js",
        ".yml", ".yaml", ""}
SKIPPED = {"out", "node_modules", "__pycache__"}
FOLDERS = "home|root|work|Users|tmp|mnt|opt|srv|media"
MACHINE_PATH = re.compile(rf"(?<![\w/.:}})*-])/(?:{FOLDERS})/[\w.]")

EQUATIONS_PAGE = re.compile(r"docs/[\w/.-]+\.md")
CITED = re.compile(r"(?<![\w)])\((\d+)\)")  # not the 5 of "Verner 6(5)"
TAG = re.compile(r"\\tag\{(\d+)\}")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)|!\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("build") and f not in {".git", ".cache"})
        for path in (pathlib.Path(folder) / name for name in sorted(names)):
            if path.is_file() and path.suffix in TEXT and path.name != ".git":  # a file in a git worktree
                yield path


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def anchors(text):
    """The anchors that a Markdown page's headings get."""
    headings = re.findall(r"^#+\s+(.*?)\s*#*$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(root, path, text):
    prose = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    prose = re.sub(r"`[^`\n]*`", lambda match: " " * len(match[0]), prose)
    for match in LINK.finditer(prose):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        goal = (path.parent / name).resolve() if name else path
        where = f"{path.relative_to(root)}:{line_of(text, match.start())}"
        if not goal.exists():
            yield f"{where}: link to '{target}': no such file"
        elif anchor and goal.suffix == ".md" and anchor not in anchors(goal.read_text(encoding="utf-8")):
            yield f"{where}: link to '{target}': no such heading"


def check_equations(root, path, text):
    """The pages a header names exist; the numbers it cites in comments stand there as \\tag{number}."""
    pages = sorted(set(EQUATIONS_PAGE.findall(text)))
    tags = set()
    for page in pages:
        if not (root / page).is_file():
            yield f"{path.relative_to(root)}: names {page}, which does not exist"
            return
        tags |= set(TAG.findall((root / page).read_text(encoding="utf-8")))
    if "FormulationInfo info{" in text and not any(page.startswith("docs/equations/") for page in pages):
        yield f"{path.relative_to(root)}: a formulation without a page in docs/equations/"
    if any(page.startswith("docs/equations/") for page in pages):
        for number, line in enumerate(text.splitlines(), 1):
            comment = line.partition("//")[2]
            for cited in CITED.findall(comment):
                if cited not in tags:
                    yield f"{path.relative_to(root)}:{number}: cites ({cited}), which {', '.join(pages)} does not number"


def check(root):
    root = root.resolve()
    problems, count = [], 0
    for path in files(root):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        count += 1
        for match in MACHINE_PATH.finditer(text):
            problems.append(f"{path.relative_to(root)}:{line_of(text, match.start())}: a path of one machine: "
                            f"'{text[match.start():match.end() + 20].splitlines()[0]}'")
        if path.suffix == ".md":
            problems += check_links(root, path, text)
        if path.suffix == ".hpp" and path.relative_to(root).parts[0] == "include":
            problems += check_equations(root, path, text)
    return count, problems


def self_test():
    slash = "/"
    tree = {
        "README.md": ("[a](docs/a.md#two-words) [web](https://example.org/home/x) `[no](nowhere.md)`\n\n"
                      "```\n[no](nowhere.md)\n```\n"),
        "docs/a.md": "# Two words\n$$x \\tag{1}$$\n",
        "docs/equations/b.md": "$$x \\tag{1}$$ $$y \\tag{2}$$\n",
        "include/ok.hpp": 'static constexpr FormulationInfo info{"docs/equations/b.md"};  // (1), (2)\nf(3);\n',
    }
    bad = {
        "docs/link.md": ("[x](gone.md)\n", "no such file"),
        "docs/heading.md": ("\n[x](a.md#three)\n", "docs/heading.md:2: link to 'a.md#three': no such heading"),
        "include/page.hpp": ("// docs/equations/gone.md\n", "does not exist"),
        "include/number.hpp": ("// docs/equations/b.md\nx;  // (3)\n", "cites (3)"),
        "include/none.hpp": ("static constexpr FormulationInfo info{};\n", "without a page"),
        "script.sh": (f"cd {slash}home{slash}someone\n", "a path of one machine"),
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**tree, **{name: text for name, (text, _) in bad.items()}}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        problems = check(root)[1]
    failures = [f"{name}: '{expected}' was not found" for name, (_, expected) in bad.items()
                if not any(problem.startswith(name) and expected in problem for problem in problems)]
    failures += [f"found by mistake: {problem}" for problem in problems if problem.split(":")[0] not in bad]
    for failure in failures:
        print(failure)
    print(f"self-test: {len(bad)} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    count, problems = check(arguments.root)
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
