"""The traps that servers in use set for whoever reads them, each on a server that has it.

What neither server does is done on the way, by rewriting what passes between the hub and a real one. The older versions of
Debian are tried as well, where they are installed.
"""
import re

import pytest

from between import Reply, between
from carddav_client import MAKE_BOOK
from servers import DEBIAN, RADICALE, XANDIKOS, Reader, card, server, versions
from trials import daemon

COUNT = 40


@pytest.fixture(scope="module")
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


@pytest.fixture(params=versions(RADICALE))
def radicale(request):
    with server(RADICALE, interpreter=request.param) as made:
        yield made


@pytest.fixture(params=versions(XANDIKOS))
def xandikos(request):
    with server(XANDIKOS, interpreter=request.param) as made:
        yield made


def in_step(hub, dav, name, **fields):
    """A source that has read COUNT cards."""
    dav.fill(COUNT)
    home = Reader(hub, dav, name, **fields)
    home.completed(added=COUNT)
    return home


@pytest.mark.parametrize("lost", ["cards", "book", "user"])
def test_empty_is_not_gone(hub, radicale, name, lost):
    """Radicale answers 207 without members whatever it has lost, and names every card as deleted."""
    home = in_step(hub, radicale, name)
    before = home.identities()
    folder = radicale.folder() if lost != "user" else radicale.folder().parent
    with radicale.stopped():
        if lost == "cards":
            (radicale.directory / "away").mkdir()
            for path in folder.glob("*.vcf"):
                path.rename(radicale.directory / "away" / path.name)
        else:
            folder.rename(radicale.directory / "away")
    for options in ({}, {"full": True}, {}):
        status = home.sync(**options)
        assert status["state"] == "ERROR" or status.get("heldBack") == COUNT, status
        assert "deleted" not in status and home.identities() == before


def test_empty_is_not_gone_where_a_missing_book_is_a_207(hub, xandikos, name):
    home = in_step(hub, xandikos, name, url=f"{xandikos.url}{xandikos.home}friends/")
    with xandikos.stopped():
        xandikos.folder().rename(xandikos.directory / "away")
    assert xandikos.ask("PROPFIND", f"{xandikos.home}friends/", Depth="1")[0] == 207
    home.failed("SOURCE_UNAVAILABLE", COUNT)


@pytest.mark.parametrize("damage", ["latin-1", "no end"])
def test_a_card_the_server_cannot_parse_vanishes(hub, radicale, name, damage):
    """Radicale calls it deleted, and its older version answers 500 for the whole book. The hub cannot know better than the
    first; but the card comes back as the same contact."""
    home = in_step(hub, radicale, name)
    before = home.identities()
    path = radicale.folder() / "card-0003.vcf"
    whole = path.read_bytes()
    with radicale.stopped():
        path.write_bytes(whole.replace(b"FN:", b"NOTE:\xe9\xe8\r\nFN:") if damage == "latin-1" else whole[:60])
    if radicale.interpreter == DEBIAN:
        home.failed("UPSTREAM_DOWN", COUNT)
    else:
        status = home.sync()
        assert status["state"] == "COMPLETED" and status["live"] >= COUNT - 1, status
    others = {name: identity for name, identity in before.items() if name != "friends/card-0003.vcf"}
    assert others.items() <= home.identities().items()
    with radicale.stopped():
        path.write_bytes(whole)
    home.sync()
    assert home.identities() == before


def test_never_a_limit(hub, xandikos, name):
    """Xandikos cuts its list at a limit and calls it whole."""
    with between(xandikos) as wire:
        home = in_step(hub, xandikos, name, url=wire.url)
        for number in range(12):
            xandikos.put(f"later-{number}.vcf", card(f"later-{number}"))
        home.completed(added=12)
        assert any(request.is_changes for request in wire.seen)
        assert not [request for request in wire.seen if re.search(rb"<[^>]*(limit|nresults)", request.body)]


