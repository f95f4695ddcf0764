"""Django's PostgreSQL backend with the embedded server's address, found at every connect."""

import select
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import OperationalError
from django.db.backends.postgresql import base
from django.utils.asyncio import async_unsafe

from covey.embedded.cluster import SUPERUSER
from covey.embedded.errors import ServerError
from covey.embedded.postmaster import Postmaster
from covey.embedded.server import Server

server = Server(Path(settings.COVEY_DATA_DIR))


class DatabaseUnavailable(OperationalError, CommandError):
    """A database failure that a command prints as one line."""


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        return {**super().get_connection_params(), **self._address()}

    @async_unsafe
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        try:
            return super().get_new_connection(conn_params)
        except self.Database.OperationalError:
            # It may be going down or recovering: wait for one that answers.
            return super().get_new_connection({**conn_params, **self._address(verify=True)})

    def is_usable(self) -> bool:
        """Query the server only if its socket has input, as it has when the server is gone.

        Called before the first query of every request.
        """
        if self.connection is None or self.connection.closed:
            return False
        heard = select.poll()
        heard.register(self.connection.fileno(), select.POLLIN)
        return not heard.poll(0) or super().is_usable()

    def _address(self, verify: bool = False) -> dict[str, str]:
        parameters = self.settings_dict.get("EMBEDDED_PARAMETERS", {})
        try:
            found: Postmaster = server.find(parameters, verify)
        except ServerError as error:
            raise DatabaseUnavailable(str(error)) from error
        return {"host": str(found.socket_folder), "port": found.port, "user": SUPERUSER}
