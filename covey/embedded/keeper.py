"""The process that stops the server after its last user (see covey/embedded/refcount.py)."""

import sys
from pathlib import Path

from covey.embedded.refcount import Share

if __name__ == "__main__":
    Share(Path(sys.argv[1])).keep()
