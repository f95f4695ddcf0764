"""The WSGI application. gunicorn runs no checks, so a wrong setting is refused here."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
application = get_wsgi_application()

# Both need the app registry.
from covey.checks import refuse_wrong_settings  # noqa: E402
from covey.child_processes import STARTED_BY_UP  # noqa: E402
from embeddings.client import warn_about_builtin  # noqa: E402

refuse_wrong_settings()
# `up` logs it for its children.
if STARTED_BY_UP not in os.environ:
    warn_about_builtin()
