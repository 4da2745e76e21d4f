"""What records name on the server, tags and channels: each is there once, whoever made it first and however slowly."""
import collections
import os
import signal

import pytest

import workers
from keyed import eventually
from monica_home import Home, home
from servers import Monica

NOON = "2026-01-02T12:00:00Z"
# Monica carries requests out side by side, and this one of them last.
SLOW = {"POST /api/tags": 300, "POST /api/contactfieldtypes": 300}


@pytest.fixture
def server():
    double = Monica("double", rate_limit=0)
    try:
        double.start()
        double.config(delays=SLOW)
        yield double
    finally:
        double.remove()


@pytest.fixture
def household(server):
    with home(server) as household:
        yield household


def names(server, table):
    """How often each name is there; case makes no difference to Monica."""
    return collections.Counter(row["name"].lower() for row in server.dump(table))


def assign(household, person, *tags, **options):
    return household.hub.reply("Tags/Assign", {"personId": person, "add": tags, **options})


def talk(household, person, channel="text", words="hello"):
    message = {"content": words, "writtenAt": NOON}
    record = {"personId": person, "channel": channel, "happenedAt": NOON, "messages": [message]}
    return household.hub.reply("Conversations/Create", {"record": record})["id"]


def tags_there(server, person):
    (row,) = (row for row in server.dump("contacts") if row["id"] == person)
    known = {tag["id"]: tag["name"] for tag in server.dump("tags")}
    return sorted(known[number] for number in row["tags"])


def test_a_tag_that_is_made_and_given_is_there_once(household):
    people = [household.person(f"P{number}")["id"] for number in range(3)]
    household.settle()
    for number in range(3):
        for person in people:
            assign(household, person, f"tag {number}")
        household.settle()
    assert names(household.monica, "tags") == {"tag 0": 1, "tag 1": 1, "tag 2": 1}
    for person in people:
        row = int(household.details(person)["person"]["monicaId"])
        assert tags_there(household.monica, row) == ["tag 0", "tag 1", "tag 2"]


def offline_talks(household):
    """Conversations over two channels that the server lacks, made while it cannot be reached; the types that it makes of them."""
    server = household.monica
    ann = household.person("Ann")["id"]
    household.settle()
    before = names(server, "contact_field_types")
    server.faults(always=[{"drop": True}])
    for number in range(4):
        talk(household, ann, "text", f"said {number}")
        talk(household, ann, "in person", f"said to the face {number}")
    server.clear_faults()
    household.settle()
    assert len(server.dump("conversations")) == 8
    return names(server, "contact_field_types") - before


def test_a_channel_that_the_server_lacks_is_made_once(household):
    assert offline_talks(household) == {"text": 1, "in person": 1}


def test_workers_that_send_side_by_side_make_a_channel_once(server):
    hub = workers.monica_home()
    try:
        hub.start()
        # Where the workers are, there is the token.
        os.symlink(hub.directory / "state", hub.directory / "worker")
        for name in ("one", "two", "three"):
            hub.worker("monica", name)
        hub.with_workers("one", "two", "three")
        household = Home(hub, server)
        household.login()
        assert offline_talks(household) == {"text": 1, "in person": 1}
    finally:
        hub.remove()


def answers_lost(server):
    return [each for each in server.requests()["requests"] if each["fault"] and "drop_after" in each["fault"]]


@pytest.mark.parametrize("spoilt", ["POST /api/contactfieldtypes", "POST /api/tags", "POST /api/contacts/[0-9]+/setTags"])
def test_a_lost_answer_makes_no_second_one(household, spoilt):
    method, path = spoilt.split()
    ann, bob = household.person("Ann")["id"], household.person("Bob")["id"]
    household.settle()
    household.monica.faults(always=[{"drop": True}])
    for person in (ann, bob):
        talk(household, person)
        assign(household, person, "new")
    household.monica.clear_faults()
    household.monica.faults({"drop_after": True, "match": {"method": method, "path": f"{path}$"}})
    household.settle()
    assert answers_lost(household.monica)
    assert names(household.monica, "tags") == {"new": 1}
    assert names(household.monica, "contact_field_types")["text"] == 1


