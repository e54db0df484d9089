#!/usr/bin/env python3
"""Compiles Catena for other machines: build/cross/TARGET.

  cross.py prepare TARGET       a toolchain file for CMake, and the packages that Catena needs, static, for the target
  cross.py build TARGET [...]   the above, then Catena; what follows goes to CMake (-DCATENA_BUILD_TESTS=ON)
  cross.py list                 the targets

The sources of the packages are those of this machine's Debian packages, fetched with apt-get; zig comes from the package index.
GCC's targets for Linux are compiled by Debian's GCC and linked against the names that glibc 2.28 had, which zig knows: the
code is the same as in the ordinary build, and it runs on systems since 2018.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CROSS = ROOT / "build" / "cross"
GLIBC = "2.28"

# system, processor: as CMake names them. gcc: the prefix and the suffix of the compilers' names; else zig's target.
# flags: what the C++ compiler is given. glibc: zig's name of the library that programs are linked with in place of the machine's own.
TARGETS = {
    "linux-x86_64": {"system": "Linux", "processor": "x86_64", "gcc": ("x86_64-linux-gnu-", ""), "glibc": "x86_64-linux-gnu"},
    "linux-aarch64": {"system": "Linux", "processor": "aarch64", "gcc": ("aarch64-linux-gnu-", ""), "glibc": "aarch64-linux-gnu",
                      "emulator": "qemu-aarch64;-L;/usr/aarch64-linux-gnu"},
    "windows-x86_64": {"system": "Windows", "processor": "AMD64", "gcc": ("x86_64-w64-mingw32-", "-posix"),
                       "link": "-static"},
    "musl-x86_64": {"system": "Linux", "processor": "x86_64", "zig": "x86_64-linux-musl"},
    # zig's <cfloat> is empty where <cmath> comes before it.
    "macos-aarch64": {"system": "Darwin", "processor": "arm64", "zig": "aarch64-macos", "flags": "-include cfloat"},
}

# Packages that are compiled, by the Debian package with their headers: (folder with CMakeLists.txt, options).
COMPILED = {
    "libsundials-dev": ("", ["-DBUILD_SHARED_LIBS=OFF", "-DEXAMPLES_ENABLE_C=OFF", "-DEXAMPLES_INSTALL=OFF", "-DBUILD_CVODES=OFF",
                             "-DBUILD_IDA=OFF", "-DBUILD_IDAS=OFF", "-DBUILD_KINSOL=OFF", "-DBUILD_ARKODE=ON", "-DBUILD_CVODE=ON"]),
    "libfmt-dev": ("", ["-DFMT_TEST=OFF", "-DFMT_DOC=OFF"]),
    "libtinyxml2-dev": ("", ["-DBUILD_TESTING=OFF", "-Dtinyxml2_BUILD_TESTING=OFF"]),
    "zlib1g-dev": (ROOT / "cmake" / "cross" / "zlib", ["-DZLIB_SOURCE={source}"]),
}
# Packages of headers: (what is copied of /usr/include, the folder to include, the package's name and its target in CMake).
HEADERS = {
    "libtomlplusplus-dev": ("toml++", "", "tomlplusplus", "tomlplusplus::tomlplusplus"),
    "libeigen3-dev": ("eigen3", "eigen3", "Eigen3", "Eigen3::Eigen"),
    "libcli11-dev": ("CLI", "", "CLI11", "CLI11::CLI11"),
    "nlohmann-json3-dev": ("nlohmann", "", "nlohmann_json", "nlohmann_json::nlohmann_json"),
}
GTEST = pathlib.Path("/usr/src/googletest")


def run(command, log=None, **options):
    """Runs a command; with a log, its output goes there and is shown only if it fails."""
    if log is None:
        subprocess.run(command, check=True, **options)
        return
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "w") as out:
        if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, **options).returncode == 0:
            return
    print("".join(log.read_text(errors="replace").splitlines(keepends=True)[-30:]), file=sys.stderr)
    sys.exit(f"cross.py: failed: {' '.join(map(str, command))}; all of it: {log}")


def python(*packages):
    """An interpreter with these packages of the index."""
    folder = CROSS / "tools"
    program = folder / "bin" / "python"
    if not program.exists():
        run([sys.executable, "-m", "venv", folder], CROSS / "logs" / "venv.log")
    asked = folder / "asked" / re.sub(r"[^\w.]+", "-", "-".join(packages))
    if not asked.exists():
        run([program, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *packages], CROSS / "logs" / f"{asked.name}.log")
        asked.parent.mkdir(exist_ok=True)
        asked.touch()
    return program


def zig():
    """The compiler from the package index."""
    python("ziglang==0.17.*")
    program, = (CROSS / "tools").glob("lib/python*/site-packages/ziglang/zig")
    return program


def zig_environment(cache):
    return {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}


def source_lists(folder, suite=""):
    """The machine's package sources, for source packages, of its own Debian or of another one: a folder for apt."""
    parts = folder / "parts"
    parts.mkdir(parents=True, exist_ok=True)
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    apt = pathlib.Path("/etc/apt")
    for file in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*"))]:
        if file.suffix == ".sources":
            text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", file.read_text())
        elif file.suffix == ".list" and file.exists():
            text = re.sub(r"(?m)^deb ", "deb-src ", file.read_text())
        else:
            continue
        own = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
        (parts / file.name).write_text(text.replace(own, suite) if own and suite else text)
    return ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={parts}", "-o",
            f"Dir::State::lists={folder / 'lists'}", "-o", "APT::Sandbox::User=root"]


