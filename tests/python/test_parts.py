"""Models by links, DeNOC, several jobs in one pass, the inertia at a frame, motors in loops, parameters, changed models."""

import pickle

import numpy as np
import pytest

import catena
from conftest import KINDS


def refused(name):
    return name in ("free", "coupled", "loop", "moving")


def test_models_of_links_add_up(kind):
    name, robot = kind
    q, qd, _ = robot.random_state(seed=1)
    found = robot.links(q, screws=True) if refused(name) and name != "moving" else robot.links(q, qd)
    assert list(found) == [link["name"] for link in robot.description["links"]]
    if refused(name) and name != "moving":
        with pytest.raises(ValueError):
            robot.links(q, qd)
        return
    bare = robot.rigid()
    M, C, g = np.zeros((bare.nv, bare.nv)), np.zeros((bare.nv, bare.nv)), np.zeros(bare.nv)
    for link in found.values():
        M[np.ix_(link.places, link.places)] += link.M
        C[np.ix_(link.places, link.places)] += link.C
        g[link.places] += link.g
        assert link.joints == [robot.joint_names[k] for k in link.places]
    np.testing.assert_allclose(M, bare.inertia_matrix(q), atol=1e-10)
    np.testing.assert_allclose(C, bare.coriolis_matrix(q, qd), atol=1e-10)
    np.testing.assert_allclose(g, bare.gravity(q), atol=1e-9)


def test_screws_of_links(kind):
    _, robot = kind
    q = robot.random_state(seed=2)[0]
    for link in robot.links(q, screws=True).values():
        assert link.M is None and len(link.screws) in (0, 6)
        J = robot.jacobian(q, frame=link.name)
        at = robot.pose(q, frame=link.name)[:3, 3]
        moved = [k for k in range(robot.nv) if np.linalg.norm(J[:, k]) > 1e-9]
        assert list(link.joint_screws) == [robot.joint_names[k] for k in moved]
        for k, screw in zip(moved, link.joint_screws.values()):
            if np.isinf(screw.pitch):
                np.testing.assert_allclose(np.cross(J[:3, k], screw.axis), 0, atol=1e-10)
            else:  # the velocity of the frame's origin, from the line and the pitch
                w = J[3:, k]
                np.testing.assert_allclose(J[:3, k], np.cross(w, at - screw.point) + screw.pitch * w, atol=1e-9)


def test_denoc_gives_the_inertia_matrix(kind):
    name, robot = kind
    q, qd, _ = robot.random_state(seed=3)
    if name in ("free", "coupled", "loop"):
        with pytest.raises(ValueError, match="free base|coupled joints|closed loops"):
            robot.denoc(q, qd)
        return
    objects = robot.denoc(q, qd, objects="N_l,N_d,M,U,U_inverse")
    assert list(objects) == ["M", "U", "U_inverse", "N_l", "N_d"]
    N = objects["N_l"] @ objects["N_d"]
    size = len(objects["M"])
    whole = np.zeros((6 * size, 6 * size))
    for k, block in objects["M"].items():
        whole[6 * k - 6:6 * k, 6 * k - 6:6 * k] = block
    np.testing.assert_allclose(objects["U"] @ objects["U_inverse"], np.eye(size), atol=1e-10)
    np.testing.assert_allclose(N.T @ whole @ N, robot.rigid().inertia_matrix(q), atol=1e-10)
    assert set(robot.denoc(q, qd)["c"]) <= {(i, j) for i in range(1, size + 1) for j in range(1, i)}
    with pytest.raises(ValueError, match="there is no object 'Q'"):
        robot.denoc(q, objects=["Q"])


