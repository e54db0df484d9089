"""Robots with closed loops: positions of all joints, the forces of loops, batches, pickles, other libraries."""

import copy
import pickle

import numpy as np
import pytest

import catena
from catena.adapters import Flat

# The four-bar press: crank, coupler, rocker and ground, m.
A, B, R, G = 0.1, 0.36, 0.25, 0.4
GRAVITY = -9.81j


def turned(angle):
    return np.exp(1j * angle)


def cross(a, b):
    return (np.conj(a) * b).imag


def both(first, second, target):
    """x, y with first x + second y = target, all complex."""
    matrix = np.array([[first.real, second.real], [first.imag, second.imag]])
    return np.linalg.solve(matrix, [target.real, target.imag])


def linkage(q):
    """Angles of coupler and rocker from the x axis."""
    gap = G - A * turned(q)
    coupler = np.angle(gap) + np.arccos((B**2 + abs(gap) ** 2 - R**2) / (2 * B * abs(gap)))
    return coupler, np.angle(B * turned(coupler) - gap)


def press_forces(q, qd, qdd):
    """The crank's torque, and the force of the coupler on the rocker along the coupler's axes: link by link."""
    c, r = linkage(q)
    crank, coupler, rocker = A * turned(q), B * turned(c), R * turned(r)
    cd, rd = both(1j * coupler, -1j * rocker, -1j * crank * qd)
    cdd, rdd = both(1j * coupler, -1j * rocker, -1j * crank * qdd + crank * qd**2 + coupler * cd**2 - rocker * rd**2)
    hinge = (1j * qdd - qd**2) * crank  # acceleration of the crank's pin
    middle = 0.18 * turned(c)
    to_rocker = 4.5 * cross((0.14 - 0.01j) * turned(r), GRAVITY)
    to_coupler = 3.0 * cross(middle, GRAVITY - hinge)
    bend = 0.01 * (cd - qd)  # friction of the coupler's joint
    # rocker x F and coupler x F from the moments about the ground pin and about the crank's pin
    about_ground = (0.029 + 4.5 * (0.14**2 + 0.01**2)) * rdd + 0.02 * rd - to_rocker
    about_pin = to_coupler - bend - (0.0328 + 3.0 * 0.18**2) * cdd
    force = complex(*np.linalg.solve([[-rocker.imag, rocker.real], [-coupler.imag, coupler.real]], [about_ground, about_pin]))
    pin = 3.0 * (hinge + (1j * cdd - cd**2) * middle - GRAVITY) + force
    tau = (0.12 + 12.0 * 0.02**2 + 4e-4 * 15**2) * qdd + 0.05 * qd + 0.2 * np.sign(qd) - 12.0 * cross(0.02 * turned(q), GRAVITY)
    return tau + cross(crank, pin) - bend, force * turned(-c)


@pytest.fixture(scope="module")
def press():
    return catena.load("fourbar_press")


@pytest.fixture(scope="module", params=["fourbar_press", "delta", "gripper", "palletizer", "stewart"])
def closed(request):
    return catena.load(request.param)


def test_the_press_by_hand(press):
    dice = np.random.default_rng(3)
    assert press.nq == press.nv == 1 and press.joint_names == ["crank"]
    assert press.tree_joint_names == ["crank", "coupler", "rocker"]
    for q, qd, qdd in dice.uniform(-3, 3, (20, 3)):
        coupler, rocker = linkage(q)
        found = press.place([q])
        np.testing.assert_allclose(turned(found), turned(np.array([q, coupler - q, rocker])), atol=1e-12)
        tau, force = press_forces(q, qd, qdd)
        np.testing.assert_allclose(press.inverse_dynamics([q], [qd], [qdd]), [tau], atol=1e-9)
        wrench = press.loop_forces([q], [qd], [qdd])
        np.testing.assert_allclose(wrench, [[force.real, force.imag, 0, 0, 0, 0]], atol=1e-9)


def test_shapes_and_batches(closed):
    about = closed.description
    joints, loops = len(closed.tree_joint_names), len(about["loops"])
    assert sum(joint["dependent"] for joint in about["joints"]) == joints - closed.nv - sum(joint["coupled"] for joint in about["joints"])
    q, qd, qdd = closed.random_state(2, 3, seed=1)
    place, forces = closed.place(q), closed.loop_forces(q, qd, qdd)
    assert place.shape == (2, 3, joints) and forces.shape == (2, 3, loops, 6)
    for k in np.ndindex(2, 3):
        np.testing.assert_allclose(closed.place(q[k]), place[k], atol=1e-9)
        np.testing.assert_allclose(closed.loop_forces(q[k], qd[k], qdd[k]), forces[k], atol=1e-7 * np.abs(forces[k]).max())
    assert closed.place(q[0, :0]).shape == (0, joints)
    assert closed.place(q.astype(np.float32)).dtype == np.float32


