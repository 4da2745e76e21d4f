"""A real broker, a real kith-homeassistant between it and a real kithd, and a client that does what Home Assistant does there.

    with Mosquitto(directory) as broker, Home(hub, broker) as home, Assistant(broker) as assistant:
        assistant.until(lambda: assistant.available)
        assistant.press("care_medication")
"""
import asyncio
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

import paho.mqtt.client as mqtt
from wyoming.asr import Transcript
from wyoming.client import AsyncTcpClient
from wyoming.handle import Handled
from wyoming.info import Describe, Info

from conftest import BINARIES
from servers import free_port

MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"


class Mosquitto:
    """Debian's broker, which forgets everything when it ends, as it does unless it is told otherwise."""

    def __init__(self, directory, *lines):
        self.directory, self.port, self.process = pathlib.Path(directory), free_port(), None
        self.configuration = self.directory / "mosquitto.conf"
        self.configuration.write_text("\n".join([f"listener {self.port} 127.0.0.1", "persistence false", *(lines or ["allow_anonymous true"])]))

        self.address = f"mqtt://127.0.0.1:{self.port}"

    def __enter__(self):
        with open(self.directory / "mosquitto.log", "ab") as log:
            self.process = subprocess.Popen([MOSQUITTO, "-c", self.configuration], stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        self.end()

    def end(self, with_signal=signal.SIGTERM):
        if self.process:
            process, self.process = self.process, None
            process.send_signal(with_signal)
            process.wait(30)


class Home:
    """A kith-homeassistant on a directory of its own, with a broker or without one."""

    def __init__(self, hub, broker, *options):
        self.hub, self.broker, self.options, self.process = hub, broker, options, None
        self.log = hub.directory / "home.log"

    def __enter__(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [BINARIES / "kith-homeassistant", *(["--broker", self.broker.address] if self.broker else []), "--runtime-dir",
                 self.hub.runtime, "--state-dir", self.hub.directory / "home", *self.options], stdout=log, stderr=log, env=os.environ)
        return self

    def __exit__(self, *_):
        self.end()

    def end(self, with_signal=signal.SIGTERM):
        """Ends the process; gives its exit status."""
        if not self.process:
            return None
        process, self.process = self.process, None
        process.send_signal(with_signal)
        try:
            return process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


class Assistant:
    """What Home Assistant does at a broker: finds the device, follows its state, and presses its buttons."""

    def __init__(self, broker, name="assistant", authorities=None, **login):
        self.lock, self.config, self.topic, self.heard, self.retained = threading.Lock(), None, None, [], set()
        self.values = {}
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name)
        self.host = "localhost" if authorities else "127.0.0.1"
        if authorities:
            self.client.tls_set(authorities)
        if login:
            self.client.username_pw_set(login["user"], login["password"])
        self.client.on_connect = lambda client, *_: client.subscribe([("homeassistant/#", 1), ("kith/#", 1)])
        self.client.on_message = self.take
        self.client.reconnect_delay_set(1, 1)
        self.broker = broker

    def __enter__(self):
        end = time.monotonic() + 30
        while True:
            try:
                self.client.connect(self.host, self.broker.port)
                break
            except OSError:
                assert time.monotonic() < end, "the broker does not answer"
                time.sleep(0.05)
        self.client.loop_start()
        return self

    def __exit__(self, *_):
        self.client.disconnect()
        self.client.loop_stop()

    def take(self, _client, _userdata, message):
        text = message.payload.decode(errors="replace")
        with self.lock:
            self.heard.append((message.topic, text))
            if message.retain:
                self.retained.add(message.topic)
            self.values[message.topic] = text
            if message.topic.startswith("homeassistant/device/"):
                self.topic, self.config = message.topic, json.loads(text) if text else None

    def component(self, key):
        return self.config["components"][key]

    @property
    def available(self):
        return self.config is not None and self.values.get(self.component("today")["availability_topic"]) == "online"

    @property
    def state(self):
        return json.loads(self.values.get(self.component("today")["state_topic"], "{}")) if self.config else {}

    def until(self, condition, seconds=60):
        """Waits until a condition holds; gives its value."""
        end = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < end, f"it never came to be; state {self.state}, last {self.heard[-5:]}"
            time.sleep(0.02)
        return value

    def press(self, key, at=None, text=None, **options):
        """Presses a button or enters a text; `at` is when, as the template of the entity renders it."""
        payload = {"at": at or f"2026-11-25T08:10:00.{time.monotonic_ns()}"}
        if text is not None:
            payload["text"] = text
        self.send(self.component(key)["command_topic"], json.dumps(payload), **options)

    def send(self, topic, payload, retain=False):
        self.client.publish(topic, payload, qos=1, retain=retain).wait_for_publish(30)


@contextlib.contextmanager
def house(hub, directory, *options):
    """A broker, the program, and Home Assistant's part, once all of them are there."""
    with Mosquitto(directory) as broker, Home(hub, broker, *options) as home, Assistant(broker) as assistant:
        assistant.until(lambda: assistant.available and assistant.state)
        yield broker, home, assistant


class Voice:
    """What Home Assistant does with what somebody said: a connection for each sentence, by the client of Wyoming's makers."""

    def __init__(self, port, host="127.0.0.1"):
        self.host, self.port = host, port

    async def exchange(self, event):
        async with AsyncTcpClient(self.host, self.port) as client:
            await client.write_event(event)
            return await asyncio.wait_for(client.read_event(), 60)

    def info(self):
        return Info.from_event(asyncio.run(self.exchange(Describe().event())))

    async def hear(self, text, language=None):
        context = {"conversation_id": "01JDK"}
        event = await self.exchange(Transcript(text=text, language=language, context=context).event())
        assert event.data["context"] == context
        return Handled.is_type(event.type), event.data["text"]

    def say(self, text, language=None):
        """Says a sentence; gives whether it was carried out, and what the house says."""
        return asyncio.run(self.hear(text, language))


@contextlib.contextmanager
def spoken_to(hub, *options, broker=None, word="ready"):
    """The program with an ear, once it has its connection to the hub; with the word "taken" once it listens."""
    port = free_port()
    with Home(hub, broker, "--wyoming", f"127.0.0.1:{port}", *options) as home:
        end = time.monotonic() + 60
        while word not in home.log.read_text():
            assert home.process.poll() is None and time.monotonic() < end, home.log.read_text()
            time.sleep(0.02)
        yield home, Voice(port)
