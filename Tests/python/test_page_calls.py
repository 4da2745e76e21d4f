"""Calls, sync and settings by forms and links alone, as a browser without scripts has them."""
import csv
import datetime
import io
import re
import time

import pytest

from channels import kith
from visitor import hidden
from web import door

TODAY = datetime.datetime.now(datetime.UTC).replace(microsecond=0)


def at(days):
    return (TODAY - datetime.timedelta(days=days)).isoformat().replace("+00:00", "Z")


@pytest.fixture(scope="module")
def front():
    with door() as front:
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "UTC"}})
        ann, bob = (front.hub.reply("People/Create", {"record": {"firstName": name}})["id"] for name in ("Ann", "Bob"))
        # Bob was called each eight days, and not for 40 days.
        for person, days, note, emotion in [(ann, 1, "About the garden", "happy"), (ann, 9, "About the garden gate", "sad"),
                                            (bob, 40, "Birthday", "happy"), (bob, 48, "Hello", "neutral"),
                                            (bob, 56, "Hi", "neutral")]:
            front.hub.reply("Calls/Log", {"record": {"personId": person, "calledAt": at(days), "durationMinutes": 10, "note": note,
                                                     "emotion": emotion}})
        yield front


def notes(page):
    return re.findall(r'<span class="words">(.*?)</span></a></li>', page, re.S)


def send(device, page, action, fields=(), *, to=None, **options):
    """Sends a form of a page; FIELDS may name one several times, TO is the address of another button."""
    return device.ask("POST", f"/forms/{to or action}", data=[*hidden(page, action), *fields], **options)


def test_calls_are_found_by_words_that_are_marked_and_by_days_and_feeling(front):
    phone = front.device("finder")
    page = phone.ask("GET", "/calls?text=garden").text
    assert page.count("<mark>garden</mark>") == 2
    assert notes(phone.ask("GET", "/calls?emotion=sad").text) == ["About the garden gate"]
    week = (TODAY - datetime.timedelta(days=6)).date()
    assert notes(phone.ask("GET", f"/calls?from={week}").text) == ["About the garden"]
    until = (TODAY - datetime.timedelta(days=40)).date()
    assert notes(phone.ask("GET", f"/calls?to={until}").text) == ["Birthday", "Hello", "Hi"]
    shortcut = re.search(r'href="(/calls\?from=[0-9-]+)">Last 7 days', phone.ask("GET", "/calls").text).group(1)
    assert notes(phone.ask("GET", shortcut).text) == ["About the garden"]
    assert "Nothing was found." in phone.ask("GET", "/calls?tag=none").text


def test_the_statistics_are_pictures_that_can_be_read_aloud(front):
    page = front.device("counter").ask("GET", "/calls/statistics").text
    pictures = re.findall(r'<svg class="chart"[^>]*role="img" aria-label="([^"]*)"', page)
    assert len(pictures) == 2 and "😊: 2" in pictures[1] and "😢: 1" in pictures[1]
    assert re.search(r"<dt>Calls</dt><dd>5</dd>", page) and re.search(r"<dt>Minutes</dt><dd>50</dd>", page)
    assert re.search(r">Ann</a></th><td>2</td><td>10</td>", page)


def test_a_template_is_made_used_and_deleted(front):
    phone = front.device("planner")
    page = phone.ask("GET", "/calls/templates").text
    page = send(phone, page, "kith.v1.Calls/SaveTemplate", [
        ("template.name", "weekly"), ("template.note", "How was the week?"), ("template.durationMinutes", "30")]).text
    assert "How was the week?" in page and 'data-test="template"' in page
    assert front.hub.reply("Calls/ListTemplates")["templates"][0]["durationMinutes"] == 30
    assert "How was the week?" not in send(phone, page, "kith.v1.Calls/DeleteTemplate").text


