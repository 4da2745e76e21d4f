"""A kithd that serves tcp as well, and clients with keys of their own."""
import contextlib
import hashlib
import json
import pathlib
import random
import socket as sockets
import subprocess
import threading
import time

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from conftest import BINARIES, CONFIGURATION, Hub, Wire

PORTS = 6
# Held while this process lives, so that no other process of tests takes the same ports.
claims = []


def free_ports(count=PORTS):
    """The first of so many ports in a row that nobody has."""
    for first in random.sample(range(20_000, 32_000, 10), 1_200):
        with contextlib.ExitStack() as held:
            try:
                claim = sockets.socket(sockets.AF_UNIX)
                claim.bind(f"\0kith-test-ports-{first}")
                claims.append(claim)
                for port in range(first, first + count):
                    held.enter_context(contextlib.closing(sockets.socket())).bind(("127.0.0.1", port))
                return first
            except OSError:
                continue
    raise OSError("no free ports")


class Key:
    """A client's pair."""

    def __init__(self):
        self.public, self.secret = zmq.curve_keypair()
        self.fingerprint = hashlib.sha256(z85.decode(self.public)).hexdigest()[:16]

    def file(self, path, *servers):
        lines = [f"secret {self.secret.decode()}", f"public {self.public.decode()}", *(f"server {key}" for key in servers)]
        path.write_text("\n".join(lines) + "\n")
        path.chmod(0o600)
        return path


class TCPHub(Hub):
    """A kithd on ipc and on ports of the loopback."""

    def __init__(self, configuration=""):
        super().__init__()
        self.port = free_ports()
        (self.directory / "config.toml").write_text(
            f'{CONFIGURATION}\n{configuration}\n[tcp]\naddress = "127.0.0.1"\nport = {self.port}\n')

    def tcp(self, plane="control", next_key=False):
        return f"tcp://127.0.0.1:{self.port + ('control', 'events', 'work').index(plane) + (3 if next_key else 0)}"

    @property
    def server_key(self):
        # The hub answers a moment before it has read its keys.
        assert eventually(lambda: "publicKeyZ85" in self.reply("Keys/Server"))
        return self.reply("Keys/Server")["publicKeyZ85"]

    def approve(self, key, name, role="viewer", **more):
        return self.reply("Keys/Approve", {"publicKeyZ85": key.public.decode(), "name": name, "role": role, **more})

    def pending(self):
        return [key["fingerprint"] for key in self.reply("Keys/List").get("pending", [])]

    def waits(self, key, seconds=30):
        """Whether the hub comes to have a key among those that wait."""
        return eventually(lambda: key.fingerprint in self.pending(), seconds)

    def says(self, text, seconds=30):
        """Whether the log comes to say something."""
        return eventually(lambda: text in self.log.read_text(), seconds)

    def kith(self, *arguments, code=0, timeout=60):
        """What `kith` prints when it ends with a code."""
        result = subprocess.run(
            [BINARIES / "kith", *arguments], capture_output=True, text=True, timeout=timeout, cwd=self.directory)
        assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
        return result.stdout if code == 0 else result.stderr

    def local(self, *arguments, **options):
        return self.kith("--runtime-dir", self.runtime, *arguments, **options)

    def remote(self, file, *arguments, **options):
        return self.kith("--hub", self.tcp(), "--key", file, *arguments, **options)


def eventually(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class CurveWire(Wire):
    """A socket of a client with a key."""

    def __init__(self, hub, key, *, plane="control", kind=zmq.DEALER, server_key=None, endpoint=None, topics=()):
        self.socket = zmq.Context.instance().socket(kind)
        self.socket.linger, self.socket.sndtimeo = 0, 30_000
        if kind == zmq.DEALER:
            self.socket.immediate = 1
        self.socket.reconnect_ivl = 50
        for topic in topics:
            self.socket.subscribe(topic)
        self.socket.curve_serverkey = (server_key or hub.server_key).encode()
        self.socket.curve_publickey, self.socket.curve_secretkey = key.public, key.secret
        # Without the event that the monitor ends: libzmq would wait for a reader of it, and close no socket of the process any more.
        self.monitor = self.socket.get_monitor_socket(zmq.EVENT_ALL & ~zmq.EVENT_MONITOR_STOPPED)
        self.socket.connect(endpoint or hub.tcp(plane))

    def close(self):
        if self.socket.closed:
            return
        self.socket.disable_monitor()
        self.monitor.close()
        super().close()

    def ask(self, method, body=None, seconds=30):
        """(header, body) of the FINAL."""
        assert self.is_in(seconds), "not let in"
        self.send(f"kith.v1.{method}", json.dumps(body or {}).encode())
        return self.final(seconds)

    def is_in(self, seconds=30):
        """Whether commands can be sent."""
        return self.socket.poll(seconds * 1000, zmq.POLLOUT) != 0

    def event(self, *kinds, seconds=30):
        """The next event of the connection that is one of these; None when none comes."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self.monitor.poll(left * 1000):
            event = recv_monitor_message(self.monitor)
            if event["event"] in kinds:
                return event
        return None


@contextlib.contextmanager
def strangers(hub, *planes):
    """While keys that nobody knows knock without end, at planes that may be named twice. Gives how many have."""
    over, tried, server = threading.Event(), [0] * len(planes), hub.server_key

    def knock(number):
        while not over.is_set():
            wires = [CurveWire(hub, Key(), plane=planes[number], server_key=server) for _ in range(40)]
            time.sleep(0.1)
            for wire in wires:
                wire.close()
            tried[number] += len(wires)

    threads = [threading.Thread(target=knock, args=[number]) for number in range(len(planes))]
    for thread in threads:
        thread.start()
    try:
        yield lambda: sum(tried)
    finally:
        over.set()
        for thread in threads:
            thread.join()


@contextlib.contextmanager
def tcp_hub(configuration=""):
    hub = TCPHub(configuration)
    try:
        hub.start()
        # It answers over ipc a moment before it listens to others.
        assert hub.says("tcp is served"), hub.log.read_text()[-2000:]
        yield hub
        assert hub.end() in (0, None), hub.log.read_text()[-2000:]
    finally:
        hub.remove()


def files_with(directory, *needles):
    """The files below a directory in which one of these bytes stands."""
    found = []
    for path in pathlib.Path(directory).rglob("*"):
        # One that was there a moment ago may be gone.
        with contextlib.suppress(FileNotFoundError):
            if path.is_file() and any(needle in path.read_bytes() for needle in needles):
                found.append(path.relative_to(directory).as_posix())
    return sorted(found)
