"""Combine two texts: the first as it stands, then the news of the second, with their origin."""

import re
from collections.abc import Iterator
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext, override

from wiki.comparison.fragments import Fragment, Key, read_fragments
from wiki.markdown import close_blocks


def unite_texts(
    body: str, other: str, other_title: str, day: date, language: str = "", title: str = ""
) -> str:
    """Append the news of another text to the body, introduced by its title and the day."""
    added = list(_unknown(body, title, other, other_title))
    if not added:
        return body
    with override(language or None):
        origin = gettext("From “{title}”, merged on {day}:").format(
            title=_plain(other_title), day=date_format(day)
        )
    # In a block that was never closed the addition would be code, and its links none.
    parts = [close_blocks(body.rstrip()), f"*{origin}*", *added]
    return "\n\n".join(part for part in parts if part)


def _unknown(body: str, title: str, other: str, other_title: str) -> Iterator[str]:
    known: set[Key] = set()
    for fragment in read_fragments(body, title):
        known.update(*(forms for piece in fragment.pieces for forms in piece.says))
    written: list[str] = []
    shown: list[Fragment] = []
    for fragment in read_fragments(other, other_title):
        if not (rest := _rest(fragment, known)):
            continue
        for heading in fragment.headings:
            if heading not in shown:
                shown.append(heading)
                yield heading.source
        if fragment.is_heading:
            shown.append(fragment)
        elif fragment.lead and not (written and written[-1].endswith(fragment.lead)):
            yield fragment.lead
        written.append(rest)
        yield rest


def _rest(fragment: Fragment, known: set[Key]) -> str:
    """Return the new pieces of a block, with the sentences that they point back to."""
    kept: set[int] = set()
    for number, piece in enumerate(fragment.pieces):
        if all(forms & known for forms in piece.says):
            continue
        kept.add(number)
        while number and fragment.pieces[number].needs_previous:
            number -= 1
            kept.add(number)
    if len(kept) == len(fragment.pieces):
        return fragment.source
    return fragment.glue.join(
        piece.source for number, piece in enumerate(fragment.pieces) if number in kept
    )


def _plain(title: str) -> str:
    return re.sub(r"[*_`\[\]<>\\]", " ", title).strip()
