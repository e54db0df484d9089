#!/usr/bin/env python3
"""The Python package as people get it.

  check_python.py install --cmake CMAKE --build BUILD --source SOURCE --config CONFIG
      a fresh virtual environment, `pip install .`, the README's lines in it, and the program beside build/catena
  check_python.py tests ...
      tests/python, on what that installed
  check_python.py bench ..., check_python.py notebooks ...
      bench_python.py, run_notebooks.py, on what that installed

pip links the library that BUILD has made: it is installed into BUILD/python/library first, and nothing of it is compiled
again. Where no package index is reached the checks are skipped, with a line that says so.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

SKIPPED = 77


def run(*command, **options):
    print("$", " ".join(str(word) for word in command), flush=True)
    return subprocess.run([str(word) for word in command], **options).returncode


def skip(why):
    print(f"SKIPPED: the Python package: {why}")
    sys.exit(SKIPPED)


def environment(folder):
    """A fresh one; its interpreter."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        venv.create(folder, with_pip=True)
    except (subprocess.CalledProcessError, SystemExit):
        skip("this Python makes no environments (Debian: python3-venv)")
    return folder / "bin" / "python"


def pip(python, *words, **options):
    return run(python, "-m", "pip", "--disable-pip-version-check", "--retries", "1", "--timeout", "30", *words, **options)


def readme_lines(source):
    """The first Python block of the README."""
    return re.search(r"^```python\n(.*?)^```$", (source / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]


def compare_programs(packaged, built, work, variables):
    """The command that pip has made says and writes what the program of the build folder does."""
    asked = [["inverse", "ur5", "--q", "0.1,0.2,0.3,0.4,0.5,0.6"], ["info", "panda"], ["--version"], ["inverse", "nosuch", "--q", "0"],
             ["report", "ur5", "-o", "page.html"]]
    for words in asked:
        said = []
        for program in (packaged, built):
            folder = work / "program"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            result = subprocess.run([program, *words], cwd=folder, env=variables, capture_output=True, text=True)
            page = (folder / "page.html").read_bytes() if (folder / "page.html").exists() else b""
            told = re.sub(r"looked in [^)]*", "looked in", result.stdout + result.stderr)
            said.append((result.returncode, told, re.sub(rb"/[^\"\s]{0,200}/ur5\.toml", b"ur5.toml", page)))
        if said[0] != said[1]:
            sys.exit(f"catena {' '.join(words)}: the package's program says\n{said[0][:2]}\nthe built one\n{said[1][:2]}")
        print(f"catena {' '.join(words)}: as build/catena")


def install(options, work):
    if sys.version_info < (3, 10):
        skip(f"it takes Python 3.10 or later, this is {sys.version.split()[0]}")
    python = environment(work / "fresh")
    if pip(python, "install", "--quiet", "--dry-run", "nanobind-backend", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        skip("no package index was reached")
    library = work / "library"
    shutil.rmtree(library, ignore_errors=True)
    if run(options.cmake, "--install", options.build, "--prefix", library, "--config", options.config, stdout=subprocess.DEVNULL):
        sys.exit("the library was not installed")
    shutil.rmtree(work / "wheel", ignore_errors=True)
    if pip(python, "install", ".", "--config-settings", f"cmake.define.CATENA_INSTALLED={library}", "--config-settings",
           f"build-dir={work / 'wheel'}", cwd=options.source):
        sys.exit("pip install . failed")
    lines = readme_lines(options.source)
    print(lines)
    clean = {name: value for name, value in os.environ.items() if name not in ("CATENA_MODELS", "PYTHONPATH")}
    compare_programs(python.parent / "catena", options.build / "catena", work, clean)
    result = subprocess.run([python, "-c", lines + "\nassert tau.shape == (1000, 7) and abs(tau).max() > 1 and motion.t[-1] == 1\nprint(tau)"], cwd=work, env=clean)
    sys.exit(result.returncode)


def installed(options, work):
    """An interpreter with what tests need, and the variables with which it finds what was installed."""
    fresh = work / "fresh"
    packages = list(fresh.glob("lib/python3*/site-packages/catena"))
    if not packages:
        skip("it was not installed")
    names = ["requirements.txt"] + (["requirements-nightly.txt"] if "CATENA_NIGHTLY" in os.environ else [])
    lists = [options.source / "tests" / "python" / name for name in names]
    wanted = "".join(each.read_text(encoding="utf-8") for each in lists)
    kept = work / "tests"
    python = kept / "bin" / "python"
    if not (kept / "complete").exists() or (kept / "complete").read_text(encoding="utf-8") != wanted:
        python = environment(kept)
        if pip(python, "install", "--quiet", "--no-compile", "--only-binary", ":all:", *(word for each in lists for word in ("--requirement", each))):
            skip("what its tests need was not to be had from a package index")
        (kept / "complete").write_text(wanted, encoding="utf-8")
    # Pinocchio, of which one copy is enough, from the environment of tools/install_peers.sh.
    for peers in options.build.glob("peers/lib/python3*/site-packages"):
        folders = [peers, *peers.glob("cmeel.prefix/lib/python3*/site-packages")]
        own = next(kept.glob("lib/python3*/site-packages"))
        (own / "peers.pth").write_text("".join(f"{folder}\n" for folder in folders), encoding="utf-8")
    variables = {**os.environ, "PYTHONPATH": str(packages[0].parent), "CATENA_CACHE_DIR": str(work / "cache"), "CATENA_PROGRAM":
                 str(options.build / "catena")}
    variables.pop("CATENA_MODELS", None)
    return python, variables


def tool(name):
    def work_with_it(options, work):
        python, variables = installed(options, work)
        sys.exit(run(python, options.source / "tools" / name, env=variables))

    return work_with_it


def tests(options, work):
    python, variables = installed(options, work)
    sys.exit(run(python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--durations=5", options.source / "tests" / "python",
                 env=variables, cwd=work))


CHECKS = {"install": install, "tests": tests, "bench": tool("bench_python.py"), "notebooks": tool("run_notebooks.py")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=list(CHECKS))
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--config", default="Release")
    options = parser.parse_args()
    work = options.build / "python"
    work.mkdir(parents=True, exist_ok=True)
    CHECKS[options.check](options, work)


if __name__ == "__main__":
    main()
