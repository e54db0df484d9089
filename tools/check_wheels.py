#!/usr/bin/env python3
"""check_wheels.py WHEELS [SUITE...]: the wheels on machines that have nothing of ours: no compiler, no -dev package.

For this machine's processor: a fresh minimal Debian of each suite (trixie, bookworm, bullseye) with Python alone, in build/cross/strangers; pip
installs the wheel, and the first torque comes from Python and from the program. Where Python is older than 3.10, the program alone.
For aarch64: Debian's Python for that processor under qemu, with the same questions. Needs root for the chroots.
"""

import pathlib
import platform
import re
import shutil
import subprocess
import sys

import cross

FOLDER = cross.CROSS / "strangers"
SUITES = ["bookworm", "trixie", "bullseye"]
IMPORT_LIMIT = 0.3  # s, NumPy included
Q = "0,-1,1,0,0,0"
TORQUES = [0.0, -39.17993851, -15.68382849, 0.0, 0.0, 0.0]  # N m, of the UR5 at rest at Q
# What a stranger types first; prints the torques, the time of the import, and what the compiled engine says without a compiler.
FIRST = """
import time, sys, warnings
start = time.perf_counter()
import catena
seconds = time.perf_counter() - start
robot = catena.load("ur5")
print("torques", *robot.inverse_dynamics([0, -1, 1, 0, 0, 0], [0] * 6, [0] * 6))
print("import", seconds)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    robot.inverse_dynamics([[0, -1, 1, 0, 0, 0]] * 64, [[0] * 6] * 64, [[0] * 6] * 64, engine="compiled")
for one in said:
    print("compiled", one.message)
"""