def test_a_list_the_server_cuts_itself(hub, radicale, name):
    """507 for the collection: there is more, from the token that came along (RFC 6578, 3.6)."""
    with between(radicale) as wire:
        home = in_step(hub, radicale, name, url=wire.url)
        for number in range(6):
            radicale.put(f"later-{number}.vcf", card(f"later-{number}"))
        rest = []

        def multistatus(responses, token):
            return b'<multistatus xmlns="DAV:">' + b"".join(responses) + b"<sync-token>" + token + b"</sync-token></multistatus>"

        def cut(request, reply):
            """The first half of the list with a token of its own, and the other half for that."""
            if not request.is_changes:
                return reply
            if b"part-2" in request.body:
                return Reply(207, multistatus(*rest), {"Content-Type": "text/xml"})
            responses = re.findall(rb"(?s)<response>.*?</response>", reply.body)
            more = b"<response><href>%s</href><status>HTTP/1.1 507 Insufficient Storage</status></response>" % request.path.encode()
            rest[:] = responses[3:], re.search(rb"<sync-token>(.*?)</sync-token>", reply.body)[1]
            return reply._replace(body=multistatus([*responses[:3], more], b"part-2"))

        wire.after = cut
        home.completed(added=6)
        assert len([request for request in wire.seen if request.is_changes]) == 2


@pytest.mark.parametrize("status", [400, 403, 409, 410, 412, 500, 501])
def test_token_errors(hub, xandikos, name, status):
    with between(xandikos) as wire:
        home = in_step(hub, xandikos, name, url=wire.url)
        before = home.identities()
        body = b'<error xmlns="DAV:"><valid-sync-token/></error>' if status in (403, 412) else b"Server got itself in trouble"
        wire.before = lambda request: Reply(status, body) if request.is_changes else None
        xandikos.put("card-0001.vcf", card("changed", uid="friends-1"))
        xandikos.delete("card-0002.vcf")
        home.completed(updated=1, deleted=1, live=COUNT - 1)
        del before["friends/card-0002.vcf"]
        assert home.identities() == before


@pytest.mark.parametrize("program, interpreter", [
    pytest.param(program, *version.values, id=f"{program}-{version.id}", marks=version.marks)
    for program in (RADICALE, XANDIKOS) for version in versions(program)])
def test_a_token_the_server_does_not_know(hub, name, program, interpreter):
    """The book is made anew under its old name: 403 from Radicale, 412 from Xandikos, and 500 from the Xandikos of Debian."""
    with server(program, interpreter=interpreter) as dav:
        home = in_step(hub, dav, name)
        before = home.identities()
        dav.done("DELETE", f"{dav.home}friends/")
        dav.fill(COUNT)
        dav.put("card-0001.vcf", card("changed", uid="friends-1"))
        home.completed(updated=1, live=COUNT)
        assert home.identities() == before


def test_a_token_from_the_future(hub, xandikos, name):
    """A server set back to a backup says "no changes" to a number above its own, as sabre/dav does."""
    with between(xandikos) as wire:
        number = 50

        def numbered(request, reply):
            body = reply.body
            if request.is_changes:
                token = b'<sync-token>http://sabre.io/ns/sync/%d</sync-token>' % number
                return Reply(207, b'<?xml version="1.0"?><multistatus xmlns="DAV:">' + token + b"</multistatus>", reply.headers)
            body = re.sub(rb"(sync-token>)[0-9a-f]{40}(<)", rb"\g<1>http://sabre.io/ns/sync/%d\2" % number, body)
            return reply._replace(body=body)

        wire.after = numbered
        home = in_step(hub, xandikos, name, url=wire.url)
        xandikos.put("card-0001.vcf", card("older", uid="friends-1"))
        number = 20
        home.completed(updated=1, live=COUNT)
        # And when it has changed by its own count, yet lists nothing.
        xandikos.put("card-0002.vcf", card("older", uid="friends-2"))
        number = 21
        home.completed(updated=1, live=COUNT)


def test_tokens_are_opaque(hub, xandikos, name):
    """Xandikos gives forty hexadecimal digits, no URI; a client that wants one lists everything each time."""
    with between(xandikos) as wire:
        home = in_step(hub, xandikos, name, url=wire.url)
        xandikos.put("card-0001.vcf", card("changed", uid="friends-1"))
        wire.seen.clear()
        home.completed(updated=1)
        (changes,) = [request for request in wire.seen if request.is_changes and "/friends/" in request.path]
        assert re.search(rb"sync-token>[0-9a-f]{40}<", changes.body)
        assert not [request for request in wire.seen if request.headers.get("Depth") == "1" and "/friends/" in request.path], "everything was listed"


