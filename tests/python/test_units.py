"""Degrees where radians are meant: a warning of its own class, for every shape of positions."""

import warnings

import numpy as np
import pytest

import catena

DEGREES = [0.0, -90.0, 90.0, 0.0, 0.0, 0.0]


@pytest.fixture(scope="module")
def robot():
    return catena.load("ur5")


@pytest.mark.parametrize("q", [DEGREES, np.array(DEGREES), np.array([np.zeros(6), DEGREES]), np.array(DEGREES, np.float32),
                               np.array([[DEGREES] * 3]).transpose(1, 0, 2), np.array([np.zeros(6)] * 500 + [DEGREES])[::-1]])
def test_degrees_are_asked_about(robot, q):
    with pytest.warns(catena.UnitsWarning, match="shoulder_lift_joint.*-90 rad.*degrees"):
        robot.inertia_matrix(q)
    with pytest.warns(catena.UnitsWarning):
        robot.inverse_dynamics(q, np.zeros_like(q), np.zeros_like(q))


def test_radians_are_not(robot):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.inertia_matrix(np.deg2rad(DEGREES))
        robot.inertia_matrix(np.full((4, 6), 6.2))
        catena.load("planar2r").inertia_matrix([90.0, 45.0])  # without limits nobody knows
        robot.simulate(0.01, q=np.deg2rad(DEGREES))


def test_it_can_be_an_error(robot):
    with warnings.catch_warnings():
        warnings.simplefilter("error", catena.UnitsWarning)
        with pytest.raises(catena.UnitsWarning):
            robot.inertia_matrix(DEGREES)
        with pytest.raises(catena.UnitsWarning):
            robot.inertia_matrix(np.array(DEGREES))
        with pytest.raises(catena.UnitsWarning):
            robot.simulate(0.01, q=DEGREES)
        with pytest.raises(catena.UnitsWarning):
            robot.on_free_base().gravity([0, 0, 0, 0, 0, 0, 1, *DEGREES])


def test_a_run_along_a_motion_starts_on_it(robot):
    motion = robot.trajectory([[0.5, -1, 1, 0, 0, 0], [1, -1, 1, 0, 0, 0]], [0, 0.2])
    run = robot.simulate(0.2, torque="computed", trajectory=motion)
    np.testing.assert_array_equal(run.q[0], [0.5, -1, 1, 0, 0, 0])
    assert np.abs(run.q[-1] - [1, -1, 1, 0, 0, 0]).max() < 1e-4
    elsewhere = robot.simulate(0.2, q=np.zeros(6), torque="computed", trajectory=motion)
    np.testing.assert_array_equal(elsewhere.q[0], np.zeros(6))


def test_tool_is_a_frame(robot):
    q = [0, -1, 1, 0, 0, 0]
    np.testing.assert_array_equal(robot.pose(q, frame="tool"), robot.pose(q))
    zeros = np.zeros(6)
    np.testing.assert_array_equal(robot.inverse_dynamics(q, zeros, zeros, wrenches={"tool": (0, 0, 1, 0, 0, 0)}),
                                  robot.inverse_dynamics(q, zeros, zeros, wrenches={"tool0": (0, 0, 1, 0, 0, 0)}))
