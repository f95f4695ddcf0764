"""In which time zone days begin, and times are told."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from wiki.insights.intake import Handed, file_insight
from wiki.recall.prompt import context_block
from wiki.search.retrieval import IndexExtent, RecallRequest, retrieve

# It is never the same day in both.
ZONES = ["Pacific/Kiritimati", "Pacific/Pago_Pago"]


@pytest.mark.parametrize("zone", ZONES)
def test_an_addition_is_of_the_day_where_its_readers_are(wiki, agent, settings, zone):
    settings.TIME_ZONE = zone
    file_insight(
        wiki,
        agent,
        Handed("The mirror rejects files over 64 MiB, so large wheels are loaded in parts."),
    )
    insight = file_insight(
        wiki,
        agent,
        Handed("The mirror rejects files over 64 MiB, so large wheels are loaded twice."),
        "",
    )
    today = datetime.now(ZoneInfo(zone)).date().isoformat()
    assert f"::: insight robin | {today}" in insight.page.body
    request = RecallRequest(wiki, "mirror")
    found = retrieve(request)
    block = context_block(request, found, extent=IndexExtent.NONE, budget=2_000, with_text=True)
    assert f"{today} by robin (agent)" in block
