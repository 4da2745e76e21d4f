"""Commands that one connection sends without waiting: they take effect in the order in which they were sent."""
import contextlib
import hashlib
import json
import random
import socket
import time
import uuid

import pytest

from conftest import Wire

CHUNK = 256 * 1024
FINAL = b"\x03"


@pytest.fixture
def silence():
    """A server that takes connections and says nothing."""
    with contextlib.closing(socket.socket()) as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def sent(wire, method, body, attachments=()):
    """Sends a command and does not wait; returns its request id."""
    request = str(uuid.uuid4())
    wire.send(f"kith.v1.{method}", json.dumps(body).encode(), more=attachments, header={"requestId": request})
    return request


def answers(wire, count):
    """The headers and bodies of so many FINALs, by request id, in the order in which they came."""
    found = {}
    while len(found) < count:
        frames = wire.receive()
        assert frames is not None, f"{len(found)} of {count} answers"
        if frames[1] == FINAL:
            header = json.loads(frames[4])
            found[header["requestId"]] = (header, json.loads(frames[5] or b"{}"))
    return found


def cancel(hub, request):
    """Cancels a command that was just sent, and may not have arrived, since it came by another connection."""
    while not hub.reply("System/Cancel", {"requestId": request}):
        time.sleep(0.05)


def test_updates_of_an_entry(wire, shared_hub):
    entry = shared_hub.reply("Care/Record", {"category": "meal", "memo": "0"})["record"]["id"]
    for round_ in range(60):
        words = [f"{round_} {word}" for word in ("first", "second", "third", "fourth")]
        requests = [sent(wire, "Care/Update", {"record": {"id": entry, "memo": word}, "fields": ["memo"]})
                    for word in words]
        found = answers(wire, len(requests))
        assert [found[request][1]["record"]["memo"] for request in requests] == words
        assert shared_hub.reply("Care/Get", {"id": entry})["record"]["memo"] == words[-1], f"round {round_}"


def test_changes_of_different_services(wire, shared_hub, name):
    """What looks at the store, and at files, before it writes comes after what was sent before it, too."""
    for _ in range(20):
        requests = [
            sent(wire, "Channels/Add", {"channel": {"name": name, "ntfy": {"topic": "a"}}}),
            sent(wire, "Channels/SetCredentials", {"name": name, "secret": "s"}),
            sent(wire, "Channels/Remove", {"name": name}),
            sent(wire, "Channels/Remove", {"name": name}),
        ]
        found = answers(wire, len(requests))
        assert ["status" in found[request][0] for request in requests] == [False, False, False, True], found


def test_pieces_of_a_blob(wire, shared_hub):
    for seed in range(20):
        data = random.Random(seed).randbytes(8 * CHUNK)
        digest = hashlib.sha256(data).hexdigest()
        shared_hub.reply("System/BlobOpen", {"blob": {"sha256": digest, "size": str(len(data))}})
        requests = [sent(wire, "System/BlobPut", {"sha256": digest, "offset": str(at)}, [data[at:at + CHUNK]])
                    for at in range(0, len(data), CHUNK)]
        requests.append(sent(wire, "System/BlobPut", {"sha256": digest, "offset": str(len(data))}, [b""]))
        found = answers(wire, len(requests))
        assert not [found[request][0]["status"] for request in requests if "status" in found[request][0]]
        assert found[requests[-1]][1]["complete"] is True


def test_a_command_that_fails_holds_nobody_up(wire, shared_hub):
    entry = shared_hub.reply("Care/Record", {"category": "meal", "memo": "0"})["record"]["id"]
    requests = [
        sent(wire, "Care/Update", {"record": {"id": "nobody", "memo": "1"}, "fields": ["memo"]}),
        sent(wire, "Care/Update", {"record": {"id": entry, "memo": "2"}, "fields": ["memo"]}),
        sent(wire, "Care/Update", {"record": 3}),
        sent(wire, "Care/Update", {"record": {"id": entry, "memo": "4"}, "fields": ["memo"]}),
    ]
    found = answers(wire, len(requests))
    assert ["status" in found[request][0] for request in requests] == [True, False, True, False]
    assert shared_hub.reply("Care/Get", {"id": entry})["record"]["memo"] == "4"


def test_a_long_command_holds_nobody_up(wire, shared_hub, silence):
    """A server that does not answer keeps those who asked it waiting, and no other command of their connection."""
    entry = shared_hub.reply("Care/Record", {"category": "meal", "memo": "0"})["record"]["id"]
    login = sent(wire, "Monica/Login", {"endpoint": silence, "token": "secret"})
    # Joins the first, so it is no place in the order either.
    wire.send("kith.v1.Monica/Login", json.dumps({"endpoint": silence, "token": "secret"}).encode(),
              header={"requestId": str(uuid.uuid4()), "idempotencyKey": login})
    update = sent(wire, "Care/Update", {"record": {"id": entry, "memo": "1"}, "fields": ["memo"]})
    assert answers(wire, 1)[update][1]["record"]["memo"] == "1"
    cancel(shared_hub, login)
    assert {header["status"]["reason"] for header, _ in answers(wire, 2).values()} == {"CANCELLED_BY_USER"}


def test_a_command_is_cancelled_right_behind_it(wire, silence):
    """Sent by one connection, the command has arrived, whether or not it has begun."""
    for _ in range(50):
        login = sent(wire, "Monica/Login", {"endpoint": silence, "token": "secret"})
        order = sent(wire, "System/Cancel", {"requestId": login})
        found = answers(wire, 2)
        assert found[order][1] == {"cancelled": True}
        assert found[login][0]["status"]["reason"] == "CANCELLED_BY_USER"


def test_a_command_that_has_a_key_is_cancelled_by_its_request_id(wire, shared_hub, silence):
    request = str(uuid.uuid4())
    wire.send("kith.v1.Monica/Login", json.dumps({"endpoint": silence, "token": "secret"}).encode(),
              header={"requestId": request, "idempotencyKey": str(uuid.uuid4())})
    cancel(shared_hub, request)
    assert answers(wire, 1)[request][0]["status"]["reason"] == "CANCELLED_BY_USER"
