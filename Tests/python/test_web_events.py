"""Events over HTTP: gapless for a reader that comes back, and ended when they have to."""
import concurrent.futures
import signal
import threading
import time

import pytest
from web import Device, door, new_token

SOON = 5


@pytest.fixture(scope="module")
def front():
    with door() as front:
        yield front


@pytest.fixture(scope="module")
def ann(front):
    return front.device("ann")


def record(device, memo="x"):
    return device.reply("Care/Record", {"category": "meal", "memo": memo})


def test_a_reader_learns_of_what_happens(ann):
    with ann.events("care") as events:
        kind, _ = next(events)
        assert kind == "position" and events.id
        written = record(ann)["record"]["id"]
        kind, data = next(events)
        assert kind == "message" and data["header"]["stream"] == "care"
        assert written in str(data["event"])


def test_a_reader_that_comes_back_has_missed_nothing(ann):
    with ann.events("care") as events:
        next(events)
        last = events.id
    for number in range(40):
        record(ann, f"while away {number}")
    with ann.events("care", since=last) as events:
        found = events.sequences("care", 40)
    assert found == list(range(found[0], found[0] + 40))
    # From the middle, by the id of an event.
    with ann.events("care", since=last) as events:
        events.sequences("care", 15)
        middle = events.id
    with ann.events("care", since=middle) as events:
        assert events.sequences("care", 25) == found[15:]


def test_a_position_that_is_unknown_is_told_as_such(front, ann):
    with ann.events("care", since="another-epoch:care=5") as events:
        kinds = [next(events)[0] for _ in range(2)]
    assert "resync" in kinds
    assert ann.ask("GET", "/events", headers={"Last-Event-ID": "nonsense"}).status_code == 400
    assert ann.ask("GET", "/events?streams=nothing").status_code == 400


def test_a_stream_needs_a_token(front):
    assert Device(front, None).ask("GET", "/events").status_code == 401
    assert Device(front, new_token()).ask("GET", "/events").status_code == 401


def test_a_revoked_device_is_out_at_once(front):
    lost = front.device("lost-phone")
    with lost.events("care") as events:
        next(events)
        # The same session asks again below: the answer says that its connection ends, so the session takes another one.
        began = time.monotonic()
        front.hub.reply("Devices/Revoke", {"name": "lost-phone"})
        for _ in events:
            pass
        took = time.monotonic() - began
    # Soon after, and not with the next comment of a quiet stream, which comes each 15 seconds. How soon is measured in Benchmarks.
    assert took < 10, took
    assert lost.post("Care/List").status_code == 401


def test_streams_of_a_device_are_bounded(front):
    device = front.device("greedy")
    opened = []
    try:
        for _ in range(8):
            answer = device.ask("GET", "/events", stream=True)
            assert answer.status_code == 200
            opened.append(answer)
        refused = device.ask("GET", "/events", stream=True)
        assert refused.status_code == 429 and refused.headers["Retry-After"]
    finally:
        for answer in opened:
            answer.close()


def test_the_end_of_the_door_ends_fifty_streams():
    with door() as front:
        devices = [front.device(f"reader-{number}", "viewer") for number in range(10)]
        readers = [device.ask("GET", "/events", stream=True) for device in devices for _ in range(5)]
        assert [reader.status_code for reader in readers] == [200] * 50
        status, took = front.end()
        # A stream that is not ended holds the end up for ten seconds and more.
        assert status == 0 and took < 8, (status, took)
        for reader in readers:
            reader.close()


def test_a_hub_that_is_away_is_told_at_once_and_streams_go_on():
    with door() as front:
        ann = front.device("ann")
        with ann.events("care") as events:
            next(events)
            before = record(ann)
            assert events.sequences("care", 1)
            front.hub.end(signal.SIGKILL)
            kind, data = next(events)
            assert (kind, data) == ("hub", {"state": "away"})
            began = time.monotonic()
            answer = ann.post("Care/List")
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
            assert time.monotonic() - began < 10, "it waited for a hub that is gone"
            assert ann.ask("GET", "/healthz").status_code == 503
            front.hub.start()
            while True:
                kind, data = next(events)
                if (kind, data) == ("hub", {"state": "back"}):
                    break
            end = time.monotonic() + 20
            while ann.post("Care/List").status_code == 503:
                assert time.monotonic() < end
                time.sleep(0.05)
            record(ann)
            assert events.sequences("care", 1)
        assert before


def test_fifty_readers_are_told_of_each_event(front, ann):
    devices = [front.device(f"many-{number}", "viewer") for number in range(10)]
    ready = threading.Barrier(51, timeout=60)

    def read(device):
        with device.events("care") as events:
            next(events)
            ready.wait()
            return events.sequences("care", 20)

    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        readers = [pool.submit(read, device) for device in devices for _ in range(5)]
        ready.wait()
        for number in range(20):
            record(ann, f"told {number}")
        found = [reader.result(60) for reader in readers]
    assert all(numbers == found[0] and numbers == list(range(numbers[0], numbers[0] + 20)) for numbers in found)
