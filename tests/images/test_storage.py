"""Pictures on pages: stored by content, shown, handed out so that nothing in them runs, listed,
removed."""

import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import unquote

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from tests.support.image_files import file_of, image, photograph, stored_files
from tests.support.screens import HOSTILE, count_queries, text
from tests.support.writing import create_page, revise_page
from wiki.images.formats import MAX_PICTURE_BYTES
from wiki.images.storage import PictureNotStored, picture_path, remove_picture, store_picture
from wiki.models import AuthorKind, Membership, Picture, Role, Wiki
from wiki.pages.author import Author
from wiki.pages.trash import trash_page

PNG = file_of("PNG")
JSON = {"Accept": "application/json"}


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.COVEY_DATA_DIR = tmp_path / "var"


@pytest.fixture
def stored(wiki, author):
    """Stores a picture: stored(seed=…, name=…)"""

    def store(seed=1, name="rack.png", into=None):
        return store_picture(into or wiki, file_of("PNG", image(seed=seed)), name, author)

    return store


def upload(browser, data=PNG, name="rack.png", wiki="ops", **more):
    return browser.post(f"/w/{wiki}/pictures", {"picture": SimpleUploadedFile(name, data)}, **more)


def without_form(answer):
    return re.sub(r'<input type="hidden"[^>]*>', "", answer.content.decode())


def reader_of(wiki):
    client, user = Client(), User.objects.create_user("rita")
    Membership.objects.create(wiki=wiki, user=user, role=Role.READER)
    client.force_login(user)
    return client


def stranger():
    client = Client()
    client.force_login(User.objects.create_user("stan"))
    return client


# -- storing


def test_the_same_bytes_are_the_same_picture(wiki, stored):
    first, second = stored(name="a.png"), stored(name="b.png")
    assert first == second
    assert second.name == "a.png"
    assert stored_files(wiki) == [f"{first.hash}.png"]


def test_a_picture_in_two_wikis_is_two_rows_and_two_files(wiki, stored):
    other = Wiki.objects.create(slug="zwei", name="Zwei")
    first, second = stored(), stored(into=other)
    assert first.hash == second.hash
    remove_picture(first)
    assert stored_files(wiki) == []
    assert stored_files(other) == [f"{first.hash}.png"]
    assert list(Picture.objects.all()) == [second]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../../etc/passwd.png", "passwd.png"),
        ("C:\\Bilder\\rack.png", "rack.png"),
        ("gnp.\u202eexe.png", "gnp.exe.png"),
        ("a\u200bb\x00\n.png", "ab\ufffd .png"),
        ("x" * 300 + ".png", "x" * 200),
        ("\"quoted\" 'name'.png", "\"quoted\" 'name'.png"),
        ("", ""),
        ("..", ".."),
    ],
)
def test_a_name_is_only_a_name(wiki, author, stored, name, kept):
    picture = stored(name=name)
    assert picture.name == kept
    assert stored_files(wiki) == [f"{picture.hash}.png"]


def test_a_lost_file_is_written_again(browser, stored):
    picture = stored()
    picture_path(picture).unlink()
    assert browser.get(picture.get_absolute_url()).status_code == 404
    assert stored() == picture
    assert browser.get(picture.get_absolute_url()).status_code == 200


def test_a_file_without_a_row_is_found_by_nobody_and_taken_over(browser, wiki, stored):
    picture = stored()
    Picture.objects.all().delete()
    assert browser.get(picture.get_absolute_url()).status_code == 404
    assert stored().pk != picture.pk
    assert stored_files(wiki) == [f"{picture.hash}.png"]


def test_a_disk_that_takes_nothing_leaves_no_row_and_says_so(
    browser, wiki, monkeypatch, settings, caplog
):
    settings.COVEY_DATA_DIR.write_text("no folder")
    answer = upload(browser, headers=JSON)
    assert answer.status_code == 507
    assert "could not be written" in answer.json()["error"]
    assert not Picture.objects.exists()
    assert "Not a directory" in caplog.text


def test_a_file_that_breaks_off_while_it_is_written_leaves_nothing(wiki, stored, monkeypatch):
    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wiki.images.storage.os.replace", fail)
    with pytest.raises(PictureNotStored):
        stored()
    assert list(picture_path(Picture(wiki=wiki, hash="x", format="png")).parent.iterdir()) == []


