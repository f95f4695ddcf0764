"""Which page each form of a browser was saved as, kept in its session."""

from django.contrib.sessions.backends.base import SessionBase, UpdateError

SAVED = "saved_forms"
KEPT = 40


class SavedForms:
    def __init__(self, session: SessionBase) -> None:
        self._session = session

    def keys(self) -> list[str]:
        return [*self._session.get(SAVED, {})]

    def page_of(self, form_key: str) -> int | None:
        return self._stored().get(form_key)

    def keep(self, form_key: str, page_id: int) -> None:
        if not form_key:
            return
        kept = {**self._stored(), form_key: page_id}
        self._session[SAVED] = dict([*kept.items()][-KEPT:])
        # At once, so that the same form sent again finds it, and not a second time at the end of the request.
        try:
            self._session.save()
        except UpdateError:
            # Signed out in another tab this very moment: the page is saved all the same.
            return
        finally:
            self._session.modified = False

    def _stored(self) -> dict[str, int]:
        """Read anew: another request of this browser may have written since this one began."""
        return type(self._session)(self._session.session_key).get(SAVED, {})
