"""A household at an MQTT broker, as Home Assistant finds it."""
import datetime
import json
import os
import re
import signal
import subprocess

import pytest

from conftest import BINARIES, stopped
from home import Assistant, Home, Mosquitto, house
from keyed import eventually
from test_due_minute import next_minute


@pytest.fixture(autouse=True)
def household(hub):
    hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "Asia/Tokyo", "language": "en"}})


def entries(hub):
    return hub.reply("Care/List", {}).get("records", [])


def test_a_device_is_found_with_all_of_its_entities_and_their_states(hub, tmp_path):
    with house(hub, tmp_path, "--page", "https://kith.home.arpa:8443/") as (_, _, assistant):
        assert re.fullmatch(r"homeassistant/device/kith_[0-9a-f]{8}/config", assistant.topic)
        assert assistant.config["device"]["configuration_url"] == "https://kith.home.arpa:8443/"
        platforms = {component["platform"] for component in assistant.config["components"].values()}
        assert platforms == {"binary_sensor", "sensor", "button", "text", "switch", "event", "device_automation"}
        assert assistant.state["today"] == 0 and "last_care" not in assistant.state
        # Who comes later finds it too.
        with Assistant(assistant.broker, "later") as later:
            later.until(lambda: later.available and later.state == assistant.state)
            assert assistant.topic in later.retained


def test_a_press_is_an_entry_and_the_state_shows_it(hub, tmp_path):
    with house(hub, tmp_path) as (_, _, assistant):
        assistant.press("care_medication")
        assistant.until(lambda: assistant.state["today"] == 1)
        entry, = entries(hub)
        assert entry["category"] == "medication"
        assert assistant.state["last"]["medication"] == assistant.state["last_care"]
        assistant.press("memo", text="お粥を半分、水を二杯")
        assistant.until(lambda: assistant.state["today"] == 2)
        assert entries(hub)[0]["memo"] == "お粥を半分、水を二杯"
        # What was recorded elsewhere is shown too.
        hub.reply("Care/Record", {"category": "meal"})
        assistant.until(lambda: assistant.state["today"] == 3 and "meal" in assistant.state["last"])


def test_a_press_that_is_delivered_again_and_a_double_click_are_one_entry(hub, tmp_path):
    with house(hub, tmp_path) as (_, home, assistant):
        topic = assistant.component("care_medication")["command_topic"]
        # Both arrive together, however slow the broker is.
        with stopped(home.process):
            assistant.press("care_medication", at="one")
            assistant.press("care_medication", at="two")  # a double click
        assistant.until(lambda: assistant.state["today"] == 1)
        home.end(signal.SIGKILL)
        assistant.until(lambda: not assistant.available)
        with Home(hub, assistant.broker):
            assistant.until(lambda: assistant.available)
            # Home Assistant sends it again after it has lost its connection.
            assistant.press("care_medication", at="one")
            assistant.press("care_meal", at="three")
            assistant.until(lambda: "meal" in assistant.state["last"])
        assert sorted(entry["category"] for entry in entries(hub)) == ["meal", "medication"]
        assert topic.endswith("/do/care/medication")


def test_an_old_press_that_the_broker_kept_is_no_press(hub, tmp_path):
    with house(hub, tmp_path) as (_, home, assistant):
        home.end()
        assistant.until(lambda: not assistant.available)
        assistant.send(assistant.component("care_medication")["command_topic"], '{"at": "long ago"}', retain=True)
        with Home(hub, assistant.broker):
            assistant.until(lambda: assistant.available)
            assistant.press("care_meal")
            assistant.until(lambda: assistant.state["today"] == 1)
        assert [entry["category"] for entry in entries(hub)] == ["meal"]


def test_an_entry_is_taken_back_by_the_button_for_it(hub, tmp_path):
    with house(hub, tmp_path) as (_, _, assistant):
        assistant.press("care_toileting")
        assistant.until(lambda: assistant.state["today"] == 1)
        assistant.press("undo")
        assistant.until(lambda: assistant.state["today"] == 0)
        assert entries(hub) == []
        # There is nothing more to take back, and what others recorded is not touched.
        hub.reply("Care/Record", {"category": "meal"})
        assistant.press("undo", at="again")
        assistant.press("care_medication")
        assistant.until(lambda: assistant.state["today"] == 2)


