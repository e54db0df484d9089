"""Motions to measure along, and calibration, with arrays."""

import numpy as np
import pytest

import catena


@pytest.fixture(scope="module")
def ur5():
    return catena.load("ur5")


def test_excitation_keeps_limits_and_rests(ur5):
    motion = ur5.excite(5.0, acceleration=8.0, floor=0.0, starts=1, steps=3)
    t, (q, qd, qdd) = motion.sampled(200)
    assert t.shape == (1001,) and q.shape == (1001, 6)
    assert np.abs(qd[[0, -1]]).max() < 1e-12 and np.abs(qdd[[0, -1]]).max() < 1e-11
    assert np.abs(qdd).max() <= 0.95 * 8.0 * (1 + 1e-9)
    tau = ur5.inverse_dynamics(q, qd, qdd)
    assert (np.abs(tau) <= 0.95 * ur5.limits.effort).all() and (np.abs(qd) <= 0.95 * ur5.limits.velocity * (1 + 1e-9)).all()
    assert ur5.pose(q)[:, 2, 3].min() > 0.0
    assert motion(0.3).q.shape == (6,) and motion.condition <= motion.first_condition
    large = ur5.excite(5.0, criterion="determinant", starts=1, steps=30)
    assert large.information > large.first_information
    with pytest.raises(ValueError):
        motion.sampled(0.3)
    with pytest.raises(ValueError, match="criterion"):
        ur5.excite(5.0, criterion="best")
    with pytest.raises(catena.NoResultError, match="leaves its room"):
        ur5.excite(5.0, floor=4.0, starts=1, steps=1)
    with pytest.raises(ValueError, match="columns"):
        ur5.excite(5.0, inside=[1, 2, 3])


def measured(robot, q, noise, dice):
    poses = robot.pose(q)
    return poses[:, :3, 3] + poses[:, :3, :3] @ [0.02, 0.0, 0.1] + dice.normal(0, noise, (len(q), 3)), poses[:, :3, :3]


def test_calibrator(ur5):
    dice = np.random.default_rng(1)
    q, other = dice.uniform(-2, 2, (80, 6)), dice.uniform(-2, 2, (50, 6))
    positions, rotations = measured(ur5, q + [0, 0.002, -0.001, 0.0015, 0, 0], 1e-4, dice)  # encoders that are off
    calibrator = catena.Calibrator(ur5, parameters="offsets").fit(q, positions, rotations)
    found = {c.name: c for c in calibrator.corrections}
    for joint, off in (("shoulder_lift_joint", 0.002), ("elbow_joint", -0.001), ("wrist_1_joint", 0.0015)):
        own = found[f"{joint} offset"]
        assert abs(own.change - off) < 5 * own.standard_error and own.lower < own.change < own.upper
    assert calibrator.unobservable["shoulder_pan_joint offset"] == "base rz"
    assert calibrator.after.position < 2.5e-4 < calibrator.before.position
    assert calibrator.covariance.shape == (len(found), len(found))
    truth, _ = measured(ur5, other + [0, 0.002, -0.001, 0.0015, 0, 0], 0.0, dice)
    assert np.abs(calibrator.predict(other)[:, :3, 3] - truth).max() < 3e-4
    assert calibrator.score(other, truth) > 0.999999
    assert calibrator.cross_validate(q, positions, rotations, folds=4).poses == 80
    assert catena.Calibrator(ur5).fit(q, positions).robot_.nv == 6
    with pytest.raises(ValueError, match="parameters are"):
        catena.Calibrator(ur5, parameters="all")
    with pytest.raises(catena.NoResultError, match="another unit"):
        catena.Calibrator(ur5).fit(q, 1000 * positions)


def test_sensitivity_is_the_jacobian_for_offsets(ur5):
    q = np.linspace(-1, 1, 6)
    names, columns = ur5.kinematic_sensitivity(q, "offsets")
    assert names[2] == "elbow_joint offset"
    np.testing.assert_allclose(columns, ur5.jacobian(q), atol=1e-12)
    assert ur5.kinematic_sensitivity(q, "modified")[1].shape[0] == 6
