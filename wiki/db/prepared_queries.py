"""Queries that are built once, for frequent ones that Django builds slower than they run."""

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import BooleanField, Expression, F, Func, Model, QuerySet

M = TypeVar("M", bound=Model)
Row = TypeVar("Row")


class Slot(Expression):
    """Stands in a query for a value that is given when the query is asked."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: object, connection: object) -> tuple[str, list["Slot"]]:  # type: ignore[override]
        return "%s", [self]


class IsAnyOf(Func):
    """That a column is one of the values in a slot, however many."""

    template = "(%(expressions)s))"
    arg_joiner = " = ANY("
    output_field = BooleanField()

    def __init__(self, column: str, values: Slot) -> None:
        super().__init__(F(column), values)


class Prepared(Generic[M, Row]):
    """A query with slots, built when it is asked first, for all threads. Whatever else it depends
    on, such as the time, has to be in a slot too."""

    def __init__(self, build: Callable[[], QuerySet[M, Row]]) -> None:
        self._build = build

    @cached_property
    def _built(self) -> tuple[QuerySet[M, Row], Any, str, tuple[Any, ...]]:
        queryset = self._build()
        compiler = queryset.query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        converters = compiler.get_converters(
            [column for column, *_ in compiler.select[: compiler.col_count]]
        )
        compiler.get_converters = lambda columns: converters
        return queryset, compiler, sql, params

    def ask(self, **values: object) -> list[Row]:
        queryset, compiler, sql, params = self._built
        filled = [values[given.name] if isinstance(given, Slot) else given for given in params]
        compiler = copy(compiler)
        compiler.connection = connection
        compiler.as_sql = lambda *args, **options: (sql, filled)
        asked: Any = queryset.all()
        asked.query.get_compiler = lambda *args, **options: compiler
        return list(asked)
