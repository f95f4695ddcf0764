"""Links by an old name are rewritten where they are links, byte for byte the rest."""

import pytest

from wiki.markdown import find_wikilinks, place_wikilinks
from wiki.pages.link_rewriting import OldNames, Target, rename_links

OLD = ["Old", "old"]


def rename(body: str, name: str = "New", slug: str = "new") -> str:
    return rename_links(
        body, OldNames([*OLD, "Old#First week"]), [Target(name), Target(slug, name), Target(slug)]
    )


@pytest.mark.parametrize(
    ("body", "renamed"),
    [
        ("[[Old]]", "[[New]]"),
        ("[[ Old ]] [[old]]", "[[New]] [[New]]"),
        ("[[Old|alias]]", "[[New|alias]]"),
        ("[[Old#First week]]", "[[New#First week]]"),
        ("[[Old#First week|that]]", "[[New#First week|that]]"),
        ("[[Old |  my words ]]", "[[New|  my words ]]"),
        (
            "| [[Old|x]] | [[Old\\|x]] |\n|---|---|\n| [[Old]] | a\\|b |",
            "| [[New|x]] | [[New\\|x]] |\n|---|---|\n| [[New]] | a\\|b |",
        ),
        ("> - [ ] [[Old]]\n>\n>   1. **[[Old]]**", "> - [ ] [[New]]\n>\n>   1. **[[New]]**"),
        ("[[Other]] [[Old]] [[Older]] [[An Old]]", "[[Other]] [[New]] [[Older]] [[An Old]]"),
        (
            "[see [[Old]]](https://a.b) ![[[Old]]](x.png)",
            "[see [[New]]](https://a.b) ![[[New]]](x.png)",
        ),
        (
            "A note^[with [[Old]] inside] and [^1]\n\n[^1]: [[Old|x]]",
            "A note^[with [[New]] inside] and [^1]\n\n[^1]: [[New|x]]",
        ),
        (
            "::: insight robin | 2026-11-29\n[[Old]]\n:::",
            "::: insight robin | 2026-11-29\n[[New]]\n:::",
        ),
        ("[[[Old]]] [[Old]]]] \\[[[Old]]\\]", "[[[New]]] [[New]]]] \\[[[New]]\\]"),
        ("# [[Old]]\n\nIt\n\tis [[Old]]  \n\n\n", "# [[New]]\n\nIt\n\tis [[New]]  \n\n\n"),
        ("[[\ufdd10\ufdd1Old]] [[Old]]", "[[\ufdd10\ufdd1Old]] [[New]]"),
    ],
)
def test_only_the_target_of_a_link_changes(body: str, renamed: str) -> None:
    assert rename(body) == renamed


@pytest.mark.parametrize(
    "body",
    [
        "`[[Old]]`",
        "```\n[[Old]]\n```",
        "~~~\n[[Old|x]]\n~~~",
        "    [[Old]]",
        "``a ` [[Old]]``",
        "\\[[Old]]",
        "[[Old",
        "[Old](old)",
    ],
)
def test_what_is_no_link_is_not_rewritten(body: str) -> None:
    assert rename(body) == body
    assert rename(f"{body}\n\n[[Old]]") == f"{body}\n\n[[New]]"


@pytest.mark.parametrize(
    ("title", "renamed"),
    [
        ("Test (2026) - renamed", "[[Test (2026) - renamed]]"),
        ("a+b", "[[a+b]]"),
        ("a\\1", "[[a\\1]]"),
        ("100$", "[[100$]]"),
        ("<b> & {{ 7*7 }}", "[[<b> & {{ 7*7 }}]]"),
        ("x]", "[[slug]]"),
        ("[x]", "[[slug]]"),
        ("a|b", "[[slug|a|b]]"),
        ("C# basics", "[[slug|C# basics]]"),
        ("#tag", "[[slug|#tag]]"),
    ],
)
def test_a_title_that_cannot_stand_in_a_link_gives_way_to_the_address(
    title: str, renamed: str
) -> None:
    assert rename("See [[Old]].", title, "slug") == f"See {renamed}."
    [link] = find_wikilinks(rename("See [[Old|words]].", title, "slug"))
    assert link.label == "words"
    assert link.target in (title, "slug")


def test_a_title_that_would_begin_code_gives_way_to_the_address() -> None:
    assert rename("A ` here, [[Old]] there.", "tick ` tock", "slug") == "A ` here, [[slug]] there."
    assert rename("See [[Old|x]].", "ends with \\", "slug") == "See [[slug|x]]."


def test_the_places_of_links_are_those_of_the_source() -> None:
    body = "- [[a]] `[[b]]`\n\n| [[c|d]] |\n|---|\n| x |\n\n^[note [[e]]] and [[f#g]]"
    placed = place_wikilinks(body)
    assert [body[link.start : link.end] for link in placed] == [
        "[[a]]",
        "[[c|d]]",
        "[[e]]",
        "[[f#g]]",
    ]
    assert sorted(link.link.target for link in placed) == sorted(
        link.target for link in find_wikilinks(body)
    )
