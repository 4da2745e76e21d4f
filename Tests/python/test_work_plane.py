"""The work plane, frame by frame: ends that come twice or late, jobs that kill their workers, strangers and garbage."""
import datetime
import hashlib
import json
import random
import signal
import subprocess
import time
import uuid

from conftest import BINARIES, Wire
from keyed import Key
from workers import SERVICE, Frames, home, one_effect, transcribed, until  # noqa: F401


def test_a_second_result_is_a_duplicate(home):
    worker = Frames(home).ready()
    worker.wait(0x10)
    identity = home.speak()
    job, body, _ = worker.wait(0x02)
    assert json.loads(body)["language"] == "en-US" and job["lease"] == "30s"
    worker.send(0x15, {"sha256": job["inputs"][0]["sha256"], "window": 1 << 20})
    chunk, _, (data,) = worker.wait(0x16)
    assert data == (home.directory / "sound.wav").read_bytes() and chunk["eof"] is True
    worker.final(job)
    assert "duplicate" not in worker.wait(0x13)[0]
    worker.final(job, {"text": "something else"})
    assert worker.wait(0x13)[0]["duplicate"] is True
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    worker.close()


def test_a_lost_end_is_answered_after_the_hub_is_back(home):
    worker = Frames(home).ready()
    identity = home.speak()
    job, _, _ = worker.wait(0x02)
    home.end(signal.SIGKILL)
    home.start()
    worker.send(5, {"leaseIds": [job["leaseId"]]})
    assert worker.wait(0x06)[0]["status"]["reason"] == "SESSION_UNKNOWN"
    worker.ready(credit=0, held=[{key: job[key] for key in ("jobId", "attempt", "leaseId")}])
    assert "lostLeaseIds" not in worker.wait(0x10)[0]
    worker.final(job)
    assert "duplicate" not in worker.wait(0x13)[0]
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    worker.close()


def test_a_job_that_kills_every_worker_rests_until_a_person_has_it_tried_again(home):
    identity = home.speak()
    leases = []
    for attempt in range(1, 6):
        # Each a new process of the same name: the one before is taken to have died over the job.
        worker = Frames(home).ready()
        job, _, _ = worker.wait(0x02, 20)
        assert job["attempt"] == attempt
        leases.append(job["leaseId"])
        worker.close()
    Frames(home).ready(credit=0).wait(0x10)
    (dead,), _ = until(lambda: [job for job in home.jobs() if job["state"] == "dead"])
    assert dead["losses"] == 5 and dead["status"]["reason"] == "JOB_DEAD" and len(set(leases)) == 5
    until(lambda: home.entry(identity).get("reason") == "job_dead")
    assert home.kith("jobs", "show", dead["jobId"])["job"]["state"] == "dead"
    assert home.kith("jobs", "retry", dead["jobId"])["job"]["state"] == "queued"
    # Whoever wanted the words comes back for them, and has the sound.
    until(lambda: home.reply("Jobs/Get", {"jobId": dead["jobId"]})["job"].get("waitsFor") != "caller")
    worker = Frames(home).ready()
    job, _, _ = worker.wait(0x02)
    assert job["attempt"] == 6 and job["jobId"] == dead["jobId"]
    worker.send(0x15, {"sha256": job["inputs"][0]["sha256"], "window": 1 << 20})
    assert worker.wait(0x16)[2] == [(home.directory / "sound.wav").read_bytes()]
    worker.final(job)
    worker.wait(0x13)
    home.settled(identity)
    one_effect(home, identity, attempts=6)
    error = subprocess.run([BINARIES / "kith", "--runtime-dir", home.runtime, "jobs", "retry", dead["jobId"]],
                           capture_output=True, text=True, timeout=60)
    assert error.returncode and "Only a dead job" in error.stderr, error
    worker.close()


def test_a_worker_is_told_what_it_may_not_be(home):
    for name in ("Not A Name", "-a"):
        worker = Frames(home, name=name).ready()
        assert worker.wait(0x06)[0]["status"]["details"].keys() == {"worker_name"}, name
    for instance in ("", "a\0b", "i" * 65):
        started = Frames(home)
        started.instance = instance
        assert started.ready().wait(0x06)[0]["status"]["details"].keys() == {"instance_id"}, instance
        started.close()
    # A name belongs to its key.
    home.reply("Keys/Approve", {"publicKeyZ85": Key().public.decode(), "name": "speech", "role": "worker",
                                "services": ["transcriber"]})
    worker.name = "speech"
    assert worker.ready().wait(0x06)[0]["status"]["details"].keys() == {"worker_name"}
    worker.name = "good"
    worker.send(0x02, {})
    assert worker.wait(0x06)[0]["status"]["reason"] == "KIND_UNKNOWN"
    worker.ready().wait(0x10)
    other = Frames(home, name="good").ready()
    other.wait(0x10)
    assert worker.wait(0x06)[0]["status"]["reason"] == "REPLACED"
    worker.close()
    other.close()


