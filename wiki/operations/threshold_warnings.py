"""Whether the thresholds for filing and merging suit the active model, said to operators."""

from collections.abc import Iterator

from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from covey.environment import Default
from embeddings.client import active_fingerprint
from wiki.indexing.calibration import active_calibration, can_tell
from wiki.models import Calibration, Wiki
from wiki.search.similarity_distribution import last_spread
from wiki.search.thresholds import BOUNDS


def find_threshold_warnings(wiki: Wiki | None) -> list[str]:
    """By the calibration, and by the similarities of the pages of one wiki, or of all."""
    calibration = active_calibration()
    by_texts = _by_calibration(calibration) if calibration else ()
    return [*by_texts, *_by_pages(wiki)]


def _by_calibration(calibration: Calibration) -> Iterator[str]:
    if calibration.advised is None:
        yield _(
            "What a similarity means to the model %(model)s is not measured yet. Until then an "
            "insight that may belong to a page waits."
        ) % {"model": calibration.fingerprint}
    elif not can_tell(calibration):
        yield _(
            "The model %(model)s cannot tell what belongs together: unrelated texts reach a "
            "similarity of %(apart)s, and only %(share)s %% of those that say the same are clearly "
            "above it. Every insight that no page says already becomes a page of its own. Choose "
            "another model."
        ) % _figures(calibration)
    else:
        yield from _by_settings(calibration, calibration.advised)


def _by_settings(calibration: Calibration, advised: float) -> Iterator[str]:
    for name, bound in BOUNDS.items():
        given, demanded = getattr(settings, name), bound()
        if isinstance(given, Default) and demanded > given:
            text = _(
                "To the model %(model)s unrelated texts have a similarity of up to %(apart)s, and "
                "half of those that belong together %(together)s or more. %(setting)s is "
                "%(demanded)s for it instead of %(given)s."
            )
        elif not isinstance(given, Default) and given < advised:
            text = _(
                "%(setting)s=%(given)s is obeyed, but to the model %(model)s unrelated texts have "
                "a similarity of up to %(apart)s. Set %(advised)s or more, or leave it empty."
            )
        else:
            continue
        numbers = {"given": number_format(given, 2), "demanded": number_format(demanded, 2)}
        yield text % {**_figures(calibration), **numbers, "setting": name}


def _figures(calibration: Calibration) -> dict[str, str]:
    return {
        "model": calibration.fingerprint,
        "apart": number_format(calibration.apart or 0, 2),
        "together": number_format(calibration.together or 0, 2),
        "advised": number_format(calibration.advised or 0, 2),
        "share": number_format(calibration.percent, 0),
    }


def _by_pages(wiki: Wiki | None) -> Iterator[str]:
    wikis = Wiki.objects.all() if wiki is None else [wiki]
    misfits: dict[str, list[str]] = {}
    for each in wikis:
        spread = last_spread(each, active_fingerprint())
        for name in spread.misfits if spread else []:
            misfits.setdefault(name, []).append(each.name)
    for name, names in misfits.items():
        yield _(
            "%(setting)s=%(value)s does not fit the model %(model)s: in %(wikis)s more than one in "
            "a hundred pairs of "
            "pages lies above it. Set it higher."
        ) % {
            "setting": name,
            "value": f"{BOUNDS[name]():.4g}",
            "model": active_fingerprint(),
            "wikis": ", ".join(names[:5]),
        }
