"""Reminders of the care plan: over ntfy with their buttons, at Home Assistant, on the page and at the command line, and around crashes."""
import concurrent.futures
import datetime
import json
import signal
import time

import pytest

from browser import chromium
from channels import add, deliveries, header, kith, settled
from conftest import HubNotRunning
from home import house as household
from planned import UTC, noon
from recipients import MessageServer
from test_due_minute import come, next_minute, wait_until
from test_web_reminder_links import arrived, buttons, known, press
from visitor import Visitor
from web import door


def ready(hub, language="en"):
    """The zone of a household whose recorder is Hanako; it is about noon there."""
    hub.reply("Care/Configure", {"settings": {"recorder": "Hanako", "language": language}})
    return noon(hub)


def item(hub, name, clock="23:00", **more):
    said = {"kind": "medicine", "name": name, "amount": "1", "unit": "tablet", "times": [{"time": clock}], **more}
    return hub.reply("Plan/Add", {"item": said})


def due(hub, zone, *names, ago=2):
    """Items that are due some minutes ago: a time that was to come moves with its item, also into the past."""
    clock = f"{datetime.datetime.now(zone) - datetime.timedelta(minutes=ago):%H:%M}"
    items = [item(hub, name) for name in names]
    for each in items:
        hub.reply("Plan/Change", {"item": {"id": each["id"], "times": [{"time": clock}]}})
    reminder = until(lambda: [each for each in status(hub) if len(each["times"]) == len(names)])[0]
    return items, reminder


def status(hub):
    return hub.reply("Reminders/Status").get("due", [])


def doses(hub, **request):
    return hub.reply("Plan/History", request).get("doses", [])


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


@pytest.fixture
def house():
    services = MessageServer()
    with door() as front:
        try:
            services.start()
            known(front)
            add(front.hub, "phone", "ntfy", address=services.url, topic="care")
            front.hub.reply("Reminders/Configure", {"settings": {"planChannels": ["phone"], "language": "en"}})
            yield front, services
        finally:
            services.remove()


def test_a_button_records_each_that_is_open_once_and_says_that_somebody_was_before(house):
    front, services = house
    (aspirin, _), reminder = due(front.hub, ready(front.hub), "Aspirin", "Vitamin")
    message = until(lambda: [each for each in services.seen if "Vitamin" in each["body"] and "Aspirin" in each["body"]])[0]
    assert message["body"] == "Aspirin 1 tablet\nVitamin 1 tablet" and header(message, "Title").startswith("Care plan, ")
    offered = buttons(message)
    assert list(offered) == ["Done", "In 30 minutes", "Skip"]
    front.hub.reply("Plan/Give", {"itemId": aspirin["id"], "recorder": "Taro"})
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(press, [offered["Done"]] * 4))
    assert [(answer.status_code, answer.json()) for answer in answers] == [(200, {"state": "done", "answeredBefore": True})] * 4
    assert sorted((dose["itemName"], dose["recorder"]) for dose in doses(front.hub)) == [("Aspirin", "Taro"), ("Vitamin", "Hanako")]
    late = press(offered["Skip"])
    assert late.json() == {"state": "done", "answeredBefore": True} and len(doses(front.hub)) == 2
    again = front.hub.reply("Reminders/Done", {"id": reminder["id"]})
    assert [time["by"] for time in again["times"]] == ["Taro", "Hanako"] and len(doses(front.hub)) == 2
    assert status(front.hub) == []


def test_a_message_that_waits_names_only_what_is_still_open(house):
    front, services = house
    services.answer({"hold": True})
    (aspirin, _), _ = due(front.hub, ready(front.hub), "Aspirin", "Vitamin")
    until(lambda: services.seen)
    front.hub.reply("Plan/Give", {"itemId": aspirin["id"]})
    until(lambda: [each["title"] for each in status(front.hub)] == ["Vitamin 1 tablet"])
    services.release()
    until(lambda: all(entry["state"] in ("delivered", "discarded") for entry in deliveries(front.hub)))
    # The first was under way. It names both, unless it was made between the two changes of the plan.
    first, *later = [message["body"] for message in services.seen]
    assert later == ([] if "Vitamin" in first else ["Vitamin 1 tablet"])


