"""Jobs as CasADi functions: of its own operations, and as C that it loads, with exact first and second derivatives."""

import shutil
import subprocess

import numpy as np
import pytest

import catena

casadi = pytest.importorskip("casadi")


def state_of(robot, job, seed=5):
    q, qd, qdd = robot.random_state(seed=seed)
    given = {"q": q, "qd": qd, "base": np.linspace(-0.4, 0.5, 12)}
    return [given.get(name, qdd) for name, _ in robot._inputs(job)]


def placed(robot, function, given):
    """For closed loops q is all positions: CasADi's functions do not close them."""
    if function.size1_in(0) == given[0].size:
        return given
    return [np.ravel(robot.evaluate("place", given[0])), *given[1:]]


def flat(result):
    parts = result if isinstance(result, tuple) else (result,)
    return [np.asarray(part, float).ravel() for part in parts]


FOLLOWS = """<robot name="follows"><link name="base"/>
  <link name="a"><inertial><origin xyz="0.2 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><origin xyz="0.1 0.05 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="c"><inertial><origin xyz="0 0.1 0"/><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="first" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
  <joint name="second" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>
    <mimic joint="first" multiplier="-0.5" offset="0.1"/></joint>
  <joint name="third" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0.3 0 0"/><axis xyz="1 0 0"/></joint></robot>"""

