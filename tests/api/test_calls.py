"""The JSON API, through its front door."""

import json

import pytest
from django.test import override_settings
from django.utils import timezone

from tests.support.api_client import API, ApiClient
from wiki.models import ApiToken, Insight, Page, Redirect, Revision

PIPELINE = {
    "title": "Pipeline rot",
    "body": "Was zu tun ist, wenn die Pipeline rot ist: das Joblog ansehen.",
}


@pytest.fixture
def pipeline(api):
    assert api.put("/pages/pipeline-rot", PIPELINE).status_code == 201
    return Page.objects.get(slug="pipeline-rot")


def assert_problem(response, status):
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == status
    assert problem["title"]
    assert problem["detail"]
    assert isinstance(problem["errors"], dict)
    return problem


EVERY_CALL = [
    ("GET", "/recall?q=x"),
    ("POST", "/recall"),
    ("POST", "/insights"),
    ("GET", "/insights/1"),
    ("GET", "/pages"),
    ("GET", "/pages/pipeline-rot"),
    ("PUT", "/pages/pipeline-rot"),
    ("DELETE", "/pages/pipeline-rot"),
    ("POST", "/pages/pipeline-rot/append"),
    ("POST", "/pages/pipeline-rot/restore"),
    ("POST", "/pages/pipeline-rot/confirm"),
    ("POST", "/pages/pipeline-rot/mark"),
    ("GET", "/pages/pipeline-rot/revisions"),
    ("GET", "/pages/pipeline-rot/revisions/1"),
    ("GET", "/pages/pipeline-rot/neighbours"),
    ("GET", "/suggestions/1"),
    ("DELETE", "/suggestions/1"),
    ("GET", "/recalls/1"),
    ("POST", "/recalls/1/marks"),
    ("GET", "/status"),
]


@pytest.mark.parametrize(("method", "path"), EVERY_CALL)
@pytest.mark.parametrize("token", ["", "nonsense", "covey_\udc80x", "ü"])
def test_without_a_valid_token_every_call_answers_401(db, method, path, token):
    client = ApiClient()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    assert_problem(client.call(method, path, {}, headers=headers), 401)


@pytest.mark.parametrize("change", ["revoked", "expired"])
def test_a_revoked_or_expired_token_opens_nothing(api, pipeline, change):
    field = {"revoked": "revoked_at", "expired": "expires_at"}[change]
    ApiToken.objects.update(**{field: timezone.now()})
    for method, path in EVERY_CALL:
        assert_problem(api.call(method, path, {}), 401)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/pages/x", PIPELINE),
        ("POST", "/insights", {"text": "Etwas Neues."}),
        ("DELETE", "/pages/pipeline-rot", None),
        ("POST", "/pages/pipeline-rot/append", {"text": "Nachtrag."}),
        ("POST", "/pages/pipeline-rot/restore", None),
        ("POST", "/pages/pipeline-rot/confirm", None),
        ("DELETE", "/suggestions/1", None),
        ("POST", "/pages/pipeline-rot/mark", {"standing": "outdated"}),
    ],
)
def test_a_read_token_may_not_write(reader, pipeline, method, path, body):
    assert_problem(reader.call(method, path, body), 403)
    assert Page.objects.get().revision == 1


@pytest.mark.parametrize("address", ["?wiki=ops", "?wiki=Betrieb", "?wiki=gibt-es-nicht"])
@pytest.mark.parametrize(("method", "path"), EVERY_CALL)
def test_nothing_crosses_from_one_wiki_into_another(stranger, pipeline, address, method, path):
    mark = {"page": "pipeline-rot", "useful": True}
    bodies = {
        "/insights": {"text": "Etwas."},
        "/recall": {"query": "Pipeline"},
        "/recalls/1/marks": mark,
    }
    usual = {**PIPELINE, "text": "x", "base_revision": 1, "standing": "outdated"}
    body = bodies.get(path, usual) if method in ("POST", "PUT") else None
    joined = path + ("&" + address[1:] if "?" in path else address)
    assert_problem(stranger.call(method, joined, body), 404)
    assert Page.objects.get().body == PIPELINE["body"]


