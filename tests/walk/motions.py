"""The commands that are about motions: simulate, trajectory, inverse along one, linearize, excite, identify."""

import copy
import json

import numpy as np

import jobs
import robots
from cases import Case
from jobs import BY_DIFFERENCES, EXACT

SHORT = 2e-4  # s: three samples so near that speeds tell accelerations
LAWS = ["zero", "constant", "pd", "pd-gravity", "computed", "feedforward", "lqr", "operational", "resolved", "table"]
WITH_SENSITIVITY = ("plain", "coupled", "passive", "moving", "coupled and moving", "loop")
WITH_INTEGRATORS = ("plain", "coupled and free", "coupled and moving", "loop")
INTEGRATORS = ["verner", "dormand-prince", "adams", "bdf", "rk4", "adams-bashforth"]


def target(case):
    """Another place to be; of a free base, where it is."""
    head = 7 * case.oracle.free
    return np.concatenate([case.state()["q"][:head], 0.5 * case.state(7)["q"][head:]])


def torques_of(case):
    """Of the motors; a free base has none."""
    tau = case.state()["tau"].copy()
    tau[:6 * case.oracle.free] = 0.0
    return tau


def law_torques(case, law, q, qd):
    """What a law asks for, or None where it is not written down here."""
    oracle = case.oracle
    e = jobs.Expected(oracle, {**case.state(), "q": q, "qd": qd})
    at_rest = dict(base=np.zeros(12), wrenches=False)
    head = 6 * oracle.free
    pull = -20.0 * qd
    pull[head:] += 100.0 * (target(case) - q)[head + oracle.free:]
    still = np.concatenate([np.arange(head), jobs.passive(oracle)]).astype(int)
    asked = None
    if law == "zero":
        asked = np.zeros(oracle.nv)
    elif law in ("constant", "table"):
        asked = torques_of(case)
    elif law == "pd":
        asked = pull
    elif law == "pd-gravity":
        asked = pull + e.torques(**at_rest)[0]
    elif law == "computed" and not len(still):
        asked = e.torques(v=qd, a=pull, **at_rest)[0]
    elif law == "feedforward":
        asked = pull + e.torques(target(case), **at_rest)[0]
    if asked is not None:
        asked[still] = 0.0
    return asked


def law_options(case, law):
    tau = robots.numbers(torques_of(case))
    if law == "constant":
        return ["--torque=constant", f"--tau={tau}"]
    if law == "table":
        path = case.folder / "torques.csv"
        names = ",".join(f"tau{j + 1}" for j in range(case.oracle.nv))
        path.write_text(f"t,{names}\n0,{tau}\n1,{tau}\n", encoding="utf-8")
        return [f"--torque={path}"]
    if law in ("operational", "resolved"):
        return [f"--torque={law}", f"--goal={robots.numbers(case.expected().pose(case.robot.tool)[:3, 3])}"]
    return [f"--torque={law}"] + ([] if law == "zero" else [f"--target={robots.numbers(target(case))}"])


