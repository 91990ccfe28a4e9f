# One word for each task. Everything runs from .venv, which is made on first use and again when the lock changes.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test soak assess lint messages install uninstall check-appliance image check-image clean

demo: $(STAMP)
	@$(BIN)/hallkiosk demo $(ARGS)

test: $(STAMP)
	@$(BIN)/pytest -n 2 -m "not soak and not appliance" $(ARGS)

soak: $(STAMP)
	@$(BIN)/pytest -m soak $(ARGS)

# What the endorsement of a pairing program asks for, and the test that shows it.
assess: $(STAMP)
	@$(BIN)/python -m tests.assess

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# The catalogues of the languages: new texts into each .po, and what the program reads from them.
messages: $(STAMP)
	@$(BIN)/python -m kiosk.locale.catalogues

# This machine as a hub, a standby or a table: sudo make install ROLE=table
install:
	@$(PYTHON) systemd/install.py install --role "$(ROLE)" --screen "$(or $(SCREEN),yes)"

uninstall:
	@$(PYTHON) systemd/install.py uninstall

# The units in a Debian root: a hub and two tables start in containers and play (as root; else it says what is missing).
check-appliance: $(STAMP)
	@$(BIN)/pytest -p no:xdist -m appliance tests/systemd $(ARGS)

# A card image from Debian's packages (as root): make image ARCH=arm64|amd64 KERNEL=stable|backports TOUCH=yes MIRROR=… CACHE=…
ARCH ?= arm64
KERNEL ?= stable
IMAGES ?= build/image
CACHE ?= $(IMAGES)/cache
IMAGE := $(IMAGES)/hallkiosk-$(ARCH)-$(KERNEL)$(if $(filter yes,$(TOUCH)),-touch).img

image: $(STAMP)
	@$(BIN)/python -m image.build --arch $(ARCH) --kernel $(KERNEL) --out $(IMAGES) --cache $(CACHE) --mirror "$(MIRROR)" $(if $(COMPILER),--compiler $(COMPILER)) $(if $(filter yes,$(TOUCH)),--touch) $(ARGS)

# Starts the image in a virtual machine, once and again after power cuts (CUTS=20; 3 are a quick look).
check-image: $(STAMP)
	@test -e $(IMAGE) || $(MAKE) image
	@HALLKIOSK_IMAGE=$(IMAGE) HALLKIOSK_CUTS=$(or $(CUTS),20) $(BIN)/pytest -p no:xdist -v -s tests/image $(ARGS)

clean:
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info < (3, 14) else "hallkiosk needs Python 3.11, 3.12 or 3.13; this is " + sys.version.split()[0] + ". Name another with: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || { echo "The venv module is missing: sudo apt install python3-venv, then run make again."; rm -rf .venv; exit 1; }
	@echo "Setting up .venv (the first time takes a minute or two) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)