def test_the_home_wiki_may_be_named(api, pipeline):
    assert api.get("/pages/pipeline-rot?wiki=ops").status_code == 200


# -- reading and writing pages


def test_a_page_comes_back_as_it_was_written(api):
    body = "Erste Zeile  \n\n    eingerückt\n- Liste\n  - [ ] Aufgabe\n\nEnde ohne Umbruch"
    answer = api.put(
        "/pages/seite",
        {"title": "Seite", "body": body, "type": "Störung", "tags": ["CI", "ci ", "A  b"]},
    )
    assert answer.status_code == 201
    page = api.get("/pages/seite").json()
    assert (page["body"], page["title"], page["type"], page["tags"]) == (
        body,
        "Seite",
        "problem",
        ["ci", "a b"],
    )
    assert (page["revision"], page["embed_model"], page["backlinks"]) == (1, "builtin:hash:256", [])


def test_put_asks_for_the_base_revision_of_an_existing_page(api, pipeline):
    problem = assert_problem(api.put("/pages/pipeline-rot", PIPELINE), 428)
    assert problem["revision"] == 1


def test_put_with_an_old_base_revision_changes_nothing_and_shows_the_current_text(api, pipeline):
    fresh = {**PIPELINE, "body": "Neuer Text.", "base_revision": 1}
    assert api.put("/pages/pipeline-rot", fresh).json()["revision"] == 2
    problem = assert_problem(api.put("/pages/pipeline-rot", {**fresh, "body": "Veraltet."}), 409)
    assert (problem["revision"], problem["current"]["body"]) == (2, "Neuer Text.")
    assert Page.objects.get().body == "Neuer Text."


def test_a_null_edit_makes_no_revision(api, pipeline):
    same = {**PIPELINE, "body": PIPELINE["body"], "base_revision": 1}
    assert api.put("/pages/pipeline-rot", same).json()["revision"] == 1


def test_put_leaves_type_and_tags_that_it_does_not_name(api):
    api.put("/pages/a", {"title": "A", "body": "x", "type": "system", "tags": ["eins"]})
    page = api.put("/pages/a", {"title": "A", "body": "y", "base_revision": 1}).json()
    assert (page["type"], page["tags"]) == ("system", ["eins"])
    page = api.put(
        "/pages/a", {"title": "A", "body": "y", "type": "", "tags": [], "base_revision": 2}
    ).json()
    assert (page["type"], page["tags"]) == ("", [])


def test_a_new_title_does_not_move_the_page(api, pipeline):
    page = api.put(
        "/pages/pipeline-rot", {"title": "Ganz anders", "body": "x", "base_revision": 1}
    ).json()
    assert (page["slug"], page["title"]) == ("pipeline-rot", "Ganz anders")


def test_put_writes_to_exactly_its_address(api):
    for address in ("papá", "papa", "übung", "ubung"):
        assert api.put(f"/pages/{address}", {"title": address, "body": address}).status_code == 201
    assert {page.slug for page in Page.objects.all()} == {"papá", "papa", "übung", "ubung"}


def test_a_redirect_answers_the_target_and_says_so(api, pipeline, wiki):
    Redirect.objects.create(wiki=wiki, slug="rote-pipeline", page=pipeline)
    page = api.get("/pages/rote-pipeline").json()
    assert (page["slug"], page["redirected_from"]) == ("pipeline-rot", "rote-pipeline")
    assert "redirected_from" not in api.get("/pages/pipeline-rot").json()


def test_a_page_found_by_title_or_a_similar_spelling_says_so(api, write):
    write("Übung macht den Meister", slug="übung")
    for asked in ("uebung", "Ubung", "Übung macht den Meister"):
        page = api.get(f"/pages/{asked}").json()
        assert (page["slug"], page["resolved_from"]) == ("übung", asked)
    for asked in ("übung", "Übung"):
        assert "resolved_from" not in api.get(f"/pages/{asked}").json()


