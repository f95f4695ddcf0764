"""Words of English and German that more than one rule about text knows."""

# In full, and short.
ENGLISH_MONTHS = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sept sep oct nov dec".split()
)
GERMAN_MONTHS = (
    "januar jänner februar feber märz april mai juni juli august september oktober november "
    "dezember jan feb mär mrz apr jun jul aug sept sep okt nov dez".split()
)
WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday "
    "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag".split()
)

# A dot behind one of these is part of it.
ABBREVIATIONS = frozenset(
    "abb abs al anm anh approx apr aug avg az bd bspw bzgl bzw ca cf ch co corp dept dez di dipl "
    "dr ebd eq est evtl excl exkl fa feb ff fig fr gem gen geb ggf ggü hr hrsg inc incl inkl insb "
    "jan jr jul jun kap lt ltd max mi min mio mo mr mrd mrs ms nov nr okt orig ph prof resp rd sa "
    "sec sek sen sept sog sr st std str tab tel univ vgl vol vs zit zzgl zzt".split()
)
# Most often whole words; short for something before a number, or as the day in "Mo. bis So."
ABBREVIATIONS_BEFORE_NUMBERS = frozenset("no art so do mai am".split())
# Stand at the end of a sentence as often as within one.
ABBREVIATIONS_AT_ENDS = frozenset("etc usw".split())
