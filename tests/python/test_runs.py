"""Simulations: moving bases, wrenches over time, robots that change, and many starts."""

import time
import warnings

import numpy as np
import pytest

import catena


@pytest.fixture(scope="module")
def arm():
    return catena.load("planar2r")


# -- bases that move -------------------------------------------------------------------------------------------------
def test_a_base_that_falls_takes_the_weight_away(arm):
    """Dropped with gravity's acceleration, nothing moves relative to the base."""
    ship = arm.on_moving_base()
    drop = np.concatenate([np.zeros(6), arm.gravity_vector, np.zeros(3)])
    motion = ship.simulate(0.4, [0.3, -0.2], base=drop)
    np.testing.assert_allclose(motion.q, np.tile([0.3, -0.2], (101, 1)), atol=1e-9)
    at_rest = ship.simulate(0.4, [0.3, -0.2])
    np.testing.assert_allclose(at_rest.q, arm.simulate(0.4, [0.3, -0.2]).q, atol=1e-9)
    assert not np.allclose(at_rest.q[-1], [0.3, -0.2], atol=1e-2)
    with pytest.raises(ValueError, match="not on a moving base"):
        arm.simulate(0.4, base=drop)
    with pytest.raises(ValueError, match="base is at rest"):
        motion.qdd


def test_tables_and_functions_of_the_base_agree(arm):
    ship = arm.on_moving_base()
    twist, rate = np.array([0.1, 0, 0.2, 0, 0.3, 0]), np.array([0.5, 0, -0.2, 0, 0.4, 0])
    told = ship.simulate(0.5, base=np.concatenate([twist, rate]))
    rows = np.array([[t, *(twist + t * rate), *rate] for t in np.linspace(0, 0.5, 6)])
    for base in (rows, rows[:, :7], lambda t: np.concatenate([twist + t * rate, rate])):
        other = ship.simulate(0.5, base=base)
        np.testing.assert_allclose(other.q, told.q, atol=1e-7)
        np.testing.assert_allclose(other.base_orientation, told.base_orientation, atol=1e-7)
    assert told.balance < 1e-6 and np.abs(told.base_work).max() > 1e-3
    constant = ship.simulate(0.5, base=(0, 0, 0, 0, 0, 1.0))  # turns at 1 rad/s
    np.testing.assert_allclose(constant.base_orientation[-1], [0, 0, np.sin(0.25), np.cos(0.25)], atol=1e-8)
    with pytest.raises(ValueError, match=r"from t = 0 to 0.5 s, the run from 0 to 1 s"):
        ship.simulate(1.0, base=rows)
    with pytest.raises(ValueError, match="has the shape"):
        ship.simulate(1.0, base=np.zeros(5))
    with pytest.raises(ZeroDivisionError):
        ship.simulate(1.0, base=lambda t: 1 / 0)


def test_a_free_base_pushed_as_told_moves_the_arm_alike():
    """The torques of the joints along a run on a moving base are those of a free robot with that motion of its base."""
    robot = catena.load("ur5").with_gravity((0, 0, 0))
    ship, free = robot.on_moving_base(), robot.on_free_base()
    base = np.array([0.2, 0, 0, 0, 0, 0.5, 0.3, 0, 0, 0.1, 0, 0])
    q0 = np.array([0.1, -1.0, 1.2, 0.3, 0.5, 0.2])
    run = ship.simulate(0.2, q0, base=base, samples=3, torque=np.full(6, 0.5))
    now = np.concatenate([base[:6] + 0.1 * base[6:], base[6:]])
    qdd = ship.forward_dynamics(run.q[1], run.qd[1], run.tau[1], base=now)
    whole = free.inverse_dynamics(np.concatenate([[0, 0, 0], run.base_orientation[1], run.q[1]]), np.concatenate([now[:6], run.qd[1]]),
                                  np.concatenate([now[6:], qdd]))
    np.testing.assert_allclose(whole[6:], np.full(6, 0.5), atol=1e-8)


# -- wrenches --------------------------------------------------------------------------------------------------------
def test_wrenches_constant_as_tables_and_functions(kind):
    _, robot = kind
    q = robot.random_state(seed=3)[0]
    push = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.1])
    constant = robot.simulate(0.1, q, wrenches={"tool": push}, samples=5)
    rows = np.array([[0.0, *push], [1.0, *push]])
    for given in ({"tool": rows}, {robot.tool: lambda t, q, qd: push}, [catena.Wrench("tool", rows)]):
        np.testing.assert_allclose(robot.simulate(0.1, q, wrenches=given, samples=5).q, constant.q, atol=1e-8)
    assert not np.allclose(robot.simulate(0.1, q, samples=5).q, constant.q, atol=1e-6)
    world = robot.simulate(0.1, q, wrenches=[catena.Wrench("tool", rows, "world")], samples=5)
    assert not np.allclose(world.q, constant.q, atol=1e-6)


