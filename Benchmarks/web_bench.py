#!/usr/bin/env python3
"""Times kith-web: calls, load, events, uploads, memory and its end, with a real kithd behind it.

usage: web_bench.py PROGRAMS HUB-BENCH DOOR-FLOOR ROUNDS

PROGRAMS is a directory with kithd and kith-web in release. DOOR-FLOOR is the least that a door of the same HTTP library can be: it passes
a Ping on and does nothing else. Calls and load come from wrk and h2load, which are C and take little of
the processors; the same Ping over ZeroMQ is that of KithClient in hub-bench, in turn. A device may have eight requests and eight
streams at once, so there are several. When an event reached a reader is the kernel's stamp on its bytes: what the readers themselves
take is not counted. Prints a table in Markdown.
"""
import contextlib
import datetime
import hashlib
import http.client
import json
import math
import os
import pathlib
import re
import selectors
import socket
import ssl
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import uuid

import zmq

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "python"))
os.environ["KITH_BIN_DIR"] = str(pathlib.Path(sys.argv[1]).resolve())

from conftest import Hub  # noqa: E402
from web import Door, free_port  # noqa: E402

CONNECTIONS = 16
SECONDS = float(os.environ.get("SECONDS_EACH", 2))
EVENTS = int(os.environ.get("EVENTS", 500))
UPLOADS = 12
STREAMS_OF_A_DEVICE = 8
WAYS = ("http", "https")
# socket(7). Python has no name for it.
SO_TIMESTAMPNS = 35


class Household:
    """A hub, a certificate, and the tokens of devices."""

    def __init__(self, directory):
        self.directory = directory
        self.hub = Hub()
        with open(self.hub.directory / "config.toml", "a") as config:
            config.write('[log]\nlevel = "error"\n')
        self.hub.start()
        self.certificate, self.key = directory / "certificate.pem", directory / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", self.key,
             "-out", self.certificate], check=True, capture_output=True)
        front = Door(self.hub)
        self.tokens = [front.device(f"bench-{number}").token for number in range(CONNECTIONS)]
        for number in range(20):
            self.hub.reply("Care/Record", {"category": "meal", "memo": f"Porridge with apples, bowl {number}"})

    @contextlib.contextmanager
    def door(self, way):
        """A kith-web of its own, over plain HTTP or TLS."""
        options = ["--insecure-http"] if way == "http" else ["--cert", self.certificate, "--key-file", self.key]
        front = Door(self.hub, *options)
        try:
            yield front.start()
        finally:
            front.end()

    @contextlib.contextmanager
    def floor(self, program):
        """The address of the least that a door can be."""
        port = free_port()
        process = subprocess.Popen([program, pathlib.Path(self.hub.control.removeprefix("ipc://")).parent, str(port)])
        try:
            while True:
                with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                    break
                assert process.poll() is None, "door-floor has ended"
                time.sleep(0.01)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()

    def remove(self):
        self.hub.remove()


class Reader:
    """A stream of events on a socket of its own."""

    def __init__(self, front, token):
        self.socket = socket.create_connection(("127.0.0.1", front.port))
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        if front.scheme == "https":
            self.socket = unchecked().wrap_socket(self.socket, server_hostname="localhost")
        self.socket.sendall(
            f"GET /events?streams=care HTTP/1.1\r\nHost: localhost:{front.port}\r\nAuthorization: Bearer {token}\r\n\r\n"
            .encode())
        # The first event says where the reader is: it follows from there on.
        self.socket.settimeout(10)
        begun = b""
        while b"event: position" not in begun:
            part = self.socket.recv(65536)
            assert part, f"the stream ended: {begun[:300]}"
            begun += part
        self.text = b""

    def take(self):
        """Reads what is there over plain HTTP; gives when it arrived, in nanoseconds since 1970."""
        data, ancillary, _, _ = self.socket.recvmsg(65536, 64)
        assert data, "the stream ended"
        self.text += data
        for level, kind, value in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanoseconds = struct.unpack("qq", value)
                return seconds * 10**9 + nanoseconds
        return time.time_ns()

    def event(self):
        """The header of a whole event, if there is one."""
        found = re.search(rb'data: ?(\{"header".*?\})\r?\n\r?\n', self.text, re.DOTALL)
        if not found:
            return None
        self.text = b""
        return json.loads(found[1])["header"]


