#!/usr/bin/env python3
"""make_site.py FOLDER [--written]: the documentation as a site, by MkDocs and its theme Material from the package index.

Pages are the files of docs/ and the README, and the sources that they link to. A tour, a page with a picture for every job, and the
references of Python and C++ are made from the package and the headers, so they always agree with them; --written leaves out those pages
that are made, and the sources, for a test of the rest. The site needs no server: it is read from disk, and its search works there too.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEEDED = ["mkdocs-material", "numpy", "matplotlib", "latex2mathml"]


def environment(work, written):
    """Where MkDocs and, unless only what is written is wanted, the package are; kept, since both take their time."""
    python = work / "bin" / "python"
    if not python.exists():
        venv.create(work, with_pip=True)
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, *NEEDED], check=True)
    if written:
        return python
    library = ROOT / "build" / "python" / "library"
    linked = ["--config-settings", f"cmake.define.CATENA_INSTALLED={library}"] if library.exists() else []
    subprocess.run([*pip, ROOT, *linked], check=True, cwd=ROOT)
    return python


LINK = re.compile(r"\]\(([^)\s#:]+)(#[^)\s]*)?\)")
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".h": "c", ".c": "c", ".rs": "rust", ".m": "matlab", ".py": "python", ".toml": "toml", ".urdf": "xml", ".xml": "xml", ".mjs": "javascript"}


def source_page(docs, file):
    """A file of the sources as a page; where it is, or None where it cannot be one."""
    name = file.relative_to(ROOT)
    if file.suffix not in LANGUAGES and file.name not in ("LICENSE", "CMakeLists.txt") and file.suffix != ".md":
        return None
    page = docs / "sources" / (name if file.suffix == ".md" else f"{name}.md")
    page.parent.mkdir(parents=True, exist_ok=True)
    text = file.read_text(encoding="utf-8")
    page.write_text(text if file.suffix == ".md" else f"# {name}\n\n````{LANGUAGES.get(file.suffix, 'text')}\n{text}````\n", encoding="utf-8")
    return page


def linked(docs, page, origin, text, written):
    """The text with links that hold on a site; `origin` is where it was written."""

    def link(match):
        goal = (origin / match[1]).resolve()
        if goal == ROOT / "README.md":
            found = docs / "index.md"
        elif goal.is_relative_to(ROOT / "docs"):
            found = docs / goal.relative_to(ROOT / "docs")
        elif goal == ROOT / "examples" / "notebooks":
            found = None if written else docs / "tour.md"
        elif goal.is_file() and goal.is_relative_to(ROOT) and not written:
            found = source_page(docs, goal)
        else:
            found = None
        return f"]({os.path.relpath(found, page.parent)}{match[2] or ''})" if found else "](#)" if goal.exists() else match[0]

    return LINK.sub(link, re.sub(r"^```python skip=\w+$", "```python", text, flags=re.MULTILINE))


def pages(docs, written):
    """What is written, with links that hold on a site: the README is its first page."""
    shutil.copytree(ROOT / "docs", docs, dirs_exist_ok=True)
    for page in [docs / "index.md", *sorted(docs.rglob("*.md"))]:
        origin = ROOT / "README.md" if page == docs / "index.md" else ROOT / "docs" / page.relative_to(docs)
        page.write_text(linked(docs, page, origin.parent, origin.read_text(encoding="utf-8"), written), encoding="utf-8")
    (docs / "notebooks").mkdir(exist_ok=True)
    for notebook in sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")):
        shutil.copy(notebook, docs / "notebooks")


def headers(docs):
    """The C++ reference: the public headers, each with the words at its top."""
    folder = docs / "reference" / "cpp"
    folder.mkdir(parents=True, exist_ok=True)
    index = ["# C++ reference", "", "What `catena/catena.hpp` includes, and the services beside it.", "", "| header | what it is |", "| --- | --- |"]
    for header in sorted((ROOT / "include" / "catena").glob("*/*.hpp")):
        text = header.read_text(encoding="utf-8")
        words = re.match(r"((?://[^\n]*\n)+)", text)
        if not words:
            continue
        name = str(header.relative_to(ROOT / "include"))
        page = name.replace("/", "_").replace(".hpp", ".md")
        first = " ".join(line[2:].strip() for line in words[1].splitlines()).split(". ")[0].rstrip(".:")
        index.append(f"| [`{name}`]({page}) | {first.replace('|', chr(92) + '|')} |")
        (folder / page).write_text(f"# {name}\n\n```cpp\n{text}```\n", encoding="utf-8")
    (folder / "index.md").write_text("\n".join(index) + "\n", encoding="utf-8")


# Sections of the navigation; pages that no section names stand in the last, so that none is lost.
SECTIONS = {
    "Start": ["index.md", "tutorial/*.md", "tour.md", "coming-from.md", "capabilities.md", "installing.md", "platforms.md"],
    "Use": ["commands.md", "python.md", "cpp.md", "c.md", "page.md", "robot-files.md", "trajectories.md", "time-optimal.md", "simulation.md", "control-laws.md",
            "linear-models.md", "identification.md", "from-log-to-controller.md", "calibration.md", "elastic-joints.md", "progressive-models.md"],
    "Speed and code": ["generated-code.md", "microcontrollers.md", "compiled-engine.md", "batches.md", "gpu.md", "benchmarks.md"],
    "Jobs": ["jobs/index.md", "jobs/*.md"],
    "Formulations": ["formulations.md", "notation.md", "operation-counts.md", "equations/*.md"],
    "References": ["reference/python.md", "reference/cpp/index.md", "reference/cpp/*.md"],
    "Evidence": ["other-libraries.md", "coverage.md", "claims.md"],
    "Contribute": ["architecture.md", "contributing.md"],
    "More": ["*.md", "sources/**/*.md"],
}


def title(page):
    """Its first heading, without Markdown."""
    found = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return re.sub(r"[`*]", "", found[1]) if found else page.stem


def navigation(docs):
    """Every page once, as MkDocs wants it."""
    seen, lines = set(), []
    for section, patterns in SECTIONS.items():
        found = [page for pattern in patterns for page in sorted(docs.glob(pattern), key=lambda page: (page.name != "index.md", page))]
        new = [page for page in dict.fromkeys(found) if page not in seen]
        seen |= set(new)
        lines += [f"  - {section}:"] * bool(new) + [f"      - {json.dumps(title(page))}: {page.relative_to(docs)}" for page in new]
    left = sorted(str(page.relative_to(docs)) for page in docs.rglob("*.md") if page not in seen)
    assert not left, left
    return "\n".join(lines)


CONFIGURATION = """\
site_name: Catena
site_description: Dynamics of robot manipulators
docs_dir: docs
site_dir: {site}
use_directory_urls: false
theme:
  name: material
  custom_dir: theme
  font: false
  icon:
    logo: material/robot-industrial
  features: [navigation.tabs, navigation.top, navigation.indexes, navigation.footer, content.code.copy, search.highlight, toc.follow]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      primary: blue
      toggle: {{ icon: material/weather-night, name: Dark }}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: blue
      toggle: {{ icon: material/weather-sunny, name: Light }}
