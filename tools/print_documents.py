#!/usr/bin/env python3
"""Prints the parts of the documents that the program knows better: docs/operation-counts.md (count_page.py), and every table
between `<!-- catena COMMAND -->` and `<!-- end -->`; and the functions of the C interface that are one a job (c_functions.py).
With --check nothing is written: what differs is shown, status 1.

usage: print_documents.py --catena PROGRAM [--check]
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys

import c_functions
import count_page

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = re.compile(r"(<!-- catena ([^>]*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def printed(program, line):
    return subprocess.run([program, *line.split()], text=True, capture_output=True, check=True).stdout


def pages(program):
    """(path, text as it should be)"""
    for path in sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md"]:
        text = path.read_text(encoding="utf-8")
        if path.name == "operation-counts.md":
            yield path, count_page.page(program)
        elif TABLE.search(text):
            yield path, TABLE.sub(lambda match: match[1] + printed(program, match[2]) + match[4], text)
    yield from c_functions.pages(program, ROOT)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    count = different = 0
    for path, text in pages(arguments.catena):
        count += 1
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old == text:
            continue
        different += 1
        if arguments.check:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(keepends=True), text.splitlines(keepends=True),
                                                       str(path.relative_to(ROOT)), "printed"))
        else:
            path.write_text(text, encoding="utf-8")
    print(f"{count} pages, {different} {'differ: make documents' if arguments.check else 'written'}")
    return 1 if count == 0 or (arguments.check and different) else 0


if __name__ == "__main__":
    sys.exit(main())
