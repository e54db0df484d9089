#!/usr/bin/env python3
"""Fuzzes the targets of tests/fuzz/targets.def, one after the other, and says what was run, reached and found.

usage: fuzz.py --build build/fuzz [--seconds 60] [--jobs 1] [--only toml,urdf]

The build is that of `cmake --preset fuzz`, which `make fuzz` makes. What a target learns stays in BUILD/corpora/NAME, so
the next run goes on from there. An input that is a finding is written to BUILD/findings and makes the status 1: mend the
library, then `--minimize NAME FILE` makes the input small, to be kept in tests/fuzz/found/NAME.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "fuzz"
TARGET = re.compile(r'^FUZZ_TARGET\((\w+), "([^"]*)", "([^"]*)"\)', re.MULTILINE)
LONGEST = {"jobs": 400, "rows": 400, "events": 2000, "options": 2000}  # bytes; 8000 of others
MEMORY = 2048  # MiB; an input that needs more is a finding
PATIENCE = 25  # seconds; an input that takes longer is a finding


def targets():
    return {name: seeds.split() for name, words, seeds in TARGET.findall((FOLDER / "targets.def").read_text())}


def seed_folders(name, patterns, build):
    """The corpus, the kept findings, and copies of the other files of the repository that the target starts from."""
    copies = build / "seeds" / name
    shutil.rmtree(copies, ignore_errors=True)
    copies.mkdir(parents=True)
    for pattern in patterns:
        for file in ROOT.glob(pattern):
            shutil.copy(file, copies)
    kept = [FOLDER / kind / name for kind in ("corpus", "found")]
    return [copies] + [folder for folder in kept if folder.exists()]


def command(name, build, *arguments):
    return [build / "tests" / "fuzz" / f"fuzz_{name}", f"-rss_limit_mb={MEMORY}", f"-timeout={PATIENCE}", *arguments]


def environment():
    return dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1", ASAN_OPTIONS="detect_stack_use_after_return=0")


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def fuzz(name, patterns, options):
    """One line of figures; the output's tail where there is a finding."""
    build = options.build
    own, findings = build / "corpora" / name, build / "findings"
    for folder in (own, findings):
        folder.mkdir(parents=True, exist_ok=True)
    run = command(name, build, f"-max_total_time={options.seconds}", f"-max_len={LONGEST.get(name, 8000)}",
                  f"-artifact_prefix={findings}/{name}-", "-print_final_stats=1", "-reload=0", own,
                  *seed_folders(name, patterns, build))
    finished = subprocess.run(run, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(), check=False)
    text = finished.stdout.decode(errors="replace")
    (build / f"{name}.log").write_text(text)
    run_count, edges, all_edges, features = (
        number(pattern, text) for pattern in (r"number_of_executed_units: (\d+)", r" cov: (\d+)",
                                              r"\((\d+) inline 8-bit counters\)", r" ft: (\d+)"))
    line = (f"{name:10} {run_count:>10} executions {edges:>6} edges of {all_edges:>6} {features:>7} features "
            f"{len(list(own.iterdir())):>6} inputs")
    if finished.returncode == 0:
        return line, ""
    return line + "  A FINDING", "\n".join(text.splitlines()[-60:])


def minimize(name, file, build):
    made = build / "findings" / f"{name}-minimized"
    run = command(name, build, "-minimize_crash=1", "-max_total_time=60", f"-exact_artifact_path={made}", file)
    subprocess.run(run, env=environment(), check=False)
    print(made if made.exists() else "no smaller input was found")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--only", default="", help="these targets")
    parser.add_argument("--minimize", nargs=2, metavar=("NAME", "FILE"))
    options = parser.parse_args()
    options.build = options.build.resolve()
    if options.minimize:
        return minimize(*options.minimize, options.build)
    every = targets()
    chosen = [name for name in options.only.split(",") if name] or list(every)
    if unknown := [name for name in chosen if name not in every]:
        sys.exit(f"fuzz.py: no target {', '.join(unknown)}; known: {', '.join(every)}")
    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for line, finding in pool.map(lambda name: fuzz(name, every[name], options), chosen):
            print(line, flush=True)
            failed |= bool(finding)
            if finding:
                print(finding, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
