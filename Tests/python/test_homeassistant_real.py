"""A day of a household with a real Home Assistant: scripts/home-assistant.sh makes one. Without it the trial is skipped."""
import contextlib
import datetime
import json
import os
import pathlib
import signal
import subprocess
import time
import zoneinfo

import pytest
import requests
import websockets.sync.client

from home import Home, Mosquitto
from planned import add, doses
from servers import free_port

FOLDER = pathlib.Path(__file__).resolve().parents[2] / ".build" / "home-assistant"
pytestmark = pytest.mark.skipif(not (FOLDER / "opt/ha/bin/hass").exists() or os.geteuid() != 0,
                                reason="there is no Home Assistant here: scripts/home-assistant.sh makes one, as root")


class HomeAssistant:
    """A Home Assistant with the integrations of MQTT and Wyoming alone, in a Debian of its own, on the network of this machine."""

    def __init__(self, name):
        self.port, self.configuration, self.process, self.token = free_port(), f"/srv/{name}", None, None
        directory = FOLDER / self.configuration.strip("/")
        subprocess.run(["rm", "-rf", directory], check=True)
        directory.mkdir(parents=True)
        self.log = directory / "console.log"
        (directory / "configuration.yaml").write_text(
            "homeassistant:\n  name: Home\n  latitude: 35.0\n  longitude: 139.0\n  elevation: 0\n  unit_system: metric\n"
            "  time_zone: Asia/Tokyo\n"
            f"http:\n  server_host: 127.0.0.1\n  server_port: {self.port}\n"
            "api:\nwebsocket_api:\nconfig:\nauth:\nonboarding:\nconversation:\n")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "sh", "-c",
                 'mount --bind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" /opt/ha/bin/hass -c "$1" --skip-pip',
                 FOLDER, self.configuration], stdout=log, stderr=log)
        self.until(self.answers, 180)

    def answers(self):
        with contextlib.suppress(requests.RequestException):
            return requests.get(f"{self.url}/manifest.json", timeout=5).status_code == 200
        return False

    def stop(self):
        """Ends as a person ends it, so that it keeps what it knows."""
        process, self.process = self.process, None
        with contextlib.suppress(requests.RequestException):
            self.ask("POST", "/api/services/homeassistant/stop", {})
        process.wait(120)

    def end(self):
        if self.process:
            process, self.process = self.process, None
            process.kill()
            process.wait(60)

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not (value := condition()):
            assert self.process is None or self.process.poll() is None, self.log.read_text()[-3000:]
            assert time.monotonic() < end, f"it never came to be; log: {self.log.read_text()[-3000:]}"
            time.sleep(0.05)
        return value

    def ask(self, way, path, message=None, form=None):
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        answer = requests.request(way, self.url + path, json=message, data=form, headers=headers, timeout=60)
        assert answer.status_code < 400 or "core_config" in path, (path, answer.status_code, answer.text)
        return answer.json() if "json" in answer.headers.get("Content-Type", "") else answer.text

    def move_in(self, broker):
        """What a person does once: an account, and the integration of MQTT."""
        client = self.url + "/"
        account = self.ask("POST", "/api/onboarding/users", {
            "client_id": client, "name": "Probe", "username": "probe", "password": "probe-probe", "language": "en"})
        self.token = self.ask("POST", "/auth/token", form={
            "client_id": client, "grant_type": "authorization_code", "code": account["auth_code"]})["access_token"]
        for step in ("core_config", "analytics"):
            self.ask("POST", f"/api/onboarding/{step}", {})
        self.ask("POST", "/api/onboarding/integration", {"client_id": client, "redirect_uri": f"{client}?auth_callback=1"})
        flow = self.ask("POST", "/api/config/config_entries/flow", {"handler": "mqtt"})
        if flow["type"] == "menu":
            flow = self.ask("POST", f"/api/config/config_entries/flow/{flow['flow_id']}", {"next_step_id": "broker"})
        made = self.ask("POST", f"/api/config/config_entries/flow/{flow['flow_id']}", {"broker": "127.0.0.1", "port": broker.port})
        assert made["type"] == "create_entry", made

    def hand_on_what_is_said(self, port):
        """Adds the integration of Wyoming; gives the agent that it makes."""
        flow = self.ask("POST", "/api/config/config_entries/flow", {"handler": "wyoming"})
        made = self.ask("POST", f"/api/config/config_entries/flow/{flow['flow_id']}", {"host": "127.0.0.1", "port": port})
        assert made["type"] == "create_entry", made
        return self.until(lambda: "conversation.kith" if "conversation.kith" in self.states() else None)

    def say(self, agent, text, language):
        """Gives the kind of the answer, and what is spoken."""
        answer = self.ask("POST", "/api/conversation/process", {"text": text, "language": language, "agent_id": agent})["response"]
        return answer["response_type"], answer["speech"]["plain"]["speech"]

    def states(self):
        """The state of each entity of Kith."""
        with contextlib.suppress(requests.RequestException, AssertionError):
            return {entity["entity_id"]: entity["state"] for entity in self.ask("GET", "/api/states") if ".kith" in entity["entity_id"]}
        return {}

    def press(self, entity):
        self.ask("POST", "/api/services/button/press", {"entity_id": entity})

    def list(self, kind, **options):
        with websockets.sync.client.connect(self.url.replace("http", "ws") + "/api/websocket", max_size=1 << 24) as socket:
            socket.recv()
            socket.send(json.dumps({"type": "auth", "access_token": self.token}))
            socket.recv()
            socket.send(json.dumps({"id": 1, "type": kind, **options}))
            return json.loads(socket.recv())["result"]


