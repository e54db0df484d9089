#!/usr/bin/env python3
"""Follows recipes of docs/contributing.md, sections "Adding …", to the letter: every code block there that begins with
`// file: PATH` is written to that path under the output folder, every diff block is applied to the file it names, first
copied from the source tree. A line to be replaced that does not stand in the file is an error.

usage: follow_recipes.py --root DIR --out DIR "a formulation" "a job" …
"""

import argparse
import pathlib
import re
import sys

BLOCK = re.compile(r"^```(cpp|diff)\n// file: (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def hunks(diff):
    """(lines taken out, lines put in) of each change."""
    out, put = [], []
    for line in diff.splitlines():
        if line.startswith("-"):
            if put:
                yield out, put
                out, put = [], []
            out.append(line[1:])
        elif line.startswith("+"):
            put.append(line[1:])
        else:
            raise ValueError(f"neither - nor +: '{line}'")
    yield out, put


def write(path, text):
    """Leaves a file alone that says the same: nothing is compiled again for it."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def section(page, recipe):
    """What stands under its heading, to the next one."""
    found = re.search(rf"^## Adding {re.escape(recipe)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f"docs/contributing.md has no section 'Adding {recipe}'")
    return found[1]


def follow(root, out, recipes):
    whole = (root / "docs/contributing.md").read_text(encoding="utf-8")
    page = "".join(section(whole, recipe) for recipe in recipes)
    count = 0
    for kind, name, body in BLOCK.findall(page):
        text = body
        if kind == "diff":
            text = (root / name).read_text(encoding="utf-8")
            for old, new in hunks(body):
                before, after = "\n".join(old) + "\n", "\n".join(new) + "\n"
                if text.count(before) != 1:
                    raise ValueError(f"{name} has {text.count(before)} times, not once:\n{before}")
                text = text.replace(before, after)
        write(out / name, text)
        count += 1
    if count < len(recipes):
        raise ValueError(f"{count} blocks with a file; each recipe has one at least")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("recipes", nargs="+")
    arguments = parser.parse_args()
    try:
        print(f"{follow(arguments.root, arguments.out, arguments.recipes)} files written")
    except ValueError as error:
        print(f"follow_recipes: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