def test_a_press_whose_first_answer_was_lost_is_the_newest_one(hub, tmp_path):
    with house(hub, tmp_path) as (_, home, assistant):
        hub.end(signal.SIGKILL)
        assistant.until(lambda: not assistant.available)
        assistant.press("care_medication", at="one")
        assert eventually(lambda: "a press" in home.log.read_text())
        with stopped(home.process):
            # The same press by another process, so that this one is told again what the hub has answered. It starts beside the hub: a
            # press is given up after half a minute.
            with Home(hub, assistant.broker):
                hub.start()
                assistant.until(lambda: assistant.available)
                assistant.press("care_medication", at="one")
                assistant.until(lambda: assistant.state["today"] == 1)
            told = assistant.heard.count((assistant.topic, assistant.values[assistant.topic]))
        # It describes its device once it listens for presses again.
        assistant.until(lambda: assistant.heard.count((assistant.topic, assistant.values[assistant.topic])) > told)
        assistant.press("undo")
        assistant.until(lambda: assistant.state["today"] == 0)
        assert entries(hub) == []


def test_a_hub_that_is_away_makes_the_device_unavailable_and_its_return_heals_all(hub, tmp_path):
    with house(hub, tmp_path) as (_, _, assistant):
        hub.end(signal.SIGKILL)
        assistant.until(lambda: not assistant.available)
        # A press that comes all the same waits for the hub.
        assistant.press("care_meal", at="while away")
        hub.start()
        assistant.until(lambda: assistant.available and assistant.state["today"] == 1)
        assert len(entries(hub)) == 1


def test_a_device_is_unavailable_until_the_hub_has_answered_once(hub, tmp_path):
    with house(hub, tmp_path) as (broker, home, assistant):
        home.end(signal.SIGKILL)
        hub.end(signal.SIGKILL)
        assistant.until(lambda: not assistant.available)
        # What a broker kept over a power failure, in which nobody told it anything.
        assistant.send(assistant.component("today")["availability_topic"], "online", retain=True)
        assistant.until(lambda: assistant.available)
        with Home(hub, broker):
            assistant.until(lambda: not assistant.available)
            hub.start()
            assistant.until(lambda: assistant.available)
            assistant.press("care_meal")
            assistant.until(lambda: assistant.state["today"] == 1)


def test_a_broker_that_forgot_everything_is_told_again(hub, tmp_path):
    with house(hub, tmp_path) as (broker, _, assistant):
        assistant.press("care_meal")
        assistant.until(lambda: assistant.state["today"] == 1)
        broker.end(signal.SIGKILL)
        hub.reply("Care/Record", {"category": "medication"})
        broker.__enter__()
        with Assistant(broker, "fresh") as fresh:
            fresh.until(lambda: fresh.available and fresh.state.get("today") == 2)
        assert len(entries(hub)) == 2


def test_home_assistant_that_starts_is_told_again(hub, tmp_path):
    with house(hub, tmp_path) as (_, _, assistant):
        before = len(assistant.heard)
        assistant.send("homeassistant/status", "online")
        told = {assistant.topic, *(assistant.component("today")[key] for key in ("state_topic", "availability_topic"))}
        assistant.until(lambda: told <= {topic for topic, _ in assistant.heard[before:]})


def test_the_program_that_ends_or_is_killed_leaves_an_unavailable_device(hub, tmp_path):
    with house(hub, tmp_path) as (_, home, assistant):
        assert home.end() == 0
        assistant.until(lambda: not assistant.available)
        with Home(hub, assistant.broker) as again:
            assistant.until(lambda: assistant.available)
            again.end(signal.SIGKILL)
            assistant.until(lambda: not assistant.available)


