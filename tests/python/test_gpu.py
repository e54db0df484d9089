"""catena.gpu on the stub of CUDA that the C++ tests build: arrays of a device are fakes whose memory NumPy can see."""

import ctypes
import os
import pathlib

import numpy as np
import pytest

import catena
import catena.gpu

STUB = os.environ.get("CATENA_STUB_CUDA") or str(pathlib.Path(__file__).parents[2] / "build/tests/libcatena_stub_cuda.so")


@pytest.fixture(scope="module")
def stub(tmp_path_factory):
    if not pathlib.Path(STUB).exists():
        pytest.skip(f"no stub of CUDA: {STUB}")
    os.environ["CATENA_CUDA_LIBRARY"] = os.environ["CATENA_NVRTC_LIBRARY"] = STUB
    os.environ["CATENA_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    library = ctypes.CDLL(STUB)
    context = ctypes.c_void_p()
    library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    library.cuCtxPushCurrent_v2(context)
    return library


class Fake:
    """An array of the device by __cuda_array_interface__."""

    def __init__(self, library, values):
        values = np.asarray(values)
        block = ctypes.c_ulonglong()
        assert library.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(max(values.nbytes, 1))) == 0
        memory = (ctypes.c_char * max(values.nbytes, 1)).from_address(block.value)
        order = np.argsort([-abs(step) for step in values.strides], kind="stable")
        lying = np.frombuffer(memory, values.dtype, values.size).reshape([values.shape[k] for k in order])
        self.values = lying.transpose(np.argsort(order))  # the same strides as what was given
        self.values[...] = values

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.values.shape, "typestr": self.values.dtype.str, "version": 3, "strides": self.values.strides,
                "data": (self.values.ctypes.data, False), "stream": None}


def states(robot, count, kind, seed=1):
    random = np.random.default_rng(seed)
    return [random.uniform(-3, 3, (count, robot.nv)).astype(kind) for _ in range(3)]


@pytest.mark.parametrize("kind, allowed", [(np.float64, 1e-12), (np.float32, 1e-5)])
@pytest.mark.parametrize("columns", [False, True])
def test_arrays_of_a_device(stub, kind, allowed, columns):
    robot = catena.load("ur5")
    q, qd, qdd = states(robot, 300, kind)
    expected = robot.inverse_dynamics(q.astype(float), qd.astype(float), qdd.astype(float))
    lying = (lambda a: np.ascontiguousarray(a.T).T) if columns else (lambda a: a)
    given = [Fake(stub, lying(a)) for a in (q, qd, qdd)]
    room = Fake(stub, lying(np.full(q.shape, -7.0, kind)))
    inverse = catena.gpu.function(robot, "inverse_dynamics", search=False)
    assert inverse(*given, out=room) is room
    stub.cuStreamSynchronize(None)
    assert np.abs(room.values - expected).max() < allowed * np.abs(expected).max()
    assert inverse.kernel(kind.__name__, rows=not columns)["registers"] == 64


class ByDLPack:
    """An array that says where it lies by DLPack alone."""

    def __init__(self, fake):
        self.fake = fake

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        return self.fake.values.__dlpack__()


def test_dlpack(stub):
    robot = catena.load("planar2r")
    q, qd, qdd = states(robot, 50, np.float64)
    given, room = [Fake(stub, a) for a in (q, qd, qdd)], Fake(stub, np.zeros((50, 2)))
    catena.gpu.function(robot, search=False)(*map(ByDLPack, given), out=ByDLPack(room))
    stub.cuStreamSynchronize(None)
    assert np.allclose(room.values, robot.inverse_dynamics(q, qd, qdd), atol=1e-12)


def test_matrices_and_leading_dimensions(stub):
    robot = catena.load("planar2r")
    q = np.random.default_rng(2).uniform(-3, 3, (4, 5, 2))
    inertia = catena.gpu.function(robot, "inertia_matrix", search=False)
    room = Fake(stub, np.zeros((4, 5, 2, 2)))
    inertia(Fake(stub, q), out=room)
    stub.cuStreamSynchronize(None)
    assert np.allclose(room.values, robot.inertia_matrix(q), atol=1e-13)


