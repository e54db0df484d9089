"""Compilers that fail, and the cache of compiled code: damaged, not one's own, used by many at once."""

import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

WORDS = ["gravity", "planar2r", "--q", "0.3,-0.4", "--json", "--engine", "compiled"]
OUTPUT = 'while [ "$1" != -o ]; do shift; done; '  # then "$2" is the file to make
COMPILERS = {  # a script for /bin/sh, and what the line must say
    "hangs": ("sleep 300 & wait", "took longer than 0.5 s"),
    "hangs and does not want to end": ("trap '' TERM; sleep 300; sleep 300", "took longer than 0.5 s"),
    "dies by a signal": ("kill -SEGV $$", "failed, killed"),
    "is killed": ("kill -KILL $$", "failed, killed"),
    "makes half a library": (f'cc "$@" && {OUTPUT} truncate -s $(($(stat -c %s "$2") / 2)) "$2"', "only a part"),
    "makes half a library, dies": (f'cc "$@" && {OUTPUT} truncate -s $(($(stat -c %s "$2") / 2)) "$2"; kill -KILL $$', "failed, killed"),
    "makes the beginning of a library": (f'cc "$@" && {OUTPUT} truncate -s 40 "$2"', "only a part"),
    "makes nothing": ("exit 0", "made no library"),
    "makes an empty file": (f'{OUTPUT} : > "$2"', "made no library"),
    "makes garbage": (f'{OUTPUT} head -c 20000 /dev/urandom > "$2"', "cannot load compiled code"),
    "says much": ("head -c 2000000 /dev/zero | tr '\\0' x >&2; exit 1", "failed with status 1"),
    "is not one": ("exit 127", "failed with status 127"),
}


def folder_for(bench):
    folder = bench.new_folder()
    (folder / "cache").mkdir(mode=0o700)
    return folder, folder / "cache"


def answer(done):
    try:
        return json.loads(done.out)
    except ValueError:
        return {}


def expected(bench):
    """The generic engine's."""
    if not hasattr(bench, "torques"):
        bench.torques = answer(bench.run(WORDS[:-2], bench.inputs)).get("g", [])
    return bench.torques


def agree(one, other):
    return len(one) == len(other) > 0 and all(abs(a - b) < 1e-12 * (1.0 + abs(b)) for a, b in zip(one, other))


def compiled(bench, folder, cache, **more):
    return bench.run(WORDS, folder, more={"CATENA_CACHE_DIR": str(cache), "CC": "cc", **more})


def require(bench, done, what, engine, line=""):
    """The right numbers by this engine, and a line that says why where it is not compiled code."""
    out, lines = answer(done), 1 if line else 0
    right = done.status == 0 and out.get("engine") == engine and agree(out.get("g", []), expected(bench))
    if not right or done.lines != lines or line not in done.err:
        bench.fail(WORDS, f"{what}: status {done.status}, engine {out.get('engine')}, {done.lines} lines: {done.err}")


def require_files(bench, cache, what, most):
    """No more than these entries, and nothing temporary."""
    files = sorted(file.name for file in cache.iterdir())
    if len(files) > most or any(".tmp" in file for file in files):
        bench.fail(WORDS, f"{what}: the cache has {files}")


def failing_compilers(bench, most):
    def fail(name):
        script, line = COMPILERS[name]
        folder, cache = folder_for(bench)
        compiler = folder / "failing_cc"
        compiler.write_text(f"#!/bin/sh\n{script}\n")
        compiler.chmod(0o700)
        began = time.monotonic()
        done = compiled(bench, folder, cache, CC=str(compiler), CATENA_COMPILER_TIMEOUT="0.5" if "hangs" in name else "60")
        require(bench, done, f"a compiler that {name}", "generic", line)
        if time.monotonic() - began > 20.0:
            bench.fail(WORDS, f"a compiler that {name}: {time.monotonic() - began:.0f} s")
        garbage = 1 if name == "makes garbage" else 0  # an entry with a checksum that cannot be loaded, and is made again
        require_files(bench, cache, f"a compiler that {name}", garbage)
        compiler.write_text('#!/bin/sh\nexec cc "$@"\n')
        require(bench, compiled(bench, folder, cache, CC=str(compiler)), f"after a compiler that {name}", "compiled")
        shutil.rmtree(folder)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(fail, COMPILERS))
    folder, cache = folder_for(bench)
    done = compiled(bench, folder, cache, CATENA_COMPILER_TIMEOUT="soon")
    require(bench, done, "no number of seconds", "generic", "CATENA_COMPILER_TIMEOUT is 'soon', not a number of seconds")