@pytest.mark.parametrize("asked", ["uebung", "Übung macht den Meister"])
def test_writing_follows_no_similar_spelling_and_names_the_page_that_is_near(api, write, asked):
    write("Übung macht den Meister", "Text.", slug="übung")
    for method, path in (("POST", "/append"), ("POST", "/restore"), ("DELETE", "")):
        problem = assert_problem(
            api.call(method, f"/pages/{asked}{path}", {"text": "Nachtrag."}), 404
        )
        assert (
            "Did you mean “Übung macht den Meister”? Its address is “übung”." in problem["detail"]
        )
    assert Page.objects.get().revision == 1


def test_append_takes_the_text_of_a_slug_and_a_redirect(api, pipeline, wiki):
    Redirect.objects.create(wiki=wiki, slug="rote-pipeline", page=pipeline)
    for number, asked in enumerate(("Pipeline rot", "rote-pipeline"), start=2):
        answer = api.post(f"/pages/{asked}/append", {"text": f"Nachtrag {number}."})
        assert (answer.json()["slug"], answer.json()["revision"]) == ("pipeline-rot", number)


def test_append_adds_once(api, pipeline):
    for _ in range(2):
        answer = api.post("/pages/pipeline-rot/append", {"text": "Nachtrag eins."})
        assert answer.status_code == 200
    assert answer.json()["body"] == PIPELINE["body"] + "\n\nNachtrag eins."
    assert answer.json()["revision"] == 2


def test_delete_takes_a_page_out_of_every_list_and_restore_brings_it_back(api, pipeline):
    assert api.delete("/pages/pipeline-rot").status_code == 204
    assert_problem(api.get("/pages/pipeline-rot"), 404)
    for mode in ("vector", "keyword", "hybrid"):
        recalled = api.get(f"/recall?q=Pipeline rot&mode={mode}").json()
        assert (recalled["pages"], recalled["index"], recalled["index_total"]) == ([], [], 0)
    assert api.get("/pages").json()["pages"] == []
    assert_problem(api.delete("/pages/pipeline-rot"), 404)
    restored = api.post("/pages/pipeline-rot/restore").json()
    assert restored["body"] == PIPELINE["body"]
    assert restored["embed_model"] == "builtin:hash:256"
    assert api.get("/recall?q=Pipeline rot").json()["pages"][0]["slug"] == "pipeline-rot"


def test_delete_with_an_old_base_revision_is_refused(api, pipeline):
    api.post("/pages/pipeline-rot/append", {"text": "Nachtrag."})
    assert_problem(api.delete("/pages/pipeline-rot?base_revision=1"), 409)
    assert api.delete("/pages/pipeline-rot?base_revision=2").status_code == 204


def test_restore_is_refused_while_another_page_has_the_address(api, pipeline):
    api.delete("/pages/pipeline-rot")
    assert (
        api.put("/pages/pipeline-rot", {"title": "Neu", "body": "Eine andere Seite."}).status_code
        == 201
    )
    assert_problem(api.post("/pages/pipeline-rot/restore"), 409)
    assert api.get("/pages/pipeline-rot").json()["title"] == "Neu"


def test_revisions_are_listed_newest_first_and_keep_their_text(api, pipeline):
    api.put(
        "/pages/pipeline-rot",
        {**PIPELINE, "body": "Zwei.", "base_revision": 1, "summary": "gekürzt"},
    )
    rows = api.get("/pages/pipeline-rot/revisions").json()["revisions"]
    assert [(row["number"], row["kind"], row["summary"]) for row in rows] == [
        (2, "edit", "gekürzt"),
        (1, "create", ""),
    ]
    assert rows[0]["author"] == {"kind": "agent", "name": "robin"}
    assert api.get("/pages/pipeline-rot/revisions/1").json()["body"] == PIPELINE["body"]
    assert_problem(api.get("/pages/pipeline-rot/revisions/3"), 404)


