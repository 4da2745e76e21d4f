"""Requests that the description of the API allows, made by schemathesis, and whether the answers are what it says."""
import collections

import hypothesis
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase

from conftest import seed, size
from test_api import faults, reply_name
from web import door

LEFT_OUT = {
    "Contacts/AddSource": "asks servers of other people", "Contacts/Discover": "asks servers of other people",
    "Contacts/TestSource": "asks servers of other people", "Monica/Login": "asks servers of other people",
    "Channels/Test": "sends messages to other people", "Keys/RotateServer": "changes the key of the hub",
    "Devices/Leave": "signs out the device that sends the requests", "Devices/Revoke": "may sign it out by chance",
}
# Of each method and role: some 600 in all, or 10,000.
CASES = size(2, 32)
# What kithd answers to a client that is newer than itself.
TOO_OLD = ("System/Hello", 501)


@pytest.fixture(scope="module")
def front():
    with door() as front:
        yield front


def wrong(method, answer):
    """What is wrong with an answer; empty = nothing."""
    is_failure = answer.status_code >= 500 and (method, answer.status_code) != TOO_OLD
    if is_failure or not answer.headers["Content-Type"].startswith("application/json"):
        return [answer.text[:300]]
    body = answer.json()
    if answer.status_code == 200:
        return faults(reply_name(method), body)
    return faults("Error", body)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("role", ["admin", None])
def test_answers_are_what_the_description_says(front, role):
    description = requests.get(f"{front.url}/api/openapi.json", timeout=30).json()
    found, statuses = {}, collections.Counter()
    operations = [result.ok() for result in schemathesis.openapi.from_dict(description).get_all_operations()]
    for number, operation in enumerate(operations):
        method = operation.path.removeprefix("/kith.v1.")
        if method in LEFT_OUT:
            continue
        # A device of its own, whose bound of changes is not reached.
        headers = {"Authorization": f"Bearer {front.device(f'device-{number}', role).token}"} if role else {}

        @hypothesis.seed(seed(1))
        @hypothesis.settings(max_examples=CASES, deadline=None, database=None, phases=[Phase.generate],
                             suppress_health_check=list(HealthCheck))
        @hypothesis.given(case=operation.as_strategy())
        def trial(case):
            answer = requests.request(**case.as_transport_kwargs(base_url=front.url, headers=headers), timeout=60)
            statuses[answer.status_code] += 1
            if told := wrong(method, answer):
                found.setdefault((method, answer.status_code, told[0].split(":")[0]), (case.body, case.headers, told, answer.text[:300]))

        trial()
        if role:
            front.hub.reply("Devices/Revoke", {"name": f"device-{number}"})
    assert not found, "\n".join(f"{key}: {value}" for key, value in found.items())
    assert len(LEFT_OUT) == len([operation for operation in operations if operation.path.removeprefix("/kith.v1.") in LEFT_OUT])
    assert statuses.total() > 100
    if role is None:
        assert set(statuses) == {401}, statuses
    else:
        assert statuses[200] > 100 and not statuses[401], statuses
