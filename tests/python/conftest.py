"""What the tests share. They test the installed package: pip install . comes first (tools/check_python.py)."""

import tempfile

import numpy as np
import pytest
from hypothesis import configuration, settings

import catena

NOTES = tempfile.TemporaryDirectory()  # of Hypothesis, until the tests end
configuration.set_hypothesis_home_dir(NOTES.name)
settings.register_profile("repository", database=None, derandomize=True)  # the same examples every time, and no files
settings.load_profile("repository")


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
