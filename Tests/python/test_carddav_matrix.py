"""The same trials on every CardDAV server that Debian and PyPI have: KITH_SERVERS names them, and "all" means all."""
import concurrent.futures
import urllib.parse

import pytest

from carddav_client import card
from conftest import histories, seed, tally
from matrix import TRIALS, Servers, is_installed, is_named, wanted
from servers import PASSWORD, Reader, account
from test_carddav_model import PASSES, History
from test_kill import send, send_again
from trials import daemon

# On each server.
HISTORIES = histories(5, 20)
SEED = seed(20261123)
COUNT = 30


@pytest.fixture(scope="module")
def servers():
    made = Servers()
    yield made
    made.remove()


@pytest.fixture(scope="module")
def shared():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


@pytest.fixture(params=wanted())
def dav(request, servers):
    """The home of a user of its own, who has nothing there."""
    if not is_installed(request.param):
        assert not is_named(), f"scripts/servers.sh {request.param.name} installs it"
        pytest.skip(f"not run: scripts/servers.sh {request.param.name} installs it")
    return servers.home(request.param)


@pytest.fixture
def note(record_property):
    """Adds to what the table says of a trial."""
    return lambda text: record_property("note", text)


@pytest.fixture
def reader(shared, dav, name):
    """Reads the account of the user, with a book of plain cards in it."""
    fill(dav, COUNT)
    home = Reader(shared, dav, name, url=dav.url + dav.kind.root)
    home.completed(added=COUNT, live=COUNT)
    return home


def fill(dav, count, book="friends"):
    """Makes a book as another client does; returns its cards by their names."""
    dav.make(book)
    cards = {f"card-{number:03}.vcf": card(f"card-{number:03}", uid=f"{dav.user}-{book}-{number}") for number in range(count)}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda item: dav.put(*item, book), cards.items()))
    return cards


def same(home, dav, *books):
    """Asserts that the hub has what the server gives out, and nothing else."""
    assert here(home) == there(dav, *books)


def here(home):
    """What the hub has: (FN, UID) of each card by its book and name."""
    return {urllib.parse.unquote(name): (contact["formattedName"], contact["uid"]) for name, contact in home.contacts().items()}


def there(dav, *books):
    """The same of the bodies that the server gives out."""
    return {f"{book}/{name}": said for book in books or ("friends",) for name, said in dav.held(book).items()}


def test_discovery(shared, dav):
    dav.make("friends")
    book = f"{dav.home}friends/"
    with dav.front() as front:
        for start in ("", dav.kind.root, dav.principal, dav.home, book):
            found = shared.reply("Contacts/Discover", {"account": account(dav, url=front.url + start)})
            assert book in {urllib.parse.urlsplit(book["url"]).path for book in found.get("books", [])}, (start, found)


def test_first_pass(dav, reader):
    same(reader, dav)


def test_no_change(shared, dav, name, note):
    fill(dav, COUNT)
    with dav.front() as front:
        home = Reader(shared, dav, name, url=front.url + dav.home)
        home.completed(added=COUNT, live=COUNT)
        front.seen.clear()
        home.completed(live=COUNT)
        books = len(shared.reply("Contacts/Discover", {"account": account(dav, url=dav.url + dav.kind.root)})["books"])
        asked = [request.method for request in front.seen if not request.is_refused]
    # One a book, and one for the list of books.
    assert len(asked) <= books + 1, asked
    note(f"{count(len(asked), 'request')} for {count(books, 'book')}")


