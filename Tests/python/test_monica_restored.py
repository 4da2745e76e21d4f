"""A Monica that was restored from a backup of before: what was recorded since is not deleted by that, and comes back if a person says so."""
import pytest

from channels import kith
from keyed import eventually
from monica_home import home
from visitor import Visitor
from web import Door

TABLES = ("contacts", "calls", "notes")


@pytest.fixture
def household(monica):
    with home(monica) as household:
        yield household


def restored(household):
    """A person who was there before the backup, and one who was not, with twelve notes and a call that the server has lost."""
    ann = household.person("Ann")["id"]
    household.settle()
    before = {table: {row["id"] for row in household.monica.dump(table)} for table in TABLES}
    for number in range(12):
        household.hub.reply("Notes/Create", {"record": {"personId": ann, "body": f"note {number}"}})
    ben = household.person("Ben")["id"]
    household.log(ben, "of Ben")
    household.settle()
    for table in reversed(TABLES):
        for row in household.monica.dump(table):
            if row["id"] not in before[table]:
                household.monica.mutate({"op": "purge", "table": table, "id": row["id"]})
    return ann, ben


def test_what_a_restored_server_has_lost_stays_until_a_person_decides_and_comes_back(household):
    ann, _ = restored(household)
    status = household.sync(full=True)["sync"]
    assert status["conflicts"] >= 12, status
    assert len(household.details(ann)["notes"]) == 12 and "does not have it any more" in kith(household.hub, "monica", "conflicts").stdout
    kith(household.hub, "monica", "resolve", "--deleted", "--keep", "local")
    household.settle()
    assert {row["body"] for row in household.monica.dump("notes")} == {f"note {number}" for number in range(12)}
    assert not household.hub.reply("Monica/Conflicts", {}).get("conflicts") and len(household.details(ann)["notes"]) == 12


def test_the_page_decides_of_all_at_once(household):
    ann, _ = restored(household)
    household.sync(full=True)
    front = Door(household.hub)
    try:
        front.start()
        page = Visitor(front.device("hanako")).open("/conflicts")
        assert page.marked("deletions")
        # The first button keeps them here and sends them again.
        page.send("Monica/ResolveConflict", {})
    finally:
        front.end()
    assert eventually(lambda: not household.hub.reply("Monica/Conflicts", {}).get("conflicts"))
    household.settle()
    assert len(household.details(ann)["notes"]) == len(household.monica.dump("notes")) == 12


def test_what_was_deleted_there_on_purpose_goes_here_as_well(household):
    ann, _ = restored(household)
    household.sync(full=True)
    kith(household.hub, "monica", "resolve", "--deleted", "--keep", "server")
    household.settle()
    assert not household.hub.reply("Monica/Conflicts", {}).get("conflicts")
    assert not household.details(ann).get("notes") and not household.monica.dump("notes")


def test_what_is_recorded_of_a_person_whom_the_server_has_lost_waits_for_the_decision(household):
    _, ben = restored(household)
    household.sync(full=True)
    note = household.hub.reply("Notes/Create", {"record": {"personId": ben, "body": "since"}})["id"]
    household.sync()
    (waiting,) = [entry for entry in household.queue() if entry["id"] == note]
    assert waiting["state"] == "pending" and "nextAttemptAt" not in waiting
    assert waiting["waitsFor"] == {"personId": ben, "personName": "Ben", "state": "conflict"}
    assert "The server does not have Ben any more" in " ".join(kith(household.hub, "monica", "queue").stdout.split())
    assert not household.monica.dump("notes")
    kith(household.hub, "monica", "resolve", "--deleted", "--keep", "local")
    household.settle()
    assert [row["body"] for row in household.monica.dump("notes")].count("since") == 1


