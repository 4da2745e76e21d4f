"""The care plan and measurements at Home Assistant, over a real broker; and what is said to the house about them."""
import datetime
import signal

import pytest

from home import Home, house, spoken_to
from planned import add, doses, near, noon, values
from test_due_minute import next_minute, wait_until


@pytest.fixture(autouse=True)
def household(hub):
    hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko Sato", "timeZone": "UTC", "language": "en", "recorder": "Taro"}})


def entries(hub):
    return hub.reply("Care/List", {}).get("records", [])


def news(assistant):
    """The events of the plan, oldest first."""
    return [text for topic, text in assistant.heard if topic.endswith("/event/plan")]


def shown(assistant, key):
    """Waits until an entity is there."""
    return assistant.until(lambda: assistant.config["components"].get(key, {}).get("unique_id"))


def test_items_come_and_go_without_their_names(hub, tmp_path):
    with house(hub, tmp_path) as (_, _, assistant):
        assert not [key for key in assistant.config["components"] if key.startswith("plan")]
        clock, due = near()
        item = add(hub, "Aspirin", clock)
        key = f"plan_{item[-12:]}"
        shown(assistant, key)
        assert assistant.component(key)["name"] == "Item 1 given" and assistant.component(f"{key}_last")["device_class"] == "timestamp"
        assistant.until(lambda: assistant.state.get("plan", {}).get("next") == due == assistant.state["next_reminder"])
        hub.reply("Measurements/Record", {"measurement": {"kind": "temperature", "value": "37.2"}})
        assistant.press(key)
        assistant.until(lambda: item[-12:] in assistant.state["plan"]["last"])
        assert "Aspirin" not in "".join(text for _, text in assistant.heard) and "37.2" not in str(assistant.values)
        hub.reply("Plan/End", {"id": item})
        # Its platform alone is what takes an entity away.
        assistant.until(lambda: assistant.component(key) == {"platform": "button"})
        assert assistant.component(f"{key}_last") == {"platform": "sensor"} == assistant.component("plan_next")


def test_with_the_details_names_and_values_are_shown(hub, tmp_path):
    with house(hub, tmp_path, "--details") as (_, _, assistant):
        key = f"plan_{add(hub, 'Aspirin', near()[0])[-12:]}"
        shown(assistant, key)
        assert assistant.component(key)["name"] == "Aspirin given"
        hub.reply("Measurements/Record", {"measurement": {"kind": "blood_pressure", "value": "130", "lower": "80"}})
        hub.reply("Measurements/Record", {"measurement": {"kind": "temperature", "value": "98.6", "unit": "°F"}})
        shown(assistant, "measured_temperature")
        upper = assistant.component("measured_blood_pressure")
        assert (upper["unit_of_measurement"], assistant.component("measured_temperature")["unit_of_measurement"]) == ("mmHg", "°F")
        measured = assistant.until(lambda: len(assistant.state.get("measured", {})) == 2 and assistant.state["measured"])
        assert (measured["blood_pressure"]["value"], measured["blood_pressure"]["lower"]) == ("130", "80")
        assert measured["temperature"]["value"] == "98.6"


def come_due(hub, item, zone):
    """Moves an item, so that it is due since some minutes."""
    clock = f"{datetime.datetime.now(zone) - datetime.timedelta(minutes=5):%H:%M}"
    hub.reply("Plan/Change", {"item": {"id": item, "times": [{"time": clock}]}})


def test_undo_takes_back_the_newest_press_and_no_entry_of_before(hub, tmp_path):
    zone = noon(hub)
    item = add(hub, "Aspirin", "23:30")
    with house(hub, tmp_path) as (_, _, assistant):
        assistant.press("care_meal", at="one")
        assistant.until(lambda: "meal" in assistant.state["last"])
        come_due(hub, item, zone)
        assistant.until(lambda: assistant.state["due"] == 1)
        assistant.press("done", at="two")
        assistant.until(lambda: assistant.state["due"] == 0)
        assistant.press("undo", at="three")
        assistant.press("care_toileting", at="four")
        assistant.until(lambda: "toileting" in assistant.state["last"])
        assert sorted(entry["category"] for entry in entries(hub)) == ["meal", "toileting"] and len(doses(hub)) == 1


