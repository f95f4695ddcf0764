"""covey's settings as tests want them: a data folder of their own, nothing of the developer's,
small waits.

Processes that a test starts load this too; they find the environment that pytest's own process has
set here. With several workers (pytest -n) each has a folder and a database server of its own:
pictures lie in folders by the number of a wiki, which is the same in the database of another
worker.
"""

import atexit
import os
import shutil
import tempfile

if os.environ.get("TESTS_OF_WORKER") != os.environ.get("PYTEST_XDIST_WORKER", "alone"):
    # No setting of covey: it would warn of it.
    os.environ.setdefault("TESTS_ARE_THOROUGH", os.environ.get("COVEY_THOROUGH", ""))
    for name in list(os.environ):
        if name.startswith("COVEY_") or name == "SECRET_KEY":
            del os.environ[name]
    # Each process that a test starts would compile covey anew, which takes longer than what it
    # does.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    folder = tempfile.mkdtemp(prefix="covey-tests-")
    os.chmod(folder, 0o711)
    os.environ |= {
        "TESTS_OF_WORKER": os.environ.get("PYTEST_XDIST_WORKER", "alone"),
        "COVEY_ENV_FILE": os.devnull,
        "COVEY_DATA_DIR": os.path.join(folder, "var"),
        "COVEY_TIME_ZONE": "UTC",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    # Runs last: what is registered later, such as the stop of the server, runs earlier.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)

from covey.settings import *  # noqa: F403
from covey.settings import DATABASES, INSTALLED_APPS, STATIC_ROOT, STORAGES

if DATABASES["default"]["ENGINE"] == "covey.embedded":
    # Nothing here must survive a loss of power.
    DATABASES["default"]["EMBEDDED_PARAMETERS"] = {
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
    }
if os.environ.get("TESTS_WAIT_SHORTLY"):
    INSTALLED_APPS = [*INSTALLED_APPS, "tests.support.short_waits.ShortWaits"]
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
