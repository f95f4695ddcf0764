# make run | run-semantic | quick | slow | test | thorough | check | openapi | pictures
# PYTHON=python3.12 chooses another Python, VENV=.venv-3.12 another folder for what is installed.
.PHONY: run run-semantic quick slow test thorough check openapi pictures
export VENV ?= .venv

run:
	@.ci/make-venv requirements.txt
	@exec $(VENV)/bin/python manage.py up

# With a small multilingual embedding model beside it, for trying out meaning and for small machines.
run-semantic: export COVEY_EMBEDDING_PROVIDER = ollama
run-semantic: export COVEY_EMBEDDING_MODEL = use-multilingual-3
run-semantic: export COVEY_EMBEDDING_URL = http://127.0.0.1:8495
run-semantic: export COVEY_EMBEDDING_API_KEY =
run-semantic:
	@.ci/make-venv requirements-semantic.txt
	@exec $(VENV)/bin/python manage.py up --semantic

# Two workers, each with a database of its own; one that has nothing left takes over from the other.
pytest = $(VENV)/bin/python -m pytest -n 2 --dist worksteal

# What to run before each commit: neither processes nor a browser nor many generated inputs.
quick:
	@.ci/make-venv requirements-dev.txt
	@$(pytest) -m "not process and not browser and not sweep"

# What `make quick` leaves out.
slow:
	@.ci/make-venv requirements-dev.txt
	@$(pytest) -m "process or browser or sweep"

# The whole suite; of the sweeps a tenth.
test:
	@.ci/make-venv requirements-dev.txt
	@$(pytest)

# The whole suite with all that the sweeps can try.
thorough: export COVEY_THOROUGH = 1
thorough: test

check: export DJANGO_SETTINGS_MODULE = tests.settings
check:
	@.ci/make-venv requirements-dev.txt
	$(VENV)/bin/python -m ruff check .
	$(VENV)/bin/python -m ruff format --check .
	$(VENV)/bin/python -m mypy .
	$(VENV)/bin/python manage.py check
	$(VENV)/bin/python manage.py makemigrations --check --dry-run

# Writes docs/openapi.json anew, with the examples that stand in it, after the API has changed.
openapi:
	@.ci/make-venv requirements-dev.txt
	@$(VENV)/bin/python -m pytest tests/api/test_openapi_file.py --renew

# Takes the pictures of the README from a running covey, in a Chromium.
pictures:
	@.ci/make-venv requirements-dev.txt
	@$(VENV)/bin/python docs/make_pictures.py
