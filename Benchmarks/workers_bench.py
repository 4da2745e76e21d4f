#!/usr/bin/env python3
"""Times the work plane: how fast jobs pass, how fast a lost one is handed over, how fast a worker fetches over CURVE.

usage: workers_bench.py KITHD SQLITE-FLOOR ZMQ-FLOOR

The floor of jobs is a C program that commits the rows of one change of a job after another; of fetching, plain libzmq
that sends frames of the same size over CURVE on the loopback. Prints a table in Markdown.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import uuid

import zmq

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "python"))
os.environ["KITH_BIN_DIR"] = str(pathlib.Path(sys.argv[1]).resolve().parent)

from keyed import CurveWire, Key, TCPHub  # noqa: E402
from workers import PLACED, SERVICE, Frames, Home, recording  # noqa: E402

JOBS, FLIGHT, SLOTS = int(os.environ.get("JOBS", 10_000)), 64, "16"
BLOB_SECONDS, FETCHES = 900, 19


def row(what, measured, floor, ratio):
    print(f"| {what} | {measured} | {floor} | {ratio} |")


def jobs(sqlite_floor):
    """Each TestSource of a source that a worker reads is one small job."""
    home = Home()
    try:
        home.start()
        folder = home.directory / "cards"
        folder.mkdir()
        command = home.worker("contacts").command_line
        home.workers[0].end()
        home.workers[0].command_line = lambda: [*command(), "--slots", SLOTS]
        home.workers[0].start()
        home.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": str(folder)}})
        socket = zmq.Context.instance().socket(zmq.DEALER)
        socket.linger, socket.immediate = 0, 1
        socket.connect(home.control)
        sent = done = 0
        begin = time.monotonic()
        while done < JOBS:
            while sent < JOBS and sent - done < FLIGHT:
                header = json.dumps({"requestId": uuid.uuid4().hex}).encode()
                socket.send_multipart([b"KTHC01", b"\x01", b"kith.v1.Contacts/TestSource", b"json", header, b'{"name":"home"}'])
                sent += 1
            assert socket.poll(10_000), "no answer"
            frames = socket.recv_multipart()
            if frames[1] == b"\x03":
                assert "status" not in json.loads(frames[4]), frames
                done += 1
        rate = JOBS / (time.monotonic() - begin)
        socket.close()
        with tempfile.TemporaryDirectory(dir=home.directory) as scratch:
            said = subprocess.run([sqlite_floor, scratch, "3", "jobs"], capture_output=True, text=True, check=True).stdout
        floor = float(next(word for word, unit in zip(said.split(), said.split()[1:]) if unit == "jobs/s"))
        row(f"{JOBS} small jobs, credit {SLOTS}", f"{rate:.0f}/s", f"{floor:.0f}/s", f"{floor / rate:.2f}")
    finally:
        home.remove()


def hand_over():
    """From the death of a worker to its job in the hands of another."""
    for what, name in (("a worker that is started again", "one"), ("a worker that is gone", "two")):
        home = Home()
        try:
            home.start()
            worker = home.worker("transcriber")
            home.hold()
            home.speak()
            while not home.begun():
                time.sleep(0.1)
            begin = time.monotonic()
            worker.process.kill()
            worker.process.wait()
            other = Frames(home, name=name).ready()
            while True:
                other.send(5, {})
                try:
                    other.wait(2, seconds=1)
                    break
                except AssertionError:
                    assert time.monotonic() < begin + 60
            row(f"hand-over from {what}", f"{time.monotonic() - begin:.2f} s", "", "")
            other.close()
        finally:
            home.remove()


def fetch(zmq_floor):
    """A recording of 29 MB to a worker over CURVE, in windows of 2 MiB of which two are asked for."""
    hub = TCPHub(PLACED[PLACED.index("[placement]"):].replace('contacts = "worker"\n', ""))
    try:
        hub.start()
        key = Key()
        hub.approve(key, "frames", "worker", services=["transcriber"])
        sound = recording(hub.directory / "sound.wav", seconds=2).read_bytes()
        head, body = sound[:44], sound[44:]
        body *= BLOB_SECONDS // 2
        whole = head[:4] + (36 + len(body)).to_bytes(4, "little") + head[8:40] + len(body).to_bytes(4, "little") + body
        record = hub.reply("Care/StartVoice", {"category": "medication", "language": "en-US"})["record"]
        for offset in range(0, len(whole), 256 << 10):
            hub.reply("Care/AppendVoice", {"id": record["id"], "offset": str(offset)},
                      attachments=[whole[offset:offset + (256 << 10)]])
        worker = Frames.__new__(Frames)
        worker.name, worker.instance = "frames", str(uuid.uuid4())
        worker.wire = CurveWire(hub, key, plane="work")
        worker.socket = worker.wire.socket
        worker.ready()
        worker.wait(0x10)
        hub.reply("Care/StopVoice", {"id": record["id"]})
        job = worker.wait(2, seconds=30)[0]
        (blob,) = job["inputs"]
        size, window = int(blob["size"]), 2 << 20
        rates = []
        # The first time is to warm up, as the floor does.
        for _ in range(1 + FETCHES):
            begin, asked, got = time.monotonic(), 0, 0
            while got < size:
                while asked < size and asked - got <= window:
                    worker.send(0x15, {"sha256": blob["sha256"], "offset": str(asked), "window": window})
                    asked += window
                # Not copied, as the floor does not.
                frames = worker.socket.recv_multipart(copy=False)
                if frames[1].bytes != b"\x16":
                    continue
                header = json.loads(frames[4].bytes)
                assert int(header.get("offset", 0)) == got, header
                got += len(frames[6].buffer)
            rates.append(size / (time.monotonic() - begin) / 1e6)
        rate = statistics.median(rates[1:])
        worker.wire.close()
        count = size // (256 << 10)
        said = json.loads(subprocess.run([zmq_floor, "oneway", "tcp", str(256 << 10), str(count * 10), "curve"],
                                         capture_output=True, text=True, check=True).stdout)
        floor = said["per_second"] * (256 << 10) / 1e6
        row(f"{size / 1e6:.0f} MB to a worker over CURVE", f"{rate:.0f} MB/s", f"{floor:.0f} MB/s", f"{rate / floor:.2f}")
    finally:
        hub.remove()


if __name__ == "__main__":
    print("| what | measured | floor | ratio |\n| --- | --- | --- | --- |")
    jobs(sys.argv[2])
    hand_over()
    fetch(sys.argv[3])
