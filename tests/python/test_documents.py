"""Every Python block of the documents runs, page by page; every notebook; and the types fit."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import catena

ROOT = Path(__file__).resolve().parents[2]
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "python").glob("*.md")))
         if "```python" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    scope = {"__name__": "page"}
    for block in re.finditer(r"^```python( skip=(\w+))?\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        if block[2]:
            pytest.importorskip(block[2])
        line = page.read_text(encoding="utf-8")[:block.start(3)].count("\n")
        exec(compile("\n" * line + block[3], str(page), "exec"), scope)


@pytest.mark.parametrize("notebook", sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook(notebook, tmp_path):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    os.environ["MPLBACKEND"] = "Agg"
    nbclient.NotebookClient(nbformat.read(notebook, 4), timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_types(tmp_path):
    """A checker knows the methods, their results and their mistakes."""
    pytest.importorskip("mypy")
    (tmp_path / "good.py").write_text("import catena, numpy as np\nrobot = catena.load('panda')\n"
                                      "tau = robot.inverse_dynamics(np.zeros(7), np.zeros(7), np.zeros(7), method='denoc')\n"
                                      "print(tau.shape, robot.energy([0.0] * 7, [0.0] * 7).kinetic_energy.dtype)\n"
                                      "print(robot.simulate(1.0).q.shape, robot.limits.effort)\n"
                                      "robot.save('x.toml', format='toml', force=True)\n"
                                      "catena.load('a.xacro', xacro={'n': 3, 'm': True}, package_path=['a', 'b'])\n")
    (tmp_path / "bad.py").write_text("import catena\ncatena.load('panda').inverse_dynamics(colour=3)\n")
    folder = Path(catena.__file__).parent.parent
    for name, good in (("good.py", True), ("bad.py", False)):
        result = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), str(tmp_path / name)],
                                capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(folder)})
        assert (result.returncode == 0) == good, result.stdout
