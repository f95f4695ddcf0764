"""In which time zone days begin, and times are told."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tests.process.test_settings import start
from wiki.insights.intake import Handed, file_insight
from wiki.recall.prompt import context_block
from wiki.search.retrieval import IndexExtent, recall

# It is never the same day in both.
ZONES = ["Pacific/Kiritimati", "Pacific/Pago_Pago"]
TOLD = "import django; django.setup(); from django.conf import settings; print('zone', settings.TIME_ZONE)"


@pytest.mark.parametrize("zone", ZONES)
def test_an_addition_is_of_the_day_where_its_readers_are(wiki, agent, settings, zone):
    settings.TIME_ZONE = zone
    file_insight(wiki, agent, Handed("The mirror rejects files over 64 MiB, so large wheels are loaded in parts."))
    insight = file_insight(
        wiki, agent, Handed("The mirror rejects files over 64 MiB, so large wheels are loaded twice."), ""
    )
    today = datetime.now(ZoneInfo(zone)).date().isoformat()
    assert f"::: insight robin | {today}" in insight.page.body
    found = recall(wiki, "mirror")
    block = context_block(wiki, "mirror", found, extent=IndexExtent.NONE, budget=2_000, with_text=True)
    assert f"{today} by robin (agent)" in block


def test_the_zone_is_that_of_the_setting_else_of_the_environment():
    assert "zone Asia/Kathmandu" in start("-c", TOLD, COVEY_TIME_ZONE="Asia/Kathmandu", TZ="Europe/Berlin").stdout
    assert "zone Europe/Berlin" in start("-c", TOLD, COVEY_TIME_ZONE="", TZ="Europe/Berlin").stdout
    # What is no name of a zone is asked no further.
    assert "zone " in start("-c", TOLD, COVEY_TIME_ZONE="", TZ=":CET-1CEST").stdout
