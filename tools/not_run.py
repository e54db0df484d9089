#!/usr/bin/env python3
"""Says which tests did not run, and why.

  not_run.py RESULTS.xml [--allowed]

RESULTS.xml is what `ctest --output-junit` wrote. A test that could not run has proven nothing: the status is 1 if there is
one, unless --allowed says that the machine was to be left as it is (INSTALL=no).
"""

import argparse
import re
import sys
import xml.etree.ElementTree


def reason(case):
    """The line in which the test says what it misses; its last line where none does."""
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
    for line in lines:
        if said := re.search(r"skipped: *(.+)", line, re.IGNORECASE):
            return said[1]
    return next((line for line in reversed(lines) if not re.match(r"\[ *[A-Z]+ *\]|\[[-=]+\]", line)), "it does not say")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--allowed", action="store_true")
    options = parser.parse_args()
    cases = xml.etree.ElementTree.parse(options.results).getroot().iter("testcase")
    skipped = [case for case in cases if case.find("skipped") is not None]
    for case in skipped:
        print(f"not run: {case.get('name')}: {reason(case)}")
    if skipped and not options.allowed:
        print("A test that cannot run is a failure; INSTALL=no takes the machine as it is.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