def unchecked():
    """TLS that takes any certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def nanoseconds(stamp):
    """Since 1970, of a stamp of RFC 3339."""
    whole, _, part = stamp.rstrip("Z").partition(".")
    moment = datetime.datetime.fromisoformat(whole + "+00:00")
    return int(moment.timestamp()) * 10**9 + int(part.ljust(9, "0") or 0)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, math.ceil(len(values) * share) - 1)]


def p50_p99(values, unit, digits):
    return f"p50 {percentile(values, 0.5):.{digits}f}, p99 {percentile(values, 0.99):.{digits}f} {unit}"


def range_of(values, digits=0):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"


def row(what, goal, measured, beside="", ratio=""):
    print(f"| {what} | {goal} | {measured} | {beside} | {ratio} |", flush=True)


def wrk(url, tokens, connections, method, body):
    """What wrk measures in some seconds: per_second, p50_us, p99_us."""
    said = subprocess.run(
        ["wrk", "-t", str(min(2, connections)), "-c", str(connections), "-d", f"{SECONDS:g}s", "-s", HERE / "web_load.lua",
         url, "--", tokens, method, body], check=True, capture_output=True, text=True).stdout
    measured = json.loads(said.splitlines()[-1])
    assert measured["failed"] == 0, said
    return measured


def h2load(front, tokens, method, body):
    """Requests a second over HTTP/2. h2load sends one token only, so each of four has a quarter of the connections."""
    each = CONNECTIONS // 4
    runs = [
        subprocess.Popen(
            ["h2load", "-c", str(each), "-m", "1", "-t", "1", "-D", f"{SECONDS:g}", "-d", body,
             "-H", f"Authorization: Bearer {token}", "-H", "Content-Type: application/json", f"{front.url}/kith.v1.{method}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for token in tokens[:4]
    ]
    total = 0
    for said in [run.communicate()[0] for run in runs]:
        assert re.search(r"Application protocol: h2\b", said), said
        assert re.search(r"status codes: \d+ 2xx, 0 3xx, 0 4xx, 0 5xx", said), said
        total += float(re.search(r"finished in .*?, ([\d.]+) req/s", said)[1])
    return total


def hub_bench(program, kithd, empty):
    """Microseconds of KithClient over ipc: a Ping from the connection's thread and from the pool, and an upload of 3 MB."""
    said = subprocess.run([program, kithd, empty, "ping", "upload"], check=True, capture_output=True, text=True).stdout
    names = {"loop": "caller on the loop", "pool": "caller on the pool", "upload": "upload of 3 MB"}
    found = {name: re.search(rf"{text}: p50 ([\d.,]+) us, p99 ([\d.,]+) us", said) for name, text in names.items()}
    assert all(found.values()), said
    return {name: tuple(float(value.replace(",", "")) for value in match.groups()) for name, match in found.items()}


