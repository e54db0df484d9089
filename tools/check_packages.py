#!/usr/bin/env python3
"""What a person is told whose system lacks a package, by cmake and by pip, and whether all lists of packages agree.

  check_packages.py --cmake CMAKE [--compiler CXX]

Every package of cmake/CatenaPackages.cmake is taken away in turn: one line must name it and the Debian package that has it,
before anything is built or downloaded. tools/install_dependencies.sh must install all of these.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROUPS = {"benchmark": "bench", "GTest": "test", "Python": "test"}  # all others: build
IMPLIED = {"libc6-dev": "g++"}  # the compiler depends on it


def packages():
    """{package: Debian package}"""
    text = (ROOT / "cmake" / "CatenaPackages.cmake").read_text(encoding="utf-8")
    return dict(re.findall(r"^catena_package\((\w+) ([\w.+-]+)", text, re.MULTILINE))


def installed_by(group):
    script = (ROOT / "tools" / "install_dependencies.sh").read_text(encoding="utf-8")
    words = re.search(rf"^    {group}\) echo (.*?) ;;$", script, re.MULTILINE | re.DOTALL)[1]
    return set(re.sub(r'["\\]', " ", words).split())


def check_lists(known):
    wrong = [f"tools/install_dependencies.sh {GROUPS.get(name, 'build')} does not install {debian}, which has {name}"
             for name, debian in known.items()
             if IMPLIED.get(debian, debian) not in installed_by(GROUPS.get(name, "build"))]
    page = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    library = re.search(r"set\(catena_packages_library (.*?)\)", (ROOT / "cmake" / "CatenaPackages.cmake").read_text(encoding="utf-8"))[1]
    wrong += [f"docs/installing.md does not name {known[name]}, which has {name}" for name in library.split()
              if known[name] not in IMPLIED and known[name] not in page]
    # No other file looks for them in its own way.
    for file in [*ROOT.glob("CMakeLists.txt"), *(each for folder in ("src", "cli", "tests", "examples", "bench")
                                                for each in (ROOT / folder).rglob("CMakeLists.txt"))]:
        wrong += [f"{file.relative_to(ROOT)}: find_package({name}): catena_need({name}) names it to those who lack it"
                  for name in re.findall(r"find_package\((\w+)", file.read_text(encoding="utf-8")) if name in known]
    return wrong


def told(command):
    """Status, the lines that name something missing, and the seconds until then."""
    began = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
    lines = [line.strip() for line in result.stdout.splitlines() if "catena needs" in line]
    return result.returncode, lines, time.monotonic() - began, result.stdout


def sentence(names, known):
    return (f"catena needs {', '.join(names)}, which {'was' if len(names) == 1 else 'were'} not found: "
            f"apt-get install {' '.join(known[name] for name in names)}")


def without(names):
    return [f"CMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in names]


def check_cmake(options, known, folder):
    """Each in turn, then all; in one folder, so that compilers are looked for once."""
    wrong = []
    ours = [name for name in known if name != "Python"]
    compiler = [f"-DCMAKE_CXX_COMPILER={options.compiler}"] if options.compiler else []
    for names in [[name] for name in ours] + [ours]:
        unset = [word for name in ours for word in ("-U", f"CMAKE_DISABLE_FIND_PACKAGE_{name}")]
        status, lines, _, output = told([options.cmake, "-G", "Ninja", "-S", ROOT, "-B", folder, *compiler, *unset,
                                         f"-DCATENA_BUILD_BENCH={'ON' if 'benchmark' in names else 'OFF'}",
                                         *(f"-D{word}" for word in without(names))])
        compiler = []
        # In the order of what needs them; several lines, or one broken in two, are not one line.
        good = status != 0 and len(lines) == 1 and set(re.findall(r"[\w.+-]+", lines[0])) == set(
            re.findall(r"[\w.+-]+", sentence(names, known)))
        if not good or (len(names) == 1 and lines[0] != sentence(names, known)):
            wrong.append(f"without {', '.join(names)}, cmake says (status {status}):\n{output}")
    return wrong


def check_pip(known):
    """What pip asks first, without an environment of its own: the hook that runs before anything is downloaded."""
    wrong = []
    for names in (["SUNDIALS"], ["fmt", "CLI11"], ["Python"]):
        settings = {f"cmake.define.{word.split('=')[0]}": "ON" for word in without(names)}
        status, lines, _, output = told([sys.executable, "-c", "import sys; sys.path.insert(0, 'python/backend'); import catena_build; "
                                         f"print(catena_build.get_requires_for_build_wheel({settings}))"])
        if status == 0 or output.strip() != sentence(names, known):
            wrong.append(f"without {', '.join(names)}, pip is told (status {status}):\n{output}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--compiler")
    options = parser.parse_args()
    known = packages()
    with tempfile.TemporaryDirectory() as folder:
        wrong = check_lists(known) + check_cmake(options, known, folder) + check_pip(known)
    print("\n".join(wrong) or f"{len(known)} packages are named to those who lack them")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
