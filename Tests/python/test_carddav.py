"""The life of a CardDAV account: found, read, followed by its changes, on each of two real servers."""
import pytest

from servers import Reader, account, card
from trials import daemon

COUNT = 300


@pytest.fixture(scope="module")
def hub():
    with daemon() as hub:
        yield hub
        assert hub.end() == 0


def test_an_account_is_found_read_and_followed(hub, dav):
    cards = dav.fill(COUNT)
    found = hub.reply("Contacts/Discover", {"account": account(dav)})
    assert [(book["url"].partition(dav.home)[2].strip("/"), book["name"]) for book in found["books"] if "friends" in book["url"]] == [
        ("friends", "Friends")]
    assert found["trail"]

    home = Reader(hub, dav, f"life-{dav.program}")
    home.completed(added=COUNT, live=COUNT)
    first = home.contacts()
    assert set(first) == {f"friends/{name}" for name in cards}
    assert all(contact["formattedName"] == name[len("friends/"):-len(".vcf")] for name, contact in first.items())
    probe = hub.reply("Contacts/TestSource", {"name": home.name})
    assert probe["readable"] is True and probe["items"] == COUNT

    before = len(dav.requests)
    home.completed(live=COUNT)
    asked = dav.requests[before:]
    books = len(found["books"])
    assert len(asked) <= 2, asked

    changed = sorted(cards)[::100]
    for name in changed:
        dav.put(name, card("changed", "NOTE:new", uid=f"friends-{int(name[5:9])}"))
    before = len(dav.requests)
    home.completed(updated=len(changed), live=COUNT)
    assert len(dav.requests) - before <= 2 * books + 2, dav.requests[before:]
    now = home.contacts()
    assert sorted(name for name in now if now[name]["formattedName"] == "changed") == [f"friends/{name}" for name in changed]
    assert home.identities() == {name: contact["id"] for name, contact in first.items()}

    dav.delete("card-0007.vcf")
    home.completed(deleted=1, live=COUNT - 1)
    assert set(first) - set(home.contacts()) == {"friends/card-0007.vcf"}
    gone = hub.reply("Contacts/Get", {"id": first["friends/card-0007.vcf"]["id"]})["contact"]
    assert gone["deletedAt"]
    dav.put("card-0007.vcf", cards["card-0007.vcf"])
    home.completed(revived=1, live=COUNT)
    assert home.identities() == {name: contact["id"] for name, contact in first.items()}
    print(f"{dav.program}: {COUNT} cards read, {len(asked)} requests when nothing changed, {len(changed)} changed, 1 deleted")


def test_several_books(hub, dav):
    for book in ("friends", "family", "work"):
        dav.fill(12, book)
    every = Reader(hub, dav, f"every-{dav.program}")
    every.completed(added=36, live=36)
    assert {name.partition("/")[0] for name in every.contacts()} == {"friends", "family", "work"}
    chosen = Reader(hub, dav, f"chosen-{dav.program}", books=[f"{dav.home}family/"])
    chosen.completed(added=12, live=12)
    one = Reader(hub, dav, f"one-{dav.program}", url=f"{dav.url}{dav.home}work/")
    one.completed(added=12, live=12)
    assert set(one.contacts()) == {f"work/card-{number:04}.vcf" for number in range(12)}

    # The same card in two books is two contacts, and one that moves between books is not lost.
    dav.put("moved.vcf", card("moved"), "friends")
    every.completed(added=1, live=37)
    identity = every.identities()["friends/moved.vcf"]
    dav.delete("moved.vcf", "friends")
    dav.put("moved.vcf", card("moved"), "family")
    every.sync()
    assert every.identities()["family/moved.vcf"] == identity and "friends/moved.vcf" not in every.contacts()
    chosen.completed(added=1, live=13)
    one.completed(live=12)
