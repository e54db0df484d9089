"""Standard streams that nobody reads, that are full or closed; and a clock that jumps."""

import json
import os
import shutil
import signal
import subprocess

from bench import OLD, all_new
from places import each

# What a command needs besides a robot; those of jobs need nothing more.
PRINTS = {"check": ["planar2r"], "convert": ["planar2r", "--to", "urdf"], "assemble": None, "identify": ["planar2r", "--states", "measured.csv"],
          "run": ["planar2r", "--compute", "gravity", "--states", "positions.csv"], "simulate": ["planar2r", "--time", "0.1"],
          "cartesian": ["ur5", "--q", "0,-1,1,0,1,0"], "loop_forces": ["planar2r", "--json"], "equilibrium": ["planar2r", "--passive", "joint2"],
          "filter": ["planar2r", "--log", "log.csv"], "excite": ["planar2r", "--time", "5", "--starts", "1", "--steps", "1"],
          "calibrate": ["planar2r", "--poses", "poses.csv"], "trajectory": ["planar2r", "--to", "1,1", "--time", "1"], "report": None,
          "generate": ["planar2r", "--compute", "gravity", "--no-search"], "gpu": [], "laws": [], "jobs": [], "methods": ["--compute", "gravity"],
          "count": ["planar2r", "--compute", "gravity"], "compare": ["planar2r", "--compute", "pose"], "hash": ["planar2r", "--steps", "1"],
          "completion": ["bash"], "help": []}  # None: writes a file and prints nothing


def printers(commands):
    listed = [[command, *PRINTS.get(command, ["planar2r"])] for command in commands if PRINTS.get(command, ()) is not None]
    return [["--help"], ["--version"], ["inverse", "planar2r", "--states", "states.csv"], ["inverse", "planar2r", "--json"], *listed,
            *[[command, "--help"] for command in commands]]


def no_reader(bench, commands, most):
    """Nobody reads the output any more: the program ends as others do, by SIGPIPE, and says nothing."""

    def close(words):
        folder = bench.new_folder()
        reads, writes = os.pipe()
        os.close(reads)
        done = bench.run([*words, "--quiet"], folder, stdout=writes)
        os.close(writes)
        if done.status != 128 + signal.SIGPIPE or done.err:
            bench.fail(words, f"no reader: status {done.status}: {done.err}")
        shutil.rmtree(folder)

    each(close, printers(commands))


def full_output(bench, commands, most):
    """Output to a full disk, and to a stream that is closed: status 1 and one line."""

    def fill(words):
        folder = bench.new_folder()
        for name, around in (("full", ["sh", "-c", '"$0" "$@" >/dev/full']), ("closed", ["sh", "-c", 'exec "$0" "$@" >&-'])):
            done = bench.run([*words, "--quiet"], folder, around=around)
            if done.status != 1 or done.lines != 1 or "standard output" not in done.err:
                bench.fail(words, f"output {name}: status {done.status}, {done.lines} lines: {done.err}")
        shutil.rmtree(folder)

    each(fill, printers(commands))


def closed_streams(bench, writers, most):
    """Without standard streams, files have what they always have: no message gets into them."""

    def close(writer):
        calls, new = bench.calls(writer)
        for closed in ("<&- >&- 2>&-", ">&- 2>&-", "2>&-"):
            folder = bench.new_folder()
            bench.put_old(folder, writer)
            done = bench.run(writer.words, folder, around=["sh", "-c", f'exec "$0" "$@" {closed}'])
            found = bench.written(folder, writer)
            bench.require_whole(writer, f"with {closed}", dict.fromkeys(new, OLD), new, found)
            if done.status not in (0, 1) or (done.status == 0 and not all_new(writer, found, new)):
                bench.fail(writer.words, f"with {closed}: status {done.status}")
            shutil.rmtree(folder)

    each(close, writers)


def jumping_clock(bench, writers, most):
    """The clock of the day jumps by ten years to and fro: nothing hangs, and results are the same."""
    years = {"clock": 10 * 365 * 86400}

    def jump(writer):
        calls, new = bench.calls(writer)
        folder = bench.new_folder()
        bench.put_old(folder, writer)
        done = bench.run(writer.words, folder, years)
        found = bench.written(folder, writer)
        if done.status != 0 or not all_new(writer, found, new):
            bench.fail(writer.words, f"clock that jumps: status {done.status}, or other results: {done.err}")
        shutil.rmtree(folder)

    each(jump, writers)
    folder = bench.new_folder()
    shutil.rmtree(bench.folder / "cache", ignore_errors=True)
    for words, key, least, largest in ((["gravity", "planar2r", "--engine", "compiled"], "compile_seconds", 1e-3, 60.0),):
        out = json.loads(bench.run([*words, "--json"], folder, years, {"CC": "cc"}).out or b"{}")
        if not least < out.get(key, -1.0) < largest:
            bench.fail(words, f"clock that jumps: {key} is {out.get(key)}")
    shown = subprocess.run(["date", "+%Y"], env=bench.variables(folder, years, {}), capture_output=True, text=True, check=True).stdout
    if abs(int(shown) - int(subprocess.run(["date", "+%Y"], capture_output=True, text=True, check=True).stdout)) < 5:
        bench.fail(["…"], "the clock did not jump")
