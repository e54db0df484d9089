"""The page of `catena report`: Robot.show() and Motion.show()."""

from __future__ import annotations

import hashlib
import html
import importlib
import os
import re
import sys
import tempfile
import warnings
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from . import _catena, _files
from ._types import ArrayLike, ModelWarning

if TYPE_CHECKING:
    from ._robot import Robot
    from ._simulation import Motion

PAGE = Path(__file__).parent / "share" / "catena" / "page.html"


def _template() -> str:
    page = Path(os.environ.get("CATENA_PAGE") or PAGE)
    if not page.is_file():
        raise FileNotFoundError(f"the page is missing (looked for {page}): 'make page' in the source tree builds it where Node.js is, "
                                "and 'pip install .' takes it from there; or name one by CATENA_PAGE")
    return str(page)


def _scene(shown: Any, q: ArrayLike | None) -> dict[str, Any]:
    """What the page shows of a robot, or of a motion and its robot."""
    motion = shown if hasattr(shown, "kinetic_energy") else None
    robot = shown if motion is None else shown.robot
    first = robot._steps[0]
    file = first[2] if first[0] == "read" and os.path.isfile(first[2]) else ""
    xacro, folders = first[5:] if first[0] == "read" and len(first) == 7 else ([], [])
    scene: dict[str, Any] = dict(
        robot=robot, kind="robot", command=f"robot '{robot.name}' in Python", q=q, motion=None, notes=[], xacro=xacro, package_path=folders,
        file=file, python=sys.executable if find_spec("xacro") else "",
        payloads=[(step[1] or robot.tool, *step[2:4]) for step in robot._steps if step[0] == "payload"])
    if motion is None:
        return scene
    if not isinstance(motion.complete, bool):
        raise ValueError("show one of them: motions[0].show()")
    if motion.ended_by:
        scene["notes"].append(f"The run ended early: {motion.ended_by}")
    if not motion._whole:
        scene["notes"].append("The robot is drawn as it was at the start, without the changes made by events.")
    own = motion.q[:, :robot.nq]  # joints of parts that were attached stand behind
    energies = dict(kinetic=motion.kinetic_energy, potential=motion.potential_energy, work=motion.work, losses=motion.losses)
    if motion.external_work.any():
        energies["external"] = motion.external_work
        scene["notes"].append("Wrenches act, but are not drawn.")
    wanted: dict[str, Any] = {} if motion.q_ref is None else dict(q_ref=motion.q_ref.ravel())
    if motion.pose_ref is not None:
        wanted |= dict(pose_ref=motion.pose_ref.ravel(), frame=motion._frame, turns=motion._turns)
    return {**scene, "kind": "simulate", "command": f"simulate() of '{robot.name}' in Python", "q": own[0] if len(motion.t) else None,
            "motion": dict(t=motion.t, q=own.ravel(), qd=motion.qd[:, :robot.nv].ravel(), tau=motion.tau[:, :robot.nv].ravel(), events=motion.events, whole=motion._whole,
                           free=motion._free, **energies, **wanted)}


def _page(shown: Any, others: tuple[Any, ...], q: ArrayLike | None, title: str) -> bytes:
    scenes = [_scene(shown, q), *(_scene(other, None) for other in others)]
    page, said = _catena.page(_template(), title or (scenes[0]["robot"].name if len(scenes) == 1 else "Catena"), scenes)
    for line in said:
        warnings.warn(line, ModelWarning, stacklevel=4)
    return bytes(page)


def _write(path: Path, page: bytes) -> Path:
    if path.suffix not in (".html", ".htm"):
        raise ValueError(f"{path}: the name must end in .html")
    _files.write({path: page})
    return path


def report(shown: Union["Robot", "Motion"], path: str | os.PathLike[str], *others: Union["Robot", "Motion"], q: ArrayLike | None = None,
           title: str = "") -> Path:
    """Writes a page that shows the robot or the motion and computes: one HTML file for any browser; returns its path.

    others: robots and motions to choose from in the same page. q: positions of the robot, (nq,); by default all 0.
    title: of the page; by default the robot's name.
    """
    return _write(Path(path), _page(shown, others, q, title))


def _in_jupyter() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def present(page: bytes, name: str, path: str | os.PathLike[str] | None, open: bool, embed: bool, height: int) -> Path | None:
    """Shows a file of HTML, as show() says."""
    jupyter = _in_jupyter() and open
    if path is None and not (jupyter and embed):
        folder = Path("catena_pages") if jupyter else Path(tempfile.mkdtemp(prefix="catena_"))
        folder.mkdir(exist_ok=True)
        plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "robot"
        path = folder / f"{plain}_{hashlib.sha256(page).hexdigest()[:8]}.html"
    file = None if path is None else _write(Path(path), page)
    if jupyter:
        ipython: Any = importlib.import_module("IPython.display")
        source = f'srcdoc="{html.escape(page.decode())}"' if embed or file is None else f'src="{html.escape(file.as_posix())}"'
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of HTML(), which would like another class for this
            ipython.display(ipython.HTML(f'<iframe {source} width="100%" height="{height}" style="border: 0" title="{html.escape(name)}"></iframe>'))
        return None
    if open and file is not None:
        webbrowser.open(file.resolve().as_uri())
    return file


def show(shown: Union["Robot", "Motion"], *others: Union["Robot", "Motion"], q: ArrayLike | None = None, title: str = "",
         path: str | os.PathLike[str] | None = None, open: bool = True, embed: bool = False, height: int = 600) -> Path | None:
    """Shows the page of report(): in Jupyter below the cell, elsewhere in the browser.

    path: the file that it is written to; by default one in the folder catena_pages beside the notebook, elsewhere one in
    the system's folder for temporary files. open: False: it is only written. embed: Jupyter keeps the whole page, some
    megabytes, in the notebook instead of a file beside it. height: in Jupyter, pixels.
    Returns the file, in Jupyter nothing.
    """
    robot: Any = getattr(shown, "robot", shown)
    return present(_page(shown, others, q, title), title or robot.name, path, open, embed, height)
