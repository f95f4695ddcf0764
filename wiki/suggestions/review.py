"""People's decisions about suggestions: each is accepted once, or rejected with its text kept."""

from dataclasses import dataclass, replace
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from wiki.markdown.insight_block import insight_block
from wiki.models import (
    MAX_REASON,
    Insight,
    Outcome,
    Page,
    Revision,
    RevisionKind,
    Suggestion,
    SuggestionKind,
    SuggestionQuerySet,
    SuggestionState,
)
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.edit_conflicts import combine_edits, overrule
from wiki.pages.fields import PageFields
from wiki.pages.trash import restore_page, trash_page
from wiki.pages.write import (
    EditConflict,
    PageGone,
    append_text,
    fields_of,
    join_paragraphs,
    revise_page,
)
from wiki.text.cleaning import clean_line, clean_text, stands_in


class AlreadyDecided(Exception):
    """The suggestion was decided or withdrawn in the meantime. Nothing was written."""

    def __init__(self) -> None:
        super().__init__(gettext("This suggestion was decided in the meantime."))


@dataclass(frozen=True)
class Preview:
    """The effect of accepting on `page` as it stands; `fields` is the content afterwards. Without a
    page there is nothing to change: it is in the trash, or merged. In a conflict the fields are the
    agent's, and a person decides."""

    page: Page | None
    fields: PageFields | None = None
    has_effect: bool = True
    is_conflict: bool = False


def preview_change(suggestion: Suggestion) -> Preview:
    page = _find_page(suggestion)
    if page is None:
        return Preview(None)
    present = fields_of(page)
    match suggestion.kind:
        case SuggestionKind.TRASH:
            return Preview(page, present, has_effect=not page.is_trashed)
        case SuggestionKind.RESTORE:
            return Preview(page, present, has_effect=page.is_trashed)
        case SuggestionKind.EDIT:
            return _preview_edit(suggestion, page)
    if stands_in(suggestion.body, page.body):
        return Preview(page, present, has_effect=False)
    return Preview(
        page, replace(present, body=join_paragraphs(page.body, draw(suggestion, suggestion.body)))
    )


def _preview_edit(suggestion: Suggestion, page: Page) -> Preview:
    wanted = PageFields(
        suggestion.title,
        suggestion.body,
        suggestion.type,
        suggestion.tags,
        suggestion.aliases,
    )
    if combined := combine_edits(suggestion.base, wanted, page):
        return Preview(page, combined, has_effect=combined != fields_of(page))
    return Preview(page, overrule(suggestion.base, wanted, page), is_conflict=True)


def draw(suggestion: Suggestion, text: str) -> str:
    """The Markdown of an addition: an insight keeps its agent and its date."""
    if suggestion.kind != SuggestionKind.INSIGHT:
        return text
    day = timezone.localdate(suggestion.created_at)
    return insight_block(text, suggestion.agent.name, day, suggestion.summary)


def _find_page(suggestion: Suggestion) -> Page | None:
    """The page as it stands; additions follow a merge."""
    rows = Page.objects.defer("front_matter")
    page = rows.get(pk=suggestion.page_id)
    while page.merged_into_id and suggestion.is_addition:
        page = rows.get(pk=page.merged_into_id)
    is_about_trash = suggestion.kind in (SuggestionKind.TRASH, SuggestionKind.RESTORE)
    if page.merged_into_id or (page.is_trashed and not is_about_trash):
        return None
    return page


def accept(suggestion: Suggestion, user: Any, *, seen: int, text: str | None = None) -> None:
    """Make the suggested change once, on the page as it stands. `seen` is the revision on the
    person's screen; `text` replaces the agent's, and is written in the person's name. Raises
    AlreadyDecided, PageGone, SlugTaken, InvalidPage, and EditConflict where the page has changed
    since `seen` or the person has to resolve a conflict."""
    if not Suggestion.objects.open().filter(pk=suggestion.pk).exists():
        raise AlreadyDecided
    preview = preview_change(suggestion)
    if preview.page is None:
        raise PageGone(
            gettext("“{title}” is not in the wiki any more.").format(title=suggestion.page.title)
        )
    if not suggestion.is_addition and preview.page.revision != seen:
        raise EditConflict(preview.page)
    decision = _Acceptance(suggestion, user)
    if suggestion.is_addition:
        decision.add(preview.page, text)
    elif suggestion.kind == SuggestionKind.EDIT:
        decision.revise(preview.page, preview, text)
    elif preview.has_effect:
        decision.move(preview.page)
    if not decision.is_settled:
        # The page says it already.
        decision.settle(None)


