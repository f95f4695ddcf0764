"""One message to COVEY_ALERT_URL when the embedding of pages fails for good."""

import logging

import httpx
from django.conf import settings
from django.db.models import Q

from wiki.models import ReembedRun, RunState

logger = logging.getLogger(__name__)

# The time-out of the request.
SECONDS = 10.0


def alert_operator() -> None:
    """Post `{"text": …}`, the format of chat webhooks, once per failed run."""
    if not settings.COVEY_ALERT_URL:
        return
    troubled = Q(state__in=[RunState.FAILED, RunState.STOPPED], is_alerted=False)
    for run in ReembedRun.objects.filter(troubled):
        # Marked before it is sent: no message is better than one a minute.
        if ReembedRun.objects.filter(troubled, pk=run.pk).update(is_alerted=True):
            state = f"covey: {run.get_state_display()} ({run.fingerprint})."
            _post(f"{state} {run.error} {run.remedy}".strip())


def _post(text: str) -> None:
    try:
        answer = httpx.post(settings.COVEY_ALERT_URL, json={"text": text}, timeout=SECONDS)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        logger.error("COVEY_ALERT_URL could not be told: %s", type(error).__name__)
