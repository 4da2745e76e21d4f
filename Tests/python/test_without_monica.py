"""A household without a Monica account is whole: nothing waits for a server. A later login doubles nothing and loses nothing."""
import collections
import json

import pytest

from monica_home import home
from trials import kith


@pytest.fixture
def household(monica):
    with home(monica, login=False) as household:
        yield household


def said(household, *arguments):
    run = kith(household.hub, *arguments)
    assert run.returncode == 0, (arguments, run.stdout, run.stderr)
    return run.stdout


def furnish(household):
    """What a family records in its first week."""
    said(household, "people", "add", "Ann", "--last-name", "Lee", "--gender", "女性", "--tag", "family")
    said(household, "people", "add", "Bob", "--last-name", "Lee", "--gender", "Man")
    said(household, "people", "add", "Carla")
    said(household, "relation", "add", "ann", "子", "bob")
    said(household, "relation", "add", "ann", "friend", "carla")
    said(household, "relation", "add", "bob", "carer", "carla")
    said(household, "people", "field", "add", "ann", "email", "ann@example.org")
    said(household, "people", "field", "add", "ann", "LINE", "ann-lee")
    said(household, "people", "field", "add", "bob", "LINE", "bob-lee")
    said(household, "people", "field", "add", "bob", "電話", "+81 90 1234 5678")
    said(household, "activity", "add", "ann", "Museum of ships", "--type", "went to the museum")
    said(household, "activity", "add", "bob", "Noodles", "--type", "外食した")
    said(household, "gift", "add", "ann", "A scarf")
    said(household, "call", "log", "ann", "--note", "About the garden")
    said(household, "note", "add", "bob", "Likes tea.")


def test_nothing_waits_for_a_server(household):
    furnish(household)
    for command in (["people", "list"], ["people", "show", "ann"], ["people", "show", "bob"], ["relation", "list", "ann"],
                    ["call", "list"], ["call", "search", "garden"], ["call", "stats"], ["call", "show", json.loads(
                        said(household, "--json", "call", "list"))["calls"][0]["id"]],
                    ["people", "timeline", "ann"], ["gift", "list", "ann"], ["note", "list", "bob"]):
        words = said(household, *command)
        assert not {"server", "pending", "waits"} & set(words.lower().replace(":", " ").split()), (command, words)
    status = said(household, "status")
    assert "monica" not in status.lower() and "server" not in status, status
    account = household.hub.reply("Monica/Status")
    assert account["state"] == "none" and not account.get("pending"), account
    assert household.queue() == []
    assert {call["syncState"] for call in household.calls()} == {"here"}
    assert len(household.calls(syncState="here")) == 1 and household.calls(syncState="pending") == []
    assert household.hub.ask("Monica/ClearCache", {"discardPending": True})[0]["status"]["reason"] == "NOT_LOGGED_IN"
    assert len(household.calls()) == 1


def test_both_sides_of_a_relation_have_a_name(household):
    furnish(household)
    assert "child" in said(household, "relation", "list", "ann")
    assert "parent" in said(household, "relation", "list", "bob")
    assert "cared for" in said(household, "relation", "list", "carla")
    types = {entry["name"]: entry for entry in household.hub.reply("Monica/Catalog", {"catalog": "relationship_type"})["entries"]}
    for name, reverse in {"parent": "child", "spouse": "spouse", "sibling": "sibling", "carer": "cared for", "doctor": "patient",
                          "neighbour": "neighbour", "friend": "friend"}.items():
        assert types[name]["reverseName"] == reverse and types[reverse]["reverseName"] == name
    assert all(entry["japanese"] and entry["english"] for entry in household.hub.reply("Monica/Catalog")["entries"])
    # A household may have words of its own.
    own = household.hub.reply("Relationships/Create", {"record": {
        "personId": household.person("Dora")["id"], "otherId": household.person("Emil")["id"], "type": "chess partner"}})
    assert own["type"] == "chess partner"


def test_a_later_login_doubles_nothing_and_loses_nothing(household):
    furnish(household)
    types = {table: collections.Counter(row["name"].lower() for row in household.monica.dump(table))
             for table in ("genders", "contact_field_types", "activity_types")}
    before = {kind: household.hub.reply(f"{kind}/List", {"limit": 500}) for kind in ("People", "Gifts", "Activities")}
    household.login()
    household.settle()
    # The server has no carers, so that relationship stays here; everything else is there once.
    assert len(household.monica.dump("contacts")) == 3
    assert len(household.monica.dump("relationships")) == 4
    assert sorted(row["data"] for row in household.monica.dump("contact_fields")) == [
        "+81 90 1234 5678", "ann-lee", "ann@example.org", "bob-lee"]
    assert [len(household.monica.dump(table)) for table in ("activities", "gifts", "calls", "notes", "tags")] == [2, 1, 1, 1, 1]
    types["contact_field_types"]["line"] = 1
    for table, known in types.items():
        assert collections.Counter(row["name"].lower() for row in household.monica.dump(table)) == known
    after = {kind: household.hub.reply(f"{kind}/List", {"limit": 500}) for kind in before}
    for kind, reply in before.items():
        (field,) = (name for name in reply if isinstance(reply[name], list))
        kept = ("id", "firstName", "gender", "tags", "name", "summary", "type")
        pick = [[{name: record.get(name) for name in kept} for record in page[field]] for page in (reply, after[kind])]
        assert pick[0] == pick[1]
    carla = next(person["id"] for person in after["People"]["people"] if person["firstName"] == "Carla")
    relations = household.details(carla)["relationships"]
    assert sorted((relation["type"], relation["syncState"]) for relation in relations) == [("cared for", "here"), ("friend", "synced")]
    assert household.queue() == [] and not household.hub.reply("Monica/Status").get("failed")
    # Another pass changes nothing.
    assert household.passed(full=True)["pushed"] == 0
    assert len(household.monica.dump("contacts")) == 3


def test_genders_are_found_by_what_they_mean(household):
    """An account in German: the names are others, the types the same."""
    for row, name in zip(household.monica.dump("genders"), ("Mann", "Frau", "Keine Angabe")):
        household.monica.mutate({"op": "update", "table": "genders", "id": row["id"], "set": {"name": name}})
    ann = household.person("Ann", gender="Woman")["id"]
    household.login()
    household.settle()
    assert household.details(ann)["person"]["gender"] == "Frau"
    assert sorted(row["name"] for row in household.monica.dump("genders")) == ["Frau", "Keine Angabe", "Mann"]
