"""Runs that end before their time: killed, asked to end, out of room. A file with its own name is then the old one or the new one,
whole."""

import collections
import random
import shutil
import signal
import time

from bench import OLD, all_new, is_kept_part, name_of
from places import each

ENDED = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}


def spread(count, most):
    """Numbers from 1 to count: all, or so many of them, the first and the last included."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(k * (count - 1) / (most - 1)) for k in range(most)})


def trials(bench, writer, most):
    """The places at which a run of this command can be ended, and what it writes."""
    calls, new = bench.calls(writer)
    return calls, new, spread(len(calls), most)


def fresh(bench, writer):
    folder = bench.new_folder()
    bench.put_old(folder, writer)
    return folder, {name: OLD for name in writer.files}


def killed_anywhere(bench, writers, most):
    """SIGKILL before each call that changes a file, and in the middle of each write; then the same command again."""

    def kill(writer):
        calls, new, places = trials(bench, writer, most)
        for place in places:
            for how in ("before", "half") if "write" in calls[place - 1][0] else ("before",):
                folder, before = fresh(bench, writer)
                done = bench.run(writer.words, folder, {"at": place, "how": how})
                where = f"killed {how} call {place}, {' '.join(calls[place - 1])}"
                if done.status != 128 + signal.SIGKILL:
                    bench.fail(writer.words, f"{where}: status {done.status}")
                bench.require_whole(writer, where, before, new, bench.written(folder, writer))
                again = bench.run(writer.words, folder)
                if again.status != 0 or not all_new(writer, bench.written(folder, writer), new):
                    bench.fail(writer.words, f"{where}: the next run: status {again.status}: {again.err}")
                if left := bench.left(folder, writer):
                    bench.fail(writer.words, f"{where}: after the next run there still is {left}")
                shutil.rmtree(folder)

    each(kill, writers)


def out_of_room(bench, writers, most):
    """From each such call on, nothing more can be written; and one alone fails with an error of the disk."""

    def fill(writer):
        calls, new, places = trials(bench, writer, most)
        for place in places:
            for how in ("full", 5):  # 5: EIO
                folder, before = fresh(bench, writer)
                done = bench.run(writer.words, folder, {"at": place, "how": how})
                where = f"{'full disk' if how == 'full' else 'EIO'} at call {place}, {' '.join(calls[place - 1])}"
                found = bench.written(folder, writer)
                bench.require_whole(writer, where, before, new, found)
                if done.status not in (0, 1) or (done.status == 0 and not all_new(writer, found, new)):
                    bench.fail(writer.words, f"{where}: status {done.status}: {done.err}")
                if done.status == 1 and done.lines != 1:
                    bench.fail(writer.words, f"{where}: {done.lines} lines: {done.err}")
                if left := [name for name in bench.left(folder, writer) if not is_kept_part(name)]:
                    bench.fail(writer.words, f"{where}: {left} stay")
                shutil.rmtree(folder)

    each(fill, writers)


def require_ended(bench, writer, number, where, folder, before, new, done):
    bench.require_whole(writer, where, before, new, bench.written(folder, writer))
    if done.status not in (0, 128 + number):
        bench.fail(writer.words, f"{where}: status {done.status}, not {128 + number}: {done.err}")
    if done.status != 0 and done.lines > 1:
        bench.fail(writer.words, f"{where}: {done.lines} lines: {done.err}")
    if left := [name for name in bench.left(folder, writer) if not is_kept_part(name)]:
        bench.fail(writer.words, f"{where}: {left} stay")


def asked_to_end(bench, writers, most):
    """SIGTERM, SIGINT and SIGHUP before such calls."""

    def ask(writer):
        calls, new, places = trials(bench, writer, most)
        for k, place in enumerate(places):
            number = sorted(ENDED)[k % len(ENDED)]
            folder, before = fresh(bench, writer)
            done = bench.run(writer.words, folder, {"at": place, "how": f"signal {number.value}"})
            require_ended(bench, writer, number, f"{number.name} at call {place}, {' '.join(calls[place - 1])}", folder, before, new, done)
            shutil.rmtree(folder)

    each(ask, writers)


def at_any_time(bench, writers, most):
    """The same signals and SIGKILL at random times, in the middle of computing too."""
    dice = random.Random(7)
    ended = collections.Counter()

    def interrupt(writer):
        calls, new = bench.calls(writer)
        folder, _ = fresh(bench, writer)
        began = time.monotonic()
        bench.run(writer.words, folder)
        usual = time.monotonic() - began
        for number in [signal.SIGKILL, *sorted(ENDED)] * most:
            folder, before = fresh(bench, writer)
            process = bench.start(writer.words, folder)
            time.sleep(dice.random() * usual)
            process.send_signal(number)
            done = bench.finish(process, writer.words)
            where = f"{name_of(number)} at some time"
            ended[number] += done.status != 0
            if number == signal.SIGKILL:
                bench.require_whole(writer, where, before, new, bench.written(folder, writer))
                again = bench.run(writer.words, folder)
                if again.status != 0 or not all_new(writer, bench.written(folder, writer), new) or bench.left(folder, writer):
                    bench.fail(writer.words, f"{where}: the next run: status {again.status}, {bench.left(folder, writer)} stay")
            else:
                require_ended(bench, writer, number, where, folder, before, new, done)
            shutil.rmtree(folder)

    each(interrupt, writers)
    if writers and not any(ended.values()):
        bench.fail(["…"], "no run was ended before its time")