@pytest.mark.parametrize("form", ["lower", "absolute"])
def test_hrefs_are_compared_after_decoding(hub, xandikos, name, form):
    xandikos.make("friends")
    for number in range(COUNT):
        xandikos.put(f"sp%20%C3%BC%26-{number}.vcf", card(f"card-{number}"))
    with between(xandikos) as wire:
        home = Reader(hub, xandikos, name, url=wire.url)
        home.completed(added=COUNT)
        before = home.identities()
        respell = {
            "lower": lambda href: re.sub(rb"%[0-9A-F]{2}", lambda escape: escape[0].lower(), href),
            "absolute": lambda href: b"http://inner.example:8080" + href}[form]
        wire.after = lambda request, reply: reply._replace(
            body=re.sub(rb"(?<=href>)/[^<]*(?=<)", lambda href: respell(href[0]), reply.body))
        home.sync(full=True)
        assert home.identities() == before
        xandikos.put("sp%20%C3%BC%26-3.vcf", card("changed", uid="card-3"))
        xandikos.delete("sp%20%C3%BC%26-4.vcf")
        home.completed(updated=1, deleted=1, live=COUNT - 1)


def test_identity_is_the_href(hub, xandikos, name):
    """Xandikos takes cards without a UID, and several with the same."""
    xandikos.make("friends")
    twice = [f"twin-{number}.vcf" for number in range(3)]
    for card_name in twice:
        xandikos.put(card_name, card(card_name, uid="same"))
    for number in range(3):
        xandikos.put(f"none-{number}.vcf", card(f"none-{number}").replace(b"UID:none-%d\r\n" % number, b""))
    home = Reader(hub, xandikos, name)
    home.completed(added=6, live=6)
    before = home.identities()
    xandikos.put("twin-1.vcf", card("changed", uid="same"))
    xandikos.delete("none-0.vcf")
    home.completed(updated=1, deleted=1, live=5)
    del before["friends/none-0.vcf"]
    assert home.identities() == before
    assert home.contacts()["friends/twin-1.vcf"]["formattedName"] == "changed"


def test_a_second_book_of_the_same_name(hub, xandikos, name):
    """One that is shared with the person later, in another home. Neither its coming nor its going renames the first."""
    with between(xandikos) as wire:
        home = in_step(hub, xandikos, name, url=wire.url)
        before = home.identities()
        other = "/user/team/"
        (xandikos.data / other.strip("/")).mkdir()
        xandikos.done("MKCOL", f"{other}friends/", MAKE_BOOK.format("Friends of the team").encode())
        xandikos.done("PUT", f"{other}friends/shared.vcf", card("shared"), "text/vcard; charset=utf-8")

        def shared(request, reply):
            """The account has a second home."""
            body = re.sub(rb"(?s)(<(ns\d+):href>/user/contacts/</\2:href>)(?=\s*</ns\d+:addressbook-home-set>)",
                          rb"\1<\2:href>%s</\2:href>" % other.encode(), reply.body)
            return reply._replace(body=body)

        wire.after = shared
        # The books are looked for once a day, and when everything is asked for.
        home.sync(full=True)
        names = home.identities()
        assert len(names) == COUNT + 1 and before.items() <= names.items()
        (new,) = set(names) - set(before)
        assert new == f"{other}friends/shared.vcf"
        xandikos.put("card-0001.vcf", card("changed", uid="friends-1"))
        home.completed(updated=1, live=COUNT + 1)

        wire.after = lambda request, reply: reply
        status = home.sync(full=True)
        assert (status["state"], status["live"]) == ("COMPLETED", COUNT + 1), status
        assert home.identities() == names, "the contacts of a book that is not there any more stay"
        assert (f"{other}friends/", "book_missing") in home.problems()


@pytest.mark.parametrize("fault", ["left out", "reordered", "not found"])
def test_multiget_leaves_out_reorders_or_denies(hub, xandikos, name, fault):
    with between(xandikos) as wire:
        def spoil(request, reply):
            if not request.is_multiget:
                return reply
            parts = re.findall(rb"(?s)<ns0:response.*?</ns0:response>", reply.body)
            kept = {"left out": parts[3:], "reordered": parts[::-1], "not found": parts}[fault]
            if fault == "not found":
                kept = [re.sub(rb"(?s)<ns0:propstat>.*</ns0:propstat>", b"<ns0:status>HTTP/1.1 404 Not Found</ns0:status>", part)
                        for part in parts[:3]] + parts[3:]
            return reply._replace(body=reply.body.replace(b"".join(parts), b"".join(kept)))

        wire.after = spoil
        xandikos.fill(COUNT)
        home = Reader(hub, xandikos, name, url=wire.url)
        status = home.sync()
        expected = COUNT - 3 if fault == "not found" else COUNT
        assert (status["state"], status["live"]) == ("COMPLETED", expected), status
        alone = [request for request in wire.seen if request.method == "GET"]
        assert len(alone) == (3 if fault == "left out" else 0)
        assert all(contact["formattedName"] in identifier for identifier, contact in home.contacts().items())
        # Full ones as well: a card that was read before stays when it is denied.
        wire.after = lambda request, reply: reply
        home.sync(full=True)
        assert len(home.contacts()) == COUNT
        before = home.identities()
        wire.after = spoil
        home.sync(full=True)
        assert home.identities() == before


