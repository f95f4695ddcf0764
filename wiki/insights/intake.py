"""Insights: texts that agents hand in, and the ledger of what became of each."""

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.utils import timezone

from wiki.db.locks import FILING, only_one
from wiki.indexing.embed import provider_answers
from wiki.insights.filing import Filing, Matter, file
from wiki.insights.protected_pages import suggest_if_held_back
from wiki.models import MAX_ORIGIN, Agent, ApiToken, Insight, Page, Wiki
from wiki.pages.fields import InvalidPage, PageFields, clean_type, fold_tags
from wiki.pages.links import resolve_page
from wiki.redaction import mask_secrets, removed_from
from wiki.search.did_you_mean import say_no_page
from wiki.text.cleaning import clean_line, clean_text, is_visible
from wiki.text.first_sentence import derive_title

logger = logging.getLogger(__name__)

KEY_LIFETIME = timedelta(days=1)


class KeyReused(Exception):
    """The Idempotency-Key was used for another insight."""


@dataclass(frozen=True)
class Handed:
    """What an agent hands in. `page` names the page it belongs to and skips the 0.80 rule (S11)."""

    text: str
    title: str = ""
    page: str = ""
    type: str = ""
    tags: Sequence[str] = ()
    source: str = ""
    task: str = ""

    def cleaned(self) -> "Handed":
        """As it is stored: without secrets, in every part."""
        return replace(
            self,
            text=_without_secrets(clean_text(self.text).strip()),
            title=_without_secrets(clean_line(self.title)) if is_visible(self.title) else "",
            type=clean_type(self.type),
            tags=fold_tags(map(_without_secrets, self.tags)),
            source=_without_secrets(clean_line(self.source))[:MAX_ORIGIN],
            task=_without_secrets(clean_line(self.task))[:MAX_ORIGIN],
        )

    def secrets(self) -> list[str]:
        """What is taken out of it."""
        return removed_from(self.text, self.title, *self.tags, self.source, self.task)

    def hash(self) -> str:
        return hashlib.sha256(
            json.dumps(vars(self), sort_keys=True, default=list).encode()
        ).hexdigest()


def file_insight(
    wiki: Wiki,
    agent: Agent,
    handed: Handed,
    idempotency_key: str = "",
    token: ApiToken | None = None,
) -> Insight:
    """Files the text and records what became of it. The same Idempotency-Key gives the same row for
    a day.

    With the provider away an insight that cannot be placed waits as `pending`. Raises InvalidPage
    (empty text, unknown page, a limit) and KeyReused.
    """
    removed, handed = handed.secrets(), handed.cleaned()
    if not handed.text:
        raise InvalidPage({"text": "An insight needs a text."})
    # A repeated call answers as the first one did, even if the page it named is gone by now.
    if earlier := _earlier(wiki, agent, handed, idempotency_key):
        return earlier
    matter = Matter(
        wiki,
        agent,
        handed.text,
        handed.title,
        handed.source,
        timezone.localdate(),
        _new_page_fields(handed),
        _named_page(wiki, handed.page),
        token,
    )

    def record(filing: Filing) -> Insight:
        insight = Insight.objects.create(
            wiki=wiki,
            agent=agent,
            token=token,
            text=handed.text,
            title=handed.title,
            type=handed.type,
            tags=handed.tags,
            source=handed.source,
            task=handed.task,
            removed=removed,
            idempotency_key=idempotency_key or None,
            request_hash=handed.hash(),
            **vars(filing),
        )
        return suggest_if_held_back(insight, matter)

    return file(matter, lambda: _earlier(wiki, agent, handed, idempotency_key), record)


def file_pending_insights() -> int:
    """Files what waited for the provider, in the order it was handed in, until the provider fails;
    says how many."""
    count = 0
    with only_one(FILING) as is_mine:
        if not is_mine:
            return 0
        while waiting := Insight.objects.unfiled().order_by("id").first():
            if _file_pending(waiting).is_unfiled:
                # One text that the provider refuses must not keep all later ones waiting.
                if not provider_answers() or _file_pending(waiting, is_refused=True).is_unfiled:
                    break
                logger.warning(
                    "The provider refuses insight %s; it is filed by its words alone.", waiting.pk
                )
            count += 1
    return count


def _file_pending(waiting: Insight, is_refused: bool = False) -> Insight:
    handed = Handed(waiting.text, waiting.title, type=waiting.type, tags=waiting.tags)
    day = timezone.localtime(waiting.created_at).date()
    wiki, agent = waiting.wiki, waiting.agent
    matter = Matter(
        wiki,
        agent,
        waiting.text,
        waiting.title,
        waiting.source,
        day,
        _new_page_fields(handed),
        token=waiting.token,
        is_refused=is_refused,
    )

    def settled() -> Insight | None:
        waiting.refresh_from_db()
        return None if waiting.is_unfiled else waiting

    def record(filing: Filing) -> Insight:
        for name, value in vars(filing).items():
            setattr(waiting, name, value)
        waiting.save(update_fields=list(vars(filing)))
        return suggest_if_held_back(waiting, matter)

    return file(matter, settled, record)


def _without_secrets(text: str) -> str:
    return mask_secrets(text).text


def _named_page(wiki: Wiki, name: str) -> Page | None:
    if not name.strip():
        return None
    resolved = resolve_page(wiki, name)
    if resolved is None:
        raise InvalidPage({"page": say_no_page(wiki, name)})
    return resolved.page


def _earlier(wiki: Wiki, agent: Agent, handed: Handed, key: str) -> Insight | None:
    if not key:
        return None
    earlier = (
        Insight.objects.filter(wiki=wiki, agent=agent, idempotency_key=key)
        .select_related("page")
        .first()
    )
    if earlier is None:
        return None
    if earlier.created_at < timezone.now() - KEY_LIFETIME:
        earlier.idempotency_key = None
        earlier.save(update_fields=["idempotency_key"])
        return None
    if earlier.request_hash != handed.hash():
        raise KeyReused("This Idempotency-Key was used for another insight in the last 24 hours.")
    return earlier


def _new_page_fields(handed: Handed) -> PageFields:
    try:
        return PageFields.clean(
            handed.title or derive_title(handed.text), handed.text, handed.type, handed.tags
        )
    except InvalidPage as error:
        raise InvalidPage(
            {"text" if name == "body" else name: why for name, why in error.errors.items()}
        ) from error
