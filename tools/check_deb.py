#!/usr/bin/env python3
"""The Debian packages as people have them: checked by lintian, installed, used, and purged without a trace.

  check_deb.py build --build BUILD [--self-test]
      makes the packages of the program and the libraries from BUILD and installs them into a folder with a copy of dpkg's
      database: no rights are needed, and dependencies are those of this system. --self-test: damage to those must be noticed
  check_deb.py folder FOLDER --build BUILD
      takes the packages in FOLDER, all four, and installs them for real, as root, over a copy of this system that is
      forgotten afterwards (an overlay in a mount namespace of its own), without the sources of Catena
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
POSTURE = "0.1,0.2,0.3,0.4,0.5,0.6"  # with rates 0.5 and accelerations -0.2, as in examples/c/torques.c
MOTION = ["--q", POSTURE, "--qd", ",".join(["0.5"] * 6), "--qdd=" + ",".join(["-0.2"] * 6), "--json"]
PYTHON = f"""import json, catena
robot = catena.load("ur5")
print(json.dumps(list(robot.inverse_dynamics([{POSTURE}], [0.5] * 6, [-0.2] * 6))))"""
# Where packages have files, and what dpkg and ldconfig write there for themselves.
PACKAGED = re.compile(r"/(usr|etc|opt|var|lib|bin|sbin)(/|$)")
OTHERS = re.compile(r"/var/(lib/dpkg|log|cache)/|/etc/ld\.so\.cache")
# lower, upper and work folders of the overlay, and the call inside; the sources are hidden.
INSIDE = """set -e
mount -t tmpfs catena "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay catena -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount -t tmpfs catena "$1/root/tmp"
mount -t tmpfs catena "$1/root/run"
cp -r "$2" "$1/root/run/packages"
mount -t tmpfs catena "$1/root$3"
exec chroot "$1/root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 /usr/bin/python3 /run/packages/check_deb.py inside /run/packages
"""


class Failure(Exception):
    pass


def require(holds, what):
    if not holds:
        raise Failure(what)


def run(*command, **options):
    words = [str(word) for word in command]
    result = subprocess.run(words, capture_output=True, text=True, **options)
    require(result.returncode == 0, f"{' '.join(words)[:200]}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


class System:
    """This system itself."""

    def __init__(self):
        self.root = pathlib.Path("/")
        self.environment = dict(os.environ)

    def dpkg(self, *words):
        return run("dpkg", *words, env=self.environment)

    def run(self, *command):
        return run(*command, env=self.environment)

    def files(self):
        found = set()
        for folder, names, files in os.walk(self.root):
            inside = f"/{pathlib.Path(folder).relative_to(self.root)}/".replace("/./", "/")
            names[:] = [name for name in names if PACKAGED.match(inside + name) and not OTHERS.match(f"{inside}{name}/")]
            found.update(inside + name for name in names + files if PACKAGED.match(inside + name) and not OTHERS.match(inside + name))
        return found


class Scratch(System):
    """A folder that has the packages alone, beside a copy of this system's dpkg database."""

    def __init__(self, folder):
        self.root = folder / "root"
        self.database = folder / "dpkg"
        (self.root / "usr").mkdir(parents=True)
        shutil.copytree("/var/lib/dpkg", self.database, ignore=shutil.ignore_patterns("lock*", "*.md5sums"))
        usr = self.root / "usr"
        libraries = [usr / "lib", usr / "lib" / (sysconfig.get_config_var("MULTIARCH") or "")]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CATENA_")}
        self.environment = {**clean, "PATH": f"{usr}/bin:/usr/sbin:/sbin:{os.environ['PATH']}", "LD_LIBRARY_PATH": ":".join(map(str, libraries)),
                            "PKG_CONFIG_PATH": ":".join(f"{folder}/pkgconfig" for folder in libraries), "CMAKE_PREFIX_PATH": str(usr)}

    def dpkg(self, *words):
        rights = [] if os.geteuid() == 0 else ["fakeroot"]
        return run(*rights, "dpkg", f"--admindir={self.database}", f"--instdir={self.root}", "--log=/dev/null", "--no-triggers", *words,
                   env=self.environment)


