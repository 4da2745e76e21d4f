"""Care by voice and by hand through a whole kithd, with an engine that is a script: kill -9 at each step loses nothing."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import wave

import pytest
import zmq

from conftest import CONFIGURATION, Hub, Wire, size
from messages import ROOT, TYPES

BIN = pathlib.Path(os.environ.get("KITH_BIN_DIR", pathlib.Path(ROOT, ".build", "debug")))
STEPS = ("begun", "appended", "finished", "queued", "transcribed", "stored", "unlinked")
DEATHS = size(5, 20)
SAID = json.dumps({"engine": "script", "engineVersion": "1", "language": "en-US", "text": "two tablets after breakfast",
                   "confidence": 0.5, "audioSeconds": 2.0, "elapsedSeconds": 0.1, "segments": []})
ENGINE = f"print({SAID!r})\n"


class Home:
    """A kithd with a state of its own, whose engine is a script."""

    def __init__(self, folder):
        self.folder = folder
        self.engine = folder / "engine.py"
        self.engine.write_text(ENGINE)
        (folder / "engine").write_text(f'#!/bin/sh\nexec {sys.executable} {self.engine} "$@"\n')
        (folder / "engine").chmod(0o755)
        self.config = folder / "kith.toml"
        self.config.write_text(
            f'[transcription.command]\nlanguages = ["en"]\nprogram = "{folder / "engine"}"\n')
        self.process = None

    def start(self):
        ready = subprocess.Popen(
            [BIN / "kithd", "--state-dir", self.folder / "state", "--runtime-dir", self.folder / "run", "--config",
             self.config], stderr=subprocess.PIPE, text=True)
        self.process = ready
        for line in ready.stderr:
            if "ready" in line:
                return self
        raise AssertionError("kithd did not start")

    def stop(self):
        """How it ended."""
        self.process.terminate()
        self.process.stderr.read()
        return self.process.wait(30)

    def kith(self, *arguments, check=True):
        run = subprocess.run(
            [BIN / "kith", "--runtime-dir", self.folder / "run", "--json", *arguments], capture_output=True, text=True,
            timeout=240)
        assert run.returncode == 0 or not check, run.stderr
        return json.loads(run.stdout) if run.returncode == 0 and run.stdout.strip() else run

    def records(self):
        return self.kith("care", "list").get("records", [])

    def sounds(self):
        return sorted(os.listdir(self.folder / "state" / "audio"))


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


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path)
    yield home
    if home.process and home.process.poll() is None:
        home.stop()


def test_voice_becomes_words_and_the_sound_goes(home):
    home.start()
    record = home.kith("care", "voice", "--category", "medication", "--file", str(recording(home.folder / "a.wav")))["record"]
    assert record["transcript"] == "two tablets after breakfast"
    assert (record["category"], record["state"], record["review"]) == ("medication", "transcribed", "needed")
    summary = home.kith("care", "summary", "--lang", "en")["text"]
    assert "Medication: two tablets after breakfast (please check)" in summary
    confirmed = home.kith("care", "confirm", record["id"])["record"]
    assert confirmed["review"] == "done"
    assert home.stop() == 0
    assert home.sounds() == []


# A recorder that ignores an interrupt, as what a shell has in the background does, beside one that does not.
RECORDERS = ("{cat}; exec sleep 600", "{cat}; sleep 600; true", "{cat}; sleep 600 & wait; sleep 600")


@pytest.mark.parametrize("way", ["interrupt", "seconds"])
@pytest.mark.parametrize("recorder", RECORDERS, ids=["program", "shell", "background"])
def test_a_recorder_ends_with_all_that_it_has_started(home, recorder, way):
    home.start()
    # The tests of other processes have recorders of their own.
    span = f"600.{os.getpid()}"
    command = recorder.replace("{cat}", f"cat {recording(home.folder / 'a.wav')}").replace("600", span)
    seconds = ["--seconds", "2"] if way == "seconds" else []
    kith = subprocess.Popen(
        [BIN / "kith", "--runtime-dir", home.folder / "run", "--json", "care", "voice", *seconds, "--command", command],
        stdout=subprocess.PIPE, text=True, start_new_session=True)
    if way == "interrupt":
        deadline = time.monotonic() + 30
        while not any(path.stat().st_size for path in (home.folder / "state" / "audio").glob("*.part")):
            assert time.monotonic() < deadline and kith.poll() is None
        os.killpg(kith.pid, signal.SIGINT)
    record = json.loads(kith.communicate(timeout=60)[0])["record"]
    assert kith.returncode == 0 and record["transcript"] == "two tablets after breakfast"
    alive = subprocess.run(["pgrep", "-f", f"^sleep {span}$"], capture_output=True, text=True).stdout
    assert not alive, alive


def test_ctrl_c_ends_the_recording_and_keeps_what_was_said(home):
    home.start()
    # As a microphone does: it gives sound until it is interrupted.
    command = f"cat {recording(home.folder / 'a.wav')}; exec sleep 600"
    kith = subprocess.Popen(
        [BIN / "kith", "--runtime-dir", home.folder / "run", "--json", "care", "voice", "--category", "meal", "--command",
         command], stdout=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 30
    while not any(path.stat().st_size for path in (home.folder / "state" / "audio").glob("*.part")):
        assert time.monotonic() < deadline and kith.poll() is None
    os.killpg(kith.pid, signal.SIGINT)
    record = json.loads(kith.communicate(timeout=60)[0])["record"]
    assert kith.returncode == 0
    assert record["transcript"] == "two tablets after breakfast"
    assert home.stop() == 0
    assert home.sounds() == []


def test_a_failing_engine_keeps_the_sound_and_a_memo_completes_the_entry(home):
    home.engine.write_text("import sys\nsys.exit(69)\n")
    home.start()
    run = home.kith("care", "voice", "--category", "meal", "--file", str(recording(home.folder / "a.wav")), check=False)
    assert run.returncode == 1
    record = json.loads(run.stdout)["record"]
    assert record["state"] == "needs_memo" and record["reason"].startswith("engine_unavailable: ")
    assert home.sounds() == [record["id"]]
    edited = home.kith("care", "edit", record["id"], "--memo", "half of the rice")["record"]
    assert edited["state"] == "written"
    assert home.sounds() == []


def test_kept_sound_is_heard_and_written_to_a_file(home):
    home.engine.write_text("import sys\nprint('no model', file=sys.stderr)\nsys.exit(70)\n")
    home.start()
    sound = recording(home.folder / "a.wav", seconds=20)
    run = subprocess.run([BIN / "kith", "--runtime-dir", home.folder / "run", "care", "voice", "--file", sound],
                         capture_output=True, text=True, timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert run.returncode == 1 and "kith care play" in run.stderr
    assert "the speech engine failed (it ended with 70: no model)" in run.stdout
    (record,) = home.records()
    copy = home.folder / "copy.wav"
    assert home.kith("care", "audio", record["id"], "-o", str(copy))["mediaType"] == "audio/wav"
    assert copy.read_bytes() == sound.read_bytes()
    # Players that write down what they are given to play.
    programs = home.folder / "programs"
    programs.mkdir()
    heard = home.folder / "heard"
    for player, status in (("aplay", 0), ("pw-play", 3)):
        (programs / player).write_text(f'#!/bin/sh\nfor file; do :; done\n/bin/cat "$file" > {heard}\nexit {status}\n')
        (programs / player).chmod(0o755)
        run = subprocess.run([BIN / "kith", "--runtime-dir", home.folder / "run", "care", "play", record["id"]],
                             capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": str(programs)})
        assert run.returncode == (1 if status else 0), run
        assert heard.read_bytes() == sound.read_bytes()
        (programs / player).unlink()
    run = subprocess.run([BIN / "kith", "--runtime-dir", home.folder / "run", "care", "play", record["id"]],
                         capture_output=True, text=True, timeout=60,
                         env={**os.environ, "PATH": str(programs), "LC_ALL": "C.UTF-8"})
    assert run.returncode == 1 and "Install alsa-utils" in run.stderr
    home.kith("care", "edit", record["id"], "--memo", "half of the rice")
    run = home.kith("care", "audio", record["id"], "-o", str(copy), check=False)
    assert run.returncode == 1 and json.loads(run.stderr)["reason"] == "NO_SOUND"


def test_why_an_entry_cannot_be_played_is_said(home):
    home.start()
    spoken = home.kith("care", "voice", "--file", str(recording(home.folder / "a.wav")))["record"]["id"]
    home.kith("care", "record", "meal", "half of the rice")
    for which, language, words in (
            ("last", "en", "was typed, so it has no recording"), ("last", "ja", "手で入力したもの"),
            (spoken, "en", "because its transcript is stored"), (spoken, "ja", "文字起こしが済んだため")):
        run = home.kith("care", "play", which, "--lang", language, check=False)
        assert run.returncode == 1 and words in json.loads(run.stderr)["message"], run


class Carer:
    """Records over the wire until the daemon dies, and keeps what was acknowledged."""

    def __init__(self, hub, sound):
        self.hub, self.sound = hub, sound
        self.begun, self.appended = set(), set()

    def record(self, wire):
        """Whether the daemon lived through one recording."""
        begun = self.ask(wire, "StartVoice", {"category": "meal"})
        if begun is None:
            return False
        identity = begun["record"]["id"]
        self.begun.add(identity)
        if self.ask(wire, "AppendVoice", {"id": identity, "offset": "0"}, self.sound) is None:
            return False
        self.appended.add(identity)
        return self.ask(wire, "StopVoice", {"id": identity}) is not None

    def ask(self, wire, method, body, *pieces):
        deadline = time.monotonic() + 60
        while True:
            try:
                wire.send(f"kith.v1.Care/{method}", json.dumps(body).encode(), more=pieces)
                break
            except zmq.Again:
                # Nobody takes it: the daemon has not let this connection in yet, or has died since the last answer.
                assert time.monotonic() < deadline, f"{method} was not taken"
                if self.hub.process.poll() is not None:
                    assert self.hub.process.poll() == -signal.SIGKILL
                    return None
        while True:
            assert time.monotonic() < deadline, f"no answer to {method}"
            is_over = self.hub.process.poll() is not None
            if frames := wire.receive(0.01):
                assert "status" not in json.loads(frames[4]), frames
                return json.loads(frames[5])
            if is_over:
                return None

    def until_death(self, recordings):
        try:
            self.hub.start()
        except AssertionError:
            # What was left is taken up at the start, which may pass the point already.
            assert self.hub.process.poll() == -signal.SIGKILL, self.hub.log.read_text()[-2000:]
            return
        wire = Wire(self.hub.control)
        wire.socket.sndtimeo = 500
        try:
            while recordings and self.record(wire):
                recordings -= 1
        finally:
            wire.close()
        assert self.hub.process.wait(60) == -signal.SIGKILL


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("step", STEPS)
def test_deaths_at_a_step_lose_no_entry_and_no_sound(step, tmp_path):
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\ncat <<END\n" + SAID + "\nEND\n")
    engine.chmod(0o755)
    chance = random.Random(step)
    hub = Hub()
    (hub.directory / "config.toml").write_text(
        CONFIGURATION + f'[transcription.command]\nlanguages = ["en"]\nprogram = "{engine}"\n')
    carer = Carer(hub, recording(tmp_path / "a.wav").read_bytes())
    try:
        for _ in range(DEATHS):
            count = chance.randint(1, 3)
            hub.environment["KITH_FAULT_POINT"] = f"care_{step}:{count}"
            carer.until_death(count + 1)
        hub.environment.clear()
        hub.start()
        end = time.monotonic() + 60
        while {record["state"] for record in entries(hub)} - {"transcribed", "written", "needs_memo"}:
            assert time.monotonic() < end, entries(hub)
            time.sleep(0.02)
        records = entries(hub)
        by_id = {record["id"]: record for record in records}
        assert len(by_id) == len(records) and carer.begun <= set(by_id), "what was acknowledged is there, once"
        for identity, record in by_id.items():
            if identity in carer.appended or record["state"] == "transcribed":
                assert record["transcript"] == "two tablets after breakfast"
            else:
                assert record["reason"] == "interrupted"
        # A sound goes when its words are stored.
        while sounds := os.listdir(hub.directory / "state" / "audio"):
            assert time.monotonic() < end, sounds
            time.sleep(0.02)
        assert hub.end() == 0
    finally:
        hub.remove()


def entries(hub):
    """All entries, page by page."""
    found, cursor = [], ""
    while True:
        page = hub.reply("Care/List", {"limit": 200, "cursor": cursor})
        found += page.get("records", [])
        cursor = page.get("nextCursor", "")
        if not cursor:
            return found


def test_the_daily_reminder_is_kept(home):
    home.start()
    # At least six hours away, so that it does not come meanwhile.
    clock, instant = ("09:00", "T00:00:00Z") if 6 <= time.gmtime().tm_hour < 18 else ("21:00", "T12:00:00Z")
    daily = home.kith("remind", "daily", clock, "--time-zone", "Asia/Tokyo")
    assert daily["enabled"] and daily["nextAt"].endswith(instant)
    assert home.stop() == 0
    home.start()
    assert home.kith("remind", "status")["daily"]["nextAt"] == daily["nextAt"]
    assert not home.kith("remind", "daily", "off").get("enabled", False)


@pytest.mark.parametrize("nanos", [10**9, -1])
def test_a_time_that_no_calendar_has_is_refused(hub, nanos):
    """JSON cannot say it: with one of them stored, no list could be answered in JSON."""
    entry = hub.reply("Care/Record", {"category": "meal", "memo": "before"})["record"]["id"]
    wire = Wire(hub.control)
    try:
        for number, (method, fields, path) in enumerate([
            ("Care/Record", {"category": "meal", "memo": "bad"}, "occurred_at"),
            ("Care/StartVoice", {}, "occurred_at"),
            ("Care/Update", {"fields": ["occurred_at"]}, "record.occurred_at"),
        ]):
            name = {"Record": "RecordCareRequest", "StartVoice": "StartVoiceRequest", "Update": "UpdateCareRequest"}
            request = TYPES[f"kith.v1.{name[method.split('/')[1]]}"](**fields)
            message = request
            if "." in path:
                message = request.record
                message.id = entry
            message.occurred_at.seconds, message.occurred_at.nanos = int(time.time()) - 60, nanos
            header = TYPES["kith.v1.RequestHeader"](request_id=f"bad-{number}")
            wire.send(f"kith.v1.{method}", request.SerializeToString(), ctype=b"pb", header=header.SerializeToString())
            status = TYPES["kith.v1.ReplyHeader"].FromString(wire.receive()[4]).status
            assert status.reason == "FIELD_INVALID" and list(status.details) == [path], status
    finally:
        wire.close()
    assert [record["memo"] for record in hub.reply("Care/List")["records"]] == ["before"]
