"""Catena's jobs as Pinocchio computes them. Friction, which Pinocchio's algorithms leave out, is added by its definition."""

import numpy as np
import pinocchio as pin

import robots

NAME = "pinocchio"
VERSION = pin.__version__
REFUSES = {}
TAKES_MASSLESS = True  # moving links without mass
AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
# Pinocchio's inertia is m, m c, then xx, xy, yy, xz, yz, zz; θ of a joint has xx, yy, zz, xy, xz, yz (model/parameters.hpp).
INERTIA_ORDER = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


class Peer:
    def __init__(self, text, joints, load=None, wrench=None):
        self.model = pin.buildModelFromXML(text)
        self.model.gravity.linear = np.array(robots.gravity(text))
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in joints]
        self.order = [joint.idx_v for joint in self.joints]
        drives = robots.drives(text)
        self.viscous = np.array([drives[name].viscous for name in joints])
        self.coulomb = np.array([drives[name].coulomb for name in joints])
        self.reflected = np.array([drives[name].reflected for name in joints])
        armature = np.zeros(self.model.nv)
        armature[self.order] = self.reflected
        if load is not None:
            self.add(load)
        # Pinocchio 4.1 counts rotors in the energy of aligned joints but not of unaligned ones: they are added below.
        self.rigid = self.model.copy()
        self.model.armature = armature
        self.data = self.model.createData()
        self.zero = np.zeros(self.model.nv)
        self.forces = self.external(wrench)
        self.rest = pin.computePotentialEnergy(self.model, self.data, self.position(np.zeros(len(joints))))

    def frame(self, name):
        return self.model.getFrameId(name, pin.FrameType.BODY)

    def add(self, load):
        frame = self.model.frames[self.frame(load.link)]
        xx, yy, zz, xy, xz, yz = load.inertia
        inertia = pin.Inertia(load.mass, np.array(load.com), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        joint = frame.parentJoint
        self.model.inertias[joint] = self.model.inertias[joint] + frame.placement.act(inertia)

    def external(self, wrench):
        """Forces of the environment on each joint's body, in the joint's frame."""
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        if wrench is not None:
            frame = self.model.frames[self.frame(wrench.link)]
            forces[frame.parentJoint] = frame.placement.act(pin.Force(np.array(wrench.force), np.array(wrench.moment)))
        return forces

    def position(self, q):
        position = np.zeros(self.model.nq)
        for joint, value in zip(self.joints, q):
            if joint.nq == 2:  # continuous: a point on the circle
                position[joint.idx_q:joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                position[joint.idx_q] = value
        return position

    def theirs(self, vector):
        result = np.zeros(self.model.nv)
        result[self.order] = vector
        return result

    def ours(self, array):
        """A vector or a square matrix in the order of our q."""
        return array[self.order].copy() if array.ndim == 1 else array[np.ix_(self.order, self.order)].copy()

    def results(self, q, qd, qdd, tau, frame):
        """What each output of each job should be at one state."""
        model, data, at = self.model, self.data, self.position(q)
        v, a = self.theirs(qd), self.theirs(qdd)
        friction = self.viscous * qd + self.coulomb * np.sign(qd)
        expected = {}
        expected["tau"] = self.ours(pin.rnea(model, data, at, v, a, self.forces)) + friction
        expected["b"] = self.ours(pin.rnea(model, data, at, v, self.zero, self.forces)) + friction
        expected["g"] = self.ours(pin.rnea(model, data, at, self.zero, self.zero, self.forces))
        expected["M"] = self.ours(symmetric(pin.crba(model, data, at)))
        coriolis = self.ours(pin.computeCoriolisMatrix(model, data, at, v))  # another C of the same Ṁ and the same C q̇
        expected["C qd"] = coriolis @ qd
        expected["C + C'"] = coriolis + coriolis.T
        drive = self.theirs(tau - friction)
        expected["qdd"] = self.ours(pin.aba(model, data, at, v, drive, self.forces))
        pin.computeRNEADerivatives(model, data, at, v, a, self.forces)
        expected["D"] = self.ours(symmetric(data.M))
        expected["V"] = self.ours(data.dtau_dv) + np.diag(self.viscous)
        expected["P"] = self.ours(data.dtau_dq)
        pin.computeABADerivatives(model, data, at, v, drive, self.forces)
        expected["qdd_tau"] = self.ours(symmetric(data.Minv))
        expected["qdd_qd"] = self.ours(data.ddq_dv) - expected["qdd_tau"] @ np.diag(self.viscous)
        expected["qdd_q"] = self.ours(data.ddq_dq)
        expected["Y"] = self.regressor(at, v, a, q, qd, qdd)
        if frame is not None:
            expected |= self.kinematics(at, v, frame)
        expected["kinetic_energy"] = pin.computeKineticEnergy(self.rigid, data, at, v) + self.reflected @ qd**2 / 2
        expected["potential_energy"] = pin.computePotentialEnergy(model, data, at) - self.rest
        return expected | self.momentum(at, v)

    def momentum(self, at, v):
        """Of the bodies that move, which may have no mass: then there is no centre."""
        pin.ccrba(self.model, self.data, at, v)
        whole = self.data.Ig
        if whole.mass == 0.0:
            return {}
        return {"h": self.data.hg.vector.copy(), "A": self.data.Ag.reshape(6, -1)[:, self.order].copy(), "I_com": whole.inertia.copy(),
                "com": whole.lever + self.data.com[0], "mass": np.array([whole.mass])}

    def kinematics(self, at, v, name):
        model, data, frame = self.model, self.data, self.frame(name)
        pin.forwardKinematics(model, data, at, v, self.zero)
        pose = pin.updateFramePlacement(model, data, frame).homogeneous.copy()
        drift = pin.getFrameClassicalAcceleration(model, data, frame, AXES).vector.copy()
        jacobian = pin.computeFrameJacobian(model, data, at, frame, AXES).reshape(6, -1)[:, self.order]
        return {"T": pose, "J": jacobian, "Jdot_qd": drift}

    def regressor(self, at, v, a, q, qd, qdd):
        n = len(self.joints)
        theirs = pin.computeJointTorqueRegressor(self.model, self.data, at, v, a).reshape(n, 10 * n)  # one row comes as a vector
        rows = theirs[self.order]
        result = np.zeros((n, 16 * n))
        for k, joint in enumerate(self.joints):
            first = 10 * (joint.id - 1)
            result[:, 16 * k:16 * k + 10] = rows[:, first:first + 10][:, INERTIA_ORDER]
            result[k, 16 * k + 10:16 * k + 16] = qd[k], np.sign(qd[k]), 0.0, qdd[k], q[k], 1.0
        return result


class Free(Peer):
    """The robot on a free flyer, which is the file's own where it has a floating joint."""

    def __init__(self, text, joints, load=None, wrench=None):
        root = None if 'type="floating"' in text else pin.JointModelFreeFlyer()
        self.model = pin.buildModelFromXML(text) if root is None else pin.buildModelFromXML(text, root)
        self.model.gravity.linear = np.array(robots.gravity(text))
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in joints[6:]]
        self.order = list(range(6)) + [joint.idx_v for joint in self.joints]
        drives, none = robots.drives(text), robots.Drive()
        own = [drives[name] if k >= 6 else none for k, name in enumerate(joints)]
        self.viscous, self.coulomb, self.reflected = (np.array([getattr(drive, key) for drive in own])
                                                      for key in ("viscous", "coulomb", "reflected"))
        if load is not None:
            self.add(load)
        self.rigid = self.model.copy()
        self.model.armature = self.theirs(self.reflected)
        self.data = self.model.createData()
        self.zero = np.zeros(self.model.nv)
        self.forces = self.external(wrench)
        self.rest = 0.0

    def position(self, q):
        position = super().position(q[7:])
        position[:7] = q[:7]
        return position

    def regressor(self, *_):
        return None


class Mimic:
    """Torques and inertia matrix of a robot whose joints Pinocchio couples itself. Drives are added by their definition."""

    def __init__(self, text, joints, names, A):
        self.model = pin.buildModelFromXML(text, True)
        self.model.gravity.linear = np.array(robots.gravity(text))
        self.data = self.model.createData()
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in joints]
        self.order, self.A = [joint.idx_v for joint in self.joints], A
        drives = [robots.drives(text)[name] for name in names]
        self.viscous, self.coulomb, self.reflected = (np.array([getattr(drive, key) for drive in drives])
                                                      for key in ("viscous", "coulomb", "reflected"))

    def results(self, q, qd, qdd):
        at, v, a = np.zeros(self.model.nq), np.zeros(self.model.nv), np.zeros(self.model.nv)
        for joint, value in zip(self.joints, q):
            if joint.nq == 2:
                at[joint.idx_q:joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                at[joint.idx_q] = value
        v[self.order], a[self.order] = qd, qdd
        A, rates = self.A, self.A @ qd
        drive = self.viscous * rates + self.coulomb * np.sign(rates) + self.reflected * (A @ qdd)
        tau = pin.rnea(self.model, self.data, at, v, a)[self.order] + A.T @ drive
        # Column by column: for some coupled robots its crba is not what its rnea gives.
        rest = pin.rnea(self.model, self.data, at, 0 * v, 0 * a)
        M = np.array([pin.rnea(self.model, self.data, at, 0 * v, unit) - rest for unit in np.eye(self.model.nv)])
        M = M[np.ix_(self.order, self.order)].T
        return {"tau, mimic": tau, "M, mimic": M + A.T @ np.diag(self.reflected) @ A}
