#!/usr/bin/env python3
"""Times Kith against a Monica server that answers after a while, beside a client that does nothing but ask.

usage: monica_bench.py KITHD [ROUNDS]

The server is the double of the tests, on loopback, and each of its answers comes after LATENCY_MS (50). The floor of sending is
a client with as many connections as Kith has, which posts the same calls; the floor of reading is one that asks for the same
addresses, one after another, and parses nothing. Where a rate limit is set, the floor is that of arithmetic: whole windows of a
minute. Prints a table in Markdown.
"""
import concurrent.futures
import http.client
import json
import os
import pathlib
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "python"))
os.environ["KITH_BIN_DIR"] = str(pathlib.Path(sys.argv[1]).resolve().parent)

from monica_home import home  # noqa: E402
from servers import Monica  # noqa: E402

ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
LATENCY = float(os.environ.get("LATENCY_MS", 50))
PENDING, PEOPLE, WIDTH = 100, 2000, 4


def timed(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


class Client:
    """Asks on connections that stay open, one a thread."""

    def __init__(self, server):
        self.server, self.own = server, threading.local()

    def ask(self, method, target, body=None):
        if not hasattr(self.own, "connection"):
            self.own.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        head = {"Authorization": f"Bearer {self.server.token}", "Accept": "application/json", "Content-Type": "application/json"}
        self.own.connection.request(method, target, body and json.dumps(body), head)
        reply = self.own.connection.getresponse()
        reply.read()
        assert reply.status < 300, (method, target, reply.status)


def pushes(limit=0):
    """(seconds of Kith, seconds of the floor) for PENDING calls that wait."""
    server = Monica("double", rate_limit=0, contacts=0)
    try:
        with home(server.start()) as household:
            ann = household.person("Ann")["id"]
            household.settle()
            server.faults(always=[{"drop": True}])
            for number in range(PENDING):
                household.log(ann, f"call {number} about the garden and the new roof", durationMinutes=number % 60)
            server.clear_faults()
            # Its windows are a minute: what came before counts for nothing now.
            server.config(latency_ms=LATENCY, rate_limit=limit)
            ours = timed(lambda: sent(household))
            assert len(server.dump("calls")) == PENDING
            if limit:
                return ours, PENDING // limit * 60 + PENDING % limit * LATENCY / 1000 / WIDTH
            client, body = Client(server), {"contact_id": 1, "called_at": "2026-01-02T10:00:00Z", "content": "call"}
            with concurrent.futures.ThreadPoolExecutor(WIDTH) as pool:
                floor = timed(lambda: list(pool.map(lambda _: client.ask("POST", "/api/calls", body), range(PENDING))))
            return ours, floor
    finally:
        server.remove()


def sent(household):
    """Sends what waits. Where the limit stops that, the daemon goes on by itself."""
    status = household.sync(pushOnly=True)
    while status.get("pending"):
        time.sleep(0.05)
        status = household.hub.reply("Monica/Status")


def first_pull(limit=0):
    """(seconds of Kith, seconds of the floor, requests) for the first reading of PEOPLE people."""
    server = Monica("double", rate_limit=0, contacts=PEOPLE)
    try:
        server.start()
        server.config(latency_ms=LATENCY, rate_limit=limit)
        with home(server, login=False) as household:
            # A login begins the first pass.
            start = time.monotonic()
            household.login()
            while not household.hub.reply("Monica/Status").get("lastPullAt"):
                time.sleep(0.05)
            ours = time.monotonic() - start
            asked = server.requests()["requests"]
            assert household.hub.reply("Monica/Status")["people"] >= PEOPLE * 0.9
        if limit:
            return ours, len(asked) // limit * 60 + len(asked) % limit * LATENCY / 1000, len(asked)
        client = Client(server)
        floor = timed(lambda: [client.ask(each["method"], f"{each['path']}?{each['query']}") for each in asked])
        return ours, floor, len(asked)
    finally:
        server.remove()


def row(what, pairs):
    ours, floors = ([pair[place] for pair in pairs] for place in (0, 1))
    # Beside other work on the machine the smallest of some rounds is the fairest.
    print(f"| {what} | {min(ours):.2f} ({max(ours):.2f}) | {min(floors):.2f} | {min(ours) / min(floors):.2f} |", flush=True)


def main():
    print(f"Each answer after {LATENCY:g} ms; load {os.getloadavg()[0]:.1f}\n")
    print("| | Kith s, least (most) | floor s | ÷ floor |\n| --- | --- | --- | --- |")
    row(f"{PENDING} pending calls sent", [pushes() for _ in range(ROUNDS)])
    row(f"{PENDING} pending calls sent, 60 requests a minute", [pushes(60)])
    pulls = [first_pull() for _ in range(ROUNDS)]
    requests = pulls[0][2]
    row(f"first pull of {PEOPLE} people, {requests} requests", pulls)
    limit = max(20, requests * 2 // 3)
    row(f"the same, {limit} requests a minute", [first_pull(limit)])


if __name__ == "__main__":
    main()
