"""Parameters from arrays: fit, predict, score."""

import numpy as np
import pytest

import catena
from test_logs import motion


def table(robot, load=None):
    _, q, qd, qdd = motion(rate=100.0, joints=robot.nv)
    tau = (load or robot).inverse_dynamics(q, qd, qdd)
    return np.hstack([q, qd, qdd]), tau


def test_fit_predict_score():
    robot = catena.load("ur5")
    X, tau = table(robot)
    noisy = tau + 0.05 * np.random.default_rng(1).standard_normal(tau.shape)
    fit = catena.Identifier(robot, offsets=True, period=0.01, physical=True).fit(X, noisy)
    assert fit.score(X, noisy) > 0.99
    np.testing.assert_allclose(fit.predict(X), tau, atol=0.1)
    inside = [own.lower <= own.nominal <= own.upper for own in fit.estimates_]
    assert np.mean(inside) > 0.8
    assert fit.estimates_[0].terms[0][1] == 1.0
    assert fit.covariance_.shape == (len(inside), len(inside)) and fit.block_ > 0
    assert fit.rms_.shape == (6,) and len(fit.friction_) == 6 and fit.parameters_.size % 6 == 0
    np.testing.assert_allclose(fit.validate(X, noisy)["rms"], fit.rms_)
    with pytest.raises(ValueError, match="side by side"):
        fit.predict(tau)
    with pytest.raises(ValueError, match="no friction 'sticky'"):
        catena.Identifier(robot, friction="sticky").fit(X, noisy)


def test_load_and_gains():
    robot = catena.load("ur5")
    loaded = robot.payload(3.0, [0.0, 0.02, 0.1], frame="tool0")
    X, tau = table(robot, loaded)
    found = catena.identify_payload(robot, X, tau, "tool0")
    assert found["mass"] == pytest.approx(3.0, abs=0.01)
    np.testing.assert_allclose(found["com"], [0.0, 0.02, 0.1], atol=1e-3)
    free, own = table(robot)
    gains = np.arange(2.0, 8.0)
    for j, one in enumerate(catena.identify_gains(robot, loaded, (free, own / gains), (X, tau / gains))):
        assert one.value == pytest.approx(gains[j], rel=1e-4)


def test_known_mass_stays():
    robot = catena.load("ur5")
    X, tau = table(robot, robot.payload(3.0, [0.0, 0.02, 0.1], frame="tool0"))
    tau += 0.05 * np.random.default_rng(2).standard_normal(tau.shape)
    assert catena.identify_payload(robot, X, tau, "tool0", mass=2.9)["mass"] == 2.9
    bounded = catena.identify_payload(robot, X, tau, "tool0", bounds=(1.0, 2.0))
    assert 1.0 < bounded["mass"] < 2.0
    with pytest.raises(ValueError, match="no frame 'nowhere'"):
        catena.identify_payload(robot, X, tau, "nowhere")


def test_from_raw_positions():
    robot = catena.load("ur5")
    t, q, qd, qdd = motion(rate=250.0, joints=robot.nv)
    friction = 2.0 * np.sign(qd) + 0.5 * qd
    tau = robot.inverse_dynamics(q, qd, qdd) + friction
    tau += 0.05 * np.random.default_rng(3).standard_normal(tau.shape)
    log = robot.prepare_log(np.round(q / 1e-5) * 1e-5, tau, t=t)
    fit = catena.Identifier(robot, friction="auto", offsets=True, subset=True).fit(log)
    for own in fit.friction_:
        assert own["coulomb"] == pytest.approx(2.0, rel=0.1)
    assert fit.block_ > 0 and fit.validate(log)["explained"].min() > 0.9
    held = robot.payload(3.0, [0.1, 0.02, 0.1], frame="tool0").inverse_dynamics(q, qd, qdd) + friction
    loaded = robot.prepare_log(np.round(q / 1e-5) * 1e-5, held, t=t)
    gains = catena.identify_gains(robot, robot.payload(3.0, [0.1, 0.02, 0.1], frame="tool0"), log, loaded)
    assert [own.value for own in gains] == pytest.approx([1.0] * 6, rel=0.01)
    with pytest.raises(ValueError, match="no torques"):
        catena.Identifier(robot).fit(robot.prepare_log(q, t=t))


