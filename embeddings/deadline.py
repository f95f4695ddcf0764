from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def run_within(seconds: float, function: Callable[[], Result]) -> Result:
    """Return the function's result. Raises TimeoutError, while the function goes on.

    In a thread, because httpx's time-outs bound neither name resolution nor a trickling header.
    """
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # noqa: BLE001  (raised by future.result)
            future.set_exception(error)

    Thread(target=run, name="embedding", daemon=True).start()
    return future.result(seconds)
