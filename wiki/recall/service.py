from wiki.recall import log
from wiki.search.centring import learn_question
from wiki.search.retrieval import Recall, RecallRequest, retrieve


def hand_out(request: RecallRequest) -> Recall:
    """A recall for an agent, kept in the log."""
    found = retrieve(request)
    if found.vector is not None:
        learn_question(request.wiki, found.model, found.vector, found.total)
    log.keep(request, found)
    return found