@pytest.mark.parametrize("kind", ["none", "viscous", "coulomb", "tanh", "stribeck", "asymmetric", "auto"])
def test_friction_with_offsets(kind):
    robot = catena.load("planar2r")
    X, tau = table(robot)
    tau += 0.01 * np.random.default_rng(4).standard_normal(tau.shape) + np.where(X[:, 2:4] > 0, 1.5, -0.5)
    fit = catena.Identifier(robot, friction=kind, offsets=True, period=0.01).fit(X, tau)
    assert fit.friction_[0]["kind"] == kind or kind == "auto"
    assert any("offset" in name for name, _ in fit.held_) == (fit.friction_[0]["kind"] == "asymmetric" or fit.friction_[1]["kind"] == "asymmetric")


def test_parts_of_the_log_are_held_out():
    robot = catena.load("ur5")
    X, tau = table(robot)
    tau = tau + 0.05 * np.random.default_rng(4).standard_normal(tau.shape)
    fit = catena.Identifier(robot, period=0.01, folds=4).fit(X, tau)
    assert fit.held_out_["rms"].shape == (6,) and (fit.held_out_["rms"] > 0.99 * fit.rms_).all() and (fit.held_out_["rms"] < 0.2).all()
    assert catena.Identifier(robot, period=0.01).fit(X, tau).held_out_ is None


def test_bounds_and_another_prior():
    robot = catena.load("ur5")
    X, tau = table(robot)
    names = list(robot.parameters())
    masses = [k for k, name in enumerate(names) if name in {f"m{j}" for j in range(1, 7)}]
    own = np.array([list(robot.parameters().values())[k] for k in masses])
    heavy = robot.payload(1.0, frame="tool0")
    settings = dict(physical=True, prior=1.0)
    loose = catena.Identifier(robot, **settings).fit(X, tau).parameters_[masses]
    pulled = catena.Identifier(robot, prior_model=heavy, **settings).fit(X, tau).parameters_[masses]
    assert pulled[-1] > loose[-1] + 0.01
    tight = catena.Identifier(robot, prior_model=heavy, mass_bounds=(0.9, 1.1), centre_within=0.05, **settings).fit(X, tau).parameters_[masses]
    prior = np.array([list(heavy.parameters().values())[k] for k in masses])
    assert (tight >= 0.9 * prior - 1e-6).all() and (tight <= 1.1 * prior + 1e-6).all() and own.size == 6
    with pytest.raises(ValueError, match="mass_bounds is"):
        catena.Identifier(robot, physical=True, mass_bounds=(2, 1)).fit(X, tau)
    with pytest.raises(ValueError, match="other joints"):
        catena.Identifier(robot, physical=True, prior_model=catena.load("panda")).fit(X, tau)


def test_estimates_along_the_log():
    robot = catena.load("ur5")
    X, tau = table(robot)
    names, along = catena.Identifier(robot, weights=None).online(X, tau)
    base = robot.base_parameters()
    assert names == [own.name for own in base] and along.shape == (len(X), len(base))
    values = np.array([own.value for own in base])
    assert np.abs(along[-1] - values).max() < 1e-3
    load = robot.payload(2.0, frame="tool0")
    later = np.vstack([tau, load.inverse_dynamics(*np.hsplit(X, 3))])
    twice = np.vstack([X, X])
    last = lambda **more: catena.Identifier(robot, weights=None, period=0.01).online(twice, later, **more)[1][-1]
    loaded = np.array([own.value for own in load.base_parameters()])
    assert np.abs(last(forgetting=1.0) - loaded).max() < 0.1 * np.abs(last() - loaded).max()