def sources():
    """The unpacked sources of the compiled packages, in the versions that are installed here: {package: folder}."""
    folder = CROSS / "sources"
    wanted = {}
    for package in COMPILED:
        shown = subprocess.run(["dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package], capture_output=True, text=True)
        if shown.returncode != 0:
            sys.exit(f"cross.py: the package {package} is not installed; tools/install_dependencies.sh build cross")
        wanted[package] = shown.stdout.split()
    missing = {package: of for package, of in wanted.items() if not (folder / package / "CMakeLists.txt").exists()}
    if missing:
        options = source_lists(folder / "apt")
        run(["apt-get", *options, "update"], CROSS / "logs" / "apt.log")
        for package, (name, version) in missing.items():
            shutil.rmtree(folder / package, ignore_errors=True)
            work = folder / "fetched" / name
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(parents=True)
            run(["apt-get", *options, "source", f"{name}={version}"], CROSS / "logs" / f"{name}.log", cwd=work)
            unpacked, = (path for path in work.iterdir() if path.is_dir())
            unpacked.rename(folder / package)
    return {package: folder / package for package in COMPILED}


def old_glibc(name, target):
    """The folder with what programs are linked with instead of the machine's glibc."""
    folder = CROSS / name / "glibc"
    if (folder / "libc.so").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cache = CROSS / name / "glibc-made"
    empty = folder / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    run([zig(), "cc", "-target", f"{target['glibc']}.{GLIBC}", "-fPIE", "-pie", empty, "-o", folder / "empty", "-lm", "-ldl", "-lpthread"],
        CROSS / "logs" / f"glibc-{name}.log", env=zig_environment(cache))
    libraries = ["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"]
    for file in [*libraries, "libc_nonshared.a", "Scrt1.o"]:
        made, = (cache / "o").glob(f"*/{file}")
        shutil.copy(made, folder / file)
    for file in libraries[1:]:
        (folder / (file.split(".")[0] + ".so")).symlink_to(file)
    newer = ROOT / "cmake" / "cross" / "newer_than_2_28.c"
    run([compilers(name, target)[0], "-O2", "-fPIC", "-c", newer, "-o", folder / "newer.o"])
    run([tool(name, "ar"), "rcs", folder / "libnewer.a", folder / "newer.o"])
    (folder / "libc.so").write_text("GROUP ( libc.so.6 libc_nonshared.a libnewer.a AS_NEEDED ( libpthread.so.0 libdl.so.2 librt.so.1 libm.so.6 ) )\n")
    return folder


def compilers(name, target):
    """The C and the C++ compiler."""
    if "glibc" in target and target["processor"] == platform.machine():
        return [shutil.which("cc"), shutil.which("c++")]  # as CMake chooses for the ordinary build
    if "gcc" in target:
        prefix, suffix = target["gcc"]
        both = [shutil.which(f"{prefix}{program}{suffix}") for program in ("gcc", "g++")]
        if None in both:
            sys.exit(f"cross.py: no {prefix}g++{suffix}; tools/install_dependencies.sh cross")
        return both
    folder = CROSS / name / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    for program, called in {"clang": f"cc -target {target['zig']} -fno-sanitize=undefined", "clang++": f"c++ -target {target['zig']} -fno-sanitize=undefined",
                            "ar": "ar", "ranlib": "ranlib"}.items():
        text = (f"#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR={CROSS}/cache ZIG_LOCAL_CACHE_DIR={CROSS}/cache\n"
                f"exec {zig()} {called} \"$@\"\n")
        file = folder / program
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
            file.chmod(0o755)
    return [folder / "clang", folder / "clang++"]


def tool(name, program):
    """A program of binutils for a target of GCC."""
    prefix = TARGETS[name]["gcc"][0]
    return shutil.which(f"{prefix}{program}") or program


def link_flags(name, target):
    if "glibc" not in target:
        return target.get("link", "")
    folder = old_glibc(name, target)
    # GNU ld can leave an empty entry among those that are bound late, which the loader refuses: all are bound at the start.
    return f"-B{folder} -L{folder} -static-libstdc++ -Wl,--allow-shlib-undefined -Wl,-z,now"


def toolchain(name, target):
    """The toolchain file for CMake."""
    c, cxx = compilers(name, target)
    packages = CROSS / name / "packages"
    lines = [f"set(CMAKE_SYSTEM_NAME {target['system']})", f"set(CMAKE_SYSTEM_PROCESSOR {target['processor']})",
             f"set(CMAKE_C_COMPILER {c})", f"set(CMAKE_CXX_COMPILER {cxx})"]
    if "zig" in target:
        lines += [f"set(CMAKE_AR {c.parent}/ar)", f"set(CMAKE_RANLIB {c.parent}/ranlib)", "set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)"]
        if target["processor"] == "x86_64":  # for the levels
            lines += [f"set(CMAKE_LINKER {shutil.which('ld')})", f"set(CMAKE_OBJCOPY {shutil.which('objcopy')})"]
    if "flags" in target:
        lines += [f'set(CMAKE_CXX_FLAGS_INIT "{target["flags"]}")']
    if target["system"] == "Windows":
        lines += [f"set(CMAKE_RC_COMPILER {shutil.which(target['gcc'][0] + 'windres')})"]
    if "emulator" in target:
        lines += [f"set(CMAKE_CROSSCOMPILING_EMULATOR {target['emulator']})"]
    flags = link_flags(name, target)
    lines += [f'set(CMAKE_{kind}_LINKER_FLAGS_INIT "{flags}")' for kind in ("EXE", "SHARED", "MODULE")]
    lines += [f"list(PREPEND CMAKE_FIND_ROOT_PATH {packages})", f"list(PREPEND CMAKE_PREFIX_PATH {packages})",
              "set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)"]
    lines += [f"set(CMAKE_FIND_ROOT_PATH_MODE_{kind} ONLY)" for kind in ("LIBRARY", "INCLUDE", "PACKAGE")]
    file = CROSS / name / "toolchain.cmake"
    text = "\n".join(lines) + "\n"
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
        for cache in ("build", "module"):  # CMake would go on with the compiler it had
            shutil.rmtree(CROSS / name / cache, ignore_errors=True)
    return file


def cmake(name, what, source, options):
    """Configures, builds and installs one package of a target."""
    folder = CROSS / name / "made" / what
    log = CROSS / "logs" / f"{name}-{what}.log"
    launcher = [f"-DCMAKE_{kind}_COMPILER_LAUNCHER=ccache" for kind in ("C", "CXX")] if shutil.which("ccache") else []
    run(["cmake", "-S", source, "-B", folder, "-G", "Ninja", f"-DCMAKE_TOOLCHAIN_FILE={CROSS / name / 'toolchain.cmake'}", "-DCMAKE_BUILD_TYPE=Release",
         "-DCMAKE_POSITION_INDEPENDENT_CODE=ON", f"-DCMAKE_INSTALL_PREFIX={CROSS / name / 'packages'}", "-DCMAKE_INSTALL_LIBDIR=lib",
         *launcher, *options], log)
    run(["cmake", "--build", folder], log)
    run(["cmake", "--install", folder], log)
    shutil.rmtree(folder)


def header_package(folder, package):
    """A package of headers, and the files by which CMake finds it."""
    copied, included, name, linked = HEADERS[package]
    headers = folder / "headers" / package
    shutil.rmtree(headers, ignore_errors=True)
    shutil.copytree(pathlib.Path("/usr/include") / copied, headers / copied)
    config = folder / "lib" / "cmake" / name
    config.mkdir(parents=True, exist_ok=True)
    (config / f"{name}Config.cmake").write_text(
        f"if(NOT TARGET {linked})\n  add_library({linked} INTERFACE IMPORTED)\n"
        f'  target_include_directories({linked} INTERFACE "${{CMAKE_CURRENT_LIST_DIR}}/../../../headers/{package}/{included}")\nendif()\n')


def licences(folder):
    """The licences of everything that ends up inside what is built for a target."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in [*COMPILED, *HEADERS]:
        shutil.copy(f"/usr/share/doc/{package}/copyright", folder / package.removesuffix("-dev"))
    for package in pathlib.Path("/usr/share/doc").glob("gcc-[0-9]*-base"):  # the C++ library
        shutil.copy(package / "copyright", folder / "libstdc++")


def prepare(name):
    """Everything a target needs; returns its toolchain file."""
    if name not in TARGETS:
        sys.exit(f"cross.py: no target '{name}'; known: {' '.join(TARGETS)}")
    file = toolchain(name, TARGETS[name])
    packages = CROSS / name / "packages"
    done = packages / "done"
    if not done.exists():
        shutil.rmtree(packages, ignore_errors=True)
        for package, source in sources().items():
            project, options = COMPILED[package]
            print(f"{name}: {package}", flush=True)
            cmake(name, package, project or source, [option.format(source=source) for option in options])
        for package in HEADERS:
            header_package(packages, package)
        licences(packages / "licences")
        done.touch()
    return file


def configure(name, options):
    """Configures Catena for a target; returns the build folder."""
    file = prepare(name)
    if "-DCATENA_BUILD_TESTS=ON" in options and not (CROSS / name / "packages" / "include" / "gtest").exists():
        cmake(name, "googletest", GTEST, ["-DBUILD_GMOCK=OFF"])
    folder = CROSS / name / "build"
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    parts = [f"-DCATENA_BUILD_{part}=OFF" for part in ("TESTS", "PAGE", "EXAMPLES")]
    run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", f"-DCMAKE_TOOLCHAIN_FILE={file}", "-DCMAKE_BUILD_TYPE=Release",
         *launcher, *parts, *options], CROSS / "logs" / f"{name}-configure.log")
    return folder


def main():
    if len(sys.argv) == 2 and sys.argv[1] == "list":
        print("\n".join(TARGETS))
    elif len(sys.argv) == 3 and sys.argv[1] == "prepare":
        print(prepare(sys.argv[2]))
    elif len(sys.argv) >= 3 and sys.argv[1] == "build":
        run(["cmake", "--build", configure(sys.argv[2], sys.argv[3:])])
    else:
        sys.exit(__doc__.strip())


if __name__ == "__main__":
    main()
