import json
from typing import Any

from django.core.management.base import CommandParser

from covey.base_command import CoveyCommand
from wiki.management.wiki_argument import find_wiki_named
from wiki.recall.evaluation import marked_cases


class Command(CoveyCommand):
    help = (
        "Prints what was marked as useful as lines for `evaluate`: questions whose text is kept, "
        "with the pages that "
        "answer them, and what pages are also asked as."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--wiki", required=True, help="the wiki's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        for case in marked_cases(find_wiki_named(options["wiki"])):
            expected: str | list[str] = (
                case.expected[0] if len(case.expected) == 1 else case.expected
            )
            self.stdout.write(
                json.dumps({"query": case.query, "expected": expected}, ensure_ascii=False)
            )
