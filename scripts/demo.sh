#!/usr/bin/env bash
# The main job on the example that the repository ships: is this lender's
# network fair, and if not, who is treated worst? Run by `make demo`.
set -u
cd "$(dirname "$0")/.."
cat <<'EOF'

A lender trained a network on 3,700 loan applications. Applicants who differ in nothing
but sex, age and origin should get scores that lie no more than 0.05 apart.
EOF

status=0
show() {
	printf '\n\033[1m$ %s\033[0m\n' "bin/hyfair $*"
	bin/hyfair "$@" || status=1
}

show inspect studies/loan
show certify studies/loan
if [ "$status" -ne 0 ]; then
	cat <<'EOF'

No solver could be used, so nothing was proved: `bin/hyfair doctor` says which library is
missing and which command brings it. The search below works without one.
EOF
else
	show certify studies/loan --where "credit_rating=6..8,loan_amount=..10"
fi
show search studies/loan --budget 10s

cat <<'EOF'

So: two people who differ in sex, age and origin alone, and a network that would lend to one
of them only; a part of the space where this is proved not to happen; and the person whose
treatment depends most on attributes that should not matter. docs/guide.md goes on from here.
EOF
exit "$status"
