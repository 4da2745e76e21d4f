#!/usr/bin/env python3
"""Times kith-homeassistant: from a press at the broker to the state that shows it, and its memory.

usage: home_bench.py PROGRAMS PRESSES

PROGRAMS is a directory with kithd and kith-homeassistant in release. The broker is Debian's mosquitto on the same machine. Between the
press and the state the hub has stored the entry on the disk. The same command straight over ZeroMQ is beside it. Prints a table in
Markdown.
"""
import os
import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "python"))
os.environ["KITH_BIN_DIR"] = str(pathlib.Path(sys.argv[1]).resolve())

from conftest import Hub  # noqa: E402
from home import house  # noqa: E402


def percentiles(seconds):
    ordered = sorted(seconds)
    return f"p50 {statistics.median(ordered) * 1000:.1f} ms, p99 {ordered[int(len(ordered) * 0.99)] * 1000:.1f} ms"


def resident(process):
    for line in open(f"/proc/{process.pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1000
    raise RuntimeError("no VmRSS")


def main():
    presses = int(sys.argv[2])
    with tempfile.TemporaryDirectory() as directory:
        hub = Hub().start()
        try:
            hub.reply("Care/Configure", {"settings": {"recipient": "Yoshiko", "timeZone": "Asia/Tokyo"}})
            straight, pressed = [], []
            for number in range(presses):
                began = time.monotonic()
                hub.reply("Care/Record", {"category": "free_memo", "memo": f"straight {number}"})
                straight.append(time.monotonic() - began)
            with house(hub, directory) as (_, home, assistant):
                time.sleep(3)
                idle = resident(home.process)
                for number in range(presses):
                    count = assistant.state["today"]
                    began = time.monotonic()
                    assistant.press("memo", text=f"memo {number}")
                    while assistant.state["today"] == count:
                        time.sleep(0.0002)
                    pressed.append(time.monotonic() - began)
                    # What follows an entry, such as reading everything again, is not to be met by the next press.
                    time.sleep(0.1)
                used = resident(home.process)
        finally:
            hub.remove()
    print("| What | Goal | Measured |\n| --- | --- | --- |")
    print(f"| Care/Record over ZeroMQ by a Python client | | {percentiles(straight)} |")
    print(f"| Press at the broker to the state that shows it | p50 < 60 ms | {percentiles(pressed)} |")
    print(f"| Resident memory when idle | ≤ 25 MB | {idle:.1f} MB |")
    print(f"| Resident memory after the presses | | {used:.1f} MB |")


main()
