#!/usr/bin/env python3
"""Measures fits to simulated raw logs of six arms, for docs/identification.md:

    python3 tools/measure_coverage.py --tests build/tests/library_tests [--draws 200] [--arm panda] [--file LINES]

How often 95 % intervals hold the true values, over all draws of the noise and parameter by parameter; the largest errors of
gains, friction and loads; what the possible model leaves of other torques, over what least squares leave. 200 draws take half an
hour. --file reads what an earlier run of the tests printed.
"""
import argparse
import math
import os
import subprocess
import sys


def lines_of(given):
    if given.file:
        with open(given.file, encoding="utf-8") as file:
            return file.read().splitlines(), 0
    more = {"CATENA_ARM": given.arm} if given.arm else {}
    done = subprocess.run([given.tests, "--gtest_filter=RawLogs.*"], text=True, stdout=subprocess.PIPE, check=False,
                          env=dict(os.environ, CATENA_DRAWS=str(given.draws), **more))
    return done.stdout.splitlines(), done.returncode


def binomial_range(draws, parameters):
    """Between which counts all of so many parameters lie with probability 95 %, if each interval holds with 95 %."""
    weights = [math.comb(draws, k) * 0.95**k * 0.05**(draws - k) for k in range(draws + 1)]
    one = 1 - 0.95 ** (1 / parameters)
    low = high = 0.0
    least, most = 0, draws
    while low + weights[least] < one / 2:
        low, least = low + weights[least], least + 1
    while high + weights[most] < one / 2:
        high, most = high + weights[most], most - 1
    return least, most


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", help="the program library_tests")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--arm", help="one of them alone")
    parser.add_argument("--file", help="a run's output, instead of a run")
    given = parser.parse_args()
    if not given.tests and not given.file:
        parser.error("give --tests or --file")
    lines, status = lines_of(given)
    arms = {}
    for line in lines:
        words = line.split()
        if words[:1] == ["coverage"]:
            arms.setdefault(words[1], {})["coverage"] = float(words[2])
        elif words[:1] == ["errors"]:
            arms.setdefault(words[1], {}).update(zip(words[2::2], map(float, words[3::2])))
        elif words[:1] == ["parameter"]:
            arms.setdefault(words[1], {}).setdefault("parameters", []).append((int(words[2]), int(words[4].rstrip(":")), " ".join(words[5:])))
    print("| arm | parameters | intervals hold | single ones, from | to | gains | dry | viscous | mass | centre | held out |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, own in arms.items():
        counts = [(inside / drawn, drawn, text) for inside, drawn, text in own.get("parameters", [])]
        errors = [f"{100 * own[key]:.2f} %" if key in own else "" for key in ("gain", "dry", "viscous", "mass")]
        centre = f"{1000 * own['centre']:.2f} mm" if "centre" in own else ""
        ratio = f"{own['ratio']:.4f}" if "ratio" in own else ""
        print(f"| {name} | {len(counts)} | {100 * own.get('coverage', math.nan):.1f} % | {100 * min(counts)[0]:.1f} % | {100 * max(counts)[0]:.1f} % | "
              + " | ".join([*errors, centre, ratio]) + " |")
    for name, own in arms.items():
        drawn = max((draws for _, draws, _ in own["parameters"]), default=0)
        least, most = binomial_range(drawn, len(own["parameters"]))
        outside = [f"{text}: {inside}" for inside, draws, text in own["parameters"] if draws == drawn and not least <= inside <= most]
        print(f"{name}: {drawn} draws would leave all between {least} and {most} if each held in 95 %"
              + (f"; outside: {'; '.join(outside)}" if outside else ""))
    sys.exit(status)


if __name__ == "__main__":
    main()