def test_later_and_skip_by_buttons(house):
    front, services = house
    _, reminder = due(front.hub, ready(front.hub), "Aspirin")
    offered = buttons(arrived(services, 1))
    assert press(offered["In 30 minutes"]).json() == {"state": "snoozed"} and status(front.hub) == []
    assert press(offered["In 30 minutes"]).json() == {"state": "snoozed"}
    assert press(offered["Skip"]).json() == {"state": "done"}
    (dose,) = doses(front.hub)
    assert dose["outcome"] == "skipped" and dose["due"] == reminder["times"][0]["due"]
    # Taken back, it is open again, and the same button records again.
    front.hub.reply("Plan/Undo", {"id": dose["id"]})
    assert until(lambda: status(front.hub))[0]["id"] == reminder["id"]
    assert press(offered["Skip"]).json() == {"state": "done"}
    until(lambda: not status(front.hub))
    (second,) = doses(front.hub)
    assert second["outcome"] == "skipped" and second["id"] != dose["id"]
    front.hub.reply("Plan/Undo", {"id": second["id"]})
    until(lambda: status(front.hub))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = [answer.json()["state"] for answer in pool.map(press, [offered["Done"]] * 4)]
    assert answers == ["done"] * 4
    (given,) = doses(front.hub)
    assert given["outcome"] == "given" and given["due"] == dose["due"]


def test_whoever_may_not_know_names_is_told_without(house):
    front, services = house
    front.hub.reply("Reminders/Configure", {"settings": {"noPlanNames": True}})
    due(front.hub, ready(front.hub), "Aspirin")
    assert arrived(services, 1)["body"] == "1 thing is due."


@pytest.mark.parametrize("step", ["begun", "sent", "stored"])
def test_a_hub_that_dies_while_it_says_it_says_it_under_one_id(unstarted, services, step):
    hub = unstarted
    hub.environment["KITH_FAULT_POINT"] = f"delivery_{step}:1"
    hub.start()
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    hub.reply("Reminders/Configure", {"settings": {"planChannels": ["phone"], "language": "en"}})
    zone = ready(hub)
    try:
        due(hub, zone, "Aspirin")
    except (HubNotRunning, OSError, AssertionError):
        pass
    assert hub.process.wait(60) == -signal.SIGKILL
    hub.environment.clear()
    hub.start()
    (identity,) = [entry["id"] for entry in deliveries(hub)]
    assert settled(hub, identity)["state"] == "delivered"
    assert services.accepted == [identity] * (2 if step == "sent" else 1)
    (reminder,) = status(hub)
    assert reminder["said"] == 1
    # Who gives it, and dies with the hub before anything else happens, is not asked again.
    hub.reply("Plan/Give", {"itemId": reminder["times"][0]["itemId"]})
    hub.restart(signal.SIGKILL)
    until(lambda: not status(hub))
    assert len(deliveries(hub)) == 1 and hub.end() == 0


@pytest.mark.waits
@pytest.mark.timeout(400)
def test_what_is_due_at_one_minute_is_one_message_whatever_becomes_of_the_hub(unstarted, services):
    hub = unstarted.start()
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    hub.reply("Reminders/Configure", {"settings": {"planChannels": ["phone"], "language": "ja"}})
    zone = ready(hub)
    moment = next_minute(at_least=10)
    clock = f"{moment.astimezone(zone):%H:%M}"
    for name in ("アスピリン", "ビタミン"):
        item(hub, name, clock, unit="錠")
    item(hub, "お茶", clock, quiet=True)
    item(hub, "頭痛薬", times=[], asNeeded=True)
    wait_until(moment - datetime.timedelta(seconds=3))
    hub.restart(signal.SIGKILL)
    assert status(hub) == [] or datetime.datetime.now(UTC) >= moment
    (reminder,) = come(hub)
    hub.restart(signal.SIGKILL)
    until(lambda: not any(entry["state"] in ("pending", "sending") for entry in deliveries(hub)))
    assert [each["id"] for each in status(hub)] == [reminder["id"]]
    (entry,) = deliveries(hub)
    assert set(services.accepted) == {entry["id"]}
    assert {each["body"] for each in services.seen} == {"アスピリン 1 錠\nビタミン 1 錠"}
    shown = kith(hub, "remind", "status").stdout
    assert "アスピリン 1 錠, ビタミン 1 錠" in " ".join(shown.split())
    done = kith(hub, "remind", "done", reminder["id"]).stdout
    assert "done" in done and len(doses(hub)) == 2
    assert "recorded already" in kith(hub, "remind", "done", reminder["id"]).stdout and len(doses(hub)) == 2
    assert hub.end() == 0


