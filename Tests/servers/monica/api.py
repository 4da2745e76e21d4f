"""From a request to the function that answers it, in the order in which Monica decides."""

import re
import traceback

from .answers import InvalidUncaught, Refused, Uncaught, laravel_error, monica_error, unauthenticated

ROUTES = []
READ = ("GET", "HEAD")
WRITE = ("PUT", "PATCH")


class Route:
    def __init__(self, methods, path, handler, public):
        self.methods, self.handler, self.public = methods, handler, public
        self.pattern = re.compile(re.sub(r"\{\w+\}", "([^/]+)", "/api" + path) + "/?")


def route(methods, path, public=False):
    """Makes a function the handler of a path; it gets the request and the parts of the path that are in braces."""

    def register(handler):
        ROUTES.append(Route((methods,) if isinstance(methods, str) else methods, path, handler, public))
        return handler

    return register


def answer(request):
    """Route, method, token, limit, input: the first one that does not fit decides."""
    routes = [(each, match) for each in ROUTES if (match := each.pattern.fullmatch(request.path))]
    name = request.path.lstrip("/")
    if not routes:
        return laravel_error(request, 404, f"The route {name} could not be found.")
    fitting = [(each, match) for each, match in routes if request.method in each.methods]
    if not fitting:
        # Monica registers its routes twice, and so it lists them.
        methods = ", ".join([method for each, _ in routes for method in each.methods] * 2)
        message = f"The {request.method} method is not supported for route {name}. Supported methods: {methods}."
        return laravel_error(request, 405, message, Allow=methods)
    chosen, match = fitting[0]
    if not chosen.public and not known(request):
        return unauthenticated(request)
    admitted, fields = request.instance.limiter.admit("address" if chosen.public else "user")
    answer = run(request, chosen.handler, match.groups()) if admitted else monica_error(34)
    answer.fields.update(fields)
    return answer


def known(request):
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return scheme.lower() == "bearer" and token.strip() == request.settings.token


def run(request, handler, parts):
    try:
        request.read_input()
        return handler(request, *parts)
    except (Refused, Uncaught, InvalidUncaught) as refusal:
        return refusal.answer(request)
    except Exception as defect:
        traceback.print_exc()
        return laravel_error(request, 500, f"The double is broken: {defect!r}")
