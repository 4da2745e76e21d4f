"""Cards that change their names keep their contacts, whatever names they take: of each other, in a circle, in another folder."""
import pytest

from servers import Reader, card
from trials import add_folder, by_uid, contacts, daemon, sync


@pytest.fixture(scope="module")
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


class Folder:
    """A folder of cards."""

    def __init__(self, hub, path, name):
        self.hub, self.path, self.name = hub, path, name
        path.mkdir(parents=True)
        add_folder(hub, name, path)

    def put(self, name, content):
        (self.path / name).write_bytes(content)

    def move(self, name, other):
        (self.path / name).rename(self.path / other)

    def sync(self, **options):
        return sync(self.hub, self.name, **options)

    def contacts(self):
        return contacts(self.hub, self.name)


class Book(Reader):
    """An address book, where a card is moved by MOVE."""

    def __init__(self, hub, dav, name):
        dav.fill(0)
        super().__init__(hub, dav, name)
        self.put, self.move = dav.put, dav.move


def put(place, *names):
    """Writes a card of its own under each name."""
    for name in names:
        place.put(f"{name}.vcf", card(f"Person {name}", uid=f"u{name}"))


def names(place):
    """The name that each card has, by the one that it had first; what its contact says is of the same card."""
    found = place.contacts()
    assert all(contact["formattedName"] == f"Person {contact['uid'][1:]}" for contact in found.values())
    return {contact["uid"][1:]: name.removeprefix("friends/").removesuffix(".vcf") for name, contact in found.items()}


def rotate(place, *names):
    """Gives each card the name of the next one."""
    for name, other in [(names[-1], "between"), *reversed(list(zip(names, names[1:]))), ("between", names[0])]:
        place.move(f"{name}.vcf", f"{other}.vcf")


def moves_keep_contacts(place):
    put(place, *"abcdefgh")
    assert place.sync()["added"] == 8
    first = by_uid(place.contacts())
    rotate(place, "a", "b")
    rotate(place, "c", "d", "e")
    # A card takes the name of one that goes on to a new name.
    place.move("g.vcf", "x.vcf")
    place.move("f.vcf", "g.vcf")
    for options in ({}, {"full": True}, {}):
        status = place.sync(**options)
        assert status["state"] == "COMPLETED" and not {"added", "deleted", "revived", "heldBack"} & status.keys(), status
        assert by_uid(place.contacts()) == first
        assert names(place) == {"a": "b", "b": "a", "c": "d", "d": "e", "e": "c", "f": "g", "g": "x", "h": "h"}
    assert "updated" not in status, status


def test_moves_in_a_folder(hub, tmp_path):
    moves_keep_contacts(Folder(hub, tmp_path / "cards", "moves"))


def test_moves_in_an_address_book(hub, dav):
    moves_keep_contacts(Book(hub, dav, f"moves-{dav.program}"))


def test_cards_put_again_under_each_others_names(hub, dav):
    book = Book(hub, dav, f"again-{dav.program}")
    put(book, *"abc")
    book.completed(added=3)
    first = by_uid(book.contacts())
    for name in "ab":
        dav.delete(f"{name}.vcf")
    for name, other in ("ab", "ba"):
        dav.put(f"{name}.vcf", card(f"Person {other}", uid=f"u{other}"))
    assert book.sync()["state"] == "COMPLETED"
    assert by_uid(book.contacts()) == first and names(book) == {"a": "b", "b": "a", "c": "c"}


def test_a_card_put_again_under_a_name_of_other_letters(hub, dav):
    book = Book(hub, dav, f"letters-{dav.program}")
    put(book, *"abc")
    book.completed(added=3)
    first = by_uid(book.contacts())
    dav.delete("b.vcf")
    dav.put("%C3%84nnchen%20&%20Co.vcf", card("Person b", uid="ub"))
    assert book.sync()["state"] == "COMPLETED"
    assert by_uid(book.contacts()) == first and set(names(book)) == set("abc") and names(book)["b"] != "b"