def test_a_worker_gets_and_ends_no_job_of_another_one(home):
    one, other = Frames(home, name="one").ready(), Frames(home, name="other").ready(credit=0)
    one.wait(0x10)
    other.wait(0x10)
    identity = home.speak()
    job, _, _ = one.wait(0x02)
    # It even knows the digest and the id of the job; only the lease is not to be guessed.
    other.send(0x15, {"sha256": job["inputs"][0]["sha256"], "window": 1 << 20})
    chunk, _, data = other.wait(0x16)
    assert chunk["status"]["reason"] == "BLOB_MISSING" and not any(data)
    other.final({**job, "leaseId": str(uuid.uuid4())}, {"text": "words of another", "language": "en-US"})
    assert other.wait(0x13)[0]["duplicate"] is True
    assert home.entry(identity)["state"] == "pending_transcription"
    one.final(job)
    one.wait(0x13)
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    one.close()
    other.close()


def test_a_disconnect_ends_the_session(home):
    worker = Frames(home).ready()
    worker.wait(0x10)
    identity = home.speak()
    job, _, _ = worker.wait(0x02)
    ids = {key: job[key] for key in ("jobId", "attempt", "leaseId")}
    worker.send(0x03, ids, bytes(256 * 1024 + 1))
    assert worker.wait(0x06)[0]["status"]["reason"] == "BODY_TOO_LARGE"
    worker.send(0x05, {"leaseIds": [job["leaseId"]]})
    assert worker.wait(0x06)[0]["status"]["reason"] == "SESSION_UNKNOWN"
    # What it had is given out again, and that it was lost counts.
    again = worker.ready().wait(0x02)[0]
    assert again["jobId"] == job["jobId"] and again["attempt"] == 2
    assert home.jobs()[0]["losses"] == 1
    worker.final(again)
    worker.wait(0x13)
    home.settled(identity)
    worker.close()


def test_each_fault_of_frames_and_sizes_is_answered_as_the_page_says(home):
    worker = Frames(home)

    def fault(more=(), **changed):
        frames = [b"KTHW01", b"\x05", b"", b"json", b"{}", b""]
        for index, part in changed.items():
            frames[("tag", "kind", "service", "ctype", "header", "body").index(index)] = part
        return [*frames, *more]
    for reason, frames in [
            ("MALFORMED", fault()[:5]), ("MALFORMED", fault(ctype=b"yaml")), ("MALFORMED", fault(service=b"x" * 129)),
            ("MALFORMED", fault(service=b"\xff")), ("MALFORMED", fault(header=b"{")), ("KIND_UNKNOWN", fault(kind=b"\x19")),
            ("KIND_UNKNOWN", fault(kind=b"\x13")), ("VERSION_UNSUPPORTED", fault(tag=b"KTHW02")),
            ("BODY_TOO_LARGE", fault(header=b" " * 4097)), ("BODY_TOO_LARGE", fault(body=bytes(256 * 1024 + 1))),
            ("BODY_TOO_LARGE", fault(more=[bytes(512 * 1024 + 1)])), ("BODY_TOO_LARGE", fault(more=[b""] * 5))]:
        worker.ready().wait(0x10)
        worker.socket.send_multipart(frames)
        assert worker.wait(0x06)[0]["status"]["reason"] == reason, frames[1:4]
        worker.send(0x05, {})
        assert worker.wait(0x06)[0]["status"]["reason"] == "SESSION_UNKNOWN"
    worker.ready().wait(0x10)
    for frames in (fault(tag=b"OTHER1"), fault(more=[b""] * 6)):
        worker.socket.send_multipart(frames)
    worker.send(0x05, {"leaseIds": ["none"]})
    assert worker.wait(0x12)[0]["revoked"] == ["none"], "the session goes on"
    worker.close()


