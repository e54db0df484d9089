#!/usr/bin/env python3
"""site_formulas.py FOLDER: the formulas of all Markdown pages in a folder as MathML, which browsers set by themselves."""

import pathlib
import re
import sys

from latex2mathml.converter import convert

CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$((?:[^$\n\\]|\\.)+?)\$", re.DOTALL)
TAG = re.compile(r"\\tag\{(\w+)\}")
PRIMES = re.compile(r"('+)\^(\w)")  # H'^T, which the converter does not know
OPTION = re.compile(r"(\\\\|\\begin\{cases\}) \[")  # a bracket there is no option of the row or of the cases
LONG = 40  # characters: a formula in a line that may be wider than a phone


def mathml(match):
    """A formula as browsers set it by themselves; what cannot be converted stays as it was typed."""
    text, shown = match[1] or match[2], bool(match[1])
    number = " ".join(f"({tag})" for tag in TAG.findall(text))
    try:
        plain = PRIMES.sub(lambda found: "^{" + r"\prime" * len(found[1]) + " " + found[2] + "}", TAG.sub("", text).strip())
        made = convert(OPTION.sub(r"\1 {}[", plain), display="block" if shown else "inline")
    except Exception:  # its parser has many ways to give up
        return match[0]
    if shown:
        return f'\n\n<div class="formula">{made}<span>{number}</span></div>\n\n'
    return f'<span class="long">{made}</span>' if len(text) > LONG else f"<span>{made}</span>"


def set_formulas(page):
    """All formulas of a page that are not in code."""
    text = page.read_text(encoding="utf-8")
    parts, last = [], 0
    for code in CODE.finditer(text):
        parts += [FORMULA.sub(mathml, text[last:code.start()]), code[0]]
        last = code.end()
    page.write_text("".join([*parts, FORMULA.sub(mathml, text[last:])]), encoding="utf-8")


def main():
    for page in pathlib.Path(sys.argv[1]).rglob("*.md"):
        set_formulas(page)


if __name__ == "__main__":
    main()
