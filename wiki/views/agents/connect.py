"""Connecting an agent: an owner names it, and gets its token and everything filled in with it,
once."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from wiki.agents.activity import list_agents
from wiki.agents.api_tokens import AlreadyCreated, create_token, ensure_agent_of
from wiki.agents.setup_snippets import LANGUAGES, SNIPPETS, fill_snippet, read_instruction
from wiki.models import Agent, ApiToken, Role, Scope, Wiki, WikiQuerySet
from wiki.text.cleaning import clean_line
from wiki.views.forms import ConnectForm
from wiki.views.frame import frame_context
from wiki.views.permissions import find_wiki

NAMES_PROPOSED = 100


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def connect(request: HttpRequest, wiki_slug: str) -> HttpResponse:
    wiki = find_wiki(request, wiki_slug, Role.OWNER)
    others = _others(request, wiki)
    if request.method != "POST":
        form = ConnectForm.of_agent(clean_line(request.GET.get("agent", "")), others)
        return _ask(request, wiki, form)
    form = ConnectForm(request.POST, others=others)
    if not form.is_valid():
        return _ask(request, wiki, form, status=422)
    try:
        agent = ensure_agent_of(form.cleaned_data["agent"], wiki)
        token, secret = _make_token(agent, wiki, form.cleaned_data)
    except AlreadyCreated as error:
        # The page with the token was loaded again, or the way back led to the form.
        known = error.token if error.token.wiki_id == wiki.pk else None
        fresh = ConnectForm.of_agent(form.cleaned_data["agent"], others)
        return _ask(request, wiki, fresh, status=409, is_again=True, known=known)
    return _show(request, wiki, token, secret)


def _others(request: HttpRequest, wiki: Wiki) -> WikiQuerySet:
    """The further wikis that the person may give away a key to."""
    assert isinstance(request.user, User)
    return Wiki.objects.with_role(request.user, Role.OWNER).exclude(pk=wiki.pk).order_by("name")


def _make_token(agent: Agent, wiki: Wiki, asked: dict[str, Any]) -> tuple[ApiToken, str]:
    return create_token(
        agent,
        wiki,
        Scope(asked["scope"]),
        timezone.now() + timedelta(days=asked["days"]) if asked["days"] else None,
        also_opens=asked["also_opens"],
        requests_per_minute=asked["requests_per_minute"],
        form_key=asked["form_key"],
    )


def _ask(
    request: HttpRequest, wiki: Wiki, form: ConnectForm, status: int = 200, **more: Any
) -> HttpResponse:
    context = frame_context(
        wiki,
        form=form,
        names=list_agents(wiki).values_list("name", flat=True)[:NAMES_PROPOSED],
        default_limit=settings.COVEY_REQUESTS_PER_MINUTE,
        **more,
    )
    return render(request, "wiki/agents/connect.html", context, status=status)


@sensitive_variables("secret", "setups", "context")
def _show(request: HttpRequest, wiki: Wiki, token: ApiToken, secret: str) -> HttpResponse:
    """In this answer and nowhere else: no session, no message and no log line has the secret."""
    filled = {
        name: fill_snippet(name, settings.COVEY_PUBLIC_URL, secret, token) for name in SNIPPETS
    }
    context = frame_context(
        wiki,
        token=token,
        secret=secret,
        further=token.also_opens.order_by("name"),
        setups={name.replace(".", "_").replace("-", "_"): text for name, text in filled.items()},
        instructions=[(language, read_instruction(language)) for language in LANGUAGES],
    )
    return render(request, "wiki/agents/connected.html", context)
