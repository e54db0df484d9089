"""How far a computation is, and Ctrl-C while it runs."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import catena


@pytest.fixture(scope="module")
def logged(panda):
    q, qd, qdd = panda.random_state(40_000, seed=6)
    return np.hstack([q, qd, qdd]), panda.inverse_dynamics(q, qd, qdd)


def long_plan(panda):
    points = panda.random_state(60, seed=2)[0]
    return panda.trajectory(points, np.linspace(0, 60, 60))


LONG = {
    "batch": lambda panda, logged: [panda.inertia_matrix(np.zeros((400_000, 7)), threads=1)
                                    for _ in range(40)],
    "check_limits": lambda panda, logged: panda.check_limits(long_plan(panda), samples=2_000_000),
    "excite": lambda panda, logged: panda.excite(10.0, starts=50, steps=100_000),
    "identify": lambda panda, logged: [catena.Identifier(panda, physical=True).fit(*logged) for _ in range(50)],
    "calibrate": lambda panda, logged: [catena.Calibrator(panda).cross_validate(
        logged[0][:2000, :7], panda.pose(logged[0][:2000, :7])[:, :3, 3], folds=20) for _ in range(50)],
    "inverse_kinematics": lambda panda, logged: panda.inverse_kinematics(np.full((5000, 3), 3.0), tries=1000),
    "time_optimal": lambda panda, logged: panda.time_optimal(panda.random_state(10, seed=4)[0], intervals=500_000),
    "equilibria": lambda panda, logged: panda.passive(*panda.joint_names).equilibria(np.zeros(7), starts=1_000_000),
    "simulate": lambda panda, logged: panda.simulate(1e6, samples=3),
    "generate": lambda panda, logged: [panda.generate("response", "curvature") for _ in range(50)],
    "compile": lambda panda, logged: [panda.payload(0.1 + k).compile("response") for k in range(50)],
}


@pytest.mark.parametrize("what", LONG)
def test_ctrl_c(panda, logged, what, tmp_path, monkeypatch):
    """A signal after 0.3 s ends it within two seconds."""
    monkeypatch.setenv("CATENA_CACHE_DIR", str(tmp_path))
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))  # a thread that gets to run: the lock is not held
    due = time.monotonic() + 0.3
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            LONG[what](panda, logged)
        waited = time.monotonic() - due
    finally:
        timer.cancel()
        timer.join()
    assert waited < 2.0, f"{waited:.2f} s"
    children = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "comm="], capture_output=True, text=True).stdout
    assert "cc" not in children, children  # no compiler is left


TOLD = {
    "batch": lambda panda, logged, tell: batch(panda, tell),
    "excite": lambda panda, logged, tell: panda.excite(10.0, starts=6, steps=60, progress=tell),
    "inverse_kinematics": lambda panda, logged, tell: panda.inverse_kinematics(
        panda.pose(panda.random_state(3000, seed=1)[0]), progress=tell),
    "generate": lambda panda, logged, tell: panda.generate("inverse", "response", "curvature", progress=tell),
    "compile": lambda panda, logged, tell: panda.payload(0.1).compile("response", progress=tell),
    "simulate": lambda panda, logged, tell: panda.simulate(1.0, samples=50, progress=tell),
}


def batch(panda, tell):
    with catena.progress("torques", tell):
        for _ in range(8):
            panda.inertia_matrix(np.zeros((200_000, 7)), threads=1)


@pytest.mark.parametrize("what", TOLD)
def test_progress_is_told(panda, logged, what, tmp_path, monkeypatch):
    monkeypatch.setenv("CATENA_CACHE_DIR", str(tmp_path))
    shares = []
    TOLD[what](panda, logged, shares.append)
    assert len(shares) >= 2 and all(0.0 <= share <= 1.0 for share in shares)
    if what != "batch":  # eight of them
        assert shares == sorted(shares)


@pytest.mark.parametrize("what", TOLD)
def test_what_progress_raises_ends_the_computation(panda, logged, what, tmp_path, monkeypatch):
    monkeypatch.setenv("CATENA_CACHE_DIR", str(tmp_path))

    def enough(share):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        TOLD[what](panda, logged, enough)


@pytest.mark.parametrize("tqdm", [True, False])
def test_bars(panda, capsys, monkeypatch, tqdm):
    if tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    panda.simulate(0.5, samples=20, progress=True)
    said = capsys.readouterr().err
    assert "simulation: 100 %" in said.replace("  ", " ") and said.endswith("\n")
    assert ("|" in said) == tqdm


def test_identification_takes_progress(panda, logged, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    catena.Identifier(panda).fit(*logged, progress=True)
    assert capsys.readouterr().err.endswith("identification: 100 %\n")
    with pytest.raises(TypeError, match="progress takes True, False or a function"):
        catena.progress(show=3)
