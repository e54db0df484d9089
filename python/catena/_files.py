"""Files that are complete, or as they were before."""

from __future__ import annotations

import itertools
import os
import stat
from pathlib import Path
from typing import Mapping

_count = itertools.count()


def write(files: Mapping[Path, bytes]) -> None:
    """Writes all files under temporary names beside their own; when they are on the disk they are renamed. After a failure the
    old ones are still there. What is not a plain file, such as a pipe, is written as it is."""
    temporary: dict[str, str] = {}
    try:
        for path, content in files.items():
            final = os.path.realpath(path)  # links are kept
            if os.path.exists(final) and not os.path.isfile(final):
                Path(final).write_bytes(content)
                continue
            temporary[final] = f"{final}.{os.getpid()}.{next(_count)}.tmp"
            try:
                _write_new(temporary[final], content, stat.S_IMODE(os.stat(final).st_mode) if os.path.exists(final) else None)
            except OSError as error:
                error.filename = str(path)
                raise
        for final in list(temporary):
            os.replace(temporary[final], final)
            del temporary[final]
    finally:
        for left in temporary.values():
            Path(left).unlink(missing_ok=True)


def _write_new(path: str, content: bytes, mode: int | None) -> None:
    with open(path, "xb") as file:
        if mode is not None:
            os.chmod(path, mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
