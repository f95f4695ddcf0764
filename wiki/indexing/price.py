"""What it costs to embed the stock with a model of the house, said before it happens."""

import logging

from embeddings.client import active_model, describe_provider
from embeddings.local_server.models import MODELS
from embeddings.measurement import TYPICAL, describe_duration
from wiki.indexing.counts import embedded_lengths
from wiki.indexing.embed import stale_pages

logger = logging.getLogger(__name__)


def announce_price() -> None:
    if price := describe_price():
        logger.info(price)


def describe_price() -> str:
    """Say how long the stale pages will take, and each search; "" for none, or where it is
    unknown."""
    provider = describe_provider()
    local = None if provider.is_outside else MODELS.get(active_model())
    lengths = embedded_lengths(stale_pages()) if local else []
    if local is None or not lengths:
        return ""
    seconds = sum(lengths) / TYPICAL * local.price.page / 1000
    return (
        f"{len(lengths)} pages with {sum(lengths)} characters are going to be embedded with "
        f"{local.name}: {describe_duration(seconds)} on one core. From then on each search waits "
        f"{local.price.query:g} ms for its vector, and saving a page {local.price.page:g} ms. "
        "`manage.py measure_embedding` measures it here."
    )
