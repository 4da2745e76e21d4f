"""A whole kithd in step with a Monica: what is recorded offline, what is changed on both sides, what happens there."""
import signal

import pytest

from monica_home import conflict, deaf, hear, home, note_of
from workers import until

NOON = "2026-01-02T12:00:00Z"


@pytest.fixture
def household(monica):
    with home(monica) as household:
        yield household


def there(household, table, **columns):
    """The rows of the server that have these values."""
    return [row for row in household.monica.dump(table) if all(row[name] == value for name, value in columns.items())]


# Offline.


def test_a_hundred_calls_recorded_offline_arrive_once(household):
    server = household.monica
    server.stop()
    ann = household.person("Ann")["id"]
    calls = [household.log(ann, f"call {number}", durationMinutes=number % 60) for number in range(100)]
    assert {call["syncState"] for call in calls} == {"pending"}
    status = household.hub.reply("Monica/Status")
    assert status["pending"] == 101, status
    household.hub.restart(signal.SIGKILL)
    assert len(household.queue()) == 101
    server.start()
    household.settle()
    rows = server.dump("calls")
    assert sorted(note_of(row["content"]) for row in rows) == sorted(call["note"] for call in calls)
    assert {row["uuid"] for row in rows} == {call["id"] for call in calls}
    held = household.calls()
    assert {int(call["monicaId"]) for call in held} == {row["id"] for row in rows}
    assert {call["syncState"] for call in held} == {"synced"} and household.queue() == []
    by = server.requests()["by"]
    assert by["POST /api/calls"] == 100 and by["POST /api/contacts"] == 1, by


def test_edits_offline_are_one_request(household):
    ann = household.person("Ann")["id"]
    call = household.log(ann, "first")
    household.settle()
    deaf(household)
    for text in ("second", "third", "fourth"):
        household.hub.reply("Calls/Update", {"record": {"id": call["id"], "note": text}, "fields": ["note"]})
    gone = household.log(ann, "never leaves")
    household.hub.reply("Calls/Delete", {"id": gone["id"]})
    # What is on its way now would arrive when the server hears again, as it was before later edits.
    until(lambda: not [entry for entry in household.queue() if entry["state"] == "syncing"])
    hear(household)
    household.settle()
    by = household.monica.requests()["by"]
    (row,) = household.monica.dump("calls")
    changes = {request: count for request, count in by.items() if not request.startswith("GET")}
    assert changes == {f"PUT /api/calls/{row['id']}": 1} and note_of(row["content"]) == "fourth"


def test_a_record_that_was_half_written_is_completed(household):
    ann = household.person("Ann")["id"]
    household.settle()
    deaf(household)
    messages = [{"content": text, "writtenAt": NOON} for text in ("one", "two")]
    talk = household.hub.reply("Conversations/Create", {
        "record": {"personId": ann, "channel": "email", "happenedAt": NOON, "messages": messages}})
    ben = household.person("Ben", job="Baker", tags=["club"])
    hear(household)
    # The first step is carried out, nobody hears of it, and the pass reads the lists all the same.
    for path in ("/api/conversations$", "/api/contacts$"):
        household.monica.faults({"status_after": 500, "match": {"method": "POST", "path": path}})
    household.sync()
    assert len(there(household, "conversations")) == 1
    household.settle()
    assert [row["content"] for row in household.monica.dump("messages")] == ["one", "two"]
    (row,) = there(household, "contacts", first_name="Ben")
    assert row["job"] == "Baker" and len(row["tags"]) == 1
    held = household.hub.reply("Conversations/Get", {"id": talk["id"]})
    assert [message["content"] for message in held["messages"]] == ["one", "two"]
    person = household.details(ben["id"])["person"]
    assert (person["job"], person["tags"]) == ("Baker", ["club"])


# Kills.


