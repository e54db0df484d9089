"""What each job must give at a state, from the oracle: by the names of its outputs, each with the tolerance it is held to.

A job that the program lists and EXPECTED does not know is an error of the walk.
"""

import functools
import random

import numpy as np

from oracle import STEP, cross, from_quaternion, rise, six, times, turn

EXACT, BY_DIFFERENCES, BY_SECOND_DIFFERENCES = 1e-9, 1e-7, 1e-5
ROWS_AT_ONCE = 4000  # of states, where there are many


# Every input of the jobs that has a number for each joint, in the order in which tables have them, and how large it is tried.
SIZES = {"q": 0.8, "qd": 1.2, "qdd": 1.5, "tau": 20.0, "lam": 1.0, "qd_r": 1.1}


def inputs_of(listed):
    """Those that any of these jobs takes."""
    return [name for name in SIZES if any(name in job["inputs"] for job in listed)]


def state_of(oracle, seed=0):
    """A value of each of SIZES, the same at every call; no joint stands still, none has a torque that is passive."""
    for attempt in range(100):
        draw = random.Random(f"{oracle.robot.name} {sorted(oracle.lock)} {seed} {attempt}")
        some = lambda size: np.array([draw.choice([-1, 1]) * draw.uniform(0.2, 1.0) for _ in range(size)])
        state = {name: size * some(oracle.nv) for name, size in SIZES.items()}
        if oracle.free:
            turned = np.array([draw.gauss(0, 1) for _ in range(4)])
            state["q"] = np.concatenate([state["q"][:3], turned / np.linalg.norm(turned), state["q"][6:]])
        if np.abs(oracle.rates(state["q"], state["qd"])).min() > (0.02 if oracle.loops else 0.05):  # followers neither
            break
    state["tau"][passive(oracle)] = 0.0
    return state


def passive(oracle):
    """Places of the joints without a motor; the base that is free is none of them."""
    return np.array([6 * oracle.free + j for j, name in enumerate(oracle.own) if oracle.drive_of(name).passive], dtype=int)


def displaced(oracle, q, change):
    """q, or each row of it, moved by changes of coordinates, one per row; of a free base along and about its own axes."""
    if not oracle.free:
        return q + change
    angle = np.linalg.norm(change[:, 3:6], axis=1, keepdims=True)
    half = np.where(angle > 0, np.sin(angle / 2) / np.where(angle > 0, angle, 1.0), 0.5)
    base = np.broadcast_to(q[..., 3:7], (len(change), 4))
    turned = times(base, np.concatenate([change[:, 3:6] * half, np.cos(angle / 2)], axis=1))
    if oracle.broken == "turned":
        turned = base
    place = q[..., :3] + (from_quaternion(base) @ change[:, :3, None])[..., 0]
    return np.concatenate([place, turned, q[..., 7:] + change[:, 6:]], axis=1)


def spun(v, r):
    """What a rate makes of another one at the six joints that carry a free base: docs/equations/free_base.md."""
    w, s = v[3:6], r[3:6]
    return np.concatenate([np.cross(w, r[:3]), [-w[2] * s[1], w[2] * s[0], -w[1] * s[0]]])


