#!/usr/bin/env python3
"""sbom.py FILE: what is linked into Catena and bundled with it, as SPDX 2.3 in JSON (make sbom: out/catena.spdx.json).

Libraries are those that cmake/CatenaPackages.cmake has the library and the program look for, in the versions of this machine's
Debian packages; the page's are those that its sources import, in the versions of package-lock.json; the Python package's are those
of pyproject.toml, which pip installs beside it. A package whose licence is not in the list below is an error.
"""

import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# As their own files say; SPDX's names.
LICENCES = {
    "SUNDIALS": "BSD-3-Clause", "Eigen3": "MPL-2.0", "fmt": "MIT", "tinyxml2": "Zlib", "tomlplusplus": "MIT", "ZLIB": "Zlib",
    "CLI11": "BSD-3-Clause", "nlohmann_json": "MIT", "three": "MIT", "uplot": "MIT", "numpy": "BSD-3-Clause", "nanobind-backend": "BSD-3-Clause",
}
OF_THE_SYSTEM = {"Threads"}  # part of the C library


def debian_version(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "NOASSERTION"


def linked():
    """(name, version, where from) of the libraries."""
    text = (ROOT / "cmake" / "CatenaPackages.cmake").read_text()
    debian = dict(re.findall(r"^catena_package\((\S+) (\S+?)[ )]", text, re.MULTILINE))
    for group in ("library", "cli"):
        for name in re.search(rf"set\(catena_packages_{group} (.+)\)", text)[1].split():
            if name not in OF_THE_SYSTEM:
                version = debian_version(debian[name])
                yield name, version, f"pkg:deb/debian/{debian[name]}" + ("" if version == "NOASSERTION" else f"@{version}")


def bundled():
    """The same of what the page imports."""
    imported = {name for file in (ROOT / "page" / "src").glob("*.ts") for name in re.findall(r'from "([a-z][\w-]*)(?:/[^"]*)?";', file.read_text())}
    locked = json.loads((ROOT / "page" / "package-lock.json").read_text())["packages"]
    for name in sorted(imported):
        if f"node_modules/{name}" in locked:
            version = locked[f"node_modules/{name}"]["version"]
            yield name, version, f"pkg:npm/{name}@{version}"


def beside():
    """The same of what pip installs with the package; any version from the one that is asked for."""
    for asked in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]:
        name = re.match(r"[\w-]+", asked)[0]
        yield name, asked.removeprefix(name), f"pkg:pypi/{name}"


def package(name, version, locator, licence):
    return {"SPDXID": f"SPDXRef-{re.sub(r'[^A-Za-z0-9.-]', '-', name)}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]}


def document(when):
    version = re.search(r"^project\(catena VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    packages, relations = [package("catena", version, f"pkg:generic/catena@{version}", "MIT")], []
    for kind, found in (("DEPENDS_ON", linked()), ("CONTAINS", bundled()), ("DEPENDS_ON", beside())):
        for name, number, locator in found:
            if name not in LICENCES:
                sys.exit(f"sbom.py: the licence of '{name}' is not in tools/sbom.py")
            packages.append(package(name, number, locator, LICENCES[name]))
            relations.append({"spdxElementId": "SPDXRef-catena", "relationshipType": kind, "relatedSpdxElement": packages[-1]["SPDXID"]})
    relations.insert(0, {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-catena"})
    digest = hashlib.sha256(json.dumps([packages, relations]).encode()).hexdigest()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"catena-{version}",
            "documentNamespace": f"urn:catena:sbom:{version}:{digest[:32]}",
            "creationInfo": {"created": when, "creators": ["Tool: tools/sbom.py"]}, "packages": packages, "relationships": relations}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    file = pathlib.Path(sys.argv[1])
    made = document(datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(made, indent=1) + "\n")
    print(f"{file}: {len(made['packages'])} packages: {', '.join(each['name'] + ' ' + each['versionInfo'] for each in made['packages'])}")


if __name__ == "__main__":
    main()
