# Two commands do everything: `make demo` shows a diagnosis, `make test` runs the tests. Both set up what they need.
PYTHON ?= python3.11
VENV := .venv
STAMP := $(VENV)/.installed
DEMO ?= invoice-batches-fail

.PHONY: setup demo test test-model check format lab bench lock clean

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "fishbone needs $(PYTHON); name another interpreter with make PYTHON=..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup  ## replay a shipped incident and show the first screen of its report
	@$(VENV)/bin/fishbone replay $(DEMO)

test: setup  ## all tests but the slow ones
	$(VENV)/bin/python -m pytest -m "not slow" $(PYTEST)

test-model: setup  ## the graph with a real, small model; builds llama-server once (a quarter of an hour)
	$(VENV)/bin/python -m tests.models.llama
	$(VENV)/bin/python -m pytest tests/models/test_llama.py $(PYTEST)

check: setup  ## format, lint, types, import contracts, lock file without hosts
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	@! grep -nE 'https?://' requirements.lock

format: setup
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

lab: setup  ## cause the faults again and record them (as root; see lab/README.md)
	$(VENV)/bin/python -m lab all

bench: setup  ## speed of a cold replay and of a bundle inside eval
	$(VENV)/bin/python -m bench.replay

lock:  ## after a change of dependencies: uv must be on the path
	uv pip compile --quiet --universal --generate-hashes --no-header --extra dev --extra notify --extra otel pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
