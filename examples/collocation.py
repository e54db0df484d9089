#!/usr/bin/env python3
"""Best motions from one pose to another, by direct collocation: CasADi and its IPOPT solve what Catena's functions say.

    collocation.py swing    the pelican's arm lifts its crucible, which swings freely, from hanging to upright and holds it
    collocation.py fast     the Panda's fastest motion between two poses, within its limits of speed and torque
    collocation.py frugal   a UR5 moves in two seconds with the least energy lost in its motors
    collocation.py compare  the UR5's motion by native functions and by calls back: the same optimum, and the seconds of both

Needs: pip install casadi. Results are printed; -o FILE writes the motion as a table that `catena run` and the page read.
"""

import argparse
import time

import casadi
import numpy as np

import catena


def solve(robot, start, end, *, intervals, duration=None, torque, speed=None, cost="torque", passive=(), native=True):
    """q, qd, tau at the ends of the intervals, and the time. Hermite and Simpson on each interval: accelerations are linear in
    it, so that speeds are quadratic and positions cubic; dynamics hold at both ends."""
    n = robot.nv
    inverse = robot.casadi("inverse") if native else catena.adapters.casadi.inverse_dynamics(robot)
    q, qd, qdd = (casadi.MX.sym(name, n, intervals + 1) for name in ("q", "qd", "qdd"))
    T = casadi.MX.sym("T")
    h = T / intervals
    tau = inverse.map(intervals + 1)(q, qd, qdd)
    a, b = qdd[:, :-1], qdd[:, 1:]
    gaps = [qd[:, 1:] - qd[:, :-1] - h / 2 * (a + b),
            q[:, 1:] - q[:, :-1] - h * qd[:, :-1] - h**2 / 6 * (2 * a + b)]
    ends = [q[:, 0] - start, q[:, -1] - end, qd[:, 0], qd[:, -1]]
    equal = casadi.vertcat(*(casadi.vec(part) for part in gaps + ends))
    limits = np.array([0.0 if j in passive else torque[j] for j in range(n)])
    weights = np.full(intervals + 1, 1.0)
    weights[[0, -1]] = 0.5
    spent = casadi.sum2(casadi.sum1((tau / np.where(limits > 0, limits, 1))**2) * casadi.DM(weights).T) * h
    objective = T if cost == "time" else spent
    x = casadi.vertcat(casadi.vec(q), casadi.vec(qd), casadi.vec(qdd), T)
    g = casadi.vertcat(equal, casadi.vec(tau))
    fixed = np.zeros(equal.numel())
    band = np.tile(limits, intervals + 1)
    share = np.linspace(0, 1, intervals + 1)
    guess_time = duration or 2.0
    guess = [np.outer(share, np.subtract(end, start)) + start, np.zeros((intervals + 1, n)), np.zeros((intervals + 1, n))]
    fastest = np.inf if speed is None else np.tile(speed, intervals + 1)
    lower = np.concatenate([np.full(q.numel(), -np.pi), np.full(q.numel(), -1) * fastest, np.full(q.numel(), -np.inf), [duration or 0.1]])
    upper = np.concatenate([-lower[:-1], [duration or 10.0]])
    solver = casadi.nlpsol("solver", "ipopt", {"x": x, "f": objective, "g": g},
                           {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes", "max_iter": 3000, "tol": 1e-7,
                                                           **({} if native else {"hessian_approximation": "limited-memory"})}})
    begun = time.perf_counter()
    found = solver(x0=np.concatenate([part.ravel() for part in guess] + [[guess_time]]), lbx=lower, ubx=upper,
                   lbg=np.concatenate([fixed, -band]), ubg=np.concatenate([fixed, band]))
    seconds = time.perf_counter() - begun
    if not solver.stats()["success"]:
        raise SystemExit(f"not solved: {solver.stats()['return_status']}")
    size = q.numel()
    motion = [np.array(found["x"][k * size:(k + 1) * size]).reshape(intervals + 1, n) for k in range(3)]
    return motion, np.array(found["g"][-band.size:]).reshape(intervals + 1, n), float(found["x"][-1]), float(found["f"]), seconds, solver.stats()["iter_count"]


def swing(native=True):
    robot = catena.load("pelican_crucible")
    down, up = np.array([-np.pi / 2, 0, 0]), np.array([np.pi / 2, 0, 0])
    return robot, solve(robot, down, up, intervals=60, duration=1.5, torque=[15, 6, 0], passive=(2,), native=native)


def fast(native=True):
    robot = catena.load("panda")
    start, end = np.array([0, -0.5, 0, -2.2, 0, 1.8, 0.6]), np.array([1.5, 0.4, 0.3, -1.2, 0.2, 2.2, -0.6])
    return robot, solve(robot, start, end, intervals=60, cost="time", torque=[87] * 4 + [12] * 3,
                        speed=[2.175] * 4 + [2.61] * 3, native=native)


def frugal(native=True, intervals=60):
    robot = catena.load("ur5")
    start, end = np.array([0, -1.2, 1.8, -0.6, 1.57, 0]), np.array([1.8, -0.4, 0.6, -1.2, 0.5, 1.0])
    return robot, solve(robot, start, end, intervals=intervals, duration=2.0, torque=[150, 150, 150, 28, 28, 28], native=native)


def write(path, motion, tau, T):
    names = [f"{group}{j + 1}" for group in ("q", "qd", "qdd", "tau") for j in range(tau.shape[1])]
    t = np.linspace(0, T, len(tau))[:, None]
    np.savetxt(path, np.hstack([t, *motion, tau]), delimiter=",", header=",".join(["t", *names]), comments="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", choices=("swing", "fast", "frugal", "compare"))
    parser.add_argument("-o", "--output", help="file for the motion")
    parser.add_argument("--intervals", type=int, default=60, help="of compare")
    given = parser.parse_args()
    if given.problem == "compare":
        outcomes = {native: frugal(native, given.intervals)[1] for native in (True, False)}
        (_, _, _, best, quick, steps), (_, _, _, other, slow, more) = outcomes[True], outcomes[False]
        print(f"native: {best:.9g} in {quick:.3f} s, {steps} steps; by calls back: {other:.9g} in {slow:.3f} s, {more} steps; {slow / quick:.0f} times")
        return
    robot, (motion, tau, T, best, seconds, steps) = {"swing": swing, "fast": fast, "frugal": frugal}[given.problem]()
    again = robot.inverse_dynamics(*motion)
    print(f"{robot.name}: {T:.4f} s, objective {best:.6g}, {steps} steps in {seconds:.2f} s; torques up to "
          + ", ".join(f"{x:.1f}" for x in np.abs(tau).max(0)) + f"; Catena's own differ by {np.abs(again - tau).max():.1e}")
    if given.output:
        write(given.output, motion, tau, T)


if __name__ == "__main__":
    main()
