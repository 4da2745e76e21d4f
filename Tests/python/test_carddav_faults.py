"""What can happen to an account: nothing is deleted that is not proven gone, and what comes back is the same contact."""
import contextlib
import json
import shutil
import sqlite3

import pytest

from between import Reply, between
from servers import PASSWORD, RADICALE, Reader, card, server
from trials import daemon

COUNT = 60
MORE_THAN_A_BATCH = 150
MORE_THAN_TWO_BATCHES = 700


@pytest.fixture(scope="module")
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


@pytest.fixture
def radicale():
    with server(RADICALE) as made:
        yield made


def test_wrong_password(hub, radicale, name):
    radicale.fill(COUNT)
    home = Reader(hub, radicale, name, password="wrong")
    error = home.failed("NEEDS_CREDENTIALS", 0)
    assert error["reason"] == "NEEDS_CREDENTIALS" and error["code"] == "UNAUTHENTICATED"
    assert f"kith contacts source login {name}" in error["message"] and "wrong" not in error["message"].split()
    hub.reply("Contacts/SetCredentials", {"name": name, "password": PASSWORD})
    home.completed(added=COUNT, live=COUNT)

    # Another password later, by the server's owner.
    (radicale.directory / "users").write_text("alice:another\n")
    home.failed("NEEDS_CREDENTIALS", COUNT)
    hub.reply("Contacts/SetCredentials", {"name": name, "password": "another"})
    home.completed(live=COUNT)
    (radicale.directory / "users").write_text(f"alice:{PASSWORD}\n")


def test_stopped_in_the_middle_of_a_pass(hub, dav, name):
    cards = dav.fill(MORE_THAN_A_BATCH)
    with between(dav) as wire:
        home = Reader(hub, dav, name, url=wire.url)
        asked = []

        def stop(request):
            asked.extend([request] if request.is_multiget else [])
            if len(asked) == 2:
                dav.stop()

        wire.before = stop
        status = home.sync()
        assert (status["state"], status["error"]["reason"]) == ("ERROR", "UPSTREAM_DOWN"), status
        assert 0 < status["live"] < MORE_THAN_A_BATCH
        partly = home.identities()
        assert len(partly) == status["live"]
        home.failed("UPSTREAM_DOWN", len(partly))
        dav.start()
        home.completed(added=MORE_THAN_A_BATCH - len(partly), live=MORE_THAN_A_BATCH)
        # The first pass reads all cards, and has no use for tags; the later ones know some by theirs.
        lists = [request for request in wire.seen if request.is_list and request.path.endswith("friends/")]
        assert [b"getetag" in request.body for request in lists] == [False, True]
        assert partly.items() <= home.identities().items() and len(home.contacts()) == len(cards)
    print(f"{dav.program} stopped after {len(partly)} of {MORE_THAN_A_BATCH} cards: the rest came when it was back, no card twice")


def test_nothing_is_asked_after_a_refusal(hub, dav, name):
    """The next batch waits for the answer to the one before: a server that has had too many requests gets no other one."""
    dav.fill(MORE_THAN_TWO_BATCHES)
    with between(dav) as wire:
        home = Reader(hub, dav, name, url=wire.url)
        asked = []

        def refuse(request):
            asked.extend([request] if request.is_multiget else [])
            return Reply(429, b"") if request.is_multiget and len(asked) >= 2 else None

        wire.before = refuse
        status = home.sync()
        assert (status["state"], status["error"]["reason"]) == ("ERROR", "UPSTREAM_RATE_LIMITED"), status
        assert len(asked) == 2 and status["live"] == 100
        wire.before = lambda request: None
        home.completed(added=MORE_THAN_TWO_BATCHES - 100, live=MORE_THAN_TWO_BATCHES)


def test_moved_to_another_port(hub, dav, name):
    dav.fill(COUNT)
    home = Reader(hub, dav, name)
    home.completed(added=COUNT)
    before, port = home.identities(), dav.port
    with server(RADICALE) as probe:
        free = probe.port
    dav.stop()
    dav.start(free)
    assert dav.port != port
    home.failed("UPSTREAM_DOWN", COUNT)
    dav.stop()
    dav.start(port)
    home.completed(live=COUNT)
    assert home.identities() == before


def test_moved_for_good_on_the_same_server(hub, dav, name):
    dav.fill(COUNT)
    with between(dav) as wire:
        home = Reader(hub, dav, name, url=f"{wire.url}{dav.home}friends/")
        home.completed(added=COUNT)
        before = home.identities()
        old, new = f"{dav.home}friends/", f"{dav.home}moved-here/friends/"

        def move(request):
            if request.path.startswith(old):
                return Reply(301, b"", {"Location": request.path.replace(old, new)})
            return None if not request.path.startswith(new) else answer(request)

        def answer(request):
            asked = request._replace(
                path=request.path.replace(new, old), body=request.body.replace(new.encode(), old.encode()))
            reply = wire.ask(asked)
            return reply._replace(body=reply.body.replace(old.encode(), new.encode()))

        wire.before = move
        dav.put("card-0001.vcf", card("changed", uid="friends-1"))
        home.completed(updated=1, live=COUNT)
        assert home.identities() == before
        wire.seen.clear()
        dav.put("card-0002.vcf", card("changed", uid="friends-2"))
        home.completed(updated=1, live=COUNT)
        assert home.identities() == before
        assert not [request for request in wire.seen if request.path.startswith(old)], "the new place was not kept"


