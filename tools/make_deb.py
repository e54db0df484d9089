#!/usr/bin/env python3
"""make_deb.py FOLDER BUILD [--python]: Debian packages of what was built in BUILD, into FOLDER.

A package has the files of one component of the install rules, and beside them what Debian wants: copyright, changelog,
manual page, and the control files. Nothing is compiled again, except with --python, which adds python3-catena: its module
is compiled here, for Debian's python3, with nanobind from the package index.
"""

import argparse
import email.utils
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEBIANS_PYTHON = pathlib.Path("/usr/bin/python3")
REVISION = "0catena1"  # below Debian's own, which begins with 1
TEXT = """ Catena computes torques, accelerations, derivatives and motions of robots
 from URDF, MJCF, SDF and TOML files, simulates and identifies them, and writes
 code and equations for them.
 .
"""
# Component of the install rules: name, section, end of the summary, end of the description, what it depends on besides the
# libraries that it links, and what it recommends. {} is the version; pythons() has the others.
PACKAGES = {
    "program": ("catena", "science", "", " This package has the program, robots that it knows by name, and the page\n that it fills.",
                [], ["gnuplot-nox"]),
    "library": ("libcatena1", "libs", " - shared library", " This package has the shared library with the C interface.", [], ["catena"]),
    "development": ("libcatena-dev", "libdevel", " - development files",
                    " This package has the headers of C and C++, the static libraries, and what\n CMake and pkg-config need to find them.",
                    ["libcatena1 (= {})"], ["catena"]),
    "python": ("python3-catena", "python", " - Python package", " This package has the module catena of Python 3.",
               ["catena (= {})", "{python}", "python3-numpy (>= 1:1.23)", "{numpy}"], []),
}


def run(*command, **options):
    words = [str(word) for word in command]
    try:
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    except FileNotFoundError:
        sys.exit(f"make_deb.py: {words[0]} is not there: tools/install_dependencies.sh build deb")
    if result.returncode:
        sys.exit(f"{result.stdout}\nmake_deb.py: {' '.join(words[:3])} failed with status {result.returncode}")
    return result.stdout


def day():
    """Of the sources, so that the same sources make the same packages."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    told = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True).stdout.strip()
    return int(told) if told else int(time.time())


def write(path, text):
    """Compressed where the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0) if path.suffix == ".gz" else text.encode())


def copyright_file():
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8").split("\n\n", 2)[2].strip()  # below its title and its year
    indented = "\n".join(f" {line}" if line else " ." for line in licence.splitlines())
    return (ROOT / "cmake/debian/copyright.in").read_text(encoding="utf-8").replace("@EXPAT@", indented)


def changelog(facts, seconds):
    return (f"catena ({facts['version']}-{REVISION}) unstable; urgency=medium\n\n"
            "  * Packages made by Catena's own build. CHANGELOG.md of the sources has the\n    changes.\n\n"
            f" -- {facts['maintainer']}  {email.utils.formatdate(seconds)}\n")


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


def build_python(build, facts):
    """The folder in which the module was built."""
    if not DEBIANS_PYTHON.exists():
        sys.exit(f"make_deb.py: {DEBIANS_PYTHON} is not there: tools/install_dependencies.sh deb")
    tools, library, folder = build / "deb/tools", build / "deb/library", build / "deb/python"
    python = tools / "bin/python"
    if not python.exists():
        run(DEBIANS_PYTHON, "-m", "venv", tools)
    run(python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "nanobind>=3.1", "numpy>=2.0")
    shutil.rmtree(library, ignore_errors=True)
    run("cmake", "--install", build, "--prefix", library)
    launchers = re.findall(r"^(CMAKE_C\w*_COMPILER_LAUNCHER):\w+=(.+)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)
    run("cmake", "-G", "Ninja", "-S", ROOT / "python", "-B", folder, "-DCATENA_DEBIAN=ON", f"-DCATENA_INSTALLED={library}",
        f"-DPython_EXECUTABLE={python}", f"-DSKBUILD_PROJECT_VERSION={facts['version']}", "-DCMAKE_BUILD_TYPE=Release",
        *(f"-D{name}={value}" for name, value in launchers))
    print("compiling the module of Python, which takes minutes", flush=True)
    run("cmake", "--build", folder)
    return folder


def strip_archives(root):
    for archive in root.rglob("*.a"):
        run("strip", "--strip-debug", "--remove-section=.comment", "--remove-section=.note", "--enable-deterministic-archives", archive)


def linked_packages(root, work):
    """The packages of the shared libraries that programs, libraries and modules here are linked with."""
    binaries = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]
    if not binaries:
        return []
    write(work / "debian/control", "Source: catena\n\nPackage: catena\nArchitecture: any\n")  # it wants to see one
    told = run("dpkg-shlibdeps", "-O", *(f"-e{path}" for path in binaries), cwd=work)
    return re.search(r"^shlibs:Depends=(.*)$", told, re.MULTILINE)[1].split(", ")


