"""Homes whose services wait for workers, and workers: processes, or frames that a test writes."""
import json
import os
import signal
import subprocess
import sys
import time
import uuid
import wave

import pytest
import zmq

from conftest import BINARIES
from trials import Daemon

SERVICE = "kith.v1.Transcriber/Transcribe"
PLACED = """[contacts]
sync_at_start = false
sync_every_minutes = 0
watch_files = false
[placement]
contacts = "worker"
transcriber = "worker"
"""
ENGINE = """import json, os, sys, time
folder = os.path.dirname(os.path.abspath(__file__))
open(os.path.join(folder, "begun"), "a").write("x")
while os.path.exists(os.path.join(folder, "hold")):
    time.sleep(0.05)
print(json.dumps({"engine": "script", "engineVersion": "1", "language": "en-US", "text": "two tablets after breakfast",
                  "confidence": 0.5, "audioSeconds": 2.0, "elapsedSeconds": 0.1, "segments": []}))
"""


class Worker:
    """A kithd worker, or any other program, of a hub."""

    def __init__(self, hub, serve, name):
        self.hub, self.serve, self.name = hub, serve, name
        self.log = hub.directory / f"{name}.log"
        self.process = None

    def command_line(self):
        return [BINARIES / "kithd", "worker", "--hub", f"ipc://{self.hub.runtime}/work.sock", "--serve", self.serve,
                "--name", self.name, "--state-dir", self.hub.directory / "worker", "--runtime-dir",
                self.hub.directory / "worker-run", "--config", self.hub.directory / "worker.toml"]

    def start(self):
        (self.hub.directory / "worker-run").mkdir(exist_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command_line(), stdout=log, stderr=log)
        return self

    def end(self, with_signal=signal.SIGTERM, within=20):
        self.process.send_signal(with_signal)
        return self.process.wait(within)


class Home(Daemon):
    """A hub whose services wait for workers, and a recogniser that can be held."""

    def __init__(self):
        super().__init__(configuration=PLACED)
        self.workers = []
        engine = self.directory / "engine.py"
        engine.write_text(ENGINE)
        (self.directory / "engine").write_text(f'#!/bin/sh\nexec {sys.executable} {engine} "$@"\n')
        (self.directory / "engine").chmod(0o755)
        (self.directory / "worker.toml").write_text(
            f'[transcription.command]\nlanguages = ["en"]\nprogram = "{self.directory / "engine"}"\n')

    def worker(self, serve="transcriber", name="one"):
        worker = Worker(self, serve, name)
        self.workers.append(worker)
        return worker.start()

    def hold(self):
        (self.directory / "hold").write_text("")

    def let_go(self):
        (self.directory / "hold").unlink()

    def begun(self):
        path = self.directory / "begun"
        return len(path.read_text()) if path.exists() else 0

    def kith(self, *arguments):
        run = subprocess.run(
            [BINARIES / "kith", "--runtime-dir", self.runtime, "--json", *arguments], capture_output=True, text=True,
            timeout=60)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    def speak(self):
        """Records an entry of care by voice; returns its id at once."""
        record = self.reply("Care/StartVoice", {"category": "medication", "language": "en-US"})["record"]
        sound = recording(self.directory / "sound.wav").read_bytes()
        self.reply("Care/AppendVoice", {"id": record["id"], "offset": "0"}, attachments=[sound])
        self.reply("Care/StopVoice", {"id": record["id"]})
        return record["id"]

    def entry(self, identity):
        return self.reply("Care/Get", {"id": identity})["record"]

    def settled(self, identity, seconds=60):
        """Waits until something has become of an entry; returns how long that took."""
        end = ("transcribed", "needs_memo")
        return until(lambda: self.entry(identity)["state"] in end, seconds)[1]

    def jobs(self, service=SERVICE):
        return [job for job in self.reply("Jobs/List").get("jobs", []) if job["service"] == service]

    def remove(self):
        for worker in self.workers:
            if worker.process and worker.process.poll() is None:
                worker.process.kill()
                worker.process.wait()
        super().remove()


def recording(path, seconds=2):
    """A WAV with bursts of sound, as speech has."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        samples = bytearray()
        for index in range(16000 * seconds):
            loud = (index // 3200) % 2 == 0
            value = int(9000 * ((index * 37) % 101 - 50) / 50) if loud else (index % 3) - 1
            samples += value.to_bytes(2, "little", signed=True)
        file.writeframes(bytes(samples))
    return path


def until(what, seconds=20):
    """Waits until `what` gives something; returns it and how long that took."""
    begin = time.monotonic()
    while not (found := what()):
        assert time.monotonic() < begin + seconds, "it did not come about"
        time.sleep(0.1)
    return found, time.monotonic() - begin


@pytest.fixture
def home():
    home = Home()
    try:
        yield home.start()
    finally:
        home.remove()


def transcribed(home, identity):
    return home.entry(identity).get("transcript") == "two tablets after breakfast"


def one_effect(home, identity, attempts):
    """The words are stored once, by one job, and its sound is gone."""
    assert transcribed(home, identity), json.dumps(home.entry(identity))
    (job,) = home.jobs()
    assert (job["state"], job["attempt"]) == ("done", attempts)
    changes = [event for event in home.reply("System/Replay", {"stream": "jobs", "limit": 500})["events"]
               if event["event"]["job"]["state"] == "done"]
    assert len(changes) == 1


class Frames:
    """A worker made of frames that a test writes."""

    def __init__(self, home, name="frames", kind=zmq.DEALER):
        self.name, self.instance = name, str(uuid.uuid4())
        self.socket = zmq.Context.instance().socket(kind)
        self.socket.linger = 0
        self.socket.connect(f"ipc://{home.runtime}/work.sock")

    def send(self, kind, header, body=b"", service=SERVICE, data=()):
        self.socket.send_multipart(
            [b"KTHW01", bytes([kind]), service.encode(), b"json", json.dumps(header).encode(), body, *data])

    def ready(self, credit=1, held=(), services=(SERVICE,)):
        self.send(1, {"workerName": self.name, "instanceId": self.instance, "credit": credit, "held": list(held),
                      "capabilities": [{"name": name} for name in services]})
        return self

    def wait(self, kind, seconds=10):
        """(header, body, attachments) of the next message of a kind."""
        end = time.monotonic() + seconds
        while self.socket.poll(max(0, end - time.monotonic()) * 1000):
            frames = self.socket.recv_multipart()
            if frames[1] == bytes([kind]):
                return json.loads(frames[4]), frames[5], frames[6:]
        raise AssertionError(f"no message of kind {kind:#x}")

    def final(self, job, reply=None, **result):
        self.send(4, {**{key: job[key] for key in ("jobId", "attempt", "leaseId")}, **result},
                  json.dumps(reply or {"text": "two tablets after breakfast", "language": "en-US"}).encode())

    def close(self):
        self.socket.close()
