#!/bin/sh
# run.sh: makes the written pages of the site and opens them in a browser, or says in one line what is missing (exit status 77).
missing() { echo "skipped: $1"; exit 77; }
[ -x "$CATENA_NODE" ] || missing "no Node.js (Debian: nodejs)"
[ -x "$CHROMIUM" ] || missing "no Chromium (Debian: chromium)"
[ -d "$PAGE_BUILD/node_modules/playwright-core" ] || missing "no playwright-core in $PAGE_BUILD (make page)"
python3 tools/make_site.py "$SITE" --written || missing "the site was not made (it needs MkDocs from the Python package index)"
exec "$CATENA_NODE" --test --test-reporter=spec tests/site/site.test.mjs
