#!/usr/bin/env bash
# Installs a build into an empty folder, builds examples/find_package against it as an outside project would, and runs it.
#   tools/check_install.sh CMAKE BUILD_DIR SOURCE_DIR CXX [CONFIG]
set -eu

cmake=$1 build=$2 source=$3 compiler=$4 config=${5:-Release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" --config "$config" >"$work/install.log"
cp -r "$source/examples/find_package" "$work/source"
"$cmake" -S "$work/source" -B "$work/build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE="$config" \
         -DCMAKE_PREFIX_PATH="$work/prefix"
"$cmake" --build "$work/build"
# The models that were installed, not those of the source tree.
CATENA_MODELS=$work/prefix/share/catena/models "$work/build/uses_catena"
