"""Laravel's validation, as far as Monica's rules use it."""

from . import values
from .answers import Invalid


class Check:
    """What has to hold for a value, and the sentence for one where it does not."""

    def __init__(self, holds, sentence):
        self.holds, self.sentence = holds, sentence

    def complaint(self, value, field, store):
        return None if self.holds(value) else self.sentence.format(field.label)


class Exists:
    """The value is the id of a row. Asked only when nothing else is wrong."""

    def __init__(self, table):
        self.table = table

    def complaint(self, value, field, store):
        if not values.is_list(value) and store[self.table].get(values.key(value)):
            return None
        return f"The selected {field.label} is invalid."


class AtMost:
    """A limit: of numbers in a field of numbers, else of items or characters."""

    def __init__(self, limit):
        self.limit = limit

    def complaint(self, value, field, store):
        if values.is_list(value):
            return f"The {field.label} may not have more than {self.limit} items." if len(value) > self.limit else None
        if len(str(value)) > self.limit:
            return f"The {field.label} may not be greater than {self.limit} characters."
        return None


def one_of(*choices):
    return Check(lambda value: isinstance(value, (str, int)) and str(value) in choices, "The selected {} is invalid.")


INTEGER = Check(values.is_integer, "The {} must be an integer.")
NUMBER = Check(values.is_number, "The {} must be a number.")
TEXT = Check(lambda value: isinstance(value, str), "The {} must be a string.")
BOOLEAN = Check(values.is_boolean, "The {} field must be true or false.")
LIST = Check(values.is_list, "The {} must be an array.")
MOMENT = Check(values.moment, "The {} is not a valid date.")
DAY = Check(values.day, "The {} does not match the format Y-m-d.")
LINE = AtMost(255)


class Field:
    """A field of the input with its checks. One that is absent or blank passes, unless it is required."""

    def __init__(self, name, *checks, required=False, nullable=False):
        self.name, self.checks, self.required, self.nullable = name, checks, required, nullable
        self.label = name.replace("_", " ")

    def complaints(self, data, store):
        value = data.get(self.name)
        if self.required and (value is None or value == "" or values.is_list(value) and not value):
            return [f"The {self.label} field is required."]
        blank = isinstance(value, str) and not value.strip()
        if self.name not in data or blank or value is None and self.nullable:
            return []
        found = []
        for check in self.checks:
            if isinstance(check, Exists) and found:
                continue
            if complaint := check.complaint(value, self, store):
                found.append(complaint)
        return found


def required(name, *checks):
    return Field(name, *checks, required=True)


def optional(name, *checks):
    return Field(name, *checks, nullable=True)


def validate(data, fields, store):
    """Throws what is wrong with the data, in the order of the fields."""
    errors = {field.name: complaints for field in fields if (complaints := field.complaints(data, store))}
    if errors:
        raise Invalid(errors)
