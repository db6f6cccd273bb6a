# Rostrum. A fresh machine needs make and Python 3.11 or newer; everything else comes from the lock files into .venv.
# Run `make` to see what there is.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

VENV := .venv
PY := $(VENV)/bin/python
UV_VERSION := 0.13.9
UV := $(VENV)-lock/bin/uv

# A stamp is newer than the lock it stands for, so a second run does nothing and a changed lock installs again.
RUNTIME := $(VENV)/.installed-runtime
PREVIEW := $(VENV)/.installed-preview
DEV := $(VENV)/.installed-dev

PIP := $(PY) -m pip --disable-pip-version-check --no-input
INSTALL_LOCKED := $(PIP) install --quiet --only-binary :all: --require-hashes
INSTALL_OURS := $(PIP) install --quiet --no-index --no-build-isolation --no-deps --editable .

##@ To play
.PHONY: demo preview
demo: $(RUNTIME) ## Play a match in the terminal (SPEED FORMAT SEED TEMPO HUMAN ARGS; e.g. make demo SPEED=20 HUMAN=P0)
	@$(PY) -m bot demo \
	  $(if $(SPEED),--speed '$(SPEED)') $(if $(FORMAT),--format '$(FORMAT)') $(if $(SEED),--seed '$(SEED)') \
	  $(if $(TEMPO),--tempo '$(TEMPO)') $(if $(HUMAN),--human '$(HUMAN)') $(ARGS)

preview: $(PREVIEW) ## Try the Discord bot in a local page that looks like Discord, no token needed (PORT SPEED ARGS)
	@$(PY) -m bot preview $(if $(PORT),--port '$(PORT)') $(if $(SPEED),--speed '$(SPEED)') $(ARGS)

##@ To work on it
.PHONY: install test check soak bench lock clean help
install: $(DEV) ## Make .venv with everything for work on Rostrum

# Three at a time on two cores, because many tests wait for sockets.
test: $(DEV) ## Run the tests (ARGS goes to pytest)
	$(PY) -m pytest -q -n 3 tests $(ARGS)

check: $(DEV) ## Format, lint, types, import rules, the argument bank
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(PY) -m pyright --pythonpath $(PY)
	$(VENV)/bin/lint-imports --no-logo
	$(PY) -m bot.minds.house.check

soak: $(DEV) ## Run the long tests (ARGS goes to pytest)
	$(PY) -m pytest -q -n 2 tests -m soak --timeout 3600 $(ARGS)

bench: $(DEV) ## Run every program in bench/
	@set -e; for file in bench/[!_]*.py; do \
	  if [ ! -e "$$file" ]; then echo "bench/ has no benchmarks yet."; break; fi; \
	  name=$$(basename "$$file" .py); echo "== bench.$$name"; $(PY) -m "bench.$$name"; \
	done

lock: $(UV) ## Bring the lock files up to pyproject.toml (UPGRADE=1 takes the newest versions)
	$(COMPILE) --group dev --output-file requirements-dev.lock
	$(COMPILE) --constraint requirements-dev.lock --output-file requirements.lock
	$(COMPILE) --extra preview --constraint requirements-dev.lock --output-file requirements-preview.lock
	$(UV_COMPILE) --constraint requirements-dev.lock --group build --output-file requirements-build.lock

clean: ## Remove what make made (not your database, .env or data/)
	rm -rf $(VENV) $(VENV)-lock build dist .hypothesis .import_linter_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## Say what there is
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# One resolution for every platform and Python >= 3.11. The development lock is resolved first and holds the others to
# its versions, so one environment can take them all.
UV_COMPILE = UV_FIND_LINKS= $(UV) pip compile --quiet --no-config --universal --python-version 3.11 --fork-strategy fewest \
  --generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)
COMPILE = $(UV_COMPILE) pyproject.toml --extra postgres

$(RUNTIME): requirements.lock requirements-build.lock pyproject.toml | $(PY)
	@echo "Installing what Rostrum needs to run into $(VENV) (once) ..."
	@$(INSTALL_LOCKED) -r requirements.lock -r requirements-build.lock
	@$(INSTALL_OURS)
	@touch $@

$(PREVIEW): requirements-preview.lock requirements-build.lock pyproject.toml | $(PY)
	@echo "Installing what the preview needs into $(VENV) (once) ..."
	@$(INSTALL_LOCKED) -r requirements-preview.lock -r requirements-build.lock
	@$(INSTALL_OURS)
	@touch $@

$(DEV): requirements-dev.lock pyproject.toml | $(PY)
	@echo "Installing what work on Rostrum needs into $(VENV) (once) ..."
	@$(INSTALL_LOCKED) -r requirements-dev.lock
	@$(INSTALL_OURS)
	@touch $@

# PYTHON names the interpreter to use; otherwise the newest known one that can make a virtual environment.
$(PY):
	@for python in $(if $(PYTHON),'$(PYTHON)',python3.13 python3.12 python3.11 python3 python); do \
	  if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    rm -rf $(VENV) && "$$python" -m venv $(VENV) && exit 0; \
	    rm -rf $(VENV); echo "$$python could not make a virtual environment in $(VENV)." >&2; exit 1; \
	  fi; \
	done; \
	echo "Rostrum needs Python 3.11 or newer with its venv module, and $(if $(PYTHON),$(PYTHON) is not that,none of python3.13 python3.12 python3.11 python3 python is that)." >&2; \
	echo "Install one (on Debian and Ubuntu: python3 and python3-venv), or name it: make PYTHON=/path/to/python3" >&2; \
	exit 1

# uv only writes lock files; nothing else needs it.
$(UV):
	@$(MAKE) --no-print-directory VENV=$(VENV)-lock $(VENV)-lock/bin/python
	@$(VENV)-lock/bin/python -m pip --disable-pip-version-check install --quiet uv==$(UV_VERSION)
