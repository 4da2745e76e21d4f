"""Workers as processes of their own: what is promised of leases when one of them, or the hub, is killed or stopped."""
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

import servers
from conftest import BINARIES, EXAMPLES
from trials import AddressBook, Daemon, add_folder, contacts, sync

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


def test_a_recording_is_transcribed_by_a_worker(home):
    worker = home.worker()
    identity = home.speak()
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    status = home.reply("System/Status")["work"]
    assert [(w["name"], w["state"]) for w in status["workers"]] == [("one", "ready")]
    assert status["unserved"] == ["kith.v1.ContactsSource"]
    assert worker.end() == 0
    until(lambda: "workers" not in home.reply("System/Status").get("work", {}))
    assert home.end() == 0


def test_without_a_worker_the_work_waits_and_says_so(home):
    identity = home.speak()
    (job,), _ = until(home.jobs)
    assert (job["state"], job["waitsFor"]) == ("queued", "worker")
    status = home.reply("System/Status")["work"]
    assert status["queued"] == 1 and "kith.v1.Transcriber" in status["unserved"]
    kinds = lambda: [event["event"]["system"]["kind"]
                     for event in home.reply("System/Snapshot", {"stream": "system"}).get("lastByKey", [])]
    until(lambda: "worker.missing" in kinds())
    home.worker()
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    until(lambda: "worker.served" in kinds())
    # Contacts wait as well, and the pass says for what.
    book = AddressBook(home.directory / "cards", 3, 1)
    add = {"name": "home", "vdir": {"path": str(book.folder)}}
    home.reply("Contacts/AddSource", add)
    with subprocess.Popen([BINARIES / "kith", "--runtime-dir", home.runtime, "contacts", "sync"],
                          stdout=subprocess.DEVNULL) as run:
        until(lambda: any(each.get("error", {}).get("reason") == "NO_WORKER"
                          for each in home.reply("System/Status").get("sync", [])))
        home.worker("contacts", "two")
        assert run.wait(60) == 0
    assert len(contacts(home, "home")) == 3


@pytest.mark.parametrize("restarted, promised", [(True, 3), (False, 13)])
def test_a_killed_worker_hands_its_job_over(home, restarted, promised):
    first = home.worker()
    until(lambda: "workers" in home.reply("System/Status")["work"])
    home.hold()
    identity = home.speak()
    until(lambda: home.begun() == 1)
    other = None if restarted else home.worker(name="two")
    if other:
        until(lambda: len(home.reply("System/Status")["work"]["workers"]) == 2)
    first.end(signal.SIGKILL)
    if restarted:
        first.start()
    _, took = until(lambda: home.begun() == 2, 40)
    home.let_go()
    home.settled(identity)
    one_effect(home, identity, attempts=2)
    (job,) = home.jobs()
    print(f"handed over after {took:.1f} s, promised {promised} s", job["worker"])
    # The recogniser itself takes a while to begin.
    assert took < promised + 3


def test_the_job_of_a_stopped_worker_is_done_by_another_and_its_own_end_comes_too_late(home):
    first = home.worker()
    until(lambda: "workers" in home.reply("System/Status")["work"])
    home.hold()
    identity = home.speak()
    until(lambda: home.begun() == 1)
    home.worker(name="two")
    first.process.send_signal(signal.SIGSTOP)
    try:
        until(lambda: home.begun() == 2, 40)
        home.let_go()
        home.settled(identity)
    finally:
        first.process.send_signal(signal.SIGCONT)
    one_effect(home, identity, attempts=2)
    until(lambda: len(home.reply("System/Status")["work"]["workers"]) == 2)
    one_effect(home, identity, attempts=2)


def test_a_killed_hub_finds_its_job_with_the_same_worker_at_the_same_attempt(home):
    home.worker()
    until(lambda: "workers" in home.reply("System/Status")["work"])
    home.hold()
    identity = home.speak()
    until(lambda: home.begun() == 1)
    (before,) = home.jobs()
    home.end(signal.SIGKILL)
    home.let_go()
    home.start()
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    (after,) = home.jobs()
    assert after["jobId"] == before["jobId"] and home.begun() == 1


def test_a_worker_that_stops_ends_its_job_first(home):
    worker = home.worker()
    until(lambda: "workers" in home.reply("System/Status")["work"])
    home.hold()
    identity = home.speak()
    until(lambda: home.begun() == 1)
    worker.process.send_signal(signal.SIGTERM)
    until(lambda: home.reply("System/Status")["work"]["workers"][0]["state"] == "draining")
    home.let_go()
    assert worker.process.wait(20) == 0
    home.settled(identity)
    one_effect(home, identity, attempts=1)