def pythons():
    """What the compiled module needs of Debian's Python and NumPy."""
    a, b = (int(number) for number in run(DEBIANS_PYTHON, "-c", "import sys; print(*sys.version_info[:2])").split())
    provided = run("dpkg-query", "--show", "--showformat=${Provides}", "python3-numpy")
    return {"python": f"python3 (>= {a}.{b}), python3 (<< {a}.{b + 1})", "numpy": re.search(r"python3-numpy-abi\d+", provided)[0]}


def write_control(root, component, facts, work):
    name, section, summary, text, depends, recommends = PACKAGES[component]
    version = f"{facts['version']}-{REVISION}"
    depends = [word.format(version, **pythons()) for word in depends] if component == "python" else [word.format(version) for word in depends]
    depends += facts["development"] if component == "development" else linked_packages(root, work)
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    size = sum(path.stat().st_size for path in files) // 1024 + len(files)
    control = root / "DEBIAN"
    write(control / "md5sums", "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files))
    fields = {"Package": name, "Source": "catena", "Version": version, "Architecture": run("dpkg", "--print-architecture").strip(),
              "Maintainer": facts["maintainer"], "Installed-Size": size, "Section": section, "Priority": "optional",
              "Depends": ", ".join(depends), "Recommends": ", ".join(recommends),
              "Description": f"dynamics of robot manipulators{summary}\n{TEXT}{text}"}
    write(control / "control", "".join(f"{field}: {value}\n" for field, value in fields.items() if value))
    if component == "library":
        write(control / "shlibs", f"libcatena 1 {name} (>= {facts['version']})\n")
        write(control / "triggers", "activate-noawait ldconfig\n")
    if component == "python":
        for script in ("postinst", "prerm"):
            write(control / script, (ROOT / "cmake/debian" / script).read_text(encoding="utf-8"))
            (control / script).chmod(0o755)
    return f"{name}_{version}_{fields['Architecture']}.deb"


def make(component, build, installed, facts, seconds, options, work):
    root = work / component
    name = PACKAGES[component][0]
    run("cmake", "--install", installed, "--component", component, "--prefix", root / "usr", "--strip")
    strip_archives(root)
    if component == "program":
        write(root / "usr/share/man/man1/catena.1.gz", manual_page(build / "catena", facts["version"], seconds))
    write(root / "usr/share/doc" / name / "copyright", copyright_file())
    write(root / "usr/share/doc" / name / "changelog.Debian.gz", changelog(facts, seconds))
    file = options.folder / write_control(root, component, facts, work)
    run("dpkg-deb", "--root-owner-group", *(["-Zgzip", "-z1"] if options.quick else ["-Zxz"]), "--build", root, file, env={**os.environ, "SOURCE_DATE_EPOCH": str(seconds)})
    print(f"{file} ({file.stat().st_size / 1e6:.1f} MB)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--quick", action="store_true", help="larger packages, in less time")
    options = parser.parse_args()
    facts_file = options.build / "deb/facts.json"
    if not facts_file.exists():
        sys.exit(f"make_deb.py: {options.build} is not configured to be installed (CATENA_INSTALL)")
    facts, seconds = json.loads(facts_file.read_text(encoding="utf-8")), day()
    os.umask(0o022)
    options.folder.mkdir(parents=True, exist_ok=True)
    for old in options.folder.glob("*catena*.deb"):
        old.unlink()
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        for component in ("program", "library", "development"):
            make(component, options.build, options.build, facts, seconds, options, pathlib.Path(work))
        if options.python:
            make("python", options.build, build_python(options.build, facts), facts, seconds, options, pathlib.Path(work))


if __name__ == "__main__":
    main()
