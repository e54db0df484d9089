"""Robots of one structure with parameters of their own, and wrenches, on every engine."""

import pickle
import warnings

import numpy as np
import pytest

import catena

KINDS = ["ur5", "panda", "gripper", "pelican_crucible", "palletizer", "tree", "free", "moving"]


def robot_of(kind):
    if kind == "free":
        return catena.load("ur5").on_free_base()
    if kind == "moving":
        return catena.load("ur5").on_moving_base()
    if kind == "tree":
        left, right = catena.load("planar2r"), catena.load("planar2r")
        return catena.join(left, right, frame=left.description["links"][0]["name"], prefix="right_")
    return catena.load(kind)


def other_parameters(robot, shape, seed=0):
    """Bodies that can be: every link stretched and weighed anew; friction and the like times a number."""
    dice = np.random.default_rng(seed)
    theta = np.broadcast_to(list(robot.parameters().values()), (*shape, len(robot.parameters()))).copy()
    rows = theta.reshape(*shape, -1, 16)
    weight, stretch = dice.uniform(0.5, 2.0, (2, *rows.shape[:-1]))
    rows[..., 0] *= weight
    rows[..., 1:4] *= (weight * stretch)[..., None]
    rows[..., 4:10] *= (weight * stretch**2)[..., None]
    rows[..., 10:14] *= dice.uniform(0.5, 2.0, rows[..., 10:14].shape)
    return theta


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("job", ["inverse_dynamics", "forward_dynamics", "inertia_matrix", "energy", "linearize"])
def test_each_robot_as_if_made_alone(kind, job):
    robot = robot_of(kind)
    robots = robot.with_parameters(other_parameters(robot, (5,)))
    q, qd, qdd = robot.random_state(5, seed=2)
    given = {"q": q, "qd": qd, "qdd": qdd, "tau": qdd}
    taken = [given[name] for name, _ in robot._inputs(job) if name in given]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", catena.EngineWarning)  # closed loops have no code of this kind
        warnings.simplefilter("ignore", catena.UnitsWarning)
        found = robots.evaluate(job, *taken)
        for k in range(5):
            expected = robots[k].evaluate(job, *(array[k] for array in taken))
            for one, whole in zip(expected if isinstance(expected, tuple) else [expected],
                                  found if isinstance(found, tuple) else [found]):
                np.testing.assert_allclose(whole[k], one, rtol=1e-9, atol=1e-9 * max(1, np.abs(one).max()))


def test_what_varies_does_vary():
    robot = catena.load("ur5")
    q, qd, qdd = robot.random_state(seed=1)
    robots = robot.with_parameters(other_parameters(robot, (6,)))
    tau = robots.inverse_dynamics(q, qd, qdd)
    assert tau.shape == (6, 6) and np.ptp(tau, axis=0).max() > 1
    assert robots.engine_of("inverse_dynamics").engine == "compiled" and robots.engine_of("inverse_dynamics").lanes > 1
    theta = np.asarray(robots.theta)
    np.testing.assert_allclose(tau, np.einsum("ij,kj->ki", robot.regressor(q, qd, qdd), theta), atol=1e-9)


def test_shapes_are_broadcast():
    robot = catena.load("panda")
    theta = other_parameters(robot, (3, 4))
    robots = robot.with_parameters(theta)
    assert robots.shape == (3, 4) and len(robots) == 3 and robots[1].shape == (4,)
    q, qd, qdd = robot.random_state(5, 1, 1, seed=4)
    tau = robots.inverse_dynamics(q, qd, qdd)
    assert tau.shape == (5, 3, 4, 7)
    np.testing.assert_allclose(tau[2, 1, 3], robots[1, 3].inverse_dynamics(q[2, 0, 0], qd[2, 0, 0], qdd[2, 0, 0]), atol=1e-9)
    single = robots.inverse_dynamics(*(array.astype(np.float32) for array in (q, qd, qdd)))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, tau, atol=2e-3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(robots)).inverse_dynamics(q, qd, qdd), tau)
    out = np.empty_like(tau)
    assert robots.inverse_dynamics(q, qd, qdd, out=out) is out


