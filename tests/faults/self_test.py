"""Are mistakes noticed? A program with one of them, careless.c, is put in the place of catena."""

import os
import pathlib
import subprocess

from bench import Bench
from writers import Writer

# The mistakes that a fault must find; "": those of careless.c as it is. Without a mistake the first ones find nothing.
FINDS = {
    "killed anywhere": ["in place", "leftovers stay"],
    "out of room": ["in place", "noise", "silent failure", "temporary stays"],
    "asked to end": ["in place", "temporary stays", "wrong status"],
    "at any time": ["in place"],
    "read-only folder": ["noise", "silent failure"],
    "small disk": ["noise", "in place"],
    "no reader": ["noise"],
    "full output": ["noise", "silent failure"],
    "closed streams": ["messages in files"],
    "jumping clock": ["clock"],
    "failing compilers": [""],
    "interrupted compiler": [""],
    "damaged cache": [""],
    "cache of others": [""],
    "many at once": [""],
}
REPEATED = 4  # of what is tried at random


def found(folder, fault, mistake):
    folder.mkdir()
    bench = Bench(folder.parent / "careless", folder, longest=3.0)
    (bench.inputs / "states.csv").write_text("q1,q2\n")
    os.environ["MISTAKE"] = mistake
    function, kind, most, _ = fault
    lists = {"writers": [Writer(["write"], ("o.csv",))], "few": [Writer(["write"], ("o.csv",))], "commands": ["jobs"]}
    chosen = [] if kind is None else [lists[kind]]
    function(bench, *chosen, REPEATED if kind == "few" else 8 if kind == "writers" else most)
    return bench.failures


def run(folder, faults, only):
    source = pathlib.Path(__file__).with_name("careless.c")
    subprocess.run(["cc", "-w", "-O1", "-o", str(folder / "careless"), str(source)], check=True)
    failed = 0
    for name, fault in faults.items() if only is None else [(only, faults[only])]:
        for k, mistake in enumerate(FINDS[name]):
            if not found(folder / f"{name} {k}".replace(" ", "_"), fault, mistake):
                failed += 1
                print(f"self-test: '{name}' does not notice '{mistake}'")
        if FINDS[name] != [""] and name != "jumping clock" and (said := found(folder / f"{name} none".replace(" ", "_"), fault, "none")):
            failed += 1
            print(f"self-test: '{name}' finds what is not there: {said[0]}")
    print(f"self-test: {sum(map(len, FINDS.values()))} mistakes, {failed} not noticed or wrongly noticed")
    return 1 if failed else 0
