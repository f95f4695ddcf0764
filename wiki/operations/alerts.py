"""One message to the operator when the embedding of pages has given up, if COVEY_ALERT_URL says
where to."""

import logging

import httpx
from django.conf import settings
from django.db.models import Q

from wiki.models import ReembedRun, RunState

logger = logging.getLogger(__name__)

SECONDS = 10.0


def alert_operator() -> None:
    """Posts `{"text": …}`, as chat webhooks take it, once per trouble."""
    if not settings.COVEY_ALERT_URL:
        return
    troubled = Q(state__in=[RunState.FAILED, RunState.STOPPED], is_alerted=False)
    for run in ReembedRun.objects.filter(troubled):
        # Marked before it is sent: rather no message than one a minute.
        if ReembedRun.objects.filter(troubled, pk=run.pk).update(is_alerted=True):
            state = f"covey: {run.get_state_display()} ({run.fingerprint})."
            _post(f"{state} {run.error} {run.remedy}".strip())


def _post(text: str) -> None:
    try:
        httpx.post(
            settings.COVEY_ALERT_URL, json={"text": text}, timeout=SECONDS
        ).raise_for_status()
    except httpx.HTTPError as error:
        logger.error("COVEY_ALERT_URL could not be told: %s", type(error).__name__)