@pytest.mark.waits
@pytest.mark.timeout(400)
def test_reminders_are_events_and_are_answered_by_buttons(hub, tmp_path):
    person = hub.reply("People/Create", {"record": {"firstName": "Ingrid"}})["id"]
    with house(hub, tmp_path) as (_, _, assistant):
        soon = next_minute(at_least=20).astimezone(datetime.timezone.utc)
        hub.reply("Reminders/AddCall", {"personId": person, "on": soon.strftime("%Y-%m-%d %H:%M"), "timeZone": "UTC"})
        events = assistant.component("reminder")["state_topic"]
        assistant.until(lambda: assistant.state["due"] == 1, seconds=240)
        assistant.until(lambda: any(topic == events for topic, _ in assistant.heard))
        assistant.press("done")
        assistant.until(lambda: assistant.state["due"] == 0)
        assistant.until(lambda: {"event_type": "done"} in [json.loads(text) for topic, text in assistant.heard if topic == events])


def test_the_daily_reminder_is_a_switch(hub, tmp_path):
    hub.reply("Reminders/SetDaily", {"enabled": True, "time": "21:30", "onlyIfNothingRecorded": True})
    with house(hub, tmp_path) as (_, _, assistant):
        assistant.until(lambda: assistant.state["daily"])
        assistant.send(assistant.component("daily")["command_topic"], "OFF")
        assistant.until(lambda: not assistant.state["daily"])
        assistant.send(assistant.component("daily")["command_topic"], "ON")
        assistant.until(lambda: assistant.state["daily"])
        daily = hub.reply("Reminders/Status")["daily"]
        assert (daily["time"], daily["onlyIfNothingRecorded"]) == ("21:30", True)


def test_nobody_at_the_broker_reads_a_name_or_a_memo(hub, tmp_path):
    person = hub.reply("People/Create", {"record": {"firstName": "Ingrid", "lastName": "Nordahl"}})["id"]
    with house(hub, tmp_path) as (_, _, assistant):
        hub.reply("Care/Record", {"category": "free_memo", "memo": "she was sad today", "recorder": "Hanako"})
        hub.reply("Reminders/AddCall", {"personId": person, "inDays": 1, "note": "about the will"})
        assistant.until(lambda: assistant.state["today"] == 1 and assistant.state.get("next_reminder"))
        said = json.dumps(assistant.heard, ensure_ascii=False)
        for word in ("Yoshiko", "Ingrid", "Nordahl", "Hanako", "sad", "will\\b"):
            assert not re.search(word, said), word


@pytest.mark.parametrize("language, name", [("ja", "服薬を記録"), ("en", "Medication given")])
def test_entities_are_named_in_the_language_of_the_household(hub, tmp_path, language, name):
    with house(hub, tmp_path) as (_, _, assistant):
        hub.reply("Care/Configure", {"settings": {"language": language}})
        hub.reply("Care/Record", {"category": "meal"})
        assistant.until(lambda: assistant.component("care_medication")["name"] == name)


def test_garbage_does_not_end_it(hub, tmp_path):
    with house(hub, tmp_path) as (_, home, assistant):
        base = assistant.component("care_meal")["command_topic"].removesuffix("care/meal")
        for payload in (b"", b"\xff\xfe", b"{", b"[]", b"null", b"x" * 100_000, b'{"at": 5}', b'{"text": ""}'):
            for command in ("care/meal/", "care/surgery", "memo/x", "", "daily", "../care/meal"):
                assistant.client.publish(base + command, payload, qos=1).wait_for_publish(30)
        assistant.press("care_meal")
        assistant.until(lambda: assistant.state["today"] == 1)
        assert home.process.poll() is None


