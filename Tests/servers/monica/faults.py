"""Bad days of a server, ordered by a test, and the record of what was asked."""

import collections
import re
import time

from .answers import Answer, HTML, laravel_error, monica_error, unauthenticated
from .limiter import rate_fields

GATEWAY = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
SAID = {500: "Server Error", 503: "Service Unavailable"}


class Faults:
    """Faults that wait for a request. One of "next" meets as many requests as its "times", one of "always" all of them."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.waiting = {"next": [], "always": []}

    def add(self, wanted):
        for kind, faults in self.waiting.items():
            faults += wanted.get(kind, [])

    def take(self, request):
        """What meets this request; an empty map when nothing does."""
        for fault in self.waiting["next"]:
            if matches(fault, request):
                fault["times"] = int(fault.get("times", 1)) - 1
                if fault["times"] <= 0:
                    self.waiting["next"].remove(fault)
                return fault
        return next((fault for fault in self.waiting["always"] if matches(fault, request)), {})


def matches(fault, request):
    """Method and path, which is a pattern that also sees the query."""
    wanted = fault.get("match") or {}
    if wanted.get("method", request.method).upper() != request.method:
        return False
    path = f"{request.path}?{request.query_string}" if request.query_string else request.path
    return re.search(wanted.get("path") or "", path) is not None


def instead(fault, request):
    """What is answered without carrying the request out; None when it is carried out."""
    if fault.get("html"):
        return Answer(502, GATEWAY, "text/html")
    if fault.get("redirect"):
        return Answer(302, "", HTML, Location=request.settings.base_url)
    return of_status(fault, int(fault["status"]), request) if fault.get("status") else None


def of_status(fault, status, request):
    """An answer of that status as Monica would give it."""
    if status == 401:
        return unauthenticated(request)
    if status == 404:
        return monica_error(31)
    if status == 422:
        return monica_error(32, fault.get("message", ["The selected contact id is invalid."]))
    wait = fault.get("retry_after")
    if status == 429:
        answer = monica_error(34)
        reset = None if wait is None else int(time.time() + float(wait))
        answer.fields.update(rate_fields(request.settings.rate_limit, 0, wait, reset))
        return answer
    answer = laravel_error(request, status, fault.get("message", SAID.get(status, "Error")))
    if wait is not None:
        answer.fields["Retry-After"] = wait
    return answer


class RequestLog:
    """The requests to the API, with what became of them."""

    def __init__(self):
        self.entries = []

    def add(self, request):
        entry = {
            "n": len(self.entries) + 1,
            "time": time.time(),
            "method": request.method,
            "path": request.path,
            "query": request.query_string,
            "body": request.body.decode(errors="replace")[:20_000],
            "auth": bool(request.headers.get("Authorization")),
            "accept": request.headers.get("Accept"),
            "user_agent": request.headers.get("User-Agent"),
            "fault": None,
            "status": None,
        }
        self.entries.append(entry)
        return entry

    def report(self, since=0, path=None):
        """The entries after a number whose path matches a pattern, and counts of them."""
        chosen = [entry for entry in self.entries if entry["n"] > since and re.search(path or "", entry["path"])]
        return {
            "count": len(chosen),
            "by": collections.Counter(f"{entry['method']} {entry['path']}" for entry in chosen),
            "by_status": collections.Counter(str(entry["status"]) for entry in chosen),
            "requests": chosen,
        }