def simulate(walk, case):
    start = case.typed(["q", "qd"])

    def moves(out, law):
        """The law's torques, and Newton's law between the samples."""
        q, qd, tau = (np.array(out[name]) for name in ("q", "qd", "tau"))
        asked = law_torques(case, law, q[0], qd[0])
        if asked is not None:
            yield "tau at the start", tau[0], asked, EXACT
        e = jobs.Expected(case.oracle, {**case.state(), "q": q[1], "qd": qd[1]})
        yield "accelerations", (qd[2] - qd[0]) / SHORT, e.forward(tau[1]), 2e-3

    for law in LAWS:
        args = case.args("simulate", "--json", f"--time={SHORT}", "--samples=3", *start, *law_options(case, law))
        walk.look(case, args, lambda out, law=law: moves(out, law))
    for integrator in INTEGRATORS if case.robot.name in WITH_INTEGRATORS else []:
        step = ["--step=1e-5"] if integrator in ("rk4", "adams-bashforth") else []
        args = case.args("simulate", "--json", f"--time={SHORT}", "--samples=3", f"--integrator={integrator}", *step, *start)
        walk.look(case, args, lambda out: moves(out, "zero"))

    def balanced(out):
        """Energies against the base, as the first law sums them up."""
        yield "balance", out["balance"] / max(1.0, *np.abs(out["energy"])), 0.0, 1e-6
        yield "complete", out["complete"], True, 0
        e = jobs.Expected(case.oracle, {**case.state(), "q": out["q"][-1], "qd": out["qd"][-1]})
        wanted = e.energy(base=np.zeros(12))
        yield "kinetic", out["kinetic"][-1], wanted["kinetic_energy"], 1e-6
        yield "potential", out["potential"][-1], wanted["potential_energy"], 1e-6

    long = ["--json", "--time=0.15", "--samples=4", *start]
    tip = f"--wrench={case.robot.tool}:3,-2,5,0.4,0.3,-0.6"
    walk.look(case, case.args("simulate", *long), balanced)
    if case.oracle.loops:  # joints that stick and slip, one after the other
        walk.look(case, case.args("simulate", "--json", "--time=0.2", "--samples=3", "--max-steps=20000"), balanced)
    walk.look(case, case.args("simulate", *long, tip, "--saturate", *law_options(case, "constant")), balanced)
    walk.look(case, case.args("simulate", *long, "--stops", "--restitution=0.5"), balanced)
    events(walk, case, long)
    knows_less(walk, case, start)
    for law in ("computed", "lqr"):  # along a motion, which begins at rest, where dry friction would hold the joints
        args = case.args("simulate", "--json", "--rigid", f"--torque={law}", *motion_options(case, 0.05), *case.typed(["q"]))
        walk.look(case, args, lambda out: [("complete", out["complete"], True, 0)])
    load = case.folder / "load.toml"
    load.write_text('name = "load"\n[base]\nmass = 0.7\ncom = [0.05, 0.0, 0.1]\ninertia = [0.002, 0.003, 0.002]\n',
                    encoding="utf-8")
    walk.look(case, case.args("simulate", *long, f"--event=t=0.05 attach {load} at {case.robot.tool} as revolute called load"))
    if case.robot.base is not None:
        path = case.folder / "base.csv"
        rows = [[t, *(np.array(case.robot.base[:6]) + t * np.array(case.robot.base[6:]))] for t in (0.0, 1.0)]
        path.write_text("t,vx,vy,vz,wx,wy,wz\n" + "\n".join(robots.numbers(row) for row in rows) + "\n", encoding="utf-8")
        args = [word for word in case.args("simulate", *long) if not word.startswith("--base-")]
        told = walk.look(case, args + [f"--base-motion={path}"], balanced)
        same = walk.look(case, case.args("simulate", *long))
        if told and same:
            walk.compare(case, args, "--base-motion and --base-twist", told["q"], same["q"], 1e-7)


def events(walk, case, long):
    """A run that ends where a joint passes a place, and one that a joint's speed ends."""
    name = case.oracle.own[-1] if "slide" not in case.oracle.own else "slide"
    if " " in name:
        return
    j = case.oracle.own.index(name)
    place, speed = j + 7 * case.oracle.free, j + 6 * case.oracle.free
    at = case.state()["q"][place] + 0.01 * np.sign(case.state()["qd"][speed])
    walk.look(case, case.args("simulate", *long, f"--event=position:{name}:{float(at)!r}:stop"),
              lambda out: [("where it ends", out["q"][-1][place], at if out["events"] else np.nan, 1e-8)])
    walk.look(case, case.args("simulate", *long, "--event=time:0.1:stop"), lambda out: [("when", out["t"][-1], 0.1, EXACT)])


def knows_less(walk, case, start):
    """A law that does not know of the load."""
    loaded = Case(walk, case.robot, payload=True)

    def check(out):
        asked = law_torques(case, "computed", np.array(out["q"][0]), np.array(out["qd"][0]))
        if asked is not None:
            yield "tau at the start", out["tau"][0], asked, EXACT

    if not case.robot.more:
        law = [*law_options(case, "computed"), f"--controller-model={case.path}"]
        walk.look(loaded, loaded.args("simulate", "--json", f"--time={SHORT}", "--samples=3", *start, *law), check)


def motion_options(case, time=1.0):
    return [f"--from={robots.numbers(case.state()['q'])}", f"--to={robots.numbers(target(case))}", f"--time={time}"]


def torques_along(case, out, end=1.0):
    """Of the rows of a motion. At its ends joints stand still; dry friction acts as it does just beside them. end: at the last
    not at all (0), or as if rounding had turned it round (-1)."""
    q, qd, qdd = (np.array(out[name]) for name in ("q", "qd", "qdd"))
    qd[0], qd[-1] = 1e-9 * qd[1], 1e-9 * end * qd[-2]
    return case.oracle.torques(q, qd, qdd)


