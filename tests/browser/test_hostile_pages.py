"""A page that tries to run something, on every screen where its words appear.

What it would run sets a mark; and whatever the strict policy of the site stops is told in the
console, which `visit` watches. So this sees the attempt too, not only the success.
"""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page as Screen
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.doing import body_of, button, type_body
from tests.support.screens import join
from tests.support.writing import create_page, revise_page
from wiki.insights.intake import Handed, file_insight
from wiki.models import Agent, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page

RUN = "window.hacked=1"
HOSTILE = f"<script>{RUN}</script><img src=x onerror={RUN}><svg onload={RUN}>"
BODY = f"""{HOSTILE}

<iframe srcdoc="<script>parent.hacked=1</script>"></iframe><meta http-equiv="refresh" content="0;url=/healthz">
<base href="https://example.org/"><form action="/logout" method="post"><button>Press</button></form>
<style>body{{display:none}}</style><details open ontoggle={RUN}><summary>More</summary></details>
<a href="#" onclick="{RUN}">a</a> <math><mtext><table><mglyph><style><img src=x onerror={RUN}>

[inline](javascript:{RUN}) [tab](JaVa\tScript:{RUN}) [coded](&#106;avascript:{RUN}) [vb](vbscript:{RUN})
[data](data:text/html,<script>{RUN}</script>) <javascript:{RUN}> [ref][r] ![picture](javascript:{RUN})
[[javascript:{RUN}]]

[r]: javascript:{RUN}

{{{{ 7*7 }}}} {{% load i18n %}}
<b hx-get="/healthz" hx-trigger="load" hx-on:click="{RUN}" x-data="{RUN}" @click="{RUN}">b</b>

# Heading {HOSTILE}

## Two {HOSTILE}

### Three "onmouseover={RUN} x="

```html" onclick={RUN}
{HOSTILE}
```

| {HOSTILE} | [[Second|{HOSTILE}]] |
|---|---|
| 1 | 2 |

＜script＞{RUN}＜/script＞
"""
SCREENS = {
    "index": "/w/ops/",
    "page": "/w/ops/{slug}",
    "mentions": "/w/ops/{slug}/mentions",
    "neighbourhood": "/w/ops/{slug}/map?similar",
    "map": "/w/ops/map?similar",
    "two pages": "/w/ops/{slug}/beside?with=second",
    "history": "/w/ops/{slug}/history",
    "old text": "/w/ops/{slug}/history/1",
    "difference": "/w/ops/{slug}/history/2?changes",
    "comparison": "/w/ops/{slug}/compare?from=1&to=2",
    "undo": "/w/ops/{slug}/undo/2",
    "rename": "/w/ops/{slug}/rename",
    "trash question": "/w/ops/{slug}/trash",
    "search": "/w/ops/search?q=hacked",
    "search of markup": "/w/ops/search?q=%3Cscript%3Ewindow.hacked%3D1%3C/script%3E",
    "recent changes": "/w/ops/changes",
    "undo all": "/w/ops/changes/undo?by=person:%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D1%3E",
    "tags": "/w/ops/tags",
    "health": "/w/ops/health?finding=dead-links",
    "trash": "/w/ops/trash",
    "members": "/w/ops/members",
    "not written": "/w/ops/%3Cimg%20src=x%20onerror=window.hacked=1%3E",
    "wikis": "/",
    "edit": "/w/ops/{slug}/edit",
}
# Whatever could run, lead astray or load something, wherever it came from.
DANGERS = """() => [...document.querySelectorAll("*")].filter((element) => {
  const names = element.getAttributeNames();
  if (names.some((name) => /^on|^x-|^@|^srcdoc$/.test(name))) return true;
  const isInText = element.closest("article, .changes, #preview");
  if (isInText && names.some((name) => name.startsWith("hx-"))) return true;
  if (element.matches("iframe, object, embed, base, meta[http-equiv], style")) return true;
  if (element.matches("script") && (!element.src || new URL(element.src).origin !== location.origin)) return true;
  const place = (element.getAttribute("href") || element.getAttribute("src") || element.getAttribute("action") || "");
  return /^\\s*(javascript|vbscript|data):/i.test(place.replace(/[\\u0000-\\u0020]/g, ""));
}).map((element) => element.outerHTML.slice(0, 200))"""


