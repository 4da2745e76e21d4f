"""How many may be connected to a plane at once: more wait outside, and come in when somebody leaves."""
import contextlib

import pytest
import zmq

from conftest import Wire

WAIT = 20_000


def listener(hub):
    socket = zmq.Context.instance().socket(zmq.SUB)
    socket.linger = 0
    socket.subscribe(b"j/!head/")
    socket.connect(hub.events)
    return socket


def speaker(hub):
    return Wire(hub.control).socket


def worker(hub):
    return Wire(f"ipc://{hub.runtime}/work.sock").socket


@pytest.mark.parametrize("plane, limit", [(speaker, 64), (listener, 128), (worker, 64)], ids=["control", "events", "work"])
def test_a_full_plane_lets_nobody_in_until_one_leaves(hub, plane, limit):
    def is_in(socket, milliseconds=WAIT):
        """A command socket takes messages once it is connected, a subscriber gets the positions."""
        return socket.poll(milliseconds, zmq.POLLIN if plane is listener else zmq.POLLOUT) != 0

    with contextlib.ExitStack() as closing:
        inside = [plane(hub) for _ in range(limit)]
        for socket in inside:
            closing.callback(socket.close)
            assert is_in(socket)
        late = [plane(hub) for _ in range(3)]
        for socket in late:
            closing.callback(socket.close)
        assert not any(is_in(socket, 300) for socket in late), "more are in than the limit"
        assert all(is_in(socket) for socket in inside)
        for socket in inside[: len(late)]:
            socket.close()
            poller = zmq.Poller()
            for other in late:
                poller.register(other, zmq.POLLIN if plane is listener else zmq.POLLOUT)
            came = [other for other, _ in poller.poll(WAIT)]
            assert len(came) == 1, "one has to come in where one has left"
            late.remove(came[0])
