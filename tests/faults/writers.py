"""Every command that writes a file, once for each way in which it writes. The program's help is asked whether one is missing."""

import dataclasses
import math
import re
import shutil
import subprocess

READS = {"--states", "--trajectory", "--base-motion", "--prior-model", "--table", "--benchmark", "--poses", "--validate", "--log",
         "--wrench-table", "--loaded"}  # options with a file that is only read
FILE = re.compile(r"^\s+(?:(-\w),\s*)?(--[\w-]+)\s+[A-Z:]*FILE", re.MULTILINE)


@dataclasses.dataclass
class Writer:
    words: list
    files: tuple
    options: tuple = ("--output",)  # those that this writes by
    differs: tuple = ()  # files with a date or times, which are whole where they end as they should

    said: bool = False  # its warnings too

    def __post_init__(self):
        self.words = [*self.words, *([] if self.said else ["--quiet"])]

    @property
    def command(self):
        return self.words[0]


def of_jobs(jobs):
    """All of them write tables in the same way; one by one of them goes through all formats."""
    yield Writer(["inverse", "planar2r", "--states", "states.csv", "-o", "o.npz"], ("o.npz",))
    yield Writer(["inverse", "planar2r", "--states", "states.csv", "-o", "o.npy"], ("o.npy",))
    yield Writer(["inverse", "planar2r", "--trajectory", "motion.csv", "-o", "o.csv", "--plot", "o.svg", "--report", "o.html"],
                 ("o.csv", "o.svg", "o.html"), ("--output", "--plot", "--report"))
    yield Writer(["inverse", "panda", "--states", "beyond.csv", "-o", "o.csv"], ("o.csv",), said=True)  # warns while it writes
    yield Writer(["linearize", "planar2r", "--trajectory", "motion.csv", "-o", "o.csv", "--plot", "o.svg"], ("o.csv", "o.svg"),
                 ("--output", "--plot"))
    yield Writer(["linearize", "planar2r", "--q", "0.1,0.2", "--report", "o.html"], ("o.html",), ("--report",))
    for job in jobs:
        yield Writer([job, "planar2r", "--states", "states.csv", "-o", "o.csv"], ("o.csv",))


def others():
    yield Writer(["convert", "planar2r", "--force", "-o", "o.toml"], ("o.toml",))
    yield Writer(["assemble", "planar2r", "pelican", "--at", "tool", "--prefix", "p_", "--force", "-o", "o.urdf"], ("o.urdf",))
    yield Writer(["run", "planar2r", "--compute", "gravity,inertia", "--states", "states.csv", "-o", "o.csv"], ("o.csv",))
    yield Writer(["run", "planar2r", "--compute", "gravity", "--states", "states.npy", "-o", "o.npy"], ("o.npy",))
    yield Writer(["static", "planar2r", "--states", "positions.csv", "-o", "o.csv"], ("o.csv",))
    yield Writer(["simulate", "planar2r", "--time", "0.1", "-o", "o.csv", "--plot", "o.svg", "--report", "o.html"],
                 ("o.csv", "o.svg", "o.html"), ("--output", "--plot", "--report"))
    yield Writer(["filter", "planar2r", "--log", "log.csv", "-o", "o.csv"], ("o.csv",))
    yield Writer(["identify", "planar2r", "--states", "measured.csv", "--force", "-o", "o.toml"], ("o.toml",))
    yield Writer(["identify", "planar2r", "--states", "measured.csv", "--force", "--report", "o.html", "--plot", "o.svg"],
                 ("o.html", "o.svg"), ("--report", "--plot"), ("o.html",))
    yield Writer(["identify", "planar2r", "--log", "log.csv", "--online", "o.csv"], ("o.csv",), ("--online",))
    yield Writer(["excite", "planar2r", "--time", "5", "--starts", "1", "--steps", "1", "-o", "o.csv"], ("o.csv",))
    yield Writer(["calibrate", "planar2r", "--poses", "poses.csv", "--force", "-o", "o.toml"], ("o.toml",))
    yield Writer(["trajectory", "planar2r", "--to", "1,1", "--time", "1", "-o", "o.csv", "--plot", "o.svg", "--report", "o.html"],
                 ("o.csv", "o.svg", "o.html"), ("--output", "--plot", "--report"))
    yield Writer(["trajectory", "ur5", "--from", "0,-1,1,0,0,0", "--to", "1,-1.5,1,0,0,0", "--time-optimal", "-o", "o.csv", "--phase-plot", "o.svg"],
                 ("o.csv", "o.svg"), ("--output", "--phase-plot"))
    yield Writer(["report", "planar2r", "-o", "o.html"], ("o.html",))
    generate = ["generate", "planar2r", "--compute", "gravity,inverse", "--no-search", "--name", "arm"]
    yield Writer([*generate, "--force", "-o", "o.c"], ("o.c", "o.h"))
    yield Writer([*generate, "--force", "--lang", "matlab", "-o", "o"], ("o/arm_gravity.m", "o/arm_inverse.m"))
    yield Writer(["generate", "planar2r", "--lang", "fmu", "--no-search", "--force", "-o", "o.fmu"], ("o.fmu",))
    yield Writer(["generate", "planar2r", "--law", "computed", "--force", "-o", "o.c"], ("o.c", "o.h"))
    yield Writer(["equations", "planar2r", "--force", "-o", "o.tex"], ("o.tex",))
    yield Writer(["count", "planar2r", "--compute", "gravity", "--plot", "o.svg"], ("o.svg",), ("--plot",))
    yield Writer(["compare", "planar2r", "--compute", "pose", "--plot", "o.svg", "--report", "o.html"], ("o.svg", "o.html"), ("--plot", "--report"),
                 ("o.html",))