@pytest.mark.timeout(900)
def test_a_day_in_the_house(hub, tmp_path):
    hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "Asia/Tokyo", "language": "en"}})
    house = HomeAssistant(tmp_path.name)
    with Mosquitto(tmp_path) as broker:
        try:
            house.start()
            house.move_in(broker)
            port = free_port()
            with Home(hub, broker, "--wyoming", f"127.0.0.1:{port}") as home:
                the_day(hub, broker, home, house)
                what_is_said(hub, house, port)
                the_plan(hub, house)
            with Home(hub, broker, "--details"):
                what_was_measured(hub, house)
        finally:
            house.end()
            subprocess.run(["rm", "-rf", FOLDER / house.configuration.strip("/")], check=False)


def the_day(hub, broker, home, house):
    def today():
        return house.states().get("sensor.kith_today")

    # Every entity that is described is there, with the id that it asked for.
    house.until(lambda: today() == "0")
    described = json.loads((pathlib.Path(__file__).parents[1] / "vectors/homeassistant/device.en.json").read_text())["components"]
    entities = {f"{component['platform']}.kith_{key}" for key, component in described.items()
                if component["platform"] != "device_automation"}
    states = house.until(lambda: house.states() if entities <= set(house.states()) else None)
    assert states["binary_sensor.kith_problem"] == "off" and states["sensor.kith_last_care"] == "unknown"
    assert states["sensor.kith_sync"] in ("idle", "completed")
    device, = [device for device in house.list("config/device_registry/list") if device["name"] == "Kith"]
    triggers = house.list("device_automation/trigger/list", device_id=device["id"])
    assert {trigger["subtype"] for trigger in triggers if trigger["domain"] == "mqtt"} == {"due", "snoozed", "done", "missed"}

    # A button records.
    house.press("button.kith_care_medication")
    house.until(lambda: today() == "1")
    house.ask("POST", "/api/services/text/set_value", {"entity_id": "text.kith_memo", "value": "お粥を半分"})
    house.until(lambda: today() == "2")
    assert house.states()["sensor.kith_last_medication"] != "unknown"

    # The hub is killed and comes back: nothing that is pressed meanwhile is offered, and nothing is there twice.
    hub.end(signal.SIGKILL)
    house.until(lambda: today() == "unavailable")
    house.press("button.kith_care_meal")
    hub.start()
    house.until(lambda: today() == "2")

    # The broker loses its memory.
    broker.end(signal.SIGKILL)
    house.until(lambda: today() == "unavailable")
    broker.__enter__()
    house.until(lambda: today() == "2", 120)

    # Home Assistant starts anew, while Kith is away, and finds no state of before.
    home.end()
    house.stop()
    house.start()
    assert house.states().get("sensor.kith_today") in (None, "unavailable", "unknown")
    home.__enter__()
    house.until(lambda: today() == "2", 120)
    house.press("button.kith_care_meal")
    house.until(lambda: today() == "3")

    kept = sorted(entry["category"] for entry in hub.reply("Care/List", {})["records"])
    assert kept == ["free_memo", "meal", "medication"]
    log = house.log.read_text()
    assert "Invalid state message" not in log and "TemplateError" not in log and "rror while processing" not in log, log[-3000:]


