"""The addresses for people (spec 3.5). Everything but signing in asks who it is first."""

from collections.abc import Callable

from django.contrib.auth import views as auth_views
from django.http import HttpResponseBase
from django.urls import URLPattern, include, path, reverse_lazy

from wiki.views import access, editing, health, history, home, index, maps, pages, search, tags, trash, two_pages


def people(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    return path(route, access.signed_in(view), name=name)


urlpatterns = [
    path("login", access.SignIn.as_view(), name="login"),
    path("logout", auth_views.LogoutView.as_view(), name="logout"),
    path("i18n/", include("django.conf.urls.i18n")),
    people(
        "password",
        auth_views.PasswordChangeView.as_view(
            template_name="account/password.html", success_url=reverse_lazy("password_change_done")
        ),
        "password_change",
    ),
    people(
        "password/done",
        auth_views.PasswordChangeDoneView.as_view(template_name="account/password_done.html"),
        "password_change_done",
    ),
    people("", home.home, "home"),
    people("w/<str:wiki_slug>/", index.index, "index"),
    people("w/<str:wiki_slug>/tags", tags.tags, "tags"),
    people("w/<str:wiki_slug>/health", health.health, "health"),
    people("w/<str:wiki_slug>/map", maps.wiki_map, "map"),
    people("w/<str:wiki_slug>/new", editing.new, "new"),
    people("w/<str:wiki_slug>/preview", editing.preview, "preview"),
    people("w/<str:wiki_slug>/search", search.search, "search"),
    people("w/<str:wiki_slug>/titles", search.titles, "titles"),
    people("w/<str:wiki_slug>/trash", trash.trash, "trash"),
    people("w/<str:wiki_slug>/trash/<int:page_id>", trash.trashed, "trashed"),
    people("w/<str:wiki_slug>/<str:slug>.md", pages.markdown, "markdown"),
    people("w/<str:wiki_slug>/<str:slug>", pages.page, "page"),
    people("w/<str:wiki_slug>/<str:slug>/map", maps.neighbourhood, "page_map"),
    people("w/<str:wiki_slug>/<str:slug>/beside", two_pages.two_pages, "two_pages"),
    people("w/<str:wiki_slug>/<str:slug>/edit", editing.edit, "edit"),
    people("w/<str:wiki_slug>/<str:slug>/history", history.history, "history"),
    people("w/<str:wiki_slug>/<str:slug>/history/<int:number>", history.revision, "revision"),
    people("w/<str:wiki_slug>/<str:slug>/trash", trash.trash_one, "page_trash"),
]
