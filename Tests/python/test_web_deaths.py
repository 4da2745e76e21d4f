"""kithd and kith-web are killed between a request and its answer: every effect is there exactly once, and every stream is dense."""
import contextlib
import json
import random
import signal
import socket
import threading
import time
import urllib.parse

import pytest
import requests

from conftest import Hub, seed, size, tally
from web import Door
from workers import recording

KILLS = size(20, 200)
SEED = seed(20261124)
# Of the hub, in a recording that is sent over HTTP.
POINTS = ["care_begun", "care_appended", "care_finished"]


def until_answered(device, key, memo, end):
    """Sends one command under one key until it is answered, as a phone does."""
    while True:
        with contextlib.suppress(requests.RequestException):
            answer = device.post("Care/Record", {"category": "meal", "memo": memo}, key=key, timeout=5)
            if answer.status_code == 200:
                return answer.json()["record"]["id"]
            assert answer.status_code in (429, 500, 502, 503, 504), answer.text
        assert time.monotonic() < end, "never answered"
        time.sleep(0.1)


def entries(hub):
    found, cursor = [], ""
    while True:
        page = hub.reply("Care/List", {"limit": 500, "cursor": cursor})
        found += page.get("records", [])
        cursor = page.get("nextCursor", "")
        if not cursor:
            return found


@pytest.mark.long
@pytest.mark.timeout(900)
def test_kills_between_request_and_answer():
    chance = random.Random(SEED)
    hub = Hub().start()
    front = Door(hub)
    try:
        front.start()
        ann, eve = front.device("ann"), front.device("eve", "viewer")
        with ann.events("care") as events:
            next(events)
            position = events.id
        answered = {}
        for number in range(KILLS):
            victim = chance.choice(["hub", "door", "both"])
            pause = chance.random() * 0.03
            results = {}

            def send(count=3, number=number, results=results):
                for part in range(count):
                    memo = f"{number}-{part}"
                    results[memo] = until_answered(ann, f"key-{memo}", memo, time.monotonic() + 60)

            sender = threading.Thread(target=send)
            sender.start()
            time.sleep(pause)
            if victim in ("hub", "both"):
                hub.end(signal.SIGKILL)
            if victim in ("door", "both"):
                front.end(signal.SIGKILL)
            if victim in ("hub", "both"):
                hub.start()
            if victim in ("door", "both"):
                front.start(waits_for_hub=False)
            sender.join(120)
            assert len(results) == 3, (SEED, number, victim)
            answered.update(results)
        found = entries(hub)
        assert sorted(entry["memo"] for entry in found) == sorted(answered), (SEED, "each once")
        assert {entry["memo"]: entry["id"] for entry in found} == answered
        # A reader that comes back after all of it: dense, from where it was.
        end = time.monotonic() + 20
        while eve.ask("GET", "/healthz").status_code != 200:
            assert time.monotonic() < end
            time.sleep(0.05)
        with eve.events("care", since=position) as events:
            numbers = events.sequences("care", len(answered))
        assert numbers == list(range(numbers[0], numbers[0] + len(answered))), SEED
        tally(histories=1, faults=KILLS)
    finally:
        front.end()
        hub.end()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("point", POINTS)
def test_a_recording_whose_hub_is_killed_at_a_marked_point_is_one_entry(point, tmp_path):
    sound = recording(tmp_path / "a.wav", 20).read_bytes()
    hub = Hub()
    hub.environment = {"KITH_FAULT_POINT": f"{point}:1"}
    hub.start()
    hub.environment = {}
    front = Door(hub)
    try:
        front.start()
        ann = front.device("ann")
        answers = []

        def send():
            end = time.monotonic() + 90
            while time.monotonic() < end:
                with contextlib.suppress(requests.RequestException):
                    answer = ann.ask("POST", "/care/voice?message=%7B%7D", data=sound, timeout=20,
                                     headers={"Content-Type": "audio/wav", "Idempotency-Key": "spoken-once"})
                    answers.append(answer)
                    if answer.status_code == 200:
                        return
                time.sleep(0.2)

        sender = threading.Thread(target=send)
        sender.start()
        hub.killed()
        hub.start()
        sender.join(100)
        assert answers and answers[-1].status_code == 200, [answer.text for answer in answers]
        found = entries(hub)
        assert [entry["id"] for entry in found] == [answers[-1].json()["record"]["id"]]
        assert sound_of(hub, found[0]) == sound
    finally:
        front.end()
        hub.end()


@pytest.mark.parametrize("is_worked_on", [False, True])
def test_a_recording_that_the_hub_ended_while_its_sender_was_away_is_whole_once_it_is_sent_again(is_worked_on, tmp_path):
    sound = recording(tmp_path / "a.wav", 20).read_bytes()
    hub = Hub().start()
    front = Door(hub)
    try:
        front.start()
        ann = front.device("ann")
        message = urllib.parse.quote(json.dumps({"category": "meal", "clientId": "spoken-once"}))
        ways = {"path": f"/care/voice?message={message}",
                "headers": {"Content-Type": "audio/wav", "Idempotency-Key": "spoken-once"}}
        begin(front, ann, sound, 300 << 10, **ways)
        # The hub ends open recordings at its start. The phone is away, and for so long that the hub remembers no answer.
        hub.end()
        hub.start()
        (part,) = entries(hub)
        assert 0 < int(part["audioBytes"]) < len(sound)
        if is_worked_on:
            hub.reply("Care/Update", {"record": {"id": part["id"], "memo": "She had soup."}})
        end = time.monotonic() + 30
        while (answer := ann.ask("POST", data=sound, **ways)).status_code != 200:
            assert answer.status_code in (502, 503) and time.monotonic() < end, answer.text
            time.sleep(0.1)
        whole = answer.json()["record"]
        assert whole["id"] != part["id"] and whole["category"] == "meal" and sound_of(hub, whole) == sound
        assert ann.ask("POST", data=sound, **ways).json()["record"]["id"] == whole["id"]
        assert {entry["id"] for entry in entries(hub)} == {whole["id"]} | ({part["id"]} if is_worked_on else set())
    finally:
        front.end()
        hub.end()


def begin(front, device, body, count, path, headers):
    """Sends the first bytes of a request until the hub has some of them, and breaks the connection off."""
    with socket.create_connection(("127.0.0.1", front.port), timeout=30) as wire:
        fields = {**headers, "Host": f"localhost:{front.port}", "Content-Length": len(body), **device.session.headers}
        wire.sendall("\r\n".join([f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]).encode())
        wire.sendall(body[:count])
        kept = front.hub.directory / "state" / "audio"
        end = time.monotonic() + 30
        while not any(file.stat().st_size > 0 for file in kept.glob("*.part")):
            assert time.monotonic() < end, "the hub got no sound"
            time.sleep(0.02)


def sound_of(hub, entry):
    """The sound of an entry, which no engine has transcribed, as the hub keeps it."""
    assert int(entry["audioBytes"]) == (hub.directory / "state" / "audio" / entry["id"]).stat().st_size
    return (hub.directory / "state" / "audio" / entry["id"]).read_bytes()
