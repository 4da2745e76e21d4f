"""What workers do happens once, though the hub is killed while they are at it, or before it has stored what came of it."""
import contextlib
import os
import signal

import pytest

import servers
from channels import add, deliveries, settled, share
from workers import Home, until

QUIET = "[contacts]\nsync_at_start = false\n[monica]\nsync_at_start = false\nsync_every_minutes = 0\n"
DELIVER, PUSH = "kith.v1.Delivery/Deliver", "kith.v1.MonicaRemote/Push"
# The server takes its time to make a person, so that something else may happen meanwhile.
SLOW = {"delay_ms": 6000, "match": {"method": "POST", "path": "/api/contacts$"}}


@contextlib.contextmanager
def household(placed):
    """A hub whose service waits for a worker, which looks for secrets where the hub keeps them."""
    home = Home()
    try:
        (home.directory / "config.toml").write_text(f'{QUIET}[placement]\n{placed} = "worker"\n')
        os.symlink(home.directory / "state", home.directory / "worker")
        yield home.start()
    finally:
        home.remove()


def one_job(home, service):
    """The only job of the service, done at its first attempt."""
    (job,) = home.jobs(service)
    assert (job["state"], job["attempt"]) == ("done", 1), job


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("sends", ["while the hub is away", "when the hub is back"])
def test_a_message_that_a_worker_is_sending_arrives_once(services, how, sends):
    with household("delivery") as home:
        home.worker("delivery", "post")
        add(home, "phone", "ntfy", address=services.url, topic="care")
        services.answer({"hold": True})
        identity = share(home, "phone")[0]["id"]
        until(lambda: services.seen)
        home.end(how)
        if sends == "while the hub is away":
            services.release()
        home.start()
        services.release()
        entry = settled(home, identity)
        assert (entry["state"], entry["attempts"]) == ("delivered", 1), entry
        assert services.accepted == [identity] and len(services.seen) == 1
        one_job(home, DELIVER)


def test_a_message_whose_end_the_hub_has_and_not_its_queue_arrives_once(services):
    with household("delivery") as home:
        home.end()
        home.environment["KITH_FAULT_POINT"] = "delivery_sent:1"
        home.start()
        home.worker("delivery", "post")
        add(home, "phone", "ntfy", address=services.url, topic="care")
        identity = share(home, "phone")[0]["id"]
        assert home.process.wait(60) == -signal.SIGKILL
        home.environment.clear()
        home.start()
        assert settled(home, identity)["state"] == "delivered"
        assert services.accepted == [identity] and len(services.seen) == 1
        one_job(home, DELIVER)


def test_a_message_that_waits_for_a_worker_is_given_to_it_once(services):
    with household("delivery") as home:
        add(home, "phone", "ntfy", address=services.url, topic="care")
        identity = share(home, "phone")[0]["id"]
        until(lambda: home.jobs(DELIVER))
        home.restart(signal.SIGKILL)
        home.worker("delivery", "post")
        assert settled(home, identity)["state"] == "delivered"
        assert services.accepted == [identity]
        one_job(home, DELIVER)


def test_a_failed_attempt_is_followed_by_another_one(services):
    with household("delivery") as home:
        home.worker("delivery", "post")
        add(home, "phone", "ntfy", address=services.url, topic="care")
        services.answer({"status": 500})
        identity = share(home, "phone")[0]["id"]
        entry, _ = until(lambda: next(iter(each for each in deliveries(home) if each["state"] == "pending"
                                           and each.get("attempts")), None))
        assert entry["error"]["reason"] == "CHANNEL_TROUBLE"
        home.reply("Channels/Retry", {"id": identity})
        assert settled(home, identity)["state"] == "delivered"
        assert services.accepted == [identity]
        assert sorted(job["state"] for job in home.jobs(DELIVER)) == ["done", "failed"]
        # Whoever wanted it goes its own ways: a job of its is not tried again beside them.
        (failed,) = [job for job in home.jobs(DELIVER) if job["state"] == "failed"]
        assert home.error("Jobs/Retry", {"jobId": failed["jobId"]}) == ("FAILED_PRECONDITION", "JOB_NOT_RETRYABLE")


@contextlib.contextmanager
def gateway():
    """A home that is logged in to a Monica server, which a worker reaches."""
    server = servers.Monica.double(rate_limit=0)
    try:
        with household("monica") as home:
            home.worker("monica", "gateway")
            assert home.reply("Monica/Login", {"endpoint": server.url, "token": server.token})["state"] == "logged_in"
            yield home, server
    finally:
        server.remove()


def made_once(home, server):
    """Ann is on the server, made by one request of one job, and nothing waits."""
    def is_settled():
        # Reading would be jobs as well, until the server has been given its time.
        home.reply("Monica/Sync", {"pushOnly": True}, timeout=60)
        return not home.reply("Monica/Queue").get("entries")

    until(is_settled, 60)
    assert [person["first_name"] for person in server.done("GET", "/contacts?limit=100")] == ["Ann"]
    assert server.requests()["by"]["POST /api/contacts"] == 1
    one_job(home, PUSH)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_person_whom_a_worker_is_making_on_the_server_is_made_once(how):
    with gateway() as (home, server):
        server.faults(SLOW)
        home.reply("People/Create", {"record": {"firstName": "Ann"}})
        until(lambda: any(job["state"] == "leased" for job in home.jobs(PUSH)))
        home.restart(how)
        made_once(home, server)


def test_a_person_whose_push_ended_and_was_not_stored_is_made_once():
    with gateway() as (home, server):
        home.end()
        home.environment["KITH_FAULT_POINT"] = "monica.push.sent:1"
        home.start()
        home.reply("People/Create", {"record": {"firstName": "Ann"}})
        assert home.process.wait(60) == -signal.SIGKILL
        home.environment.clear()
        home.start()
        made_once(home, server)


def test_a_push_that_a_person_cancels_may_have_happened():
    with gateway() as (home, server):
        server.faults(SLOW)
        home.reply("People/Create", {"record": {"firstName": "Ann"}})
        (job,), _ = until(lambda: [job for job in home.jobs(PUSH) if job["state"] == "leased"])
        assert home.reply("Jobs/Cancel", {"jobId": job["jobId"]})["job"]["state"] == "unknown"
        until(lambda: next(each for each in home.jobs(PUSH) if each["jobId"] == job["jobId"])["state"] != "leased")
