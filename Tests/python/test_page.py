"""The family's pages as a browser without scripts gets them: each is read, and each form does its work."""
import re

import pytest

from channels import kith
from visitor import hidden
from web import door

PAGES = ["/", "/days", "/summary", "/reminders", "/calls", "/people", "/contacts", "/sync", "/conflicts", "/queue", "/settings", "/more"]


@pytest.fixture(scope="module")
def front():
    with door() as front:
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Sato Yoshiko", "timeZone": "Asia/Tokyo"}})
        yield front


def test_each_page_opens_in_both_languages(front):
    admin = front.device("kitchen", "admin")
    seen = {}
    for language, mark in (("en", 'lang="en"'), ("ja", 'lang="ja"')):
        for path in PAGES:
            answer = admin.ask("GET", path, headers={"Accept-Language": language})
            assert answer.status_code == 200, (path, answer.text)
            assert answer.headers["content-type"] == "text/html; charset=utf-8" and mark in answer.text
            assert answer.text.count("<h1>") == 1 and "no-store" in answer.headers["cache-control"]
            seen[path, language] = re.search("<h1>(.*?)</h1>", answer.text).group(1)
    assert all(seen[path, "en"] != seen[path, "ja"] for path in PAGES), seen


def test_a_form_without_script_records_once(front):
    phone = front.device("hanako")
    page = phone.ask("GET", "/").text
    assert "Sato Yoshiko" in page
    form = {**dict(hidden(page, "kith.v1.Care/Record")), "category": "meal", "memo": "<b>Porridge</b> & tea"}
    for _ in range(2):  # a double tap, or "send again" after going back
        answer = phone.ask("POST", "/forms/kith.v1.Care/Record", data=form, allow_redirects=False)
        assert answer.status_code == 303 and answer.headers["location"] == "/", answer.text
    records = front.hub.reply("Care/List", {})["records"]
    assert [record["memo"] for record in records] == ["<b>Porridge</b> & tea"]
    page = phone.ask("GET", "/").text
    assert "&lt;b&gt;Porridge&lt;/b&gt; &amp; tea" in page and "<b>Porridge" not in page
    entry = phone.ask("GET", f"/entries/{records[0]['id']}").text
    gone = phone.ask("POST", "/forms/kith.v1.Care/Delete", data=hidden(entry, "kith.v1.Care/Delete"))
    assert gone.status_code == 200 and 'data-test="undo"' in gone.text
    back = phone.ask("POST", "/forms/kith.v1.Care/Restore", data=hidden(gone.text, "kith.v1.Care/Restore"))
    assert 'data-test="delete"' in back.text


def test_a_form_says_what_is_wrong_in_the_language_of_its_reader(front):
    phone = front.device("taro")
    page = phone.ask("GET", "/", headers={"Accept-Language": "ja"}).text
    form = {**dict(hidden(page, "kith.v1.Care/Record")), "category": "meal", "occurredAt:time": "yesterday"}
    answer = phone.ask("POST", "/forms/kith.v1.Care/Record", data=form, headers={"Accept-Language": "ja"})
    assert answer.status_code == 400 and 'lang="ja"' in answer.text and "occurredAt" in answer.text


def test_what_is_wrong_with_a_card_is_said_in_the_language_of_its_reader(front, tmp_path):
    (tmp_path / "a.vcf").write_text("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nBDAY:sometime\r\nEND:VCARD\r\n")
    front.hub.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(tmp_path)}})
    front.hub.reply("Contacts/Sync", {}, timeout=60)
    phone = front.device("yuki")
    for language, words in (("en", "A date has no known form and was kept as text."), ("ja", "日付の形がわからないため、文字のまま残しました。")):
        assert f"home a.vcf: {words}" in phone.ask("GET", "/sync", headers={"Accept-Language": language}).text