POINTS = ("monica.push.begun", "monica.push.sent", "monica.push.stored", "monica.pull.page", "monica.pull.stored")


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_each_step_loses_and_doubles_nothing(household, point):
    hub, server = household.hub, household.monica
    ann = household.person("Ann")["id"]
    household.settle()
    deaf(household)
    notes = [f"call {number}" for number in range(12)]
    for note in notes:
        household.log(ann, note)
    for number in range(3):
        server.create("notes", contact_id=1, body=f"note {number}")
    hub.end()
    hear(household)
    for count in (1, 2, 3):
        # Each daemon does a little more before it dies.
        hub.start_to_die(point, count)
    hub.start()
    household.settle()
    rows = server.dump("calls")
    assert sorted(note_of(row["content"]) for row in rows) == sorted(notes)
    assert len({row["uuid"] for row in rows}) == len(rows)
    details = household.details(ann)
    assert sorted(note["body"] for note in details["notes"]) == ["note 0", "note 1", "note 2"]
    assert sorted(call["note"] for call in household.calls(personId=ann)) == sorted(notes)


# A bad day of the server.


def test_a_storm_of_429_delays_and_loses_nothing(household):
    ann = household.person("Ann")["id"]
    household.settle()
    deaf(household)
    for number in range(20):
        household.log(ann, f"call {number}")
    hear(household)
    # One that takes too long to wait for, and then some that do not.
    household.monica.faults({"status": 429, "retry_after": 4}, {"status": 429, "retry_after": 0, "times": 6})
    status = household.sync()
    assert status["sync"]["state"] == "ERROR" and status["sync"]["error"]["reason"] == "RATE_LIMITED", status
    assert status["nextAttemptAt"] and status["pending"] == 20
    household.settle()
    assert household.monica.requests()["by_status"]["429"] == 7
    assert len(household.monica.dump("calls")) == 20


def test_a_token_that_is_refused_ends_the_session_and_keeps_what_waits(household):
    ann = household.person("Ann")["id"]
    household.settle()
    deaf(household)
    for number in range(10):
        household.log(ann, f"call {number}")
    hear(household)
    household.monica.faults({"status": 401, "match": {"method": "POST"}, "times": 1})
    assert household.sync()["state"] == "expired"
    status = household.hub.reply("Monica/Status")
    assert (status["state"], status["sync"]["error"]["message"]) == ("expired", "Your session expired. Please log in again")
    assert status["pending"] == len(household.queue()) > 0
    asked = household.monica.requests()["count"]
    assert household.hub.error("Monica/Sync") == ("UNAUTHENTICATED", "SESSION_EXPIRED")
    household.log(ann, "while nobody is logged in")
    household.hub.restart(signal.SIGTERM)
    assert household.monica.requests()["count"] == asked, "nothing is asked without a session"
    household.login()
    household.settle()
    assert len(household.monica.dump("calls")) == 11


# Both sides.


def test_changes_of_different_fields_merge(household):
    ann = household.person("Ann")["id"]
    call = household.log(ann, "before", durationMinutes=5, tags=["plan"])
    note = household.hub.reply("Notes/Create", {"record": {"personId": ann, "body": "Begun."}})
    household.settle()
    deaf(household)
    household.hub.reply("People/Update", {"record": {"id": ann, "job": "Baker"}, "fields": ["job"]})
    household.hub.reply("Calls/Update", {"record": {"id": call["id"], "durationMinutes": 9}, "fields": ["duration_minutes"]})
    household.hub.reply("Notes/Update", {"record": {"id": note["id"], "body": "Begun. Here."}, "fields": ["body"]})
    household.monica.mutate(
        {"op": "update", "table": "contacts", "id": 1, "set": {"company": "Crumb"}},
        {"op": "update", "table": "calls", "id": 1, "set": {"contact_called": True, "called_at": NOON}},
        {"op": "update", "table": "notes", "id": 1, "set": {"body": "Begun. There."}})
    hear(household)
    household.settle()
    (contact,) = household.monica.dump("contacts")
    (row,) = household.monica.dump("calls")
    (text,) = household.monica.dump("notes")
    details = household.details(ann)
    assert (contact["job"], contact["company"]) == ("Baker", "Crumb") == (details["person"]["job"], details["person"]["company"])
    assert row["contact_called"] and "9 min" in row["content"] and row["called_at"].startswith("2026-01-02 12:00")
    (held,) = details["calls"]
    assert held["theyCalled"] and held["durationMinutes"] == 9 and held["calledAt"] == NOON and held["tags"] == ["plan"]
    (kept,) = details["notes"]
    assert kept["body"] == text["body"] and "Here." in text["body"] and "There." in text["body"]
    assert "conflicts" not in household.hub.reply("Monica/Conflicts")