@pytest.mark.waits
@pytest.mark.timeout(600)
def test_an_answer_is_about_what_was_due_when_it_was_pressed(hub, tmp_path):
    zone = noon(hub)
    moment = next_minute(at_least=60)
    aspirin = add(hub, "Aspirin", "23:30")
    add(hub, "Vitamin", f"{moment.astimezone(zone):%H:%M}")
    with house(hub, tmp_path) as (_, _, assistant):
        come_due(hub, aspirin, zone)
        assistant.until(lambda: assistant.state["due"] == 1)
        wait_until(moment - datetime.timedelta(seconds=8))
        hub.end()
        assistant.press("done", at="one")
        wait_until(moment + datetime.timedelta(seconds=2))
        hub.start()
        assistant.until(lambda: doses(hub) and assistant.available and assistant.state["due"] == 1)
        assert [dose["itemName"] for dose in doses(hub)] == ["Aspirin"]


def test_a_press_is_once_whatever_the_network_does(hub, tmp_path):
    item = add(hub, "Aspirin", near()[0])
    key, name = f"plan_{item[-12:]}", item[-12:]
    with house(hub, tmp_path) as (_, home, assistant):
        shown(assistant, key)
        assistant.press(key, at="one")
        assistant.press(key, at="one")
        assistant.press(key, at="two")  # a double click
        assistant.until(lambda: name in assistant.state["plan"]["last"])
        topic = assistant.component(key)["command_topic"]
        home.end(signal.SIGKILL)
        assistant.until(lambda: not assistant.available)
        assistant.send(topic, '{"at": "long ago"}', retain=True)
        with Home(hub, assistant.broker):
            assistant.until(lambda: assistant.available)
            assistant.press(key, at="one")
            assistant.press("care_meal", at="three")
            assistant.until(lambda: "meal" in assistant.state["last"])
        assistant.send(topic, "", retain=True)
        assert len(doses(hub, deleted=True)) == 1
        assert [text for text in news(assistant)] == [f'{{"event_type":"recorded","key":"{name}"}}']


def test_a_press_that_would_double_records_nothing_and_says_so(hub, tmp_path):
    item = add(hub, "Aspirin", near()[0])
    key = f"plan_{item[-12:]}"
    (due,) = [one["due"] for one in hub.reply("Plan/Day", {"day": near()[1][:10]})["dues"]]
    first = hub.reply("Plan/Give", {"itemId": item, "due": due})["dose"]
    with house(hub, tmp_path, "--details") as (_, _, assistant):
        shown(assistant, key)
        assistant.press(key)
        told, = assistant.until(lambda: news(assistant))
        assert '"event_type":"given"' in told and '"by":"Taro"' in told and '"item":"Aspirin"' in told
        assert [dose["id"] for dose in doses(hub)] == [first["id"]]


def test_what_was_pressed_is_taken_back_by_the_button_for_it(hub, tmp_path):
    item = add(hub, "Aspirin", near()[0])
    with house(hub, tmp_path) as (_, _, assistant):
        shown(assistant, f"plan_{item[-12:]}")
        assistant.press(f"plan_{item[-12:]}")
        assistant.until(lambda: assistant.state["plan"]["last"])
        assistant.press("undo")
        assistant.until(lambda: not assistant.state["plan"]["last"])
        assert doses(hub) == [] and len(doses(hub, deleted=True)) == 1


