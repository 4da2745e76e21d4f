"""Clients that take nothing of what they asked for, send slowly, or ask for much at once: how long each is borne (docs/http.md, bounds)."""
import concurrent.futures
import contextlib
import re
import socket
import ssl
import time

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import ConnectionTerminated, DataReceived, RemoteSettingsChanged, ResponseReceived, StreamEnded, StreamReset
from h2.settings import SettingCodes, Settings
from hpack import Encoder
from hyperframe.frame import ContinuationFrame, HeadersFrame

from web import door

SMALL, LARGE = "/files/app.js", "/api/openapi.json"


@pytest.fixture(scope="module")
def encrypted():
    with door("--own-ca") as front:
        yield front


def connect(front, protocol=None, room=None):
    """A connection, encrypted if it has a protocol; with little room for what comes, if that is said."""
    plug = socket.socket()
    if room:
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    plug.settimeout(30)
    plug.connect(("127.0.0.1", front.port))
    if not protocol:
        return plug
    context = ssl._create_unverified_context()
    context.set_alpn_protocols([protocol])
    return context.wrap_socket(plug, server_hostname="localhost")


def request(front, path, token=""):
    known = f"Authorization: Bearer {token}\r\n" if token else ""
    return f"GET {path} HTTP/1.1\r\nHost: localhost:{front.port}\r\n{known}\r\n".encode()


class Client:
    """A client of HTTP/2 that reads when it is told to."""

    def __init__(self, front, window=65535, room=None):
        self.authority = f"localhost:{front.port}"
        self.plug = connect(front, "h2", room)
        self.state = H2Connection(H2Configuration(client_side=True, header_encoding="utf-8"))
        self.state.local_settings = Settings(client=True, initial_values={SettingCodes.INITIAL_WINDOW_SIZE: window})
        self.state.initiate_connection()

    def ask(self, path, token=""):
        """Prepares a request; returns its stream."""
        stream = self.state.get_next_available_stream_id()
        known = [("authorization", f"Bearer {token}")] if token else []
        self.state.send_headers(stream, [(":method", "GET"), (":scheme", "https"), (":authority", self.authority), (":path", path),
                                         *known], end_stream=True)
        return stream

    def send(self):
        self.plug.sendall(self.state.data_to_send())

    def events(self, seconds=30):
        """What comes, until the time is over or the connection ends."""
        end = time.monotonic() + seconds
        self.send()
        while (left := end - time.monotonic()) > 0:
            self.plug.settimeout(left)
            try:
                data = self.plug.recv(65536)
            except OSError:
                return
            if not data:
                return
            for event in self.state.receive_data(data):
                if isinstance(event, DataReceived):
                    self.state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                yield event
            self.send()

    def statuses(self, streams, until=ResponseReceived):
        """The statuses of the answers to requests, once their heads have come; or their ends."""
        found, left = {}, set(streams)
        for event in self.events():
            if isinstance(event, ResponseReceived):
                found[event.stream_id] = dict(event.headers)[":status"]
            if isinstance(event, until):
                left.discard(event.stream_id)
                if not left:
                    break
        return [found[stream] for stream in streams]


def connections(admin):
    return int(re.search(r"^kith_web_connections (\d+)", admin.ask("GET", "/metrics", verify=False).text, re.M)[1])


def unread_http_1(front, protocol, path, times, token=""):
    plug = connect(front, protocol, room=4096)
    plug.sendall(request(front, path, token) * times)
    return plug


def unread_http_2(front):
    client = Client(front, window=2**31 - 1, room=4096)
    client.state.increment_flow_control_window(2**31 - 1 - 65535)
    for _ in range(90):
        client.ask(LARGE)
    client.send()
    return client.plug


@pytest.mark.waits
@pytest.mark.timeout(300)
def test_a_client_that_takes_nothing_is_cut_off():
    """Answers are small or large, or events; nothing is read of them, and there is room for little on their way."""
    with contextlib.ExitStack() as stack:
        plain, encrypted = stack.enter_context(door()), stack.enter_context(door("--own-ca"))
        reader = plain.device("reader")
        began = time.monotonic()
        for plug in (unread_http_1(plain, None, SMALL, 1500), unread_http_1(plain, None, LARGE, 30),
                     unread_http_1(plain, None, "/events?streams=care", 1, reader.token),
                     unread_http_1(encrypted, "http/1.1", SMALL, 1500), unread_http_1(encrypted, "http/1.1", LARGE, 30),
                     unread_http_2(encrypted)):
            stack.enter_context(plug)
        for _ in range(100):
            plain.hub.reply("Care/Record", {"category": "meal", "memo": "nobody reads it"})
        admins = [front.device("chief", "admin") for front in (plain, encrypted)]
        # In the end who counts them is alone, and not before the time that a client has.
        end = time.monotonic() + 120
        while (found := [connections(admin) for admin in admins]) != [1, 1]:
            assert time.monotonic() < end, found
            time.sleep(0.2)
        assert time.monotonic() - began > 20


