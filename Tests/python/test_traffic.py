"""What is counted of libzmq's connections (Sources/CTraffic), on real sockets, in processes of their own.

The library is loaded before all others, as the hub's own definitions come before those of the C library. This file is the test, and with
the name of a trial the program that is tried.
"""
import contextlib
import fcntl
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import time

import pytest
import zmq

from keyed import eventually
from traffic import Plane, anonymous_memory, flood, limit
from zmtp import COMMAND, LONG, Speaker, command, frame, metadata

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "CTraffic"
SIZES = [0, 1, 50, 222, 223, 255, 256, 8192, 70_000]
MIB = 1 << 20


# MARK: - Trials


def nothing_is_left_of_an_exchange(over):
    limit(64 * MIB, 64 * MIB, 64 * MIB, 64 * MIB)
    plane = Plane(over)
    client = plane.client()
    for number in range(1500):
        frames = [bytes(SIZES[(number + index) % len(SIZES)]) for index in range(number % 4 + 1)]
        client.send_multipart(frames)
        peer, _ = plane.take()
        assert plane.offer(peer, frames)
        assert client.poll(20_000) and client.recv_multipart() == frames
        assert eventually(lambda: plane.totals.unsent == 0), f"{plane.totals.unsent} B are said to be unsent after {number + 1} answers"
        assert plane.totals.received == 0, f"{plane.totals.received} B are said to be held after {number + 1} messages"


def nothing_is_left_of_subscriptions(over):
    limit(64 * MIB, 64 * MIB)
    plane = Plane(over, zmq.XPUB)
    client = plane.client(zmq.SUB)
    for number in range(300):
        client.subscribe(b"x" * (number + 1))
        plane.take()
    for number in range(300):
        client.unsubscribe(b"x" * (number + 1))
        plane.take()
    assert plane.totals.received == 0, plane.totals.received


def a_small_frame_does_not_keep_the_buffer_of_its_reading(over):
    """Frames of a message that does not end are kept, so each would keep a buffer of 18 KiB, of which it touches two."""
    limit(64 * MIB, 64 * MIB)
    plane = Plane(over)
    speaker = plane.speaker()
    before, memory = plane.totals.received, anonymous_memory()
    for number in range(1000):
        speaker.socket.sendall(sent := speaker.bytes(bytes(40), more=True))
        # Read by itself.
        while plane.totals.received < before + (number + 1) * len(sent):
            os.sched_yield()
    assert anonymous_memory() - memory < MIB


def heartbeats_cost_nothing():
    limit(64 * MIB, 64 * MIB)
    plane = Plane()
    client = plane.client(heartbeat_ivl=1)
    client.send(b"here")
    plane.take()
    time.sleep(1)
    client.send(b"still here")
    plane.take()
    assert plane.totals.received == 0 and plane.totals.cut == 0


def a_message_in_the_frame_of_a_command_counts():
    """Over CURVE libzmq looks at the bit of a command only until the peer is in: what is in the box says what it is."""
    limit(64 * MIB, 64 * MIB)
    plane = Plane("curve")
    speaker = plane.speaker()
    for _ in range(20):
        sealed = bytearray(speaker.bytes(bytes(1000)))
        sealed[0] |= COMMAND
        speaker.socket.sendall(sealed)
    least = 20 * (1000 + 64)
    assert eventually(lambda: plane.totals.received >= least, 20), f"{plane.totals.received} of {least} B"
    speaker.close()
    # Releases of libzmq differ in whether they hand such messages on.
    other = plane.client()

    def nothing_is_left():
        other.send(b"here")
        plane.take()
        return plane.totals.received == 0

    assert eventually(nothing_is_left), f"{plane.totals.received} B are said to be held"


