from wiki.models import Wiki
from wiki.search.retrieval import Recall, RecallRequest, retrieve


def recall(wiki: Wiki, query: str, **options) -> Recall:
    return retrieve(RecallRequest(wiki, query, **options))
