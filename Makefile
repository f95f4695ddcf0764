# make run | test | check        PYTHON=python3.12 chooses another Python
.PHONY: run test check

run:
	@.ci/make-venv requirements.txt
	@exec .venv/bin/python manage.py up

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
