"""The queue of the worker, restricted to covey's own tasks."""

import logging
from typing import Any

from django_q.brokers.orm import ORM
from django_q.signing import BadSignature, SignedPackage

from wiki.tasks import TASKS

logger = logging.getLogger(__name__)


class KnownTasksBroker(ORM):
    """django-q's queue in the database, without rows that name a function or hook not of covey's.

    django-q calls any function that a row or schedule names, os.system included, so that write
    access to these tables would be enough to run programs as covey's user.
    """

    def dequeue(self) -> list[tuple[int, str]] | None:
        rows = super().dequeue()
        return rows and [row for row in rows if self._is_known(*row)]

    def _is_known(self, row_id: int, payload: str) -> bool:
        try:
            task: dict[str, Any] = SignedPackage.loads(payload)
        except (TypeError, BadSignature):
            name = "nothing that this installation signed"
        else:
            if task.get("func") in TASKS and not task.get("hook"):
                return True
            name = "a function that is none of covey's tasks"
        logger.warning("Row %s of the task queue names %s; it was dropped.", row_id, name)
        self.fail(row_id)
        return False
