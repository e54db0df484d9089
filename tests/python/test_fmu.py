"""FMUs that `catena generate --lang fmu` writes, as FMPy checks, builds and simulates them, beside `catena simulate`."""

import csv
import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

import fmpy
from fmpy.build import build_platform_binary  # noqa: E402
from fmpy.fmi2 import FMU2Model, FMU2Slave  # noqa: E402
from fmpy.fmi3 import FMU3Model, FMU3Slave  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

START = [0.1, -0.4, 0.2, -1.9, 0.3, 1.5, 0.5]
TORQUE = [1.0, -5.0, 1.0, 5.0, 0.5, 0.5, 0.1]
FRICTION = [10.0, 10.0, 8.0, 8.0, 1.0, 1.0, 0.5]
TREE = """<robot name="{name}"><link name="base"/>
  <link name="a"><inertial><origin xyz="0.2 0 0.1"/><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><origin xyz="0.1 0.05 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="c"><inertial><origin xyz="0 0 0.2"/><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="first" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
  <joint name="second" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>{coupled}</joint>
  <joint name="third" type="continuous"><parent link="a"/><child link="c"/><origin xyz="0.3 0 0"/><axis xyz="1 0 0"/></joint></robot>"""
ENERGIES = ["energy.kinetic", "energy.potential"]
TOOL = "panda_link8"
COUPLED = '<mimic joint="first" multiplier="-0.5" offset="0.1"/>'


def catena_program(*words, status=0):
    done = subprocess.run([os.environ["CATENA_PROGRAM"], *map(str, words)], text=True, capture_output=True)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def generate(folder, robot, *options, name="robot.fmu"):
    path = folder / name
    catena_program("generate", robot, "--lang", "fmu", "--no-search", "-o", path, "--force", *options)
    return str(path)


def simulated(folder, robot, time, samples, *options):
    """Columns of `catena simulate` by name."""
    path = folder / "simulated.csv"
    catena_program("simulate", robot, "--time", time, "--samples", samples, "-o", path, "--rtol", "1e-13", "--atol", "1e-14", *options)
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def joined(numbers):
    return ",".join(map(repr, numbers))


def states(result, n, letter="q", brackets=True):
    return np.array([result[f"{letter}[{k}]" if brackets else f"{letter}{k}"] for k in range(1, n + 1)]).T


def numbered(name, values):
    return {f"{name}[{k + 1}]": value for k, value in enumerate(values)}


def run(path, kind, time, start, interval, tolerance=1e-12, **more):
    return fmpy.simulate_fmu(path, fmi_type={"me": "ModelExchange", "cs": "CoSimulation"}[kind], stop_time=time, start_values=start,
                             output_interval=interval, relative_tolerance=tolerance, record_events=False, **more)


@pytest.fixture(scope="module")
def tree_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trees")
    for name, coupled in [("tree", ""), ("coupled", COUPLED)]:
        (folder / f"{name}.urdf").write_text(TREE.format(name=name, coupled=coupled), encoding="utf-8")
    return folder


ROBOTS = {"plain": ["ur5"], "tree": ["{trees}/tree.urdf"], "coupled": ["{trees}/coupled.urdf"], "free": ["ur5", "--floating-base"],
          "passive": ["planar2r", "--passive", "joint2"], "loop": ["fourbar_press", "--friction", "crank:0.05"], "sliding": ["stanford"], "one joint": ["pelican", "--lock", "elbow=0"]}


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("kind", ["me", "cs", ""])
@pytest.mark.parametrize("law", ["", "computed"])
def test_is_valid(tmp_path, fmi, kind, law):
    path = generate(tmp_path, "panda", "--fmi", fmi, *(["--kind", kind] if kind else []), *(["--law", law] if law else []))
    assert validate_fmu(path) == []
    described = fmpy.read_model_description(path)
    assert (described.modelExchange is not None, described.coSimulation is not None) == (kind != "cs", kind != "me")
    assert fmpy.supported_platforms(path).__contains__("c-code")
    assert len(described.derivatives) == 14