def test_wrenches_follow_their_tables(arm):
    rows = np.array([[0.0, 0, 0, 0, 0, 0, 0], [0.2, 5, 0, 0, 0, 0, 0]])
    told = arm.simulate(0.2, wrenches={"tool": rows})
    other = arm.simulate(0.2, wrenches={"tool": lambda t, q, qd: (25 * t, 0, 0, 0, 0, 0)})
    np.testing.assert_allclose(told.q, other.q, atol=1e-8)
    for wrong, match in ((np.zeros((2, 6)), "6 columns"), (np.zeros((2, 7)), "increas"), (np.zeros(5), "5 entries")):
        with pytest.raises(ValueError, match=match):
            arm.simulate(0.2, wrenches={"tool": wrong})
    with pytest.raises(ValueError, match="no link or frame 'hand'"):
        arm.simulate(0.2, wrenches={"hand": np.zeros(6)})


# -- what the law knows, who computes ---------------------------------------------------------------------------------
def test_a_controller_that_knows_another_robot(arm):
    heavy = arm.payload(1.0)
    right = heavy.simulate(1.0, [0.5, 0.5], torque="computed", target=[0, 0])
    wrong = heavy.simulate(1.0, [0.5, 0.5], torque="computed", target=[0, 0], controller_model=arm)
    assert np.abs(wrong.q - right.q).max() > 1e-3
    np.testing.assert_array_equal(heavy.simulate(0.5, [0.5, 0.5], torque="computed", target=[0, 0], controller_model=heavy).q,
                                  heavy.simulate(0.5, [0.5, 0.5], torque="computed", target=[0, 0]).q)
    with pytest.raises(ValueError, match="has other joints"):
        arm.simulate(1.0, torque="pd", controller_model=catena.load("ur5"))


def test_compiled_forward_dynamics(kind):
    name, robot = kind
    q = robot.random_state(seed=4)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", catena.EngineWarning)
        compiled = robot.simulate(0.1, q, samples=3, engine="compiled")
    np.testing.assert_allclose(compiled.q, robot.simulate(0.1, q, samples=3).q, atol=1e-7)
    with pytest.raises(ValueError):
        robot.simulate(0.1, q, engine="fast")


# -- robots that change -----------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def load():
    return catena.load(catena.Builder("load").link("ball", mass=0.5, com=(0, 0, 0.05), inertia=(1e-3, 1e-3, 1e-3, 0, 0, 0)))


def test_a_part_that_comes_and_goes(kind, load):
    name, robot = kind
    q = robot.random_state(seed=5)[0]
    if name in ("free", "coupled"):
        with pytest.raises(ValueError, match="free base|coupled joints"):
            robot.simulate(0.15, q, events=[catena.Event.at_time(0.05, attach=catena.Attach(load))])
        return
    events = [catena.Event.at_time(0.05, attach=catena.Attach(load, robot.tool, "thing")), catena.Event.at_time(0.1, detach="thing")]
    motion = robot.simulate(0.15, q, events=events, samples=4)
    assert [change.t for change in motion.changes] == pytest.approx([0.05, 0.1]) and motion.joints[:robot.nv] == robot.joint_names
    assert motion.complete and motion.balance < 1e-6
    assert len(motion.t) == 8  # before and after each change too
    grip = motion.changes[0]
    if name != "loop":  # whose loops push
        np.testing.assert_allclose(grip.momentum, grip.momentum_before, atol=1e-7)
    assert grip.lost >= -1e-12 and grip.kinetic_before + grip.kinetic_of_part - grip.kinetic_after == pytest.approx(grip.lost, abs=1e-9)
    plain = robot.simulate(0.15, q, samples=4)
    np.testing.assert_allclose(motion.q[motion.t <= 0.0499][:, :robot.nq], plain.q[plain.t <= 0.0499], atol=1e-8)
    assert not np.allclose(motion.q[-1, :robot.nq], plain.q[-1], atol=1e-7)


def test_what_is_attached_is_a_payload(arm, load):
    with_it = arm.payload(0.5, com=(0, 0, 0.05), inertia=(1e-3, 1e-3, 1e-3, 0, 0, 0))
    motion = arm.simulate(0.5, [0.3, 0.2], events=[catena.Event.at_time(1e-9, attach=catena.Attach(load))])
    np.testing.assert_allclose(motion.q[-1], with_it.simulate(0.5, [0.3, 0.2]).q[-1], atol=1e-6)