@pytest.mark.django_db(transaction=True)
def test_storing_and_removing_at_once_never_leaves_a_row_without_its_file(author_of_threads):
    wiki, author = author_of_threads

    def work(number):
        try:
            picture = store_picture(wiki, PNG, f"{number}.png", author)
            if number % 3 == 2:
                remove_picture(picture)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(24)))
    assert stored_files(wiki) == [f"{picture.hash}.png" for picture in Picture.objects.all()]


@pytest.mark.django_db(transaction=True)
def test_twenty_uploads_of_one_picture_at_once_are_one_row_and_one_file(author_of_threads):
    wiki, author = author_of_threads

    def work(number):
        try:
            return store_picture(wiki, PNG, "a.png", author).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        assert len(set(pool.map(work, range(20)))) == 1
    assert len(stored_files(wiki)) == 1


# -- on a page


def test_a_picture_is_drawn_with_its_size(browser, write, stored):
    small, large = stored(), store_picture(*photo_arguments(stored))
    write(
        "Rack",
        f'![The <b>rack</b> & "more"]({small.address} "A title")\n\n![wide](./{large.address})',
    )
    html = browser.get("/w/ops/rack").content.decode()
    assert (
        f'<img src="/w/ops/{small.address}" alt="The &lt;b&gt;rack&lt;/b&gt; &amp; '
        f'&quot;more&quot;" '
        'title="A title" width="40" height="30" loading="lazy">'
    ) in html
    assert f'<a href="/w/ops/{large.address}" rel="noopener noreferrer nofollow"><img' in html


def photo_arguments(stored):
    first = stored()
    return first.wiki, file_of("PNG", image(400, 20)), "wide.png", Author.maintenance()


def test_every_screen_draws_the_picture_by_its_whole_address(browser, write, stored):
    picture = stored()
    page = write("Rack", f"![it]({picture.address}) and [a link]({picture.address})")
    image_of_it = f'<img src="/w/ops/{picture.address}"'
    for address in ("/w/ops/rack", "/w/ops/rack/history/1"):
        html = text(browser.get(address))
        assert image_of_it in html
        assert (
            f'<a href="/w/ops/{picture.address}" rel="noopener noreferrer nofollow">a link' in html
        )
    assert image_of_it in text(browser.post("/w/ops/preview", {"body": page.body}))
    trash_page(page, author=Author.maintenance())
    assert image_of_it in text(browser.get(f"/w/ops/trash/{page.pk}"))


@pytest.mark.parametrize(
    "address",
    [
        "pictures/0123456789abcdef.png",
        "pictures/../../login",
        "pictures/0123456789ABCDEF.png",
        "/static/covey/mark.svg",
        "/logout",
        "foo.png",
        "data:image/png;base64,iVBORw0KGgo=",
    ],
)
def test_a_picture_that_is_not_there_is_said_to_be_missing(browser, write, address):
    write("Rack", f"Before ![the rack]({address}) after ![]({address})")
    html = browser.get("/w/ops/rack").content.decode()
    assert '<span class="absent">the rack (picture is missing)</span>' in html
    assert '<span class="absent">picture is missing</span>' in html
    assert "<img" not in html


def test_a_picture_of_another_wiki_is_missing(browser, write, stored):
    other = stored(into=Wiki.objects.create(slug="zwei", name="Zwei"))
    write("Rack", f"![x]({other.address})")
    assert "picture is missing" in text(browser.get("/w/ops/rack"))


def test_a_wrong_ending_names_no_picture(browser, write, stored):
    address = stored().address.replace(".png", ".gif")
    write("Rack", f"![x]({address})")
    assert "picture is missing" in text(browser.get("/w/ops/rack"))
    assert browser.get(f"/w/ops/{address}").status_code == 404


