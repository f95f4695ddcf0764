"""The page and revision that each form of a browser saved, kept in its session."""

from typing import Any

from django.contrib.sessions.backends.base import SessionBase, UpdateError

SAVED = "saved_forms"
KEPT = 40


class SavedForms:
    def __init__(self, session: SessionBase) -> None:
        self._session = session

    def keys(self) -> list[str]:
        return [*self._session.get(SAVED, {})]

    def page_of(self, form_key: str) -> int | None:
        return self._stored().get(form_key, [None])[0]

    def made(self, page_id: int) -> bool:
        """Whether one of the forms made or changed this page."""
        return any(saved[0] == page_id for saved in self._stored().values())

    def revision_of(self, form_key: str, page_id: int) -> int:
        """The revision of the page that this form made, else 0."""
        saved = self._stored().get(form_key)
        return saved[1] if saved and saved[0] == page_id else 0

    def keep(self, form_key: str, page_id: int, revision: int) -> None:
        if not form_key:
            return
        kept = {**self._stored(), form_key: [page_id, revision]}
        self._session[SAVED] = dict([*kept.items()][-KEPT:])
        # At once, so that the same form sent again finds it, and not a second time at the end of
        # the request.
        try:
            self._session.save()
        except UpdateError:
            # Signed out in another tab this very moment: the page is saved all the same.
            return
        finally:
            self._session.modified = False

    def _stored(self) -> dict[str, list[Any]]:
        """Read anew: another request of this browser may have written since this one began."""
        return type(self._session)(self._session.session_key).get(SAVED, {})