@pytest.mark.parametrize("kind", ROBOTS)
@pytest.mark.parametrize("fmi", [2, 3])
def test_every_kind_of_robot_moves_as_simulated(tmp_path, tree_files, kind, fmi):
    words = [word.format(trees=tree_files) for word in ROBOTS[kind]]
    path = generate(tmp_path, *words, "--fmi", fmi)
    assert validate_fmu(path) == []
    described = fmpy.read_model_description(path)
    begins = [float(v.start) for v in described.modelVariables if v.name.startswith("q[")]
    if kind == "loop":  # all its joints are states; the crank is the coordinate
        begins = begins[:1]
    speeds = [0.3 - 0.5 * (k % 2) for k in range(sum(v.name.startswith("qd[") for v in described.modelVariables))]
    expected = simulated(tmp_path, *words[:1], 0.5, 6, "--q", joined(begins), "--qd", joined(speeds), *words[1:])
    for how in ("me", "cs"):
        result = run(path, how, 0.5, numbered("qd", speeds), 0.02, 1e-11)[::5]
        np.testing.assert_allclose(states(result, len(begins)), states(expected, len(begins), brackets=False), atol=2e-9)


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("kind", ["me", "cs"])
def test_ten_seconds_of_a_panda(tmp_path, fmi, kind):
    """Friction by parameters here, by an option there: a free swing would amplify rounding errors."""
    path = generate(tmp_path, "panda", "--fmi", fmi)
    start = {**numbered("q", START), **numbered("tau", TORQUE), **numbered("friction.viscous", FRICTION), "payload.mass": 1.5, "payload.centre[3]": 0.1}
    result = run(path, kind, 10.0, start, 0.01, output=[f"{letter}[{k}]" for letter in ("q", "qd") for k in range(1, 8)] + ENERGIES)
    friction = [word for k in range(7) for word in ("--friction", f"panda_joint{k + 1}:{FRICTION[k]}")]
    expected = simulated(tmp_path, "panda", 10, 1001, "--q", joined(START), "--torque", "constant", "--tau", joined(TORQUE), *friction,
                         "--payload", TOOL + ":1.5,0,0,0.1")
    for letter in ("q", "qd"):
        np.testing.assert_allclose(states(result, 7, letter), states(expected, 7, letter, brackets=False), atol=1e-9)
    for name in ("kinetic", "potential"):
        np.testing.assert_allclose(result["energy." + name] - result["energy." + name][0], expected[name] - expected[name][0], atol=1e-8)


def test_dry_friction_without_a_jump(tmp_path):
    path = generate(tmp_path, "fourbar_press")
    described = fmpy.read_model_description(path)
    begin = next(float(v.start) for v in described.modelVariables if v.name == "q[1]")
    expected = simulated(tmp_path, "fourbar_press", 0.5, 6, "--q", begin)
    for how in ("me", "cs"):
        result = run(path, how, 0.5, {"friction.rest_speed": 1e-5}, 0.02, 1e-10)[::5]
        np.testing.assert_allclose(result["q[1]"], expected["q1"], atol=1e-6)


@pytest.mark.parametrize("law", ["computed", "pid", "impedance"])
@pytest.mark.parametrize("fmi", [2, 3])
def test_a_law_inside(tmp_path, law, fmi):
    begin, end = [0.0, -1.2, 1.0, 0.0, 1.0, 0.0], [0.1, -1.0, 1.0, 0.0, 1.0, 0.0]
    path = generate(tmp_path, "ur5", "--law", law, "--fmi", fmi)
    assert validate_fmu(path) == []
    pose = np.array(json.loads(catena_program("pose", "ur5", "--q", joined(begin), "--json"))["T"])
    wanted = {"pose_ref": [*pose[:3, 3], *pose[:3, :3].ravel()]} if law == "impedance" else {"q_ref": end}
    expected = simulated(tmp_path, "ur5", 0.5, 6, "--q", joined(begin), "--qd", joined([0.3] * 6), "--torque", law, "--period", "0.001",
                         *(["--directions", "all", "--goal", joined(pose[:3, 3].tolist())] if law == "impedance" else ["--target", joined(end)]))
    start = {**numbered("q", begin), **numbered("qd", [0.3] * 6), **{name: v for group, values in wanted.items() for name, v in numbered(group, values).items()}}
    names = [f"{letter}[{k}]" for letter in ("q", "tau") for k in range(1, 7)]
    for how in ("me", "cs"):
        result = run(path, how, 0.5, start, 0.1, 1e-10, output=names)
        np.testing.assert_allclose(states(result, 6), states(expected, 6, brackets=False), atol=1e-7)


