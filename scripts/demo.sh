#!/usr/bin/env bash
# The main job on the example that the repository ships: is this lender's
# network fair, and if not, who is treated worst? Run by `make demo`.
set -u
cd "$(dirname "$0")/.."
hyfair=bin/hyfair
here() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }

cat <<'EOF'

A lender trained a network on 4,000 loan applications. Applicants who differ only in
sex, age and region should get the same score, to within 0.05.
EOF

status=0
here hyfair inspect studies/loan
"$hyfair" inspect studies/loan || status=1

here hyfair certify studies/loan --maximize --timeout 60s
if ! "$hyfair" certify studies/loan --maximize --timeout 60s; then
	cat <<'EOF'

No solver could be used, so nothing was proved: `bin/hyfair doctor` says which library is
missing and which command brings it. The search below works without one.
EOF
	status=1
fi

here hyfair search studies/loan --strategy sa+knn --budget 10s
"$hyfair" search studies/loan --strategy sa+knn --budget 10s || status=1
exit "$status"
