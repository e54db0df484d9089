"""Chunks on a Dask cluster: a worker killed in the middle, a run that is continued, files that never look complete before they are."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from catena import distributed as ours

JOB = ["q", "qd", "qdd"]


@pytest.fixture
def files(panda, tmp_path):
    arrays = panda.random_state(3_000, seed=7)
    paths = {}
    for name, values in zip(JOB, arrays):
        paths[name] = tmp_path / f"{name}.npy"
        np.save(paths[name], values)
    return paths, panda.inverse_dynamics(*arrays)


def test_here(panda, files, tmp_path):
    paths, expected = files
    report = ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=700)
    assert (report.states, report.chunks, report.computed, report.failed) == (3000, 5, 5, 0)
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy"), expected)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["q.npy", "qd.npy", "qdd.npy", "tau.npy"]
    with pytest.raises(FileExistsError):
        ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=700)


def test_arrays_zarr_and_several_outputs(panda, files, tmp_path):
    zarr = pytest.importorskip("zarr")
    q, qd = (np.load(files[0][name]).astype(np.float32) for name in ("q", "qd"))
    zarr.save_array(str(tmp_path / "q.zarr"), q)
    q[5] = np.nan
    ours.evaluate(panda, "energy", {"q": tmp_path / "q.zarr", "qd": qd}, tmp_path / "e.zarr", chunk=1000)
    kinetic = zarr.open_array(str(tmp_path / "e.kinetic_energy.zarr"), mode="r")
    assert kinetic.dtype == np.float32 and kinetic.chunks == (1000,)
    np.testing.assert_array_equal(kinetic[:], panda.energy(np.asarray(zarr.open_array(str(tmp_path / "q.zarr"))[:]), qd).kinetic_energy)
    report = ours.evaluate(panda, "energy", [q, qd], tmp_path / "other.npy", chunk=1000)
    assert (report.failed, report.first_failed) == (1, 5)


def test_continues_where_it_stopped(panda, files, tmp_path):
    paths, expected = files

    class Stop(Exception):
        pass

    def stop(done, chunks):
        if done == 3:
            raise Stop

    with pytest.raises(Stop):
        ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=500, progress=stop)
    assert not (tmp_path / "tau.npy").exists() and (tmp_path / "tau.npy.partial").exists()
    report = ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=500)
    assert (report.chunks, report.computed) == (6, 3)
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy"), expected)


def test_an_earlier_run_is_not_taken_for_this_one(panda, files, tmp_path, monkeypatch):
    """A run of another robot begins, and is killed before it has said so in the journal: its file is not that of the first."""
    paths, expected = files

    def stop(done, chunks):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=500, progress=stop)

    def killed(journal, what):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.warns(UserWarning, match="robot has changed"), pytest.raises(KeyboardInterrupt):
        patch.setattr(ours._Journal, "begin", killed)
        ours.evaluate(panda.payload(1.0), "inverse", paths, tmp_path / "tau.npy", chunk=500)
    ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=500)
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy"), expected)


KILLED = """
import os, signal, sys, numpy as np
import catena
from catena import distributed

def kill(done, chunks):
    if done == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

folder = sys.argv[1]
distributed.evaluate(catena.load("panda"), "inverse", {name: f"{folder}/{name}.npy" for name in ("q", "qd", "qdd")}, f"{folder}/tau.npy", chunk=500, progress=kill)
"""


def test_a_killed_program_continues(panda, files, tmp_path):
    """SIGKILL after the second chunk, and after the last, when only the file's own name is missing."""
    expected = files[1]
    for done in (2, 6):
        ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(done)], timeout=60, check=False)
        assert ended.returncode == -signal.SIGKILL
        assert not (tmp_path / "tau.npy").exists()
    report = ours.evaluate(panda, "inverse", files[0], tmp_path / "tau.npy", chunk=500)
    assert report.chunks == 6 and report.computed <= 1
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy"), expected)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["q.npy", "qd.npy", "qdd.npy", "tau.npy"]


def test_no_room(panda, files, tmp_path):
    """A limit on sizes of files, as a full disk: an exception, not the end of the process, and no file with its own name."""
    limited = KILLED.replace("folder =", "import resource; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\nfolder =")
    ended = subprocess.run([sys.executable, "-c", limited, str(tmp_path), "0"], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1 and "File too large" in ended.stderr
    assert not (tmp_path / "tau.npy").exists()
    ours.evaluate(panda, "inverse", files[0], tmp_path / "tau.npy", chunk=500)
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy"), files[1])


def test_a_full_disk_is_an_error(tmp_path, monkeypatch):
    """The target is as long as it will be, and full only where it is written: writing through a mapping would be SIGBUS."""
    target = ours._Target(str(tmp_path / "a.npy"), (1000, 3), "float64", 100)
    target.create()
    target.write(100, np.ones((100, 3)))
    before = np.load(target.partial)
    assert before[100:200].all() and not before[:100].any() and not before[200:].any()
    monkeypatch.setattr(ours, "open", lambda *how: open("/dev/full", "r+b", buffering=0), raising=False)
    with pytest.raises(OSError, match="No space left"):
        target.write(0, np.ones((100, 3)))


def test_another_run_is_not_continued(panda, files, tmp_path):
    paths, _ = files

    def stop(done, chunks):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=500, progress=stop)
    heavier = panda.payload(1.0)
    with pytest.warns(UserWarning, match="not continued: robot has changed"):
        report = ours.evaluate(heavier, "inverse", paths, tmp_path / "tau.npy", chunk=500)
    assert (report.computed, report.restarted) == (6, "robot has changed")
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy"), heavier.inverse_dynamics(*(np.load(paths[n]) for n in JOB)))


