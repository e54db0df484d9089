"""Every job of the table: shapes, types, strides, empty batches, broken numbers, wrong lengths, threads."""

import inspect
import threading
import warnings

import numpy as np
import pytest
from conftest import arguments
from hypothesis import given, settings
from hypothesis import strategies as st

import catena


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def loop(robot, job, arrays):
    """One call per state: what a batch must agree with."""
    rows = [parts(robot.evaluate(job["name"], *(x[k] for x in arrays))) for k in range(len(arrays[0]))]
    return [np.stack([row[k] for row in rows]) for k in range(len(job["outputs"]))]


def close(a, b, tolerance=1e-12):
    scale = max(1.0, float(np.max(np.abs(b), initial=0.0)))
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * scale)


# --- what the methods say of themselves ---


def test_every_job_is_a_method(job, robot):
    method = getattr(catena.Robot, job["method_name"])
    for entry in (*job["inputs"], *job["outputs"]):
        assert f"{entry['name']}: (..." in method.__doc__
        assert entry["unit"] in method.__doc__
    assert ("\nframe:" in method.__doc__) == job["takes_frame"]
    assert ("\nwrenches:" in method.__doc__) == job["takes_wrenches"]


def test_the_names_that_people_use():
    names = {entry["method_name"] for entry in catena.jobs()}
    assert {"inverse_dynamics", "forward_dynamics", "inertia_matrix", "coriolis_matrix", "bias", "gravity", "pose", "jacobian",
            "factor", "energy"} <= names
    assert all(hasattr(catena.Robot, name) for name in names)


# --- shapes, types and layouts ---


def test_shapes(job, robot):
    sides = {"nq": robot.nq, "nv": robot.nv, "nt": robot.nv, "nl": 0}
    for lead in ((), (1,), (5,), (2, 3), (0,), (2, 0, 3)):
        result = parts(robot.evaluate(job["name"], *arguments(robot, job, *lead)))
        assert len(result) == len(job["outputs"])
        for value, output in zip(result, job["outputs"]):
            shape = tuple(sides[s] if s in sides else value.shape[k - 2 if len(output["shape"]) == 2 else -1] if s == "np" else int(s)
                          for k, s in enumerate(output["shape"]))
            assert value.shape == (*lead, *shape)
            assert value.dtype == np.float64


def test_a_batch_is_its_states(job, robot):
    arrays = arguments(robot, job, 37)
    for value, expected in zip(parts(robot.evaluate(job["name"], *arrays)), loop(robot, job, arrays)):
        close(value, expected)


def test_float32(job, robot):
    arrays = arguments(robot, job, 9)
    single = parts(robot.evaluate(job["name"], *(x.astype(np.float32) for x in arrays)))
    for value, expected in zip(single, parts(robot.evaluate(job["name"], *arrays))):
        assert value.dtype == np.float32
        close(value, expected, 2e-3)


def test_mixed_and_other_types(panda):
    q, qd, qdd = panda.random_state(6, seed=1)
    expected = panda.inverse_dynamics(q.astype(np.float32).astype(float), qd, qdd)
    mixed = panda.inverse_dynamics(q.astype(np.float32), qd, qdd)
    assert mixed.dtype == np.float64
    np.testing.assert_array_equal(mixed, expected)
    whole = np.ones((6, 7), int)
    np.testing.assert_array_equal(panda.inverse_dynamics(whole, qd, qdd), panda.inverse_dynamics(whole.astype(float), qd, qdd))
    np.testing.assert_array_equal(panda.inverse_dynamics(q.astype(">f8"), qd, qdd), panda.inverse_dynamics(q, qd, qdd))
    assert panda.inverse_dynamics(*(x.astype(">f4") for x in (q, qd, qdd))).dtype == np.float32


LAYOUTS = {
    "fortran": np.asfortranarray,
    "backwards": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "entries backwards": lambda x: np.ascontiguousarray(x[..., ::-1])[..., ::-1],
    "every second": lambda x: np.repeat(np.repeat(x, 2, 0), 3, -1)[::2, ..., ::3],
    "in a record": lambda x: _record(x),
    "unaligned": lambda x: np.frombuffer(b"\0" + np.ascontiguousarray(x).tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape),
    "read only": lambda x: np.frombuffer(np.ascontiguousarray(x).tobytes(), x.dtype).reshape(x.shape),
}


