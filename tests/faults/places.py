"""Folders that cannot be written and disks that are small, for root and for everybody else."""

import concurrent.futures
import functools
import os
import pathlib
import shutil
import stat
import subprocess

from bench import OLD, is_kept_part

AT_ONCE = 2


def each(function, items):
    """Two at a time; threads do, as programs do the work."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for done in [pool.submit(function, item) for item in items]:
            done.result()


@functools.cache
def way_to_mount():
    """Words in front of a script that may mount; empty: not here."""
    for flags in (["--mount"], ["--user", "--map-root-user", "--mount"]):
        words = ["unshare", *flags, "sh", "-c"]
        try:
            if subprocess.run([*words, "mount -t tmpfs none /mnt"], capture_output=True, check=False).returncode == 0:
                return words
        except FileNotFoundError:
            break
    return []


def in_namespace(before, after=":"):
    """Words in front of a command: where mounts are its own, `before` is run, then the command, then `after`."""
    return [*way_to_mount(), f'{before} || exit 99; "$0" "$@"; status=$?; {after}; exit $status']


def read_only(bench, writers, most):
    """One line with the reason, and nothing changes."""
    as_root = os.geteuid() == 0
    if as_root and not way_to_mount():
        bench.fail(["…"], "root without mounts of its own cannot make a folder read-only: run this test as a user")
        return

    def refuse(writer):
        folder = bench.new_folder()
        bench.put_old(folder, writer)
        before = {file: file.stat().st_mtime_ns for file in folder.rglob("*")}
        if as_root:  # permissions do not count for root
            around = in_namespace(f"mount --bind '{folder}' '{folder}' && mount -o remount,ro,bind '{folder}' && cd '{folder}'")
            done = bench.run(writer.words, folder, around=around)
        else:
            places = [folder, *(file for file in folder.iterdir() if file.is_dir())]
            for place in places:
                place.chmod(stat.S_IRUSR | stat.S_IXUSR)
            done = bench.run(writer.words, folder)
            for place in places:
                place.chmod(stat.S_IRWXU)
        if done.status != 1 or done.lines != 1 or ("Permission denied" not in done.err and "Read-only" not in done.err):
            bench.fail(writer.words, f"read-only folder: status {done.status}, {done.lines} lines: {done.err}")
        if before != {file: file.stat().st_mtime_ns for file in folder.rglob("*")}:
            bench.fail(writer.words, "read-only folder: something changed")
        shutil.rmtree(folder)

    each(refuse, writers)


def small_disk(bench, writers, most):
    """A real one with a page left, where mounting is allowed; elsewhere out_of_room has to do."""
    full = []

    def fill(writer):
        calls, new = bench.calls(writer)
        folder = bench.new_folder()
        disk, shown = folder / "disk", folder / "shown"
        disk.mkdir(), shown.mkdir()
        bench.put_old(folder, writer)
        parts = {str(pathlib.Path(name).parts[0]) for name in writer.files}
        before = (f"mount -t tmpfs -o size={4 * len(writer.files) + 4}k none '{disk}' && ln -s '{bench.inputs}'/* '{disk}' && "
                  f"cp -r {' '.join(parts)} '{disk}' && cd '{disk}'")
        around = in_namespace(before, f"cp -r {' '.join(parts)} '{shown}'; ls -A > '{shown}/all'")
        done = bench.run(writer.words, folder, around=around)
        found = bench.written(shown, writer)
        left = set((shown / "all").read_text().split()) - {file.name for file in bench.inputs.iterdir()} - parts
        if done.status == 1:
            full.append(writer)
        bench.require_whole(writer, "full disk", dict.fromkeys(found, OLD), new, found)
        if done.status not in (0, 1) or (done.status == 1 and (done.lines != 1 or "No space left" not in done.err)):
            bench.fail(writer.words, f"full disk: status {done.status}, {done.lines} lines: {done.err}")
        if left := [name for name in sorted(left) if not is_kept_part(name)]:
            bench.fail(writer.words, f"full disk: {left} stay")
        shutil.rmtree(folder)

    if not way_to_mount():
        print("small disk: no mounts here; 'out of room' has every write fail")
        return
    each(fill, writers)
    if not full:
        bench.fail(["…"], "no disk was full")
