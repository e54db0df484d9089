"""Some invocations of every command that is no job, and of what the commands of jobs can do beyond their job: each is tried on
every robot, and looked at by numbers where they are at hand."""

import copy
import json

import numpy as np

import jobs
import motions
import robots
import tables
from cases import Case, outputs_of, walk_all_jobs, walk_job
from jobs import BY_DIFFERENCES, EXACT, displaced
from oracle import STEP, Oracle


def inverse(walk, case, path):
    """The torques of a robot that another command wrote."""
    other = copy.copy(case)
    other.path, other.robot = path, copy.copy(case.robot)
    other.robot.more = []  # which the file has
    walk_job(walk, other, {"name": "inverse", "inputs": ["q", "qd", "qdd", "wrenches"]})


def info(walk, case):
    robot, oracle = case.robot, case.oracle
    mass = sum(link.mass for link in robot.links) + (0.0 if "free" in robot.traits else robot.base_body[0])
    followers = [name for name in oracle.tree if oracle.drive_of(name).follows]

    def check(out):
        yield "dof", out["dof"], oracle.nv, 0
        yield "positions", len(out["positions"]), oracle.nq, 0
        yield "mass", out["mass"], mass, EXACT
        yield "names", out["joints"][6 * oracle.free:] == oracle.own, True, 0
        yield "coupled", [entry["joint"] for entry in out["coupled"]] == followers, True, 0
        yield "passive", out["passive"] == [name for name in oracle.own if oracle.drive_of(name).passive], True, 0
        yield "limits", len(out["limits"]), oracle.nv, 0

    walk.look(case, case.args("info", "--json"), check)
    walk.look(case, case.args("info"))
    walk.look(case, case.args("info", "--dh", "--convention", "modified", "--format", "latex"))


def check(walk, case):
    walk.look(case, case.args("check", "--strict"))
    walk.look(case, case.args("check", "--json"))


def convert(walk, case):
    for ending in ("urdf", "toml", "mjcf"):
        path = case.folder / f"converted.{ending}"
        if walk.look(case, [*case.args("convert"), "-o", str(path)]) is not None:
            inverse(walk, case, path)
    for convention in ("classic", "modified"):
        path = case.folder / f"{convention}.toml"
        rows = walk.look(case, [*case.args("convert"), "--to", "dh", "--convention", convention])
        if rows is not None:
            path.write_text(rows, encoding="utf-8")
            inverse(walk, case, path)


def on(parent, robot, joint, drives):
    """Links of a robot that hangs on another by a joint: its base, then its own. No name is taken twice."""
    mass, com, inertia = robot.base_body
    base = robots.Link("other base", parent, joint, "wrist", [0.1, 0, 0.05], [0.1, 0.2, 0.3], [0, 1, 0], mass, com, inertia,
                       drives)
    links = copy.deepcopy(robot.links)
    for link in links:
        link.parent = "other base" if link.parent == "base" else link.parent
    return [base, *links]


def assemble(walk, case):
    """The robot of one joint on the hand, and the robot on that of one joint: the same as robots that were written so."""
    robot, one = case.robot, Case(walk, robots.chain("one more", 1, "m"))
    hand = robot.links[-1].name if robot.links[0].name.startswith("l") and robot.links[0].name[1:].isdigit() else "hand"
    for first, second, at in ((case, one, hand), (one, case, "m1")):
        for joint, drives in (("revolute", {"": robots.Drive()}), ("fixed", {})):
            path = case.folder / f"assembled_{at}_{joint}.toml"
            args = ["assemble", str(first.path), str(second.path), "--at", at, "--joint", joint, "--name", "wrist", "--origin",
                    "0.1,0,0.05,0.1,0.2,0.3", "-o", str(path), "--quiet", *first.robot.more]
            args += ["--axis", "0,1,0"] if joint == "revolute" else []
            if walk.look(case, args) is None or (second.robot.more and first is one):
                continue
            whole = copy.copy(first.robot)
            whole.name = f"{first.robot.name} with {second.robot.name} {joint}"
            whole.links = [*first.robot.links, *on(at, second.robot, joint, drives)]
            whole.traits, whole.base = robot.traits, robot.base
            whole.frames, whole.loops = [*first.robot.frames, *second.robot.frames], robot.loops
            whole.independent, whole.start = robot.independent, robot.start
            inverse(walk, Case(walk, whole), path)