def test_one_form_of_cards(hub, xandikos, name):
    """Where a server gives 3.0 or 4.0 by negotiation, always the same is asked for; another one means reading again."""
    offer = [b"3.0", b"4.0"]
    with between(xandikos) as wire:
        def offered(request, reply):
            if b"supported-address-data" not in request.body:
                return reply
            types = b"".join(b'<c:address-data-type content-type="text/vcard" version="%s"/>' % version for version in offer)
            # The empty form first: servers list folders in any order, so another's element may follow.
            found = rb"(?s)<ns\d+:supported-address-data */>|<(ns\d+):supported-address-data>.*?</\1:supported-address-data>"
            given = b'<c:supported-address-data xmlns:c="urn:ietf:params:xml:ns:carddav">' + types + b"</c:supported-address-data>"
            return reply._replace(body=re.sub(found, given, reply.body))

        wire.after = offered
        home = in_step(hub, xandikos, name, url=wire.url)
        asked = [request.body for request in wire.seen if request.is_multiget]
        assert asked and all(b'version="3.0"' in body for body in asked)
        wire.seen.clear()
        offer.remove(b"3.0")
        # Noticed when the books are looked for again: once a day, and when everything is asked for.
        status = home.sync(full=True)
        assert (status["state"], status["live"], status.get("updated", 0)) == ("COMPLETED", COUNT, 0)
        asked = [request.body for request in wire.seen if request.is_multiget]
        assert sum(body.count(b"<d:href>") for body in asked) == COUNT and all(b'version="4.0"' in body for body in asked)


def test_what_was_put_is_not_what_is_kept(hub, radicale, name):
    """Radicale answers a PUT with an ETag and writes the card anew: what counts is what it gives."""
    radicale.make("friends")
    radicale.put("card.vcf", card("card", "EMAIL;TYPE=HOME;TYPE=PREF:a@example.org", "X-ABLabel:other", "ORG:Company;;"))
    kept = radicale.ask("GET", f"{radicale.home}friends/card.vcf")[2]
    assert b"X-ABLABEL" in kept
    home = Reader(hub, radicale, name)
    home.completed(added=1)
    home.completed(live=1)
    (contact,) = home.contacts().values()
    assert contact["emails"][0]["value"] == "a@example.org" and contact["organization"] == "Company"


def test_a_card_made_again_under_its_name_is_read(hub, xandikos, name):
    """SOGo counts the versions of a card: one that was deleted and made again has the ETag of the first one."""
    with between(xandikos) as wire:
        first = rb"gcs00000000"

        def count_versions(request, reply):
            """Every card is in its first version, whatever its content."""
            body = re.sub(rb"(getetag>)(?:&quot;|\")?[0-9a-f]{40}(?:&quot;|\")?(<)", rb"\1%s\2" % first, reply.body)
            headers = {**reply.headers, "ETag": first.decode()} if "ETag" in reply.headers else reply.headers
            return reply._replace(body=body, headers=headers)

        wire.after = count_versions
        home = in_step(hub, xandikos, name, url=wire.url)
        assert any(first in count_versions(request, wire.ask(request)).body for request in wire.seen if request.is_multiget)
        before = home.identities()
        xandikos.delete("card-0003.vcf")
        xandikos.put("card-0003.vcf", card("999", uid="friends-3"))
        home.completed(updated=1, live=COUNT)
        assert home.contacts()["friends/card-0003.vcf"]["formattedName"] == "999"
        assert home.identities() == before


def test_cards_that_come_one_by_one_are_told(hub, xandikos, name):
    with between(xandikos) as wire:
        xandikos.fill(COUNT)
        wire.before = lambda request: Reply(500, b"") if request.is_multiget else None
        home = Reader(hub, xandikos, name, url=wire.url)
        status = home.sync()
        assert (status["state"], status["added"], status.get("skipped", 0)) == ("COMPLETED", COUNT, 0), status
        assert home.problems() == {("friends/", "cards_one_by_one")}
        wire.before = lambda request: None
        home.completed(live=COUNT)
        assert not home.problems()
