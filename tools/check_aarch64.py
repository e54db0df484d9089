#!/usr/bin/env python3
"""check_aarch64.py [--seconds N] [walk | PATTERN]: the program, the tests of the library and of the C interface, compiled for
aarch64, under qemu.

`walk` is every command on a robot of each kind against the oracle of tests/walk, which the program must pass first. A PATTERN
is one of GoogleTest, as --gtest_filter takes it, of the library's tests alone. Without a word: all. What compiles code does so
with the cross compiler, which it finds as `cc`. The emulator takes twenty times as long as a processor: a test that takes
longer than N seconds there (60) is ended, and named; this is no failure. Of the random robots of a test every eleventh is tried,
unless CATENA_EVERY says otherwise.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

import cross

NAME = "linux-aarch64"
PROGRAMS = ["library_tests", "ros2_tests", "c_api_test"]
LEFT_OUT = {"BatchEngine.WorksInForkedChildren": "qemu 7.2 itself ends in a forked child of a process with threads",
            "CudaCode.CompilesForEveryArchitecture": "NVRTC is a library of this machine, not of the other one"}
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


class Tests:
    """What came of the tests of a program."""

    def __init__(self, program, emulator, environment, seconds):
        self.command, self.environment, self.seconds = [*emulator, program], environment, seconds
        self.passed, self.failed, self.too_long = [], [], []

    def names(self, pattern):
        listed = subprocess.run([*self.command, "--gtest_list_tests", f"--gtest_filter={pattern}"], check=True, capture_output=True, text=True)
        names = []
        for line in listed.stdout.splitlines():
            word = line.split("#")[0].rstrip()
            if line.startswith("  "):
                names.append(suite + word.strip())
            elif word.endswith("."):
                suite = word
        return names

    def run(self, names, log):
        """One process after the other, each until a test in it crashes or takes too long."""
        left = list(names)
        while left:
            flags = log.with_suffix(".flags")
            flags.write_text("--gtest_filter=" + ":".join(left) + "\n")
            process = subprocess.Popen([*self.command, f"--gtest_flagfile={flags}"], env=self.environment, text=True, errors="replace",
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            running, slow, timer = None, [], None

            def end(name):
                slow.append(name)
                os.killpg(process.pid, signal.SIGKILL)

            with open(log, "a") as out:
                for line in process.stdout:
                    out.write(line)
                    if begun := re.match(r"\[ RUN      \] (\S+)", line):
                        running = begun[1]
                        timer = threading.Timer(self.seconds, end, [running])
                        timer.start()
                    elif running and (ended := re.match(r"\[ +(OK|FAILED|SKIPPED) +\] (\S+?),? ", line)) and ended[2] == running:
                        timer.cancel()
                        (self.passed if ended[1] == "OK" else self.failed).append(running)
                        left.remove(running)
                        running = None
            status = process.wait()
            if running:  # crashed, or was ended
                timer.cancel()
                (self.too_long if slow else self.failed).append(running)
                left.remove(running)
            elif left:
                sys.exit(f"check_aarch64.py: {self.command[-1]} ended with status {status} and left {len(left)} tests")


def test(build, emulator, environment, pattern, seconds):
    """Whether all tests passed that did not take too long."""
    cross.run(["cmake", "--build", build, "--target", *PROGRAMS])
    good = True
    for name in PROGRAMS if pattern == "*" else PROGRAMS[:1]:
        program, = (path for path in build.rglob(name) if path.is_file() and os.access(path, os.X_OK))
        tests = Tests(program, emulator, environment, seconds)
        if name == "c_api_test":  # a program of its own, not of GoogleTest
            passed = subprocess.run(tests.command, env=environment, stdout=subprocess.DEVNULL).returncode == 0
            print(f"{name}: {'passed' if passed else 'FAILED'}", flush=True)
            good = good and passed
            continue
        every, cores = tests.names(pattern), os.cpu_count() or 1
        names = [each for each in every if each not in LEFT_OUT]
        for each in sorted(set(every) - set(names)):
            print(f"left out: {each}: {LEFT_OUT[each]}", flush=True)
        logs = [cross.CROSS / "logs" / f"aarch64-{name}-{k}.log" for k in range(cores)]
        for log in logs:
            log.unlink(missing_ok=True)
        with concurrent.futures.ThreadPoolExecutor(cores) as pool:
            list(pool.map(tests.run, [names[k::cores] for k in range(cores)], logs))
        print(f"{name}: {len(tests.passed)} passed, {len(tests.failed)} failed, {len(tests.too_long)} took longer than {seconds:g} s", flush=True)
        for what in ("failed", "too_long"):
            for each in sorted(getattr(tests, what)):
                print(f"  {what.replace('_', ' ')}: {each}", flush=True)
        good = good and not tests.failed
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("what", nargs="?", default="", metavar="walk | PATTERN")
    given = parser.parse_args()
    what = given.what
    build = cross.configure(NAME, ["-DCATENA_BUILD_TESTS=ON"])
    emulator = cross.TARGETS[NAME]["emulator"].split(";")
    environment = {"CATENA_EVERY": "11", **os.environ, "PATH": f"{compiler_as_cc()}{os.pathsep}{os.environ['PATH']}"}
    good = what not in ("", "walk") or walk(build, emulator, environment)
    if what != "walk":
        good = test(build, emulator, environment, what or "*", given.seconds) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    if not shutil.which("qemu-aarch64"):
        sys.exit("check_aarch64.py: no qemu-aarch64; tools/install_dependencies.sh cross")
    main()
