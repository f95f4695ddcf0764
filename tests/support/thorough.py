"""How much a sweep tries: a tenth by day, all of it under COVEY_THOROUGH=1 (`make thorough`)."""

import os

IS_THOROUGH = os.environ.get("TESTS_ARE_THOROUGH", "") not in ("", "0")


def share_of(count: int) -> int:
    return count if IS_THOROUGH else max(1, count // 10)
