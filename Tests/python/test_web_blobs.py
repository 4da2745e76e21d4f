"""Bytes over HTTP: blobs by their digest, and recordings."""
import hashlib
import os
import random
import time

import pytest

from web import Device, door
from workers import recording


@pytest.fixture(scope="module")
def front():
    with door() as front:
        yield front


@pytest.fixture(scope="module")
def ann(front):
    return front.device("ann")


def put(device, data, **headers):
    digest = hashlib.sha256(data).hexdigest()
    return digest, device.ask("PUT", f"/blobs/{digest}", data=data, headers={"Content-Type": "application/octet-stream", **headers})


@pytest.mark.parametrize("size", [1, 1000, 256 << 10, (256 << 10) + 1, 3 << 20])
def test_a_blob_goes_up_and_comes_down(ann, size):
    data = random.Random(size).randbytes(size)
    digest, answer = put(ann, data)
    assert answer.status_code in (200, 201), answer.text
    assert put(ann, data)[1].status_code == 200, "again"
    back = ann.ask("GET", f"/blobs/{digest}")
    assert back.content == data and back.headers["ETag"] == f'"{digest}"' and "immutable" in back.headers["Cache-Control"]
    head = ann.ask("HEAD", f"/blobs/{digest}")
    assert head.status_code == 200 and int(head.headers["Content-Length"]) == size and not head.content
    assert ann.ask("GET", f"/blobs/{digest}", headers={"If-None-Match": f'"{digest}"'}).status_code == 304


def test_ranges(ann):
    data = random.Random(1).randbytes(600_000)
    digest, _ = put(ann, data)

    def part(text):
        return ann.ask("GET", f"/blobs/{digest}", headers={"Range": text})

    for text, piece in (("bytes=0-9", data[:10]), ("bytes=262140-262150", data[262140:262151]), ("bytes=599990-", data[-10:]),
                        ("bytes=-5", data[-5:]), ("bytes=100-9999999", data[100:])):
        answer = part(text)
        assert answer.status_code == 206 and answer.content == piece, text
        assert answer.headers["Content-Range"].endswith("/600000")
    past = part("bytes=600000-")
    assert past.status_code == 416 and past.headers["Content-Range"] == "bytes */600000"


def test_what_is_wrong_with_a_blob_is_told(front, ann):
    data = b"some bytes"
    digest = hashlib.sha256(b"other bytes").hexdigest()
    wrong = ann.ask("PUT", f"/blobs/{digest}", data=data, headers={"Content-Type": "application/octet-stream"})
    assert wrong.status_code >= 400 and wrong.json()["details"][0]["debug"]["reason"] == "DIGEST_MISMATCH"
    assert ann.ask("GET", f"/blobs/{'0' * 64}").status_code == 404
    assert ann.ask("GET", "/blobs/nothing").status_code in (400, 404)
    assert put(front.device("reader", "viewer"), data)[1].status_code == 403
    assert Device(front, None).ask("GET", f"/blobs/{digest}").status_code == 401
    # An upload that was cut off leaves nothing in the way of the next one.
    data = random.Random(2).randbytes(700_000)
    digest = hashlib.sha256(data).hexdigest()

    def half():
        yield data[:400_000]
        raise OSError

    with pytest.raises(OSError):
        ann.ask("PUT", f"/blobs/{digest}", data=half(), headers={"Content-Type": "application/octet-stream", "Content-Length": "700000"})
    assert put(ann, data)[1].status_code in (200, 201)
    assert ann.ask("GET", f"/blobs/{digest}").content == data


def voice(device, sound, key, **options):
    return device.ask("POST", "/care/voice?message=%7B%22category%22%3A%20%22meal%22%7D", data=sound,
                      headers={"Content-Type": "audio/wav", "Idempotency-Key": key}, **options)


def test_a_recording_is_one_entry_however_often_it_is_sent(front, ann, tmp_path):
    sound = recording(tmp_path / "a.wav", 8).read_bytes()
    assert len(sound) > 200_000
    answers = [voice(ann, sound, "recording-1") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200] * 3, answers[0].text
    ids = {answer.json()["record"]["id"] for answer in answers}
    assert len(ids) == 1
    entries = [entry for entry in front.hub.reply("Care/List")["records"] if entry["id"] in ids]
    assert len(entries) == 1 and entries[0]["category"] == "meal" and entries[0]["recorder"] == "ann"
    assert voice(ann, sound, "recording-2").json()["record"]["id"] not in ids
    assert ann.ask("POST", "/care/voice", data=sound, headers={"Content-Type": "audio/wav"}).status_code == 400
    assert ann.ask("POST", "/care/voice", data=sound, headers={"Content-Type": "text/plain", "Idempotency-Key": "k"}).status_code == 415
    assert voice(front.device("listener", "viewer"), sound, "k").status_code == 403


def test_a_key_that_two_devices_choose_makes_two_entries(front, tmp_path):
    sounds = [recording(tmp_path / f"{seconds}.wav", seconds).read_bytes() for seconds in (2, 3, 2)]
    answers = [voice(front.device(f"phone-{number}"), sound, "2026-11-25T08:00:00") for number, sound in enumerate(sounds)]
    entries = [answer.json()["record"] for answer in answers]
    assert len({entry["id"] for entry in entries}) == 3 and [int(entry["audioBytes"]) for entry in entries] == [len(sound) for sound in sounds]
    assert not [entry for entry in entries if "deletedAt" in front.hub.reply("Care/Get", {"id": entry["id"]})["record"]]


def test_an_upload_with_less_sound_takes_nothing_away(front, ann, tmp_path):
    sound = recording(tmp_path / "a.wav", 2).read_bytes()
    whole = voice(ann, sound, "recording-less").json()["record"]
    again = voice(ann, sound[:44], "recording-less")
    assert again.status_code == 200 and again.json()["record"]["id"] == whole["id"]
    held = front.hub.reply("Care/Get", {"id": whole["id"]})["record"]
    assert "deletedAt" not in held and int(held["audioBytes"]) == len(sound)


def test_a_large_recording_is_refused_without_being_kept(front, ann):
    answer = voice(ann, b"RIFF" + bytes(33 << 20), "too-large")
    assert answer.status_code == 413


def test_three_megabytes_of_sound_do_not_take_long(front, ann, tmp_path):
    """Only that it is no matter of minutes: how long it takes is measured in Benchmarks."""
    sound = recording(tmp_path / "long.wav", 90).read_bytes()
    began = time.monotonic()
    assert voice(ann, sound, os.urandom(8).hex()).status_code == 200
    assert time.monotonic() - began < 60
