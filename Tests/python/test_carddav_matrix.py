"""The same trials on every CardDAV server that Debian and PyPI have: KITH_SERVERS names them, and "all" means all."""
import concurrent.futures
import urllib.parse

import pytest

from carddav_client import card
from matrix import Servers, is_installed, is_named, version, wanted
from servers import PASSWORD, Reader, account
from test_carddav_model import PASSES, History
from test_kill import send, send_again
from trials import daemon

HISTORIES = 20
SEED = 20261123
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
        pytest.skip(f"scripts/servers.sh {request.param.name} installs it")
    return servers.home(request.param)


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
    there = {f"{book}/{name}": said for book in books or ("friends",) for name, said in dav.held(book).items()}
    here = {urllib.parse.unquote(name): (contact["formattedName"], contact["uid"]) for name, contact in home.contacts().items()}
    assert here == there


def test_discovery(shared, dav):
    dav.make("friends")
    book = f"{dav.home}friends/"
    with dav.front() as front:
        for start in ("", dav.kind.root, dav.principal, dav.home, book):
            found = shared.reply("Contacts/Discover", {"account": account(dav, url=front.url + start)})
            assert book in {urllib.parse.urlsplit(book["url"]).path for book in found.get("books", [])}, (start, found)


def test_first_pass(dav, reader):
    same(reader, dav)


def test_no_change(shared, dav, name):
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
    print(f"{dav.kind.name}: a pass without changes makes {len(asked)} requests for {books} books")


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


def test_made_again_under_its_name(dav, reader):
    before = reader.identities()
    for number, passes in ((3, 0), (4, 1)):
        dav.delete(f"card-{number:03}.vcf")
        for _ in range(passes):
            reader.completed(deleted=1, live=COUNT - 1)
        # Twice: what is made first has perhaps the tag that the second has as well.
        for text in ("made again", "and again"):
            dav.put(f"card-{number:03}.vcf", card(text, uid=f"{dav.user}-friends-{number}"))
            assert reader.sync()["state"] == "COMPLETED"
            same(reader, dav)
            dav.delete(f"card-{number:03}.vcf")
        dav.put(f"card-{number:03}.vcf", card("at last", uid=f"{dav.user}-friends-{number}"))
        reader.sync()
        same(reader, dav)
    assert reader.identities() == before


def test_new_book(dav, reader):
    fill(dav, 5, "family")
    # An ordinary pass looks for new books once a day only.
    assert reader.sync(full=True)["added"] == 5
    same(reader, dav, "friends", "family")


def test_removed_book(dav, reader):
    fill(dav, 5, "family")
    assert reader.sync(full=True)["added"] == 5
    before = reader.identities()
    dav.remove_book("family")
    for _ in range(2):
        status = reader.sync()
        assert status["state"] == "COMPLETED" and "deleted" not in status
        assert reader.identities() == before
    assert reader.sync(full=True, allowMassDelete=True)["deleted"] == 5
    same(reader, dav)


def test_wiped(dav, reader):
    before = reader.identities()
    cards = dav.held()
    for name in cards:
        dav.delete(name)
    status = reader.sync()
    assert (status["state"], status["heldBack"]) == ("COMPLETED", COUNT) and "deleted" not in status
    assert reader.identities() == before
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
    passes = [reader.sync()]
    if (there := dav.held()) != {name.rpartition("/")[2]: said for name, said in texts(reader).items()}:
        passes.append(reader.sync(full=True))
    assert [status["state"] for status in passes] == ["COMPLETED"] * len(passes) and len(there) == COUNT
    same(reader, dav)
    assert reader.identities() == before
    print(f"{dav.kind.name}: the backup is seen by {'the next pass' if len(passes) == 1 else 'a full pass'}")


def texts(home):
    return {name: (contact["formattedName"], contact["uid"]) for name, contact in home.contacts().items()}


def test_wrong_password(shared, dav, name):
    if dav.kind.is_open:
        pytest.skip("it lets everybody in")
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
            wire.socket.close()
            # It had asked for cards, and had not got the answer to the last request for them.
            assert len(asked) == number and sum(asked[: number - 1]) < len(cards), asked
            front.after = lambda request, reply: reply
            hub.start()
            (reply,) = send_again(hub, calls)
            (status,) = reply["sources"]
            assert (status["state"], status["live"]) == ("COMPLETED", len(cards)), status
            same(home, dav)


def test_histories(shared, dav):
    if not is_named():
        pytest.skip("runs where KITH_SERVERS names the server")
    passes = edits = 0
    for number in range(HISTORIES):
        history = History(dav, f"book-{number}", f"{SEED}-{dav.kind.name}-{number}")
        home = Reader(shared, dav, f"{dav.kind.name}-{number}", url=f"{dav.url}{dav.home}{history.book}/")
        for _ in range(PASSES + 1):
            assert home.sync()["state"] == "COMPLETED"
            same(home, dav, history.book)
            passes += 1
            history.edit()
            edits += len(history.written)
        shared.reply("Contacts/RemoveSource", {"name": home.name})
    print(f"{version(dav.kind)}: {HISTORIES} histories, {passes} passes, {edits} edits, seed {SEED}")
