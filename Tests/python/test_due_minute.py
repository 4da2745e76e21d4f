"""The daily reminder at its minute, by the clock of the machine: once, whatever becomes of the daemon around it."""
import datetime
import json
import signal
import time
import zoneinfo

import pytest

from channels import LINE_USER, TOKEN, add, deliveries

TOKYO = zoneinfo.ZoneInfo("Asia/Tokyo")


def next_minute(at_least):
    """The next minute that is so many seconds away."""
    now = datetime.datetime.now(TOKYO)
    minute = now.replace(second=0, microsecond=0) + datetime.timedelta(minutes=1)
    return minute if (minute - now).total_seconds() >= at_least else minute + datetime.timedelta(minutes=1)


def wait_until(moment):
    time.sleep(max(0, (moment - datetime.datetime.now(TOKYO)).total_seconds()))


def come(hub):
    """What is due, as soon as something is."""
    end = time.monotonic() + 120
    while not (due := hub.reply("Reminders/Status").get("due", [])):
        assert time.monotonic() < end
        time.sleep(0.02)
    return due


@pytest.mark.waits
@pytest.mark.timeout(400)
def test_restarts_around_the_due_minute_deliver_once(unstarted, services):
    hub = unstarted.start()
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    hub.reply("Reminders/Configure", {"settings": {"dailyChannels": ["line"], "language": "en"}})
    due_at = next_minute(at_least=10)
    daily = hub.reply("Reminders/SetDaily", {
        "enabled": True, "time": due_at.strftime("%H:%M"), "timeZone": "Asia/Tokyo"})
    assert datetime.datetime.fromisoformat(daily["nextAt"]) == due_at
    wait_until(due_at - datetime.timedelta(seconds=3))
    hub.restart(signal.SIGKILL)
    early = hub.reply("Reminders/Status").get("due", [])
    assert not early or datetime.datetime.now(TOKYO) >= due_at
    due = come(hub)
    assert datetime.datetime.now(TOKYO) >= due_at
    # The message may be on its way just now.
    hub.restart(signal.SIGKILL)
    hub.restart(signal.SIGTERM)
    end = time.monotonic() + 90
    while any(entry["state"] in ("pending", "sending") for entry in deliveries(hub)):
        assert time.monotonic() < end, deliveries(hub)
        time.sleep(0.02)
    assert [(each["id"], each.get("isLate", False)) for each in due] == [(f"daily:{due_at.date()}", False)]
    assert [each["id"] for each in hub.reply("Reminders/Status")["due"]] == [due[0]["id"]]
    entry, = deliveries(hub)
    assert entry["state"] == "delivered" and services.accepted == [entry["id"]]
    assert {json.loads(request["body"])["messages"][0]["text"] for request in services.seen} == {
        "Care log\nPlease record today's care."}
    following = hub.reply("Reminders/Status")["daily"]
    assert datetime.datetime.fromisoformat(following["nextAt"]) == due_at + datetime.timedelta(days=1)
    assert hub.end() == 0
