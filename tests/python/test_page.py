"""Robot.show(), Motion.show(), report(): the page, as a file, in a browser and in Jupyter."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import catena
from catena import _page

TESTS = Path(__file__).resolve().parents[1]
needs_page = pytest.mark.skipif(not Path(os.environ.get("CATENA_PAGE") or _page.PAGE).is_file(), reason="no page was built (make page)")


def content(page):
    """What was put into the page."""
    found = re.search(r'<script type="application/json" id="catena-data">(.*?)</script>', Path(page).read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(found[1])


@pytest.fixture(scope="module")
def swing():
    robot = catena.load("planar3r").payload(0.5, com=(0.1, 0, 0))
    return robot.simulate(0.5, [0.3, 0.2, 0.1], samples=51, events=[catena.Event.at_time(0.25, name="half")])


@needs_page
def test_report_of_a_robot(tmp_path):
    robot = catena.load("ur5").payload(1.5, com=(0, 0, 0.1))
    page = robot.report(tmp_path / "ur5.html", q=[0.1, -1, 1, 0, 0, 0], title="Mine")
    told = content(page)
    scene, = told["scenes"]
    assert page == tmp_path / "ur5.html" and told["title"] == "Mine" and told["program"] == f"catena {catena.__version__}"
    assert scene["q"] == [0.1, -1, 1, 0, 0, 0] and scene["payloads"] == [{"frame": robot.tool, "mass": 1.5, "com": [0, 0, 0.1]}]
    assert np.allclose(catena.load(scene["toml"]).gravity(scene["q"]), robot.gravity(scene["q"]), rtol=1e-12, atol=1e-12)


@needs_page
def test_report_of_a_motion(tmp_path, swing):
    told = content(swing.report(tmp_path / "swing.html", catena.load("panda")))
    scene, other = told["scenes"]
    assert (scene["kind"], other["kind"], other["name"]) == ("simulate", "robot", "Panda")
    assert scene["samples"]["count"] == 51 and scene["samples"]["events"][0]["t"] == pytest.approx(0.25) and "half" in scene["samples"]["events"][0]["text"]
    groups = [column["group"] for column in scene["samples"]["columns"]]
    assert [groups.count(name) for name in ("t", "q", "qd", "qdd", "tau", "power", "energy", "balance")] == [1, 3, 3, 3, 3, 3, 4, 1]
    assert scene["q"] == [0.3, 0.2, 0.1]


@needs_page
def test_what_a_law_follows_is_beside_what_the_robot_does(tmp_path):
    robot = catena.load("ur5")
    start, end = np.array([0.1, -0.9, 0.7, 0.2, 0.6, 0.1]), np.array([0.4, -0.8, 0.6, 0.1, 0.5, -0.2])
    groups = lambda motion: {name: [c["group"] for c in content(motion.report(tmp_path / "law.html"))["scenes"][0]["samples"]["columns"]].count(name)
                             for name in ("q_ref", "frame", "frame_ref", "turn")}
    for torque in ("pd", "pd-gravity", "computed", "feedforward", "lqr", *(robot.controller(name) for name in ("pid", "computed", "passivity", "adaptive", "sliding", "observer"))):
        held = robot.simulate(0.05, start, samples=6, torque=torque, target=end)
        assert np.array_equal(held.q_ref, np.tile(end, (6, 1))) and held.pose_ref is None
        assert groups(held) == {"q_ref": 6, "frame": 0, "frame_ref": 0, "turn": 0}
    path = robot.trajectory([start, end], [0.0, 0.05])
    along = robot.simulate(0.05, samples=6, torque="computed", trajectory=path)
    assert np.allclose(along.q_ref, [path(t)[0] for t in along.t], atol=1e-14) and np.allclose(along.q, along.q_ref, atol=1e-6)
    for torque, more in (("operational", {}), ("resolved", {}), (robot.controller("impedance"), {"turn": 1}), (robot.controller("null-space", directions="translation"), {"q_ref": 6})):
        goal = robot.pose(start)[:3, 3] + [0.02, 0.0, 0.01]
        moved = robot.simulate(0.05, start, samples=6, torque=torque, goal=goal)
        assert moved.pose_ref.shape == (6, 4, 4) and np.allclose(moved.pose_ref[-1, :3, 3], goal, atol=1e-12)
        assert groups(moved) == {"q_ref": 0, "frame": 3, "frame_ref": 3, "turn": 0, **more}
    free = robot.simulate(0.05, samples=6)
    assert free.q_ref is None and free.pose_ref is None and not any(groups(free).values())
    many = robot.simulate(0.05, np.stack([start, end]), samples=6, torque="pd", target=end)
    assert many.q_ref is None and many[0].q.shape == (6, 6)


@needs_page
def test_accelerations_are_left_out_where_torques_do_not_say_them(tmp_path):
    robot = catena.load("planar3r")
    heavy = robot.payload(1.0)
    for options in (dict(wrenches={robot.tool: (1, 0, 0, 0, 0, 0)}), dict(events=[catena.Event.at_time(0.05, robot=heavy)]), dict(stops=True)):
        scene, = content(robot.simulate(0.1, samples=11, **options).report(tmp_path / "one.html"))["scenes"]
        names = {column["group"] for column in scene["samples"]["columns"]}
        assert "qdd" not in names and ("balance" in names) == ("events" not in options)
    scene, = content(robot.friction({robot.joint_names[0]: (0, 1)}).simulate(0.1, samples=11).report(tmp_path / "one.html"))["scenes"]
    assert "qdd" not in {column["group"] for column in scene["samples"]["columns"]}


@needs_page
@pytest.mark.parametrize("make", [
    lambda: catena.load("fourbar_press"), lambda: catena.load("panda").on_free_base(), lambda: catena.load("panda").on_moving_base(),
    lambda: catena.load("pelican_crucible"), lambda: catena.join(catena.load("panda"), catena.load("planar2r"), name="between"),
    lambda: catena.load(catena.Builder("p").link("base").link("rod", mass=1.0).joint("hinge", "revolute", "base", "rod"))],
    ids=["loop", "free", "moving", "passive", "joined", "built"])
def test_every_kind_of_robot(make, tmp_path):
    robot = make()
    scene, = content(robot.report(tmp_path / "robot.html"))["scenes"]
    assert scene["robot"]["nq"] == robot.nq and scene["name"] == robot.name
    assert ("base" in scene) == ("base" in [name for name, _ in robot._inputs("inverse")])


@needs_page
def test_meshes_that_are_missing_are_a_warning(tmp_path):
    text = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
        </inertial><visual><geometry><mesh filename="package://mine/arm.stl"/></geometry></visual></link>
        <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
    (tmp_path / "r.urdf").write_text(text)
    with pytest.warns(catena.ModelWarning, match="arm.stl"):
        catena.load(tmp_path / "r.urdf").report(tmp_path / "r.html")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "package.xml").write_text("<package><name>mine</name></package>")
    (tmp_path / "mine" / "arm.stl").write_bytes(b"\0" * 80 + (1).to_bytes(4, "little") + np.zeros(12, np.float32).tobytes() + b"\0\0")
    scene, = content(catena.load(tmp_path / "r.urdf", package_path=tmp_path).report(tmp_path / "r.html"))["scenes"]
    assert scene["meshes"][0]["data"]


def test_no_page_is_one_clear_line(tmp_path, monkeypatch, swing):
    monkeypatch.setenv("CATENA_PAGE", str(tmp_path / "none.html"))
    for call in (swing.show, swing.robot.show, lambda: swing.report(tmp_path / "x.html")):
        with pytest.raises(FileNotFoundError, match="make page") as raised:
            call()
        assert "\n" not in str(raised.value)
    (tmp_path / "none.html").write_text("<html></html>")
    with pytest.raises(RuntimeError, match="not a page of catena"):
        swing.show()
    assert not (tmp_path / "x.html").exists()


@needs_page
def test_show_opens_a_browser_unless_told_not_to(tmp_path, monkeypatch, swing):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address))
    file = swing.show()
    assert opened == [file.as_uri()] and content(file)["scenes"][0]["samples"]["count"] == 51
    shutil.rmtree(file.parent)
    assert swing.robot.show(path=tmp_path / "mine.html", open=False) == tmp_path / "mine.html" and len(opened) == 1
    with pytest.raises(ValueError, match="must end in .html"):
        swing.robot.show(path=tmp_path / "mine.txt")
    with pytest.raises(ValueError, match="q has 2"):
        swing.robot.show(q=[1, 2])


def notebook(folder, *cells):
    """The outputs of cells that a real kernel ran."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    return [cell.outputs for cell in book.cells]


