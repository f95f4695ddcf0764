# make run | run-semantic | test | check | openapi | pictures        PYTHON=python3.12 chooses another Python
.PHONY: run run-semantic test check openapi pictures

run:
	@.ci/make-venv requirements.txt
	@exec .venv/bin/python manage.py up

# With a small multilingual embedding model beside it, for trying out meaning and for small machines.
run-semantic: export COVEY_EMBEDDING_PROVIDER = ollama
run-semantic: export COVEY_EMBEDDING_MODEL = use-multilingual-3
run-semantic: export COVEY_EMBEDDING_URL = http://127.0.0.1:8495
run-semantic: export COVEY_EMBEDDING_API_KEY =
run-semantic:
	@.ci/make-venv requirements-semantic.txt
	@exec .venv/bin/python manage.py up --semantic

test:
	@.ci/make-venv requirements-dev.txt
	@.venv/bin/python -m pytest

check: export DJANGO_SETTINGS_MODULE = tests.settings
check:
	@.ci/make-venv requirements-dev.txt
	.venv/bin/python -m ruff check .
	.venv/bin/python -m ruff format --check .
	.venv/bin/python -m mypy .
	.venv/bin/python manage.py check
	.venv/bin/python manage.py makemigrations --check --dry-run

# Writes docs/openapi.json anew, with the examples that stand in it, after the API has changed.
openapi:
	@.ci/make-venv requirements-dev.txt
	@.venv/bin/python -m pytest tests/api/test_openapi_file.py --renew

# Takes the pictures of the README from a running covey, in a Chromium.
pictures:
	@.ci/make-venv requirements-dev.txt
	@.venv/bin/python docs/make_pictures.py
