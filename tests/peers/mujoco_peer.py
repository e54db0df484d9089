"""Catena's jobs as MuJoCo computes them: those it has without finite differences."""

import mujoco
import numpy as np

import robots

NAME = "mujoco"
VERSION = mujoco.__version__
POINT_MASS = "inertia must have positive eigenvalues"
NO_BODY = "inertia must satisfy A + B >= C"
MASSLESS = "mass and inertia of moving bodies must be larger than mjMINVAL"
REFUSES = {"pelican.toml": POINT_MASS, "pelican_crucible.toml": POINT_MASS, "planar2r.toml": POINT_MASS,
           "planar3r.toml": POINT_MASS, "puma560.toml": NO_BODY, "sprig_hand.urdf": NO_BODY, "lintel_gantry.urdf": MASSLESS,
           "ladle3.urdf": "repeated element: 'axis'"}
TAKES_MASSLESS = False  # moving links without mass


class Peer:
    def __init__(self, text, joints, load=None, wrench=None):
        self.model = self.compile(text, load)
        self.data = mujoco.MjData(self.model)
        self.order = [self.model.joint(name).dofadr[0] for name in joints]
        self.at = [self.model.joint(name).qposadr[0] for name in joints]
        drives = robots.drives(text)
        self.coulomb = np.array([drives[name].coulomb for name in joints])
        self.model.dof_armature[self.order] = [drives[name].reflected for name in joints]
        self.model.opt.gravity[:] = robots.gravity(text)
        # Damping stays MuJoCo's own; dry friction is there a constraint that is soft, and limits push: both are off.
        self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        self.model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        self.wrench = wrench
        self.rest = self.energies(np.zeros(len(joints)), np.zeros(len(joints)))[1]

    @staticmethod
    def compile(text, load):
        spec = mujoco.MjSpec.from_string(text)
        spec.compiler.fusestatic = False  # every link stays a body of its own, so that it can be asked for
        spec.compiler.discardvisual = True
        spec.compiler.balanceinertia = False
        spec.compiler.boundmass = 0.0
        spec.compiler.boundinertia = 0.0
        spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
        if load is not None:
            body = spec.body(load.link).add_body(name="the load")
            body.mass, body.ipos, body.fullinertia = load.mass, load.com, load.inertia
            body.explicitinertial = True
        return spec.compile()

    def set(self, q, qd):
        self.data.qpos[self.at] = q
        self.data.qvel[self.order] = qd
        mujoco.mj_fwdPosition(self.model, self.data)
        mujoco.mj_fwdVelocity(self.model, self.data)

    def energies(self, q, qd):
        self.set(q, qd)
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        return self.data.energy[1], self.data.energy[0]

    def external(self):
        """Joint torques of the wrench, whose axes turn with its link."""
        torque = np.zeros(self.model.nv)
        if self.wrench is not None:
            body = self.data.body(self.wrench.link)
            axes = body.xmat.reshape(3, 3)
            mujoco.mj_applyFT(self.model, self.data, axes @ self.wrench.force, axes @ self.wrench.moment, body.xpos, body.id,
                              torque)
        return torque[self.order]

    def torque(self, qd, qdd):
        self.data.qacc[self.order] = qdd
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse[self.order] + self.coulomb * np.sign(qd) - self.external()

    def results(self, q, qd, qdd, tau, frame):
        model, data = self.model, self.data
        expected = {}
        kinetic, potential = self.energies(q, qd)
        expected["kinetic_energy"], expected["potential_energy"] = kinetic, potential - self.rest
        if frame is not None:
            expected |= self.kinematics(qd, frame)
        matrix = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, matrix)
        expected["M"] = matrix[np.ix_(self.order, self.order)]
        data.qfrc_applied[self.order] = tau - self.coulomb * np.sign(qd) + self.external()
        mujoco.mj_forward(model, data)
        expected["qdd"] = data.qacc[self.order].copy()
        data.qfrc_applied[:] = 0.0
        expected["tau"] = self.torque(qd, qdd)
        expected["b"] = self.torque(qd, 0.0)
        self.set(q, 0.0 * qd)
        expected["g"] = self.torque(0.0 * qd, 0.0)
        friction = model.dof_damping[self.order] * qd + self.coulomb * np.sign(qd)
        expected["C qd"] = expected["b"] - friction - expected["g"]
        return expected

    def kinematics(self, qd, name):
        model, data, body = self.model, self.data, self.data.body(name)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = body.xmat.reshape(3, 3), body.xpos
        jacobian, drift = np.zeros((6, model.nv)), np.zeros((6, model.nv))
        mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], body.xpos, body.id)
        mujoco.mj_jacDot(model, data, drift[:3], drift[3:], body.xpos, body.id)
        return {"T": pose, "J": jacobian[:, self.order], "Jdot_qd": drift[:, self.order] @ qd}