def in_browser(folder, markup):
    """What Chromium draws of it."""
    node, chromium, build = shutil.which("node"), shutil.which("chromium"), Path(os.environ.get("CATENA_PROGRAM", "")).parent / "page"
    if not (node and chromium and (build / "node_modules" / "playwright-core").is_dir()):
        pytest.skip("no Node.js, no Chromium or no playwright-core (make page)")
    (folder / "around.html").write_text(f"<!doctype html><meta charset=utf-8><body>{markup}")
    run = subprocess.run([node, TESTS / "page" / "framed.mjs", folder / "around.html", *filter(None, [os.environ.get("CATENA_PICTURE")])],
                         capture_output=True, text=True, timeout=300, env={**os.environ, "PAGE_BUILD": str(build), "CHROMIUM": chromium, "CATENA_PAGE": str(_page.PAGE)})
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@needs_page
def test_in_jupyter_the_page_is_below_the_cell(tmp_path):
    robot, motion, kept, written = notebook(
        tmp_path, "import catena\nrobot = catena.load('ur5')\nrobot.show()\nprint('after')",
        "robot.simulate(0.2, samples=21).show(robot, height=400)", "robot.show(embed=True)", "robot.show(open=False)")
    frames = [out["data"]["text/html"] for out in (robot[0], motion[0])]
    assert robot[1]["text"] == "after\n" and len(motion) == len(kept) == 1
    for frame in frames:  # a file beside the notebook, and a line in it
        assert len(frame) < 400
        source = re.search(r'<iframe src="(catena_pages/ur5_[0-9a-f]{8}\.html)" width="100%" height="\d+"', frame)[1]
        assert (tmp_path / source).stat().st_size > 1e5
    assert 'height="400"' in frames[1]
    assert 'srcdoc="' in kept[0]["data"]["text/html"] and len(kept[0]["data"]["text/html"]) > 1e5
    assert "text/html" not in written[0]["data"] and ".html" in written[0]["data"]["text/plain"]
    drawn = in_browser(tmp_path, frames[1])
    assert drawn["drawn"] > 40 and drawn["samples"] == 21 and drawn["robot"] == "UR5" and drawn["scenes"] == ["UR5", "UR5"]
    assert np.allclose(drawn["last"], catena.load("ur5").simulate(0.2, samples=21).q[-1], atol=1e-8)
    assert in_browser(tmp_path, kept[0]["data"]["text/html"])["drawn"] > 40
    # Jupyter serves files in a sandbox
    assert in_browser(tmp_path, frames[0].replace("<iframe", '<iframe sandbox="allow-scripts"'))["drawn"] > 40
