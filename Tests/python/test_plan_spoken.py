"""What was said is offered to a person as something of the plan, or as a value, and recorded once: by the CLI and on the page Today."""
import json

import pytest

from channels import kith
from planned import add, doses, near, said, values
from test_care import Home as VoiceHome
from test_care import recording
from visitor import Visitor
from web import door


@pytest.fixture
def house(hub):
    hub.reply("Care/Configure", {"settings": {"timeZone": "UTC", "recorder": "Taro", "recipient": "Yoshiko Sato", "language": "en"}})
    return hub


def offered(house, text, **more):
    return house.reply("Plan/Suggest", {"text": text, **more}).get("suggestions", [])


def test_a_sentence_is_offered_and_nothing_is_recorded(house):
    clock, due = near()
    item = add(house, "Aspirin", clock)
    (suggestion,) = offered(house, "she took two tablets of aspirin")
    assert (suggestion["item"]["id"], suggestion["due"], suggestion["amount"]) == (item, due, "2")
    assert "clientId" not in suggestion and "warnings" not in suggestion
    (japanese,) = offered(house, "血圧は300の130", language="ja")
    assert japanese["measurement"] == {"kind": "blood_pressure", "value": "300", "lower": "130", "unit": "mmHg", "unlikely": True}
    assert offered(house, "she did not take her aspirin") == [] and doses(house) == [] and values(house) == []
    # What was given already is said before anybody says yes.
    first = house.reply("Plan/Give", {"itemId": item, "due": due})["dose"]
    (again,) = offered(house, "she took her aspirin")
    assert [(warning["kind"], warning["by"], warning["doseId"]) for warning in again["warnings"]] == [("given", "Taro", first["id"])]
    house.reply("Plan/End", {"id": item})
    assert offered(house, "she took her aspirin") == []
    assert house.error("Plan/Suggest", {}) == ("INVALID_ARGUMENT", "FIELD_INVALID")
    assert house.error("Plan/Suggest", {"text": "aspirin taken", "saidAt": "2100-01-01T00:00:00Z"}) == ("INVALID_ARGUMENT", "FIELD_INVALID")


def test_a_household_without_a_plan_is_offered_nothing(house):
    said(house, "She took her aspirin.")
    today = house.reply("Plan/Day", {})["day"]
    assert offered(house, "she took her aspirin") == [] and offered(house, "temperature 37.2") == []
    assert house.reply("Plan/Suggest", {"day": today}) == {}
    # One that measures is.
    house.reply("Measurements/Record", {"measurement": {"kind": "pulse", "value": "70"}})
    assert [one["measurement"]["value"] for one in offered(house, "temperature 37.2")] == ["37.2"]


def test_an_entry_by_voice_is_offered_when_it_is_confirmed_and_recorded_once(house):
    clock, due = near()
    add(house, "Aspirin", clock)
    entry = said(house, "She took her aspirin.")
    said(house, "She took her aspirin.", confirmed=False)
    said(house, "She did not take her aspirin.")
    heard = json.loads(kith(house, "--json", "plan", "heard").stdout)["suggestions"]
    assert [(one["careId"], one["due"]) for one in heard] == [(entry, due)]
    assert "Aspirin" in kith(house, "plan", "heard").stdout
    kith(house, "plan", "heard", entry)
    (dose,) = doses(house)
    record = house.reply("Care/Get", {"id": entry})["record"]
    assert (dose["due"], dose["occurredAt"]) == (due, record["occurredAt"])
    assert "No entry" in kith(house, "plan", "heard").stdout
    again = kith(house, "plan", "heard", entry, check=False)
    assert again.returncode != 0 and "not recorded yet" in again.stderr and len(doses(house)) == 1
    # Taken back, it is not offered again: a person has decided.
    house.reply("Plan/Undo", {"id": dose["id"]})
    assert "No entry" in kith(house, "plan", "heard").stdout


