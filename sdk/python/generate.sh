#!/usr/bin/env bash
# Writes hyfair/plugin/_pb, the wire's messages, from sdk/proto. `make generate` runs it.
#
# An old protoc on purpose: its code runs with every protobuf from 4.21 on,
# while newer ones refuse runtimes older than themselves. It comes as a wheel,
# for Python 3.9 to 3.12, into a virtual environment of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
proto=$here/../proto
venv=$here/../../.deps/protoc
python=${PYTHON:-python3}
version=1.62.3

if ! "$venv/bin/python" -c "import importlib.metadata as m, sys; sys.exit(m.version('grpcio-tools') != '$version')" 2>/dev/null; then
	rm -rf "$venv"
	"$python" -m venv "$venv"
	"$venv/bin/python" -m pip --disable-pip-version-check -q install --only-binary=:all: "grpcio-tools==$version" 'setuptools<81'
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$proto"
find hyfair -name '*.proto' | sort | xargs "$venv/bin/python" -m grpc_tools.protoc -I . --python_out="$out" --pyi_out="$out"

# The code lands in hyfair/plugin/_pb, so that its modules cannot be taken for ours.
find "$out" -type f -exec sed -i.bak -E "s/^from hyfair\./from hyfair.plugin._pb./; s/(DESCRIPTOR, ')hyfair\./\1hyfair.plugin._pb./" {} +
find "$out" -name '*.bak' -delete
find "$out/hyfair" -type d -exec touch {}/__init__.py \;
rm -rf "$here/hyfair/plugin/_pb"
mv "$out/hyfair" "$here/hyfair/plugin/_pb"
