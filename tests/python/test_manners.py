"""What is asked for wrongly, who computed, and what a robot says about itself."""

import copy
import pickle
import types
import warnings

import numpy as np
import pytest

import catena


@pytest.fixture(scope="module")
def states(panda):
    return panda.random_state(40, seed=1)


@pytest.mark.parametrize("option, says", [
    (dict(threads=2.5), "threads takes a whole number, not 2.5"),
    (dict(threads="many"), "threads takes a whole number, not 'many'"),
    (dict(method=3), "method takes the name of a formulation, not 3"),
    (dict(engine=1), "engine takes the name of an engine, not 1"),
    (dict(device=0), "device takes the name of a device, not 0"),
])
def test_arguments_of_a_wrong_type_are_named(panda, states, option, says):
    with pytest.raises(TypeError, match=says):
        panda.inverse_dynamics(*states, **option)


def test_frames_of_a_wrong_type_are_named(panda, states):
    with pytest.raises(TypeError, match="frame takes the name of a link or frame, not 7"):
        panda.pose(states[0], frame=7)


@pytest.mark.parametrize("type", [object, np.longdouble, complex, "U9"])
def test_types_that_float64_does_not_hold_are_refused_by_name(panda, states, type):
    q, qd, qdd = states
    with pytest.raises(TypeError, match=r"qd is an array of .*; numbers are needed that float64 holds: qd.astype\(float\)"):
        panda.inverse_dynamics(q, qd.astype(type), qdd)
    with pytest.raises(TypeError, match="q is an array of"):
        panda.gravity(q[0].astype(type))
    panda.gravity(np.ones((2, 7), int)), panda.gravity(np.ones((2, 7), np.float16)), panda.gravity([0] * 7)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: np.repeat(a, 2, axis=0)[::2], lambda a: a[::-1]])
def test_out_of_any_order(panda, states, layout):
    q = states[0]
    expected = panda.inertia_matrix(q)
    out = layout(np.zeros((40, 7, 7)))
    assert panda.inertia_matrix(q, out=out) is out
    np.testing.assert_array_equal(out, expected)
    energies = layout(np.zeros((40, 1)))[:, 0], np.zeros(80)[::2]
    result = panda.energy(q, states[1], out=energies)
    assert result[0] is energies[0] and result[1] is energies[1]
    np.testing.assert_array_equal(energies[1], panda.energy(q, states[1]).potential_energy)


def test_out_that_cannot_be_written(panda, states):
    read_only = np.zeros((40, 7))
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="out for .* is read-only; it takes a writable array of float64"):
        panda.gravity(states[0], out=read_only)
    with pytest.raises(ValueError, match="has another type"):
        panda.gravity(states[0], out=np.zeros((40, 7), np.float32))


def test_the_cpu_is_a_device(panda, states):
    np.testing.assert_array_equal(panda.inverse_dynamics(*states, device="cpu"), panda.inverse_dynamics(*states))
    panda.inverse_dynamics(*states, device="cpu", engine="generic", wrenches={"panda_link8": np.zeros(6)})


BITS = {"panda": lambda: catena.load("panda"), "ur5": lambda: catena.load("ur5"), "stanford": lambda: catena.load("stanford"), "passive": lambda:
        catena.load("pelican_crucible"), "free": lambda: catena.load("panda").on_free_base(), "moving": lambda: catena.load("ur5").on_moving_base(),
        "loop": lambda: catena.load("fourbar_press")}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", BITS)
def test_one_state_and_a_batch_of_one_have_the_same_bits(kind, dtype):
    """What docs/python.md says of bits, for every job: a batch of one, place, neighbours, threads. Closed loops: to rounding."""
    robot, count = BITS[kind](), 37
    q, qd, last = (values.astype(dtype) for values in robot.random_state(count, seed=3))
    base, shuffled = np.random.default_rng(0).uniform(-1, 1, (count, 12)).astype(dtype), np.random.default_rng(1).permutation(count)
    compared = 0
    for job in catena.jobs():
        inputs = [{"q": q, "qd": qd, "base": base}.get(name, last) for name, _ in robot._inputs(job["name"])]

        def rows(which, **options):
            result = robot.evaluate(job["name"], *(values[which] for values in inputs), **options)
            parts = result if isinstance(result, tuple) else (result,)
            return np.concatenate([part.reshape(np.size(which), -1) for part in parts], axis=1)

        def same(one, other):
            if kind == "loop":
                np.testing.assert_allclose(one, other, rtol=1e-11 if dtype == np.float64 else 1e-3, atol=tolerance)
            else:
                np.testing.assert_array_equal(one, other)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", catena.NoResultWarning)
            whole = rows(np.arange(count))
        if whole.size == 0 or not np.isfinite(whole).all():
            continue
        compared += 1
        tolerance = (1e-11 if dtype == np.float64 else 1e-3) * np.abs(whole).max()
        single = np.concatenate([rows(k) for k in range(count)])
        same(single, np.concatenate([rows(np.array([k])) for k in range(count)]))
        np.testing.assert_allclose(single, whole, rtol=0, atol=tolerance)
        same(rows(shuffled, threads=2), whole[shuffled])
        for few in (2, 5, 9, 17):
            same(rows(np.arange(few), threads=1), whole[:few])
    assert compared > 15


