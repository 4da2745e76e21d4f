"""Connections that break while the hub has not read all that came by them: libzmq must not take the hub along."""
import time

import pytest

from keyed import Key, eventually, tcp_hub
from send import HubNotRunning
from zmtp import Speaker

# Takes the hub some milliseconds to read.
COSTLY = b'{"z":[' + b"1," * 39_990 + b"1]}"
# Between two heartbeats of libzmq, when a socket of the hub still had them; counted from the handshake.
BEAT = 5


def ping(body=b"{}"):
    return [b"KTHC01", b"\x01", b"kith.v1.System/Ping", b"json", b'{"requestId":"torn"}', body]


@pytest.fixture(scope="module", params=["ipc", "tcp"])
def reach(request):
    """A hub, and a function that connects to it as a viewer would."""
    with tcp_hub() as hub:
        key = Key()
        hub.approve(key, "torn")
        server_key = hub.server_key.encode()
        if request.param == "ipc":
            yield hub, lambda: Speaker(hub.control)
        else:
            yield hub, lambda: Speaker(hub.tcp(), server_key=server_key, key=key)


def fill(speaker, until):
    """Sends more than the hub reads until a moment, or until the hub has ended the connection."""
    message = ping(COSTLY)
    speaker.socket.settimeout(0.2)
    try:
        while time.monotonic() < until:
            try:
                speaker.socket.sendall(speaker.message(message))
            except TimeoutError:
                # Part of a message went out; no other may follow it.
                time.sleep(max(0, until - time.monotonic()))
    except ConnectionError:
        pass
    speaker.tear()


def stays_up(hub, until):
    """Whether the hub lives until a moment, and answers then or as soon as it has read what is queued."""
    while time.monotonic() < until:
        assert hub.process.poll() is None, hub.log.read_text()[-2000:]
        time.sleep(0.05)
    return eventually(lambda: answers(hub), 60)


def answers(hub):
    assert hub.process.poll() is None, hub.log.read_text()[-2000:]
    try:
        return "status" not in hub.ask("System/Ping", timeout=5)[0]
    except (HubNotRunning, TimeoutError):
        return False


def test_a_connection_that_breaks_before_a_beat(reach):
    hub, connect = reach
    speaker = connect()
    begin = time.monotonic()
    fill(speaker, begin + BEAT - 0.3)
    assert stays_up(hub, begin + BEAT + 1)


def test_a_connection_that_breaks_with_pings_of_zmtp_unread(reach):
    """libzmq answers a PING when it comes to read it, which is after its connection has broken."""
    hub, connect = reach
    for _ in range(4):
        busy, speaker = connect(), connect()
        pings = b"".join(speaker.message(ping()) + speaker.ping() for _ in range(3000))
        try:
            for _ in range(10):
                busy.socket.sendall(busy.message(ping(COSTLY)))
            speaker.socket.settimeout(0.3)
            speaker.socket.sendall(pings)
        except (TimeoutError, ConnectionError):
            pass
        speaker.tear()
        busy.tear()
        assert stays_up(hub, time.monotonic() + 0.5)
