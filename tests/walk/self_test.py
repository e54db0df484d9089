"""Whether the walk can fail: every term of the oracle is left out once, and somebody must notice; and what no refusal may look
like is shown to it."""

import json

import robots
from oracle import SPOILS
from cases import Case, walk_job

# What is looked at when a term is missing: a robot's traits, a change, a job.
WHERE = {"gyroscopic": ("", "", "inverse"), "factor": ("coupled", "", "inertia"), "spin": ("free", "", "bias"),
         "friction": ("coupled", "", "bias"), "rotor": ("coupled", "", "inertia"), "spring": ("coupled spring", "", "gravity"),
         "stribeck": ("coupled spring", "", "damping"), "offset": ("coupled spring", "", "gravity"), "coriolis": ("", "", "drift"),
         "base": ("moving", "", "forward"), "wrench": ("free", "wrench", "gravity"), "payload": ("coupled", "payload", "energy"),
         "passive": ("passive", "", "hybrid"), "carried": ("free", "", "jacobian"),
         "turned": ("free", "", "stiffness"), "bend": ("loop", "", "bias")}


def refused(walk, status, output, messages):
    """Whether the walk takes this for a refusal that it knows."""
    before = len(walk.failures)
    walk.judge(Case(walk, robots.branched(["free"])), ["links", "free.toml", "--quiet"], status, output, messages)
    return len(walk.failures) == before


def run(walk):
    listed = {job["name"]: job for job in json.loads(walk.run(["jobs", "--json"])[1])["jobs"]}
    walk.remembers = True
    wrong = [term for term in SPOILS if term not in WHERE]
    for term, (traits, change, job) in WHERE.items():
        robot = robots.branched(traits.split())
        for broken in (None, term):
            walk.failures.clear()
            walk_job(walk, Case(walk, robot, change, broken=broken), listed[job])
            if (broken is None) == bool(walk.failures):
                wrong.append(f"{term}: {walk.failures[0] if walk.failures else 'nobody noticed that it is missing from ' + job}")
    line = "catena: robot 'free' has a free base, which models link by link do not support\n"
    tries = [(2, "", line, True), (2, "", "catena: no such thing\n", False), (2, "", line + line, False), (2, "1\n", line, False),
             (-11, "", "", False), (3, "", line, False), (0, "", "", True), (0, "nan\n", "", False),
             (0, "1\n", "a message\n", False)]
    wrong += [f"{given}: taken for the opposite" for *given, good in tries if refused(walk, *given) != good]
    walk.failures.clear()
    for text in wrong:
        print(text)
    print(f"walk: {len(WHERE)} terms of the oracle left out, {len(tries)} ways to end tried, {len(wrong)} not noticed")
    return 1 if wrong else 0
