"""A hub, workers and a viewer as machines of a network: work runs through, and cables are pulled at marked points.

Rows of docs/protocol.md, 10, that are shown here: a worker whose connection is lost for less and for more than its time, in a
job, with the end of a job, and between two batches.
"""
import contextlib
import json
import queue
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest

from between import between
from conftest import BINARIES
from machines import House, needs_networks
from servers import PASSWORD, RADICALE, server
from trials import contacts, dense, sync, together
from workers import leases, one_effect, started, until

pytestmark = needs_networks

# The hub gives a job to another worker some 20 s after it last heard of the first.
SHORT, LONG = 6, 36
CARDS = 1200

needs_speech = pytest.mark.skipif(shutil.which("flite") is None, reason="flite is needed; scripts/test.sh installs it")


def add_account(house, dav):
    """A source whose server and whose password are on the machine of the worker alone."""
    password = house.directory / "password"
    password.write_text(PASSWORD)
    password.chmod(0o600)
    house.reply("Contacts/AddSource", {"name": "home", "carddav": {
        "url": dav.url, "username": "alice", "passwordFile": str(password)}})


@contextlib.contextmanager
def watching(house, machine, file, *streams):
    """What `kith watch` prints on a machine, from the first event on; the lines come to a file."""
    lines = house.directory / "watched"
    since = [word for stream in streams for word in ("--since", f"{stream}=0")]
    with open(lines, "wb") as output, subprocess.Popen(
            [*machine.inside, BINARIES / "kith", *house.reach(file), "--json", "watch", *since], stdout=output) as watch:
        try:
            yield lambda: [json.loads(line) for line in lines.read_text().splitlines()]
        finally:
            watch.send_signal(signal.SIGINT)


@needs_speech
def test_contacts_and_speech_come_from_other_machines_and_a_third_one_sees_it():
    with started(House()) as house, contextlib.ExitStack() as closing:
        attic = house.network.machine("attic")
        dav = closing.enter_context(server(RADICALE, start=False, under=attic.inside))
        dav.start()
        with attic.entered():
            dav.fill(30)
        with house.machine.entered(), pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", dav.port), timeout=5).close()

        # The way of the handbook: a key that is not let in waits, is compared and approved.
        file, fingerprint, _ = house.key(attic, "attic")
        reader = house.far_worker("contacts", "attic", attic, file, engine=False)
        assert reader.says("does not let the key")
        (waiting,) = house.kith("keys", "pending")["pending"]
        assert waiting["fingerprint"] == fingerprint and waiting["lastAddress"] == attic.address
        house.kith("keys", "approve", fingerprint, "--name", "attic", "--role", "worker", "--service", "contacts")
        study, speech_key = house.machine_with_key("study", "worker", "transcriber")
        house.far_worker("transcriber", "study", study, speech_key, engine=False)
        kitchen, kitchen_key = house.machine_with_key("kitchen", "viewer")
        house.with_workers("attic", "study")

        seen = closing.enter_context(watching(house, kitchen, kitchen_key, "contacts", "sync", "care", "jobs"))
        add_account(house, dav)
        house.kith("contacts", "sync")
        assert len(contacts(house, "home")) == 30
        sound = house.directory / "speech.wav"
        subprocess.run(["flite", "-voice", "rms", "-t", "medication two tablets after breakfast", "-o", sound], check=True)
        identity = house.speak(sound.read_bytes())
        house.settled(identity)
        entry = house.entry(identity)
        assert entry["state"] == "transcribed" and "breakfast" in entry["transcript"], json.dumps(entry)

        def told(what):
            return [event["event"] for event in seen() if what in event["event"]]

        changed = lambda kind: {each for event in told("changed") for each in event["changed"]["ids"]
                                if event["changed"]["kind"] == kind}
        until(lambda: identity in changed("care"))
        until(lambda: changed("contact") == {contact["id"] for contact in contacts(house, "home").values()})
        until(lambda: "COMPLETED" in {event["sync"].get("state") for event in told("sync")})
        done = lambda: {event["job"]["worker"] for event in told("job") if event["job"]["state"] == "done"}
        until(lambda: done() == {"attic", "study"})
        # Of whom and of what is not among the events.
        assert "breakfast" not in json.dumps(seen()) and "card-00" not in json.dumps(seen())
        # A viewer changes nothing, and neither key opens the other's plane.
        assert "ROLE_NOT_ALLOWED" in house.run(kitchen, *house.reach(kitchen_key), "--json", "contacts", "sync", code=4)
        house.run(study, *house.reach(speech_key), "--json", "status", code=4)


