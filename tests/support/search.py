from wiki.models import Wiki
from wiki.search.hit import Mode
from wiki.search.retrieval import Recall, RecallRequest, retrieve


def recall(wiki: Wiki, query: str, mode: Mode = Mode.VECTOR, **options) -> Recall:
    """The recall of S10, unless another mode is asked for."""
    return retrieve(RecallRequest(wiki, query, mode=mode, **options))
