"""Robots of every kind and what is asked of their derivatives, for the tests of JAX and of PyTorch."""

import functools
import warnings

import numpy as np

import catena

JOBS = [job["name"] for job in catena.jobs()]
KINDS = ["plain", "coupled", "free", "passive", "loop", "ship"]
SOME = ["inverse", "forward", "pose", "inertia", "energy"]  # where all jobs would take too long


def hand():
    """A tree: an arm of two joints with two fingers, of which one follows the other, and a wrist."""
    links = "".join(f"""<link name="{name}"><inertial><origin xyz="0.02 0.03 {0.1 + 0.02 * k}"/><mass value="{1.5 - 0.2 * k}"/>
        <inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0.002" iyz="0"/></inertial></link>"""
                    for k, name in enumerate(["upper", "lower", "left", "right", "wrist"]))
    joints = [("shoulder", "revolute", "base", "upper", "0 0 1", ""), ("elbow", "revolute", "upper", "lower", "0 1 0", ""),
              ("close", "prismatic", "lower", "left", "1 0 0", ""), ("follow", "revolute", "lower", "right", "0 1 1", '<mimic joint="close" multiplier="-1.5" offset="0.1"/>'),
              ("turn", "revolute", "lower", "wrist", "0 0 1", "")]
    return f"""<robot name="hand"><link name="base"/>{links}""" + "".join(
        f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="0.1 0 0.2" rpy="0.3 0 0.1"/>
        <axis xyz="{axis}"/><limit lower="-2" upper="2" velocity="5" effort="50"/>{more}</joint>""" for name, kind, parent, child, axis, more in joints) + "</robot>"


@functools.cache
def robot_of(kind):
    arm = catena.load("ur5").friction({"shoulder_pan_joint": (0.5, 1.0)}).payload(1.5, com=(0, 0.02, 0.05))
    return {"plain": lambda: arm, "coupled": lambda: catena.load(hand()), "free": arm.on_free_base, "passive": lambda: arm.passive("elbow_joint"),
            "loop": lambda: catena.load("fourbar_press"), "ship": arm.on_moving_base}[kind]()


def state_of(robot, job, *shape, seed=1):
    """Arrays for a job, away from where friction changes its sign."""
    dice = np.random.default_rng(seed)
    q = robot.random_state(*shape, seed=seed)[0]
    return [q if name == "q" else dice.uniform(0.3, 1, (*shape, size)) for name, size in robot._inputs(job)]


def directions(given, seed=2):
    dice = np.random.default_rng(seed)
    return [dice.uniform(-1, 1, np.shape(x)) for x in given]


def row(result):
    """All results of a job in a row, for each state."""
    return list(result) if isinstance(result, tuple) else [result]


def evaluated(robot, job, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [np.asarray(x) for x in row(robot.evaluate(job, *given))]


def difference(function, given, along, step=1e-6):
    """Of all results along a direction: central."""
    ends = [function([x + h * v for x, v in zip(given, along)]) for h in (step, -step)]
    return [(after - before) / (2 * step) for after, before in zip(*ends)]


def near(found, expected, tolerance, beside=()):
    """To this share of the largest entry, also of what stands beside: differences of results have the rounding of these."""
    scale = max(float(np.abs(np.asarray(x)).max(initial=1e-9)) for x in (*expected, *beside))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * scale)


def has_derivatives(kind, job):
    """Curvature through closed loops, itself of second derivatives, has none."""
    return not (kind == "loop" and job in ("curvature", "response_curvature"))
