"""What goes over channels, to the byte, and kill -9 at each step of a delivery, through a whole kithd."""
import base64
import contextlib
import datetime
import json
import signal

import pytest
from channels import LINE_USER, TOKEN, add, deliveries, header, settled, share, tried, try_out
from conftest import CONFIGURATION, HubNotRunning


def test_ntfy_gets_these_bytes(hub, services):
    add(hub, "phone", "ntfy", address=services.url, topic="family-care", priority=4, tags=["house", "pill"])
    entry = try_out(hub, "phone")
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
    entry = try_out(hub, "line")
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
    entry = try_out(hub, "chat")
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
    entry = try_out(hub, "all")
    assert (entry["state"], entry["receipt"]) == ("delivered", "sent")
    assert (tmp_path / "text").read_text() == "Test from Kith\nIf you can read this, the channel works.\n"
    assert (tmp_path / "variables").read_text() == f"{entry['id']} Test from Kith test --tag family care\n"
    refused = try_out(hub, "other")
    assert (refused["state"], refused["error"]["reason"]) == ("failed", "CHANNEL_UNAVAILABLE")
    assert not (tmp_path / "other").exists()
    (tmp_path / "broken").touch()
    share(hub, "all")
    waits = tried(hub)
    assert waits["error"]["reason"] == "CHANNEL_TROUBLE" and "no network" in waits["error"]["message"]
    (tmp_path / "broken").unlink()
    hub.reply("Channels/Retry", {"id": waits["id"]})
    assert settled(hub, waits["id"])["state"] == "delivered"
    assert hub.end() == 0


def share_and_die(hub, channel):
    """Shares by a hub that kills itself while it delivers, which may be before it has answered."""
    with contextlib.suppress(HubNotRunning):
        share(hub, channel)
    assert hub.process.wait(60) == -signal.SIGKILL


@pytest.mark.parametrize("step", ["begun", "sent", "stored"])
def test_line_gets_it_once_whenever_the_daemon_dies(unstarted, services, step):
    hub = unstarted
    hub.environment["KITH_FAULT_POINT"] = f"delivery_{step}:1"
    hub.start()
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    share_and_die(hub, "line")
    assert len(services.accepted) == (0 if step == "begun" else 1)
    hub.environment.clear()
    hub.start()
    (identity,) = [entry["id"] for entry in deliveries(hub)]
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
    share_and_die(hub, "phone")
    hub.environment.clear()
    hub.start()
    (identity,) = [entry["id"] for entry in deliveries(hub)]
    assert settled(hub, identity)["state"] == "delivered"
    assert services.accepted == [identity] * (2 if step == "sent" else 1)
    assert hub.end() == 0


def test_a_connection_that_is_cut_leaves_line_with_one_message(hub, services):
    services.answer({"drop": True})
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    identity = share(hub, "line")[0]["id"]
    entry = tried(hub)
    assert entry["mayHaveArrived"] and entry["error"]["reason"] == "CHANNEL_UNCLEAR"
    hub.reply("Channels/Retry", {"id": identity})
    assert settled(hub, identity)["state"] == "delivered"
    assert services.accepted == [identity]


def test_too_much_is_waited_for_and_one_channel_does_not_hold_up_another(hub, services):
    services.answer({"status": 429, "headers": {"Retry-After": "100"}})
    add(hub, "phone", "ntfy", address=services.url, topic="care")
    add(hub, "line", "line", secret=TOKEN, to=LINE_USER, address=services.url)
    first = share(hub, "phone")[0]["id"]
    entry = tried(hub)
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
