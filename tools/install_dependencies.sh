#!/usr/bin/env bash
# Installs the Debian packages that are missing, and changes nothing when none is. PROGRAM=PACKAGE means a package that
# is needed only for a program: where the program comes from another source, the package is not needed (Debian's npm
# even conflicts with the Node.js from nodejs.org, which includes npm).
#   tools/install_dependencies.sh GROUP...      groups: build test page bench peers compilers fuzz lint cross free-threaded strangers windows deb
set -eu

packages_of() {
  case "$1" in
    build) echo "g++ cmake ninja-build libtomlplusplus-dev libtinyxml2-dev libcli11-dev libfmt-dev nlohmann-json3-dev" \
                "libsundials-dev zlib1g-dev libeigen3-dev gnuplot-nox" ;;
    test) echo "libgtest-dev python3 python3-dev python3-numpy python3-venv locales libsdformat-dev pkg-config" \
               "cargo=cargo rustc=rustc octave-cli=octave mkoctfile=octave-dev gcc-arm-none-eabi qemu-system-arm" \
               "gcc-riscv64-unknown-elf qemu-system-misc cppcheck valgrind dpkg-dev file fakeroot lintian" ;;
    deb) echo "dpkg-dev file fakeroot lintian pkg-config python3 python3-dev python3-numpy python3-venv" ;;
    page) echo "node=nodejs npm=npm em++=emscripten chromium=chromium" ;;
    bench) echo "libbenchmark-dev" ;;
    peers) echo "libbenchmark-dev libeigen3-dev liborocos-kdl-dev gnuplot-nox python3 python3-venv pkg-config" ;;
    compilers) echo "g++-12 clang-14 clang-19" ;;
    fuzz) echo "clang-14 libclang-rt-14-dev libomp-14-dev llvm-14" ;;
    lint) echo "clang-format clang-tidy" ;;
    cross) echo "dpkg-dev g++-aarch64-linux-gnu qemu-user libgtest-dev python3 python3-dev python3-venv" ;;
    free-threaded) echo "dpkg-dev libffi-dev libssl-dev libbz2-dev liblzma-dev libsqlite3-dev" ;;
    strangers) echo "mmdebstrap qemu-user unzip" ;;
    windows) echo "g++-mingw-w64-x86-64-posix wine64 dpkg-dev googletest python3 python3-numpy" ;;
    *) echo "install_dependencies.sh: no group '$1'; known: build test page bench peers compilers fuzz lint cross free-threaded strangers windows deb" >&2; return 2 ;;
  esac
}

is_there() {
  case "$1" in
    *=*) command -v "${1%%=*}" >/dev/null ;;
    *) [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
  esac
}

still_missing() {
  missing=""
  for one in $wanted; do
    is_there "$one" || missing="$missing $one"
  done
}

packages() {
  local one
  for one in $missing; do printf ' %s' "${one##*=}"; done
}

# Tries twice: one dropped connection to a mirror should not end the build.
apt() {
  local attempt
  for attempt in 1 2; do
    if $as_root env DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 --option Dpkg::Use-Pty=0 "$@" >"$log" 2>&1; then
      return 0
    fi
    echo "apt-get $1 failed (attempt $attempt)" >&2
    sleep 1
  done
  tail -n 20 "$log" >&2
  return 1
}

wanted=""
for group in "$@"; do
  of_group=$(packages_of "$group")
  wanted="$wanted $of_group"
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  missing=$wanted
  echo "Not a Debian system: these packages, under your system's names, must be there:$(packages)" >&2
  exit 0
fi

still_missing
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Missing packages, and no right to install them. As root: apt-get install$(packages)" >&2
    exit 1
  fi
  as_root=sudo
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Installing$(packages)"
apt update
# All at once; where apt refuses that, one by one, so that one unavailable package does not block the others.
# shellcheck disable=SC2046  # one argument per package
apt install --yes --no-install-recommends $(packages) && exit 0
for one in $missing; do
  is_there "$one" || apt install --yes --no-install-recommends "${one##*=}" || true
done
still_missing
[ -n "$missing" ] || exit 0
echo "Not installed, though needed:$(packages)" >&2
exit 1
