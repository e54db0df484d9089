#!/usr/bin/env bash
# Installs the Debian packages that are missing, and touches nothing when none is.
#   tools/install_dependencies.sh GROUP...      groups: build test page bench peers compilers lint
set -eu

packages_of() {
  case "$1" in
    build) echo "g++ cmake ninja-build libtomlplusplus-dev libtinyxml2-dev libcli11-dev libfmt-dev nlohmann-json3-dev" \
                "libsundials-dev zlib1g-dev libeigen3-dev gnuplot-nox" ;;
    test) echo "libgtest-dev python3 python3-dev python3-numpy python3-venv" ;;
    page) echo "nodejs npm emscripten chromium" ;;
    bench) echo "libbenchmark-dev" ;;
    peers) echo "libbenchmark-dev libeigen3-dev liborocos-kdl-dev gnuplot-nox python3 python3-venv pkg-config" ;;
    compilers) echo "g++-12 clang-14 clang-19" ;;
    lint) echo "clang-format clang-tidy" ;;
    *) echo "install_dependencies.sh: no group '$1'; known: build test page bench peers compilers lint" >&2; return 2 ;;
  esac
}

is_installed() {
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Twice: a mirror that drops one connection should not end the build.
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
  packages=$(packages_of "$group")
  wanted="$wanted $packages"
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "Not a Debian system: these packages, under your system's names, must be there:$wanted" >&2
  exit 0
fi

missing=""
for package in $wanted; do
  is_installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Missing packages, and no right to install them. As root: apt-get install$missing" >&2
    exit 1
  fi
  as_root=sudo
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Installing$missing"
apt update
# shellcheck disable=SC2086  # one argument a package
apt install --yes --no-install-recommends $missing