@pytest.fixture
def owner(wiki: Wiki) -> User:
    name = f"<img src=x onerror={RUN}>"
    return join(wiki, name, Role.OWNER).user


@pytest.fixture
def slug(wiki: Wiki, owner: User) -> str:
    """A page whose every field is hostile, in a wiki whose every word is."""
    Wiki.objects.filter(pk=wiki.pk).update(name=f"Ops {HOSTILE}", description=HOSTILE)
    author = Author.person(owner)
    into = {"wiki": wiki, "author": author, "type": "system", "tags": [HOSTILE[:60], "a"]}
    page = create_page(title=f"First {HOSTILE}", body="Nothing yet, window.hacked.", **into)
    page = revise_page(page, 1, title=page.title, body=BODY, author=author, summary=HOSTILE)
    create_page(
        title="Second", body=f"See [[{page.slug}]]. First {HOSTILE} said it. {HOSTILE}", **into
    )
    trash_page(create_page(title=f"Gone {HOSTILE}", body=BODY, **into), author=author)
    agent = Agent.objects.create(name=f"robin <img src=x onerror={RUN}>", home_wiki=wiki)
    file_insight(
        wiki, agent, Handed(f"Learned: {HOSTILE}", page="second", source=HOSTILE, task=HOSTILE)
    )
    return page.slug


def assert_harmless(screen: Screen, where: str) -> None:
    assert screen.evaluate("window.hacked") is None, where
    assert screen.evaluate(DANGERS) == [], where


def test_nothing_runs_on_any_screen(visit: Visit, owner: User, slug: str) -> None:
    screen = visit(as_user=owner)
    screen.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    shown = 0
    for name, address in SCREENS.items():
        path = address.format(slug=slug)
        screen.goto(path)
        # Nor has anything led away from it.
        assert screen.evaluate("location.pathname + location.search").startswith(
            path.split("%")[0]
        ), name
        assert_harmless(screen, name)
        shown += "hacked=1" in screen.locator("body").inner_text()
    assert shown > 15


def test_nothing_runs_where_scripts_put_the_words(visit: Visit, owner: User, slug: str) -> None:
    screen = visit("/w/ops/new", as_user=owner)
    body_of(screen).fill(BODY)
    expect(screen.locator("#preview")).to_contain_text("{{ 7*7 }}")
    assert_harmless(screen, "preview")
    body_of(screen).fill("")
    type_body(screen, "[[fir")
    expect(screen.get_by_role("listbox").get_by_role("option").first).to_contain_text(
        "First <script>"
    )
    assert_harmless(screen, "completion")
    screen.keyboard.press("Escape")
    body_of(screen).fill("")
    screen.goto(f"/w/ops/{slug}/edit")
    body_of(screen).fill(f"Other {HOSTILE}")
    button(screen, "Changes").click()
    expect(screen.locator("#changes ins").first).to_be_visible()
    assert_harmless(screen, "changes of the form")
    body_of(screen).fill(BODY)
    screen.keyboard.press("Control+k")
    screen.keyboard.type("hacked")
    expect(screen.get_by_role("dialog").get_by_role("option").first).to_contain_text("<script>")
    assert_harmless(screen, "palette")


def test_pressing_whatever_a_page_offers_runs_nothing(visit: Visit, owner: User, slug: str) -> None:
    screen = visit(f"/w/ops/{slug}", as_user=owner)
    article = screen.get_by_role("article")
    assert article.locator("form, button").count() == 0
    for number in range(article.locator("a[href^='#']").count()):
        article.locator("a[href^='#']").nth(number).evaluate("link => link.click()")
    article.dispatch_event("click")
    link = screen.get_by_role("link", name="Unlinked mentions")
    link.click()
    expect(screen.locator("#mentions")).to_be_visible()
    assert_harmless(screen, "mentions in place")
