"""The pictures of a wiki: handed out, listed, stored, removed."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
)
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from wiki.images.formats import NotAPicture, PictureRefused, PictureTooLarge, SvgRefused
from wiki.images.storage import (
    PictureNotStored,
    PictureUse,
    count_hidden_uses,
    find_picture,
    find_uses,
    picture_path,
    remove_picture,
    store_picture,
    write_markdown,
)
from wiki.models import Picture, PictureFormat, Role, Wiki
from wiki.pages.author import Author
from wiki.views.frame import frame_context
from wiki.views.permissions import find_wiki

PER_SCREEN = 24
USES_SHOWN = 3
USES_NAMED = 20

_MEDIA_TYPES = {
    PictureFormat.PNG: "image/png",
    PictureFormat.JPEG: "image/jpeg",
    PictureFormat.GIF: "image/gif",
    PictureFormat.WEBP: "image/webp",
}
# Nothing in it may run or be taken for something else, however somebody opens it. The one thing
# allowed is the style with which a browser fits a picture that is opened alone into its window.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Its name is its content: what lies under it never changes.
    "Cache-Control": "private, max-age=31536000, immutable",
}
_STATUSES = {PictureTooLarge: 413, NotAPicture: 415, SvgRefused: 415, PictureNotStored: 507}


@dataclass(frozen=True)
class Row:
    picture: Picture
    markdown: str
    uses: list[PictureUse]
    total: int


@require_safe
def picture(request: HttpRequest, wiki_slug: str, name: str) -> HttpResponseBase:
    found = _find(find_wiki(request, wiki_slug), name)
    etag = quote_etag(found.hash)
    response = get_conditional_response(request, etag=etag) or _hand_out(found)
    for header, value in _HEADERS.items():
        response.headers[header] = value
    response.headers["ETag"] = etag
    return response


def _hand_out(picture: Picture) -> FileResponse:
    try:
        file = picture_path(picture).open("rb")
    except OSError as error:
        raise Http404 from error
    stem = PurePosixPath(picture.name).stem or picture.hash[:12]
    media_type = _MEDIA_TYPES[PictureFormat(picture.format)]
    return FileResponse(file, content_type=media_type, filename=f"{stem}.{picture.format}")


@require_http_methods(["GET", "HEAD", "POST"])
def pictures(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """All pictures of the wiki, the newest first; posting stores one."""
    if request.method == "POST":
        return _store(request, find_wiki(request, wiki_slug, Role.EDITOR))
    return _screen(request, find_wiki(request, wiki_slug))


def _store(request: HttpRequest, wiki: Wiki) -> HttpResponse:
    is_asked_by_script = "application/json" in request.headers.get("Accept", "")
    file = request.FILES.get("picture")
    status, refusal = 400, _("Choose a file first.")
    if file:
        try:
            picture = store_picture(wiki, file.read(), file.name or "", Author.person(request.user))
        except PictureRefused as refused:
            status, refusal = _STATUSES.get(type(refused), 422), str(refused)
        else:
            markdown, url = write_markdown(picture, file.name or ""), picture.get_absolute_url()
            if is_asked_by_script:
                return JsonResponse({"markdown": markdown, "url": url}, status=201)
            return redirect(
                f"{reverse('pictures', args=[wiki.slug])}?{urlencode({'new': picture.file_name})}"
            )
    if is_asked_by_script:
        return JsonResponse({"error": refusal}, status=status)
    return _screen(request, wiki, refusal, status)


def _screen(request: HttpRequest, wiki: Wiki, refusal: str = "", status: int = 200) -> HttpResponse:
    new = find_picture(wiki, request.GET.get("new", ""))
    screen = Paginator(Picture.objects.filter(wiki=wiki), PER_SCREEN).get_page(
        request.GET.get("page")
    )
    shown = list(screen.object_list)
    uses = find_uses(wiki, [picture.file_name for picture in shown]) if shown else {}
    context = frame_context(
        wiki,
        screen=screen,
        rows=[_row(wiki, picture, uses.get(picture.file_name, [])) for picture in shown],
        new=new,
        new_markdown=write_markdown(new) if new else "",
        refusal=refusal,
    )
    return render(request, "wiki/images/listing.html", context, status=status)


def _row(wiki: Wiki, picture: Picture, uses: list[PictureUse]) -> Row:
    picture.wiki = wiki
    return Row(picture, write_markdown(picture), uses[:USES_SHOWN], len(uses))


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, wiki_slug: str, name: str) -> HttpResponse:
    """Asks once, with the pages that show it, then removes the picture."""
    wiki = find_wiki(request, wiki_slug, Role.EDITOR)
    found = _find(wiki, name)
    if request.method == "POST":
        remove_picture(found)
        messages.success(request, _("“{name}” is removed.").format(name=found))
        return redirect("pictures", wiki.slug)
    uses = find_uses(wiki, [found.file_name]).get(found.file_name, [])
    context = frame_context(
        wiki,
        picture=found,
        uses=uses[:USES_NAMED],
        total=len(uses),
        hidden=count_hidden_uses(found),
    )
    return render(request, "wiki/images/remove.html", context)


def _find(wiki: Wiki, name: str) -> Picture:
    found = find_picture(wiki, name)
    if found is None:
        raise Http404
    return found