def calls(home, program, least, rounds):
    """Ping on one connection, and load on sixteen. Gives what hub-bench said."""
    one, many = home.directory / "token", home.directory / "tokens"
    one.write_text(home.tokens[0] + "\n")
    many.write_text("\n".join(home.tokens) + "\n")
    empty = home.directory / "empty"
    empty.mkdir()
    listing = '{"limit":20}'
    bodies = {"System/Ping": home.directory / "ping.json", "Care/List": home.directory / "list.json"}
    bodies["System/Ping"].write_text("{}")
    bodies["Care/List"].write_text(listing)
    kithd = pathlib.Path(os.environ["KITH_BIN_DIR"]) / "kithd"
    straight, alone, load = [], {}, {}
    with home.door("http") as plain, home.door("https") as encrypted, home.floor(least) as floor:
        urls = {"http": plain.url, "https": encrypted.url, "floor": floor}
        for url in urls.values():
            wrk(url, many, CONNECTIONS, "System/Ping", "{}")  # Not counted.
        for _ in range(rounds):
            straight.append(hub_bench(program, kithd, empty))
            for way, url in urls.items():
                alone.setdefault(way, []).append(wrk(url, one, 1, "System/Ping", "{}"))
        for _ in range(rounds):
            load.setdefault(("System/Ping", "floor"), []).append(wrk(floor, many, CONNECTIONS, "System/Ping", "{}")["per_second"])
            for method, body in (("System/Ping", "{}"), ("Care/List", listing)):
                for way in WAYS:
                    load.setdefault((method, way), []).append(wrk(urls[way], many, CONNECTIONS, method, body)["per_second"])
                load.setdefault((method, "h2"), []).append(h2load(encrypted, home.tokens, method, bodies[method]))

    base = statistics.median(said["loop"][0] for said in straight)
    for caller in ("loop", "pool"):
        p50, p99 = ([said[caller][index] for said in straight] for index in (0, 1))
        ratio = f"{statistics.median(p50) / base:.2f}" if caller == "pool" else ""
        row(f"Ping by KithClient over ipc, caller on the {caller}", "", f"p50 {range_of(p50)}, p99 {range_of(p99)} µs", "",
            ratio)
    words = {
        "http": "HTTP/1.1", "https": "HTTP/1.1 over TLS", "h2": "HTTP/2 over TLS", "floor": "HTTP/1.1, the least that a door can be"}
    for way, results in alone.items():
        p50, p99 = ([result[name] for result in results] for name in ("p50_us", "p99_us"))
        row(f"Ping, one connection, {words[way]}", "≤ 2 ×" if way in WAYS else "", f"p50 {range_of(p50)}, p99 {range_of(p99)} µs",
            f"{base:.0f} µs by KithClient", f"{statistics.median(p50) / base:.2f}")
    for (method, way), rates in load.items():
        plain_rate = statistics.median(load[method, "http"])
        what = method + (" of 20 entries" if method == "Care/List" else "")
        row(f"{what}, {CONNECTIONS} connections, {words[way]}", "≥ 10,000/s" if (method, way) == ("System/Ping", "http") else "",
            f"{range_of(rates)}/s", "" if way == "http" else f"{plain_rate:.0f}/s over HTTP/1.1",
            "" if way == "http" else f"{statistics.median(rates) / plain_rate:.2f}")
    return straight


