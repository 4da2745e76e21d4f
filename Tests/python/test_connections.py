"""How many may be connected to a plane at once, and from one key: more wait outside, and come in when somebody leaves."""
import contextlib
import resource
import socket as sockets
import threading

import pytest
import zmq

from conftest import Wire
from keyed import CurveWire, Key, tcp_hub
from zmtp import Speaker

WAIT = 20_000
SHARE = 16
PING = [b"KTHC01", b"\x01", b"kith.v1.System/Ping", b"json", b'{"requestId":"ping"}', b"{}"]
# Each is answered; a subscriber has said something by subscribing.
WORDS = {"control": PING, "events": None, "work": [b"KTHW01", b"?"]}
PLANES = pytest.mark.parametrize("plane", WORDS)


def local(hub, plane):
    if plane != "events":
        return Wire(f"ipc://{hub.runtime}/{plane}.sock").socket
    socket = zmq.Context.instance().socket(zmq.SUB)
    socket.linger = 0
    socket.subscribe(b"j/!head/")
    socket.connect(hub.events)
    return socket


def flag(plane):
    """A subscriber that is in gets the positions, others can send."""
    return zmq.POLLIN if plane == "events" else zmq.POLLOUT


def speaks(socket, plane, milliseconds=WAIT):
    """Whether it comes in. It says something then: who says nothing for six seconds gives way when all places are taken."""
    if not socket.poll(milliseconds, flag(plane)):
        return False
    if WORDS[plane]:
        socket.send_multipart(WORDS[plane])
        assert socket.poll(WAIT)
    return True


@pytest.mark.parametrize("plane, limit", [("control", 64), ("events", 128), ("work", 64)])
def test_a_full_plane_lets_nobody_in_until_one_leaves(hub, plane, limit):
    with contextlib.ExitStack() as closing:
        inside = [local(hub, plane) for _ in range(limit)]
        for socket in inside:
            closing.callback(socket.close)
            assert speaks(socket, plane)
        late = [local(hub, plane) for _ in range(3)]
        for socket in late:
            closing.callback(socket.close)
        assert not any(socket.poll(300, flag(plane)) for socket in late), "more are in than the limit"
        assert all(socket.poll(WAIT, flag(plane)) for socket in inside)
        for socket in inside[: len(late)]:
            socket.close()
            poller = zmq.Poller()
            for other in late:
                poller.register(other, flag(plane))
            came = [other for other, _ in poller.poll(WAIT)]
            assert len(came) == 1, "one has to come in where one has left"
            late.remove(came[0])


@pytest.fixture(scope="module")
def open_hub():
    with tcp_hub() as hub:
        yield hub


def remote(hub, key, plane):
    subscriber = dict(kind=zmq.SUB, topics=[b"j/!head/"]) if plane == "events" else {}
    return CurveWire(hub, key, plane=plane, **subscriber)


@PLANES
def test_a_key_has_its_share_of_a_plane_and_others_come_in(open_hub, plane):
    role = dict(role="worker", services=["transcriber"]) if plane == "work" else {}
    greedy, other = Key(), Key()
    open_hub.approve(greedy, f"greedy-{plane}", **role)
    open_hub.approve(other, f"other-{plane}", **role)
    with contextlib.ExitStack() as closing:
        wires = [closing.enter_context(remote(open_hub, greedy, plane)) for _ in range(SHARE)]
        assert all(speaks(wire.socket, plane) for wire in wires)
        beyond = closing.enter_context(remote(open_hub, greedy, plane))
        assert not beyond.socket.poll(300, flag(plane))
        assert open_hub.says("no place for another connection")
        assert speaks(closing.enter_context(remote(open_hub, other, plane)).socket, plane)
        wires[0].close()
        assert speaks(beyond.socket, plane)


def test_who_says_nothing_keeps_no_place_from_others(open_hub):
    """Of the 56 places over tcp."""
    server_key = open_hub.server_key.encode()
    keys = [Key() for _ in range(5)]
    for number, key in enumerate(keys):
        open_hub.approve(key, f"silent-{number}")
    with contextlib.ExitStack() as closing:
        silent = []
        for number in range(56):
            speaker = Speaker(open_hub.tcp(), server_key=server_key, key=keys[number % 4], timeout=60)
            silent.append(closing.enter_context(contextlib.closing(speaker.socket)))
        wire = closing.enter_context(CurveWire(open_hub, keys[4]))
        # Told to come later while they are young, it tries again by itself.
        assert "status" not in wire.ask("System/Ping")[0]
        assert silent[0].recv(1) == b""
        # The others are still in: a connection that is cut can be read to its end.
        for socket in silent[1:]:
            socket.setblocking(False)
            with pytest.raises(BlockingIOError):
                socket.recv(1)


def test_the_share_is_in_the_configuration():
    with tcp_hub("[limits]\nconnections_per_key = 1\n") as hub, contextlib.ExitStack() as closing:
        key = Key()
        hub.approve(key, "one")
        first, second = (closing.enter_context(CurveWire(hub, key)) for _ in range(2))
        sockets = [first.socket, second.socket]
        poller = zmq.Poller()
        for socket in sockets:
            poller.register(socket, zmq.POLLOUT)
        ((inside, _),) = poller.poll(WAIT)
        assert speaks(inside, "control")
        outside = sockets[1 - sockets.index(inside)]
        assert not outside.poll(300, zmq.POLLOUT)
        (first if inside is first.socket else second).close()
        assert speaks(outside, "control")


@contextlib.contextmanager
def callers(*addresses):
    """While connections that say nothing are opened without end, 1,500 of them at a time for each address. Gives how many were."""
    over, made = threading.Event(), [0] * len(addresses)

    def call(number):
        held = []
        while not over.is_set():
            address = addresses[number]
            caller = sockets.socket(sockets.AF_UNIX if isinstance(address, str) else sockets.AF_INET)
            caller.settimeout(1)
            held.append(caller)
            # The hub may cut it before it is made.
            with contextlib.suppress(OSError):
                caller.connect(address)
                made[number] += 1
            if len(held) > 1500:
                held.pop(0).close()
        for caller in held:
            caller.close()

    threads = [threading.Thread(target=call, args=[number]) for number in range(len(addresses))]
    for thread in threads:
        thread.start()
    try:
        yield lambda: min(made)
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_connections_without_end_neither_end_the_hub_nor_keep_others_out():
    """libzmq ends a process that has no descriptor left for a connection over ipc; there are 1,024 by default."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(8192, hard)), hard))
    with tcp_hub() as hub:
        resource.prlimit(hub.process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
        key = Key()
        hub.approve(key, "good")
        with CurveWire(hub, key) as inside:
            assert "status" not in inside.ask("System/Ping")[0]
            with callers(("127.0.0.1", hub.port), hub.control.removeprefix("ipc://")) as made:
                # From another address, since the half of those that may be silent is left to others.
                elsewhere = CurveWire(hub, key, endpoint=f"tcp://127.0.0.2:0;127.0.0.1:{hub.port}")
                with elsewhere:
                    while made() < 5000:
                        assert "status" not in inside.ask("System/Status")[0]
                    assert "status" not in elsewhere.ask("System/Ping")[0]
        assert hub.process.poll() is None
        assert "status" not in hub.ask("System/Ping")[0]
