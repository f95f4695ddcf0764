from django import template

from wiki.operations.health import Warning, find_warnings

register = template.Library()


@register.simple_tag
def covey_warnings() -> list[Warning]:
    return find_warnings()
