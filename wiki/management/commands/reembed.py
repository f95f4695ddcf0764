from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from covey.commands import CoveyCommand
from embeddings.client import EmbeddingError
from wiki.indexing import embed_packet, stale_pages
from wiki.tasks import queue_reembed


class Command(CoveyCommand):
    help = "Embeds stale pages: queued for the worker, or here with --now."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--now", action="store_true", help="embed here and wait for it")

    def handle(self, *args: Any, **options: Any) -> None:
        total = stale_pages().count()
        if not total:
            self.stdout.write("Every page is embedded with the active model.")
        elif options["now"]:
            self._embed_here(total)
        else:
            queue_reembed()
            self.stdout.write(f"{total} stale pages are queued for the worker.")

    def _embed_here(self, total: int) -> None:
        embedded = 0
        with tqdm(total=total, unit="page", disable=None) as bar:
            try:
                while done := embed_packet():
                    embedded += done
                    bar.update(done)
            except EmbeddingError as error:
                raise CommandError(f"{error} {stale_pages().count()} pages are still stale.") from error
        self.stdout.write(f"{embedded} pages embedded.")