def test_what_does_not_fit_is_said(stub):
    robot = catena.load("planar2r")
    inverse = catena.gpu.function(robot, "inverse_dynamics", search=False)
    q, qd, qdd = states(robot, 10, np.float64)
    fakes = [Fake(stub, a) for a in (q, qd, qdd)]
    room = Fake(stub, np.zeros((10, 2)))
    with pytest.raises(TypeError, match="takes 3 arrays"):
        inverse(*fakes[:2], out=room)
    with pytest.raises(ValueError, match=r"qd: the shape is \(9, 2\), it must be \(10, 2\)"):
        inverse(fakes[0], Fake(stub, qd[:9]), fakes[2], out=room)
    with pytest.raises(TypeError, match="qdd: numbers are <f4"):
        inverse(*fakes[:2], Fake(stub, qdd.astype(np.float32)), out=room)
    with pytest.raises(ValueError, match="the array is not on a CUDA device"):
        inverse(q, qd, qdd, out=room)
    with pytest.raises(TypeError, match="an array on a CUDA device is needed"):
        inverse(q.tolist(), qd, qdd, out=room)
    with pytest.raises(TypeError, match="room for the results must be given"):
        inverse(*fakes)
    with pytest.raises(ValueError, match="contiguous"):
        inverse(Fake(stub, np.ascontiguousarray(q.T).T), *fakes[1:], out=room)
    with pytest.raises(catena.gpu.GpuError, match="no CUDA device 5"):
        catena.gpu.function(robot, device=5)(*fakes, out=room)
    with pytest.raises(ValueError, match="no job"):
        catena.gpu.function(robot, "nothing")(*fakes, out=room)


def test_closed_loops_are_refused(stub):
    press = catena.load("fourbar_press")
    state = press.random_state(10, seed=1)
    refused = pytest.raises(catena.gpu.GpuError, match="robot 'four-bar press' has closed loops, which a GPU cannot solve")
    with refused:
        press.inverse_dynamics(*state, device="cuda")
    fakes = [Fake(stub, x) for x in (*state, state[0])]
    with refused:
        catena.gpu.function(press, "inverse", search=False)(*fakes[:3], out=fakes[3])
    with refused:
        catena.gpu.gradient(press, "inverse", search=False)(*fakes, out=tuple(fakes[:3]))


def test_says_what_is_there(stub):
    there = catena.gpu.gpus()
    assert there["usable"] and [device["name"] for device in there["devices"]] == ["Stub 0", "Stub 1"]