@pytest.mark.parametrize(
    "words",
    [
        '"><script>alert(1)</script>',
        '" onerror="alert(1)',
        "{{ 7*7 }}",
        "![a](javascript:alert(1))",
        "[[x|y]]",
    ],
)
def test_nothing_in_the_words_of_a_picture_runs(browser, write, stored, words):
    write("Rack", f'![{words}]({stored().address} "{words.replace(chr(34), "")}")')
    article = re.search(
        r'<article class="prose">(.*?)</article>', browser.get("/w/ops/rack").content.decode(), re.S
    )[1]
    bare = re.sub(r'"[^"]*"', '""', article)
    assert "<script" not in bare
    assert "onerror" not in bare
    assert 'href="javascript' not in article


def test_pictures_cost_a_page_one_query_and_a_page_without_none(browser, write, stored):
    addresses = [stored(seed=seed).address for seed in range(5)]
    for title, number in (("None", 0), ("One", 1), ("Five", 5)):
        write(title, "".join(f"![x]({address})\n\n" for address in addresses[:number]))
    browser.get("/w/ops/none")
    none, one, five = (count_queries(browser, f"/w/ops/{name}") for name in ("none", "one", "five"))
    assert one == five == none + 1


def test_a_quote_of_a_text_says_the_words_of_its_pictures(browser, write, stored):
    write("Rack", f"The ![blinking lamp]({stored().address}) means trouble.")
    html = text(browser.get("/w/ops/search?q=trouble"))
    assert "blinking lamp" in html
    assert "pictures/" not in re.sub(r'<a href="[^"]*"', "", html)


# -- handing out


def test_a_picture_is_handed_out_so_that_nothing_in_it_runs(browser, stored):
    picture = stored(name='evil".html')
    answer = browser.get(picture.get_absolute_url())
    assert b"".join(answer.streaming_content) == picture_path(picture).read_bytes()
    assert answer["Content-Type"] == "image/png"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert (
        answer["Content-Security-Policy"]
        == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    )
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer["Content-Disposition"] == 'inline; filename="evil\\".png"'
    assert answer["Content-Length"] == str(picture.bytes)
    assert "private" in answer["Cache-Control"]
    assert "immutable" in answer["Cache-Control"]


def test_a_picture_that_the_browser_has_is_not_sent_again(browser, stored):
    picture = stored()
    etag = browser.get(picture.get_absolute_url())["ETag"]
    answer = browser.get(picture.get_absolute_url(), headers={"If-None-Match": etag})
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer["ETag"] == etag
    assert (
        browser.get(picture.get_absolute_url(), headers={"If-None-Match": '"other"'}).status_code
        == 200
    )


@pytest.mark.parametrize(
    "name", ["übersicht der Schränke.png", "a\r\nSet-Cookie: x=1.png", "\u202e" * 5 + ".png"]
)
def test_a_name_cannot_leave_its_header(browser, stored, name):
    answer = browser.get(stored(name=name).get_absolute_url())
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    assert unquote(answer["Content-Disposition"]).rstrip('"').endswith(".png")


@pytest.mark.parametrize(
    "name",
    [
        "..%2f..%2fsecret_key",
        "%2e%2e",
        "secret_key",
        "0123456789abcdef.svg",
        "a%00b.png",
        "x" * 5000,
        "*.png",
    ],
)
def test_no_name_leads_to_another_file(browser, stored, name):
    stored()
    assert browser.get(f"/w/ops/pictures/{name}").status_code == 404


def test_who_may_not_see_the_wiki_sees_no_picture_of_it(client, wiki, stored):
    picture = stored()
    addresses = [
        picture.get_absolute_url(),
        "/w/ops/pictures",
        f"{picture.get_absolute_url()}/remove",
    ]
    somebody = stranger()
    missing = somebody.get("/w/nowhere/pictures/0123456789abcdef.png")
    for address in addresses:
        assert client.get(address)["Location"].startswith("/login")
        answer = somebody.get(address)
        assert answer.status_code == 404
        assert without_form(answer) == without_form(missing)
    assert (
        somebody.get(addresses[0], headers={"If-None-Match": f'"{picture.hash}"'}).status_code
        == 404
    )
    assert upload(somebody).status_code == 404
    assert somebody.post(addresses[2]).status_code == 404
    assert Picture.objects.count() == 1


