"""Fixtures of all tests. Settings, data folder and environment of a test run stand in tests/settings.py."""

pytest_plugins = ["tests.fixtures", "tests.embedding_fixtures", "tests.semantic_service"]
