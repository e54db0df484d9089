#!/usr/bin/env python3
"""make_site.py FOLDER: the documentation as a site, by MkDocs from the package index.

Pages are the files of docs/ and the README; a tour, a page for every job with a picture, and the references of Python and C++
are made from the package and the headers, so that they cannot say anything else.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEEDED = ["mkdocs", "numpy", "matplotlib", "latex2mathml"]


def environment(work):
    """Where MkDocs and the package are; kept, as both take their time."""
    python = work / "bin" / "python"
    if not python.exists():
        venv.create(work, with_pip=True)
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, *NEEDED], check=True)
    library = ROOT / "build" / "python" / "library"
    linked = ["--config-settings", f"cmake.define.CATENA_INSTALLED={library}"] if library.exists() else []
    subprocess.run([*pip, ROOT, *linked], check=True, cwd=ROOT)
    return python


def pages(docs):
    """What is written, with links that hold on a site: the README is its first page."""
    shutil.copytree(ROOT / "docs", docs, dirs_exist_ok=True)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (docs / "index.md").write_text(re.sub(r"\]\(docs/", "](", text), encoding="utf-8")
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


CONFIGURATION = """\
site_name: Catena
site_description: Dynamics of robot manipulators
docs_dir: docs
site_dir: {site}
use_directory_urls: false
theme:
  name: readthedocs
  highlightjs: false
markdown_extensions:
  - tables
  - toc
  - fenced_code
  - md_in_html
validation:
  links:
    not_found: info
    unrecognized_links: info
nav:
  - Catena: index.md
  - Ten minutes: tour.md
  - Python: python.md
  - Jobs: jobs/index.md
  - Formulations: formulations.md
  - Commands: commands.md
  - References:
      - Python: reference/python.md
      - C++: reference/cpp/index.md
"""


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    work = ROOT / "build" / "site"
    docs = work / "pages" / "docs"
    shutil.rmtree(work / "pages", ignore_errors=True)
    docs.mkdir(parents=True)
    python = environment(work / "environment")
    pages(docs)
    headers(docs)
    subprocess.run([python, ROOT / "tools" / "site_pages.py", docs], check=True, env={**os.environ, "MPLBACKEND": "Agg"})
    (work / "pages" / "mkdocs.yml").write_text(CONFIGURATION.format(site=site), encoding="utf-8")
    subprocess.run([python, "-m", "mkdocs", "build", "--quiet", "--config-file", work / "pages" / "mkdocs.yml"], check=True)
    print(f"the site is in {site}: open {site / 'index.html'}")


if __name__ == "__main__":
    main()
