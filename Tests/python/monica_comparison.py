"""Two Monica servers asked the same things, and their answers made comparable."""
import collections
import datetime
import http.client
import json
import os
import re
import time
import urllib.parse

from monica_corpus import JSON

HEAD = ("Content-Type", "Cache-Control", "Allow", "Location", "X-RateLimit-Limit", "X-RateLimit-Remaining")
# So many seconds the clock goes on before each change: its stamps say which one it was.
STEP = 600
UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
HASH = re.compile(r"\bh:[0-9a-zA-Z]{18}\b")
MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d)")
UNIX = re.compile(r"(?<=\.jpg\?)\d+")
EPOCH = datetime.datetime(1970, 1, 1)


class Side:
    """One of the servers, over a connection that stays open."""

    def __init__(self, monica):
        self.monica = monica
        self.connection = http.client.HTTPConnection("127.0.0.1", monica.port, timeout=60)
        # What the server made when it started counts as the first change.
        self.start = datetime.datetime.fromisoformat(monica.state()["clock"].rstrip("Z")) - datetime.timedelta(seconds=60)
        self.names = {}
        self.ahead = 0

    def step(self):
        """Puts the clock ahead to the beginning of a second, so that what one request stamps gets one time."""
        seconds = STEP - (time.time() + self.ahead) % 1
        self.ahead += seconds
        self.send("POST", "/__sim/mutate", {"op": "advance_clock", "seconds": seconds})

    def send(self, method, path, body=None, head=()):
        """(status, what matters of the head, body), made comparable."""
        head = {"Authorization": f"Bearer {self.monica.token}", "Accept": "application/json", **JSON, **dict(head)}
        head = {name: value for name, value in head.items() if value}
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        self.connection.request(method, urllib.parse.quote(path, safe="/?&=%:+"), content, head)
        reply = self.connection.getresponse()
        text = reply.read().decode()
        assert "SIMULATOR BUG" not in text and "The double is broken" not in text, (method, path, body, text)
        fields = {name: self.comparable(reply.headers[name]) for name in HEAD if name in reply.headers}
        fields["Content-Type"] = fields["Content-Type"].lower()
        return reply.status, fields, self.comparable(text) if "json" in fields["Content-Type"] else None

    def comparable(self, text):
        """With names for what each server chooses for itself: identifiers, its address, the time."""
        text = re.sub(rf"http:(\\?/\\?/)127\.0\.0\.1:{self.monica.port}", r"http:\1monica", text)
        text = UUID.sub(lambda found: self.name("uuid", found[0]), text)
        text = HASH.sub(lambda found: self.name("hash", found[0]), text)
        text = UNIX.sub(lambda found: self.moment(EPOCH + datetime.timedelta(seconds=int(found[0])), found[0]), text)
        return MOMENT.sub(lambda found: self.moment(read_moment(found), found[0]), text)

    def name(self, kind, text):
        return self.names.setdefault(text, f"{kind} {len(self.names)}")

    def moment(self, moment, text):
        """Times of this run as the number of the change that they belong to; others as they are."""
        if moment is None or moment.time() == datetime.time() or not self.start <= moment:
            return text
        return f"change {(moment - self.start).total_seconds() // STEP:.0f}"


def read_moment(found):
    try:
        return datetime.datetime.fromisoformat(f"{found[1]}T{found[3]}")
    except ValueError:
        return None


class Comparison:
    """Sends to both sides and collects what they answer differently."""

    def __init__(self, one, other):
        self.sides = [Side(one), Side(other)]
        self.statuses = collections.Counter()
        self.differences = []

    def send(self, method, path, body=None, head=()):
        if method == "mutate":
            self.compare(f"mutate {path}", self.control("POST", "mutate", path))
            return
        if method not in ("GET", "HEAD") or "query=" in path:
            for side in self.sides:
                side.step()
        answers = [side.send(method, f"/api{path}", body, head) for side in self.sides]
        self.statuses[answers[0][0]] += 1
        self.compare(f"{method} {path} {body!r} {head}", answers)

    def control(self, method, path, body=None):
        return [side.send(method, f"/__sim/{path}", body)[::2] for side in self.sides]

    def compare(self, what, answers):
        if answers[0] != answers[1]:
            self.differences.append(describe(what, *answers))

    def tables(self):
        """Compares all rows of all tables that both have."""
        names = [set(side.monica.state()["rows"]) for side in self.sides]
        for name in sorted(names[0] & names[1]):
            self.compare(f"table {name}", [sorted_keys(text) for _, text in self.control("GET", f"dump/{name}")])

    def log(self):
        """Compares what both wrote down of the requests."""
        reports = [side.monica.requests() for side in self.sides]
        for report in reports:
            for entry in report["requests"]:
                del entry["time"]
        self.compare("requests", [json.dumps(report, indent=0) for report in reports])


def sorted_keys(text):
    return json.dumps(json.loads(text), sort_keys=True)


def describe(what, one, other):
    """The request, and both answers from where they part."""
    one, other = str(one), str(other)
    same = len(os.path.commonprefix([one, other]))
    begin = max(same - 120, 0)
    return f"{what}\n  1: ...{one[begin:same + 120]}\n  2: ...{other[begin:same + 120]}"
