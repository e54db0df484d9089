#!/usr/bin/env python3
"""Faults: signals, full disks, closed pipes, clocks that jump, compilers that fail, a cache that others wrote or many use. Whatever
happens, no file with its own name is ever a part of itself, a program that fails says so in one line, and nothing hangs.

usage: check_faults.py --catena PROGRAM [--only FAULT] [--long] [--self-test]

shim.c, loaded before the program, ends it or fails at every single call that changes a file. --long, or CATENA_NIGHTLY in the
environment, tries all of these calls of all commands, and many more random moments. --self-test breaks the program in the ways
that should be noticed.
"""

import argparse
import os
import pathlib
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import compiling
import endings
import places
import printing
import self_test
import writers
from bench import Bench

SHOWN = 40  # failures

# What is tried, on which list, how often in a short and in a long run.
FAULTS = {
    "killed anywhere": (endings.killed_anywhere, "writers", 4, 1000),
    "out of room": (endings.out_of_room, "writers", 3, 1000),
    "asked to end": (endings.asked_to_end, "writers", 3, 1000),
    "at any time": (endings.at_any_time, "few", 1, 10),
    "read-only folder": (places.read_only, "writers", 1, 1),
    "small disk": (places.small_disk, "writers", 1, 1),
    "no reader": (printing.no_reader, "commands", 1, 1),
    "full output": (printing.full_output, "commands", 1, 1),
    "closed streams": (printing.closed_streams, "writers", 1, 1),
    "jumping clock": (printing.jumping_clock, "few", 1, 1),
    "failing compilers": (compiling.failing_compilers, None, 1, 1),
    "interrupted compiler": (compiling.interrupted_compiler, None, 1, 1),
    "damaged cache": (compiling.damaged_cache, None, 1, 100),
    "cache of others": (compiling.others_cache, None, 1, 1),
    "many at once": (compiling.many_at_once, None, 5, 12),
}


def lists_of(bench, long):
    """By name: commands; ways to write, those by jobs that all write in one way left out of a short run."""
    commands, found = writers.of_program(bench)
    few = [writer for k, writer in enumerate(found) if writer.files != ("o.csv",) or writer.command in ("inverse", "run", "simulate", "filter")]
    return {"commands": commands, "writers": found if long else few, "few": few, "all": found}


def try_fault(name, bench, lists, long):
    function, kind, short, most = FAULTS[name]
    chosen = [] if kind is None else [lists[kind]]
    function(bench, *chosen, most if long else short)


def run(options, folder, long):
    bench = Bench(options.catena, folder)
    writers.make_inputs(bench)
    lists = lists_of(bench, long)
    for name in [options.only] if options.only else FAULTS:
        began, runs, failed = time.monotonic(), bench.runs, len(bench.failures)
        try_fault(name, bench, lists, long)
        print(f"{name:22} {bench.runs - runs:6} runs {time.monotonic() - began:6.1f} s  {len(bench.failures) - failed} failures", flush=True)
    for failure in bench.failures[:SHOWN]:
        print(failure)
    if len(bench.failures) > SHOWN:
        print(f"… and {len(bench.failures) - SHOWN} more")
    return 1 if bench.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True, type=lambda path: pathlib.Path(path).resolve(), help="the program")
    parser.add_argument("--only", choices=FAULTS, help="this fault alone")
    parser.add_argument("--long", action="store_true", help="everywhere and often")
    parser.add_argument("--self-test", action="store_true", help="see that mistakes are noticed")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # what is ignored here, programs would ignore too
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory(prefix="faults") as folder:
        if options.self_test:
            sys.exit(self_test.run(pathlib.Path(folder), FAULTS, options.only))
        sys.exit(run(options, folder, options.long or "CATENA_NIGHTLY" in os.environ))


if __name__ == "__main__":
    main()
