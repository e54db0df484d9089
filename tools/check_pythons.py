#!/usr/bin/env python3
"""check_pythons.py WHEEL_OR_FOLDER [TEST.py ...]: tests of the wheel with each CPython from 3.10 on that is on PATH.

Each in a fresh virtual environment. The tests are tests/python/test_processes.py and a few more unless some are named. Interpreters
that are not found are said; none at all is an error.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSIONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
USUAL = ["test_processes.py", "test_manners.py", "test_types.py", "test_memory.py"]


def found(version):
    """The interpreter, if it runs: a shim of pyenv may be there without one."""
    for name in (f"python{version}", *map(str, sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python")))):
        path = shutil.which(name)
        if path and subprocess.run([path, "-c", "import venv"], capture_output=True).returncode == 0:
            return path
    return None


def tested(python, wheel, tests, folder):
    """The last line of pytest, and whether all passed."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = folder / "bin" / "python"
    subprocess.run([own, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", wheel, "pytest", "hypothesis"], check=True)
    kept = {name: value for name, value in os.environ.items() if name not in ("CATENA_MODELS", "PYTHONPATH")}
    run = subprocess.run([own, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests], cwd=folder, capture_output=True, text=True,
                         env={**kept, "CATENA_CACHE_DIR": str(folder / "cache")})
    if run.returncode:
        print(run.stdout[-4000:], run.stderr[-2000:])
    return run.stdout.strip().splitlines()[-1], run.returncode == 0


def main():
    given = pathlib.Path(sys.argv[1])
    wheel = given if given.suffix == ".whl" else max(given.glob(f"*_{platform.machine()}.whl"), key=lambda path: path.stat().st_mtime)
    tests = [pathlib.Path(name).resolve() for name in sys.argv[2:]] or [ROOT / "tests" / "python" / name for name in USUAL]
    print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")
    good, ran = True, 0
    for version in VERSIONS:
        python = found(version)
        if not python:
            print(f"CPython {version}: not found")
            continue
        with tempfile.TemporaryDirectory() as folder:
            line, passed = tested(python, wheel.resolve(), tests, pathlib.Path(folder) / "own")
        exact = re.search(r"[\d.]+", subprocess.run([python, "--version"], capture_output=True, text=True).stdout)[0]
        print(f"CPython {exact}: {line}", flush=True)
        good, ran = good and passed, ran + 1
    sys.exit(0 if good and ran else 1)


if __name__ == "__main__":
    main()
