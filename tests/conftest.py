"""Fixtures of all tests. Settings, data folder and environment of a test run stand in
tests/settings.py."""

from pathlib import Path

import pytest

# What takes long lies in folders by kind; `make quick` leaves them out.
KINDS = ("process", "browser", "sweep")

pytest_plugins = [
    "tests.support.fixtures",
    "tests.support.embedding_fixtures",
    "tests.support.semantic_service",
    "tests.support.crowded_model",
    "tests.support.mcp_client",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--renew",
        action="store_true",
        help="write the description of the API and its examples anew",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folder = item.path.relative_to(Path(__file__).parent).parts[0]
        if folder in KINDS:
            item.add_marker(folder)
    # What waits most begins first, so that the other worker has something to do meanwhile.
    items.sort(key=lambda item: item.path.name != "test_model_switch.py")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Whoever runs the tests without a browser shall not think that its journeys passed."""
    skipped = [
        report
        for report in terminalreporter.stats.get("skipped", [])
        if "tests/browser" in report.nodeid
    ]
    if skipped:
        terminalreporter.section("NOT RUN", yellow=True, bold=True)
        terminalreporter.line(f"{len(skipped)} browser tests: {skipped[0].longrepr[2]}")