def test_parts_on_joints_have_columns(arm, load):
    swing = catena.Attach(load, "", "bob", "revolute", axis=(0, 1, 0), moving=(0.1, 0, 0, 0, 0, 0))
    motion = arm.simulate(0.4, [0.3, 0.2], events=[catena.Event.at_time(0.2, attach=swing)])
    assert motion.joints == [*arm.joint_names, "bob_bob_joint"]
    assert np.isnan(motion.q[motion.t < 0.19, 2]).all() and np.isfinite(motion.q[motion.t > 0.21, 2]).all()
    assert np.isfinite(motion.q[:, :2]).all()


def test_loops_close_and_open_and_masses_change(arm):
    link = arm.description["joints"][1]["child"]
    motion = arm.simulate(0.4, [0.3, 0.2], events=[catena.Event.at_time(0.2, set_mass={link: 3.0})])
    assert len(motion.changes) == 1 and not np.allclose(motion.q[-1], arm.simulate(0.4, [0.3, 0.2]).q[-1], atol=1e-6)
    frame = catena.load("five_bar")
    loop = frame.description["loops"][0]["name"]
    opened = frame.simulate(0.1, events=[catena.Event.at_time(0.05, open=loop)])
    assert len(opened.joints) > frame.nv and len(opened.changes) == 1
    base = arm.description["links"][0]["name"]
    far = catena.Close(arm.tool, base)
    with pytest.raises(catena.SimulationError):
        arm.simulate(0.4, [0.3, 0.2], events=[catena.Event.at_time(0.2, close=far)])


def test_changes_that_cannot_be(arm, load):
    twice = [catena.Event.at_time(0.1, attach=catena.Attach(load, "", "a")), catena.Event.at_time(0.2, detach="b")]
    with pytest.raises(catena.SimulationError, match="'b' is not attached") as raised:
        arm.simulate(0.4, [0.3, 0.2], events=twice)
    assert raised.value.motion.t[-1] == pytest.approx(0.2) and len(raised.value.motion.changes) == 1
    grip = catena.Event.at_time(0.1, attach=catena.Attach(load))
    with pytest.raises(ValueError, match="torque= or robot="):
        arm.simulate(0.4, events=[grip, catena.Event.at_time(0.2, torque="zero")])
    with pytest.raises(ValueError, match="one start"):
        arm.simulate(0.4, np.zeros((3, 2)), events=[grip])
    stopped = arm.simulate(0.4, [0.3, 0.2], events=[grip, catena.Event.at_time(0.2, stop=True)])
    assert stopped.stopped and stopped.t[-1] == pytest.approx(0.2)


# -- many starts -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("threads", [None, 1, 3])
def test_many_starts_are_single_ones(kind, threads):
    _, robot = kind
    q, qd, _ = robot.random_state(2, 3, seed=6)
    motions = robot.simulate(0.1, q, 0.2 * qd, samples=4, threads=threads)
    assert motions.q.shape == (2, 3, 4, robot.nq) and motions.tau.shape == (2, 3, 4, robot.nv) and motions.t.shape == (4,)
    assert motions.complete.all() and motions.complete.shape == (2, 3) and motions.work.shape == (2, 3, 4)
    for index in np.ndindex(2, 3):
        one = robot.simulate(0.1, q[index], 0.2 * qd[index], samples=4)
        for name in ("q", "qd", "tau", "kinetic_energy", "base_orientation"):
            np.testing.assert_array_equal(getattr(motions, name)[index], getattr(one, name))
            np.testing.assert_array_equal(getattr(motions[index], name), getattr(one, name))
        assert motions[index].steps == one.steps and motions[index].complete is True and motions[index].joints == one.joints


LAWS = {
    "pd": dict(torque="pd", target=[0.1, 0.2]), "lqr": dict(torque="lqr", target=[0.1, 0.2]), "computed": dict(torque="computed", target=[0.1, 0.2]),
    "function": dict(torque=lambda t, q, qd: -qd), "constant": dict(torque=[0.1, 0.2]),
    "wrench": dict(wrenches={"tool": lambda t, q, qd: (1, 0, 0, 0, 0, 0)}), "table": dict(torque=[[0, 0], [1, 1]], torque_times=[0, 1]),
}


@pytest.mark.parametrize("law", LAWS)
def test_laws_are_alike_from_many_starts(arm, law):
    options = LAWS[law]
    q = np.random.default_rng(2).uniform(0.3, 0.6, (5, 2))
    motions = arm.simulate(0.2, q, samples=5, threads=3, on_failure="return", **options)
    for k in range(5):
        one = arm.simulate(0.2, q[k], samples=5, on_failure="return", **options)
        np.testing.assert_array_equal(motions[k].q, one.q)
        assert motions.complete[k] == one.complete