def in_a_job(seconds):
    """The cable is pulled while a worker is in a job, and the job goes on."""
    with started(House()) as house:
        first = house.approved_worker()
        house.with_workers("one")
        house.hold()
        identity = house.speak()
        until(lambda: house.begun() == 1)
        begin, cut = time.monotonic(), time.time()
        with house.network.cut(first.machine):
            if seconds == LONG:
                house.approved_worker(name="two")
                until(lambda: house.begun() == 2, 150)
                took = leases(house)[1] - cut
                print(f"after {took:.1f} s without its worker a job was with another")
                assert took < 35
                house.let_go()
                house.settled(identity)
            time.sleep(max(0, begin + seconds - time.monotonic()))
        if seconds == SHORT:
            house.with_workers("one")
            house.let_go()
            house.settled(identity)
            assert house.begun() == 1
        one_effect(house, identity, attempts=1 if seconds == SHORT else 2)
        # And when the first has said what it had to say.
        until(lambda: "one" in house.present(), 60)
        one_effect(house, identity, attempts=1 if seconds == SHORT else 2)
        assert first.process.poll() is None


def at_the_end_of_a_job(seconds):
    """The job ends while the cable is pulled: its end waits, and counts if nobody was faster."""
    with started(House()) as house:
        first = house.approved_worker()
        house.with_workers("one")
        house.hold()
        identity = house.speak()
        until(lambda: house.begun() == 1)
        with house.network.cut(first.machine):
            house.let_go()
            time.sleep(seconds)
            assert house.entry(identity)["state"] not in ("transcribed", "needs_memo")
        house.settled(identity)
        # After so long its lease was lost. Whether it does the job again or its first end counts is a matter of who comes first.
        one_effect(house, identity, attempts=1 if seconds == SHORT else (1, 2))


def between_two_batches(seconds):
    """The cable is pulled when a batch of a pass is stored and the next one is being read."""
    waiting, turns, asked = queue.SimpleQueue(), threading.Semaphore(0), 0

    def take_turns(request):
        if request.is_multiget:
            waiting.put(request.body.count(b"<d:href>"))
            turns.acquire(timeout=60)

    with started(House()) as house, contextlib.ExitStack() as closing:
        worker = house.approved_worker("contacts", "attic")
        dav = closing.enter_context(server(RADICALE, start=False, under=worker.machine.inside))
        dav.start()
        with worker.machine.entered():
            dav.fill(CARDS)
            proxy = closing.enter_context(between(dav))
        proxy.before = take_turns
        add_account(house, proxy)
        house.with_workers("attic")
        run = closing.enter_context(subprocess.Popen(
            [BINARIES / "kith", "--runtime-dir", house.runtime, "contacts", "sync"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL))

        def stored():
            nonlocal asked
            # Enough for a batch, and never all.
            if asked < CARDS // 2 and not waiting.empty():
                asked += waiting.get()
                turns.release()
            return contacts(house, "home")

        until(stored, 60)
        with house.network.cut(worker.machine):
            before = len(contacts(house, "home"))
            turns.release(1000)
            time.sleep(seconds)
            assert 0 < before <= len(contacts(house, "home")) < CARDS
        # Cards come from an address book in no order, so a pass that loses its worker fails, and the next one reads the rest.
        assert run.wait(120) == (0 if seconds == SHORT else 1)
        assert sync(house, "home")["state"] == "COMPLETED"
        assert len(contacts(house, "home")) == CARDS
        told = [each for event in dense(house, "contacts") for each in event["event"]["changed"]["ids"]]
        assert len(told) == len(set(told)) == CARDS, "a contact was written twice"
        fetches = house.jobs("kith.v1.ContactsSource/Fetch")
        if seconds == SHORT:
            ((state, attempt),) = {(job["state"], job["attempt"]) for job in fetches}
            assert (state, attempt) == ("done", 1)


def of_the_hub():
    """The machine of the hub is the one that is cut off: workers and viewers are back by themselves, and the events are dense."""
    with started(House()) as house, contextlib.ExitStack() as closing:
        house.approved_worker()
        kitchen, file = house.machine_with_key("kitchen", "viewer")
        seen = closing.enter_context(watching(house, kitchen, file, "care", "jobs", "system"))
        house.with_workers("one")
        until(seen)
        with house.network.cut(house.machine):
            identity = house.speak()
            # Silent for longer than a client believes in a link.
            time.sleep(12)
        house.settled(identity)
        until(lambda: [event["event"]["job"]["state"] for event in seen() if "job" in event["event"]][-1:] == ["done"], 40)
        for stream in ("care", "jobs"):
            numbers = [int(event["header"]["seq"]) for event in seen() if event["header"]["stream"] == stream]
            assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) <= house.seq(stream)
        one_effect(house, identity, attempts=(1, 2))


@pytest.mark.waits
@pytest.mark.timeout(600)
def test_a_cable_that_is_pulled_loses_and_doubles_nothing():
    """For less than a job's worker may be away, and for longer than its lease."""
    together(of_the_hub, *(
        lambda trial=trial, seconds=seconds: trial(seconds)
        for trial in (in_a_job, at_the_end_of_a_job, between_two_batches) for seconds in (SHORT, LONG)))
