"""What editors, type checkers and help() know of the package."""

import inspect
import json
import os
import pickle
import pydoc
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import catena
from catena import distributed, gpu, interop, signals

PROGRAM = Path(__file__).with_name("typed_program.py")
FOLDER = str(Path(catena.__file__).parent.parent)


def checked(*command, **more):
    return subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True,
                          env={**os.environ, "MYPYPATH": FOLDER, "PYTHONPATH": FOLDER, **more})


def test_the_typed_program_runs():
    subprocess.run([sys.executable, "-W", "ignore", str(PROGRAM)], check=True, timeout=120)


WRONG = ["robot.inverse_dynamics(q, q, q, method='denok')", "robot.gravity(q, engine='fast')", "robot.simulate(1.0, torque='pdd')",
         "robot.simulate(1.0, integrator='euler1')", "robot.energy(q, q).kinetic", "robot.generate(language='cobol')",
         "robot.count('gravity', 'denoc').multiplication", "catena.Builder().joint('a', 'round', 'b', 'c')",
         "robot.trajectory([[0.0]], profile='straight')", "x: int = robot.compile('gravity')(q)"]


def mistakes(tmp_path):
    """A program with a mistake on every line from the fourth on."""
    file = tmp_path / "wrong.py"
    file.write_text("import catena\nrobot = catena.load('panda')\nq = [0.0] * 7\n" + "\n".join(WRONG) + "\n")
    return file


def test_mypy_finds_no_mistake_but_those_that_are_there(tmp_path):
    flags = ["mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    result = checked(*flags, str(PROGRAM))
    assert result.returncode == 0, result.stdout
    result = checked(*flags, str(mistakes(tmp_path)))
    found = {int(line.split(":")[1]) for line in result.stdout.splitlines() if ": error:" in line}
    assert found == set(range(4, 4 + len(WRONG))), result.stdout


def test_pyright_finds_no_mistake_but_those_that_are_there(tmp_path):
    flags = ["pyright", "--pythonpath", sys.executable, "--outputjson"]
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "reportUnusedExpression": false}')
    (tmp_path / "program.py").write_text(PROGRAM.read_text(encoding="utf-8"), encoding="utf-8")
    mistakes(tmp_path)
    report = json.loads(checked(*flags, "--project", str(tmp_path)).stdout)
    errors = [(Path(own["file"]).name, own["range"]["start"]["line"] + 1, own["message"]) for own in report["generalDiagnostics"]
              if own["severity"] == "error"]
    assert [own for own in errors if own[0] == "program.py"] == []
    assert {line for name, line, _ in errors if name == "wrong.py"} == set(range(4, 4 + len(WRONG))), errors


def test_types_are_complete():
    """Everything outside catena.adapters, and 95 % with it; types of other packages do not count."""
    run = checked("pyright", "--pythonpath", sys.executable, "--verifytypes", "catena", "--ignoreexternal", "--outputjson")
    report = json.loads(run.stdout)["typeCompleteness"]
    incomplete = [own["name"] for own in report["symbols"] if own["isExported"] and not own["isTypeKnown"]]
    assert len(report["symbols"]) > 500
    assert [name for name in incomplete if not name.startswith("catena.adapters")] == []
    assert report["completenessScore"] >= 0.95, report["completenessScore"]


# -- help --------------------------------------------------------------------------------------------------------------
def public_objects():
    """Everything public: (name, object, the class it is of)."""
    for module in (catena, signals, gpu, distributed, interop):
        for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
            own = getattr(module, name)
            if inspect.ismodule(own) or not getattr(own, "__module__", "").startswith("catena") or typing.get_origin(own):
                continue
            yield f"{module.__name__}.{name}", own
            if inspect.isclass(own):
                for member in dir(own):
                    if not member.startswith("_") and not hasattr(BaseException, member) and not hasattr(tuple, member):
                        yield f"{module.__name__}.{name}.{member}", inspect.getattr_static(own, member)


def is_field(own):
    return type(own).__name__ in ("_tuplegetter", "member_descriptor") or not (callable(own) or hasattr(own, "__get__"))


def test_everything_public_says_what_it_is():
    found = {name: own for name, own in public_objects() if not is_field(own)}
    assert len(found) > 200
    silent = [name for name, own in found.items() if not inspect.getdoc(own)]
    assert silent == []


def test_signatures_of_methods_on_robots():
    robot = catena.load("panda")
    for name in dir(robot):
        own = getattr(robot, name)
        if name.startswith("_") or not callable(own):
            continue
        taken = inspect.signature(own)
        assert "self" not in taken.parameters and "robot" not in taken.parameters, name
        assert inspect.signature(getattr(type(robot), name)), name
    assert str(inspect.signature(robot.pose)) == \
        "(q, base=None, *, method=None, frame=None, out=None, threads=None, engine=None, device=None)"
    assert str(inspect.signature(robot.compile("gravity", fallback=True))) == "(q, /)"


@pytest.mark.parametrize("job", catena.jobs(), ids=lambda job: job["name"])
def test_help_of_jobs(job):
    robot = catena.load("panda")
    method = getattr(robot, job["method_name"])
    text = pydoc.render_doc(method, renderer=pydoc.plaintext)
    assert f"{job['method_name']}(q" in text and "Returns" in text
    for entry in (*job["inputs"], *job["outputs"]):
        assert f"{entry['name']}: (..." in text and entry["unit"] in text
    assert pickle.loads(pickle.dumps(method)).__name__ == job["method_name"]


def test_results_say_shapes_and_units():
    energy = catena.load("panda").energy([0.0] * 7, [0.0] * 7)
    assert "kinetic_energy: (...), " in type(energy).__doc__ and " J" in type(energy).__doc__


# -- arguments of jobs -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("call, says", [
    (lambda robot: robot.gravity(), r"gravity\(\) needs q; it takes q, base, and by name method"),
    (lambda robot: robot.gravity([0] * 7, None, 3), r"gravity\(\) was given 3 arrays"),
    (lambda robot: robot.gravity([0] * 7, colour=3), r"gravity\(\) takes no argument 'colour'"),
    (lambda robot: robot.gravity([0] * 7, q=[0] * 7), r"gravity\(\) was given 'q' twice"),
    (lambda robot: catena.Robot.gravity(3, [0] * 7), "requires a 'RobotCore' object|descriptor 'gravity'"),
    (lambda robot: catena.Robot.__new__(catena.Robot).gravity([0] * 7), "this robot was not made"),
    (lambda robot: robot.evaluate(), r"evaluate\(\) takes the name of a job"),
    (lambda robot: robot.evaluate("gravity"), "the job 'gravity' takes q; 0 arrays were given"),
])
def test_wrong_arguments_of_jobs(panda, call, says):
    with pytest.raises(TypeError, match=says):
        call(panda)


def test_arguments_by_name(panda):
    q, qd, qdd = panda.random_state(seed=5)
    tau = panda.inverse_dynamics(q, qd, qdd)
    assert (panda.inverse_dynamics(qdd=qdd, qd=qd, q=q, base=None) == tau).all()
    assert (panda.inverse_dynamics(q, qd, qdd, None, engine=None) == tau).all()
