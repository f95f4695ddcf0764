"""Two texts as one: the first as it stands, then what only the second says, with where it comes
from."""

import re
from collections.abc import Iterator
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext, override

from wiki.comparison.fragments import Key, Saying, read_sayings
from wiki.markdown import close_blocks


def unite_texts(
    body: str, other: str, other_title: str, day: date, language: str = "", title: str = ""
) -> str:
    """The body, and behind it what only the other text says, introduced by its title and the
    day."""
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
    for saying in read_sayings(body, title):
        known.update(*(forms for piece in saying.pieces for forms in piece.says))
    written: list[str] = []
    shown: list[Saying] = []
    for saying in read_sayings(other, other_title):
        if not (rest := _rest(saying, known)):
            continue
        for heading in saying.headings:
            if heading not in shown:
                shown.append(heading)
                yield heading.source
        if saying.is_heading:
            shown.append(saying)
        elif saying.lead and not (written and written[-1].endswith(saying.lead)):
            yield saying.lead
        written.append(rest)
        yield rest


def _rest(saying: Saying, known: set[Key]) -> str:
    """What of a block is new, with the sentences that it points back to."""
    kept: set[int] = set()
    for number, piece in enumerate(saying.pieces):
        if all(forms & known for forms in piece.says):
            continue
        kept.add(number)
        while number and saying.pieces[number].needs_previous:
            number -= 1
            kept.add(number)
    if len(kept) == len(saying.pieces):
        return saying.source
    return saying.glue.join(
        piece.source for number, piece in enumerate(saying.pieces) if number in kept
    )


def _plain(title: str) -> str:
    return re.sub(r"[*_`\[\]<>\\]", " ", title).strip()