def test_moved_to_another_server(hub, dav, name):
    """Which the password was not given for, whether it asks for one (Radicale) or answers without (Xandikos)."""
    dav.fill(COUNT)
    with between(dav) as wire, between(dav) as stranger:
        home = Reader(hub, dav, name, url=wire.url)
        home.completed(added=COUNT)
        dav.put("card-0001.vcf", card("changed", uid="friends-1"))
        wire.before = lambda request: Reply(301, b"", {"Location": stranger.url + request.path})
        for _ in range(2):
            error = home.failed("SOURCE_NOT_AN_ADDRESS_BOOK", COUNT)
            assert stranger.url in error["message"]
        assert stranger.seen and not [request for request in stranger.seen if "Authorization" in request.headers]
        wire.before = lambda request: None
        home.completed(updated=1, live=COUNT)


def test_wiped(hub, dav, name):
    cards = dav.fill(COUNT)
    home = Reader(hub, dav, name)
    home.completed(added=COUNT)
    before = home.identities()
    for card_name in cards:
        dav.delete(card_name)
    home.held(COUNT, "LISTING_EMPTY")
    home.held(COUNT, "LISTING_EMPTY")
    status = home.sync(full=True)
    assert status["heldBack"] == COUNT and home.identities() == before
    for card_name, content in cards.items():
        dav.put(card_name, content)
    home.completed(live=COUNT)
    assert home.identities() == before
    assert not [contact for contact in home.contacts().values() if "missingSince" in contact]


def test_a_card_that_failed_in_a_full_pass_is_asked_for_again(hub, dav, name):
    """Also where it has not changed since the last pass, so that the server does not name it by itself."""
    dav.fill(COUNT)
    with between(dav) as wire:
        home = Reader(hub, dav, name, url=wire.url)
        home.completed(added=COUNT)

        def spoil(request):
            return Reply(500) if request.is_multiget or request.path.endswith("/card-0003.vcf") else None

        wire.before = spoil
        status = home.sync(full=True)
        assert (status["state"], status["skipped"]) == ("COMPLETED", 1), status
        assert home.problems() == {("friends/card-0003.vcf", "card_unreachable"), ("friends/", "cards_one_by_one")}
        assert [name for name, contact in home.contacts().items() if contact.get("stale")] == ["friends/card-0003.vcf"]
        wire.before = lambda request: None
        home.sync()
        assert not home.problems() and not [contact for contact in home.contacts().values() if contact.get("stale")]
        wire.seen.clear()
        home.completed(live=COUNT)
        assert not [request for request in wire.seen if request.is_multiget or request.method == "GET"]


def test_older_backup_restored(hub, dav, name):
    dav.fill(COUNT)
    home = Reader(hub, dav, name)
    home.completed(added=COUNT)
    before = home.identities()
    with dav.stopped():
        shutil.copytree(dav.data, dav.directory / "backup", symlinks=True)
    dav.put("card-0001.vcf", card("newer", uid="friends-1"))
    dav.put("later.vcf", card("later"))
    dav.delete("card-0002.vcf")
    home.completed(added=1, updated=1, deleted=1, live=COUNT)
    with dav.stopped():
        shutil.rmtree(dav.data)
        (dav.directory / "backup").rename(dav.data)
    status = home.sync()
    assert status["state"] == "COMPLETED", status
    held = home.contacts()
    assert set(held) == set(before) and held["friends/card-0001.vcf"]["formattedName"] == "card-0001"
    assert home.identities() == before
    # Its tokens go on from there.
    dav.put("card-0003.vcf", card("after", uid="friends-3"))
    home.completed(updated=1, live=COUNT)
    home.completed(live=COUNT)


def test_the_only_book_missing(hub, dav, name):
    dav.fill(COUNT)
    home = Reader(hub, dav, name, url=f"{dav.url}{dav.home}friends/")
    home.completed(added=COUNT)
    before = home.identities()
    with dav.stopped():
        dav.folder().rename(dav.directory / "away")
    error = home.failed("SOURCE_UNAVAILABLE", COUNT)
    assert "friends" in error["message"]
    status = home.sync(full=True)
    assert status["state"] == "ERROR" and home.identities() == before
    with dav.stopped():
        shutil.rmtree(dav.folder(), ignore_errors=True)
        (dav.directory / "away").rename(dav.folder())
    home.completed(live=COUNT)
    assert home.identities() == before


def test_a_newer_reader_reads_every_card_again(dav, name):
    """Though no card has changed: a store as a reader of before left it, with what that one made of two cards."""
    dav.fill(COUNT)
    dav.fill(5, "work")
    with daemon() as hub:
        home = Reader(hub, dav, name)
        home.completed(added=COUNT + 5)
        before, said = home.identities(), home.contacts()
        assert hub.end() == 0
        with contextlib.closing(sqlite3.connect(hub.directory / "state" / "kith.db")) as store, store:
            position = json.loads(store.execute("SELECT token FROM source").fetchone()[0])
            position.pop("version", None)
            store.execute("UPDATE source SET token = ?", [json.dumps(position)])
            store.execute("UPDATE card SET fingerprint = substr(fingerprint, instr(fingerprint, '\"'))")
            for card_name in ("friends/card-0003.vcf", "work/card-0001.vcf"):
                store.execute("UPDATE contact SET formatted_name = 'Old' WHERE uuid = ?", [before[card_name]])
                store.execute("UPDATE card SET semantic_digest = zeroblob(32) WHERE href = ?", [card_name])
        hub.start()
        assert len([contact for contact in home.contacts().values() if contact["formattedName"] == "Old"]) == 2
        home.completed(updated=2, live=COUNT + 5)
        assert home.identities() == before
        assert {key: contact["formattedName"] for key, contact in home.contacts().items()} == {
            key: contact["formattedName"] for key, contact in said.items()}
        home.completed(live=COUNT + 5)
        asked = len(dav.requests)
        home.completed(live=COUNT + 5)
        assert len(dav.requests) - asked <= 2, dav.requests[asked:]
        assert hub.end() == 0
