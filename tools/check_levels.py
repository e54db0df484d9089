#!/usr/bin/env python3
"""Looks whether code for newer processors stays where it is asked for (cmake/CatenaLevels.cmake). Fails when

  - a level's object file exports anything but its entry: a function of it could stand in for the baseline's copy,
  - it has groups that a linker may drop for those of other files, or code that runs before the program,
  - a function of the program that is not a level's own takes registers or instructions beyond the baseline,
  - the compiler may use other instructions for a level than src/run/compiled_levels.cpp asks the processor for.

usage: check_levels.py --nm NM --readelf READELF --objdump OBJDUMP --program PROGRAM OBJECT...
       check_levels.py … --self-test: the same objects before their names were made local must not pass, nor a level whose
                                      processor is asked for one instruction less
"""

import argparse
import pathlib
import re
import subprocess
import sys

BEYOND = re.compile(r"%[yz]mm\d|\bvfn?m(add|sub)|%k[1-7]\b")
FUNCTION = re.compile(r"^([0-9a-f]+) <.+>:$")


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def entry_of(path):
    return "catena_level_" + re.sub(r"\W", "_", path.name.removesuffix(".o").removesuffix("-joined"))


def problems_of_object(path, options):
    entry = entry_of(path)
    exported = {}
    for line in output(options.nm, path).splitlines():
        kind, name = line.split()[-2:]
        if kind != "U" and (kind.isupper() or kind in "uvw"):
            exported[name] = kind
    if exported.pop(entry, None) is None:
        yield f"{path.name}: does not export {entry}"
    if exported:
        yield f"{path.name}: {len(exported)} names are exported beside {entry}, the first is {next(iter(exported))}"
    sections = output(options.readelf, "-SW", path)
    for name, why in ((" GROUP ", "has a group that a linker may drop"), (".init_array", "runs code before the program"),
                      (".ctors", "runs code before the program")):
        if name in sections.split("Key to Flags")[0]:
            yield f"{path.name}: {why}"


def problems_of_program(program, options):
    """Functions that other files may call, which are the baseline's: weak and global ones."""
    shared = {}  # by address: a level has functions of the same names, but local ones
    for line in output(options.nm, "--defined-only", program).splitlines():
        address, kind, name = line.split()
        if kind in "TW":
            shared[int(address, 16)] = name
    if not shared:
        yield f"{program.name}: has no names to look at"
    current, found, has_levels = None, set(), False
    with subprocess.Popen([options.objdump, "-d", "--no-show-raw-insn", str(program)], stdout=subprocess.PIPE, text=True) as dump:
        for line in dump.stdout:
            header = FUNCTION.match(line)
            if header:
                current = shared.get(int(header[1], 16))
            elif BEYOND.search(line):
                has_levels = True
                if current:
                    found.add(current)
    for name in sorted(found)[:5]:
        yield f"{program.name}: {name} takes instructions beyond the baseline ({len(found)} functions do)"
    if not has_levels:
        yield f"{program.name}: has no code of a level"


def allowed_and_asked(build_text, source_text):
    """By level, lowest first: what the compiler may use, and what the processor is asked for."""
    allowed, asked = {}, {}
    for name, words in re.findall(r"^ *set\(catena_instructions_(\S+) ([^)]*)\)", build_text, re.MULTILINE):
        words = re.sub(r"\$\{catena_instructions_(\S+?)\}", lambda match: " ".join(sorted(allowed[match[1]])), words)
        allowed[name] = set(words.split())
    for name, expression in re.findall(r"static const bool (v\d) = (.*?);", source_text, re.DOTALL):
        asked["x86-64-" + name] = set(re.findall(r'cpu_supports\("(\w+)"\)', expression)).union(
            *(asked["x86-64-" + other] for other in re.findall(r"\bv\d\b", expression)))
    return allowed, asked


def problems_of_lists(source_text=None):
    root = pathlib.Path(__file__).resolve().parent.parent
    source_text = source_text or (root / "src/run/compiled_levels.cpp").read_text(encoding="utf-8")
    allowed, asked = allowed_and_asked((root / "cmake/CatenaLevels.cmake").read_text(encoding="utf-8"), source_text)
    if not allowed or allowed.keys() != asked.keys():
        yield f"levels of CatenaLevels.cmake: {sorted(allowed)}; of compiled_levels.cpp: {sorted(asked)}"
    for name in allowed.keys() & asked.keys():
        if allowed[name] != asked[name]:
            yield (f"{name}: CatenaLevels.cmake and compiled_levels.cpp differ in "
                   f"{' '.join(sorted(allowed[name] ^ asked[name]))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--readelf", required=True)
    parser.add_argument("--objdump", required=True)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("objects", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    if options.self_test:
        passed = [path.name for path in options.objects
                  if not list(problems_of_object(path.with_name(path.stem + "-joined.o"), options))]
        root = pathlib.Path(__file__).resolve().parent.parent
        text = (root / "src/run/compiled_levels.cpp").read_text(encoding="utf-8")
        for word in ("fma", "avx512vl"):
            if not list(problems_of_lists(text.replace(f'__builtin_cpu_supports("{word}")', "true"))):
                passed.append(f"without {word}")
        print(f"self-test: {len(passed)} things pass that must not {' '.join(passed)}")
        return 1 if passed else 0
    problems = [problem for path in options.objects for problem in problems_of_object(path, options)]
    problems += problems_of_lists()
    if options.program:
        problems += problems_of_program(options.program, options)
    for problem in problems:
        print(problem)
    print(f"{len(options.objects)} levels, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
