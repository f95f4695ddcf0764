"""JSON Schemas of the tools, made from those of the API."""

from typing import Any

from ninja import Schema

JsonSchema = dict[str, Any]


def fields(schema: type[Schema], *names: str, **changes: JsonSchema) -> JsonSchema:
    """Some fields of a request of the API, with `changes` to them."""
    properties = schema.model_json_schema()["properties"]
    return {name: {**_plain(properties[name]), **changes.get(name, {})} for name in names}


def _plain(field: JsonSchema) -> JsonSchema:
    """Drop the null of an optional field, and a title that repeats the name."""
    given = [option for option in field.get("anyOf", ()) if option.get("type") != "null"]
    merged = {**field, **(given[0] if given else {})}
    return {
        key: value
        for key, value in merged.items()
        if key not in ("anyOf", "title") and not (key == "default" and value is None)
    }


def arguments(properties: JsonSchema, *required: str) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def result(schema: type[Schema], *left_out: str) -> JsonSchema:
    """An answer of the API as a tool's result, without some of its fields."""
    whole = schema.model_json_schema()
    properties = {
        name: field for name, field in whole["properties"].items() if name not in left_out
    }
    required = [name for name in whole.get("required", ()) if name not in left_out]
    return {**whole, "properties": properties, "required": required}


def either(first: JsonSchema, second: JsonSchema) -> JsonSchema:
    """One of two answers."""
    return {
        **first,
        "$defs": {**first.get("$defs", {}), **second.get("$defs", {})},
        "properties": {**first["properties"], **second["properties"]},
        "required": [name for name in first["required"] if name in second["required"]],
    }
