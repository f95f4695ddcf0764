"""What an agent would change on a page: done where it may, kept as a suggestion where the page is
protected.

Every way by which an agent changes a page leads through here. What the change itself would refuse
is refused here too.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from wiki.models import MAX_SUMMARY, Page, Suggestion, SuggestionKind, SuggestionState
from wiki.pages.author import Author
from wiki.pages.protection_guard import PageProtected
from wiki.pages.redacted_fields import clean_fields, mask_for
from wiki.pages.trash import restore_page, trash_page
from wiki.pages.write import append_text, revise_page
from wiki.text.cleaning import clean_line, clean_text


@dataclass(frozen=True)
class Wanted:
    """Of an edit all fields of the page, of an addition its text alone."""

    kind: SuggestionKind
    title: str = ""
    body: str = ""
    type: str = ""
    tags: Sequence[str] = ()

    def digest(self, page: Page) -> str:
        """The same text on top of another one is another edit."""
        base = page.revision if self.kind == SuggestionKind.EDIT else 0
        content = [self.kind, base, self.title, self.body, self.type, list(self.tags)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def revise_or_suggest(
    page: Page,
    base_revision: int,
    *,
    title: str,
    body: str,
    author: Author,
    type: str | None = None,
    tags: Sequence[str] | None = None,
    summary: str = "",
) -> Page | Suggestion:
    """`revise_page` for an agent. Raises what that raises."""
    try:
        return revise_page(
            page,
            base_revision,
            title=title,
            body=body,
            author=author,
            type=type,
            tags=tags,
            summary=summary,
        )
    except PageProtected as fence:
        kept = fence.page
        types = kept.type if type is None else type, kept.tags if tags is None else tags
        fields = clean_fields(author, title, body, *types, kept)
        return _suggest(fence, author, Wanted(SuggestionKind.EDIT, **vars(fields)), summary)


def append_or_suggest(
    page: Page, text: str, *, author: Author, summary: str = ""
) -> Page | Suggestion:
    """`append_text` for an agent. Raises what that raises."""
    try:
        return append_text(page, text, author=author, summary=summary)
    except PageProtected as fence:
        return _suggest(
            fence,
            author,
            Wanted(SuggestionKind.APPEND, body=mask_for(author, clean_text(text).strip())),
            summary,
        )


def trash_or_suggest(
    page: Page, *, author: Author, base_revision: int | None = None
) -> Page | Suggestion:
    """`trash_page` for an agent. Raises what that raises."""
    try:
        return trash_page(page, author=author, base_revision=base_revision)
    except PageProtected as fence:
        return _suggest(fence, author, Wanted(SuggestionKind.TRASH))


def restore_or_suggest(page: Page, *, author: Author) -> Page | Suggestion:
    """`restore_page` for an agent. Raises what that raises."""
    try:
        return restore_page(page, author=author)
    except PageProtected as fence:
        return _suggest(fence, author, Wanted(SuggestionKind.RESTORE))


def _suggest(fence: PageProtected, author: Author, wanted: Wanted, summary: str = "") -> Suggestion:
    if author.agent is None:
        raise fence
    return keep_suggestion(fence.page, author, wanted, summary)


def keep_suggestion(page: Page, author: Author, wanted: Wanted, summary: str = "") -> Suggestion:
    """The same again from the same agent is the suggestion that waits already, or the one that was
    rejected, as long as the page has not changed since."""
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
        defaults={**content, "tags": list(wanted.tags)},
    )
    return suggestion
