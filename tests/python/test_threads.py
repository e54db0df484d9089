"""Threads of Python that use one robot at the same time, on every kind of robot: each gets what one alone gets. A Python
without the global lock (3.13t) runs them at once; tools/check_free_threaded.py tries that."""

import threading

import numpy as np
from conftest import KINDS

import catena

THREADS = 6


def at_once(work):
    """work(k) in threads that begin together; what each returned."""
    begin, results, errors = threading.Barrier(THREADS), [None] * THREADS, []

    def run(k):
        begin.wait()
        try:
            results[k] = work(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def inputs(robot, job, count):
    q, qd, qdd = robot.random_state(count, seed=5)
    known = {"q": q, "qd": qd, "qdd": qdd}
    dice = np.random.default_rng(6)
    return [known.get(entry["name"], dice.uniform(-1.0, 1.0, (count, robot.nv))) for entry in job["inputs"]]


def outcome(call):
    """The results, or what was said."""
    try:
        result = call()
    except (ValueError, TypeError, ArithmeticError) as error:
        return str(error)
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


def same(found, expected, name):
    """The same bits; where loops are closed from the place that a call saw last, the same but for rounding."""
    if isinstance(expected, str) or isinstance(found, str):
        return found == expected
    size = max((np.max(np.abs(part), initial=1.0) for part in expected), default=1.0)
    return all(np.array_equal(a, b, equal_nan=True) or name == "loop" and np.allclose(a, b, rtol=0.0, atol=1e-11 * size)
               for a, b in zip(found, expected, strict=True))


def test_every_job_of_every_kind(kind):
    name, alone = kind
    shared = KINDS[name]()  # nothing was computed with it yet
    computed = 0
    for job in catena.jobs():
        given = inputs(alone, job, 8)
        single = [outcome(lambda k=k: alone.evaluate(job["name"], *(x[k] for x in given))) for k in range(8)]
        whole = outcome(lambda: alone.evaluate(job["name"], *given))
        computed += not isinstance(single[0], str)

        def work(thread):
            return ([outcome(lambda k=k: shared.evaluate(job["name"], *(x[k] for x in given))) for k in np.roll(np.arange(8), thread)],
                    outcome(lambda: shared.evaluate(job["name"], *given)))

        for thread, (rows, batch) in enumerate(at_once(work)):
            assert all(same(row, single[k], name) for k, row in zip(np.roll(np.arange(8), thread), rows)), job["name"]
            assert same(batch, whole, name), job["name"]
    assert computed > 20


def test_robots_are_made_at_once():
    def work(_):
        robot = catena.load("panda")
        changed = robot.payload(1.5, (0.0, 0.02, 0.1)).lock(**{robot.joint_names[2]: 0.3}).on_free_base()
        q, qd, qdd = changed.random_state(seed=3)
        return changed.inverse_dynamics(q, qd, qdd).tobytes(), KINDS["tree"]().nv

    assert len(set(at_once(work))) == 1


def test_the_first_compiled_batch():
    robot = catena.load("ur5")
    q, qd, qdd = robot.random_state(500, seed=4)
    results = at_once(lambda _: robot.inverse_dynamics(q, qd, qdd, engine="compiled").tobytes())
    assert len(set(results)) == 1


def test_motions():
    robot = catena.load("ur5")
    q, qd, _ = robot.random_state(seed=4)

    def work(_):
        seen = []  # a function of Python, called back by each thread's integrator

        def damping(t, q, qd):
            seen.append(t)
            return -5.0 * qd

        fallen, damped = robot.simulate(0.2, q, qd), robot.simulate(0.2, q, qd, torque=damping)
        assert seen
        return fallen.q.tobytes(), damped.q.tobytes()

    assert len(set(at_once(work))) == 1
