#!/usr/bin/env python3
"""Times the care plan of three years: today's plan and a year's picture, against a Ping in the same run.

usage: plan_bench.py PROGRAMS ROUNDS

PROGRAMS is a directory with kithd in release. Prints a table in Markdown: milliseconds over ZeroMQ, from a client in Python.
"""
import datetime
import json
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "python"))
PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
os.environ["KITH_BIN_DIR"] = str(PROGRAMS)

from conftest import Hub, Wire  # noqa: E402

DAYS = 3 * 365
ITEMS = 5
ASKED = 100 * int(sys.argv[2])


def stamp(time):
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


def send(wire, method, body):
    wire.send(f"kith.v1.{method}", json.dumps(body).encode())


def heard(wire):
    """Waits for one answer; a command that is recorded before its work says so first."""
    header, _ = wire.final()
    assert "status" not in header, header


def furnish(hub):
    """Five items with three doses a day, and five measurements a day: some 22,000 rows."""
    hub.reply("Care/Configure", {"settings": {"timeZone": "Asia/Tokyo"}})
    wire = Wire(hub.control)
    items = []
    for number in range(ITEMS):
        item = {"kind": "medicine", "name": f"Item {number}", "amount": "1", "unit": "tablet", "times": [{"time": time} for time in ("8:00", "13:00", "20:00")]}
        items.append(hub.reply("Plan/Add", {"item": item, "stock": "100000"})["id"])
    now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    kinds = [("temperature", "36.7", ""), ("blood_pressure", "130", "80"), ("pulse", "70", ""), ("weight", "51.5", ""), ("oxygen", "97", "")]
    waiting = 0
    for day in range(DAYS):
        for hour in (8, 13, 20):
            when = stamp(now - datetime.timedelta(days=day, hours=hour))
            for item in items:
                send(wire, "Plan/Give", {"itemId": item, "occurredAt": when})
                waiting += 1
        for kind, value, lower in kinds:
            body = {"measurement": {"kind": kind, "value": value, "lower": lower}, "occurredAt": stamp(now - datetime.timedelta(days=day, hours=9))}
            send(wire, "Measurements/Record", body)
            waiting += 1
        while waiting > 30:
            heard(wire)
            waiting -= 1
    while waiting:
        heard(wire)
        waiting -= 1


def timed(hub, method, body):
    spans = []
    for _ in range(ASKED):
        began = time.perf_counter()
        hub.reply(method, body)
        spans.append((time.perf_counter() - began) * 1000)
    spans.sort()
    return f"{spans[len(spans) // 2]:.2f} | {spans[int(len(spans) * 0.99)]:.2f}"


hub = Hub().start()
try:
    furnish(hub)
    year = (datetime.date.today() - datetime.timedelta(days=364)).isoformat()
    print("| asked | p50 ms | p99 ms | goal p99 |\n| --- | --- | --- | --- |")
    for name, method, body, goal in (
        ("Ping", "System/Ping", {}, ""), ("today's plan", "Plan/Day", {}, "5"), ("a year of temperatures", "Measurements/Series", {"kind": "temperature", "from": year}, "50"),
        ("the history, 50 rows", "Plan/History", {"limit": 50}, "")):
        print(f"| {name} | {timed(hub, method, body)} | {goal} |")
finally:
    hub.end()
