#!/usr/bin/env python3
"""What `make windows` tests: the programs for Windows, under Wine.

usage: check.py --build FOLDER --linux PROGRAM [--zip FOLDER] [STEP...]

Steps, all unless named: interface c_interface files compiled compare walk archive. FOLDER is the build folder of
tools/cross.py for windows-x86_64, PROGRAM the one of this machine.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYTHON = next((python for python in ("python3", "/usr/bin/python3")
               if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0), "python3")

# Robots of the walk, of one kind each.
WALKED = ["plain", "coupled", "free", "passive", "loop"]


class Wine:
    def __init__(self, build):
        self.build = build
        program = next((place for place in (shutil.which("wine64"), "/usr/lib/wine/wine64", shutil.which("wine"))
                        if place and os.path.exists(place)), None)
        if program is None:
            sys.exit("check.py: there is no Wine; tools/install_dependencies.sh windows")
        self.program = program
        self.environment = {**os.environ, "WINEPREFIX": str(build.parent / "wine"), "WINEDEBUG": "-all", "LC_ALL": "C.UTF-8",
                            "WINEDLLOVERRIDES": "mscoree,mshtml=", "CATENA_MODELS": str(ROOT / "models")}
        # Wine starts as a machine does, which takes seconds: it stays on between programs.
        server = pathlib.Path(program).resolve().with_name("wineserver64")
        if server.exists():
            subprocess.run([server, "-p60"], env=self.environment)
        # What it starts would hold the output of the first program open.
        subprocess.run([program, "wineboot"], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def with_folders(self, *folders):
        """Looks for programs and libraries in these folders first."""
        return {**self.environment, "WINEPATH": ";".join(f"Z:{folder}" for folder in folders)}

    def run(self, program, *words, folders=(), **options):
        return subprocess.run([self.program, str(program), *words], env=self.with_folders(*folders), **options)

    def script(self, folders=()):
        """A program of this machine that starts catena.exe."""
        file = self.build / ("catena-with-compiler" if folders else "catena")
        lines = [f"export {name}='{self.with_folders(*folders)[name]}'" for name in ("WINEPREFIX", "WINEDEBUG", "LC_ALL", "WINEDLLOVERRIDES", "WINEPATH")]
        file.write_text("#!/bin/sh\n" + "\n".join(lines) + f"\nexec '{self.program}' '{self.build / 'catena.exe'}' \"$@\"\n")
        file.chmod(0o755)
        return file


def interface(wine, options):
    """catena.dll exports what libcatena.so.1 does, and nothing else."""
    nm = shutil.which("x86_64-w64-mingw32-nm")
    check = [PYTHON, ROOT / "tests" / "c" / "check_symbols.py", "--nm", nm, "--library", options.build / "src" / "c" / "catena.dll", "--header",
             ROOT / "include" / "catena.h"]
    return subprocess.run([str(word) for word in check]).returncode


def c_interface(wine, options):
    return wine.run(options.build / "tests" / "c" / "c_api_test.exe", folders=[options.build / "src" / "c"], cwd=ROOT).returncode


def files(wine, options):
    """Names of files, locks, processes and libraries."""
    return wine.run(options.build / "tests" / "library_tests.exe", "--gtest_brief=1", folders=[options.build / "tests"], cwd=ROOT).returncode


def compiled(wine, options):
    """The compiled engine: with a compiler the same torques, without one a line that says so, and the generic engine's."""
    words = ["inverse", "ur5", "--q", "0.3,-1,1,0.2,0.1,0.4", "--engine", "compiled", "--json"]
    with tempfile.TemporaryDirectory(dir=options.build) as cache:
        wine.environment["CATENA_CACHE_DIR"] = cache
        there = wine.run(options.build / "catena.exe", *words, folders=[options.build / "tests"], capture_output=True, text=True)
        missing = wine.run(options.build / "catena.exe", *words, capture_output=True, text=True)
        del wine.environment["CATENA_CACHE_DIR"]
    here = subprocess.run([options.linux, *words], capture_output=True, text=True)
    torques = [re.search(r'"tau": \[(.*?)\]', run.stdout) for run in (there, missing, here)]
    if there.returncode != 0 or missing.returncode != 0 or None in torques:
        print(f"compiled engine: status {there.returncode} and {missing.returncode}: {there.stderr}{missing.stderr}")
        return 1
    one, two, own = ([float(number) for number in found[1].split(",")] for found in torques)
    apart = max(abs(a - b) for found in (one, two) for a, b in zip(found, own))
    print(f"compiled engine: torques within {apart:.1e} of this machine's; without a compiler: {missing.stderr.strip()}")
    return 0 if apart < 1e-12 and "no C compiler" in missing.stderr and missing.stderr.count("\n") == 1 else 1


