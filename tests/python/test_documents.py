"""Every Python block of the documents runs, page by page, and those of the tutorial print what stands below them; every notebook; and the types fit."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import catena

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_blocks  # noqa: E402
import check_readme  # noqa: E402

PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "python").glob("*.md")))
         if "```python" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = page.read_text(encoding="utf-8")
    for name, content in check_blocks.saved(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    scope = {"__name__": "page"}
    for block in re.finditer(r"^```python( skip=(\w+))?\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", text, re.MULTILINE | re.DOTALL):
        if block[2]:
            pytest.importorskip(block[2])
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * text[:block.start(3)].count("\n") + block[3], str(page), "exec"), scope)
        if block[4] and page.parent.name == "tutorial":
            assert check_readme.same_lines(block[4].splitlines(), printed.getvalue().splitlines(), 1e-2, 1e-7), printed.getvalue()


def test_the_example_for_scipy_has_the_right_jacobian():
    """solve_ivp() calls the function several times as often where the Jacobian is wrong."""
    pytest.importorskip("scipy")
    from scipy.integrate import solve_ivp

    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    block = re.search(r"^```python skip=scipy\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
    robot = catena.load("panda")
    q, qd, _ = robot.random_state(seed=1)
    scope = {"robot": robot, "q": q, "qd": qd, "np": np}
    before, last = block.rstrip().rsplit("\n", 1)
    exec(before, scope)
    run = eval(last, scope)
    assert run.success and run.nfev < 150, run.nfev
    missing = scope["Ode"](robot)  # without the torque's share, which is what the example once handed over
    wrong = solve_ivp(scope["fun"], (0, 0.05), np.concatenate([q, qd]), method="Radau", jac=missing.jac)
    assert wrong.nfev > 3 * run.nfev


NAMES = sorted({name for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")]
                for name in re.findall(r"(?<![\w./-])catena(?:\.[A-Za-z_]\w*)+", page.read_text(encoding="utf-8"))
                if name.rsplit(".", 1)[1] not in ("hpp", "h", "dll", "fish", "toml", "html", "py", "pyi")})


def test_names_of_the_documents():
    """`import catena` is all that they take."""
    assert len(NAMES) > 30
    script = ("import catena, sys\nfor name in sys.argv[1:]:\n    try:\n        eval(name)\n    except ImportError as error:\n"
              "        assert error.name and not error.name.startswith('catena'), (name, error)\n    except Exception as error:\n        sys.exit(f'{name}: {error}')\n")
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", script, *NAMES], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_names_of_the_package():
    """Nothing but what is meant for others, and in one order of imports as in another."""
    script = "import catena; print(*sorted(name for name in {*dir(catena), *vars(catena)} if not name.startswith('_')))"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert set(shown) == {*catena.__all__, "adapters", "distributed", "gpu", "interop", "signals"}


NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def kinds(book):
    """What each cell shows: text, pictures, …"""
    return [sorted({kind for output in cell.outputs for kind in (output.data if "data" in output else [output.get("name", "error")])})
            for cell in book.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(notebook, tmp_path, monkeypatch):
    """It runs, and what is kept in it is what it shows (make notebooks)."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    if ".show(" in notebook.read_text(encoding="utf-8") and not Path(os.environ.get("CATENA_PAGE") or Path(catena.__file__).parent / "page.html").is_file():
        pytest.skip("no page was built (make page)")
    monkeypatch.delenv("MPLBACKEND", raising=False)
    kept, book = nbformat.read(notebook, 4), nbformat.read(notebook, 4)
    nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert kinds(book) == kinds(kept) and not any("stderr" in cell for cell in kinds(book))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_kept_in_a_notebook(notebook):
    nbformat = pytest.importorskip("nbformat")
    book, text = nbformat.read(notebook, 4), notebook.read_text(encoding="utf-8")
    assert len(text.encode()) < 300_000
    assert sum("image/png" in cell for cell in kinds(book)) >= 1 and all(cell.execution_count for cell in book.cells if cell.cell_type == "code")
    words = "".join(str(part) for cell in book.cells for output in cell.get("outputs", [])
                    for kind, part in [("text", output.get("text", "")), *output.get("data", {}).items()] if not kind.startswith("image"))
    assert not re.search(r"(?<![\w.])/(tmp|home|root|usr|work|opt|mnt)/|site-packages|ipykernel_|Traceback", words)


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
