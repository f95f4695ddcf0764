"""Keep tokens and single-use links out of all logs."""

import logging
import re
from typing import Any

# An invitation, a link for a new password, the key of a feed; an API token anywhere.
_SECRET = re.compile(
    r"(/invitation/|/password/new/[^/\s]+/|/feed\?(?:[^\s\"']*&)?key=)[^/\s\"'?&]+"
    r"|(\bcovey_)[\w-]{20,}"
    r"|(\bbearer[\s:=]+)[^\s\"',]+",
    re.IGNORECASE,
)


def install_log_redaction() -> None:
    """Redact the records of every logger, gunicorn's included, which have their own handlers."""
    make = logging.getLogRecordFactory()

    def make_without_secrets(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        _clean(record)
        return record

    logging.setLogRecordFactory(make_without_secrets)


def _clean(record: logging.LogRecord) -> None:
    try:
        message = record.getMessage()
    except (TypeError, ValueError, KeyError):
        # The handler reports a record that cannot be formatted.
        return
    if _SECRET.search(message):
        record.msg, record.args = _SECRET.sub(_cut, message), ()
    if record.exc_info:
        # Formatters use an exc_text that is set already.
        record.exc_text = _SECRET.sub(_cut, logging.Formatter().formatException(record.exc_info))


def _cut(match: re.Match[str]) -> str:
    return f"{match[1] or match[2] or match[3]}…"