def kinematics(walk, case):
    e, tool = case.expected(), case.robot.tool
    J = e.jacobian(tool)

    def rate():
        places = (displaced(e.oracle, e.q, s * STEP * e.qd[None])[0] for s in (1, -1, 2, -2))
        a, b, c, d = (jobs.Expected(e.oracle, {**case.state(), "q": q}).jacobian(tool) for q in places)
        return (8.0 * (a - b) - (c - d)) / (12.0 * STEP)

    def check(out):
        yield "pose", out["pose"], e.pose(tool), EXACT
        yield "J", out["J"], J, EXACT
        yield "Jdot", out["Jdot"], rate(), BY_DIFFERENCES
        yield "velocity", out["velocity"], e.frame_velocity(tool), EXACT
        yield "acceleration", out["acceleration"], J @ e.qdd + e.drift(tool), EXACT
        for name, want in e.energy().items():
            yield name, out[name], want, EXACT
        for link in case.robot.links:
            yield link.name, out["poses"][link.name], e.pose(link.name), EXACT

    walk.look(case, case.args("kinematics", "--json", "--all", *case.typed(["q", "qd", "qdd"])), check)

    def solved(out):
        found = jobs.Expected(e.oracle, {**case.state(), "q": out["q"]})
        yield "place", found.pose(tool)[:3, 3], e.pose(tool)[:3, 3], 1e-8

    walk.look(case, case.args("kinematics", "--json", f"--solve={robots.numbers(e.pose(tool)[:3, 3])}"), solved)


def links(walk, case):
    e = case.expected()

    def check(out):
        M, C, g = np.zeros((e.oracle.nv,) * 2), np.zeros((e.oracle.nv,) * 2), np.zeros(e.oracle.nv)
        for link in out["links"]:
            at = np.array(link["index"], dtype=int)
            if not len(at):
                continue
            M[np.ix_(at, at)] += np.array(link["M"])
            C[np.ix_(at, at)] += np.array(link["C"])
            g[at] += np.array(link["g"])
        yield "sum of M", M, e.inertia_at(e.q, drives=False), EXACT
        yield "sum of g", g, e.torques(wrenches=False, drives=False)[0], EXACT
        for what, rest in jobs.check_coriolis(e, C).items():
            yield what, *rest

    walk.look(case, case.args("links", "--json", *case.typed(["q", "qd"])), check)
    walk.look(case, case.args("links", "--json", "--screws"))


def denoc(walk, case):
    e = case.expected()

    def check(out):
        n = len(out["M"])
        blocks = np.zeros((6 * n, 6 * n))
        for key, block in out["M"].items():
            at = 6 * (int(key) - 1)
            blocks[at:at + 6, at:at + 6] = block
        N = np.array(out["N_l"]) @ np.array(out["N_d"]).reshape(6 * n, -1)
        yield "N' M N", N.T @ blocks @ N, e.inertia_at(e.q, drives=False), EXACT

    walk.look(case, case.args("denoc", "--json", *case.typed(["q", "qd"])), check)
    if case.oracle.nv < 4:
        walk.look(case, case.args("denoc", "--format=text", "--objects=p,V,M_tilde,M_tilde_dot"))


def cartesian(walk, case):
    e, tool = case.expected(), case.robot.tool
    rows = 1 if e.oracle.nv == 1 else 3
    J = e.jacobian(tool)[:rows]

    def check(out):
        inverse = np.linalg.inv(e.M)
        Lambda = np.linalg.inv(J @ inverse @ J.T)
        yield "chi", out["chi"], e.pose(tool)[:rows, 3], EXACT
        yield "chi_dot", out["chi_dot"], J @ e.qd, EXACT
        yield "chi_ddot", out["chi_ddot"], J @ e.qdd + e.drift(tool)[:rows], EXACT
        yield "D_chi", out["D_chi"], Lambda, BY_DIFFERENCES
        yield "f", out["f"], Lambda @ J @ inverse @ e.torques(v=e.qd, a=e.qdd)[0], BY_DIFFERENCES
        yield "D_hat", out["D_hat"], J.T @ Lambda, BY_DIFFERENCES

    walk.look(case, case.args("cartesian", "--json", "--linearize", "--coordinates=position",
                              "--rows=x" if rows == 1 else "--rows=x,y,z", *case.typed(["q", "qd", "qdd"])), check)
    walk.look(case, case.args("cartesian", "--json", "--coordinates=rpy", "--damping=0.05", *case.typed(["q", "qd"])))