def test_by_name():
    robot = catena.load("ur5")
    heavier = robot.with_parameters({"m6": 5.0})
    assert heavier.parameters()["m6"] == 5.0 and heavier.parameters()["m5"] == robot.parameters()["m5"]
    with pytest.raises(ValueError, match="has no parameter 'm7'; it has m1, "):
        robot.with_parameters({"m7": 1.0})


def test_what_cannot_be_is_said():
    robot = catena.load("ur5")
    theta = other_parameters(robot, (4,))
    with pytest.raises(ValueError, match=r"theta has the shape \(4, 95\); robot '.*' has 96 parameters"):
        robot.with_parameters(theta[:, 1:])
    for parameter, value, words in [("m2", -1.0, "m2 is -1: a mass must not be negative"),
                                    ("fv3", 0.2, "fv3 is 0.2: the model has no such force at joint"),
                                    ("Jxx1", np.nan, "Jxx1 is nan")]:
        wrong = theta.copy()
        wrong[2, list(robot.parameters()).index(parameter)] = value
        with pytest.raises(ValueError, match="robot 2: " + words):
            robot.with_parameters(wrong)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ["generic", "compiled"])
@pytest.mark.parametrize("job", ["inverse_dynamics", "forward_dynamics", "linearize"])
def test_wrenches_on_every_engine(kind, engine, job):
    robot = robot_of(kind)
    q, qd, qdd = robot.random_state(20, seed=2)
    dice = np.random.default_rng(5)
    links = [link["name"] for link in robot.description["links"]]
    wrenches = [catena.Wrench(links[-1], dice.uniform(-5, 5, (20, 6))), catena.Wrench(links[1], dice.uniform(-5, 5, 6), "world")]
    given = {"q": q, "qd": qd, "qdd": qdd, "tau": qdd}
    taken = [given[name] for name, _ in robot._inputs(job) if name in given]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", catena.EngineWarning)
        warnings.simplefilter("ignore", catena.UnitsWarning)
        found = robot.evaluate(job, *taken, wrenches=wrenches, engine=engine)
        for k in (0, 7, 19):
            alone = [catena.Wrench(wrenches[0].frame, wrenches[0].values[k]), wrenches[1]]
            expected = robot.evaluate(job, *(array[k] for array in taken), wrenches=alone)
            for one, whole in zip(expected if isinstance(expected, tuple) else [expected],
                                  found if isinstance(found, tuple) else [found]):
                np.testing.assert_allclose(whole[k], one, rtol=1e-9, atol=1e-9 * max(1, np.abs(one).max()))


def test_wrenches_run_in_lanes():
    robot = catena.load("ur5")
    q, qd, qdd = robot.random_state(300, seed=1)
    wrench = {"tool0": np.random.default_rng(1).uniform(-5, 5, (300, 6))}
    with warnings.catch_warnings():
        warnings.simplefilter("error", catena.EngineWarning)
        compiled = robot.inverse_dynamics(q, qd, qdd, wrenches=wrench, engine="compiled")
    np.testing.assert_allclose(compiled, robot.inverse_dynamics(q, qd, qdd, wrenches=wrench), atol=1e-10)
    np.testing.assert_allclose(compiled, robot.inverse_dynamics(q, qd, qdd)
                               - np.einsum("kij,ki->kj", frame_jacobian(robot, q), wrench["tool0"]), atol=1e-9)


def frame_jacobian(robot, q):
    """Rows of forces and moments along the axes of the tool."""
    turn = robot.pose(q)[..., :3, :3].swapaxes(-1, -2)
    jacobian = robot.jacobian(q)
    return np.concatenate([turn @ jacobian[..., :3, :], turn @ jacobian[..., 3:, :]], axis=-2)
