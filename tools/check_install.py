#!/usr/bin/env python3
"""Uses Catena as other projects do: installed and found, installed and moved, and as a part of their own build.

  tools/check_install.py CHECK --cmake CMAKE --build BUILD --source SOURCE --compiler CXX --config CONFIG

Projects that have Catena in their build are configured, and one small library of it is built: nothing here compiles the
whole library again.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


class Failure(Exception):
    pass


def require(holds, what):
    if not holds:
        raise Failure(what)


class Checks:
    def __init__(self, options, work):
        self.options = options
        self.work = work

    # -- what the checks share ------------------------------------------------------------------------------------------
    def run(self, *command, fails=False, **environment):
        clean = {name: value for name, value in os.environ.items() if name != "CATENA_MODELS"}
        result = subprocess.run([str(word) for word in command], cwd=self.work, env={**clean, **environment},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        require((result.returncode != 0) == fails,
                f"{' '.join(str(word) for word in command)}: status {result.returncode}\n{result.stdout}")
        return result.stdout

    def install(self, name):
        prefix = self.work / name
        self.run(self.options.cmake, "--install", self.options.build, "--prefix", prefix, "--config", self.options.config)
        return prefix

    def project(self, name, lists, program=None):
        folder = self.work / name
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(parent LANGUAGES CXX)\n" + lists)
        (folder / "main.cpp").write_text(program or "int main() {}\n")
        return folder

    def configure(self, folder, *arguments, fails=False):
        return self.run(self.options.cmake, "-S", folder, "-B", folder / "build", "-G", "Ninja",
                        f"-DCMAKE_CXX_COMPILER={self.options.compiler}", *arguments, fails=fails)

    def build(self, folder, *targets):
        self.run(self.options.cmake, "--build", folder / "build", *(word for t in targets for word in ("--target", t)))

    # -- an installed Catena --------------------------------------------------------------------------------------------
    def find_package(self):
        prefix = self.install("prefix")
        ours, theirs = ({path.relative_to(folder) for path in folder.rglob("*.hpp")}
                        for folder in (self.options.source / "include", prefix / "include"))
        require(ours and ours == theirs, f"installed headers are not those of include/: {sorted(map(str, ours ^ theirs))[:5]}")
        release = [f"-DCMAKE_BUILD_TYPE={self.options.config}", f"-DCMAKE_PREFIX_PATH={prefix}"]
        example = self.work / "example"
        shutil.copytree(self.options.source / "examples" / "find_package", example)
        self.configure(example, *release)
        self.build(example)
        torques = self.run(example / "build" / "uses_catena")
        require(torques.count("\n") == 6, f"six torques are expected:\n{torques}")
        # The models that were installed, not those of the source tree.
        shutil.move(prefix / "share/catena/models/puma560.toml", prefix / "share/catena/models/mine.toml")
        program = (example / "main.cpp").read_text().replace('"puma560"', '"mine"')
        parts = self.project("parts", "find_package(catena REQUIRED COMPONENTS dynamics io)\nadd_executable(uses main.cpp)\n"
                             "target_link_libraries(uses PRIVATE catena::dynamics catena::io)\n"
                             "if(TARGET catena::sim OR TARGET catena::catena OR SUNDIALS_FOUND)\n"
                             "  message(FATAL_ERROR \"more than was asked for\")\nendif()\n",
                             program.replace("catena/catena.hpp", "catena/dynamics.hpp>\n#include <catena/robot_file.hpp"))
        self.configure(parts, *release)
        self.build(parts)
        require(self.run(parts / "build" / "uses") == torques, "components give other torques")
        self.components(release)

    def components(self, release):
        def asks(name, lists, *arguments, says=None):
            folder = self.project(name, lists)
            output = self.configure(folder, *release, *arguments, fails=says is not None)
            require(says is None or says in " ".join(output.split()), f"{name} should say '{says}':\n{output}")

        without = ["-DCMAKE_DISABLE_FIND_PACKAGE_SUNDIALS=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON"]
        asks("unknown", "find_package(catena REQUIRED COMPONENTS dynamics cooking)\n",
             says="Catena: there is no component 'cooking'; the components are system, scalar, model, dynamics,")
        asks("optional", "find_package(catena REQUIRED COMPONENTS model OPTIONAL_COMPONENTS cooking io)\n"
             "if(catena_cooking_FOUND OR catena_io_FOUND OR NOT catena_model_FOUND)\n  message(FATAL_ERROR wrong)\nendif()\n",
             *without)
        asks("few", "find_package(catena REQUIRED COMPONENTS dynamics trajectory equations)\n"
             "if(NOT TARGET catena::equations)\n  message(FATAL_ERROR wrong)\nendif()\n", *without)
        asks("more", "find_package(catena REQUIRED COMPONENTS dynamics)\nfind_package(catena REQUIRED COMPONENTS io)\n"
             "if(NOT TARGET catena::io)\n  message(FATAL_ERROR wrong)\nendif()\n")
        asks("missing", "find_package(catena REQUIRED COMPONENTS io)\n", *without,
             says="Catena: component 'io' needs the package fmt, which was not found")
        asks("all", "find_package(catena REQUIRED)\n", *without,
             says="needs the package")
        asks("quiet", "find_package(catena QUIET)\nif(catena_FOUND)\n  message(FATAL_ERROR wrong)\nendif()\n", *without)

    def moved(self):
        first = self.install("first")
        moved = self.work / "moved" / "deeper"
        moved.parent.mkdir()
        shutil.move(first, moved)
        models = moved / "share/catena/models"
        # Its own models: one that is there alone, and one that is not as in the source tree.
        (models / "mine.toml").write_text((models / "ur5.toml").read_text())
        (models / "ur5.toml").write_text(re.sub(r'(?m)^name = .*$', 'name = "changed"', (models / "ur5.toml").read_text(), count=1))
        (self.work / "links").mkdir()
        (self.work / "links" / "arm").symlink_to("../moved/deeper/bin/catena")
        (self.work / "links" / "again").symlink_to(self.work / "links" / "arm")
        for program in (moved / "bin/catena", self.work / "links" / "arm", self.work / "links" / "again"):
            require("6 joints" in self.run(program, "info", "mine"), f"{program} does not find its models")
            require(self.run(program, "info", "ur5").startswith("changed"), f"{program} does not prefer its own models")
        require("6 joints" in self.run("sh", "-c", "PATH=$1:$PATH; catena info mine", "sh", moved / "bin"), "by PATH")
        # The program of the build folder has those of the source tree, from wherever it is called.
        built = self.options.build / "catena"
        require("6 joints" in self.run(built, "info", "ur5"), "the built program does not find the models")
        (self.work / "links" / "built").symlink_to(built)
        require("6 joints" in self.run(self.work / "links" / "built", "info", "ur5"), "not through a link")
        said = self.run(built, "info", "mine", fails=True)
        require(str(self.options.source / "models") in said, said)

    # -- the C interface, by clients that know nothing of C++ --------------------------------------------------------------
    def client(self, language):
        """An example, an installed Catena that was moved since, and what the example must print there."""
        moved = self.work / "moved"
        shutil.move(self.install("first"), moved)
        models = moved / "share/catena/models"
        (models / "mine.toml").write_text((models / "ur5.toml").read_text())  # found beside the library alone
        folder = self.work / language
        shutil.copytree(self.options.source / "examples" / language, folder)
        pkg_config = next(moved.rglob("catena.pc")).parent
        library = Path(self.run("pkg-config", "--variable=libdir", "catena", PKG_CONFIG_PATH=str(pkg_config)).strip()).resolve()
        require((library / "libcatena.so.1").exists(), f"pkg-config names the wrong folder: {library}")
        arguments = ("--q", "0.1,0.2,0.3,0.4,0.5,0.6", "--payload", "tool:2,0,0,0.1")
        rates = ("--qd", ",".join(["0.5"] * 6), "--qdd=" + ",".join(["-0.2"] * 6))
        g, tau = (json.loads(self.run(moved / "bin/catena", *words, "--json"))
                  for words in (("gravity", "mine", *arguments), ("inverse", "mine", *arguments, *rates)))
        expected = list(zip(g["g"], tau["tau"]))
        require(len(expected) == 6, f"six torques are expected: {g}, {tau}")
        return folder, library, {"PKG_CONFIG_PATH": str(pkg_config)}, expected

    def require_torques(self, expected, printed):
        rows = [[float(word) for word in line.split()[-2:]] for line in printed.splitlines()]
        require(len(rows) == len(expected) and all(abs(a - b) < 1e-6 for row, pair in zip(rows, expected) for a, b in zip(row, pair)),
                f"other torques than the program's, {expected}:\n{printed}")

    WORDS = ("mine", "--payload tool:2,0,0,0.1")

    def c(self):
        folder, library, known, expected = self.client("c")
        self.run(self.options.cmake, "-S", folder, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.work / 'moved'}")
        self.build(folder)
        self.require_torques(expected, self.run(folder / "build" / "torques", *self.WORDS))
        flags = self.run("pkg-config", "--cflags", "--libs", "catena", **known).split()
        (folder / "first.c").write_text(re.search(r"```c\n(.*?)```", (self.options.source / "docs/c.md").read_text(), re.S)[1])
        for name in ("torques", "first"):
            self.run("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", folder / f"{name}.c", "-o", folder / name, *flags)
        self.require_torques(expected, self.run(folder / "torques", *self.WORDS, LD_LIBRARY_PATH=str(library)))
        require(self.run(folder / "first", LD_LIBRARY_PATH=str(library)).count(" N m\n") == 6, "docs/c.md prints no six torques")
        said = self.run(folder / "torques", "mine", "--payload nowhere:1,0,0,0", fails=True, LD_LIBRARY_PATH=str(library))
        require(said.startswith("torques: mine: --payload: ") and said.count("\n") == 1, said)

    def rust(self):
        folder, _, known, expected = self.client("rust")
        known["CARGO_HOME"] = str(self.work / "cargo")
        self.run("cargo", "build", "--quiet", "--offline", "--manifest-path", folder / "Cargo.toml", **known)
        program = folder / "target/debug/torques"
        self.require_torques(expected, self.run(program, *self.WORDS))
        said = self.run(program, "no_such_robot", fails=True)
        require(said.startswith("torques: no_such_robot: no such file"), said)

    def octave(self):
        folder, library, known, expected = self.client("octave")
        flags = self.run("pkg-config", "--cflags", "--libs", "catena", **known).split()
        self.run("mkoctfile", "--mex", folder / "catena_mex.c", "-o", folder / "catena_mex.mex", *flags)
        printed = self.run("octave-cli", "--quiet", "--norc", "--no-history", "--path", folder, folder / "torques.m", *self.WORDS,
                           LD_LIBRARY_PATH=str(library))
        self.require_torques(expected, printed)

    # -- Catena in the build of another project -------------------------------------------------------------------------
    PARENT = """
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/programs)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/libraries)
set(CMAKE_CXX_FLAGS "-DPARENT_FLAG")
# All that was there stays as it is, and these are not set by somebody else.
get_directory_property(names VARIABLES)
list(APPEND names CMAKE_BUILD_TYPE CMAKE_CXX_STANDARD CMAKE_POSITION_INDEPENDENT_CODE CMAKE_EXPORT_COMPILE_COMMANDS
     CMAKE_INTERPROCEDURAL_OPTIMIZATION CMAKE_MODULE_PATH CMAKE_PREFIX_PATH BUILD_SHARED_LIBS BUILD_TESTING
     CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_RPATH CMAKE_LIBRARY_OUTPUT_DIRECTORY)