def trajectory(walk, case):
    own = case.oracle.own
    out = walk.look(case, case.args("trajectory", "--json", *motion_options(case)))
    report = walk.look(case, case.args("trajectory", "--json", "--check", *motion_options(case)))
    if out and report:
        args = case.args("trajectory", "--json", "--check", *motion_options(case))
        qd = np.array(out["qd"])
        tau, *others = (torques_along(case, out, end) for end in (1.0, 0.0, -1.0))
        peaks = {(entry["kind"], entry["joint"]): entry["value"] for entry in report["peaks"]}
        for j, name in enumerate(own):
            peak = abs(peaks["effort", name])
            most = min((np.abs(rows[:, j]).max() for rows in (tau, *others)), key=lambda most: abs(most - peak))
            walk.compare(case, args, f"effort of {name}", peak, most, 1e-2)
            walk.compare(case, args, f"power of {name}", abs(peaks["power", name]), np.abs(tau[:, j] * qd[:, j]).max(), 1e-2)
    args = case.args("trajectory", "--json", "--scale-to-limits", *motion_options(case))
    scaled = walk.look(case, args)
    if scaled:
        tau, qd = torques_along(case, scaled), np.array(scaled["qd"])
        fastest = limits_of(case)[2]
        strongest = np.array([case.oracle.drive_of(name).limits[3] for name in own])
        used = np.maximum(np.abs(qd) / fastest, np.abs(tau) / strongest)
        walk.compare(case, args, "the part of its limits that it uses, at most 1", max(used.max(), 1.0), 1.0, 1e-3)


def along(walk, case):
    """inverse over a motion: the torques of its rows."""
    out = walk.look(case, case.args("trajectory", "--json", *motion_options(case)))
    walk.look(case, case.args("inverse", "--json", *motion_options(case)),
              lambda found: [("tau", np.array(found["tau"])[1:-1], torques_along(case, out)[1:-1], EXACT)])
    path = case.folder / "motion.csv"
    states = [case.state(k) for k in range(4)]
    heads = [f"{i}{j + 1}" for i in ("q", "qd", "qdd") for j in range(len(states[0][i]))]
    rows = [[0.1 * k, *s["q"], *s["qd"], *s["qdd"]] for k, s in enumerate(states)]
    path.write_text(",".join(["t", *heads]) + "\n" + "\n".join(robots.numbers(row) for row in rows) + "\n", encoding="utf-8")
    want = case.oracle.torques(*(np.array([s[i] for s in states]) for i in ("q", "qd", "qdd")))
    walk.look(case, case.args("inverse", "--json", "--trajectory", str(path)), lambda found: [("tau", found["tau"], want, EXACT)])
    walk.look(case, case.args("linearize", "--json", "--trajectory", str(path)),
              lambda found: [("D", found["D"][0], case.expected().M, EXACT)])


def linearize(walk, case):
    e, oracle = case.expected(), case.oracle
    n = oracle.nv
    driven = np.setdiff1d(np.arange(n), jobs.passive(oracle))
    state = case.typed(["q", "qd", "qdd"])

    def space(out):
        """About the motion in which passive joints do what they do by themselves."""
        inverse = np.linalg.inv(e.M)
        A, B = np.array(out["A"]), np.array(out["B"])
        qdd = e.hybrid(e.qdd, np.zeros(n))["qdd"]
        yield "A, positions", A[n:, :n], -inverse @ e.by_positions(qdd), BY_DIFFERENCES
        yield "A, rates", A[n:, n:], -inverse @ e.by_rates(qdd), BY_DIFFERENCES
        yield "A, above", A[:n], np.eye(2 * n)[n:], EXACT
        yield "B", B, np.concatenate([np.zeros((n, n)), inverse])[:, driven], BY_DIFFERENCES

    walk.look(case, case.args("linearize", "--json", "--state-space", *state), space)
    walk.look(case, case.args("linearize", "--json", "--state-space", "--discrete=0.01", *state))
    if n < 20:
        walk.look(case, case.args("linearize", "--json", "--state-space", "--lqr", *case.typed(["q"])),
                  lambda out: [("largest real part", max(0.0, *(pole[0] for pole in out["closed_loop_poles"])), 0.0, EXACT)])
    walk.look(case, case.args("linearize", "--json", "--cartesian", "--coordinates=position", "--damping=0.05", *state))

    def parameters(out):
        Y = jobs.own_columns(e, np.array(out["dtau"]))
        yield "dtau", Y, e.regressor(), EXACT
        yield "dqdd", jobs.own_columns(e, np.array(out["dqdd"])), -np.linalg.solve(e.M, e.regressor()), BY_DIFFERENCES

    walk.look(case, case.args("linearize", "--json", "--wrt=parameters", *state), parameters)


