"""The care plan over the wire, as a client from the page alone has it: two who give the same, a hub that is killed, a plan that changes."""
import datetime
import signal
import threading

import pytest

from channels import kith
from conftest import command
from planned import noon

UTC = datetime.UTC


def stamp(time):
    return time.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")


@pytest.fixture
def house(hub):
    hub.reply("Care/Configure", {"settings": {"timeZone": "UTC", "recorder": "Taro"}})
    return hub


@pytest.fixture
def soon(house):
    """A time of day of the household that comes within two hours, and its next moment; an hour later it is the same day."""
    zone = noon(house)
    moment = (datetime.datetime.now(zone) + datetime.timedelta(hours=1, minutes=45)).replace(minute=0, second=0, microsecond=0)
    if moment < datetime.datetime.now(zone) + datetime.timedelta(minutes=30):
        moment += datetime.timedelta(minutes=30)
    return f"{moment:%H:%M}", stamp(moment), f"{moment:%Y-%m-%d}"


def add(house, *times, **more):
    item = {"kind": "medicine", "name": "Aspirin", "amount": "1", "unit": "tablet", "times": [{"time": time} for time in times], **more}
    return house.reply("Plan/Add", {"item": item, "stock": "10"})


def day(house, day):
    return house.reply("Plan/Day", {"day": day})


def test_given_twice_is_said_before_and_stands_if_a_person_says_so(house, soon):
    clock, due, date = soon
    item = add(house, clock)
    (coming,) = day(house, date)["dues"]
    assert (coming["due"], coming["state"], coming["amount"]) == (due, "coming", "1")
    first = house.reply("Plan/Give", {"itemId": item["id"], "due": due, "unlessWarned": True})
    assert first["dose"]["recorder"] == "Taro" and "warnings" not in first and first["item"]["stock"] == "9"
    second = house.reply("Plan/Give", {"itemId": item["id"], "due": due, "unlessWarned": True, "recorder": "Hanako"})
    (warning,) = second["warnings"]
    assert "dose" not in second
    assert (warning["kind"], warning["doseId"], warning["by"]) == ("given", first["dose"]["id"], "Taro")
    assert len(house.reply("Plan/History", {})["doses"]) == 1
    again = house.reply("Plan/Give", {"itemId": item["id"], "due": due, "recorder": "Hanako"})
    assert again["dose"]["warnings"][0]["kind"] == "given"
    (shown,) = day(house, date)["dues"]
    assert shown["state"] == "given" and shown["dose"]["id"] == first["dose"]["id"]
    assert [double["recorder"] for double in shown["doubles"]] == ["Hanako"]
    # Taken back, the other one is the answer.
    house.reply("Plan/Undo", {"id": first["dose"]["id"]})
    (shown,) = day(house, date)["dues"]
    assert shown["dose"]["id"] == again["dose"]["id"] and "doubles" not in shown and shown["item"]["name"] == "Aspirin"
    assert house.reply("Plan/Item", {"id": item["id"]})["stock"] == "9"
    assert {dose["id"] for dose in house.reply("Plan/History", {"deleted": True})["doses"]} == {first["dose"]["id"], again["dose"]["id"]}


