"""finish_stub.py FOLDER RAW FINISHED: what nanobind's stub generator cannot know, from the module itself, in FOLDER/catena.

Results of jobs become named tuples with typed fields, jobs get their signatures, evaluate() an overload for each kind of result.
"""

import pathlib
import re
import sys
import textwrap

sys.path[0] = sys.argv[1]  # instead of this folder, which has the package without the module
from catena import _catena  # noqa: E402


def indented(text: str, by: int) -> str:
    return textwrap.indent(text, " " * by)


def documented(text: str) -> str:
    return f'"""\n{text.strip()}\n"""\n'


def result(match: "re.Match[str]") -> str:
    made = getattr(_catena, match[1])
    fields = "".join(f"{name}: Array\n" for name in made._fields)
    return f"class {match[1]}(NamedTuple):\n" + indented(documented(made.__doc__) + "\n" + fields, 4) + "\n"


def evaluate_overloads() -> str:
    """Of jobs with one result, of each other job, and of any name."""
    kinds: dict[str, list[str]] = {}
    for job in _catena.jobs():
        kind = "Array" if len(job["outputs"]) == 1 else job["method_name"] + "_result"
        kinds.setdefault(kind, []).extend(dict.fromkeys((job["name"], job["method_name"])))
    options = ("method: str | None = None, wrenches: Wrenches | None = None, frame: str | None = None, out: {} | None = None, "
               "threads: int | None = None, engine: EngineName | None = None, device: str | None = None")
    text = ""
    for kind, names in kinds.items():
        literal = ", ".join(f'"{name}"' for name in names)
        out = "Array" if kind == "Array" else "tuple[Array | None, ...]"
        text += f"@overload\ndef evaluate(self, job: Literal[{literal}], /, *given: ArrayLike, {options.format(out)}) -> {kind}: ...\n"
    out = "Array | tuple[Array | None, ...]"
    return text + (f"@overload\ndef evaluate(self, job: str, /, *given: ArrayLike, {options.format(out)}) -> Any:\n"
                   + indented(documented(_catena.RobotCore.evaluate.__doc__), 4))


def literals() -> str:
    """Names that the package uses, for type checkers alone."""
    jobs = [name for job in _catena.jobs() if len(job["outputs"]) == 1 for name in dict.fromkeys((job["name"], job["method_name"]))]
    known = {"ArrayJob": jobs, "Integrator": _catena.integrators(), "Language": _catena.languages()}
    return "".join(f"{name} = Literal[" + ", ".join(f'"{value}"' for value in values) + "]\n" for name, values in known.items()) + "\n"


def whole(text: str) -> str:
    """With the arguments of generic types."""
    for bare, meant in (("list", "list[Any]"), ("dict", "dict[str, Any]"), ("tuple", "tuple[Any, ...]"), ("object", "Any")):
        text = re.sub(rf"(->|:) {bare}(?=[,:)]| \| None)", rf"\1 {meant}", text)
    return text


def main() -> None:
    text = whole(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    text = re.sub(r"^class (\w+_result)\(tuple\):\n(?:    .*\n|\n)*", result, text, flags=re.MULTILINE)
    jobs = "".join(f"{signature}:\n" + indented(documented(getattr(_catena.RobotCore, name).__doc__), 4) + "\n"
                   for name, signature in _catena._signatures().items())
    names = "|".join([*_catena._signatures(), "evaluate"])
    head, robot = text.split("class RobotCore:\n")
    robot, *rest = re.split(r"(?=^\S)", robot, maxsplit=1, flags=re.MULTILINE)
    robot = re.sub(rf"^    (?:def (?:{names})\(|(?:{names})\b).*\n(?:        .*\n|\n)*", "", robot, flags=re.MULTILINE)
    robot = robot.rstrip() + "\n\n" + indented(jobs + evaluate_overloads(), 4) + "\n"
    pathlib.Path(sys.argv[3]).write_text(head + literals() + "class RobotCore:\n" + robot + "".join(rest), encoding="utf-8")


if __name__ == "__main__":
    main()