class _Acceptance:
    """Writes the change of an agent in the name of both, and settles the suggestion once."""

    def __init__(self, suggestion: Suggestion, user: Any) -> None:
        self.suggestion, self.person = suggestion, Author.person(user)
        self.is_settled = False

    def settle(self, result: Revision | None) -> None:
        _settle(self.suggestion, SuggestionState.ACCEPTED, self.person, result=result)
        self.is_settled = True

    def revise(self, page: Page, preview: Preview, text: str | None) -> None:
        if preview.fields is None or (preview.is_conflict and text is None):
            raise EditConflict(page)
        body = preview.fields.body if text is None else clean_text(text)
        chosen = replace(preview.fields, body=body)
        change = self._change(RevisionKind.EDIT, is_edited=chosen != preview.fields)
        revise_page(page, page.revision, chosen, change, accept=self.settle)

    def add(self, page: Page, text: str | None) -> None:
        added = self.suggestion.body if text is None else clean_text(text).strip()
        kind = (
            RevisionKind.INSIGHT
            if self.suggestion.kind == SuggestionKind.INSIGHT
            else RevisionKind.APPEND
        )
        append_text(
            page,
            added,
            self._change(kind, is_edited=added != self.suggestion.body),
            draw=lambda text: draw(self.suggestion, text),
            accept=self.settle,
        )

    def move(self, page: Page) -> None:
        if self.suggestion.kind == SuggestionKind.TRASH:
            change = self._change(RevisionKind.TRASH)
            trash_page(
                page,
                author=change.author,
                base_revision=page.revision,
                summary=change.summary,
                accept=self.settle,
            )
        else:
            change = self._change(RevisionKind.RESTORE)
            restore_page(page, author=change.author, summary=change.summary, accept=self.settle)

    def _change(self, kind: RevisionKind, *, is_edited: bool = False) -> Change:
        """The history names both, the agent and the person."""
        if is_edited:
            author = self.person
            words = gettext("suggested by {name}").format(name=self.suggestion.agent.name)
        else:
            author = Author.of_agent(self.suggestion.agent)
            words = gettext("accepted by {name}").format(name=self.person.name)
        summary = f"{words}: {self.suggestion.summary}" if self.suggestion.summary else words
        return Change(author, kind, summary)


def reject(suggestion: Suggestion, user: Any, reason: str = "") -> None:
    """The text stays readable, and the agent can read the reason. Raises AlreadyDecided."""
    _settle(
        suggestion,
        SuggestionState.REJECTED,
        Author.person(user),
        reason=clean_line(reason)[:MAX_REASON],
    )


def withdraw(suggestion: Suggestion) -> None:
    """By its agent. Raises AlreadyDecided."""
    _settle(suggestion, SuggestionState.WITHDRAWN, Author.of_agent(suggestion.agent))


def reopen(suggestion: Suggestion) -> None:
    """Undo a rejection. Raises AlreadyDecided, also if the agent has suggested the same again
    since."""
    rejected = Suggestion.objects.filter(pk=suggestion.pk, state=SuggestionState.REJECTED)
    try:
        with transaction.atomic():
            if not rejected.update(
                state=SuggestionState.OPEN,
                reason="",
                decided_by=None,
                decided_name="",
                decided_at=None,
            ):
                raise AlreadyDecided
            Insight.objects.filter(suggestion=suggestion, outcome=Outcome.NOISE).update(
                outcome=Outcome.PENDING
            )
    except IntegrityError as error:
        raise AlreadyDecided from error


def _settle(
    suggestion: Suggestion,
    state: SuggestionState,
    by: Author,
    *,
    reason: str = "",
    result: Revision | None = None,
) -> None:
    decided = {
        "state": state,
        "reason": reason,
        "decided_by": by.user,
        "decided_name": by.name,
        "decided_at": timezone.now(),
    }
    with transaction.atomic():
        # Of two decisions at once the second waits here, and then finds nothing open.
        if not Suggestion.objects.open().filter(pk=suggestion.pk).update(**decided, result=result):
            raise AlreadyDecided
        if state != SuggestionState.ACCEPTED:
            Insight.objects.filter(suggestion=suggestion).update(outcome=Outcome.NOISE)
            return
        # The same from other agents is done with it.
        twins = Suggestion.objects.open().filter(page=suggestion.page_id, digest=suggestion.digest)
        _file_insights(suggestion, twins, result)
        twins.update(**decided)


def _file_insights(
    suggestion: Suggestion, twins: SuggestionQuerySet, result: Revision | None
) -> None:
    insights = Insight.objects.filter(
        suggestion__in=[suggestion.pk, *twins.values_list("pk", flat=True)]
    )
    page_id = result.page_id if result else suggestion.page_id
    insights.update(outcome=Outcome.KNOWN, page=page_id)
    first = Insight.objects.filter(suggestion=suggestion).order_by("pk").first()
    if result and first:
        Insight.objects.filter(pk=first.pk).update(outcome=Outcome.APPENDED)