def test_two_notes_that_say_the_same_stay_two_though_the_server_answered_neither(household):
    ann = household.person("Ann")["id"]
    household.settle()
    household.monica.faults(always=[{"status": 502, "match": {"method": "POST", "path": "/api/notes$"}}])
    ids = []
    for number in range(2):
        ids.append(household.hub.reply("Notes/Create", {"record": {"personId": ann, "body": "8 units of insulin"}})["id"])
        assert eventually(lambda number=number: all(entry.get("error") for entry in household.queue()) and len(household.queue()) == number + 1)
    household.monica.clear_faults()
    household.settle()
    assert [row["body"] for row in household.monica.dump("notes")] == ["8 units of insulin"] * 2
    assert {note["id"] for note in household.details(ann)["notes"]} == set(ids)


def lose(household, service, message):
    """The id of a record whose first creation on the server got lost, and which was sent again."""
    household.monica.faults({"status": 502, "match": {"method": "POST", "path": f"/api/{service.lower()}$"}})
    made = household.hub.reply(f"{service}/Create", message)["id"]
    assert eventually(lambda: any(entry.get("error") for entry in household.queue()))
    household.settle()
    return made


def test_a_note_whose_creation_got_lost_is_not_taken_for_one_that_says_the_same(household):
    ann = household.person("Ann")["id"]
    household.settle()
    note = {"record": {"personId": ann, "body": "8 units of insulin"}}
    first = household.hub.reply("Notes/Create", note)["id"]
    household.settle()
    second = lose(household, "Notes", note)
    assert [row["body"] for row in household.monica.dump("notes")] == ["8 units of insulin"] * 2
    assert {note["id"] for note in household.details(ann)["notes"]} == {first, second}


def test_two_equal_activities_stay_two_though_the_server_names_their_people_in_its_own_order(household):
    ann, ben = (household.person(name)["id"] for name in ("Ann", "Ben"))
    household.settle()
    activity = {"record": {"summary": "Walk", "happenedOn": "2026-01-02", "participants": [ben, ann]}}
    first = household.hub.reply("Activities/Create", activity)["id"]
    household.settle()
    second = lose(household, "Activities", activity)
    assert [row["summary"] for row in household.monica.dump("activities")] == ["Walk"] * 2
    assert {row["id"] for row in household.details(ann)["activities"]} == {first, second}


def test_a_note_that_was_known_before_is_not_taken_for_one_that_got_lost(household):
    ann = household.person("Ann")
    household.settle()
    household.monica.create("notes", contact_id=household.monica.dump("contacts")[0]["id"], body="8 units of insulin")
    household.sync(full=True)
    lose(household, "Notes", {"record": {"personId": ann["id"], "body": "8 units of insulin"}})
    assert [row["body"] for row in household.monica.dump("notes")] == ["8 units of insulin"] * 2
    assert len(household.details(ann["id"])["notes"]) == 2


def test_what_is_kept_here_alone_survives_that_the_copy_is_forgotten(monica):
    for row in monica.dump("relationship_types"):
        if row["name"] in ("godfather", "godson"):
            monica.mutate({"op": "delete", "table": "relationship_types", "id": row["id"]})
    with home(monica, login=False) as household:
        ann, ben = (household.person(name)["id"] for name in ("Ann", "Ben"))
        household.hub.reply("Relationships/Create", {"record": {"personId": ann, "otherId": ben, "type": "godfather"}})
        household.login()
        household.settle()
        kept, = household.details(ann)["relationships"]
        assert kept["syncState"] == "here"
        household.hub.reply("Monica/ClearCache", {})
        household.settle()
        again, = household.details(ann)["relationships"]
        assert (again["id"], again["type"]) == (kept["id"], "godfather")


def test_a_person_whose_creation_was_given_up_is_there_if_it_had_arrived(household):
    household.settle()
    household.monica.faults({"drop_after": True, "match": {"method": "POST", "path": "/api/contacts$"}},
                            always=[{"status": 503, "match": {"method": "GET"}}])
    ann = household.person("Ann")["id"]
    assert eventually(lambda: household.monica.dump("contacts") and any(entry.get("error") for entry in household.queue()))
    household.hub.reply("Monica/ClearQueue", {"ids": [ann]})
    assert not household.hub.reply("People/List", {}).get("people")
    household.monica.clear_faults()
    household.settle()
    household.sync(full=True)
    assert [person["firstName"] for person in household.hub.reply("People/List", {})["people"]] == ["Ann"]