def output(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"check_wheels.py: failed: {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def package_sources(suite):
    """This machine's package sources, of another suite of Debian."""
    here = re.search(r"VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())[1]
    apt = pathlib.Path("/etc/apt")
    files = [file for file in [apt / "sources.list", *(apt / "sources.list.d").glob("*")] if file.is_file()]
    kind = "sources" if any(file.suffix == ".sources" for file in files) else "list"
    text = "\n\n".join(file.read_text() for file in files if file.suffix == f".{kind}").replace(here, suite)
    made = FOLDER / f"{suite}.{kind}"
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text(text)
    return made


def machine(suite, variant, packages, architecture=None):
    """The folder of a minimal Debian; made once."""
    root = FOLDER / "-".join(filter(None, [suite, architecture]))
    if not (root / "ready").exists():
        shutil.rmtree(root, ignore_errors=True)
        options = [f"--architectures={architecture}"] if architecture else []
        output("mmdebstrap", "--mode=root", f"--variant={variant}", f"--include={packages}", *options, suite, root, package_sources(suite))
        (root / "ready").touch()
    return root


def downloads(wheel, version, processor):
    """The folder with what the wheel needs from the index, for a version of Python."""
    folder = FOLDER / "downloads" / f"{version}-{processor}"
    for old in folder.glob("catena_dynamics-*.whl"):  # pip keeps a file of the same name
        old.unlink()
    platforms = [word for minor in (28, 27, 26, 17) for word in ("--platform", f"manylinux_2_{minor}_{processor}")]
    output(cross.python("pip"), "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--python-version", version,
           "--implementation", "cp", "--abi", f"cp{version.replace('.', '')}", "--abi", "abi3", "--abi", "none", *platforms, "--dest", folder, wheel)
    return folder


def judge(where, text, program):
    """Whether the first torques are right, and how long the import took."""
    said = dict(line.split(" ", 1) for line in text.splitlines() if " " in line)
    torques = [float(word) for word in said["torques"].split()]
    if any(abs(a - b) > 1e-7 for a, b in zip(torques, TORQUES, strict=True)):
        sys.exit(f"check_wheels.py: {where}: wrong torques: {torques}")
    if not program:
        return
    seconds = float(said["import"])
    print(f"{where}: right torques from Python and the program; import {seconds:.2f} s; compiled engine: {said.get('compiled', 'compiled')}")
    if seconds > IMPORT_LIMIT:
        sys.exit(f"check_wheels.py: {where}: the import takes longer than {IMPORT_LIMIT} s")


def check_program(where, command):
    version = output(*command, "--version").splitlines()[0]
    shown = output(*command, "inverse", "ur5", f"--q={Q}")
    numbers = [float(word) for word in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", shown)]
    if not any(abs(number - TORQUES[1]) < 1e-7 for number in numbers):
        sys.exit(f"check_wheels.py: {where}: the program's torques are wrong:\n{shown}")
    print(f"{where}: {version}")


def check_suite(suite, wheel):
    root = machine(suite, "apt", "python3-venv")
    entered = 'mount --bind /proc "$0/proc" && exec chroot "$0" "$@"'  # the program finds its models by its own place there
    chroot = ["unshare", "--mount", "sh", "-c", entered, root, "env", "-i", "PATH=/usr/bin:/bin", "HOME=/", "LC_ALL=C.UTF-8"]
    version = output(*chroot, "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
    glibc = output(*chroot, "getconf", "GNU_LIBC_VERSION").strip()
    where = f"{suite}, {glibc}, Python {version}"
    for name in ("cc", "gcc", "clang"):
        if subprocess.run([*chroot, "which", name], capture_output=True).returncode == 0:
            sys.exit(f"check_wheels.py: {suite} has the compiler {name}")
    place = root / "stranger" / "wheels"
    shutil.rmtree(root / "stranger", ignore_errors=True)
    (root / "stranger").mkdir()
    if tuple(map(int, version.split("."))) < (3, 10):
        output("unzip", "-q", wheel, "-d", root / "stranger" / "own")
        program = root / "stranger" / "own" / "catena" / "bin" / "catena"
        program.chmod(0o755)
        check_program(f"{where} (too old for the package: the program alone)", [*chroot, "/stranger/own/catena/bin/catena"])
        return
    shutil.copytree(downloads(wheel, version, platform.machine()), place)
    output(*chroot, "python3", "-m", "venv", "/stranger/own")
    output(*chroot, "/stranger/own/bin/pip", "install", "--quiet", "--no-index", "--only-binary", ":all:", "--find-links", "/stranger/wheels", "catena-dynamics")
    check_program(where, [*chroot, "/stranger/own/bin/catena"])
    texts = [output(*chroot, "/stranger/own/bin/python", "-c", FIRST) for _ in range(5)]  # of the first, Python compiles the files
    judge(where, min(texts, key=lambda text: float(re.search(r"import (\S+)", text)[1])), True)


def check_aarch64(wheel):
    root = machine("bookworm", "extract", "python3-minimal,python3,libc6,libgcc-s1,libstdc++6", "arm64")
    packages = root / "stranger" / "packages"
    shutil.rmtree(packages, ignore_errors=True)
    packages.mkdir(parents=True)
    for file in downloads(wheel, "3.11", "aarch64").glob("*.whl"):
        output("unzip", "-q", "-o", file, "-d", packages)
    emulated = ["env", "-i", "PATH=/nowhere", f"PYTHONPATH={packages}", "HOME=/", "LC_ALL=C.UTF-8", shutil.which("qemu-aarch64") or "qemu-aarch64", "-L", root]
    python = root / "usr" / "bin" / "python3.11"
    program = packages / "catena" / "bin" / "catena"
    program.chmod(0o755)
    check_program("aarch64 under qemu", [*emulated, program])
    text = output(*emulated, "-E", f"PYTHONHOME={root}/usr", python, "-c", FIRST)
    judge("aarch64 under qemu", text, False)
    print("aarch64 under qemu: right torques from Python and the program")


def main():
    folder, suites = pathlib.Path(sys.argv[1]), sys.argv[2:] or SUITES
    for processor in dict.fromkeys([platform.machine(), "aarch64"]):
        found = sorted(folder.glob(f"*_{processor}.whl"))
        if not found:
            sys.exit(f"check_wheels.py: no wheel for {processor} in {folder}: make wheels")
        if processor == platform.machine():
            for suite in suites:
                check_suite(suite, found[-1].resolve())
        else:
            check_aarch64(found[-1].resolve())


if __name__ == "__main__":
    main()