extra_css: [site.css]
extra:
  generator: false
plugins:
  - search
  - offline
markdown_extensions:
  - tables
  - toc:
      permalink: true
      slugify: !!python/object/apply:pymdownx.slugs.slugify {{ kwds: {{ case: lower }} }}
  - md_in_html
  - attr_list
  - pymdownx.superfences
  - pymdownx.highlight
validation:
  links:
    not_found: info
    unrecognized_links: info
    anchors: info
nav:
{navigation}
"""

# Wide things scroll by themselves, so that no page does; formulas are centred, with their numbers at the right.
STYLE = """\
.formula { display: flex; align-items: center; overflow-x: auto; margin: .6em 0; padding: .4em 0; }
.formula math { flex: 1; text-align: center; }
.formula span { margin-left: 1em; }
.md-typeset__scrollwrap { overflow-x: auto; }
.md-typeset table:not([class]) { font-size: .68rem; }
.md-typeset img { max-width: 100%; height: auto; }
.md-typeset :not(pre) > code { overflow-wrap: anywhere; }
.md-typeset td > code { overflow-wrap: normal; white-space: nowrap; }
@media (min-width: 76.25em) { .md-grid { max-width: 80rem; } }
@media (max-width: 45em) { .long { display: inline-block; max-width: 100%; overflow: auto hidden; vertical-align: middle; } }
"""

# Browsers start no worker from disk: there the search runs in a hidden frame instead.
WORKER = """\
{% extends "base.html" %}
{% block libs %}
<script>
if (location.protocol === "file:") window.Worker = class extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    const inner = frame.contentWindow;
    inner.postMessage = data => {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    };
    this.ready = new Promise(done => {
      const script = inner.document.createElement("script");
      script.src = url;
      script.onload = done;
      inner.document.body.append(script);
    });
    this.inner = inner;
  }
  postMessage(data) {
    this.ready.then(() => {
      const event = new this.inner.MessageEvent("message", { data });
      this.inner.dispatchEvent(event);
    });
  }
  terminate() {}
};
</script>
{% endblock %}
"""


def main():
    site, written = pathlib.Path(sys.argv[1]).resolve(), "--written" in sys.argv[2:]
    work = ROOT / "build" / "site"
    source = work / ("written" if written else "pages")
    docs = source / "docs"
    shutil.rmtree(source, ignore_errors=True)
    docs.mkdir(parents=True)
    python = environment(work / "environment", written)
    pages(docs, written)
    if not written:
        headers(docs)
        subprocess.run([python, ROOT / "tools" / "site_pages.py", docs], check=True, env={**os.environ, "MPLBACKEND": "Agg"})
    subprocess.run([python, ROOT / "tools" / "site_formulas.py", docs], check=True)
    (docs / "site.css").write_text(STYLE, encoding="utf-8")
    (source / "theme").mkdir()
    (source / "theme" / "main.html").write_text(WORKER, encoding="utf-8")
    (source / "mkdocs.yml").write_text(CONFIGURATION.format(site=site, navigation=navigation(docs)), encoding="utf-8")
    subprocess.run([python, "-m", "mkdocs", "build", "--quiet", "--config-file", source / "mkdocs.yml"], check=True,
                   env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    print(f"the site is in {site}: open {site / 'index.html'}")


if __name__ == "__main__":
    main()
