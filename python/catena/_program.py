"""The program `catena`, as the package brings it: pip makes a command of main()."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "bin" / "catena"  # it finds its models and its page in ../share/catena


def main() -> None:
    """Becomes the program, with the same arguments."""
    if not PROGRAM.exists():
        sys.exit(f"error: this package was built without the program: {PROGRAM} is missing")
    os.execv(PROGRAM, ["catena", *sys.argv[1:]])
