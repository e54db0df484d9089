"""Runs a job over more states than one machine can handle: Dask distributes it, chunk by chunk, to any cluster.

    from dask.distributed import Client
    catena.distributed.evaluate(robot, "inverse", {"q": "q.npy", "qd": "qd.npy", "qdd": "qdd.npy"}, "tau.zarr", client=Client())

Sources are .npy files, Zarr arrays or arrays in memory, states along the first dimension. Workers read their own chunk and
write its results into the target: all of them need access to the files. A finished chunk is never computed again, so a
second call continues where the first one ended; an incomplete file has a temporary name. It continues only what is the
same: sources, by name, size, time of change and contents; robot, job, options and version of the library. Otherwise it
starts again and says why.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import pickle
import shutil
import threading
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Union

import numpy as np

from . import __version__
from ._catena import gpus
from ._jobs import job_facts
from ._robot import Robot

Source = Any  # a path, a NumPy array or a Zarr array


@dataclass(frozen=True)
class Report:
    """The outcome of a run."""

    states: int
    chunks: int
    computed: int  # chunks, in this run
    failed: int  # states without a result, marked by nan, in those chunks
    first_failed: int | None
    restarted: str | None = None  # why an earlier run was not continued: "source q has changed"


# --- sources and targets ---


def _open(source: Source) -> Any:
    """An array that can be read piece by piece: a NumPy file, a Zarr array, or an object that supports slices."""
    if not isinstance(source, (str, os.PathLike)):
        return source
    if os.fspath(source).endswith(".npy"):
        return np.load(source, mmap_mode="r", allow_pickle=False)
    import zarr

    return zarr.open_array(os.fspath(source), mode="r")


@dataclass(frozen=True)
class _Part:
    """The states of one chunk of an array in memory, sent with the task."""

    values: np.ndarray


class _Target:
    """The file of one output. While it is written its name ends in .partial; _Journal records which chunks are done."""

    def __init__(self, path: str, shape: tuple[int, ...], dtype: str, chunk: int):
        self.path, self.shape, self.dtype, self.chunk = path, shape, dtype, chunk
        self.partial = path + ".partial"

    def create(self) -> None:
        if self.path.endswith(".npy"):
            np.lib.format.open_memmap(self.partial, "w+", self.dtype, self.shape).flush()
            return
        import zarr

        zarr.create_array(self.partial, shape=self.shape, dtype=self.dtype, overwrite=True,
                          chunks=(min(self.chunk, max(1, self.shape[0])), *self.shape[1:]))

    def write(self, first: int, values: np.ndarray) -> None:
        if self.path.endswith(".npy"):
            rows = np.ascontiguousarray(values)
            before = np.load(self.partial, mmap_mode="r").offset
            # Not through the mapping: a full disk would end the process instead of raising OSError.
            with open(self.partial, "r+b") as file:
                file.seek(before + first * (rows.nbytes // max(1, len(rows))))
                file.write(rows.data)
                file.flush()
                os.fsync(file.fileno())
            return
        import zarr

        zarr.open_array(self.partial, mode="r+")[first:first + len(values)] = values

    def finish(self) -> None:
        os.rename(self.partial, self.path)


class _Journal:
    """Records a run and its written chunks, as empty files in a folder beside the target; no other run continues it."""

    def __init__(self, folder: Path):
        self.folder = folder

    def differs(self, what: dict[str, Any]) -> str | None:
        """How the recorded run differs from this one, in words; None where it is the same, "" where there is none."""
        try:
            before = json.loads((self.folder / "run.json").read_text())
        except (OSError, ValueError):
            return ""
        changed = [name for name in what if not isinstance(before, dict) or before.get(name) != what[name]]
        return " and ".join(changed) + (" has changed" if len(changed) == 1 else " have changed") if changed else None

    def forget(self) -> None:
        """Nothing is continued from here on; run.json goes first, as without it the rest means nothing."""
        (self.folder / "run.json").unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def begin(self, what: dict[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / "run.json.new"
        temporary.write_text(json.dumps(what))
        temporary.rename(self.folder / "run.json")

    def mark(self, chunk: int) -> None:
        (self.folder / f"{chunk}.done").touch()

    def done(self) -> set[int]:
        return {int(entry.stem) for entry in self.folder.glob("*.done")}


# --- in a worker ---

_made: dict[str, Callable[..., Any]] = {}
_making = threading.Lock()


def _with_device(options: dict[str, Any]) -> dict[str, Any]:
    """The options with this worker's device: its own graphics processors where the run says "auto"."""
    if options.get("device") != "auto":
        return options
    there = gpus()
    if not there["usable"]:
        return {name: value for name, value in options.items() if name != "device"}
    devices = ",".join(f"cuda:{device['index']}" for device in there["devices"])
    return {**{name: value for name, value in options.items() if name != "engine"}, "device": devices}


