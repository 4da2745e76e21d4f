"""Ten subscribers, one of them stopped while thousands of events are published: all end with every event, in order."""
import collections
import json
import subprocess
import sys
import time
import uuid

import pytest
import zmq

from conftest import EXAMPLES, stopped
from trials import daemon, dense

SUBSCRIBERS = 10
EVENTS = 5_000
IN_FLIGHT = 48


class Watcher:
    """The example program that follows streams, in a process of its own."""

    def __init__(self, hub, path):
        self.path = path
        line = [sys.executable, EXAMPLES / "watch.py", "sync", "--runtime-dir", hub.runtime, "--since", "sync=0"]
        self.output = open(path, "wb")
        self.process = subprocess.Popen(line, stdout=self.output, stderr=subprocess.STDOUT)

    def lines(self):
        """The events so far; a line that is being written is left out."""
        return [json.loads(line) for line in self.path.read_bytes().split(b"\n")[:-1]]

    def position(self):
        lines = self.path.read_bytes().rstrip(b"\n").rsplit(b"\n", 1)
        try:
            return int(json.loads(lines[-1])["header"]["seq"])
        except ValueError:
            return 0

    def end(self):
        self.process.kill()
        self.process.wait()
        self.output.close()


def wait_for(seconds, what, condition):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.05)


def make_events(hub, count, names):
    """Adds and removes sources, each of which is one event; many commands are on their way at a time.

    A name stands in `names` as it is while there is no such source, and with "-" before it when it is to be removed next.
    """
    wire = zmq.Context.instance().socket(zmq.DEALER)
    wire.linger, wire.immediate, wire.sndtimeo = 0, 1, 30_000
    wire.connect(hub.control)
    waiting, sent, done = {}, 0, 0
    try:
        while done < count:
            while sent < count and names:
                name, request_id = names.popleft(), str(uuid.uuid4())
                method = "RemoveSource" if name.startswith("-") else "AddSource"
                body = {"name": name.lstrip("-")}
                if method == "AddSource":
                    body["vdir"] = {"path": "/nowhere"}
                wire.send_multipart([b"KTHC01", b"\x01", f"kith.v1.Contacts/{method}".encode(), b"json",
                                     json.dumps({"requestId": request_id}).encode(), json.dumps(body).encode()])
                waiting[request_id] = name
                sent += 1
            assert wire.poll(120_000), "no answer in 120 s"
            frames = wire.recv_multipart()
            if frames[1] != b"\x03":
                continue
            header = json.loads(frames[4])
            assert "status" not in header, header
            name = waiting.pop(header["requestId"])
            names.append(name[1:] if name.startswith("-") else "-" + name)
            done += 1
    finally:
        wire.close()


@pytest.mark.timeout(900)
def test_one_stopped_subscriber_of_ten_replays_and_nobody_loses_anything(tmp_path):
    watchers, names = [], collections.deque(f"s{number}" for number in range(IN_FLIGHT))
    with daemon() as hub:
        try:
            watchers = [Watcher(hub, tmp_path / f"watcher-{number}") for number in range(SUBSCRIBERS)]
            make_events(hub, IN_FLIGHT, names)
            first = hub.seq("sync")
            wait_for(300, "the first events at all", lambda: all(watcher.position() == first for watcher in watchers))
            *others, late = watchers
            with stopped(late.process):
                start = time.monotonic()
                make_events(hub, EVENTS, names)
                seconds = time.monotonic() - start
                head = hub.seq("sync")
                assert head == first + EVENTS
                wait_for(300, "all events at the nine", lambda: all(watcher.position() == head for watcher in others))
                assert late.position() < head, "the stopped one has read on"
            wait_for(300, "all events at the one that was stopped", lambda: late.position() == head)

            truth = [(event["header"]["seq"], event["header"]["key"], event["event"]) for event in dense(hub, "sync")]
            origins = []
            for watcher in watchers:
                lines = watcher.lines()
                assert [int(line["header"]["seq"]) for line in lines] == list(range(1, head + 1))
                assert [(line["header"]["seq"], line["header"]["key"], line["event"]) for line in lines] == truth
                origins.append(collections.Counter(line["origin"] for line in lines if int(line["header"]["seq"]) > first))
            assert origins[-1]["replay"] > 0, "the stopped one was expected to miss something and to replay it"
            assert all(watcher.process.poll() is None for watcher in watchers)
        finally:
            for watcher in watchers:
                watcher.end()
        assert hub.end() == 0
    live = sum(origin["live"] for origin in origins[:-1])
    print(f"{EVENTS} events in {seconds:.1f} s: nine subscribers got all of theirs ({live} of {9 * EVENTS} live), the stopped "
          f"one {origins[-1]['live']} live and {origins[-1]['replay']} replayed; all equal and dense")