def test_pages_are_listed_by_title_and_paged_by_a_cursor(api, write):
    for number in range(230):
        write(
            f"Seite {number:03}",
            type="system" if number % 2 else "",
            tags=["drei"] if number % 3 == 0 else [],
        )
    titles, address = [], "/pages"
    while address:
        answer = api.get(address).json()
        titles += [page["title"] for page in answer["pages"]]
        address = f"/pages?cursor={answer['next']}" if answer["next"] else ""
    assert titles == [f"Seite {number:03}" for number in range(230)]
    assert len(api.get("/pages?type=systeme").json()["pages"]) == 100
    assert len(api.get("/pages?tag=DREI").json()["pages"]) == 77
    assert [page["title"] for page in api.get("/pages?q=seite 07").json()["pages"]] == [
        f"Seite {number:03}" for number in range(70, 80)
    ]


def test_neighbours_come_with_similarity(api, write):
    for number in range(7):
        write(f"Rechnung {number}", f"Rechnung Nummer {number} wird am Monatsende verschickt.")
    near = api.get("/pages/rechnung-1/neighbours?limit=3").json()["pages"]
    assert len(near) == 3
    assert all(0.5 < row["similarity"] <= 1 and row["slug"] != "rechnung-1" for row in near)
    assert_problem(api.get("/pages/rechnung-1/neighbours?limit=0"), 422)


def test_the_list_of_pages_costs_few_queries(api, write, django_assert_max_num_queries):
    for number in range(30):
        write(f"Seite {number}", "Text mit [[Seite 1]]")
    with django_assert_max_num_queries(4):
        api.get("/pages")
    # Eleven that read or count, two for what is learnt from the question, and the receipt: two in a
    # transaction of their own that does not wait for the disk.
    with django_assert_max_num_queries(11 + 5):
        api.get("/recall?q=Seite&mode=hybrid")


# -- insights


def test_an_insight_answers_with_page_and_candidates(api, pipeline):
    answer = api.post(
        "/insights", {"text": "Der Proxy verwirft Antworten über 64 MiB.", "source": "ticket-17"}
    )
    assert answer.status_code == 201
    filed = answer.json()
    assert filed["outcome"] == "created"
    assert filed["page"]["slug"] == "der-proxy-verwirft-antworten-über-64-mib"
    assert filed["page"]["url"].startswith("http://127.0.0.1:")
    assert [row["slug"] for row in filed["candidates"]] == ["pipeline-rot"]
    assert api.get(f"/insights/{filed['id']}").json() == filed
    assert_problem(api.get("/insights/99999999999999999999"), 404)


def test_the_same_idempotency_key_gives_the_same_answer(api):
    text = {"text": "Das Wartungsfenster der Datenbank liegt dienstags."}
    first = api.post("/insights", text, headers={"Idempotency-Key": "k-1"})
    second = api.post("/insights", text, headers={"Idempotency-Key": "k-1"})
    assert first.json() == second.json()
    assert Insight.objects.count() == 1
    other = api.post("/insights", {"text": "Etwas anderes."}, headers={"Idempotency-Key": "k-1"})
    assert_problem(other, 422)


# -- recall


def test_recall_gives_five_pages_without_a_minimum_and_the_index(api, write):
    for number in range(8):
        write(f"Seite {number}", f"Rechnung Nummer {number} geht an Abteilung {number * 7}.")
    answer = api.get("/recall?q=Der CI-Build schlägt fehl").json()
    assert (len(answer["pages"]), len(answer["index"]), answer["index_total"]) == (5, 8, 8)
    assert (answer["model"], answer["mode"], answer["degraded"]) == (
        "builtin:hash:256",
        "hybrid",
        False,
    )
    row = answer["pages"][0]
    expected = {
        "slug",
        "title",
        "type",
        "tags",
        "similarity",
        "found_by",
        "excerpt",
        "body",
        "truncated",
        "links",
    }
    assert expected | {"author", "updated_at", "url", "standing", "replaced_by"} == set(row)


def test_the_index_can_be_whole_recent_or_left_out(api, write):
    for number in range(3):
        write(f"Seite {number}")
    write("Älteste Seite").__class__.objects.filter(title="Älteste Seite").update(
        updated_at="2020-01-01T00:00:00Z"
    )
    assert [row["title"] for row in api.get("/recall?q=x&index=recent").json()["index"]][
        -1
    ] == "Älteste Seite"
    assert len(api.get("/recall?q=x&index=all").json()["index"]) == 4
    answer = api.get("/recall?q=x&index=none").json()
    assert (answer["index"], answer["index_total"]) == ([], 4)


