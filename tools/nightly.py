#!/usr/bin/env python3
"""nightly.py [--list] [--only STAGE[,STAGE]] [--again]: everything that takes too long for `make test`, stage by stage.

A stage is a command. What came of it, and how long it took, is a line of out/nightly.jsonl. A stage that has passed on the
same sources does not run again, so a night that was broken off goes on where it was; --again runs all. A stage that fails does
not keep others from running. At the end a table says what is known of these sources; the status is 0 if every stage has
passed on them.
"""

import argparse
import datetime
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "out" / "nightly.jsonl"
# The oldest and the newest compilers that are supported, as far as Debian has them; the oldest Clang is that of `make sanitize`.
COMPILERS = os.environ.get("COMPILERS", "g++-12 clang++-19").split()
PARTS = ["sanitize", "sanitize-threads", "coverage", "wheels", "fuzz"]


def stages():
    """By name, the commands: those of the Makefile, and all tests whole by each compiler, where warnings are errors."""
    made = {part: f"make {part}" for part in PARTS}
    made["pythons"] = "python3 tools/check_pythons.py out/wheels"
    for compiler in COMPILERS:
        folder = f"build/nightly/{compiler}"
        made[f"{compiler} builds"] = f"cmake --preset nightly -B {folder} -DCMAKE_CXX_COMPILER={compiler} && cmake --build {folder}"
        made[f"{compiler} tests"] = f"CATENA_NIGHTLY=yes ctest --test-dir {folder} --output-on-failure --parallel {os.cpu_count()}"
    return made


def sources():
    """A name for what the stages are run on: the tree that git would commit now."""
    index = ROOT / "out" / "nightly.index"
    index.unlink(missing_ok=True)
    environment = dict(os.environ, GIT_INDEX_FILE=str(index))
    subprocess.run(["git", "add", "--all"], cwd=ROOT, env=environment, check=True)
    tree = subprocess.run(["git", "write-tree"], cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    index.unlink()
    return tree.stdout.strip()


def known(tree):
    """By stage, the last line about it on these sources."""
    lines = RECORD.read_text().splitlines() if RECORD.exists() else []
    return {line["stage"]: line for line in map(json.loads, lines) if line["sources"] == tree}


def run(stage, command, tree):
    print(f"\n== {stage}: {command}", flush=True)
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    status = subprocess.run(command, shell=True, cwd=ROOT).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = {"stage": stage, "sources": tree, "status": status, "seconds": round(time.monotonic() - begun),
            "processor_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime),
            "ended": datetime.datetime.now().isoformat(timespec="seconds")}
    with open(RECORD, "a") as record:
        record.write(json.dumps(line) + "\n")


def table(every, tree):
    """Whether all of them have passed."""
    lines = known(tree)
    print(f"\n{'stage':20} {'minutes':>8} {'of processor':>13}  outcome")
    for stage in every:
        line = lines.get(stage)
        if line is None:
            print(f"{stage:20} {'':8} {'':13}  not run on these sources")
            continue
        outcome = "passed" if line["status"] == 0 else f"FAILED, status {line['status']}"
        print(f"{stage:20} {line['seconds'] / 60:8.1f} {line['processor_seconds'] / 60:13.1f}  {outcome}")
    return all(stage in lines and lines[stage]["status"] == 0 for stage in every)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="the stages, and what is known of them")
    parser.add_argument("--only", default="", help="these stages")
    parser.add_argument("--again", action="store_true", help="also what has passed on these sources")
    options = parser.parse_args()
    every = stages()
    chosen = [name for name in options.only.split(",") if name] or list(every)
    if unknown := [name for name in chosen if name not in every]:
        sys.exit(f"nightly.py: no stage {', '.join(unknown)}; known: {', '.join(every)}")
    RECORD.parent.mkdir(exist_ok=True)
    tree = sources()
    for stage in [] if options.list else chosen:
        if options.again or known(tree).get(stage, {"status": 1})["status"]:
            run(stage, every[stage], tree)
    sys.exit(0 if table(every if options.list else chosen, tree) else 1)


if __name__ == "__main__":
    main()
