"""Bounds of docs/protocol.md, 9, each pushed past over the wire; those of connections and of waiting keys are in their own files."""
import contextlib
import json
import os
import pathlib
import re
import socket as sockets
import uuid

import pytest
import zmq

from conftest import Wire
from keyed import CurveWire, Key, tcp_hub
from zmtp import MORE, Speaker, ends, frame
from trials import NOBODY, acting_as, daemon, needs_root


@pytest.fixture(scope="module")
def hub():
    with tcp_hub() as hub:
        yield hub


@pytest.fixture
def silence():
    """A server that takes connections and says nothing: who asks it something is busy for a while."""
    with contextlib.closing(sockets.socket()) as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1024)
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def busy(wire, silence, count, service="Contacts"):
    """Sends so many commands that do not end for now."""
    method, body = {"Contacts": ("Contacts/Discover", {"account": {"url": silence}}),
                    "Monica": ("Monica/Login", {"endpoint": silence, "token": "secret"})}[service]
    for _ in range(count):
        wire.send(f"kith.v1.{method}", json.dumps(body).encode(),
                  header={"requestId": str(uuid.uuid4()), "timeoutMs": 120_000})


def refused(wire, sent, reason="INFLIGHT_LIMIT"):
    """How many of so many commands were refused, which is for one reason alone. The hub says of the others that they are accepted."""
    heard, count = set(), 0
    while len(heard) < sent:
        frames = wire.receive(60)
        assert frames is not None, f"nothing was said of {sent - len(heard)} commands"
        header = json.loads(frames[4])
        heard.add(header["requestId"])
        if frames[1] == b"\x03":
            assert header["status"]["reason"] == reason, header
            assert header["status"]["retryAfterMs"] > 0
            count += 1
    return count


@pytest.mark.waits
def test_64_commands_a_connection_128_a_principal_256_a_service_and_448_over_tcp_are_taken(silence):
    with tcp_hub() as hub, contextlib.ExitStack() as closing:
        def connect(key):
            wire = closing.enter_context(CurveWire(hub, key))
            assert wire.is_in()
            return wire

        keys = [Key() for _ in range(5)]
        for number, key in enumerate(keys):
            hub.approve(key, f"busy-{number}", "admin")
        for key in keys[:2]:
            for _ in range(2):
                wire = connect(key)
                busy(wire, silence, 70)
                assert refused(wire, 70) == 6
            third = connect(key)
            busy(third, silence, 3)
            assert refused(third, 3) == 3, "128 a principal"
        last = connect(keys[4])
        busy(last, silence, 3)
        assert refused(last, 3, "QUEUE_FULL") == 3, "256 a service"
        wires = [connect(key) for key in (keys[2], keys[2], keys[3])]
        # A Login ends by itself after ten seconds, so nothing is waited for but the answer to a Ping, which comes after any refusal.
        for wire in wires:
            busy(wire, silence, 64, "Monica")
        for wire in wires:
            assert "status" not in wire.ask("System/Ping")[0]
        busy(last, silence, 3)
        assert refused(last, 3) == 3, "448 over tcp"
        # Ping does not count, and says that everything else is well.
        assert "status" not in last.ask("System/Ping")[0]
        # The admin of this machine can still shut all of them out.
        for number in range(5):
            hub.reply("Keys/Revoke", {"name": f"busy-{number}"})


def subscriber(hub, topics):
    socket = zmq.Context.instance().socket(zmq.SUB)
    socket.linger = 0
    socket.connect(hub.events)
    for topic in topics:
        socket.subscribe(topic)
    return contextlib.closing(socket)


def test_64_subscriptions_of_a_connection_are_served_and_the_65th_cuts_it(hub):
    speaker = Speaker(hub.events, b"SUB")
    with contextlib.closing(speaker.socket):
        speaker.socket.sendall(b"".join(speaker.bytes(b"\x01%d" % number) for number in range(63)) + speaker.bytes(b"\x01j/!head/"))
        assert speaker.receive()[0] == b"j/!head/"
        # One that ends makes room for another.
        speaker.socket.sendall(speaker.bytes(b"\x000") + speaker.bytes(b"\x01x"))
        assert [speaker.receive()[0] for _ in range(2)] == [b"j/!head/"] * 2
        speaker.socket.sendall(speaker.bytes(b"\x01y"))
        assert ends(speaker)


