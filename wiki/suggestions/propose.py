"""Changes by agents: written, or kept as a suggestion where the page is protected.

Every change of a page by an agent comes through here. A suggestion is refused for the same reasons
as the change.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from wiki.models import MAX_SUMMARY, Page, Suggestion, SuggestionKind, SuggestionState
from wiki.pages.author import Author
from wiki.pages.change import Change
from wiki.pages.fields import PageFields
from wiki.pages.protection_guard import PageProtected
from wiki.pages.redacted_fields import clean_fields, mask_for
from wiki.pages.trash import restore_page, trash_page
from wiki.pages.write import append_text, revise_page
from wiki.text.cleaning import clean_line, clean_text


@dataclass(frozen=True)
class SuggestedChange:
    """Of an edit all fields of the page, of an addition its text alone."""

    kind: SuggestionKind
    title: str = ""
    body: str = ""
    type: str = ""
    tags: Sequence[str] = ()
    aliases: Sequence[str] = ()

    def digest(self, page: Page) -> str:
        """The same text on top of another one is another edit."""
        base = page.revision if self.kind == SuggestionKind.EDIT else 0
        content = [self.kind, base, self.title, self.body, self.type, list(self.tags)]
        # Not of the others, so that what was suggested before pages had aliases is known again.
        content += [list(self.aliases)] if self.aliases else []
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def revise_or_suggest(
    page: Page, base_revision: int, fields: PageFields, change: Change
) -> Page | Suggestion:
    try:
        return revise_page(page, base_revision, fields, change)
    except PageProtected as protected:
        fields = clean_fields(change.author, fields, protected.page)
        wanted = SuggestedChange(SuggestionKind.EDIT, **vars(fields))
        return _suggest(protected, change.author, wanted, change.summary)


def append_or_suggest(page: Page, text: str, change: Change) -> Page | Suggestion:
    try:
        return append_text(page, text, change)
    except PageProtected as protected:
        body = mask_for(change.author, clean_text(text).strip())
        wanted = SuggestedChange(SuggestionKind.APPEND, body=body)
        return _suggest(protected, change.author, wanted, change.summary)


def trash_or_suggest(
    page: Page, *, author: Author, base_revision: int | None = None
) -> Page | Suggestion:
    try:
        return trash_page(page, author=author, base_revision=base_revision)
    except PageProtected as protected:
        return _suggest(protected, author, SuggestedChange(SuggestionKind.TRASH))


def restore_or_suggest(page: Page, *, author: Author) -> Page | Suggestion:
    try:
        return restore_page(page, author=author)
    except PageProtected as protected:
        return _suggest(protected, author, SuggestedChange(SuggestionKind.RESTORE))


def _suggest(
    protected: PageProtected, author: Author, wanted: SuggestedChange, summary: str = ""
) -> Suggestion:
    if author.agent is None:
        raise protected
    return save_suggestion(protected.page, author, wanted, summary)


def save_suggestion(
    page: Page, author: Author, wanted: SuggestedChange, summary: str = ""
) -> Suggestion:
    """Return the open suggestion of the same, or the rejected one if the page has not changed
    since, before making another."""
    digest = wanted.digest(page)
    same = Suggestion.objects.filter(page=page, agent=author.agent, digest=digest)
    if refused := same.filter(
        state=SuggestionState.REJECTED, decided_at__gt=page.updated_at
    ).last():
        return refused
    content = {
        "wiki_id": page.wiki_id,
        "base": page.revisions.get(number=page.revision),
        "summary": mask_for(author, clean_line(summary))[:MAX_SUMMARY],
        **vars(wanted),
    }
    suggestion, _is_new = same.open().get_or_create(
        page=page,
        agent=author.agent,
        digest=digest,
        defaults={**content, "tags": list(wanted.tags), "aliases": list(wanted.aliases)},
    )
    return suggestion
