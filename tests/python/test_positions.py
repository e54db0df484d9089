"""integrate, difference, interpolate, random, neutral and normalize, for free and fixed bases."""

import numpy as np
import pytest

import catena


@pytest.fixture(scope="module", params=["panda", "free panda"])
def any_base(request):
    robot = catena.load("panda")
    return robot.on_free_base() if request.param == "free panda" else robot


def test_difference_undoes_integrate(any_base):
    q, v, _ = any_base.random_state(30, 4, seed=1)
    step = 1.5 * v  # turns by at most 1.5 √3 rad, less than half a turn
    after = any_base.integrate(q, step)
    assert after.shape == q.shape
    np.testing.assert_allclose(any_base.difference(q, after), step, atol=1e-12)
    np.testing.assert_allclose(any_base.difference(q, q), 0.0, atol=1e-15)


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-9, 1e-4, 0.0999, 0.1001, 1.0, 3.1])
def test_turns_of_any_size(size):
    free = catena.load("panda").on_free_base()
    q, v, _ = free.random_state(20, seed=2)
    v[:, 3:6] *= size / np.linalg.norm(v[:, 3:6], axis=1, keepdims=True)
    np.testing.assert_allclose(free.difference(q, free.integrate(q, v)), v, atol=1e-12)
    halves = free.integrate(free.integrate(q, 0.5 * v), 0.5 * v)  # one constant twist, in two parts
    np.testing.assert_allclose(halves, free.integrate(q, v), atol=1e-13)


def test_is_the_motion_of_its_velocity():
    free = catena.load("panda").on_free_base()
    q, v, _ = free.random_state(seed=3)
    dt = 1e-5
    for frame in ("panda_link0", "panda_link8"):
        moved = (free.pose(free.integrate(q, dt * v), frame=frame) - free.pose(free.integrate(q, -dt * v), frame=frame)) / (2 * dt)
        np.testing.assert_allclose(moved[:3, 3], (free.jacobian(q, frame=frame) @ v)[:3], atol=1e-8)


def test_interpolate(any_base):
    first, last = any_base.random(1), any_base.random(2)
    way = any_base.interpolate(first, last, np.linspace(0, 1, 5))
    assert way.shape == (5, any_base.nq)
    np.testing.assert_allclose(way[0], first, atol=1e-14)
    np.testing.assert_allclose(any_base.difference(way[-1], last), 0.0, atol=1e-12)
    np.testing.assert_allclose(any_base.difference(way[:-1], way[1:]), np.tile(any_base.difference(first, last) / 4, (4, 1)), atol=1e-12)


def test_random_neutral_normalize(any_base):
    q = any_base.random(np.random.default_rng(5), (6, 2))
    assert q.shape == (6, 2, any_base.nq) and (q == any_base.random(5, (6, 2))).all() and any_base.random(5, 3).shape == (3, any_base.nq)
    assert (any_base.neutral() == any_base.home).all()
    long = q.copy()
    if any_base.has_free_base:
        long[..., 3:7] *= 3.0
        with pytest.raises(ValueError, match="has no direction"):
            any_base.normalize(np.zeros(any_base.nq))
    np.testing.assert_allclose(any_base.normalize(long), q, atol=1e-15)
    joints = slice(7, None) if any_base.has_free_base else slice(None)
    limits = any_base.limits
    assert (q[..., joints] >= limits.lower[-7:]).all() and (q[..., joints] <= limits.upper[-7:]).all()


def test_broadcasts_and_names_what_is_wrong(any_base):
    q, v, _ = any_base.random_state(3, 1, seed=6)
    assert any_base.integrate(q, v[0]).shape == (3, 1, any_base.nq)
    assert any_base.integrate(any_base.home, np.zeros((4, 5, any_base.nv))).shape == (4, 5, any_base.nq)
    assert any_base.difference(any_base.home, q).shape == (3, 1, any_base.nv)
    with pytest.raises(ValueError, match="v has 3 columns, robot 'Panda' has"):
        any_base.integrate(q, [1, 2, 3])
    with pytest.raises(ValueError, match="q1 has 2 columns"):
        any_base.difference(any_base.home, [1, 2])


def test_loops_close_at_random_positions():
    press = catena.load("fourbar_press")
    assert np.isfinite(press.place(press.random(1, (5,)))).all()


def test_are_pinocchios():
    pin = pytest.importorskip("pinocchio")
    free = catena.load("panda").on_free_base()
    model = free.to_pinocchio()
    q, v, _ = free.random_state(50, seed=7)
    other = free.random(8, (50,))
    ours = free.integrate(q, v), free.difference(q, other), free.interpolate(q, other, np.full(50, 0.3))
    for k in range(50):
        np.testing.assert_allclose(ours[0][k], pin.integrate(model, q[k], v[k]), atol=1e-13)
        np.testing.assert_allclose(ours[1][k], pin.difference(model, q[k], other[k]), atol=1e-10)
        theirs = pin.interpolate(model, q[k], other[k], 0.3)
        np.testing.assert_allclose(free.difference(ours[2][k], theirs), 0.0, atol=1e-12)
    np.testing.assert_allclose(free.neutral(), pin.neutral(model))
