#!/usr/bin/env python3
"""make_wheels.py FOLDER TARGET...: the Python package as wheels for other machines, one for each target of tools/cross.py.

A wheel is for every CPython from 3.10 on (the stable ABI) on systems with glibc 2.28 or newer, has everything inside but
NumPy and nanobind's library, the program too, and the licences of what is inside. auditwheel has the last word.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import cross

sys.path.insert(0, str(cross.ROOT / "python" / "backend"))
sys.dont_write_bytecode = True
from catena_build import REQUIRED

NEWEST = tuple(int(number) for number in cross.GLIBC.split("."))


def run(*command, **options):
    subprocess.run(list(map(str, command)), check=True, **options)


def installed(name):
    """Catena as built for a target, and installed; with the page of `catena report` where `make page` has made one."""
    cross.run(["cmake", "--build", cross.configure(name, [])])
    folder = cross.CROSS / name / "library"
    shutil.rmtree(folder, ignore_errors=True)
    run("cmake", "--install", cross.CROSS / name / "build", "--prefix", folder, stdout=subprocess.DEVNULL)
    page = cross.ROOT / "build" / "page" / "page.html"
    if page.exists():
        shutil.copy(page, folder / "share" / "catena")
    else:
        print("NOTE: no page in the wheels: make page makes it")
    return folder


def python_headers(name):
    """A folder in which Debian's Python.h finds the settings for the target. They are this machine's: the stable ABI asks for
    the sizes of C's types alone, and those are the same on all 64-bit processors under Linux."""
    folder = cross.CROSS / name / "python"
    for file in pathlib.Path("/usr/include").glob(f"{platform.machine()}-linux-gnu/python3*/pyconfig.h"):
        copy = folder / f"{cross.TARGETS[name]['processor']}-linux-gnu" / file.parent.name / file.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    return folder


def built(name, python, stub):
    """The wheel as pip builds it. A module for another processor cannot be asked for its types: they come from a stub."""
    folder = cross.CROSS / name / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    defined = {"CATENA_INSTALLED": installed(name), "CMAKE_TOOLCHAIN_FILE": cross.CROSS / name / "toolchain.cmake"}
    if stub:
        defined["CATENA_STUB"] = stub
    if shutil.which("ccache"):
        defined["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    settings = [word for key, value in defined.items() for word in ("--config-settings", f"cmake.define.{key}={value}")]
    run(python, "-m", "pip", "wheel", cross.ROOT, "--no-deps", "--no-build-isolation", "--wheel-dir", folder, *settings,
        "--config-settings", f"build-dir={cross.CROSS / name / 'module'}", env={**os.environ, "CPLUS_INCLUDE_PATH": str(python_headers(name))})
    wheel, = folder.glob("*.whl")
    return wheel


def finished(name, python, wheel, out):
    """The wheel with its licences and its tag."""
    work = wheel.parent / "unpacked"
    run(python, "-m", "wheel", "unpack", wheel, "--dest", work, stdout=subprocess.DEVNULL)
    folder, = work.iterdir()
    information, = folder.glob("*.dist-info")
    licences = information / "licenses"
    licences.mkdir(exist_ok=True)
    for file in (cross.CROSS / name / "packages" / "licences").iterdir():
        shutil.copy(file, licences / f"{file.name}.txt")
    for binary in [folder / "catena" / "bin" / "catena", *folder.glob("catena/*.so")]:
        run(cross.tool(name, "strip"), "--strip-unneeded", binary)
    tag = f"manylinux_{NEWEST[0]}_{NEWEST[1]}_{cross.TARGETS[name]['processor']}"
    facts = information / "WHEEL"
    facts.write_text(re.sub(r"(?m)^Tag: (\S+-\S+)-\S+$", rf"Tag: \1-{tag}", facts.read_text()))
    (wheel.parent / "packed").mkdir()
    run(python, "-m", "wheel", "pack", folder, "--dest-dir", wheel.parent / "packed", stdout=subprocess.DEVNULL)
    made, = (wheel.parent / "packed").glob("*.whl")
    out.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(shutil.copy(made, out))


def check(python, wheel):
    """What auditwheel says of a wheel must not be newer than its tag."""
    said = subprocess.run([python, "-m", "auditwheel", "show", wheel], capture_output=True, text=True)
    found = re.search(r'tag:\s+"manylinux_(\d+)_(\d+)_\w+"', " ".join(said.stdout.split()))
    if not found or tuple(map(int, found.groups())) > NEWEST:
        sys.exit(f"make_wheels.py: {wheel.name} is not for glibc {cross.GLIBC}:\n{said.stdout}{said.stderr}")
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, runs since glibc {'.'.join(found.groups())} says auditwheel", flush=True)


def main():
    out, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    own = f"linux-{platform.machine()}"
    python = cross.python("wheel", "auditwheel", *REQUIRED)
    stub = cross.CROSS / own / "module" / "_catena.pyi"
    for name in sorted(names, key=lambda name: name != own):  # the one of this machine has the stub
        if name != own and not stub.exists():
            sys.exit(f"make_wheels.py: {name} needs the types of the module from {own}: name that target too")
        check(python, finished(name, python, built(name, python, None if name == own else stub), out))


if __name__ == "__main__":
    main()
