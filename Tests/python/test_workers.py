"""Workers as processes of their own: what is promised of leases when one of them, or the hub, is killed or stopped."""
import os
import queue
import signal
import subprocess
import sys
import threading
import time

import pytest

import servers
from conftest import BINARIES, EXAMPLES
from trials import CARDS, AddressBook, add_folder, contacts, sync
from workers import Frames, home, leases, monica_home, one_effect, people, recording, transcribed, until  # noqa: F401


def test_a_recording_says_that_no_worker_is_there(home):
    sound = recording(home.directory / "sound.wav")
    run = subprocess.run(
        [BINARIES / "kith", "--runtime-dir", home.runtime, "care", "voice", "--file", sound, "--timeout", "8"],
        capture_output=True, text=True, timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert run.returncode == 1
    assert run.stderr.count("kith: waits: no worker for transcription is connected") == 1 and "kith care show" in run.stderr
    (record,) = home.reply("Care/List")["records"]
    assert (record["state"], record["reason"]) == ("pending_transcription", "no_worker")
    home.worker()
    home.settled(record["id"])
    assert transcribed(home, record["id"]) and "reason" not in home.entry(record["id"])


def test_a_recording_is_transcribed_by_a_worker(home):
    worker = home.worker()
    identity = home.speak()
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    status = home.reply("System/Status")["work"]
    assert [(w["name"], w["state"]) for w in status["workers"]] == [("one", "ready")]
    assert status["unserved"] == ["kith.v1.ContactsSource"]
    assert worker.end() == 0
    until(lambda: "workers" not in home.reply("System/Status").get("work", {}))
    assert home.end() == 0


def test_without_a_worker_the_work_waits_and_says_so(home):
    identity = home.speak()
    # A job is stored before the plane of work has it, and only then does the plane know what it waits for.
    until(lambda: [(job["state"], job.get("waitsFor")) for job in home.jobs()] == [("queued", "worker")])
    status = home.reply("System/Status")["work"]
    assert status["queued"] == 1 and "kith.v1.Transcriber" in status["unserved"]
    kinds = lambda: [event["event"]["system"]["kind"]
                     for event in home.reply("System/Snapshot", {"stream": "system"}).get("lastByKey", [])]
    until(lambda: "worker.missing" in kinds())
    home.worker()
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    until(lambda: "worker.served" in kinds())
    # Contacts wait as well, and the pass says for what.
    book = AddressBook(home.directory / "cards", 3, 1)
    add = {"name": "home", "vdir": {"path": str(book.folder)}}
    home.reply("Contacts/AddSource", add)
    with subprocess.Popen([BINARIES / "kith", "--runtime-dir", home.runtime, "contacts", "sync"],
                          stdout=subprocess.DEVNULL) as run:
        until(lambda: any(each.get("error", {}).get("reason") == "NO_WORKER"
                          for each in home.reply("System/Status").get("sync", [])))
        home.worker("contacts", "two")
        assert run.wait(60) == 0
    assert len(contacts(home, "home")) == 3


@pytest.mark.parametrize("restarted, promised", [(True, 15), (False, 30)])
def test_a_killed_worker_hands_its_job_over(home, restarted, promised):
    first = home.worker()
    until(lambda: "workers" in home.reply("System/Status")["work"])
    home.hold()
    identity = home.speak()
    until(lambda: home.begun() == 1)
    other = None if restarted else home.worker(name="two")
    if other:
        until(lambda: len(home.reply("System/Status")["work"]["workers"]) == 2)
    first.end(signal.SIGKILL)
    killed = time.time()
    if restarted:
        first.start()
    until(lambda: home.begun() == 2, 150)
    home.let_go()
    home.settled(identity)
    one_effect(home, identity, attempts=2)
    (job,) = home.jobs()
    took = leases(home)[1] - killed
    print(f"handed over after {took:.1f} s", job["worker"])
    # Before a silent worker is given up, and before the end of a lease.
    assert took < promised


def test_a_killed_hub_finds_its_job_with_the_same_worker_at_the_same_attempt(home):
    home.worker()
    until(lambda: "workers" in home.reply("System/Status")["work"])
    home.hold()
    identity = home.speak()
    until(lambda: home.begun() == 1)
    (before,) = home.jobs()
    home.end(signal.SIGKILL)
    home.let_go()
    home.start()
    home.settled(identity)
    one_effect(home, identity, attempts=1)
    (after,) = home.jobs()
    assert after["jobId"] == before["jobId"] and home.begun() == 1


def test_a_worker_that_stops_ends_its_job_first(home):
    worker = home.worker()
    until(lambda: "workers" in home.reply("System/Status")["work"])
    home.hold()
    identity = home.speak()
    until(lambda: home.begun() == 1)
    worker.process.send_signal(signal.SIGTERM)
    until(lambda: home.reply("System/Status")["work"]["workers"][0]["state"] == "draining")
    home.let_go()
    assert worker.process.wait(60) == 0
    home.settled(identity)
    one_effect(home, identity, attempts=1)


def test_contacts_are_read_by_a_worker(home):
    book = AddressBook(home.directory / "cards", 700, 7)
    home.worker("contacts", "reader")
    add_folder(home, "home", book.folder)
    passed = sync(home, "home")
    assert (passed["state"], passed["live"]) == ("COMPLETED", len(book.names)), passed
    assert set(contacts(home, "home")) == book.names
    states = {job["state"] for job in home.reply("Jobs/List")["jobs"]}
    assert states == {"done"}


def test_a_worker_killed_in_a_pass_is_followed_by_another_that_goes_on(home):
    book = AddressBook(home.directory / "cards", CARDS, 8)
    # One of the listing and two of cards: not all three can have been sent, however fast they are taken.
    worker = home.worker("contacts", "reader", KITH_FAULT_POINT="job_batch_sent:3")
    add_folder(home, "home", book.folder)
    with subprocess.Popen([BINARIES / "kith", "--runtime-dir", home.runtime, "contacts", "sync"],
                          stdout=subprocess.DEVNULL) as run:
        worker.killed().start()
        assert run.wait(90) == 0
    assert set(contacts(home, "home")) == book.names
    (fetch,) = home.jobs("kith.v1.ContactsSource/Fetch")
    # Three batches in all, none of them twice.
    assert (fetch["state"], fetch["attempt"], fetch["batches"]) == ("done", 2, 3)
    (status,) = home.reply("Contacts/SyncStatus")["sources"]
    assert (status["state"], status["added"], status["live"]) == ("COMPLETED", len(book.names), len(book.names))


def test_the_worker_in_python_does_a_whole_job(home):
    script = EXAMPLES / "transcribe_worker.py"
    assert len(script.read_text().splitlines()) < 150
    program = [sys.executable, script, "--endpoint", f"ipc://{home.runtime}/work.sock", "--name", "python", "--",
               sys.executable, "-c", "import sys; assert open(sys.argv[1], 'rb').read(4) == b'RIFF'; "
               "print('two tablets after breakfast')", "{file}"]
    with subprocess.Popen(program) as process:
        try:
            identity = home.speak()
            home.settled(identity)
            one_effect(home, identity, attempts=1)
            (job,) = home.jobs()
            assert job["worker"] == "python"
            process.terminate()
            assert process.wait(60) == 0
        finally:
            process.kill()


def test_monica_is_reached_by_a_worker_and_nobody_is_there_twice_when_it_is_killed():
    home, server = monica_home(), servers.Monica.double(rate_limit=0)
    try:
        home.start()
        # Where the worker is, there is the token.
        os.symlink(home.directory / "state", home.directory / "worker")
        worker = home.worker("monica", "gateway")
        status = home.reply("Monica/Login", {"endpoint": server.url, "token": server.token})
        assert status["state"] == "logged_in"
        home.reply("People/Create", {"record": {"firstName": "Ann"}})
        until(lambda: people(server) == ["Ann"])
        server.faults({"delay_ms": 5000, "match": {"method": "POST", "path": "/api/contacts$"}})
        home.reply("People/Create", {"record": {"firstName": "Emeka"}})
        until(lambda: server.requests()["by"].get("POST /api/contacts") == 2)
        worker.end(signal.SIGKILL)
        # The server goes on, and nobody hears its answer.
        until(lambda: sorted(people(server)) == ["Ann", "Emeka"])
        worker.start()
        until(lambda: any(job["state"] == "unknown" for job in home.jobs("kith.v1.MonicaRemote/Push")))

        def settled():
            assert home.process.poll() is None, home.log.read_text()[-3000:]
            home.reply("Monica/Sync", timeout=60)
            return not home.reply("Monica/Queue").get("entries")

        until(settled, 60)
        assert sorted(people(server)) == ["Ann", "Emeka"]
        pushes = home.jobs("kith.v1.MonicaRemote/Push")
        # What may happen once is never leased twice.
        assert all(job["attempt"] == 1 for job in pushes)
    finally:
        server.remove()
        home.remove()


def test_what_a_worker_reports_is_shown_with_the_entry_that_it_transcribes(home):
    home.hold()
    home.worker()
    identity = home.speak()
    until(home.begun)
    progress = until(lambda: home.entry(identity).get("progress"))[0]
    assert progress == {"stage": "transcribing", "note": "command"}
    (listed,) = home.reply("Care/List")["records"]
    assert listed["progress"] == progress
    home.let_go()
    home.settled(identity)
    assert "progress" not in home.entry(identity)


def test_what_a_worker_reports_reaches_the_command_that_waits_for_it(home):
    worker = Frames(home).ready(services=("kith.v1.ContactsSource",))
    worker.wait(0x10)
    home.reply("Contacts/AddSource", {"name": "home", "vdir": {"path": "/nowhere"}})
    heard, answers = queue.Queue(), []
    asking = threading.Thread(target=lambda: answers.append(
        home.ask("Contacts/Sync", on_partial=lambda header, body: heard.put((header.get("seq", 0), body)))))
    asking.start()
    job, _, _ = worker.wait(0x02)
    ids = {key: job[key] for key in ("jobId", "attempt", "leaseId")}
    said = {"fraction": 0.25, "stage": "listing", "note": "a quarter"}
    worker.send(0x03, {**ids, "progress": said})
    # The first has seq 0 and is Accepted; every other one is Progress.
    assert heard.get(timeout=30)[0] == 0 and heard.get(timeout=30) == (1, said)
    assert home.jobs(job["service"])[0]["fraction"] == 0.25
    worker.final(job, status={"code": "UNAVAILABLE", "reason": "SOURCE_UNAVAILABLE", "message": "gone"})
    asking.join(60)
    assert answers[0][1]["sources"][0]["error"]["reason"] == "SOURCE_UNAVAILABLE"
    worker.close()