def static(walk, case):
    case = Case(walk, case.robot, wrench="frame")
    walk.look(case, case.args("static", "--json", *case.typed(["q"])),
              lambda out: [("tau", out["tau"], case.expected().torques()[0], EXACT)])


def equilibrium(walk, case):
    e = case.expected()
    still = jobs.passive(e.oracle)

    def check(out):
        for k, found in enumerate(out["equilibria"]):
            tau = e.torques(np.array(found["q"]))[0]
            yield f"what moves passive joints {k + 1}", tau[still], np.zeros(len(still)), 1e-7
            tau[still] = 0.0
            yield f"tau {k + 1}", found["tau"], tau, 1e-7

    walk.look(case, case.args("equilibrium", "--json", "--starts=4", *case.typed(["q"])), check)


def coriolis(walk, case):
    e = case.expected()

    def check(out):
        drives = "rotors" if e.oracle.loops else False  # as check_coriolis says
        want = e.torques(v=e.qd, gravity=False, wrenches=False, drives=drives, base=np.zeros(12))[0]
        yield "Σ c q̇ q̇", np.einsum("ijk,j,k->i", np.array(out["coefficients"]), e.qd, e.qd), want, EXACT

    if case.oracle.nv < 20:
        walk.look(case, case.args("coriolis", "--json", "--coefficients", *case.typed(["q"])), check)


def factor(walk, case):
    e = case.expected()
    inverse = np.linalg.inv(e.M)
    J = e.jacobian(case.robot.tool)[:3]

    def check(out):
        yield "M_inverse", out["M_inverse"], inverse, BY_DIFFERENCES
        yield "Lambda", out["Lambda"], np.linalg.inv(J @ inverse @ J.T), BY_DIFFERENCES

    walk.look(case, case.args("factor", "--json", "--inverse", f"--frame={case.robot.tool}", "--translation", *case.typed(["q"])),
              check)


def regressor(walk, case):
    e = case.expected()

    def check(out):
        values = np.array([entry["value"] for entry in out["parameters"]])
        yield "parameters", values[80:] if e.oracle.free else values, e.parameters(), EXACT
        yield "Y of the oracle times them", e.regressor() @ e.parameters(), e.torques(v=e.qd, a=e.qdd, wrenches=False)[0], EXACT

    walk.look(case, case.args("regressor", "--json", "--parameters"), check)
    if case.oracle.nv > 20:
        return

    def bases(out):
        states, least = (60, 1e-12) if len(case.robot.loops) > 1 else (25, 1e-9)  # small loops show parameters faintly
        rows = np.concatenate([case.expected(k).regressor() for k in range(states)])
        own = e.parameters().reshape(-1, 16)
        for place, absent in ((12, own[:, 12] == 0.0), (14, own[:, 14] == 0.0), (15, ~own[:, 14:].any(axis=1))):
            rows[:, 16 * np.flatnonzero(absent) + place] = 0.0  # Stribeck friction, springs, offsets: where there are some
        sizes = np.linalg.norm(rows, axis=0)
        rows = rows[:, sizes > 1e-9] / sizes[sizes > 1e-9]
        yield "how many", len(out["base_parameters"]), np.linalg.matrix_rank(rows, least * np.linalg.norm(rows, 2)), 0
        columns = [entry["terms"][0]["column"] - 1 for entry in out["base_parameters"]]
        values = [entry["nominal"] for entry in out["base_parameters"]]
        yield "their torques", e.regressor()[:, columns] @ values, e.torques(v=e.qd, a=e.qdd)[0], BY_DIFFERENCES

    walk.look(case, case.args("regressor", "--json", "--base"), bases)


