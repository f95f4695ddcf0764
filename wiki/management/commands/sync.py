import time
from argparse import ArgumentTypeError
from collections import Counter
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from covey.base_command import CoveyCommand
from wiki.accounts.wikis import WikiRefused, ensure_wiki, wiki_slug
from wiki.files.sync import Action, SyncRefused, is_bound, sync_folder
from wiki.models import Agent, Wiki
from wiki.pages.author import Author

# What is found again at every look until somebody does something about it.
_LASTING = frozenset((Action.NOTE, Action.CONFLICT, Action.LEAVE))


def _seconds(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("a whole number of seconds, at least 1")
    return int(text)


class Command(CoveyCommand):
    help = (
        "Brings a folder of Markdown files and a wiki together, both ways: pages are written out, "
        "changes of the files "
        "become revisions. Where both changed the same lines, the page's text is laid beside the "
        "file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="the folder; it is made if it is missing")
        parser.add_argument(
            "--wiki", required=True, help="the wiki's slug; it is made if it is missing"
        )
        author = parser.add_mutually_exclusive_group()
        author.add_argument(
            "--agent",
            help="the agent that edits the files; else covey itself is the author, also on "
            "protected pages",
        )
        author.add_argument("--person", help="the user name of the person who edits the files")
        looks = parser.add_mutually_exclusive_group()
        looks.add_argument(
            "--dry-run", action="store_true", help="only say what would be done, and change nothing"
        )
        parser.add_argument(
            "--allow-deletions",
            action="store_true",
            help="move pages to the trash even if many files are gone",
        )
        looks.add_argument(
            "--watch",
            type=_seconds,
            metavar="SECONDS",
            help="go on, and look again every so many seconds",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["path"].expanduser()
        if folder.exists() and not folder.is_dir():
            raise CommandError(f"{folder} is not a folder.")
        author = _author(options["agent"], options["person"])
        with transaction.atomic() if options["dry_run"] else nullcontext():
            wiki = self._find_wiki(folder, options)
            troubles = self._look(wiki, folder, author, options)
            if options["dry_run"]:
                transaction.set_rollback(True)
        if troubles:
            raise SystemExit(1)

    def _find_wiki(self, folder: Path, options: dict[str, Any]) -> Wiki:
        """The wiki, made if it is missing: in a dry run until the transaction is rolled back."""
        try:
            slug = wiki_slug(options["wiki"])
            # A folder remembers a wiki that is there, so this one would be of no use to it.
            if is_bound(folder) and not Wiki.objects.filter(slug=slug).exists():
                raise CommandError(
                    f"There is no wiki “{slug}”, and {folder} belongs to another one."
                )
            wiki, is_new = ensure_wiki(options["wiki"])
        except WikiRefused as error:
            raise CommandError(str(error)) from error
        if is_new:
            self.stderr.write(
                f"The wiki “{wiki.slug}” {'would be' if options['dry_run'] else 'was'} made."
            )
        return wiki

    def _look(self, wiki: Wiki, folder: Path, author: Author, options: dict[str, Any]) -> int:
        """Synchronise once, or repeatedly; return the number of files that needed a person at
        first."""
        told: set[str] = set()
        troubles = self._run(wiki, folder, author, told, options)
        with suppress(KeyboardInterrupt):
            while options["watch"]:
                time.sleep(options["watch"])
                self._run(wiki, folder, author, told, options)
        return troubles

    def _run(
        self, wiki: Wiki, folder: Path, author: Author, told: set[str], options: dict[str, Any]
    ) -> int:
        """Synchronise once; return the number of files that need a person. The same sentence is not
        printed twice in a row."""
        counts: Counter[Action] = Counter()
        troubles: set[str] = set()
        may_trash_many = options["allow_deletions"]
        try:
            for file in sync_folder(
                wiki, folder, author, is_dry=options["dry_run"], may_trash_many=may_trash_many
            ):
                counts[file.action] += 1
                if file.sentence:
                    troubles.add(f"{file.action} {file.path}: {file.sentence}")
                elif options["dry_run"] and file.action != Action.NOTE:
                    self.stdout.write(f"{file.action}: {file.path}")
        except SyncRefused as error:
            if not options["watch"]:
                raise CommandError(str(error)) from error
            troubles.add(str(error))
        for line in sorted(troubles - told):
            self.stderr.write(line)
        is_news = troubles != told or any(
            counts[action] for action in Action if action not in _LASTING
        )
        told.clear()
        told.update(troubles)
        done = ", ".join(
            f"{counts[action]} {action}"
            for action in Action
            if counts[action] and action != Action.NOTE
        )
        if is_news or not options["watch"]:
            self.stdout.write(
                f"{wiki.slug}: "
                f"{'would be: ' if options['dry_run'] else ''}{done or 'nothing to do'}"
            )
        return len(troubles)


def _author(agent: str | None, person: str | None) -> Author:
    if agent:
        found = Agent.objects.filter(name=agent).first()
        if found is None:
            raise CommandError(f"There is no agent “{agent}”. `manage.py create_token` makes one.")
        return Author.of_agent(found)
    if person:
        user = User.objects.filter(username=person, is_active=True).first()
        if user is None:
            raise CommandError(f"There is no person with the user name “{person}”.")
        return Author.person(user)
    return Author.maintenance()