def _record(x):
    """Rows with a byte between them: strides that are no whole number of entries."""
    table = np.zeros(x.shape[:-1], [("state", x.dtype, x.shape[-1:]), ("flag", np.uint8)])
    table["state"] = x
    return table["state"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_layouts(panda, layout, dtype):
    arrays = [x.astype(dtype) for x in panda.random_state(4, 5, seed=2)]
    expected = panda.inverse_dynamics(*arrays)
    laid = [LAYOUTS[layout](x) for x in arrays]
    before = [x.tobytes() for x in laid]
    np.testing.assert_array_equal(panda.inverse_dynamics(*laid), expected)
    assert before == [x.tobytes() for x in laid]


def test_zero_strides_and_broadcasting(robot):
    q, qd, qdd = robot.random_state(6, seed=3)
    whole = robot.inverse_dynamics(q, np.tile(qd[0], (6, 1)), qdd)
    np.testing.assert_array_equal(robot.inverse_dynamics(q, qd[0], qdd), whole)
    np.testing.assert_array_equal(robot.inverse_dynamics(q, np.broadcast_to(qd[0], q.shape), qdd), whole)
    assert robot.inverse_dynamics(q[:, None], qd[None], qdd[0]).shape == (6, 6, robot.nv)
    np.testing.assert_array_equal(robot.inverse_dynamics(q[:, None], qd[None], qdd[0])[2, 4], robot.inverse_dynamics(
        np.stack([q[2]] * 2), np.stack([qd[4]] * 2), np.stack([qdd[0]] * 2))[0])


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_view_of_any_array(data):
    """Whatever NumPy can cut out of an array, the result is that of a plain copy."""
    robot = _panda()
    shape = data.draw(st.lists(st.integers(0, 4), min_size=0, max_size=3).map(tuple))
    dtype = data.draw(st.sampled_from([np.float64, np.float32]))
    arrays = []
    for seed in range(3):
        big = np.random.default_rng(seed).uniform(-2, 2, tuple(2 * s + 1 for s in shape) + (15,)).astype(dtype)
        cuts = []
        for side in (*shape, 7):
            step = data.draw(st.sampled_from([1, 2, -1, -2]))
            cuts.append(slice(None, side * step if step > 0 else None, step) if step > 0 else slice(None, None, step))
        view = big[tuple(cuts)]
        view = view[tuple(slice(0, side) for side in (*shape, 7))]
        arrays.append(np.swapaxes(view, 0, 1) if len(shape) == 2 and shape[0] == shape[1] and data.draw(st.booleans()) else view)
    result = robot.inverse_dynamics(*arrays)
    plain = robot.inverse_dynamics(*(np.ascontiguousarray(x) for x in arrays))
    assert result.shape == (*shape, 7) and result.dtype == dtype
    np.testing.assert_array_equal(result, plain)


def _panda(kept=[]):  # noqa: B006
    if not kept:
        kept.append(catena.load("panda"))
    return kept[0]


def test_out(job, robot):
    arrays = arguments(robot, job, 8)
    expected = parts(robot.evaluate(job["name"], *arrays))
    out = tuple(np.empty_like(x) for x in expected)
    result = robot.evaluate(job["name"], *arrays, out=out if len(out) > 1 else out[0])
    for value, place, wanted in zip(parts(result), out, expected):
        assert value is place
        np.testing.assert_array_equal(place, wanted)


def test_out_is_looked_at(panda):
    q, qd, qdd = panda.random_state(4, seed=1)
    for bad in (np.empty((4, 6)), np.empty((4, 7), np.float32), [0.0] * 7):
        with pytest.raises(ValueError, match="out"):
            panda.inverse_dynamics(q, qd, qdd, out=bad)
    with pytest.raises(ValueError, match="out overlaps qd"):
        panda.inverse_dynamics(q, qd, qdd, out=qd)


# --- broken numbers ---


def test_nan_marks_its_state_alone(job, robot):
    arrays = arguments(robot, job, 12)
    expected = parts(robot.evaluate(job["name"], *arrays))
    arrays[0][[3, 7], 1] = np.nan, np.inf
    with pytest.warns(catena.NoResultWarning, match=r"2 of 12 states .* first at \[3\]"):
        result = parts(robot.evaluate(job["name"], *arrays))
    good = [k for k in range(12) if k not in (3, 7)]
    for value, wanted in zip(result, expected):
        np.testing.assert_array_equal(value[good], wanted[good])
        assert np.isnan(value[[3, 7]]).all()


def test_nan_of_one_state_raises(job, robot):
    if job["name"] == "loop_forces":
        pytest.skip("these robots have no loops: there is no number to be wrong")
    arrays = arguments(robot, job)
    arrays[0][1] = np.nan
    with pytest.raises(catena.NoResultError):
        robot.evaluate(job["name"], *arrays)


def test_where_the_first_is(panda):
    q, qd, qdd = panda.random_state(3, 4, seed=1)
    q[1, 2, 0] = q[2, 0, 0] = np.nan
    for view in (slice(None), slice(None, None, -1)):
        with pytest.warns(catena.NoResultWarning) as seen:
            panda.inverse_dynamics(q[view], qd, qdd)
        assert ("[1, 2]" if view.step is None else "[0, 0]") in str(seen[0].message)


def test_where_the_first_is_along_a_long_side(panda):
    """More states along the first dimension, which cannot be walked as one with the second."""
    q, qd, qdd = panda.random_state(9, 2, seed=1)
    q[2, 1, 0] = q[1, 0, 0] = np.nan
    with pytest.warns(catena.NoResultWarning, match=r"2 of 18 .* first at \[6, 1\]"):
        panda.inverse_dynamics(q[::-1], qd, qdd)


def test_warnings_may_be_errors(panda):
    q, qd, qdd = panda.random_state(3, seed=1)
    q[1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(catena.NoResultWarning):
            panda.inverse_dynamics(q, qd, qdd)


# --- wrong arguments ---


@pytest.mark.parametrize("bad, words", [
    (lambda q: q[:6], "q has 6 columns, robot 'Panda' has 7 joints"),
    (lambda q: 1.0, "q is a single number, robot 'Panda' has 7 joints"),
    (lambda q: np.zeros((3, 8)), "q has 8 columns, robot 'Panda' has 7 joints"),
    (lambda q: [], "q has 0 columns"),
])
def test_wrong_lengths(panda, bad, words):
    q, qd, qdd = panda.random_state(seed=1)
    with pytest.raises(ValueError, match="^" + words.replace("(", r"\(")):
        panda.inverse_dynamics(bad(q), qd, qdd)


def test_wrong_arguments(panda):
    q, qd, qdd = panda.random_state(4, seed=1)
    cases = [(dict(method="nope"), ValueError, "nope"), (dict(wrenches={"nowhere": [0] * 6}), ValueError, "no link or frame 'nowhere'"),
             (dict(wrenches={"tool": [0] * 5}), ValueError, "tool"), (dict(wrenches=[1]), TypeError, "Wrench"),
             (dict(frame="panda_link1"), ValueError, "takes no frame"), (dict(threads=0), ValueError, "threads must be"),
             (dict(engine="steam"), ValueError, "steam"), (dict(colour="red"), TypeError, "takes no argument 'colour'")]
    for options, error, words in cases:
        with pytest.raises(error, match=words):
            panda.inverse_dynamics(q, qd, qdd, **options)
    with pytest.raises(ValueError, match="does not take external wrenches"):
        panda.inertia_matrix(q, wrenches={"panda_link7": [0] * 6})
    with pytest.raises(ValueError, match=r"qd has leading dimensions \(3,\), which do not go with those of q"):
        panda.inverse_dynamics(q, qd[:3], qdd)
    with pytest.raises(TypeError):
        panda.inverse_dynamics(q, qd)
    with pytest.raises(TypeError, match="the job 'inverse' takes q, qd, qdd; 2 arrays"):
        panda.evaluate("inverse", q, qd)
    with pytest.raises(ValueError, match="no job|unknown|nope"):
        panda.evaluate("nope", q)
    for strange in (q * 1j, q.astype(str), np.array([{}])):
        with pytest.raises((TypeError, ValueError)):
            panda.inverse_dynamics(strange, qd, qdd)


# --- what stands around a state ---


def test_methods_agree(robot):
    q, qd, qdd = robot.random_state(5, seed=2)
    expected = robot.inverse_dynamics(q, qd, qdd)
    for name in catena.methods("inverse_dynamics"):
        close(robot.inverse_dynamics(q, qd, qdd, method=name), expected, 1e-10)


def test_wrenches_act_by_the_jacobian(robot):
    q, qd, qdd = robot.random_state(5, seed=2)
    w = np.array([1.0, -2.0, 3.0, 0.4, 0.5, -0.6])
    frame = robot.frames[-1]
    world = [catena.Wrench(frame, w, "world")]
    change = robot.inverse_dynamics(q, qd, qdd, wrenches=world) - robot.inverse_dynamics(q, qd, qdd)
    close(change, -np.einsum("kij,i->kj", robot.jacobian(q, frame=frame), w), 1e-10)
    turned = np.zeros((5, 6))
    pose = robot.pose(q, frame=frame)[:, :3, :3]
    turned[:, :3], turned[:, 3:] = pose.transpose(0, 2, 1) @ w[:3], pose.transpose(0, 2, 1) @ w[3:]
    for k in range(5):
        own = robot.inverse_dynamics(q[k], qd[k], qdd[k], wrenches={frame: turned[k]})
        close(own, robot.inverse_dynamics(q[k], qd[k], qdd[k], wrenches=world), 1e-10)


def test_physics(robot):
    q, qd, qdd = robot.random_state(20, seed=5)
    M, bias = robot.inertia_matrix(q), robot.bias(q, qd)
    tau = robot.inverse_dynamics(q, qd, qdd)
    close(np.einsum("kij,kj->ki", M, qdd) + bias, tau, 1e-10)
    close(robot.forward_dynamics(q, qd, tau), qdd, 1e-8)
    close(0.5 * np.einsum("ki,kij,kj->k", qd, M, qd), robot.energy(q, qd).kinetic_energy, 1e-10)
    U, D = robot.factor(q)
    close(U @ (D[:, :, None] * U.transpose(0, 2, 1)), M, 1e-10)


def test_engines(panda):
    q, qd, qdd = panda.random_state(300, seed=5)
    expected = panda.inverse_dynamics(q, qd, qdd)
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(panda.inverse_dynamics(q, qd, qdd, threads=threads), expected)
    function = panda.compile("inverse", search=False, fallback=True)
    close(function(q, qd, qdd), expected, 1e-11)
    close(function(q[0], qd[0], qdd[0]), expected[0], 1e-11)
    close(panda.inverse_dynamics(q, qd, qdd, engine="compiled"), expected, 1e-11)
    for default in ({}, {"engine": "generic"}):  # whatever the cache now holds
        np.testing.assert_array_equal(panda.inverse_dynamics(q, qd, qdd, **default), expected)


def test_what_is_not_finite_is_refused(kind):
    """By every job and method, also where a result would not depend on it; the same state in a batch has no result."""
    _, robot = kind
    q, qd, qdd = robot.random_state(seed=5)
    known, refused = {"q": q, "qd": qd, "qdd": qdd}, 0
    for job in catena.jobs():
        given = [known.get(entry["name"], np.full(robot.nv, 0.1)) for entry in job["inputs"]]
        for method in job["methods"]:
            try:
                robot.evaluate(job["name"], *given, method=method)
            except (ValueError, TypeError, ArithmeticError):
                continue  # it does not take such robots
            for place, value in enumerate(given):
                for k in range(len(value)):
                    wrong = value.copy()
                    wrong[k] = np.inf if k % 2 else np.nan
                    state = [wrong if other == place else x for other, x in enumerate(given)]
                    with pytest.raises((catena.NoResultError, ValueError)):
                        robot.evaluate(job["name"], *state, method=method)
                        pytest.fail(f"{job['name']} by {method}: {job['inputs'][place]['name']}[{k}]")
                    refused += 1
    assert refused > 100


def test_threads_hammer_one_robot(panda):
    q, qd, qdd = panda.random_state(64, seed=6)
    single = [panda.inverse_dynamics(*x) for x in zip(q, qd, qdd)]
    whole, M = panda.inverse_dynamics(q, qd, qdd), panda.inertia_matrix(q)
    wrong = []

    def work(number):
        for turn in range(150):
            k = (number * 31 + turn) % 64
            if not np.array_equal(panda.inverse_dynamics(q[k], qd[k], qdd[k]), single[k]):
                wrong.append("single")
            if turn % 5 == 0 and not np.array_equal(panda.inverse_dynamics(q, qd, qdd), whole):
                wrong.append("batch")
            if turn % 7 == 0 and not np.array_equal(panda.inertia_matrix(q), M):
                wrong.append("inertia")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_the_lock_is_released(panda):
    """Another thread counts on while a batch is computed."""
    q, qd, qdd = panda.random_state(20_000, seed=6)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    other = threading.Thread(target=count)
    other.start()
    try:
        before = counted[0]
        panda.inverse_dynamics(q, qd, qdd, threads=1, method="uicker-kahn")
        during = counted[0] - before
    finally:  # else it would count for ever
        done.set()
        other.join()
    assert during > 100


def test_signature_is_readable():
    assert list(inspect.signature(catena.Robot.inverse_dynamics).parameters)[:5] == ["self", "q", "qd", "qdd", "base"]
    assert "torque" in inspect.signature(catena.Robot.simulate).parameters