def only(walk, case):
    """What one link adds: all others without mass, and no drives."""
    link = case.robot.links[-1].name
    alone = Case(walk, case.robot)
    alone.oracle = Oracle(case.robot, rigid=True)
    for joint in alone.oracle.joints:
        joint.bodies = joint.bodies if joint is alone.oracle.joints[alone.oracle.frames[link][0]] else []
    some = [{"name": name} for name in ("inverse", "gravity", "inertia", "bias")]
    args = case.args("run", f"--only={link}", "--compute=" + ",".join(job["name"] for job in some), "--json",
                     *alone.typed(["q", "qd", "qdd"]))
    walk.look(case, args, lambda out: [line for job in some for line in outputs_of(job, alone.expected(), out, None)])


def locked(walk, case):
    """A joint that follows others is told to stand still itself."""
    if "coupled" in case.robot.traits:
        walk_all_jobs(walk, Case(walk, case.robot, lock="follower"), json.loads(walk.run(["jobs", "--json"])[1])["jobs"])


def both(walk, case):
    """A base that is free does not move as it is told."""
    if case.oracle.free:
        walk.look(case, case.args("inverse", "--base-twist=1,0,0,0,0,0"))


def pictures(walk, case):
    """Plots and pages of a run; a line says where something is missing on this machine."""
    if len(case.robot.traits) > 1 or case.oracle.nv > 20:
        return
    table, start = str(case.folder / "run.csv"), ["--time=0.02", "--samples=3", *case.typed(["q", "qd"])]
    walk.look(case, case.args("simulate", *start, "--plot", str(case.folder / "run.svg"), "-o", table))
    walk.look(case, case.args("simulate", *start, "--report", str(case.folder / "run.html"), "-o", table))
    walk.look(case, ["report", str(case.path), table, *case.robot.more, "-o", str(case.folder / "later.html"), "--quiet"])
    walk.look(case, case.args("trajectory", *motions.motion_options(case), "--plot", str(case.folder / "motion.svg"), "-o",
                              table))


def degrees(walk, case):
    """The same torques, angles in degrees."""
    oracle, typed = case.oracle, []
    turns = [oracle.joint(name).kind == "revolute" for name in oracle.own]
    for name, values in list(case.state().items())[:3]:
        head = 0 if not oracle.free else len(values) - len(turns)
        scale = np.concatenate([np.ones(head), np.where(turns, 180.0 / np.pi, 1.0)])
        if head == 6:
            scale[3:6] = 180.0 / np.pi
        values = values * scale
        if name == "qdd" and len(jobs.passive(oracle)):
            values[np.concatenate([np.arange(6 * oracle.free), jobs.passive(oracle)]).astype(int)] = 0.0
        typed.append(f"--{name}={robots.numbers(values)}")
    e = case.expected()
    want = e.hybrid(e.qdd, np.zeros(oracle.nv))["tau"] if len(jobs.passive(oracle)) else e.torques(v=e.qd, a=e.qdd)[0]
    walk.look(case, case.args("inverse", "--json", "--deg", *typed), lambda out: [("tau", out["tau"], want, EXACT)])


def generate(walk, case):
    """As Python it is run; the other languages are only written."""
    wanted = ["inverse", "gravity", "inertia", "forward", "hybrid", "pose", "energy", "momentum", "bias"]
    wanted = wanted[:1] if case.oracle.nv > 20 else wanted
    listed = {job["name"]: job for job in json.loads(walk.run(["jobs", "--json"])[1])["jobs"]}
    args = case.args("generate", "--lang=python", "--no-search", "--name=robot", "--compute=" + ",".join(wanted))
    text = walk.look(case, args)
    if text is not None:
        space = {}
        exec(compile(text, "generated", "exec"), space)
        for name in wanted:
            state = {**case.state(), "q": case.expected().of_movers()}
            given = [state[i] for i in listed[name]["inputs"] if i in state]
            if case.robot.base is not None:
                given.append(np.array(case.robot.base))
            results = space[f"robot_{name}"](*given)
            results = results if isinstance(results, tuple) else (results,)
            out = {f"{output['name']}_{name}": np.squeeze(result) if output["shape"] == "1" else result
                   for output, result in zip(listed[name]["outputs"], results)}
            for what, got, want, tolerance in outputs_of(listed[name], case.expected(), out, case.robot.tool):
                walk.compare(case, args, what, got, want, tolerance)
    for language in ("c", "c-batch", "cuda"):
        walk.look(case, case.args("generate", f"--lang={language}", "--no-search", "--compute=gravity"))
    walk.look(case, case.args("generate", "--no-search", "--compute=inverse", "--keep=mass:1,com:1"))
    walk.look(case, case.args("generate", "--no-search", "--compute=gravity", "--significance=1%"))


