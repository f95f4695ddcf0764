"""What opens something must not stand in a log, whoever writes it."""

import logging
import re
from typing import Any

# An invitation, a link that sets a new password, the key of a feed; a token of the API, wherever
# somebody put it.
_SECRET = re.compile(
    r"(/invitation/|/password/new/[^/\s]+/|/feed\?(?:[^\s\"']*&)?key=)[^/\s\"'?&]+"
    r"|(\bcovey_)[\w-]{20,}"
    r"|(\bbearer[\s:=]+)[^\s\"',]+",
    re.IGNORECASE,
)


def install_log_redaction() -> None:
    """From now on in this process, for every logger: gunicorn's have handlers of their own."""
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
        # A line that cannot be put together is the handler's to report.
        return
    if _SECRET.search(message):
        record.msg, record.args = _SECRET.sub(_cut, message), ()
    if record.exc_info:
        # Every formatter takes what stands there already.
        record.exc_text = _SECRET.sub(_cut, logging.Formatter().formatException(record.exc_info))


def _cut(match: re.Match[str]) -> str:
    return f"{match[1] or match[2] or match[3]}…"
