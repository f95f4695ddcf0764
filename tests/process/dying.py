"""A process that ends in the middle of a piece of work, again and again (test_kills.py starts it).

python -m tests.process.dying DATABASE

Reads lines of "WORK STEP ID…" and answers each with what became of the child that did it: "killed"
or "done". The child is killed by SIGKILL at its STEP-th step: before every statement, before and
after every commit.
"""

import os
import signal
import sys

import django

django.setup()

from django.db import connection  # noqa: E402
from django.db.backends.postgresql.base import DatabaseWrapper  # noqa: E402
from django.db.backends.utils import CursorWrapper  # noqa: E402

from tests.support.writing import append_text  # noqa: E402
from wiki.insights.intake import Handed, file_insight  # noqa: E402
from wiki.merging.maintenance import maintain  # noqa: E402
from wiki.merging.merge import merge_pages, undo_merge  # noqa: E402
from wiki.models import Agent, Merge, Page  # noqa: E402
from wiki.pages.author import Author  # noqa: E402

BOT = Author.maintenance()


def merge(survivor: str, source: str) -> None:
    merge_pages(Page.objects.get(pk=survivor), Page.objects.get(pk=source), author=BOT)


def undo(merge_id: str) -> None:
    undo_merge(Merge.objects.get(pk=merge_id), author=BOT)


def file(page: str, agent: str) -> None:
    filer = Agent.objects.get(pk=agent)
    file_insight(
        filer.home_wiki,
        filer,
        Handed("The new word is zirconium.", page=Page.objects.get(pk=page).slug),
    )


def append(page: str) -> None:
    append_text(Page.objects.get(pk=page), "The new word is zirconium.", author=BOT)


WORK = {"merge": merge, "maintain": maintain, "undo": undo, "file": file, "append": append}


class Failpoint:
    """Wraps whatever talks to the database."""

    def __init__(self, step: int) -> None:
        self.left = step

    def install(self) -> None:
        execute, commit = CursorWrapper._execute_with_wrappers, DatabaseWrapper._commit

        def mortal_execute(*arguments, **more):
            self.pass_by()
            return execute(*arguments, **more)

        def mortal_commit(*arguments, **more):
            self.pass_by()
            commit(*arguments, **more)
            self.pass_by()

        CursorWrapper._execute_with_wrappers = mortal_execute
        DatabaseWrapper._commit = mortal_commit

    def pass_by(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def run(name: str, step: int, ids: list[str]) -> str:
    child = os.fork()
    if child == 0:
        try:
            Failpoint(step).install()
            WORK[name](*ids)
        finally:
            # Nothing of the parent's may run here: no exit handler, no flush.
            os._exit(1 if sys.exc_info()[0] else 0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "killed"
    return "done" if os.waitstatus_to_exitcode(status) == 0 else "failed"


def main() -> None:
    connection.settings_dict["NAME"] = sys.argv[1]
    for line in sys.stdin:
        name, step, *ids = line.split()
        print(run(name, int(step), ids), flush=True)


if __name__ == "__main__":
    main()