@pytest.mark.parametrize("keep, fields, body, favorite", [
    ("local", {}, "Likes coffee.", False),
    ("server", {}, "Likes milk.", True),
    ("merge", {}, "Likes coffee.", True),
    ("merge", {"body": "server", "is_favorite": "local"}, "Likes milk.", False),
])
def test_a_conflict_shows_both_sides_and_is_settled(household, keep, fields, body, favorite):
    ann, note = conflict(household)
    (shown,) = household.hub.reply("Monica/Conflicts")["conflicts"]
    assert (shown["kind"], shown["personName"], shown["entityId"]) == ("note", "Ann", note)
    sides = {field["name"]: field for field in shown["fields"]}
    text = sides["body"]
    assert (text["local"], text["server"], text["base"], text["overlaps"]) == (
        "Likes coffee.", "Likes milk.", "Likes tea.", True)
    assert "overlaps" not in sides["is_favorite"]
    (held,) = household.details(ann)["notes"]
    assert held["syncState"] == "conflict" and held["body"] == "Likes coffee."
    # It changes nothing on either side until a person settles it.
    household.sync()
    assert household.monica.dump("notes")[0]["body"] == "Likes milk."
    household.hub.reply("Monica/ResolveConflict", {"id": shown["id"], "keep": keep, "fields": fields})
    household.settle()
    (row,) = household.monica.dump("notes")
    (held,) = household.details(ann)["notes"]
    assert (row["body"], row["is_favorited"]) == (body, favorite) == (held["body"], held.get("isFavorite", False))
    assert held["syncState"] == "synced" and "conflicts" not in household.hub.reply("Monica/Conflicts")


def test_what_is_changed_here_and_deleted_there_is_for_a_person_to_say(household):
    ann = household.person("Ann")["id"]
    notes = [household.hub.reply("Notes/Create", {"record": {"personId": ann, "body": text}})["id"] for text in "ab"]
    household.settle()
    deaf(household)
    for note, text in zip(notes, "ab"):
        household.hub.reply("Notes/Update", {"record": {"id": note, "body": f"{text} more"}, "fields": ["body"]})
    household.monica.mutate(*({"op": "delete", "table": "notes", "id": row["id"]} for row in household.monica.dump("notes")))
    hear(household)
    household.sync()
    shown = {entry["entityId"]: entry for entry in household.hub.reply("Monica/Conflicts")["conflicts"]}
    assert all(shown[note]["deletedOnServer"] for note in notes)
    for note, keep in zip(notes, ("local", "server")):
        household.hub.reply("Monica/ResolveConflict", {"id": shown[note]["id"], "keep": keep})
    household.settle()
    assert [row["body"] for row in household.monica.dump("notes")] == ["a more"]
    assert [note["body"] for note in household.details(ann)["notes"]] == ["a more"]


# What happens there.


def test_changes_and_deletions_there_arrive(household):
    server = household.monica
    server.config(contacts=30)
    server.reset()
    household.passed(full=True)
    people = household.hub.reply("People/List", {"limit": 500})["people"]
    before = household.hub.reply("People/Search", {"text": "Alice"})["people"][0]
    row = int(before["monicaId"])
    server.mutate(
        {"op": "update", "table": "contacts", "id": row, "set": {"first_name": "Alicia", "job": "Pilot"}},
        {"op": "create", "table": "calls", "values": {"contact_id": row, "called_at": NOON, "content": "from the web"}},
        {"op": "create", "table": "notes", "values": {"contact_id": row, "body": "a note from the web"}},
        {"op": "delete", "table": "contacts", "id": row + 1})
    counts = household.passed()
    assert counts["added"] == 2 and counts["updated"] >= 1 and counts["deleted"] == 1, counts
    details = household.details(before["id"])
    assert (details["person"]["firstName"], details["person"]["job"]) == ("Alicia", "Pilot")
    assert "from the web" in [call.get("note") for call in details["calls"]]
    assert "a note from the web" in [note["body"] for note in details["notes"]]
    assert len(household.hub.reply("People/List", {"limit": 500})["people"]) == len(people) - 1
    calls = there(household, "calls", contact_id=row)
    server.mutate(*({"op": "delete", "table": "calls", "id": call["id"]} for call in calls))
    assert household.passed()["deleted"] == len(calls)
    assert household.calls(personId=before["id"]) == []
    # Archived is not deleted.
    server.mutate({"op": "archive", "id": row})
    household.passed()
    assert household.details(before["id"])["person"]["isArchived"]


