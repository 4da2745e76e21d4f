"""Reminders over channels, what is refused, what stays secret, and the command line."""
import datetime
import json
import shutil
import signal
import stat
import subprocess
import sys
import time
import urllib.parse

import pytest
from channels import LINE_USER, TOKEN, add, deliveries, header, kith, settled, share, try_out
from keyed import eventually
from servers import PROGRAMS, Server


def test_a_reminder_of_a_person_comes_once_and_goes_over_its_channel(unstarted, services):
    hub = unstarted.start()
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    hub.reply("Reminders/Configure", {"settings": {"personChannels": ["phone"], "personTime": "00:00", "language": "en"}})
    ann = hub.reply("People/Create", {"record": {"firstName": "Ann"}})["id"]
    today = datetime.date.today()
    hub.reply("People/AddReminder", {"record": {
        "personId": ann, "title": "Send a card", "description": "the blue one", "initialDate": today.isoformat(),
        "frequency": "year", "every": 1}})
    assert eventually(lambda: services.accepted, 90)
    hub.restart(signal.SIGKILL)
    hub.restart(signal.SIGTERM)
    assert eventually(lambda: {entry["state"] for entry in deliveries(hub)} == {"delivered"}, 90), deliveries(hub)
    status = hub.reply("Reminders/Status")
    reminder, = status["due"]
    assert (reminder["kind"], reminder["title"], reminder["day"]) == ("person", "Ann: Send a card", today.isoformat())
    assert [(sent["channel"], sent["state"]) for sent in reminder["deliveries"]] == [("phone", "delivered")]
    # A hub that dies before it has stored the answer sends the message once more, under the same id.
    assert len(set(services.accepted)) == 1
    assert services.seen[0]["body"] == "the blue one" and header(services.seen[0], "Title") == "Ann: Send a card"
    sent = len(services.accepted)
    hub.reply("Reminders/Done", {"id": reminder["id"]})
    hub.restart(signal.SIGTERM)
    assert hub.reply("Reminders/Status").get("due", []) == [] and len(services.accepted) == sent
    assert hub.end() == 0


def test_a_long_reminder_fits_line_with_its_title(hub, services):
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    hub.reply("Reminders/Configure", {"settings": {"personChannels": ["line"], "personTime": "00:00", "language": "en"}})
    ann = hub.reply("People/Create", {"record": {"firstName": "Ann"}})["id"]
    hub.reply("People/AddReminder", {"record": {
        "personId": ann, "title": "t" * 255, "description": "x" * 4990, "initialDate": datetime.date.today().isoformat(),
        "frequency": "one_time"}})
    assert eventually(lambda: services.accepted, 90), deliveries(hub)
    texts = [item["text"] for item in json.loads(services.seen[0]["body"])["messages"]]
    assert "".join(texts).count("x") == 4990 and texts[0].startswith("Ann: ttt") and len(services.seen) == 1


def test_a_refused_reminder_keeps_its_setting_and_says_so(hub, services):
    add(hub, "phone", "ntfy", address=services.url, topic="private", secret="wrong")
    hub.reply("Reminders/Configure", {"settings": {"dailyChannels": ["phone"], "personChannels": ["phone"], "personTime": "00:00"}})
    assert hub.reply("Reminders/SetDaily", {"enabled": True, "time": "21:00"})["delivery"] == "phone"
    ann = hub.reply("People/Create", {"record": {"firstName": "Ann"}})["id"]
    hub.reply("People/AddReminder", {"record": {
        "personId": ann, "title": "Call", "initialDate": datetime.date.today().isoformat(), "frequency": "one_time"}})
    end = time.monotonic() + 90
    while not (due := hub.reply("Reminders/Status").get("due", [])) or due[0]["deliveries"][0]["state"] != "failed":
        assert time.monotonic() < end, due
        time.sleep(0.02)
    assert due[0]["deliveries"][0]["error"]["reason"] == "CHANNEL_LOGIN_REFUSED"
    assert hub.reply("Reminders/Settings")["dailyChannels"] == ["phone"]
    hub.reply("Channels/Remove", {"name": "phone"})
    assert hub.reply("Reminders/Status")["daily"]["delivery"] == "events"


