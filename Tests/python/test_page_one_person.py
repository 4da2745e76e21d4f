"""A person and a contact of the address book are one on the pages too, and a household without Monica hears nothing of a server."""
import pytest

from test_who import INGRID, card
from visitor import Visitor, person
from web import door


@pytest.fixture
def front(tmp_path):
    book = tmp_path / "book"
    book.mkdir()
    (book / "ingrid.vcf").write_text(INGRID)
    (book / "sato.vcf").write_text(card("佐藤 花子", "さとう はなこ"))
    with door() as front:
        front.book = book
        front.hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(book)}})
        front.hub.reply("Contacts/Sync", {})
        yield front


def test_a_contact_is_found_among_people_and_becomes_one(front):
    visitor = Visitor(front.device("hanako"))
    page = visitor.open("/people").search("/people", text="ingrit")
    assert page.texts("person") == [] and "Ingrid Solberg" in page.texts("contact")[0]
    page = page.send("People/OfContact")
    assert page.texts("contact") == [] and page.texts("person") == ["Ingrid Solberg"]
    page = page.follow("Ingrid Solberg")
    assert "+1-555-010-0131" in page.texts("address-book")[0] and "ingrid@example.org" in page.texts("address-book")[0]
    assert "1985" in page.texts("person")[0] and dict(page.main.links())["Call"] == "tel:+15550100131"
    page = page.send("People/Link")
    assert page.texts("address-book") == []
    page = visitor.open("/people").search("/people", text="sato")
    assert "佐藤 花子" in page.texts("contact")[0]


def test_labels_of_the_address_book_are_in_the_language_of_the_page(front):
    home = card("Otto Brandt", **{"TEL;TYPE=home": "+1-555-010-0177", "ADR;TYPE=work": ";;1 High St;Bath;;;GB"})
    (front.book / "otto.vcf").write_text(home)
    front.hub.reply("Contacts/Sync", {})
    (otto,) = front.hub.reply("Contacts/Search", {"text": "otto"})["contacts"]
    person_id = front.hub.reply("People/OfContact", {"contactId": otto["id"]})["id"]
    for language, labels in (("en", ("home", "work")), ("ja", ("自宅", "勤務先"))):
        (ways,) = Visitor(front.device(f"device-{language}"), language=language).open(f"/people/{person_id}").texts("address-book")
        assert f"{labels[0]} +1-555-010-0177" in ways and f"{labels[1]} 1 High St" in ways, ways


def test_no_page_speaks_of_a_server_where_there_is_none(front):
    visitor = Visitor(front.device("hanako"))
    ann = person(front, "Ann")
    front.hub.reply("Calls/Log", {"record": {"personId": ann, "note": "About the garden"}})
    front.hub.reply("Notes/Create", {"record": {"personId": ann, "body": "Likes tea."}})
    for path in ("/people", f"/people/{ann}", "/calls", "/calls/statistics", f"/records/note?person={ann}", "/more", "/settings", "/sync"):
        words = visitor.open(path).text.lower()
        assert "server" not in words and "monica" not in words, (path, words)


def test_relationships_are_chosen_among_built_in_ones_and_named_from_both_sides(front):
    visitor = Visitor(front.device("hanako"), language="ja")
    ann, bob = person(front, "Ann"), person(front, "Bob")
    page = visitor.open(f"/records/relationship?person={ann}")
    page = page.send("Relationships/Create", {"record.otherId": bob, "record.type": "carer"})
    assert "介護者: Bob" in page.texts("relationship")[0]
    assert "介護を受ける人: Ann" in visitor.open(f"/people/{bob}").texts("relationship")[0]
