#!/usr/bin/env python3
"""check_aarch64.py [PATTERN]: the tests of the library and of the C interface, compiled for aarch64, under qemu.

A PATTERN is one of GoogleTest, as --gtest_filter takes it. Tests that compile code do so with the cross compiler, which they
find as `cc`. What is not run, and why, is said.
"""

import os
import shutil
import subprocess
import sys

import cross

NAME = "linux-aarch64"
PROGRAMS = ["library_tests", "ros2_tests", "c_api_test"]
# Tests that cannot run here: what GoogleTest calls them, and why.
LEFT_OUT = {}


def compiler_as_cc():
    """A folder in which `cc` compiles for the target."""
    folder = cross.CROSS / NAME / "cc"
    folder.mkdir(exist_ok=True)
    for name in ("cc", "gcc"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(cross.compilers(NAME, cross.TARGETS[NAME])[0])
    return folder


def main():
    build = cross.configure(NAME, ["-DCATENA_BUILD_TESTS=ON"])
    cross.run(["cmake", "--build", build, "--target", *PROGRAMS])
    path = f"{compiler_as_cc()}{os.pathsep}{os.environ['PATH']}"
    pattern = (sys.argv[1] if len(sys.argv) > 1 else "*") + "-" + ":".join(LEFT_OUT)
    emulator = cross.TARGETS[NAME]["emulator"].split(";")
    shards = os.cpu_count() or 1
    started = []
    for name in PROGRAMS:
        program, = (path for path in build.rglob(name) if path.is_file() and os.access(path, os.X_OK))
        for shard in range(shards if name == "library_tests" else 1):
            environment = {**os.environ, "PATH": path, "GTEST_FILTER": pattern, "GTEST_BRIEF": "1"}
            if name == "library_tests":
                environment |= {"GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)}
            log = cross.CROSS / "logs" / f"aarch64-{name}-{shard}.log"
            with open(log, "w") as out:
                started.append((name, log, subprocess.Popen([*emulator, program], env=environment, cwd=build, stdout=out, stderr=out)))
    failed = False
    for name, log, process in started:
        status = process.wait()
        lines = [line for line in log.read_text(errors="replace").splitlines() if "PASSED" in line or "FAILED" in line]
        print(f"{name}: {'passed' if status == 0 else f'status {status}'}: {'; '.join(lines[-8:])}", flush=True)
        failed = failed or status != 0
    for test, why in LEFT_OUT.items():
        print(f"not run: {test}: {why}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if not shutil.which("qemu-aarch64"):
        sys.exit("check_aarch64.py: no qemu-aarch64; tools/install_dependencies.sh cross")
    main()
