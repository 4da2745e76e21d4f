"""Workers and hubs that stand still, or are killed at marked points: what becomes of a job is in the store exactly once.

Each row of docs/protocol.md, 10, about workers is shown here, in test_workers.py, test_work_plane.py, test_worker_keys.py or
test_hosts.py; that page says which.
"""
import contextlib
import random
import signal
import subprocess
import time

import pytest

import servers
from conftest import BINARIES, seed, stopped, tally
from send import HubNotRunning
from trials import CARDS, AddressBook, add_folder, contacts, corpus, dense, together
from workers import Home, leases, monica_home, one_effect, people, started, until

SEED = seed(20261121)
NAP, SLEEP, COMA = 5, 20, 60


def waited(begin, seconds):
    time.sleep(max(0, begin + seconds - time.monotonic()))


def stopped_worker(seconds):
    """A worker stands still in a job for so long, and another one is there."""
    with started(Home()) as home:
        first = home.worker()
        home.with_workers("one")
        home.hold()
        identity = home.speak()
        until(lambda: home.begun() == 1)
        home.worker(name="two")
        home.with_workers("one", "two")
        begin, stood_still = time.monotonic(), time.time()
        with first.stopped():
            if seconds == COMA:
                until(lambda: home.begun() == 2, 150)
                took = leases(home)[1] - stood_still
                print(f"after {took:.1f} s of a worker that stood still its job was with another")
                assert took < 35
                home.let_go()
                home.settled(identity)
            waited(begin, seconds)
        # Twenty seconds are just what the hub waits: both ways are right.
        attempts = {NAP: 1, SLEEP: (1, 2), COMA: 2}[seconds]
        if seconds != COMA:
            home.let_go()
            home.settled(identity)
        one_effect(home, identity, attempts)
        # On waking it gives up, or brings an end that does not count.
        home.with_workers("one", "two")
        one_effect(home, identity, attempts)
        assert first.end() == 0


def stopped_hub(seconds):
    """The hub stands still while a job runs and ends."""
    with started(Home()) as home:
        worker = home.worker()
        home.with_workers("one")
        home.hold()
        identity = home.speak()
        until(lambda: home.begun() == 1)
        with stopped(home.process):
            home.let_go()
            time.sleep(seconds)
        home.settled(identity)
        # A lease that was not renewed is over for its worker before it is for the hub, which then may find a connection that is
        # gone: an attempt that was never sent.
        one_effect(home, identity, attempts=range(1, 4) if seconds == COMA else 1)
        assert home.begun() <= (2 if seconds == COMA else 1)
        home.with_workers("one")
        assert worker.end() == 0 and home.end() == 0


def stopped_before_its_job_came():
    """A job is sent to a worker that stands still, and was never begun."""
    with started(Home()) as home:
        first = home.worker()
        home.with_workers("one")
        with first.stopped():
            identity = home.speak()
            until(lambda: [job["state"] for job in home.jobs()] == ["leased"])
            home.worker(name="two")
            home.settled(identity, 150)
            given, given_again = leases(home)
            assert given_again - given < 45
            one_effect(home, identity, attempts=2)
        home.with_workers("one", "two")
        one_effect(home, identity, attempts=2)


@pytest.mark.waits
@pytest.mark.timeout(600)
def test_who_stands_still_loses_and_doubles_nothing():
    together(stopped_before_its_job_came, *(
        lambda trial=trial, seconds=seconds: trial(seconds)
        for trial in (stopped_worker, stopped_hub) for seconds in (NAP, SLEEP, COMA)))


def test_a_job_for_a_worker_that_is_dead_goes_to_another_at_once():
    with started(Home()) as home:
        first = home.worker()
        home.with_workers("one")
        home.worker(name="two")
        home.with_workers("one", "two")
        first.end(signal.SIGKILL)
        # Whichever of them it is given to: what cannot be sent was never begun.
        spoken = time.time()
        identity = home.speak()
        home.settled(identity)
        assert leases(home)[-1] - spoken < 15, "it waited for the dead one's time to be over"
        one_effect(home, identity, attempts=(1, 2))


# Where, whether that is in the worker, and how often the job may have been tried.
POINTS = [
    ("job_granted", False, (2,)),
    ("job_end_taken", False, (1,)),
    ("job_end_stored", False, (1,)),
    ("care_transcribed", False, (1,)),
    ("care_stored", False, (1,)),
    ("job_taken", True, (2,)),
    ("job_run", True, (2,)),
    # The end may have left the process before it was killed.
    ("job_end_sent", True, (1, 2)),
]