def test_compiled_batches_have_the_same_bits(panda, states):
    whole = panda.inverse_dynamics(*states, engine="compiled")
    one = [values[:1] for values in states]
    np.testing.assert_array_equal(panda.inverse_dynamics(*one, engine="compiled")[0], panda.inverse_dynamics(*(values[0] for values in one)))
    np.testing.assert_array_equal(panda.inverse_dynamics(*(values[::-1] for values in states), engine="compiled", threads=2), whole[::-1])


# -- wrenches, one per state ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("job", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("axes", ["frame", "world"])
@pytest.mark.parametrize("dtype, near", [(np.float64, 1e-11), (np.float32, 3e-3)])
def test_wrenches_one_a_state(panda, states, job, axes, dtype, near):
    given = [values.astype(dtype) for values in states]
    w = np.random.default_rng(2).uniform(-20, 20, (40, 6))
    constant = catena.Wrench("panda_link4", (1, 2, 3, 4, 5, 6))
    together = panda.evaluate(job, *given, wrenches=[catena.Wrench("panda_link8", w, axes), constant])
    assert together.dtype == dtype
    for k in range(40):
        one = panda.evaluate(job, *(v[k] for v in given), wrenches=[catena.Wrench("panda_link8", w[k], axes), constant])
        np.testing.assert_allclose(together[k], one, rtol=near, atol=near)
    assert np.abs(together - panda.evaluate(job, *given)).max() > 0.1


def test_wrenches_are_broadcast_and_named(panda, states):
    q, qd, qdd = (values[0] for values in states)
    w = np.random.default_rng(3).uniform(-20, 20, (3, 5, 6))
    tau = panda.inverse_dynamics(q, qd, qdd, wrenches={"panda_link8": w})
    assert tau.shape == (3, 5, 7)
    np.testing.assert_allclose(tau[2, 1], panda.inverse_dynamics(q, qd, qdd, wrenches={"panda_link8": w[2, 1]}), atol=1e-11)
    with pytest.raises(ValueError, match=r"wrenches has leading dimensions \(3, 5\)"):
        panda.inverse_dynamics(*states, wrenches={"panda_link8": w})
    with pytest.raises(ValueError, match="has 5 columns, not 6"):
        panda.inverse_dynamics(q, qd, qdd, wrenches={"panda_link8": np.zeros((2, 5))})
    w[1, 1, 0] = np.nan
    with pytest.warns(catena.NoResultWarning, match=r"1 of 15 .* the first at \[1, 1\]"):
        tau = panda.inverse_dynamics(q, qd, qdd, wrenches={"panda_link8": w})
    assert np.isnan(tau[1, 1]).all() and np.isfinite(tau[1, 2]).all()


# -- who computed ------------------------------------------------------------------------------------------------------
def test_who_computes(panda, states):
    found = panda.engine_of("inverse_dynamics")
    assert found.engine == "generic" and found.method in panda.methods("inverse_dynamics") and found.why == "" and found.lanes >= 1
    assert panda.engine_of("inertia_matrix", method="walker-orin", dtype=np.float32).method == "walker-orin"
    with pytest.raises(ValueError, match="slow"):
        panda.engine_of("inverse_dynamics", engine="slow")


def test_a_compiler_that_is_missing_is_said(states, monkeypatch, tmp_path):
    monkeypatch.setenv("CATENA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CC", "CATENA_CC"):
        monkeypatch.setenv(name, "/no/such/compiler")
    robot = catena.load("panda").payload(0.123)
    with pytest.warns(catena.EngineWarning, match="the generic engine ran instead of compiled code: "):
        tau = robot.inverse_dynamics(*states, engine="compiled")
    np.testing.assert_array_equal(tau, robot.inverse_dynamics(*states))
    found = robot.engine_of("inverse_dynamics", engine="compiled")
    assert found.engine == "generic" and found.why
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.inverse_dynamics(*states)


# -- changed robots ----------------------------------------------------------------------------------------------------
def changed_robots():
    panda = catena.load("panda")
    return {
        "passive": panda.passive("panda_joint2", "panda_joint4"),
        "friction": panda.friction({"panda_joint1": (0.5, 1.5), "panda_joint2": (0.1, 0.2, 0.3, 0.4)}),
        "only": panda.only("panda_link3"),
        "join": catena.join(panda, catena.load("planar2r"), name="between", type="revolute", axis=(0, 1, 0)),
    }


@pytest.mark.parametrize("which", ["passive", "friction", "only", "join"])
def test_changed_robots_survive_pickles(which):
    robot = changed_robots()[which]
    again = pickle.loads(pickle.dumps(robot))
    q, qd, _ = robot.random_state(3, seed=4)
    np.testing.assert_array_equal(again.bias(q, qd), robot.bias(q, qd))
    assert again.description.keys() == robot.description.keys() and copy.deepcopy(robot) is robot


