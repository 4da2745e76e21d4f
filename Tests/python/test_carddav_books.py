"""What can happen to the address books of an account: each has a fate of its own, and no contact goes from one to another by mistake."""
import re

import pytest

from between import Reply, between
from servers import Reader, card
from trials import daemon

COUNT = 60


@pytest.fixture(scope="module")
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


@pytest.mark.parametrize("full", [False, True])
def test_one_of_several_books_missing(hub, dav, name, full):
    dav.fill(COUNT)
    dav.fill(5, "work")
    home = Reader(hub, dav, name)
    home.completed(added=COUNT + 5)
    before = home.identities()
    with dav.stopped():
        dav.folder("work").rename(dav.directory / "away")
    for _ in range(2):
        status = home.sync(full=full)
        assert (status["state"], status["live"], status["heldBack"]) == ("COMPLETED", COUNT + 5, 5), status
        assert status["holdReason"] == "BOOK_GONE" and "deleted" not in status and "skipped" not in status
        assert home.identities() == before and home.problems() == {("work/", "book_missing")}
    dav.put("card-0001.vcf", card("changed", uid="friends-1"))
    dav.delete("card-0002.vcf")
    status = home.sync()
    assert (status["updated"], status["deleted"]) == (1, 1), "the other books go on"
    del before["friends/card-0002.vcf"]
    with dav.stopped():
        (dav.directory / "away").rename(dav.folder("work"))
    status = home.sync(full=full)
    assert status["state"] == "COMPLETED" and "heldBack" not in status, status
    assert home.identities() == before and not home.problems()


def test_books_come_and_go(hub, dav, name):
    """A new book is read at the next pass; the contacts of a deleted one go with one word of leave; a quiet pass is two requests
    at most, however many books there are."""
    dav.fill(COUNT)
    home = Reader(hub, dav, name)
    home.completed(added=COUNT)
    dav.fill(5, "work")
    home.completed(added=5, live=COUNT + 5)
    home.completed(live=COUNT + 5)
    asked = len(dav.requests)
    home.completed(live=COUNT + 5)
    assert len(dav.requests) - asked <= 2, dav.requests[asked:]

    dav.done("DELETE", f"{dav.home}work/")
    # A large part of another book is missing, and one is new, at the same time.
    for number in range(COUNT // 2):
        dav.delete(f"card-{number:04}.vcf")
    dav.fill(3, "family")
    status = home.sync()
    assert (status["state"], status["added"], status["heldBack"]) == ("COMPLETED", 3, COUNT // 2 + 5), status
    assert status["holdReason"] == "BOOK_GONE" and "deleted" not in status
    status = home.sync(allowMassDelete=True)
    assert (status["deleted"], status["live"]) == (COUNT // 2 + 5, COUNT // 2 + 3), status
    assert not home.problems()
    home.completed(live=COUNT // 2 + 3)
    asked = len(dav.requests)
    home.completed(live=COUNT // 2 + 3)
    assert len(dav.requests) - asked <= 2, "a book that is gone is looked for no more"
    print(f"{dav.program}: {len(dav.requests) - asked} requests when nothing changed")


def test_a_contact_kept_by_hand_does_not_open_the_guard(hub, dav, name):
    """One book of two is emptied, after a contact of it was restored by hand."""
    dav.fill(5)
    dav.fill(COUNT, "work")
    home = Reader(hub, dav, name)
    home.completed(added=COUNT + 5)
    kept = home.identities()["friends/card-0000.vcf"]
    dav.delete("card-0000.vcf")
    home.completed(deleted=1)
    hub.reply("Contacts/Restore", {"id": kept})
    for number in range(1, 5):
        dav.delete(f"card-{number:04}.vcf")
    for options in ({}, {"full": True}, {}):
        status = home.sync(**options)
        assert (status["heldBack"], status["holdReason"]) == (4, "LISTING_EMPTY"), status
        assert status["live"] == COUNT + 5 and "deleted" not in status


def test_a_server_that_is_asked_too_often_is_left_alone(hub, dav, name):
    """Also where it has several books: one refusal is about all of them, and is over when the server says so."""
    books = ("family", "friends", "work")
    for book in books:
        dav.fill(5, book)
    with between(dav) as wire:
        home = Reader(hub, dav, name, url=wire.url)
        home.completed(added=15)
        for book in books:
            dav.put("later.vcf", card(f"later-{book}"), book)
        refused = []

        def refuse(request):
            if any(request.path.endswith(f"/{book}/") for book in books):
                refused.append(request.path)
                return Reply(429, b"", {"Retry-After": "1200"})

        wire.before = refuse
        error = home.failed("UPSTREAM_RATE_LIMITED", 15)
        assert len(refused) == 1, refused
        assert int(error["retryAfterMs"]) == 1_200_000, error
        wire.before = lambda request: None
        home.completed(added=3, live=18)


def test_a_contact_that_may_be_in_a_book_that_is_shut_is_given_to_nobody(hub, dav, name):
    """A card goes to another book, which cannot be read, and another person's takes its name."""
    dav.fill(5)
    dav.fill(5, "work")
    with between(dav) as wire:
        home = Reader(hub, dav, name, url=wire.url)
        home.completed(added=10)
        before = home.identities()
        dav.put("ann.vcf", card("card-0001", uid="friends-1"), "work")
        dav.delete("card-0001.vcf")
        dav.put("card-0001.vcf", card("Bob", uid="bob"))
        wire.before = lambda request: Reply(500) if request.path.endswith("work/") else None
        for _ in range(2):
            status = home.sync()
            assert (status["state"], status["error"]["reason"], status["live"]) == ("COMPLETED", "BOOK_UNAVAILABLE", 10), status
            assert home.identities() == before
            assert home.contacts()["friends/card-0001.vcf"]["uid"] == "friends-1"
            assert status["error"]["message"] == "The address book 'Friends' could not be read. Its contacts stay."
        wire.before = lambda request: None
        home.completed(added=1, live=11)
        after = home.contacts()
        assert after["work/ann.vcf"]["id"] == before["friends/card-0001.vcf"]
        assert after["friends/card-0001.vcf"]["uid"] == "bob"


def test_a_list_that_is_never_whole_is_told(hub, dav, name):
    """The server does not name the address book itself in its list: what else is missing there nobody knows."""
    dav.fill(5)
    with between(dav) as wire:
        home = Reader(hub, dav, name, url=wire.url)
        own = f"{dav.home}friends/".encode()

        def without_the_book(request, reply):
            if not request.is_list or not request.path.encode().endswith(b"friends/"):
                return reply
            responses = re.findall(rb"(?s)<(?:\w+:)?response>.*?</(?:\w+:)?response>", reply.body)
            (its_own,) = [response for response in responses if re.search(rb"href>[^<]*" + own + rb"<", response)]
            return reply._replace(body=reply.body.replace(its_own, b""))

        wire.after = without_the_book
        for _ in range(2):
            status = home.sync()
            assert (status["state"], status["live"], status["error"]["reason"]) == ("COMPLETED", 5, "BOOK_PARTIAL"), status
            assert "'Friends' is not complete" in status["error"]["message"] and "skipped" not in status
            assert home.problems() == {("friends/", "book_partial")}
        dav.delete("card-0003.vcf")
        status = home.sync()
        assert status["live"] == 5 and "deleted" not in status and "heldBack" not in status, status
        wire.after = lambda request, reply: reply
        assert "error" not in home.completed(deleted=1, live=4)
        assert not home.problems()
