#!/usr/bin/env python3
"""Times `kith mcp` with a real kithd: from its start to its first answer, and calls of tools after that.

usage: assistants_bench.py PROGRAMS ROUNDS

PROGRAMS is a directory with kithd and kith in release. The floor is a C program's share of it: the start of cat, which gives the same
line back. Prints a table in Markdown.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "python"))
PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
os.environ["KITH_BIN_DIR"] = str(PROGRAMS)

from assistants import message, tool  # noqa: E402
from conftest import Hub  # noqa: E402

STARTS = 20
CALLS = 200
GOAL = 60
GREETING = message("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})


def milliseconds(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


class Process:
    """A program that answers lines."""

    def __init__(self, *command):
        self.began = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, asked):
        """The answer, and when it came."""
        self.process.stdin.write(json.dumps(asked).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line), time.perf_counter()

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def first_answer(*command):
    process = Process(*command)
    _, came = process.ask(GREETING)
    process.end()
    return (came - process.began) * 1000


def calls(process, asked):
    spans = []
    for _ in range(CALLS):
        began = time.perf_counter()
        answer, came = process.ask(asked)
        assert "error" not in answer and "isError" not in answer["result"], answer
        spans.append((came - began) * 1000)
    return spans


def main():
    rounds = int(sys.argv[2])
    hub = Hub().start()
    try:
        command = (PROGRAMS / "kith", "mcp", "--runtime-dir", hub.runtime, "--role", "recorder")
        for number in range(20):
            hub.reply("Care/Record", {"category": "meal", "memo": f"Meal {number}"})
        print("| | ms: median (least-most) | goal |\n| --- | --- | --- |")
        spans = [first_answer(*command) for _ in range(STARTS * rounds)]
        print(f"| first answer, from the start of `kith mcp` | {milliseconds(spans)} | < {GOAL} |")
        print(f"| floor: the same line back from cat | {milliseconds([first_answer('cat') for _ in range(STARTS * rounds)])} | |")
        process = Process(*command)
        for name, asked in [("tools/list", message("tools/list")), ("care_list of 20 entries", tool("care_list")),
                            ("care_summary", tool("care_summary"))]:
            print(f"| {name} | {milliseconds(calls(process, asked))} | |")
        process.end()
    finally:
        hub.end()
        hub.remove()


main()