@pytest.mark.parametrize("ending", [".npy", ".zarr"])
@pytest.mark.parametrize("same_time", [True, False])
def test_sources_that_changed_between_two_calls(panda, tmp_path, ending, same_time, monkeypatch):
    import os

    zarr = pytest.importorskip("zarr")
    paths = {name: str(tmp_path / (name + ending)) for name in JOB}

    def write(name, values):
        if ending == ".npy":
            np.save(paths[name], values)
        else:
            zarr.create_array(paths[name], data=values, chunks=(500, 7), overwrite=True)

    def stop(done, chunks):
        if done == 2:
            raise KeyboardInterrupt

    states = {name: np.random.default_rng(k).normal(size=(2000, 7)) for k, name in enumerate(JOB)}
    for name in JOB:
        write(name, states[name])
    with pytest.raises(KeyboardInterrupt):
        ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=500, progress=stop)
    times = {f: f.stat().st_mtime_ns for f in [tmp_path / ("qd" + ending), *(tmp_path / ("qd" + ending)).rglob("*")]}
    states["qd"][-1, -1] += 1.0
    write("qd", states["qd"])
    if same_time:  # the contents tell
        for file, when in times.items():
            os.utime(file, ns=(when, when))
    with pytest.warns(UserWarning, match="source qd has changed"):
        report = ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=500)
    assert (report.computed, report.restarted) == (4, "source qd has changed")
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy"), panda.inverse_dynamics(*(states[name] for name in JOB)))


def test_large_sources_are_sampled(tmp_path, monkeypatch):
    monkeypatch.setattr(ours, "WHOLE", 1000)
    monkeypatch.setattr(ours, "PIECE", 100)
    np.save(tmp_path / "a.npy", np.zeros(4000))
    before = ours._identity(tmp_path / "a.npy")
    assert before[3].startswith("sampled:") and ours._identity(tmp_path / "a.npy") == before
    np.save(tmp_path / "a.npy", np.ones(4000))
    assert ours._identity(tmp_path / "a.npy")[3] != before[3]


def test_a_source_that_changes_while_it_is_read(panda, files, tmp_path):
    paths, _ = files

    def change(done, chunks):
        if done == 2:
            np.save(paths["qd"], np.load(paths["qd"]) + 1.0)

    with pytest.raises(RuntimeError, match="source qd changed while it was read"):
        ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=500, progress=change)
    assert not (tmp_path / "tau.npy").exists()
    with pytest.warns(UserWarning, match="source qd has changed"):
        ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", chunk=500)
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy"), panda.inverse_dynamics(*(np.load(paths[n]) for n in JOB)))


def test_wrong_arguments(panda, files, tmp_path):
    paths, _ = files
    with pytest.raises(ValueError, match="takes q, qd, qdd; given were q"):
        ours.evaluate(panda, "inverse", {"q": paths["q"]}, tmp_path / "tau.npy")
    with pytest.raises(ValueError, match=r"qd has the shape \(4, 6\); robot 'Panda' takes \(3000, 7\)"):
        ours.evaluate(panda, "inverse", {**paths, "qd": np.zeros((4, 6))}, tmp_path / "tau.npy")
    with pytest.raises(ValueError, match="must end in .npy or .zarr"):
        ours.evaluate(panda, "inverse", paths, tmp_path / "tau.csv")


def test_a_worker_is_killed(panda, tmp_path):
    """A cluster of two processes; one dies in the middle. Its chunks are computed again and nothing is lost."""
    dask = pytest.importorskip("dask.distributed")
    arrays = panda.random_state(200_000, seed=8)
    paths = {}
    for name, values in zip(JOB, arrays):
        paths[name] = tmp_path / f"{name}.npy"
        np.save(paths[name], values)
    killed = []
    with dask.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, dask.Client(cluster) as client:
        workers = client.run(os.getpid)

        def kill_one(done, chunks):
            if done >= 5 and not killed:
                killed.append(sorted(workers.values())[0])
                os.kill(killed[0], signal.SIGKILL)

        report = ours.evaluate(panda, "inverse", paths, tmp_path / "tau.npy", client=client, chunk=4_000, progress=kill_one, threads=1)
    assert killed and report.chunks == 50 and report.failed == 0
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy"), panda.inverse_dynamics(*arrays))


def test_every_worker_dies(panda, files, tmp_path, monkeypatch):
    """Each that gets a chunk: an error, no file with its own name, and the run can be continued without them."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("dask.distributed")

    def die(*call):
        import os

        os._exit(1)

    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), monkeypatch.context() as patch, \
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        patch.setattr(ours, "_compute", die)
        with pytest.raises(distributed.KilledWorker):
            ours.evaluate(panda, "inverse", files[0], tmp_path / "tau.npy", client=client, chunk=500, retries=0)
    assert not (tmp_path / "tau.npy").exists()
    ours.evaluate(panda, "inverse", files[0], tmp_path / "tau.npy", chunk=500)
    np.testing.assert_array_equal(np.load(tmp_path / "tau.npy"), files[1])
