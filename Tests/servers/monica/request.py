"""A request as its handler sees it."""

import json
import re
import urllib.parse

from . import values
from .answers import Answer, Refused, Uncaught
from .resources import Resources
from .validation import validate

SORTS = {sign + column for sign in ("", "-") for column in (
    "created_at", "updated_at", "completed_at", "called_at", "favorited_at")}  # fmt: skip


def first_of_each(pairs):
    return dict(reversed(pairs))


class Request:
    """A request to an instance: what it asks for, its input, and ways to answer it."""

    def __init__(self, instance, method, target, headers, body):
        self.instance, self.settings, self.store = instance, instance.settings, instance.store
        self.method, self.target, self.headers, self.body = method, target, headers, body
        path, _, self.query_string = target.partition("?")
        self.path = urllib.parse.unquote(path)
        self.query = first_of_each(urllib.parse.parse_qsl(self.query_string, keep_blank_values=True))
        self.data = {}
        self.sort, self.descending, self.limit = "created_at", False, 0
        self.show = Resources(self.store, self.settings.base_url)

    @property
    def wants_json(self):
        """Whether JSON is what the client accepts first; if not it is taken for a browser."""
        accepted = []
        for place, part in enumerate(part for part in self.headers.get("Accept", "").split(",") if part.strip()):
            kind, *parameters = (piece.strip() for piece in part.split(";"))
            quality = next((text[2:] for text in parameters if text.startswith("q=")), "1")
            accepted.append((-float(quality) if values.is_number(quality) else -1.0, place, kind.lower()))
        first = min(accepted)[2] if accepted else "*/*"
        if "/json" in first or "+json" in first:
            return True
        return self.headers.get("X-Requested-With") == "XMLHttpRequest" and first in ("*/*", "*")

    # Input.

    def read_input(self):
        """The body over the query, without space around texts; then what all routes check of it."""
        self.data = values.trimmed({**self.query, **self.read_body()})
        if "sort" in self.data:
            sort = self.data["sort"]
            if not isinstance(sort, str) or sort not in SORTS:
                raise Refused(39)
            self.sort, self.descending = sort.lstrip("-"), sort.startswith("-")
        limit = self.data.get("limit")
        if limit is not None:
            if not values.is_number(limit) or float(limit) > self.settings.max_limit:
                raise Refused(30)
            self.limit = float(limit) if int(float(limit)) else 0
        if self.method in ("POST", "PUT", "PATCH") and self.body.strip() == b"null":
            raise Refused(37)

    def read_body(self):
        """JSON or a form. What is neither, or is broken, counts as nothing."""
        kind = self.headers.get("Content-Type", "")
        if self.method in ("GET", "HEAD"):
            return {}
        if "/json" in kind or "+json" in kind:
            try:
                body = json.loads(self.body.decode(errors="replace"))
            except ValueError:
                return {}
            if isinstance(body, list):
                body = {str(place): item for place, item in enumerate(body)}
            return body if isinstance(body, dict) else {}
        if kind.startswith("application/x-www-form-urlencoded"):
            return first_of_each(urllib.parse.parse_qsl(self.body.decode(errors="replace"), keep_blank_values=True))
        return {}

    def validate(self, *fields, **also):
        """Checks the input, with values that are not of the input."""
        validate({**self.data, **also}, fields, self.store)

    def integer(self, text, action, place, name):
        """A part of the path that the signature of a controller wants to be an integer."""
        if re.fullmatch(r"\s*[+-]?\d+\s*", text):
            return int(text)
        raise Uncaught(rf"App\Http\Controllers\Api\{action}(): Argument #{place} (${name}) must be of type int, string given")

    @property
    def with_fields(self):
        return self.data.get("with") == "contactfields"

    # Answers.

    def data_answer(self, shown, status=200):
        return Answer(status, values.compact({"data": shown}))

    def created(self, shown):
        return self.data_answer(shown, 201)

    def deleted(self, identifier):
        return Answer(200, values.compact({"deleted": True, "id": identifier}))
