"""Every setting of covey, read once and typed. SETTINGS_PROBLEMS are shown by covey/checks.py."""

import os
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from django.utils.translation import gettext_lazy as _

from covey.environment import Environment
from covey.secret_key import read_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
environment = Environment(Path(os.environ.get("COVEY_ENV_FILE", BASE_DIR / ".env")))
SETTINGS_PROBLEMS = environment.problems

# -- Embedding: one provider for the whole installation
COVEY_EMBEDDING_PROVIDERS = ("builtin", "ollama", "voyage", "openai")
COVEY_EMBEDDING_PROVIDER = environment.choice(
    "COVEY_EMBEDDING_PROVIDER", "builtin", COVEY_EMBEDDING_PROVIDERS, "covey.E010"
)
COVEY_EMBEDDING_MODEL = environment.text("COVEY_EMBEDDING_MODEL")
COVEY_EMBEDDING_API_KEY = environment.text("COVEY_EMBEDDING_API_KEY")
# Of a provider that `evaluate` tries; another company's key than the one above.
COVEY_CANDIDATE_API_KEY = environment.text("COVEY_CANDIDATE_API_KEY")
COVEY_EMBEDDING_URL = environment.web_address(
    "COVEY_EMBEDDING_URL", "", "covey.E011", "https://embeddings.example.org/v1"
)
# At a time and process; a model on a few cores answers no sooner if it is asked for more at once.
COVEY_EMBEDDING_REQUESTS = environment.whole_number(
    "COVEY_EMBEDDING_REQUESTS", 2, 1, 64, "covey.E017"
)
COVEY_OLLAMA_URL = environment.web_address(
    "COVEY_OLLAMA_URL", "http://127.0.0.1:11434", "covey.E012", "http://127.0.0.1:11434"
)

# A chat webhook for one message when the embedding of pages fails for good.
COVEY_ALERT_URL = environment.web_address(
    "COVEY_ALERT_URL", "", "covey.E014", "https://chat.example.org/hooks/covey"
)

# -- Filing and merging
COVEY_APPEND_THRESHOLD = environment.similarity("COVEY_APPEND_THRESHOLD", 0.80, "covey.E020")
COVEY_MERGE_THRESHOLD = environment.similarity("COVEY_MERGE_THRESHOLD", 0.93, "covey.E021")
COVEY_MERGE_MODE = environment.choice("COVEY_MERGE_MODE", "auto", ("auto", "review"), "covey.E022")
COVEY_MAINTENANCE_MINUTES = environment.whole_number(
    "COVEY_MAINTENANCE_MINUTES", 10, 0, 525_600, "covey.E023"
)

# -- Finding
# How pages are looked for where a recall does not say it.
COVEY_RECALL_MODE = environment.choice(
    "COVEY_RECALL_MODE", "hybrid", ("hybrid", "vector"), "covey.E036"
)

# -- Agents
# Requests of one token: a limit on runaway loops (wiki/agents/rate_limit.py). 0: none.
COVEY_REQUESTS_PER_MINUTE = environment.whole_number(
    "COVEY_REQUESTS_PER_MINUTE", 30_000, 0, 10_000_000, "covey.E026"
)
# Days that a recall is logged, and whether with its query or only a hash of it.
COVEY_RECALL_DAYS = environment.whole_number("COVEY_RECALL_DAYS", 90, 0, 36_500, "covey.E024")
COVEY_RECALL_TEXT = environment.choice("COVEY_RECALL_TEXT", "text", ("text", "hash"), "covey.E025")

# -- Data and address
_data_dir = environment.text("COVEY_DATA_DIR", str(BASE_DIR / "var"))
COVEY_DATA_DIR = Path(_data_dir).expanduser().absolute()
COVEY_BIND = environment.text("COVEY_BIND", "127.0.0.1")
COVEY_PORT = environment.whole_number("COVEY_PORT", 8494, 0, 65_535, "covey.E030")
# Bound to all addresses, covey is reached at loopback; else at the one it is bound to.
_listens_everywhere = COVEY_BIND in ("0.0.0.0", "::", "*")
_bound_host = f"[{COVEY_BIND.strip('[]')}]" if ":" in COVEY_BIND else COVEY_BIND
_own_host = "127.0.0.1" if _listens_everywhere else _bound_host
COVEY_PUBLIC_URL = environment.web_address(
    "COVEY_PUBLIC_URL", f"http://{_own_host}:{COVEY_PORT}", "covey.E031", "https://wiki.example.org"
)

# -- Mail, for forgotten passwords
_mail = environment.mail_server("COVEY_MAIL_URL", "covey.E040")
COVEY_MAIL_FROM = environment.mail_address(
    "COVEY_MAIL_FROM", f"covey@{urlsplit(COVEY_PUBLIC_URL).hostname}", "covey.E041"
)
# -- Sign-in by a proxy (covey/proxy_login.py)
COVEY_PROXY_USER_HEADER = environment.header(
    "COVEY_PROXY_USER_HEADER", "covey.E042", "X-Remote-User"
)

# -- Security
SECRET_KEY = environment.text("SECRET_KEY") or read_secret_key(
    COVEY_DATA_DIR / "secret_key", environment
)
DEBUG = False

