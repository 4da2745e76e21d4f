"""A person keeps the link to a contact whose card is in another place: copied, moved, or in a source that was added again."""
import pytest

from between import Reply, between
from servers import RADICALE, Reader, card, server
from trials import add_folder, contacts, daemon, sync


@pytest.fixture(scope="module")
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


def named(hub, source, name):
    """The id of the contact with a name."""
    [contact] = [contact for contact in contacts(hub, source).values() if contact["formattedName"] == name]
    return contact["id"]


def link(hub, contact):
    """The id of a person with that contact."""
    return hub.reply("People/OfContact", {"contactId": contact})["id"]


def linked(hub, person):
    """The id of the person's contact."""
    return hub.reply("People/Get", {"id": person})["person"].get("contactId")


def test_a_source_that_is_removed_and_added_again(hub, tmp_path):
    for name in ("Ann Again", "Ben Again"):
        (tmp_path / f"{name}.vcf").write_bytes(card(name, uid=name))
    add_folder(hub, "again", tmp_path)
    sync(hub, "again")
    ann = link(hub, named(hub, "again", "Ann Again"))
    hub.reply("Contacts/RemoveSource", {"name": "again"})
    assert linked(hub, ann) is None
    # Under any name.
    add_folder(hub, "anew", tmp_path)
    sync(hub, "anew")
    new = named(hub, "anew", "Ann Again")
    assert linked(hub, ann) == new and link(hub, new) == ann
    [hit] = hub.reply("People/Who", {"text": "ann again"})["hits"]
    assert hit["person"]["id"] == ann and hit["contact"]["id"] == new


def test_another_card_is_suggested(hub, tmp_path):
    (tmp_path / "a.vcf").write_bytes(card("Cy Other", uid="first"))
    add_folder(hub, "other", tmp_path)
    sync(hub, "other")
    cy = link(hub, named(hub, "other", "Cy Other"))
    hub.reply("Contacts/RemoveSource", {"name": "other"})
    (tmp_path / "a.vcf").write_bytes(card("Cy Other", uid="second"))
    add_folder(hub, "other", tmp_path)
    sync(hub, "other")
    assert linked(hub, cy) is None
    [suggestion] = hub.reply("People/SuggestLinks", {"personId": cy})["suggestions"]
    assert suggestion["contactId"] == named(hub, "other", "Cy Other")


def test_a_copy_whose_original_is_deleted(hub, tmp_path):
    for folder in ("mine", "family"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "own.vcf").write_bytes(card(f"Own {folder}", uid=folder))
    (tmp_path / "mine/d.vcf").write_bytes(card("Dan Copy", uid="dan"))
    add_folder(hub, "copy", tmp_path)
    sync(hub, "copy")
    first = named(hub, "copy", "Dan Copy")
    dan = link(hub, first)
    (tmp_path / "family/d.vcf").write_bytes(card("Dan Copy", uid="dan"))
    assert sync(hub, "copy")["added"] == 1 and linked(hub, dan) == first
    (tmp_path / "mine/d.vcf").unlink()
    assert sync(hub, "copy")["deleted"] == 1
    assert linked(hub, dan) == named(hub, "copy", "Dan Copy") != first


def test_a_card_that_left_an_address_book_that_cannot_be_read(hub):
    with server(RADICALE) as dav, between(dav) as wire:
        for book in ("friends", "work"):
            dav.make(book)
            for number in range(5):
                dav.put(f"{number}.vcf", card(f"{book} {number}", uid=f"{book}{number}"), book)
        home = Reader(hub, dav, "left", url=wire.url)
        assert home.sync()["added"] == 10
        first = home.identities()["friends/0.vcf"]
        person = link(hub, first)
        dav.put("moved.vcf", card("friends 0", uid="friends0"), "work")
        dav.delete("0.vcf", "friends")
        wire.before = lambda request: Reply(500) if "/friends" in request.path else None
        for _ in range(2):
            status = home.sync()
            assert status["state"] == "COMPLETED" and not {"added", "deleted"} & status.keys(), status
            problems = hub.reply("Contacts/Problems", {"source": "left"})["problems"]
            [waiting] = [problem for problem in problems if problem["kind"] == "card_waits"]
            assert waiting["sourceIdentifier"] == "work/moved.vcf" and "'Friends'" in waiting["message"], waiting
        wire.before = lambda request: None
        for _ in range(2):
            status = home.sync()
            assert status["state"] == "COMPLETED" and not {"added", "deleted", "heldBack"} & status.keys(), status
        assert home.identities()["work/moved.vcf"] == first and linked(hub, person) == first