def interrupted_compiler(bench, most):
    """A signal while the compiler works: it ends too, with what it has started, and leaves nothing."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        folder, cache = folder_for(bench)
        compiler, started = folder / "slow_cc", folder / "started"
        compiler.write_text(f"#!/bin/sh\nsleep 300 & echo $! > {started}.tmp; mv {started}.tmp {started}; wait\n")
        compiler.chmod(0o700)
        process = bench.start(WORDS, folder, more={"CATENA_CACHE_DIR": str(cache), "CC": str(compiler)})
        until = time.monotonic() + bench.longest / 3
        while not started.exists() and time.monotonic() < until:
            time.sleep(0.01)
        part = int(started.read_text()) if started.exists() else 0
        process.send_signal(number)
        done = bench.finish(process, WORDS)
        if done.status != 128 + number or done.lines > 1:
            bench.fail(WORDS, f"{number.name} while the compiler works: status {done.status}: {done.err}")
        while is_running(part) and time.monotonic() < until:
            time.sleep(0.01)
        if part == 0 or is_running(part):
            bench.fail(WORDS, f"{number.name}: the compiler goes on")
        if number == signal.SIGKILL:
            compiled(bench, folder, cache)
        require_files(bench, cache, number.name, 1)


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def damaged_cache(bench, most):
    """Bytes that change, pieces that are missing, links, and what somebody else has written: never loaded, made again."""
    folder, cache = folder_for(bench)
    compiled(bench, folder, cache)
    entry = next(cache.glob("*.so"))
    whole = entry.read_bytes()
    dice = random.Random(3)

    def flip(at):
        entry.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << dice.randrange(8))]) + whole[at + 1:])

    def link():
        entry.rename(folder / "elsewhere")
        entry.symlink_to(folder / "elsewhere")

    damages = {f"byte {at} differs": lambda at=at: flip(at) for at in [0, len(whole) - 1, *(dice.randrange(len(whole)) for _ in range(most))]}
    damages |= {f"{size} bytes are left": lambda size=size: entry.write_bytes(whole[:size]) for size in (0, 63, len(whole) // 2, len(whole) - 1)}
    damages |= {"a byte follows": lambda: entry.write_bytes(whole + b"\n"), "it is a link": link, "others may write it": lambda: entry.chmod(0o622),
                "its group may write it": lambda: entry.chmod(0o660), "it is a folder of that name": lambda: (entry.unlink(), entry.mkdir(), entry.rmdir())}
    if os.geteuid() == 0:
        damages["it belongs to somebody else"] = lambda: os.chown(entry, 12345, 12345)
    for what, damage in damages.items():
        damage()
        done = compiled(bench, folder, cache)
        require(bench, done, what, "compiled")
        if answer(done).get("compile_seconds", 0.0) == 0.0:
            bench.fail(WORDS, f"{what}: the entry was used")
        again = compiled(bench, folder, cache)
        if answer(again).get("compile_seconds", 1.0) != 0.0:
            bench.fail(WORDS, f"{what}: the entry was not made again: {again.err}")
        require_files(bench, cache, what, 1)


def others_cache(bench, most):
    """A folder that others may write, or that is somebody else's, is refused: what is in it would be run."""
    folder, cache = folder_for(bench)
    above = folder / "above"
    places = {"can be written by others": [lambda: cache.chmod(0o777), lambda: cache.chmod(0o770), lambda: cache.chmod(0o1777)]}
    if os.geteuid() == 0:
        places["belongs to another user"] = [lambda: (cache.chmod(0o700), os.chown(cache, 12345, 12345))]
    for line, changes in places.items():
        for change in changes:
            change()
            require(bench, compiled(bench, folder, cache), line, "generic", line)
    above.mkdir()
    above.chmod(0o777)
    require(bench, compiled(bench, folder, above / "cache"), "a folder above", "generic", "in which that for compiled code is, can be written")
    above.chmod(0o1777)  # as /tmp: others cannot rename what is in it
    require(bench, compiled(bench, folder, above / "cache"), "a sticky folder above", "compiled")
    readable = folder / "readable"
    readable.mkdir(mode=0o755)
    require(bench, compiled(bench, folder, readable), "a folder that others may read", "compiled")


def many_at_once(bench, most):
    """16 processes and an empty cache: all are right, one entry, nothing temporary. The same while some are killed."""
    for kills in (0, most):
        folder, cache = folder_for(bench)
        variables = {"CATENA_CACHE_DIR": str(cache), "CC": "cc"}
        running = [bench.start(WORDS, folder, more=variables) for _ in range(16)]
        dice = random.Random(kills)
        for process in running[:kills]:
            time.sleep(dice.random() * 0.1)
            process.kill()
        done = [bench.finish(process, WORDS) for process in running]
        for one in done[kills:]:
            require(bench, one, "16 processes", "compiled")
        numbers = {tuple(answer(one)["g"]) for one in done[kills:] if "g" in answer(one)}
        if len(numbers) != 1:
            bench.fail(WORDS, f"16 processes: results differ: {numbers}")
        until = time.monotonic() + bench.longest / 3
        while kills and compilers_below(cache) and time.monotonic() < until:  # of the killed: their keepers end them
            time.sleep(0.05)
        if kills:
            for entry in cache.glob("*.so"):
                if ".tmp" not in entry.name:
                    entry.unlink()
        require(bench, compiled(bench, folder, cache), "after 16 processes", "compiled")
        require_files(bench, cache, "16 processes", 1)


def compilers_below(cache):
    found = subprocess.run(["pgrep", "-f", str(cache)], capture_output=True, text=True, check=False)
    return bool(found.stdout.strip())
