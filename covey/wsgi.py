"""The web server's entry. gunicorn runs no checks by itself, so a wrong setting is refused here
(S9)."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
application = get_wsgi_application()

# Both need the app registry.
from covey.checks import refuse_wrong_settings  # noqa: E402
from covey.child_processes import STARTED_BY_UP  # noqa: E402
from embeddings.client import warn_about_builtin  # noqa: E402

refuse_wrong_settings()
# `up` has said so for all that it starts.
if STARTED_BY_UP not in os.environ:
    warn_about_builtin()
