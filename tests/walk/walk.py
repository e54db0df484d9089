#!/usr/bin/env python3
"""Walks every command and every job of the program over robots of every kind: plain, coupled, free, on a moving base, with
passive joints, with joints of several degrees of freedom, with closed loops, and pairs of these; with and without drives,
payload, locked joints and wrenches. A run ends with status 0 and numbers that agree with an oracle of its own, or with one line
that refusals.py lists.

usage: walk.py --catena PROGRAM [--quick] [--only ROBOT] [--command NAME] [--self-test]

What there is to walk the program is asked for. WALK=all in the environment walks the whole product of robots and changes;
--quick runs every command once over one robot of every kind, for programs that are slow because they watch themselves.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import re
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True

import commands
import jobs
import refusals
import robots
import self_test
from cases import CHANGES, Case, Walk, walk_all_jobs, walk_job

AT_ONCE = 2  # processes: threads of Python would wait for each other
SHOWN = 40  # failures


def robot_tasks(walk, robot, listed, everything, command):
    """What is to be done with a robot, each a function of nothing."""
    alone = len(robot.links) == 1
    for change in CHANGES if not walk.quick else [""]:
        if alone and "lock" in CHANGES[change]:
            yield lambda: walk.look(Case(walk, robot), Case(walk, robot).args("inverse", "--lock=l1 joint=0.3"))
            continue

        def task(change=change):
            case = Case(walk, robot, change)
            if everything or change in ("", "all"):
                for job in listed:
                    if command in (None, job["name"]):
                        walk_job(walk, case, job)
            if command in (None, "run"):
                walk_all_jobs(walk, case, listed)
        yield task
    for name, function in commands.COMMANDS.items():
        at_rest = "--base-twist" not in walk.options_of(commands.OF.get(name, name))
        if walk.quick and name in commands.MORE_OF_THE_SAME:
            continue
        if command in (None, name) and not (at_rest and robot.base):  # the same as without that base
            yield lambda name=name, function=function: function(walk, Case(walk, robot))
    if walk.quick:
        return
    if robot.name in commands.WITH_METHODS and command is None:
        yield lambda: commands.methods(walk, Case(walk, robot), listed)
    if robot.name in commands.COMPILED and command is None:
        yield lambda: commands.compiled(walk, Case(walk, robot), listed)


def begin(walk, tasks):
    """A process, with a folder of its own."""
    global DOING
    walk.folder = pathlib.Path(tempfile.mkdtemp(dir=walk.folder))
    DOING = walk, tasks


def do(index):
    """What a task found."""
    walk, tasks = DOING
    walk.forget()
    try:
        tasks[index]()
    except Exception as error:
        walk.fail(None, ["walk"], "".join(traceback.format_exception(error)[-3:]).strip())
    return walk.found()


def listed_commands(walk):
    text = walk.run(["--help"])[1]
    block = text.split("Commands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\S+)", block, re.MULTILINE)


def walk_everything(walk, options):
    listed = json.loads(walk.run(["jobs", "--json"])[1])["jobs"]
    names = [job["name"] for job in listed]
    for name in set(names) - set(jobs.EXPECTED) - {"coriolis", "factor", "regressor_two"}:
        walk.fail(None, [name], "a job of which the oracle knows nothing")
    for name in set(listed_commands(walk)) - set(names) - set(commands.COMMANDS) - set(commands.ALONE) - {"run"}:
        walk.fail(None, [name], "a command that nobody walks")
    everything = walk.everything = os.environ.get("WALK") == "all"
    every = robots.one_of_each() if walk.quick else robots.all_robots(not everything)
    tasks = [task for robot in every if options.only in (None, robot.name)
             for task in robot_tasks(walk, robot, listed, everything, options.command)]
    if options.only is None:
        tasks += [lambda name=name, function=function: function(walk) for name, function in commands.ALONE.items()
                  if options.command in (None, name)]
    with multiprocessing.get_context("fork").Pool(AT_ONCE, begin, (walk, tasks)) as pool:
        for done in pool.imap_unordered(do, range(len(tasks)), chunksize=4):  # a robot's tasks share what the oracle found
            walk.add(*done)
    if options.only is None and options.command is None and not walk.quick:
        for entry in refusals.REFUSALS:
            if entry not in walk.met and not entry.elsewhere:
                walk.fail(None, [entry.command], f"refused nothing of {sorted(entry.traits)}: {entry.message}")


def report(walk, seconds):
    for failure in walk.failures[:SHOWN]:
        print(failure)
    if len(walk.failures) > SHOWN:
        print(f"… and {len(walk.failures) - SHOWN} more")
    print(f"walk: {walk.runs} runs, {walk.compared} results compared with the oracle, {sum(walk.met.values())} refusals, "
          f"{len(walk.failures)} failures, {seconds:.0f} s")
    return 1 if walk.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True, help="the program")
    parser.add_argument("--quick", action="store_true", help="every command once over one robot of every kind")
    parser.add_argument("--only", help="this robot alone")
    parser.add_argument("--command", help="this command alone")
    parser.add_argument("--self-test", action="store_true", help="break the oracle and see that the walk notices")
    options = parser.parse_args()
    began = time.time()
    with tempfile.TemporaryDirectory(prefix="walk") as folder:
        walk = Walk(str(pathlib.Path(options.catena).resolve()), pathlib.Path(folder))
        if options.self_test:
            sys.exit(self_test.run(walk))
        walk.quick = options.quick
        walk_everything(walk, options)
        sys.exit(report(walk, time.time() - began))


if __name__ == "__main__":
    main()
