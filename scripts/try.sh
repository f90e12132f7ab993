#!/usr/bin/env bash
# Tries the wheel for another platform in an emulator: installs it with the wheels of HiGHS
# and Z3, as pip does there, runs the examples of README.md and tests every plugin.
#
#   scripts/try.sh windows|arm64 [PROGRAMS]
#
# PROGRAMS is a folder with the platform's hyfair and plugins to use instead of building
# the wheel. Needs, on Debian: wine64, wine and gcc-mingw-w64-x86-64-win32; or qemu-user-static
# and the network. Everything goes into bin/try. HYFAIR_LIB_DIR adds libraries, such as lp_solve's.
set -eu
cd "$(dirname "$0")/.."
AT=$PWD/bin/try/${1:-}
eval "$(grep -E '^(HIGHS|Z3)=' scripts/setup.sh)"

# Wine 8 lacks the library of random numbers with which each Go program begins.
prepare_windows() {
	export WINEPREFIX=$AT/prefix WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
	local to=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
	[ -d "$WINEPREFIX" ] || wine wineboot -i
	[ -e "$to" ] || printf '%s\n' '#include <windows.h>' 'BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);' \
		'__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE p, SIZE_T n) { return SystemFunction036(p, n); }' |
		x86_64-w64-mingw32-gcc -shared -s -o "$to" -x c - -ladvapi32
}

# Debian's libraries for arm64, from this machine's mirror: those of the C and C++ languages, and
# lp_solve. Z3's wheel wants glibc 2.38, which Debian 13 has.
prepare_arm64() {
	[ -d "$AT/system" ] && return
	local apt=$AT/apt mirror
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
	mkdir -p "$apt"/lists/partial "$apt"/archives/partial
	echo "deb $mirror trixie main" >"$apt/list"
	printf '%s;\n' 'APT::Architecture "arm64"' 'APT::Architectures { "arm64"; }' "Dir::Etc::sourcelist \"$apt/list\"" \
		'Dir::Etc::sourceparts "-"' 'Dir::State::status "/dev/null"' "Dir::State::lists \"$apt/lists\"" "Dir::Cache \"$apt\"" >"$apt/conf"
	export APT_CONFIG=$apt/conf
	apt-get -qq update
	(cd "$apt" && apt-get -qq download libc6 libstdc++6 libgcc-s1 libgomp1 zlib1g lp-solve libcolamd3 libsuitesparseconfig7)
	for deb in "$apt"/*.deb; do dpkg-deb -x "$deb" "$AT/new"; done
	ln -sfn usr/lib "$AT/new/lib"
	mv "$AT/new" "$AT/system"
}

case ${1:-} in
windows)
	export GOOS=windows GOARCH=amd64
	tags=win_amd64 highs=highsbox exe=.exe
	emulator="wine"
	;;
arm64)
	export GOOS=linux GOARCH=arm64
	tags="manylinux_2_17_aarch64 manylinux_2_28_aarch64 manylinux_2_38_aarch64" highs=highspy exe=""
	emulator="qemu-aarch64-static -L $AT/system"
	;;
*) sed -n '2,/^set -eu/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac
mkdir -p "$AT"
prepare_"$1"
if [ $# = 2 ]; then
	python3 scripts/wheel.py "$2" $GOOS/$GOARCH dist
else
	make --no-print-directory wheel
fi
rm -rf "$AT/site"
# shellcheck disable=SC2046
python3 -m pip -q --disable-pip-version-check install --target "$AT/site" --no-deps --only-binary=:all: --python-version 3.11 \
	$(printf -- '--platform %s ' $tags) dist/hyfair-*-"${tags%% *}".whl $highs==$HIGHS z3-solver==$Z3
bin=$AT/site/hyfair/_bin
if [ "$1" = arm64 ]; then
	# A plugin becomes a script that emulates it, so that the kernel need not know the emulator.
	export HYFAIR_LIB_DIR=$AT/system/usr/lib/lp_solve${HYFAIR_LIB_DIR:+:$HYFAIR_LIB_DIR}
	mkdir "$bin/programs"
	for p in "$bin"/plugins/*; do
		mv "$p" "$bin/programs/"
		printf '#!/bin/sh\nexec %s %s "$@"\n' "$emulator" "$bin/programs/${p##*/}" >"$p"
		chmod +x "$p"
	done
fi

failed=""
try() { # ARGUMENTS...: runs hyfair, and goes on if it fails
	printf '\n$ hyfair %s\n' "$*"
	# shellcheck disable=SC2086
	nice timeout 600 $emulator "$bin/hyfair$exe" "$@" || failed="$failed
  hyfair $*"
}
try doctor
for command in certify quantify audit; do try $command studies/loan; done
for p in "$bin"/plugins/*; do try plugin test "$p"; done
[ -z "$failed" ] || { printf '\nfailed:%s\n' "$failed"; exit 1; }
