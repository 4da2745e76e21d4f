"""What a command tells of Monica: of its own work, as of when, and what failed."""
import concurrent.futures
import re
import threading

import pytest

from monica_home import home
from servers import Monica
from test_monica_errors import AWAY, BAD_TOKEN, DONE, EXPIRED, FAILED, REFUSED, SLOW, TROUBLE, outcome
from trials import kith

NOON = "2026-01-02T12:00:00Z"


@pytest.fixture(scope="module")
def shared():
    double = Monica("double", rate_limit=0)
    try:
        with home(double.start()) as household:
            household.person("Ann", description="as it was")
            household.settle()
            yield household
    finally:
        double.remove()


@pytest.fixture
def household():
    double = Monica("double", rate_limit=0)
    try:
        with home(double.start()) as household:
            yield household
    finally:
        double.remove()


# A person who is read afresh.


@pytest.mark.parametrize("fault, sentence, status", [
    ({"drop": True}, AWAY, FAILED),
    ({"status": 500}, TROUBLE, FAILED),
    ({"delay_ms": 12_000}, SLOW, FAILED),
    ({"status": 401}, EXPIRED, REFUSED),
], ids=str)
def test_a_refresh_that_fails_shows_what_is_stored_and_says_why(shared, fault, sentence, status):
    (ann,) = (person["id"] for person in shared.hub.reply("People/List")["people"])
    shared.monica.faults(always=[fault])
    try:
        code, text = outcome(shared.hub, "people", "show", "ann", "--refresh")
        assert "as it was" in text and sentence in text and code == status, text
        assert re.search(r"Not refreshed. The stored record is as of \S+ \S+ \(", text), text
        # Another one has the same answer, as a message: what failed, and as of when the rest is.
        if status == FAILED and "delay_ms" not in fault:
            details = shared.hub.reply("People/Get", {"id": ann, "refresh": True})
            assert details["refreshError"]["message"].startswith(sentence) and "refreshed" not in details
            assert details["fetchedAt"] and details["person"]["description"] == "as it was"
    finally:
        shared.monica.clear_faults()
        shared.login()
    code, text = outcome(shared.hub, "people", "show", "ann", "--refresh")
    assert code == DONE and "Not refreshed" not in text, text
    details = shared.hub.reply("People/Get", {"id": ann, "refresh": True})
    assert details["refreshed"] and "refreshError" not in details


def test_a_refresh_reads_a_list_to_its_end(household):
    server = household.monica
    ann = household.person("Ann")["id"]
    household.settle()
    row = int(household.details(ann)["person"]["monicaId"])
    server.mutate(*({"op": "create", "table": "notes", "values": {"contact_id": row, "body": f"note {number}"}}
                    for number in range(620)))
    details = household.hub.reply("People/Get", {"id": ann, "refresh": True}, timeout=60)
    assert details["refreshed"]
    found, cursor = [], ""
    while True:
        page = household.hub.reply("Notes/List", {"personId": ann, "limit": 500, "cursor": cursor})
        found += page.get("notes", [])
        cursor = page.get("nextCursor", "")
        if not cursor:
            break
    assert len(found) == 620


# What a sync says.


def test_a_sync_tells_how_its_own_pass_ended(household):
    server = household.monica
    ann = household.person("Ann")["id"]
    household.settle()
    # Each of these has a pass of its own begin as soon as it can; they come slower than the server takes them.
    server.config(delays={"POST /api/calls": 30})
    is_over = threading.Event()

    def write():
        for number in range(1000):
            household.log(ann, f"meanwhile {number}")
            if is_over.wait(0.2):
                return

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        try:
            for _ in range(5):
                status = household.sync(pushOnly=True)["sync"]
                assert status["state"] == "COMPLETED", status
                assert status["finishedAt"] >= status["startedAt"] and status["runId"], status
        finally:
            is_over.set()
        writing.result()
    household.settle()


def test_a_sync_says_of_each_change_that_is_left_why_and_what_to_do(household):
    server = household.monica
    ann = household.person("Ann")["id"]
    household.settle()
    server.mutate({"op": "archive", "id": int(household.details(ann)["person"]["monicaId"])})
    for _ in range(5):
        for number in range(3):
            household.log(ann, f"call {number}")
        run = kith(household.hub, "monica", "sync")
        text = " ".join(run.stdout.split())
        assert run.returncode == DONE and run.stdout.startswith("monica: completed"), run
        assert "create call of Ann: The person is archived on the server" in text and "kith monica retry" in text, text
        assert "not on the server yet" not in text, text
        failed = len(household.queue(state="failed"))
        assert f"{failed} changes refused by the server" in text, text