_public = urlsplit(COVEY_PUBLIC_URL)
IS_HTTPS = _public.scheme == "https"
_public_host = f"[{_public.hostname}]" if ":" in (_public.hostname or "") else _public.hostname
ALLOWED_HOSTS = list(
    dict.fromkeys(filter(None, [_public_host, _own_host, "127.0.0.1", "localhost", "[::1]"]))
)
CSRF_TRUSTED_ORIGINS = [f"{_public.scheme}://{_public.netloc}"]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
SESSION_COOKIE_NAME = "covey_session"
CSRF_COOKIE_NAME = "covey_csrf"
SECURE_HSTS_SECONDS = 31_536_000 if IS_HTTPS else 0
# HSTS of other hosts of the domain, and the preload list, are not covey's to decide.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
# covey speaks plain http behind the proxy that ends TLS.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if IS_HTTPS else None
SECURE_SSL_REDIRECT = IS_HTTPS
# Else a plain request is redirected to https on the address it came by, where no server listens.
SECURE_SSL_HOST = _public.netloc if IS_HTTPS else None
# Agents and probes on the same machine use plain http to loopback.
SECURE_REDIRECT_EXEMPT = [r"^api/", r"^mcp/?$", r"^healthz$", r"^readyz$"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "covey",
    "embeddings",
    # Before wiki, which removes its models from the admin: editing them can run programs.
    "django_q",
    "wiki",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "axes",
    "django_htmx",
]
MIDDLEWARE = [
    "covey.middleware.HeadMiddleware",
    # First, so that their headers are in every answer of those below.
    "covey.middleware.ContentSecurityPolicyMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "covey.middleware.AllowedHostMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "wiki.api.problems.ProblemMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    # Before the first one that reads a form.
    "covey.middleware.FormMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    *(["covey.proxy_login.ProxyUserMiddleware"] if COVEY_PROXY_USER_HEADER else []),
    "django.contrib.messages.middleware.MessageMiddleware",
    # Last, so that its answer passes through all the others.
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "covey.urls"
WSGI_APPLICATION = "covey.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "wiki.views.permissions.rights",
            ]
        },
    }
]

# The server in COVEY_DATA_DIR, started by the first connection (covey/embedded/).
_EMBEDDED = {"ENGINE": "covey.embedded", "NAME": "covey"}
DATABASES = {
    "default": {
        **(environment.database("DATABASE_URL", "covey.E034") or _EMBEDDED),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }
}
DATABASES["default"]["OPTIONS"] = {
    **DATABASES["default"].get("OPTIONS", {}),  # type: ignore[dict-item]
    # A lost lock must not block the wiki; long work happens outside transactions.
    "options": "-c lock_timeout=30s -c statement_timeout=120s -c "
    "idle_in_transaction_session_timeout=120s",
}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # Results of slow computations, shared by all processes of the web server.
    "kept": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": COVEY_DATA_DIR / "cache",
        # Raise it when a pickled class moves: an older file cannot be read.
        "VERSION": 2,
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

Q_CLUSTER = {
    "name": "covey",
    "orm": "default",
    "broker_class": "covey.task_queue.KnownTasksBroker",
    "workers": 1,
    # The retry clock starts when a task is fetched, so only one is fetched at a time.
    "queue_limit": 1,
    "timeout": 600,
    "retry": 1_500,
    "max_attempts": 3,
    "ack_failures": True,
    "catch_up": False,
    "save_limit": 250,
    "label": _("Background work"),
    "guard_cycle": 2,
    "poll": 1,
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = environment.time_zone("COVEY_TIME_ZONE", "covey.E035")

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = COVEY_DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

CSRF_FAILURE_VIEW = "wiki.views.accounts.auth.csrf_failure"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]

AUTHENTICATION_BACKENDS = [
    # First: a locked-out client is refused before its password is checked.
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    *(["covey.proxy_login.ProxyUserBackend"] if COVEY_PROXY_USER_HEADER else []),
]
AXES_HANDLER = "covey.sign_in_throttle.PasswordThrottle"
AXES_CLIENT_IP_CALLABLE = "covey.sign_in_throttle.client_address"
AXES_USERNAME_CALLABLE = "covey.sign_in_throttle.name_key"
AXES_WHITELIST_CALLABLE = "covey.sign_in_throttle.is_no_password"
AXES_LOCKOUT_CALLABLE = "wiki.views.accounts.auth.locked_out"
# A lock-out after so many wrong passwords for one name from one address, and its duration.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
# Further tries do not lengthen it, lest a stranger keep a user out for good.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
# Only failures are stored, no log of sign-ins.
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = AXES_VERBOSE = False
# A password in the field of the name must not reach the log; addresses may.
AXES_SENSITIVE_PARAMETERS = ["username"]
# Seconds; a link for a new password works for a day.
PASSWORD_RESET_TIMEOUT = 86_400

HAS_MAIL = bool(_mail.host)
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if HAS_MAIL else 'dummy'}.EmailBackend"
EMAIL_HOST = _mail.host
EMAIL_PORT = _mail.port
EMAIL_HOST_USER = _mail.user
EMAIL_HOST_PASSWORD = _mail.password
EMAIL_USE_TLS = _mail.use_starttls
EMAIL_USE_SSL = _mail.use_tls
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = COVEY_MAIL_FROM

# Bytes: the largest page and the other version of an edit conflict. The API has its own limit.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
# Bytes: the largest picture with its form. No request may be larger, so none is spooled to disk.
FILE_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    # Bad requests are the client's fault, not the operator's. httpx, axes and mcp log each request
    # at INFO.
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "django.security.DisallowedRedirect": {"level": "CRITICAL"},
        "django.security.TooManyFieldsSent": {"level": "CRITICAL"},
        "django-q": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "axes": {"level": "WARNING"},
        "mcp": {"level": "WARNING"},
    },
}

# Last, because both need to know every variable that was read.
MISSPELT_SETTINGS = list(environment.misspelt())
SETTINGS_BEYOND_FILE = environment.beyond_file()
