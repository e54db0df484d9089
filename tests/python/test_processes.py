"""Processes that a program starts after it has computed: they have its memory, or a copy of its robots, and none of its threads."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import catena

METHODS = [m for m in ("fork", "forkserver", "spawn") if m in multiprocessing.get_all_start_methods()]
STATES = np.linspace(-1.0, 1.0, 4096 * 7).reshape(-1, 7)


def torques(robot, **how):
    return robot.inverse_dynamics(STATES, STATES, STATES, threads=4, **how)


def ends(pid, seconds=30.0):
    """The exit status of a child; one that hangs is ended and is an error."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    pytest.fail("the forked child hangs")


def forked(work):
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    return ends(pid)


@pytest.mark.parametrize("engine", ["generic", "compiled"])
def test_a_forked_child_computes(engine):
    robot = catena.load("panda")
    before = torques(robot, engine=engine)

    def the_same():
        return np.array_equal(torques(robot, engine=engine), before)

    assert forked(the_same) == 0
    assert forked(lambda: forked(the_same) == 0) == 0  # and its children
    assert the_same()


def test_a_child_that_only_exits():
    """In a program of its own, so that the interpreter ends in the child as well."""
    program = ("import catena, numpy, os, sys\n"
               "robot = catena.load('panda'); x = numpy.ones((4096, 7)); robot.inverse_dynamics(x, x, x, threads=4)\n"
               "pid = os.fork()\n"
               "if pid == 0: sys.exit(7)\n"
               "assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7\n")
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=60)


def test_forking_while_another_thread_computes():
    robot, going = catena.load("panda"), True
    before = torques(robot)

    def work():
        while going:
            torques(robot)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(10):
            assert forked(lambda: np.array_equal(torques(robot), before)) == 0
    finally:
        going = False
        thread.join()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("first", [True, False])
def test_pools_of_processes(method, first):
    robot = catena.load("panda")
    expected = torques(catena.load("panda"))
    if first:
        torques(robot)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        for result in pool.map(torques, [robot] * 4, timeout=60):
            np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(torques(robot), expected)