def test_contacts_are_read_by_a_worker(home):
    book = AddressBook(home.directory / "cards", 700, 7)
    home.worker("contacts", "reader")
    add_folder(home, "home", book.folder)
    passed = sync(home, "home")
    assert (passed["state"], passed["live"]) == ("COMPLETED", len(book.names)), passed
    assert set(contacts(home, "home")) == book.names
    states = {job["state"] for job in home.reply("Jobs/List")["jobs"]}
    assert states == {"done"}


def test_a_worker_killed_in_a_pass_is_followed_by_another_that_goes_on(home):
    book = AddressBook(home.directory / "cards", 700, 8)
    worker = home.worker("contacts", "reader")
    add_folder(home, "home", book.folder)
    with subprocess.Popen([BINARIES / "kith", "--runtime-dir", home.runtime, "contacts", "sync"],
                          stdout=subprocess.DEVNULL) as run:
        until(lambda: any(job.get("batches") and job["state"] == "leased"
                          for job in home.jobs("kith.v1.ContactsSource/Fetch")), 60)
        worker.end(signal.SIGKILL)
        worker.start()
        assert run.wait(90) == 0
    assert set(contacts(home, "home")) == book.names
    (fetch,) = home.jobs("kith.v1.ContactsSource/Fetch")
    # Three batches in all, none of them twice.
    assert (fetch["state"], fetch["attempt"], fetch["batches"]) == ("done", 2, 3)
    (status,) = home.reply("Contacts/SyncStatus")["sources"]
    assert (status["state"], status["added"], status["live"]) == ("COMPLETED", len(book.names), len(book.names))


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


def test_a_second_result_is_a_duplicate(home):
    worker = Frames(home).ready()
    worker.wait(0x10)
    identity = home.speak()
    job, body, _ = worker.wait(0x02)
    assert json.loads(body)["language"] == "en-US" and job["lease"] == "30s"
    worker.send(0x15, {"sha256": job["inputs"][0]["sha256"], "window": 1 << 20})
    chunk, _, (data,) = worker.wait(0x16)
    assert data == (home.directory / "sound.wav").read_bytes() and chunk["eof"] is True
    worker.final(job)
    assert "duplicate" not in worker.wait(0x13)[0]
    worker.final(job, {"text": "something else"})
    assert worker.wait(0x13)[0]["duplicate"] is True
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    worker.close()


def test_a_lost_end_is_answered_after_the_hub_is_back(home):
    worker = Frames(home).ready()
    identity = home.speak()
    job, _, _ = worker.wait(0x02)
    home.end(signal.SIGKILL)
    home.start()
    worker.send(5, {"leaseIds": [job["leaseId"]]})
    assert worker.wait(0x06)[0]["status"]["reason"] == "SESSION_UNKNOWN"
    worker.ready(credit=0, held=[{key: job[key] for key in ("jobId", "attempt", "leaseId")}])
    assert "lostLeaseIds" not in worker.wait(0x10)[0]
    worker.final(job)
    assert "duplicate" not in worker.wait(0x13)[0]
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    worker.close()


def test_a_job_that_kills_every_worker_rests_until_a_person_has_it_tried_again(home):
    identity = home.speak()
    leases = []
    for attempt in range(1, 6):
        # Each a new process of the same name: the one before is taken to have died over the job.
        worker = Frames(home).ready()
        job, _, _ = worker.wait(0x02, 20)
        assert job["attempt"] == attempt
        leases.append(job["leaseId"])
        worker.close()
    Frames(home).ready(credit=0).wait(0x10)
    (dead,), _ = until(lambda: [job for job in home.jobs() if job["state"] == "dead"])
    assert dead["losses"] == 5 and dead["status"]["reason"] == "JOB_DEAD" and len(set(leases)) == 5
    until(lambda: home.entry(identity).get("reason") == "job_dead")
    assert home.kith("jobs", "show", dead["jobId"])["job"]["state"] == "dead"
    assert home.kith("jobs", "retry", dead["jobId"])["job"]["state"] == "queued"
    worker = Frames(home).ready()
    job, _, _ = worker.wait(0x02)
    assert job["attempt"] == 6 and job["jobId"] == dead["jobId"]
    worker.final(job)
    worker.wait(0x13)
    # Whoever wanted the words comes back for them within a minute.
    home.settled(identity, 90)
    assert transcribed(home, identity)
    worker.close()


