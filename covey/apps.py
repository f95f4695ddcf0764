from django.apps import AppConfig

from covey.log_redaction import install_log_redaction


class CoveyConfig(AppConfig):
    name = "covey"

    def ready(self) -> None:
        from covey import checks, database_checks  # noqa: F401, PLC0415  (registers the checks)

        install_log_redaction()
