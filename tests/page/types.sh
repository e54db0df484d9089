#!/bin/sh
# Checks the types of the page's TypeScript, or says what is missing (exit status 77: skipped).
[ -x "$CATENA_NODE" ] || { echo "skipped: no Node.js (Debian: nodejs)"; exit 77; }
[ -f "$PAGE_BUILD/node_modules/typescript/bin/tsc" ] || { echo "skipped: no TypeScript in $PAGE_BUILD (make page)"; exit 77; }
cd "$PAGE_BUILD" && exec "$CATENA_NODE" node_modules/typescript/bin/tsc --noEmit
