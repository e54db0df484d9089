"""What Python writes has its own name when it is complete: sources, equations, pages, archives of an FMU."""

import errno
import os

import pytest

import catena
from catena import _files


def test_links_and_modes_stay(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "real.txt").chmod(0o640)
    (tmp_path / "link.txt").symlink_to("real.txt")
    _files.write({tmp_path / "link.txt": b"new", tmp_path / "other.txt": b"more"})
    assert (tmp_path / "real.txt").read_text() == "new" and (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.txt", "other.txt", "real.txt"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_failure_leaves_the_old_files(tmp_path, monkeypatch, call):
    """A full disk, at the second file, the header, or where it gets its name."""
    source = catena.load("planar2r").generate("gravity", name="arm", search=False)
    for name in ("arm.c", "arm.h"):
        (tmp_path / name).write_text("old")
    real, calls = getattr(os, call), []

    def full(*given, **more):
        calls.append(given)
        if len(calls) == (2 if call == "fsync" else 1):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*given, **more)

    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space left"):
        patch.setattr(os, call, full)
        source.save(tmp_path / "arm.c")
    assert [(tmp_path / name).read_text() for name in ("arm.c", "arm.h")] == ["old", "old"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["arm.c", "arm.h"]
    source.save(tmp_path / "arm.c")
    assert (tmp_path / "arm.c").read_text() == source and (tmp_path / "arm.h").read_text() == source.header


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        catena.load("planar2r").equations("gravity").save(tmp_path / "no" / "g.tex")
    assert raised.value.filename == str(tmp_path / "no" / "g.tex")
    catena.load("planar2r").equations("gravity").save(tmp_path / "g.tex")
    assert "\\begin{document}" in (tmp_path / "g.tex").read_text()
