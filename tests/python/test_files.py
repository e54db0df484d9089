"""Robots out of files and out of other programs' models: xacro, MuJoCo's compiled models; robots written to files."""

import copy
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import catena

TESTS = Path(__file__).resolve().parents[1]
MJCF = sorted((TESTS / "data" / "mjcf").glob("*.xml"))
CRANE = TESTS / "data" / "xacro" / "crane_description" / "urdf" / "crane.urdf.xacro"


def test_save(panda, tmp_path):
    q = np.linspace(0.1, 0.7, 7)
    for path, options in (("p.toml", {}), ("p.urdf", {}), ("p.robot", {"format": "urdf"}), ("q.robot", {"format": "toml"})):
        panda.save(tmp_path / path, **options)
        np.testing.assert_allclose(catena.load(tmp_path / path).gravity(q), panda.gravity(q), atol=1e-11)
    with pytest.raises(FileExistsError, match="p.toml exists; force=True replaces it"):
        panda.save(tmp_path / "p.toml")
    catena.load("ur5").save(tmp_path / "p.toml", force=True)
    assert catena.load(tmp_path / "p.toml").nv == 6
    with pytest.raises(catena.ModelError, match=r"the ending must be .*\.toml"):
        panda.save(tmp_path / "p.robots")
    with pytest.raises(catena.ModelError, match="'stl' is not a format that Catena writes; known: .*toml"):
        panda.save(tmp_path / "r.toml", format="stl")
    assert not (tmp_path / "p.robots").exists() and not (tmp_path / "r.toml").exists()
    with pytest.raises(OSError, match="cannot be written"):
        panda.save(tmp_path / "no" / "p.toml")


# --- xacro ---


def test_xacro(tmp_path):
    pytest.importorskip("xacro")
    robot = catena.load(CRANE, xacro={"rods": 3, "arm": "long"})
    assert robot.joint_names == ["hinge1", "hinge2", "hinge3"]
    again = pickle.loads(pickle.dumps(robot))  # what xacro made is in the pickle
    np.testing.assert_array_equal(again.gravity(np.ones(3)), robot.gravity(np.ones(3)))
    clamped = catena.load(str(CRANE), xacro={"clamp": True}, package_path=TESTS / "data" / "xacro" / "workspace")
    assert clamped.mass == pytest.approx(4.9) and "clamp" in clamped.frames
    with pytest.raises(catena.ModelError, match="package 'crane_clamp' is in none of the folders"):
        catena.load(CRANE, xacro={"clamp": True}, package_path=[tmp_path])
    with pytest.raises(catena.ModelError, match="crane.urdf.xacro: xacro: The yaml dictionary has no key"):
        catena.load(CRANE, xacro={"arm": "none"})
    with pytest.raises(catena.ModelError, match="an argument for xacro must be NAME:=VALUE"):
        catena.load(CRANE, xacro={"-o": "x"})
    robot = catena.load((MJCF[0].parents[1] / "wild" / "ladle3.urdf").read_text().replace(
        "<link", "<xacro:property xmlns:xacro='http://www.ros.org/wiki/xacro' name='unused' value='1'/><link", 1))
    assert robot.nv == 3


# --- MuJoCo ---


@pytest.fixture(scope="module")
def mujoco():
    return pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def peers(mujoco):
    """The comparison of MJCF files, whose charts are independent of Catena."""
    sys.path.insert(0, str(TESTS / "peers"))
    try:
        import check_mjcf
    finally:
        sys.path.pop(0)
    check_mjcf.np, check_mjcf.mujoco = np, mujoco
    return check_mjcf


def differences(peers, model, robot, count=10):
    """Of M, bias and gravity, from MuJoCo's, relative to the largest entry."""
    mujoco, model = peers.mujoco, copy.copy(model)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT) | int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    chart = peers.Chart(model, robot.joint_names)
    q, v, _ = robot.random_state(count, seed=7)
    if robot.has_free_base:
        bases, q_tree = q[:, :7], np.concatenate([q[:, :3], np.zeros((count, 3)), q[:, 7:]], axis=1)
    else:
        bases, q_tree = [None] * count, q
    ours = {"M": robot.inertia_matrix(q), "b": robot.bias(q, v), "g": robot.gravity(q)}
    worst = 0.0
    for k in range(count):
        theirs, _ = peers.expected(model, chart, q_tree[k], v[k], bases[k])
        worst = max(worst, *(np.abs(ours[x][k] - theirs[x]).max() / max(np.abs(theirs[x]).max(), 1e-3) for x in ours))
    return worst


@pytest.mark.parametrize("file", [file for file in MJCF if "<connect" not in file.read_text()], ids=lambda file: file.stem)
def test_mujoco(peers, mujoco, file):
    model = mujoco.MjModel.from_xml_path(str(file))
    robot, read = catena.from_mujoco(model), catena.load(file)
    assert (robot.name, robot.joint_names, robot.frames) == (read.name, read.joint_names, read.frames)
    np.testing.assert_allclose(robot.limits, read.limits, rtol=1e-12)
    assert differences(peers, model, robot) < 1e-9
    again = pickle.loads(pickle.dumps(catena.load(model)))
    q = robot.random_state(seed=5)[0]
    np.testing.assert_array_equal(again.gravity(q), robot.gravity(q))