@pytest.mark.parametrize("law", ["resolved", "impedance"])
def test_frames_move_from_each_start(law):
    """Laws that lead a frame from where it is to a goal."""
    robot = catena.load("ur5")
    q = np.array([0.1, -1.0, 1.2, 0.3, 0.8, 0.2]) + np.random.default_rng(3).uniform(-0.2, 0.2, (5, 6))
    options = dict(torque=law if law == "resolved" else robot.controller(law), goal=robot.pose(q[0])[:3, 3] + 0.05)
    motions = robot.simulate(0.2, q, samples=3, threads=2, **options)
    for k in range(5):
        options["torque"] = law if law == "resolved" else robot.controller(law)
        one = robot.simulate(0.2, q[k], samples=3, **options)
        np.testing.assert_array_equal(motions.q[k], one.q)
        assert np.abs(one.q[-1] - q[k]).max() > 1e-3


def test_controllers_have_a_state_for_each_start(arm):
    controller = arm.controller("pid")
    q = np.random.default_rng(2).uniform(-0.5, 0.5, (6, 2))
    motions = arm.simulate(0.2, q, samples=5, torque=controller, target=[0.1, 0.2], threads=3)
    for k in range(6):
        np.testing.assert_array_equal(motions.q[k], arm.simulate(0.2, q[k], samples=5, torque=arm.controller("pid"), target=[0.1, 0.2]).q)


def test_events_of_many_starts(arm):
    q = np.array([[0.3, 0.1], [0.1, 0.1], [-0.4, 0.0]])
    fall = catena.Event.at_position(arm.joint_names[0], 0.0, stop=True, name="level")
    motions = arm.simulate(0.5, q, np.array([-1.0, 0.0]), events=[fall], samples=11)
    for k, own in enumerate(motions):
        one = arm.simulate(0.5, q[k], [-1.0, 0.0], events=[fall], samples=11)
        assert own.events == one.events and own.stopped == one.stopped and own.ended_by == one.ended_by
        np.testing.assert_array_equal(own.q, one.q)
    assert motions.stopped.any()


def test_failures_of_many_starts(arm):
    q = np.zeros((2, 3, 2))
    def law(t, q, qd):
        return np.full(2, np.nan) if q[0] > 0.5 and t > 0.1 else np.zeros(2)
    q[1, 1, 0] = 1.5
    with pytest.warns(catena.NoResultWarning, match=r"1 of 6 runs have no result and are marked by nan, the first at \[1, 1\]"):
        motions = arm.simulate(0.2, q, torque=law, samples=21)
    assert not motions.complete[1, 1] and motions.complete.sum() == 5 and motions.ended_by[1, 1]
    assert np.isfinite(motions.q[1, 1, :10]).all() and np.isnan(motions.q[1, 1, -1]).all() and len(motions[1, 1].t) < 21
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm.simulate(0.2, q, torque=law, samples=21, on_failure="return")
    with pytest.raises(ZeroDivisionError):
        arm.simulate(0.2, q, torque=lambda t, q, qd: 1 / 0)
    with pytest.raises(ValueError, match="threads must be at least 1"):
        arm.simulate(0.2, q, threads=0)
    with pytest.raises(ValueError, match="many starts"):
        arm.simulate(0.2, [0, 0], threads=2)
    with pytest.raises(ValueError, match=r"q has the shape \(2, 3\)"):
        arm.simulate(0.2, np.zeros((2, 3)))
    assert len(arm.simulate(0.2, np.zeros((0, 2)))) == 0
    done = []
    arm.simulate(0.1, np.zeros((4, 2)), progress=done.append, threads=1)
    assert done == [1, 2, 3, 4]
    with pytest.raises(IndexError):
        motions[0]


def test_others_run_meanwhile(arm):
    """The interpreter's lock is released: a thread counts while runs go on."""
    import threading
    counted, ended = [0], threading.Event()
    def count():
        while not ended.is_set():
            counted[0] += 1
            time.sleep(0)
    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    arm.simulate(2.0, np.random.default_rng(0).uniform(-1, 1, (20, 2)), samples=3)
    after = counted[0]
    ended.set()
    thread.join()
    assert after - before > 10


def test_pages_of_changing_and_of_many_motions(tmp_path):
    robot = catena.load("ur5")
    ball = catena.load(catena.Builder("ball").link("ball", mass=0.5, com=(0, 0, 0.1)))
    grip = catena.Event.at_time(0.05, attach=catena.Attach(ball, name="ball", type="revolute", axis=(1, 0, 0)))
    motion = robot.simulate(0.1, robot.home, torque="pd-gravity", target=robot.home, events=[grip], samples=11)
    assert motion.q.shape[1] == 7
    assert "without the changes made by events" in motion.report(tmp_path / "grip.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="show one of them"):
        robot.simulate(0.1, np.zeros((2, 6)), samples=3).report(tmp_path / "many.html")
