"""Wrong passwords are counted by the address that the proxy in front names."""

import pytest
from django.test import RequestFactory

from covey.sign_in_throttle import client_address


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("1.2.3.4:5555", "1.2.3.4"),
        ("9.9.9.9, 1.2.3.4:5555", "1.2.3.4"),
        ("[2001:db8::1]:443", "2001:db8::"),
        ("[2001:db8::1]", "2001:db8::"),
        ("2001:db8::1", "2001:db8::"),
        ("1.2.3.4:55:55", "127.0.0.1"),
        ("[1.2.3.4", "127.0.0.1"),
        ("unknown", "127.0.0.1"),
        ("", "127.0.0.1"),
    ],
)
def test_the_last_address_counts_with_or_without_a_port(settings, forwarded, address) -> None:
    settings.IS_HTTPS = True
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded})
    assert client_address(request) == address