def test_the_house_asks_and_a_person_says_yes(hub):
    clock, due = near()
    add(hub, "Aspirin", clock)
    with spoken_to(hub) as (_, voice):
        handled, question = voice.say("She took her aspirin.")
        assert handled and "Recorded: Medication" in question and f"Tick Aspirin of {clock}?" in question
        # Somebody who walks away has lost nothing.
        assert doses(hub) == [] and [entry["memo"] for entry in entries(hub)] == ["She took her aspirin"]
        handled, told = voice.say("Yes.")
        assert handled and "Recorded: Aspirin" in told
        (dose,) = doses(hub)
        assert dose["due"] == due and len(entries(hub)) == 1
        # Two devices heard it, or the same sentence comes once more.
        assert voice.say("yes") == (handled, told) and len(doses(hub)) == 1
        handled, told = voice.say("that was wrong")
        assert handled and "Taken back: Aspirin" in told and doses(hub) == [] and entries(hub) == []


def test_no_leaves_the_entry_that_it_would_have_been_without_a_plan(hub):
    add(hub, "Aspirin", near()[0])
    with spoken_to(hub) as (_, voice):
        voice.say("She took her aspirin.")
        handled, told = voice.say("no")
        assert (handled, told) == (True, "All right. Nothing is ticked; the entry stays.")
        assert [entry["memo"] for entry in entries(hub)] == ["She took her aspirin"] and doses(hub) == []
        assert voice.say("Gave the aspirin.")[1].startswith("Nothing is recorded yet.")
        assert voice.say("no") == (True, "All right. Nothing was recorded.")
        handled, told = voice.say("blood pressure one thirty over eighty")
        assert not handled and voice.say("no")[0] and values(hub) == []
        # An answer to nothing is none, and another sentence ends the question.
        voice.say("She took her aspirin.")
        voice.say("what was logged today")
        handled, _ = voice.say("yes")
        assert not handled and doses(hub) == []


def test_what_was_given_already_is_said_before_it_is_asked(hub):
    clock, due = near()
    item = add(hub, "Aspirin", clock)
    hub.reply("Plan/Give", {"itemId": item, "due": due})
    with spoken_to(hub) as (_, voice):
        _, question = voice.say("She took her aspirin.")
        assert "recorded already" in question and "by Taro" in question and "anyway?" in question
        handled, told = voice.say("yes")
        assert handled and len(doses(hub)) == 2, told
    # So nobody is told that it was recorded twice.
    assert sorted(dose.get("confirmed", False) for dose in doses(hub)) == [False, True]


def test_a_warning_that_nobody_was_told_is_asked_once_more(hub):
    clock, due = near()
    item = add(hub, "Aspirin", clock)
    with spoken_to(hub) as (_, voice):
        voice.say("She took her aspirin.")
        # Meanwhile somebody else ticks it.
        hub.reply("Plan/Give", {"itemId": item, "due": due, "recorder": "Hanako"})
        handled, question = voice.say("yes")
        assert not handled and "by Hanako" in question
        # A second device that heard the same "yes" does not answer the new question by it.
        assert voice.say("yes") == (False, question) and len(doses(hub)) == 1
        handled, _ = voice.say("no")
        assert len(doses(hub)) == 1


def test_values_are_asked_about_too(hub):
    add(hub, "アスピリン", near()[0])
    with spoken_to(hub) as (_, voice):
        assert "blood pressure 130/80 mmHg" in voice.say("blood pressure one thirty over eighty")[1]
        assert voice.say("yes")[0]
        _, question = voice.say("血圧は300の80")
        assert "通常の範囲の外" in question
        handled, told = voice.say("はい")
        assert handled and "300/80 mmHg" in told
        assert sorted(value["value"] for value in values(hub)) == ["130", "300"]


def test_without_a_plan_the_house_is_as_it_was(hub):
    with spoken_to(hub) as (_, voice):
        assert voice.say("She took her aspirin.")[0] and len(entries(hub)) == 1
        assert not voice.say("yes")[0] and not voice.say("blood pressure one thirty over eighty")[0]
        assert doses(hub) == [] and values(hub) == []