def what_is_said(hub, house, port):
    agent = house.hand_on_what_is_said(port)
    kind, said = house.say(agent, "Log medication, two tablets.", "en")
    assert kind == "action_done" and "Recorded: Medication" in said
    kind, said = house.say(agent, "おむつを替えました", "ja")
    assert kind == "action_done" and "排泄を記録しました" in said
    kind, said = house.say(agent, "She did not take her medicine", "en")
    assert kind == "error" and "Nothing was recorded." in said
    kind, said = house.say(agent, "when did she last take her medicine", "en")
    assert kind == "action_done" and "two tablets" in said
    newest = [entry["category"] for entry in hub.reply("Care/List", {})["records"]][:2]
    assert newest == ["toileting", "medication"]
    house.until(lambda: house.states().get("sensor.kith_today") == "5")


def the_plan(hub, house):
    moment = (datetime.datetime.now(zoneinfo.ZoneInfo("Asia/Tokyo")) + datetime.timedelta(minutes=5)).replace(second=0, microsecond=0)
    items = [add(hub, name, f"{moment:%H:%M}") for name in ("Aspirin", "Vitamin D")]
    buttons = [f"button.kith_plan_{item[-12:]}" for item in items]
    lasts = [f"sensor.kith_plan_{item[-12:]}_last" for item in items]
    house.until(lambda: {house.states().get(entity) for entity in buttons + lasts} == {"unknown"})
    due = house.until(lambda: house.states()["sensor.kith_plan_next"] != "unknown" and house.states()["sensor.kith_plan_next"])
    assert datetime.datetime.fromisoformat(due) == moment
    house.press(buttons[0])
    house.until(lambda: house.states()[lasts[0]] != "unknown")
    given, = doses(hub)
    assert given["itemId"] == items[0] and datetime.datetime.fromisoformat(given["due"]) == moment
    # What was given elsewhere is not given twice by a press, and Home Assistant hears why.
    hub.reply("Plan/Give", {"itemId": items[1]})
    house.until(lambda: house.states()[lasts[1]] != "unknown")
    before = house.states()["event.kith_plan"]
    house.press(buttons[1])
    house.until(lambda: house.states()["event.kith_plan"] != before)
    assert len(doses(hub)) == 2
    for item in items:
        hub.reply("Plan/End", {"id": item})
    house.until(lambda: not {*buttons, *lasts} & set(house.states()))


def what_was_measured(hub, house):
    hub.reply("Measurements/Record", {"measurement": {"kind": "blood_pressure", "value": "130", "lower": "80"}})
    hub.reply("Measurements/Record", {"measurement": {"kind": "temperature", "value": "37.2"}})
    shown = ("sensor.kith_measured_blood_pressure", "sensor.kith_measured_blood_pressure_lower", "sensor.kith_measured_temperature")
    house.until(lambda: [house.states().get(entity) for entity in shown] == ["130", "80", "37.2"])
    log = house.log.read_text()
    assert "Invalid state message" not in log and "TemplateError" not in log and "rror while processing" not in log, log[-3000:]
