"""A base that moves as it is told: lengths, batches, pickles, refusals, and the same arm behind six real joints."""

import pickle

import numpy as np
import pytest

import catena


@pytest.fixture(scope="module")
def robot():
    return catena.load("panda")


@pytest.fixture(scope="module")
def ship(robot):
    return robot.on_moving_base()


def motion(seed, *shape):
    return np.random.default_rng(seed).uniform(-1, 1, (*shape, 12))


def test_at_rest_it_is_the_robot_itself(robot, ship):
    assert ship.has_moving_base and not robot.has_moving_base
    assert (ship.nq, ship.nv, ship.joint_names) == (robot.nq, robot.nv, robot.joint_names)
    q, qd, qdd = robot.random_state(5, seed=1)
    for base in ({}, {"base": np.zeros(12)}):
        np.testing.assert_allclose(ship.inverse_dynamics(q, qd, qdd, **base), robot.inverse_dynamics(q, qd, qdd), atol=1e-11)
        np.testing.assert_allclose(ship.inertia_matrix(q, **base), robot.inertia_matrix(q), atol=1e-12)


def test_the_free_robot_with_that_motion_needs_the_same_torques(robot, ship):
    q, qd, qdd = robot.random_state(6, seed=2)
    told = motion(3, 6)
    free = robot.on_free_base()
    at = np.concatenate([np.tile([0, 0, 0, 0, 0, 0, 1.0], (6, 1)), q], axis=1)
    whole = free.inverse_dynamics(at, np.concatenate([told[:, :6], qd], axis=1), np.concatenate([told[:, 6:], qdd], axis=1))
    tau = ship.inverse_dynamics(q, qd, qdd, base=told)
    np.testing.assert_allclose(tau, whole[:, 6:], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(ship.forward_dynamics(q, qd, tau, base=told), qdd, atol=1e-8)
    assert not np.allclose(tau, robot.inverse_dynamics(q, qd, qdd), atol=1e-3)


@pytest.mark.parametrize("engine", ["generic", "compiled"])
def test_batches_are_single_states(ship, engine):
    q, qd, qdd = ship.random_state(3, 4, seed=4)
    told = motion(5, 3, 4)
    batch = ship.inverse_dynamics(q, qd, qdd, base=told, engine=engine)
    assert batch.shape == (3, 4, 7)
    np.testing.assert_allclose(batch[2, 1], ship.inverse_dynamics(q[2, 1], qd[2, 1], qdd[2, 1], base=told[2, 1]), atol=1e-10)
    one = ship.inverse_dynamics(q, qd, qdd, base=told[0, 0], engine=engine)  # one motion for all states
    np.testing.assert_allclose(one[1, 2], ship.inverse_dynamics(q[1, 2], qd[1, 2], qdd[1, 2], base=told[0, 0]), atol=1e-10)


def test_every_job_takes_it(ship):
    state = dict(zip(("q", "qd", "qdd"), ship.random_state(seed=6)))
    for job in catena.jobs():
        given = [state.get(entry["name"], np.ones(7)) for entry in job["inputs"]]
        results = getattr(ship, job["method_name"])(*given, base=motion(7))
        for value in results if isinstance(results, tuple) else (results,):
            assert np.isfinite(np.asarray(value, dtype=float)).all(), job["name"]


def test_another_robot_keeps_the_base(ship):
    q, qd, qdd = ship.random_state(seed=8)
    told = motion(9)
    again = pickle.loads(pickle.dumps(ship))
    assert (again.inverse_dynamics(q, qd, qdd, base=told) == ship.inverse_dynamics(q, qd, qdd, base=told)).all()
    assert ship.payload(2.0).has_moving_base and ship.with_gravity((0, 0, 0)).has_moving_base


def test_what_cannot_be_is_one_line(robot, ship):
    q, qd, qdd = robot.random_state(seed=10)
    with pytest.raises((ValueError, TypeError), match="base"):
        robot.inverse_dynamics(q, qd, qdd, base=motion(1))
    with pytest.raises(ValueError, match="12"):
        ship.inverse_dynamics(q, qd, qdd, base=np.zeros(6))
    for wrong in (ship, robot.on_free_base()):
        with pytest.raises((ValueError, catena.ModelError), match="base"):
            wrong.on_moving_base()
