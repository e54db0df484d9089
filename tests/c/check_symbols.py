#!/usr/bin/env python3
"""The binary interface of libcatena.so.1: what the library exports is what catena.h declares, and all that interface_1.txt lists is
still there, with the same arguments, constants and members. What is new is added by --write.

usage: check_symbols.py --nm NM --library LIBRARY --header HEADER [--write | --self-test]
"""

import argparse
import pathlib
import re
import subprocess
import sys

STORED = pathlib.Path(__file__).resolve().parent / "interface_1.txt"


def without_names(argument):
    """const double *q -> const double*"""
    argument = re.sub(r"\s*\*\s*", "* ", argument).replace("* const", "*const").strip()
    words = argument.split(" ")
    return argument if len(words) == 1 else " ".join(words[:-1])


def declared(header):
    """One line for each function, constant and member, without the names of arguments."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    for result, name, arguments in re.findall(r"CATENA_API\s+([^;(]*?)(\w+)\(([^)]*)\);", text):
        types = ", ".join(without_names(" ".join(part.split())) for part in arguments.split(","))
        yield f"{' '.join(result.split()).replace(' *', '*')} {name}({types})"
    for body, name in re.findall(r"typedef (?:enum|struct) \w+ \{(.*?)\} (\w+);", text, flags=re.DOTALL):
        for part in re.split(r"[;,]", body):
            if part.strip():
                yield f"{name}: {' '.join(part.split())}"
    for name, value in re.findall(r"#define (CATENA_\w+) (\(.*?\))", text):
        yield f"{name} {value}"


def exported(nm, library):
    if library.endswith(".dll"):
        objdump = re.sub(r"nm$", "objdump", nm)
        lines = subprocess.run([objdump, "-p", library], text=True, capture_output=True, check=True).stdout
        return set(re.findall(r"^\s*\[ *\d+\] (?:\+base\[ *\d+\] )?(?:[0-9a-f]+ )?(\w+)$", lines.split("[Ordinal/Name Pointer] Table")[1], re.MULTILINE))
    lines = subprocess.run([nm, "-D", "--defined-only", library], text=True, capture_output=True, check=True).stdout
    symbols = [line.split()[-1] for line in lines.splitlines()]
    return {re.sub(r"@+CATENA_1$", "", symbol) for symbol in symbols if symbol != "CATENA_1" and " A " not in symbol}


def problems(symbols, lines, stored):
    functions = {re.search(r" (\w+)\(", line)[1] for line in lines if "(" in line and ": " not in line and not line.startswith("CATENA_")}
    version = {symbol for symbol in symbols if symbol.startswith("CATENA_")}
    for symbol in sorted(symbols - functions - version):
        yield f"{symbol} is exported, but catena.h does not declare it"
    for name in sorted(functions - symbols):
        yield f"{name} is declared in catena.h, but not exported"
    for line in sorted(set(stored) - set(lines)):
        yield f"'{line}' is no longer there: programs linked with libcatena.so.1 would break"
    for line in sorted(set(lines) - set(stored)):
        yield f"'{line}' is new: add it to interface_1.txt by --write"


def self_test(symbols, lines):
    broken = [(symbols | {"_ZN6catena4CallIdEE"}, lines, "does not declare it"), (symbols - {"catena_inverse"}, lines, "not exported"),
              (symbols, [line for line in lines if "catena_pose" not in line], "would break"),
              (symbols, lines + ["int catena_new(int)"], "is new"),
              (symbols, [line.replace("CATENA_NO_RESULT = 3", "CATENA_NO_RESULT = 7") for line in lines], "would break"),
              (symbols, [line.replace("double moment[3]", "float moment[3]") for line in lines], "would break")]
    missed = [says for s, l, says in broken if not any(says in problem for problem in problems(s, l, lines))]
    if len(lines) < 60 or list(problems(symbols, lines, lines)):
        missed.append("what is right")
    print(f"{len(broken)} faults, missed: {missed or 'none'}")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("nm", "library", "header"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    lines = list(declared(pathlib.Path(arguments.header).read_text(encoding="utf-8")))
    symbols = exported(arguments.nm, arguments.library)
    if arguments.self_test:
        return self_test(symbols, lines)
    if arguments.write:
        STORED.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    found = list(problems(symbols, lines, STORED.read_text(encoding="utf-8").splitlines()))
    print("\n".join(found) or f"{len(symbols)} symbols, {len(lines)} lines, all as they were")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
