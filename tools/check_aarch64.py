#!/usr/bin/env python3
"""check_aarch64.py [walk | PATTERN]: the program, the tests of the library and of the C interface, compiled for aarch64, under qemu.

`walk` is every command on a robot of each kind against the oracle of tests/walk, which the program must pass first. A PATTERN
is one of GoogleTest, as --gtest_filter takes it, of the library's tests alone. Without a word: all. What compiles code does so
with the cross compiler, which it finds as `cc`.
"""

import os
import shutil
import subprocess
import sys

import cross

NAME = "linux-aarch64"
PROGRAMS = ["library_tests", "ros2_tests", "c_api_test"]
WALKED = ["plain", "coupled", "free", "passive", "loop"]


def compiler_as_cc():
    """A folder in which `cc` compiles for the target."""
    folder = cross.CROSS / NAME / "cc"
    folder.mkdir(exist_ok=True)
    for name in ("cc", "gcc"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(cross.compilers(NAME, cross.TARGETS[NAME])[0])
    return folder


def walk(build, emulator, environment):
    """Whether every run of the program on these robots was right."""
    cross.run(["cmake", "--build", build, "--target", "catena_cli"])
    script = cross.CROSS / NAME / "catena-under-qemu"
    script.write_text(f"#!/bin/sh\nexec {' '.join(emulator)} '{build / 'catena'}' \"$@\"\n")
    script.chmod(0o755)
    python = next(each for each in ("python3", "/usr/bin/python3") if subprocess.run([each, "-c", "import numpy"], capture_output=True).returncode == 0)
    command = [python, cross.ROOT / "tests" / "walk" / "walk.py", "--catena", script, "--only"]
    return all([subprocess.run([*command, robot], env=environment).returncode == 0 for robot in WALKED])


def test(build, emulator, environment, pattern):
    """Whether all tests passed."""
    cross.run(["cmake", "--build", build, "--target", *PROGRAMS])
    shards = os.cpu_count() or 1
    started = []
    for name in PROGRAMS:
        program, = (path for path in build.rglob(name) if path.is_file() and os.access(path, os.X_OK))
        for shard in range(shards if name == "library_tests" else 1):
            own = {**environment, "GTEST_FILTER": pattern, "GTEST_BRIEF": "1"}
            if name == "library_tests":
                own |= {"GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)}
            log = cross.CROSS / "logs" / f"aarch64-{name}-{shard}.log"
            with open(log, "w") as out:
                started.append((name, log, subprocess.Popen([*emulator, program], env=own, cwd=build, stdout=out, stderr=out)))
    failed = False
    for name, log, process in started:
        status = process.wait()
        lines = [line for line in log.read_text(errors="replace").splitlines() if "PASSED" in line or "FAILED" in line]
        print(f"{name}: {'passed' if status == 0 else f'status {status}'}: {'; '.join(lines[-8:])}", flush=True)
        failed = failed or status != 0
    return not failed


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    build = cross.configure(NAME, ["-DCATENA_BUILD_TESTS=ON"])
    emulator = cross.TARGETS[NAME]["emulator"].split(";")
    environment = {**os.environ, "PATH": f"{compiler_as_cc()}{os.pathsep}{os.environ['PATH']}"}
    good = what not in ("", "walk") or walk(build, emulator, environment)
    if what != "walk":
        good = test(build, emulator, environment, what or "*") and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    if not shutil.which("qemu-aarch64"):
        sys.exit("check_aarch64.py: no qemu-aarch64; tools/install_dependencies.sh cross")
    main()
