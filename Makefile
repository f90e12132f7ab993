# README.md explains the two commands a newcomer needs: `make demo` and `make test`.

GO      ?= go
PLUGINS := $(notdir $(patsubst %/main.go,%,$(wildcard plugins/*/main.go)))
PYTHON_PLUGINS := $(notdir $(patsubst %/plugin.yaml,%,$(wildcard plugins/*/plugin.yaml)))
PUT     = put() { cmp -s "$$1" "$$2" || install "$$1" "$$2"; };
export CGO_ENABLED = 0
# Without tables for debuggers programs link in half the time and are a quarter smaller; traces of a panic need none.
LDFLAGS ?= -s -w
# host/internal/system/streams has an entry point for these platforms, and explains it.
ENTRY   := $(if $(filter linux/amd64 linux/arm64,$(shell $(GO) env GOOS)/$(shell $(GO) env GOARCH)),-E hyfair_entry)

.PHONY: all build python-plugins programs setup setup-python setup-lime setup-solvers setup-models setup-torch setup-deploy setup-browser setup-docs setup-lint setup-tex setup-long demo check test test-long test-wheels test-pythons wheels-fixtures vet cross lint docs wheel wheels try-windows try-arm64 bench bench-bnb bench-numpy bench-trees bench-kinds ablation reproduction generate clean

all: build

# One go command compiles and links them all, much faster than ten; but it names a
# program after its folder. An unchanged file keeps its time, so that go test can use
# its cached results.
build:
	@mkdir -p bin/plugins
	$(GO) build $(if $(LDFLAGS),-ldflags='$(LDFLAGS)') -ldflags='./host=$(ENTRY) $(LDFLAGS)' -o bin/built/ ./host ./host/fleet ./plugins/...
	@$(PUT) \
	put bin/built/host bin/hyfair && put bin/built/fleet bin/hyfair-fleet && for p in $(PLUGINS); do put bin/built/$$p bin/plugins/hyfair-$$p || exit 1; done
	@if [ -d .deps/python ]; then $(MAKE) --no-print-directory python-plugins; fi

# The folders of plugins in Python, each with the script that finds a Python for it. Without
# .deps/python they would not start, and build leaves them out.
python-plugins:
	@$(PUT) for p in $(PYTHON_PLUGINS); do to=bin/plugins/hyfair-$$p; mkdir -p $$to && \
	for f in sdk/python/examples/minimal/run plugins/$$p/plugin.yaml plugins/$$p/*.py; do put $$f $$to/$${f##*/} || exit 1; done || exit 1; done

# Native libraries under .deps/, each optional: hyfair doctor lists them. Plugins in Go
# need nothing else; setup-python is for those in Python, and for tests;
# setup-solvers for cvc5 and the like.
setup:
	scripts/setup.sh highs z3 lpsolve

setup-python: setup
	scripts/setup.sh python

# The package lime, with which make test-long compares our LIME.
setup-lime: setup-python
	scripts/setup.sh lime

# The solvers of the plugins in Python.
setup-solvers: setup-python
	scripts/setup.sh solvers

# The libraries whose models are read, with which make test-long compares; PyTorch separately: 3 GB to download, 5 GB on disk.
setup-models:
	scripts/setup.sh models

setup-torch:
	scripts/setup.sh torch

# The schemas against which the files in deploy are validated.
setup-deploy:
	scripts/setup.sh kubernetes

# The browser with which make test-long opens pages.
setup-browser:
	scripts/setup.sh browser

# The tools with which make docs builds the site.
setup-docs:
	scripts/setup.sh docs

# golangci-lint and govulncheck, for make lint.
setup-lint:
	scripts/setup.sh lint

# The TeX with which make test-long compiles tables.
setup-tex:
	scripts/setup.sh tex

# The libraries whose estimators the Python package reads, PyTorch among them: 8 GB on the disk.
.deps/wheels/bin/python: sdk/python/requirements-wheels.txt
	python3 -m venv .deps/wheels
	.deps/wheels/bin/python -m pip -q --disable-pip-version-check install --only-binary=:all: -r $<
	touch $@

# Everything that make test-long needs, except PyTorch.
setup-long:
	scripts/setup.sh lime solvers models kubernetes browser docs tex

# Downloads run while the build compiles.
demo:
	@$(MAKE) --no-print-directory -j2 setup build
	scripts/demo.sh