foreach(name IN LISTS names)
  set(parent_had_${name} "${${name}}")
endforeach()
@INCLUDE@
set(changed "")
foreach(name IN LISTS names)
  if(NOT "${${name}}" STREQUAL "${parent_had_${name}}")
    list(APPEND changed "${name}=${${name}}")
  endif()
endforeach()
message(STATUS "changed variables: ${changed}")
get_property(tests DIRECTORY PROPERTY TESTS)
get_property(options DIRECTORY PROPERTY COMPILE_OPTIONS)
get_property(definitions DIRECTORY PROPERTY COMPILE_DEFINITIONS)
get_property(layers GLOBAL PROPERTY CATENA_LAYERS)
message(STATUS "directory: ${tests}${options}${definitions}${layers}${CMAKE_BUILD_TYPE}${CMAKE_CXX_STANDARD}${BUILD_TESTING}.")
add_executable(parent main.cpp)
target_link_libraries(parent PRIVATE catena::scalar)
add_executable(plain main.cpp)
install(TARGETS parent)
"""

    def embedded(self, include):
        parent = self.project("parent", self.PARENT.replace("@INCLUDE@", include),
                              "#include <catena/scalar/dual.hpp>\n#ifndef PARENT_FLAG\n#error flags are lost\n#endif\nint main() {}\n")
        output = self.configure(parent)
        build = parent / "build"
        require("-- changed variables: \n" in output, f"the parent's variables are changed:\n{output}")
        require("-- directory: .\n" in output, f"something reaches the parent's directory:\n{output}")
        cache = dict(re.findall(r"(?m)^(\w[^:\n]*):\w+=(.*)$", (build / "CMakeCache.txt").read_text()))
        require(cache.get("CMAKE_BUILD_TYPE", "") == "", "the parent's build type is set")
        require("CMAKE_INSTALL_LIBDIR" not in cache, "the parent's install folders are set")
        self.no_foreign_rules(build)
        self.same_flags(build)
        self.build(parent, "parent")
        require((build / "programs" / "parent").exists(), "the parent's program is not in its folder")
        require((build / "libraries" / "libcatena_scalar.a").exists(), "the library is not where the parent has its own")
        require("No tests were found" in self.run("ctest", "--test-dir", build, "-N") or
                "Total Tests: 0" in self.run("ctest", "--test-dir", build, "-N"), "tests are in the parent")
        # Asked for, they are there.
        self.configure(parent, "-DCATENA_INSTALL=ON", "-DCATENA_BUILD_CLI=ON")
        rules = (build / "catena" / "src" / "io" / "cmake_install.cmake", *build.rglob("cmake_install.cmake"))
        require(any("catena-config.cmake" in r.read_text() for r in rules if r.exists()), "CATENA_INSTALL makes no rules")
        require("programs/catena:" in (build / "build.ninja").read_text(), "the program is not in the parent's folder")

    def no_foreign_rules(self, build):
        for rules in build.rglob("cmake_install.cmake"):
            text = rules.read_text()
            if rules.parent != build:
                require("file(INSTALL" not in text, f"{rules} has install rules")

    def same_flags(self, build):
        ninja = (build / "build.ninja").read_text()
        def flags(target):
            block = re.search(rf"build CMakeFiles/{target}.dir/main.cpp.o:.*?\n\n", ninja, re.S).group(0)
            return re.search(r"FLAGS = (.*)", block).group(1).split()
        require(flags("plain") == ["-DPARENT_FLAG"], f"a target of the parent has other flags: {flags('plain')}")
        require([f for f in flags("parent") if f.startswith(("-O", "-W", "-f", "-m"))] == [],
                f"a user of Catena gets its flags: {flags('parent')}")

    def add_subdirectory(self):
        self.embedded(f'add_subdirectory("{self.options.source}" catena)')

    def fetch_content(self):
        self.embedded("include(FetchContent)\n"
                      f'FetchContent_Declare(catena SOURCE_DIR "{self.options.source}")\nFetchContent_MakeAvailable(catena)')


CHECKS = ("find_package", "moved", "c", "rust", "octave", "add_subdirectory", "fetch_content")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--config", default="Release")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        try:
            getattr(Checks(options, Path(work).resolve()), options.check)()
        except FileNotFoundError as missing:
            print(f"{options.check}: {missing.filename} is not there: tools/install_dependencies.sh test", file=sys.stderr)
            return 1
        except Failure as failure:
            print(f"{options.check}: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