@pytest.mark.parametrize("count", [0, 60])
def test_a_pass_without_changes_says_so(monica, count):
    monica.config(contacts=count)
    monica.reset()
    with home(monica) as household:
        household.passed()
        nothing = {"added": 0, "updated": 0, "deleted": 0, "pushed": 0, "conflicts": 0, "failed": 0}
        assert household.passed() == nothing
        assert household.passed(full=True) == nothing
        # A login to the same account reads nothing anew either.
        household.login()
        assert household.passed() == nothing


def test_a_sync_after_the_login_waits_for_what_that_reads(monica):
    monica.config(contacts=120)
    monica.reset()
    with home(monica) as household:
        household.passed()
        until(lambda: household.hub.reply("Monica/Status")["sync"]["state"] == "COMPLETED")
        monica.forget_requests()
        household.passed()
        again = monica.requests()["count"]
    # Slow enough that the sync comes while the login's pass reads.
    monica.config(latency_ms=40)
    with home(monica, login=False) as household:
        monica.forget_requests()
        household.login()
        status = household.sync()["sync"]
        counts = {name: status.get(name, 0) for name in ("state", "added", "unchanged")}
        assert counts["state"] == "COMPLETED" and counts["added"] > 120 and counts["unchanged"] == 0, counts
        both = monica.requests()["count"]
        # What was made on the server meanwhile is not missed, and each record counts once.
        household.stranger("Late")
        status = household.sync()["sync"]
        assert (status["added"], status["unchanged"]) == (1, counts["added"]), status
        assert both < 2 * again, "it was read once"


def test_the_pass_is_followed_by_events(household):
    ann = household.person("Ann")["id"]
    household.settle()
    after = household.hub.seq("sync")
    household.log(ann, "hello")
    household.settle()
    events = household.hub.reply("System/Replay", {"stream": "sync", "afterSeq": str(after), "limit": 500})["events"]
    states = [event["event"]["sync"] for event in events if event["header"]["key"] == "monica"]
    assert {state["state"] for state in states} >= {"SYNCING", "COMPLETED"}
    assert sum(state.get("pushed", 0) for state in states if state["state"] == "COMPLETED") == 1


# Size.


def test_what_is_too_large_for_a_reply_is_cut_and_says_so(household):
    ann = household.person("Ann")["id"]
    household.settle()
    server, text = household.monica, "電話の記録"
    talk = server.create("conversations", contact_id=1, contact_field_type_id=1, happened_at=NOON)
    for number in range(40):
        server.create("messages", contact_id=1, conversation_id=talk, content=f"{number} {text * 2000}", written_at=NOON)
    for body in (text * 20_000, "short"):
        server.create("notes", contact_id=1, body=body)
    server.create("calls", contact_id=1, called_at=NOON, content='"' * 500_000)
    household.settle()
    details = household.details(ann)
    assert details["person"]["firstName"] == "Ann"
    (held,) = household.hub.reply("Conversations/List", {"personId": ann})["conversations"]
    assert held["truncated"] and held == household.hub.reply("Conversations/Get", {"id": held["id"]})
    said = [message["content"].split()[0] for message in held["messages"]]
    assert 1 < len(said) < 40 and said == [str(number) for number in range(40 - len(said), 40)]
    notes, cursor = [], ""
    while True:
        page = household.hub.reply("Notes/List", {"personId": ann, "cursor": cursor})
        notes += page["notes"]
        cursor = page.get("nextCursor", "")
        if not cursor:
            break
    large = next(note for note in notes if note.get("truncated"))
    assert len(notes) == 2 and (text * 20_000).startswith(large["body"])
    (call,) = household.calls(personId=ann)
    assert call["truncated"]
    # A part is not written back for the whole, and another field can be changed.
    assert household.hub.error("Notes/Update", {"record": large}) == ("INVALID_ARGUMENT", "FIELD_INVALID")
    household.hub.reply("Notes/Update", {"record": {"id": large["id"], "isFavorite": True}, "fields": ["is_favorite"]})
    household.settle()
    (row,) = there(household, "notes", body=text * 20_000)
    assert row["is_favorited"]
