"""Waits until nobody uses the server any more, however the last user ended, and stops it (see share.py)."""

import sys
from pathlib import Path

from covey.embedded.share import Share

if __name__ == "__main__":
    Share(Path(sys.argv[1])).keep()