def instance(path, kind, folder):
    described = fmpy.read_model_description(path)
    unpacked = fmpy.extract(path, folder / f"unpacked_{kind}")
    two = described.fmiVersion == "2.0"
    makers = {("me", True): FMU2Model, ("cs", True): FMU2Slave, ("me", False): FMU3Model, ("cs", False): FMU3Slave}
    interface = described.modelExchange if kind == "me" else described.coSimulation
    fmu = makers[kind, two](guid=described.guid, unzipDirectory=unpacked, modelIdentifier=interface.modelIdentifier, instanceName="one")
    fmu.instantiate()
    if two:
        fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    return fmu, {v.name: v.valueReference for v in described.modelVariables}


def begin_with(fmu, at, values):
    write = fmu.setReal if hasattr(fmu, "setReal") else fmu.setFloat64
    write([at[name] for name in values], list(values.values()))
    fmu.exitInitializationMode()


def read(fmu, at, names):
    return np.array((fmu.getReal if hasattr(fmu, "getReal") else fmu.getFloat64)([at[name] for name in names]))


@pytest.mark.parametrize("fmi", [2, 3])
def test_derivatives_are_those_of_response(tmp_path, fmi):
    q, qd, tau = [0.0, -1.0, 1.0, 0.2, 1.0, 0.3], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    given = ["--q", joined(q), "--qd", joined(qd), "--tau", joined(tau), "--json"]
    expected = json.loads(catena_program("response", "ur5", *given))
    fmu, at = instance(generate(tmp_path, "ur5", "--fmi", fmi), "me", tmp_path)
    begin_with(fmu, at, {**numbered("q", q), **numbered("qd", qd), **numbered("tau", tau)})
    results = [at[f"qdd[{k}]"] for k in range(1, 7)]
    for letter, block in (("q", "qdd_q"), ("qd", "qdd_qd"), ("tau", "qdd_tau")):
        columns = [fmu.getDirectionalDerivative(results, [at[f"{letter}[{k}]"]], [1.0]) for k in range(1, 7)]
        np.testing.assert_allclose(np.array(columns).T, expected[block], rtol=1e-9, atol=1e-8)
    acceleration = json.loads(catena_program("forward", "ur5", *given))["qdd"]
    np.testing.assert_allclose(read(fmu, at, [f"qdd[{k}]" for k in range(1, 7)]), acceleration, rtol=1e-11)
    pose = np.array(json.loads(catena_program("pose", "ur5", "--q", joined(q), "--json"))["T"])
    np.testing.assert_allclose(read(fmu, at, [f"tool.position[{k}]" for k in (1, 2, 3)]), pose[:3, 3], atol=1e-14)
    found = read(fmu, at, [f"tool.rotation[{row},{column}]" for row in (1, 2, 3) for column in (1, 2, 3)])
    np.testing.assert_allclose(found, pose[:3, :3].ravel(), atol=1e-14)
    for name in ("payload.mass", "friction.dry[2]", "q[2]"):  # beside finite differences
        write = fmu.setReal if fmi == 2 else fmu.setFloat64
        own = fmu.getDirectionalDerivative(results, [at[name]], [1.0])
        if name == "q[2]":
            continue
        before = read(fmu, at, [f"qdd[{k}]" for k in range(1, 7)])
        write([at[name]], [1e-6])
        after = read(fmu, at, [f"qdd[{k}]" for k in range(1, 7)])
        write([at[name]], [0.0])
        np.testing.assert_allclose(own, (after - before) / 1e-6, rtol=1e-3, atol=1e-3)
    fmu.terminate()
    fmu.freeInstance()


