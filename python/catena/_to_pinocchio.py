"""Conversion of a robot to Pinocchio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._described import DescribedRobot

if TYPE_CHECKING:
    import pinocchio

# Frames that say what a Pinocchio model has no words for: their names go on with that of the tool or of a passive joint.
TOOL, PASSIVE = "catena:tool:", "catena:passive:"
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def to_pinocchio(robot: DescribedRobot) -> "pinocchio.Model":
    """A Pinocchio model with the same joints, in order unless a child precedes its parent; rotors as armature."""
    import pinocchio as pin

    about = robot.description
    if about["loops"]:
        raise ValueError(f"robot '{about['name']}' has closed loops, which a Pinocchio model does not say")
    model = pin.Model()
    model.name = about["name"]
    model.gravity.linear = np.asarray(about["gravity"])
    masses = {entry["name"]: entry for entry in about["links"]}
    place = {about["base"]: (0, pin.SE3.Identity())}
    pending = list(about["joints"])
    if robot.has_free_base:  # its first six joints become one
        first, last, pending = pending[0], pending[5], pending[6:]
        index = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3(np.asarray(first["origin"])), first["name"].removesuffix("_x"))
        model.addJointFrame(index, -1)
        place[last["child"]] = (index, pin.SE3(np.asarray(last["child_frame"])))
    while pending:
        joint = next(entry for entry in pending if entry["parent"] in place)
        pending.remove(joint)
        parent, before = place[joint["parent"]]
        origin = before * pin.SE3(np.asarray(joint["origin"]))
        after = pin.SE3(np.asarray(joint["child_frame"]))
        if joint["coupled"]:
            raise ValueError(f"joint '{joint['name']}' is coupled to others, which a Pinocchio model does not say")
        if joint["elastic"][0]:
            raise ValueError(f"joint '{joint['name']}' is elastic, which a Pinocchio model does not say; stiff() is without")
        if joint["type"] != "fixed" and joint["spring"][0]:
            raise ValueError(f"joint '{joint['name']}' has a spring, which a Pinocchio model does not say")
        if joint["type"] != "fixed" and (joint["torque_offset"] or joint["stribeck"][0]):
            what = "a torque offset" if joint["torque_offset"] else "Stribeck friction"
            raise ValueError(f"joint '{joint['name']}' has {what}, which a Pinocchio model does not say")
        if joint["type"] == "fixed":
            place[joint["child"]] = (parent, origin * after)
            continue
        place[joint["child"]] = (_add_joint(pin, model, parent, joint, origin), after)
    for name, (joint, pose) in place.items():
        _add_body(pin, model, masses[name], joint, pose)
    for frame in about["frames"]:
        joint, pose = place[frame["link"]]
        model.addFrame(pin.Frame(frame["name"], joint, pose * pin.SE3(np.asarray(frame["pose"])), pin.FrameType.OP_FRAME))
    tool = model.frames[model.getFrameId(about["tool"])]
    model.addFrame(pin.Frame(TOOL + about["tool"], tool.parentJoint, tool.placement, pin.FrameType.OP_FRAME))
    for joint in about["joints"]:
        if joint["passive"] and model.existJointName(joint["name"]):  # not the six of a free base
            model.addFrame(pin.Frame(PASSIVE + joint["name"], model.getJointId(joint["name"]), pin.SE3.Identity(), pin.FrameType.OP_FRAME))
    return model


def _add_joint(pin: Any, model: Any, parent: int, joint: dict[str, Any], origin: Any) -> int:
    axis = np.asarray(joint["axis"])
    aligned = next((name for name, unit in AXES.items() if np.array_equal(axis, unit)), None)
    letter = "R" if joint["type"] == "revolute" else "P"
    kind = getattr(pin, f"JointModel{letter}{aligned}")() if aligned else \
        (pin.JointModelRevoluteUnaligned(axis) if letter == "R" else pin.JointModelPrismaticUnaligned(axis))
    lower, upper, velocity, effort = (np.array([x]) for x in joint["limits"])
    index = model.addJoint(parent, kind, origin, joint["name"], effort, velocity, lower, upper)
    viscous, coulomb, rotor, ratio = joint["drive"]
    v = model.joints[index].idx_v
    model.armature[v], model.damping[v] = rotor * ratio**2, viscous
    for name in ("upperDryFrictionLimit", "friction"):
        if hasattr(model, name):
            getattr(model, name)[v] = coulomb
            break
    model.addJointFrame(index, -1)
    return index


def _add_body(pin: Any, model: Any, link: dict[str, Any], joint: int, pose: Any) -> None:
    xx, yy, zz, xy, xz, yz = link["inertia"]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    model.appendBodyToJoint(joint, pin.Inertia(link["mass"], np.asarray(link["com"]), inertia), pose)
    model.addFrame(pin.Frame(link["name"], joint, pose, pin.FrameType.BODY))
