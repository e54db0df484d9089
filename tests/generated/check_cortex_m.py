#!/usr/bin/env python3
"""Every job of robots of every kind, and control laws, as code for Cortex-M: compiled for an M4F and an M7, run by QEMU, and compared
bit by bit with the same code on the host, which in turn agrees with the program's numbers in double precision. Object files call
nothing and have no variables.

usage: check_cortex_m.py --catena PROGRAM
"""

import argparse
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np

import boards
from kinds import Kind, Walk, all_kinds

TOLERANCE = 2e-3  # of float against double, over all jobs; the worst are second derivatives
LAWS = ["pid", "computed", "passivity", "adaptive", "sliding", "operational", "impedance", "observer"]
# Without contraction into fused operations every IEEE processor gives the same bits.
FLAGS = ["-O1", "-ffp-contract=off"]
LONGEST = 400  # lines: compiling is most of the time here


def literals(values):
    return ", ".join(f"{float(np.float32(v))!r}f" for v in np.ravel(values)) or "0.0f"


def work_of(kinds, laws):
    """Calls of everything; outputs of no entries have a place all the same."""
    head, body = '#include "board.h"\n', ""
    for kind in kinds:
        head += f'#include "{kind.name}.h"\n'
        for function in kind.functions:
            names = []
            for k, argument in enumerate(function.arguments):
                names.append(f"{function.name}_in{k}")
                head += f"static const float {names[-1]}[] = {{{literals(argument)}}};\n"
            outputs = [f"out{k}" for k in range(len(function.results))]
            body += "  {\n" + "".join(f"    float {name}[{max(1, result.size)}];\n" for name, result in zip(outputs, function.results))
            body += f"    {function.name}({', '.join(names + outputs)});\n"
            body += "".join(f"    show({name}, {result.size});\n" for name, result in zip(outputs, function.results)) + "  }\n"
    for law in laws:
        head += f'#include "{law}.h"\n'
        sizes = {what: f"{law.upper()}_{what}" for what in ("STATES", "MEASUREMENTS", "REFERENCES", "JOINTS")}
        body += (f"  {{\n    static float state[{sizes['STATES']} + 1];\n    float torque[{sizes['JOINTS']}], measurement[{sizes['MEASUREMENTS']}], "
                 f"reference[{sizes['REFERENCES']}];\n"
                 f"    for (int k = 0; k < {sizes['MEASUREMENTS']}; ++k) measurement[k] = 0.125f*(float)(k + 1);\n"
                 f"    for (int k = 0; k < {sizes['REFERENCES']}; ++k) reference[k] = 0.25f - 0.0625f*(float)k;\n"
                 f"    {law}_reset(state);\n    for (int k = 0; k < 50; ++k) {law}_step(state, measurement, reference, 0.001f, torque);\n"
                 f"    show(torque, {sizes['JOINTS']});\n    show(state, {sizes['STATES']});\n  }}\n")
    return head + "\nvoid work(void)\n{\n" + body + "}\n"


def on_host(folder, sources):
    boards.call(["cc", "-std=c99", *FLAGS, "-Werror", "-Wdouble-promotion", f"-I{boards.FIRMWARE}", "work.c", boards.FIRMWARE / "host.c", *sources,
                   "-o", "on_host"], folder)
    return [[int(word, 16) for word in line.split()] for line in boards.call(["./on_host"], folder).splitlines()]


def floats(line, shape):
    return np.array(struct.unpack(f"{len(line)}f", struct.pack(f"{len(line)}I", *line)), dtype=float).reshape(shape)


def check_objects(processor, objects, folder):
    """What is wrong with them: calls of other functions, variables."""
    failures = []
    for name in objects:
        for line in boards.call([boards.BOARDS[processor].tools + "nm", name], folder).splitlines():
            kind, symbol = line.split()[-2:]
            if kind in "UbBcCdDsS":
                failures.append(f"{name} for {processor}: {'calls' if kind == 'U' else 'has the variable'} {symbol}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catena", required=True, help="the program")
    options = parser.parse_args()
    for program in boards.NEEDED:
        if shutil.which(program) is None:
            sys.exit(f"check_cortex_m.py: no {program}: tools/install_dependencies.sh test")
    failures, worst = [], (0.0, "")
    with tempfile.TemporaryDirectory(prefix="cortex_m") as folder:
        folder = pathlib.Path(folder)
        walk = Walk(str(pathlib.Path(options.catena).resolve()), folder)
        kinds = [Kind(walk, robot, k, LONGEST) for k, robot in enumerate(all_kinds())]
        for kind in kinds:
            kind.code("c", "--target=cortex-m", "-o", str(folder / f"{kind.name}.c"))
        for law in LAWS:
            subprocess.run([walk.program, "generate", "ur5", "--law", law, "--target", "cortex-m", "--name", law, "-o", folder / f"{law}.c", "--quiet"],
                           check=True, capture_output=True)
        sources = [f"{kind.name}.c" for kind in kinds] + [f"{law}.c" for law in LAWS]
        (folder / "work.c").write_text(work_of(kinds, LAWS))
        host = on_host(folder, sources)
        for processor in boards.BOARDS:
            objects = boards.compile_objects(processor, sources, folder, FLAGS)
            failures += check_objects(processor, objects, folder)
            boards.link(processor, objects, folder)
            shown = boards.run(processor, folder)
            if len(shown) != len(host):
                failures.append(f"{processor}: {len(shown)} results of {len(host)}")
            failures += [f"{processor}: result {k + 1} differs from the host's" for k, (a, b) in enumerate(zip(shown, host)) if a != b][:5]
        lines = iter(host)
        for kind in kinds:
            for function in kind.functions:
                off = function.disagreement([floats(next(lines), result.shape) for result in function.results])
                worst = max(worst, (off, f"{function.job} of '{kind.case.robot.name}'"))
                if not off <= TOLERANCE:
                    failures.append(f"{kind.case.robot.name}: {function.job} in single precision is off by {off:.3g}")
        for line in lines:
            if not np.isfinite(floats(line, (-1,))).all():
                failures.append("a law gives a number that is not finite")
    print(*failures, f"cortex-m: {len(host)} results of {len(kinds)} robots and {len(LAWS)} laws on {len(boards.BOARDS)} processors, the same bits as on "
          f"the host; from double precision {worst[0]:.2g} at most, {worst[1]}", sep="\n")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