def what_an_ended_connection_left_counts_until_it_is_taken():
    limit(64 * MIB, 64 * MIB)
    plane, other = Plane(), Plane()
    client = plane.client()
    client.send(b"first")
    plane.take()
    for _ in range(4000):
        client.send(bytes(100))
    assert eventually(lambda: plane.totals.received > 4000 * 100)
    client.linger = -1
    client.close()
    assert eventually(lambda: plane.totals.received >= 4000 * (102 + 64))
    before = plane.totals.received
    plane.traffic.kith_traffic_drained(other.number, plane.traffic.kith_traffic_closings())
    assert plane.totals.received == before, "another plane has nothing to do with it"
    plane.take(2000)
    assert before * 0.4 < plane.totals.received < before * 0.6
    late = plane.client()
    late.send(b"another one")
    connections = {plane.take()[1] for _ in range(2001)}
    assert len(connections) == 2, "its messages would be taken for those of the connection that ended"
    assert plane.totals.received == 0


def what_a_cut_connection_left_counts_until_it_is_taken():
    limit(MIB, 64 * MIB)
    plane = Plane()
    client = plane.client(reconnect_ivl=-1)
    flood(client)
    assert eventually(lambda: plane.totals.cut == 1)
    held = plane.totals.received
    # One reading more, of frames of one byte.
    assert MIB < held < MIB + 65 * 8192, held
    time.sleep(0.2)
    # But for the frame that will not end.
    assert held - 67 <= plane.totals.received <= held
    while plane.socket.poll(200):
        plane.take()
    assert plane.totals.received == 0


def a_flood_that_comes_again_is_bounded():
    limit(MIB, 8 * MIB)
    plane, most, seen = Plane(), 0, set()

    def take():
        connection = plane.take()[1]
        plane.traffic.kith_traffic_owner(connection, 7)
        seen.add(connection)

    for number in range(12):
        # As a hub does that is asked whether to let somebody in.
        while not plane.traffic.kith_traffic_has_room(7):
            take()
        cut = plane.totals.cut
        flood(plane.client(reconnect_ivl=-1))
        assert eventually(lambda: plane.totals.cut > cut)
        while len(seen) == number:
            take()
        most = max(most, plane.totals.received)
    # A quarter, and what the last one sent.
    assert 2 * MIB < most < 4 * MIB, most
    while plane.socket.poll(500):
        plane.take()
    assert plane.totals.received == 0


def an_owner_has_a_quarter_of_what_may_be_unsent():
    limit(unsent=4 * MIB, unsent_in_all=4 * MIB)
    plane = Plane()
    def mute(owner):
        client = plane.client(rcvhwm=1, rcvbuf=4096)
        client.send(b"here")
        peer, connection = plane.take()
        plane.traffic.kith_traffic_owner(connection, owner)
        return client, peer

    frames = [bytes(60_000)]
    greedy = [mute(7) for _ in range(8)]
    while any([plane.offer(peer, frames) for _, peer in greedy]):
        pass
    assert 0.9 * MIB < plane.totals.unsent <= MIB + 60_100
    (reader, peer), (own_reader, own) = mute(9), mute(0)
    for _ in range(50):
        assert plane.offer(peer, frames) and reader.poll(20_000)
        reader.recv()
    while plane.offer(own, frames):
        pass
    assert plane.totals.unsent > 3 * MIB
    assert plane.offer(peer, [b"one alone always"]) and reader.poll(20_000)
    assert not own_reader.closed


def a_subscriber_sends_little_ahead():
    limit()
    plane = Plane(kind=zmq.XPUB, most=16 << 10)
    client = plane.client(zmq.SUB, reconnect_ivl=-1)
    for number in range(1000):
        client.subscribe(f"{number:060}")
    assert eventually(lambda: plane.totals.cut == 1)


def a_flood_of_subscriptions_is_bounded():
    limit()
    plane = Plane(kind=zmq.XPUB, most=16 << 10)
    speaker = plane.speaker(b"SUB")
    with contextlib.suppress(OSError):
        for _ in range(30):
            speaker.socket.sendall(speaker.bytes(b"\0") * 900)
            plane.take(310)
    assert eventually(lambda: plane.totals.cut == 1), f"{plane.totals.received} B are said to wait"


