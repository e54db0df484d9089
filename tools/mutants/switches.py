"""Writes changes of a source into it as switches: `a + b` becomes `(catena_mutants::on(7) ? (a - b) : (a + b))`, so that one
build tries them all. Code comes with comments and strings blanked, and in this project's layout: spaces around comparisons."""

import bisect
import re

STATEMENT_OF = re.compile(r"\b(?:if|for|while|switch)(?: constexpr)? ?$")
WORD = re.compile(r"\b(?:return|else|do|co_return|co_yield|throw|case|not)$")
CONSTANT = re.compile(r"\b(?:constexpr|consteval|constinit|static_assert|case|template|using|enum|requires|noexcept|concept)\b")
AFTER_BRACED = "+-*/.,)]<>=?:&|;%"


def opens_template(code, at):
    return code[at] == "<" and at > 0 and not code[at - 1].isspace() and code[at - 1] != "<" and code[at + 1:at + 2] not in "<="


def closes_template(code, at):
    return code[at] == ">" and at > 0 and not code[at - 1].isspace() and code[at - 1] not in "-=" and code[at + 1:at + 2] != "="


def is_assignment(code, at):
    return code[at] == "=" and code[at + 1:at + 2] != "=" and code[at - 1] not in "=!<>"


def colon(code, at):
    return code[at] == ":" and code[at - 1] != ":" and code[at + 1:at + 2] != ":"


def opener_of(code, close):
    depth = 0
    for k in range(close, -1, -1):
        depth += (code[k] in ")]}") - (code[k] in "([{")
        if depth == 0:
            return k
    return 0


def left_end(code, at):
    depth = 0
    k = at
    while k > 0:
        c = code[k - 1]
        if c == ")" and depth == 0 and STATEMENT_OF.search(code, max(0, opener_of(code, k - 1) - 20), opener_of(code, k - 1)):
            break
        if c == "}" and depth == 0:
            rest = code[k:at + 1].lstrip()
            if not rest or rest[0] not in AFTER_BRACED:
                break
        if c in ")]}" or closes_template(code, k - 1):
            depth += 1
        elif c in "([{" or opens_template(code, k - 1):
            if depth == 0:
                break
            depth -= 1
        elif depth == 0:
            if c in ",;?" or colon(code, k - 1) or is_assignment(code, k - 1) or code[k - 2:k] in ("&&", "||"):
                break
            if c.isspace() and WORD.search(code, max(0, k - 12), k - 1):
                break
        k -= 1
    while k < at and code[k].isspace():
        k += 1
    return k


def right_end(code, at):
    depth = 0
    k = at
    while k < len(code):
        c = code[k]
        if c == "{" and depth == 0 and not re.search(r"[\w>]$", code[max(0, k - 1):k]):
            break
        if c in "([{" or opens_template(code, k):
            depth += 1
        elif c in ")]}" or closes_template(code, k):
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and (c in ",;?" or colon(code, k) or is_assignment(code, k) or code[k:k + 2] in ("&&", "||")):
            break
        k += 1
    while k > at and code[k - 1].isspace():
        k -= 1
    return k


def enclosing(code, at):
    """Where the bracket stands that `at` is in."""
    depth = 0
    for k in range(at - 1, -1, -1):
        if code[k] in ")]}" or closes_template(code, k):
            depth += 1
        elif code[k] in "([{" or opens_template(code, k):
            if depth == 0:
                return k
            depth -= 1
        elif depth == 0 and code[k] == ";":
            return k
    return -1


def region_of(code, start, end):
    """The expression that changes with code[start:end], or None where no switch can stand: in what the compiler computes."""
    outer = enclosing(code, start)
    while outer >= 0 and code[outer] in "([":
        outer = enclosing(code, outer)
    if outer >= 0 and code[outer] == "<":
        return None
    statement = max(code.rfind(c, 0, start) for c in ";{}") + 1
    if CONSTANT.search(code, statement, start):
        return None
    if code[end:end + 1] == "=" and code[start:end] in ("+", "-"):  # += and -=
        first, last = left_end(code, start), right_end(code, end + 1)
    else:
        first, last = left_end(code, start), right_end(code, end)
    return (first, last) if first <= start and end <= last and first < last else None


