"""A free base: names, lengths, defaults, batches, pickles, and Pinocchio's free flyer."""

import pickle

import numpy as np
import pytest

import catena


@pytest.fixture(scope="module")
def free():
    return catena.load("panda").on_free_base()


def test_names_and_lengths(free):
    assert free.has_free_base and not catena.load("panda").has_free_base
    assert free.nq == free.nv + 1 == 14
    assert free.position_names[:7] == [f"floating_base_{x}" for x in ("x", "y", "z", "qx", "qy", "qz", "qw")]
    assert free.position_names[7:] == free.joint_names[6:] == catena.load("panda").joint_names
    assert free.home.tolist() == [0, 0, 0, 0, 0, 0, 1] + [0] * 7
    with pytest.raises(ValueError, match="q has 13 columns, robot 'Panda' has 14 positions"):
        free.gravity(np.zeros((3, 13)))
    with pytest.raises(ValueError, match="has length 0; it must be 1"):
        free.gravity(np.zeros(14))
    with pytest.raises(catena.ModelError, match="free already"):
        free.on_free_base()
    with pytest.raises(ValueError, match="planned for robots on a fixed one"):
        free.trajectory([free.home, free.home], [0, 1])


def test_forward_undoes_inverse_over_batches(free):
    q, qd, qdd = free.random_state(4, 5, seed=1)
    tau = free.inverse_dynamics(q, qd, qdd)
    assert tau.shape == (4, 5, 13)
    np.testing.assert_allclose(free.forward_dynamics(q, qd, tau), qdd, atol=1e-8)
    again = pickle.loads(pickle.dumps(free))
    assert (again.inverse_dynamics(q, qd, qdd) == tau).all()


def test_momentum_stays_in_free_flight(free):
    flying = free.with_gravity((0, 0, 0))
    motion = flying.simulate(2.0, qd=np.linspace(-0.5, 0.5, flying.nv), rtol=1e-12, atol=1e-13)
    h = flying.momentum(motion.q, motion.qd).h
    np.testing.assert_allclose(h[:, :3], np.broadcast_to(h[0, :3], h[:, :3].shape), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(motion.q[:, 3:7], axis=1), 1.0, atol=1e-14)


def test_is_pinocchios_free_flyer(free):
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(catena.load("panda").to_urdf(), pin.JointModelFreeFlyer())
    data = model.createData()
    q, qd, qdd = free.random_state(seed=2)
    at, joint = np.zeros(model.nq), 7
    at[:7] = q[:7]
    for each in model.joints.tolist()[2:]:
        value = q[joint]
        at[each.idx_q : each.idx_q + each.nq] = [value] if each.nq == 1 else [np.cos(value), np.sin(value)]
        joint += 1
    theirs, ours = pin.rnea(model, data, at, qd, qdd), free.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(theirs[:6], ours[:6], atol=1e-10)  # friction and rotors of joints are none of its


def test_goes_to_pinocchio_and_back(free):
    pytest.importorskip("pinocchio")
    model = free.to_pinocchio()
    assert (model.nq, model.nv) == (free.nq, free.nv) and model.names[1] == "floating_base"
    back = catena.from_pinocchio(model)
    assert back.position_names == free.position_names
    state = free.random_state(20, seed=3)
    np.testing.assert_allclose(back.inverse_dynamics(*state), free.inverse_dynamics(*state), atol=1e-9)
