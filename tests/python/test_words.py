"""Messages that people read in Python speak of Python's arguments."""

import os
import warnings
from pathlib import Path

import numpy as np
import pytest

import catena
from catena._words import in_python

IMPOSSIBLE = "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='9' ixy='0' " \
             "ixz='0' iyz='0'/></inertial></link><joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>" \
             "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"


def table(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def rows(columns, count=400):
    t = np.arange(count) * 0.01
    return t, np.column_stack([0.5 * np.sin((1 + 0.3 * k) * t + k) for k in range(columns)])


def findings(panda, scale, torque=1.0, period=0.01):
    """What is said of a log with positions and torques that were changed like this."""
    t, q = rows(7, 2000)
    qd, qdd = np.gradient(q, 0.01, axis=0), np.gradient(np.gradient(q, 0.01, axis=0), 0.01, axis=0)
    log = panda.prepare_log(scale * q, torque * panda.inverse_dynamics(q, qd, qdd), t=t / 0.01 * period)
    return [text for own in log.findings for text in (own.text, own.cure)]


def builder():
    b = catena.Builder("odd").link("base").link("rod", mass=-1.0, inertia=(1, 1, 9, 0, 0, 0))
    return b.joint("hinge", "revolute", "base", "rod")


PROVOKED = {
    "urdf": lambda panda, folder: catena.load(IMPOSSIBLE),
    "check": lambda panda, folder: catena.check(IMPOSSIBLE),
    "builder": lambda panda, folder: builder().robot(),
    "payload": lambda panda, folder: panda.payload(-1.0, inertia=(1, 1, 9, 0, 0, 0)),
    "mjcf": lambda panda, folder: catena.load("<mujoco><worldbody><body><joint type='hinge'/><geom type='sphere' size='1'/></body></worldbody>"
                                              "<tendon><spatial><site site='a'/></spatial></tendon></mujoco>"),
    "sdf": lambda panda, folder: catena.load("<sdf version='1.9'><model name='m'><link name='a'/><gripper name='g'/></model></sdf>"),
    "no column": lambda panda, folder: panda.read_log(table(folder, "a.csv", "t,x\n0,1\n1,2\n")),
    "no clock": lambda panda, folder: panda.read_log(table(folder, "b.csv", ",".join(f"q{k}" for k in range(1, 8)) + "\n" + "0,0,0,0,0,0,0\n" * 4)),
    "no names": lambda panda, folder: panda.read_log(table(folder, "c.csv", "0,0,0,0,0,0,0,0\n" * 4)),
    "an array": lambda panda, folder: (np.save(folder / "d.npy", np.zeros((5, 8))), panda.read_log(str(folder / "d.npy")))[1],
    "degrees": lambda panda, folder: findings(panda, 57.3),
    "motors": lambda panda, folder: findings(panda, 100.0),
    "sign": lambda panda, folder: findings(panda, 1.0, -1.0),
    "milli": lambda panda, folder: findings(panda, 1.0, 1000.0),
    "clock": lambda panda, folder: findings(panda, 1.0, 1.0, 10.0),
}


@pytest.mark.parametrize("what", PROVOKED)
def test_no_word_of_the_command_line(panda, what, tmp_path):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            said = PROVOKED[what](panda, tmp_path)
            said = said if isinstance(said, list) else []
        except (ValueError, RuntimeError, OSError) as error:
            said = [str(error)]
    said = [*said, *(str(one.message) for one in warned)]
    assert said, "nothing was said"
    assert [text for text in said if "--" in text] == []


@pytest.mark.parametrize("program, package", [
    ("--unit q=deg", 'units={"q": "deg"}'), ("(--gear)", "(gears)"), ("--gear model", "gears= with the model's ratios"),
    ("--offset q2=-pi/2", 'offsets={"q2": "-pi/2"}'), ("--swap q1,q3", "columns= with those of q1 and q3 exchanged"),
    ("(--column tau#=NAME_#)", '(columns={"tau#": "NAME_#"})'), ("or the rate (--rate HZ)", "or the rate (rate=HZ)"),
    ("name its 3 (--columns)", "name its 3 (header)"), ("(--columns t,q1,…)", "(header=['t', 'q1', '…'])"),
    ("--lenient takes it", "lenient=True takes it"), ("(--from, --to)", "(start, end)"), ("--cutoff 12.5", "cutoff=12.5")])
def test_words(program, package):
    assert in_python(program) == package


# -- nothing is left behind --------------------------------------------------------------------------------------------
WRONG = {
    "compile": lambda panda: panda.compile("inverse_dynamics", method="nope"),
    "batch": lambda panda: panda.inverse_dynamics(*panda.random_state(9, seed=1), method="nope", engine="compiled"),
    "generate": lambda panda: panda.generate(method="nope").save("left.c"),
    "simulate": lambda panda: panda.simulate(0.1, method="nope"),
    "distributed": lambda panda: catena.distributed.evaluate(panda, "gravity", [np.zeros((5, 7))], "left.npy", method="nope"),
    "distributed frame": lambda panda: catena.distributed.evaluate(panda, "pose", [np.zeros((5, 7))], "left.npy", frame="nope"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_method_leaves_no_files(panda, what, tmp_path, monkeypatch):
    if what.startswith("distributed"):
        pytest.importorskip("dask")
    monkeypatch.setenv("CATENA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, RuntimeError), match="nope"):
        WRONG[what](panda)
    assert [name for _, _, files in os.walk(tmp_path) for name in files] == []


def test_models_are_those_of_the_package():
    with pytest.raises(catena.ModelError, match="looked in .*catena/share/catena/models") as raised:
        catena.load("nosuch")
    assert str(Path(__file__).resolve().parents[2] / "models") not in str(raised.value)