def test_several_jobs_in_one_pass(kind):
    _, robot = kind
    q, qd, qdd = robot.random_state(3, 4, seed=4)
    qd = qd[:1]  # broadcast
    base = {"base": np.random.default_rng(0).uniform(-1, 1, (4, 12))} if robot.has_moving_base else {}
    found = robot.run("inverse_dynamics, inertia,energy", q, qd, qdd, **base)
    assert list(found) == ["inverse_dynamics", "inertia", "energy"]
    np.testing.assert_allclose(found["inverse_dynamics"], robot.inverse_dynamics(q, qd, qdd, **base), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(found["inertia"], robot.inertia_matrix(q, **base), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found["energy"].kinetic_energy, robot.energy(q, qd, **base).kinetic_energy, rtol=1e-12)
    one = robot.run(["pose", "energy"], q[0, 0])  # qd is 0
    np.testing.assert_allclose(one["pose"], robot.pose(q[0, 0]), atol=1e-12)
    assert one["energy"].kinetic_energy == 0.0 and one["energy"].potential_energy.shape == ()


def test_several_jobs_say_what_is_wrong(panda):
    q, qd, qdd = panda.random_state(5, seed=4)
    with pytest.raises(ValueError, match="none of gravity takes qd"):
        panda.run("gravity", q, qd)
    with pytest.raises(ValueError, match="there is no job 'torques'"):
        panda.run("torques", q)
    with pytest.raises(ValueError, match="twice"):
        panda.run("inverse,inverse_dynamics", q)
    with pytest.raises(ValueError, match=r"q has the shape \(5, 6\)"):
        panda.run("gravity", q[:, :6])
    q[3, 2] = np.nan
    with pytest.warns(catena.NoResultWarning, match=r"1 of 5 states .* the first at \[3\]"):
        found = panda.run("inverse,pose", q, qd, qdd)
    assert np.isnan(found["inverse"][3]).all() and np.isfinite(found["pose"][[0, 1, 2, 4]]).all()
    with pytest.raises(catena.NoResultError):
        panda.run("inverse,pose", q[3], qd[3], qdd[3])
    named = panda.run("inverse,inertia", q[0], qd[0], qdd[0], method={"inertia": "walker-orin"}, wrenches={"tool": (0, 0, -5, 0, 0, 0)})
    np.testing.assert_allclose(named["inverse"], panda.inverse_dynamics(q[0], qd[0], qdd[0], wrenches={"tool": (0, 0, -5, 0, 0, 0)}), atol=1e-11)


def test_inertia_at_a_frame(kind):
    name, robot = kind
    q = robot.random_state(6, seed=5)[0]
    J, inverse = robot.jacobian(q), robot.inverse_inertia(q)
    size = 6 if name in ("plain", "friction", "free", "moving") else 0
    for translation in (False, True):
        rows = slice(0, 3) if translation else slice(0, 6)
        if size or (translation and name == "tree"):
            Lambda = robot.operational_inertia(q, translation=translation)
            wanted = np.linalg.inv(J[:, rows] @ inverse @ np.swapaxes(J[:, rows], -1, -2))
            np.testing.assert_allclose(Lambda, wanted, rtol=1e-6, atol=1e-8)
    if not size:  # too few joints
        with pytest.warns(catena.NoResultWarning, match="6 of 6 states"):
            assert np.isnan(robot.operational_inertia(q)).all()
        with pytest.raises(catena.NoResultError):
            robot.operational_inertia(q[0])


def test_coefficients_of_products_of_rates(kind):
    _, robot = kind
    q, qd, _ = robot.random_state(4, seed=6)
    c = robot.coriolis_coefficients(q)
    assert c.shape == (4, robot.nv, robot.nv, robot.nv)
    np.testing.assert_allclose(np.einsum("...ijk,...j,...k", c, qd, qd), (robot.coriolis_matrix(q, qd) @ qd[..., None])[..., 0], atol=1e-9)


def test_motors_inside_loops():
    press = catena.load("five_bar")
    q, qd, qdd = press.random_state(5, seed=7)
    tau = press.inverse_dynamics(q, qd, qdd)
    shared = press.motor_torques(q, tau, motors=press.tree_joint_names)
    assert list(shared) == press.tree_joint_names
    rates = np.random.default_rng(1).uniform(-1, 1, q.shape)
    step = 1e-6
    moved = (press.place(q + step * rates) - press.place(q - step * rates)) / (2 * step)
    power = sum(shared[name] * moved[:, k] for k, name in enumerate(press.tree_joint_names))
    np.testing.assert_allclose(power, (tau * rates).sum(-1), atol=1e-6)  # they do the same work
    dear = press.motor_torques(q, tau, motors=press.tree_joint_names, weights={press.tree_joint_names[0]: 1e6})
    first = press.tree_joint_names[0]
    assert np.abs(dear[first]).max() < 1e-3 * np.abs(shared[first]).max()
    with pytest.raises(catena.NoResultError, match="too few motors"):
        press.motor_torques(q[0], tau[0], motors=press.tree_joint_names[:1])
    plain = catena.load("ur5")
    q, qd, qdd = plain.random_state(seed=1)
    tau = plain.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(list(plain.motor_torques(q, tau).values()), tau)


def test_other_assemblies():
    bar = catena.load("fourbar_press")
    ways = bar.assemblies([0.7])
    np.testing.assert_allclose(ways[0], bar.place([0.7]), atol=1e-9)
    assert len(ways) == 2
    other = bar.assembled(**dict(zip(bar.tree_joint_names, map(float, ways[1]))))
    assert not np.allclose(other.place([0.7]), ways[0], atol=1e-3)
    np.testing.assert_allclose(np.exp(1j * other.place([0.7])), np.exp(1j * ways[1]), atol=1e-8)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(other)).place([0.7]), other.place([0.7]))
    for refused_by in (catena.load("ur5").assemblies, lambda q: catena.load("ur5").assembled(elbow_joint=1.0)):
        with pytest.raises(ValueError, match="no closed loop"):
            refused_by(np.zeros(6))


def test_base_parameters_make_the_torques(kind):
    name, robot = kind
    q, qd, qdd = robot.random_state(3, seed=8)
    if name in ("free", "moving"):
        with pytest.raises(ValueError, match=f"{name} base"):
            robot.base_parameters()
        return
    found = robot.base_parameters()
    Y = robot.regressor(q, qd, qdd)
    np.testing.assert_allclose(sum(Y[..., own.column] * own.value for own in found), robot.inverse_dynamics(q, qd, qdd), rtol=1e-6, atol=1e-6)
    assert len(found) < Y.shape[-1] and len(robot.base_parameters(drives=False)) < len(found)
    theta = robot.parameters()
    for own in found:
        np.testing.assert_allclose(own.value, sum(factor * theta[parameter] for parameter, factor in own.terms), atol=1e-9)