@pytest.mark.parametrize("file", [file for file in MJCF if "<connect" in file.read_text()], ids=lambda file: file.stem)
def test_mujocos_loops(mujoco, file):
    robot, read = catena.from_mujoco(mujoco.MjModel.from_xml_path(str(file))), catena.load(file)
    q, v, _ = read.random_state(5, seed=3)
    assert robot.joint_names == read.joint_names and len(robot.description["loops"]) == 1
    np.testing.assert_allclose(robot.inertia_matrix(0.2 * q), read.inertia_matrix(0.2 * q), rtol=1e-9)
    np.testing.assert_allclose(robot.bias(0.2 * q, v), read.bias(0.2 * q, v), rtol=1e-9, atol=1e-9)


ARM = """<mujoco model="arm"><compiler angle="radian"/><worldbody><body><joint name="a" axis="0 1 0" range="-1 2" armature="0.1"
damping="0.2"/><inertial pos="0 0 1" mass="2" diaginertia="1 2 2.5"/><body pos="0 0 1"><joint name="b" axis="1 0 0"/><joint name="c" type="slide"/>
<inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody><actuator><motor joint="a" gear="3"
ctrlrange="-2 2"/></actuator></mujoco>"""


def test_mujoco_as_it_is_now(peers, mujoco):
    """Numbers that were changed after the model was compiled count, and every one that matters is seen."""
    edits = [("body_mass", (2,), 3.0), ("body_inertia", (1, 1), 2.2), ("body_ipos", (2, 1), 0.3), ("body_pos", (2, 0), 0.4),
             ("jnt_pos", (1, 2), 0.2), ("dof_armature", (0,), 0.7), ("dof_damping", (1,), 0.6), ("qpos0", (0,), 0.5)]
    before = catena.from_mujoco(mujoco.MjModel.from_xml_string(ARM))
    assert catena.from_mujoco(mujoco.MjModel.from_xml_string(ARM.replace(' name="b"', "").replace(' name="c"', ""))).joint_names == ["a", "body2_joint1", "body2_joint2"]
    assert (before.limits.lower[0], before.limits.upper[0], before.limits.effort[0]) == (-1.0, 2.0, 6.0)
    for field, place, value in edits:
        model = mujoco.MjModel.from_xml_string(ARM)
        getattr(model, field)[place] = value
        assert differences(peers, model, catena.from_mujoco(model)) < 1e-9, field
        assert differences(peers, model, before) > 1e-6, field
    model = mujoco.MjModel.from_xml_string(ARM)
    model.opt.gravity[:] = 1.0, 2.0, 3.0
    assert differences(peers, model, catena.from_mujoco(model)) < 1e-9


def test_mujoco_refuses_what_it_does_not_understand(mujoco):
    def refused(text, what, edit=lambda model: None):
        model = mujoco.MjModel.from_xml_string(text)
        edit(model)
        with pytest.raises(ValueError, match=what):
            catena.from_mujoco(model)

    refused(ARM.replace("<body pos", "<body gravcomp='1' pos"), "gravcomp")
    refused(ARM.replace("<compiler", "<option density='1.2'/><compiler"), "density: forces of a fluid")
    refused(ARM.replace("<compiler", "<option><flag damper='disable'/></option><compiler"), "damper")
    refused(ARM.replace("<actuator>", "<tendon><fixed stiffness='2'><joint joint='a' coef='1'/></fixed></tendon><actuator>"), "stiffness of a tendon")
    ball = ARM.replace('<joint name="b" axis="1 0 0"/><joint name="c" type="slide"/>', '<joint name="b" type="ball"/>')
    refused(ball, "joint 'b': dof_armature differs between its degrees of freedom", lambda model: model.dof_armature.__setitem__(2, 1.0))
    refused(ball, "joint 'b': the reference of a ball joint", lambda model: model.qpos0.__setitem__(slice(1, 5), (0, 1, 0, 0)))
    assert catena.from_mujoco(mujoco.MjModel.from_xml_string(ARM.replace("<body pos", "<body gravcomp='1' pos")), lenient=True).nv == 3


def test_mujoco_welds_and_couples(mujoco):
    """Anchors are taken from the compiled model, which may have others than its file."""
    text = """<mujoco><worldbody><body name="crank"><joint name="a" axis="0 1 0"/><inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/>
      <body name="rod" pos="0 0 0.2"><joint name="b" axis="0 1 0"/><inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/></body></body>
      <body name="rail" pos="0.3 0 0.2"><joint name="c" type="slide" axis="1 0 0"/><joint name="d" axis="0 1 0"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
      <body name="gear"><joint name="e" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
      <equality><weld name="w" body1="rod" body2="rail"/><joint joint1="e" joint2="a" polycoef="0.1 2 0 0 0"/></equality></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    robot = catena.from_mujoco(model)
    assert robot.nv == 1 and robot.tree_joint_names == ["a", "b", "c", "d", "e"]
    q = robot.place([0.1])
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    rod, rail = model.body("rod").id, model.body("rail").id
    np.testing.assert_allclose(data.xpos[rod] + data.xmat[rod].reshape(3, 3) @ [0.3, 0, 0], data.xpos[rail], atol=1e-9)
    assert q[4] == pytest.approx(0.1 + 2 * q[0])
