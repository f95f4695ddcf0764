"""Titles that name a day instead of a thing: nobody looks for "Protokoll 2026-11-03" a year later.

The rule is one regular expression of PostgreSQL (not of Python), so that the database counts and
pages by it. It is strict where numbers are ambiguous: "v2.4.7", "Ubuntu 24.04" and "Python 3.11.12"
are versions, "Week 2" may be that of a course, "may" is mostly no month.
"""

from wiki.text.lexicon import ENGLISH_MONTHS, GERMAN_MONTHS

DAY = "(0?[1-9]|[12][0-9]|3[01])"
MONTH = "(0?[1-9]|1[0-2])"
YEAR = "(19|20)[0-9][0-9]"
# Neither a digit nor the dot or hyphen of a longer number stands before, no digit of one behind.
BEFORE = r"(^|[^0-9.\-/])"
BEHIND = r"($|[^0-9.\-/]|[.\-/]($|[^0-9]))"

GERMAN_MONTH = f"({'|'.join(GERMAN_MONTHS)})"
ENGLISH_MONTH = f"({'|'.join(month for month in ENGLISH_MONTHS if month != 'may')})"
ANY_MONTH = rf"({GERMAN_MONTH}|{ENGLISH_MONTH}|may)"
ORDINAL = "(st|nd|rd|th)"
OCCASION = (
    "(am|vom|bis|ab|seit|den|dem|zum|protokoll|besprechung|sitzung|treffen|"
    "notizen?|stand|tagebuch|meeting|minutes)"
)
# Weeks 1 to 12 may be those of a course or of a plan.
LATE_WEEK = "(1[3-9]|[234][0-9]|5[0-3])"

DATES = (
    # 2026-11-03, 2026/11/03
    rf"{BEFORE}{YEAR}[-/_]{MONTH}[-/_]{DAY}{BEHIND}",
    # 3.11.2026, 3. 11. 2026, 3/11/2026, 11/3/2026
    rf"{BEFORE}{DAY}\. ?{MONTH}\. ?{YEAR}{BEHIND}",
    rf"{BEFORE}{DAY}[/-]{DAY}[/-]{YEAR}{BEHIND}",
    # 03.11.26: only with two digits each, and a year of our time
    rf"{BEFORE}(0[1-9]|[12][0-9]|3[01])\.(0[1-9]|1[0-2])\.(19|2[0-9]|3[0-9]){BEHIND}",
    # am 3.11.
    rf"\m{OCCASION} {DAY}\. ?{MONTH}\.($| )",
    # 3. November, 3. Nov. 2026
    rf"\m{DAY}\. ?{GERMAN_MONTH}\M",
    # March 3, Mar 3rd, March 3, 2026
    rf"\m{ENGLISH_MONTH}\.? {DAY}{ORDINAL}?($|[ ,:;)])",
    rf"\mmay {DAY}({ORDINAL}|,? {YEAR})\M",
    # 3 March, 3rd of March, 3 May 2026
    rf"\m{DAY}{ORDINAL}?( of)? {ENGLISH_MONTH}\M",
    rf"\m{DAY}({ORDINAL}( of)? may|( of)? may {YEAR})\M",
    # November 2026
    rf"\m{ANY_MONTH}\.? {YEAR}\M",
    # KW 45, Kalenderwoche 45, CW 45, 2026-W45, Woche 45, week 45
    r"\m(kw|kalenderwoche|calendar week|cw)\.? ?(0?[1-9]|[1-4][0-9]|5[0-3])\M",
    rf"\m{YEAR}-?w(0[1-9]|[1-4][0-9]|5[0-3])\M",
    rf"\m(woche|week) {LATE_WEEK}\M",
)

# Thirteen words and more, or a longer line than a heading has; five words and a full stop.
SENTENCES = (r"^(\S+\s+){12}\S", r"^.{101}", r"^(\S+\s+){4,}.*[[:alpha:]]{3}\.$")

DIARY_TITLE = "|".join(f"({pattern})" for pattern in (*DATES, *SENTENCES))