def memory(hub):
    text = pathlib.Path(f"/proc/{hub.process.pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", text)[1]) >> 10


def test_many_topics_cost_the_hub_nothing(hub):
    """Of bytes that have no beginning in common: libzmq keeps them in a trie, whatever they stand for."""
    with subscriber(hub, [b"j/!head/"]) as first:
        assert first.poll(30_000)
    before = memory(hub)
    with subscriber(hub, [os.urandom(64) for _ in range(20_000)]) as greedy, subscriber(hub, [b"j/!head/"]) as other:
        assert other.poll(30_000)
        assert not greedy.poll(1000)
        assert hub.reply("System/Status").get("subscriptions", 0) <= 20
        assert memory(hub) - before < 40
    assert "status" not in hub.ask("System/Ping")[0]


def test_long_topics_cost_the_hub_nothing(hub):
    before = memory(hub)
    # The longest ones for one subscription are cut; of those that may come together one is too much.
    for size, count in ((1 << 19, 1), (1000, 12), (65, 1)):
        for _ in range(12):
            speaker = Speaker(hub.events, b"SUB")
            with contextlib.closing(speaker.socket):
                with contextlib.suppress(ConnectionError):
                    speaker.socket.sendall(b"".join(speaker.bytes(b"\x01" + os.urandom(size)) for _ in range(count)))
                assert ends(speaker)
    assert memory(hub) - before < 40


def test_a_connection_is_answered_for_good():
    """Beyond 25,000 answers: what is counted wrongly for each adds up to the bound of a connection."""
    with daemon() as hub, Wire(hub.control) as wire:
        for number in range(0, 30_000, 50):
            for part in range(50):
                wire.send(header={"requestId": f"{number + part}"})
            assert {wire.final()[0]["requestId"] for _ in range(50)} == {f"{number + part}" for part in range(50)}


def ping(size):
    """A ping in protobuf with so many bytes to be sent back: header and body."""
    length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14])
    return b"\x0a\x04mute", b"\x0a" + length + bytes(size)


def test_a_peer_that_sends_and_does_not_read_is_bounded_in_bytes(hub):
    header, body = ping(64 << 10)
    message = [b"KTHC01", b"\x01", b"kith.v1.System/Ping", b"pb", header, body]
    with contextlib.closing(zmq.Context.instance().socket(zmq.DEALER)) as mute:
        mute.linger, mute.rcvhwm, mute.sndtimeo, mute.immediate = 0, 1, 500, 1
        mute.connect(hub.control)
        assert mute.poll(60_000, zmq.POLLOUT)
        before = memory(hub)
        with contextlib.suppress(zmq.Again):
            for _ in range(1500):
                mute.send_multipart(message)
        # It is answered beside all of them.
        assert "status" not in hub.ask("System/Ping")[0]
        assert memory(hub) - before < 64
    # What was dropped is asked for again, and answered.
    with contextlib.closing(zmq.Context.instance().socket(zmq.DEALER)) as reader:
        reader.linger = 0
        reader.connect(hub.control)
        reader.send_multipart(message)
        assert reader.poll(30_000) and reader.recv_multipart()[5] == body


def test_a_message_without_an_end_is_cut(hub):
    with contextlib.closing(Speaker(hub.control).socket) as raw:
        before = memory(hub)
        raw.settimeout(60)
        with pytest.raises(ConnectionError):
            for _ in range(1000):
                raw.sendall(frame(bytes(64 << 10), MORE))
        assert memory(hub) - before < 32
    assert "status" not in hub.ask("System/Ping")[0]


