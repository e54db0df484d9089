"""docs/operation-counts.md: the published tables of operation counts, and what `catena count` says beside them."""

from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import textwrap
from fractions import Fraction

from published_counts import BREAKDOWNS, MAIN_CLAIMS, REASONS, RIGHT_CLAIMS, TABLES

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
SIZES = range(2, 11)  # joints of the arms that polynomials are fitted to
LARGEST_DEGREE = 4
POWERS = ["", "n", "n²", "n³", "n⁴"]
GENERAL, RIGHT = ("--n", "6"), ("--n", "6", "--twists", "right")
TWISTS, KNOWN = (*RIGHT, "--constants", "twists"), (*RIGHT, "--constants", "known")
OPERATIONS = ("multiplications", "additions", "divisions")


class Polynomial:
    """A count of n joints, its coefficients exact, the constant first."""

    def __init__(self, coefficients):
        self.coefficients = list(coefficients)

    @staticmethod
    def read(text):
        """Of `n³/6 + 23n²/2 - 47`."""
        coefficients = [Fraction(0)] * len(POWERS)
        for term in text.replace("+ ", "").replace("- ", "-").split():
            sign, number, power, below = re.fullmatch(r"(-?)(\d*)(n[²³⁴]?|)(?:/(\d+))?", term).groups()
            coefficients[POWERS.index(power)] += Fraction(int(sign + (number or "1")), int(below or 1))
        return Polynomial(coefficients)

    @staticmethod
    def through(points):
        """The one of least degree, after Lagrange."""
        total = [Fraction(0)] * len(points)
        for x, y in points:
            product = [Fraction(y)]
            for other, _ in points:
                if other != x:
                    product = [(lower - other * same) / (x - other) for lower, same in zip([0, *product], [*product, 0])]
            total = [a + b for a, b in zip(total, product)]
        return Polynomial(total)

    def __call__(self, n):
        return sum(c * n**power for power, c in enumerate(self.coefficients))

    def __add__(self, other):
        return Polynomial(a + b for a, b in zip(self.coefficients, other.coefficients))

    def __str__(self):
        text = ""
        for power, c in reversed(list(enumerate(self.coefficients))):
            if c == 0:
                continue
            number = "" if abs(c.numerator) == 1 and power > 0 else str(abs(c.numerator))
            sign = (" - " if c < 0 else " + ") if text else ("-" if c < 0 else "")
            text += sign + number + POWERS[power] + (f"/{c.denominator}" if c.denominator > 1 else "")
        return text or "0"


class Fit:
    """The polynomial of degree 4 or less that meets {n: count} at every n from 2, 3 or 4 on; None where there is none."""

    def __init__(self, counts):
        self.polynomial = self.start = None
        for start in SIZES[:3]:
            found = Polynomial.through([(n, counts[n]) for n in range(start, start + LARGEST_DEGREE + 1)])
            if all(found(n) == counts[n] for n in SIZES if n >= start):
                self.polynomial, self.start = found, start
                break

    def __str__(self):
        return str(self.polynomial or "none")


class Series:
    """What a formulation takes on the general arms."""

    def __init__(self, by_size):
        self.six = by_size[6]
        self.M, self.A, self.D = (Fit({n: count[what] for n, count in by_size.items()}) for what in OPERATIONS)

    def start(self):
        """From where all three hold, in words."""
        starts = [fit.start for fit in (self.M, self.A, self.D)]
        return "—" if None in starts else f"n = {max(starts)}"


