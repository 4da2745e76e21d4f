"""A person and a contact of the address book are one: found as one, shown as one, and found however their name is written."""
import pathlib

import pytest

import cards
from trials import daemon, kith

PAIRS = [
    [*line.split("\t"), "", "", ""][:4]
    for line in (pathlib.Path(__file__).parents[1] / "recall/names.tsv").read_text().splitlines()
]


def card(name, reading="", phone="", email="", **others):
    """A vCard; Japanese names have the family name first."""
    first, _, last = name.rpartition(" ")
    given, family = (first, last) if name.isascii() or not any("\u3040" < letter < "\ua000" for letter in name) else (last, first)
    lines = ["BEGIN:VCARD", "VERSION:3.0", f"FN:{name}", f"N:{family};{given};;;"]
    if reading:
        family, _, given = reading.partition(" ")
        lines += [f"X-PHONETIC-LAST-NAME:{family}", f"X-PHONETIC-FIRST-NAME:{given}"]
    lines += [f"TEL;TYPE=CELL:{phone}"] if phone else []
    lines += [f"EMAIL:{email}"] if email else []
    return "\r\n".join([*lines, *(f"{key}:{value}" for key, value in others.items()), "END:VCARD", ""])


@pytest.fixture
def hub(tmp_path):
    with daemon() as hub:
        hub.book = tmp_path / "book"
        hub.book.mkdir()
        yield hub


def fill(hub, *written):
    for number, text in enumerate(written):
        (hub.book / f"{number}.vcf").write_text(text)
    hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(hub.book)}})
    assert hub.reply("Contacts/Sync", {})["sources"][0]["live"] == len(written)


def said(hub, *arguments, code=0):
    run = kith(hub, *arguments)
    assert run.returncode == code, (arguments, run.stdout, run.stderr)
    return run.stdout + run.stderr


def test_names_are_found_as_strangers_write_them(hub):
    names = {name: (reading, phone) for _, name, reading, phone in PAIRS}
    book = [card(name, *ways) for name, ways in names.items() if len(name) % 2 or ways[0]]
    for name, (reading, phone) in names.items():
        if len(name) % 2 or reading:
            continue
        first, _, last = name.rpartition(" ")
        person = hub.reply("People/Create", {"record": {"firstName": first, "lastName": last}})["id"]
        if phone:
            hub.reply("People/AddField", {"record": {"personId": person, "type": "phone", "data": phone}})
    fill(hub, *book)
    noise = hub.book.parent / "noise"
    noise.mkdir()
    cards.make(900, noise)
    hub.reply("Contacts/AddSource", {"name": "noise", "vdir": {"path": str(noise)}})
    hub.reply("Contacts/Sync", {"sources": ["noise"]})
    missed = []
    for query, name, *_ in PAIRS:
        hits = hub.reply("People/Who", {"text": query}).get("hits", [])
        if name not in [hit["name"] for hit in hits]:
            missed.append((query, name))
    assert len(PAIRS) >= 200
    assert len(missed) <= len(PAIRS) * 0.03, missed


INGRID = card("Ingrid Solberg", phone="+1-555-010-0131", email="ingrid@example.org", BDAY="1985-05-17")


def test_a_contact_becomes_a_person_when_something_is_recorded(hub):
    fill(hub, INGRID, card("Otto Brandt"))
    assert "Nothing is recorded about Ingrid Solberg" in said(hub, "people", "show", "ingrid", code=1)
    assert "Call with Ingrid Solberg" in said(hub, "call", "log", "ingrid", "--note", "About the garden")
    shown = said(hub, "people", "show", "ingrid")
    for words in ("+1-555-010-0131", "ingrid@example.org", "1985-05-17", "About the garden"):
        assert words in shown, shown
    (hit,) = hub.reply("People/Who", {"text": "ingrid"})["hits"]
    assert hit["person"]["contactId"] == hit["contact"]["id"] and hit["birthday"] == "1985-05-17"
    assert "person and contact" in said(hub, "who", "ingrit")
    # The second call is of the same person, whatever she is found by.
    said(hub, "call", "log", "0131", "--note", "About the fence")
    said(hub, "note", "add", "Ingrid Solberg", "Waters the plants.")
    assert [person["displayName"] for person in hub.reply("People/List")["people"]] == ["Ingrid Solberg"]
    contact = hub.reply("Contacts/Get", {"id": hit["contact"]["id"]})
    assert (contact["personId"], contact["personName"]) == (hit["person"]["id"], "Ingrid Solberg")
    # Unlinked, they are two again, and nothing is lost.
    said(hub, "people", "unlink", "ingrid")
    hits = hub.reply("People/Who", {"text": "ingrid"})["hits"]
    assert sorted(("person" in hit, "contact" in hit) for hit in hits) == [(False, True), (True, False)]
    assert "About the garden" in said(hub, "people", "show", hit["person"]["id"])
    (suggestion,) = hub.reply("People/SuggestLinks")["suggestions"]
    assert suggestion["reasons"] == ["name"]


