"""Channels through a whole kithd: what goes over them to the byte, what fails and why, and kill -9 at each step of a delivery."""
import base64
import datetime
import email
import email.policy
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
import urllib.parse

import pytest
from conftest import BINARIES, CONFIGURATION, Hub
from servers import PROGRAMS, MailServer, MessageServer, Server

TOKEN = "tk_secret"
LINE_USER = "U" + "0123456789abcdef" * 2
FAMILY = "Ünser Tag, 佐藤花子"


@pytest.fixture
def services():
    server = MessageServer()
    try:
        yield server.start()
    finally:
        server.remove()


@pytest.fixture
def unstarted():
    """A hub that the test starts, and may kill."""
    hub = Hub()
    try:
        yield hub
    finally:
        hub.remove()


def add(hub, name, kind, secret="", **fields):
    return hub.reply("Channels/Add", {"channel": {"name": name, kind: fields}, "secret": secret})


def add_mail(hub, server, secret="secret", **fields):
    channel = {"host": "127.0.0.1", "port": server.port, "username": "kith", "from": "kith@example.org",
               "to": ["ann@example.org", "bob@example.org"], **fields}
    trusted = {"caFile": str(server.certificate)} if fields.pop("trusted", True) else {}
    channel.pop("trusted", None)
    return hub.reply("Channels/Add", {"channel": {"name": "family", "mail": channel, **trusted}, "secret": secret})


def test_message(hub, name):
    return hub.reply("Channels/Test", {"name": name, "language": "en"}, timeout=60)["delivery"]


test_message.__test__ = False


def deliveries(hub, **request):
    return hub.reply("Channels/Deliveries", request).get("deliveries", [])


def settled(hub, identity, *states):
    """The delivery when it is in one of these states."""
    end = time.monotonic() + 20
    while True:
        entry = next(entry for entry in deliveries(hub) if entry["id"] == identity)
        if entry["state"] in (states or ("delivered", "failed", "unknown")):
            return entry
        assert time.monotonic() < end, entry
        time.sleep(0.02)


def share(hub, *channels, **request):
    return hub.reply("Care/Share", {"channels": channels, "language": "en", **request})["deliveries"]