def test_a_form_leads_to_no_other_site(front):
    phone = front.device("jiro")
    for path in ["//evil.example/", "https://evil.example/", "/\\evil.example", "/a\r\nSet-Cookie: x=1"]:
        form = {**dict(hidden(phone.ask("GET", "/").text, "kith.v1.Care/Record")), "category": "meal", "next": path}
        answer = phone.ask("POST", "/forms/kith.v1.Care/Record", data=form, allow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_a_viewer_gets_no_forms_and_may_send_none(front):
    viewer = front.device("grandpa", "viewer")
    assert "/forms/" not in viewer.ask("GET", "/").text
    answer = viewer.ask("POST", "/forms/kith.v1.Care/Record", data={"category": "meal"})
    assert answer.status_code == 403


def test_days_are_filtered_and_searched(front):
    phone = front.device("reader")
    for day, category, memo in [("2026-11-20", "meal", "Miso soup"), ("2026-11-20", "medication", "Two pills"), ("2026-11-21", "meal", "Rice")]:
        front.hub.reply("Care/Record", {"category": category, "memo": memo, "occurredAt": f"{day}T01:00:00Z"})
    def found(query):
        return {memo for memo in ("Miso soup", "Two pills", "Rice") if memo in phone.ask("GET", f"/days?{query}").text}
    assert found("day=2026-11-20") == {"Miso soup", "Two pills"} and found("day=2026-11-20&category=meal") == {"Miso soup"}
    assert found("text=soup") == {"Miso soup"} and found("day=2026-11-22") == set()


def test_earlier_versions_have_the_category_and_the_time_too(front):
    entry = front.hub.reply("Care/Record", {"category": "meal", "memo": "Two pills", "occurredAt": "2026-11-20T01:00:00Z"})["record"]["id"]
    front.hub.reply("Care/Update", {"record": {"id": entry, "category": "medication", "occurredAt": "2026-11-20T02:00:00Z"}})
    page = front.device("historian").ask("GET", f"/entries/{entry}").text
    (before,) = re.findall("<del>(.*?)</del>", page)
    assert "Meal" in before and "10:00" in before and "Two pills" in before, before
    said = kith(front.hub, "care", "show", entry).stdout
    (line,) = [line for line in said.splitlines() if "corrected" in line]
    assert "meal / 2026-11-20" in line and "Two pills" in line, said


def test_a_corrected_name_is_in_the_history(front):
    entry = front.hub.reply("Care/Record", {"category": "meal", "memo": "Two pills", "recorder": "Taro"})["record"]["id"]
    front.hub.reply("Care/Update", {"record": {"id": entry, "recorder": "Hanako"}, "correctedBy": "Jiro"})
    page = front.device("corrector").ask("GET", f"/entries/{entry}").text
    (before,) = re.findall("<del>(.*?)</del>", page)
    assert before.endswith("Two pills / Taro"), before
    assert "Two pills / Taro (corrected" in " ".join(kith(front.hub, "care", "show", entry).stdout.split())


def test_people_and_calls_by_forms_alone(front):
    phone = front.device("mika")
    page = phone.ask("GET", "/people").text
    form = {**dict(hidden(page, "kith.v1.People/Create")), "record.firstName": "Ingrid", "record.lastName": "Berg"}
    page = phone.ask("POST", "/forms/kith.v1.People/Create", data=form).text
    person = re.search(r'data-test="person"><a href="(/people/[^"]+)"', page).group(1)
    page = phone.ask("GET", person).text
    form = {**dict(hidden(page, "kith.v1.Calls/Log")), "record.calledAt:time": "2026-11-20T08:10", "record.durationMinutes": "12",
            "record.emotion": "happy", "record.note": "Birthday", "record.tags:words": "family long"}
    page = phone.ask("POST", "/forms/kith.v1.Calls/Log", data=form).text
    assert "Birthday" in page
    call, = front.hub.reply("Calls/List", {})["calls"]
    assert call["calledAt"] == "2026-11-19T23:10:00Z" and call["tags"] == ["family", "long"] and call["durationMinutes"] == 12
    page = phone.ask("POST", "/forms/kith.v1.Calls/Start", data=hidden(page, "kith.v1.Calls/Start")).text
    page = phone.ask("POST", "/forms/kith.v1.Calls/Stop", data=hidden(page, "kith.v1.Calls/Stop")).text
    assert 'data-test="save"' in page
    for kind, fields in {"Notes": {"record.body": "Likes tea"}, "Tasks": {"record.title": "Send photos"},
                         "Gifts": {"record.name": "Scarf", "record.status": "idea"},
                         "Activities": {"record.summary": "Walk", "record.happenedOn": "2026-11-20"}}.items():
        page = phone.ask("GET", person).text
        page = phone.ask("POST", f"/forms/kith.v1.{kind}/Create", data={**dict(hidden(page, f"kith.v1.{kind}/Create")), **fields}).text
        assert next(iter(fields.values())) in page