def _function(pickled: bytes, job: str, options: dict[str, Any]) -> Callable[..., Any]:
    """The job as a function, created and compiled once per process."""
    key = hashlib.sha256(pickled + repr((job, sorted(options.items()))).encode()).hexdigest()
    with _making:
        if key not in _made:
            robot = pickle.loads(pickled)
            own = _with_device(options)
            _made[key] = lambda *given: robot.evaluate(job, *given, **own)
        return _made[key]


def _compute(pickled: bytes, job: str, options: dict[str, Any], sources: list[Source], targets: list[_Target], folder: str,
             chunk: int, first: int, last: int) -> tuple[int, int, int | None]:
    """Computes one chunk, from the sources to the targets. Repeating it is harmless."""
    function = _function(pickled, job, options)
    given = [np.ascontiguousarray(s.values if isinstance(s, _Part) else _open(s)[first:last]) for s in sources]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function(*given)
    outputs = result if isinstance(result, tuple) else (result,)
    for target, values in zip(targets, outputs):
        target.write(first, np.asarray(values, target.dtype))
    _Journal(Path(folder)).mark(chunk)
    bad = np.flatnonzero(np.isnan(np.reshape(outputs[0], (last - first, -1))).any(axis=1))
    return chunk, len(bad), first + int(bad[0]) if len(bad) else None


# --- the run ---


def _paths(target: Union[str, "os.PathLike[str]"], outputs: list[dict[str, Any]]) -> list[str]:
    """One file per output: the target itself, or NAME.OUTPUT.npy where there are several."""
    path = os.fspath(target)
    if not path.endswith((".npy", ".zarr")):
        raise ValueError(f"the target must end in .npy or .zarr, not '{path}'")
    if len(outputs) == 1:
        return [path]
    stem, ending = os.path.splitext(path)
    return [f"{stem}.{output['name']}{ending}" for output in outputs]


WHOLE = 64 << 20  # a source up to this size is read whole for its digest; of a larger one 64 pieces of 1 MiB, evenly spread
PIECE = 1 << 20


