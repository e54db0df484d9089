"""Robots: read, built, changed, described, pickled; other libraries' robots; simulation, motion, code."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import catena
from catena import Event

DATA = Path(__file__).resolve().parents[1] / "data"
MODELS = Path(__file__).resolve().parents[2] / "models"


def test_ways_to_load(tmp_path):
    panda = catena.load("panda")
    q = np.linspace(0.1, 0.7, 7)
    by = [catena.load(MODELS / "panda.toml"), catena.load(str(MODELS / "panda.toml")), catena.load((MODELS / "panda.toml").read_text())]
    panda.save(tmp_path / "p.urdf")
    for robot in by:
        np.testing.assert_array_equal(robot.gravity(q), panda.gravity(q))
    for robot in (catena.load(tmp_path / "p.urdf"), catena.load(panda.to_urdf()), catena.load(panda.to_toml()), catena.load(panda.to_mjcf())):
        np.testing.assert_allclose(robot.gravity(q), panda.gravity(q), atol=1e-11)
    assert "panda" in catena.models()


@pytest.mark.parametrize("convention", ["classic", "modified"])
def test_rows(panda, convention):
    rows, q = panda.dh_rows(convention), np.linspace(0.1, 0.7, 7)
    assert [row["joint"] for row in rows] == panda.joint_names
    assert [row["d"] for row in rows][:5:2] == [0.333, 0.316, 0.384]
    np.testing.assert_allclose(catena.load(panda.to_dh(convention)).inertia_matrix(q), panda.inertia_matrix(q), atol=1e-12)
    with pytest.raises(ValueError, match="classic or modified"):
        panda.dh_rows("craig")


def test_what_it_says(panda):
    assert (panda.name, panda.nq, panda.nv) == ("Panda", 7, 7)
    assert panda.joint_names == [f"panda_joint{k}" for k in range(1, 8)]
    assert panda.limits.effort[0] == 87 and panda.limits.lower.shape == (7,)
    assert "panda_link7" in panda.frames and panda.tool == "panda_link8"
    table = repr(panda).split("\n")
    assert table[0].startswith("Panda: nq 7, nv 7,") and len(table) == 9 and "panda_joint3  revolute" in table[4]
    assert "<pre>" in panda._repr_html_()


def test_bad_models(tmp_path):
    with pytest.raises(catena.ModelError, match="no such file, and no shipped model"):
        catena.load("nosuch")
    with pytest.raises(catena.ModelError, match="cannot read this file"):
        catena.load(tmp_path / "no.toml")
    bad = tmp_path / "bad.toml"
    bad.write_text((MODELS / "panda.toml").read_text().replace("mass = ", "mass = -", 1))
    with pytest.raises(ValueError, match=r"bad\.toml:\d+: .*mass"):
        catena.load(bad)
    with pytest.raises(catena.ModelError):
        catena.Builder("x").robot()


def test_pickle_and_copy(robot):
    changed = robot.payload(2.0, (0.0, 0.01, 0.1), (0.01, 0.02, 0.02, 0, 0, 0)).with_gravity((0.0, 1.0, -9.0))
    changed = changed.lock(**{changed.joint_names[-1]: 0.3})
    for one in (robot, changed):
        state = one.random_state(5, seed=3)
        for other in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            np.testing.assert_array_equal(other.inverse_dynamics(*state), one.inverse_dynamics(*state))
            assert other.joint_names == one.joint_names
    result = pickle.loads(pickle.dumps(robot.energy(*robot.random_state(seed=1)[:2])))
    assert result.kinetic_energy > 0


def test_wild_robots():
    """Robot files as others write them."""
    files = sorted((DATA / "wild").glob("*.urdf"))
    assert files
    for file in files:
        robot = catena.load(file, lenient=True)
        q = np.zeros((2, robot.nq))
        if robot.nq != robot.nv:
            continue
        tau = robot.gravity(q)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(robot)).gravity(q), tau)
        assert tau.shape == (2, robot.nv)


def test_built_in_code():
    b = catena.Builder("pendulum").link("base").link("rod", mass=2.0, com=(0, 0, -0.5))
    b.joint("hinge", "revolute", "base", "rod", axis=(0, 1, 0), viscous=0.1).frame("tip", "rod", np.eye(4) + np.eye(4, k=3) * 0)
    robot = catena.load(b)
    np.testing.assert_allclose(robot.gravity([0.3]), [2 * 9.81 * 0.5 * np.sin(0.3)])
    assert robot.frames == ["base", "rod", "tip"]
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(robot)).gravity([0.3]), robot.gravity([0.3]))
    with pytest.raises(ValueError, match="no link 'nowhere'"):
        catena.Builder("x").link("base").joint("j", "revolute", "base", "nowhere").robot()


def test_payload_is_its_weight(panda):
    q = np.zeros(7)
    more = panda.payload(3.0)
    lifted = panda.jacobian(q)[2] * 3.0 * 9.81
    np.testing.assert_allclose(more.gravity(q) - panda.gravity(q), lifted, atol=1e-9)


# --- other libraries ---


def test_pinocchio(robot):
    pin = pytest.importorskip("pinocchio")
    model = robot.to_pinocchio()
    data = model.createData()
    back = catena.from_pinocchio(model)
    assert back.joint_names == robot.joint_names
    for q, qd, qdd in zip(*robot.random_state(5, seed=4)):
        tau = robot.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(back.inverse_dynamics(q, qd, qdd), tau, atol=1e-10)
        np.testing.assert_allclose(back.pose(q, frame=robot.tool), robot.pose(q), atol=1e-12)
        dry = model.upperDryFrictionLimit if hasattr(model, "upperDryFrictionLimit") else model.friction
        rigid = tau - model.damping * qd - dry * np.sign(qd)
        np.testing.assert_allclose(pin.rnea(model, data, q, qd, qdd), rigid, atol=1e-10)
    ball = pin.Model()
    ball.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "ball")
    with pytest.raises(ValueError, match="joint 'ball' is a JointModelSpherical"):
        catena.from_pinocchio(ball)


def test_springs_are_built_described_and_refused_by_pinocchio():
    builder = catena.Builder("spring").link("base").link("rod", mass=2.0, com=(0, 0, -0.5))
    builder.joint("hinge", "revolute", "base", "rod", axis=(0, 1, 0), spring=3.0, spring_rest=0.4)
    robot = catena.load(builder)
    assert robot.description["joints"][0]["spring"] == (3.0, 0.4)
    assert np.allclose(robot.gravity([0.7]), 2.0 * 9.81 * 0.5 * np.sin(0.7) + 3.0 * (0.7 - 0.4))
    assert pickle.loads(pickle.dumps(robot)).description["joints"][0]["spring"] == (3.0, 0.4)
    pytest.importorskip("pinocchio")
    with pytest.raises(ValueError, match="joint 'hinge' has a spring"):
        robot.to_pinocchio()


def test_pinocchios_humanoid():
    pin = pytest.importorskip("pinocchio")
    model = pin.buildSampleModelHumanoid()
    data = model.createData()
    robot = catena.from_pinocchio(model)
    assert robot.has_free_base and (robot.nq, robot.nv) == (model.nq, model.nv)
    order = [model.joints[model.getJointId(name)].idx_v for name in robot.joint_names[6:]]
    for q, qd, qdd in zip(*robot.random_state(5, seed=5)):
        at, v, a = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
        at[:7], v[:6], a[:6] = q[:7], qd[:6], qdd[:6]
        at[[k + 1 for k in order]], v[order], a[order] = q[7:], qd[6:], qdd[6:]
        theirs, ours = pin.rnea(model, data, at, v, a), robot.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(ours[:6], theirs[:6], atol=1e-9)
        friction = model.damping[order] * qd[6:]
        np.testing.assert_allclose(ours[6:] - friction, theirs[order], atol=1e-9)


def test_pinocchio_is_twice_as_slow(panda):
    """One call of inverse dynamics takes at most half as long as pin.rnea, measured side by side."""
    pin = pytest.importorskip("pinocchio")
    import timeit

    model = panda.to_pinocchio()
    q, qd, qdd = panda.random_state(seed=1)
    names = dict(pin=pin, model=model, data=model.createData(), panda=panda, q=q, qd=qd, qdd=qdd)
    ours, theirs = np.inf, np.inf
    for _ in range(15):  # in turns, so that a busy machine is busy for both
        ours = min(ours, timeit.timeit("panda.inverse_dynamics(q, qd, qdd)", globals=names, number=2000) / 2000)
        theirs = min(theirs, timeit.timeit("pin.rnea(model, data, q, qd, qdd)", globals=names, number=2000) / 2000)
    print(f"inverse_dynamics {1e9 * ours:.0f} ns, pin.rnea {1e9 * theirs:.0f} ns")
    assert ours <= 0.5 * theirs


def test_roboticstoolbox():
    rtb = pytest.importorskip("roboticstoolbox")
    for make in (rtb.models.DH.Puma560, rtb.models.DH.Stanford, rtb.models.DH.Panda):
        arm = make()
        robot = catena.from_roboticstoolbox(arm, "none")
        bare = arm.nofriction(True, True)
        q = np.linspace(0.1, 0.6, arm.n)
        np.testing.assert_allclose(robot.pose(q), bare.fkine(q).A, atol=1e-12)
        np.testing.assert_allclose(robot.inverse_dynamics(q, q, q), bare.rne(q, q, q), atol=1e-9)


# --- services ---


def test_simulation(robot):
    n = robot.nv
    motion = robot.simulate(2.0, np.full(n, 0.2), torque="computed", target=np.zeros(n), samples=21)
    assert motion.complete and motion.q.shape == (21, n) and motion.t[-1] == 2.0
    assert np.abs(motion.q[-1]).max() < 0.01 and motion.balance < 1e-5
    by_hand = robot.simulate(motion.t, np.full(n, 0.2), torque=lambda t, q, qd: robot.inverse_dynamics(q, qd, -100 * q - 20 * qd))
    np.testing.assert_allclose(by_hand.q, motion.q, atol=1e-7)
    path = robot.trajectory([np.zeros(n), np.full(n, 0.3)], [0, 1])
    follows = robot.simulate(1.0, torque="computed", trajectory=path, samples=11)
    np.testing.assert_allclose(follows.q, path(follows.t).q, atol=1e-6)
    np.testing.assert_allclose(follows.qdd, path(follows.t).qdd, atol=1e-3)


def test_simulation_events(panda):
    heavy = panda.payload(3.0)
    seen = []
    events = [Event.at_time(0.1, robot=heavy), Event.where(lambda t, q, qd: q[1] - 0.05, name="passes", direction=1),
              Event.at_position("panda_joint2", 0.2, stop=True), Event.at_time(0.05, torque=lambda t, q, qd: seen.append(t) or 0 * q)]
    motion = panda.simulate(5.0, torque="zero", q=[0, 0.01, 0, -1, 0, 1, 0], events=events)
    assert not motion.complete and motion.q[-1, 1] == pytest.approx(0.2, abs=1e-6)
    assert "passes" in [what for _, what in motion.events] and seen


def test_simulation_errors(panda):
    with pytest.raises(ZeroDivisionError):
        panda.simulate(0.1, torque=lambda t, q, qd: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        panda.simulate(0.1, events=[Event.where(lambda t, q, qd: 1 / 0)])
    with pytest.raises(ValueError, match="gave has 2 entries, not 7"):
        panda.simulate(0.1, torque=lambda t, q, qd: [1, 2])
    with pytest.raises(ValueError, match="kp does not go with"):
        panda.simulate(0.1, kp=3)
    with pytest.raises(ValueError, match="there is no integrator 'euler'"):
        panda.simulate(0.1, integrator="euler")
    with pytest.raises(ValueError, match="no joint 'x'"):
        panda.simulate(0.1, events=[Event.at_position("x", 1.0)])


def test_plot(panda):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = panda.simulate(0.1, samples=5).plot("q", "energy")
    assert len(figure.axes) == 2 and len(figure.axes[0].lines) == 7


def test_limits(panda):
    path = panda.trajectory([np.zeros(7), [0.1, 0.5, 0.1, -1.0, 0.2, 0.5, 0.3]], acceleration=5.0)
    slow = panda.check_limits(path.scaled(10))
    assert path.peaks[1].max() == pytest.approx(5.0) and "position" in {event.kind for event, _ in slow.violations}
    inside = panda.trajectory([[0, 0, 0, -1, 0, 1, 0], [0.5, 0.5, 0, -1.5, 0.5, 1.5, 0.5]], [0, 0.2])
    report = panda.check_limits(inside)
    assert not report.respected and report.outcome == "found" and "times the time would do" in str(report)
    assert panda.check_limits(inside.scaled(report.factor * 1.001)).respected
    assert pickle.loads(pickle.dumps(inside))(0.1).q == pytest.approx(inside(0.1).q)


def test_equations():
    shown = catena.load("planar2r").equations()
    assert "M12 = M21 = m2 l2 (l2 + a1 c2) + Izz2" in str(shown)
    assert shown._repr_latex_().startswith("$$\n\\mathbf{M}") and shown.latex.startswith("\\documentclass")
    stanford = catena.load("stanford")
    saha = str(stanford.equations("coriolis", method="denoc"))
    assert saha == str(stanford.equations("coriolis", method={"coriolis": "denoc"})) != str(stanford.equations("coriolis"))
    with pytest.raises(ValueError, match="no formulation 'nosuch' of coriolis; known: denoc"):
        stanford.equations("coriolis", method="nosuch")


def test_code(panda, tmp_path):
    source = panda.generate("inverse", "gravity", search=False)
    assert "void Panda_inverse(" in source and "Panda_gravity" in source.header
    assert [f.name for f in source.save(tmp_path / "p.c")] == ["p.c", "p.h"]
    scope = {}
    exec(panda.generate("gravity", language="python", search=False), scope)
    q = np.linspace(0.1, 0.7, 7)
    result = scope["Panda_gravity"](q)
    np.testing.assert_allclose(np.ravel(result), panda.gravity(q), atol=1e-10)
    with pytest.raises(ValueError, match="there is no language 'fortran'"):
        panda.generate(language="fortran")


def test_abridged_code(panda):
    exact, brief = (panda.generate("gravity", language="python", search=False, significance=share) for share in (0.0, 0.05))
    assert "abridged: of" in brief and "abridged" not in exact and len(brief.splitlines()) < len(exact.splitlines()) + 10
    slow = panda.generate("inverse", language="python", search=False, significance=0.01, speeds=[0.1] * 7, accelerations=[0.2] * 7)
    assert "accelerations up to 0.2, 0.2," in slow
    with pytest.raises(ValueError, match="the robot has 7 speeds, not 2"):
        panda.generate("inverse", significance=0.01, speeds=[1, 2])
    with pytest.raises(ValueError, match="the significance must be"):
        panda.generate("inverse", significance=1.5)


def test_counts_and_comparison(robot):
    assert robot.count("inverse", "luh-walker-paul").multiplications > robot.count("inverse", "tensor").multiplications
    compared = robot.compare("inertia_matrix")
    assert set(compared) <= set(catena.methods("inertia_matrix")) and max(row.disagreement for row in compared.values()) < 1e-9
    assert repr(compared).startswith("formulation")


def test_laws_of_linear_models_and_frames():
    """Each brings the arm where it was told, like the program's."""
    robot = catena.load("ur5")
    start, target = np.array([0.0, -1.0, 1.0, 0.2, 1.0, 0.0]), np.array([0.1, -1.1, 1.2, 0.2, 0.9, 0.1])
    held = robot.simulate(4.0, start, torque="lqr", target=target, weights=(400, 4, 0.01))
    np.testing.assert_allclose(held.q[-1], target, atol=1e-3)
    motion = robot.trajectory([start, target], times=[0.0, 1.0])
    followed = robot.simulate(1.0, start, torque="lqr", trajectory=motion)
    np.testing.assert_allclose(followed.q[-1], target, atol=1e-3)

    pose = robot.pose(start)
    goal = pose[:3, 3] + [0.05, 0.05, -0.1]
    reached = robot.simulate(2.0, start, torque="operational", goal=goal)
    np.testing.assert_allclose(robot.pose(reached.q[-1])[:3, 3], goal, atol=1e-4)
    corner = pose[:3, 3] + [0.0, 0.1, 0.0]
    led = robot.simulate(2.0, start, torque="resolved", goal=[corner, goal])
    np.testing.assert_allclose(robot.pose(led.q[len(led.q) // 2])[:3, 3], corner, atol=1e-6)
    np.testing.assert_allclose(robot.pose(led.q[-1])[:3, 3], goal, atol=1e-6)
    turned = robot.pose(target)
    np.testing.assert_allclose(robot.pose(robot.simulate(1.0, start, torque="resolved", goal=turned).q[-1]), turned, atol=1e-6)

    for message, words in ((r"needs a goal", dict(torque="resolved")), (r"shape \(4,\)", dict(torque="resolved", goal=[1, 2, 3, 4])),
                           ("a rotation and a point", dict(torque="resolved", goal=2 * np.eye(4))),
                           ("kp does not go with", dict(torque="lqr", kp=3)), ("weights", dict(torque="lqr", weights=[1, 2]))):
        with pytest.raises(ValueError, match=message):
            robot.simulate(1.0, start, **words)


def test_a_simulation_that_fails(panda):
    with pytest.raises(catena.SimulationError, match="steps") as raised:
        panda.simulate(5.0, samples=51, max_steps=20)
    motion = raised.value.motion
    assert 0 < len(motion.t) < 51 and not motion.complete and not motion.stopped
    assert isinstance(raised.value, RuntimeError) and "steps" in str(raised.value)
    assert len(panda.simulate(5.0, samples=51, max_steps=20, on_failure="return").t) == len(motion.t)
    with pytest.raises(catena.SimulationError, match="finite|nan|NaN"):
        panda.simulate(1.0, torque=lambda t, q, qd: np.full(7, np.nan) if t > 0.5 else np.zeros(7))
    stopped = panda.simulate(1.0, events=[Event.at_time(0.5, stop=True)])
    assert stopped.stopped and not stopped.complete
    for wrong in (dict(on_failure="ignore"), dict(max_steps=0)):
        with pytest.raises(ValueError, match="on_failure|max_steps"):
            panda.simulate(0.1, **wrong)


def test_progress_and_interrupts(panda):
    import _thread
    import threading

    seen = []
    panda.simulate(0.2, samples=5, progress=seen.append)
    assert seen and seen == sorted(seen) and seen[-1] <= 0.2
    with pytest.raises(ZeroDivisionError):
        panda.simulate(0.2, progress=lambda t: 1 / 0)
    path = panda.trajectory(np.linspace(-0.5, 0.5, 400 * 7).reshape(400, 7) - [0, 0, 0, 1, 0, -1, 0], np.arange(400.0))
    for work in (lambda: panda.check_limits(path, samples=20_000_000), lambda: panda.simulate(1e6, step=1e-4, integrator="rk4", torque="pd")):
        threading.Timer(0.3, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            work()


def test_the_namespace():
    public = {name for name in vars(catena) if not name.startswith("_")}
    assert public >= set(catena.__all__) and not public & {"Any", "annotations", "np", "os"}
    assert catena.adapters.Ode and catena.gpu.gpus and catena.distributed.evaluate
    assert {"adapters", "gpu", "distributed", "load"} <= set(dir(catena))
    with pytest.raises(AttributeError, match="nothing"):
        catena.nothing


def test_time_optimal(panda):
    points = np.array([[0, -0.5, 0, -2.2, 0, 1.8, 0.6], [0.5, 0.1, 0.2, -1.5, 0.1, 2.0, 0.0], [1.0, 0.4, 0.3, -1.2, 0.2, 2.2, -0.6]])
    found = panda.time_optimal(points)
    assert panda.check_limits(found.motion).respected and found.idle <= 1
    assert found.least <= found.motion.duration < 1.001 * found.least
    assert np.all(found.speed <= found.most * (1 + 1e-12)) and found.speed[0] == found.speed[-1] == 0
    np.testing.assert_allclose(found.motion(found.motion.end).q, points[-1], atol=1e-12)
    np.testing.assert_allclose(found.t[-1], found.motion.duration, rtol=1e-12)
    again = pickle.loads(pickle.dumps(found.motion))
    np.testing.assert_array_equal(again(0.3).q, found.motion(0.3).q)
    slower = panda.time_optimal(points, velocity=1.0, acceleration=5.0, jerk=100.0)
    assert slower.motion.duration > found.motion.duration and np.all(slower.motion.peaks[0] <= 1.0 + 1e-9)
    with pytest.raises(ValueError, match="are the same"):
        panda.time_optimal([points[0], points[0]])
