#!/usr/bin/env python3
"""Draws the figures of the texts anew, by the program and gnuplot:

    python3 examples/figures_of_the_texts.py --catena build/catena FOLDER

saha_fig5   torques of the planar 3R arm along the cycloids of eq. 38
saha_fig6   its joint angles in free fall
saha_fig8   torques of the Stanford arm along eq. 39, amplitudes as its end values ask, a panel per joint as in print
saha_fig9   its joints in free fall, likewise, gravity along -z and along +z of the base
lin_table1  operations of the inertia matrix over n;  lin_table2: of the bias vector
            (Lin's own figures are drawings and listings; these are his comparisons)
laus_fig1   the pelican arm alone and with its crucible, from the poses of the models
"""
import argparse
import json
import pathlib
import subprocess
import sys

LIN = {  # job, our formulations, and what Tables I and II say of n
    "lin_table1": ("inertia", ["walker-orin", "renaud", "fijany-bejczy", "base-origin"],
                   "10.5*x**2+38.5*x-85 + 6*x**2+39*x-70"),
    "lin_table2": ("bias", None, "12.5*x**2+5.5*x+3 + 9*x**2+x"),
}


def run(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"figures_of_the_texts: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def gnuplot(lines, folder):
    """In the folder, so that no path of the user's stands in a script."""
    done = subprocess.run(["gnuplot", "--default-settings"], input="\n".join(lines) + "\n", text=True, capture_output=True,
                          cwd=folder)
    if done.returncode != 0:
        sys.exit("figures_of_the_texts: gnuplot: " + done.stderr.strip())


def by_joint(folder, name, ending, terminal, columns, units):
    """Columns of name.csv, which the program wrote, one panel each: (a), (b), …"""
    lines = terminal(f"{name}{ending}", "1000,900") + ["set datafile separator ','", "set multiplot layout 3,2",
                                                         "set xlabel 'time, s'", "unset key"]
    for k, (column, unit) in enumerate(zip(columns, units)):
        lines += [f"set title '({'abcdef'[k]}) joint {k + 1}'", f"set ylabel '{unit}'",
                  f"plot '{name}.csv' using 1:{column} skip 1 with lines linewidth 1.6"]
    gnuplot(lines + ["unset multiplot"], folder)


def saha(program, folder, ending, terminal):
    motion = ["--deg", "--time", 10, "--profile", "cycloid", "--samples", 401]
    run(program, "inverse", "planar3r", "--to", "180,180,180", *motion, "-o", folder / "saha_fig5.csv",
        "--plot", folder / f"saha_fig5{ending}")
    run(program, "simulate", "planar3r", "--time", 10, "--samples", 401, "-o", folder / "saha_fig6.csv",
        "--plot", folder / f"saha_fig6{ending}")
    run(program, "inverse", "stanford", "--from", "0,90,0,0,0,0", "--to", "60,60,0.1,60,60,60", *motion,
        "-o", folder / "saha_fig8.csv")
    by_joint(folder, "saha_fig8", ending, terminal, range(2, 8), ["N m", "N m", "N", "N m", "N m", "N m"])
    for name, gravity in (("saha_fig9", "0,0,-9.81"), ("saha_fig9_gravity_up", "0,0,9.81")):
        run(program, "simulate", "stanford", "--q", "0,90,0,0,0,0", "--deg", "--gravity", gravity, "--time", 1,
            "--samples", 401, "-o", folder / f"{name}.csv")
        by_joint(folder, name, ending, terminal, range(2, 8), ["rad", "rad", "m", "rad", "rad", "rad"])


def counts(program, job, n):
    rows = json.loads(run(program, "count", "--n", n, "--compute", job, "--json"))["counts"]
    return {r["name"]: r["online"]["multiplications"] + r["online"]["additions"] for r in rows if "(" not in r["name"]}


def lin(program, folder, ending, terminal):
    for name, (job, wanted, published) in LIN.items():
        by_n = {n: counts(program, job, n) for n in range(2, 9)}
        names = wanted or list(by_n[2])
        lines = terminal(f"{name}{ending}", "820,460")
        for k, own in enumerate(names):
            lines += [f"$c{k} << END"] + [f"{n} {by_n[n][own]}" for n in by_n] + ["END"]
        lines += ["set xlabel 'joints'", f"set ylabel 'multiplications and additions, {job}'", "set key outside right top"]
        curves = [f"$c{k} using 1:2 with linespoints pointtype 7 linewidth 1.6 title '{own}'" for k, own in enumerate(names)]
        curves.append(f"[2:8] {published} with lines dashtype 2 linecolor rgb 'black' title 'Lin, as printed'")
        gnuplot(lines + ["plot " + ", ".join(curves)], folder)


def laus(program, folder, ending, terminal):
    lines = terminal(f"laus_fig1{ending}", "900,460")
    lines += ["set multiplot layout 1,2", "set size ratio -1", "set xrange [-0.1:0.75]", "set yrange [-0.1:0.6]",
              "set xlabel 'x, m'", "set ylabel 'y, m'"]
    for k, (model, q) in enumerate((("pelican", "0.4,0.9"), ("pelican_crucible", "0.4,0.9,-2.87"))):
        poses = json.loads(run(program, "kinematics", model, "--q", q, "--all", "--json"))["poses"]
        points = [(T[0][3], T[1][3]) for T in poses.values()]
        lines += [f"$a{k} << END"] + [f"{x} {y}" for x, y in points] + ["END"]
        lines += [f"plot $a{k} using 1:2 with linespoints linewidth 4 pointtype 7 pointsize 1.5 title '{'ab'[k]}) {model}' noenhanced"]
    gnuplot(lines + ["unset multiplot"], folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--catena", required=True)
    parser.add_argument("--png", action="store_true", help="pictures of points instead of SVG")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    ending = ".png" if given.png else ".svg"

    def terminal(path, size):
        kind = "pngcairo" if given.png else "svg dynamic background '#ffffff'"
        return [f"set terminal {kind} size {size} font ',12'", f"set output '{path}'", "set border 3", "set tics nomirror"]

    saha(given.catena, given.folder, ending, terminal)
    lin(given.catena, given.folder, ending, terminal)
    laus(given.catena, given.folder, ending, terminal)
    drawn = sorted(path.name for path in given.folder.glob(f"*{ending}"))
    print(f"{len(drawn)} figures in {given.folder}: {', '.join(drawn)}")
    return 0 if len(drawn) >= 8 and all((given.folder / name).stat().st_size > 2000 for name in drawn) else 1


if __name__ == "__main__":
    sys.exit(main())
