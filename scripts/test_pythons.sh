#!/usr/bin/env bash
# Runs the tests of sdk/python with the oldest and the newest Python that pyenv or PATH has, from the oldest that the
# package takes; each in a temporary environment with the newest numpy, pandas and scikit-learn that pip has for it.
#
#   scripts/test_pythons.sh
set -eu
cd "$(dirname "$0")/.."
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
# The program with the plugins that studies use, as pythontest has them.
mkdir -p "$TMP/bin/plugins"
cp bin/hyfair "$TMP/bin"
cp bin/plugins/hyfair-solver-bnb bin/plugins/hyfair-search-sa "$TMP/bin/plugins"
export TMPDIR=$TMP HYFAIR_RUNS_DIR=$TMP/runs OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
unset HYFAIR

oldest=$(sed -n 's/^requires-python = ">=3\.\([0-9]*\)"$/\1/p' sdk/python/pyproject.toml)
found=()
for minor in $(seq "$oldest" 30); do
	for python in "python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor".*/bin/python; do
		if "$python" -m venv --help >/dev/null 2>&1; then
			found+=("$python")
			break
		fi
	done
done
[ ${#found[@]} -gt 0 ] || { echo "test_pythons.sh: neither pyenv nor PATH has a Python from 3.$oldest: pyenv install 3.$oldest brings one" >&2; exit 1; }
[ ${#found[@]} = 1 ] || found=("${found[0]}" "${found[-1]}")
for python in "${found[@]}"; do
	"$python" --version
	rm -rf "$TMP/env"
	"$python" -m venv "$TMP/env"
	"$TMP/env/bin/python" -m pip -q --disable-pip-version-check install --only-binary=:all: grpcio narwhals numpy pandas protobuf pytest scikit-learn
	(cd sdk/python && "$TMP/env/bin/python" -W ignore -m pytest -p no:cacheprovider)
	# In processes of their own: they look for what is left behind.
	for module in test_study test_asked; do
		(cd sdk/python/tests && PYTHONPATH=.. HYFAIR=$TMP/bin/hyfair "$TMP/env/bin/python" -W ignore -m unittest "$module")
	done
done
