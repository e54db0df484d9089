#!/usr/bin/env bash
# Creates, once, a private Python environment with the libraries that the tests and the benchmark compare Catena with.
# Where that is not possible, says so in one line and exits successfully: the tests that need it then report that they
# did not run.
#   tools/install_peers.sh FOLDER [yes|no]      no: install nothing, only report whether it exists
set -u

folder=$1
wanted="$(dirname "$0")/../tests/peers/requirements.txt"
log=$folder.log

if cmp --silent "$wanted" "$folder/complete"; then exit 0; fi

give_up() {
  echo "SKIPPED: the comparison with other libraries: $1"
  exit 0
}

[ "${2:-yes}" = yes ] || give_up "INSTALL=no, and they are not in $folder"
echo "Installing $(grep --invert-match '^#' "$wanted" | cut --delimiter=' ' --fields=1 | paste --serial --delimiters=' ') into $folder"
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
python3 -m venv "$folder" >"$log" 2>&1 || give_up "no Python that makes environments (Debian: python3-venv); see $log"
"$folder/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --only-binary :all: --retries 1 --timeout 30 \
  --requirement "$wanted" >>"$log" 2>&1 || give_up "no Python package index was reached that has them; see $log"
cp "$wanted" "$folder/complete"
