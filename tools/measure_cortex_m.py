#!/usr/bin/env python3
"""Measures generated code on microcontrollers: bytes of code and constants, stack, instructions a call. Rewrites the table in
docs/microcontrollers.md.

usage: tools/measure_cortex_m.py --catena build/catena [--print]      --print: to standard output, the page stays as it is

Code is what `size` calls text, of one job alone with its sine and cosine. Stack is the sum of what GCC reports (-fstack-usage) for
the functions that call each other. Instructions are those that QEMU executes: with -icount shift=0 each takes 1 ns of the board's time, and
the boards count 40 ns; 1000 calls, less 1000 of a function that does nothing.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "generated"))
sys.dont_write_bytecode = True

import boards

PAGE = ROOT / "docs" / "microcontrollers.md"
BEGIN, END = "<!-- measured by tools/measure_cortex_m.py -->\n", "<!-- end -->\n"
FLAGS = ["-O2", "-ffp-contract=fast", "-fstack-usage"]
ROBOTS = {"ur5": 6, "panda": 7}
JOBS = {"inverse": "qqq", "gravity": "q", "forward": "qqq"}
CALLS, TICK = 1000, 40

WORK = """#include "board.h"
#include "arm.h"
static const float q[32] = {{0.1f, -1.2f, 0.9f, 0.4f, -0.7f, 1.3f, 0.2f, 0.3f, -0.2f, 0.1f, 0.5f, -0.4f, 0.2f, 0.1f}};
static float out[64], state[64];
__attribute__((noinline)) static void nothing({types}) {{ __asm__ volatile("" : : : "memory"); }}
void work(void)
{{
  uint32_t start = ticks(), end;
  {reset}
  start = ticks();
  for (int k = 0; k < {calls}; ++k) {call}({arguments});
  end = ticks();
  show_count((end - start) & 0xFFFFFFU);
  start = ticks();
  for (int k = 0; k < {calls}; ++k) nothing({arguments});
  end = ticks();
  show_count((end - start) & 0xFFFFFFU);
}}
"""


def work_text(job):
    """A program that calls the job many times."""
    if job == "step":
        return WORK.format(types="float *a, const float *b, const float *c, float d, float *e", reset="arm_reset(state);", calls=CALLS,
                           call="arm_step", arguments="state, q, q, 0.001f, out")
    inputs = len(JOBS[job])
    types = ", ".join(["const float *a", "const float *b", "const float *c"][:inputs] + ["float *e"])
    return WORK.format(types=types, reset="", calls=CALLS, call=f"arm_{job}", arguments=", ".join(["q"] * inputs + ["out"]))


def measured(catena, robot, job, folder):
    """By processor: bytes of code, bytes of stack, instructions."""
    what = ["--law", "computed"] if job == "step" else ["--compute", job]
    subprocess.run([catena, "generate", robot, *what, "--target", "cortex-m", "--name", "arm", "-o", folder / "arm.c", "--quiet"], check=True, capture_output=True)
    (folder / "work.c").write_text(work_text(job))
    out = {}
    for processor in boards.BOARDS:
        objects = boards.compile_objects(processor, ["arm.c"], folder, FLAGS)
        size = int(boards.call([boards.BOARDS[processor].tools + "size", *objects], folder).splitlines()[1].split()[0])
        stack = sum(int(line.split("\t")[1]) for line in (folder / "arm.su").read_text().splitlines() if "_reset" not in line)
        boards.link(processor, objects, folder, ["-O2", "-Wno-unused-parameter"])
        (calls,), (nothing,) = boards.run(processor, folder, "-icount", "shift=0")
        out[processor] = (size, stack, round((calls - nothing) * TICK / CALLS))
    return out


def table(catena):
    lines = ["| robot | function | " + " | ".join(f"{p}: code (B) | stack (B) | instructions" for p in boards.BOARDS) + " |",
             "| --- | --- |" + " ---: |" * 3 * len(boards.BOARDS)]
    with tempfile.TemporaryDirectory(prefix="cortex_m") as folder:
        for robot in ROBOTS:
            for job in [*JOBS, "step"]:
                found = measured(catena, robot, job, pathlib.Path(folder))
                name = "computed-torque step" if job == "step" else job
                lines.append(f"| {robot} | {name} | " + " | ".join(str(value) for processor in found.values() for value in processor) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True, help="the program")
    parser.add_argument("--print", action="store_true", help="to standard output alone")
    options = parser.parse_args()
    for program in boards.NEEDED:
        if shutil.which(program) is None:
            sys.exit(f"measure_cortex_m.py: no {program}: tools/install_dependencies.sh test")
    text = table(str(pathlib.Path(options.catena).resolve()))
    if options.print:
        sys.exit(print(text, end=""))
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: BEGIN + text + END, page, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