def test_a_desktop_shows_it(unstarted):
    if not shutil.which("dbus-run-session"):
        pytest.skip("dbus-run-session is absent: scripts/setup.sh dbus-daemon")
    session = subprocess.Popen(
        ["dbus-run-session", "--", "sh", "-c", "echo $DBUS_SESSION_BUS_ADDRESS; exec cat"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    desktop = Server("kith-desktop-")
    try:
        bus = {"DBUS_SESSION_BUS_ADDRESS": session.stdout.readline().strip()}
        desktop.launch(["env", *[f"{name}={value}" for name, value in bus.items()], sys.executable,
                        PROGRAMS / "notifications.py"])
        hub = unstarted
        hub.environment.update(bus)
        hub.start()
        assert try_out(hub, "desktop")["state"] == "delivered"
        shown = json.loads(desktop.log.read_text().splitlines()[1])
        assert shown == {"application": "kith", "title": "Test from Kith", "text": "If you can read this, the channel works."}
        desktop.stop()
        entry = try_out(hub, "desktop")
        assert (entry["state"], entry["error"]["reason"]) == ("failed", "CHANNEL_UNAVAILABLE")
        assert hub.end() == 0
    finally:
        desktop.remove()
        session.stdin.close()
        session.wait(60)




@pytest.mark.parametrize(("kind", "fields", "field"), [
    ("mail", {"host": "mail.example.org", "from": "a@b.c\r\nBcc: x@y.z", "to": ["a@b.c"]}, "channel.mail.from"),
    ("mail", {"host": "mail.example.org", "from": "a@b.c", "to": ["a@b.c>"]}, "channel.mail.to"),
    ("mail", {"host": "mail.example.org", "from": "a@b.c", "to": []}, "channel.mail.to"),
    ("mail", {"host": "mail.example.org/x", "from": "a@b.c", "to": ["a@b.c"]}, "channel.mail.host"),
    ("mail", {"host": "mail.example.org", "from": "a@b.c", "to": ["a@b.c"], "security": "none"}, "channel.mail.security"),
    ("mail", {"host": "m", "from": "a@b.c", "to": ["a@b.c"], "username": "a\nb"}, "channel.mail.username"),
    ("ntfy", {"topic": "a/b"}, "channel.ntfy.topic"),
    ("ntfy", {"topic": "a", "address": "http://ntfy.example.org"}, "channel.ntfy.address"),
    ("ntfy", {"topic": "a", "address": "https://ann:secret@ntfy.example.org"}, "channel.ntfy.address"),
    ("ntfy", {"topic": "a", "tags": ["a\r\nX: y"]}, "channel.ntfy.tags"),
    ("ntfy", {"topic": "a", "priority": 6}, "channel.ntfy.priority"),
    ("line", {"to": "Uann"}, "channel.line.to"),
    ("webhook", {"address": "https://{secret}.example.org/"}, "channel.webhook.address"),
    ("webhook", {"address": "ftp://example.org/"}, "channel.webhook.address"),
    ("command", {"program": "apprise"}, "channel.command.program"),
])
def test_what_is_wrong_is_named(shared_hub, kind, fields, field):
    answer, _, _ = shared_hub.ask("Channels/Add", {"channel": {"name": "wrong", kind: fields}})
    assert answer["status"]["reason"] == "FIELD_INVALID" and list(answer["status"]["details"]) == [field]
    assert "channels" not in shared_hub.reply("Channels/List")


def test_secrets_stay_in_their_file(unstarted, services):
    hub, secret = unstarted.start(), "tk_9f8e7d6c5b4a"
    add(hub, "line", "line", secret=secret, to=LINE_USER, address=services.url)
    assert hub.error("Channels/Add", {"channel": {"name": "line", "ntfy": {"topic": "a"}}})[1] == "CHANNEL_EXISTS"
    entry = try_out(hub, "line")
    assert entry["error"]["reason"] == "CHANNEL_LOGIN_REFUSED" and header(services.seen[0], "Authorization") == f"Bearer {secret}"
    replies = json.dumps([hub.reply("Channels/List"), deliveries(hub), hub.reply("System/Replay", {"stream": "reminders"})])
    assert secret not in replies
    file = hub.directory / "state" / "secrets" / "channel-line"
    assert file.read_text() == secret and stat.S_IMODE(file.stat().st_mode) == 0o600
    hub.reply("Channels/SetCredentials", {"name": "line", "secret": TOKEN})
    assert try_out(hub, "line")["state"] == "delivered"
    assert hub.end() == 0
    for path in [hub.log, *(hub.directory / "state").rglob("*")]:
        if path.is_file() and path.parent.name != "secrets":
            assert secret.encode() not in path.read_bytes() and TOKEN.encode() not in path.read_bytes(), path
    hub.start()
    hub.reply("Channels/Remove", {"name": "line"})
    assert not file.exists()
    assert hub.end() == 0




def test_a_summary_is_shared_without_any_account(hub, tmp_path):
    hub.reply("Care/Record", {"category": "meal", "memo": "rice & soup, 50 %"})
    text = hub.reply("Care/Summary", {"language": "en"})["text"]
    assert kith(hub, "care", "share", "--lang", "en").stdout == text
    kith(hub, "care", "share", "--lang", "en", "--file", tmp_path / "day.txt")
    assert (tmp_path / "day.txt").read_text() == text and stat.S_IMODE((tmp_path / "day.txt").stat().st_mode) == 0o600
    link = urllib.parse.urlsplit(kith(hub, "care", "share", "--lang", "en", "--mailto").stdout.strip())
    fields = dict(part.split("=", 1) for part in link.query.split("&"))
    assert link.scheme == "mailto" and urllib.parse.unquote(fields["body"]) == text.replace("\n", "\r\n")
    assert urllib.parse.unquote(fields["subject"]) == text.split("\n")[0]
    link = kith(hub, "care", "share", "--lang", "en", "--line").stdout.strip()
    assert link == "https://line.me/R/share?text=" + urllib.parse.quote(text, safe="-._~")
    assert deliveries(hub) == []


def test_channels_by_the_command_line(hub, services):
    assert "No channels found" in kith(hub, "channels", "list").stdout
    assert "送り先はありません" in kith(hub, "channels", "list", "--lang", "ja").stdout
    kith(hub, "channels", "add", "phone", "--ntfy", "care", "--server", services.url, "--no-secret")
    assert "delivered" in kith(hub, "channels", "test", "phone").stdout
    entry = json.loads(kith(hub, "care", "share", "--to", "phone", "--json").stdout)["deliveries"][0]
    assert settled(hub, entry["id"])["state"] == "delivered"
    assert "送信済み" in kith(hub, "channels", "deliveries", "--lang", "ja").stdout
    refused = kith(hub, "channels", "retry", entry["id"], check=False)
    assert refused.returncode == 1 and "only a message that failed" in refused.stderr
    assert "phone" in kith(hub, "remind", "settings", "--daily", "phone").stdout
    kith(hub, "remind", "daily", "21:00", "--time-zone", "Asia/Tokyo")
    assert json.loads(kith(hub, "remind", "status", "--json").stdout)["daily"]["delivery"] == "phone"
    unknown = kith(hub, "remind", "settings", "--daily", "nowhere", "--lang", "ja", check=False)
    assert unknown.returncode == 1 and "見つかりません" in unknown.stderr
    assert "Removed" in kith(hub, "channels", "remove", "phone", "--yes").stdout


def test_a_program_that_is_not_there_is_refused_at_once(hub, tmp_path):
    program = tmp_path / "send"
    for language, words in (("en", f"There is no program {program}."), ("ja", f"{program} というプログラムがありません。")):
        run = kith(hub, "channels", "add", "all", "--command", program, "--lang", language, check=False)
        assert run.returncode == 1 and words in run.stderr and "--unchecked" in run.stderr, run
    program.mkdir()
    assert kith(hub, "channels", "add", "all", "--command", program, check=False).returncode == 1
    kith(hub, "channels", "add", "later", "--command", program, "--unchecked")
    program.rmdir()
    program.write_text("#!/bin/sh\ncat >/dev/null\n")
    kith(hub, "channels", "add", "all", "--command", program)
    assert {channel["name"] for channel in hub.reply("Channels/List")["channels"]} >= {"later", "all"}


@pytest.mark.parametrize("language, promise", [("en", "next attempt"), ("ja", "再送されます")])
def test_a_test_that_fails_promises_nothing(hub, services, language, promise):
    """Whoever tries a channel out gets one answer: nothing goes out later."""
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    services.answer({"status": 503}, {"status": 429})
    for command in ("channels test phone",) * 2:
        run = kith(hub, *command.split(), "--lang", language, check=False)
        assert run.returncode == 1, run.stdout
        assert promise not in run.stdout and "goes on" not in run.stdout, run.stdout
        assert "kith channels test phone" in run.stdout, run.stdout
    assert {entry["state"] for entry in deliveries(hub)} == {"failed"}
    services.answer({"status": 503})
    share(hub, "phone")
    assert eventually(lambda: len(services.seen) == 3 and deliveries(hub)[0]["state"] == "pending", 90), deliveries(hub)
    waiting = kith(hub, "channels", "deliveries", "--lang", "en").stdout
    assert "next attempt" in waiting, waiting