class Expected:
    def __init__(self, oracle, state):
        self.oracle, self.kept = oracle, {}
        self.state = {name: np.asarray(numbers, dtype=float) for name, numbers in state.items()}
        self.q, self.qd, self.qdd, self.tau, self.lam, self.qd_r = (self.state[name] for name in SIZES)

    def rows(self, q, v, a):
        """As many states as the longest of the three has; this place, and 0, where left out."""
        rest = np.zeros(self.oracle.nv)
        blocks = [np.atleast_2d(other if u is None else u) for u, other in ((q, self.q), (v, rest), (a, rest))]
        count = max(map(len, blocks))
        return [np.broadcast_to(u, (count, u.shape[1])) for u in blocks]

    def torques(self, q=None, v=None, a=None, **how):
        return self.oracle.torques(*self.rows(q, v, a), **how)

    def move(self, q=None, v=None, a=None, base=None):
        return self.oracle.move(*self.rows(q, v, a), np.array(self.oracle.base_motion if base is None else base))

    def differences(self, along):
        """Columns of the derivative; along(steps) has a row for each row of steps."""
        one = np.eye(self.oracle.nv) * STEP
        a, b, c, d = np.split(along(np.concatenate([one, -one, 2 * one, -2 * one])), 4)
        return ((8.0 * (a - b) - (c - d)) / (12.0 * STEP)).T

    @functools.cached_property
    def M(self):
        return self.inertia_at(self.q)

    def inertia_at(self, q, drives=True):
        return self.torques(q, a=np.eye(self.oracle.nv), gravity=False, base=np.zeros(12), wrenches=False, drives=drives).T

    @functools.cached_property
    def b(self):
        return self.torques(v=self.qd)[0]

    def forward(self, tau):
        return np.linalg.solve(self.M, tau - self.b)

    def hybrid(self, qdd, tau):
        """Accelerations of what is passive (a free base is), torques of the others."""
        qdd, tau = qdd.copy(), tau.copy()
        found = passive(self.oracle)
        if self.oracle.broken == "passive":
            found = found[:0]
        if self.oracle.free:
            found = np.concatenate([np.arange(6), found])
        others = np.setdiff1d(np.arange(self.oracle.nv), found)
        qdd[found] = np.linalg.solve(self.M[np.ix_(found, found)], (tau - self.b - self.M[:, others] @ qdd[others])[found])
        tau[others] = (self.M @ qdd + self.b)[others]
        return {"qdd": qdd, "tau": tau}

    def by_rates(self, a, **how):
        return self.differences(lambda steps: self.torques(v=self.qd + steps, a=a, **how))

    def by_positions(self, a):
        return self.differences(lambda steps: self.torques(displaced(self.oracle, self.q, steps), self.qd, a))

    def response(self):
        """From τ(q, q̇, q̈(q, q̇, τ)) = τ, differentiated."""
        a = self.forward(self.tau)
        inverse = np.linalg.inv(self.M)
        return {"qdd_q": -inverse @ self.by_positions(a), "qdd_qd": -inverse @ self.by_rates(a), "qdd_tau": inverse}

    def second_differences(self, along):
        """Entry (j, k) is the change along k of the derivative by j; along(first, second) has a number for each pair of rows."""
        count = 4 * self.oracle.nv
        block = max(1, ROWS_AT_ONCE // count)

        def inner(first):
            by_second = lambda second: along(np.repeat(first, count, axis=0), np.tile(second, (len(first), 1))).reshape(-1, count).T
            return self.differences(by_second)

        return self.differences(lambda steps: np.concatenate([inner(steps[k:k + block]) for k in range(0, count, block)]))

    def curvature(self, a, weights):
        """Second derivatives of the weighed torques, by differences."""
        moved = lambda steps, q=self.q: displaced(self.oracle, q, steps)
        tau = lambda q, v: self.torques(q, v, a) @ weights
        rows = lambda steps: self.torques(moved(steps), a=weights, gravity=False, base=np.zeros(12), wrenches=False)  # of M
        return {"q_q": self.second_differences(lambda first, second: tau(moved(second, moved(first)), self.qd)),
                "q_qd": self.second_differences(lambda first, second: tau(moved(second), self.qd + first)),
                "q_qdd": self.differences(rows).T,
                "qd_qd": self.second_differences(lambda first, second: tau(self.q, self.qd + first + second))}

    def response_curvature(self):
        """From the torques' identity, differentiated twice."""
        a, to = self.forward(self.tau), self.response()
        H = self.curvature(a, np.linalg.solve(self.M, self.lam))
        turned = H["q_qdd"] @ to["qdd_q"]
        return {"H_q_q": -(H["q_q"] + turned + turned.T), "H_q_qd": -(H["q_qd"] + H["q_qdd"] @ to["qdd_qd"]),
                "H_q_tau": -H["q_qdd"] @ to["qdd_tau"], "H_qd_qd": -H["qd_qd"]}

    # Two velocities.

    def inverse_two(self, **how):
        """M q̈ + C(q, q̇) q̇_r and all that rates of the coordinates have no part in; friction is that of q̇. Products of rates
        are symmetric but for a free base, whose axes turn."""
        mean, half = (self.qd + self.qd_r) / 2, (self.qd - self.qd_r) / 2
        rest = self.torques(v=self.qd, **how) - self.torques(v=self.qd, drives="rotors", **how)
        products = self.torques(v=half, gravity=False, base=np.zeros(12), wrenches=False, drives="rotors")
        tau = (self.torques(v=mean, a=self.qdd, drives="rotors", **how) - products + rest)[0]
        if self.oracle.free:
            turned = np.zeros(self.oracle.nv)
            turned[:6] = (spun(self.qd, self.qd_r) - spun(self.qd_r, self.qd)) / 2
            tau = tau + self.M @ turned
        return tau

    def observer(self):
        return {"p": (self.M @ self.qd, EXACT), "beta": (self.inertia_rate() @ self.qd - self.torques(v=self.qd, wrenches=False)[0],
                                                         BY_DIFFERENCES)}

    def inertia_rate(self, drives=True):
        steps = STEP * np.array([1.0, -1.0, 2.0, -2.0])
        p, q, r, s = (self.inertia_at(displaced(self.oracle, self.q, step * self.qd[None])[0], drives) for step in steps)
        return (8.0 * (p - q) - (r - s)) / (12.0 * STEP)

    # All joints, and loops.

    def place(self):
        """Without the six joints that carry a base that is free or moves."""
        return self.oracle.place(self.q[None])[0]

    def of_movers(self):
        """q as generated code takes it: of all joints that follow none by couplings."""
        if not self.oracle.loops:
            return self.q
        head = 7 * self.oracle.free
        return np.concatenate([self.q[:head], self.oracle.loops.close(self.q[None, head:])[0]])

    def loop_forces(self):
        if not self.oracle.loops:
            return np.zeros(0)  # so much of an empty matrix has JSON
        motion, force, moment = self.oracle.forces(*self.rows(None, self.qd, self.qdd))
        return self.oracle.loops.wrenches(self.q[7 * self.oracle.free:],
                                          self.oracle.project(motion, force, moment, drives=True)[0] @ self.oracle.G)

    # Frames and momenta.

    def frame(self, name, v=None, a=None, base=None):
        return self.oracle.frame_motion(name, self.move(v=v, a=a, base=base))

    def pose(self, name):
        T = np.eye(4)
        _, R, p = self.frame(name)[:3]
        T[:3, :3], T[:3, 3] = R[0], p[0]
        return T

    def jacobian(self, name):
        _, _, _, omega, velocity, _, _ = self.frame(name, v=np.eye(self.oracle.nv), base=np.zeros(12))
        return np.concatenate([velocity, omega], axis=1).T

    def drift(self, name):
        _, _, _, _, _, alpha, acceleration = self.frame(name, v=self.qd)
        return np.concatenate([acceleration, alpha], axis=1)[0]

    def bodies(self, motion):
        """Mass, place and velocity of the mass centre, inertia and angular velocity in world axes, of all that moves."""
        for k, joint in enumerate(self.oracle.joints):
            if not self.oracle.carried[k]:
                continue
            R, p, omega, velocity = motion.frames[k][:4]
            for mass, com, inertia in joint.bodies:
                arm = R @ com
                yield mass, p + arm, velocity + cross(omega, arm), R @ inertia @ np.swapaxes(R, 1, 2), omega

    def frame_velocity(self, name):
        _, _, _, omega, velocity, _, _ = self.frame(name, v=self.qd)
        return np.concatenate([velocity, omega], axis=1)[0]

    def energy(self, base=None):
        kinetic = potential = 0.0
        motion = self.move(v=self.qd, base=base)
        for mass, place, velocity, inertia, omega in self.bodies(motion):
            kinetic += 0.5 * mass * np.sum(velocity**2) + 0.5 * omega[0] @ inertia[0] @ omega[0]
            potential -= mass * place[0] @ self.oracle.gravity_vector
        if not self.oracle.rigid:
            for at, rate, k in zip(motion.at[0], motion.rates[0], self.oracle.moving):
                drive = self.oracle.joints[k].drive
                kinetic += 0.5 * drive.gear**2 * drive.rotor * rate**2
                potential += 0.5 * drive.stiffness * (at - drive.rest)**2 + drive.torque_offset * at
        return {"kinetic_energy": kinetic, "potential_energy": potential}

    def momentum(self, v, base=None):
        parts = list(self.bodies(self.move(v=v, base=base)))
        mass = sum(part[0] for part in parts)
        com = sum(part[0] * part[1] for part in parts) / mass
        linear = sum(part[0] * part[2] for part in parts)
        angular = sum(cross(p - com, m * u) + np.einsum("bij,bj->bi", I, w) for m, p, u, I, w in parts)
        arms = [(m, (p - com)[0], I[0]) for m, p, _, I, _ in parts]
        about = sum(I + m * (arm @ arm * np.eye(3) - np.outer(arm, arm)) for m, arm, I in arms)
        return np.concatenate([linear, angular], axis=1), com[0], about, mass

    def centroidal(self):
        A, com, about, mass = self.momentum(np.eye(self.oracle.nv), np.zeros(12))
        return {"A": A.T, "I_com": about, "com": com, "mass": mass}

    # Parameters.

    def owners(self):
        """Places in `joints` of what has parameters: the link that is free, and the joints of the tree."""
        free = [k for k, joint in enumerate(self.oracle.joints) if joint.kind == "floating"]
        return free + self.oracle.moving

    def regressor(self):
        """Sixteen columns for each of owners(); a free base has no drive, so that its last six are 0."""
        oracle = self.oracle
        masses, moments = np.eye(10)[:, :1], np.eye(10)[:, 1:4]
        inertias = np.array([six(e[4:]) for e in np.eye(10)])
        motion = self.move(np.tile(self.q, (10, 1)), self.qd, self.qdd)
        rates, growth, G = motion.rates[0], motion.growth[0], motion.G[0]
        columns = []
        for k in self.owners():
            R, p, omega, _, alpha, acceleration = (u[0] for u in motion.frames[k])
            acceleration = acceleration - oracle.gravity_vector
            force, moment = ([np.zeros((10, 3)) for _ in oracle.joints] for _ in range(2))
            h, J = moments @ R.T, R @ inertias @ R.T
            force[k] = masses * acceleration + cross(alpha, h) + cross(omega, cross(omega, h))
            moment[k] = cross(h, acceleration) + J @ alpha + cross(omega, J @ omega) + cross(p, force[k])
            columns.append(oracle.gather(motion, force, moment, drives=False))
            own = np.zeros((6, oracle.nv))
            if k in oracle.moving:
                j = oracle.moving.index(k)
                own[:, 6 * oracle.free:] = np.outer([rates[j], np.sign(rates[j]), 0.0 if oracle.rigid else rise(oracle.joints[k].drive, rates[j]),
                                                             growth[j], motion.at[0][j], 1.0], G[j])
            columns.append(own)
        return np.concatenate(columns).T

    def parameters(self):
        """The values of these: of the link with all that is fixed to it, in its own frame and about its origin."""
        oracle = self.oracle
        frames = self.move().frames
        owners = self.owners()
        values = np.zeros((len(owners), 16))
        for k, joint in enumerate(oracle.joints):
            owner = k
            while owner >= 0 and owner not in owners:
                owner = oracle.joints[owner].parent
            if owner < 0:
                continue
            (R, p), (R_own, p_own) = ((frames[i][0][0], frames[i][1][0]) for i in (k, owner))
            row = values[owners.index(owner)]
            for mass, com, inertia in joint.bodies:
                c = R_own.T @ (p + R @ com - p_own)
                J = R_own.T @ R @ inertia @ R.T @ R_own + mass * (c @ c * np.eye(3) - np.outer(c, c))
                row[:10] += [mass, *(mass * c), J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        if not oracle.rigid:
            for k in oracle.moving:
                drive = oracle.joints[k].drive
                values[owners.index(k), 10:] = (drive.viscous, drive.coulomb, drive.stribeck, drive.gear**2 * drive.rotor,
                                                drive.stiffness, drive.torque_offset - drive.stiffness * drive.rest)
        return values.ravel()


def exact(**outputs):
    return {name: (thing, EXACT) for name, thing in outputs.items()}


def close(**outputs):
    return {name: (thing, BY_DIFFERENCES) for name, thing in outputs.items()}


def twice(**outputs):
    return {name: (thing, BY_SECOND_DIFFERENCES) for name, thing in outputs.items()}


def momentum(e, frame):
    h, com, _, _ = e.momentum(e.qd)
    return exact(h=h[0], com=com)


def linearize(e, frame):
    return {**exact(D=e.M), **close(V=e.by_rates(e.qdd), P=e.by_positions(e.qdd))}


# Of one formula: C, the factors and Y of two velocities are not, and are looked at by what they do (check_coriolis, …).
EXPECTED = {
    "inverse": lambda e, frame: exact(tau=e.torques(v=e.qd, a=e.qdd)[0]),
    "gravity": lambda e, frame: exact(g=e.torques()[0]),
    "inertia": lambda e, frame: exact(M=e.M),
    "bias": lambda e, frame: exact(b=e.b),
    "forward": lambda e, frame: exact(qdd=e.forward(e.tau)),
    "hybrid": lambda e, frame: exact(**e.hybrid(e.qdd, e.tau)),
    "place": lambda e, frame: exact(q_tree=e.place()),
    "pose": lambda e, frame: exact(T=e.pose(frame)),
    "jacobian": lambda e, frame: exact(J=e.jacobian(frame)),
    "drift": lambda e, frame: exact(Jdot_qd=e.drift(frame)),
    "energy": lambda e, frame: exact(**e.energy()),
    "momentum": momentum,
    "centroidal": lambda e, frame: exact(**e.centroidal()),
    "linearize": linearize,
    "damping": lambda e, frame: close(V=e.by_rates(None, wrenches=False)),
    "stiffness": lambda e, frame: close(P=e.by_positions(e.qdd)),
    "response": lambda e, frame: {**close(**e.response())},
    "curvature": lambda e, frame: twice(**{f"H_{pair}": block for pair, block in e.curvature(e.qdd, e.lam).items()}),
    "response_curvature": lambda e, frame: twice(**e.response_curvature()),
    "inverse_two": lambda e, frame: exact(tau=e.inverse_two()),
    "observer": lambda e, frame: e.observer(),
    "inverse_inertia": lambda e, frame: exact(Minv=np.linalg.inv(e.M)),
    "regressor": lambda e, frame: exact(Y=e.regressor()),
    "loop_forces": lambda e, frame: exact(loop_forces=e.loop_forces()),
}


def check_coriolis(e, C):
    """C q̇ is what rates add to the torques at rest, and Ṁ - 2C is skew. Friction is no part of either; rotors are where loops
    make them turn unevenly."""
    drives = "rotors" if e.oracle.loops else False
    rate = e.inertia_rate(drives)
    rigid = dict(wrenches=False, drives=drives)
    return {"C + Cᵀ - Ṁ": (C + C.T, rate, BY_DIFFERENCES),
            "C q̇": (C @ e.qd, (e.torques(v=e.qd, **rigid) - e.torques(**rigid))[0], EXACT)}


def check_regressor_two(e, Y):
    return {"Y θ": (own_columns(e, Y) @ e.parameters(), e.inverse_two(wrenches=False), EXACT)}


def shape_of(oracle, words):
    """"nv x 16 nv" in numbers. Under a base that is free stand six joints with parameters, under one that moves six without."""
    sizes = {"nv": oracle.nv, "16": 16, "np": 16 * (len(oracle.moving) + 6 * oracle.free), "nl": len(oracle.robot.loops),
             "nt": len(oracle.moving)}
    shape = []
    for side in words.split(" x "):
        if side in ("16 nv", "np"):
            shape.append(sizes["np"])
        else:
            shape.append(sizes[side] if side in sizes else int(side))
    return tuple(shape) if words != "1" else ()


def own_columns(e, Y):
    """The program's columns of the links that there are: under a free base stand six joints, of which the last has a link."""
    if not e.oracle.free:
        return Y
    Y = Y[:, 80:].copy()
    Y[:, 10:16] = 0.0  # drives that it has not
    return Y


def check_factor(e, U, D):
    return {"U D Uᵀ": (U @ np.diag(D) @ U.T, e.M, EXACT), "U below its diagonal": (np.tril(U), np.eye(len(D)), EXACT)}
