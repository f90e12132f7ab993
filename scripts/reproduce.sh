#!/bin/sh
# The paper's experiments on all of its networks, one per call: scripts/reproduce.sh rq1|rq2|rq3|rq4|census-adf. Interrupted
# ones resume. The journal stays in runs/, the runs go to studies/results, and docs/developer/reproduction.md and studies/results/tables.md get their tables.
set -eu
cd "$(dirname "$0")/.."
: "${HYFAIR_DATA:?set HYFAIR_DATA to the folder that hyfair fetch has filled}"
export HYFAIR_LIB_DIR="${HYFAIR_LIB_DIR:-$PWD/.deps/lib}"
hyfair=bin/hyfair
mkdir -p runs studies/census-adf

study=$1
case $1 in
rq1) command="compare --plots runs/rq1" ;;
rq2) command=ablate ;;
rq3) command=explain ;;
rq4) command=mitigate ;;
census-adf)
	study=rq2-adf command=ablate
	# The architectures of AC-1 to AC-12.
	n=0
	for hidden in 16,8 100 50 100,100 64,64 12,12 64,32,16,8,4 5,5 3,3,3,3 5,5,5,5 10,10,10,10 5,5,5,5,5,5,5,5,5; do
		n=$((n + 1)) out=studies/census-adf/AC-$n.json
		[ -s "$out" ] || $hyfair train studies/census-adf.yaml --hidden $hidden --epochs 50 --hold-back 0.1 --patience 10 --out "$out" >&2
		accuracy=$($hyfair inspect studies/census-adf.yaml --model AC-$n --json | sed -n 's/.*"accuracy_test": *\([0-9.]*\).*/\1/p')
		echo "{\"model\":\"AC-$n\",\"accuracy\":$accuracy}"
	done > runs/census-adf.jsonl
	mv runs/census-adf.jsonl studies/results/ ;;
*)
	echo "$0: unknown experiment $1: want rq1, rq2, rq3, rq4 or census-adf" >&2
	exit 2 ;;
esac

$hyfair $command studies/$study.yaml --jobs "${JOBS:-2}" --journal runs/reproduction.db --tidy runs/$study.jsonl
[ "$1" != rq1 ] || cp runs/rq1/cactus.svg docs/developer/smt-or-milp.svg
$hyfair version --json > studies/results/$study.version.json
# The path of the journal is of no use to readers.
sed 's/"journal":"[^"]*"/"journal":null/; s/"source.run":"[^"]*"/"source.run":null/' runs/$study.jsonl > studies/results/$study.jsonl
(cd studies/results && sha256sum ./*.json ./*.jsonl > SHA256SUMS)
