"""English and German words that say nothing about what a text is about, without diacritics.

In a wiki of one language the small words of the other are rare, so that rarity alone would take
them for telling.
"""

_ENGLISH = """
a about after again all also although am an and any are as at be became because become been before
being between both but by can cannot could did do does doing done down during each either else
ever every few for from further get gets getting go goes going got had has have having he her here
hers herself him himself his how however i if in instead into is it its itself just let like made
make makes many may me might mine more most much must my myself neither no nor not of off on once
one only onto or other others our ours ourselves out over own per please quite rather really same
say says see seem seems shall she should since so some somebody something still such than that the
their theirs them themselves then there these they thing things this those though through thus to
too under until up upon us use used uses using very via was we well were what whatever when
whenever where whether which while who whom whose why will with within without would yes yet you
your yours yourself aren couldn didn doesn don hadn hasn haven isn ll shouldn ve wasn weren wouldn
"""
_GERMAN = """
ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes
auch auf aus bei beim bereits bin bis bist bitte da dabei dafur dafuer damit dann daran darauf
daraus das dass davon dazu dein deine deinem deinen deiner dem den denen denn der deren des dessen
dich die dies diese diesem diesen dieser dieses dir doch dort du durch durfen duerfen darf ein eine
einem einen einer eines einige er es etwa etwas euch euer eure falls fur fuer ganz gar gegen geht
gern gibt habe haben hast hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren
ihrer im immer in ins ist ja je jede jedem jeden jeder jedes jedoch jemand kann kannst kein keine
keinem keinen keiner konnen koennen konnte konnten machen macht mal man manche mehr mein meine
meinem meinen meiner mich mir mit mochte moechte muss mussen muessen musste nach nachdem naemlich
namlich neben nicht nichts nie noch nun nur ob oder oft ohne schon sehr sein seine seinem seinen
seiner seit selbst sich sie sind so sobald sogar solche soll sollen sollte sondern sonst sowie
trotz uber ueber um und uns unser unsere unserem unseren unserer unter vom von vor wahrend waehrend
wann war waren warum was wegen weil welche welchem welchen welcher welches wenn wer werde werden
wie wieder will wir wird wirst wo wobei wodurch wollen womit worden wozu wurde wurden wuerde
wuerden zu zum zur zwar zwischen
"""

STOP_WORDS = frozenset(f"{_ENGLISH} {_GERMAN}".split())
