"""How PHP and MySQL take a value: what is empty, a number, a date, and what matches."""

import datetime
import functools
import json
import re
import unicodedata

INTEGER = re.compile(r"\s*[+-]?(?:0|[1-9]\d*)\s*")
DECIMAL = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*")
# The offset is read and forgotten: Monica keeps the clock on the wall of whoever wrote it.
MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(?:[Zz]|UTC|[+-]\d\d:?\d\d)?)?")  # fmt: skip


def is_true(value):
    """Whether PHP takes it for true."""
    return bool(value) and value != "0"


def is_integer(value):
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) or isinstance(value, str) and INTEGER.fullmatch(value) is not None


def is_number(value):
    if isinstance(value, bool):
        return False
    return isinstance(value, (int, float)) or isinstance(value, str) and DECIMAL.fullmatch(value) is not None


def is_boolean(value):
    return isinstance(value, int) and value in (0, 1) or isinstance(value, str) and value in ("0", "1")


def is_list(value):
    """A PHP array is both a list and a map."""
    return isinstance(value, (list, dict))


def items(value):
    return list(value.values()) if isinstance(value, dict) else list(value)


def key(value):
    """The number that a column of integers is compared with."""
    if isinstance(value, int):
        return value
    digits = re.match(r"\s*-?\d+", str(value))
    return int(digits[0]) if digits else 0


def whole(value):
    """An integer where there is one: of a value that was found to be an integer, or None."""
    return None if value is None else int(value)


def moment(value):
    """The date and time that a text names; None when it does not."""
    parts = MOMENT.fullmatch(value.strip()) if isinstance(value, str) else None
    if parts is None:
        return None
    try:
        return datetime.datetime(*(int(part or 0) for part in parts.groups()))
    except ValueError:
        return None


def day(value):
    """The date of a plain Y-m-d; None when it is something else."""
    plain = isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value)
    found = moment(value) if plain else None
    return found.date() if found else None


def later(date, months):
    """So many months on. The days that the month lacks run over into the next one."""
    years, month = divmod(date.month - 1 + months, 12)
    return datetime.date(date.year + years, month + 1, 1) + datetime.timedelta(days=date.day - 1)


def cents(amount):
    return None if amount is None else round(float(amount) * 100)


def trimmed(value):
    """As the middleware leaves input: no space around texts, no empty texts."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list):
        return [trimmed(item) for item in value]
    if isinstance(value, dict):
        return {name: trimmed(item) for name, item in value.items()}
    return value


@functools.lru_cache(maxsize=65536)
def folded(text):
    """Without accents and case, as the collation of the database compares."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(part for part in parts if not unicodedata.combining(part)).casefold()


@functools.lru_cache
def like(pattern):
    """A test of texts for LIKE pattern: "%" is anything, "_" one character."""
    wild = {"%": ".*", "_": "."}
    expression = re.compile("".join(wild.get(part) or re.escape(part) for part in folded(pattern)), re.DOTALL)
    return lambda value: value is not None and expression.fullmatch(folded(str(value))) is not None


def plain(text):
    """What ASCII has of a text."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def slug(text):
    kept = plain(text).lower().replace("@", "-at-").replace("_", "-")
    return "-".join(re.sub(r"[^a-z0-9\s-]", "", kept).replace("-", " ").split())


def initials(name):
    return "".join(word[0] for word in plain(name).split() if word[0].isalnum())


def compact(value):
    """JSON as Monica's own answers are written."""
    return json.dumps(value, separators=(",", ":")).replace("/", "\\/")


def pretty(value):
    """JSON as Laravel's own error answers are written."""
    return json.dumps(value, indent=4)
