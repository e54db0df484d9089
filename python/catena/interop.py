"""Conversion of robots from and to other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._mujoco import mjcf_of
from ._builder import Builder
from ._robot import Robot, load
from ._to_pinocchio import AXES, PASSIVE, TOOL, to_pinocchio

if TYPE_CHECKING:
    import mujoco
    import pinocchio


def _pin_joint(name: str, joint: Any) -> tuple[str, tuple[float, ...]]:
    """Type and axis of a Pinocchio joint with one degree of freedom."""
    kind = joint.shortname()
    for prefix, type in (("JointModelRUB", "revolute"), ("JointModelR", "revolute"), ("JointModelP", "prismatic")):
        if kind.startswith(prefix) and kind[len(prefix):] in AXES:
            return type, AXES[kind[len(prefix):]]
    unaligned = {"JointModelRevoluteUnaligned": "revolute", "JointModelRevoluteUnboundedUnaligned": "revolute",
                 "JointModelPrismaticUnaligned": "prismatic"}
    if kind in unaligned:
        return unaligned[kind], tuple(joint.extract().axis if hasattr(joint, "extract") else joint.axis)
    raise ValueError(f"joint '{name}' is a {kind}; joints that turn or slide about one axis are taken, and no others")


def from_pinocchio(model: "pinocchio.Model", name: str | None = None) -> Robot:
    """The robot of a Pinocchio model: joints, inertias, frames, limits, armature, friction and damping.

    Joints must turn about or slide along one axis; the first may be a free flyer. Where Pinocchio uses cos q, sin q for
    a joint without limits (RUBZ, …), Catena uses the angle. Tool and passive joints are those of to_pinocchio(), which
    says them by frames "catena:tool:…" and "catena:passive:…"; of other models the tool is the last link. pin.rnea leaves friction and damping out; inverse_dynamics
    does not.
    """
    import pinocchio as pin

    bodies: dict[int, str] = {}
    frames = []
    tool, passive = "", set()
    for frame in model.frames:
        if frame.name.startswith(TOOL):
            tool = frame.name.removeprefix(TOOL)
            continue
        if frame.name.startswith(PASSIVE):
            passive.add(frame.name.removeprefix(PASSIVE))
            continue
        parent = frame.parentJoint if hasattr(frame, "parentJoint") else frame.parent
        if frame.type == pin.FrameType.BODY and parent not in bodies and frame.placement.isIdentity(0.0):
            bodies[parent] = frame.name
        elif frame.type not in (pin.FrameType.JOINT, pin.FrameType.FIXED_JOINT):
            frames.append((frame.name, parent, frame.placement.homogeneous))
    taken = set(bodies.values())

    def link(joint: int) -> str:
        return bodies.setdefault(joint, "universe" if joint == 0 else f"{model.names[joint]}_link")

    free = model.njoints > 1 and model.joints[1].shortname() == "JointModelFreeFlyer"
    if free and not model.jointPlacements[1].isIdentity(0.0):
        raise ValueError(f"joint '{model.names[1]}' is a free flyer that does not stand at the origin")
    base = 1 if free else 0
    builder = Builder(name or model.name or "robot", model.gravity.linear, tool)
    for k in range(base, model.njoints):
        body = model.inertias[k]
        inertia = np.nan_to_num(body.inertia)  # may be NaN for a body without mass
        builder.link(link(k), body.mass, body.lever if body.mass > 0.0 else (0, 0, 0), inertia)
    for k in range(base + 1, model.njoints):
        joint = model.joints[k]
        type, axis = _pin_joint(model.names[k], joint)
        v = joint.idx_v
        bounded = joint.nq == 1
        builder.joint(
            model.names[k], type, link(model.parents[k]), link(k), model.jointPlacements[k].homogeneous, axis,
            lower=float(model.lowerPositionLimit[joint.idx_q]) if bounded else -np.inf,
            upper=float(model.upperPositionLimit[joint.idx_q]) if bounded else np.inf,
            velocity=float(_upper(model, "upperVelocityLimit", "velocityLimit")[v]),
            effort=float(_upper(model, "upperEffortLimit", "effortLimit")[v]),
            viscous=float(model.damping[v]),
            coulomb=float(_upper(model, "upperDryFrictionLimit", "friction")[v]), rotor_inertia=float(model.armature[v]),
            passive=model.names[k] in passive)
    for frame_name, parent, pose in frames:
        if frame_name not in taken and frame_name != link(0) and parent >= base:
            taken.add(frame_name)
            builder.frame(frame_name, link(parent), pose)
    robot = builder.robot()
    return robot.on_free_base(model.names[1], link(0)) if free else robot


def from_mujoco(model: "mujoco.MjModel", *, strict: bool = False, lenient: bool = False) -> Robot:
    """The robot of a compiled MuJoCo model, with the numbers that it holds now: bodies, joints, inertias, sites, gravity,
    limits, armature, damping and friction, couplings of joints, and loops that connect and weld close.

    q is as for an MJCF file: of a free base position and quaternion (x, y, z, w), of a ball joint three angles. What would
    change the dynamics and is not understood raises a ModelError that names it; lenient: it is left out, with a warning.
    """
    return load(mjcf_of(model), strict=strict, lenient=lenient)


def _upper(model: Any, *names: str) -> Any:
    """A field whose name differs between versions."""
    return next(getattr(model, name) for name in names if hasattr(model, name))


def _turned(angle: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return pose


def _shifted(x: float, y: float, z: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def _tilted(angle: float) -> np.ndarray:
    pose = np.eye(4)
    pose[1:3, 1:3] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return pose


def from_roboticstoolbox(arm: Any, friction: str = "exact") -> Robot:
    """The robot of a DHRobot of the Robotics Toolbox: rows, masses, limits, motors and friction; or of one of its robots from
    URDF, by that text and its gravity.

    A Catena model has one number for Coulomb friction. friction: "exact" rejects friction that differs by direction,
    "mean" takes the mean of both directions, "none" leaves all friction out.
    """
    if friction not in ("exact", "mean", "none"):
        raise ValueError(f"friction is 'exact', 'mean' or 'none', not '{friction}'")
    gravity = np.asarray(arm.gravity, float).ravel()
    if not hasattr(arm, "mdh"):
        text = getattr(arm, "urdf_string", None)
        if not text:
            raise ValueError(f"robot '{arm.name}' has neither Denavit-Hartenberg rows nor a URDF text; others are not taken")
        return load(text).with_gravity(gravity)
    builder = Builder(arm.name or "robot", gravity, "tool").link("base")
    parent, before = "base", np.asarray(arm.base.A, float)
    for k, row in enumerate(arm.links, 1):
        name = f"link{k}"
        if getattr(row, "isflip", False) or getattr(row, "flip", False):
            raise ValueError(f"link {k} is flipped: its joint turns backwards, which is not taken")
        turn, slide = (row.offset, row.d) if row.isrevolute else (row.theta, row.offset)
        along = _turned(turn) @ _shifted(0.0, 0.0, slide)
        twist = _tilted(row.alpha) @ _shifted(row.a, 0.0, 0.0)
        ratio = abs(float(row.G)) if row.G else 0.0
        plus, minus = (float(x) for x in np.broadcast_to(row.Tc, (2,)))
        if ratio and plus != -minus and friction == "exact":
            raise ValueError(f"link {k} has Coulomb friction {plus:g} one way and {minus:g} the other; "
                             "friction='mean' takes the mean of both, friction='none' leaves it out")
        keeps = 0.0 if friction == "none" else 1.0
        lower, upper = (-np.inf, np.inf) if row.qlim is None else (float(x) for x in row.qlim)
        mass = float(row.m)
        builder.link(name, mass, row.r if mass else (0, 0, 0), np.asarray(row.I, float))
        builder.joint(f"joint{k}", "revolute" if row.isrevolute else "prismatic", parent, name,
                      before @ twist if arm.mdh else before, (0, 0, 1), lower=lower, upper=upper,
                      child_frame=along if arm.mdh else along @ twist, viscous=keeps * float(row.B) * ratio**2,
                      coulomb=keeps * 0.5 * (plus - minus) * ratio, rotor_inertia=float(row.Jm) if ratio else 0.0, gear_ratio=ratio or 1.0)
        parent, before = name, np.eye(4)
    return builder.frame("tool", parent, np.asarray(arm.tool.A, float)).robot()


__all__ = ["from_mujoco", "from_pinocchio", "from_roboticstoolbox", "to_pinocchio"]