def count(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def test_one_in_a_hundred_changed(shared, dav, name):
    cards = fill(dav, 100)
    home = Reader(shared, dav, name, url=dav.url + dav.kind.root)
    home.completed(added=100, live=100)
    before = home.identities()
    changed = sorted(cards)[42]
    dav.put(changed, card("changed", uid=f"{dav.user}-friends-42"))
    home.completed(updated=1, live=100)
    same(home, dav)
    assert home.identities() == before


def test_deleted(dav, reader):
    dav.delete("card-007.vcf")
    reader.completed(deleted=1, live=COUNT - 1)
    same(reader, dav)


def test_made_again_under_its_name(dav, reader, note):
    before = reader.identities()
    first = dav.tag("card-003.vcf")
    for number, passes in ((3, 0), (4, 1)):
        dav.delete(f"card-{number:03}.vcf")
        for _ in range(passes):
            reader.completed(deleted=1, live=COUNT - 1)
        # Twice: what is made first has perhaps the tag that the second has as well.
        for text in ("made again", "and again"):
            dav.put(f"card-{number:03}.vcf", card(text, uid=f"{dav.user}-friends-{number}"))
            assert reader.sync()["state"] == "COMPLETED"
            same(reader, dav)
            if number == 3 and text == "made again":
                assert (dav.tag("card-003.vcf") == first) == dav.kind.repeats_tags
            dav.delete(f"card-{number:03}.vcf")
        dav.put(f"card-{number:03}.vcf", card("at last", uid=f"{dav.user}-friends-{number}"))
        reader.sync()
        same(reader, dav)
    assert reader.identities() == before
    if dav.kind.repeats_tags:
        note(f"with the same ETag {first}")


def test_new_book(dav, reader):
    fill(dav, 5, "family")
    reader.completed(added=5, live=COUNT + 5)
    same(reader, dav, "friends", "family")


def test_removed_book(dav, reader):
    fill(dav, 5, "family")
    reader.completed(added=5, live=COUNT + 5)
    dav.remove_book("family")
    for _ in range(2):
        reader.held(5, "BOOK_GONE")
        assert reader.problems() == {("family/", "book_missing")}
    assert reader.sync(allowMassDelete=True)["deleted"] == 5
    same(reader, dav)
    assert not reader.problems()


def test_wiped(dav, reader):
    before = reader.identities()
    cards = dav.held()
    for name in cards:
        dav.delete(name)
    for _ in range(2):
        reader.held(COUNT, "LISTING_EMPTY")
    for name, (text, uid) in cards.items():
        dav.put(name, card(text, uid=uid))
    reader.completed(live=COUNT)
    same(reader, dav)
    assert reader.identities() == before


def test_restored_from_a_backup(dav, reader):
    backup = dav.saved()
    before = reader.identities()
    for number in range(3):
        dav.put(f"card-{number:03}.vcf", card("later", uid=f"{dav.user}-friends-{number}"))
    dav.delete("card-009.vcf")
    dav.put("new.vcf", card("new", uid=f"{dav.user}-new"))
    reader.completed(added=1, updated=3, deleted=1, live=COUNT)
    dav.restore(backup)
    assert reader.sync()["state"] == "COMPLETED" and len(there(dav)) == COUNT
    same(reader, dav)
    assert reader.identities() == before


def test_wrong_password(shared, dav, name):
    if dav.kind.is_open:
        pytest.skip("not possible, because it lets everybody in")
    fill(dav, COUNT)
    home = Reader(shared, dav, name, url=dav.url + dav.kind.root, password="wrong")
    home.failed("NEEDS_CREDENTIALS", 0)
    shared.reply("Contacts/SetCredentials", {"name": name, "password": PASSWORD})
    home.completed(added=COUNT, live=COUNT)
    same(home, dav)


def test_killed_twice_in_the_fetch(unstarted, dav):
    # More than the first request for cards asks for.
    cards = fill(dav, 130)
    hub = unstarted.start()
    with dav.front() as front:
        home = Reader(hub, dav, url=front.url + dav.home)
        for number in (1, 2):
            asked, process = [], hub.process

            def kill(request, reply, number=number, asked=asked, process=process):
                if request.is_multiget:
                    asked.append(request.body.count(b".vcf"))
                    if len(asked) == number:
                        process.kill()
                return reply

            front.after = kill
            calls = {f"pass-{number}": ("Contacts/Sync", {"sources": ["home"], "full": True})}
            wire = send(hub, calls)
            hub.killed()
            wire.close()
            # It had asked for cards, and had not got the answer to the last request for them.
            assert len(asked) == number and sum(asked[: number - 1]) < len(cards), asked
            front.after = lambda request, reply: reply
            hub.start()
            (reply,) = send_again(hub, calls)
            (status,) = reply["sources"]
            assert (status["state"], status["live"]) == ("COMPLETED", len(cards)), status
            same(home, dav)


def test_written_while_passes_run(dav, reader, note):
    """DAViCal gives a token that passes over a change which it commits later."""
    passes = 0
    for round_number in range(3):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            writing = [
                pool.submit(dav.put, f"card-{number:03}.vcf", card(f"text {round_number}", uid=f"{dav.user}-friends-{number}"))
                for number in range(COUNT)]
            while not all(each.done() for each in writing):
                assert reader.sync()["state"] == "COMPLETED"
                passes += 1
            for each in writing:
                each.result()
        for _ in range(2):
            assert reader.sync()["state"] == "COMPLETED"
        same(reader, dav)
    note(f"passes meanwhile: {passes}")


@pytest.mark.long
@pytest.mark.timeout(600)
def test_histories(shared, dav, note):
    passes = edits = 0
    for number in range(SEED, SEED + HISTORIES):
        history = History(dav, f"book-{number}", f"{dav.kind.name}-{number}")
        book = f"{dav.home}{history.book}/"
        # By the address of the book, or as one of its account.
        place = {"url": dav.url + dav.home, "books": [book]} if number % 2 else {"url": dav.url + book}
        home = Reader(shared, dav, f"{dav.kind.name}-{number}", **place)
        for _ in range(PASSES + 1):
            assert home.sync()["state"] == "COMPLETED"
            same(home, dav, history.book)
            passes += 1
            history.edit()
            edits += len(history.written)
        shared.reply("Contacts/RemoveSource", {"name": home.name})
    tally(histories=HISTORIES)
    note(f"{HISTORIES} with {edits} edits and {passes} passes")


def test_the_table_has_every_trial():
    assert {f"test_{name}" for name in TRIALS} == {
        name for name in globals() if name.startswith("test_") and name != "test_the_table_has_every_trial"}