def sensitivity(walk, case):
    """How a run answers a link's mass, from parameters; and the difference of two runs with other masses."""
    if case.robot.name not in WITH_SENSITIVITY:
        return
    link = next(link for link in case.robot.links if link.name == "fore")
    start = ["--rigid", "--time=0.1", "--samples=5", *case.typed(["q", "qd"])]
    table = case.folder / "answered.csv"
    place = case.oracle.moving.index(case.oracle.frames["fore"][0]) + 1
    names = "m#,m# cx#,m# cy#,m# cz#,Jxx#,Jyy#,Jzz#,Jxy#,Jxz#,Jyz#".replace("#", str(place))
    if walk.look(case, case.args("simulate", *start, "-o", str(table))) is None:
        return
    args = case.args("linearize", "--json", "--rigid", "--wrt=parameters", f"--parameters={names}", "--trajectory", str(table))
    out = walk.look(case, args)
    if out is None:
        return
    ends, step = [], 1e-3 * link.mass
    for sign in (1, -1):
        other = copy.deepcopy(case.robot)
        next(same for same in other.links if same.name == "fore").mass += sign * step
        path = case.folder / f"other{sign}.toml"
        path.write_text(robots.to_toml(other), encoding="utf-8")
        run = walk.look(case, ["simulate", str(path), *case.options("simulate"), "--quiet", "--json", *start])
        ends.append(np.array(run["q"][-1]) if run else np.nan)
    c = np.array(link.com)
    J = c @ c * np.eye(3) - np.outer(c, c)  # the link keeps its inertia about the mass centre
    along_mass = np.array([1.0, *c, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
    want = (ends[0] - ends[1]) / (2.0 * step)
    size = np.abs(want).max()
    walk.compare(case, args, "dq by mass", np.array(out["dq"][-1]) @ along_mass / size, want / size, 1e-4)


def limits_of(case):
    """Lower, upper and fastest of each of the user's joints: its own, narrowed by those that follow it alone."""
    oracle = case.oracle
    out = []
    for j, name in enumerate(oracle.own):
        lower, upper, fastest, _ = oracle.drive_of(name).limits
        for other, row in zip(oracle.tree, oracle.G):
            drive = oracle.drive_of(other)
            if not drive.follows or len(np.flatnonzero(row)) != 1 or row[j] == 0.0 or not drive.limits:
                continue
            ends = sorted((drive.limits[k] - drive.offset) / row[j] for k in (0, 1))
            lower, upper, fastest = max(lower, ends[0]), min(upper, ends[1]), min(fastest, drive.limits[2] / abs(row[j]))
        out.append((lower, upper, fastest))
    return np.array(out).T


def excite(walk, case):
    def check(out):
        lower, upper, fastest = limits_of(case)
        q, qd = np.array(out["q"]), np.array(out["qd"])
        yield "beyond limits", np.maximum(np.maximum(lower - q, q - upper), 0.0).max(), 0.0, EXACT
        yield "too fast", np.maximum(np.abs(qd) - fastest, 0.0).max(), 0.0, EXACT

    if case.oracle.nv < 20:
        walk.look(case, case.args("excite", "--json", "--time=5", "--starts=1", "--steps=2", "--samples=50"), check)


def calibrate(walk, case):
    """Poses of the oracle: nothing to correct. How the tool moves with joint offsets is its Jacobian."""
    rows = 40
    q = np.array([case.state(k)["q"] for k in range(rows)])
    T = np.array([case.expected(k).pose(case.robot.tool) for k in range(rows)]) if not case.oracle.free and not case.robot.loops else None
    if T is None or case.oracle.nv > 20:
        return walk.look(case, case.args("calibrate", "--json", "--sensitivity"))
    path = case.folder / "poses.csv"
    names = [f"q{j + 1}" for j in range(q.shape[1])] + ["x", "y", "z"] + [f"T{i}_{j}" for i in (1, 2, 3) for j in (1, 2, 3)]
    np.savetxt(path, np.hstack([q, T[:, :3, 3], T[:, :3, :3].reshape(rows, 9)]), "%.17g", ",", header=",".join(names), comments="")

    def check(out):
        yield "corrections", [entry["correction"] for entry in out["corrections"]], np.zeros(len(out["corrections"])), 1e-6
        yield "off", out["after"]["position_rms"], 0.0, 1e-9

    return walk.look(case, case.args("calibrate", "--json", "--poses", str(path), "--parameters=offsets"), check)


def filter(walk, case):
    """A motion about a state, with the torques of the oracle: positions, speeds and accelerations come back."""
    rows, rate = 1200, 200.0
    t = np.arange(rows) / rate
    start = case.state()["q"]
    n = len(start)
    w = 2.0 * np.pi * (0.3 + 0.2 * np.arange(n) / n)
    sine, cosine = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q, qd, qdd = start + 0.05 * sine, 0.05 * w * cosine, -0.05 * w * w * sine
    path = case.folder / "log.csv"
    some = slice(0, rows, 40)
    tau = case.oracle.torques(q[some], qd[some], qdd[some]) if not case.oracle.free else qd[some]
    tau = np.repeat(tau, 40, axis=0)  # as a slow bus records them
    names = ["t", *(f"q{j + 1}" for j in range(n)), *(f"tau{j + 1}" for j in range(tau.shape[1]))]
    np.savetxt(path, np.column_stack([t, q, tau]), delimiter=",", header=",".join(names), comments="", fmt="%.17g")

    def check(out):
        inner = slice(200, rows - 200)
        for name, want in (("q", q), ("qd", qd), ("qdd", qdd)):
            yield name, np.array(out[name])[inner], want[inner], 1e-6
        yield "rows", out["rows"], rows, 0

    walk.look(case, case.args("filter", "--json", "--log", str(path), "--cutoff=20"), check)


def identify(walk, case):
    """Torques of the oracle; parameters that give them again, at another state."""
    if case.oracle.nv > 20 or len(case.robot.loops) > 1:  # whose parameters show too faintly
        return
    rows = 60
    states = [case.state(k) for k in range(rows)]
    q, qd, qdd = (np.array([s[i] for s in states]) for i in ("q", "qd", "qdd"))
    tau = case.oracle.torques(q, qd, qdd)
    path = case.folder / "measured.npz"
    np.savez(path, q=q, qd=qd, qdd=qdd, tau=tau)
    bases = walk.look(case, case.args("regressor", "--json", "--base"))
    e = case.expected(rows)

    def check(out):
        columns = [entry["terms"][0]["column"] - 1 for entry in bases["base_parameters"]]
        values = [entry["value"] for entry in out["estimates"]]
        yield "torques", e.regressor()[:, columns] @ values, e.torques(v=e.qd, a=e.qdd)[0], 1e-6

    walk.look(case, case.args("identify", "--json", "--states", str(path)), check if bases else None)


def stepping(walk, case):
    """Every law that steps; its torques are held, and Newton's law holds between the samples."""
    def moves(out):
        q, qd, tau = (np.array(out[name]) for name in ("q", "qd", "tau"))
        yield "held torques", tau[1], tau[0], EXACT
        e = jobs.Expected(case.oracle, {**case.state(), "q": q[1], "qd": qd[1]})
        yield "accelerations", (qd[2] - qd[0]) / SHORT, e.forward(tau[1]), 2e-3

    for law in json.loads(walk.run(["laws", "--json"])[1])["laws"]:
        gains = {gain["name"] for gain in law["parameters"]}
        more = ["--gain=softening=0.1"] if "softening" in gains else []
        more += ["--directions=translation"] if law["follows"] != "joints" else []
        more += ["--gain=along=0,0,1"] if "along" in gains else []
        args = case.args("simulate", "--json", f"--time={SHORT}", "--samples=3", "--period=1", f"--torque={law['name']}", *more,
                         *case.typed(["q", "qd"]))
        walk.look(case, args, moves)


COMMANDS = (simulate, stepping, trajectory, along, linearize, sensitivity, excite, calibrate, filter, identify)
