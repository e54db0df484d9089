#!/usr/bin/env python3
"""site_pages.py FOLDER: the pages of the site that the package itself knows: a page per job with a picture, and the reference."""

import inspect
import pathlib
import sys

import matplotlib.pyplot as plt
import numpy as np

import catena


def picture(robot, job, file):
    """The job's results while one joint turns once around, the others still."""
    names = robot.joint_names
    angle = np.linspace(-np.pi, np.pi, 241)
    rest = np.linspace(0.2, 0.8, robot.nq)
    q = np.tile(rest, (len(angle), 1))
    q[:, 1] = angle
    given = [q if entry["name"] == "q" else np.tile(np.linspace(0.5, 1.0, robot.nv), (len(angle), 1)) for entry in job["inputs"]]
    result = robot.evaluate(job["name"], *given)
    values = np.reshape(result[0] if isinstance(result, tuple) else result, (len(angle), -1))
    output = job["outputs"][0]
    figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
    lines = ax.plot(np.degrees(angle), values[:, :12])
    if values.shape[1] == len(names):
        ax.legend(lines, names, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.set_xlabel(f"{names[1]}, degrees")
    ax.set_ylabel(f"{output['name']}, {output['unit'].split(' (')[0]}")
    ax.set_title(f"{robot.name}: {output['words']}" + (", the first twelve entries" if values.shape[1] > 12 else ""), fontsize="small")
    figure.savefig(file)
    plt.close(figure)


def job_page(robot, job, folder):
    picture(robot, job, folder / f"{job['name']}.svg")
    arguments = ", ".join(entry["name"] for entry in job["inputs"])
    lines = [f"# {job['name']}", "", job["words"][0].upper() + job["words"][1:] + ".", "",
             "| | |", "| --- | --- |",
             f"| Python | `robot.{job['method_name']}({arguments})` |",
             f"| command line | `catena {job['name']} MODEL " + " ".join(f"--{e['name']} …" for e in job["inputs"]) + "` |",
             f"| C++ | `Call<double>(mechanism, \"{job['name']}\")` |", "",
             f"![{job['name']}]({job['name']}.svg)", "", "| | shape | | unit |", "| --- | --- | --- | --- |"]
    for kind, entries in (("takes", job["inputs"]), ("gives", job["outputs"])):
        lines += [f"| {kind} `{e['name']}` | {' x '.join(e['shape']) or '1'} | {e['words']} | {e['unit']} |" for e in entries]
    lines += ["", "## Formulations", "", *(f"- `{name}`" for name in job["methods"]), "",
              "[How they compare](../formulations.md), [equations](../equations/normalization.md)."]
    (folder / f"{job['name']}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def reference(folder):
    """Everything public, in its own words."""
    lines = ["# Python reference", ""]
    for name in catena.__all__:
        thing = getattr(catena, name)
        lines += [f"## catena.{name}", "", *_entry(name, thing)]
        if inspect.isclass(thing):
            for member, value in inspect.getmembers(thing):
                if not member.startswith("_") and (callable(value) or isinstance(value, property)) and inspect.getdoc(value):
                    lines += [f"### {name}.{member}", "", *_entry(member, value)]
    (folder / "python.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _entry(name, thing):
    lines = []
    try:
        lines += ["```text", f"{name}{inspect.signature(thing)}", "```", ""]
    except (TypeError, ValueError):
        pass
    return [*lines, "```text", inspect.getdoc(thing) or "", "```", ""]


def tour(folder):
    """The first minutes, from the notebooks, which the tests run."""
    import json

    lines = ["# Ten minutes", "", "The notebooks one after the other; each runs by itself.", ""]
    for notebook in sorted((folder / "notebooks").glob("*.ipynb")):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"])
            lines += [text.replace("# ", "## ", 1) if text.startswith("# ") else text, ""] if cell["cell_type"] == "markdown" else \
                ["```python", text, "```", ""]
    (folder / "tour.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    docs = pathlib.Path(sys.argv[1])
    robot = catena.load("ur5")
    (docs / "jobs").mkdir(exist_ok=True)
    index = ["# Jobs", "", "| job | computes |", "| --- | --- |"]
    for job in catena.jobs():
        job_page(robot, job, docs / "jobs")
        index.append(f"| [{job['name']}]({job['name']}.md) | {job['words']} |")
    (docs / "jobs" / "index.md").write_text("\n".join(index) + "\n", encoding="utf-8")
    reference(docs / "reference")
    tour(docs)


if __name__ == "__main__":
    main()
