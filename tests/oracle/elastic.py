"""Elastic joints by Lagrange's equations, from energies alone and without code of the library.

An arm that is drawn at random, link by link: T is that of the links, each with its motor at rest, plus for every motor
½ J r² θ̇² and, with full coupling, J r θ̇ (ω · a), where ω is the angular velocity of the link that carries it and a its axis;
U is that of gravity and of the springs between q and θ. Torques are d/dt ∂T/∂v - ∂T/∂x + ∂U/∂x + damping and friction, by
complex steps and differences. `catena run --compute inertia,bias` must give the same, as M v̇ + b.

    python3 tests/oracle/elastic.py --catena build/catena [--break full|spring|damping|friction|rotor]
"""

import argparse
import json
import subprocess
import sys
import tempfile

import numpy as np


def turn(axis, angle):
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


class Arm:
    def __init__(self, seed, joints, coupling):
        draw = np.random.default_rng(seed)
        unit = lambda: (lambda v: v / np.linalg.norm(v))(draw.normal(size=3))
        self.n, self.full = joints, coupling == "full"
        self.slides = [bool(draw.random() < 0.25) for _ in range(joints)]
        self.p, self.axis = draw.uniform(-0.4, 0.4, (joints, 3)), [unit() for _ in range(joints)]
        self.mass, self.com = draw.uniform(1, 4, joints), draw.uniform(-0.2, 0.2, (joints, 3))
        self.I = []
        for _ in range(joints):
            A = draw.normal(size=(3, 3))
            small = A @ A.T
            self.I.append(0.05 * (np.trace(small) * np.eye(3) - small) + 0.2 * np.eye(3))
        self.J, self.r = draw.uniform(1e-3, 4e-2, joints), draw.uniform(2, 9, joints)
        self.K, self.D = draw.uniform(50, 900, joints), draw.uniform(0, 3, joints)
        self.viscous, self.coulomb = draw.uniform(0, 2, joints), draw.uniform(0, 1, joints)
        self.offset = draw.uniform(-2, 2, joints)
        self.spring, self.rest = draw.uniform(0, 9, joints), draw.uniform(-1, 1, joints)
        self.gravity = np.array([0.3, -1.1, -9.6])
        self.coupling = coupling

    def toml(self):
        out = f'name = "elastic {self.n}"\nconvention = "frames"\ngravity = {list(self.gravity)}\n'
        for k in range(self.n):
            I = self.I[k]
            out += f"""
[[link]]
joint = "{'prismatic' if self.slides[k] else 'revolute'}"
xyz = {list(map(float, self.p[k]))}
axis = {list(map(float, self.axis[k]))}
mass = {float(self.mass[k])}
com = {list(map(float, self.com[k]))}
inertia = {[float(I[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]}
rotor = {{ inertia = {float(self.J[k])}, gear_ratio = {float(self.r[k])} }}
friction = {{ viscous = {float(self.viscous[k])}, coulomb = {float(self.coulomb[k])} }}
torque_offset = {float(self.offset[k])}
spring = {{ stiffness = {float(self.spring[k])}, rest = {float(self.rest[k])} }}
elastic = {{ stiffness = {float(self.K[k])}, damping = {float(self.D[k])}, coupling = "{self.coupling}" }}
"""
        return out

    def energies(self, x, v, broken=""):
        """T and U at x = (q, θ) and its rates; complex numbers pass."""
        R, o, w, u = np.eye(3) + 0 * x[0], np.zeros(3) + 0 * x[0], np.zeros(3) + 0 * v[0], np.zeros(3) + 0 * v[0]
        T = U = 0.0
        for k in range(self.n):
            q, qd, theta, thetad = x[k], v[k], x[self.n + k], v[self.n + k]
            a = R @ self.axis[k]
            spins = self.r[k] * thetad
            T = T + 0.5 * self.J[k] * spins**2 * (broken != "rotor")
            if self.full != (broken == "full"):
                T = T + self.J[k] * spins * (w @ a)
            step = R @ self.p[k]
            if self.slides[k]:
                step = step + a * q
            u = u + np.cross(w, step) + (a * qd if self.slides[k] else 0)
            o = o + step
            if not self.slides[k]:
                R, w = R @ turn(self.axis[k], q), w + a * qd
            c = R @ self.com[k]
            vc, wl = u + np.cross(w, c), R.T @ w
            T = T + 0.5 * self.mass[k] * (vc @ vc) + 0.5 * (wl @ (self.I[k] @ wl))
            U = U - self.mass[k] * (self.gravity @ (o + c)) + 0.5 * self.spring[k] * (q - self.rest[k])**2
            U = U + 0.5 * self.K[k] * (q - theta)**2 * (1.1 if broken == "spring" else 1.0) + self.offset[k] * theta
        return T, U

    def torques(self, x, v, a, broken=""):
        m, tiny, h = 2 * self.n, 1e-30, 1e-3

        def momenta(t):  # ∂T/∂v on the way x + v t + a t²/2
            at, rate = x + v * t + 0.5 * a * t * t, v + a * t
            return np.array([self.energies(at, rate + 1j * tiny * e, broken)[0].imag / tiny for e in np.eye(m)])

        f = [momenta(k * h) for k in (-3, -2, -1, 1, 2, 3)]
        tau = ((f[5] - f[0]) - 9 * (f[4] - f[1]) + 45 * (f[3] - f[2])) / (60 * h)
        for k, e in enumerate(np.eye(m)):
            T, U = self.energies(x + 1j * tiny * e, v, broken)
            tau[k] += (U - T).imag / tiny
        n = self.n
        lag = self.D * (v[:n] - v[n:]) * (broken != "damping")
        tau[:n] += lag
        rubs = self.viscous * v[n:] + self.coulomb * np.sign(v[n:])
        if broken == "friction":
            tau[:n] += rubs
        else:
            tau[n:] += rubs
        return tau - np.concatenate([0 * lag, lag])


def worst_of(catena, folder, seed, joints, coupling, broken):
    arm = Arm(seed, joints, coupling)
    path = f"{folder}/arm.toml"
    with open(path, "w") as file:
        file.write(arm.toml())
    draw = np.random.default_rng(seed + 1000)
    x, v, a = (draw.uniform(-1, 1, 2 * joints) for _ in range(3))
    text = lambda values: ",".join(repr(float(value)) for value in values)
    got = subprocess.run([catena, "run", path, "--compute", "inertia,bias", f"--q={text(x)}", f"--qd={text(v)}", "--json"],
                         capture_output=True, text=True)
    if got.returncode != 0:
        sys.exit(got.stderr)
    found = json.loads(got.stdout)
    tau = np.array(found["M"]) @ a + np.array(found["b"])
    expected = arm.torques(x, v, a, broken)
    return float(np.abs(tau - expected).max() / np.abs(expected).max())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--catena", required=True)
    parser.add_argument("--break", dest="broken", default="")
    given = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for coupling in ("reduced", "full"):
            for seed in range(6):
                worst = max(worst, worst_of(given.catena, folder, seed, 1 + seed, coupling, given.broken))
    print(f"12 arms, 1 to 6 elastic joints: torques differ by at most {worst:.1e} of the largest")
    sys.exit(worst > 1e-9)


if __name__ == "__main__":
    main()
