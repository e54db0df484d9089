"""The same numbers as the C++ program, to the last bit."""

import os
import subprocess

import numpy as np
import pytest

import catena

PROGRAM = os.environ.get("CATENA_PROGRAM")


@pytest.mark.skipif(not PROGRAM, reason="CATENA_PROGRAM does not name the program")
@pytest.mark.parametrize("name", ["panda", "ur5", "stanford"])
@pytest.mark.parametrize("job, inputs", [("inverse", 3), ("gravity", 1), ("bias", 2), ("inertia", 1), ("forward", 3)])
def test_bits(name, job, inputs, tmp_path):
    robot = catena.load(name)
    arrays = robot.random_state(50, seed=9)[:inputs]
    np.save(tmp_path / "in.npy", np.hstack(arrays))
    subprocess.run([PROGRAM, job, name, "--states", "in.npy", "-o", "out.npy"], cwd=tmp_path, check=True, capture_output=True)
    program = np.load(tmp_path / "out.npy")
    one_by_one = np.stack([np.ravel(robot.evaluate(job, *state)) for state in zip(*arrays)])
    together = np.reshape(robot.evaluate(job, *arrays), one_by_one.shape)
    assert np.array_equal(program, one_by_one) or np.array_equal(program, together)
    np.testing.assert_allclose(together, one_by_one, rtol=1e-11, atol=1e-11)