@pytest.mark.parametrize("job", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("columns", [False, True])
def test_gradient(stub, job, columns):
    from catena.adapters import derivatives

    robot = catena.load("ur5")
    lying = (lambda a: np.ascontiguousarray(a.T).T) if columns else (lambda a: a)
    given = states(robot, 70, np.float64)
    weight = np.random.default_rng(5).normal(size=(70, 6))
    rooms = [Fake(stub, lying(np.zeros((70, 6)))) for _ in range(3)]
    catena.gpu.gradient(robot, job, search=False)(*(Fake(stub, lying(a)) for a in (*given, weight)), out=rooms)
    stub.cuStreamSynchronize(None)
    for room, matrix in zip(rooms, derivatives(robot, job, *given)):
        expected = np.einsum("ki,kij->kj", weight, matrix)
        assert np.abs(room.values - expected).max() < 1e-10 * np.abs(expected).max()


def test_arrays_of_the_host(stub):
    robot = catena.load("panda")
    q, qd, qdd = states(robot, 2000, np.float64)
    for device in ("cuda", "cuda:1", "cuda:0,cuda:1"):
        found = robot.inverse_dynamics(q, qd, qdd, device=device)
        expected = robot.inverse_dynamics(q, qd, qdd)
        assert 0 < np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
    shaped = robot.inertia_matrix(q.reshape(4, 500, 7)[:, ::2], device="cuda")
    assert np.allclose(shaped, robot.inertia_matrix(q.reshape(4, 500, 7)[:, ::2]), atol=1e-12)
    assert np.allclose(robot.inverse_dynamics(q[0], qd[0], qdd[0], device="cuda"), expected[0], atol=1e-12)
    with pytest.raises(catena.NoResultError):
        robot.inverse_dynamics(np.full(7, np.nan), qd[0], qdd[0], device="cuda")
    with pytest.raises(catena.gpu.GpuError, match="no CUDA device 5"):
        robot.inverse_dynamics(q[0], qd[0], qdd[0], device="cuda:5")
    push = {"panda_link8": np.random.default_rng(0).uniform(-5, 5, (2000, 6))}
    pushed = robot.inverse_dynamics(q, qd, qdd, device="cuda", wrenches=push)
    assert np.allclose(pushed, robot.inverse_dynamics(q, qd, qdd, wrenches=push), atol=1e-10)
    theta = np.array(list(robot.parameters().values())) * np.random.default_rng(1).uniform(0.5, 2, (2000, 1))
    robots = robot.with_parameters(theta)
    assert np.allclose(robots.inverse_dynamics(q, qd, qdd, device="cuda"), robots.inverse_dynamics(q, qd, qdd), atol=1e-9)
    q[3, 2] = np.nan
    with pytest.warns(catena.NoResultWarning, match="1 of 2000 states"):
        found = robot.inverse_dynamics(q, qd, qdd, device="cuda")
    assert np.isnan(found[3]).all() and np.isfinite(np.delete(found, 3, 0)).all()
    with pytest.raises(ValueError, match="'gpu' is not a device"):
        robot.inverse_dynamics(q, qd, qdd, device="gpu")
    with pytest.raises(ValueError, match="device takes the place of engine"):
        robot.inverse_dynamics(q, qd, qdd, device="cuda", engine="compiled")
    with pytest.raises(catena.gpu.GpuError, match="no CUDA device 5"):
        robot.inverse_dynamics(q, qd, qdd, device="cuda:5")


def test_robots_on_a_device(stub):
    robot = catena.load("ur5")
    given = states(robot, 70, np.float64)
    theta = np.array(list(robot.parameters().values())) * np.random.default_rng(1).uniform(0.5, 2, (70, 1))
    robots = robot.with_parameters(theta)
    room = Fake(stub, np.zeros((70, 6)))
    arrays = [Fake(stub, np.ascontiguousarray(a)) for a in (*given, robots.constants)]
    catena.gpu.function(robots, "inverse_dynamics", search=False)(*arrays, out=room)
    stub.cuStreamSynchronize(None)
    assert np.allclose(room.values, robots.inverse_dynamics(*given), atol=1e-9)


def test_workers_with_a_device(stub, tmp_path):
    from catena import distributed

    robot = catena.load("ur5")
    q, qd, qdd = states(robot, 1000, np.float64)
    expected = robot.inverse_dynamics(q, qd, qdd)
    for wrong in ({"device": "gpu"}, {"device": "cuda", "engine": "compiled"}, {"engine": "quick"}):
        with pytest.raises(ValueError):
            distributed.evaluate(robot, "inverse", [q, qd, qdd], tmp_path / "none.npy", **wrong)
    assert not list(tmp_path.iterdir())
    for device in ("cuda", "auto"):
        distributed.evaluate(robot, "inverse", [q, qd, qdd], tmp_path / f"{device}.npy", chunk=300, device=device)
        found = np.load(tmp_path / f"{device}.npy")
        assert 0 < np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()  # by other sines than the CPU's


def test_dask_workers_with_a_device(stub, tmp_path):
    distributed = pytest.importorskip("dask.distributed")
    import catena.distributed

    robot = catena.load("ur5")
    q, qd, qdd = states(robot, 600, np.float64)
    expected = robot.inverse_dynamics(q, qd, qdd)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:  # the worker inherits where the stub is
            catena.distributed.evaluate(robot, "inverse", [q, qd, qdd], tmp_path / "tau.npy", chunk=100, device="auto", client=client)
    found = np.load(tmp_path / "tau.npy")
    assert 0 < np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()


class Xla:
    """A call as XLA makes it (python/src/xla.hpp), on memory and a stream of the stub."""

    class Buffer(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t), ("extensions", ctypes.c_void_p), ("type", ctypes.c_int32), ("data", ctypes.c_void_p),
                    ("rank", ctypes.c_int64), ("sides", ctypes.POINTER(ctypes.c_int64))]

    class Scalar(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int32), ("value", ctypes.c_void_p)]

    class Text(ctypes.Structure):
        _fields_ = [("first", ctypes.c_char_p), ("length", ctypes.c_size_t)]

    class List(ctypes.Structure):  # of buffers; of attributes, whose names come before the values
        _fields_ = [("size", ctypes.c_size_t), ("extensions", ctypes.c_void_p), ("count", ctypes.c_int64), ("types", ctypes.c_void_p),
                    ("first", ctypes.c_void_p)]

    class Attributes(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t), ("extensions", ctypes.c_void_p), ("count", ctypes.c_int64), ("types", ctypes.c_void_p),
                    ("names", ctypes.c_void_p), ("values", ctypes.c_void_p)]

    class Asked(ctypes.Structure):  # an error's message, or a stream: both lie fourth
        _fields_ = [("size", ctypes.c_size_t), ("extensions", ctypes.c_void_p), ("first", ctypes.c_void_p), ("second", ctypes.c_void_p)]

    Function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Asked))

    def __init__(self, stream):
        self.message, self.keep = None, []

        def make_error(asked):
            self.message = ctypes.string_at(asked.contents.first).decode()
            return 1

        def stream_of(asked):
            asked.contents.second = stream
            return None

        self.functions = Xla.Function(make_error), Xla.Function(stream_of)
        numbers = (ctypes.c_void_p * 13)()  # size, extensions, version (3), inner, make_error, message, give_back, add, stream_of
        numbers[6], numbers[10] = (ctypes.cast(f, ctypes.c_void_p).value for f in self.functions)
        self.api = numbers

    def buffers(self, fakes):
        made = []
        for fake in fakes:
            sides = (ctypes.c_int64 * fake.values.ndim)(*fake.values.shape)
            made.append(Xla.Buffer(0, None, 11 if fake.values.dtype == np.float32 else 12, fake.values.ctypes.data, fake.values.ndim, sides))
        pointers = (ctypes.c_void_p * len(made))(*(ctypes.addressof(b) for b in made))
        self.keep += [made, pointers]
        return Xla.List(0, None, len(made), None, ctypes.addressof(pointers))

    def __call__(self, made, inputs, outputs):
        number, words = made
        value = ctypes.c_int64(number)
        told = [Xla.Scalar(5, ctypes.addressof(value)), Xla.Text(words.encode(), len(words))]
        called = [Xla.Text(name, len(name)) for name in (b"job", b"words")]
        names, values = ((ctypes.c_void_p * 2)(*map(ctypes.addressof, all)) for all in (called, told))
        attributes = Xla.Attributes(0, None, 2, None, ctypes.addressof(names), ctypes.addressof(values))

        class Call(ctypes.Structure):
            _fields_ = [("size", ctypes.c_size_t), ("extensions", ctypes.c_void_p), ("api", ctypes.c_void_p), ("context", ctypes.c_void_p),
                        ("stage", ctypes.c_int32), ("arguments", Xla.List), ("results", Xla.List), ("attributes", Xla.Attributes)]

        call = Call(0, None, ctypes.addressof(self.api), None, 3, self.buffers(inputs), self.buffers(outputs), attributes)
        read = ctypes.pythonapi.PyCapsule_GetPointer
        read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(read(catena._catena.xla_handlers()["CUDA"], None))
        failed = handler(ctypes.addressof(call)) is not None
        return self.message if failed else None