def test_a_worker_is_told_what_it_may_not_be(home):
    worker = Frames(home, name="Not A Name").ready()
    assert worker.wait(0x06)[0]["status"]["reason"] == "FIELD_INVALID"
    worker.name = "good"
    worker.send(0x02, {})
    assert worker.wait(0x06)[0]["status"]["reason"] == "KIND_UNKNOWN"
    worker.ready().wait(0x10)
    other = Frames(home, name="good").ready()
    other.wait(0x10)
    assert worker.wait(0x06)[0]["status"]["reason"] == "REPLACED"
    worker.close()
    other.close()


def test_garbage_on_the_work_plane_hurts_nobody(home):
    import random

    chance = random.Random(5)
    worker = home.worker()
    until(lambda: "workers" in home.reply("System/Status")["work"])
    stranger = Frames(home, name="stranger")
    for round in range(300):
        frames = [chance.randbytes(chance.choice((0, 1, 6, 40))) for _ in range(chance.randint(1, 9))]
        if chance.random() < 0.6:
            frames[0] = b"KTHW01"
        if len(frames) > 3 and chance.random() < 0.7:
            frames[1], frames[3] = bytes([chance.randint(0, 0x19)]), chance.choice((b"pb", b"json"))
        stranger.socket.send_multipart(frames)
        if round % 30 == 0:
            stranger.ready(services=(SERVICE,), credit=0)
    stranger.send(0x16, {"sha256": "0" * 64, "size": "5", "eof": True}, data=(b"12345",))
    while (answer := stranger.wait(0x18)[0]).get("sha256") != "0" * 64:
        pass
    assert answer["status"]["reason"] == "DIGEST_MISMATCH"
    stranger.socket.send_multipart([b"KTHW02", b"\x01", b"", b"json", b"{}", b""])
    while (header := stranger.wait(0x06)[0])["status"]["reason"] != "VERSION_UNSUPPORTED":
        pass
    assert header["status"]["details"]["versions"] == "KTHW01"
    identity = home.speak()
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    assert worker.process.poll() is None
    stranger.close()


def test_the_worker_in_python_does_a_whole_job(home):
    script = EXAMPLES / "transcribe_worker.py"
    assert len(script.read_text().splitlines()) < 150
    program = [sys.executable, script, "--endpoint", f"ipc://{home.runtime}/work.sock", "--name", "python", "--",
               sys.executable, "-c", "import sys; assert open(sys.argv[1], 'rb').read(4) == b'RIFF'; "
               "print('two tablets after breakfast')", "{file}"]
    with subprocess.Popen(program) as process:
        try:
            identity = home.speak()
            home.settled(identity)
            one_effect(home, identity, attempts=1)
            (job,) = home.jobs()
            assert job["worker"] == "python"
            process.terminate()
            assert process.wait(10) == 0
        finally:
            process.kill()


def monica_home():
    home = Home()
    (home.directory / "config.toml").write_text(
        "[monica]\nsync_at_start = false\nsync_every_minutes = 0\n[placement]\nmonica = \"worker\"\n")
    return home


def people(server):
    return [person["first_name"] for person in server.done("GET", "/contacts?limit=100")]


def test_monica_is_reached_by_a_worker_and_nobody_is_there_twice_when_it_is_killed():
    home, server = monica_home(), servers.Monica.double(rate_limit=0, latency_ms=400)
    try:
        home.start()
        # Where the worker is, there is the token.
        os.symlink(home.directory / "state", home.directory / "worker")
        worker = home.worker("monica", "gateway")
        status = home.reply("Monica/Login", {"endpoint": server.url, "token": server.token})
        assert status["state"] == "logged_in"
        home.reply("People/Create", {"record": {"firstName": "Ann"}})
        until(lambda: people(server) == ["Ann"], 30)
        home.reply("People/Create", {"record": {"firstName": "Emeka"}})
        until(lambda: any(job["state"] == "leased" for job in home.jobs("kith.v1.MonicaRemote/Push")))
        worker.end(signal.SIGKILL)
        worker.start()
        until(lambda: any(job["state"] == "unknown" for job in home.jobs("kith.v1.MonicaRemote/Push")))

        def settled():
            assert home.process.poll() is None, home.log.read_text()[-3000:]
            home.reply("Monica/Sync", timeout=60)
            return not home.reply("Monica/Queue").get("entries")

        until(settled, 60)
        assert sorted(people(server)) == ["Ann", "Emeka"]
        pushes = home.jobs("kith.v1.MonicaRemote/Push")
        # What may happen once is never leased twice.
        assert all(job["attempt"] == 1 for job in pushes)
    finally:
        server.remove()
        home.remove()
