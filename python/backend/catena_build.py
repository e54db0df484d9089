"""What pip calls to build the package: scikit-build-core, and before it is downloaded a look for what the system lacks."""

import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile

# nanobind's own library, once for every Python; one without the global lock has it inside the module instead.
BACKEND = [] if sysconfig.get_config_var("Py_GIL_DISABLED") else ["nanobind-backend>=1.0"]
REQUIRED = ["scikit-build-core>=0.10", "nanobind>=3.1", *BACKEND, "numpy>=2.0"]


def missing(config_settings):
    """The line of CMake that names missing packages; empty where all are there, or where CMake itself is to be downloaded."""
    if not shutil.which("cmake"):
        return ""
    defined = [f"-D{name.removeprefix('cmake.define.')}={value}" for name, value in (config_settings or {}).items()
               if name.startswith("cmake.define.")]
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(["cmake", "-S", pathlib.Path(__file__).parent.parent, "-B", folder, "-DCATENA_ONLY_PACKAGES=ON",
                                 f"-DPython_EXECUTABLE={sys.executable}", *defined], capture_output=True, text=True)
    if "No CMAKE_CXX_COMPILER could be found" in result.stderr:
        return "catena needs a compiler of C++20, which was not found: apt-get install g++"
    return next((line.strip() for line in result.stderr.splitlines() if line.strip().startswith("catena needs ")), "")


def requirements(config_settings):
    if lacks := missing(config_settings):
        sys.exit(lacks)
    tools = [] if shutil.which("cmake") else ["cmake>=3.25"]
    return REQUIRED + tools + ([] if shutil.which("ninja") or shutil.which("make") else ["ninja"])


def get_requires_for_build_wheel(config_settings=None):
    return requirements(config_settings)


def get_requires_for_build_editable(config_settings=None):
    return requirements(config_settings)


def get_requires_for_build_sdist(config_settings=None):
    return REQUIRED[:1]


def hook(name):
    """The hook of scikit-build-core, which is imported when it is called: pip asks what hooks there are before it is there."""
    def call(*words, **named):
        import scikit_build_core.build
        return getattr(scikit_build_core.build, name)(*words, **named)

    return call


build_wheel, build_editable, build_sdist, prepare_metadata_for_build_wheel, prepare_metadata_for_build_editable = map(
    hook, ("build_wheel", "build_editable", "build_sdist", "prepare_metadata_for_build_wheel", "prepare_metadata_for_build_editable"))
