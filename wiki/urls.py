"""The addresses for people. The helper that makes each of them says who may open it."""

from collections.abc import Callable

from django.contrib.auth import views as auth_views
from django.http import HttpResponseBase
from django.urls import URLPattern, include, path

from wiki.views import feeds, graph, images, lint, recall, search, suggestions
from wiki.views.accounts import auth, home, invitation, members, passwords, settings
from wiki.views.agents import activity, connect
from wiki.views.history import recent_changes, revert, revisions
from wiki.views.merging import compare, queue, review, similar
from wiki.views.pages import (
    edit,
    form_partials,
    listing,
    protect,
    read,
    redirects,
    rename,
    status,
    tags,
    trash,
)


def people(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    """For signed-in people; the view checks their role in the wiki."""
    return path(route, auth.signed_in(view), name=name)


def readers(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    """For signed-in people, and for everybody to look at a public wiki."""
    return path(route, auth.open_to_readers(view), name=name)


urlpatterns = [
    path("login", auth.SignIn.as_view(), name="login"),
    path("logout", auth_views.LogoutView.as_view(), name="logout"),
    path("i18n/", include("django.conf.urls.i18n")),
    path("invitation/<str:secret>", invitation.open_invitation, name="open_invitation"),
    path("invitation", invitation.invitation, name="invitation"),
    path("password/forgotten", passwords.ForgottenPassword.as_view(), name="password_reset"),
    path("password/forgotten/done", passwords.MailIsOnItsWay.as_view(), name="password_reset_done"),
    path("password/new/done", passwords.NewPasswordIsSet.as_view(), name="password_reset_complete"),
    path(
        "password/new/<str:uidb64>/<str:token>",
        passwords.NewPassword.as_view(),
        name="password_reset_confirm",
    ),
    people("password", passwords.ChangePassword.as_view(), "password_change"),
    people("password/done", passwords.PasswordChanged.as_view(), "password_change_done"),
    readers("", home.home, "home"),
    people("search", search.search, "search_all"),
    people("find", search.instant, "instant_all"),
    readers("find/<str:wiki_slug>", search.instant, "instant"),
    readers("w/<str:wiki_slug>/", listing.index, "index"),
    readers("w/<str:wiki_slug>/tags", tags.tags, "tags"),
    readers("w/<str:wiki_slug>/health", lint.health, "health"),
    readers("w/<str:wiki_slug>/map", graph.wiki_map, "map"),
    readers("w/<str:wiki_slug>/titles", read.choice, "choice"),
    people("w/<str:wiki_slug>/new", edit.new, "new"),
    people("w/<str:wiki_slug>/new/template", form_partials.template, "template"),
    people("w/<str:wiki_slug>/preview", form_partials.preview, "preview"),
    people("w/<str:wiki_slug>/preview/changes", form_partials.changes, "preview_changes"),
    readers("w/<str:wiki_slug>/search", search.search, "search"),
    people("w/<str:wiki_slug>/titles/links", form_partials.links, "link_titles"),
    people("w/<str:wiki_slug>/titles/headings", form_partials.headings, "link_headings"),
    people("w/<str:wiki_slug>/trash", trash.trash, "trash"),
    people("w/<str:wiki_slug>/trash/<int:page_id>", trash.trashed, "trashed"),
    readers("w/<str:wiki_slug>/pictures", images.pictures, "pictures"),
    readers("w/<str:wiki_slug>/pictures/<str:name>", images.picture, "picture"),
    people("w/<str:wiki_slug>/pictures/<str:name>/remove", images.remove, "picture_remove"),
    people("w/<str:wiki_slug>/members", members.members, "members"),
    people("w/<str:wiki_slug>/members/<int:member_id>", members.member, "member"),
    people("w/<str:wiki_slug>/members/leave", members.leave, "leave"),
    people("w/<str:wiki_slug>/merges", queue.queue, "merges"),
    people("w/<str:wiki_slug>/merges/<int:proposal_id>", review.review, "review"),
    people("w/<str:wiki_slug>/merges/undo/<int:merge_id>", queue.undo, "undo_merge"),
    people("w/<str:wiki_slug>/suggestions", suggestions.suggestions, "suggestions"),
    people("w/<str:wiki_slug>/suggestions/<int:suggestion_id>", suggestions.review, "suggestion"),
    people("w/<str:wiki_slug>/agents", activity.agents, "agents"),
    people("w/<str:wiki_slug>/agents/<int:agent_id>", activity.agent, "agent"),
    people("w/<str:wiki_slug>/connect", connect.connect, "connect"),
    people("w/<str:wiki_slug>/settings", settings.settings, "settings"),
    readers("w/<str:wiki_slug>/changes", recent_changes.changes, "changes"),
    people("w/<str:wiki_slug>/changes/seen", recent_changes.seen, "changes_seen"),
    people("w/<str:wiki_slug>/changes/undo", revert.undo_all, "undo_all"),
    # A reader of feeds cannot sign in: these ask by themselves who it is.
    path("w/<str:wiki_slug>/feed", feeds.wiki_feed, name="wiki_feed"),
    people("w/<str:wiki_slug>/feed/address", feeds.feed_address, "feed_address"),
    path("w/<str:wiki_slug>/<str:slug>/feed", feeds.page_feed, name="page_feed"),
    readers("w/<str:wiki_slug>/<str:slug>.md", read.markdown, "markdown"),
    readers("w/<str:wiki_slug>/<str:slug>", read.page, "page"),
    readers("w/<str:wiki_slug>/<str:slug>/mentions", read.mentions, "mentions"),
    readers("w/<str:wiki_slug>/<str:slug>/map", graph.neighbourhood, "page_map"),
    readers("w/<str:wiki_slug>/<str:slug>/similar", similar.similar, "similar"),
    readers("w/<str:wiki_slug>/<str:slug>/beside", compare.two_pages, "two_pages"),
    people("w/<str:wiki_slug>/<str:slug>/beside/merge", review.propose_merge, "propose_merge"),
    people("w/<str:wiki_slug>/<str:slug>/edit", edit.edit, "edit"),
    readers("w/<str:wiki_slug>/<str:slug>/history", revisions.history, "history"),
    readers("w/<str:wiki_slug>/<str:slug>/history/<int:number>", revisions.revision, "revision"),
    readers("w/<str:wiki_slug>/<str:slug>/compare", revisions.compare, "compare"),
    people("w/<str:wiki_slug>/<str:slug>/undo/<int:number>", revert.undo, "undo"),
    people("w/<str:wiki_slug>/<str:slug>/recalls", recall.page_recalls, "page_recalls"),
    people("w/<str:wiki_slug>/<str:slug>/trash", trash.trash_one, "page_trash"),
    people("w/<str:wiki_slug>/<str:slug>/rename", rename.rename, "rename"),
    people("w/<str:wiki_slug>/<str:slug>/rename/undo", rename.undo, "undo_rename"),
    people("w/<str:wiki_slug>/<str:slug>/protection", protect.protection, "protection"),
    people("w/<str:wiki_slug>/<str:slug>/standing", status.mark, "standing"),
    people("w/<str:wiki_slug>/<str:slug>/redirect/remove", redirects.remove, "remove_redirect"),
]
