"""What a machine on the way between a client and the hub can read and do."""
import contextlib
import socket
import threading

import pytest

from keyed import CurveWire, Key, eventually, tcp_hub

NAME = "Quetzalcoatlus"
# A client's greeting and its HELLO (ZeroMQ RFC 37 and 26), after which it waits for the hub's WELCOME.
BEGINNING = 64 + 2 + 200


class Between:
    """Passes bytes on between clients and the hub, and keeps them all."""

    def __init__(self, port):
        self.port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        # What clients sent, and what the hub did.
        self.sent, self.answered = bytearray(), bytearray()
        # Is given the next bytes of a client, once, and gives what goes to the hub in their place.
        self.change = None
        self.sockets = [self.listener]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                hub = socket.create_connection(("127.0.0.1", self.port))
                self.sockets += [client, hub]
                threading.Thread(target=self.carry, args=[client, hub, self.sent], daemon=True).start()
                threading.Thread(target=self.carry, args=[hub, client, self.answered], daemon=True).start()

    def carry(self, source, target, kept):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                kept += data
                if kept is self.sent and self.change:
                    change, self.change = self.change, None
                    data = change(data)
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        for each in self.sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@pytest.fixture(scope="module")
def hub():
    with tcp_hub() as hub:
        hub.recorder = Key()
        hub.approve(hub.recorder, "laptop", "recorder")
        yield hub


@pytest.fixture
def between(hub):
    with contextlib.closing(Between(hub.port)) as between:
        yield between


def names(hub):
    return [person.get("firstName", "") for person in hub.reply("People/List").get("people", [])]


def test_who_listens_reads_neither_commands_nor_answers(hub, between):
    with CurveWire(hub, hub.recorder, endpoint=between.endpoint) as wire:
        assert "status" not in wire.ask("People/Create", {"record": {"firstName": NAME}})[0]
        assert NAME in str(wire.ask("People/List")[1])
    for kept in (between.sent, between.answered):
        # It did pass by here.
        assert b"CURVE" in kept and len(kept) > 500
        for text in (NAME, "kith.v1", "People", "KTHC01", "requestId", "laptop"):
            assert text.encode() not in kept, text


def changed(data):
    """With the last byte another one: of the box around the body."""
    return data[:-1] + bytes([data[-1] ^ 1])


def repeated(data):
    return data + data


@pytest.mark.parametrize("change, effects", [(changed, 0), (repeated, 1)])
def test_bytes_that_were_changed_or_repeated_do_nothing(hub, between, change, effects):
    """The hub reads no further there: libzmq 4.3.4 may keep the connection open. A client comes again over a new one."""
    name, refused = f"{NAME} {change.__name__}", "peer not let in"
    with CurveWire(hub, hub.recorder, endpoint=between.endpoint) as wire:
        assert "status" not in wire.ask("System/Ping")[0]
        before = hub.log.read_text().count(refused)
        between.change = change
        wire.send("kith.v1.People/Create", f'{{"record": {{"firstName": "{name}"}}}}'.encode())
        assert eventually(lambda: hub.log.read_text().count(refused) > before)
    with CurveWire(hub, hub.recorder, endpoint=between.endpoint) as wire:
        assert wire.ask("System/Hello")[1]["principal"] == "key:laptop"
    assert eventually(lambda: names(hub).count(name) == effects)


def test_what_was_recorded_cannot_be_played_to_the_hub_again(hub, between):
    with CurveWire(hub, hub.recorder, endpoint=between.endpoint) as wire:
        assert "status" not in wire.ask("People/Create", {"record": {"firstName": NAME + " recorded"}})[0]
    with socket.create_connection(("127.0.0.1", hub.port), timeout=30) as raw:
        answered = bytearray()
        raw.sendall(between.sent[:BEGINNING])
        while b"WELCOME" not in answered:
            assert (data := raw.recv(1 << 16)), "it was cut before what matters"
            answered += data
        # The hub made another key for this connection, which what was recorded does not know.
        with contextlib.suppress(ConnectionError):
            raw.sendall(between.sent[BEGINNING:])
            while data := raw.recv(1 << 16):
                answered += data
    assert b"READY" not in answered and b"MESSAGE" not in answered
    assert names(hub).count(NAME + " recorded") == 1
