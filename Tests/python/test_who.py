"""A person and a contact of the address book are one: found as one, shown as one, and found however their name is written."""
import pathlib
import urllib.parse

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