def test_a_broker_with_users_lets_in_only_who_knows_the_password(hub, tmp_path):
    passwords = tmp_path / "passwords"
    for user in ("kith", "assistant"):
        subprocess.run(["mosquitto_passwd", *([] if passwords.exists() else ["-c"]), "-b", passwords, user, f"secret of {user}"], check=True)
    passwords.chmod(0o644)
    access = tmp_path / "access"
    access.write_text("user kith\ntopic readwrite kith/#\ntopic write homeassistant/device/+/config\ntopic read homeassistant/status\n"
                      "user assistant\ntopic readwrite #\n")
    secret = tmp_path / "secret"
    secret.write_text("wrong\n")
    secret.chmod(0o600)
    lines = ["allow_anonymous false", f"password_file {passwords}", f"acl_file {access}"]
    if os.geteuid() == 0:
        lines.append("user root")
    with Mosquitto(tmp_path, *lines) as broker, Assistant(broker, user="assistant", password="secret of assistant") as assistant:
        with Home(hub, broker, "--user", "kith", "--password-file", secret) as home:
            assistant.until(lambda: "refused" in home.log.read_text())
            assert home.process.poll() is None
        secret.write_text("secret of kith\n")
        with Home(hub, broker, "--user", "kith", "--password-file", secret) as home:
            assistant.until(lambda: assistant.available)
            assistant.press("care_meal")
            assistant.until(lambda: assistant.state.get("today") == 1)
            command = open(f"/proc/{home.process.pid}/cmdline").read() + open(f"/proc/{home.process.pid}/environ").read()
            assert "secret of kith" not in command + home.log.read_text()


def test_a_broker_with_tls_is_checked(hub, tmp_path):
    def openssl(*options):
        subprocess.run(["openssl", *options], cwd=tmp_path, check=True, capture_output=True)

    for name in ("broker", "other"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{name}.key", "-out", f"{name}.pem")
    lines = ["allow_anonymous true", f"certfile {tmp_path}/broker.pem", f"keyfile {tmp_path}/broker.key"]
    if os.geteuid() == 0:
        lines.append("user root")
    with Mosquitto(tmp_path, *lines) as broker, Assistant(broker, authorities=tmp_path / "broker.pem") as assistant:
        broker.address = f"mqtts://localhost:{broker.port}"
        with Home(hub, broker, "--ca-file", tmp_path / "other.pem") as home:
            assistant.until(lambda: "ready" in home.log.read_text())
            with pytest.raises(AssertionError):
                assistant.until(lambda: assistant.config, seconds=3)
        with Home(hub, broker, "--ca-file", tmp_path / "broker.pem"):
            assistant.until(lambda: assistant.available)
            # A broker that ends and comes later: TLS fails at a port where nobody listens.
            broker.end(signal.SIGKILL)
            hub.reply("Care/Record", {"category": "meal"})
            broker.__enter__()
            assistant.until(lambda: assistant.available and assistant.state.get("today") == 1)
        broker.end(signal.SIGKILL)
        with Home(hub, broker, "--ca-file", tmp_path / "broker.pem") as home:
            assistant.until(lambda: home.log.read_text().count("ready") == 3)
            broker.__enter__()
            with Assistant(broker, "fresh", authorities=tmp_path / "broker.pem") as fresh:
                fresh.until(lambda: fresh.available)
        with Home(hub, broker, "--ca-file", tmp_path / "missing.pem") as home:
            assert home.process.wait(30) == 1
            assert "missing.pem cannot be read" in home.log.read_text()


def test_a_broker_that_cannot_be_reached_is_told_in_the_log(hub, tmp_path):
    broker = Mosquitto(tmp_path)
    with Home(hub, broker) as home:
        Assistant(broker).until(lambda: "the broker does not answer" in home.log.read_text())
        assert home.end() == 0


@pytest.mark.parametrize("options, word", [
    (["--broker", "http://x"], "broker"), (["--broker", "mqtt://x", "--hub", "tcp://x"], "key"),
    (["--broker", "mqtt://x", "--discovery-prefix", "#"], "discovery-prefix"), ([], "broker"),
    (["--broker", "mqtt://x", "--page", "kith.home.arpa"], "page"),
])
def test_a_wrong_option_is_named(options, word):
    ran = subprocess.run([BINARIES / "kith-homeassistant", *options], capture_output=True, text=True, timeout=30)
    assert ran.returncode == 2 and word in ran.stderr, ran.stderr