def lintian(packages):
    """Fails on errors; prints and returns the warnings."""
    user = ["--allow-root"] if os.geteuid() == 0 else []
    result = subprocess.run(["lintian", *user, "--fail-on", "error", "--tag-display-limit", "0", *packages], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    require(result.returncode == 0, f"lintian:\n{result.stdout}")
    print(result.stdout, end="")


def same(one, other):
    return len(one) == len(other) and all(abs(a - b) < 2e-6 for a, b in zip(one, other))


def use(system, folder, expected, python):
    """The program, a program in C, one in C++, and Python compute the same torques."""
    require((system.root / "usr/share/man/man1/catena.1.gz").exists(), "no manual page")
    tau = json.loads(system.run("catena", "inverse", "ur5", *MOTION))["tau"]
    require(same(tau, expected), f"the program computes {tau}, the one in the build folder {expected}")
    flags = system.run("pkg-config", "--cflags", "--libs", "catena").split()
    system.run("cc", folder / "c/torques.c", "-o", folder / "torques", *flags)
    printed = system.run(folder / "torques", "ur5")
    require(same([float(line.split()[-1]) for line in printed.splitlines()], expected), f"the program in C prints\n{printed}")
    system.run("cmake", "-S", folder / "find_package", "-B", folder / "built", "-DCMAKE_BUILD_TYPE=Release")
    system.run("cmake", "--build", folder / "built")
    printed = system.run(folder / "built/uses_catena")
    held = json.loads(system.run("catena", "inverse", "puma560", "--q=0,0.8,-0.5,0.2,0.3,0", "--json"))["tau"]
    require(same([float(line.split()[-1]) for line in printed.splitlines()], held), f"the program in C++ prints\n{printed}")
    if python:
        tau = json.loads(system.run("/usr/bin/python3", "-c", PYTHON))
        require(same(tau, expected), f"Python computes {tau}, the program {expected}")


def names_of(packages):
    return [run("dpkg-deb", "--field", package, "Package").strip() for package in packages]


def live(system, packages, folder, leave=None):
    """Installs, uses and purges; `leave` is a file that appears meanwhile."""
    before = system.files()
    names = names_of(packages)
    system.dpkg("--install", *packages)
    new = system.files() - before
    require(new, "nothing was installed")
    use(system, folder, json.loads((folder / "expected.json").read_text()), "python3-catena" in names)
    if leave:
        (system.root / leave).write_text("left behind")
    system.dpkg("--purge", *names)
    after = system.files()
    require(after == before, f"left behind, or lost: {sorted(after ^ before)[:5]}")
    print(f"{', '.join(names)}: installed {len(new)} files and folders, used, purged without a trace")


def prepare(build, folder):
    """What the checks need of the sources and the build."""
    for name in ("c", "find_package"):
        shutil.copytree(ROOT / "examples" / name, folder / name)
    (folder / "expected.json").write_text(json.dumps(json.loads(run(build / "catena", "inverse", "ur5", *MOTION))["tau"]))
    shutil.copy(__file__, folder)


def check_build(options, folder):
    made = options.build / "deb" / "packages"
    if not options.self_test:
        run(sys.executable, ROOT / "tools/make_deb.py", made, options.build, "--quick")
    packages = sorted(made.glob("*.deb"))
    require(names_of(packages) == ["catena", "libcatena-dev", "libcatena1"], f"other packages than expected: {packages}")
    prepare(options.build, folder)
    if not options.self_test:
        lintian([packages[0], packages[2]])  # lintian takes a minute for static libraries: `make deb` has it look at all
        live(Scratch(folder / "scratch"), packages, folder)
        return
    damaged = folder / "damaged"
    run("dpkg-deb", "--raw-extract", packages[2], damaged)
    (damaged / "usr/share/doc/libcatena1/copyright").unlink()
    run("dpkg-deb", "--root-owner-group", "--build", damaged, folder / "damaged.deb")
    notices("no-copyright-file", lintian, [folder / "damaged.deb"])
    notices("'/usr/share/left']", live, Scratch(folder / "scratch"), packages, folder, "usr/share/left")
    notices("dependency problems", Scratch(folder / "alone").dpkg, "--install", packages[1])


def notices(what, function, *words):
    try:
        function(*words)
    except Failure as failure:
        require(what in str(failure), f"should say '{what}':\n{failure}")
        print(f"noticed: {what}")
    else:
        raise Failure(f"not noticed: {what}")


def check_folder(options, folder):
    packages = sorted(options.folder.glob("*.deb"))
    require(names_of(packages) == ["catena", "libcatena-dev", "libcatena1", "python3-catena"], f"other packages than expected: {packages}")
    lintian(packages)
    inside = folder / "inside"
    inside.mkdir()
    prepare(options.build, inside)
    for package in packages:
        shutil.copy(package, inside)
    (folder / "overlay").mkdir()
    rights = [] if os.geteuid() == 0 else ["sudo"]
    print(run(*rights, "unshare", "--mount", "sh", "-c", INSIDE, "sh", folder / "overlay", inside, ROOT), end="")


def check_inside(options, _):
    live(System(), sorted(options.folder.glob("*.deb")), options.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=["build", "folder", "inside"])
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        try:
            {"build": check_build, "folder": check_folder, "inside": check_inside}[options.check](options, pathlib.Path(work).resolve())
        except FileNotFoundError as missing:
            print(f"check_deb.py: {missing.filename} is not there: tools/install_dependencies.sh deb", file=sys.stderr)
            return 1
        except Failure as failure:
            print(f"check_deb.py: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
