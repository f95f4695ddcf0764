"""What a process does not import before it needs it."""

import subprocess
import sys

from django.conf import settings


def test_a_process_without_such_a_request_does_not_load_the_protocol():
    script = (
        "import django, sys; django.setup(); import covey.urls; from django.urls import "
        "get_resolver;"
        "get_resolver().url_patterns;"
        "print([name for name in sys.modules if name.split('.')[0] in ('mcp', 'mcp_types')])"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=settings.BASE_DIR, capture_output=True, text=True
    )
    assert found.stdout.strip() == "[]", found.stderr
