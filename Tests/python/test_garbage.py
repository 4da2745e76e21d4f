"""30,000 messages that are wrong in every way: the hub stays up, stays small, and a good client does not notice."""
import json
import pathlib
import random
import socket
import threading
import time
import uuid

import pytest
import zmq

from conftest import seed, tally
from garbage import Garbage
from trials import add_folder, contacts, daemon, make_folder, sync

MESSAGES = 30_000
WARM_UP = 3_000
SEED = seed(4711)
LONGEST_WAIT = 5.0  # seconds
GROWTH = 5 * 1024   # KiB


def memory(pid):
    """(RssAnon, RssShmem) in KiB. Pages of code are not counted: kithd gives them back after its start, and those that run come again."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem"))}
    return sizes["RssAnon"], sizes["RssShmem"]


class GoodClient(threading.Thread):
    """Pings and lists on one connection for as long as it is let, and notes how long it waited."""

    def __init__(self, hub, expected):
        super().__init__(daemon=True)
        self.hub, self.expected = hub, expected
        self.waits, self.faults = [], []
        self.ends = threading.Event()

    def run(self):
        wire = zmq.Context.instance().socket(zmq.DEALER)
        wire.linger, wire.immediate, wire.sndtimeo = 0, 1, 30_000
        wire.connect(self.hub.control)
        try:
            while not self.ends.wait(0.01):
                method = "Contacts/List" if len(self.waits) % 5 == 0 else "System/Ping"
                self.waits.append(self.ask(wire, method))
        except Exception as fault:
            self.faults.append(repr(fault))
        finally:
            wire.close()

    def ask(self, wire, method):
        request_id = str(uuid.uuid4())
        start = time.monotonic()
        wire.send_multipart([b"KTHC01", b"\x01", f"kith.v1.{method}".encode(), b"json",
                             json.dumps({"requestId": request_id}).encode(), b'{"limit": 50}' if "List" in method else b"{}"])
        while wire.poll(60_000):
            frames = wire.recv_multipart()
            if frames[1] == b"\x03":
                header, body = json.loads(frames[4]), json.loads(frames[5])
                assert header["requestId"] == request_id and "status" not in header, header
                assert "List" not in method or len(body["contacts"]) == self.expected
                return time.monotonic() - start
        raise AssertionError(f"{method} was not answered in 60 s")

    def finish(self):
        self.ends.set()
        self.join(90)
        assert not self.faults and not self.is_alive(), self.faults
        return self.waits


class BadClient:
    """Sends garbage on a few connections, now and then on new ones, and reads what comes back."""

    CONNECTIONS = 4

    def __init__(self, hub, start):
        self.hub = hub
        self.garbage = Garbage(start)
        self.random = random.Random(start)
        self.sockets = [self.connect(zmq.DEALER, hub.control) for _ in range(self.CONNECTIONS)]
        self.subscriber = self.connect(zmq.XSUB, hub.events)
        self.answers = 0

    @staticmethod
    def connect(kind, endpoint):
        wire = zmq.Context.instance().socket(kind)
        wire.linger, wire.immediate, wire.sndtimeo = 0, 1, 30_000
        wire.connect(endpoint)
        return wire

    def send(self, count):
        for number in range(count):
            if number % 10 == 9:
                self.subscriber.send_multipart(self.garbage.subscription())
            else:
                self.random.choice(self.sockets).send_multipart(self.garbage.message())
            if number % 32 == 31:
                self.read()
            if number % 1000 == 999:
                self.renew()

    def read(self):
        """Lets the hub catch up: a good request on each connection is answered after the bad ones before it."""
        for wire in self.sockets:
            wire.send_multipart([b"KTHC01", b"\x01", b"kith.v1.System/Ping", b"json", b'{"requestId": "catch-up"}', b"{}"])
            while wire.poll(30_000):
                self.answers += 1
                if b'"catch-up"' in wire.recv_multipart()[4]:
                    break
            else:
                raise AssertionError("the hub does not answer a good request on a bad connection")
        while self.subscriber.poll(0):
            self.subscriber.recv_multipart()

    def renew(self):
        place = self.random.randrange(len(self.sockets))
        self.sockets[place].close()
        self.sockets[place] = self.connect(zmq.DEALER, self.hub.control)
        self.subscriber.close()
        self.subscriber = self.connect(zmq.XSUB, self.hub.events)
        self.noise()

    def noise(self):
        """Bytes that are not even ZMTP."""
        for endpoint in (self.hub.control, self.hub.events):
            with socket.socket(socket.AF_UNIX) as raw:
                raw.connect(endpoint.removeprefix("ipc://"))
                raw.settimeout(1)
                try:
                    raw.sendall(self.random.randbytes(self.random.choice([1, 10, 64, 5000])))
                except OSError:
                    pass

    def close(self):
        for wire in (*self.sockets, self.subscriber):
            wire.close()


def test_garbage_harms_nobody(tmp_path):
    make_folder(tmp_path / "cards", 60)
    with daemon() as hub:
        add_folder(hub, "good", tmp_path / "cards")
        assert sync(hub, "good")["live"] == 60
        before = contacts(hub, "good")
        bad, good = BadClient(hub, SEED), GoodClient(hub, 50)
        good.start()
        try:
            start = time.monotonic()
            bad.send(WARM_UP)
            warm = memory(hub.process.pid)
            bad.send(MESSAGES - WARM_UP)
            growth = [after - earlier for after, earlier in zip(memory(hub.process.pid), warm)]
            seconds = time.monotonic() - start
        finally:
            bad.close()
            assert hub.process.poll() is None, f"kithd ended: {hub.log.read_text()[-2000:]}"
            waits = good.finish()
        assert len(waits) > 50 and max(waits) <= LONGEST_WAIT, max(waits)
        assert max(growth) <= GROWTH, f"RssAnon and RssShmem grew by {growth} KiB"
        assert contacts(hub, "good") == before
        assert "INTERNAL" not in hub.log.read_text() and "log_id" not in hub.log.read_text()
        assert hub.end() == 0
    tally(inputs=MESSAGES)
    print(f"{MESSAGES} bad messages in {seconds:.1f} s, {bad.answers} answered: memory grew by {growth} KiB over "
          f"{warm}, the good client waited {max(waits) * 1000:.0f} ms at most in {len(waits)} calls")