def test_a_kill_while_the_server_makes_a_channel_makes_no_second_one(server):
    with home(server) as household:
        ann = household.person("Ann")["id"]
        household.settle()
        server.config(delays={"POST /api/contactfieldtypes": 1500})
        server.forget_requests()
        for number in range(3):
            talk(household, ann, "text", f"said {number}")
        workers.until(lambda: server.requests(path="/contactfieldtypes")["by"].get("POST /api/contactfieldtypes"))
        household.hub.restart(signal.SIGKILL)
        household.settle()
        assert names(server, "contact_field_types")["text"] == 1
        assert len(server.dump("conversations")) == 3


def test_a_tag_that_is_doubled_there_can_be_deleted_and_stays_with_its_people(household):
    server = household.monica
    first, second = (server.create("tags", name="family", name_slug="family") for _ in range(2))
    ann, bob = household.stranger("Ann"), household.stranger("Bob")
    server.mutate({"op": "update", "table": "contacts", "id": ann, "set": {"tags": [first]}},
                  {"op": "update", "table": "contacts", "id": bob, "set": {"tags": [second]}})
    household.sync(full=True)
    tags = household.hub.reply("Tags/List", {})["tags"]
    assert sorted(int(tag["monicaId"]) for tag in tags) == [first, second]
    # What is given from here on is the first of them.
    cid = household.person("Cid")["id"]
    assign(household, cid, "family")
    household.settle()
    row = int(household.details(cid)["person"]["monicaId"])
    (cids,) = (each["tags"] for each in server.dump("contacts") if each["id"] == row)
    assert cids == [first]
    (doomed,) = (tag["id"] for tag in tags if int(tag["monicaId"]) == second)
    household.hub.reply("Tags/Delete", {"id": doomed})
    household.settle()
    household.sync(full=True)
    assert [tag["id"] for tag in server.dump("tags")] == [first]
    for person in (ann, bob, row):
        assert tags_there(server, person) == ["family"], person
    people = household.hub.reply("People/List", {"tag": "family"})["people"]
    assert len(people) == 3, people


def test_a_tag_that_is_renamed_beside_somebody_who_may_have_arrived_is_there_once(household):
    server = household.monica
    assign(household, household.person("Ann")["id"], "old")
    household.settle()
    server.faults(always=[{"drop": True}])
    bob = household.person("Bob")["id"]
    assign(household, bob, "old")
    server.clear_faults()
    assignment = {"method": "POST", "path": "setTags$"}
    server.faults({"drop_after": True, "match": assignment}, *[{"drop": True, "match": assignment}] * 20)

    def is_lost():
        # A pass may join one that the faults of before have ended.
        household.hub.ask("Monica/Sync")
        return eventually(lambda: answers_lost(server), seconds=3)

    workers.until(is_lost)
    server.faults(always=[{"drop": True}])
    (tag,) = household.hub.reply("Tags/List", {})["tags"]
    household.hub.reply("Tags/Update", {"record": {"id": tag["id"], "name": "new"}, "fields": ["name"]})
    server.clear_faults()
    household.settle()
    household.sync(full=True)
    assert names(server, "tags") == {"new": 1}
    assert tags_there(server, int(household.details(bob)["person"]["monicaId"])) == ["new"]
    assert [tag["name"] for tag in household.hub.reply("Tags/List", {})["tags"]] == ["new"]


def test_a_tag_that_the_server_refuses_and_then_makes_itself_is_there_once(household):
    server = household.monica
    ann = household.person("Ann")["id"]
    household.settle()
    server.faults(always=[{"drop": True}])
    household.hub.reply("Tags/Create", {"record": {"name": "new"}})
    assign(household, ann, "new")
    # Monica refuses the tag, and takes the person who carries it. Nothing is sent between the two orders.
    assert household.hub.end() == 0
    server.forget_requests()
    server.clear_faults()
    server.faults({"status": 422, "match": {"method": "POST", "path": "/tags$"}})
    household.hub.start()
    household.hub.ask("Monica/Sync")
    assert [each for each in server.requests()["requests"] if each["fault"] and "status" in each["fault"]]
    household.sync(full=True)
    household.settle()
    assert names(server, "tags") == {"new": 1}
    tags = household.hub.reply("Tags/List", {})["tags"]
    assert [(tag["name"], tag["syncState"]) for tag in tags] == [("new", "synced")]
