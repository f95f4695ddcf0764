"""Which time zone a process of covey has."""

from tests.process.test_settings import start

TOLD = (
    "import django; django.setup(); from django.conf import settings; print('zone', "
    "settings.TIME_ZONE)"
)


def test_the_zone_is_that_of_the_setting_else_of_the_environment():
    assert (
        "zone Asia/Kathmandu"
        in start("-c", TOLD, COVEY_TIME_ZONE="Asia/Kathmandu", TZ="Europe/Berlin").stdout
    )
    assert "zone Europe/Berlin" in start("-c", TOLD, COVEY_TIME_ZONE="", TZ="Europe/Berlin").stdout
    # What is no name of a zone is asked no further.
    assert "zone " in start("-c", TOLD, COVEY_TIME_ZONE="", TZ=":CET-1CEST").stdout
