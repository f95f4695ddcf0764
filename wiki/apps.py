from django.apps import AppConfig
from django.db.models.signals import post_migrate


class WikiConfig(AppConfig):
    name = "wiki"

    def ready(self) -> None:
        # No model may be imported before.
        from wiki.indexing.words import fill_words  # noqa: PLC0415
        from wiki.pages.links import fill_links  # noqa: PLC0415

        # Also after a restore: whatever brought the pages, they are found by their words and links.
        post_migrate.connect(lambda **_: fill_words(), sender=self, weak=False)
        post_migrate.connect(lambda **_: fill_links(), sender=self, weak=False)