def subscriptions_of_every_form_count_until_they_are_taken(over):
    """Those of ZMTP 3.0 are messages, those of 3.1 commands with a name; which they were, the program does not see."""
    limit(64 * MIB, 64 * MIB)
    plane, speakers = Plane(over, zmq.XPUB), []
    for form, is_command in ((b"", 0), (b"\0", 0), (b"\0x", 0), (b"\1x", 0), (b"\2x", 0), (b"\6CANCELx", 1), (b"\x09SUBSCRIBEx", 1)):
        # None ends: libzmq makes up messages for those that do.
        speaker, waiting = plane.speaker(b"SUB"), 0
        speakers.append(speaker)
        for _ in range(20):
            sent = [speaker.bytes(form, is_command=is_command) for _ in range(90)]
            speaker.socket.sendall(b"".join(sent))
            waiting += 90
            least = waiting * (len(sent[0]) + 64)
            assert eventually(lambda: plane.totals.received >= least, 10), f"{plane.totals.received} of {least} B for {form}"
            plane.take(30)
            waiting -= 30
        plane.take(waiting)
        assert plane.totals.received == 0, f"{plane.totals.received} B are said to be held of {form}"


def a_connection_is_silent_until_a_message_of_it_is_taken(over):
    limit()
    plane = Plane(over)
    good = plane.client()
    good.send(b"here")
    _, connection = plane.take()
    # The beginning of a frame is not a message.
    silent = [plane.speaker() for _ in range(128)]
    for speaker in silent:
        speaker.socket.sendall(bytes([COMMAND, 5]))
    late = [plane.speaker() for _ in range(10)]
    assert eventually(lambda: plane.totals.cut == 10), f"{plane.totals.cut} were cut"
    for speaker in silent[:10]:
        with contextlib.suppress(ConnectionError):
            assert speaker.socket.recv(1) == b""
    for speaker in late:
        speaker.socket.sendall(speaker.message([b"here"]))
    plane.take(10)
    more = [plane.speaker() for _ in range(10)]
    good.send(b"still here")
    assert plane.take()[1] == connection
    assert plane.totals.cut == 10 and len(more) == 10, "those of which a message was taken are not silent"


def a_connection_without_a_high_number_is_closed():
    resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400))
    limit()
    plane, numbers = Plane(), []
    with contextlib.suppress(OSError):
        while True:
            numbers.append(fcntl.fcntl(0, fcntl.F_DUPFD, 100))
    assert Speaker.dial(plane.socket.last_endpoint.decode(), 20).recv(1) == b"", "it has a number that others need"
    for number in numbers:
        os.close(number)
    client = plane.client()
    client.send(b"here")
    assert plane.take()[1] >= 100


def a_handshake_is_short(over):
    limit(64 * MIB, 64 * MIB)
    plane = Plane(over)
    strangers = [plane.stranger(bytes([LONG]) + struct.pack(">Q", 63 << 10)) for _ in range(10)]
    for stranger in strangers:
        with contextlib.suppress(ConnectionError):
            stranger.sendall(bytes(60 << 10))
    assert eventually(lambda: plane.totals.cut == 10), f"{plane.totals.cut} were cut, {plane.totals.received} B are held"
    strangers.append(plane.stranger(frame(bytes(4000))))
    for stranger in strangers:
        with contextlib.suppress(ConnectionError):
            while stranger.recv(4096):
                pass
    assert eventually(lambda: plane.totals.received == 0), "they left nothing that anybody could take"
    if not plane.keys:
        talkative = plane.stranger(frame(command(b"READY", metadata(Socket_Type=b"DEALER", X_Note=bytes(4000))), COMMAND))
        answer = b""
        while b"READY" not in answer:
            more = talkative.recv(4096)
            assert more, "it was not let in"
            answer += more
        talkative.sendall(frame(b"here"))
        plane.take()
    speaker = plane.speaker()
    speaker.socket.sendall(speaker.message([bytes(MIB)]))
    plane.take()
    assert plane.totals.cut == 10 and plane.totals.received == 0


def who_has_sent_no_message_gives_way_to_those_who_have(over):
    limit(64 * MIB, MIB)
    plane = Plane(over)
    good = plane.speaker()
    good.socket.sendall(good.message([b"here"]))
    plane.take()
    message = good.message([bytes(40_000)])
    good.socket.sendall(message[:20_000])
    assert eventually(lambda: plane.totals.received > 20_000)
    begun = plane.speaker().bytes(bytes(60_000))[:50_000]
    others = [plane.speaker() for _ in range(40)]
    for other in others:
        with contextlib.suppress(ConnectionError):
            other.socket.sendall(begun)
    # They send 2 MB, half of which is beyond the bound.
    assert eventually(lambda: plane.totals.cut >= 19), plane.totals.cut
    good.socket.sendall(message[20_000:])
    assert plane.socket.poll(20_000), "it was cut"
    assert len(plane.socket.recv_multipart()[-1]) == 40_000
    assert plane.totals.received < 1.1 * MIB


