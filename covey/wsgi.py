"""The web server's entry. gunicorn runs no checks by itself, so a wrong setting is refused here (S9)."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "covey.settings")
application = get_wsgi_application()

from covey.checks import refuse_wrong_settings  # noqa: E402  (needs the app registry)

refuse_wrong_settings()
