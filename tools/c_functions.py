"""The functions of catena.h that are one a job, as `catena jobs --json` describes the jobs: their declarations between two marks
of include/catena.h, and src/c/job_functions.cpp, which defines them. print_documents.py writes and checks both."""

import json
import re
import subprocess
import textwrap

MARKS = re.compile(r"(/\* jobs \*/\n)(.*?)(/\* end of jobs \*/)", re.DOTALL)
NOT_ARRAYS = {"frame": "a frame", "wrenches": "wrenches"}  # set before, not passed
WIDTH = 120

SOURCE = """// The functions of catena.h that are one a job; printed by tools/print_documents.py.
#include "c/handles.hpp"

using catena::c::operator""_in, catena::c::run;

"""


def arrays(job):
    return [name for name in job["inputs"] if name not in NOT_ARRAYS]


def result_name(job):
    return job["outputs"][0]["name"] if len(job["outputs"]) == 1 else "out"


def arguments(job, star):
    result = result_name(job)
    names = [f"const double{star}{name}" for name in arrays(job)] + [f"double{star}{result}"]
    return [f"catena_call{star}call"] + names


def wrapped(head, parts, end, indent):
    """head(part, part, …)end, broken where a line would be too long."""
    lines, line = [], head
    for k, part in enumerate(parts):
        piece = part + ("," if k + 1 < len(parts) else end)
        if len(line) + len(piece) + 1 > WIDTH:
            lines.append(line.rstrip())
            line = " " * indent
        line += piece + " "
    return "\n".join(lines + [line.rstrip()]) + "\n"


def declaration(job):
    outputs = ", ".join(f"{output['name']} [{output['shape'].replace('16 nv', 'np')}]" for output in job["outputs"])
    takes = [words for name, words in NOT_ARRAYS.items() if name in job["inputs"]]
    words = f"{job['words']}: {outputs}" + (f". Takes {' and '.join(takes)}" if takes else "")
    comment = "\n".join(textwrap.wrap(f"/* {words}.", WIDTH - 3, subsequent_indent=" * ", break_long_words=False)) + " */\n"
    head = f"CATENA_API catena_status catena_{job['name']}("
    return comment + wrapped(head, arguments(job, " *"), ");", len(head))


def definition(number, job):
    head = f"catena_status catena_{job['name']}("
    taken = "".join(f', "{name}"_in' for name in arrays(job))
    call = f"  return run<{number}{taken}>("
    values = ["call", "{" + ", ".join(arrays(job)) + "}", result_name(job)]
    line = f"{head}{', '.join(arguments(job, '* '))}) {{ {call.strip()}{', '.join(values)}); }}"
    if len(line) <= WIDTH:
        return line + "\n"
    return wrapped(head, arguments(job, "* "), ") {", len(head)) + wrapped(call, values, ");", len(call)) + "}\n"


def pages(program, root):
    """(path, text as it should be)"""
    text = subprocess.run([program, "jobs", "--json"], text=True, capture_output=True, check=True).stdout
    jobs = json.loads(text)["jobs"]
    header = root / "include/catena.h"
    declarations = "\n".join(declaration(job) for job in jobs)
    yield header, MARKS.sub(lambda match: match[1] + declarations + match[3], header.read_text(encoding="utf-8"))
    yield root / "src/c/job_functions.cpp", SOURCE + "\n".join(definition(k, job) for k, job in enumerate(jobs))