def test_a_reader_looks_and_changes_nothing(wiki, stored):
    picture, rita = stored(), reader_of(wiki)
    assert rita.get(picture.get_absolute_url()).status_code == 200
    html = text(rita.get("/w/ops/pictures"))
    assert "rack.png" in html
    assert 'type="file"' not in html
    assert "/remove" not in html
    assert upload(rita, file_of("GIF")).status_code == 403
    assert rita.get(f"{picture.get_absolute_url()}/remove").status_code == 403
    assert rita.post(f"{picture.get_absolute_url()}/remove").status_code == 403
    assert Picture.objects.count() == 1


# -- uploading


def test_a_script_gets_the_markdown_of_what_it_uploads(browser, person):
    answer = upload(browser, photograph("JPEG"), "Der [alte] `Rack`|.jpg", headers=JSON)
    picture = Picture.objects.get()
    assert answer.status_code == 201
    assert answer.json() == {
        "markdown": f"![Der alte Rack](pictures/{picture.hash[:16]}.jpg)",
        "url": picture_url(picture),
    }
    assert (picture.author_kind, picture.author_name) == (AuthorKind.PERSON, "pat")
    assert (picture.width, picture.height) == (30, 40)


def picture_url(picture):
    return f"/w/ops/pictures/{picture.hash[:16]}.{picture.format}"


def test_a_form_without_script_shows_the_markdown(browser):
    answer = upload(browser)
    picture = Picture.objects.get()
    assert answer["Location"] == f"/w/ops/pictures?new={picture.file_name}"
    html = text(browser.get(answer["Location"]))
    assert "“rack.png” is stored." in html
    assert html.count(f"![rack](pictures/{picture.file_name})") == 2


def test_the_bytes_count_and_not_the_name(browser):
    upload(browser, file_of("GIF"), "rack.png")
    upload(browser, file_of("WEBP"), "rack")
    upload(browser, file_of("JPEG"), "rack.svg")
    assert [(p.format, p.file_name[-4:]) for p in Picture.objects.order_by("id")] == [
        ("gif", ".gif"),
        ("webp", "webp"),
        ("jpg", ".jpg"),
    ]


@pytest.mark.parametrize(
    ("data", "status", "words"),
    [
        (b"<svg/>", 415, "SVG can run scripts"),
        (b"<html><script>alert(1)</script>", 415, "no picture"),
        (PNG[:-20], 422, "damaged or cut off"),
        (PNG + b"x" * MAX_PICTURE_BYTES, 413, "at most 5"),
    ],
)
def test_a_refusal_says_why_to_a_script_and_on_the_screen(browser, data, status, words):
    answer = upload(browser, data, headers=JSON)
    assert answer.status_code == status
    assert words in answer.json()["error"]
    answer = upload(browser, data)
    assert answer.status_code == status
    assert words in re.search(r'role="alert">(.*?)<', text(answer))[1]
    assert not Picture.objects.exists()


def test_a_form_without_a_file_asks_for_one(browser):
    assert browser.post("/w/ops/pictures").status_code == 400
    assert browser.post("/w/ops/pictures", {"picture": "words"}, headers=JSON).json() == {
        "error": "Choose a file first."
    }
    assert upload(browser, b"", headers=JSON).status_code in (400, 422)


def test_an_upload_needs_a_csrf_token(person, wiki):
    client = Client(enforce_csrf_checks=True)
    client.force_login(person)
    assert upload(client).status_code == 403
    client.get("/w/ops/pictures")
    # From the cookie, as the form's script sends it: it is new after somebody has signed in again.
    token = client.cookies["covey_csrf"].value
    assert upload(client, headers={**JSON, "X-CSRFToken": token}).status_code == 201


def test_who_is_no_longer_signed_in_is_sent_to_sign_in(client, wiki):
    answer = upload(client, headers=JSON)
    assert (answer.status_code, answer["Location"]) == (302, "/login?next=/w/ops/pictures")
    assert not Picture.objects.exists()


def test_what_is_larger_than_any_form_is_refused_unread(browser, wiki):
    class Unread:
        def read(self, *arguments):
            raise AssertionError("It was read.")

        readline = read

    for address in ("/w/ops/pictures", "/w/ops/new", "/login"):
        answer = browser.post(
            address, **{"wsgi.input": Unread(), "CONTENT_LENGTH": str(50 * 1024 * 1024)}
        )
        assert answer.status_code == 413, address
        assert "5 MiB" in text(answer)