def what_came_after_the_last_look_counts():
    limit(64 * MIB, 64 * MIB)
    plane = Plane()
    client = plane.client()
    client.send(b"first")
    plane.take()
    closings = plane.traffic.kith_traffic_closings()
    assert not plane.socket.poll(0)
    # It ends after the program has looked, and before it says that it found nothing.
    speaker = plane.speaker()
    speaker.socket.sendall(speaker.message([bytes(5000)]))
    assert eventually(lambda: plane.totals.received > 5000)
    speaker.socket.close()
    assert eventually(lambda: plane.traffic.kith_traffic_closings() > closings)
    held = plane.totals.received
    plane.traffic.kith_traffic_drained(plane.number, closings)
    assert plane.totals.received == held > 5000
    plane.take()
    assert plane.totals.received == 0


TRIALS = {
    "exchange-ipc": lambda: nothing_is_left_of_an_exchange("ipc"),
    "exchange-curve": lambda: nothing_is_left_of_an_exchange("curve"),
    "subscriptions-ipc": lambda: nothing_is_left_of_subscriptions("ipc"),
    "subscriptions-curve": lambda: nothing_is_left_of_subscriptions("curve"),
    "readings-ipc": lambda: a_small_frame_does_not_keep_the_buffer_of_its_reading("ipc"),
    "readings-curve": lambda: a_small_frame_does_not_keep_the_buffer_of_its_reading("curve"),
    "heartbeats": heartbeats_cost_nothing,
    "commands-curve": a_message_in_the_frame_of_a_command_counts,
    "ended": what_an_ended_connection_left_counts_until_it_is_taken,
    "cut": what_a_cut_connection_left_counts_until_it_is_taken,
    "flood": a_flood_that_comes_again_is_bounded,
    "owners": an_owner_has_a_quarter_of_what_may_be_unsent,
    "ahead": a_subscriber_sends_little_ahead,
    "ahead-plain": a_flood_of_subscriptions_is_bounded,
    "forms-ipc": lambda: subscriptions_of_every_form_count_until_they_are_taken("ipc"),
    "forms-curve": lambda: subscriptions_of_every_form_count_until_they_are_taken("curve"),
    "silent-ipc": lambda: a_connection_is_silent_until_a_message_of_it_is_taken("ipc"),
    "silent-curve": lambda: a_connection_is_silent_until_a_message_of_it_is_taken("curve"),
    "numbers": a_connection_without_a_high_number_is_closed,
    "handshake-ipc": lambda: a_handshake_is_short("ipc"),
    "handshake-curve": lambda: a_handshake_is_short("curve"),
    "unknown-ipc": lambda: who_has_sent_no_message_gives_way_to_those_who_have("ipc"),
    "unknown-curve": lambda: who_has_sent_no_message_gives_way_to_those_who_have("curve"),
    "look": what_came_after_the_last_look_counts,
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    path = tmp_path_factory.mktemp("traffic") / "traffic.so"
    compiler = shutil.which("clang") or pathlib.Path(shutil.which("swift")).resolve().parent / "clang"
    sources = sorted(SOURCES.glob("*.c"))
    subprocess.run([compiler, "-O2", "-fPIC", "-shared", f"-I{SOURCES / 'include'}", *sources, "-o", path], check=True)
    return path


@pytest.mark.timeout(660)
@pytest.mark.parametrize("trial", TRIALS)
def test_bytes_are_counted_as_long_as_they_are_held(compiled, trial):
    done = subprocess.run(
        [sys.executable, __file__, trial], env={**os.environ, "LD_PRELOAD": str(compiled)}, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


if __name__ == "__main__":
    TRIALS[sys.argv[1]]()
    # Sockets that cannot send what waits would hold up the end.
    os._exit(0)
