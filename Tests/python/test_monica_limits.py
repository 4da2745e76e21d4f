"""A kithd and a Monica that allows few requests, or takes its time over one."""
import re
import signal

import pytest

from monica_home import CONFIGURATION, STRANGER, home
from test_setup_questions import Place
from test_terminal import COLUMNS, Typed
from trials import kith
from workers import until


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("told, waits", [
    pytest.param("", False, id="by default"),
    pytest.param("time_limit_seconds = 30\n", True, id="as told", marks=pytest.mark.waits)])
def test_what_the_server_is_still_at_when_the_hub_ends_is_there_once(monica, told, waits, how):
    with home(monica, configuration=CONFIGURATION + told) as household:
        ann = household.person("Ann")["id"]
        household.settle()
        monica.forget_requests()
        monica.faults({"delay_ms": 2000, "match": {"method": "POST", "path": "/api/calls"}})
        household.log(ann, "once")
        until(lambda: monica.requests()["by"].get("POST /api/calls"))
        household.hub.restart(how)
        # Who asks meanwhile waits for it, or is told until when it waits.
        run = kith(household.hub, "monica", "sync")
        assert run.returncode == 0, run
        assert ("1 change not on the server yet. Next attempt" in run.stdout) == waits, run
        if waits:
            # Four times a second, until the server has had its time.
            household.settle(limit=400)
        assert len(monica.dump("calls")) == 1 and monica.requests()["by"]["POST /api/calls"] == 1
        (call,) = household.calls()
        assert call["syncState"] == "synced"


# Of each two windows of a minute, the first is too small for all that is asked one by one.
@pytest.mark.waits
@pytest.mark.timeout(300)
@pytest.mark.parametrize("monica", ["double"], indirect=True)
def test_people_in_no_list_come_however_few_requests_the_server_allows(monica):
    ann = monica.done("POST", "/contacts", {**STRANGER, "first_name": "Ann"})["id"]
    for number in range(40):
        child = monica.done("POST", "/contacts", {**STRANGER, "first_name": f"c{number}", "is_partial": True})["id"]
        monica.done("POST", "/relationships", {"contact_is": ann, "of_contact": child, "relationship_type_id": 8})
    monica.config(rate_limit=40)
    with home(monica) as household:
        assert household.sync(timeout=240)["sync"]["state"] == "COMPLETED"
        people = household.hub.reply("People/List", {"limit": 500, "includePartial": True})["people"]
        held = {person["firstName"]: person["id"] for person in people}
        assert sorted(held) == sorted(["Ann", *(f"c{number}" for number in range(40))])
        assert len(household.details(held["Ann"])["relationships"]) == 40


@pytest.mark.waits
@pytest.mark.timeout(300)
@pytest.mark.parametrize("monica", ["double"], indirect=True)
def test_what_is_gone_is_asked_about_however_few_requests_the_server_allows(monica):
    with home(monica) as household:
        ann = household.person("Ann")["id"]
        for number in range(40):
            household.log(ann, f"call {number}")
        household.settle()
        for call in monica.dump("calls"):
            monica.done("DELETE", f"/calls/{call['id']}")
        monica.forget_requests()
        monica.config(rate_limit=40)
        assert household.sync(timeout=240)["conflicts"] == 40
        # Each was asked for once.
        asked = [path for path in monica.requests()["by"] if path.startswith("GET /api/calls/")]
        assert sum(monica.requests()["by"][path] for path in asked) == 40


@pytest.mark.parametrize("monica", ["double"], indirect=True)
@pytest.mark.parametrize(("language", "words"), [
    ("en", r"Monica's rate limit: goes on in [1-4] s"), ("ja", r"Monica の回数制限: [1-4]秒後に続けます")])
def test_a_wait_for_the_rate_limit_says_how_long(monica, language, words):
    with home(monica) as household:
        household.settle()
        limited = {"status": 429, "retry_after": 3, "match": {"method": "GET", "path": "/api/contacts"}}
        monica.faults(limited)
        run = kith(household.hub, "monica", "sync", "--full", "--lang", language)
        assert run.returncode == 0 and len(re.findall(words, run.stderr)) == 1, run
        monica.faults(limited)
        typed = Typed(Place(household.hub), "monica", "sync", "--full", "--lang", language)
        assert typed.end() == 0 and re.search(words, typed.said) and max(typed.redrawn()) <= COLUMNS, typed.said
