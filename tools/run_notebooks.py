#!/usr/bin/env python3
"""Runs the notebooks of examples/notebooks and keeps what they show in them.

usage: PYTHON run_notebooks.py [NAME ...]

PYTHON is an interpreter that has catena, nbclient, ipykernel and matplotlib; `make notebooks` knows one. Times in outputs are
those of this machine.
"""

import pathlib
import sys
import tempfile

import nbclient
import nbformat

NOTEBOOKS = pathlib.Path(__file__).resolve().parent.parent / "examples" / "notebooks"


def ran(path, folder):
    """The notebook with its outputs and nothing else that changes from run to run."""
    book = nbformat.read(path, 4)
    nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": folder}}).execute()
    for number, cell in enumerate(cell for cell in book.cells if cell.cell_type == "code"):
        cell.metadata, cell.execution_count = {}, number + 1
        for output in cell.outputs:
            output.pop("metadata", None) if output.output_type == "stream" else output.update(metadata={})
            if "execution_count" in output:
                output.execution_count = number + 1
    return book


def main():
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if sys.argv[1:] and path.stem not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            book = ran(path, folder)
        text = nbformat.writes(book, 4) + "\n"
        path.write_text(text, encoding="utf-8")
        print(f"{path.stem}: {len(text.encode()) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
