"""States in files: by columns and by names, as text and as arrays, one by one and in the lanes of vectors."""

import json

import numpy as np

import jobs
from cases import Case, outputs_of
from jobs import EXACT

TABLE_ROWS = 9  # more than the lanes of any vector


def tables(walk, case):
    """States in files: CSV, and .npy in doubles and floats, which run in the lanes of vectors. Some rows are looked at."""
    listed = [job for job in json.loads(walk.run(["jobs", "--json"])[1])["jobs"] if job["name"] != "hybrid"]
    if case.oracle.nv > 20:
        listed = [job for job in listed if job["name"] in ("inverse", "inertia", "forward")]
    look_at_table(walk, case, listed, "states.csv", "results.npy", 1.0)
    look_at_table(walk, case, listed, "states.npy", "doubles.npy", 1.0)
    look_at_table(walk, case, listed, "states.npy", "floats.npy", 1e6, "--precision=float")
    pushed = Case(walk, case.robot, wrench="world", payload=True)
    look_at_table(walk, pushed, [job for job in listed if "wrenches" in job["inputs"]], "states.npy", "pushed.npy", 1.0)


def look_at_table(walk, case, listed, states, result, loose, *more):
    """All jobs over a table, as columns; the first row and the last."""
    compute = "--compute=" + ",".join(job["name"] for job in listed)
    path = case.folder / result
    args = [*case.args("run", compute, "--states", str(case.table(states, TABLE_ROWS, jobs.inputs_of(listed))), "-o", str(path), *more)]
    if walk.look(case, args) is None:
        return
    found = np.load(path)
    for k in (0, TABLE_ROWS - 1):
        walk.compare(case, args, "finite", np.isfinite(found[k]).all(), True, 0)
        out, at = {}, 0
        for job in listed:
            for output in job["outputs"]:
                shape = jobs.shape_of(case.oracle, output["shape"])
                size = int(np.prod(shape))
                out[f"{output['name']}_{job['name']}"] = found[k, at:at + size].reshape(shape)
                at += size
        walk.compare(case, args, "columns", at, found.shape[1], 0)
        for job in listed if at == found.shape[1] else []:
            for what, got, want, tolerance in outputs_of(job, case.expected(k), out, case.robot.tool):
                walk.compare(case, args, f"row {k + 1}: {what}", got, want, min(tolerance * loose, 5e-3))


def rows(walk, case):
    """Tables of inverse and hybrid, which take passive joints in their stride: JSON has an entry per state."""
    path = case.table("rows.csv", 3)
    passive = len(jobs.passive(case.oracle)) > 0
    for name in ("inverse", "hybrid"):
        def check(out, name=name):
            for k in range(3):
                e = case.expected(k)
                if name == "inverse" and not passive:
                    wanted = {"tau": e.torques(v=e.qd, a=e.qdd)[0]}
                else:
                    wanted = e.hybrid(e.qdd, e.tau if name == "hybrid" else np.zeros(e.oracle.nv))
                for key, want in wanted.items():
                    yield f"row {k + 1}: {key}", out[key][k], want, EXACT

        walk.look(case, case.args(name, "--json", "--states", str(path)), check)


def named(walk, case):
    """Columns and numbers that go by the names of joints."""
    names = walk.look(case, case.args("info", "--json"))
    if names is None:
        return
    path, result = case.table("named.csv", 3, ("q", "qd", "qdd")), case.folder / "named_results.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = [f"{i}:{name}" for i, key in (("q", "positions"), ("qd", "joints"), ("qdd", "joints")) for name in names[key]]
    path.write_text("\n".join([",".join(heads), *lines[1:]]) + "\n", encoding="utf-8")
    args = case.args("bias", "--states", str(path), "-o", str(result))
    if walk.look(case, args) is not None:
        found = np.genfromtxt(result, delimiter=",", skip_header=1, ndmin=2)
        columns = result.read_text(encoding="utf-8").splitlines()[0].split(",")
        at = [columns.index(f"b:{name}") for name in names["joints"] if f"b:{name}" in columns]
        walk.compare(case, args, "b", found[2, at], case.expected(2).b, EXACT)
    q = ",".join(f"{name}={number!r}" for name, number in zip(names["positions"], map(float, case.state()["q"])))
    walk.look(case, case.args("inertia", "--json", f"--q={q}"), lambda out: [("M", out["M"], case.expected().M, EXACT)])