def test_several_calls_are_tagged_exported_and_deleted(front):
    phone = front.device("sorter")
    page = phone.ask("GET", "/calls?several=1&emotion=happy").text
    chosen = [("ids[]", identity) for identity in re.findall(r'name="ids\[\]" value="([^"]+)"', page)]
    assert len(chosen) == 2
    page = send(phone, page, "kith.v1.Calls/BulkTag", [*chosen, ("tags:words", "joy spring")]).text
    assert {tuple(call["tags"]) for call in front.hub.reply("Calls/List", {"filter": {"emotion": "happy"}})["calls"]} == {("joy", "spring")}
    shown = send(phone, page, "kith.v1.Calls/BulkTag", [*chosen[:1], ("format", "json")], to="kith.v1.Calls/Export").text
    file = re.search(r'href="(/blobs/[0-9a-f]{64}\?file=1)" download="calls-[0-9-]+\.json"', shown).group(1)
    answer = phone.ask("GET", file)
    exported, = answer.json()["calls"]
    assert exported["id"] == chosen[0][1] and answer.headers["cache-control"] == "no-store"
    send(phone, page, "kith.v1.Calls/BulkTag", chosen, to="kith.v1.Calls/BulkDelete")
    assert [call["emotion"] for call in front.hub.reply("Calls/List")["calls"]] == ["sad", "neutral", "neutral"]
    for _, identity in chosen:
        front.hub.reply("Calls/Restore", {"id": identity})


def test_calls_that_are_chosen_are_exported_by_the_clock_of_the_household():
    with door() as front:
        front.hub.reply("Care/Configure", {"settings": {"timeZone": "Pacific/Kiritimati"}})
        ann = front.hub.reply("People/Create", {"record": {"firstName": "Ann"}})["id"]
        call = front.hub.reply("Calls/Log", {"record": {"personId": ann, "calledAt": "2026-11-20T12:00:00Z"}})["id"]
        phone = front.device("traveller")
        page = phone.ask("GET", "/calls?several=1").text
        shown = send(phone, page, "kith.v1.Calls/BulkTag", [("ids[]", call), ("format", "csv")], to="kith.v1.Calls/Export").text
        file = phone.ask("GET", re.search(r'href="(/blobs/[0-9a-f]{64}\?file=1)"', shown).group(1)).content.decode("utf-8-sig")
        row, = csv.DictReader(io.StringIO(file))
        assert (row["date"], row["time"]) == ("2026-11-21", "02:00")


def test_a_form_of_many_fields_is_read_whole_or_refused(front):
    phone = front.device("many")
    person = front.hub.reply("People/Create", {"record": {"firstName": "Mia"}})["id"]
    calls = [front.hub.reply("Calls/Log", {"record": {"personId": person}})["id"] for _ in range(70)]
    page = phone.ask("GET", "/calls?several=1").text
    send(phone, page, "kith.v1.Calls/BulkTag", [*(("ids[]", call) for call in calls), ("tags:words", "all")])
    tagged = front.hub.reply("Calls/List", {"limit": 500, "filter": {"tag": "all"}})["calls"]
    assert {call["id"] for call in tagged} == set(calls)
    for fields in ([("ids[]", calls[0])] * 2000, [("ids[]", calls[0]), ("note", b"\xe8")]):
        answer = send(phone, page, "kith.v1.Calls/BulkTag", fields, to="kith.v1.Calls/BulkDelete")
        assert answer.status_code == 400 and "Nothing was changed" in answer.text
    assert front.hub.reply("Calls/Get", {"id": calls[0]}).get("deletedAt") is None
    front.hub.reply("Calls/BulkDelete", {"ids": calls})


def test_the_timeline_is_in_groups_and_says_whom_to_call(front):
    page = front.device("looker").ask("GET", "/calls").text
    groups = re.findall(r"<h2>(Today|Yesterday|This week|Earlier)</h2>", page)
    assert groups and groups[-1] == "Earlier"
    assert re.search(r"usually every \d+ days, \d+ days overdue", page), page


@pytest.mark.parametrize("what, formats", [("calls", ["csv", "json", "pdf"]), ("contacts", ["vcf", "csv", "json"]), ("care", ["csv", "json"])])
def test_what_is_kept_can_be_taken_along(front, what, formats):
    phone = front.device(f"export-{what}", "viewer")
    for kind in formats:
        page = phone.ask("GET", f"/export?what={what}&format={kind}")
        assert page.status_code == 200, page.text
        blob = phone.ask("GET", re.search(r'href="(/blobs/[0-9a-f]{64}\?file=1)"', page.text).group(1))
        assert blob.status_code == 200 and blob.content[:4] == (b"%PDF" if kind == "pdf" else blob.content[:4])
        if (what, kind) == ("calls", "csv"):
            assert len(list(csv.DictReader(io.StringIO(blob.content.decode("utf-8-sig"))))) == 5
    assert phone.ask("GET", "/export?what=secrets&format=csv").status_code == 400