def test_loops_are_closed(closed):
    q = closed.random_state(20, seed=2)[0]
    for loop in closed.description["loops"]:
        first, second = (closed.pose(q, frame=frame)[:, :3, 3] for frame in loop["frames"])
        np.testing.assert_allclose(first, second, atol=1e-9)


def test_dynamics_agree(closed):
    q, qd, qdd = closed.random_state(10, seed=3)
    tau = closed.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(closed.forward_dynamics(q, qd, tau), qdd, atol=1e-7)
    M, bias = closed.inertia_matrix(q), closed.bias(q, qd)
    np.testing.assert_allclose(np.einsum("kij,kj->ki", M, qdd) + bias, tau, atol=1e-9 * np.abs(tau).max())
    np.testing.assert_allclose(0.5 * np.einsum("ki,kij,kj->k", qd, M, qd), closed.energy(q, qd).kinetic_energy, rtol=1e-9, atol=1e-12)


def test_where_loops_cannot_close():
    stewart = catena.load("stewart")
    q, qd, qdd = stewart.random_state(4, seed=1)
    expected = stewart.inverse_dynamics(q, qd, qdd)
    q[2, 0] = 5.0
    with pytest.raises(catena.NoResultError, match="cannot close at leg 1 = 5"):
        stewart.place(q[2])
    with pytest.warns(catena.NoResultWarning, match=r"1 of 4 states .* first at \[2\]"):
        tau = stewart.inverse_dynamics(q, qd, qdd)
    assert np.isnan(tau[2]).all()
    np.testing.assert_allclose(tau[[0, 1, 3]], expected[[0, 1, 3]], atol=1e-7)


def test_pickle_and_copy(closed):
    q, qd, qdd = closed.random_state(5, seed=4)
    for other in (pickle.loads(pickle.dumps(closed)), copy.deepcopy(closed), catena.load(closed.to_toml())):
        np.testing.assert_allclose(other.place(q), closed.place(q), atol=1e-9)
        assert other.joint_names == closed.joint_names and other.description["loops"] == closed.description["loops"]


def test_derivatives(press):
    flat = Flat(press, "inverse")
    x = np.array([0.7, 1.5, -2.0])
    step = 1e-6
    by_difference = [(flat(x + step * unit) - flat(x - step * unit)) / (2 * step) for unit in np.eye(3)]
    np.testing.assert_allclose(flat.jac(x), np.transpose(by_difference), atol=1e-5)


def test_simulated(press):
    motion = press.simulate(0.5, [0.3], [4.0])
    assert abs(motion.balance) < 1e-5
    np.testing.assert_allclose(press.place(motion.q).shape, (len(motion.t), 3))


def test_compiled(press):
    q, qd, qdd = press.random_state(3, seed=5)
    function = press.compile("inverse", search=False, fallback=True)
    for k in range(3):
        np.testing.assert_allclose(function(q[k], qd[k], qdd[k]), press.inverse_dynamics(q[k], qd[k], qdd[k]), atol=1e-9)


def test_built_in_code():
    b = catena.Builder("linkage", gravity=(0, -9.81, 0)).link("ground")
    for name, mass, length in (("crank", 1.0, A), ("coupler", 2.0, B), ("rocker", 1.5, R)):
        b.link(name, mass, (length / 2, 0, 0), (0, 0.01, 0.01, 0, 0, 0))
    at = lambda x: np.eye(4) + x * np.outer(np.eye(4)[0], np.eye(4)[3])  # noqa: E731
    b.joint("crank", "revolute", "ground", "crank").joint("coupler", "revolute", "crank", "coupler", at(A))
    b.joint("rocker", "revolute", "ground", "rocker", at(G)).frame("coupler end", "coupler", at(B)).frame("rocker end", "rocker", at(R))
    b.loop("closure", "revolute", "coupler end", "rocker end").closed_near({"coupler": 0.8, "rocker": 1.7}, ["crank"])
    robot = b.robot()
    coupler, rocker = linkage(0.4)
    for one in (robot, pickle.loads(pickle.dumps(robot))):
        np.testing.assert_allclose(one.place([0.4]), [0.4, coupler - 0.4, rocker], atol=1e-9)
    with pytest.raises(ValueError, match="a loop is one of revolute, prismatic, .* not 'knot'"):
        b.loop("second", "knot", "coupler end", "rocker end").robot()


def test_pinocchio(press):
    pytest.importorskip("pinocchio")
    with pytest.raises(ValueError, match="robot 'four-bar press' has closed loops, which a Pinocchio model does not say"):
        press.to_pinocchio()
