"""The events plane, read without any repair: what is missing stays missing."""
import json
import time

import zmq


class Subscription:
    def __init__(self, endpoint, *streams):
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.linger = 0
        for stream in (*streams, "!head"):
            self.socket.subscribe(f"j/{stream}/".encode())
        self.socket.connect(endpoint)
        self.seen = {stream: [] for stream in streams}

    def receive(self, seconds):
        """(kind, header, body) of the next message; None when none comes."""
        if not self.socket.poll(max(0, seconds) * 1000):
            return None
        topic, tag, kind, ctype, header, body = self.socket.recv_multipart()
        assert tag == b"KTHE01" and ctype == b"json" and topic.startswith(b"j/")
        header, body = json.loads(header), json.loads(body)
        if kind == b"\x01":
            assert topic == f"j/{header['stream']}/".encode()
            self.seen[header["stream"]].append((header, body))
        return kind, header, body

    def wait_for_head(self, seconds=60):
        """The next HEAD; events that come before it are kept in `seen`."""
        end = time.monotonic() + seconds
        while message := self.receive(end - time.monotonic()):
            if message[0] == b"\x02":
                return message[2]
        raise AssertionError(f"no HEAD within {seconds} s")

    def until(self, positions, seconds=60):
        """Reads until every stream has reached its position; returns (header, event) by stream."""
        end = time.monotonic() + seconds
        while any(self.position(stream) < seq for stream, seq in positions.items() if stream in self.seen):
            assert self.receive(end - time.monotonic()), f"{positions} not reached: {self.seen}"
        return self.seen

    def position(self, stream):
        return int(self.seen[stream][-1][0]["seq"]) if self.seen[stream] else 0
