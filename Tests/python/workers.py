"""Homes whose services wait for workers, and workers: processes, or frames that a test writes."""
import contextlib
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import uuid
import wave

import pytest
import zmq

from conftest import BINARIES, stopped
from keyed import eventually
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

    def __init__(self, hub, serve, name, *, folder=None, reach=None, under=()):
        self.serve, self.name = serve, name
        # What is the worker's own: its configuration, secrets and log.
        self.folder = folder or hub.directory
        # How it finds the hub.
        self.reach = reach or ("--hub", f"ipc://{hub.runtime}/work.sock")
        # The words of a command that becomes the worker.
        self.under = under
        self.log = self.folder / f"{name}.log"
        self.process = None

    def command_line(self):
        return [*self.under, BINARIES / "kithd", "worker", *self.reach, "--serve", self.serve, "--name", self.name,
                "--state-dir", self.folder / "worker", "--runtime-dir", self.folder / "worker-run", "--config",
                self.folder / "worker.toml"]

    def start(self, **environment):
        (self.folder / "worker-run").mkdir(exist_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command_line(), stdout=log, stderr=log, env={**os.environ, **environment})
        return self

    def end(self, with_signal=signal.SIGTERM, within=60):
        if with_signal == signal.SIGTERM:
            until(self.minds_sigterm)
        self.process.send_signal(with_signal)
        return self.process.wait(within)

    def minds_sigterm(self):
        """Whether it is past its first moments, in which the signal ends it as it ends any process."""
        if self.process.poll() is not None:
            return True
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        masks = re.findall(r"^Sig(?:Blk|Ign|Cgt):\s+([0-9a-f]+)$", status, re.MULTILINE)
        return any(int(mask, 16) >> (signal.SIGTERM - 1) & 1 for mask in masks)

    def killed(self, within=60):
        """Waits until it has killed itself at a marked point."""
        assert self.process.wait(within) == -signal.SIGKILL, self.log.read_text()[-2000:]
        return self

    def stopped(self):
        """While it stands still, as a hung one."""
        return stopped(self.process)

    def says(self, text, seconds=30):
        """Whether the log comes to say something."""
        return eventually(lambda: text in self.log.read_text(), seconds)

    def remove(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Home(Daemon):
    """A hub whose services wait for workers, and a recogniser that can be held."""

    def __init__(self, configuration="", **options):
        super().__init__(configuration=PLACED + configuration, **options)
        self.workers = []
        engine = self.directory / "engine.py"
        engine.write_text(ENGINE)
        (self.directory / "engine").write_text(f'#!/bin/sh\nexec {sys.executable} {engine} "$@"\n')
        (self.directory / "engine").chmod(0o755)
        (self.directory / "worker.toml").write_text(
            f'[transcription.command]\nlanguages = ["en"]\nprogram = "{self.directory / "engine"}"\n')

    def worker(self, serve="transcriber", name="one", **environment):
        worker = Worker(self, serve, name)
        self.workers.append(worker)
        return worker.start(**environment)

    def present(self):
        """The names of the workers that are there."""
        return [worker["name"] for worker in self.reply("System/Status").get("work", {}).get("workers", [])]

    def with_workers(self, *names):
        """Waits until these are there and no others."""
        until(lambda: self.present() == sorted(names))

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

    def say(self, sound=None):
        """Records an entry of care by voice up to its end; returns its id."""
        record = self.reply("Care/StartVoice", {"category": "medication", "language": "en-US"})["record"]
        sound = sound or recording(self.directory / "sound.wav").read_bytes()
        self.reply("Care/AppendVoice", {"id": record["id"], "offset": "0"}, attachments=[sound])
        return record["id"]

    def speak(self, sound=None):
        """Records an entry of care by voice; returns its id at once."""
        identity = self.say(sound)
        self.reply("Care/StopVoice", {"id": identity})
        return identity

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
            worker.remove()
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


def until(what, seconds=60):
    """Waits until `what` gives something; returns it and how long that took."""
    begin = time.monotonic()
    while not (found := what()):
        assert time.monotonic() < begin + seconds, "it did not come about"
        # Each question is a connection of its own, and the hub takes so many in a few seconds.
        time.sleep(0.25)
    return found, time.monotonic() - begin


@contextlib.contextmanager
def started(home):
    """A home that is gone afterwards, however the trial ended."""
    try:
        yield home.start()
    finally:
        home.remove()


@pytest.fixture
def home():
    with started(Home()) as home:
        yield home


def transcribed(home, identity):
    return home.entry(identity).get("transcript") == "two tablets after breakfast"


def leases(home):
    """When its only job was given to a worker, each time, in seconds by the hub's clock: nothing that others do is counted."""
    events = home.reply("System/Replay", {"stream": "jobs", "limit": 500})["events"]
    return [datetime.datetime.fromisoformat(event["header"]["time"]).timestamp()
            for event in events if event["event"]["job"]["state"] == "leased"]


def one_effect(home, identity, attempts):
    """The words are stored once, by one job after so many attempts, or as many as one of several numbers."""
    assert transcribed(home, identity), json.dumps(home.entry(identity))
    (job,) = home.jobs()
    assert job["state"] == "done" and job["attempt"] in ((attempts,) if isinstance(attempts, int) else attempts), job
    changes = [event for event in home.reply("System/Replay", {"stream": "jobs", "limit": 500})["events"]
               if event["event"]["job"]["state"] == "done"]
    assert len(changes) == 1


def monica_home():
    """A home that talks with Monica through workers alone."""
    home = Home()
    (home.directory / "config.toml").write_text(
        "[monica]\nsync_at_start = false\nsync_every_minutes = 0\n[placement]\nmonica = \"worker\"\n")
    return home


def people(server):
    """First names of all that a Monica has."""
    return [person["first_name"] for person in server.done("GET", "/contacts?limit=100")]


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

    def wait(self, kind, seconds=30):
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