class Counts:
    """What the program counts, asked at once: of the general arms, of one with right angles, and of shipped robots."""

    def __init__(self, program):
        def ask(*words):
            command = [program, *words, "--json"]
            return json.loads(subprocess.run(command, text=True, capture_output=True, check=True).stdout)

        self.jobs = ask("jobs")["jobs"]
        self.searched = [job["name"] for job in self.jobs if len(job["methods"]) > 1]  # there is something to choose
        names = [path.stem for path in sorted(MODELS.glob("*.toml"))]
        described = {name: ask("info", name) for name in names}
        self.robots = [name for name, info in described.items() if info["dof"] > 3 and not info["loops"]]
        arms = [("--n", str(n)) for n in SIZES]
        wanted = [(arm, job["name"]) for arm in (*arms, RIGHT) for job in self.jobs]
        wanted += [((robot,), job) for robot in self.robots for job in self.searched]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wanted += [(arm, job) for arm in (TWISTS, KNOWN) for job in BREAKDOWNS]
            answers = pool.map(lambda asked: ask("count", *asked[0], "--compute", asked[1])["counts"], wanted)
            rows_of = dict(zip(wanted, answers))
        self._online = {asked: {row["name"]: row["online"] for row in rows} for asked, rows in rows_of.items()}
        self._lines = {asked: {row["name"]: row.get("lines", {}) for row in rows} for asked, rows in rows_of.items()}

    def rows(self, robot, job):
        """{name: operations of a call} of a robot as the command line names it."""
        return self._online[robot, job]

    def series(self, job, name):
        """None where no arm has such a row; an optimized arm that takes what the arm itself takes has none."""
        arms = {n: self.rows(("--n", str(n)), job) for n in SIZES}
        if not any(name in rows for rows in arms.values()):
            return None
        return Series({n: rows.get(name) or rows[name.removesuffix(" (optimized)")] for n, rows in arms.items()})

    def line(self, robot, job, name, equation):
        """The operations of one equation in a call."""
        return self._lines[robot, job][name].get(equation, dict.fromkeys(OPERATIONS, 0))

    def of_claim(self, job, claim):
        return self.series(job, f"{claim.ours} (less {claim.beside})" if claim.beside else claim.ours)

    def cheapest(self, robot, job):
        """The shortest generated code."""
        generated = [count for name, count in self.rows(robot, job).items() if name.endswith(" (generated)")]
        return min(generated, key=lambda count: count["multiplications"] + count["additions"])


def pair(count):
    return f"{count['multiplications']}, {count['additions']}"


