# make run | run-semantic | quick | test | thorough | check | openapi        PYTHON=python3.12 chooses another Python
.PHONY: run run-semantic quick test thorough check openapi

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

# Two workers, each with a database of its own; one that has nothing left takes over from the other.
pytest = .venv/bin/python -m pytest -n 2 --dist worksteal

# What to run before each commit: neither processes nor a browser nor many generated inputs.
quick:
	@.ci/make-venv requirements-dev.txt
	@$(pytest) -m "not process and not browser and not sweep"

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
	.venv/bin/python -m ruff check .
	.venv/bin/python -m ruff format --check .
	.venv/bin/python -m mypy .
	.venv/bin/python manage.py check
	.venv/bin/python manage.py makemigrations --check --dry-run

# Writes docs/openapi.json anew, with the examples that stand in it, after the API has changed.
openapi:
	@.ci/make-venv requirements-dev.txt
	@.venv/bin/python -m pytest tests/api/test_openapi_file.py --renew