def test_a_call_asks_to_be_repeated(front):
    phone = front.device("caller")
    call = front.hub.reply("Calls/List")["calls"][0]
    page = phone.ask("GET", f"/calls/{call['id']}").text
    send(phone, page, "kith.v1.Reminders/AddCall", [("inDays", "3"), ("note", "Ask about the gate")])
    coming = phone.ask("GET", "/reminders").text
    assert "Ask about the gate" in coming


def test_contacts_that_are_held_back_are_kept_by_name(tmp_path):
    folder = tmp_path / "cards"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.vcf").write_text(f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:u{number}\r\nFN:Person {number:02}\r\nEND:VCARD\r\n")
    with door() as front:
        front.hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}})
        front.hub.reply("Contacts/Sync", {}, timeout=60)
        for number in range(20):
            (folder / f"{number}.vcf").unlink()
        front.hub.reply("Contacts/Sync", {}, timeout=60)
        phone = front.device("keeper")
        page = phone.ask("GET", "/sync").text
        # The same is said wherever somebody looks.
        said = "home: 20 deletions held back."
        health = phone.ask("GET", "/healthz/findings").json()
        assert health["state"] == "bad"
        assert [finding["found"] for finding in health["findings"] if finding["state"] == "bad"] == [said]
        assert f'data-test="need">{said}' in page and 'data-test="needs"' in phone.ask("GET", "/").text
        assert said in kith(front.hub, "--lang", "en", "status").stdout
        japanese = phone.ask("GET", "/healthz/findings", headers={"Accept-Language": "ja"}).json()["findings"]
        assert "home: 削除を20件保留しています。" in [finding["found"] for finding in japanese]
        held = re.findall(r'<li data-test="held-back">(Person \d\d)', page)
        assert held == [f"Person {number:02}" for number in range(20)]
        missing = front.hub.reply("Contacts/List", {"heldBack": True, "limit": 500})["contacts"]
        assert {contact["formattedName"] for contact in missing} == set(held)
        # The first form is that of the first name.
        page = send(phone, page, "kith.v1.Contacts/Restore").text
        assert re.findall(r'<li data-test="held-back">(Person \d\d)', page) == held[1:]
        answer = phone.ask("POST", "/forms/kith.v1.Contacts/Sync", data=hidden(page, "kith.v1.Contacts/Sync", "allowMassDelete:bool"))
        assert "held-back" not in answer.text
        left = {contact["formattedName"] for contact in front.hub.reply("Contacts/List", {"limit": 500})["contacts"]}
        assert left == {"Person 00", *(f"Person {number:02}" for number in range(20, 30))}
        # It stays although its card is missing, whatever passes come.
        front.hub.reply("Contacts/Sync", {"sources": ["home"], "allowMassDelete": True}, timeout=60)
        assert front.hub.reply("Contacts/Search", {"text": "Person 00"})["contacts"]


def test_an_admin_invites_a_device_from_the_page(front):
    admin = front.device("kitchen", "admin")
    # The door tells the hub its address soon after its start.
    end = time.monotonic() + 40
    while not front.hub.reply("System/Status").get("doors"):
        assert time.monotonic() < end
        time.sleep(0.1)
    page = admin.ask("GET", "/settings").text
    shown = send(admin, page, "kith.v1.Devices/Invite", [("name", "taro"), ("role", "viewer")])
    assert shown.status_code == 200 and '<svg class="qr"' in shown.text and "no-store" in shown.headers["cache-control"]
    code = re.search(r'data-test="code">(\d{4} \d{4})<', shown.text).group(1)
    joined = front.device("nobody").ask("POST", "/pair", json={"code": code})
    assert joined.status_code == 200 and joined.json()["role"] == "viewer"
    recorder = front.device("mika")
    assert "Devices/Invite" not in recorder.ask("GET", "/settings").text
