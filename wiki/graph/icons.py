"""An icon per page type, because colour alone is not accessible."""

from wiki.models import PageType
from wiki.pages.listing import NO_TYPE

# Paths around the origin, about two units wide, of equal visual weight.
ICON_PATHS: dict[str, str] = {
    PageType.PROBLEM: "M0-1.15L1.15.85H-1.15z",
    PageType.SYSTEM: "M-.9-.9H.9V.9H-.9z",
    PageType.CUSTOMER: "M0-1.25L1.25 0 0 1.25-1.25 0z",
    PageType.PROJECT: "M-1.12 0L-.56-.97H.56L1.12 0 .56.97H-.56z",
    PageType.PERSON: "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
    PageType.TOPIC: "M0-1.15L1.1-.36.68.94H-.68L-1.1-.36z",
    NO_TYPE: "M-.85 0a.85.85 0 1 0 1.7 0a.85.85 0 1 0-1.7 0z",
}
