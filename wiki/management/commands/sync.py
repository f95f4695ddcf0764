import time
from argparse import ArgumentTypeError
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from covey.commands import CoveyCommand
from wiki.authors import Author
from wiki.models import Agent, Wiki
from wiki.syncing import Deed, SyncRefused, sync_folder


def _seconds(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("a whole number of seconds, at least 1")
    return int(text)


class Command(CoveyCommand):
    help = (
        "Brings a folder of Markdown files and a wiki together, both ways: pages are written out, changes of the files "
        "become revisions. Where both changed the same lines, the page's text is laid beside the file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="the folder; it is made if it is missing")
        parser.add_argument("--wiki", required=True, help="the wiki's slug")
        author = parser.add_mutually_exclusive_group()
        author.add_argument(
            "--agent",
            help="the agent that edits the files; else covey itself is the author, also on protected pages",
        )
        author.add_argument("--person", help="the user name of the person who edits the files")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done, and change nothing")
        parser.add_argument(
            "--allow-deletions", action="store_true", help="move pages to the trash even if many files are gone"
        )
        parser.add_argument(
            "--watch", type=_seconds, metavar="SECONDS", help="go on, and look again every so many seconds"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        wiki = Wiki.objects.filter(slug=options["wiki"]).first()
        if wiki is None:
            known = ", ".join(Wiki.objects.values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no wiki “{options['wiki']}”. Wikis: {known}.")
        folder: Path = options["path"].expanduser()
        if folder.exists() and not folder.is_dir():
            raise CommandError(f"{folder} is not a folder.")
        author = _author(options["agent"], options["person"])
        told: set[str] = set()
        troubles = self._run(wiki, folder, author, told, options)
        with suppress(KeyboardInterrupt):
            while options["watch"]:
                time.sleep(options["watch"])
                self._run(wiki, folder, author, told, options)
        if troubles:
            raise SystemExit(1)

    def _run(self, wiki: Wiki, folder: Path, author: Author, told: set[str], options: dict[str, Any]) -> int:
        """One look; says how many files need somebody. What was told is not told again while it lasts."""
        counts: Counter[Deed] = Counter()
        troubles: set[str] = set()
        may_trash_many = options["allow_deletions"]
        try:
            for file in sync_folder(wiki, folder, author, is_dry=options["dry_run"], may_trash_many=may_trash_many):
                counts[file.deed] += 1
                if file.sentence:
                    troubles.add(f"{file.deed} {file.path}: {file.sentence}")
                elif options["dry_run"] and file.deed != Deed.NOTE:
                    self.stdout.write(f"{file.deed}: {file.path}")
        except SyncRefused as error:
            if not options["watch"]:
                raise CommandError(str(error)) from error
            troubles.add(str(error))
        for line in sorted(troubles - told):
            self.stderr.write(line)
        told.clear()
        told.update(troubles)
        done = ", ".join(f"{counts[deed]} {deed}" for deed in Deed if counts[deed] and deed != Deed.NOTE)
        if done or not options["watch"]:
            self.stdout.write(f"{wiki.slug}: {'would be: ' if options['dry_run'] else ''}{done or 'nothing to do'}")
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
