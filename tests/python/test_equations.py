"""equations(): whole in a notebook where they are short; else a table, a file and a page."""

import numpy as np
import pytest

import catena


@pytest.fixture(scope="module")
def long(panda):
    return panda.equations()


@pytest.mark.parametrize("name", ["planar2r", "ur5", "stanford", "puma560", "delta"])
def test_short_ones_stay_whole(name):
    shown = catena.load(name).equations()
    assert shown._repr_html_() is None and repr(shown) == str(shown) == shown.text
    assert shown.latex.count("&=") == shown._repr_latex_().count("&=")


def test_entries_have_the_robots_numbers():
    robot = catena.load("ur5")
    shown = robot.equations("gravity", "inertia", digits=15)
    q = robot.random_state(seed=2)[0]
    scope = {f"{letter}{''.join(map(str, own))}": value for letter, f in (("c", np.cos), ("s", np.sin))
             for own, value in [(range(i, j), f(q[i - 1:j - 1].sum())) for i in range(1, 7) for j in range(i + 1, 8)]}
    scope |= {f"q{k + 1}": q[k] for k in range(6)} | {"cos": np.cos, "sin": np.sin}

    def value(text):
        import re

        text = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", text.replace("^", "**"))
        return eval(re.sub(r"\b(cos|sin) \* \(", r"\1(", text), scope)

    gravity, inertia = robot.gravity(q), robot.inertia_matrix(q)
    entries = shown.entries
    for k in range(6):
        assert value(entries[f"g{k + 1}"]) == pytest.approx(gravity[k], abs=1e-9)
        for j in range(k, 6):
            name = f"M{k + 1}{j + 1}" if j == k else f"M{k + 1}{j + 1} = M{j + 1}{k + 1}"
            assert value(entries[name]) == pytest.approx(inertia[k, j], abs=1e-9)
    assert shown.terms()["g1"] == 0 and shown.terms()["g2"] > 2


def test_long_ones_are_a_summary_in_a_notebook(long, tmp_path):
    from test_page import notebook

    (out,), = notebook(tmp_path, "import catena\ncatena.load('panda').equations()")
    assert set(out["data"]) == {"text/plain", "text/html"} and sum(map(len, out["data"].values())) < 20_000
    assert "M: 28 entries, 2751 terms" in out["data"]["text/plain"] and "<td>M12 = M21</td><td>328</td>" in out["data"]["text/html"]
    assert ".save(" in out["data"]["text/html"] and ".show()" in out["data"]["text/html"]
    assert len(str(long)) > 1e6 and long._repr_latex_() is None


def test_all_of_them_are_in_files(long, tmp_path, monkeypatch):
    assert long.save(tmp_path / "panda.tex").read_text() == long.latex and long.save(tmp_path / "panda.txt").read_text() == long.text
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address))
    page = long.show(path=tmp_path / "panda.html").read_text(encoding="utf-8")
    assert opened and page.count("<sub>") > 50_000 and "M<sub>12</sub> = M<sub>21</sub> = c<sub>2</sub>" in page and "q̇<sub>1</sub>" in page
    with pytest.raises(ValueError, match="must end in .tex, .txt or .html"):
        long.save(tmp_path / "panda.pdf")


def test_names_of_robots_are_only_text(tmp_path):
    robot = catena.load(catena.Builder("<script>alert(1)</script>").link("base").link("rod", mass=1.0).joint("hinge", "revolute", "base", "rod"))
    assert "<script>" not in robot.equations().save(tmp_path / "x.html").read_text()
