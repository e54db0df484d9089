#!/usr/bin/env python3
"""tools/install_dependencies.sh on made-up machines: what it asks apt for, and what it says where apt refuses.

And tools/not_run.py on made-up results: what it says of tests that did not run, and its status. And whether all packages of
the page take the Node.js that Debian has.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parent
BRINGS = {"nodejs": ["node"], "npm": ["npm"], "emscripten": ["em++"], "chromium": ["chromium"]}
REAL = ["bash", "env", "mktemp", "rm", "tail", "sleep", "touch", "chmod", "grep"]

# Notes what it is asked to install; refuses what the file `refused` names, otherwise the programs of its packages appear.
APT = """#!/bin/bash
here={here}
[[ " $* " = *" install "* ]] || exit 0
asked=()
for word in "$@"; do case $word in -*|install|Dpkg*) ;; *) asked+=("$word") ;; esac; done
echo "${{asked[*]}}" >>$here/asked
for package in "${{asked[@]}}"; do
  if grep -qx "$package" $here/refused; then echo "E: Unable to correct problems" >&2; exit 100; fi
done
while read -r package programs; do
  [[ " ${{asked[*]}} " = *" $package "* ]] || continue
  for program in $programs; do touch $here/bin/$program; chmod +x $here/bin/$program; done
done <$here/brings
"""


class Machine:
    def __init__(self, folder, programs=(), brings=BRINGS, refused=()):
        self.folder = pathlib.Path(folder)
        self.bin = self.folder / "bin"
        self.bin.mkdir(parents=True)
        for tool in REAL:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.put("apt-get", APT.format(here=self.folder))
        self.put("dpkg-query", "#!/bin/bash\nexit 1\n")
        self.put("id", "#!/bin/bash\necho 0\n")
        for program in programs:
            self.put(program, "#!/bin/bash\n")
        (self.folder / "brings").write_text("".join(f"{package} {' '.join(names)}\n" for package, names in brings.items()))
        (self.folder / "refused").write_text("".join(f"{package}\n" for package in refused))
        (self.folder / "asked").touch()

    def put(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def install(self, group):
        return subprocess.run([shutil.which("bash"), TOOLS / "install_dependencies.sh", group], env={"PATH": str(self.bin)},
                              capture_output=True, text=True)

    def asked(self):
        return (self.folder / "asked").read_text().splitlines()


def check_machines(folder):
    everything = "nodejs npm emscripten chromium"
    nothing = Machine(folder / "nothing")
    assert nothing.install("page").returncode == 0
    assert nothing.asked() == [everything], nothing.asked()
    assert nothing.install("page").returncode == 0 and nothing.asked() == [everything], "asked again"

    debian = Machine(folder / "debian", programs=["node", "npm", "em++", "chromium"])
    assert debian.install("page").returncode == 0 and debian.asked() == []

    # Node.js of its makers is there; Debian's npm conflicts with it.
    makers = Machine(folder / "makers", programs=["node", "npm"], refused=["npm"])
    assert makers.install("page").returncode == 0
    assert makers.asked() == ["emscripten chromium"], makers.asked()

    # Only their repository is there: `nodejs` brings an npm, and Debian's is refused.
    brings = BRINGS | {"nodejs": ["node", "npm"]}
    coming = Machine(folder / "coming", brings=brings, refused=["npm"])
    assert coming.install("page").returncode == 0, coming.install("page").stderr
    assert "npm" not in coming.asked() and "chromium" in coming.asked(), coming.asked()

    # One package that cannot be had takes no other with it, and is named.
    without = Machine(folder / "without", refused=["emscripten"])
    result = without.install("page")
    assert result.returncode == 1 and "Not installed, though needed: emscripten" in result.stderr, result
    assert all((without.bin / program).exists() for program in ("node", "npm", "chromium")), without.asked()


RESULTS = """<testsuite name="x">
<testcase name="page_plays" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>skipped: no Chromium</system-out></testcase>
<testcase name="Urdf.Locale" status="notrun"><skipped message=""/><system-out>[ RUN      ] Urdf.Locale
x.cpp:209: Skipped
no locale
[  SKIPPED ] Urdf.Locale (0 ms)
</system-out></testcase>
<testcase name="good" status="run"><system-out>skipped: nothing</system-out></testcase>
</testsuite>"""


def check_not_run(folder):
    def told(text, *more):
        (folder / "tests.xml").write_text(text)
        result = subprocess.run([sys.executable, TOOLS / "not_run.py", folder / "tests.xml", *more], capture_output=True, text=True)
        return result.returncode, result.stdout.splitlines()

    status, lines = told(RESULTS)
    assert status == 1 and lines[:2] == ["not run: page_plays: no Chromium", "not run: Urdf.Locale: no locale"], lines
    assert told(RESULTS, "--allowed") == (0, lines[:2])
    assert told('<testsuite><testcase name="good"/></testsuite>') == (0, [])


DEBIANS_NODE = 18


def takes(engines, node):
    """Whether a range such as "^18.0.0 || >=20" has this major version."""
    for clause in engines.split("||"):
        operator, major = re.match(r"\s*(>=|\^|~|)\s*(\d+)", clause).groups()
        if int(major) == node or (operator == ">=" and int(major) < node):
            return True
    return False


def check_node():
    assert takes(">=18", 18) and takes("^10 || ^18.0.0", 18) and not takes(">=20", 18) and not takes("^16 || >=20", 18)
    packages = json.loads((TOOLS.parent / "page" / "package-lock.json").read_text())["packages"]
    refusing = [name for name, facts in packages.items() if not takes(facts.get("engines", {}).get("node", ">=0"), DEBIANS_NODE)]
    assert not refusing, f"do not take Node.js {DEBIANS_NODE}: {refusing}"


check_node()
with tempfile.TemporaryDirectory() as made:
    check_machines(pathlib.Path(made))
    check_not_run(pathlib.Path(made))
print("five machines, three results")
