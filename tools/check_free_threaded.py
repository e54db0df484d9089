#!/usr/bin/env python3
"""check_free_threaded.py --build BUILD [TEST.py ...]: the Python package with a CPython that has no global lock.

Where no python3.13t or later is on PATH, one is compiled from Debian's source package, in BUILD/free-threaded: Debian has no
binary of it. Then as docs/platforms.md says: a fresh environment, NumPy and what builds the module, `pip install --no-deps
--no-build-isolation .` with the library that BUILD has made, and tests of threads, of jobs and of processes. Importing the
package must leave the lock off.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import cross

ROOT = cross.ROOT
SUITE, PACKAGE = "trixie", "python3.13"  # Debian 13: the oldest with a CPython that can do without the lock
USUAL = ["test_threads.py", "test_jobs.py", "test_processes.py", "test_robot.py"]
LOOK = ("import sys, threading, time, numpy, catena; assert not sys._is_gil_enabled(), 'the import has turned the lock on'\n"
        "robot = catena.load('ur5'); q, qd, qdd = robot.random_state(seed=1)\n"
        "def work():\n"
        "    for _ in range(200_000): robot.inverse_dynamics(q, qd, qdd)\n"
        "def took(count):\n"
        "    threads = [threading.Thread(target=work) for _ in range(count)]; begun = time.perf_counter()\n"
        "    for thread in threads: thread.start()\n"
        "    for thread in threads: thread.join()\n"
        "    return time.perf_counter() - begun\n"
        "one, two = min(took(1) for _ in range(3)), min(took(2) for _ in range(3))\n"
        "print(f'200 000 single torques of a UR5: {one:.2f} s in one thread; in each of two at once {two:.2f} s')")


def interpreter(folder):
    for version in ("3.14t", "3.13t"):
        if found := shutil.which(f"python{version}"):
            return found
    python = folder / "python" / "bin" / "python3"
    if python.exists():
        return python
    options = cross.source_lists(folder / "apt", SUITE)
    log = folder / "python.log"
    shutil.rmtree(folder / "source", ignore_errors=True)
    (folder / "source").mkdir(parents=True)
    cross.run(["apt-get", *options, "update"], log)
    cross.run(["apt-get", *options, "source", "--download-only", PACKAGE], log, cwd=folder / "source")
    archive, = (folder / "source").glob("*.orig.tar.*z")
    cross.run(["tar", "-xf", archive], log, cwd=folder / "source")
    source, = (path for path in (folder / "source").iterdir() if path.is_dir())
    print(f"compiling {source.name} without the lock", flush=True)
    cross.run(["./configure", "--quiet", "--disable-gil", f"--prefix={folder / 'python'}"], log, cwd=source)
    cross.run(["make", "--silent", f"-j{os.cpu_count()}", "install"], log, cwd=source)
    return python


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("tests", nargs="*", type=pathlib.Path)
    given = parser.parse_args()
    folder = given.build.resolve() / "free-threaded"
    python = interpreter(folder)
    shutil.rmtree(folder / "own", ignore_errors=True)
    subprocess.run([python, "-m", "venv", folder / "own"], check=True)
    own = folder / "own" / "bin" / "python"
    library = folder / "library"
    shutil.rmtree(library, ignore_errors=True)
    subprocess.run(["cmake", "--install", given.build, "--prefix", library], check=True, stdout=subprocess.DEVNULL)
    # The package's other dependency, nanobind-backend, is not in the index for such a Python; its code is in the module.
    subprocess.run([own, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", "numpy", "scikit-build-core", "nanobind", "pytest",
                    "hypothesis", "scipy"], check=True)
    subprocess.run([own, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", ROOT, "--config-settings", f"cmake.define.CATENA_INSTALLED={library}",
                    "--config-settings", f"build-dir={folder / 'wheel'}"], check=True)
    environment = {name: value for name, value in os.environ.items() if name not in ("CATENA_MODELS", "PYTHONPATH")}
    environment["CATENA_CACHE_DIR"] = str(folder / "cache")
    subprocess.run([own, "--version"], check=True)
    subprocess.run([own, "-c", LOOK], check=True, cwd=folder, env=environment)
    tests = [path.resolve() for path in given.tests] or [ROOT / "tests" / "python" / name for name in USUAL]
    sys.exit(subprocess.run([own, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests], cwd=folder, env=environment).returncode)


if __name__ == "__main__":
    main()
