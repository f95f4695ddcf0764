"""The recalls that handed a page out, and the questions that it is found by."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from wiki.models import MAX_QUESTION, MAX_QUESTIONS, Page, Role
from wiki.pages.author import Author
from wiki.recall.feedback import Judgement, NotHandedOut, mark_page
from wiki.recall.log import find_receipt
from wiki.recall.questions import NotKept, forget_question, keep_question
from wiki.views.frame import frame_context
from wiki.views.pages.load_page import find_page
from wiki.views.permissions import find_wiki, sees_recalls
from wiki.views.query_parameters import posted_number, read_number

PER_SCREEN = 50


@require_http_methods(["GET", "HEAD", "POST"])
def page_recalls(request: HttpRequest, wiki_slug: str, slug: str) -> HttpResponse:
    """Newest first; editors mark them, and add and remove questions."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR if request.method == "POST" else Role.READER)
    page = find_page(wiki, slug)
    if not sees_recalls(request):
        raise Http404
    if request.method == "POST":
        return _change(request, page)
    return (
        redirect("page_recalls", wiki.slug, page.slug)
        if page.slug != slug
        else _show(request, page)
    )


def _show(request: HttpRequest, page: Page, status: int = 200, **entered: str) -> HttpResponse:
    handed = page.handed.order_by("-id").select_related("receipt__agent")
    before = read_number(request.GET.get("before", ""))
    rows = list((handed.filter(pk__lt=before) if before else handed)[: PER_SCREEN + 1])
    context = frame_context(
        page.wiki,
        page=page,
        rows=rows[:PER_SCREEN],
        older=rows[PER_SCREEN - 1].pk if len(rows) > PER_SCREEN else None,
        is_later_screen=bool(before),
        total=handed.handed_out().count(),
        questions=page.asked_as.defer("embedding", "lexemes", "weights"),
        most_characters=MAX_QUESTION,
        most_questions=MAX_QUESTIONS,
        days=settings.COVEY_RECALL_DAYS,
        **entered,
    )
    return render(request, "wiki/recall/page_recalls.html", context, status=status)


def _change(request: HttpRequest, page: Page) -> HttpResponse:
    if posted_number(request, "page_id") != page.pk:
        messages.error(request, _("Nothing was changed: this address belongs to another page now."))
        return redirect("page_recalls", page.wiki.slug, page.slug)
    match request.POST.get("action"):
        case "useful":
            _mark(request, page, useful=True)
        case "wrong":
            _mark(request, page, useful=False)
        case "remove":
            forget_question(page, posted_number(request, "question_id"))
        case "add":
            question = request.POST.get("question", "")
            try:
                keep_question(page, question, author=Author.person(request.user))
            except NotKept as refusal:
                return _show(request, page, status=422, question=question, error=str(refusal))
    return redirect(request.get_full_path())


def _mark(request: HttpRequest, page: Page, *, useful: bool) -> None:
    receipt = find_receipt(page.wiki, request.POST.get("recall", ""))
    if receipt is None:
        messages.error(request, _("Nothing was marked: this recall is not kept any longer."))
        return
    try:
        made = mark_page(receipt, page, useful=useful, author=Author.person(request.user))
    except NotHandedOut as refusal:
        messages.error(request, str(refusal))
        return
    messages.success(request, _describe(made) if useful else _("Marked as wrong."))


def _describe(made: Judgement) -> str:
    if made.question:
        return _("Marked as useful. The page is found by this question from now on.")
    marked = _("Marked as useful.")
    return f"{marked} {made.reason}"
