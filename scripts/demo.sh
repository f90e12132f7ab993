#!/usr/bin/env bash
# The main job on the example that the repository ships: is this lender's
# network fair, and if not, who is treated worst? Run by `make demo`.
set -u
cd "$(dirname "$0")/.."
cat <<'EOF'

A lender trained a network on 6,820 decisions about 3,700 loan applications. Applicants who
differ in nothing but sex, age and origin should get scores that lie no more than 0.05 apart.
EOF

bold="" plain=""
if [ -t 1 ]; then
	bold=$'\033[1m' plain=$'\033[0m'
fi
status=0
show() { # WHY ARGUMENTS...: prints why, prints the command, runs it
	printf '\n\n%s\n%s$ bin/hyfair %s%s\n\n' "$1" "$bold" "${*:2}" "$plain"
	bin/hyfair "${@:2}" || status=1
}

show "What is studied: the network, the applicants, what is protected." \
	inspect studies/loan
show "Is anybody treated differently? A quick local search, and then a solver, look for two copies of one applicant." \
	certify studies/loan
if [ "$status" -ne 0 ]; then
	cat <<'EOF'

No solver could be used, so nothing was proved: `bin/hyfair doctor` says which library is
missing and which command brings it. The search below works without one.
EOF
else
	show "And among those with a middling rating who want a small loan? There the solver has to prove that nobody is." \
		certify studies/loan --where "credit_rating=6..8,loan_amount=..10"
fi
show "How many of all possible applicants are treated differently?" \
	quantify studies/loan
show "Whose treatment depends most on what must not matter? A search, for 10 seconds." \
	search studies/loan --budget 10s
show "And what do the people treated worst have in common? A small tree says it: four questions at most." \
	explain studies/loan --depth 4

if [ "$status" -eq 0 ]; then
	cat <<'EOF'

So: two applicants who differ in sex, age and origin alone, and a network that would lend to
one of them only; a part of the space where this is proved not to happen; the proved share of
all applicants to whom it does; the applicant whose copies get the most different outcomes (k of
at most 20: the bins of width ε = 0.05 that their scores fall into); and the conditions under
which that is so. docs/user/tutorial.md goes on from here, with data of your own.
EOF
fi
exit "$status"