def test_a_job_says_until_when_it_is_waited_for(home):
    worker = Frames(home).ready()
    worker.wait(0x10)
    home.speak()
    job, _, _ = worker.wait(0x02)
    left = datetime.datetime.fromisoformat(job["deadline"]) - datetime.datetime.now(datetime.timezone.utc)
    # The time-out of Transcriber/Transcribe, as services.md has it.
    assert datetime.timedelta(minutes=48) < left < datetime.timedelta(minutes=51)
    worker.close()


def test_only_a_digest_names_a_body(home):
    worker = Frames(home).ready()
    worker.wait(0x10)
    for name in ("X" * 64, "AB" * 32, "ab" * 31):
        worker.send(0x16, {"sha256": name, "size": "1", "eof": True}, data=(b"1",))
        assert worker.wait(0x18)[0]["status"]["details"].keys() == {"sha256"}, name
    worker.close()


def answered(send, worker, kind, is_it):
    """The header of an answer. Sends again after a second without one, as a worker does after three: one that would stand behind 128
    others that are on their way to the worker is dropped."""
    end = time.monotonic() + 60
    send()
    while time.monotonic() < end:
        try:
            header = worker.wait(kind, 1)[0]
        except AssertionError:
            send()
            continue
        if is_it(header):
            return header
    raise AssertionError(f"no answer of kind {kind:#x}")


def test_nobody_waits_while_a_long_result_is_read(home):
    worker = Frames(home).ready()
    worker.wait(0x10)
    identity = home.speak()
    job, _, _ = worker.wait(0x02)
    # Read as JSON and left out, so that almost all time goes into the reading.
    result = json.dumps({"text": "two tablets after breakfast", "language": "en-US", "unknown": [0] * (1 << 20)}).encode()
    digest = hashlib.sha256(result).hexdigest()
    for offset in range(0, len(result), 256 << 10):
        piece = result[offset:offset + (256 << 10)]
        worker.send(0x16, {"sha256": digest, "size": str(len(result)), "offset": str(offset),
                           "eof": offset + len(piece) == len(result)}, data=(piece,))
        worker.wait(0x18)
    ids = {key: job[key] for key in ("jobId", "attempt", "leaseId")}
    kinds, pings = [], 0
    with Wire(home.control) as wire:
        wire.send()
        wire.final()
        worker.send(0x04, {**ids, "outputs": [{"sha256": digest, "size": str(len(result))}]})
        # Behind it, from the same worker, an end that contradicts it.
        worker.send(0x04, {**ids, "status": {"code": "INVALID_ARGUMENT", "reason": "NEVER"}})
        while b"\x13" not in kinds:
            wire.send()
            wire.final()
            pings += 1
            if pings % 20 == 0:
                # On a busy machine the reading may outlast a lease.
                worker.send(0x05, {"leaseIds": [job["leaseId"]]})
            if worker.socket.poll(0):
                kinds.append(worker.socket.recv_multipart()[1])
    # While the loop reads there is none, and but a few while the end is stored.
    assert pings > 20
    home.settled(identity)
    assert transcribed(home, identity), home.entry(identity)
    worker.close()


def test_garbage_on_the_work_plane_hurts_nobody(home):
    chance = random.Random(5)
    worker = home.worker()
    until(lambda: "workers" in home.reply("System/Status")["work"])
    stranger = Frames(home, name="stranger")
    for round in range(300):
        frames = [chance.randbytes(chance.choice((0, 1, 6, 40))) for _ in range(chance.randint(1, 9))]
        if chance.random() < 0.6:
            frames[0] = b"KTHW01"
        if len(frames) > 3 and chance.random() < 0.7:
            frames[1], frames[3] = bytes([chance.randint(0, 0x19)]), chance.choice((b"pb", b"json"))
        stranger.socket.send_multipart(frames)
        if round % 30 == 0:
            stranger.ready(services=(SERVICE,), credit=0)
    def begin_again():
        stranger.ready(credit=0)
        stranger.send(0x16, {"sha256": "0" * 64, "size": "5", "eof": True}, data=(b"12345",))
    answer = answered(begin_again, stranger, 0x18, lambda header: header.get("sha256") == "0" * 64)
    assert answer["status"]["reason"] == "DIGEST_MISMATCH"
    header = answered(lambda: stranger.socket.send_multipart([b"KTHW02", b"\x01", b"", b"json", b"{}", b""]),
                      stranger, 0x06, lambda header: header["status"]["reason"] == "VERSION_UNSUPPORTED")
    assert header["status"]["details"]["versions"] == "KTHW01"
    identity = home.speak()
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    assert worker.process.poll() is None
    stranger.close()