@pytest.mark.parametrize("kind, allowed", [(np.float64, 1e-11), (np.float32, 1e-4)])
def test_calls_of_xla(stub, kind, allowed):
    """What JAX does on a graphics processor: the job and its gradient in a stream of the second device."""
    from catena.adapters import derivatives

    robot = catena.load("ur5")
    context, stream = ctypes.c_void_p(), ctypes.c_void_p()
    stub.cuDevicePrimaryCtxRetain(ctypes.byref(context), 1)
    stub.cuCtxPushCurrent_v2(context)
    stub.cuStreamCreate(ctypes.byref(stream), 0)
    given = [a.reshape(5, 14, 6) for a in states(robot, 70, kind)]
    weight = np.random.default_rng(5).normal(size=(5, 14, 6)).astype(kind)
    inputs = [Fake(stub, a) for a in (*given, weight)]
    tau, rooms = Fake(stub, np.zeros_like(weight)), [Fake(stub, np.zeros_like(weight)) for _ in range(3)]
    words = {False: f"inverse of {kind.__name__}", True: f"gradient of {kind.__name__}"}
    number = lambda gradient: (catena._catena.xla_job(robot, words[gradient], job="inverse", gradient=gradient, search=False), words[gradient])
    assert number(False) == number(False) != number(True)
    call = Xla(stream.value)
    assert call(number(False), inputs[:3], [tau]) is None
    assert call(number(True), inputs, rooms) is None
    stub.cuStreamSynchronize(stream)
    tau.values[...] = 0
    assert call(number(False), inputs[:3], [tau]) is None
    assert not tau.values.any()  # nobody waited for the stream yet
    stub.cuStreamSynchronize(stream)
    doubles = [a.astype(float) for a in given]
    near = lambda found, expected: np.abs(found - expected).max() < allowed * np.abs(expected).max()
    assert near(tau.values, robot.inverse_dynamics(*doubles))
    for room, matrix in zip(rooms, derivatives(robot, "inverse", *doubles)):
        assert near(room.values, np.einsum("...i,...ij->...j", weight, matrix))
    assert call(number(False), inputs[:2], [tau]) == "catena: 2 arrays where the job has 3"
    other = Fake(stub, np.zeros((5, 14, 7), kind))
    assert call(number(False), inputs[:3], [other]) == "catena: an array has 490 numbers, 70 states have 420"
    stub.cuStreamDestroy_v2(stream)
    stub.cuCtxPopCurrent_v2(ctypes.byref(context))