# docs/developer/development.md explains the tiers. go test need not vet again what make vet has
# vetted. -p 3: while one package waits for a plugin, the others keep two cores busy.
# GOGC: the referees' exact arithmetic allocates much garbage, and memory suffices.
GOTEST = GOGC=400 HYFAIR_FRESH=1 HYFAIR_LIB_DIR="$(CURDIR)/.deps/lib" $(GO) test -vet=off -p 3 -timeout 30m
# The slowest packages first, so that none of them runs alone at the end.
ALL     := ./host/internal/cli ./plugins/solver-bnb/internal/bnb ./host/internal/answer/soundness ./host/internal/answer/certify/engine ./sdk/client ./sdk/conformance ./sdk/python/pythontest ./host/internal/plugin/scaffold ./...
# These packages have plain loops in addition to those with vector instructions.
LOOPS   := ./sdk/evaluate ./internal/batch ./plugins/solver-bnb
# These depend on them; both runs assert that the variants agree to the last bit.
VECTOR  := $(LOOPS) ./plugins/solver-bnb/... ./host/internal/crosscheck

check: vet programs
	$(GOTEST) -short $(ALL)

test:
	@$(MAKE) --no-print-directory -j2 setup-python vet programs
	$(GOTEST) $(ALL)
	HYFAIR_SIMD=scalar $(GOTEST) -short $(LOOPS)

# Downloads run while the build compiles. The second run tests the plain loops, with the counts of make check.
test-long: setup-python build
	@$(MAKE) --no-print-directory -j3 setup-torch setup-long vet programs cross lint
	HYFAIR_TEST=long $(GOTEST) $(ALL)
	HYFAIR_SIMD=scalar $(GOTEST) -short $(VECTOR)

# The readers of estimators with the real libraries, which writes the table of docs/reference/estimators.md, MLflow, the
# notebooks, and types.
WHEELS  = PYTHONPATH=sdk/python:sdk/python/tests OMP_NUM_THREADS=1 .deps/wheels/bin/python sdk/python/tests/wheels.py
FROZEN  = host/internal/question/modelfile/testdata/estimators.jsonl
test-wheels: .deps/wheels/bin/python build
	$(WHEELS) docs/reference/estimators.md
	HYFAIR=$(CURDIR)/bin/hyfair $(WHEELS:wheels.py=test_mlflow.py)
	for notebook in scikit-learn xgboost pytorch; do HYFAIR=$(CURDIR)/bin/hyfair HYFAIR_NOTEBOOK=$$notebook.ipynb $(WHEELS:wheels.py=test_notebooks.py) || exit 1; done
	cd sdk/python && ../../.deps/wheels/bin/python -m mypy hyfair && ../../.deps/wheels/bin/python -m pyright --pythonpath ../../.deps/wheels/bin/python

# The tests of sdk/python with the oldest and the newest Python that pyenv or PATH has.
test-pythons: build
	scripts/test_pythons.sh

# Their files with the estimators' own scores, so that other tests need none of the libraries.
wheels-fixtures: .deps/wheels/bin/python
	$(WHEELS) --frozen >$(FROZEN).new && mv $(FROZEN).new $(FROZEN)
	$(GO) test -count=1 -run TestEstimators ./host/internal/question/modelfile

# Programs that only tests start. ./... leaves them out.
TESTED := $(patsubst %/main.go,./%,$(shell find host internal plugins sdk -path '*/testdata/*' -name main.go))
# Tests start these programs without building them again: internal/program.
programs: build
	@mkdir -p bin/tests
	$(GO) build -o bin/built/ $(TESTED) ./sdk/conformance/internal/...
	@$(PUT) for p in $(notdir $(TESTED)) fakesolver fakestrategy; do put bin/built/$$p bin/tests/$$p || exit 1; done

# After build, since in parallel with it the same would be compiled twice.
vet: build
	@test -z "$$(gofmt -l host internal plugins sdk studies)" || { gofmt -l host internal plugins sdk studies; echo 'these files are not gofmt-ed'; exit 1; }
	$(GO) vet ./... $(TESTED)

# Checks that the tree compiles for platforms without tests, and its tests for Windows, the least similar one. Nothing is linked.
# With an empty build cache, vetting takes two minutes of processor time, and building one.
cross:
	@echo 'Building for linux/arm64 and darwin/arm64, vetting for windows/amd64'
	@GOOS=linux GOARCH=arm64 $(GO) build ./...
	@GOOS=darwin GOARCH=arm64 $(GO) build ./...
	@GOOS=windows GOARCH=amd64 $(GO) vet ./...

# All linters of .golangci.yml, and known vulnerabilities. Their database is on the network: if it cannot be
# reached, the check is skipped with a message.
lint: setup-lint
	.deps/tools/golangci-lint run --timeout 30m
	@out=$$(.deps/tools/govulncheck ./... 2>&1); status=$$?; printf '%s\n' "$$out"; case $$status,$$out in \
	0,*) ;; \
	*'fetching vulnerabilities'*) echo 'SKIPPED govulncheck: its database cannot be reached from here' ;; \
	*) exit $$status ;; esac

