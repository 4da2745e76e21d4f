"""Versions of the protocol: what the hub says to peers of another one, what peers say to such a hub, and messages of old."""
import contextlib
import json
import subprocess
import threading

import pytest
import zmq

from conftest import BINARIES, Wire
from messages import ROOT, TYPES
from workers import SERVICE, Frames, Home, Worker, one_effect, started

GOLDEN = json.loads((ROOT / "proto/vectors/frames.json").read_text())
# What comes of each message of a worker, where no job is known: the kind of the answer, or none.
ANSWERS = {"worker ready": 0x10, "job progress": 0x12, "job batch": 0x12, "job result": 0x13, "job result in a blob": 0x13,
           "job failed": 0x13, "worker heartbeat": 0x12, "credit": None, "fetch": 0x16, "chunk": 0x18, "drain": None}


@pytest.fixture(scope="module")
def home():
    with started(Home()) as home:
        yield home


def golden(name, encoding):
    (vector,) = [each for each in GOLDEN if (each["name"], each["encoding"]) == (name, encoding)]
    return [bytes.fromhex(frame) for frame in vector["frames"]]


@pytest.mark.parametrize("encoding", ["json", "pb"])
def test_the_golden_messages_of_a_worker_are_understood(home, encoding):
    with contextlib.closing(Frames(home)) as worker:
        for name, kind in ANSWERS.items():
            worker.socket.send_multipart(golden(name, encoding))
            while kind is not None:
                assert worker.socket.poll(30_000), f"{name} was not answered"
                frames = worker.socket.recv_multipart()
                assert frames[0] == b"KTHW01" and frames[1] != b"\x06", (name, frames)
                assert frames[3] == encoding.encode(), name
                if frames[1] == bytes([kind]):
                    break
        # Whatever had no answer was no reason for another one.
        assert not worker.socket.poll(300) or worker.socket.recv_multipart()[1] != b"\x06"


@pytest.mark.parametrize("encoding", ["json", "pb"])
@pytest.mark.parametrize("name", ["request", "request with attachment"])
def test_the_golden_requests_are_understood(home, name, encoding):
    wire = Wire(home.control)
    with contextlib.closing(wire.socket):
        frames = golden(name, encoding)
        wire.socket.send_multipart(frames)
        while (answer := wire.receive(60))[1] != b"\x03":
            assert answer[1] == b"\x02"
        assert answer[0] == b"KTHC01" and answer[3] == encoding.encode()
        header = TYPES["kith.v1.ReplyHeader"]()
        if encoding == "pb":
            header.ParseFromString(answer[4])
            assert header.status.reason not in ("MALFORMED", "SERVICE_UNKNOWN", "VERSION_UNSUPPORTED")
        else:
            assert json.loads(answer[4])["status"]["reason"] not in ("MALFORMED", "SERVICE_UNKNOWN", "VERSION_UNSUPPORTED")


@pytest.mark.parametrize("minor", [0, 7])
def test_a_worker_of_another_minor_version_does_its_job(minor):
    """It says nothing of a version, or a higher one with fields that this hub has not heard of."""
    with started(Home()) as home, contextlib.closing(Frames(home)) as worker:
        newer = {"protocolMinor": minor, "mood": "fine", "more": {"of": ["it"]}} if minor else {}
        worker.send(1, {"workerName": "other", "instanceId": worker.instance, "credit": 1, "capabilities": [
            {"name": SERVICE, "version": minor}], **newer})
        worker.wait(0x10)
        identity = home.speak()
        job, _, _ = worker.wait(0x02)
        worker.final(job, {"text": "two tablets after breakfast", "language": "en-US", **({"tone": "calm"} if minor else {})},
                     **({"mood": "fine"} if minor else {}))
        assert "duplicate" not in worker.wait(0x13)[0]
        home.settled(identity)
        one_effect(home, identity, attempts=1)


@pytest.mark.parametrize("plane, tag, kind", [("control", b"KTHC02", b"\x03"), ("work", b"KTHW02", b"\x06")])
def test_peers_of_another_major_version_are_told_in_json_which_is_spoken(home, plane, tag, kind):
    socket = zmq.Context.instance().socket(zmq.DEALER)
    with contextlib.closing(socket):
        socket.linger = 0
        socket.connect(f"ipc://{home.runtime}/{plane}.sock")
        # Of the rest of a message of another version nothing is known.
        socket.send_multipart([tag, b"\x01", b"", b"cbor", b"\xff", b"\xff", b"more"])
        assert socket.poll(30_000)
        frames = socket.recv_multipart()
        assert frames[:2] == [tag[:4] + b"01", kind] and frames[3] == b"json"
        status = json.loads(frames[4])["status"]
        assert (status["code"], status["reason"]) == ("UNIMPLEMENTED", "VERSION_UNSUPPORTED")
        assert status["details"]["versions"] == (tag[:4] + b"01").decode()


class Successor:
    """A hub of the next major version, as far as a peer of this one gets to see it: each message has the other tag."""

    def __init__(self, folder):
        self.context = zmq.Context()
        self.sockets = {}
        for plane, kind in (("control", zmq.ROUTER), ("events", zmq.XPUB), ("work", zmq.ROUTER)):
            self.sockets[plane] = self.context.socket(kind)
            self.sockets[plane].linger = 0
            self.sockets[plane].bind(f"ipc://{folder}/{plane}.sock")
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.serve)

    def serve(self):
        status = {"status": {"code": "UNIMPLEMENTED", "reason": "VERSION_UNSUPPORTED"}}
        poller = zmq.Poller()
        for socket in self.sockets.values():
            poller.register(socket, zmq.POLLIN)
        while not self.is_over.is_set():
            for socket, _ in poller.poll(100):
                frames = socket.recv_multipart()
                if socket is self.sockets["control"]:
                    request = TYPES["kith.v1.RequestHeader"].FromString(frames[5]).request_id
                    header = json.dumps({"requestId": request, **status}).encode()
                    socket.send_multipart([frames[0], b"KTHC02", b"\x03", b"", b"json", header, b""])
                elif socket is self.sockets["work"]:
                    socket.send_multipart([frames[0], b"KTHW02", b"\x06", b"", b"json", json.dumps(status).encode(), b""])
                elif frames[0][:1] == b"\x01":
                    socket.send_multipart([frames[0][1:], b"KTHE02", b"\x02", b"json", b"{}", b"{}"])

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()
        self.context.destroy(linger=0)


def test_who_meets_a_hub_of_another_major_version_says_so_and_ends(tmp_path_factory):
    folder = tmp_path_factory.mktemp("next")
    (folder / "worker.toml").write_text("")
    with Successor(folder):
        for arguments in (["ping"], ["watch", "system"]):
            result = subprocess.run([BINARIES / "kith", "--runtime-dir", folder, *arguments], capture_output=True, text=True,
                                    timeout=60)
            assert result.returncode == 1 and "version" in result.stderr, (arguments, result)
        worker = Worker(None, "transcriber", "old", folder=folder, reach=("--hub", f"ipc://{folder}/work.sock"))
        try:
            assert worker.start().process.wait(30) == 1
            assert "version" in worker.log.read_text()
        finally:
            worker.remove()
