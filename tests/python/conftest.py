"""What the tests share. They test the installed package: pip install . comes first (tools/check_python.py)."""

import os
import random
import signal
import tempfile
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import configuration, settings

import catena

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that is not interactive ignores it in what runs in the background
NOTES = tempfile.TemporaryDirectory()  # of Hypothesis, until the tests end
configuration.set_hypothesis_home_dir(NOTES.name)
settings.register_profile("repository", database=None, derandomize=True)  # the same examples every time, and no files
settings.load_profile("repository")

collect_ignore = [] if find_spec("torch") else ["test_torch.py"]


def pytest_report_header():
    return "PyTorch is not installed here: `make nightly` runs test_torch.py" if collect_ignore else ""


def pytest_collection_modifyitems(config, items):
    """Of a product (every job over every kind of robot) a sample in which every job and every kind is. All of it runs where
    CATENA_NIGHTLY is in the environment, and where tests are named."""
    if "CATENA_NIGHTLY" in os.environ or config.option.keyword or any("::" in name for name in config.args):
        return
    seen, kept = set(), set()
    for item in random.Random(1).sample(items, len(items)):
        values = item.callspec.params.items() if hasattr(item, "callspec") else [()]
        new = {(item.path, item.originalname, *map(repr, value)) for value in values}
        if not new <= seen:
            seen |= new
            kept.add(item)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


@pytest.fixture(scope="session", params=["panda", "ur5", "stanford"])
def robot(request):
    return catena.load(request.param)


@pytest.fixture(scope="session")
def panda():
    return catena.load("panda")


@pytest.fixture
def state(robot):
    return robot.random_state(seed=4)


def arguments(robot, job, *shape, seed=0):
    """States for any job, by its description."""
    dice = np.random.default_rng(seed)
    return [dice.uniform(-1.5, 1.5, (*shape, robot.nq if entry["shape"] == ("nq",) else robot.nv)) for entry in job["inputs"]]


@pytest.fixture(scope="session", params=catena.jobs(), ids=lambda job: job["name"])
def job(request):
    return request.param


FOLLOWS = """<robot name="follows"><link name="base"/>
  <link name="a"><inertial><origin xyz="0.2 0 0.1"/><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><origin xyz="0.1 0.05 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="c"><inertial><origin xyz="0 0 0.2"/><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="first" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
  <joint name="second" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>
    <mimic joint="first" multiplier="-0.5" offset="0.1"/></joint>
  <joint name="third" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0.3 0 0"/><axis xyz="1 0 0"/></joint></robot>"""


def tree():
    """A body with two arms."""
    b = catena.Builder("tree").link("base").link("body", 3.0, (0, 0, 0.1), (0.1, 0.1, 0.05, 0, 0, 0))
    b.joint("turn", "revolute", "base", "body", axis=(0, 0, 1))
    for side, y in (("left", 0.2), ("right", -0.2)):
        b.link(f"{side}_upper", 1.0, (0.1, 0, 0), (0.01, 0.02, 0.02, 0, 0, 0)).link(f"{side}_slide", 0.4, (0.05, 0, 0), (0.002, 0.003, 0.003, 0, 0, 0))
        b.joint(f"{side}_shoulder", "revolute", "body", f"{side}_upper", axis=(0, 1, 0), origin=[[1, 0, 0, 0], [0, 1, 0, y], [0, 0, 1, 0.3], [0, 0, 0, 1]])
        b.joint(f"{side}_reach", "prismatic", f"{side}_upper", f"{side}_slide", axis=(1, 0, 0))
    return catena.load(b)


KINDS = {  # one robot of each kind
    "plain": lambda: catena.load("ur5"),
    "friction": lambda: catena.load("stanford").friction({"joint1": (0.8, 0.5), "joint3": (3.0,)}),
    "tree": tree,
    "passive": lambda: catena.load("pelican_crucible"),
    "free": lambda: catena.load("ur5").on_free_base(),
    "moving": lambda: catena.load("ur5").on_moving_base(),
    "coupled": lambda: catena.load(FOLLOWS),
    "loop": lambda: catena.load("five_bar"),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param, KINDS[request.param]()