def test_json_is_bounded_in_depth_for_arrays_too(hub):
    deep = b'{"z":' + b"[" * 17 + b"]" * 17 + b"}"
    with Wire(hub.control) as wire:
        wire.send("kith.v1.Contacts/List", deep)
        assert wire.error() == ("INVALID_ARGUMENT", "MALFORMED")
        wire.send("kith.v1.Contacts/List", b'{"z":' + b"[" * 15 + b'"[[[["' + b"]" * 15 + b"}")
        assert "status" not in wire.final()[0]


@pytest.mark.parametrize("wanted, spoken", [({"minorMax": 7}, 0), ({"minorMin": 0, "minorMax": 0}, 0), ({}, 0)])
def test_the_older_minor_version_is_spoken(hub, wanted, spoken):
    assert hub.reply("System/Hello", wanted).get("minor", 0) == spoken


def test_a_minor_version_that_is_not_spoken_is_refused(hub):
    assert hub.error("System/Hello", {"minorMin": 1, "minorMax": 3}) == ("UNIMPLEMENTED", "MINOR_UNSUPPORTED")


def test_another_major_version_is_answered_over_tcp_too(hub):
    key = Key()
    hub.approve(key, "old")
    with CurveWire(hub, key) as wire:
        assert wire.is_in()
        wire.send(tag=b"KTHC02")
        status = wire.final()[0]["status"]
        assert (status["code"], status["reason"]) == ("UNIMPLEMENTED", "VERSION_UNSUPPORTED")


def test_56_connections_come_in_over_tcp_and_64_in_all(hub):
    keys = [Key() for _ in range(4)]
    for number, key in enumerate(keys):
        hub.approve(key, f"many-{number}")
    with contextlib.ExitStack() as closing:
        server = hub.server_key
        inside = [closing.enter_context(CurveWire(hub, keys[number % 4], server_key=server)) for number in range(56)]
        for wire in inside:
            # Who says nothing for six seconds gives way.
            assert "status" not in wire.ask("System/Ping")[0]
        late = [closing.enter_context(CurveWire(hub, key, server_key=server)) for key in keys]
        assert not any(wire.is_in(0.3) for wire in late)
        # Eight places are for this machine, so that nobody elsewhere keeps its admin out.
        here = [closing.enter_context(contextlib.closing(Wire(hub.control).socket)) for _ in range(8)]
        for socket in here:
            assert socket.poll(20_000, zmq.POLLOUT)
            socket.send_multipart([b"KTHC01", b"\x01", b"kith.v1.System/Ping", b"json", b'{"requestId":"ping"}', b"{}"])
            assert socket.poll(20_000)
        beyond = closing.enter_context(contextlib.closing(Wire(hub.control).socket))
        assert not beyond.poll(300, zmq.POLLOUT)
        beyond.close()
        for wire in inside[:4]:
            wire.close()
        assert all(wire.is_in(60) for wire in late)


@needs_root
def test_other_users_come_in_as_what_the_configuration_says():
    with tcp_hub(f'[users]\n{NOBODY} = "viewer"\n') as hub:
        hub.directory.chmod(0o755)
        assert hub.runtime.stat().st_mode & 0o777 == 0o711
        assert (hub.directory / "state").stat().st_mode & 0o077 == 0

        def tries(user, seconds):
            context = zmq.Context()
            try:
                with acting_as(user):
                    wire = Wire.__new__(Wire)
                    wire.socket = context.socket(zmq.DEALER)
                    wire.socket.linger, wire.socket.immediate, wire.socket.sndtimeo = 0, 1, 30_000
                    wire.socket.connect(hub.control)
                    is_in = wire.socket.poll(seconds * 1000, zmq.POLLOUT) != 0
                    answers = []
                    for method in ("System/Hello", "Keys/List") if is_in else ():
                        wire.send(f"kith.v1.{method}")
                        answers.append(wire.final())
                    return answers
            finally:
                context.destroy(linger=0)

        (_, hello), (keys, _) = tries(NOBODY, 60)
        assert (hello["principal"], hello["role"]) == (f"uid:{NOBODY}", "viewer")
        assert keys["status"]["reason"] == "ROLE_NOT_ALLOWED"
        assert tries(NOBODY - 1, 3) == []
        assert hub.says("user not let in")