def test_a_long_query_is_cut_and_not_refused(api, pipeline):
    assert api.post("/recall", {"query": "Pipeline rot " + "wort " * 20_000}).status_code == 200
    assert api.post("/recall", {"query": " " * 9000 + "Pipeline"}).status_code == 200


def test_a_long_page_is_cut_around_the_match(api, write):
    write("Lang", "Füllwort " * 2000 + "\n\nDie Nadel liegt hier.\n\n" + "Füllwort " * 2000)
    [row] = api.get("/recall?q=Nadel liegt").json()["pages"]
    assert row["truncated"] is True
    assert len(row["body"]) <= 4000
    assert "Die Nadel liegt hier." in row["body"]
    assert "Nadel" in row["excerpt"]
    [row] = api.get("/recall?q=Nadel&body=none").json()["pages"]
    assert "body" not in row


def test_a_minimum_similarity_says_how_many_fell_below(api, pipeline, write):
    write("Rechnung", "Rechnungen gehen am Monatsende an die Kunden.")
    answer = api.post("/recall", {"query": PIPELINE["body"], "min_similarity": 0.5}).json()
    assert [page["slug"] for page in answer["pages"]] == ["pipeline-rot"]
    assert answer["below_minimum"] == 1


# -- the rest


def test_status_counts_the_pages_that_the_token_may_read(api, stranger, pipeline):
    status = api.get("/status").json()
    assert (status["provider"], status["fingerprint"], status["pages"], status["stale"]) == (
        "builtin",
        "builtin:hash:256",
        1,
        0,
    )
    assert {"state", "done", "total", "attempt", "error"} <= set(status["reembed"])
    assert any("builtin" in warning for warning in status["warnings"])
    assert stranger.get("/status").json()["pages"] == 0


def test_status_tells_no_count_of_another_wiki(api, stranger, pipeline):
    Page.objects.update(embed_model="", embedding=None)
    status = stranger.get("/status").json()
    assert (status["reembed"]["done"], status["reembed"]["total"], status["stale"]) == (0, 0, 0)
    assert not any("1 page" in warning or "1 Seite" in warning for warning in status["warnings"])
    assert api.get("/status").json()["reembed"]["total"] == 1


def test_openapi_describes_every_call(client):
    paths = client.get(f"{API}/openapi.json").json()["paths"]
    described = {
        (method.upper(), path.removeprefix(API))
        for path, methods in paths.items()
        for method in methods
    }
    generic = {
        (method, path.split("?")[0].replace("pipeline-rot", "{slug}").replace("/1", "/{x}"))
        for method, path in EVERY_CALL
    }
    assert {
        (method, path.replace("{number}", "{x}").replace("{id}", "{x}"))
        for method, path in described
    } == generic


def test_probes_need_no_token(client, db):
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/pages/pipeline-rot", 405),
        ("PATCH", "/pages/pipeline-rot", 405),
        ("DELETE", "/recall", 405),
        ("PUT", "/status", 405),
        ("GET", "/nowhere", 404),
        ("GET", "/", 404),
        ("GET", "/pages/gibt-es-nicht", 404),
        ("GET", "/pages/%00", 404),
        ("GET", "/pages/%ff%fe", 404),
        ("GET", "/pages/" + "x" * 3000, 404),
        ("GET", "/pages/x/revisions/y", 422),
        ("GET", "/pages?cursor=quatsch", 422),
        ("GET", "/pages?cursor=WzEsMl0", 422),
        ("GET", "/pages?type=quatsch", 422),
        ("GET", "/recall", 422),
        ("GET", "/recall?q=", 422),
        ("GET", "/recall?q=%20", 422),
        ("GET", "/recall?q=x&limit=0", 422),
        ("GET", "/recall?q=x&limit=51", 422),
        ("GET", "/recall?q=x&limit=viele", 422),
        ("GET", "/recall?q=x&mode=psychic", 422),
        ("GET", "/recall?q=x&index=some", 422),
        ("GET", "/recall?q=x&body=half", 422),
        ("GET", "/recall?q=x&min_similarity=nan", 422),
        ("GET", "/recall?q=x&min_similarity=2", 422),
    ],
)
def test_bad_addresses_and_parameters_get_their_status(api, pipeline, method, path, status):
    assert_problem(api.call(method, path), status)


