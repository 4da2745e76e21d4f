"""What the API answers when it does not answer with a record: two formats of errors, and pages for browsers."""

from .values import compact, pretty

JSON = "application/json"
HTML = "text/html; charset=UTF-8"

MESSAGES = {
    30: "The limit parameter is too big",
    31: "The resource has not been found",
    34: "Too many attempts, please slow down the request",
    37: "Problems parsing JSON",
    39: "The sorting criteria is invalid",
    40: "Invalid query",
}
STATUSES = {30: 400, 31: 404, 32: 422, 34: 429, 37: 400, 39: 400, 40: 500}


class Answer:
    """A status, fields of the head, and a body."""

    def __init__(self, status, body="", content_type=JSON, **fields):
        self.status, self.body, self.content_type = status, body, content_type
        self.fields = {name.replace("_", "-"): value for name, value in fields.items()}


class Refused(Exception):
    """Ends a request with an error in Monica's format."""

    def __init__(self, code, message=None):
        super().__init__(code)
        self.code, self.message = code, message

    def answer(self, request):
        return monica_error(self.code, self.message)


class NotFound(Refused):
    """No such record."""

    def __init__(self):
        super().__init__(31)


class Invalid(Refused):
    """Input that breaks rules: sentences by field. A field without a name is how an archived contact is reported."""

    def __init__(self, errors):
        super().__init__(32, [sentence for sentences in errors.values() for sentence in sentences])
        self.errors = errors


class Archived(Invalid):
    def __init__(self):
        super().__init__({None: ["Archived contact can’t be edited, please unarchive it first."]})


class Uncaught(Exception):
    """An exception that Monica leaves to Laravel."""

    status = 500

    def answer(self, request):
        return laravel_error(request, self.status, str(self))


class Missing(Uncaught):
    """A record that is not found where Monica does not expect that."""

    status = 404

    def __init__(self, model, identifier):
        super().__init__(rf"No query results for model [App\Models\Contact\{model}] {identifier}")


class InvalidUncaught(Exception):
    """Input that breaks rules where Monica does not expect that."""

    def __init__(self, invalid):
        super().__init__()
        self.invalid = invalid

    def answer(self, request):
        if not request.wants_json:
            return Answer(302, "", HTML, Location=request.settings.base_url)
        errors = self.invalid.errors
        shown = list(errors.values()) if None in errors else errors
        return Answer(422, compact({"message": self.invalid.message[0], "errors": shown}))


def monica_error(code, message=None):
    return Answer(STATUSES[code], compact({"error": {"message": message or MESSAGES[code], "error_code": code}}))


def laravel_error(request, status, message, **fields):
    if request.wants_json:
        return Answer(status, pretty({"message": message}), **fields)
    return page(status, message or str(status), **fields)


def page(status, text, **fields):
    body = f'<!DOCTYPE html>\n<html lang="en"><head><title>{text}</title></head><body>{text}</body></html>'
    return Answer(status, body, HTML, **fields)


def unauthenticated(request):
    if request.wants_json:
        return Answer(401, compact({"message": "Unauthenticated."}))
    return Answer(302, "<!DOCTYPE html><html><body>Redirecting</body></html>", HTML, Location=request.settings.base_url)
