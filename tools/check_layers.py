#!/usr/bin/env python3
"""Keeps the layers apart (docs/architecture.md). Fails when

  - an include climbs a layer, or crosses to a neighbour that is not listed, whichever root it is written from,
  - a public header (include/) includes a private one (src/), or a quoted include names no file of the repository,
  - a file of the algorithm layers includes anything but Catena and the C++ standard library,
  - a header of the algorithm layers names Eigen, a stream, a file, a thread or CUDA,
  - a source file passes 450 lines, a function 60, or one of the dynamics 45,
  - files include each other in a circle (a source and its header count as one),
  - a job of src/jobs/job_list.hpp is not instantiated exactly once in src/run/instances/.

usage: check_layers.py [--root DIR] | --self-test
"""

import argparse
import pathlib
import re
import sys
import tempfile

# Low to high. A file may include its own layer and everything lower.
RANKS = [
    {"math", "scalar"},
    {"model"},
    {"formulation"},  # what a formulation stands on
    {"forces"},
    {"formulations"},
    {"jobs"},
    {"coordinates"},
    {"run"},
    {"codegen", "system", "dense", "signals"},
    {"io", "trajectory", "equations", "engines", "sim", "laws"},
    {"engines/c"},
    {"engines/batch"},
    {"engines/cuda"},
    {"control", "identify", "report", "fmu"},
    {"logs"},
    {"public", "c"},  # include/catena/catena.hpp; include/catena.h
    {"cli", "python", "bench", "page", "wasm", "tests", "examples"},
]
# Includes between two layers of one rank: {(from, to)}.
NEIGHBOURS = {("math", "scalar"), ("scalar", "math"), ("report", "control"), ("tests", "cli")}
# Whose each header of include/catena/ is; what stands in a folder below is that folder's.
PUBLIC = {
    "model": "robot changes dh_rows validate screws mechanism base_motion assembly wrenches",
    "formulations": "formulations",
    "jobs": "job state_array",
    "run": "call dynamics elastic kinematics second_derivatives factorization link_models count",
    "codegen": "program code",
    "laws": "laws",
    "equations": "equations",
    "engines/c": "compile",
    "engines/batch": "batch",
    "engines/cuda": "gpu",
    "io": "robot_file model_options tables write_error",
    "trajectory": "trajectory time_optimal",
    "sim": "simulation progressive",
    "signals": "signals",
    "control": "control inverse_kinematics",
    "identify": "identify excitation calibration",
    "logs": "log",
    "fmu": "fmu",
    "public": "catena ros_controller",
}
LAYER_OF_HEADER = {name: layer for layer, names in PUBLIC.items() for name in names.split()}
DYNAMICS = {"formulation", "forces", "formulations", "jobs", "coordinates", "run"}
ALGORITHM = {"math", "scalar", "model", "codegen"} | DYNAMICS
TOP = RANKS[-1]
# Where a quoted include is looked for, beside its own folder.
ROOTS = {"include": ["include"], "cli": ["include", "src", "cli"], "tests": ["include", "src", "tests", "cli"],
         "wasm": ["include", "src", "cli"], "python": ["include", "src", "cli"], "bench": ["include", "src", "bench", "cli"]}
MADE = {"bench/generated.cpp", "examples/embedded/controller.h"}  # include what the build generates
MAX_LINES = 450
MAX_FUNCTION_LINES = 60  # from the line that opens its body to the one that closes it
MAX_LINES_OF_DYNAMICS = 45
MAX_LINES_OF_TESTS = 75

CXX = {".hpp", ".cpp", ".h", ".cu", ".cuh"}
HEADERS = {".hpp", ".h", ".cuh"}
COUNTED = CXX | {".py", ".sh", ".ts", ".js", ".cmake"}
SKIPPED = {"build", "out", "node_modules", "__pycache__", "data"}

# In headers of the algorithm layers, outside comments and strings.
FORBIDDEN = [
    (r"\bEigen\b", "Eigen"),
    (r"<(iostream|istream|ostream|fstream|sstream|iomanip|print|syncstream)>|\bstd::(cout|cerr|clog|cin|o?stringstream)\b",
     "a stream"),
    (r"<(filesystem|cstdio|stdio\.h)>|\bf?printf\s*\(|\bfopen\s*\(|\bstd::filesystem\b", "a file"),
    (r"<(thread|mutex|shared_mutex|condition_variable|future|atomic|semaphore|barrier|latch|stop_token|pthread\.h|omp\.h)>"
     r"|\bstd::(jthread|thread|mutex|async|atomic)\b|#\s*pragma\s+omp\b", "a thread"),
    (r"\bcuda|\bCUDA|__(global|device|host|shared)__|\bnvrtc|<<<", "CUDA"),
]

COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
STANDARD_HEADER = re.compile(r"[a-z_0-9]+")


def rank(layer):
    return next(k for k, layers in enumerate(RANKS) if layer in layers)


def layer_of(path):
    """The layer of a path relative to the root; None where layers do not apply, '?' where a folder is unknown."""
    parts = path.parts
    if parts[0] in TOP:
        return parts[0]
    if parts[:2] == ("include", "catena"):
        return LAYER_OF_HEADER.get(path.stem, "?") if len(parts) == 3 else known(parts[2])
    if parts[0] == "src" and len(parts) > 2:
        return known("/".join(parts[1:3]) if parts[1] == "engines" and len(parts) > 3 else parts[1])
    return None


def known(folder):
    return folder if any(folder in layers for layers in RANKS) else "?"


def without_comments(text):
    """The text with comments and strings blanked, lines kept. Include lines keep their quoted names."""
    def blank(match):
        start = text.rfind("\n", 0, match.start()) + 1
        if match[0].startswith('"') and text[start:match.start()].lstrip().startswith("#"):
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])
    return COMMENT_OR_STRING.sub(blank, text)


def resolve(root, path, name):
    """The file of this repository that an include names, relative to the root, or None."""
    for folder in (path.parent, *(pathlib.Path(r) for r in ROOTS.get(path.parts[0], ["include", "src"]))):
        candidate = (root / folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(root):
            return candidate.relative_to(root)
    return None


def check_include(root, path, layer, bracket, name):
    target = resolve(root, path, name)
    if target is None:
        if (bracket == '"' and str(path) not in MADE) or name.startswith("catena/"):
            return f'"{name}" is no file that {path.parts[0]}/ can include'
        if layer in ALGORITHM and not STANDARD_HEADER.fullmatch(name):
            return f"{layer} includes '{name}': only Catena and the C++ standard library are allowed here"
        return None
    other = layer_of(target)
    if other is None or other == layer:
        return None
    if other == "?" or rank(other) > rank(layer):
        return f"{layer} includes '{name}' of the higher layer {other}"
    if rank(other) == rank(layer) and (layer, other) not in NEIGHBOURS:
        return f"{layer} includes '{name}' of its neighbour {other}: move what they share down, or list the pair"
    return None


def without_groups(text, opening, closing):
    """The text without what stands between brackets, nested ones included."""
    out, depth = [], 0
    for character in text:
        depth += character == opening
        if depth == 0:
            out.append(character)
        depth -= character == closing and depth > 0
    return "".join(out)


def functions(code):
    """(name, line, lines) of every function with a body that is not inside another function."""
    blocks, start = [], 0  # of each open brace: the function it opens, or None
    for match in re.finditer(r"[{};]", code):
        position = match.start()
        if match[0] == "{":
            head = re.sub(r"template(?=<)", "", code[start:position].replace("template <", "template<"))
            plain = without_groups(without_groups(head, "(", ")"), "<", ">")
            opens_scope = re.search(r"\b(namespace|struct|class|union|enum|extern)\b", plain)
            inside = any(blocks)
            name = re.search(r"([~\w]+|operator\W+?)\s*\(", without_groups(head, "<", ">"))
            is_function = name and not inside and not opens_scope and not plain.rstrip().endswith("=")
            blocks.append((name[1], code.count("\n", 0, position) + 1) if is_function else None)
        elif match[0] == "}" and blocks:
            block = blocks.pop()
            if block:
                yield *block, code.count("\n", 0, position) + 2 - block[1]
        start = position + 1


def check_file(root, path):
    text = (root / path).read_text(encoding="utf-8", errors="replace")
    lines = text.count("\n") + (not text.endswith("\n") and text != "")
    if lines > MAX_LINES:
        yield f"{path}: {lines} lines, {MAX_LINES} allowed: split it"
    if path.suffix not in CXX:
        return
    layer = layer_of(path)
    if layer is None:
        return
    if layer == "?":
        yield f"{path}: unknown layer; name it in tools/check_layers.py"
        return
    code = without_comments(text)
    for match in INCLUDE.finditer(code):
        problem = check_include(root, path, layer, match[1], match[2])
        if problem:
            yield f"{path}:{code.count(chr(10), 0, match.start()) + 1}: {problem}"
    allowed = (MAX_LINES_OF_DYNAMICS if layer in DYNAMICS else MAX_LINES_OF_TESTS if layer == "tests"
               else MAX_FUNCTION_LINES)
    for name, line, length in functions(code):
        if length > allowed:
            yield f"{path}:{line}: {name} has {length} lines, {allowed} allowed: split it"
    if layer in ALGORITHM and path.suffix in HEADERS:
        for pattern, what in FORBIDDEN:
            if what == "CUDA" and layer == "codegen":  # prints it
                continue
            for match in re.finditer(pattern, code):
                yield (f"{path}:{code.count(chr(10), 0, match.start()) + 1}: '{match[0].strip()}' names {what}, "
                       f"which a header of the algorithm layers must not")


def source_files(root):
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if any(part in SKIPPED or part.startswith((".", "build")) for part in relative.parts[:-1]):
            continue
        if path.is_file() and path.suffix in COUNTED:
            yield relative


def check_instances(root):
    """Every job is instantiated once."""
    job_list = root / "src/jobs/job_list.hpp"
    if not job_list.is_file():
        return
    jobs = re.findall(r"^struct (\w+Job);", job_list.read_text(encoding="utf-8"), re.MULTILINE)
    made = [job for path in sorted((root / "src/run/instances").glob("*.cpp"))
            for job in re.findall(r"^template struct RunnersOf<(\w+),", path.read_text(encoding="utf-8"), re.MULTILINE)]
    for job in sorted(set(jobs) | set(made)):
        if jobs.count(job) != 1 or made.count(job) != 1:
            yield (f"src/run/instances/: {job} is listed {jobs.count(job)} times in src/jobs/job_list.hpp and "
                   f"instantiated {made.count(job)} times, each must be once")


def check_circles(root, files):
    """No file includes itself by way of others."""
    includes = {}
    for path in files:
        if path.suffix in CXX and layer_of(path) not in (None, "tests"):
            code = without_comments((root / path).read_text(encoding="utf-8", errors="replace"))
            targets = (resolve(root, path, match[2]) for match in INCLUDE.finditer(code))
            includes.setdefault(path.with_suffix(""), set()).update(
                target.with_suffix("") for target in targets if target and target.suffix in CXX)
    done, above = set(), []

    def visit(node):
        if node in above:
            yield " -> ".join(str(step) for step in [*above[above.index(node):], node])
        if node in done or node in above:
            return
        above.append(node)
        for target in sorted(includes.get(node, set()) - {node}):
            yield from visit(target)
        above.pop()
        done.add(node)

    for node in sorted(includes):
        for circle in visit(node):
            yield f"{node}: a circle of includes, {circle}"


def check(root):
    root = root.resolve()
    files = list(source_files(root))
    problems = [problem for path in files for problem in check_file(root, path)]
    return files, problems + list(check_circles(root, files)) + list(check_instances(root))


def self_test():
    """Builds a tree with one fault a file and expects each to be found, and nothing else."""
    good = {
        "include/catena/math/a.hpp": '#include "catena/scalar/a.hpp"\n// Eigen, <iostream> and CUDA in a comment\n',
        "include/catena/scalar/a.hpp": "#include <cmath>\n",
        "include/catena/robot.hpp": '#include "catena/math/a.hpp"\nconst char* s = "std::thread";\n',
        "include/catena/code.hpp": "enum class Language { c, cuda };\n",
        "include/catena/robot_file.hpp": '#include "catena/robot.hpp"\n#include <fstream>\n#include <Eigen/Core>\n',
        "include/catena/simulation.hpp": "",
        "include/catena/catena.hpp": '#include "catena/robot_file.hpp"\n',
        "src/formulations/a.hpp": '#include "catena/robot.hpp"\n',
        "src/formulations/short.hpp": "template <class S>\nrequires(S::x)\nstruct A {\n" + "int f(S (*g)()) {\n}\n" * 40
                                      + "};\n",
        "src/model/long.cpp": "int f() {\n" + ";\n" * 58 + "}\n",
        "src/model/a.cpp": '#include <sstream>\n#include "catena/robot.hpp"\n#include "model/local.hpp"\n',
        "src/model/local.hpp": "",
        "src/engines/batch/a.cpp": '#include "engines/c/a.hpp"\n',
        "src/engines/c/a.hpp": "",
        "src/report/a.hpp": "",
        "src/jobs/job_list.hpp": "struct InverseJob;\n",
        "src/run/instances/inverse.cpp": "template struct RunnersOf<InverseJob, S>;\n",
        "cli/main.cpp": '#include "catena/catena.hpp"\n#include <CLI/CLI.hpp>\n#include "options/a.hpp"\n',
        "cli/options/a.hpp": "",
        "cli/around.hpp": '#include "circle.hpp"\n',
        "cli/circle.hpp": "",
        "wasm/a.cpp": '#include "report/a.hpp"\n',
    }
    bad = {
        "include/catena/math/climbs.hpp": ('#include "catena/robot.hpp"\n', "higher layer model"),
        "include/catena/call.hpp": ('#include "formulations/a.hpp"\n', '"formulations/a.hpp" is no file that include/'),
        "src/formulations/reads.hpp": ('#include "catena/robot_file.hpp"\n', "higher layer io"),
        "src/formulations/public.hpp": ('#include <catena/catena.hpp>\n', "higher layer public"),
        "src/run/climbs.cpp": ('\n#include "../io/local.hpp"\n', "src/run/climbs.cpp:2: run includes"),
        "src/jobs/climbs.hpp": ('#include "run/climbs.cpp"\n', "higher layer run"),
        "src/engines/c/climbs.cpp": ('#include "engines/batch/a.cpp"\n', "higher layer engines/batch"),
        "src/formulations/long.hpp": (
            "struct A {\n  template <class S>\n  static void f(S a) {\n    if (a) {\n" + "    ;\n" * 42 + "    }\n  }\n};\n",
            "src/formulations/long.hpp:3: f has 46 lines"),
        "src/run/long.cpp": ("A::A() : a_(0) {\n" + "\n" * 44 + "}\n", "A has 46 lines"),
        "cli/long.cpp": ("void f() {\n" + "\n" * 59 + "}\n", "f has 61 lines"),
        "src/io/crosses.cpp": ('#include "catena/simulation.hpp"\n', "its neighbour sim"),
        "src/io/local.hpp": ("// " + "\n" * 451, "451 lines"),
        "cli/crosses.cpp": ('#include "../tests/support.hpp"\n', "its neighbour tests"),
        "wasm/crosses.cpp": ('#include "options/a.hpp"\n', "its neighbour cli"),
        "include/catena/model/eigen.hpp": ("#include <Eigen/Core>\n", "only Catena and the C++ standard library"),
        "src/model/fmt.cpp": ("#include <fmt/format.h>\n", "only Catena and the C++ standard library"),
        "include/catena/model/stream.hpp": ("#include <sstream>\n", "names a stream"),
        "include/catena/scalar/file.hpp": ("inline void f() { std::fopen(0, 0); }\n", "names a file"),
        "src/codegen/thread.hpp": ("inline std::thread t;\n", "names a thread"),
        "include/catena/math/cuda.hpp": ("__device__ int f();\n", "names CUDA"),
        "include/catena/magic.hpp": ("", "unknown layer"),
        "src/magic/a.hpp": ("", "unknown layer"),
        "include/catena/math/gone.hpp": ('#include "catena/math/nowhere.hpp"\n', "is no file that include/"),
        "src/run/instances/": (None, "ForwardJob is listed 1 times in src/jobs/job_list.hpp and instantiated 0 times"),
        "tests/support.hpp": ("x\n" * 450 + "x", "451 lines"),
        "cli/around": (None, "a circle of includes"),
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)

        def write(name, text):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")

        for name, text in good.items():
            write(name, text)
        failures = [f"found in a good tree: {problem}" for problem in check(root)[1]]
        for name, (text, _) in bad.items():
            if text is not None:
                write(name, text)
        write("src/jobs/job_list.hpp", "struct InverseJob;\nstruct ForwardJob;\n")
        write("cli/circle.cpp", '#include "around.hpp"\n')
        problems = check(root)[1]
        for name, (_, expected) in bad.items():
            if not any(problem.startswith(name) and expected in problem for problem in problems):
                failures.append(f"{name}: '{expected}' was not found")
        failures += [f"found by mistake: {problem}" for problem in problems if problem.split(":")[0] not in bad]
    for failure in failures:
        print(failure)
    print(f"self-test: {len(bad)} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    files, problems = check(arguments.root)
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