@pytest.mark.parametrize("fmi", [2, 3])
def test_states_are_saved_and_set_again(tmp_path, fmi):
    fmu, at = instance(generate(tmp_path, "ur5", "--fmi", fmi, "--law", "pid"), "cs", tmp_path)
    begin_with(fmu, at, numbered("q_ref", [0.1, -1.0, 1.0, 0.0, 1.0, 0.0]))
    names = [f"{letter}[{k}]" for letter in ("q", "qd", "tau") for k in range(1, 7)]
    suffix = "state" if fmi == 2 else "State"

    def step(t):
        fmu.doStep(currentCommunicationPoint=t, communicationStepSize=0.0137)
        return read(fmu, at, names)

    step(0.0)
    kept = getattr(fmu, "getFMU" + suffix)()
    size_and_bytes = getattr(fmu, "serializeFMU" + suffix)(kept)
    first = step(0.0137)
    getattr(fmu, "setFMU" + suffix)(kept)
    assert np.array_equal(step(0.0137), first)
    again = getattr(fmu, "deSerializeFMU" + suffix if fmi == 2 else "deserializeFMUState")(size_and_bytes)
    getattr(fmu, "setFMU" + suffix)(again)
    assert np.array_equal(step(0.0137), first)
    for state in (kept, again):
        getattr(fmu, "freeFMU" + suffix)(state)
    fmu.reset()
    fmu.freeInstance()


@pytest.mark.parametrize("fmi", [2, 3])
def test_is_built_from_its_sources(tmp_path, fmi):
    path = generate(tmp_path, "ur5", "--fmi", fmi)
    unpacked = Path(fmpy.extract(path, tmp_path / "unpacked"))
    shutil.rmtree(unpacked / "binaries")
    build_platform_binary(unpacked, configuration="Release", generator="Unix Makefiles")
    built = run(str(unpacked), "cs", 0.1, {}, 0.05)
    ours = run(path, "cs", 0.1, {}, 0.05)
    np.testing.assert_allclose(states(built, 6), states(ours, 6), atol=1e-12)


@pytest.mark.parametrize("options", [["--fmi", "2"], [], ["--law", "pid"], ["--fmi", "2", "--law", "adaptive"]])
def test_the_source_compiles_without_a_warning(tmp_path, options):
    with zipfile.ZipFile(generate(tmp_path, "ur5", *options)) as archive:
        (tmp_path / "fmu.c").write_bytes(archive.read("sources/fmu.c"))
    for compiler in ("gcc", "clang-14"):
        if shutil.which(compiler):
            subprocess.run([compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", tmp_path / "fmu.c", "-o", tmp_path / "fmu.o"], check=True)


@pytest.mark.parametrize("name", ["a&quot;/&gt;&lt;b&amp;", "*/ int x; /*", "??/", "$(id)\\n%s", "ü -- ]]&gt;"])
@pytest.mark.parametrize("fmi", [2, 3])
def test_no_name_becomes_code(tmp_path, name, fmi):
    (tmp_path / "hostile.urdf").write_text(TREE.format(name=name, coupled="").replace('"first"', f'"{name}"'), encoding="utf-8")
    path = generate(tmp_path, tmp_path / "hostile.urdf", "--fmi", fmi)
    assert validate_fmu(path) == []
    assert run(path, "cs", 0.1, {}, 0.1)["time"][-1] == 0.1


def test_the_same_bytes_again_and_sources_alone(tmp_path, monkeypatch):
    first, second = (Path(generate(tmp_path, "planar2r", name=name)).read_bytes() for name in ("a.fmu", "b.fmu"))
    assert first == second
    monkeypatch.setenv("CC", "/nowhere/cc")
    said = catena_program("generate", "planar2r", "--lang", "fmu", "-o", tmp_path / "c.fmu")
    assert "c.fmu has sources and no binary: no C compiler" in said
    assert validate_fmu(str(tmp_path / "c.fmu")) == []


@pytest.mark.parametrize("words, says", [
    (["--lang", "fmu"], "--lang fmu needs -o FILE"),
    (["--lang", "fmu", "-o", "x.fmu", "--compute", "inverse"], "--compute does not go with --lang fmu"),
    (["--kind", "me"], "--kind goes with --lang fmu"),
    (["--fmi", "2"], "--fmi goes with --lang fmu"),
    (["--lang", "fmu", "--fmi", "1", "-o", "x.fmu"], "--fmi"),
    (["--lang", "fmu", "-o", "x.fmu", "--name", "a b"], "cannot name an FMU"),
    (["--lang", "fmu", "-o", "x.fmu", "--limit", "10"], "--limit N allows more"),
    (["--lang", "fmu", "-o", "x.fmu", "--law", "lqr"], "--law lqr needs --trajectory"),
])
def test_refuses_in_one_line(words, says):
    said = catena_program("generate", "ur5", *words, status=2)
    assert says in said and said.count("\n") == 1
