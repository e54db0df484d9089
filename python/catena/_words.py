"""Messages of the library with the words of the package instead of the command line's."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Iterator

_PAIRS = {"unit": "units", "offset": "offsets", "column": "columns"}
_WORDS = [
    (r"--(unit|offset|column) ([\w#]+)=([^\s;,)]+)", lambda m: f'{_PAIRS[m[1]]}={{"{m[2]}": "{m[3]}"}}'),
    (r"--swap (\w+),(\w+)", lambda m: f"columns= with those of {m[1]} and {m[2]} exchanged"),
    (r"--gear model", lambda m: "gears= with the model's ratios"),
    (r"--gear RATIOS", lambda m: "gears=RATIOS"),
    (r"--(cutoff|rate) ([\w.]+)", lambda m: f"{m[1]}={m[2]}"),
    (r"--columns (\S+?)(?=[\s)])", lambda m: f"header={m[1].split(',')}"),
    (r"--columns", lambda m: "header"),
    (r"--from, --to", lambda m: "start, end"),
    (r"--(lenient|strict)\b", lambda m: f"{m[1]}=True"),
    (r"--package-path", lambda m: "package_path"),
    (r"--gear\b", lambda m: "gears"),
]


def in_python(message: str) -> str:
    """The message in the words of the package."""
    for pattern, words in _WORDS:
        message = re.sub(pattern, words, message)
    return message


@contextmanager
def python_words(lenient: bool = True) -> Iterator[None]:
    """Errors raised inside speak of arguments. lenient: whether there is such an argument."""
    try:
        yield
    except Exception as error:
        said = str(error)
        if "--" not in said:
            raise
        if not lenient:
            said = said.replace("; --lenient takes it as written", "")
        raise type(error)(in_python(said)) from None