def of_program(bench):
    """All of them; a way to write that is missing here is a failure."""
    text = bench.run(["--help"], bench.folder).out.decode()
    commands = re.findall(r"^  (\S+)", text.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)
    jobs = re.findall(r'"name": "(\w+)", "(?:words|summary|computes)', bench.run(["jobs", "--json"], bench.folder).out.decode())
    jobs = [job for job in commands if job in jobs]
    found = [*others(), *of_jobs(jobs)]
    for command in commands:
        given = {option for writer in found if writer.command == command for option in writer.options}
        listed = {name for _, name in FILE.findall(bench.run([command, "--help"], bench.folder).out.decode())}
        for option in sorted(listed - READS - given):
            bench.fail([command, option], "writes a file, and no fault is tried on it")
    return commands, found


# --- what they read ---


def table(names, rows):
    return ",".join(names) + "\n" + "".join(",".join(f"{x:.9g}" for x in row) + "\n" for row in rows)


def motion(t):
    q = [math.sin(1.3 * t), math.cos(2.1 * t)]
    qd = [1.3 * math.cos(1.3 * t), -2.1 * math.sin(2.1 * t)]
    return [*q, *qd, -1.69 * q[0], -4.41 * q[1]]


def make_inputs(bench):
    """States, motions and logs of the two-link arm, and stand-ins for the page and gnuplot."""
    folder, names = bench.inputs, [f"{group}{k}" for group in ("q", "qd", "qdd") for k in (1, 2)]
    times = [0.01 * k for k in range(400)]
    rows = [motion(t) for t in times]
    (folder / "states.csv").write_text(table(names, rows[:40]))
    (folder / "positions.csv").write_text(table(names[:2], [row[:2] for row in rows[:40]]))
    (folder / "motion.csv").write_text(table(["t", *names], [[t, *row] for t, row in zip(times[:40], rows)]))
    (folder / "all.csv").write_text(table(names, rows))
    (folder / "beyond.csv").write_text(table([f"q{k}" for k in range(1, 8)], [[90.0, *[0.1] * 6]] * 40))
    (folder / "page.html").write_text("<html><!--catena-data--></html>\n")
    plotter = folder / "gnuplot"
    plotter.write_text("#!/bin/sh\necho '<svg/>'\n")
    plotter.chmod(0o755)

    def made(*words):
        done = bench.run(words, folder)
        if done.status != 0:
            raise SystemExit(f"catena {' '.join(words)}: status {done.status}: {done.err}")

    made("inverse", "planar2r", "--states", "all.csv", "-o", "torques.csv", "--quiet")
    torques = [[float(x) for x in line.split(",")[-2:]] for line in (folder / "torques.csv").read_text().splitlines()[1:]]
    (folder / "measured.csv").write_text(table(["t", *names, "tau1", "tau2"], [[t, *row, *tau] for t, row, tau in zip(times, rows, torques)]))
    (folder / "log.csv").write_text(table(["t", "q1", "q2", "tau1", "tau2"], [[t, *row[:2], *tau] for t, row, tau in zip(times, rows, torques)]))
    made("inverse", "planar2r", "--states", "states.csv", "-o", "torques.npy", "--quiet")
    made("pose", "planar2r", "--states", "positions.csv", "-o", "poses.csv", "--quiet")
    positions, poses = ((folder / name).read_text().splitlines() for name in ("positions.csv", "poses.csv"))
    if not poses[0].startswith("q1"):
        (folder / "poses.csv").write_text("".join(f"{q},{pose}\n" for q, pose in zip(positions, poses)))
    shutil.copyfile(folder / "torques.npy", folder / "states.npy")  # two columns: they do as positions
    subprocess.run(["rm", str(folder / "torques.npy"), str(folder / "torques.csv"), str(folder / "all.csv")], check=True)
