#!/usr/bin/env python3
"""Times what kith-homeassistant answers to a sentence: from the sentence on a connection of its own, as Home Assistant makes it, to the
answer. Speech recognition is not in it.

usage: spoken_bench.py PROGRAMS SENTENCES

PROGRAMS is a directory with kithd and kith-homeassistant in release. Before the answer to a sentence that records, the hub has stored the
entry on the disk; the same command straight over ZeroMQ is beside it. Prints a table in Markdown.
"""
import os
import pathlib
import socket
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "python"))
os.environ["KITH_BIN_DIR"] = str(pathlib.Path(sys.argv[1]).resolve())

import json  # noqa: E402

from conftest import Hub  # noqa: E402
from home import spoken_to  # noqa: E402


def percentiles(seconds):
    ordered = sorted(seconds)
    return f"p50 {statistics.median(ordered) * 1000:.1f} ms, p99 {ordered[int(len(ordered) * 0.99)] * 1000:.1f} ms"


def answer(voice, text):
    """The answer's kind; by a plain socket, so that little but the program is timed."""
    data = json.dumps({"text": text}).encode()
    with socket.create_connection((voice.host, voice.port)) as connection:
        connection.sendall(b'{"type": "transcript", "data_length": %d}\n%s' % (len(data), data))
        return json.loads(connection.makefile("rb").readline())["type"]


def timed(voice, texts, kind):
    times = []
    for text in texts:
        began = time.monotonic()
        assert answer(voice, text) == kind, text
        times.append(time.monotonic() - began)
        # The program answers two sentences a second in the long run.
        time.sleep(0.5)
    return times


def main():
    count = int(sys.argv[2])
    hub = Hub().start()
    try:
        hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "Asia/Tokyo"}})
        straight = []
        for number in range(count):
            began = time.monotonic()
            hub.reply("Care/Record", {"category": "medication", "memo": f"straight {number}"})
            straight.append(time.monotonic() - began)
        with spoken_to(hub) as (_, voice):
            english = timed(voice, [f"log medication {number + 1} ml" for number in range(count)], "handled")
            japanese = timed(voice, [f"服薬、アムロジピン{number}錠を記録して" for number in range(count)], "handled")
            asked = timed(voice, ["when did she last take her medicine"] * count, "handled")
            doubtful = timed(voice, ["maybe she took her medicine at eight this morning"] * count, "not-handled")
    finally:
        hub.remove()
    print("| What | Goal | Measured |\n| --- | --- | --- |")
    print(f"| Care/Record over ZeroMQ by a Python client | | {percentiles(straight)} |")
    print(f"| An English sentence that records, to the answer | < 50 ms | {percentiles(english)} |")
    print(f"| A Japanese sentence that records, to the answer | < 50 ms | {percentiles(japanese)} |")
    print(f"| A question, to the answer | < 50 ms | {percentiles(asked)} |")
    print(f"| A sentence that is asked back, to the answer | < 50 ms | {percentiles(doubtful)} |")


main()