def test_words_that_nobody_confirmed_are_not_offered(tmp_path):
    home = VoiceHome(tmp_path)
    home.engine.write_text(home.engine.read_text().replace("two tablets after breakfast", "she took her aspirin"))
    home.start()
    try:
        home.kith("care", "settings", "--time-zone", "UTC")
        home.kith("plan", "add", "Aspirin", "--at", near()[0])
        record = home.kith("care", "voice", "--category", "medication", "--file", str(recording(tmp_path / "a.wav")))["record"]
        assert record["review"] == "needed" and home.kith("plan", "heard").get("suggestions", []) == []
        home.kith("care", "confirm", record["id"])
        assert [one["careId"] for one in home.kith("plan", "heard")["suggestions"]] == [record["id"]]
    finally:
        home.stop()


def test_two_devices_that_press_the_same_offer_record_it_once(house):
    add(house, "Aspirin", near()[0])
    said(house, "She took her aspirin.")
    (one,) = house.reply("Plan/Suggest", {"day": house.reply("Plan/Day", {})["day"]})["suggestions"]
    request = {"itemId": one["item"]["id"], "due": one["due"], "occurredAt": one["occurredAt"], "clientId": one["clientId"]}
    first, second = (house.reply("Plan/Give", request)["dose"]["id"] for _ in range(2))
    assert first == second and len(doses(house)) == 1


def test_who_reads_on_the_page_that_it_was_given_and_ticks_it_again_knew_of_it():
    with door() as front:
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "UTC", "language": "en", "recorder": "Taro"}})
        clock, due = near()
        item = add(front.hub, "Aspirin", clock)
        said(front.hub, "She took her aspirin.")
        visitor = Visitor(front.device("hanako"))
        before = visitor.open("/")
        front.hub.reply("Plan/Give", {"itemId": item, "due": due})
        (heard,) = front.hub.reply("Plan/Suggest", {"day": front.hub.reply("Plan/Day", {})["day"]})["suggestions"]
        page = visitor.open("/")
        assert "given already" in page.text and "Taro" in page.text and "given already" not in before.text
        page.send("Plan/Give", having={"clientId": heard["clientId"]})
        assert {dose["recorder"]: dose.get("confirmed", False) for dose in doses(front.hub)} == {"Taro": False, "hanako": True}


def test_what_a_person_was_not_told_is_asked_by_the_command(house):
    clock, due = near()
    item = add(house, "Aspirin", clock)
    entry = said(house, "aspirin, two tablets")
    house.reply("Plan/Give", {"itemId": item, "due": due})
    refused = kith(house, "plan", "heard", entry, check=False)
    assert refused.returncode != 0 and "recorded already" in refused.stderr and len(doses(house)) == 1
    kith(house, "plan", "heard", entry, "--yes")
    assert sorted(dose["amount"] for dose in doses(house)) == ["1", "2"]


def test_a_button_stands_at_the_entry_on_the_first_page_until_it_is_pressed():
    with door() as front:
        front.hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "UTC", "language": "en"}})
        clock, due = near()
        add(front.hub, "Aspirin", clock)
        visitor = Visitor(front.device("hanako"))
        said(front.hub, "She took her aspirin.")
        said(front.hub, "Blood pressure one thirty over eighty.", category="free_memo")
        page = visitor.open("/")
        labels = [button.text for name in ("tick", "record-value") for button in page.root.all("button", data_test=name)]
        assert labels == [f"Tick Aspirin {clock}", "Record blood pressure 130/80 mmHg"]
        guest = Visitor(front.device("guest", "viewer")).open("/")
        assert not list(guest.root.all("div", data_test="suggestions"))
        heard = front.hub.reply("Plan/Suggest", {"day": front.hub.reply("Plan/Day", {})["day"]})["suggestions"]
        dose, value = ({"clientId": one["clientId"]} for one in sorted(heard, key=lambda one: "measurement" in one))
        page = page.send("Plan/Give", having=dose)
        assert not list(page.root.all("button", data_test="tick"))
        page = page.send("Measurements/Record", having=value)
        assert not list(page.root.all("div", data_test="suggestions"))
        (dose,), (value,) = doses(front.hub), values(front.hub)
        assert (dose["due"], dose["recorder"]) == (due, "hanako")
        assert (value["value"], value["lower"], value["unit"]) == ("130", "80", "mmHg")