def switched(text, code, uncommented, changes):
    """`changes`: (number, start, end, replacement). The text with switches, and the lines of each by number; what cannot be
    switched is not among these. No line moves."""
    regions = {}
    for number, start, end, replacement in changes:
        if region := region_of(code, start, end):
            changed = uncommented[region[0]:start] + replacement + uncommented[end:region[1]]
            regions.setdefault(region, []).append((number, " ".join(changed.split())))
    kept, open_ones = [], []
    for region in sorted(regions, key=lambda r: (r[0], -r[1])):
        while open_ones and open_ones[-1][1] <= region[0]:
            open_ones.pop()
        if open_ones and region[1] > open_ones[-1][1]:
            continue  # they cross
        open_ones.append(region)
        kept.append(region)

    def written(first, last, inner):
        out, at = [], first
        while inner:
            region = inner[0]
            within = [r for r in inner[1:] if r[1] <= region[1]]
            switches = "".join(f"catena_mutants::on({number}) ? ({changed}) : " for number, changed in regions[region])
            out += [text[at:region[0]], "(", switches, "(", written(*region, within), "))"]
            at, inner = region[1], [r for r in inner if r[0] >= region[1]]
        return "".join(out) + text[at:last]

    ends = [m.start() for m in re.finditer("\n", text)]
    lines = {number: range(bisect.bisect_left(ends, region[0]) + 1, bisect.bisect_left(ends, region[1]) + 2)
             for region in kept for number, _ in regions[region]}
    return written(0, len(text), kept), lines


def self_test():
    cases = {"x = a + b * c;": ("+", "-", "x = (catena_mutants::on(1) ? (a - b * c) : (a + b * c));"),
             "if (a < b && c) f();": ("<", ">", "if ((catena_mutants::on(1) ? (a > b) : (a < b)) && c) f();"),
             "for (x : v) s += x;": ("+", "-", "for (x : v) (catena_mutants::on(1) ? (s -= x) : (s += x));"),
             "a = f(p, q - r);": ("-", "+", "a = f(p, (catena_mutants::on(1) ? (q + r) : (q - r)));"),
             "return static_cast<T>(x) - y;": ("- y", "", "return (catena_mutants::on(1) ? (static_cast<T>(x)) : (static_cast<T>(x) - y));"),
             "s += a, t -= b;": ("-", "+", "s += a, (catena_mutants::on(1) ? (t += b) : (t -= b));"),
             "x = V{a} + b;": ("+", "-", "x = (catena_mutants::on(1) ? (V{a} - b) : (V{a} + b));"),
             "f(); } x += b;": ("+", "-", "f(); } (catena_mutants::on(1) ? (x -= b) : (x += b));"),
             "constexpr T k = a + b;": ("+", "-", None), "std::array<T, 2 * n> a;": ("2", "1", None),
             "x = c ? a - b : d;": ("-", "+", "x = c ? (catena_mutants::on(1) ? (a + b) : (a - b)) : d;"),
             "x = a +\n    b;": ("+", "-", "x = (catena_mutants::on(1) ? (a - b) : (a +\n    b));"),
             "x = std::max(a, b) - c;": ("-", "+", "x = (catena_mutants::on(1) ? (std::max(a, b) + c) : (std::max(a, b) - c));"),
             "else x = v[i];": ("i", "i + 1", "else x = v[(catena_mutants::on(1) ? (i + 1) : (i))];")}
    wrong = 0
    for text, (before, after, expected) in cases.items():
        at = text.index(f"[{before}]") + 1 if f"[{before}]" in text else text.index(before)
        got, lines = switched(text, text, text, [(1, at, at + len(before), after)])
        if got != (expected or text) or bool(lines) != bool(expected):
            wrong += 1
            print(f"{text}: {got}")
    return len(cases), wrong


if __name__ == "__main__":
    print("self-test: {} texts, {} wrong".format(*self_test()))
