"""Also asked as: questions that are kept with the page that answers them. They find it too."""

from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext

from embeddings.hash_embedder import split_words
from embeddings.text import Document
from wiki.indexing.embed import Embedded, embed_texts, vector_fields
from wiki.indexing.words import keep_question_words
from wiki.models import MAX_QUESTION, MAX_QUESTIONS, AskedAs, Page
from wiki.pages.author import Author
from wiki.pages.write import PageGone, lock_page
from wiki.redaction import mask_secrets
from wiki.text.cleaning import clean_line
from wiki.text.low_content import is_noise


class NotKept(Exception):
    """The question is not kept with the page; the message says why."""


def clean_question(text: str) -> str:
    """One line of at most MAX_QUESTION characters, cut at a word, without secrets."""
    line = mask_secrets(clean_line(text)).text
    if len(line) <= MAX_QUESTION:
        return line
    return line[: MAX_QUESTION + 1].rpartition(" ")[0] or line[:MAX_QUESTION]


def question_key(question: str) -> str:
    """The same for questions that differ in case and punctuation alone."""
    return " ".join(split_words(question))[: MAX_QUESTION * 2]


def keep_question(page: Page, text: str, *, author: Author) -> tuple[AskedAs, bool]:
    """Keep a question with the page; the flag says whether it is new there.

    Raises NotKept for one without a word, where there is no room for more, and for a page that is
    in the trash.
    """
    question = clean_question(text)
    if is_noise("", question):
        raise NotKept(gettext("The question says nothing by which the page could be found."))
    if known := page.asked_as.filter(key=question_key(question)).first():
        return known, False
    [embedded] = _embed([question])
    try:
        with transaction.atomic():
            current = lock_page(page)
            if current.asked_as.count() >= MAX_QUESTIONS:
                refusal = gettext("The page has {n} questions already; take one away first.")
                raise NotKept(refusal.format(n=MAX_QUESTIONS))
            return _store(current, question, embedded, author)
    except PageGone as gone:
        raise NotKept(str(gone)) from gone


def keep_questions(page: Page, texts: Iterable[str], *, author: Author) -> int:
    """Keep the questions that have words and room; returns how many are new.

    Raises PageGone.
    """
    known = set(page.asked_as.values_list("key", flat=True))
    cleaned = {
        question_key(question): question for text in texts if (question := clean_question(text))
    }
    new = [
        question
        for key, question in cleaned.items()
        if key not in known and not is_noise("", question)
    ]
    if not new:
        return 0
    vectors = _embed(new)
    with transaction.atomic():
        current = lock_page(page)
        room = max(0, MAX_QUESTIONS - current.asked_as.count())
        rows = zip(new[:room], vectors, strict=False)
        return sum(_store(current, question, embedded, author)[1] for question, embedded in rows)


def forget_question(page: Page, question_id: int) -> bool:
    """Delete a question; False if the page has none of this id."""
    return page.asked_as.filter(pk=question_id).delete()[0] > 0


def move_questions(source: Page, survivor: Page) -> list[int]:
    """Move questions that the survivor has not, as far as there is room; returns their ids."""
    new = source.asked_as.exclude(key__in=survivor.asked_as.values("key")).order_by("-id")
    ids = list(
        new.values_list("pk", flat=True)[: max(0, MAX_QUESTIONS - survivor.asked_as.count())]
    )
    AskedAs.objects.filter(pk__in=ids).update(page=survivor)
    return ids


def give_back_questions(page: Page, ids: list[int]) -> None:
    AskedAs.objects.filter(pk__in=ids).exclude(key__in=page.asked_as.values("key")).update(
        page=page
    )


def _embed(questions: list[str]) -> list[Embedded | None]:
    # As a text, not as a query: then it is as near to a query as a page that says the same.
    return embed_texts([Document("", question) for question in questions])


def _store(
    page: Page, question: str, embedded: Embedded | None, author: Author
) -> tuple[AskedAs, bool]:
    written = {
        "text": question,
        "author_kind": author.kind,
        "author_name": author.name,
        "user": author.user,
        "agent": author.agent,
        **vector_fields(embedded),
    }
    kept, is_new = AskedAs.objects.get_or_create(
        page=page, key=question_key(question), defaults=written
    )
    if is_new:
        keep_question_words(kept)
    return kept, is_new
