"""The double of Monica against recorded answers of a real server of version 4.1.2: their keys, in order, and their types."""
import datetime
import json
import types

import pytest

from cards import DATA
from servers import Monica

RECORDINGS = DATA / "monica"
if not RECORDINGS.exists():
    pytest.skip(f"{RECORDINGS} is absent: set KITH_TEST_DATA", allow_module_level=True)

INDEX = json.loads((RECORDINGS / "index.json").read_text())
PERSON = {"is_birthdate_known": False, "is_deceased": False, "is_deceased_date_known": False}
# An account in which all that was recorded has something to show: contact 1 with all of it, 2 archived, 3 dead, 7 partial.
ACCOUNT = [
    *(("/contacts", {**PERSON, "first_name": name, "last_name": "Byron", "gender_id": 2, "nickname": "N"}) for name in (
        "Ada", "Bela", "Cy", "Dee", "Eli", "Fay", "Gus", "Hal", "Ida", "Jo", "Kim", "Leo")),
    ("/contactfields", {"contact_id": 1, "contact_field_type_id": 1, "data": "ada@example.test", "labels": ["home", "own"]}),
    ("/contactfields", {"contact_id": 1, "contact_field_type_id": 2, "data": "+1 555"}),
    ("/addresses", {"contact_id": 1, "name": "work"}),
    ("/addresses", {"contact_id": 1, "street": "s", "city": "c", "country": "US", "latitude": 1.5, "longitude": 2.5}),
    *(("/calls", {"contact_id": contact, "called_at": "2024-05-01", "content": "c", "emotions": [1]})
      for contact in (1, 1, 2, 11)),
    *(("/activities", {"summary": "s", "happened_at": "2024-05-02", "contacts": [1, 2], "activity_type_id": kind})
      for kind in (13, None)),
    ("/conversations", {"contact_id": 1, "happened_at": "2024-05-01", "contact_field_type_id": 5}),
    ("/conversations/1/messages", {"written_at": "2024-05-01", "written_by_me": False, "content": "m"}),
    *(("/notes", {"contact_id": 1, "body": "b", "is_favorited": favored}) for favored in (False, True)),
    *(("/tasks", {"title": "t", "contact_id": contact}) for contact in (1, None)),
    ("/gifts", {"contact_id": 1, "name": "g", "status": "idea"}),
    ("/gifts", {"contact_id": 1, "name": "g", "status": "offered", "amount": 12, "date": "2024-12-24", "recipient_id": 2}),
    *(("/debts", {"contact_id": 1, "in_debt": "yes", "status": "inprogress", "amount": 12, "reason": r}) for r in ("r", None)),
    ("/contacts/1/setTags", {"tags": ["a", "b"]}),
    ("/relationships", {"contact_is": 1, "of_contact": 2, "relationship_type_id": 8}),
    ("/relationships", {"contact_is": 1, "of_contact": 7, "relationship_type_id": 18}),
    *(("/reminders", {
        "contact_id": 2, "title": "t", "initial_date": "2020-01-06", "frequency_number": 1, "frequency_type": kind})
      for kind in ("week", "month")),
]  # fmt: skip


@pytest.fixture(scope="module")
def recorded():
    """For each recording what it is, what was recorded, and what the double answers."""
    double = Monica("double", rate_limit=0)
    answers = {}
    try:
        double.start()
        for name in INDEX:
            if name.startswith("error_") or name == "contacts_empty":
                answers[name] = ask(double, name)
        fill(double)
        for method in ("GET", "POST", "PUT", "DELETE"):
            for name, request in INDEX.items():
                if name not in answers and request["method"] == method:
                    answers[name] = ask(double, name)
        yield answers
    finally:
        double.remove()


def fill(double):
    for path, body in ACCOUNT:
        double.done("POST", path, body)
    double.done("PUT", "/contacts/3", {**PERSON, "first_name": "Cy", "is_deceased": True})
    double.done("PUT", "/contacts/1/introduction", {"is_date_known": True, "day": 1, "month": 2, "year": 2019})
    double.done("PUT", "/tasks/2", {"title": "t", "completed": True})
    double.mutate({"op": "archive", "id": 2}, {"op": "update", "table": "contacts", "id": 7, "set": {"is_partial": True}})
    # To the first of a month: some of it is still to come.
    now = datetime.datetime.fromisoformat(double.state()["clock"].rstrip("Z"))
    first = datetime.datetime(now.year + now.month // 12, now.month % 12 + 1, 1)
    double.mutate({"op": "advance_clock", "seconds": (first - now).total_seconds()})


def ask(double, name):
    request = INDEX[name]
    method, path, body = request["method"], request["path"].removeprefix("/api"), request["body"]
    if name == "error_401":
        return double.ask(method, path, Authorization="")
    if name == "error_429":
        double.config(rate_limit=1)
        double.ask(method, path)
    if name == "me_with_contact":
        double.done("POST", "/me/contact", {"contact_id": 1})
    if name == "calls_with_deleted_contact":
        double.mutate({"op": "delete", "table": "contacts", "id": 11})
    answer = double.ask(method, path, body)
    double.config(rate_limit=0)
    return answer


def shape(value):
    """Keys and types. Of a list what its items have in common with each other."""
    if isinstance(value, dict):
        if value and all(key.isdecimal() for key in value):
            return {"a year": shape(next(iter(value.values())))}
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value]
    return type(value)


def differences(one, other, path=""):
    """Where two shapes contradict each other: nothing and empty lists say nothing."""
    if types.NoneType in (one, other) or [] in (one, other):
        return
    if type(one) is not type(other):
        yield f"{path}: {one} and {other}"
    elif isinstance(one, dict):
        if list(one) != list(other):
            yield f"{path}: keys {list(one)} and {list(other)}"
        for key in one.keys() & other.keys():
            yield from differences(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list):
        for item in other:
            if not any(not list(differences(each, item)) for each in one):
                yield from differences(one[0], item, f"{path}[]")
    elif one is not other:
        yield f"{path}: {one} and {other}"


@pytest.mark.parametrize("name", INDEX)
def test_a_recorded_answer(recorded, name):
    expected = json.loads((RECORDINGS / f"{name}.json").read_text())
    status, head, answer = recorded[name]
    assert status == INDEX[name]["status"] and head.get_content_type() == "application/json"
    if name == "error_500_uncaught":
        # The real one goes on with a place in a file.
        assert list(answer) == ["message"] and expected["message"].startswith(answer["message"])
    elif name.startswith("error_"):
        assert answer == expected
    assert list(differences(shape(answer), shape(expected))) == []
    data = expected.get("data", True)
    assert bool(answer.get("data", True)) == bool(data), "it has something to show where the recorded one has"