@pytest.mark.waits
def test_a_stream_that_is_not_taken_ends_and_its_connection_goes_on(encrypted):
    client = Client(encrypted, window=0)
    began, ended = time.monotonic(), {}
    unread = [client.ask(SMALL), client.ask(LARGE), client.ask("/events", encrypted.device("unread").token)]
    for event in client.events(60):
        if isinstance(event, StreamReset):
            ended[event.stream_id] = time.monotonic() - began
            if len(ended) == len(unread):
                break
    assert sorted(ended) == unread and all(29 < seconds < 80 for seconds in ended.values()), ended
    assert client.statuses([client.ask("/healthz")]) == ["200"]


def slowly(plug, rest, pause):
    """Sends byte after byte, and reads what comes; returns the seconds until the connection ended."""
    began, position = time.monotonic(), 0
    with plug:
        plug.settimeout(pause)
        while time.monotonic() - began < 120:
            try:
                plug.sendall(rest[position:position + 1])
                position += 1
                if not plug.recv(65536):
                    break
            except TimeoutError:
                pass
            except OSError:
                break
    return time.monotonic() - began


def hello():
    """The first bytes of a handshake."""
    sent = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        ssl._create_unverified_context().wrap_bio(ssl.MemoryBIO(), sent, server_hostname="localhost").do_handshake()
    return sent.read()


def unended_head(front):
    """HTTP/2: a head whose end does not come."""
    client = Client(front)
    client.send()
    head = Encoder().encode([(":method", "GET"), (":scheme", "https"), (":authority", client.authority), (":path", "/")])
    client.plug.sendall(HeadersFrame(1, head, flags=["END_STREAM"]).serialize() + ContinuationFrame(1, bytes(8000)).serialize()[:9])
    return client.plug


def silent(front):
    """HTTP/2: a client that asks for nothing, and answers nothing."""
    client = Client(front)
    client.send()
    return client.plug


@pytest.mark.waits
@pytest.mark.timeout(240)
def test_a_head_and_a_handshake_may_not_trickle_in(encrypted):
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"a" * 1000
    with door() as plain, concurrent.futures.ThreadPoolExecutor(8) as pool:
        brief = [pool.submit(slowly, connect(encrypted), hello(), 1), pool.submit(slowly, connect(encrypted), b"", 1)]
        long = [pool.submit(slowly, plug, rest, 2) for plug, rest in (
            (connect(plain), head), (connect(encrypted, "http/1.1"), head), (unended_head(encrypted), bytes(8000)),
            (silent(encrypted), b""), (connect(encrypted, "h2"), b""))]
        assert all(8 < seconds < 55 for seconds in [each.result() for each in brief])
        assert all(60 < seconds < 115 for seconds in [each.result() for each in long])


def test_a_client_of_http_2_has_a_hundred_streams_at_once(encrypted):
    client = Client(encrypted)
    told = next(event for event in client.events() if isinstance(event, RemoteSettingsChanged))
    assert told.changed_settings[SettingCodes.MAX_CONCURRENT_STREAMS].new_value == 100
    for _ in range(2):
        assert client.statuses([client.ask("/pair") for _ in range(100)], StreamEnded) == ["200"] * 100
    # Who did not listen asks for 200.
    deaf = Client(encrypted, window=0)
    for _ in range(200):
        deaf.ask("/pair")
    end = next(event for event in deaf.events() if isinstance(event, ConnectionTerminated))
    assert end.error_code == ErrorCodes.PROTOCOL_ERROR
    assert client.statuses([client.ask("/healthz")]) == ["200"]


def test_answers_that_are_not_taken_keep_their_place(encrypted):
    """A device has eight requests at once, over however many streams."""
    token, client = encrypted.device("eight").token, Client(encrypted, window=0)
    path = "/kith.v1.Care/List?message=%7B%7D&encoding=json"
    streams = []
    # One after the other: the hub has answered each before the next.
    for status in ["200"] * 8 + ["429"] * 2:
        streams.append(client.ask(path, token))
        assert client.statuses(streams[-1:]) == [status]
    for stream in streams:
        client.state.reset_stream(stream)
    assert client.statuses([client.ask("/healthz")]) == ["200"]
    assert client.statuses([client.ask(path, token)]) == ["200"]