def compare(wine, options):
    return subprocess.run([PYTHON, HERE / "compare.py", "--linux", options.linux, "--windows", wine.script()]).returncode


def walk(wine, options):
    """Every command on some robots against the oracle of tests/walk."""
    program = wine.script([options.build / "tests"])
    return max(subprocess.run([PYTHON, ROOT / "tests" / "walk" / "walk.py", "--catena", program, "--only", robot]).returncode for robot in WALKED)


def archive(wine, options):
    """What a person unpacks and runs: the program, the library for C, the models, the licences."""
    version = re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text().split("project(")[1])[1]
    name = f"catena-{version}-windows-x64"
    options.zip.mkdir(parents=True, exist_ok=True)
    made = options.zip / f"{name}.zip"
    files = {"bin/catena.exe": options.build / "catena.exe", "bin/catena.dll": options.build / "src" / "c" / "catena.dll",
             "lib/libcatena.dll.a": options.build / "src" / "c" / "libcatena.dll.a", "lib/catena.def": options.build / "src" / "c" / "catena.def",
             "include/catena.h": ROOT / "include" / "catena.h", "README.md": ROOT / "README.md", "licences/catena": ROOT / "LICENSE"}
    if (page := ROOT / "build" / "page" / "page.html").exists():
        files["share/catena/page.html"] = page
    files.update({f"share/catena/models/{path.name}": path for path in sorted((ROOT / "models").glob("*.toml"))})
    files.update({f"licences/{path.name}": path for path in sorted((options.build.parent / "packages" / "licences").glob("*"))})
    files["licences/gcc-runtime"] = pathlib.Path("/usr/share/doc/gcc-mingw-w64-base/copyright")
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
        for inside, path in files.items():
            out.write(path, f"{name}/{inside}")
    with tempfile.TemporaryDirectory(prefix="unpacked ä ") as folder:
        zipfile.ZipFile(made).extractall(folder)
        place = {**wine.environment}
        del place["CATENA_MODELS"]
        done = subprocess.run([wine.program, "bin/catena.exe", "inverse", "ur5", "--json"], cwd=pathlib.Path(folder) / name, env=place,
                              capture_output=True, text=True)
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB; unpacked, inverse ur5 ends with status {done.returncode} {done.stderr.strip()}")
    return done.returncode


STEPS = [interface, c_interface, files, compiled, compare, walk, archive]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--linux", required=True, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--zip", type=lambda text: pathlib.Path(text).resolve(), default=ROOT / "out" / "windows")
    parser.add_argument("steps", nargs="*")
    options = parser.parse_args()
    known = {step.__name__: step for step in STEPS}
    for name in options.steps:
        if name not in known:
            sys.exit(f"check.py: no step '{name}'; known: {' '.join(known)}")
    wine = Wine(options.build)
    failed = []
    for name, step in known.items():
        if options.steps and name not in options.steps:
            continue
        print(f"--- {name}", flush=True)
        if step(wine, options) != 0:
            failed.append(name)
    print(f"windows: {'failed: ' + ', '.join(failed) if failed else 'all steps passed'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