def equations(walk, case):
    if case.oracle.nv < 20:
        walk.look(case, case.args("equations", "--format=text", "--compute=gravity"))
        walk.look(case, case.args("equations", "--compute=pose"))
        walk.look(case, case.args("equations", "--compute=gravity", "--method=denoc"))


def count(walk, case):
    walk.look(case, case.args("count", "--json", "--compute=gravity"),
              lambda out: [("positive", all(entry["online"]["additions"] > 0 for entry in out["counts"]), True, 0)])


def compare(walk, case):
    """All formulations agree, over states of the program's own."""
    listed = json.loads(walk.run(["jobs", "--json"])[1])["jobs"]
    listed = [job["name"] for job in listed if job["name"] != "coriolis"]  # which is not of one formula
    place = sum(map(ord, case.robot.name)) % len(listed)
    chosen = {"forward", listed[place]} if case.oracle.nv < 20 else {"inertia"}
    for name in listed if walk.everything else chosen:
        walk.look(case, case.args("compare", "--json", f"--compute={name}"),
                  lambda out: [(entry["name"], entry["disagreement"], 0.0, EXACT) for entry in out["formulations"]])


def hash(walk, case):
    """The same bits, run after run."""
    args = case.args("hash", "--json", "--steps=2")
    again = walk.run(args)[1]
    walk.look(case, args, lambda out: [("digest", out == json.loads(again), True, 0)])


def report(walk, case):
    walk.look(case, case.args("report", "-o", str(case.folder / "page.html"), *case.typed(["q"])))


def methods(walk, case, listed):
    for job in listed:
        for method in job["methods"]:
            walk_job(walk, case, job, f"--method={method}")


def compiled(walk, case, listed):
    for job in listed:
        if job["name"] in ("inverse", "forward"):
            walk_job(walk, case, job, "--engine=compiled")
    walk.look(case, case.args("simulate", "--json", "--time=0.05", "--engine=compiled", *case.typed(["q", "qd"])),
              lambda out: [("balance", out["balance"], 0.0, 1e-5)])


# By command; an entry beside the commands is called after what it does, and OF says which command it is of.
COMMANDS = {function.__name__: function for function in (
    info, check, convert, assemble, kinematics, links, denoc, cartesian, static, equilibrium, coriolis, factor, regressor, only,
    tables.tables, tables.rows, tables.named, locked, both, pictures, degrees, generate, equations, count, compare, hash, report,
    *motions.COMMANDS)}
OF = {"only": "run", "tables": "run", "rows": "inverse", "named": "bias", "locked": "run", "both": "inverse",
      "pictures": "simulate", "stepping": "simulate", "degrees": "inverse", "along": "inverse", "sensitivity": "linearize"}
# What a quick walk leaves out: it compares runs of commands that have been run.
MORE_OF_THE_SAME = {"only", "rows", "named", "locked", "both", "pictures", "degrees", "along", "sensitivity"}
# Those that take no robot.
ALONE = {name: (lambda walk, args=args: walk.look(None, args)) for name, args in {
    "gpu": ["gpu", "--json"], "jobs": ["jobs", "--json"], "methods": ["methods", "--json"], "laws": ["laws", "--json"], "completion": ["completion", "bash"],
    "help": ["help", "inverse"]}.items()}
WITH_METHODS = ("plain", "coupled", "free", "moving", "passive", "coupled and free", "loop")
COMPILED = ("plain", "coupled and free", "coupled and moving", "coupled and loop")