def test_at_home_assistant_it_is_a_reminder_without_its_name(hub, tmp_path):
    zone = ready(hub)
    with household(hub, tmp_path) as (_, _, assistant):
        events = assistant.component("reminder")["state_topic"]
        due(hub, zone, "Aspirin")
        assistant.until(lambda: assistant.state["due"] == 1)
        assistant.until(lambda: {"event_type": "due"} in [json.loads(text) for topic, text in assistant.heard if topic == events])
        assistant.press("done")
        assistant.until(lambda: assistant.state["due"] == 0)
        assert [dose["itemName"] for dose in doses(hub)] == ["Aspirin"]
        due(hub, zone, "Vitamin", ago=5)
        assistant.until(lambda: assistant.state["due"] == 1)
        assistant.press("skip")
        assistant.until(lambda: assistant.state["due"] == 0)
        assert [dose["outcome"] for dose in doses(hub)] == ["skipped", "given"]
        assert "Aspirin" not in json.dumps(assistant.heard) and "Vitamin" not in json.dumps(assistant.heard)


def test_on_the_page_it_is_done_later_and_skipped(house):
    front, _ = house
    zone = ready(front.hub)
    due(front.hub, zone, "Aspirin")
    visitor = Visitor(front.device("taro"))
    page = visitor.open("/")
    (shown,) = page.root.all("li", data_test="reminder")
    assert "Aspirin 1 tablet" in shown.text and [button.text for button in shown.all("button")] == ["Done", "In 30 minutes", "Skip"]
    page = page.send("Reminders/Done", {})
    assert not list(page.root.all("li", data_test="reminder"))
    (planned,) = page.root.all("li", data_test="plan-due")
    assert "given" in planned.text and "by taro" in planned.text
    due(front.hub, zone, "Vitamin", ago=4)
    page = visitor.open("/reminders").send("Reminders/Snooze", {})
    assert status(front.hub) == []
    page = page.send("Reminders/Skip", {})
    assert doses(front.hub)[0]["outcome"] == "skipped"


def test_two_phones_without_a_network_that_both_gave_it_are_told_on_the_page_and_by_message(house):
    front, services = house
    due(front.hub, ready(front.hub), "Aspirin")
    arrived(services, 1)
    with chromium() as browser:
        phones = [browser.phone(), browser.phone()]
        for phone, name in zip(phones, ("hanako", "taro")):
            phone.join(front, name)
            phone.open(front.url + "/")
            phone.offline()
            phone.page.click("[data-test=plan-due] [data-test=plan-give]")
            phone.until("document.querySelector('[data-test=pending]')?.hidden === false")
        for phone in phones:
            phone.offline(False)
            phone.read("dispatchEvent(new Event('online'))")
        told = until(lambda: [each for each in services.seen if header(each, "Title") == "Recorded twice"], 60)
        assert len(told) == 1 and all(word in told[0]["body"] for word in ("Aspirin", "twice", "hanako", "taro"))
        phones[0].open(front.url + "/")
        phones[0].until("document.querySelector('[data-test=reminder]').innerText.includes('twice')")
        # A person has seen it.
        phones[0].page.click("[data-test=reminder] [data-test=reminder-done]")
        phones[0].until("document.querySelector('[data-test=reminder]') === null")
        assert status(front.hub) == [] and len(doses(front.hub)) == 2
        assert list(buttons(told[0])) == ["Done", "In 30 minutes"]


def test_on_the_phone_one_press_answers_a_reminder_of_several(house):
    front, _ = house
    due(front.hub, ready(front.hub, "ja"), "アスピリン", "ビタミン")
    with chromium() as browser:
        phone = browser.phone()
        phone.join(front, "hanako")
        phone.open(front.url + "/")
        phone.until("document.querySelector('[data-test=reminder]').innerText.includes('アスピリン 1 tablet, ビタミン 1 tablet')")
        phone.page.dblclick("[data-test=reminder-done]")
        phone.until("document.querySelector('[data-test=reminder]') === null")
        assert sorted(dose["itemName"] for dose in doses(front.hub)) == ["アスピリン", "ビタミン"]


def test_the_command_line_makes_an_item_quiet_and_names_the_channels(hub, services):
    ready(hub)
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    assert "again after 30 minutes" in kith(hub, "plan", "add", "aspirin", "--at", "8:00").stdout
    assert "none: quiet" in kith(hub, "plan", "change", "aspirin", "--quiet").stdout
    assert "once" in kith(hub, "plan", "change", "aspirin", "--no-quiet", "--again", "120").stdout
    shown = kith(hub, "remind", "settings", "--plan", "phone", "--no-plan-names").stdout
    assert "Reminders of the plan: phone; without names" in shown
    assert hub.reply("Reminders/Settings")["planChannels"] == ["phone"]