# -- the screen


def test_the_screen_says_who_uses_a_picture(browser, write, stored):
    used, unused = stored(1, "used.png"), stored(2, "lonely.png")
    for number in range(5):
        write(f"Page {number}", f"![x]({used.address}) ![y]({used.address})")
    trash_page(write("Old", f"![x]({used.address})"), author=Author.maintenance())
    rows = text(browser.get("/w/ops/pictures")).split("<li>")
    [row] = [row for row in rows if "<b>used.png</b>" in row]
    assert "On 5 pages:" in row
    assert [f"Page {number}" in row for number in range(5)] == [True, True, True, False, False]
    assert "PNG · 40 × 30 · 4 KiB" in row
    assert 'class="who person"' in row
    [row] = [row for row in rows if "<b>lonely.png</b>" in row]
    assert "On no page" in row
    assert unused.file_name in row


def test_the_screen_is_paged_and_needs_no_query_more(browser, stored, write):
    for seed in range(3):
        write(f"Page {seed}", f"![x]({stored(seed).address})")
    few = count_queries(browser, "/w/ops/pictures")
    for seed in range(3, 26):
        write(f"Page {seed}", f"![x]({stored(seed).address})")
    assert count_queries(browser, "/w/ops/pictures") == few
    assert text(browser.get("/w/ops/pictures")).count('class="thumb"') == 24
    assert text(browser.get("/w/ops/pictures?page=2")).count('class="thumb"') == 2


def test_an_empty_screen_says_so(browser, wiki):
    assert "There is no picture in this wiki yet." in text(browser.get("/w/ops/pictures"))


def test_a_hostile_name_is_shown_as_it_was_written(browser, stored):
    picture = stored(name=f"{HOSTILE.replace('/', '')}.png")
    for address in (
        "/w/ops/pictures",
        f"/w/ops/pictures?new={picture.file_name}",
        f"{picture_url(picture)}/remove",
    ):
        html = browser.get(address).content.decode()
        assert "<script>alert" not in html
        assert "&lt;script&gt;alert(1)" in html


def test_the_menu_leads_to_the_pictures(browser, wiki):
    assert '<a href="/w/ops/pictures">Pictures</a>' in text(browser.get("/w/ops/"))


# -- removing


def test_removal_names_the_pages_that_show_it(browser, write, stored):
    picture = stored()
    write("Shows it", f"![x]({picture.address})")
    was = write("Showed it", f"![x]({picture.address})")
    revise_page(was, 1, title="Showed it", body="No more.", author=Author.maintenance())
    trash_page(write("Trashed", f"![x]({picture.address})"), author=Author.maintenance())
    html = text(browser.get(f"{picture_url(picture)}/remove"))
    assert "1 page shows it." in html
    assert '<a href="/w/ops/shows-it">Shows it</a>' in html
    assert "1 page in the trash shows it." in html
    assert "An earlier revision of 1 page shows it." in html
    assert "Showed it</a>" not in html
    assert Picture.objects.exists()


def test_removal_takes_row_and_file_and_an_upload_puts_it_back(browser, wiki, write, stored):
    picture = stored()
    write("Rack", f"![the rack]({picture.address})")
    answer = browser.post(f"{picture_url(picture)}/remove", follow=True)
    assert "“rack.png” is removed." in text(answer)
    assert stored_files(wiki) == []
    assert browser.get(picture_url(picture)).status_code == 404
    assert "the rack (picture is missing)" in text(browser.get("/w/ops/rack"))
    assert browser.post(f"{picture_url(picture)}/remove").status_code == 404
    upload(browser, file_of("PNG", image(seed=1)))
    assert f'<img src="{picture_url(picture)}"' in text(browser.get("/w/ops/rack"))


def test_removing_what_nobody_uses_says_so(browser, wiki, author, stored):
    picture = stored()
    other = Wiki.objects.create(slug="zwei", name="Zwei")
    create_page(other, title="Fremd", body=f"![x]({picture.address})", author=author)
    html = text(browser.get(f"{picture_url(picture)}/remove"))
    assert "No page shows it." in html
    assert "Fremd" not in html