def open_readers(home, front, count):
    return [Reader(front, home.tokens[number // STREAMS_OF_A_DEVICE]) for number in range(count)]


def close(readers):
    for reader in readers:
        reader.socket.close()


def fan_out(home, count):
    """From a Care/Record over ipc to each reader over plain HTTP, one at a time."""
    with home.door("http") as front:
        readers = open_readers(home, front, count)
        selector = selectors.EpollSelector()
        for reader in readers:
            selector.register(reader.socket, selectors.EVENT_READ, reader)
        control = zmq.Context.instance().socket(zmq.DEALER)
        control.linger, control.immediate = 0, 1
        control.connect(home.hub.control)
        from_stamp, from_send = [], []
        try:
            for number in range(20 + EVENTS):
                header = json.dumps({"requestId": uuid.uuid4().hex}).encode()
                body = json.dumps({"category": "meal", "memo": f"Rice {number}"}).encode()
                sent = time.time_ns()
                control.send_multipart([b"KTHC01", b"\x01", b"kith.v1.Care/Record", b"json", header, body])
                waiting = set(readers)
                while waiting:
                    ready = selector.select(10)
                    assert ready, f"{len(waiting)} readers got no event"
                    for key, _ in ready:
                        arrived = key.data.take()
                        told = key.data.event()
                        if told is None:
                            continue  # A sign of life.
                        waiting.remove(key.data)
                        if number >= 20:  # Before that it warms up.
                            from_send.append((arrived - sent) / 1e6)
                            from_stamp.append((arrived - nanoseconds(told["time"])) / 1e6)
                while True:
                    assert control.poll(10_000), "no answer"
                    frames = control.recv_multipart()
                    if frames[1] == b"\x03":
                        assert "status" not in json.loads(frames[4]), frames
                        break
        finally:
            control.close()
            selector.close()
            close(readers)
    readers_word = f"{count} reader" + ("s" if count > 1 else "")
    row(f"stamp of the event to {readers_word}", "p99 < 10 ms from COMMIT", p50_p99(from_stamp, "ms", 2))
    row(f"Care/Record sent to {readers_word}", "", p50_p99(from_send, "ms", 2))


def memory(front):
    """Resident and private MiB."""
    text = pathlib.Path(f"/proc/{front.process.pid}/smaps_rollup").read_text()
    sizes = {name: int(size) / 1024 for name, size in re.findall(r"(\w+):\s+(\d+) kB", text)}
    return sizes["Rss"], sizes["Private_Clean"] + sizes["Private_Dirty"]


def memory_and_end(home, way):
    """Memory idle and with a hundred readers, and SIGTERM with fifty."""
    with home.door(way) as front:
        time.sleep(5)
        idle = memory(front)
        readers = open_readers(home, front, 100)
        for number in range(20):
            home.hub.reply("Care/Record", {"category": "meal", "memo": f"Soup {number}"})
        time.sleep(2)
        busy = memory(front)
        close(readers[50:])
        time.sleep(1)
        status, took = front.end()
        close(readers)
    assert status == 0, status
    row(f"idle, {way}", "RSS ≤ 40 MB", f"RSS {idle[0]:.1f}, private {idle[1]:.1f} MiB")
    row(f"100 readers, {way}", "RSS ≤ 60 MB", f"RSS {busy[0]:.1f}, private {busy[1]:.1f} MiB", f"{idle[0]:.1f} MiB idle",
        f"{busy[0] / idle[0]:.2f}")
    row(f"SIGTERM with 50 streams, {way}", "< 1 s", f"{took:.2f} s")


def put(front, token, data, digest):
    """Seconds of a PUT on a connection of its own, and the status."""
    fields = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream", "Host": f"localhost:{front.port}"}
    connection = (http.client.HTTPSConnection("127.0.0.1", front.port, timeout=30, context=unchecked())
                  if front.scheme == "https" else http.client.HTTPConnection("127.0.0.1", front.port, timeout=30))
    begin = time.monotonic()
    # A blob that the hub has is answered before it is sent: the rest of it may not get through.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
        connection.request("PUT", f"/blobs/{digest}", data, fields)
    answer = connection.getresponse()
    answer.read()
    took = time.monotonic() - begin
    connection.close()
    return took, answer.status


def uploads(home, straight):
    """3 MB that are new, and the same again."""
    base = statistics.median(said["upload"][0] for said in straight) / 1e6
    for way in WAYS:
        with home.door(way) as front:
            new, known = [], []
            for _ in range(UPLOADS):
                data = os.urandom(3_000_000)
                digest = hashlib.sha256(data).hexdigest()
                for kept, expected in ((new, 201), (known, 200)):
                    took, status = put(front, home.tokens[0], data, digest)
                    assert status == expected, status
                    kept.append(took)
        row(f"PUT of 3 MB, {way}", "< 0.1 s", f"{range_of(new, 3)} s", f"{base:.3f} s by KithClient",
            f"{statistics.median(new) / base:.2f}")
        row(f"PUT of 3 MB that the hub has, {way}", "< 0.1 s", f"{range_of(known, 3)} s")


def main():
    _, _, program, least, rounds = sys.argv
    with tempfile.TemporaryDirectory(prefix="kith-web-bench-") as directory:
        home = Household(pathlib.Path(directory))
        try:
            print("| what | goal | measured | beside | ratio |\n| --- | --- | --- | --- | --- |", flush=True)
            for way in WAYS:
                memory_and_end(home, way)
            straight = calls(home, program, least, int(rounds))
            for count in (1, 50):
                fan_out(home, count)
            uploads(home, straight)
        finally:
            home.remove()


if __name__ == "__main__":
    main()
