"""The one rule for the length of texts, tried for every kind over the wire: characters are Unicode code points."""
import json
import re

import pytest

from conftest import ROOT

LINE, WORD, DESCRIPTION = 255, 64, 65_535
# Two code points that people see as one character, and one that JSON may write as two.
ACCENTED, RARE = "e\u0301", "\U00020BB7"


def text(count):
    """A text of so many code points, fewer characters and more bytes."""
    # Most of it plain: a client may escape what is not, which takes more of a message.
    return "x" * (count - 21) + ACCENTED * 10 + RARE


@pytest.fixture(scope="module")
def people(shared_hub):
    return [shared_hub.reply("People/Create", {"record": {"firstName": name}})["id"] for name in ("Ann", "Bob")]


DAY, MOMENT = "2026-01-31", "2026-01-31T14:05:00Z"
# Of each kind what it needs, and its texts with their limits. {ann} and {bob} are people.
KINDS = {
    "People/Create": ({"firstName": "Carl"}, {
        "firstName": LINE, "nickname": LINE, "description": LINE, "job": LINE, "foodPreferences": DESCRIPTION,
        "howMet": DESCRIPTION}),
    "People/AddField": ({"personId": "{ann}", "type": "phone", "data": "1"}, {"data": LINE}),
    "People/AddAddress": ({"personId": "{ann}", "city": "Oslo"}, {"street": LINE}),
    "People/AddReminder": (
        {"personId": "{ann}", "title": "t", "initialDate": DAY, "frequency": "one_time", "every": 1},
        {"title": LINE, "description": DESCRIPTION}),
    "Notes/Create": ({"personId": "{ann}", "body": "b"}, {"body": 100_000}),
    "Tasks/Create": ({"personId": "{ann}", "title": "t"}, {"title": LINE, "description": DESCRIPTION}),
    "Activities/Create": (
        {"participants": ["{ann}"], "summary": "s", "happenedOn": DAY}, {"summary": LINE, "description": DESCRIPTION}),
    "Gifts/Create": (
        {"personId": "{ann}", "name": "n", "status": "idea"}, {"name": LINE, "comment": DESCRIPTION, "url": 2000}),
    "Tags/Create": ({"name": "n"}, {"name": LINE}),
    "Relationships/Create": ({"personId": "{ann}", "otherId": "{bob}", "type": "friend"}, {"type": LINE}),
    "Calls/Log": ({"personId": "{ann}", "calledAt": MOMENT}, {"note": 5000}),
    "Conversations/Create": ({"personId": "{ann}", "channel": "email", "happenedAt": MOMENT}, {"channel": LINE}),
}


def filled(value, people):
    if isinstance(value, dict):
        return {key: filled(part, people) for key, part in value.items()}
    if isinstance(value, list):
        return [filled(part, people) for part in value]
    return value.format(ann=people[0], bob=people[1]) if isinstance(value, str) else value


def check(hub, method, body, change, limit):
    """A text at its limit is taken, one of a code point more is not."""
    for excess in (0, 1):
        header, _, _ = hub.ask(method, change(body, text(limit + excess)))
        status = header.get("status", {})
        assert status.get("reason", "") == ("FIELD_INVALID" if excess else ""), (method, limit + excess, status)
        if excess:
            assert f"{limit + 1} characters; at most {limit}" in status["message"], status


@pytest.mark.parametrize("method", KINDS)
def test_every_kind(shared_hub, people, method):
    needed, texts = KINDS[method]
    record = filled(needed, people)
    for field, limit in texts.items():
        check(shared_hub, method, record, lambda record, value, field=field: {"record": {**record, field: value}}, limit)


def test_what_is_no_record_of_its_own(shared_hub, people):
    hub = shared_hub
    message = {"record": {"personId": people[0], "channel": "email", "happenedAt": MOMENT}}
    check(hub, "Conversations/Create", message, lambda body, value: {
        "record": {**body["record"], "messages": [{"content": value}]}}, 10_000)
    check(hub, "Care/Record", {"category": "meal"}, lambda body, value: {**body, "memo": value}, 5000)
    check(hub, "Care/Record", {"category": "meal"}, lambda body, value: {**body, "recorder": value}, 100)
    check(hub, "Calls/SaveTemplate", {}, lambda body, value: {"template": {"name": "n", "note": value}}, 5000)
    check(hub, "Calls/SaveTemplate", {}, lambda body, value: {"template": {"name": value}}, WORD)


def test_a_text_goes_into_one_message(wire, people):
    for count, reason in ((50_000, ""), (50_001, "FIELD_INVALID")):
        body = {"record": {"personId": people[0], "body": RARE * count}}
        wire.send("kith.v1.Notes/Create", json.dumps(body, ensure_ascii=False).encode())
        header, _ = wire.final()
        assert header.get("status", {}).get("reason", "") == reason, header
    assert "200004 bytes" in header["status"]["message"]


def test_the_page_has_the_limits():
    page = (ROOT / "docs" / "protocol.md").read_text()
    (table,) = re.findall(r"\*\*Lengths of texts\*\*.*?\n\n(\| text.*?)\n\n", page, re.DOTALL)
    said = {int(number.replace(",", "")) for number in re.findall(r"\| ([\d,]+) \|", table)}
    assert said >= {limit for _, texts in KINDS.values() for limit in texts.values()} | {10_000, 100, WORD, 500, 20_000}
