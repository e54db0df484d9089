#!/usr/bin/env python3
"""Code for Cortex-M by the rules of MISRA C:2012, as far as cppcheck knows them: no required rule is broken, and of the advisory ones only
those that docs/microcontrollers.md lists.

usage: check_misra.py --catena PROGRAM
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check_sines import ROBOT
from kinds import Walk

# The text of the rules is not free; which of them are advisory is in every list of their numbers.
ADVISORY = """1.2 2.3 2.4 2.5 2.6 2.7 4.2 5.9 8.7 8.9 8.11 8.13 10.5 11.4 11.5 12.1 12.3 12.4 13.3 13.4 15.1 15.4 15.5 17.5 17.8 18.4 18.5 19.2 20.1
20.5 21.12""".split()
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "microcontrollers.md"


def listed_deviations():
    """Rules in the page's table of deviations."""
    text = PAGE.read_text(encoding="utf-8").split("## MISRA C", 1)[1]
    return set(re.findall(r"^\| (\d+\.\d+) \|", text, re.MULTILINE))


def listed(walk, what):
    return [one["name"] for one in json.loads(walk.run([what, "--json"])[1])[what]]


def written(walk, folder):
    """Sources with what printers write: every job of a joint with dry friction (sines, exponentials, signs), the parts of a long function,
    every law; gains along a motion need one."""
    (folder / "dry.toml").write_text(ROBOT, encoding="utf-8")
    walk.run(["trajectory", "planar2r", "--to=1,1", "--time=1", "--rate=10", "-o", str(folder / "motion.csv")])
    more = {"null-space": ["--directions=translation"], "hybrid": ["--gain=along=0,0,1,0,0,0"]}
    commands = {"dry": ["dry.toml", "--no-search", "--compute=" + ",".join(listed(walk, "jobs"))], "long": ["panda", "--no-search", "--compute=response"],
                "law_pid": ["planar2r", "--law=pid"], "law_lqr": ["planar2r", "--law=lqr", "--trajectory=motion.csv"],
                **{f"long_{k}": ["ur5", f"--law={law}", *more.get(law, [])] for k, law in enumerate(listed(walk, "laws")) if law not in ("pid", "lqr")}}
    for name, words in commands.items():
        status, _, message = walk.run(["generate", *words, "--target=cortex-m", f"--name={name}", "-o", str(folder / f"{name}.c"), "--quiet"])
        if status != 0:
            sys.exit(message)
        # cppcheck takes minutes for thousands of statements in a row: of a long function its parts are looked at without them.
        if name.startswith("long"):
            text = (folder / f"{name}.c").read_text()
            (folder / f"{name}.c").write_text(re.sub(r"^  (const float t|kept\[|qdd_|jac_|\w+\[\d+\] = ).*\n", "", text, flags=re.MULTILINE))
    return [f"{name}.c" for name in commands]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True, help="the program")
    options = parser.parse_args()
    if shutil.which("cppcheck") is None:
        sys.exit("check_misra.py: no cppcheck: tools/install_dependencies.sh test")
    found, failures = {}, []
    with tempfile.TemporaryDirectory(prefix="misra") as folder:
        folder = pathlib.Path(folder)
        sources = written(Walk(str(pathlib.Path(options.catena).resolve()), folder), folder)
        # A file with a fault shows that the addon runs.
        (folder / "fault.c").write_text("int fault(int x);\nint fault(int x)\n{\n  if (x)\n    return 1;\n  return 0;\n}\n")
        done = subprocess.run(["cppcheck", "--addon=misra", "--std=c99", "--language=c", "--platform=unix32", "--enable=warning,style,portability", "--quiet", "-j2",
                               "--suppress=unusedFunction", "--template={id} {file} {line} {message}", *sources, "fault.c"], cwd=folder, capture_output=True, text=True)
        for line in done.stderr.splitlines():
            what, file, at = line.split()[:3]
            found.setdefault((what.removeprefix("misra-c2012-"), file == "fault.c"), f"{file}:{at}: {line} | "
                             + ((folder / file).read_text().splitlines()[int(at) - 1].strip() if at.isdigit() and (folder / file).exists() else ""))
    if not any(meant and rule not in ADVISORY for rule, meant in found):
        failures.append(f"cppcheck finds no fault where there is one: {done.stdout}{done.stderr[-2000:]}")
    allowed = listed_deviations()
    for (what, meant), example in found.items():
        if not meant and what not in allowed:
            failures.append(example)
    failures += [f"docs/microcontrollers.md lists rule {rule}, which is required" for rule in allowed - set(ADVISORY)]
    print(*failures, f"misra: {len(sources)} files; advisory rules not kept: {', '.join(sorted({w for w, meant in found if not meant})) or 'none'}", sep="\n")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