KINDS = {
    "arm": lambda: catena.load("panda"),
    "friction": lambda: catena.load("stanford"),
    "passive": lambda: catena.load("pelican_crucible"),
    "free": lambda: catena.load("ur5").on_free_base(),
    "moving": lambda: catena.load("ur5").on_moving_base(),
    "payload": lambda: catena.load("ur5").payload(2.0, (0, 0.1, 0.05)).lock(wrist_1_joint=0.3),
    "coupled": lambda: catena.load(FOLLOWS),
    "loop": lambda: catena.load("five_bar"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_job_natively(kind):
    robot = KINDS[kind]()
    for job in catena.jobs():
        name = job["name"]
        given = state_of(robot, name)
        if name == "place" and kind == "loop":  # steps of Newton's method
            continue
        if "curvature" in name and kind == "loop":
            with pytest.raises(ValueError, match="only by calls"):
                robot.casadi(name, search=False)
            continue
        function = robot.casadi(name, search=False)
        found = function.call([casadi.DM(x) for x in placed(robot, function, given)])
        scale = 1.0
        for ours, theirs in zip(flat(robot.evaluate(name, *given)), found):
            scale = max(scale, np.abs(ours).max(initial=0.0))
            matrix = np.array(casadi.DM(theirs).full())
            np.testing.assert_allclose(matrix.ravel(), ours, atol=1e-9 * scale, rtol=0, err_msg=f"{kind} {name}")


def test_derivatives_to_second_order(panda):
    q, qd, qdd = panda.random_state(seed=3)
    function = panda.casadi("inverse")
    x = casadi.SX.sym("x", 21)
    tau = function(x[:7], x[7:14], x[14:])
    at = np.concatenate([q, qd, qdd])
    slopes = casadi.Function("slopes", [x], [casadi.jacobian(tau, x)])
    np.testing.assert_allclose(np.array(slopes(at)), np.hstack(catena.adapters.derivatives(panda, "inverse", q, qd, qdd)), atol=1e-10)
    weights = np.linspace(-1, 1, 7)
    hessian = casadi.Function("hessian", [x], [casadi.hessian(casadi.dot(casadi.DM(weights), tau), x)[0]])
    step = 1e-5
    differences = np.stack([weights @ (np.array(slopes(at + d)) - np.array(slopes(at - d))) / (2 * step) for d in step * np.eye(21)])
    np.testing.assert_allclose(np.array(hessian(at)), differences, atol=2e-7)


def test_constants_that_stay_arguments_and_several_jobs():
    robot = catena.load("ur5")
    q, qd, qdd = robot.random_state(seed=4)
    function = robot.casadi("inverse", keep="mass:6", gravity_input=True)
    assert function.name_in() == ["q", "qd", "qdd", "gravity", "parameters"]
    np.testing.assert_allclose(np.array(function(q, qd, qdd, [0, 0, -9.81], [0.1879])).ravel(), robot.inverse_dynamics(q, qd, qdd),
                               atol=1e-10)
    both = robot.casadi("inertia", "gravity")
    M, g = both(q)
    np.testing.assert_allclose(np.array(M), robot.inertia_matrix(q), atol=1e-12)
    np.testing.assert_allclose(np.array(g).ravel(), robot.gravity(q), atol=1e-12)


@pytest.mark.parametrize("kind", ["arm", "friction", "free", "coupled", "loop"])
def test_c_that_casadi_loads(kind, tmp_path):
    robot = KINDS[kind]()
    jobs = ["inverse", "forward", "inertia", "pose"]
    files = robot.generate(*jobs, abi="casadi", derivatives=2, name="arm", search=False).save(tmp_path / "arm.c")
    assert [file.name for file in files] == ["arm.c", "arm.h"]
    subprocess.run([shutil.which("cc"), "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-fPIC", "-shared", "arm.c", "-o",
                    "arm.so", "-lm"], cwd=tmp_path, check=True)
    for job in jobs:
        native, loaded = robot.casadi(job, search=False), casadi.external(f"arm_{job}", str(tmp_path / "arm.so"))
        assert (native.name_in(), native.name_out()) == (loaded.name_in(), loaded.name_out())
        given = [casadi.DM(x) for x in placed(robot, native, state_of(robot, job))]
        results = [casadi.DM.zeros(*native.size_out(k)) for k in range(native.n_out())]
        weights = [casadi.DM(np.sin(np.arange(r.numel()) + 1.0).reshape(r.shape)) for r in results]
        same = [(native, loaded, given), (native.jacobian(), loaded.jacobian(), given + results),
                (native.reverse(1), loaded.reverse(1), given + results + weights)]
        assert loaded.jacobian().name() == f"jac_arm_{job}" and "External" in str(loaded.jacobian())
        seconds = [casadi.DM.zeros(*same[2][0].size_out(k)) for k in range(same[2][0].n_out())]
        same.append((native.reverse(1).jacobian(), loaded.reverse(1).jacobian(), given + results + weights + seconds))
        assert same[3][1].name() == f"jac_adj1_arm_{job}"
        for ours, theirs, arguments in same:
            for a, b in zip(ours.call(arguments), theirs.call(arguments)):
                a, b = casadi.DM(a).full(), casadi.DM(b).full()
                np.testing.assert_allclose(b, a, atol=1e-9 * max(1.0, np.abs(a).max(initial=0.0)), rtol=0, err_msg=f"{kind} {theirs.name()}")


def test_null_pointers_are_zeros(tmp_path):
    """CasADi hands a null pointer for an argument that is zero and for a result that is not wanted."""
    import ctypes

    robot = catena.load("ur5")
    robot.generate("inverse", abi="casadi", derivatives=1, name="arm", search=False).save(tmp_path / "arm.c")
    subprocess.run([shutil.which("cc"), "-O1", "-fPIC", "-shared", "arm.c", "-o", "arm.so", "-lm"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "arm.so"))
    double = ctypes.POINTER(ctypes.c_double)
    q = robot.random_state(seed=2)[0]
    tau, D, work = np.zeros(6), np.zeros(36), np.zeros(200)
    pointer = lambda x: x.ctypes.data_as(double)
    assert library.arm_inverse((double * 3)(pointer(q), None, None), (double * 1)(pointer(tau)), None, pointer(work), 0) == 0
    np.testing.assert_allclose(tau, robot.gravity(q), atol=1e-12)
    assert library.jac_arm_inverse((double * 4)(pointer(q), None, None, None), (double * 3)(None, None, pointer(D)), None, pointer(work), 0) == 0
    entries = np.sort(np.abs(D[D != 0]))
    M = robot.inertia_matrix(q)
    np.testing.assert_allclose(entries, np.sort(np.abs(M[np.abs(M) > 1e-14])), atol=1e-12)


@pytest.mark.parametrize("wrong, words", [(dict(abi="fortran"), "abi is"), (dict(abi="casadi", float32=True), "double precision"),
                                          (dict(abi="casadi", language="python"), "straight-line C"), (dict(derivatives=3), "0, 1 or 2")])
def test_what_does_not_go_together(panda, wrong, words):
    with pytest.raises(ValueError, match=words):
        panda.generate("gravity", search=False, **wrong)
