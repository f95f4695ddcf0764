from django.apps import AppConfig


class CoveyConfig(AppConfig):
    name = "covey"

    def ready(self) -> None:
        from covey import checks, database_checks  # noqa: F401, PLC0415  (registers the checks)
