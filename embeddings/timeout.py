from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def run_within(seconds: float, function: Callable[[], Result]) -> Result:
    """The function's result; raises TimeoutError when it takes longer.

    In a thread, because neither the resolution of a name nor a header that trickles obeys httpx's
    time-outs. What comes too late is not ended, only no longer waited for.
    """
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # noqa: BLE001  (carried to the one who waits)
            future.set_exception(error)

    Thread(target=run, name="embedding", daemon=True).start()
    return future.result(seconds)