def line(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def head(*cells):
    return line(*cells) + line(*["---"] * len(cells))


def wrapped(text, lead=""):
    """Words in lines of at most 120 characters; the first starts with `lead`, the others with as many blanks."""
    return textwrap.fill(text, 120, initial_indent=lead, subsequent_indent=" " * len(lead), break_long_words=False,
                         break_on_hyphens=False) + "\n"


def ours(claim):
    if not claim.ours:
        return "—"
    return f"`{claim.ours}`" + (f" less {claim.beside}" if claim.beside else "")


def remarks(notes, reasons):
    return "\n" + "".join(wrapped(text, "- ") for text in [*notes, *reasons.values()])


def table(counts, job, given):
    """Ours beside the claims, and why they differ."""
    formulas = any("n" in claim.M for claim in given.claims)
    text = head("algorithm", "claimed M", "claimed A", "n = 6", "ours", "counted M", "counted A", "n = 6") if formulas else \
        head("algorithm", "claimed M, A", "ours", "counted M, A")
    reasons = {}
    for claim in given.claims:
        six = f"{Polynomial.read(claim.M)(6)}, {Polynomial.read(claim.A)(6)}"
        counted = "—", "—", "—"
        if claim.ours:
            series = counts.of_claim(job, claim)
            counted = series.M, series.A, pair(series.six)
            if counted[2] != six:
                reasons.setdefault(claim.ours, f"{ours(claim)} differs: {REASONS[job, claim.ours]}")
        text += line(claim.algorithm, claim.M, claim.A, six, ours(claim), *counted) if formulas else \
            line(claim.algorithm, six, ours(claim), counted[2])
    return f"\n### {given.title}\n\n{text}{remarks(given.notes, reasons)}"


def six_of(cells):
    return ", ".join(str(Polynomial.read(cell)(6)) for cell in cells)


def breakdown(counts, job, given):
    """A table by equations as printed, beside each what ours takes, and why that is something else."""
    right = len(given.total) > 2
    columns = ["M, 0° and 90°", "A, 0° and 90°", "n = 6", "counted"] if right else []
    text = head("equation", "M", "A", "counted M", "counted A", *columns, "why they differ")
    total = {arm: [0, 0] for arm in (GENERAL, TWISTS)}
    sums = [sum(map(Polynomial.read, column[1:]), Polynomial.read(column[0])) for column in list(zip(*given.rows))[1:]]
    for row in given.rows:
        equation = row[0].split(",")[0]
        series = Series({n: counts.line(("--n", str(n)), job, given.ours, equation) for n in SIZES})
        why = given.why.get(equation, "")
        if not why and (str(series.M), str(series.A)) != row[1:3]:
            raise ValueError(f"{given.title}: {equation} differs, {series.M} M and {series.A} A, and nobody says why")
        for arm, sum_of in total.items():
            count = counts.line(arm, job, given.ours, equation)
            sum_of[0] += count["multiplications"]
            sum_of[1] += count["additions"]
        twists = counts.line(TWISTS, job, given.ours, equation)
        text += line(*row[:3], series.M, series.A, *([*row[3:], six_of(row[3:]), pair(twists)] if right else []), why)
    agree = [str(s) for s in sums] == list(given.total)
    if not agree:
        text += line("the rows add up to", *sums[:2], "", "", *([*sums[2:], "", ""] if right else []), "")
    printed = given.total
    text += line("total" if agree else "total in print", *printed[:2], "", "",
                 *([*printed[2:], six_of(printed[2:]), "{}, {}".format(*total[TWISTS])] if right else []), "")
    text += line("n = 6", *(Polynomial.read(cell)(6) for cell in printed[:2]), *total[GENERAL], *([""] * 4 if right else []), "")
    return f"\n### {given.title}\n\nCounted: the same equations in `{given.ours}`.\n\n{text}{remarks(given.notes, {})}"


def every_formulation(counts, job):
    """A row for each, one more where the optimized robot takes something else, then what papers count of them."""
    methods = job["methods"]
    names = [name + kind for name in methods for kind in ("", " (optimized)")]
    names += [name for name in counts.rows(GENERAL, job["name"]) if " (less " in name]
    text, none = head("formulation", "M", "A", "divisions", "from", "n = 6: M, A, D"), False
    for name in names:
        series = counts.series(job["name"], name)
        if series is None:
            continue
        formulation, _, kind = name.removesuffix(")").partition(" (")
        shown = f"`{formulation}`" + {"": "", "optimized": ", optimized"}.get(kind, f" {kind}")
        text += line(shown, series.M, series.A, series.D, series.start(), f"{pair(series.six)}, {series.six['divisions']}")
        none = none or "none" in (str(series.M), str(series.A))
    if none:
        text += "\n\"none\": no polynomial of degree four or less meets the counts.\n"
    return "\n### Every formulation\n\n" + text


def in_short(counts):
    text = "\n## In short\n\nn = 6, twists general, the robot as it was made:\n\n"
    text += head("formulation", "claim", "claimed M, A", "counted M, A")
    for job, claim in MAIN_CLAIMS:
        counted = pair(counts.of_claim(job, claim).six)
        text += line(f"{job}: {ours(claim)}", claim.algorithm, f"{claim.M}, {claim.A}", counted)
    return text


def right_twists(counts):
    """As it runs a formulation takes any twist; what such an arm needs of it is less."""
    same = all(count == counts.rows(RIGHT, job["name"])[name] for job in counts.jobs
               for name, count in counts.rows(GENERAL, job["name"]).items() if " (" not in name)
    text = "\n## Twists of 0° and 90°\n\n" + wrapped(
        ("The code takes any twist, and multiplies by a sine that happens to be 0 as by any other: on an arm with twists of 0° "
         "and 90° every formulation counts what it counts on the general one (`catena count --n 6 --twists right`). " if same else
         "The counts on an arm with twists of 0° and 90° are not those on the general one. ") +
        "The columns for such twists say what such an arm needs. So does `--constants twists`: the same run of the same "
        "formulation, in which products with a 0, 1 or -1 of a twist, sums with a 0, and what is made of constants alone are "
        "not counted, and other constants are numbers like any, as the text takes them. The arm itself has zeros in its "
        "offsets too: `--constants known`.")
    text += "\n" + head("claim, n = 6, twists of 0° and 90°", "claimed M, A", "ours", "as it runs", "twists known", "all known")
    for job, name, claim, M, A in RIGHT_CLAIMS:
        text += line(claim, f"{M}, {A}", f"`{name}`", *(pair(counts.rows(arm, job)[name]) for arm in (RIGHT, TWISTS, KNOWN)))
    return text + "\n" + wrapped(
        "With twists known `tensor-augmented` takes 73n - 84 M at every n, which is the total of Table 5.2, and Ü and η in it "
        "take what their rows say if 11n - 14 is read for 11n - 3.", "- ") + wrapped(
        "Algorithm 6.2: the printed additions leave out three in every step of the moments (Table 6.1).", "- ") + wrapped(
        "`algorithms-7.1-7.2` has Algorithm 5.5 in it, which the claim has not: 343 M 326 A with twists known.", "- ")


def generated_code(counts):
    """What is left of a formulation when it is written out for one robot and its constants are folded."""
    text = "\n## Generated code\n\n" + wrapped(
        "`catena generate` runs a formulation once for one robot and folds what is constant, zero or one. M, A (and D) of the "
        "cheapest program it finds; the inertia matrix as its upper triangle. The first two robots are the general arm of six "
        "joints, with general twists and with twists of 0° and 90°.")
    text += "\n" + head("robot", *counts.searched)
    robots = {"general twists": GENERAL, "twists of 0° and 90°": RIGHT, **{f"`{name}`": (name,) for name in counts.robots}}
    for name, robot in robots.items():
        costs = [counts.cheapest(robot, job) for job in counts.searched]
        text += line(name, *(pair(cost) + (f" (+{cost['divisions']})" if cost["divisions"] else "") for cost in costs))
    return text + "\n" + wrapped(
        "Twists of 0° and 90°: claimed are 388 M 370 A for Algorithm 5.5, 354 M 351 A semi-customized (Tables 5.1, 5.2), and "
        "271 M 250 A for Algorithm 6.2 (Table 6.1). Folding takes what the papers take by hand, and base parameters take more.",
        "- ")


def page(program):
    counts = Counts(program)
    text = "# Operation counts\n\n" + wrapped(
        "The published tables of operation counts, and beside each claim what our code takes. Written by "
        "`tools/print_documents.py`; a test compares this page with what the program says.")
    text += "\n" + wrapped(
        "Counted means run: the code that computes ran on a scalar that counts (`Counted`), on a general arm of n revolute "
        "joints without a zero among its constants. M are multiplications, A additions and subtractions; divisions (D) stand "
        "apart. Sines and cosines, signs, and what is computed once for a robot are not counted. Polynomials are exact: they "
        "meet the count at every n from the one given to 10. *Optimized* is the robot after "
        "[regrouping](equations/regrouping.md), which is what a call without a formulation runs. *Less inertia* and *less "
        "bias* are what a formulation takes beyond that other result, as the papers count it; it ran after it, and only it was "
        "counted. *Less solver* is as far as the inertia matrix and the bias, *less conjugacy to all* the plain recurrence of "
        "conjugate gradients, n steps of it.")
    text += in_short(counts)
    for job in counts.jobs:
        name = job["name"]
        text += f"\n## {name}: {job['words']}\n"
        text += "".join(table(counts, name, given) for given in TABLES.get(name, []))
        text += "".join(breakdown(counts, name, given) for given in BREAKDOWNS.get(name, []))
        text += every_formulation(counts, job)
    return text + right_twists(counts) + generated_code(counts)
