"""MJCF with the numbers that a compiled MuJoCo model holds now, also those that were changed after it was compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable
from xml.sax.saxutils import quoteattr

import numpy as np

if TYPE_CHECKING:
    import mujoco

KINDS = ("free", "ball", "slide", "hinge")  # by mjtJoint
WIDTHS = (6, 3, 1, 1)  # velocities
EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")  # by mjtEq
FLAGS = {"constraint": 1, "equality": 2, "frictionloss": 4, "spring": 32, "damper": 64, "gravity": 128}  # mjtDisableBit
A_SITE = 6  # mjtObj
A_JOINT = 1  # mjtWrap


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(values))


def _element(tag: str, attributes: dict[str, Any], inside: Iterable[str] = ()) -> str:
    """Numbers that are zero, and texts that are empty, are left out: so MuJoCo says it by default."""
    words = [tag]
    for name, value in attributes.items():
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif not isinstance(value, str):
            value = _numbers(value) if np.any(value) else ""
        if value:
            words.append(f"{name}={quoteattr(value)}")
    text = "".join(inside)
    return f"<{' '.join(words)}>{text}</{tag}>\n" if text else f"<{' '.join(words)}/>\n"


class _Writer:
    def __init__(self, model: "mujoco.MjModel"):
        self.model: Any = model
        self.bodies = self._named(model.nbody, lambda k: model.body(k).name, lambda k: f"body{k}")
        self.joints = self._named(model.njnt, lambda k: model.joint(k).name, self._joint_name)
        self.sites = self._named(model.nsite, lambda k: model.site(k).name, lambda k: f"site{k}")
        self.tendons = self._named(model.ntendon, lambda k: model.tendon(k).name, lambda k: f"tendon{k}")
        self.equalities = self._named(model.neq, lambda k: model.equality(k).name, lambda k: f"{EQUALITIES[model.eq_type[k]]}{k + 1}")
        self.children: dict[int, list[int]] = {k: [] for k in range(model.nbody)}
        for k in range(1, model.nbody):
            self.children[int(model.body_parentid[k])].append(k)
        wanted = {int(i) for k in range(model.neq) if model.eq_objtype[k] == A_SITE for i in (model.eq_obj1id[k], model.eq_obj2id[k])}
        self.frames: dict[int, list[str]] = {k: [] for k in range(model.nbody)}  # sites of each body
        for k in range(model.nsite):
            if model.site(k).name or k in wanted:
                self._add_site(int(model.site_bodyid[k]), self.sites[k], model.site_pos[k], model.site_quat[k])

    @staticmethod
    def _named(count: int, own: Any, other: Any) -> list[str]:
        """Names of all; those without get one that no other has."""
        names = [str(own(k)) for k in range(count)]
        for k in range(count):
            if not names[k]:
                name = other(k)
                while name in names:
                    name += "_"
                names[k] = name
        return names

    def _joint_name(self, k: int) -> str:
        body = self.model.jnt_bodyid[k]
        first, count = self.model.body_jntadr[body], self.model.body_jntnum[body]
        return self.bodies[body] + ("_joint" if count == 1 else f"_joint{k - first + 1}")

    def _add_site(self, body: int, name: str, pos: Any, quat: Any) -> None:
        self.frames[body].append(_element("site", dict(name=name, pos=pos, quat=quat)))

    def text(self) -> str:
        model = self.model
        name = model.names[:model.names.index(b"\0")].decode()
        equalities = [self._equality(k) for k in range(model.neq)]  # before the bodies: they add sites
        flags = {flag: "disable" for flag, bit in FLAGS.items() if model.opt.disableflags & bit}
        option = dict(gravity=_numbers(model.opt.gravity), density=model.opt.density, viscosity=model.opt.viscosity)
        return _element("mujoco", dict(model=name), [
            _element("compiler", dict(angle="radian")),
            _element("option", option, [_element("flag", flags)] if flags else []),
            _element("worldbody", {}, [*self.frames[0], *(self._body(k) for k in self.children[0])]),
            _element("deformable", {}, [_element("flex", {})] if model.nflex else []),
            _element("tendon", {}, [self._tendon(k) for k in range(model.ntendon)]),
            _element("equality", {}, equalities),
            _element("actuator", {}, [self._actuator(k) for k in range(len(model.actuator_trntype))]),
            _element("keyframe", {}, [_element("key", dict(qpos=_numbers(q))) for q in model.key_qpos])])

    def _body(self, k: int) -> str:
        model = self.model
        inside = [*self._inertial(k)]
        first = int(model.body_jntadr[k])
        inside += [self._joint(j) for j in range(first, first + int(model.body_jntnum[k]))]
        if model.body_plugin[k] >= 0:
            inside.append(_element("plugin", {}))
        inside += self.frames[k]
        inside += [self._body(child) for child in self.children[k]]
        return _element("body", dict(name=self.bodies[k], pos=model.body_pos[k], quat=model.body_quat[k], gravcomp=model.body_gravcomp[k]), inside)

    def _inertial(self, k: int) -> Iterable[str]:
        model = self.model
        if model.body_mass[k] != 0.0 or np.any(model.body_inertia[k]):
            yield _element("inertial", dict(mass=_numbers(model.body_mass[k]), pos=_numbers(model.body_ipos[k]), quat=model.body_iquat[k],
                                            diaginertia=_numbers(model.body_inertia[k])))

    def _poly(self, owner: str, field: str, k: int) -> Any:
        """A coefficient and, in versions of MuJoCo that have them, those of higher powers."""
        first = getattr(self.model, f"{owner}_{field}")[k]
        more = getattr(self.model, f"{owner}_{field}poly", None)
        return first if more is None or not np.any(more[k]) else [first, *more[k]]

    def _joint(self, k: int) -> str:
        model = self.model
        kind, v, p = int(model.jnt_type[k]), int(model.jnt_dofadr[k]), int(model.jnt_qposadr[k])
        who = f"joint '{self.joints[k]}'"
        for field in ("dof_damping", "dof_armature", "dof_frictionloss"):
            if np.ptp(getattr(model, field)[v:v + WIDTHS[kind]]) != 0.0:
                raise ValueError(f"{who}: {field} differs between its degrees of freedom")
        if kind == 1 and not np.array_equal(model.qpos0[p:p + 4], (1, 0, 0, 0)):
            raise ValueError(f"{who}: the reference of a ball joint is another than (1, 0, 0, 0)")
        if hasattr(model, "jnt_springyield") and model.jnt_springyield[k] != 0.0 and model.jnt_stiffness[k] != 0.0:
            raise ValueError(f"{who}: a spring that yields is not taken")
        about: dict[str, Any] = dict(name=self.joints[k], type=KINDS[kind])
        if kind != 0:
            about |= dict(pos=model.jnt_pos[k])
        if kind >= 2:
            about |= dict(axis=model.jnt_axis[k], ref=model.qpos0[p], springref=model.qpos_spring[p], limited=bool(model.jnt_limited[k]))
            if model.jnt_limited[k]:
                about |= dict(range=_numbers(model.jnt_range[k]))
            if model.jnt_actfrclimited[k]:
                about |= dict(actuatorfrclimited=True, actuatorfrcrange=_numbers(model.jnt_actfrcrange[k]))
        about |= dict(stiffness=self._poly("jnt", "stiffness", k), damping=self._poly("dof", "damping", v),
                      armature=model.dof_armature[v], frictionloss=model.dof_frictionloss[v])
        return _element("joint", about)

    def _tendon(self, k: int) -> str:
        model = self.model
        parts = range(model.tendon_adr[k], model.tendon_adr[k] + model.tendon_num[k])
        about = dict(name=self.tendons[k], stiffness=self._poly("tendon", "stiffness", k), damping=self._poly("tendon", "damping", k),
                     frictionloss=model.tendon_frictionloss[k])
        if hasattr(model, "tendon_armature"):
            about |= dict(armature=model.tendon_armature[k])
        if any(model.wrap_type[i] != A_JOINT for i in parts):
            return _element("spatial", about)
        return _element("fixed", about, [_element("joint", dict(joint=self.joints[model.wrap_objid[i]], coef=_numbers(model.wrap_prm[i]))) for i in parts])

    def _equality(self, k: int) -> str:
        model = self.model
        kind, data, ends = EQUALITIES[model.eq_type[k]], model.eq_data[k], (int(model.eq_obj1id[k]), int(model.eq_obj2id[k]))
        about: dict[str, Any] = dict(name=self.equalities[k], active=bool(model.eq_active0[k]))
        if kind in ("joint", "tendon"):
            names = self.joints if kind == "joint" else self.tendons
            about |= {f"{kind}{i}": names[end] for i, end in enumerate(ends, 1) if end >= 0} | dict(polycoef=_numbers(data[:5]))
        elif kind in ("connect", "weld"):
            about |= {f"site{i}": name for i, name in enumerate(self._closing(k, kind, ends), 1)}
        return _element(kind, about)

    def _closing(self, k: int, kind: str, ends: tuple[int, int]) -> tuple[str, str]:
        """The two sites that a <connect> or a <weld> brings together."""
        if self.model.eq_objtype[k] == A_SITE:
            return self.sites[ends[0]], self.sites[ends[1]]
        data = self.model.eq_data[k]
        here, there, turn = (data[:3], data[3:6], (1, 0, 0, 0)) if kind == "connect" else (data[3:6], data[:3], data[6:10])
        names = []
        for end, pos, quat in ((ends[0], here, turn), (ends[1], there, (1, 0, 0, 0))):
            name = f"{self.equalities[k]}_{len(names) + 1}"
            while name in self.sites:
                name += "_"
            self.sites.append(name)
            self._add_site(end, name, pos, quat)
            names.append(name)
        return names[0], names[1]

    def _actuator(self, k: int) -> str:
        model = self.model
        plain = model.actuator_gaintype[k] == 0 and model.actuator_gainprm[k][0] == 1.0 and model.actuator_biastype[k] == 0 and model.actuator_dyntype[k] == 0
        drives, about = int(model.actuator_trntype[k]), dict[str, Any](gear=model.actuator_gear[k])
        if drives in (0, 1):
            about |= {("joint", "jointinparent")[drives]: self.joints[model.actuator_trnid[k][0]]}
        for what in ("force", "ctrl"):
            if getattr(model, f"actuator_{what}limited")[k]:
                about |= {f"{what}limited": True, f"{what}range": _numbers(getattr(model, f"actuator_{what}range")[k])}
        for what in ("armature", "damping"):
            if hasattr(model, f"actuator_{what}"):
                about |= {what: self._poly("actuator", what, k)}
        return _element("motor" if plain else "general", about)


def mjcf_of(model: "mujoco.MjModel") -> str:
    """The bodies, joints, inertias, sites, constraints and drives of the model; no geoms, whose mass the bodies have already."""
    return _Writer(model).text()
