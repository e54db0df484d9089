#!/usr/bin/env python3
"""Measures how often 95 % intervals hold the true values, for docs/identification.md:

    python3 tools/measure_coverage.py --tests build/tests/library_tests [--draws 200]

Logs of six arms with torques whose noise is correlated in time, as many draws for each; takes some minutes.
"""
import argparse
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", required=True, help="the program library_tests")
    parser.add_argument("--draws", type=int, default=200)
    given = parser.parse_args()
    done = subprocess.run([given.tests, "--gtest_filter=Uncertainty.IntervalsHoldUnderCorrelatedNoise"], text=True,
                          env=dict(os.environ, CATENA_DRAWS=str(given.draws)), stdout=subprocess.PIPE, check=False)
    print("\n".join(line for line in done.stdout.splitlines() if line.startswith("coverage")))
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