def _digest(path: Path) -> str:
    size = path.stat().st_size
    found = hashlib.sha256()
    with path.open("rb") as file:
        if size <= WHOLE:
            for piece in iter(lambda: file.read(PIECE), b""):
                found.update(piece)
            return found.hexdigest()
        for k in range(64):
            file.seek((size - PIECE) * k // 63)
            found.update(file.read(PIECE))
    return "sampled:" + found.hexdigest()


def _identity(source: Source) -> Any:
    """What identifies a source in the journal: where it is, its size, when it changed, its contents."""
    if not isinstance(source, (str, os.PathLike)):
        return "memory:" + hashlib.sha256(np.ascontiguousarray(source).tobytes()).hexdigest()
    path = Path(os.path.abspath(os.fspath(source)))
    if path.is_file():
        return [str(path), path.stat().st_size, path.stat().st_mtime_ns, _digest(path)]
    files = sorted(entry for entry in path.rglob("*") if entry.is_file())  # a Zarr array is a folder
    listed = [(str(f.relative_to(path)), f.stat().st_size, f.stat().st_mtime_ns) for f in files]
    size = sum(own for _, own, _ in listed)
    contents = [_digest(f) for f in files] if size <= WHOLE else []
    return [str(path), size, max((when for _, _, when in listed), default=0),
            ("" if contents else "sampled:") + hashlib.sha256(json.dumps([listed, contents]).encode()).hexdigest()]


def evaluate(robot: Robot, job: str, source: Mapping[str, Source] | Iterable[Source], target: Union[str, "os.PathLike[str]"], *,
             client: Any = None, chunk: int = 100_000, engine: str | None = None, method: str | None = None,
             frame: str | None = None, threads: int | None = None, device: str | None = None, retries: int = 10,
             progress: Callable[[int, int], None] | None = None) -> Report:
    """Computes a job at every state of the sources, writes the results to the target, and returns a report.

    source: by the names of the job's inputs, or in order: .npy files, Zarr arrays, arrays. target: .npy or .zarr.
    client: a dask.distributed.Client of any cluster; without one the chunks are computed here. chunk: states per chunk.
    engine: with "compiled", every worker process compiles the job once. device: with "cuda", "cuda:1" or
    "cuda:0,cuda:1", workers use these of their graphics processors; with "auto", each worker uses all that it has, and the
    CPU where it has none (results then differ by rounding). retries: how often a chunk may be lost with its worker.
    progress(done, chunks) is called after every chunk. States without a result are marked by nan.
    """
    facts = job_facts(job)
    names = [name for name, _ in robot._inputs(job)]
    if isinstance(source, Mapping):
        if set(source) != set(names):
            raise ValueError(f"'{job}' takes {', '.join(names)}; given were {', '.join(source)}")
        sources = [source[name] for name in names]
    else:
        sources = list(source)
        if len(sources) != len(names):
            raise ValueError(f"'{job}' takes {', '.join(names)}; {len(sources)} arrays were given")
    sources = [os.path.abspath(os.fspath(s)) if isinstance(s, (str, os.PathLike)) else s for s in sources]
    opened = [_open(s) for s in sources]
    for name, array, own in zip(names, opened, (size for _, size in robot._inputs(job))):
        if array.ndim != 2 or array.shape[1] != own or array.shape[0] != opened[0].shape[0]:
            raise ValueError(f"{name} has the shape {tuple(array.shape)}; robot '{robot.name}' takes ({opened[0].shape[0]}, {own})")
    if chunk < 1:
        raise ValueError(f"chunk must be at least 1, not {chunk}")
    options = {key: value for key, value in dict(engine=engine, method=method, frame=frame, threads=threads, device=device).items() if value is not None}
    return _run(robot, facts, sources, opened, os.path.abspath(os.fspath(target)), client, chunk, options, retries, progress)


def _run(robot: Robot, facts: dict[str, Any], sources: list[Source], opened: list[Any], target: str, client: Any, chunk: int,
         options: dict[str, Any], retries: int, progress: Any) -> Report:
    states = int(opened[0].shape[0])
    dtype = "float32" if all(a.dtype == np.float32 for a in opened) else "float64"
    shapes = _output_shapes(robot, facts, options)
    targets = [_Target(path, (states, *shape), dtype, chunk) for path, shape in zip(_paths(target, facts["outputs"]), shapes)]
    pickled = pickle.dumps(robot)
    inputs = {f"source {name}": _identity(s) for name, s in zip((name for name, _ in robot._inputs(facts["name"])), sources)}
    what = dict(robot=hashlib.sha256(pickled).hexdigest(), job=facts["name"], states=states, chunk=chunk, dtype=dtype,
                options={k: v for k, v in options.items() if k != "threads"}, version=__version__, **inputs)
    journal = _Journal(Path(target + ".chunks"))
    starts = range(0, states, chunk)
    differs = journal.differs(what)
    if differs is not None:
        for t in targets:
            if os.path.exists(t.path):
                raise FileExistsError(f"{t.path} is there already; remove it, or name another target")
        if differs:
            warnings.warn(f"{target}: the earlier run is not continued: {differs}", stacklevel=3)
        journal.forget()  # before the files that it is about are begun again
        for t in targets:
            t.create()
        journal.begin(what)
    elif all(os.path.exists(t.path) for t in targets):  # the previous run ended just before removing its journal
        shutil.rmtree(journal.folder)
        return Report(states, len(starts), 0, 0, None)

    def call(k: int) -> tuple[Any, ...]:
        first, last = starts[k], min(starts[k] + chunk, states)
        parts = [s if isinstance(s, str) else _Part(np.asarray(s[first:last])) for s in sources]
        return pickled, facts["name"], options, parts, targets, str(journal.folder), k, first, last

    bad: dict[int, tuple[int, int | None]] = {}
    # The journal decides, not the scheduler: a chunk that was lost with its worker is submitted again.
    missing = sorted(set(range(len(starts))) - journal.done())
    before = len(missing)
    for _ in range(1 + retries):
        if not missing:
            break
        for k, failed, first in _results(map(call, missing), client, retries):
            bad[k] = (failed, first)
            if progress is not None:
                progress(len(starts) - before + len(bad), len(starts))
        missing = sorted(set(range(len(starts))) - journal.done())
    if missing:
        raise RuntimeError(f"{len(missing)} of {len(starts)} chunks were lost again and again, the first at state {starts[missing[0]]}")
    for name, s in zip(inputs, sources):
        if isinstance(s, str) and _identity(s) != inputs[name]:
            raise RuntimeError(f"{name} changed while it was read: the results are of both, and {target} was not written")
    for t in targets:
        if not os.path.exists(t.path):
            t.finish()
    shutil.rmtree(journal.folder)
    first_failed = min((first for _, first in bad.values() if first is not None), default=None)
    return Report(states, len(starts), len(bad), sum(count for count, _ in bad.values()), first_failed, differs or None)


def _output_shapes(robot: Robot, facts: dict[str, Any], options: dict[str, Any]) -> list[tuple[int, ...]]:
    """The output shapes of one state, found by computing zero states."""
    sizes = [size for _, size in robot._inputs(facts["name"])]
    usual = {k: v for k, v in options.items() if k in ("frame", "engine", "device", "method", "threads") and v != "auto"}  # fails before anything is written
    result = robot.evaluate(facts["name"], *(np.zeros((0, n)) for n in sizes), **usual)
    return [part.shape[1:] for part in (result if isinstance(result, tuple) else (result,))]


def _results(calls: Iterable[tuple[Any, ...]], client: Any, retries: int) -> Iterable[tuple[int, int, int | None]]:
    if client is None:
        for call in calls:
            yield _compute(*call)
        return
    from dask.distributed import as_completed

    # A limited number at a time, so that no scheduler holds a million tasks.
    waiting = iter(calls)
    ahead = 4 * max(1, sum(client.nthreads().values()))
    first = [client.submit(_compute, *call, pure=False, retries=retries) for call in itertools.islice(waiting, ahead)]
    running = as_completed(first)
    for future in running:
        yield future.result()
        future.release()
        for call in itertools.islice(waiting, 1):
            running.add(client.submit(_compute, *call, pure=False, retries=retries))