def test_accelerations_by_parameters(panda):
    q, qd, _ = panda.random_state(2, seed=9)
    tau = panda.gravity(q)
    found = panda.parameter_sensitivity(q, qd, tau, parameters=["m7"])
    assert found.parameters == ["m7"] and found.by_q is None and found.qdd.shape == (2, 7, 1)
    # a point mass at the link's origin changes m alone
    frame = panda.description["joints"][6]["child"] if panda.description["joints"][6]["type"] != "fixed" else "panda_link7"
    step = 1e-5
    heavier = panda.payload(step, frame=frame).forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(found.qdd[..., 0], (heavier - panda.forward_dynamics(q, qd, tau)) / step, rtol=1e-3, atol=1e-3)
    with pytest.raises(ValueError, match="no parameter 'm9'"):
        panda.parameter_sensitivity(q, qd, tau, parameters=["m9"])


def test_motions_by_parameters():
    arm = catena.load("planar2r")
    def final(robot):
        return robot.simulate(0.5, [0.3, -0.2], samples=51)
    run, step = final(arm), 1e-5
    found = arm.parameter_sensitivity(run.q, run.qd, run.tau, t=run.t, parameters=["m2"])
    heavier = final(arm.payload(step, frame=arm.description["joints"][1]["child"]))
    np.testing.assert_allclose(found.by_q[-1, :, 0], (heavier.q[-1] - run.q[-1]) / step, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(found.by_qd[-1, :, 0], (heavier.qd[-1] - run.qd[-1]) / step, rtol=1e-3, atol=1e-3)


def test_rigid_and_snapped(kind):
    name, robot = kind
    q, qd, qdd = robot.random_state(seed=10)
    bare = robot.rigid()
    assert (bare.nv, bare.has_moving_base, bare.has_free_base) == (robot.nv, robot.has_moving_base, robot.has_free_base)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(bare)).gravity(q), bare.gravity(q))
    if name == "friction":
        assert not np.allclose(bare.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd), atol=1e-3)
    rough = robot.snap(0.3)
    assert rough.snap(1e-14).gravity(q) == pytest.approx(robot.gravity(q), abs=1e-12)
    with pytest.raises(ValueError, match="snap takes"):
        robot.snap(0.7)


def test_snap_rounds_nearly_right_angles():
    def arm(angle):
        b = catena.Builder("arm").link("base")
        c, s = np.cos(angle), np.sin(angle)
        for name, parent in (("a", "base"), ("b", "a")):
            b.link(name, 1.0, (0.2, 0.1, 0.1), (0.1, 0.2, 0.15, 0, 0, 0))
            b.joint(f"to_{name}", "revolute", parent, name, origin=[[1, 0, 0, 0.3], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])
        return catena.load(b)
    exact, near, states = arm(np.pi / 2), arm(1.571), arm(1.0).random_state(5, seed=1)
    wanted = exact.inverse_dynamics(*states)
    assert np.abs(near.inverse_dynamics(*states) - wanted).max() > 1e-5
    np.testing.assert_allclose(near.snap(1e-3).inverse_dynamics(*states), wanted, atol=1e-10)


def test_sources_and_counts():
    found = catena.sources("inverse_dynamics")
    assert {own.name for own in found} == set(catena.methods("inverse")) and all(own.source and own.equations for own in found)
    assert len(catena.sources()) > len(found) and {own.job for own in found} == {"inverse"}
    with pytest.raises(ValueError):
        catena.sources("nothing")
    assert list(catena.load("ur5").compare("inertia", method="walker-orin", states=8)) == ["walker-orin"]
    arm, right = catena.general_arm(6), catena.general_arm(6, "right")
    name = catena.methods("inverse")[0]
    assert arm.nv == 6 and pickle.loads(pickle.dumps(arm)).nv == 6
    assert right.count("inverse", name, constants="known").multiplications < right.count("inverse", name).multiplications
    assert arm.count("inverse", name, constants="twists").multiplications <= arm.count("inverse", name).multiplications
    for wrong in (lambda: catena.general_arm(0), lambda: catena.general_arm(3, "odd"), lambda: arm.count("inverse", constants="all")):
        with pytest.raises(ValueError):
            wrong()


def test_elastic_robots_have_links_too():
    b = catena.Builder("hub").link("base").link("rim", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    b.joint("hub", "revolute", "base", "rim", rotor_inertia=2e-4, gear_ratio=50, elastic_stiffness=300.0)
    robot = catena.load(b)
    assert robot.nv == 2 and robot.rigid().nv == 1
    np.testing.assert_allclose(robot.links()["rim"].M, robot.rigid().inertia_matrix([0.0]))
    assert set(KINDS) >= {"plain", "tree", "loop"}
