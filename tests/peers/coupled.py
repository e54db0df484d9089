"""Robots with coupled joints: another library computes the tree, every joint by itself, and these lines project it.

Nothing here knows Catena's code: couplings are read from the file, and the projection is written out in full.
"""

import xml.etree.ElementTree as xml

import numpy as np

VECTORS = ("tau", "b", "g", "C qd")
MATRICES = ("M", "C + C'", "D", "V", "P")
AS_THEY_ARE = ("T", "Jdot_qd", "kinetic_energy", "potential_energy", "h", "com", "I_com", "mass")


def moving(text):
    """Names of the joints that move, in the order of the file."""
    return [joint.get("name") for joint in xml.fromstring(text).findall("joint") if joint.get("type") != "fixed"]


def couplings(text):
    """Joint to master, multiplier, offset."""
    found = {}
    for joint in xml.fromstring(text).findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            found[joint.get("name")] = (mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
    return found


def without_couplings(text):
    root = xml.fromstring(text)
    for joint in root.findall("joint"):
        for mimic in joint.findall("mimic"):
            joint.remove(mimic)
    return xml.tostring(root, encoding="unicode")


class Coupled:
    """A peer of the robot, made of a peer of its tree."""

    def __init__(self, peer, text, joints, load=None, wrench=None):
        self.names, follows = moving(text), couplings(text)
        self.A, self.offset = np.zeros((len(self.names), len(joints))), np.zeros(len(self.names))
        for row, name in enumerate(self.names):
            factor = 1.0
            while name in follows:
                name, multiplier, offset = follows[name]
                self.offset[row] += factor * offset
                factor *= multiplier
            self.A[row, joints.index(name)] = factor
        self.tree = peer.Peer(without_couplings(text), self.names, load, wrench)
        self.mimic = None
        if hasattr(peer, "Mimic") and load is None and wrench is None:
            try:
                self.mimic = peer.Mimic(text, joints, self.names, self.A)
            except (ValueError, RuntimeError):  # not every master, and not every chain of them
                pass
        home = self.tree.results(self.offset, *np.zeros((3, len(self.names))), None)
        self.rest = home["potential_energy"]

    def results(self, q, qd, qdd, tau, frame):
        A = self.A
        all_q = A @ q + self.offset
        tree = self.tree.results(all_q, A @ qd, A @ qdd, np.zeros(len(self.names)), frame)
        expected = {name: A.T @ tree[name] for name in VECTORS if name in tree}
        expected |= {name: A.T @ tree[name] @ A for name in MATRICES if name in tree}
        expected |= {name: tree[name] for name in AS_THEY_ARE if name in tree}
        for name in ("J", "A"):
            if name in tree:
                expected[name] = tree[name] @ A
        if "Y" in tree:
            expected["Y"] = A.T @ tree["Y"]
        expected["potential_energy"] = tree["potential_energy"] - self.rest
        expected["qdd"] = np.linalg.solve(expected["M"], tau - expected["b"])
        if "V" in tree:
            at = self.tree.results(all_q, A @ qd, A @ expected["qdd"], np.zeros(len(self.names)), frame)
            expected["qdd_tau"] = np.linalg.inv(expected["M"])
            expected["qdd_qd"] = -expected["qdd_tau"] @ (A.T @ at["V"] @ A)
            expected["qdd_q"] = -expected["qdd_tau"] @ (A.T @ at["P"] @ A)
        if self.mimic is not None:
            expected |= self.mimic.results(q, qd, qdd)
        return expected
