#!/usr/bin/env python3
"""make_deb.py FOLDER BUILD [--python]: Debian packages of what was built in BUILD, into FOLDER.

Writes what a Debian package has beside the installed files (copyright, changelog, manual page) into BUILD/deb; CPack does
the rest: cmake/CatenaDeb.cmake. With --python also python3-catena, whose module is compiled here, for Debian's python3,
with nanobind from the package index.
"""

import argparse
import email.utils
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEBIANS_PYTHON = "/usr/bin/python3"


def run(*command, **options):
    words = [str(word) for word in command]
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode:
        sys.exit(f"{result.stdout}\nmake_deb.py: {' '.join(words[:3])} failed with status {result.returncode}")
    return result.stdout


def settings(build):
    """What CMake has told CPack."""
    config = build / "CPackConfig.cmake"
    if not config.exists():
        sys.exit(f"make_deb.py: {build} is not configured to be installed (CATENA_INSTALL)")
    return dict(re.findall(r'^set\((\w+) "(.*)"\)$', config.read_text(encoding="utf-8"), re.MULTILINE))


def day():
    """Of the sources, so that the same sources make the same packages."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    told = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True).stdout.strip()
    return int(told) if told else int(time.time())


def write_compressed(path, text):
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def write_copyright(path):
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8").split("\n\n", 2)[2].strip()  # below its title and its year
    indented = "\n".join(f" {line}" if line else " ." for line in licence.splitlines())
    path.write_text((ROOT / "cmake/debian/copyright.in").read_text(encoding="utf-8").replace("@EXPAT@", indented), encoding="utf-8")


def changelog(known, seconds):
    return (f"catena ({known['CPACK_PACKAGE_VERSION']}-{known['CPACK_DEBIAN_PACKAGE_RELEASE']}) unstable; urgency=medium\n\n"
            "  * Packages made by Catena's own build; CHANGELOG.md of the sources says what is new.\n\n"
            f" -- {known['CPACK_PACKAGE_CONTACT']}  {email.utils.formatdate(seconds)}\n")


def manual_page(program, version, seconds):
    """What `catena --help` says, as a manual page: its blocks under headings."""
    def escaped(text):
        return "\n".join(re.sub(r"^([.'])", r"\\&\1", line.replace("\\", "\\e").replace("-", "\\-")) for line in text.splitlines())

    blocks = re.split(r"^(?=\S[^\n]*:$)", run(program, "--help"), flags=re.MULTILINE)[1:]
    date = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    page = [f'.TH CATENA 1 {date} "Catena {version}" "User Commands"', ".SH NAME", "catena \\- dynamics of robot manipulators",
            ".SH SYNOPSIS", ".B catena", "[\\-\\-quiet] COMMAND [MODEL] [options]", ".br", ".B catena", "help COMMAND"]
    for block in blocks:
        heading, _, body = block.partition(":\n")
        page += [f".SH {heading.upper()}", ".nf", escaped(body.strip("\n")), ".fi"]
    page += [".SH ENVIRONMENT", ".TP", "CATENA_MODELS", "a folder of robots that are known by name, before those that ship with Catena",
             ".TP", "CATENA_LEVEL", "the instructions to use: baseline, x86\\-64\\-v3, x86\\-64\\-v4",
             ".SH FILES", ".TP", "/usr/share/catena/models", "the robots that ship with Catena"]
    return "\n".join(page) + "\n"


def build_python(build, known, environment):
    """The folder in which python3-catena was built."""
    if not pathlib.Path(DEBIANS_PYTHON).exists():
        sys.exit(f"make_deb.py: {DEBIANS_PYTHON} is missing (Debian: python3)")
    tools, library, folder = build / "deb/tools", build / "deb/library", build / "deb/python"
    python = tools / "bin/python"
    if not python.exists():
        run(DEBIANS_PYTHON, "-m", "venv", tools)
    run(python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "nanobind>=3.1", "numpy>=2.0")
    shutil.rmtree(library, ignore_errors=True)
    run("cmake", "--install", build, "--prefix", library)
    run("cmake", "-G", "Ninja", "-S", ROOT / "python", "-B", folder, "-DCATENA_DEBIAN=ON", f"-DCATENA_INSTALLED={library}",
        f"-DPython_EXECUTABLE={python}", f"-DSKBUILD_PROJECT_VERSION={known['CPACK_PACKAGE_VERSION']}", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_SKIP_RPATH=ON", *(f"-DCMAKE_{language}_COMPILER_LAUNCHER={value}" for language, value in launchers(build)))
    print("compiling the module of Python, which takes minutes", flush=True)
    run("cmake", "--build", folder, env=environment)
    return folder


def launchers(build):
    return re.findall(r"^CMAKE_(C|CXX)_COMPILER_LAUNCHER:\w+=(.+)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--compression", default="xz")
    options = parser.parse_args()
    build, folder = options.build.resolve(), options.folder.resolve()
    known, seconds = settings(build), day()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(seconds)}
    files = build / "deb"
    files.mkdir(exist_ok=True)
    write_copyright(files / "copyright")
    write_compressed(files / "changelog.Debian.gz", changelog(known, seconds))
    write_compressed(files / "catena.1.gz", manual_page(build / "catena", known["CPACK_PACKAGE_VERSION"], seconds))
    more = []
    if options.python:
        more = ["-D", f"CPACK_INSTALL_CMAKE_PROJECTS={build};catena;ALL;/;{build_python(build, known, environment)};catena_python;ALL;/",
                "-D", "CPACK_COMPONENTS_ALL=program;library;development;python"]
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*catena*.deb"):
        old.unlink()
    os.umask(0o022)
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", folder, "-D", f"CPACK_DEBIAN_COMPRESSION_TYPE={options.compression}", *more,
        cwd=build, env=environment)
    shutil.rmtree(folder / "_CPack_Packages", ignore_errors=True)
    for file in sorted(folder.glob("*.deb")):
        print(f"{file} ({file.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
