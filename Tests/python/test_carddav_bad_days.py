"""What proxies and broken servers answer: the pass fails with a reason, nothing is lost, and the next one goes on."""
import gzip
import itertools
import threading
import time

import pytest

from between import Reply, between
from servers import XANDIKOS, Reader, card, server
from trials import daemon

COUNT = 30
XML = {"Content-Type": "application/xml; charset=utf-8"}


@pytest.fixture(scope="module")
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


@pytest.fixture(scope="module")
def running():
    with server(XANDIKOS) as made:
        made.fill(COUNT)
        yield made


@pytest.fixture
def xandikos(running):
    yield running
    running.delete("new.vcf")


def endless():
    """A document that never ends."""
    yield b'<multistatus xmlns="DAV:">'
    yield from itertools.repeat(b" " * 1_000_000)


def cut(_, reply):
    return reply._replace(body=reply.body[:len(reply.body) * 2 // 3])


def declared_longer(_, reply):
    return reply._replace(headers={**reply.headers, "Content-Length": str(len(reply.body) + 1000)})


def bomb(_, reply):
    body = gzip.compress(b"<multistatus xmlns=\"DAV:\">" + b" " * 200_000_000)
    return Reply(207, body, {**XML, "Content-Encoding": "gzip"})


# What each does to a listing; a card that cannot be had is skipped, unless the server says that it has no time.
BAD_DAYS = {
    "too many requests": ("UPSTREAM_RATE_LIMITED", lambda request, _: Reply(429, b"wait", {"Retry-After": "7"})),
    "overloaded": ("UPSTREAM_DOWN", lambda request, _: Reply(503, b"<html>later</html>", {"Retry-After": "3"})),
    "page for people": ("UPSTREAM_MALFORMED", lambda request, _: Reply(200, b"<html>Welcome</html>", {"Content-Type": "text/html"})),
    "cut short": ("UPSTREAM_MALFORMED", cut),
    "connection lost": ("UPSTREAM_DOWN", declared_longer),
    "endless": ("SOURCE_TOO_LARGE", lambda request, _: Reply(207, endless(), XML)),
    "bomb": ("UPSTREAM_DOWN", bomb),
    "redirect loop": ("UPSTREAM_DOWN", lambda request, _: Reply(307, b"", {"Location": request.path})),
}
NO_TIME = ("too many requests", "overloaded", "redirect loop")


@pytest.mark.parametrize("step", ["listing", "cards"])
@pytest.mark.parametrize("day", BAD_DAYS)
def test_a_bad_day(hub, xandikos, name, day, step):
    reason, spoil = BAD_DAYS[day]
    with between(xandikos) as wire:
        home = Reader(hub, xandikos, name, url=wire.url)
        home.completed(added=COUNT)
        before = home.identities()
        xandikos.put("new.vcf", card(f"new-{name}"))
        spoilt = []

        def after(request, reply):
            if (request.is_multiget or request.method == "GET") != (step == "cards"):
                return reply
            spoilt.append(request)
            return spoil(request, reply)

        wire.after = after
        if step == "listing" or day in NO_TIME:
            error = home.failed(reason, COUNT)
            assert "127.0.0.1" in error["message"]
            if day == "too many requests":
                assert 0 < error["retryAfterMs"] <= 7000
        elif day == "connection lost":
            # The card had come.
            home.completed(added=1, live=COUNT + 1)
        else:
            home.completed(skipped=1, live=COUNT)
            assert home.problems()
        assert spoilt and before.items() <= home.identities().items()
        wire.after = lambda request, reply: reply
        home.completed(added=COUNT + 1 - len(home.identities()), live=COUNT + 1)
        assert not home.problems()


def test_a_broken_answer_is_not_waited_for(hub, xandikos, name):
    """What follows something that is no XML counts for nothing: its connection is let go, and the card is asked for alone."""
    sent, ended = [], threading.Event()

    def broken():
        try:
            yield b'<multistatus xmlns="DAV:"></response>'
            for number in range(600):
                sent.append(number)
                time.sleep(0.1)
                yield b" "
        finally:
            ended.set()

    with between(xandikos) as wire:
        home = Reader(hub, xandikos, name, url=wire.url)
        home.completed(added=COUNT)
        xandikos.put("new.vcf", card(f"new-{name}"))
        wire.after = lambda request, reply: reply._replace(body=broken()) if request.is_multiget else reply
        home.completed(added=1, live=COUNT + 1)
        assert ended.wait(60) and 0 < len(sent) < 600