def kith(hub, *arguments, check=True):
    run = subprocess.run(
        [BINARIES / "kith", *arguments, "--runtime-dir", hub.runtime], capture_output=True, text=True, timeout=60,
        env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert run.returncode == 0 or not check, run.stderr
    return run


def header(request, name):
    return next((value for key, value in request["headers"] if key.lower() == name.lower()), None)


# What goes over the wire.


def test_ntfy_gets_these_bytes(hub, services):
    add(hub, "phone", "ntfy", address=services.url, topic="family-care", priority=4, tags=["house", "pill"])
    entry = test_message(hub, "phone")
    assert (entry["state"], entry["attempts"], entry["receipt"]) == ("delivered", 1, "abc123")
    request = services.seen[0]
    assert request["line"] == "POST /family-care HTTP/1.1"
    assert request["body"] == "If you can read this, the channel works."
    ours = {key: value for key, value in request["headers"] if key not in ("Host", "User-Agent", "Accept", "Accept-Encoding")}
    assert ours == {
        "Content-Type": "text/plain; charset=utf-8", "Title": "Test from Kith", "Priority": "4", "Tags": "house,pill",
        "X-Message-Id": entry["id"], "Content-Length": str(len(request["body"]))}


def test_a_title_that_is_not_ascii_is_encoded_for_ntfy(hub, services):
    add(hub, "phone", "ntfy", address=services.url, topic="family-care")
    hub.reply("Channels/Test", {"name": "phone", "language": "ja"}, timeout=60)
    title = header(services.seen[0], "Title")
    assert title == "=?UTF-8?B?" + base64.b64encode("Kith からのテスト".encode()).decode() + "?="
    assert services.seen[0]["body"] == "この通知が届いていれば、設定は完了です。"


def test_line_gets_these_bytes(hub, services):
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    entry = test_message(hub, "line")
    assert (entry["state"], entry["receipt"]) == ("delivered", "first")
    request = services.seen[0]
    assert request["line"] == "POST /v2/bot/message/push HTTP/1.1"
    assert request["body"] == (
        '{"messages":[{"text":"Test from Kith\\nIf you can read this, the channel works.","type":"text"}],'
        '"notificationDisabled":false,"to":"' + LINE_USER + '"}')
    assert header(request, "Authorization") == f"Bearer {TOKEN}"
    assert header(request, "X-Line-Retry-Key") == entry["id"]
    assert header(request, "Content-Type") == "application/json"


def test_a_webhook_may_have_its_secret_in_the_address(hub, services):
    add(hub, "chat", "webhook", secret=TOKEN, address=services.url + "/hook/{secret}?wait=1")
    entry = test_message(hub, "chat")
    assert entry["state"] == "delivered"
    request = services.seen[0]
    assert request["line"] == f"POST /hook/{TOKEN}?wait=1 HTTP/1.1"
    assert header(request, "Authorization") is None and header(request, "Idempotency-Key") == entry["id"]
    body = json.loads(request["body"])
    assert body.pop("created_at") > 0
    assert body == {"id": entry["id"], "kind": "test", "title": "Test from Kith",
                    "text": "If you can read this, the channel works."}


def test_a_summary_is_divided_at_the_ends_of_lines(hub, services):
    lines = [f"{number:03} お昼ごはんを八割ほど食べて、お茶も飲みました。" for number in range(120)]
    for line in lines:
        hub.reply("Care/Record", {"category": "meal", "memo": line})
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    entries = hub.reply("Care/Share", {"channels": ["phone", "line"], "language": "ja"})["deliveries"]
    for entry in entries:
        assert settled(hub, entry["id"])["state"] == "delivered"
    text = hub.reply("Care/Summary", {"language": "ja"})["text"]
    parts = [request["body"] for request in services.seen if header(request, "X-Message-Id")]
    assert len(parts) > 2 and all(len(part.encode()) <= 4096 for part in parts)
    assert "\n".join(part.rsplit("\n", 1)[0] for part in parts) + "\n" == text
    assert [part.rsplit("\n", 1)[1] for part in parts] == [f"({n + 1}/{len(parts)})" for n in range(len(parts))]
    pushed = [json.loads(request["body"]) for request in services.seen if "push" in request["line"]]
    texts = [item["text"] for item in pushed[0]["messages"]]
    assert len(pushed) == 1 and "\n".join(part.rsplit("\n", 1)[0] for part in texts) + "\n" == text


def test_a_command_gets_the_text_and_the_configuration_has_to_allow_it(unstarted, tmp_path):
    hub, program = unstarted, tmp_path / "send"
    program.write_text(
        f'#!/bin/sh\ncat > {tmp_path}/text\necho "$KITH_MESSAGE_ID $KITH_TITLE $KITH_KIND $*" > {tmp_path}/variables\n'
        f'[ -e {tmp_path}/broken ] && {{ echo "no network" >&2; exit 1; }}\necho sent\n')
    program.chmod(0o755)
    (hub.directory / "config.toml").write_text(CONFIGURATION + f'[channels]\nprograms = ["{program}"]\n')
    hub.start()
    add(hub, "all", "command", program=str(program), arguments=["--tag", "family care"])
    add(hub, "other", "command", program="/bin/sh", arguments=["-c", f"touch {tmp_path}/other"])
    entry = test_message(hub, "all")
    assert (entry["state"], entry["receipt"]) == ("delivered", "sent")
    assert (tmp_path / "text").read_text() == "Test from Kith\nIf you can read this, the channel works.\n"
    assert (tmp_path / "variables").read_text() == f"{entry['id']} Test from Kith test --tag family care\n"
    refused = test_message(hub, "other")
    assert (refused["state"], refused["error"]["reason"]) == ("failed", "CHANNEL_UNAVAILABLE")
    assert not (tmp_path / "other").exists()
    (tmp_path / "broken").touch()
    waits = settled(hub, share(hub, "all")[0]["id"], "pending")
    end = time.monotonic() + 20
    while not waits.get("attempts") and time.monotonic() < end:
        waits = deliveries(hub)[0]
    assert waits["error"]["reason"] == "CHANNEL_TROUBLE" and "no network" in waits["error"]["message"]
    (tmp_path / "broken").unlink()
    hub.reply("Channels/Retry", {"id": waits["id"]})
    assert settled(hub, waits["id"])["state"] == "delivered"
    assert hub.end() == 0


# Mail.


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_mail_is_encrypted_and_says_what_it_should(hub, security):
    server = MailServer(f"--{security}", "--login")
    try:
        server.start()
        add_mail(hub, server, security=security)
        hub.reply("Care/Configure", {"settings": {"recipient": FAMILY, "timeZone": "Asia/Tokyo"}})
        hub.reply("Care/Record", {"category": "meal", "memo": "うどん\n.\nhalf of it"})
        entry, = hub.reply("Care/Share", {"channels": ["family"], "language": "ja"})["deliveries"]
        assert settled(hub, entry["id"])["state"] == "delivered"
        (envelope, content), = server.mails
        assert envelope == {"from": "kith@example.org", "to": ["ann@example.org", "bob@example.org"], "encrypted": True}
        mail = email.message_from_bytes(content, policy=email.policy.SMTP)
        summary = hub.reply("Care/Summary", {"language": "ja"})["text"]
        assert mail["Subject"] == summary.split("\n")[0]
        assert mail["Message-ID"] == f"<{entry['id']}@example.org>"
        assert mail["To"] == "ann@example.org, bob@example.org" and mail["From"] == "kith@example.org"
        assert mail.get_content().replace("\r\n", "\n") == summary
        assert mail["Date"].endswith("+0900") and mail["Auto-Submitted"] == "auto-generated"
        assert all(len(line) <= 78 for line in content.split(b"\r\n"))
    finally:
        server.remove()


@pytest.mark.parametrize(("arguments", "fields", "secret", "reason"), [
    (["--starttls", "--login"], {}, "wrong", "CHANNEL_LOGIN_REFUSED"),
    (["--starttls", "--login"], {"username": ""}, "", "CHANNEL_LOGIN_REFUSED"),
    (["--starttls", "--login"], {}, "", "CHANNEL_SECRET_MISSING"),
    (["--starttls", "--login"], {"trusted": False}, "secret", "CHANNEL_NOT_TRUSTED"),
    (["--tls", "--login"], {"trusted": False, "security": "tls"}, "secret", "CHANNEL_NOT_TRUSTED"),
    ([], {}, "secret", "CHANNEL_NOT_ENCRYPTED"),
    (["--starttls", "--login", "--answers", "554"], {}, "secret", "CHANNEL_REFUSED"),
])
def test_mail_that_cannot_be_sent_says_why(hub, arguments, fields, secret, reason):
    server = MailServer(*arguments)
    try:
        server.start()
        add_mail(hub, server, secret, **fields)
        entry = settled(hub, share(hub, "family")[0]["id"])
        assert (entry["state"], entry["error"]["reason"], entry["attempts"]) == ("failed", reason, 1), entry
        assert server.mails == []
        printed = kith(hub, "channels", "deliveries").stdout
        assert "failed" in printed and entry["error"]["message"].split(".")[0] in printed
    finally:
        server.remove()


def test_mail_that_is_put_off_is_delivered_once(hub):
    server = MailServer("--starttls", "--login", "--answers", "452,421")
    try:
        server.start()
        add_mail(hub, server)
        identity = share(hub, "family")[0]["id"]
        for attempt in (1, 2):
            end = time.monotonic() + 20
            while (entry := deliveries(hub)[0]).get("attempts", 0) < attempt or entry["state"] != "pending":
                assert time.monotonic() < end, entry
            assert entry["error"]["reason"] == "CHANNEL_TROUBLE"
            assert entry["nextAttemptAt"] > entry["lastAttemptAt"]
            hub.reply("Channels/Retry", {"id": identity})
        assert settled(hub, identity)["state"] == "delivered"
        (_, content), = server.mails
        assert f"Message-ID: <{identity}@example.org>".encode() in content
    finally:
        server.remove()


def test_a_server_that_is_not_there_is_tried_again(hub):
    add(hub, "phone", "ntfy", address="http://127.0.0.1:1", topic="care")
    identity = share(hub, "phone")[0]["id"]
    end = time.monotonic() + 20
    while (entry := deliveries(hub)[0]).get("attempts", 0) < 1 or entry["state"] != "pending":
        assert time.monotonic() < end, entry
    assert (entry["error"]["reason"], entry["id"]) == ("CHANNEL_UNREACHABLE", identity)
    assert hub.reply("Channels/Discard", {"id": identity})["state"] == "discarded"
    assert test_message(hub, "phone")["state"] == "failed"


# Nothing lost, nothing twice.


@pytest.mark.parametrize("step", ["begun", "sent", "stored"])
def test_line_gets_it_once_whenever_the_daemon_dies(unstarted, services, step):
    hub = unstarted
    hub.environment["KITH_FAULT_POINT"] = f"delivery_{step}:1"
    hub.start()
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    identity = share(hub, "line")[0]["id"]
    assert hub.process.wait(20) == -signal.SIGKILL
    assert len(services.accepted) == (0 if step == "begun" else 1)
    hub.environment.clear()
    hub.start()
    entry = settled(hub, identity)
    assert entry["state"] == "delivered" and services.accepted == [identity]
    assert [header(request, "X-Line-Retry-Key") for request in services.seen] == [identity] * (2 if step == "sent" else 1)
    assert hub.end() == 0


@pytest.mark.parametrize("step", ["begun", "sent", "stored"])
def test_ntfy_gets_it_under_one_id_whenever_the_daemon_dies(unstarted, services, step):
    hub = unstarted
    hub.environment["KITH_FAULT_POINT"] = f"delivery_{step}:1"
    hub.start()
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    identity = share(hub, "phone")[0]["id"]
    assert hub.process.wait(20) == -signal.SIGKILL
    hub.environment.clear()
    hub.start()
    assert settled(hub, identity)["state"] == "delivered"
    assert services.accepted == [identity] * (2 if step == "sent" else 1)
    assert hub.end() == 0


def test_a_connection_that_is_cut_leaves_line_with_one_message(hub, services):
    services.answer({"drop": True})
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    identity = share(hub, "line")[0]["id"]
    end = time.monotonic() + 20
    while (entry := deliveries(hub)[0]).get("attempts", 0) < 1 or entry["state"] != "pending":
        assert time.monotonic() < end, entry
    assert entry["mayHaveArrived"] and entry["error"]["reason"] == "CHANNEL_UNCLEAR"
    hub.reply("Channels/Retry", {"id": identity})
    assert settled(hub, identity)["state"] == "delivered"
    assert services.accepted == [identity]


def test_too_much_is_waited_for_and_one_channel_does_not_hold_up_another(hub, services):
    services.answer({"status": 429, "headers": {"Retry-After": "100"}})
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    first = share(hub, "phone")[0]["id"]
    end = time.monotonic() + 20
    while (entry := deliveries(hub)[0]).get("attempts", 0) < 1 or entry["state"] != "pending":
        assert time.monotonic() < end, entry
    assert entry["error"]["reason"] == "CHANNEL_TOO_MUCH"
    moments = [datetime.datetime.fromisoformat(entry[name][:19]) for name in ("lastAttemptAt", "nextAttemptAt")]
    assert (moments[1] - moments[0]).total_seconds() >= 99
    second = share(hub, "phone")[0]["id"]
    other = share(hub, "line")[0]["id"]
    assert settled(hub, other)["state"] == "delivered"
    assert {entry["id"]: entry["state"] for entry in deliveries(hub)}[second] == "pending"
    hub.reply("Channels/Retry", {"id": first})
    assert settled(hub, second)["state"] == "delivered"
    assert services.accepted == [other, first, second]


def test_a_month_without_messages_left_is_not_tried_again(hub, services):
    services.answer({"status": 429, "body": '{"message":"You have reached your monthly limit."}'})
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    entry = settled(hub, share(hub, "line")[0]["id"])
    assert (entry["state"], entry["error"]["reason"]) == ("failed", "CHANNEL_REFUSED")
    assert "used up" in entry["error"]["message"]


# Reminders.


def test_a_reminder_of_a_person_comes_once_and_goes_over_its_channel(unstarted, services):
    hub = unstarted.start()
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    hub.reply("Reminders/Configure", {"settings": {"personChannels": ["phone"], "personTime": "00:00", "language": "en"}})
    ann = hub.reply("People/Create", {"record": {"firstName": "Ann"}})["id"]
    today = datetime.date.today()
    hub.reply("People/AddReminder", {"record": {
        "personId": ann, "title": "Send a card", "description": "the blue one", "initialDate": today.isoformat(),
        "frequency": "year", "every": 1}})
    end = time.monotonic() + 20
    while not services.accepted:
        assert time.monotonic() < end
        time.sleep(0.02)
    hub.restart(signal.SIGKILL)
    hub.restart(signal.SIGTERM)
    status = hub.reply("Reminders/Status")
    reminder, = status["due"]
    assert (reminder["kind"], reminder["title"], reminder["day"]) == ("person", "Ann: Send a card", today.isoformat())
    assert [(sent["channel"], sent["state"]) for sent in reminder["deliveries"]] == [("phone", "delivered")]
    assert len(services.accepted) == 1
    assert services.seen[0]["body"] == "the blue one" and header(services.seen[0], "Title") == "Ann: Send a card"
    hub.reply("Reminders/Done", {"id": reminder["id"]})
    hub.restart(signal.SIGTERM)
    assert hub.reply("Reminders/Status").get("due", []) == [] and len(services.accepted) == 1
    assert hub.end() == 0


def test_a_refused_reminder_keeps_its_setting_and_says_so(hub, services):
    add(hub, "phone", "ntfy", address=services.url, topic="private", secret="wrong")
    hub.reply("Reminders/Configure", {"settings": {"dailyChannels": ["phone"], "personChannels": ["phone"], "personTime": "00:00"}})
    assert hub.reply("Reminders/SetDaily", {"enabled": True, "time": "21:00"})["delivery"] == "phone"
    ann = hub.reply("People/Create", {"record": {"firstName": "Ann"}})["id"]
    hub.reply("People/AddReminder", {"record": {
        "personId": ann, "title": "Call", "initialDate": datetime.date.today().isoformat(), "frequency": "one_time"}})
    end = time.monotonic() + 20
    while not (due := hub.reply("Reminders/Status").get("due", [])) or due[0]["deliveries"][0]["state"] != "failed":
        assert time.monotonic() < end, due
    assert due[0]["deliveries"][0]["error"]["reason"] == "CHANNEL_LOGIN_REFUSED"
    assert hub.reply("Reminders/Settings")["dailyChannels"] == ["phone"]
    hub.reply("Channels/Remove", {"name": "phone"})
    assert hub.reply("Reminders/Status")["daily"]["delivery"] == "events"


def test_a_desktop_shows_it(unstarted):
    if not shutil.which("dbus-run-session") or not shutil.which("notify-send"):
        pytest.skip("dbus-run-session or notify-send is absent: scripts/setup.sh libnotify-bin dbus-daemon")
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
        assert test_message(hub, "desktop")["state"] == "delivered"
        shown = json.loads(desktop.log.read_text().splitlines()[1])
        assert shown == {"application": "kith", "title": "Test from Kith", "text": "If you can read this, the channel works."}
        desktop.stop()
        entry = test_message(hub, "desktop")
        assert (entry["state"], entry["error"]["reason"]) == ("failed", "CHANNEL_UNAVAILABLE")
        assert hub.end() == 0
    finally:
        desktop.remove()
        session.stdin.close()
        session.wait(10)


# What is refused, and what stays secret.


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
    header, _, _ = shared_hub.ask("Channels/Add", {"channel": {"name": "wrong", kind: fields}})
    assert header["status"]["reason"] == "FIELD_INVALID" and list(header["status"]["details"]) == [field]
    assert "channels" not in shared_hub.reply("Channels/List")


def test_secrets_stay_in_their_file(unstarted, services):
    hub, secret = unstarted.start(), "tk_9f8e7d6c5b4a"
    add(hub, "line", "line", secret=secret, to=LINE_USER, address=services.url)
    assert hub.error("Channels/Add", {"channel": {"name": "line", "ntfy": {"topic": "a"}}})[1] == "CHANNEL_EXISTS"
    entry = test_message(hub, "line")
    assert entry["error"]["reason"] == "CHANNEL_LOGIN_REFUSED" and header(services.seen[0], "Authorization") == f"Bearer {secret}"
    replies = json.dumps([hub.reply("Channels/List"), deliveries(hub), hub.reply("System/Replay", {"stream": "reminders"})])
    assert secret not in replies
    file = hub.directory / "state" / "secrets" / "channel-line"
    assert file.read_text() == secret and stat.S_IMODE(file.stat().st_mode) == 0o600
    hub.reply("Channels/SetCredentials", {"name": "line", "secret": TOKEN})
    assert test_message(hub, "line")["state"] == "delivered"
    assert hub.end() == 0
    for path in [hub.log, *(hub.directory / "state").rglob("*")]:
        if path.is_file() and path.parent.name != "secrets":
            assert secret.encode() not in path.read_bytes() and TOKEN.encode() not in path.read_bytes(), path
    hub.start()
    hub.reply("Channels/Remove", {"name": "line"})
    assert not file.exists()
    assert hub.end() == 0


# The command line.


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
    assert refused.returncode == 1 and "only what failed" in refused.stderr
    assert "phone" in kith(hub, "remind", "settings", "--daily", "phone").stdout
    kith(hub, "remind", "daily", "21:00", "--time-zone", "Asia/Tokyo")
    assert json.loads(kith(hub, "remind", "status", "--json").stdout)["daily"]["delivery"] == "phone"
    unknown = kith(hub, "remind", "settings", "--daily", "nowhere", "--lang", "ja", check=False)
    assert unknown.returncode == 1 and "見つかりません" in unknown.stderr
    assert "Removed" in kith(hub, "channels", "remove", "phone", "--yes").stdout