def test_rollouts_are_simulations(stub):
    robot = catena.load("planar2r")
    q, qd, _ = robot.random_state(2, 3, seed=1)
    laws = {"constant": (dict(torque=[0.3, -0.2]), dict(torque=[0.3, -0.2])), "zero": ({}, {}),
            "pd": (dict(torque="pd", target=[0.1, 0.2], kp=30, kd=3), dict(torque="pd", target=[0.1, 0.2], kp=30, kd=3)),
            "computed": (dict(torque="computed", target=[0.1, 0.2]), dict(torque="computed", target=[0.1, 0.2]))}
    for own, alike in laws.values():
        found = catena.gpu.rollout(robot, 0.1, q, qd, step=1e-3, samples=5, **own)
        wanted = robot.simulate(0.1, q, qd, samples=5, **alike)
        assert found.q.shape == (2, 3, 5, 2) and found.t.tolist() == pytest.approx(wanted.t.tolist())
        np.testing.assert_allclose(found.q, wanted.q, atol=1e-8)
        np.testing.assert_allclose(found.qd, wanted.qd, atol=1e-7)
    single = catena.gpu.rollout(robot, 0.1, q.astype(np.float32), qd, integrator="euler")
    assert single.q.dtype == np.float32 and np.abs(single.q[..., -1, :] - robot.simulate(0.1, q, qd, samples=2).q[..., -1, :]).max() < 0.05


def test_rollouts_of_tables_and_what_is_refused(stub):
    robot = catena.load("planar2r")
    q = np.zeros((4, 2))
    first = catena.gpu.rollout(robot, 0.01, q, torque=[0.5, 0.1])
    then = catena.gpu.rollout(robot, 0.01, first.q[:, -1], first.qd[:, -1], torque=[-0.4, 0.3])
    both = catena.gpu.rollout(robot, 0.02, q, table=np.repeat([[0.5, 0.1], [-0.4, 0.3]], 10, axis=0), samples=3)
    np.testing.assert_allclose(both.q[:, 1:], np.stack([first.q[:, -1], then.q[:, -1]], axis=1), atol=1e-13)
    for wrong, match in (({"step": 0.003}, "whole number of steps"), ({"samples": 4}, "equal parts"), ({"table": np.zeros((3, 2))}, "a row for each step"),
                         ({"target": [0, 0]}, "goes with"), ({"torque": "lqr"}, "'pd' or 'computed'"), ({"integrator": "verner"}, "'rk4' or 'euler'")):
        with pytest.raises(ValueError, match=match):
            catena.gpu.rollout(robot, 0.02, q, **wrong)
    for other in (catena.load("ur5").on_moving_base(), catena.load("five_bar")):
        with pytest.raises((catena.gpu.GpuError, ValueError)):
            catena.gpu.rollout(other, 0.02, np.zeros((2, other.nv)))
    assert catena.gpu.rollout(robot, 0.02, np.zeros((0, 2))).q.shape == (0, 2, 2)
