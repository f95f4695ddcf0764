"""Insights: texts that agents hand in, and the ledger of what became of each."""

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from wiki.db.locks import FILING, lock_wiki, only_one
from wiki.indexing.embed import embed_page, provider_answers
from wiki.insights.filing import Plan, make_plan, place, prepare
from wiki.insights.protected_pages import suggest_if_held_back
from wiki.models import MAX_ORIGIN, Agent, ApiToken, Insight, Outcome, Page, Wiki
from wiki.names.resolve import resolve_page
from wiki.pages.fields import InvalidPage, PageFields, clean_type, fold_tags
from wiki.redaction import mask_secrets
from wiki.search.did_you_mean import say_choice, say_no_page
from wiki.text.cleaning import clean_line, clean_text, is_visible
from wiki.text.first_sentence import derive_title

logger = logging.getLogger(__name__)

KEY_LIFETIME = timedelta(days=1)
# How often a filing is prepared anew because the page that it belongs to has changed meanwhile.
# Each time at least one of those that meet there is done, so this many can hand in to one page at
# the same moment.
ATTEMPTS = 50


class KeyReused(Exception):
    """The Idempotency-Key was used for another insight."""


@dataclass(frozen=True)
class Handed:
    """The request of an agent. `page` names the page that the text belongs to, however far it
    is."""

    text: str
    title: str = ""
    page: str = ""
    type: str = ""
    tags: Sequence[str] = ()
    source: str = ""
    task: str = ""

    def cleaned(self) -> tuple["Handed", list[str]]:
        """As it is stored, without secrets, and the kinds of secrets that were taken out."""
        removed: dict[str, None] = {}

        def mask(text: str) -> str:
            if not text:
                return ""
            masked = mask_secrets(text)
            removed.update(dict.fromkeys(masked.removed))
            return masked.text

        cleaned = replace(
            self,
            text=mask(clean_text(self.text).strip()),
            title=mask(clean_line(self.title)) if is_visible(self.title) else "",
            type=clean_type(self.type),
            tags=fold_tags([mask(tag) for tag in self.tags]),
            source=mask(clean_line(self.source))[:MAX_ORIGIN],
            task=mask(clean_line(self.task))[:MAX_ORIGIN],
        )
        return cleaned, list(removed)

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
    handed, removed = handed.cleaned()
    if not handed.text:
        raise InvalidPage({"text": "An insight needs a text."})
    insight = Insight(
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
    )
    # A repeated call answers as the first one did, even if the page it named is gone by now.
    if earlier := _find_earlier(insight):
        return earlier
    fields = _page_fields(insight)
    return _file(make_plan(insight, fields, _find_named(wiki, handed.page)))


def file_pending_insights() -> int:
    """Files what waited for the provider, in the order it was handed in, until the provider fails;
    returns how many."""
    count = 0
    with only_one(FILING) as is_mine:
        if not is_mine:
            return 0
        while waiting := Insight.objects.unfiled().order_by("id").first():
            fields = _page_fields(waiting)
            if _file(make_plan(waiting, fields)).is_unfiled:
                # One text that the provider refuses must not keep all later ones waiting.
                if (
                    not provider_answers()
                    or _file(make_plan(waiting, fields, is_refused=True)).is_unfiled
                ):
                    break
                logger.warning(
                    "The provider refuses insight %s; it is filed by its words alone.", waiting.pk
                )
            count += 1
    return count


def _file(plan: Plan) -> Insight:
    insight = plan.insight
    for attempt in range(ATTEMPTS):
        plan = prepare(plan, is_last=attempt == ATTEMPTS - 1)
        with transaction.atomic():
            lock_wiki(insight.wiki_id)
            if settled := _find_settled(insight):
                return settled
            is_new = insight.pk is None
            if is_new:
                # The order on a page is the order in the ledger.
                insight.created_at = timezone.now()
            if (filing := place(plan)) is None:
                continue
            for name, value in vars(filing).items():
                setattr(insight, name, value)
            insight.save(update_fields=None if is_new else list(vars(filing)))
            suggest_if_held_back(insight)
        if filing.page and filing.outcome == Outcome.APPENDED:
            embed_page(filing.page)
        return insight
    raise AssertionError("the last attempt never counts as outdated")


def _find_settled(insight: Insight) -> Insight | None:
    """The row in which the insight was filed meanwhile, by the same call or by another worker."""
    if insight.pk is None:
        return _find_earlier(insight)
    insight.refresh_from_db(fields=["outcome", "suggestion"])
    return None if insight.is_unfiled else insight


def _find_named(wiki: Wiki, name: str) -> Page | None:
    if not name.strip():
        return None
    resolved = resolve_page(wiki, name)
    if resolved is None:
        raise InvalidPage({"page": say_no_page(wiki, name)})
    if resolved.is_ambiguous:
        raise InvalidPage({"page": say_choice(name, resolved.pages)})
    return resolved.page


def _find_earlier(insight: Insight) -> Insight | None:
    """The insight of the same Idempotency-Key. Raises KeyReused."""
    if not insight.idempotency_key:
        return None
    earlier = (
        Insight.objects.filter(
            wiki=insight.wiki, agent=insight.agent, idempotency_key=insight.idempotency_key
        )
        .select_related("page")
        .first()
    )
    if earlier is None:
        return None
    if earlier.created_at < timezone.now() - KEY_LIFETIME:
        earlier.idempotency_key = None
        earlier.save(update_fields=["idempotency_key"])
        return None
    if earlier.request_hash != insight.request_hash:
        raise KeyReused("This Idempotency-Key was used for another insight in the last 24 hours.")
    return earlier


def _page_fields(insight: Insight) -> PageFields:
    """The page that the insight becomes if it belongs to none."""
    title = insight.title or derive_title(insight.text)
    try:
        return PageFields.clean(title, insight.text, insight.type, insight.tags)
    except InvalidPage as error:
        raise InvalidPage(
            {"text" if name == "body" else name: why for name, why in error.errors.items()}
        ) from error