def test_two_phones_at_once_are_both_heard_and_one_of_them_is_warned(house, soon):
    _, due, date = soon
    item = add(house, soon[0])
    answers = []

    def give(name):
        answers.append(command(house.control, "kith.v1.Plan/Give", {
            "itemId": item["id"], "due": due, "recorder": name, "clientId": f"phone-{name}"}, key=f"key-{name}")[1])

    threads = [threading.Thread(target=give, args=(name,)) for name in ("Taro", "Hanako")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted("warnings" in answer for answer in answers) == [False, True]
    (shown,) = day(house, date)["dues"]
    assert len(shown["doubles"]) == 1
    # A phone that did not hear the answer sends the same again, also with another key: one dose.
    again = house.reply("Plan/Give", {"itemId": item["id"], "due": due, "recorder": "Taro", "clientId": "phone-Taro"})
    assert again["dose"]["recorder"] == "Taro" and len(house.reply("Plan/History", {})["doses"]) == 2


def test_what_was_not_recorded_because_of_a_warning_is_recorded_when_a_person_says_so(house, soon):
    item = add(house, soon[0])
    request = {"itemId": item["id"], "due": soon[1], "clientId": "mine"}
    house.reply("Plan/Give", {"itemId": item["id"], "due": soon[1]})
    assert "dose" not in house.reply("Plan/Give", {**request, "unlessWarned": True})
    dose = house.reply("Plan/Give", request)["dose"]["id"]
    assert house.reply("Plan/Give", request)["dose"]["id"] == dose and len(house.reply("Plan/History", {})["doses"]) == 2


def test_a_hub_that_is_killed_keeps_what_it_answered(house, soon):
    item = add(house, soon[0])
    given = []
    for number in range(5):
        given.append(house.reply("Plan/Give", {"itemId": item["id"], "occurredAt": stamp(datetime.datetime.now(UTC)), "note": f"{number}"})["dose"]["id"])
        house.restart(signal.SIGKILL)
    assert [dose["id"] for dose in house.reply("Plan/History", {})["doses"]][::-1] == given
    assert house.reply("Plan/Item", {"id": item["id"]})["stock"] == "5"


def test_a_change_keeps_what_the_item_said_before(house, soon):
    clock, due, date = soon
    item = add(house, clock)
    house.reply("Plan/Give", {"itemId": item["id"], "due": due})
    later = f"{(int(clock[:2]) + 1) % 24:02}:30"
    changed = house.reply("Plan/Change", {"item": {"id": item["id"], "times": [{"time": later}]}, "fields": ["times"]})
    assert [time["time"] for time in changed["times"]] == [later] and changed["times"][0]["slot"] == item["times"][0]["slot"]
    assert [version["item"]["times"][0]["time"] for version in house.reply("Plan/Item", {"id": item["id"]})["versions"]] == [clock]
    # What was given for the time of before is not lost.
    shown = day(house, date)
    assert len(shown.get("others", [])) + sum("dose" in due for due in shown.get("dues", [])) == 1
    for method, state in (("Pause", "paused"), ("Resume", "active"), ("End", "ended")):
        assert house.reply(f"Plan/{method}", {"id": item["id"]})["state"] == state
    assert "items" not in house.reply("Plan/Items", {}) and len(house.reply("Plan/Items", {"all": True})["items"]) == 1
    assert house.reply("Plan/Give", {"itemId": item["id"]})["warnings"][0]["kind"] == "inactive"


@pytest.mark.parametrize("item, field", [
    ({"name": "A", "kind": "medicine"}, "times"), ({"name": "A", "kind": "medicine", "times": [{"time": "8:00"}], "asNeeded": True}, "times"),
    ({"name": "A", "kind": "pill", "asNeeded": True}, "kind"), ({"name": "", "kind": "meal", "asNeeded": True}, "name"),
    ({"name": "A", "kind": "meal", "times": [{"time": "25:00"}]}, "times"), ({"name": "A", "kind": "meal", "everyHours": 721}, "every_hours"),
    ({"name": "A", "kind": "meal", "times": [{"time": "8:00", "weekdays": ["noday"]}]}, "times"),
    ({"name": "A", "kind": "meal", "times": [{"time": "8:00"}, {"time": "08:00"}]}, "times"),
    ({"name": "A", "kind": "meal", "asNeeded": True, "from": "2026-05-01", "until": "2026-04-01"}, "until"),
    ({"name": "A", "kind": "meal", "asNeeded": True, "amount": "two"}, "amount"),
    ({"name": "A" * 201, "kind": "meal", "asNeeded": True}, "name"),
])
def test_what_makes_no_sense_is_refused_by_its_field(house, item, field):
    header, _, _ = house.ask("Plan/Add", {"item": item})
    assert header["status"]["reason"] == "FIELD_INVALID" and list(header["status"]["details"]) == [field], header


def test_as_needed_says_from_when(house):
    item = add(house, asNeeded=True, leastMinutes=240, mostPerDay=2)
    now = datetime.datetime.now(UTC)
    house.reply("Plan/Give", {"itemId": item["id"], "occurredAt": stamp(now - datetime.timedelta(minutes=30))})
    (need,) = house.reply("Plan/Day", {})["needed"]
    earliest = datetime.datetime.fromisoformat(need["earliest"])
    assert abs((earliest - now).total_seconds() - 210 * 60) < 60 and "last" in need
    asked = house.reply("Plan/Give", {"itemId": item["id"], "unlessWarned": True})
    assert [warning["kind"] for warning in asked["warnings"]] == ["early"]
    assert house.error("Plan/Skip", {"itemId": item["id"]}) == ("INVALID_ARGUMENT", "FIELD_INVALID")


def test_measurements(house):
    noon(house)
    temperature = {"measurement": {"kind": "temperature", "value": "37.20"}}
    first = house.reply("Measurements/Record", {**temperature, "clientId": "one"})
    assert first["measurement"]["value"] == "37.2" and first["measurement"]["unit"] == "°C" and first["recorded"]
    assert house.reply("Measurements/Record", {**temperature, "clientId": "one"})["measurement"]["id"] == first["measurement"]["id"]
    house.reply("Measurements/Record", {"measurement": {"kind": "temperature", "value": "100.4", "unit": "°f"}})
    odd = {"measurement": {"kind": "temperature", "value": "372"}, "unlessUnlikely": True}
    assert not house.reply("Measurements/Record", odd).get("recorded", False)
    pressure = {"kind": "blood_pressure", "value": "80", "lower": "130"}
    assert not house.reply("Measurements/Record", {"measurement": pressure, "unlessUnlikely": True}).get("recorded", False)
    assert house.reply("Measurements/Record", {"measurement": pressure})["measurement"]["unlikely"]
    series = house.reply("Measurements/Series", {"kind": "temperature"})
    (today,) = series["days"]
    assert series["unit"] == "°C" and today["count"] == 2 and abs(today["greatest"] - 38) < 0.01 and abs(today["least"] - 37.2) < 0.01
    house.reply("Measurements/Delete", {"id": first["measurement"]["id"]})
    assert house.reply("Measurements/Series", {"kind": "temperature"})["days"][0]["count"] == 1
    assert len(house.reply("Measurements/List", {})["measurements"]) == 2
    assert len(house.reply("Measurements/List", {"deleted": True})["measurements"]) == 3
    for wrong, field in (({"kind": "temperature", "value": "warm"}, "value"), ({"kind": "temperature", "value": "37", "unit": "kg"}, "unit"),
                         ({"kind": "blood_pressure", "value": "130"}, "lower"), ({"kind": "other", "value": "1"}, "name")):
        header, _, _ = house.ask("Measurements/Record", {"measurement": wrong})
        assert list(header["status"]["details"]) == [field], header


def test_the_command_line_asks_before_and_says_what_it_did(house, soon):
    assert "Nothing is planned" in kith(house, "plan").stdout
    kith(house, "plan", "add", "Aspirin", "--at", soon[0], "--amount", "2", "--unit", "tablets", "--stock", "10", "--order-at", "8")
    given = kith(house, "plan", "give", "aspirin", "--due", soon[1]).stdout
    assert "Aspirin 2 tablets" in given and "given" in given and "by Taro" in given and "Left: 8 tablets: order soon" in given
    refused = kith(house, "plan", "give", "asp", "--due", soon[1], check=False)
    assert refused.returncode == 1 and "was recorded already" in refused.stderr and "--yes" in refused.stderr
    assert "was recorded already" in kith(house, "plan", "give", "asp", "--due", soon[1], "--yes").stdout
    assert "given again" in kith(house, "plan", "day", soon[2]).stdout
    assert "taken back" in kith(house, "plan", "undo", "last").stdout
    assert "given again" not in kith(house, "plan", "day", soon[2]).stdout
    assert "130/80 mmHg" in kith(house, "measure", "add", "blood pressure", "130/80").stdout
    assert "--yes" in kith(house, "measure", "add", "体温", "372", check=False).stderr
    assert "血圧" in kith(house, "--lang", "ja", "measure", "list").stdout


@pytest.mark.parametrize("language, typed, words", [
    ("ja", ("plan", "add", "水"), "--at 8:00"), ("ja", ("plan", "add", "水", "--at", "朝ごはん"), "--at: 8:00 や 午後8時"),
    ("ja", ("plan", "stock", "Aspirin"), "残りの数"), ("ja", ("plan", "add", "", "--at", "8:00"), "<name>: 入力してください。"),
    ("ja", ("measure", "add", "水分", "200"), "種類: 体温、血圧"), ("en", ("measure", "add", "presure", "120"), "blood pressure, pulse"),
    ("ja", ("measure", "add", "血圧", "130"), "130/80"), ("ja", ("measure", "add", "体温", "abc"), "のような数"),
])
def test_what_was_typed_wrongly_is_said_in_the_words_of_the_command(house, soon, language, typed, words):
    kith(house, "plan", "add", "Aspirin", "--at", soon[0])
    run = kith(house, "--lang", language, *typed, check=False)
    assert run.returncode in (1, 2) and words in run.stderr and "every_hours" not in run.stderr, run
    if language == "ja":
        assert "must" not in run.stderr and "give" not in run.stderr


def test_a_second_item_of_one_name_is_asked_about_and_named_by_its_times(house):
    aspirin = ("plan", "add", "Aspirin", "--at", "8:00", "--amount", "1", "--unit", "tablet")
    kith(house, *aspirin)
    refused = kith(house, "plan", "add", "aspirin", "--at", "20:00", check=False)
    assert refused.returncode == 1 and "Aspirin, 08:00, 1 tablet" in refused.stderr and "--yes" in refused.stderr
    kith(house, "plan", "add", "aspirin", "--at", "20:00", "--yes")
    which = kith(house, "plan", "give", "aspirin", check=False)
    assert which.returncode == 2 and "Aspirin, 08:00, 1 tablet" in which.stderr and "aspirin, 20:00" in which.stderr
    assert "doses" not in house.reply("Plan/History", {})
    kith(house, "plan", "add", "Tea", "--at", "9:00")
    renamed = kith(house, "--lang", "ja", "plan", "change", "tea", "--name", "ASPIRIN", check=False)
    assert renamed.returncode == 1 and "同じ名前" in renamed.stderr
    # Its own name, also in other letters, is no second one; nor is that of one that has ended.
    kith(house, "plan", "change", "tea", "--name", "Green tea")
    kith(house, "plan", "change", "green tea", "--name", "green Tea")
    kith(house, "plan", "end", "green tea")
    kith(house, "plan", "add", "Green tea", "--at", "9:00")


def test_an_item_that_has_ended_is_not_another_one_that_is_called_alike(house):
    for name in ("Aspirin", "Aspirin plus"):
        kith(house, "plan", "add", name, "--at", "8:00")
    kith(house, "plan", "end", "aspirin")
    refused = kith(house, "plan", "give", "aspirin", "--at", "1 min ago", check=False)
    assert refused.returncode == 1 and "Aspirin is ended" in refused.stderr and "plus" not in refused.stderr
    assert "Aspirin plus" in kith(house, "plan", "give", "aspirin p", "--yes").stdout


def test_what_is_given_after_the_last_day_is_asked_about(house):
    kith(house, "plan", "add", "Amoxicillin", "--needed", "--from", "2026-01-01", "--until", "2026-01-10")
    for language, words in ("en", "Amoxicillin is in the plan from 2026-01-01 until 2026-01-10."), ("ja", "2026-01-01から2026-01-10まで"):
        refused = kith(house, "--lang", language, "plan", "give", "amoxicillin", check=False)
        assert refused.returncode == 1 and words in refused.stderr, refused.stderr
    assert "given" in kith(house, "plan", "give", "amoxicillin", "--yes").stdout


def test_times_and_numbers_as_people_type_them(house):
    kith(house, "plan", "add", "血圧の薬", "--at", "午前8時,8pm")
    assert "08:00" in kith(house, "plan", "show", "血圧の薬").stdout and "20:00" in kith(house, "plan", "show", "血圧の薬").stdout
    assert "36.8 °C" in kith(house, "measure", "add", "体温", "３６．８").stdout
