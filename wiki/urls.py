"""The addresses for people (spec 3.5): who may open what is said by the helper that each of them is made with."""

from collections.abc import Callable

from django.contrib.auth import views as auth_views
from django.http import HttpResponseBase
from django.urls import URLPattern, include, path

from wiki.views import (
    access,
    agents,
    changes,
    connecting,
    editing,
    feeds,
    form_parts,
    health,
    history,
    home,
    index,
    invitation,
    maps,
    members,
    merges,
    pages,
    passwords,
    pictures,
    protecting,
    recalls,
    redirects,
    renaming,
    review,
    search,
    settings,
    similar,
    standing,
    suggestions,
    tags,
    trash,
    two_pages,
    undoing,
)


def people(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    """For those who are signed in; what they may do in a wiki is the view's question."""
    return path(route, access.signed_in(view), name=name)


def readers(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    """For those who are signed in, and where a wiki is public for everybody who only looks."""
    return path(route, access.open_to_readers(view), name=name)


urlpatterns = [
    path("login", access.SignIn.as_view(), name="login"),
    path("logout", auth_views.LogoutView.as_view(), name="logout"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("invitation/<str:secret>", invitation.open_invitation, name="open_invitation"),
    path("invitation", invitation.invitation, name="invitation"),
    path("password/forgotten", passwords.ForgottenPassword.as_view(), name="password_reset"),
    path("password/forgotten/done", passwords.MailIsOnItsWay.as_view(), name="password_reset_done"),
    path("password/new/done", passwords.NewPasswordIsSet.as_view(), name="password_reset_complete"),
    path("password/new/<str:uidb64>/<str:token>", passwords.NewPassword.as_view(), name="password_reset_confirm"),
    people("password", passwords.ChangePassword.as_view(), "password_change"),
    people("password/done", passwords.PasswordChanged.as_view(), "password_change_done"),
    readers("", home.home, "home"),
    people("search", search.search, "search_all"),
    people("find", search.instant, "instant_all"),
    readers("find/<str:wiki_slug>", search.instant, "instant"),
    readers("w/<str:wiki_slug>/", index.index, "index"),
    readers("w/<str:wiki_slug>/tags", tags.tags, "tags"),
    readers("w/<str:wiki_slug>/health", health.health, "health"),
    readers("w/<str:wiki_slug>/map", maps.wiki_map, "map"),
    people("w/<str:wiki_slug>/new", editing.new, "new"),
    people("w/<str:wiki_slug>/new/template", form_parts.template, "template"),
    people("w/<str:wiki_slug>/preview", form_parts.preview, "preview"),
    people("w/<str:wiki_slug>/preview/changes", form_parts.changes, "preview_changes"),
    readers("w/<str:wiki_slug>/search", search.search, "search"),
    people("w/<str:wiki_slug>/titles/links", form_parts.links, "link_titles"),
    people("w/<str:wiki_slug>/titles/headings", form_parts.headings, "link_headings"),
    people("w/<str:wiki_slug>/trash", trash.trash, "trash"),
    people("w/<str:wiki_slug>/trash/<int:page_id>", trash.trashed, "trashed"),
    readers("w/<str:wiki_slug>/pictures", pictures.pictures, "pictures"),
    readers("w/<str:wiki_slug>/pictures/<str:name>", pictures.picture, "picture"),
    people("w/<str:wiki_slug>/pictures/<str:name>/remove", pictures.remove, "picture_remove"),
    # An older page may have this address too, and that one anybody may read who may read the wiki.
    readers("w/<str:wiki_slug>/members", members.members, "members"),
    people("w/<str:wiki_slug>/members/<int:member_id>", members.member, "member"),
    people("w/<str:wiki_slug>/members/leave", members.leave, "leave"),
    people("w/<str:wiki_slug>/merges", merges.queue, "merges"),
    people("w/<str:wiki_slug>/merges/<int:proposal_id>", review.review, "review"),
    people("w/<str:wiki_slug>/merges/undo/<int:merge_id>", merges.undo, "undo_merge"),
    # As with the members: an older page may have this address too.
    readers("w/<str:wiki_slug>/suggestions", suggestions.suggestions, "suggestions"),
    people("w/<str:wiki_slug>/suggestions/<int:suggestion_id>", suggestions.review, "suggestion"),
    people("w/<str:wiki_slug>/agents", agents.agents, "agents"),
    people("w/<str:wiki_slug>/agents/<int:agent_id>", agents.agent, "agent"),
    # As with the members.
    readers("w/<str:wiki_slug>/connect", connecting.connect, "connect"),
    people("w/<str:wiki_slug>/settings", settings.settings, "settings"),
    readers("w/<str:wiki_slug>/changes", changes.changes, "changes"),
    people("w/<str:wiki_slug>/changes/seen", changes.seen, "changes_seen"),
    people("w/<str:wiki_slug>/changes/undo", undoing.undo_all, "undo_all"),
    # A reader of feeds cannot sign in: these ask by themselves who it is.
    path("w/<str:wiki_slug>/feed", feeds.wiki_feed, name="wiki_feed"),
    people("w/<str:wiki_slug>/feed/address", feeds.feed_address, "feed_address"),
    path("w/<str:wiki_slug>/<str:slug>/feed", feeds.page_feed, name="page_feed"),
    readers("w/<str:wiki_slug>/<str:slug>.md", pages.markdown, "markdown"),
    readers("w/<str:wiki_slug>/<str:slug>", pages.page, "page"),
    readers("w/<str:wiki_slug>/<str:slug>/mentions", pages.mentions, "mentions"),
    readers("w/<str:wiki_slug>/<str:slug>/map", maps.neighbourhood, "page_map"),
    readers("w/<str:wiki_slug>/<str:slug>/similar", similar.similar, "similar"),
    readers("w/<str:wiki_slug>/<str:slug>/beside", two_pages.two_pages, "two_pages"),
    people("w/<str:wiki_slug>/<str:slug>/beside/merge", review.propose_merge, "propose_merge"),
    people("w/<str:wiki_slug>/<str:slug>/edit", editing.edit, "edit"),
    readers("w/<str:wiki_slug>/<str:slug>/history", history.history, "history"),
    readers("w/<str:wiki_slug>/<str:slug>/history/<int:number>", history.revision, "revision"),
    readers("w/<str:wiki_slug>/<str:slug>/compare", history.compare, "compare"),
    people("w/<str:wiki_slug>/<str:slug>/undo/<int:number>", undoing.undo, "undo"),
    people("w/<str:wiki_slug>/<str:slug>/recalls", recalls.page_recalls, "page_recalls"),
    people("w/<str:wiki_slug>/<str:slug>/trash", trash.trash_one, "page_trash"),
    people("w/<str:wiki_slug>/<str:slug>/rename", renaming.rename, "rename"),
    people("w/<str:wiki_slug>/<str:slug>/rename/undo", renaming.undo, "undo_rename"),
    people("w/<str:wiki_slug>/<str:slug>/protection", protecting.protection, "protection"),
    people("w/<str:wiki_slug>/<str:slug>/standing", standing.mark, "standing"),
    people("w/<str:wiki_slug>/<str:slug>/redirect/remove", redirects.remove, "remove_redirect"),
]
