"""Subscribers beside a peer that sends more than subscriptions: each gets what it asked for, and nobody else's.

A subscription is one frame, 1 and the topic, or 0 and the topic to end it (ZeroMQ RFC 29). XSUB can send any other message as well.
"""
import contextlib

import pytest

from keyed import tcp_hub
from zmtp import Speaker, ends

# Ahead of what matters, so that the hub is still reading when the others come: as many as one connection may send at once.
AHEAD = b"\0"
AHEAD_COUNT = 5000


@pytest.fixture(scope="module")
def hub():
    with tcp_hub() as hub:
        yield hub


@pytest.mark.parametrize("leaves", [False, True], ids=["stays", "leaves"])
def test_a_message_of_one_peer_leaves_the_subscriptions_of_others_alone(hub, leaves):
    """libzmq once lost count of whose subscription was read, and gave the topic to the next peer, which may have gone."""
    for _ in range(8):
        with contextlib.ExitStack() as closing:
            bad, first, second = (closing.enter_context(contextlib.closing(Speaker(hub.events, kind)))
                                  for kind in (b"XSUB", b"SUB", b"SUB"))
            bad.socket.sendall(bad.bytes(AHEAD) * AHEAD_COUNT + bad.bytes(b"\2user"))
            first.socket.sendall(first.bytes(b"\1j/!head/"))
            second.socket.sendall(second.bytes(b"\1p/!head/"))
            if leaves:
                second.close()
            first.socket.settimeout(20)
            assert first.receive()[0] == b"j/!head/"
            if not leaves:
                second.socket.settimeout(20)
                assert second.receive()[0] == b"p/!head/"
    assert "status" not in hub.ask("System/Ping")[0]


@pytest.mark.parametrize("frames", [
    [b""], [b"\2user"], [b"\2", b"\1j/!head/"], [b"\2"] * 20 + [b"\1j/!head/"]],
    ids=["empty", "user", "two frames", "many frames"])
def test_who_sends_anything_but_subscriptions_is_cut(hub, frames):
    """libzmq takes subscriptions out of the later frames of a message too, where the hub does not count them."""
    with contextlib.closing(Speaker(hub.events, b"XSUB")) as bad:
        bad.socket.sendall(bad.message(frames))
        assert ends(bad)
