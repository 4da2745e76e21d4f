#!/usr/bin/env python3
"""Follows event streams of kithd without a gap, one JSON object a line. Needs pyzmq and nothing else.

    watch.py                             every stream, from now on
    watch.py sync contacts               two of them
    watch.py contacts --since contacts=0 everything that the log still has

`follow()` is the part to take into your own scripts. "origin" tells where an event came from: "snapshot" (the last event
of a key, when following starts or the log no longer reaches back), "replay" (repaired gap) or "live".
"""
import argparse
import itertools
import json
import sys
import time

import zmq

from place import endpoints, prepare
from send import HubNotRunning, command, runtime_directory

EVENT, HEAD = b"\x01", b"\x02"
HEAD_TIMEOUT = 6  # seconds; the hub sends its positions every 2


class Follower:
    """Positions of streams, and what is needed to move them on without leaving anything out."""

    def __init__(self, directory, streams, since):
        (self.control, self.published), self.streams = endpoints(directory), set(streams)
        self.positions = {stream: (None, seq) for stream, seq in since.items()}
        self.hubs = {}  # stream -> the hub whose HEAD its position was last compared with

    def events(self):
        """Yields (origin, header, event) for ever, through restarts of the hub and broken connections."""
        while True:
            socket = self.subscribe()
            try:
                yield from self.listen(socket)
            finally:
                socket.close()

    def subscribe(self):
        socket = zmq.Context.instance().socket(zmq.SUB)
        socket.linger, socket.rcvhwm = 0, 1000
        socket.reconnect_ivl, socket.reconnect_ivl_max = 100, 5000
        for topic in [f"j/{stream}/" for stream in self.streams] or ["j/"]:
            socket.subscribe(topic.encode())
        socket.subscribe(b"j/!head/")
        prepare(socket, self.published).connect(self.published)
        return socket

    def listen(self, socket):
        """Reads until the hub has been silent too long: then the connection may be half open, and a new one is made."""
        heard = time.monotonic()
        while (left := heard + HEAD_TIMEOUT - time.monotonic()) > 0:
            if not socket.poll(left * 1000):
                return
            _, _, kind, _, header, body = socket.recv_multipart()[:6]
            header, message = json.loads(header), json.loads(body)
            try:
                if kind == HEAD:
                    heard = time.monotonic()
                    for head in message.get("heads", []):
                        if not self.streams or head["stream"] in self.streams:
                            yield from self.compare(head, message.get("hubInstance"))
                elif kind == EVENT:
                    yield from self.apply("live", header, message)
            except (HubNotRunning, TimeoutError):
                pass  # the next HEAD brings the same question back

    def apply(self, origin, header, event):
        """Yields the event when it is the next one; drops it when it is known; repairs the gap when it is ahead."""
        stream, epoch, seq = header["stream"], header.get("epoch"), int(header["seq"])
        if stream not in self.positions:
            return  # no HEAD has told the position yet; it will, and the log has this event
        known_epoch, position = self.positions[stream]
        if known_epoch in (None, epoch) and seq == position + 1:
            self.positions[stream] = (epoch, seq)
            yield origin, header, event
        elif known_epoch not in (None, epoch) or seq > position:
            yield from self.reach({"stream": stream, "epoch": epoch, "seq": seq})

    def compare(self, head, hub):
        """Moves a stream on to a HEAD. One behind the own position waited here while newer events were replayed, unless
        another hub sent it, which may run on an older copy: only its log tells whether it has the position."""
        stream, seq = head["stream"], int(head.get("seq", 0))
        epoch, position = self.positions.get(stream, (None, None))
        if position is None or epoch not in (None, head.get("epoch")) or seq >= position or hub != self.hubs.get(stream):
            yield from self.reach(head)
            self.hubs[stream] = hub

    def reach(self, head):
        """Moves a stream on to a position: nothing to do, Replay of what is missing, or Snapshot."""
        stream, epoch, seq = head["stream"], head.get("epoch"), int(head.get("seq", 0))
        known_epoch, position = self.positions.get(stream, (None, None))
        if position is None or known_epoch not in (None, epoch):
            yield from self.snapshot(stream)
        elif seq != position:
            yield from self.replay(stream, epoch)
        else:
            self.positions[stream] = (epoch, position)

    def replay(self, stream, epoch):
        more = True
        while more:
            request = {"stream": stream, "epoch": epoch, "afterSeq": str(self.positions[stream][1]), "limit": 500}
            reply = self.ask("Replay", request)
            if reply is None:  # SEQ_COMPACTED or EPOCH_CHANGED: the log does not have the position
                yield from self.snapshot(stream)
                return
            for logged in reply.get("events", []):
                self.positions[stream] = (epoch, int(logged["header"]["seq"]))
                yield "replay", logged["header"], logged.get("event", {})
            more = reply.get("more", False)

    def snapshot(self, stream):
        position, token, more = None, "", True
        while more:
            reply = self.ask("Snapshot", {"stream": stream, "pageToken": token, "limit": 500})
            if reply is None:  # the log was begun anew meanwhile
                position, token = None, ""
                continue
            position = position or reply["position"]  # the same on every page: what happens meanwhile comes by Replay
            for logged in reply.get("lastByKey", []):
                yield "snapshot", logged["header"], logged.get("event", {})
            token = reply.get("nextPageToken", "")
            more = bool(token)
        self.positions[stream] = (position.get("epoch"), int(position.get("seq", 0)))

    def ask(self, method, request):
        """The reply; None when the log does not have what was asked for, so that only a Snapshot helps."""
        header, reply, _ = command(self.control, f"kith.v1.System/{method}", request, timeout=10)
        status = header.get("status", {})
        if status.get("reason") in ("SEQ_COMPACTED", "EPOCH_CHANGED"):
            return None
        if status:
            raise TimeoutError(f"{method}: {status.get('message')}")
        return reply


def follow(streams=(), *, directory=None, since=None):
    """Yields (origin, header, event). `since` maps a stream to the last sequence that you have already seen."""
    return Follower(directory or runtime_directory(), streams, since or {}).events()


def main():
    parser = argparse.ArgumentParser(description="Follow event streams of kithd.")
    parser.add_argument("streams", nargs="*", help="such as sync or contacts; none = all")
    parser.add_argument("--runtime-dir", "--hub", default=runtime_directory(), help="sockets of kithd, or tcp://HOST")
    parser.add_argument("--since", action="append", default=[], metavar="STREAM=SEQ", help="what was seen already")
    parser.add_argument("--count", type=int, default=0, help="end after so many events")
    options = parser.parse_args()
    since = {stream: int(seq) for stream, _, seq in (text.partition("=") for text in options.since)}
    events = follow(options.streams, directory=options.runtime_dir, since=since)
    for origin, header, event in itertools.islice(events, options.count or None):
        print(json.dumps({"origin": origin, "header": header, "event": event}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
