"""Lists: their order and their pages."""

import collections
import math
import re

from . import values
from .answers import Answer, Refused, Uncaught

# What the tables have to sort by.
COLUMNS = {"calls": "called_at", "tasks": "completed_at", "notes": "favorited_at"}


def page(request, table, rows, show, *, first=None, sortable=True, caught=True, **meta):
    """A page of rows.

    first: the column that orders them before what the request says, with "-" when descending. sortable: whether the request
    says anything. caught: in which format an error of the database is reported. meta: what the page says besides.
    """
    size = request.limit or request.settings.default_limit
    asked = request.query.get("page", "")
    number = int(asked) if re.fullmatch(r"[1-9]\d*", asked) else 1
    total = len(rows)
    if total:
        rows = ordered(rows, sorting(request, table, first, sortable, caught))
    shown = [show(row) for row in within(rows, number, size)]
    return Answer(200, values.compact(numbered(request, shown, number, size, total, meta)))


def within(rows, number, size):
    start = int((number - 1) * size)
    return rows[start : start + max(int(size), 0)]


def sorting(request, table, first, sortable, caught):
    """The columns to sort by, as far as the database goes along with it."""
    fault = None
    if int(request.limit) < 0:
        fault = "SQLSTATE[42000]"
    elif sortable and request.sort not in ("created_at", "updated_at", COLUMNS.get(table)):
        fault = f"SQLSTATE[42S22]: Column not found: 1054 Unknown column '{request.sort}' in 'ORDER BY'"
    if fault:
        raise Refused(40) if caught else Uncaught(fault)
    columns = [(first.lstrip("-"), first.startswith("-"))] if first else []
    return [*columns, (request.sort, request.descending)] if sortable else columns


def ordered(rows, columns):
    """Equal rows stay in the order of their ids, in which they come; nothing is before everything else."""
    rows = list(rows)
    for column, descending in reversed(columns):
        rows.sort(key=lambda row: place(row[column]), reverse=descending)
    return rows


def place(value):
    return value is not None, values.folded(value) if isinstance(value, str) else value or 0


def numbered(request, shown, number, size, total, meta):
    last = max(math.ceil(total / size), 1)
    path, count, size = request.settings.base_url + request.path, len(shown), int(size)
    start = (number - 1) * size

    def link(page):
        """Links forget everything but the page."""
        return f"{path}?page={page}"

    previous, following = link(number - 1) if number > 1 else None, link(number + 1) if number < last else None
    buttons = [{"url": link(page) if page else None, "label": str(page or "..."), "active": page == number}
               for page in numbers(number, last)]  # fmt: skip
    return {
        "data": shown,
        "links": {"first": link(1), "last": link(last), "prev": previous, "next": following},
        "meta": {
            "current_page": number,
            "from": start + 1 if shown else None,
            "last_page": last,
            "links": [
                {"url": previous, "label": "❮ Previous", "active": False},
                *buttons,
                {"url": following, "label": "Next ❯", "active": False},
            ],
            "path": path,
            "per_page": size,
            "to": start + count if shown else None,
            "total": total,
            **meta,
        },
    }


def numbers(current, last):
    """The pages that have a button; None is a gap."""
    if last < 14:
        return list(range(1, last + 1))
    begin, end = [1, 2, None], [None, last - 1, last]
    if current <= 7:
        return [*range(1, 11), *end]
    if current > last - 7:
        return [*begin, *range(last - 9, last + 1)]
    return [*begin, *range(current - 3, current + 4), *end]


def by_year(table, column):
    """How many rows a year has, newest first; an empty map is a list in PHP."""
    counts = collections.Counter(row[column].year for row in table)
    return {str(year): counts[year] for year in sorted(counts, reverse=True)} or []
