from wiki.recall import log
from wiki.search.retrieval import Recall, RecallRequest, retrieve


def hand_out(request: RecallRequest) -> Recall:
    """A recall for an agent, kept in the log."""
    found = retrieve(request)
    log.keep(request, found)
    return found