NESTED = b'{"text": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"


@pytest.mark.parametrize(
    ("method", "path", "raw", "status"),
    [
        ("POST", "/insights", b"{no", 400),
        ("POST", "/insights", b"", 422),
        ("POST", "/insights", b'{"text": "\xff\xfe"}', 400),
        ("POST", "/insights", NESTED, 400),
        ("POST", "/insights", b"[1]", 422),
        ("POST", "/insights", b"null", 422),
        ("POST", "/insights", b'"text"', 422),
        ("POST", "/insights", b"{}", 422),
        ("POST", "/insights", b'{"text": 7}', 422),
        ("POST", "/insights", b'{"text": {"a": 1}}', 422),
        ("POST", "/insights", b'{"text": ""}', 422),
        ("POST", "/insights", b'{"text": " \\n\\t "}', 422),
        ("POST", "/insights", b'{"text": "Neues.", "page": "gibt-es-nicht"}', 422),
        ("POST", "/insights", b'{"text": "Neues.", "type": "quatsch"}', 422),
        ("POST", "/insights", b'{"text": "Neues.", "tags": "ci"}', 422),
        ("POST", "/insights", b'{"text": "Neues.", "title": "' + b"x" * 201 + b'"}', 422),
        ("PUT", "/pages/neu", b'{"title": "t"}', 422),
        ("PUT", "/pages/neu", b'{"title": "", "body": "x"}', 422),
        ("PUT", "/pages/neu", b'{"title": "t", "body": null}', 422),
        ("PUT", "/pages/neu", b'{"title": {"__class__": 1}, "body": "x"}', 422),
        ("PUT", "/pages/neu", b'{"title": "' + b"x" * 201 + b'", "body": "x"}', 422),
        ("PUT", "/pages/neu", b'{"title": "t", "body": "' + b"x" * (256 * 1024 + 1) + b'"}', 422),
        ("PUT", "/pages/pipeline-rot", b'{"title": "t", "body": "x", "base_revision": "1"}', 422),
        ("PUT", "/pages/pipeline-rot", b'{"title": "t", "body": "x", "base_revision": 1e400}', 422),
        ("POST", "/recall", b'{"query": ""}', 422),
        ("POST", "/recall", b'{"query": "x", "limit": 10000}', 422),
        ("POST", "/pages/pipeline-rot/append", b'{"text": "  "}', 422),
        ("POST", "/pages/gibt-es-nicht/append", b'{"text": "x"}', 404),
        ("POST", "/insights", b'{"text": "' + b"wort " * 250_000 + b'"}', 413),
    ],
)
def test_bad_bodies_get_their_status_and_write_nothing(api, pipeline, method, path, raw, status):
    assert_problem(api.call(method, path, raw=raw), status)
    assert (Page.objects.count(), Revision.objects.count(), Insight.objects.count()) == (1, 1, 0)


def test_limits_hold_exactly(api):
    most = {
        "title": "t" * 200,
        "body": "ü" * 128 * 1024,
        "tags": [f"tag-{number}" for number in range(100)],
    }
    assert api.put("/pages/voll", most).status_code == 201
    problem = assert_problem(
        api.put("/pages/a", {**most, "tags": [*most["tags"], "einer-zu-viel"]}), 422
    )
    assert set(problem["errors"]) == {"tags"}
    links = "\n".join(f"[[Ziel {number}]]" for number in range(1001))
    problem = assert_problem(api.put("/pages/a", {"title": "Links", "body": links}), 422)
    assert set(problem["errors"]) == {"body"}
    assert (
        api.put("/pages/a", {"title": "Links", "body": links.rpartition("\n")[0]}).status_code
        == 201
    )


