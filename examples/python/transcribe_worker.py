#!/usr/bin/env python3
"""A worker that transcribes recordings for kithd with a program of your own. Needs pyzmq and nothing else.

    transcribe_worker.py --name speech -- whisper-wrapper --language {language} {file}

The program gets a recording and prints its words. In kithd.toml: [placement] transcriber = "worker".
"""
import argparse, contextlib, json, os, signal, subprocess, sys, tempfile, time, uuid  # noqa: E401

import zmq

from send import runtime_directory

READY, JOB, FINAL, HEARTBEAT, DISCONNECT = b"\x01", b"\x02", b"\x04", b"\x05", b"\x06"
WELCOME, CREDIT, LEASE, ACK, CANCEL, FETCH, CHUNK, DRAIN = (bytes([kind]) for kind in range(0x10, 0x18))
SERVICE, WINDOW = "kith.v1.Transcriber/Transcribe", 1 << 20


class Worker:
    """One job at a time. Nothing is lost with a message: what matters is said again until the hub answers."""

    def __init__(self, endpoint, name, begin):
        self.endpoint, self.name, self.begin = endpoint, name, begin
        self.instance = str(uuid.uuid4())  # new at every start: tells restarted from reconnected
        self.job = self.process = self.final = None
        self.is_draining = False
        self.connect()

    def connect(self):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger, self.socket.immediate = 500, 1
        self.socket.connect(self.endpoint)
        self.heard = self.beat = time.monotonic()
        self.ready()

    def send(self, kind, header, body=b"", service=""):
        with contextlib.suppress(zmq.Again):
            self.socket.send_multipart(
                [b"KTHW01", kind, service.encode(), b"json", json.dumps(header).encode(), body], zmq.DONTWAIT)

    def ready(self):
        self.asked, self.is_welcome = time.monotonic(), False
        self.send(READY, {
            "workerName": self.name, "instanceId": self.instance, "capabilities": [{"name": SERVICE}],
            "credit": 0 if self.job or self.is_draining else 1, "held": [self.ids] if self.job else []})

    def run(self):
        while not (self.is_draining and self.job is None):
            if self.socket.poll(100):
                _, kind, _, _, header, body, *data = self.socket.recv_multipart()
                self.heard = time.monotonic()
                self.take(kind, json.loads(header), body, data)
            self.tick(time.monotonic())
        self.send(DISCONNECT, {"status": {"code": "CANCELLED", "reason": "DRAINING"}})

    def take(self, kind, header, body, data):
        lease = self.job["leaseId"] if self.job else None
        if kind == WELCOME:
            self.is_welcome = True
            if lease in header.get("lostLeaseIds", []):
                self.drop()
            elif self.final:
                self.send_final()
        elif kind == JOB and self.job is None:
            self.job, self.request, self.sound, self.patience = header, json.loads(body), b"", 3
            self.ids, self.renewed = {key: header[key] for key in ("jobId", "attempt", "leaseId")}, time.monotonic()
            self.fetch()
        elif kind == CHUNK and lease and header["sha256"] == self.job["inputs"][0]["sha256"]:  # a sign of life
            self.asked_at, self.patience = time.monotonic(), 3 if "status" in header else self.patience
            if data and int(header.get("offset", 0)) == len(self.sound):
                self.sound += data[0]
                if header.get("eof"):
                    self.process = self.begin(self.sound, self.request.get("language", ""))
                elif len(self.sound) >= self.fetched + WINDOW:
                    self.fetch()
        elif kind == LEASE and lease in header.get("renewed", []):
            self.renewed = time.monotonic()
        elif lease in header.get("revoked", []) or kind in (CANCEL, ACK) and header["leaseId"] == lease:
            self.drop()
        elif kind == DISCONNECT and header["status"]["reason"] == "SESSION_UNKNOWN":
            self.ready()
        elif kind == DISCONNECT and header["status"]["reason"] != "SHUTTING_DOWN":
            sys.exit(f"the hub does not take this worker: {header['status']['message']}")

    def fetch(self):
        self.fetched, self.asked_at = len(self.sound), time.monotonic()
        self.send(FETCH, {"sha256": self.job["inputs"][0]["sha256"], "offset": len(self.sound), "window": WINDOW})

    def drop(self):
        """The lease is over: whatever still comes of the job is of no interest."""
        if self.process:
            self.process.kill()
        self.job = self.process = self.final = None
        self.send(CREDIT, {"add": 1})

    def send_final(self):
        self.sent = time.monotonic()
        self.send(FINAL, {**self.ids, **self.final[0]}, self.final[1], SERVICE)

    def tick(self, now):
        if now - self.heard > 10:  # four heartbeats
            self.socket.close()
            self.connect()
        if now - self.asked > (10 if self.is_welcome else 1):
            self.ready()
        if now - self.beat > 2.5:
            self.beat = now
            self.send(HEARTBEAT, {"leaseIds": [self.job["leaseId"]] if self.job else []})
            if self.is_draining:
                self.send(DRAIN, {"reason": "the worker is stopping"})
        if self.job and now - self.renewed > 25:  # by the own clock: soon the hub gives the job to another
            self.drop()
        elif self.process and self.process.poll() is not None:
            self.process.words.seek(0)
            reply = {"text": self.process.words.read().strip(), "engine": self.name}
            failed = {"status": {"code": "INTERNAL", "reason": "ENGINE_FAILED", "message": "the program failed"}}
            self.final = (failed, b"") if self.process.returncode else ({}, json.dumps(reply).encode())
            self.process = None
            self.send_final()
        elif self.final and now - self.sent > 5:
            self.send_final()
        elif self.job and not self.process and not self.final and now - self.asked_at > self.patience:
            self.patience = min(2 * self.patience, 24)  # what is asked for twice is in the way of what is late
            self.fetch()

    def drain(self, *_):
        self.is_draining, self.beat = True, 0  # said by tick(): a signal may come in the middle of a message


def main():
    parser = argparse.ArgumentParser(description="Transcribe recordings for kithd.")
    parser.add_argument("--endpoint", default=f"ipc://{os.path.abspath(runtime_directory())}/work.sock")
    parser.add_argument("--name", default="speech")
    parser.add_argument("program", nargs="+", help="{file} and {language} are filled in")
    options = parser.parse_args()

    def begin(sound, language):
        recording, words = tempfile.NamedTemporaryFile(buffering=0), tempfile.TemporaryFile("w+")
        recording.write(sound)
        program = [part.format(file=recording.name, language=language) for part in options.program]
        process = subprocess.Popen(program, stdout=words)  # no pipe: full, it would stop the program
        process.recording, process.words = recording, words  # both go with it
        return process
    worker = Worker(options.endpoint, options.name, begin)
    signal.signal(signal.SIGTERM, worker.drain)
    worker.run()


main()