@pytest.mark.parametrize("part", [slice(None), slice(-10, None), slice(33)], ids=["whole", "end", "beginning"])
def test_the_id_of_a_contact_is_taken_where_a_name_is(hub, part):
    fill(hub, INGRID, card("Otto Brandt"))
    ids = {contact["formattedName"]: contact["id"] for contact in hub.reply("Contacts/List")["contacts"]}
    ingrid, otto = ids["Ingrid Solberg"][part], ids["Otto Brandt"][part]
    assert "Nothing is recorded about Ingrid Solberg" in said(hub, "people", "show", ingrid, code=1)
    assert "Call with Ingrid Solberg" in said(hub, "call", "log", ingrid, "--note", "About the garden")
    assert "Call with Ingrid Solberg" in said(hub, "call", "log", ingrid, "--note", "About the fence")
    said(hub, "relation", "add", ingrid, "friend", otto)
    (one, two) = sorted(hub.reply("People/List")["people"], key=lambda person: person["displayName"])
    assert (one["displayName"], one["contactId"]) == ("Ingrid Solberg", ids["Ingrid Solberg"])
    assert (two["displayName"], two["contactId"]) == ("Otto Brandt", ids["Otto Brandt"])
    # Now a person has it, as with the name.
    assert "About the fence" in said(hub, "people", "show", ingrid)
    assert "Otto Brandt" in said(hub, "people", "show", otto)
    said(hub, "people", "delete", otto, "--yes")
    assert [person["displayName"] for person in hub.reply("People/List")["people"]] == ["Ingrid Solberg"]


def test_a_japanese_name_is_shown_family_name_first(hub):
    said(hub, "people", "add", "花子", "--last-name", "佐藤")
    shown = said(hub, "people", "list", "--lang", "ja")
    assert "佐藤 花子" in shown and "花子 佐藤" not in shown
    assert "佐藤 一郎" in said(hub, "people", "add", "一郎", "--last-name", "佐藤", "--lang", "ja")
    for typed in ("佐藤 一郎", "一郎 佐藤", "佐藤一郎", "一郎"):
        assert "佐藤 一郎" in said(hub, "people", "show", typed), typed
        assert "佐藤 一郎" in said(hub, "call", "log", typed, "--note", typed), typed
    assert "Ann Lee" in said(hub, "people", "add", "Ann", "--last-name", "Lee")


def test_the_person_of_a_contact_is_made_once(hub):
    fill(hub, INGRID)
    contact = hub.reply("Contacts/List")["contacts"][0]["id"]
    made = [hub.reply("People/OfContact", {"contactId": contact})["id"] for _ in range(3)]
    assert len(set(made)) == 1 and len(hub.reply("People/List")["people"]) == 1
    header, _, _ = hub.ask("People/OfContact", {"contactId": "nobody"})
    assert header["status"]["reason"] == "RECORD_UNKNOWN"
    header, _, _ = hub.ask("People/Who", {"text": " "})
    assert header["status"]["reason"] == "FIELD_INVALID"


def test_duplicates_are_shown_and_never_merged(hub):
    fill(
        hub, card("Ann Lee", email="ann@example.org"), card("Lee Ann"),
        card("John Smith", phone="+49 30 5550101"), card("Mary Smith", phone="030 5550101"), card("J. Smith", phone="(030) 5550101"))
    ann = hub.reply("People/Create", {"record": {"firstName": "Anne", "lastName": "Lee"}})["id"]
    hub.reply("People/AddField", {"record": {"personId": ann, "type": "email", "data": "Ann@example.org"}})
    found = hub.reply("People/Duplicates")["duplicates"]
    pairs = {tuple(sorted((pair["name"], pair["otherName"]))): pair["reasons"] for pair in found}
    # A family shares its telephone: Mary is nobody else.
    assert pairs == {("Ann Lee", "Lee Ann"): ["name"], ("Ann Lee", "Anne Lee"): ["email"], ("J. Smith", "John Smith"): ["phone"]}
    assert "people link" in said(hub, "people", "duplicates")
    assert len(hub.reply("Contacts/List")["contacts"]) == 5 and len(hub.reply("People/List")["people"]) == 1
    pair = next(pair for pair in found if pair["name"] == "Anne Lee" or pair["otherName"] == "Anne Lee")
    said(hub, "people", "dismiss", ann, pair.get("contactId") or pair["otherContactId"])
    assert len(hub.reply("People/Duplicates")["duplicates"]) == 2


def test_sato_is_found_in_the_address_book(hub):
    fill(hub, card("佐藤 花子", "さとう はなこ"), card("Naomi Sato"), card("山田 太郎", "やまだ たろう"))
    for text in ("sato", "さとう", "サトウ", "satou"):
        shown = said(hub, "contacts", "search", text)
        assert "佐藤 花子" in shown and "Naomi Sato" in shown and "山田" not in shown, (text, shown)
    assert "佐藤 花子" in said(hub, "contacts", "search", "佐藤")