def test_what_changed(panda):
    made = changed_robots()
    assert [joint["passive"] for joint in made["passive"].description["joints"] if joint["type"] != "fixed"] == [False, True, False, True] + [False] * 3
    rubbed = made["friction"].inverse_dynamics(*np.eye(3)[1][:, None] * np.ones(7)) - made["friction"].gravity(np.zeros(7))
    plain = panda.friction({f"panda_joint{k}": (0,) for k in (1, 2)})
    at_rest = plain.inverse_dynamics(*np.eye(3)[1][:, None] * np.ones(7)) - plain.gravity(np.zeros(7))
    np.testing.assert_allclose((rubbed - at_rest)[0], 2.0, atol=1e-12)
    links = [link["name"] for link in panda.description["links"]]
    q = panda.random(1)
    np.testing.assert_allclose(sum(panda.only(link).gravity(q) for link in links), panda.gravity(q), atol=1e-12)
    assert made["join"].nq == 7 + 1 + 2 and made["join"].joint_names[7] == "between"
    with pytest.raises(ValueError, match="has no joint 'knee' that moves"):
        panda.passive("knee")
    with pytest.raises(ValueError, match="numbers of 0 or more"):
        panda.friction({"panda_joint1": (-1,)})
    with pytest.raises(catena.ModelError, match="tail"):
        panda.only("tail")


def test_parameters_belong_to_the_regressor(panda, states):
    theta = panda.parameters()
    regressor = panda.regressor(*states)
    assert regressor.shape[-1] == len(theta) and list(theta)[0] == "m1"
    np.testing.assert_allclose(regressor @ list(theta.values()), panda.inverse_dynamics(*states), atol=1e-10)


# -- models ------------------------------------------------------------------------------------------------------------
HEAVY = """<robot name="heavy"><link name="base"/><link name="rod"><inertial><mass value="1"/>
<inertia ixx="-1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


def test_messages_speak_python():
    with pytest.raises(catena.ModelError, match="lenient=True") as error:
        catena.load(HEAVY)
    assert "--" not in str(error.value)
    assert catena.check(HEAVY) == str(error.value).splitlines()
    with pytest.warns(catena.ModelWarning):
        robot = catena.load(HEAVY, lenient=True)
    assert robot.check() == robot.warnings == catena.check(HEAVY, lenient=True) and robot.warnings
    assert catena.check("panda") == []


def test_the_tool_is_quick(panda):
    assert panda.tool is panda.tool and panda.tool in panda.frames


# -- other libraries ---------------------------------------------------------------------------------------------------
def test_pinocchio_and_back_keeps_tool_and_passive_joints(panda):
    pytest.importorskip("pinocchio")
    robot = catena.load(panda.passive("panda_joint3").to_toml())
    builder = catena.Builder("two", tool="middle").link("base").link("a", mass=1, com=(0.1, 0, 0)).link("b", mass=1, com=(0.1, 0, 0))
    builder.joint("j1", "revolute", "base", "a").joint("j2", "revolute", "a", "b", passive=True).frame("middle", "a")
    for one in (robot, builder.robot()):
        back = catena.from_pinocchio(one.to_pinocchio())
        assert back.tool == one.tool and back.frames == one.frames or set(back.frames) <= set(one.frames) and back.tool == one.tool
        passive = [[j["name"] for j in r.description["joints"] if j["passive"]] for r in (one, back)]
        assert passive[0] == passive[1] and len(passive[0]) == 1


def test_urdf_robots_of_the_robotics_toolbox(panda):
    arm = types.SimpleNamespace(name="arm", gravity=[0, 0, -1.62], urdf_string=panda.to_urdf())  # as its robots from URDF
    np.testing.assert_allclose(catena.from_roboticstoolbox(arm).gravity_vector, [0, 0, -1.62])
    assert catena.from_roboticstoolbox(arm).nq == 7
    arm.urdf_string = ""
    with pytest.raises(ValueError, match="neither Denavit-Hartenberg rows nor a URDF text"):
        catena.from_roboticstoolbox(arm)


# -- pickles --------------------------------------------------------------------------------------------------
def test_bound_methods_and_compiled_jobs_pickle(panda, states):
    for method in (panda.inverse_dynamics, panda.integrate, panda.pose):
        assert pickle.loads(pickle.dumps(method)).__name__ == method.__name__
    again = pickle.loads(pickle.dumps(panda.inverse_dynamics))
    np.testing.assert_array_equal(again(*states), panda.inverse_dynamics(*states))
    job = panda.compile("gravity", fallback=True, search=False)
    other = pickle.loads(pickle.dumps(job))
    assert (other.job, other.method) == (job.job, job.method) and isinstance(job, catena.CompiledJob)
    np.testing.assert_array_equal(job(states[0]), other(states[0]))
