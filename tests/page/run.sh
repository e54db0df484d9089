#!/bin/sh
# run.sh TEST.mjs: the test in a browser, or one line that says what is missing (exit status 77: skipped).
missing() { echo "skipped: $1"; exit 77; }
[ -x "$CATENA_NODE" ] || missing "no Node.js (Debian: nodejs)"
[ -x "$CHROMIUM" ] || missing "no Chromium (Debian: chromium)"
[ -f "${CATENA_PAGE:-$PAGE_BUILD/page.html}" ] || missing "no page in $PAGE_BUILD (make page)"
[ -d "$PAGE_BUILD/node_modules/playwright-core" ] || missing "no playwright-core in $PAGE_BUILD (make page)"
exec "$CATENA_NODE" --test --test-reporter=spec "$1"
