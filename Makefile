# make                    builds data/, figures/ and report.md
# make CONFIG=mine.yaml   the same, with the keys of mine.yaml in place of those of config.yaml
# make test, make lint    what a change has to pass
# make changes            what moved since the last commit, or BASE=<git revision>, in changes.md
# make verify             builds everything twice in opposed surroundings and compares byte by byte
# make provenance FILE=…  what a figure file, or a copy of one, was made from
# make bench              how long things take, side by side
# make lock               locks today's versions of what pyproject.toml asks for
# make unlock             after a build was killed
# make clean              removes what was built; the environment stays

PYTHON ?= python3
CONFIG ?=
BASE ?= HEAD
FILE ?=
RUN := .venv/bin/python
SNAKEMAKE := XDG_CACHE_HOME="$(CURDIR)/.cache" $(RUN) -m snakemake
INSTALL := -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r
COMPILE := .venv/bin/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --annotation-style line --upgrade --quiet

unexport PYTHONPATH PYTHONHOME
export PIP_USER := 0
# Through the environment, so that no name of a file is read as shell code.
export CONFIG BASE FILE

.PHONY: build changes verify provenance test lint format bench lock unlock clean

build: .venv/build
	@test -z "$$CONFIG" || $(RUN) scripts/check_config.py -- "$$CONFIG"
	@$(SNAKEMAKE) $${CONFIG:+--configfile "$$CONFIG"}
	@echo "The chapter is report.md, its figures are in figures/web/, its tables in data/."

changes: build
	@$(RUN) scripts/report_changes.py --built $${CONFIG:+--configfile "$$CONFIG"} -- "$$BASE"

verify: .venv/build
	@$(RUN) scripts/verify_build.py --all

provenance: .venv/build
	@test -n "$$FILE" || { echo "Say of which file: make provenance FILE=figures/web/max_weight.svg" >&2; exit 2; }
	@$(RUN) scripts/show_provenance.py -- "$$FILE"

test: .venv/develop
	@$(RUN) -m pytest

lint: .venv/develop
	@$(RUN) -m ruff check
	@$(RUN) -m ruff format --check
	@.venv/bin/snakefmt --check --compact-diff -l 120 Snakefile workflow/rules
	@$(RUN) -m mypy
	@.venv/bin/zizmor --offline --persona pedantic --quiet .github
	@.venv/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@.venv/bin/check-jsonschema --quiet --builtin-schema vendor.github-actions .github/actions/*/action.yml

format: .venv/develop
	@$(RUN) -m ruff check --fix
	@$(RUN) -m ruff format
	@.venv/bin/snakefmt -l 120 Snakefile workflow/rules

bench: .venv-bench/ready
	@.venv-bench/bin/python bench/measure.py; built=$$?; \
	.venv-bench/bin/python bench/measure_samplers.py && exit $$built

lock: .venv/develop
	@$(COMPILE) -o locks/build.txt
	@$(COMPILE) --group test --group lint -c locks/build.txt -o locks/develop.txt
	@$(COMPILE) --group bench -c locks/build.txt -o locks/bench.txt

unlock: .venv/build
	@$(SNAKEMAKE) --unlock

clean:
	rm -rf data figures logs report.md changes changes.md .snakemake .cache

.venv/build: locks/build.txt
	@echo "Setting up .venv; this is done once and takes a minute."
	@$(PYTHON) scripts/check_python.py
	@$(PYTHON) -m venv .venv
	@$(RUN) $(INSTALL) $<
	@touch $@

.venv/develop: locks/develop.txt .venv/build
	@echo "Adding the tests' and linters' packages to .venv."
	@$(RUN) $(INSTALL) $<
	@touch $@

.venv-bench/ready: locks/bench.txt
	@$(PYTHON) scripts/check_python.py
	@$(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python $(INSTALL) $<
	@touch $@