# The site of docs/, in bin/site.
docs: setup-docs
	NO_MKDOCS_2_WARNING=1 .deps/docs/bin/python -m mkdocs build
	@echo 'the site is in bin/site: open bin/site/index.html'

# The Python package with the programs for this platform, or that of GOOS and GOARCH, in dist. Without paths its
# programs are the same from every folder.
PLATFORM = $(shell $(GO) env GOOS)/$(shell $(GO) env GOARCH)
EXE      = $(shell $(GO) env GOEXE)
wheel:
	@mkdir -p bin/wheel/$(PLATFORM)/plugins
	$(GO) build -trimpath -ldflags='$(LDFLAGS)' -ldflags='./host=$(ENTRY) $(LDFLAGS)' -o bin/wheel/$(PLATFORM)/built/ ./host ./plugins/...
	@$(PUT) cd bin/wheel/$(PLATFORM) && put built/host$(EXE) hyfair$(EXE) && for p in $(PLUGINS); do put built/$$p$(EXE) plugins/hyfair-$$p$(EXE) || exit 1; done
	python3 scripts/wheel.py bin/wheel/$(PLATFORM) $(PLATFORM) dist

# The package for each platform that scripts/wheel.py names.
wheels:
	for p in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do GOOS=$${p%/*} GOARCH=$${p#*/} $(MAKE) --no-print-directory wheel || exit 1; done

# Runs the wheel for Windows in Wine, or for arm64 in QEMU; the script says what that needs.
try-windows try-arm64: try-%:
	scripts/try.sh $*

bench: setup build
	HYFAIR_LIB_DIR="$(CURDIR)/.deps/lib" $(GO) test -run '^$$' -bench . -benchmem -timeout 60m ./...

# solver-bnb on the public networks, about ten minutes: seconds to FairQuant's share compared with FairQuant's own,
# the undecided share after HYFAIR_BENCH_SECONDS (60), first witnesses, two threads against one. And the largest
# gaps compared with HiGHS's, and the largest k: seven questions with that time limit for each of 20 networks.
bench-bnb:
	@uptime
	HYFAIR_LIB_DIR="$(CURDIR)/.deps/lib" $(GO) test -run '^$$' -bench '^Benchmark(FairQuant|Undecided|FirstWitness|Scaling|Largest)$$' -timeout 180m ./host/internal/crosscheck
	@uptime

# The evaluator and numpy, in turns, on one core each.
bench-numpy: build
	@for python in .deps/python/bin/python python3; do \
		if $$python -c 'import numpy' 2>/dev/null; then exec $$python scripts/bench_numpy.py; fi; \
	done; \
	echo 'numpy is missing: install it for python3, or run scripts/setup.sh python, to compare with it'

# The largest gap of boosted trees on Adult, proved: bnb, MILP rows and Veritas; HYFAIR_BENCH_SECONDS (60) each.
bench-trees: build
	scripts/setup.sh models veritas highs
	@uptime
	HYFAIR_LIB_DIR="$(CURDIR)/.deps/lib" .deps/models/bin/python scripts/bench_trees.py bin/hyfair "$(HYFAIR_DATA)" .deps/bench-trees $(or $(HYFAIR_BENCH_SECONDS),60)

# The largest gap of logistic regressions, trees, forests of unlimited depth and deep networks: bnb and MILP rows.
bench-kinds: build
	scripts/setup.sh models highs
	@uptime
	HYFAIR_LIB_DIR="$(CURDIR)/.deps/lib" .deps/models/bin/python scripts/bench_kinds.py bin/hyfair "$(HYFAIR_DATA)" .deps/bench-kinds $(or $(HYFAIR_BENCH_SECONDS),20)

# Ideas of bnb switched off one by one: 753 tasks of at most 2 processor seconds; an interrupted run resumes.
ablation: build
	scripts/setup.sh models
	.deps/models/bin/python scripts/ablation_models.py bin/hyfair "$(HYFAIR_DATA)" .deps/ablation
	mkdir -p runs
	for f in ablation-trees ablation-sex ablation; do bin/hyfair compare studies/$$f.yaml --journal runs/ablation.db --tidy runs/$$f.jsonl || exit 1; done
	.deps/models/bin/python scripts/ablation_table.py runs/ablation*.jsonl

# The paper's experiments, up to 90 minutes each on two cores; docs/developer/reproduction.md. Interrupted ones resume.
reproduce-rq1 reproduce-rq2 reproduce-rq3 reproduce-rq4 reproduce-census-adf: reproduce-%: setup-solvers build
	scripts/reproduce.sh $*
	@$(MAKE) --no-print-directory reproduction

# The tables of docs/developer/reproduction.md and studies/results/tables.md, from the runs in studies/results.
reproduction:
	$(GO) test -count=1 -run TestReproduction ./host/internal/crosscheck -args -update

-include sdk/proto/generate.mk

clean:
	rm -rf bin dist
