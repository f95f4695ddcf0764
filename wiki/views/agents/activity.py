"""The agents of a wiki, for its owners; and the activity of one, for its editors."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from wiki.agents.activity import changes_of, insights_of, list_agents, recalls_of, tokens_by_agent
from wiki.agents.api_tokens import revoke_wiki
from wiki.models import ApiToken, Role, Wiki
from wiki.views.frame import frame_context
from wiki.views.history.recent_changes import SHOWN
from wiki.views.permissions import find_wiki, may
from wiki.views.query_parameters import posted_number, read_number

PER_SCREEN = 50
HANDED_SHOWN, CHANGES_SHOWN, RECALLS_SHOWN = 20, 20, 10


@require_http_methods(["GET", "HEAD", "POST"])
def agents(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    """Every agent with its tokens; posting revokes one."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    if request.method == "POST":
        _revoke(request, wiki)
        return redirect("agents", wiki.slug)
    screen = Paginator(list_agents(wiki), PER_SCREEN).get_page(request.GET.get("page"))
    keys = tokens_by_agent(wiki, screen.object_list)
    rows = [(agent, keys[agent.pk]) for agent in screen.object_list]
    return render(request, "wiki/agents/agents.html", frame_context(wiki, screen=screen, rows=rows))


@require_http_methods(["GET", "HEAD", "POST"])
def agent(request: HttpRequest, wiki_slug: str, agent_id: int) -> HttpResponse:
    """Insights, changes and recalls of an agent in this wiki; its tokens are for owners."""
    wiki = find_wiki(request, wiki_slug, Role.OWNER if request.method == "POST" else Role.EDITOR)
    shown = get_object_or_404(list_agents(wiki), pk=agent_id if agent_id < 2**63 else 0)
    if request.method == "POST":
        _revoke(request, wiki)
        return redirect("agent", wiki.slug, shown.pk)
    before = read_number(request.GET.get("before", ""))
    handed = insights_of(shown, wiki)
    insights = list((handed.filter(pk__lt=before) if before else handed)[: HANDED_SHOWN + 1])
    changes = (
        changes_of(shown, wiki, request.user)
        .with_growth()
        .only(*SHOWN, "token__prefix", "token__revoked_at")
    )
    context = frame_context(
        wiki,
        agent=shown,
        keys=tokens_by_agent(wiki, [shown])[shown.pk] if may(request, Role.OWNER) else None,
        insights=insights[:HANDED_SHOWN],
        older=insights[HANDED_SHOWN - 1].pk if len(insights) > HANDED_SHOWN else None,
        is_later_screen=before > 0,
        changes=[] if before else changes[:CHANGES_SHOWN],
        recalls=[] if before else recalls_of(shown, wiki)[:RECALLS_SHOWN],
    )
    return render(request, "wiki/agents/agent.html", context)


def _revoke(request: HttpRequest, wiki: Wiki) -> None:
    token = (
        ApiToken.objects.usable().opening(wiki).filter(pk=posted_number(request, "revoke")).first()
    )
    if token is None:
        messages.error(request, _("Nothing was revoked: this token opens the wiki no longer."))
        return
    revoke_wiki(token, wiki)
    messages.success(
        request, _("The token {prefix}… opens this wiki no longer.").format(prefix=token.prefix)
    )