def killed_in_a_recording(point, is_in_worker, attempts):
    armed = {"KITH_FAULT_POINT": f"{point}:1"}
    home = Home()
    if not is_in_worker:
        home.environment = armed
    with started(home):
        worker = home.worker(**armed if is_in_worker else {})
        home.environment = {}
        home.with_workers("one")
        identity = home.say()
        # Its answer may be lost with the hub.
        with contextlib.suppress(HubNotRunning, TimeoutError):
            home.reply("Care/StopVoice", {"id": identity}, timeout=5)
        (worker if is_in_worker else home).killed().start()
        home.settled(identity)
        one_effect(home, identity, attempts)
        home.with_workers("one")
        if point == "job_run":
            assert home.begun() == 2
        one_effect(home, identity, attempts)
        assert worker.end() == 0 and home.end() == 0


def killed_in_a_pass(point, count, is_in_worker):
    """At the n-th batch of a pass over a folder: another attempt goes on from what is stored, and no contact is there twice."""
    with started(Home()) as home:
        book = AddressBook(home.directory / "cards", CARDS, SEED + count)
        add_folder(home, "home", book.folder)
        armed = {"KITH_FAULT_POINT": f"{point}:{count}"}
        if is_in_worker:
            worker = home.worker("contacts", "reader", **armed)
        else:
            home.end()
            home.start(**armed)
            worker = home.worker("contacts", "reader")
        home.with_workers("reader")
        run = subprocess.Popen([BINARIES / "kith", "--runtime-dir", home.runtime, "contacts", "sync"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with run:
            (worker if is_in_worker else home).killed().start()
            run.wait(90)
        until(lambda: set(contacts(home, "home")) == book.names, 60)
        told = [each for event in dense(home, "contacts") for each in event["event"]["changed"]["ids"]]
        assert len(told) == len(set(told)) == len(book.names), "a contact was written twice"
        assert all(job["state"] in ("done", "cancelled") for job in home.jobs("kith.v1.ContactsSource/Fetch"))


def killed_over_a_change(point, count):
    """A change to Monica may have been made or not when its worker is killed: it is looked up, and never made twice."""
    home, server = monica_home(), servers.Monica.double(rate_limit=0)
    try:
        with started(home):
            (home.directory / "worker").symlink_to(home.directory / "state")
            worker = home.worker("monica", "gateway")
            assert home.reply("Monica/Login", {"endpoint": server.url, "token": server.token})["state"] == "logged_in"
            assert worker.end() == 0
            worker.start(KITH_FAULT_POINT=f"{point}:{count}")
            names = ["Ann", "Emeka", "Hanako"]
            for name in names:
                home.reply("People/Create", {"record": {"firstName": name}})
            worker.killed().start()

            def settled():
                home.reply("Monica/Sync", timeout=60)
                return not home.reply("Monica/Queue").get("entries")

            until(settled, 90)
            assert sorted(people(server)) == names
            assert server.requests()["by"]["POST /api/contacts"] == len(names), "somebody was made twice"
    finally:
        server.remove()


def test_kills_at_marked_points_of_a_recording_lose_and_double_nothing():
    together(*(lambda point=point: killed_in_a_recording(*point) for point in POINTS))
    tally(faults=len(POINTS))


def test_kills_at_marked_points_of_a_pass_lose_and_double_nothing():
    chance = random.Random(SEED)
    corpus()
    # A pass over all cards has three batches.
    points = [(point, chance.randint(1, 2), False) for point in ("batch_read", "batch_committed")]
    # Before their batches is one of the listing.
    points += [("job_batch_sent", chance.randint(2, 3), True), ("job_batch_stored", chance.randint(2, 3), False)]
    together(*(lambda point=point: killed_in_a_pass(*point) for point in points))
    tally(faults=len(points))


def test_kills_at_marked_points_of_changes_to_monica_double_nothing():
    chance = random.Random(SEED)
    points = ("job_taken", "job_run", "job_end_sent")
    together(*(lambda point=point, count=chance.randint(1, 3): killed_over_a_change(point, count) for point in points))
    tally(faults=len(points))