def test_nul_and_lone_surrogates_are_replaced_and_the_answer_says_so(api):
    raw = json.dumps(
        {"title": "NUL \x00 und \ud83d", "body": "Text \x00 mit \ud83d Ersatz"}
    ).encode()
    page = api.call("PUT", "/pages/nul", raw=raw).json()
    assert (page["title"], page["body"]) == (
        "NUL \ufffd und \ufffd",
        "Text \ufffd mit \ufffd Ersatz",
    )
    assert "U+FFFD" in page["note"]
    assert (
        api.post("/insights", {"text": "Ein \x07 Ton im Text, sonst unauffällig."}).status_code
        == 201
    )
    assert "note" not in api.put("/pages/gut", {"title": "Gut", "body": "Zwei\r\nZeilen"}).json()


def test_a_form_post_with_only_a_session_is_refused(client, person, pipeline):
    client.force_login(person)
    answer = client.post(f"{API}/insights", '{"text": "Fremd."}', content_type="text/plain")
    assert answer.status_code == 401


def test_a_fault_of_the_server_is_a_problem_document_without_a_traceback(api, monkeypatch):
    def fail(*args):
        raise ZeroDivisionError("geheim")

    monkeypatch.setattr("wiki.api.status.count_embeddings", fail)
    problem = assert_problem(api.get("/status"), 500)
    assert "geheim" not in str(problem)


@override_settings(COVEY_PUBLIC_URL="https://wiki.example.test")
def test_links_use_the_public_address(api, pipeline):
    assert (
        api.get("/pages/pipeline-rot").json()["url"]
        == "https://wiki.example.test/w/ops/pipeline-rot"
    )


@pytest.mark.parametrize("letter", ["語", "😀", "İ", "a"])
def test_the_cursor_takes_titles_of_any_script_and_length(api, write, letter):
    for number in range(101):
        write(f"{number:03}{letter * 197}")
    cursor = api.get("/pages").json()["next"]
    assert len(api.get(f"/pages?cursor={cursor}").json()["pages"]) == 1


def test_a_chunked_body_is_refused_with_the_remedy(api):
    answer = api.call(
        "PUT", "/pages/x", {"title": "x", "body": "y"}, headers={"Transfer-Encoding": "chunked"}
    )
    assert (answer.status_code, answer.headers["Content-Type"]) == (411, "application/problem+json")
    assert "Content-Length" in answer.json()["detail"]


def test_a_request_for_another_host_is_refused_with_the_remedy_and_one_line_in_the_log(
    api, client, caplog
):
    for _ in range(3):
        problem = assert_problem(api.call("GET", "/pages", headers={"Host": "evil.example"}), 400)
        assert "COVEY_PUBLIC_URL" in problem["detail"]
    answer = client.get("/login", headers={"Host": "evil.example"})
    assert (answer.status_code, answer["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert "COVEY_PUBLIC_URL" in answer.content.decode()
    assert "Traceback" not in caplog.text
    # The test's two clients have a handler each.
    assert caplog.text.count("evil.example") == 2


@pytest.mark.parametrize(
    "path", ["/pages", "/pages/pipeline-rot", "/recall?q=Pipeline", "/status", "/openapi.json"]
)
def test_head_answers_like_get_without_a_body(api, pipeline, path):
    got, head = api.get(path), api.call("HEAD", path)
    assert (head.status_code, head.content) == (200, b"")
    assert head["Content-Type"] == got["Content-Type"]
    assert head["Content-Length"] == got["Content-Length"]


def test_head_of_what_get_does_not_answer_is_no_success(api, pipeline):
    assert api.call("HEAD", "/pages/nirgends").status_code == 404
    assert api.call("HEAD", "/pages/pipeline-rot/append").status_code == 405
    assert_problem(api.call("OPTIONS", "/pages"), 405)


def test_a_link_of_any_length_is_no_reason_to_refuse_a_page(api):
    for length in (500, 501, 600):
        assert (
            api.put(
                f"/pages/x{length}", {"title": f"x{length}", "body": f"[[{'a' * length}]]"}
            ).status_code
            == 201
        )
