"""Cards that change their names keep their contacts, whatever names they take: of each other, in a circle, in another folder."""
import pytest

from servers import RADICALE, XANDIKOS, Reader, card, server
from trials import add_folder, contacts, daemon, sync


@pytest.fixture(scope="module")
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


@pytest.fixture(params=[RADICALE, XANDIKOS])
def dav(request):
    with server(request.param) as made:
        yield made


class Folder:
    """A folder of cards, whose names are those of the files without their ending."""

    def __init__(self, hub, path, name):
        self.hub, self.path, self.name = hub, path, name
        path.mkdir(parents=True)
        add_folder(hub, name, path)

    def put(self, name, uid):
        (self.path / f"{name}.vcf").parent.mkdir(exist_ok=True)
        (self.path / f"{name}.vcf").write_bytes(card(f"Person {uid}", uid=uid))

    def move(self, name, other):
        (self.path / f"{name}.vcf").rename(self.path / f"{other}.vcf")

    def sync(self, **options):
        status = sync(self.hub, self.name, **options)
        assert status["state"] == "COMPLETED", status
        return status

    def identities(self):
        """The id of each contact by its UID; what it says is of the same card."""
        found = contacts(self.hub, self.name)
        assert all(contact["formattedName"] == f"Person {contact['uid']}" for contact in found.values())
        return {contact["uid"]: contact["id"] for contact in found.values()}

    def names(self):
        return {contact["uid"]: name.removesuffix(".vcf") for name, contact in contacts(self.hub, self.name).items()}


class Book(Folder):
    """The same as an address book, where a card is moved by MOVE."""

    def __init__(self, hub, dav, name):
        self.hub, self.dav, self.name = hub, dav, name
        dav.fill(0)
        self.reader = Reader(hub, dav, name)

    def put(self, name, uid):
        self.dav.put(f"{name}.vcf", card(f"Person {uid}", uid=uid))

    def move(self, name, other):
        at = f"{self.dav.home}friends/"
        self.dav.done("MOVE", f"{at}{name}.vcf", Destination=f"{self.dav.url}{at}{other}.vcf", Overwrite="F")

    def names(self):
        return {uid: name.removeprefix("friends/") for uid, name in super().names().items()}


def rotate(place, *names):
    """Gives each card the name of the next one."""
    place.move(names[-1], "between")
    for name, other in reversed(list(zip(names, names[1:]))):
        place.move(name, other)
    place.move("between", names[0])


def moves_keep_contacts(place):
    for name in "abcdefgh":
        place.put(name, f"u{name}")
    place.sync()
    first = place.identities()
    assert len(first) == 8
    rotate(place, "a", "b")
    rotate(place, "c", "d", "e")
    # A card takes the name of one that goes on to a new name.
    place.move("g", "x")
    place.move("f", "g")
    for options in ({}, {"full": True}):
        status = place.sync(**options)
        assert not {"added", "deleted", "revived", "heldBack"} & status.keys(), status
        assert place.identities() == first
        assert place.names() == {"ua": "b", "ub": "a", "uc": "d", "ud": "e", "ue": "c", "uf": "g", "ug": "x", "uh": "h"}
    status = place.sync()
    assert not {"added", "updated", "deleted"} & status.keys(), status


def test_moves_in_a_folder(hub, tmp_path):
    moves_keep_contacts(Folder(hub, tmp_path / "cards", "moves"))


def test_moves_in_an_address_book(hub, dav):
    moves_keep_contacts(Book(hub, dav, f"moves-{dav.program}"))


def test_cards_put_again_under_each_others_names(hub, dav):
    book = Book(hub, dav, f"again-{dav.program}")
    for name in "abc":
        book.put(name, f"u{name}")
    book.sync()
    first = book.identities()
    for name in "ab":
        dav.delete(f"{name}.vcf")
    book.put("a", "ub")
    book.put("b", "ua")
    book.sync()
    assert book.identities() == first and book.names() == {"ua": "b", "ub": "a", "uc": "c"}
