"""kith-web on another machine than the hub: over tcp, with a key of the role door."""
import hashlib
import json

import pytest
import requests

from keyed import CurveWire, Key, eventually, tcp_hub
from web import Door, new_token


@pytest.fixture
def hub():
    with tcp_hub() as hub:
        yield hub


def remote_door(hub, key):
    file = key.file(hub.directory / "web.key", hub.server_key)
    return Door(hub, "--insecure-http", "--hub", hub.tcp(), "--key", str(file))


def health(front):
    return requests.get(f"{front.url}/healthz", timeout=30).json()["hub"]


def reason(wire, method, body=None):
    header, _ = wire.ask(method, body)
    return header.get("status", {}).get("reason", "")


def test_a_phone_joins_writes_and_follows_events_through_a_door_with_a_key(hub):
    key = Key()
    hub.approve(key, "attic", "door")
    front = remote_door(hub, key)
    try:
        front.start()
        code, token = hub.reply("Devices/Invite", {"name": "hanako"})["code"], new_token()
        paired = requests.post(f"{front.url}/pair", json={"code": code, "token": token}, timeout=30)
        assert paired.json() == {"name": "hanako", "role": "recorder"}
        phone = front.device("taro")
        with phone.events("care") as events:
            assert next(events)[0] == "position"
            record = requests.post(
                f"{front.url}/kith.v1.Care/Record", json={"category": "meal", "memo": "rice"}, timeout=30,
                headers={"Authorization": f"Bearer {token}"}).json()["record"]
            assert record["recorder"] == "hanako"
            assert record["id"] in json.dumps(next(events)[1])
        blob = b"a picture"
        digest = hashlib.sha256(blob).hexdigest()
        assert phone.ask("PUT", f"/blobs/{digest}", data=blob).status_code == 201
        assert phone.ask("GET", f"/blobs/{digest}").content == blob
        # Under the name of this machine.
        assert eventually(lambda: hub.reply("System/Status").get("doors"))
        (listed,) = hub.reply("System/Status")["doors"]
        assert listed["url"].startswith("http://") and listed["url"].endswith(f":{front.port}"), listed
        # The key is the door's whole right: without it, its devices are out as well.
        hub.reply("Keys/Revoke", {"name": "attic"})
        assert eventually(lambda: phone.post("System/Ping").status_code == 503)
        assert eventually(lambda: "the hub does not answer" in front.log.read_text()), front.log.read_text()
    finally:
        front.end()


def test_the_key_of_a_door_does_nothing_without_tokens(hub):
    key = Key()
    hub.approve(key, "attic", "door")
    front = remote_door(hub, key)
    try:
        front.start()
        assert requests.post(f"{front.url}/kith.v1.Care/List", json={}, timeout=30).status_code == 401
        assert requests.get(f"{front.url}/events", timeout=30).status_code == 401
    finally:
        front.end()
    # Whoever takes the key itself.
    with CurveWire(hub, key) as wire:
        refused = {reason(wire, method) for method in (
            "Care/List", "Care/Record", "People/List", "Contacts/List", "Devices/List", "Devices/Invite", "Devices/Add",
            "Devices/Revoke", "Keys/List", "Keys/Approve", "System/Status", "System/Backup")}
        assert refused == {"ROLE_NOT_ALLOWED"}
        assert wire.ask("System/Whoami")[1]["role"] == "door"


@pytest.mark.parametrize("role", ["viewer", "recorder", "worker"])
def test_a_key_of_another_role_is_no_door_and_the_log_says_what_to_do(hub, role):
    key = Key()
    hub.approve(key, "attic", role, **({"services": ["kith.v1.Transcriber"]} if role == "worker" else {}))
    front = remote_door(hub, key)
    try:
        front.start(waits_for_hub=False)
        # A worker's key does not come in at all.
        words = ("does not let the key", "`kith keys list`") if role == "worker" else (
            "with another role than door", "kith keys approve FINGERPRINT --name NAME --role door")
        assert eventually(lambda: all(text in front.log.read_text() for text in words)), front.log.read_text()
        phone = front.device("taro")
        for _ in range(3):
            assert phone.post("System/Ping").status_code == 503 and health(front) == "away"
        # As the log says; kith-web needs no restart.
        hub.local("keys", "approve", key.fingerprint, "--name", "attic", "--role", "door")
        assert eventually(lambda: health(front) == "up"), front.log.read_text()
        assert phone.reply("System/Whoami")["name"] == "taro"
        # And back.
        if role != "worker":
            hub.local("keys", "approve", key.fingerprint, "--name", "attic", "--role", role)
            assert eventually(lambda: health(front) == "away")
    finally:
        front.end()


def test_a_key_that_nobody_has_approved_waits_and_then_serves(hub):
    key = Key()
    front = remote_door(hub, key)
    try:
        front.start(waits_for_hub=False)
        assert hub.waits(key) and health(front) == "away"
        assert eventually(lambda: "KEY_NOT_ADMITTED" in front.log.read_text()), front.log.read_text()
        hub.local("keys", "approve", key.fingerprint, "--name", "attic", "--role", "door")
        assert eventually(lambda: health(front) == "up"), front.log.read_text()
    finally:
        front.end()
