# README.md explains the two commands a newcomer needs: `make demo` and `make test`.

GO        ?= go
PLUGINS   := $(notdir $(patsubst %/main.go,%,$(wildcard plugins/*/main.go)))
BINARIES  := bin/hyfair $(PLUGINS:%=bin/plugins/hyfair-%)
export CGO_ENABLED = 0

.PHONY: all build setup demo test vet cross bench bench-bnb bench-numpy generate clean FORCE

all: build

build: $(BINARIES)

bin/hyfair: FORCE
	$(GO) build -o $@ ./host

bin/plugins/hyfair-%: FORCE
	$(GO) build -o $@ ./plugins/$*

# Native libraries under .deps/, each optional: hyfair doctor says what is there.
setup:
	scripts/setup.sh

demo: setup build
	scripts/demo.sh

# -p 2: packages that launch plugins share the machine fairly. The second run is with the plain loops that
# processors without the vector instructions have; it leaves out what takes long and asks the same of them.
test: setup build vet cross
	HYFAIR_LIB_DIR="$(CURDIR)/.deps/lib" $(GO) test -p 2 -timeout 15m ./...
	HYFAIR_SIMD=scalar $(GO) test -p 2 -timeout 15m -skip "TestSharesHoldAgainstSamples|TestReferee" \
		./sdk/evaluate ./sdk/bound/batch ./plugins/solver-bnb/... ./host/internal/crosscheck

vet:
	@test -z "$$(gofmt -l host plugins sdk studies)" || { gofmt -l host plugins sdk studies; echo 'these files are not gofmt-ed'; exit 1; }
	$(GO) vet ./...

# The tree and its tests compile where no test runs. Vetting sees to that, and links nothing: 2 s a platform,
# but two minutes of processor time each when nothing is in the build cache.
cross:
	@for platform in windows/amd64 linux/arm64 darwin/arm64; do \
		echo "$(GO) vet ./... for $$platform"; \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) vet ./... || exit 1; \
	done

bench: setup build
	HYFAIR_LIB_DIR="$(CURDIR)/.deps/lib" $(GO) test -run '^$$' -bench . -benchmem -timeout 60m ./...

# solver-bnb on the public networks, about ten minutes: seconds to FairQuant's share beside FairQuant's own,
# what is undecided after HYFAIR_BENCH_SECONDS (60), first witnesses, two threads against one.
bench-bnb:
	@uptime
	$(GO) test -run '^$$' -bench '^Benchmark(FairQuant|Undecided|FirstWitness|Scaling)$$' -timeout 60m ./host/internal/crosscheck
	@uptime

# The evaluator and numpy on one core each, in turns.
bench-numpy: build
	@for python in .deps/python/bin/python python3; do \
		if $$python -c 'import numpy' 2>/dev/null; then exec $$python scripts/bench_numpy.py; fi; \
	done; \
	echo 'numpy is missing: install it for python3, or run scripts/setup.sh python, to compare with it'

-include sdk/proto/generate.mk

clean:
	rm -rf bin

FORCE:
