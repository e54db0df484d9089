#!/usr/bin/env python3
"""check_digests.py --catena PROGRAM --compiler NAME-VERSION [--write]: does the program give the bits that it gave before?

tests/data/digests has what `catena hash` prints, one file for a compiler and a level of instructions. The level that the machine
takes is looked at; with CATENA_NIGHTLY in the environment, every level that it has. A compiler without a file, and a build with
other options (--other), is asked twice, for few steps, and must say the same. --write keeps what the program prints now.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "digests"


def said(catena, *words, level=None):
    environment = {**os.environ, **({"CATENA_LEVEL": level} if level else {})}
    done = subprocess.run([catena, *words], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"check_digests.py: catena {' '.join(words)}: {done.stderr}")
    return done.stdout


def levels(catena):
    """All that the machine has, the one that it takes last."""
    refused = subprocess.run([catena, "jobs"], env={**os.environ, "CATENA_LEVEL": "?"}, capture_output=True, text=True).stderr
    listed = re.search(r"this machine has (.+)", refused)
    return listed[1].split(", ") if listed else [re.search(r"instructions: (\S+)", said(catena, "--version"))[1]]


def difference(before, now):
    """One line about digests that are not the same."""
    before, now = (dict(reversed(line.split()) for line in text.splitlines()) for text in (before, now))
    names = [name for name in now if name != "all" and now[name] != before.get(name)] or sorted(before.keys() ^ now.keys())
    return f"{len(names)} of {len(now) - 1} robots: {', '.join(names[:8])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--other", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    files = {level: FOLDER / f"{options.compiler}-{level}.txt" for level in levels(options.catena)}
    if options.write:
        FOLDER.mkdir(exist_ok=True)
        for level, file in files.items():
            file.write_text(said(options.catena, "hash", "--quiet", level=level))
        return
    if options.other or not any(file.exists() for file in files.values()):
        first, second = (said(options.catena, "hash", "--quiet", "--steps", "20") for _ in range(2))
        print(f"{options.compiler}: no digests are kept for this build; it says twice the same")
        if first != second:
            sys.exit(f"check_digests.py: two runs differ on {difference(first, second)}")
        return
    wrong = 0
    for level, file in list(files.items())[0 if "CATENA_NIGHTLY" in os.environ else -1:]:
        now = said(options.catena, "hash", "--quiet", level=level)
        if now == file.read_text():
            print(f"{file.name}: the same bits, {len(now.splitlines()) - 1} robots")
        else:
            wrong += 1
            print(f"{file.name}: other bits on {difference(file.read_text(), now)}; `catena hash --by-job` says where. If that is meant: --write")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
